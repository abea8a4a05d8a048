"""One step of time: a leapfrog with contact.

Velocities live half a step behind: v moves q to the next instant, where forces change it. Contact acts on positions: the next
place of a closed contact is on the ground, and where it stuck (SHAKE, with inequalities). So nothing drifts, and energy is kept
to second order.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.edges import locate_on_profile
from footfall.core.contact.friction_limits import update_friction_limits
from footfall.core.contact.ground import PROFILE
from footfall.core.contact.joint_constraints import (
    add_constraint,
    aim_constraints,
    constraint_merit_slope,
    constraint_residual,
    move_constraint,
    read_constraint,
    set_applied_torques,
    set_joint_forces,
    set_loaded_friction,
    settle_constraints,
    update_constraint_multiplier,
)
from footfall.core.contact.law import (
    OPEN,
    RESTS,
    SLIDE,
    STICK,
    UNLIMITED,
    add_contact,
    contact_merit_slope,
    contact_residual,
    held_friction,
    locate_one,
    move_contact,
    read_modes,
    set_anchor,
    set_error,
)
from footfall.core.jit import kernel
from footfall.core.recursion.aba import eliminate, substitute
from footfall.core.recursion.kinematics import joint_motion, set_body
from footfall.core.spatial.algebra import (
    add,
    add_scaled,
    angular,
    centripetal,
    dot,
    get_motion,
    get_rigid,
    get_rotation,
    get_spin,
    get_vector,
    gyroscopic,
    inertia_of_rigid,
    linear,
    no_vector,
    plus,
    put_inertia,
    put_motion,
    put_rigid,
    put_spin,
    put_vector,
    rotate,
    rotate_rigid,
    scaled,
    shift_motion,
    spin_square,
    spin_sum,
    subtract,
    velocity_product,
)

FARTHEST = 0.00625  # rad: a body that would turn farther in one go does so in parts
MAX_SUBSTEPS = 100.0
MAX_TRIALS = 4  # of the length of a drift
MAX_ITERATIONS = 40
MAX_IMPACTS = 10  # within a step; what would bounce more often stays down
SLOW = 0.05  # m/s: a touch-down slower than this is no impact, and does not bounce
ROUGH = 1e-3  # of friction: what the force of a sliding contact may be off by
ENOUGH = 1e3  # times the wanted accuracy is good enough from the third pass on: Newton's next step would only polish
LEAK = 0.005  # of carried forces: lets what redundant contacts share settle on the even share
SPARE = 0.8  # of its grip: what rests with less friction than this sticks again
OVERFULL = 0.05  # of its grip: more friction than this beyond it, and what rests slides
CREEP = 1e-5  # m/s: what slides slower than this is held by others
REACH = 1e-3  # m: contacts nearer than this are looked at


class Settings(NamedTuple):
    """How well contact is solved."""

    max_rounds: int  # times that forces are carried over within a step, at most
    f_tol: float  # N: an assumed force may be off by this
    v_tol: float  # m/s: and a contact's velocity by this
    f_t_tol: float  # N: and that of a sliding contact by this besides
    R: float  # 1/kg: R of rigid contacts
    dt: float  # s: in which positions that are off are made good


class Motion(NamedTuple):
    """The moving state, and room for the step."""

    q: Any  # (nq,) a floating base counts from where it starts, so that far away nothing is lost to rounding
    q_world: Any  # (nq,) with the base where it is in the world
    q_offset: Any  # (nq,) what that adds
    v: Any  # (nv,) half a step ahead of q, once kicked
    a: Any  # (nv,) of the last kick
    v_now: Any  # (nv,) velocity at the instant of q: foretold before the kick, right after it
    tau: Any  # (nv,) joint forces of the motors
    tau_all: Any  # (nv,) with what joints do by themselves
    tau_joint: Any  # (nv,) the same before stops and friction
    rotor_joint: Any  # (nv,) inertia of joints with what they do by themselves
    rotor_all: Any  # (nv,) and with stops and friction
    dq: Any  # (nv,) room


class SimData(NamedTuple):
    """Everything that a step needs of a robot in a world."""

    tree: Any
    work: Any
    ground: Any
    geometry: Any
    contact: Any
    joints: Any
    constraints: Any
    motion: Any
    settings: Any
    pushes: Any
    resultant: Any


@kernel
def prepare(tree, work, q, v, now):
    """All of the bodies that does not depend on forces: places, velocities (of v), inertia, velocity forces (of now)."""
    for i in range(1, len(tree.parent)):
        p = tree.parent[i]
        R, r = set_body(tree, work, q, i)
        put_vector(work.p_WB, i, plus(get_vector(work.p_WB, p), r))
        w_P, V_J = get_spin(work.w_WB, p), joint_motion(tree, work, now, i)
        w = spin_sum(w_P, angular(V_J))
        c_J = velocity_product(w_P, r, V_J)
        B = rotate_rigid(R, get_rigid(tree.rigid, i))
        put_spin(work.w_WB, i, w)
        put_rigid(work.rigid, i, B)
        put_motion(work.c_J, i, c_J)
        put_motion(work.V_WB, i, add(shift_motion(get_motion(work.V_WB, p), r), joint_motion(tree, work, v, i)))
        put_motion(work.a_bias, i, add(shift_motion(get_motion(work.a_bias, p), r), c_J))
        put_motion(work.p_bias, i, subtract(gyroscopic(B, w), get_motion(work.f_ext, i)))


@kernel
def find_contacts(ground, geometry, contact, work, h):
    """Find every contact's gap, normal and speed, and which of them take part in the step."""
    edges = ground.kind == PROFILE
    if edges:
        locate_on_profile(ground, geometry, contact, work)
    for k in range(len(geometry.body)):
        if not edges:
            locate_one(ground, geometry, contact, work, k)
        u = linear(shift_motion(get_motion(work.V_WB, geometry.body[k]), get_vector(contact.r_BC_W, k)))
        put_vector(contact.v, k, u)
        v_n = dot(u, get_vector(contact.normal, k))
        flies = (
            contact.impacts[0] < MAX_IMPACTS
            and geometry.stiffness[k] == 0.0
            and contact.mode[k] == OPEN
            and v_n < -SLOW
            and contact.gap[k] > 0.0
        )
        reached = (
            contact.mode[k] != OPEN
            or contact.gap[k] + 2.0 * h * min(v_n, 0.0) < REACH
            or contact.overlooked[k]
            or geometry.bonded[k]
        )
        contact.active[k] = 1 if reached and not flies else 0
        if contact.active[k] == 0:
            reset_contact(contact, k)


