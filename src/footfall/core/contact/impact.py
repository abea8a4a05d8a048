"""Impacts: contacts that strike the ground and joints that strike their stops exchange impulses at once.

Moreau's law with Newton's coefficient of restitution, and Coulomb friction between the impulses: a closed contact leaves with -e
times its normal velocity, it sticks if friction suffices, and slides otherwise. Rigid contacts that were closed and joints at
their stops take part, without restitution; compliant contacts do not, since springs and dampers give no impulse in an instant.
The solver is that of a step, with a step of one second, no forces, and tolerances near rounding.

Several impacts at a time can gain energy with Newton's restitution. Then restitution is lowered, by the same fraction
everywhere, to the largest that does not (regula falsi, Illinois).
"""

import numpy as np

from footfall.core.contact.edges import FAR
from footfall.core.contact.friction_limits import normal_force, update_friction_limits
from footfall.core.contact.geometry import OPEN
from footfall.core.contact.joint_constraints import aim_constraints_for_impact, constraint_loss, update_constraint_multiplier
from footfall.core.contact.law import UNLIMITED, held_friction
from footfall.core.contact.solver import fits, solve, solve_on_cones
from footfall.core.contact.step import SLOW, find_contacts, prepare, reset_contact
from footfall.core.jit import kernel
from footfall.core.spatial.algebra import dot, get_motion, get_vector, no_motion, plus, put_motion, put_vector, scaled

EVEN = 1e-11  # of the energy exchanged: a gain or loss below this is rounding
MAX_LIMITS = 30  # trials of limits of friction
MAX_SWEEPS = 100  # trials of each contact by itself
MAX_TRIALS = 100  # of a restitution
STALLED = 0.01  # of the residual: a round that changes it by less is the last


@kernel
def carry_over(data):
    """Set multipliers to the impulses found. Returns the residual velocity of contacts and stops."""
    contact, constraints = data.contact, data.constraints
    largest = 0.0
    for k in range(len(data.geometry.body)):
        if contact.active[k]:
            f = get_vector(contact.force, k)
            change = plus(f, scaled(get_vector(contact.multiplier, k), -1.0))
            largest = max(largest, dot(change, change))
            put_vector(contact.multiplier, k, f)
    residual = data.strict.R * np.sqrt(largest)
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            residual = max(residual, update_constraint_multiplier(constraints, r, 1.0))
    return residual


@kernel(inline=False)
def solve_at_limits(data):
    """The impulses at fixed limits of friction.

    Where contacts are all but redundant, a small velocity may be left that only huge impulses would take away: it stays the same
    from round to round.
    """
    last = np.inf
    for _ in range(data.strict.max_rounds):
        solve(data, data.strict, 1.0)
        residual = carry_over(data)
        if residual <= data.strict.v_tol or abs(residual - last) < STALLED * last:
            break
        last = residual


@kernel
def lacking(data, k):
    """By how much friction of contact k lacks, in N s: mu f_n - f_t_max at its limit; 0 if it sticks within mu f_n."""
    contact = data.contact
    x, most = contact.f_t_max[k], data.geometry.friction[k] * normal_force(contact, k)
    f = held_friction(contact, k)
    if contact.sticks[k] and np.sqrt(dot(f, f)) <= min(x, most):
        return 0.0
    return most - x


@kernel
def worst_limit(data):
    """The contact whose limit of friction is farthest from that of its normal impulse; -1 if all fit."""
    worst, most = -1, 0.0
    for k in range(len(data.geometry.body)):
        if data.contact.active[k]:
            lacks = abs(lacking(data, k))
            if lacks > tolerated(data, k) and lacks > most:
                worst, most = k, lacks
    return worst


@kernel
def tolerated(data, k):
    return data.strict.rough * min(data.contact.f_t_max[k], UNLIMITED) + data.strict.f_t_tol


@kernel(inline=False)
def fit_one_limit(data, k):
    """Find the limit of friction of contact k, all others fixed, between limits that are too low and too high (Illinois).

    There is one: a contact without friction lacks some or is open, and one with more than enough sticks.
    """
    contact = data.contact
    low, low_weight, high, high_weight = 0.0, 0.0, -1.0, 0.0
    for _ in range(MAX_LIMITS):
        x, lacks = contact.f_t_max[k], lacking(data, k)
        if abs(lacks) <= tolerated(data, k):
            return
        if lacks > 0.0:
            low, low_weight, high_weight = x, lacks, 0.5 * high_weight
        else:
            high, high_weight, low_weight = x, lacks, 0.5 * low_weight
        if high < 0.0:
            contact.f_t_max[k] = 2.0 * x + lacks
        elif low_weight == 0.0:
            contact.f_t_max[k] = low
        else:
            contact.f_t_max[k] = low + (high - low) * low_weight / (low_weight - high_weight)
        solve_at_limits(data)


