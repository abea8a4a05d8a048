"""The contact solver: proximal (augmented-Lagrangian) Newton, with articulated-body passes as Newton iterates.

Inner iteration, in `solve`: at fixed multipliers and limits of friction the contact forces are the gradient of a convex function
of the velocity at the end of the step. Newton's method with an exact line search minimises it; an iterate is one pass of the
articulated-body algorithm (`newton_iterate`). Outer iteration, in `solve_contact`: multipliers are set to the forces found, and
limits of friction to mu f_n by `core.contact.friction_limits`, until contacts miss their velocity by less than v_tol and no force
is beyond its friction cone by more than the tolerance of friction.

If the rounds run out (load goes to and fro between redundant contacts, or friction jams), `solve_on_cones` finishes: forces of
rigid contacts are projected on the friction cones themselves, with De Saxce's correction, mu |slip| added to the normal velocity,
of the last round (a fixed point, as of Acary et al.). Every iterate is within the cones.
"""

import numpy as np

from footfall.core.contact.friction_limits import normal_force, product, update_friction_limits
from footfall.core.contact.geometry import ON_CONE, RESTS, tangential
from footfall.core.contact.joint_constraints import (
    add_constraint,
    constraint_merit_slope,
    constraint_residual,
    move_constraint,
    read_constraint,
    update_constraint_multiplier,
)
from footfall.core.contact.law import (
    UNLIMITED,
    add_contact,
    contact_merit_slope,
    contact_residual,
    held_friction,
    move_contact,
    read_modes,
)
from footfall.core.jit import kernel
from footfall.core.recursion.aba import eliminate, substitute
from footfall.core.spatial.algebra import (
    dot,
    get_motion,
    get_rigid,
    get_vector,
    inertia_of_rigid,
    no_vector,
    plus,
    put_inertia,
    put_motion,
    put_vector,
    scaled,
)

MAX_ITERATIONS = 40  # of Newton's method in a round
ENOUGH = 1e3  # times f_tol is enough from the third iteration on: the next would only polish
SPARE = 0.8  # of f_t_max: a contact with fixed friction below this sticks again
FULL = 0.9  # of f_t_max: fixed friction is kept below this, for the load may change
MISSED = 5.0  # times v_tol is a velocity that contacts may miss when rounds have run out
CONE_ROUNDS, FALLING = 120, 70  # with forces on their cones; those in which corrections may rise as well as fall
SHORTER, LONGER = 0.5, 1.3  # times as large is the next step of the corrections, if the last one went too far or not
LEAST, MOST = 0.1, 4.0  # of the step to the fixed point
CREEP = 1e-5  # m/s: a contact that slides slower than this is held by others


@kernel
def newton_iterate(data, h):
    """Accelerations with every contact and joint constraint in its present mode. Returns the largest residual force."""
    tree, work, geometry, contact = data.tree, data.work, data.geometry, data.contact
    constraints, motion = data.constraints, data.motion
    for i in range(1, len(tree.parent)):
        put_inertia(work.inertia, i, inertia_of_rigid(get_rigid(work.rigid, i)))
        put_motion(work.force, i, get_motion(work.p_bias, i))
    for d in range(len(motion.v)):
        motion.tau_all[d], motion.rotor_all[d] = motion.tau_joint[d], motion.rotor_joint[d]
    for k in range(contact.count[0]):
        if contact.active[k]:
            add_contact(geometry, contact, work, k, h)
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            add_constraint(constraints, r, motion.v, motion.tau_all, motion.rotor_all, h)
    eliminate(tree, work, motion.tau_all, motion.rotor_all)
    substitute(tree, work, motion.a)
    residual = 0.0
    for k in range(contact.count[0]):
        if contact.active[k]:
            residual = max(residual, contact_residual(geometry, contact, work, k, h))
    residual = np.sqrt(residual)
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            residual = max(residual, constraint_residual(constraints, r, motion.v, motion.a, h))
    return residual


@kernel
def merit_slope(data, alpha, h):
    """Slope of the convex merit function at the fraction alpha of the Newton step."""
    geometry, contact, constraints = data.geometry, data.contact, data.constraints
    total = 0.0
    for k in range(contact.count[0]):
        if contact.active[k]:
            total += contact_merit_slope(geometry, contact, k, alpha, h)
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            total += constraint_merit_slope(constraints, r, alpha, h)
    return total