@kernel
def find_overlooked(data, ahead):
    """Whether a contact that was thought to be far would be in the ground after the drift; it takes part from now on."""
    geometry, contact, found = data.geometry, data.contact, 0
    for k in range(len(geometry.body)):
        if contact.active[k] == 0:
            v_n = normal_velocity(data, k)
            strikes = geometry.stiffness[k] == 0.0 and v_n < -SLOW and contact.impacts[0] < MAX_IMPACTS
            if contact.gap[k] + ahead * v_n < 0.0 and not strikes:
                contact.overlooked[k], found = 1, 1
    return found


@kernel
def normal_velocity(data, k):
    """Speed at which contact k leaves the ground, after the kick."""
    geometry, contact, work = data.geometry, data.contact, data.work
    body, x = geometry.body[k], get_vector(contact.r_BC_W, k)
    A = subtract(get_motion(work.A_WB, body), get_motion(work.a_bias, body))
    V = add_scaled(get_motion(work.V_WB, body), A, contact.kick[0])
    return dot(linear(shift_motion(V, x)), get_vector(contact.normal, k))


@kernel
def reset_contact(contact, k):
    o = scaled(get_vector(contact.force, k), 0.0)
    put_vector(contact.multiplier, k, o)
    put_vector(contact.force, k, o)
    contact.closed[k], contact.sticks[k], contact.f_t_max[k], contact.f_t_max_step[k] = 0, 0, 0.0, 0.0


