"""Force distribution of workspace control: accelerations that the legs can follow, then least effort within friction and soles.

First the motion. The central body shall accelerate with A. Legs near the end of their reach cannot follow every A, so that the
accelerations are those of least

    (A_1 - A)'M_1 (A_1 - A) + sum over joints of light (x - urge)^2,     feet at rest

which is the motion of a robot whose legs have no mass but light rotors. The articulated-body algorithm with fixed feet solves
it, and joint rates stay bounded where a leg is straight. Then the forces. With A = wanted + y, the unknowns (y, wrench of each
foot) leave the base without force. A quadratic program chooses them: y as small as possible, then the torques.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.qp import SOLVED, solve_program
from footfall.core.recursion.aba import substitute
from footfall.core.recursion.balance import set_edge_row
from footfall.core.recursion.fixed_feet import eliminate_held
from footfall.core.recursion.kinematics import jacobian
from footfall.core.recursion.rnea import collect
from footfall.core.recursion.workspace import least_pivot, reaction, tie_feet
from footfall.core.spatial.algebra import (
    add,
    add_scaled,
    column_dot,
    get_inertia,
    get_motion,
    get_rigid,
    get_rotation,
    get_vector,
    inertia_of_rigid,
    inertia_rank1_downdate,
    no_motion,
    put_inertia,
    put_motion,
    rigid_times,
    rotate,
    rotate_motion_back,
)

URGENT = 1e8  # how much more a kilogram of the body counts than (N m)^2: the wanted motion comes before ease
EVEN = 1e-6  # cost of a newton in a foot beside one of a newton metre in a joint, for legs that carry without torque
NO_LIMIT = 1e9  # N m: a motor that can do more has no limit
EASE = 5.0  # 1/s: rate at which a joint comes to its stop
HEAVY = 1e3  # kg m2: a rotor that hardly moves
SHY = 0.05  # rad, m: distance from a stop at which a joint halts; a knee that is straight or nearly so cannot lift the body
TIGHT = 1e-7  # N: tolerance of the program


class Scratch(NamedTuple):
    a: Any  # (nv,) accelerations
    tau: Any  # (nv,) joint forces without feet
    light: Any  # (nv,) rotors of the robot that resolves the motion
    urge: Any  # (nv,) what they are driven with
    reach: Any  # (MOTION, nv) joint forces without feet for unit y
    bend: Any  # (MOTION, nv) accelerations for unit y
    metric: Any  # (MOTION, MOTION) inertia of the central body
    unit: Any  # (1, MOTION)
    J: Any  # (legs, nv, MOTION) of the soles, in the feet's axes
    T: Any  # (nv, unknowns) joint forces for unit unknowns
    moves: Any  # (MOTION, MOTION) acceleration of the central body for unit y
    got: Any  # (1, MOTION) the one that comes out
    rest: Any  # (2, DIM) where the robot can still come to rest, see `balance`


@kernel(inline=False)
def resolve(tree, work, legs, ties, scratch, A):
    """Accelerations of least cost in scratch.a and work.A_WB; joint forces for them without feet in scratch.tau."""
    up, none, center = get_motion(work.A_WB, 0), no_motion(), legs.center
    nothing = inertia_rank1_downdate(get_inertia(work.inertia, 0), none, 0.0)
    for i in range(1, len(tree.parent)):
        put_inertia(work.inertia, i, nothing)
        put_motion(work.force, i, none)
    tie_feet(tree, work, legs, ties)
    B = get_rigid(work.rigid, center)
    put_inertia(work.inertia, center, inertia_of_rigid(B))
    put_motion(work.force, center, reaction(rigid_times(B, A)))
    eliminate_held(tree, work, ties, scratch.urge, scratch.light, least_pivot(legs))
    put_motion(work.A_WB, 0, none)  # the weight is in work.p_bias
    substitute(tree, work, scratch.a)
    put_motion(work.A_WB, 0, up)
    gather(tree, work, scratch.a, scratch.tau)
    put_motion(scratch.got, 0, get_motion(work.A_WB, center))


@kernel
def restrain(tree, soles, scratch, q, v):
    """Let joints that would reach their stops too fast slow down, by rotors too heavy to disobey. Returns how many are new.

    With s the distance from where a joint shall halt, s'' + 2 EASE s' + EASE^2 s >= 0.
    """
    new = 0
    for i in range(1, len(tree.parent)):
        d = tree.first_v[i]
        if soles.low[d] > -NO_LIMIT or soles.high[d] < NO_LIMIT:
            angle, brake = q[tree.first_q[i]], -2.0 * EASE * v[d]
            least = brake - EASE * EASE * (angle - soles.low[d] - SHY)
            most = brake + EASE * EASE * (soles.high[d] - SHY - angle)
            bound = min(max(scratch.a[d], least), most)
            if bound != scratch.a[d] and scratch.light[d] < HEAVY:
                scratch.light[d], scratch.urge[d] = HEAVY, HEAVY * bound
                new += 1
    return new


@kernel
def gather(tree, work, a, tau):
    """Joint forces of the present accelerations."""
    for i in range(1, len(tree.parent)):
        F = rigid_times(get_rigid(work.rigid, i), get_motion(work.A_WB, i))
        put_motion(work.force, i, add(F, get_motion(work.p_bias, i)))
    collect(tree, work, a, tau)


@kernel(inline=False)
def respond(tree, work, legs, ties, scratch):
    """What unit accelerations of the central body would add: rows of scratch.reach. Forgets velocities and weight."""
    up, none, center = get_motion(work.A_WB, 0), no_motion(), legs.center
    put_motion(work.A_WB, 0, none)
    for i in range(1, len(tree.parent)):
        put_motion(work.c_J, i, none)
        put_motion(work.p_bias, i, none)
    for c in range(len(scratch.reach)):
        put_motion(scratch.unit, 0, none)
        scratch.unit[0, c] = 1.0
        P = rigid_times(get_rigid(work.rigid, center), get_motion(scratch.unit, 0))
        put_motion(scratch.metric, c, P)
        for d in range(len(work.u)):
            work.u[d] = 0.0
        last = tree.first_v[center + 1] - 1
        for k in range(tree.first_v[center + 1] - tree.first_v[center]):
            d = last - k
            u = column_dot(tree.turns[d], get_vector(work.axis, d), P)
            P = add_scaled(P, get_motion(work.U, d), -work.D_inv[d] * u)
            work.u[d] = 0.0 if ties.held[d] > 0.0 else u
        substitute(tree, work, scratch.bend[c])
        put_motion(scratch.moves, c, get_motion(work.A_WB, center))
        gather(tree, work, scratch.bend[c], scratch.reach[c])
    put_motion(work.A_WB, 0, up)


@kernel(inline=False)
def set_torques(tree, work, legs, soles, scratch):
    """Dependence of the joint forces on the unknowns: scratch.T."""
    width = len(scratch.reach)
    for l in range(len(legs.foot)):
        i = int(legs.foot[l])
        R = get_rotation(work.R_WB, i)
        jacobian(tree, work, i, rotate(R, get_vector(soles.at, l)), scratch.J[l])
        while i > 0:
            for d in range(tree.first_v[i], tree.first_v[i + 1]):
                put_motion(scratch.J[l], d, rotate_motion_back(R, get_motion(scratch.J[l], d)))
            i = int(tree.parent[i])
    for d in range(len(scratch.T)):
        for c in range(width):
            scratch.T[d, c] = scratch.reach[c, d]
            for l in range(len(legs.foot)):
                scratch.T[d, width * (1 + l) + c] = -scratch.J[l, d, c]


@kernel(inline=False)
def set_cost(soles, scratch, p):
    """Cost: the wanted motion first, then the torques, then the forces in the feet."""
    n, width = len(p.g), len(scratch.reach)
    for i in range(n):
        p.g[i] = 0.0
        for j in range(i + 1):
            p.H[i, j] = EVEN if i == j else 0.0
            if i < width:
                p.H[i, j] += URGENT * scratch.metric[i, j]
    for d in range(len(scratch.T)):
        if soles.driven[d] > 0.0:
            for i in range(n):
                p.g[i] += scratch.T[d, i] * scratch.tau[d]
                for j in range(i + 1):
                    p.H[i, j] += scratch.T[d, i] * scratch.T[d, j]


@kernel(inline=False)
def set_rows(tree, work, legs, soles, scratch, p):
    """Constraints: the base without force; friction and pressure of every foot; balance."""
    n, width, first = len(p.g), len(scratch.reach), int(tree.first_v[legs.center])
    cone = len(soles.cone) // len(legs.foot)
    for k in range(width):
        p.c[k] = -scratch.tau[first + k]
        for i in range(n):
            p.C[k, i] = scratch.T[first + k, i]
    for l in range(len(legs.foot)):
        for r in range(cone):
            k = width + l * cone + r
            p.c[k] = 0.0
            for i in range(n):
                p.C[k, i] = 0.0
            for c in range(width):
                p.C[k, width * (1 + l) + c] = soles.cone[l * cone + r, c]
    for r in range(len(soles.edge)):
        k = width + len(soles.cone) + r
        p.c[k] = set_edge_row(work, legs, soles, scratch.rest, r, p.C[k])


@kernel
def set_limits(soles, scratch, p):
    """Constraints: torques of the motors, as far as there are rows for them."""
    k = len(scratch.reach) + len(soles.cone) + len(soles.edge)
    for d in range(len(scratch.T)):
        for side in (1.0, -1.0):
            if k < len(p.c) and soles.driven[d] > 0.0 and soles.limit[d] < NO_LIMIT:
                p.c[k] = -soles.limit[d] - side * scratch.tau[d]
                for j in range(len(p.g)):
                    p.C[k, j] = side * scratch.T[d, j]
                k += 1


@kernel(inline=False)
def distribute_forces(tree, work, legs, soles, scratch, p, tau):
    """After `resolve` and `respond`: joint forces of least effort. Returns the status of the program and the row that cannot be
    met.
    """
    set_torques(tree, work, legs, soles, scratch)
    set_cost(soles, scratch, p)
    set_rows(tree, work, legs, soles, scratch, p)
    set_limits(soles, scratch, p)
    status, row = solve_program(p, len(scratch.reach), TIGHT)
    if status == SOLVED:
        for d in range(len(tau)):
            tau[d] = scratch.tau[d]
            for i in range(len(p.x)):
                tau[d] += scratch.T[d, i] * p.x[i]
        for c in range(len(scratch.reach)):
            put_motion(scratch.got, 0, add_scaled(get_motion(scratch.got, 0), get_motion(scratch.moves, c), p.x[c]))
    return status, row