@kernel(inline=False)
def line_search(data, h):
    """The fraction alpha of the Newton step at which the merit function is least, by bisection."""
    low, high = 0.0, 1.0
    if merit_slope(data, 1.0, h) <= 0.0:
        return 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        if merit_slope(data, middle, h) <= 0.0:
            low = middle
        else:
            high = middle
        if high - low < 1e-3 * high:
            break
    return high if low == 0.0 else low


@kernel
def solve(data, settings, h):
    """Newton's method at fixed multipliers and limits of friction, from the modes of the last solve.

    Returns the number of iterations, negative if it did not converge.
    """
    geometry, contact, constraints = data.geometry, data.contact, data.constraints
    for iterations in range(1, MAX_ITERATIONS + 1):
        residual = newton_iterate(data, h)
        if residual <= settings.f_tol or (iterations > 2 and residual <= ENOUGH * settings.f_tol):
            return iterations
        alpha = 1.0 if iterations == 1 else line_search(data, h)
        for k in range(contact.count[0]):
            if contact.active[k]:
                move_contact(contact, k, alpha)
                read_modes(geometry, contact, k, h)
        for r in range(len(constraints.dof)):
            if constraints.active[r]:
                move_constraint(constraints, r, alpha)
                read_constraint(constraints, r, h)
    return -MAX_ITERATIONS


@kernel
def update_multipliers(data, settings, kick, rounds):
    """Set multipliers to the forces found, and update the limits of friction.

    Returns the residual velocity, that of the contacts alone, and 1 if a force is beyond its friction cone.
    """
    geometry, contact, constraints = data.geometry, data.contact, data.constraints
    residual, largest, beyond = 0.0, 0.0, 0
    fresh = update_friction_limits(geometry, contact, rounds)
    if rounds == 0 and fresh and fresh_ones_slide(geometry, contact):
        restart_without_friction(geometry, contact)
    for k in range(contact.count[0]):
        if contact.active[k]:
            f, lacking = get_vector(contact.force, k), abs(contact.residual[k])
            tolerated = settings.rough * contact.f_t_max[k] + settings.f_t_tol
            if contact.sticks[k] == RESTS:
                if slides(data, k):
                    contact.sticks[k] = 0
                    residual = max(residual, 2.0 * settings.v_tol)
            elif (
                not contact.sticks[k] or lacking > contact.f_t_max[k]
            ):  # if it sticks well within its limit, the limit does not matter
                residual = max(residual, kick * lacking / contact.mass_t[k])
                if lacking > tolerated and not creeps(contact, k):
                    residual = max(residual, 2.0 * settings.v_tol)
            over = contact.residual[k] < -tolerated and not fits(geometry, contact, k, settings.rough, settings.f_t_tol)
            if over:
                beyond = 1  # friction fits the load that it had before
            if contact.at_instant[k] and contact.sticks[k]:  # it was to slide, but stops
                n = get_vector(contact.normal, k)
                put_vector(contact.bias, k, scaled(n, dot(n, get_vector(contact.bias, k))))
                contact.at_instant[k] = 0
                residual = max(residual, 2.0 * settings.v_tol)
            if geometry.stiffness[k] == 0.0:
                change = plus(f, scaled(get_vector(contact.multiplier, k), -1.0))
                if not contact.sticks[k]:
                    n = get_vector(contact.normal, k)
                    change = scaled(n, dot(n, change))
                largest = max(largest, dot(change, change))
                put_vector(contact.multiplier, k, f)
            if over and contact.sticks[k] == RESTS:
                limit_held_friction(geometry, contact, k, 0.0)
    of_contacts = residual = max(residual, settings.R * kick * np.sqrt(largest))
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            residual = max(residual, update_constraint_multiplier(constraints, r, kick))
    return residual, of_contacts, beyond


@kernel
def fits(geometry, contact, k, rough, tiny):
    """Whether the force of contact k is within its friction cone, or beyond by no more than a part `rough` and a tiny force."""
    n, f = get_vector(contact.normal, k), get_vector(contact.force, k)
    f_n = dot(f, n)
    f_t, most = plus(f, scaled(n, -f_n)), (1.0 + rough) * geometry.friction[k] * f_n + tiny
    return dot(f_t, f_t) <= most * most or geometry.bonded[k]