@kernel
def aim(geometry, contact, work, settings, kick, h):
    """What each contact must reach by the end of the drift h; what is off already is made good in a whole step."""
    for k in range(len(geometry.body)):
        if contact.active[k]:
            set_error(geometry, contact, work, k)
            stiffness, damping = geometry.stiffness[k], geometry.damping[k]
            e = get_vector(contact.error, k)
            if stiffness > 0.0:
                n, pull, drag = get_vector(contact.normal, k), geometry.tangential_stiffness[k], geometry.tangential_damping[k]
                contact.R_n[k], normal_rate = 1.0 / (kick * (stiffness * h + damping)), stiffness / (stiffness * h + damping)
                contact.R_t[k], tangential_rate = 1.0 / (kick * (pull * h + drag)), pull / (pull * h + drag)
                put_vector(
                    contact.bias, k, plus(scaled(e, tangential_rate), scaled(n, (normal_rate - tangential_rate) * dot(e, n)))
                )
                put_vector(contact.multiplier, k, scaled(e, 0.0))
            else:
                contact.R_n[k], contact.R_t[k] = settings.R, settings.R
                gap = scaled(get_vector(contact.normal, k), max(contact.gap[k], 0.0))
                correction = scaled(plus(e, scaled(gap, -1.0)), 1.0 / settings.dt)
                put_vector(
                    contact.bias,
                    k,
                    plus(plus(correction, scaled(gap, 1.0 / h)), scaled(path_acceleration(geometry, contact, work, k), 0.5 * h)),
                )
                if contact.sticks[k] == RESTS:
                    hold_friction(geometry, contact, k)
                else:
                    put_vector(contact.multiplier, k, scaled(get_vector(contact.multiplier, k), 1.0 - LEAK))
            put_vector(contact.v_next, k, get_vector(contact.v, k))
            extrapolate_friction_limit(contact, k)
            fresh = (
                contact.mode[k] == OPEN
                and contact.gap[k] + h * dot(get_vector(contact.v, k), get_vector(contact.normal, k)) <= 0.0
            )
            if fresh and geometry.friction[k] > 0.0:
                contact.f_t_max[k], contact.closed[k], contact.sticks[k] = UNLIMITED, 1, 1


@kernel
def path_acceleration(geometry, contact, work, k):
    """Acceleration of contact k (of the centre of an arc) with all joints at constant speed: how its path bends.

    On a corner it is the sole's own point that stays.
    """
    body, x = geometry.body[k], get_vector(contact.r_BC_W, k)
    if geometry.radius[k] > 0.0 and not (contact.feature[k] > 0 and contact.feature[k] & 1):
        x = rotate(get_rotation(work.R_WB, body), get_vector(geometry.at, k))
    a = linear(shift_motion(subtract(get_motion(work.a_bias, body), get_motion(work.a_bias, 0)), x))
    return plus(a, centripetal(get_spin(work.w_WB, body), x))


@kernel
def hold_friction(geometry, contact, k):
    """Friction of what rests stays within its grip; well within it, the contact tries to stick again."""
    f_t_max = geometry.friction[k] * max(dot(get_vector(contact.multiplier, k), get_vector(contact.normal, k)), 0.0)
    f = held_friction(contact, k)
    size = np.sqrt(dot(f, f))
    if size < SPARE * f_t_max:
        contact.sticks[k] = 1
    elif size > f_t_max:
        put_vector(contact.multiplier, k, plus(get_vector(contact.multiplier, k), scaled(f, f_t_max / size - 1.0)))


@kernel
def extrapolate_friction_limit(contact, k):
    """Friction of what slides goes on changing as it did."""
    f_t_max, old = contact.f_t_max[k], contact.f_t_max_step[k]
    contact.f_t_max_step[k] = f_t_max
    if contact.mode[k] == SLIDE and 0.5 * old < f_t_max < 2.0 * old:
        contact.f_t_max[k] = 2.0 * f_t_max - old


@kernel
def newton_iterate(data, h):
    """Accelerations with every contact and row as assumed. Returns the largest force that is off."""
    tree, work, geometry, contact = data.tree, data.work, data.geometry, data.contact
    constraints, motion = data.constraints, data.motion
    for i in range(1, len(tree.parent)):
        put_inertia(work.inertia, i, inertia_of_rigid(get_rigid(work.rigid, i)))
        put_motion(work.force, i, get_motion(work.p_bias, i))
    for d in range(len(motion.v)):
        motion.tau_all[d], motion.rotor_all[d] = motion.tau_joint[d], motion.rotor_joint[d]
    for k in range(len(geometry.body)):
        if contact.active[k]:
            add_contact(geometry, contact, work, k, h)
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            add_constraint(constraints, r, motion.v, motion.tau_all, motion.rotor_all, h)
    eliminate(tree, work, motion.tau_all, motion.rotor_all)
    substitute(tree, work, motion.a)
    residual = 0.0
    for k in range(len(geometry.body)):
        if contact.active[k]:
            residual = max(residual, contact_residual(geometry, contact, work, k, h))
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            residual = max(residual, constraint_residual(constraints, r, motion.v, motion.a, h))
    return residual


