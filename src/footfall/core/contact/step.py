"""One kick of the leapfrog, with contact.

Standard name: leapfrog (Stoermer-Verlet) with SHAKE. Velocities are half a step ahead of positions: a drift moves q by v, a kick
changes v by the forces at q. Constraints act on positions, as in SHAKE: at the end of the next drift a closed contact is on the
ground, and one that sticks is at its anchor. So constraints do not drift, and energy is kept to second order.

It departs from SHAKE in three ways. Contacts are inequalities with friction, solved by `core.contact.solver`. Forces and
constraints are evaluated once in a kick, with the curvature of the path of each contact added, instead of iterated on positions.
And where bodies turn fast, a time step has several drifts and kicks.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.edges import FAR, end_at, locate_on_profile
from footfall.core.contact.geometry import OPEN, RESTS, SLIDE, STICK, drag_anchor, locate_one, set_anchor, set_error, tangential
from footfall.core.contact.joint_constraints import (
    CHANGED,
    JOLTED,
    aim_constraints,
    apply_servos,
    set_friction_bounds,
    set_joint_forces,
    settle_constraints,
    spare_motors,
)
from footfall.core.contact.law import UNLIMITED
from footfall.core.contact.solver import creeps, held_by_others, limit_held_friction, solve_contact
from footfall.core.contact.springs import aim_springs
from footfall.core.ground import PROFILE
from footfall.core.jit import kernel
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
    linear,
    no_vector,
    plus,
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
MAX_IMPACTS = 10  # within a step; a contact that would bounce more often stays down
NEARING = 1.5  # drifts: a contact that would need longer at its speed does not strike in this one
SLOW = 0.05  # m/s: a touch-down slower than this is no impact, and does not bounce
LEAK = 5.0  # 1/s: of multipliers; lets redundant contacts settle on equal shares
NEAR = 1.5  # kicks: slip that could end within this time is not extrapolated
REACH = 1e-3  # m: contacts nearer than this are active
GENTLY = 0.02  # m/s: a contact that is in the ground leaves it no faster than this
JOLT = 10.0  # m/s2: a contact that closes slower than this times the kick changes velocities no more than weight does


class Settings(NamedTuple):
    """Tolerances of the contact solver, in a step or in an impact (there N s for N)."""

    max_rounds: int  # of the augmented Lagrangian in a step
    f_tol: float  # N: residual of forces in Newton's method
    v_tol: float  # m/s: residual of contact velocities
    f_t_tol: float  # N: residual of the friction of a sliding contact
    rough: float  # of f_t_max: the same
    R: float  # 1/kg: regularisation of rigid contacts
    dt: float  # s: time step; position errors are corrected within it


class Motion(NamedTuple):
    """The moving state, and arrays for one step."""

    q: Any  # (nq,) coordinates; a floating base counts from its start, so that no digits are lost far away
    q_world: Any  # (nq,) coordinates in the world
    q_offset: Any  # (nq,) their difference
    v: Any  # (nv,) velocity half a step ahead of q, after the kick
    a: Any  # (nv,) acceleration in the last kick
    v_now: Any  # (nv,) velocity at the instant of q: predicted before the kick, exact after it
    tau: Any  # (nv,) joint forces of the motors
    tau_all: Any  # (nv,) all joint forces: motors, springs, dampers, tendons, stops, dry friction
    tau_joint: Any  # (nv,) the same without stops and dry friction
    rotor_joint: Any  # (nv,) rotor inertia with what implicit servos, springs, dampers and tendons add
    rotor_all: Any  # (nv,) and with what stops and dry friction add
    dq: Any  # (nv,) step of the drift


class SimData(NamedTuple):
    """A robot in a world: all that a step reads and writes. The robot is constant, data flow (as in MJX)."""

    tree: Any
    work: Any
    ground: Any
    geometry: Any
    contact: Any
    joints: Any
    tendons: Any
    constraints: Any
    motion: Any
    settings: Any
    strict: Any  # settings for impacts
    pushes: Any
    resultant: Any


@kernel
def prepare(tree, work, q, v, now):
    """Set all of the bodies that does not depend on forces: poses, velocities (of v), inertias, velocity-dependent forces (of
    v_now).
    """
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
    """Set gap, normal and velocity of every contact, and which contacts are active in this step."""
    edges, count = ground.kind == PROFILE, 0
    if edges:
        locate_on_profile(ground, geometry, contact, work)
    for k in range(len(geometry.body)):
        if not edges:
            locate_one(ground, geometry, contact, work, k)
        if contact.gap[k] >= FAR and contact.mode[k] == OPEN:
            if contact.active[k]:
                contact.active[k] = 0
                reset_contact(contact, k)
            contact.impacting[k] = 0
            continue
        count = k + 1
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
            or comes_near(geometry.stiffness[k], contact.gap[k], h * min(v_n, 0.0))
            or contact.overlooked[k]
            or geometry.bonded[k]
        )
        was, contact.active[k] = contact.active[k], 1 if reached and not flies else 0
        if contact.active[k] == 0 and was:
            reset_contact(contact, k)
    contact.count[0] = count


@kernel
def comes_near(stiffness, gap, way):
    """Whether a contact may touch. One that is compliant does so before the middle of the drift, the end of the kick: its damper
    must not act before.
    """
    return gap + 2.0 * way < REACH if stiffness == 0.0 else gap + 0.5 * way < 0.0


@kernel
def find_overlooked(data, ahead):
    """Activate contacts that were too far away, but are in the ground after this drift. Returns 1 if there are any.

    Those that come at speed are left to strike the ground within the drift.
    """
    geometry, contact, found, nearing = data.geometry, data.contact, 0, 0
    for k in range(contact.count[0]):
        if contact.active[k] == 0 and contact.gap[k] < FAR:
            v_n = normal_velocity(data, k)
            if contact.gap[k] + NEARING * ahead * v_n < 0.0:
                way = ahead * v_n if geometry.stiffness[k] == 0.0 else 0.5 * ahead * v_n
                if geometry.stiffness[k] == 0.0 and v_n < -SLOW and contact.impacts[0] < MAX_IMPACTS:
                    nearing = 1
                elif contact.gap[k] + way < 0.0:
                    contact.overlooked[k], found = 1, 1
    contact.nearing[0] = nearing
    return found


@kernel
def normal_velocity(data, k):
    """Normal velocity of contact k after the kick; positive if it leaves the ground."""
    geometry, contact, work = data.geometry, data.contact, data.work
    body, x = geometry.body[k], get_vector(contact.r_BC_W, k)
    A = subtract(get_motion(work.A_WB, body), get_motion(work.a_bias, body))
    V = add_scaled(get_motion(work.V_WB, body), A, contact.kick[0])
    return dot(linear(shift_motion(V, x)), get_vector(contact.normal, k))


@kernel
def time_to_touch(data, k, h, jolted):
    """When contact k, which approaches, reaches the ground in a drift of length h, along its curved path.

    A drift that ends early has the velocity of its own middle, unless the last kick was a jolt.
    """
    contact, n = data.contact, get_vector(data.contact.normal, k)
    v_n = normal_velocity(data, k)
    bend = dot(path_acceleration(data.geometry, contact, data.work, k), n)
    a_n = 0.0 if jolted else (v_n - dot(get_vector(contact.v, k), n)) / contact.kick[0]
    time = contact.gap[k] / -v_n
    for _ in range(MAX_TRIALS):
        slope = v_n + 0.5 * (time - h) * a_n + 0.5 * time * bend
        time = contact.gap[k] / -min(slope, 0.5 * v_n)
    return max(time, 0.0)


@kernel
def reset_contact(contact, k):
    """Contact k without force or friction."""
    o = scaled(get_vector(contact.force, k), 0.0)
    put_vector(contact.multiplier, k, o)
    put_vector(contact.force, k, o)
    put_vector(contact.a, k, o)
    contact.closed[k], contact.sticks[k], contact.f_t_max[k], contact.f_t_max_step[k] = 0, 0, 0.0, 0.0
    contact.f_before[k], contact.at_instant[k], contact.carry[k] = 0.0, 0, 0.0


@kernel
def aim(geometry, contact, work, settings, kick, h):
    """Set bias and regularisation of active contacts: gaps close within the drift h, errors are corrected within a time step."""
    for k in range(contact.count[0]):
        if contact.active[k]:
            set_error(geometry, contact, work, k)
            e = get_vector(contact.error, k)
            if geometry.stiffness[k] > 0.0:
                aim_springs(geometry, contact, k, kick, h)
            else:
                contact.mass_n[k], contact.mass_t[k] = 1.0 / settings.R, 1.0 / settings.R
                n, depth = get_vector(contact.normal, k), max(-contact.gap[k], 0.0)
                gap = scaled(n, max(contact.gap[k], 0.0))
                correction = scaled(plus(e, scaled(gap, -1.0)), 1.0 / settings.dt)
                if depth > GENTLY * settings.dt:
                    correction = plus(correction, scaled(n, depth / settings.dt - GENTLY))
                bend = path_acceleration(geometry, contact, work, k)
                put_vector(contact.bias, k, plus(plus(correction, scaled(gap, 1.0 / h)), scaled(bend, 0.5 * h)))
                contact.f_before[k], contact.at_instant[k] = 0.0, 0
                if contact.mode[k] == SLIDE:
                    aim_friction(contact, k, bend, kick, h)
                if contact.sticks[k] == RESTS:
                    if limit_held_friction(geometry, contact, k, max(contact.f_t_max_step[k] - contact.f_t_max[k], 0.0)):
                        contact.sticks[k] = 1  # it tries to stick again
                else:
                    put_vector(contact.multiplier, k, scaled(get_vector(contact.multiplier, k), max(1.0 - LEAK * kick, 0.0)))
            put_vector(contact.v_next, k, get_vector(contact.v, k))
            extrapolate_friction_limit(contact, k)
            fresh = (
                contact.mode[k] == OPEN
                and contact.gap[k] + h * dot(get_vector(contact.v, k), get_vector(contact.normal, k)) <= 0.0
            )
            if fresh and geometry.friction[k] > 0.0:
                contact.f_t_max[k], contact.closed[k], contact.sticks[k] = UNLIMITED, 1, 1


@kernel
def aim_friction(contact, k, bend, kick, h):
    """Let the friction of contact k, which slides, be its mean over the kick, to second order.

    Friction is opposite to the slip at the instant of the kick: the bias takes the slip back from the end of the kick, with the
    acceleration of the last kick. If the slip ends or reverses in this kick, friction acts in two parts: f_before until then,
    and after that opposite to the slip at the end.
    """
    n, before = get_vector(contact.normal, k), 2.0 * kick - h
    a, bend = tangential(get_vector(contact.a, k), n), tangential(bend, n)
    w = plus(tangential(get_vector(contact.v, k), n), scaled(bend, -0.5 * before))  # slip when the kick begins
    total = plus(a, bend)
    aa, wa, ww = dot(total, total), dot(total, w), dot(w, w)
    if ww > (NEAR * kick) ** 2 * aa:
        put_vector(contact.bias, k, plus(get_vector(contact.bias, k), scaled(total, -0.5 * h)))
        contact.at_instant[k] = 1
    elif wa < 0.0 and -wa < kick * aa and ww > 0.0:
        contact.f_before[k] = -wa / (kick * aa) * contact.f_t_max[k]
        put_vector(contact.d_before, k, scaled(w, -1.0 / np.sqrt(ww)))


@kernel
def path_acceleration(geometry, contact, work, k):
    """Acceleration of contact k with all joints at constant speed: the curvature of its path. For an arc it is that of its
    centre.

    On a corner, and at an end of the arc, it is that of the sole's own point. A ball rolls with the angular acceleration about
    its centre, too.
    """
    body, x = geometry.body[k], get_vector(contact.r_BC_W, k)
    lever = x
    if (
        geometry.radius[k] > 0.0
        and not (contact.feature[k] > 0 and contact.feature[k] & 1)
        and end_at(geometry, k, contact.roll[k]) == 0
    ):
        x = rotate(get_rotation(work.R_WB, body), get_vector(geometry.at, k))
        lever = lever if geometry.ball[k] else x
    a = linear(shift_motion(subtract(get_motion(work.a_bias, body), get_motion(work.a_bias, 0)), lever))
    return plus(a, centripetal(get_spin(work.w_WB, body), x))


@kernel
def extrapolate_friction_limit(contact, k):
    """First guess for the limit of a contact that slides, or whose load falls: linear from the last two steps."""
    f_t_max, old = contact.f_t_max[k], contact.f_t_max_step[k]
    contact.f_t_max_step[k] = f_t_max
    if contact.mode[k] != OPEN and 0.5 * old < f_t_max < (2.0 if contact.mode[k] == SLIDE else 1.0) * old:
        contact.f_t_max[k] = max(2.0 * f_t_max - old + carried(contact, k), 0.0)


@kernel
def carried(contact, k):
    """How much larger the limit of contact k is for what it carries over."""
    return contact.carry[k] / (contact.kick[0] * contact.secant[k]) if contact.carry[k] != 0.0 else 0.0


@kernel
def carry_over_friction(contact, k, settings):
    """Let the next kick make up for what the friction of contact k lacked in this one."""
    contact.f_t_max[k] = max(contact.f_t_max[k] - carried(contact, k), 0.0)
    contact.carry[k] = 0.0
    if contact.active[k] and contact.closed[k] and not contact.sticks[k]:
        most = settings.rough * contact.f_t_max[k] + settings.f_t_tol
        contact.carry[k] = contact.kick[0] * min(max(contact.residual[k], -most), most)


@kernel
def settle(data):
    """Set the modes that the solver found, and anchors for contacts that begin to stick.

    Returns JOLTED if a contact closed at speed, CHANGED if any other mode changed. What took part in an impact closed there.
    """
    geometry, contact, work, changed = data.geometry, data.contact, data.work, 0
    for k in range(contact.count[0]):
        was = contact.mode[k]
        if was == STICK and stays(geometry, contact, k):
            contact.impacting[k] = 0
            continue
        if contact.active[k] == 0 or not contact.closed[k]:
            contact.mode[k] = OPEN
        elif contact.sticks[k] or creeps(contact, k):
            if was != STICK and not (
                was == SLIDE and geometry.stiffness[k] > 0.0
            ):  # what is rigid comes to rest by the end of the step: its foot may still tilt now
                set_anchor(geometry, contact, work, k, no_vector())
                contact.anchored[k] = 1 if geometry.stiffness[k] > 0.0 else 0
            elif geometry.radius[k] > 0.0:
                set_anchor(geometry, contact, work, k, get_vector(contact.error, k))
            contact.mode[k] = STICK
            if not contact.sticks[k] and geometry.stiffness[k] == 0.0 and held_by_others(data, k):
                contact.sticks[k] = RESTS
        else:
            contact.mode[k] = SLIDE
        if contact.carry[k] != 0.0 or (contact.closed[k] and not contact.sticks[k]):
            carry_over_friction(contact, k, data.settings)
            if geometry.stiffness[k] > 0.0 and contact.mode[k] != OPEN and not contact.sticks[k]:
                drag_anchor(geometry, contact, work, k)
        if contact.mode[k] == SLIDE:
            change = plus(get_vector(contact.v_trial, k), scaled(get_vector(contact.v, k), -1.0))
            put_vector(contact.a, k, scaled(change, 1.0 / contact.kick[0]))
        elif was == SLIDE:
            put_vector(contact.a, k, no_vector())
        if contact.mode[k] != was:
            changed = max(changed, JOLTED if was == OPEN and jolts(contact, k) else CHANGED)
        contact.impacting[k] = 0
    return changed


@kernel
def jolts(contact, k):
    """Whether contact k, which has just closed, took away a velocity. Else accelerations may be extrapolated as before."""
    v_n = dot(get_vector(contact.v, k), get_vector(contact.normal, k))
    return not contact.impacting[k] and v_n < -JOLT * contact.kick[0]


@kernel
def stays(geometry, contact, k):
    """Whether contact k, a point that stuck, goes on to stick, and nothing else is to be done."""
    sticks = contact.sticks[k] == 1 and contact.closed[k] and contact.active[k]
    return sticks and geometry.radius[k] == 0.0 and contact.carry[k] == 0.0


@kernel
def substep(work, length, left, h):
    """The length of the next drift: `left`, or an equal part of it such that no body turns by more than FARTHEST.

    The speed of turning is the larger of those before the kick and after a kick of the given length.
    """
    fastest = 0.0
    for i in range(1, len(work.V_WB)):
        w, A = angular(get_motion(work.V_WB, i)), subtract(get_motion(work.A_WB, i), get_motion(work.a_bias, i))
        after = angular(add_scaled(get_motion(work.V_WB, i), A, length))
        fastest = max(fastest, max(spin_square(w), spin_square(after)))
    if fastest * left * left <= FARTHEST * FARTHEST:
        return left
    parts = min(np.ceil(np.sqrt(fastest) * left / FARTHEST), np.ceil(MAX_SUBSTEPS * left / h))
    return left if parts <= 1.0 else left / parts


@kernel
def solve_within_limits(data, length, ahead, v_now):
    """Find accelerations and forces of a kick of a length, with no motor above its largest torque. Returns as `solve_contact`."""
    joints, total, full = data.joints, 0, 0
    while True:
        set_joint_forces(data, length, ahead)
        set_friction_bounds(data.constraints, joints, v_now)
        iterations, residual = solve_contact(data, data.settings, length)
        total += iterations
        found = apply_servos(joints, data.motion.a)
        if found == 0:
            break
        full += found
    if full > 0:
        spare_motors(joints)
    return total, residual


@kernel
def kick(data, before, left):
    """Change the velocity by the forces at this instant, for half of the last drift and half of the next.

    Returns the length of the next drift (at most `left`), the number of Newton iterations, the residual velocity of the
    contacts, and JOLTED if a contact or a stop began, CHANGED if one ended, or slides or sticks now.
    """
    work, motion, contact, h = data.work, data.motion, data.contact, data.settings.dt
    prepare(data.tree, work, motion.q, motion.v, motion.v_now)
    ahead = substep(work, 0.0, left, h) if contact.substepping[0] else left
    total, residual = 0, 0.0
    contact.nearing[0], overlooked = 1, 0
    for _ in range(MAX_TRIALS):
        length = 0.5 * (before + ahead)
        contact.kick[0] = length
        find_contacts(data.ground, data.geometry, contact, work, ahead)
        aim(data.geometry, contact, work, data.settings, length, ahead)
        aim_constraints(data.constraints, motion.q, motion.v, ahead, h, contact.impacts[0] < MAX_IMPACTS)
        iterations, residual = solve_within_limits(data, length, ahead, motion.v_now)
        total += iterations
        shorter = substep(work, length, left, h)
        if shorter >= 0.6 * ahead:
            if not find_overlooked(data, ahead):
                break
            overlooked = 1
        else:
            ahead = shorter
    contact.substepping[0] = 1 if ahead < left else 0
    for k in range(len(data.geometry.body) if overlooked else 0):
        contact.overlooked[k] = 0
    changed = max(settle(data), settle_constraints(data.constraints))
    for d in range(len(motion.v)):
        motion.v_now[d] = motion.v[d] + 0.5 * before * motion.a[d]
        motion.v[d] += contact.kick[0] * motion.a[d]
    return ahead, total, residual, changed