@kernel
def limit_held_friction(geometry, contact, k, fall):
    """Keep the fixed friction of contact k (RESTS) well within its limit, which is expected to fall by so much.

    Returns whether much of the limit was to spare.
    """
    f_n = dot(get_vector(contact.multiplier, k), get_vector(contact.normal, k))
    f_t_max = max(geometry.friction[k] * f_n - fall, 0.0)
    f = held_friction(contact, k)
    size = np.sqrt(dot(f, f))
    if size > FULL * f_t_max:
        put_vector(contact.multiplier, k, plus(get_vector(contact.multiplier, k), scaled(f, FULL * f_t_max / size - 1.0)))
    return size < SPARE * f_t_max


@kernel
def is_fresh(contact, k):
    """Whether contact k tried to stick without a limit in this round."""
    return contact.f_t_max_round[k] >= UNLIMITED


@kernel
def fresh_ones_slide(geometry, contact):
    """Whether a contact that tried to stick without a limit cannot.

    The forces that would stop it at once are large, and may lift others. To begin with them would share the load unevenly.
    """
    for k in range(len(geometry.body)):
        if contact.active[k] and is_fresh(contact, k):
            f_t = tangential(get_vector(contact.force, k), get_vector(contact.normal, k))
            if dot(f_t, f_t) > contact.f_t_max[k] ** 2:
                return True
    return False


@kernel
def restart_without_friction(geometry, contact):
    """Forget the forces of contacts that tried to stick without a limit."""
    for k in range(len(geometry.body)):
        if contact.active[k] and is_fresh(contact, k):
            put_vector(contact.force, k, no_vector())
            contact.f_t_max[k] = 0.0


@kernel
def slides(data, k):
    """Whether contact k, at its limit of friction, slides. If others of its foot hold it, its share does not matter."""
    return not creeps(data.contact, k) or not held_by_others(data, k)


@kernel
def held_by_others(data, k):
    """Whether contact k cannot slide, because enough other contacts of its foot stick: one in the plane, two in space.

    They are on its own body or on a neighbour: toes are held by the foot.
    """
    body, contact, parent = data.geometry.body, data.contact, data.tree.parent
    b, lacking = body[k], contact.normal.shape[1] - 1
    for j in range(len(body)):
        if contact.sticks[j] == 1 and j != k and contact.closed[j] and contact.active[j]:
            lacking -= 1 if body[j] == b or parent[body[j]] == b or body[j] == parent[b] else 0
            if lacking == 0:
                return True
    return False


@kernel(inline=False)
def solve_contact(data, settings, kick):
    """Rounds of `solve` and `update_multipliers`. Returns the number of Newton iterations and the residual velocity."""
    total, residual, of_contacts, beyond = 0, 0.0, 0.0, 0
    for rounds in range(settings.max_rounds):
        total += abs(solve(data, settings, kick))
        residual, of_contacts, beyond = update_multipliers(data, settings, kick, rounds)
        if not beyond and residual <= settings.v_tol:
            break
    if beyond or of_contacts > MISSED * settings.v_tol:
        iterations, residual = solve_on_cones(data, settings, kick)
        total += iterations
    return total, residual