@kernel
def merit_slope(data, alpha, h):
    """Slope of the convex merit, `alpha` of the way from the last point to the newest."""
    geometry, contact, constraints = data.geometry, data.contact, data.constraints
    total = 0.0
    for k in range(len(geometry.body)):
        if contact.active[k]:
            total += contact_merit_slope(geometry, contact, k, alpha, h)
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            total += constraint_merit_slope(constraints, r, alpha, h)
    return total


@kernel
def line_search(data, h):
    """The share of the way where the merit is least."""
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
def solve(data, h):
    """Accelerations with contact, friction's largest force fixed: Newton's method on a convex merit, from the modes assumed.

    Returns the number of passes, negative if they did not settle.
    """
    geometry, contact, constraints = data.geometry, data.contact, data.constraints
    for iterations in range(1, MAX_ITERATIONS + 1):
        residual = newton_iterate(data, h)
        if residual <= data.settings.f_tol or (iterations > 2 and residual <= ENOUGH * data.settings.f_tol):
            return iterations
        alpha = 1.0 if iterations == 1 else line_search(data, h)
        for k in range(len(geometry.body)):
            if contact.active[k]:
                move_contact(contact, k, alpha)
                read_modes(geometry, contact, k, h)
        for r in range(len(constraints.dof)):
            if constraints.active[r]:
                move_constraint(constraints, r, alpha)
                read_constraint(constraints, r, h)
    return -MAX_ITERATIONS


@kernel
def update_multipliers(data, kick, rounds):
    """Let rigid contacts start from the forces found, and friction from what presses. Returns the largest velocity missed."""
    geometry, contact, constraints = data.geometry, data.contact, data.constraints
    residual = 0.0
    update_friction_limits(geometry, contact, rounds)
    for k in range(len(geometry.body)):
        if contact.active[k]:
            f, lacking = get_vector(contact.force, k), abs(contact.residual[k])
            slides = slip_speed(contact, k) >= CREEP  # where others hold it, its share is nobody's concern
            if contact.sticks[k] == RESTS:
                if slides or overfull(contact, k, data.settings.f_t_tol):
                    contact.sticks[k] = 0
                    residual = max(residual, 2.0 * data.settings.v_tol)
            elif (
                not contact.sticks[k] or lacking > contact.f_t_max[k]
            ):  # where it sticks with grip to spare, grip does not matter
                residual = max(residual, contact.R_t[k] * kick * lacking)
                if slides and lacking > ROUGH * contact.f_t_max[k] + data.settings.f_t_tol:
                    residual = max(residual, 2.0 * data.settings.v_tol)
            if geometry.stiffness[k] == 0.0:
                change = plus(f, scaled(get_vector(contact.multiplier, k), -1.0))
                if not contact.sticks[k]:
                    n = get_vector(contact.normal, k)
                    change = scaled(n, dot(n, change))
                residual = max(residual, contact.R_n[k] * kick * np.sqrt(dot(change, change)))
                put_vector(contact.multiplier, k, f)
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            residual = max(residual, update_constraint_multiplier(constraints, r, kick))
    return residual


@kernel
def overfull(contact, k, rough):
    """Whether a contact that rests has lost the load that its friction needs; to be called with its new grip."""
    f = held_friction(contact, k)
    return np.sqrt(dot(f, f)) > (1.0 + OVERFULL) * contact.f_t_max[k] + rough


@kernel
def solve_contact(data, kick):
    """Solve, carry over, and again until nothing is missed. Returns passes taken and the velocity still missed."""
    total, residual = 0, 0.0
    for rounds in range(data.settings.max_rounds):
        total += abs(solve(data, kick))
        residual = update_multipliers(data, kick, rounds)
        if residual <= data.settings.v_tol:
            break
    return total, residual


