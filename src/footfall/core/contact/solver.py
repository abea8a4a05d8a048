"""The contact solver: proximal (augmented-Lagrangian) Newton, with articulated-body passes as Newton iterates.

Inner iteration, in `solve`: at fixed multipliers and limits of friction the contact forces are the gradient of a convex function
of the velocity at the end of the step. Newton's method with an exact line search minimises it; an iterate is one pass of the
articulated-body algorithm (`newton_iterate`). Outer iteration, in `solve_contact`: multipliers are set to the forces found, and
limits of friction to mu f_n by `core.contact.friction_limits`, until contacts miss their velocity by less than v_tol.

At the end every force is within its friction cone, to rounding: where only friction is not right yet, further rounds keep the
modes, and an iterate takes the factors of the pass before (`iterate_again`), which costs a fraction of a pass.
"""

import numpy as np

from footfall.core.contact.friction_limits import update_friction_limits
from footfall.core.contact.joint_constraints import (
    add_constraint,
    constraint_merit_slope,
    constraint_residual,
    move_constraint,
    read_constraint,
    update_constraint_multiplier,
)
from footfall.core.contact.law import (
    HELD,
    RESTS,
    UNLIMITED,
    add_contact,
    contact_merit_slope,
    contact_residual,
    held_friction,
    move_contact,
    read_modes,
    tangential,
)
from footfall.core.jit import kernel
from footfall.core.recursion.aba import eliminate, solve_with_factors, substitute
from footfall.core.spatial.algebra import (
    add,
    dot,
    force_at,
    get_motion,
    get_rigid,
    get_vector,
    inertia_of_rigid,
    no_motion,
    no_vector,
    plus,
    put_inertia,
    put_motion,
    put_vector,
    scaled,
    subtract,
)

MAX_ITERATIONS = 40  # of Newton's method in a round
ENOUGH = 1e3  # times f_tol is enough from the third iteration on: the next would only polish
RIGHT, WRONG, WRONG_MODES = 0, 1, 2  # whether friction is right after a round
FEW = 4  # rounds in which friction that lacks is looked after; then it is enough that none is beyond its cone
SPARE = 0.8  # of f_t_max: a contact with fixed friction below this sticks again
FULL = 0.95  # of f_t_max: fixed friction is kept below this, for the load may change
OVERFULL = 0.05  # of f_t_max: a contact with fixed friction that far beyond its limit slides
CREEP = 1e-5  # m/s: a contact that slides slower than this is held by others
EXACT = 1e-10  # of mu f_n: friction beyond its cone by less than this is within it
NOTHING = 1e-6  # of f_t_tol: and friction smaller than this
FINE = 1e-5  # of mu f_n: friction of a contact that slides lacks at most this
MARGIN = 0.02  # of its last residual: a limit of friction stays so far below what is expected, to end within the cone
SHARE = 0.5  # of the largest residual of all: the same
LITTLE = 0.1  # of FINE: but not more than this


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
    return largest_residual(data, h)


@kernel(inline=False)
def iterate_again(data, h):
    """A Newton iterate after multipliers and limits have changed, but no mode: with the factors of the last pass. Returns the
    largest residual force.
    """
    tree, work, geometry, contact = data.tree, data.work, data.geometry, data.contact
    constraints, motion = data.constraints, data.motion
    for i in range(len(tree.parent)):
        put_motion(work.force, i, no_motion())
    for d in range(len(motion.v)):
        motion.tau_all[d] = 0.0
    for k in range(contact.count[0]):
        if contact.active[k]:
            body, f = geometry.body[k], get_vector(contact.f_trial, k)
            contact_residual(geometry, contact, work, k, h)
            more = plus(get_vector(contact.f_trial, k), scaled(f, -1.0))
            put_motion(work.force, body, subtract(get_motion(work.force, body), force_at(more, get_vector(contact.r_BC_W, k))))
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            f = constraints.f_trial[r]
            constraint_residual(constraints, r, motion.v, motion.a, h)
            motion.tau_all[constraints.dof[r]] += constraints.sign[r] * (constraints.f_trial[r] - f)
    solve_with_factors(tree, work, motion.tau_all, motion.a)
    for i in range(1, len(tree.parent)):
        put_motion(work.A_WB, i, add(get_motion(work.A_WB, i), get_motion(work.force, i)))
    return largest_residual(data, h)