@kernel(inline=False)
def solve_on_cones(data, settings, kick):
    """Rounds in which forces of rigid contacts are projected on their cones. Returns Newton iterations and residual velocity.

    Where the fixed point is not found, corrections only fall from then on. That comes to an end, in which no contact sinks:
    those that slide rise by what their correction is less than mu |slip|.
    """
    geometry, contact = data.geometry, data.contact
    total, residual, fraction = 0, 0.0, 1.0
    for k in range(contact.count[0]):
        contact.limited[k] = 0
        if contact.active[k] and geometry.stiffness[k] == 0.0 and not geometry.bonded[k]:
            contact.sticks[k] = ON_CONE + (1 if contact.sticks[k] else 0)
            contact.limited[k], contact.dilation[k] = 1, 0.0
            if contact.at_instant[k]:  # against the slip at the end of the kick, friction takes energy whatever the slip does
                n = get_vector(contact.normal, k)
                put_vector(contact.bias, k, scaled(n, dot(n, get_vector(contact.bias, k))))
                contact.at_instant[k] = 0
            contact.residual_round[k] = off_fixed_point(geometry, contact, k)
            dilate(contact, k, contact.residual_round[k])
            put_vector(contact.multiplier, k, get_vector(contact.force, k))
            read_modes(geometry, contact, k, kick)
    for rounds in range(CONE_ROUNDS):
        total += abs(solve(data, settings, kick))
        falling = rounds >= FALLING
        residual = update_on_cones(data, settings, kick, falling)
        if residual <= settings.v_tol:
            break
        if rounds > 0:
            onward = product(geometry, contact, contact.residual, contact.residual_round) > 0.0
            fraction = min(max(fraction * (LONGER if onward else SHORTER), LEAST), MOST)
        for k in range(contact.count[0]):
            if contact.active[k] and contact.sticks[k] >= ON_CONE:
                contact.residual_round[k] = contact.residual[k]
                dilate(contact, k, min(contact.residual[k], 0.0) if falling else fraction * contact.residual[k])
    for k in range(contact.count[0]):
        if contact.active[k] and contact.sticks[k] >= ON_CONE:
            f, n = get_vector(contact.force, k), get_vector(contact.normal, k)
            contact.f_t_max[k] = geometry.friction[k] * dot(f, n)
            dilate(contact, k, -contact.dilation[k])
            contact.sticks[k] -= ON_CONE
            contact.residual[k], contact.carry[k] = 0.0, 0.0
    return total, residual


@kernel
def update_on_cones(data, settings, kick, falling):
    """Set multipliers to the forces found, and how far the corrections are off. Returns the residual velocity."""
    geometry, contact, constraints = data.geometry, data.contact, data.constraints
    residual, largest = 0.0, 0.0
    for k in range(contact.count[0]):
        if contact.active[k] and contact.sticks[k] >= ON_CONE:
            f = get_vector(contact.force, k)
            change = plus(f, scaled(get_vector(contact.multiplier, k), -1.0))
            largest = max(largest, dot(change, change))
            put_vector(contact.multiplier, k, f)
            contact.residual[k], contact.limited[k] = off_fixed_point(geometry, contact, k), contact.closed[k]
            off = -contact.residual[k] if falling else abs(contact.residual[k])
            residual = max(residual, off if contact.closed[k] else sinking(contact, k))
        elif contact.active[k]:
            most = geometry.friction[k] * normal_force(contact, k)
            if abs(most - contact.f_t_max[k]) > settings.rough * most + settings.f_t_tol:
                residual = max(residual, 2.0 * settings.v_tol)
            contact.f_t_max[k] = most
    residual = max(residual, settings.R * kick * np.sqrt(largest))
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            residual = max(residual, update_constraint_multiplier(constraints, r, kick))
    return residual


@kernel
def sinking(contact, k):
    """Velocity with which contact k, which is open, goes into the ground."""
    w = plus(get_vector(contact.v_trial, k), get_vector(contact.bias, k))
    return contact.dilation[k] - dot(w, get_vector(contact.normal, k))


@kernel
def off_fixed_point(geometry, contact, k):
    """By how much De Saxce's correction of contact k is less than mu |slip|."""
    slip = tangential(plus(get_vector(contact.v_trial, k), get_vector(contact.bias, k)), get_vector(contact.normal, k))
    return geometry.friction[k] * np.sqrt(dot(slip, slip)) - contact.dilation[k]


@kernel
def dilate(contact, k, change):
    """Change De Saxce's correction in the bias of contact k, but not to less than zero."""
    change = max(change, -contact.dilation[k])
    put_vector(contact.bias, k, plus(get_vector(contact.bias, k), scaled(get_vector(contact.normal, k), change)))
    contact.dilation[k] += change


@kernel
def creeps(contact, k):
    """Whether contact k does not slide, or only as one at its limit of friction does that is held by others of its foot."""
    w = tangential(get_vector(contact.v_trial, k), get_vector(contact.normal, k))
    return dot(w, w) < CREEP * CREEP
