"""Bodies that have poses and velocities of their own, and are held together by the forces in their hinges alone.

The pose of a hinge is a coordinate beside them. Its error is the motion from where the hinge at that coordinate carries body i,
as its parent lies, to where the body is; what closes it in a step is the c_i of the tree (`core.maximal.tree_system`).
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    add,
    add_scaled,
    angular,
    column,
    compose,
    first_moment,
    get_motion,
    get_rigid,
    get_rotation,
    get_vector,
    join,
    joint_offset,
    joint_rotation,
    linear,
    no_motion,
    no_vector,
    pair,
    plus,
    put_motion,
    put_rotation,
    put_vector,
    rigid_mass,
    rigid_times,
    rotate,
    rotate_rigid,
    rotation_error,
    rotation_exp,
    scaled,
    shift_motion,
    subtract,
)


class Bodies(NamedTuple):
    """Row i belongs to body i; the world is body 0, and does not move."""

    R: Any  # (n+1, ROTATION)
    p: Any  # (n+1, DIM) of its origin
    V: Any  # (n+1, MOTION) of that point
    R_next: Any
    p_next: Any
    V_next: Any  # of the point of the body that is its origin now
    q_next: Any  # (nq,) coordinates of the hinges
    spin: Any  # (n+1, MOTION) moment that turns the axes of inertia with the body, so far as it is known
    alternate: Any  # (1,) int: 1 for one pad a step


def new_bodies(data: Any, alternating: bool) -> Bodies:
    """The bodies of a robot where its simulation data have them."""
    work = data.work
    now = {"R": work.R_WB.copy(), "p": work.p_WB.copy(), "V": work.V_WB.copy()}
    after = {f"{name}_next": rows.copy() for name, rows in now.items()}
    alternate = np.array([alternating], np.int64)
    return Bodies(**now, **after, q_next=data.motion.q.copy(), spin=np.zeros_like(work.V_WB), alternate=alternate)


@kernel
def show(work, R, p, V):
    """Poses and velocities of the bodies become those that all else looks at."""
    for i in range(1, len(R)):
        put_rotation(work.R_WB, i, get_rotation(R, i))
        put_vector(work.p_WB, i, get_vector(p, i))
        put_motion(work.V_WB, i, get_motion(V, i))


@kernel
def middle_of(tree, R, i):
    """From the origin of body i to its centre of mass; none without mass."""
    B = get_rigid(tree.rigid, i)
    m = rigid_mass(B)
    return rotate(R, scaled(first_moment(B), 1.0 / m)) if m > 0.0 else no_vector()


@kernel
def turned(R, V, time):
    """The rotation R after a time with the spin of V."""
    return compose(rotation_exp(angular(add_scaled(no_motion(), V, time))), R)


@kernel(inline=False)
def move_bodies(tree, bodies, h):
    """Centres of mass go straight on, and bodies turn, with V_next for the time h."""
    for i in range(1, len(tree.parent)):
        R, V = get_rotation(bodies.R, i), get_motion(bodies.V_next, i)
        R_next = turned(R, V, h)
        r = middle_of(tree, R, i)
        way = plus(scaled(linear(shift_motion(V, r)), h), plus(r, scaled(middle_of(tree, R_next, i), -1.0)))
        put_rotation(bodies.R_next, i, R_next)
        put_vector(bodies.p_next, i, plus(get_vector(bodies.p, i), way))


@kernel(inline=False)
def close_hinges(tree, bodies, h, c):
    """What velocities must gain so that the bodies, as they have been moved, fit to the hinges. Returns the largest error."""
    worst = 0.0
    for i in range(1, len(tree.parent)):
        R_P = get_rotation(bodies.R_next, tree.parent[i])
        R, r = joint_rotation(tree, bodies.q_next, i, R_P), rotate(R_P, joint_offset(tree, bodies.q_next, i))
        there = plus(get_vector(bodies.p_next, tree.parent[i]), r)
        away = plus(get_vector(bodies.p_next, i), scaled(there, -1.0))
        error = join(away, rotation_error(get_rotation(bodies.R_next, i), R))
        for e in range(len(error)):
            worst = max(worst, abs(error[e]))
        put_motion(c, i, add_scaled(no_motion(), error, -1.0 / h))
    return worst


@kernel
def spin_momentum(tree, i, R, V):
    """Angular momentum about the centre of mass."""
    r = middle_of(tree, R, i)
    about = shift_motion(join(no_vector(), angular(V)), scaled(r, -1.0))
    return join(no_vector(), angular(rigid_times(rotate_rigid(R, get_rigid(tree.rigid, i)), about)))


@kernel(inline=False)
def turn_inertias(tree, bodies, h, f):
    """Add what is new of the moment by which a body keeps its angular momentum while its axes of inertia turn with it. Momenta
    are taken in the middle of the turns, where that is of order 2. In the plane there is none."""
    for i in range(1, len(tree.parent)):
        R, V, V_next = get_rotation(bodies.R, i), get_motion(bodies.V, i), get_motion(bodies.V_next, i)
        moment = subtract(spin_momentum(tree, i, R, V_next), spin_momentum(tree, i, R, V))
        moment = subtract(moment, spin_momentum(tree, i, turned(R, V_next, 0.5 * h), V_next))
        moment = add(moment, spin_momentum(tree, i, turned(R, V, -0.5 * h), V))
        put_motion(f, i, add(get_motion(f, i), subtract(moment, get_motion(bodies.spin, i))))
        put_motion(bodies.spin, i, moment)


@kernel(inline=False)
def arrive(tree, work, bodies, v):
    """The next instant is the present one. Velocities of the hinges become those between the bodies."""
    for i in range(1, len(tree.parent)):
        R, R_next = get_rotation(bodies.R, i), get_rotation(bodies.R_next, i)
        to = plus(middle_of(tree, R, i), scaled(middle_of(tree, R_next, i), -1.0))
        put_motion(bodies.V, i, shift_motion(get_motion(bodies.V_next, i), to))
        put_rotation(bodies.R, i, R_next)
        put_vector(bodies.p, i, get_vector(bodies.p_next, i))
    for i in range(1, len(tree.parent)):
        V_P = shift_motion(get_motion(bodies.V, tree.parent[i]), get_vector(work.r_PB_W, i))
        between = subtract(get_motion(bodies.V, i), V_P)
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            v[d] = pair(column(tree.turns[d], get_vector(work.axis, d)), between)