@kernel
def largest_residual(data, h):
    """By how much forces by the law differ from those that the accelerations were found with."""
    geometry, contact, constraints, motion = data.geometry, data.contact, data.constraints, data.motion
    residual = 0.0
    for k in range(contact.count[0]):
        if contact.active[k]:
            residual = max(residual, contact_residual(geometry, contact, data.work, k, h))
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
def solve(data, settings, h, again):
    """Newton's method at fixed multipliers and limits of friction, from the modes of the last solve.

    `again`: the factors at hand belong to those modes. Returns the number of iterations, negative if it did not converge.
    """
    geometry, contact, constraints = data.geometry, data.contact, data.constraints
    for iterations in range(1, MAX_ITERATIONS + 1):
        residual = iterate_again(data, h) if again and iterations == 1 else newton_iterate(data, h)
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

    Returns the residual velocity, and whether friction is right: RIGHT, WRONG, or WRONG_MODES if modes were changed for it.
    """
    geometry, contact, constraints = data.geometry, data.contact, data.constraints
    residual, largest, friction = 0.0, 0.0, RIGHT
    fresh = update_friction_limits(geometry, contact, rounds)
    if rounds == 0 and fresh and fresh_ones_slide(geometry, contact):
        restart_without_friction(geometry, contact)
    for k in range(contact.count[0]):
        if contact.active[k] and contact.sticks[k] < HELD:
            f = get_vector(contact.force, k)
            if contact.residual[k] < 0.0 or contact.sticks[k]:
                friction = friction if friction_fits(data, k, NOTHING * settings.f_t_tol) else max(friction, WRONG)
            elif rounds < FEW and friction_lacks(data, settings, k):
                friction = max(friction, WRONG)
            if contact.sticks[k] == RESTS:
                if slides(data, k) or overfull(contact, k, settings.f_t_tol):
                    contact.sticks[k] = 0
                    friction = WRONG_MODES
            elif contact.sticks[k] and abs(contact.residual[k]) > contact.f_t_max[k]:  # its limit was far off
                residual = max(residual, kick * abs(contact.residual[k]) / contact.mass_t[k])
                if abs(contact.residual[k]) > settings.rough * contact.f_t_max[k] + settings.f_t_tol and not creeps(contact, k):
                    residual = max(residual, 2.0 * settings.v_tol)
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
    residual = max(residual, settings.R * kick * np.sqrt(largest))
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            residual = max(residual, update_constraint_multiplier(constraints, r, kick))
    if friction != RIGHT:
        if 2 * rounds < settings.max_rounds:
            stay_within(data, settings)
        elif hold_within(data, NOTHING * settings.f_t_tol, rounds + 2 >= settings.max_rounds):
            friction = WRONG_MODES
    return residual, friction


@kernel
def friction_fits(data, k, tiny):
    """Whether the friction of contact k is within its cone, or less than a tiny force beyond."""
    geometry, contact = data.geometry, data.contact
    n, f = get_vector(contact.normal, k), get_vector(contact.force, k)
    f_n = dot(f, n)
    f_t, most = plus(f, scaled(n, -f_n)), (1.0 + EXACT) * geometry.friction[k] * f_n + tiny
    return dot(f_t, f_t) <= most * most or geometry.bonded[k]


@kernel
def friction_lacks(data, settings, k):
    """Whether contact k slides with less friction than mu f_n."""
    contact = data.contact
    if contact.sticks[k] or not contact.closed[k]:
        return False
    lacking, most = contact.residual[k], contact.f_t_max_round[k] + contact.residual[k]
    return lacking > FINE * most + settings.f_t_tol and not creeps(contact, k)


@kernel(inline=False)
def stay_within(data, settings):
    """Set limits of friction for the next round a little lower than expected, so that it ends within all cones."""
    geometry, contact, level = data.geometry, data.contact, 0.0
    for k in range(contact.count[0]):
        if contact.active[k] and contact.sticks[k] == 0 and not is_fresh(contact, k):
            level = max(level, abs(contact.residual[k]))
    for k in range(contact.count[0]):
        if contact.active[k] and not geometry.bonded[k]:
            if contact.sticks[k] == 0:
                most = contact.f_t_max_round[k] + contact.residual[k]
                less = min(SHARE * level, LITTLE * (FINE * most + settings.f_t_tol))
                contact.f_t_max[k] = max(contact.f_t_max[k] - max(MARGIN * abs(contact.residual[k]), less), 0.0)
            elif contact.sticks[k] == RESTS:
                limit_held_friction(geometry, contact, k)


@kernel
def limit_held_friction(geometry, contact, k):
    """Keep the fixed friction of contact k (RESTS) well within its limit. Returns whether much of the limit was to spare."""
    f_t_max = geometry.friction[k] * max(dot(get_vector(contact.multiplier, k), get_vector(contact.normal, k)), 0.0)
    f = held_friction(contact, k)
    size = np.sqrt(dot(f, f))
    if size > FULL * f_t_max:
        put_vector(contact.multiplier, k, plus(get_vector(contact.multiplier, k), scaled(f, FULL * f_t_max / size - 1.0)))
    return size < SPARE * f_t_max


@kernel(inline=False)
def hold_within(data, tiny, all_of_them):
    """Keep forces beyond their cones fixed for the rest of this kick, at the edge of the cone. Returns how many.

    This is for kicks whose rounds run out: load goes to and fro between redundant contacts, or friction jams. A contact that is
    held misses its velocity by a little. With `all_of_them`, every force is kept fixed.
    """
    geometry, contact, count = data.geometry, data.contact, 0
    for k in range(contact.count[0]):
        free = contact.active[k] and contact.sticks[k] < HELD and not geometry.bonded[k]
        if free and (all_of_them or not friction_fits(data, k, tiny)):
            n, f = get_vector(contact.normal, k), get_vector(contact.force, k)
            f_n, f_t = dot(f, n), tangential(f, n)
            most, size = geometry.friction[k] * f_n, np.sqrt(dot(f_t, f_t))
            share = most / size if size > most else 1.0
            put_vector(contact.multiplier, k, plus(scaled(n, f_n), scaled(f_t, share)))
            contact.sticks[k] += HELD
            contact.f_t_max[k] = most
            count += 1
    return count


@kernel
def release(contact):
    """Contacts that were held go on as they were: those that stuck with fixed friction, others sliding."""
    for k in range(contact.count[0]):
        if contact.active[k] and contact.sticks[k] >= HELD:
            contact.sticks[k] = RESTS if contact.sticks[k] > HELD else 0


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


@kernel
def overfull(contact, k, rough):
    """Whether the fixed friction of contact k (RESTS) is beyond its limit; to be called with the new limit."""
    f, most = held_friction(contact, k), (1.0 + OVERFULL) * contact.f_t_max[k] + rough
    return dot(f, f) > most * most


@kernel(inline=False)
def solve_contact(data, settings, kick):
    """Rounds of `solve` and `update_multipliers`. Returns the number of Newton iterations and the residual velocity."""
    total, residual, again = 0, 0.0, False
    for rounds in range(settings.max_rounds):
        total += abs(solve(data, settings, kick, again))
        residual, friction = update_multipliers(data, settings, kick, rounds)
        if friction == RIGHT and (residual <= settings.v_tol or rounds + 2 >= settings.max_rounds):
            break  # so late, contacts may miss their velocity, but are within their cones
        again = friction == WRONG
    release(data.contact)
    return total, residual


@kernel
def creeps(contact, k):
    """Whether contact k does not slide, or only as one at its limit of friction does that is held by others of its foot."""
    w = tangential(get_vector(contact.v_trial, k), get_vector(contact.normal, k))
    return dot(w, w) < CREEP * CREEP
