"""The recorded velocity, at rest where contacts stick.

Standard name: the second stage of RATTLE. The mean of the velocities half a step before and after an instant leaves a contact
that sticks with a velocity of second order in the time step, if its body turns. The projection takes that away, with the factors
that the last pass of the articulated-body algorithm has left: (M + J'J / R) dv = -J' (J v) / R. It is for records only. What is
faster than an impact is in the midst of one, as in a step that has more of them than are met one by one: it is recorded as it is.
"""

from footfall.core.contact.law import STICK
from footfall.core.contact.step import SLOW
from footfall.core.jit import kernel
from footfall.core.recursion.aba import solve_with_factors
from footfall.core.spatial.algebra import (
    dot,
    force_at,
    force_sum,
    get_motion,
    get_vector,
    no_motion,
    plus,
    put_motion,
    scaled,
)

NOTHING = 1e-16  # m2/s2: squared velocity that is not worth a projection


@kernel(inline=False)
def project_velocity(data, fraction):
    """Bring contacts that stick to rest in v_now, the velocity when a fraction of the last kick is over."""
    geometry, contact, work, worst = data.geometry, data.contact, data.work, 0.0
    for i in range(len(data.tree.parent)):
        put_motion(work.force, i, no_motion())
    for k in range(contact.count[0]):
        if held_at_anchor(geometry, contact, k):
            u = plus(scaled(get_vector(contact.v, k), 1.0 - fraction), scaled(get_vector(contact.v_trial, k), fraction))
            body, x = geometry.body[k], get_vector(contact.r_BC_W, k)
            worst = max(worst, dot(u, u))
            put_motion(work.force, body, force_sum(get_motion(work.force, body), force_at(scaled(u, contact.mass_n[k]), x)))
    if NOTHING < worst < SLOW * SLOW:
        motion = data.motion
        for d in range(len(motion.v)):
            motion.tau_all[d] = 0.0
        solve_with_factors(data.tree, work, motion.tau_all, motion.v_now)


@kernel
def held_at_anchor(geometry, contact, k):
    """Whether contact k is rigid, stuck in this kick, and did so before."""
    stuck = contact.active[k] and contact.closed[k] and contact.sticks[k] == 1 and contact.mode[k] == STICK
    return stuck and contact.anchored[k] and geometry.stiffness[k] == 0.0