@kernel
def slip_speed(contact, k):
    """Speed at which contact k slides. A pad whose share of friction is full may be kept still by others of its foot."""
    w, n = get_vector(contact.v_trial, k), get_vector(contact.normal, k)
    w = plus(w, scaled(n, -dot(w, n)))
    return np.sqrt(dot(w, w))


@kernel
def settle(geometry, contact, work):
    """Modes as they came out, and anchors for what sticks from now on. Returns 1 if any mode changed."""
    changed = 0
    for k in range(len(geometry.body)):
        was = contact.mode[k]
        if contact.active[k] == 0 or not contact.closed[k]:
            contact.mode[k] = OPEN
        elif contact.sticks[k] or slip_speed(contact, k) < CREEP:
            if was != STICK:  # what is rigid comes to rest by the end of the step: its foot may still tilt now
                set_anchor(geometry, contact, work, k, no_vector())
                contact.anchored[k] = 1 if geometry.stiffness[k] > 0.0 else 0
            elif geometry.radius[k] > 0.0:
                set_anchor(geometry, contact, work, k, get_vector(contact.error, k))
            contact.mode[k] = STICK
            if not contact.sticks[k] and geometry.stiffness[k] == 0.0:
                contact.sticks[k] = RESTS
        else:
            contact.mode[k] = SLIDE
        if contact.mode[k] != was:
            changed = 1
    return changed


@kernel
def substep(work, length, left, h):
    """How much of the time `left` to move before forces are looked at again: no body turns far, and parts of a step are equal.

    Bodies turn as before the kick, or as after so much of it.
    """
    fastest = 0.0
    for i in range(1, len(work.V_WB)):
        w, A = angular(get_motion(work.V_WB, i)), subtract(get_motion(work.A_WB, i), get_motion(work.a_bias, i))
        after = angular(add_scaled(get_motion(work.V_WB, i), A, length))
        fastest = max(fastest, max(spin_square(w), spin_square(after)))
    parts = min(np.ceil(np.sqrt(fastest) * left / FARTHEST), np.ceil(MAX_SUBSTEPS * left / h))
    return left if parts <= 1.0 else left / parts


@kernel
def kick(data, before, left):
    """Change the velocity by the forces at this instant: for half of the drift before and half of the one to come.

    Returns the length of that drift (at most `left`; less where joints turn fast), passes taken, the velocity that contacts
    miss, and 1 if a contact or a stop began or ended.
    """
    work, motion, contact, h = data.work, data.motion, data.contact, data.settings.dt
    prepare(data.tree, work, motion.q, motion.v, motion.v_now)
    ahead = substep(work, 0.0, left, h) if contact.substepping[0] else left
    total, residual = 0, 0.0
    for k in range(len(data.geometry.body)):
        contact.overlooked[k] = 0
    for _ in range(MAX_TRIALS):
        length = 0.5 * (before + ahead)
        contact.kick[0] = length
        find_contacts(data.ground, data.geometry, contact, work, ahead)
        aim(data.geometry, contact, work, data.settings, length, ahead)
        aim_constraints(data.constraints, motion.q, motion.v, ahead, h)
        set_joint_forces(
            data.tree, data.joints, motion.q, motion.v, motion.tau, motion.tau_joint, motion.rotor_joint, length, ahead
        )
        set_loaded_friction(data.constraints, data.joints)
        iterations, residual = solve_contact(data, length)
        total += iterations
        shorter = substep(work, length, left, h)
        if shorter >= 0.6 * ahead:
            if not find_overlooked(data, ahead):
                break
        else:
            ahead = shorter
    contact.substepping[0] = 1 if ahead < left else 0
    jolted = max(settle(data.geometry, contact, work), settle_constraints(data.constraints))
    set_applied_torques(data.tree, data.joints, motion.a, motion.rotor_joint, contact.kick[0], ahead)
    for d in range(len(motion.v)):
        motion.v_now[d] = motion.v[d] + 0.5 * before * motion.a[d]
        motion.v[d] += contact.kick[0] * motion.a[d]
    return ahead, total, residual, jolted