@kernel
def solve_impact(data):
    """Solve for the impulses. Limits of friction are changed only when all else is settled.

    All together first, by Anderson acceleration. If that fails (friction large enough to press a contact harder, or to lift it),
    one contact after the other, always the worst: an order that a mirrored robot has, too.
    """
    contact = data.contact
    for trial in range(MAX_LIMITS):
        solve_at_limits(data)
        if worst_limit(data) < 0:
            return
        update_friction_limits(data.geometry, contact, trial)
    solve_at_limits(data)
    for _ in range(MAX_SWEEPS * len(data.geometry.body)):
        k = worst_limit(data)
        if k < 0:
            return
        fit_one_limit(data, k)


@kernel
def stay_within_cones(data):
    """Where limits of friction were not found, forces are projected on the cones themselves."""
    geometry, contact = data.geometry, data.contact
    for k in range(len(geometry.body)):
        if contact.active[k] and not fits(geometry, contact, k, data.settings.rough, data.strict.f_t_tol):
            solve_on_cones(data, data.strict, 1.0)
            break


@kernel(inline=False)
def strike(data, fraction):
    """Impulses of the contacts that meet the ground, with a fraction of their restitution.

    Returns the energy lost, and the energy exchanged: impulses times velocities before.
    """
    geometry, contact, motion, constraints = data.geometry, data.contact, data.motion, data.constraints
    for k in range(len(geometry.body)):
        takes_part = (contact.impacting[k] == 1 or contact.mode[k] != OPEN) and geometry.stiffness[k] == 0.0
        contact.active[k] = 1 if takes_part and contact.gap[k] < FAR else 0  # it may have come past the corner of its face
        reset_contact(contact, k)
        if contact.active[k]:
            n, u = get_vector(contact.normal, k), get_vector(contact.v, k)
            v_n = dot(u, n)
            e = fraction * geometry.restitution[k] if v_n < -SLOW else 0.0
            contact.mass_n[k], contact.mass_t[k] = 1.0 / data.strict.R, 1.0 / data.strict.R
            put_vector(contact.bias, k, scaled(n, e * v_n))
            put_vector(contact.v_next, k, u)
            if geometry.friction[k] > 0.0:
                contact.f_t_max[k], contact.closed[k], contact.sticks[k] = UNLIMITED, 1, 1
    aim_constraints_for_impact(constraints, motion.q, motion.v)
    solve_impact(data)
    stay_within_cones(data)
    lost, exchanged = 0.0, 0.0
    for k in range(len(geometry.body)):
        if contact.active[k]:
            f, u = get_vector(contact.force, k), get_vector(contact.v, k)
            lost -= 0.5 * dot(f, plus(u, get_vector(contact.v_trial, k)))
            exchanged += abs(dot(f, u))
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            lost += constraint_loss(constraints, r, motion.v, motion.a)
            exchanged += abs(constraints.force[r] * motion.v[constraints.dof[r]])
    return lost, exchanged


@kernel
def strike_without_gain(data):
    """Impulses with the largest fraction of restitution that adds no energy. Returns the energy lost."""
    lost, exchanged = strike(data, 1.0)
    if lost >= -EVEN * exchanged:
        return lost
    best, exchanged = strike(data, 0.0)
    low, high, low_weight, high_weight = 0.0, 1.0, best, lost
    fraction = 0.0
    for _ in range(MAX_TRIALS):
        if best <= EVEN * exchanged or high - low < EVEN:
            break
        fraction = low + (high - low) * low_weight / (low_weight - high_weight)
        lost, _ = strike(data, fraction)
        if lost >= 0.0:  # of the side that stays, half the weight next time
            low, best, low_weight, high_weight = fraction, lost, lost, 0.5 * high_weight
        else:
            high, low_weight, high_weight = fraction, 0.5 * low_weight, lost
    return best if fraction == low else strike(data, low)[0]


@kernel
def exchange_impulses(data):
    """Change the velocity by all impulses of this instant. Returns the energy lost."""
    geometry, contact, work, motion, tree = data.geometry, data.contact, data.work, data.motion, data.tree
    prepare(tree, work, motion.q, motion.v, motion.v)
    find_contacts(data.ground, geometry, contact, work, data.settings.dt)
    saved, none = get_motion(work.a_bias, 0), no_motion()
    for i in range(len(tree.parent)):
        put_motion(work.a_bias, i, none)
        put_motion(work.A_WB, i, none)
        put_motion(work.c_J, i, none)
        put_motion(work.p_bias, i, none)
    for d in range(len(motion.v)):
        motion.tau_joint[d], motion.rotor_joint[d] = 0.0, tree.rotor[d]
    lost = strike_without_gain(data)
    for d in range(len(motion.v)):
        motion.v[d] += motion.a[d]
        motion.v_now[d] = motion.v[d]
    put_motion(work.a_bias, 0, saved)
    put_motion(work.A_WB, 0, saved)
    return lost
