"""The recorded velocity, at rest where contacts stick.

Standard name: the second stage of RATTLE. The mean of the velocities half a step before and after an instant leaves a contact
that sticks with a velocity of second order in the time step, if its body turns. The projection takes that away, with the factors
that the last pass of the articulated-body algorithm has left: (M + J'J / R) dv = -J' (J v) / R. It is for records only. A contact
that is faster than an error of second order still lands, in the second of the two kicks by which it closes: its velocity is
recorded as it is, so that momentum balances with the forces recorded.
"""

from footfall.core.contact.geometry import STICK
from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    add_column,
    add_scaled,
    column_dot,
    dot,
    force_at,
    force_sum,
    get_motion,
    get_vector,
    no_motion,
    pair,
    plus,
    put_motion,
    scaled,
    shift_force,
    shift_motion,
)

NOTHING = 1e-16  # m2/s2: squared velocity that is not worth a projection
LANDS = 1.0  # m/s2: a contact whose velocity is above this times the kick comes to rest only now


@kernel(inline=False)
def project_velocity(data, fraction):
    """Bring contacts that stick to rest in v_now, the velocity when a fraction of the last kick is over."""
    geometry, contact, work, worst = data.geometry, data.contact, data.work, 0.0
    for i in range(len(data.tree.parent)):
        put_motion(work.force, i, no_motion())
    for k in range(contact.count[0]):
        if held_at_anchor(geometry, contact, k):
            u = plus(scaled(get_vector(contact.v, k), 1.0 - fraction), scaled(get_vector(contact.v_trial, k), fraction))
            if dot(u, u) > (LANDS * contact.kick[0]) ** 2:
                continue
            body, x = geometry.body[k], get_vector(contact.r_BC_W, k)
            worst = max(worst, dot(u, u))
            put_motion(work.force, body, force_sum(get_motion(work.force, body), force_at(scaled(u, contact.mass_n[k]), x)))
    if worst > NOTHING:
        solve_with_factors(data.tree, work, data.motion.v_now)


@kernel
def held_at_anchor(geometry, contact, k):
    """Whether contact k is rigid, stuck in this kick, and did so before."""
    stuck = contact.active[k] and contact.closed[k] and contact.sticks[k] == 1 and contact.mode[k] == STICK
    return stuck and contact.anchored[k] and geometry.stiffness[k] == 0.0


@kernel
def solve_with_factors(tree, work, v):
    """Add to v the answer to the bias forces in work.force, by the factors of the last pass (axis, U, D_inv)."""
    for i in range(len(tree.parent) - 1, 0, -1):
        p, P = tree.parent[i], get_motion(work.force, i)
        if tree.forks[i]:
            P = force_sum(P, force_sum(get_motion(work.left_force, i), get_motion(work.right_force, i)))
            put_motion(work.left_force, i, no_motion())
            put_motion(work.right_force, i, no_motion())
        last = tree.first_v[i + 1] - 1
        for k in range(tree.first_v[i + 1] - tree.first_v[i]):
            d = last - k
            work.u[d] = -column_dot(tree.turns[d], get_vector(work.axis, d), P)
            P = add_scaled(P, get_motion(work.U, d), work.D_inv[d] * work.u[d])
        if p > 0:
            side = work.force if tree.side[i] == 0 else work.left_force if tree.side[i] == 1 else work.right_force
            put_motion(side, p, force_sum(get_motion(side, p), shift_force(P, get_vector(work.r_PB_W, i))))
    put_motion(work.force, 0, no_motion())
    for i in range(1, len(tree.parent)):
        A = shift_motion(get_motion(work.force, tree.parent[i]), get_vector(work.r_PB_W, i))
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            dv = (work.u[d] - pair(get_motion(work.U, d), A)) * work.D_inv[d]
            v[d] += dv
            A = add_column(A, tree.turns[d], get_vector(work.axis, d), dv)
        put_motion(work.force, i, A)
