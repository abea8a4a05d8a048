"""One step of time: a leapfrog with contact.

Velocities live half a step behind: v moves q to the next instant, where forces change it. Contact acts on positions: the next
place of a closed contact is on the ground, and where it stuck (SHAKE, with inequalities). So nothing drifts, and energy is kept
to second order.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.recursion.aba import eliminate, substitute
from footfall.core.recursion.kinematics import joint_motion, set_body
from footfall.core.spatial.algebra import (
    add,
    add_scaled,
    angular,
    carry,
    centripetal,
    dot,
    get_motion,
    get_rigid,
    get_spin,
    get_turn,
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
    rigid_turned,
    rotate,
    scaled,
    spin_square,
    spin_sum,
    subtract,
    velocity_product,
)
from footfall.core.world.contact import (
    FIRM,
    OPEN,
    RESTS,
    SLIDE,
    STICK,
    answer_contact,
    downhill,
    full_friction,
    load_contact,
    locate_one,
    move_contact,
    read_modes,
    set_anchor,
    set_error,
)
from footfall.core.world.edges import locate_on_profile
from footfall.core.world.grip import renew_grips
from footfall.core.world.ground import PROFILE
from footfall.core.world.rows import (
    aim_rows,
    answer_row,
    carry_row,
    downhill_row,
    load_friction,
    load_joints,
    load_row,
    move_row,
    read_row,
    settle_joints,
    settle_rows,
)

FARTHEST = 0.00625  # rad: a body that would turn farther in one go does so in parts
MOST_PARTS = 100.0
MOST_TRIALS = 4  # of the length of a drift
MOST_PASSES = 40
MOST_BOUNCES = 10  # within a step; what would bounce more often stays down
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

    rounds: int  # times that forces are carried over within a step, at most
    force: float  # N: an assumed force may be off by this
    speed: float  # m/s: and a contact's velocity by this
    rough: float  # N: and that of a sliding contact by this besides
    soft: float  # 1/kg: R of rigid contacts
    step: float  # s: in which positions that are off are made good


class Motion(NamedTuple):
    """The moving state, and room for the step."""

    q: Any  # (nq,) a floating base counts from where it starts, so that far away nothing is lost to rounding
    seen: Any  # (nq,) with the base where it is in the world
    away: Any  # (nq,) what that adds
    v: Any  # (nv,) half a step ahead of q, once kicked
    a: Any  # (nv,) of the last kick
    now: Any  # (nv,) velocity at the instant of q: foretold before the kick, right after it
    tau: Any  # (nv,) joint forces of the motors
    loaded: Any  # (nv,) with what joints do by themselves
    base: Any  # (nv,) the same before stops and friction
    rotor: Any  # (nv,) inertia of joints with what they do by themselves
    heavy: Any  # (nv,) and with stops and friction
    step: Any  # (nv,) room


class Machine(NamedTuple):
    """Everything that a step needs of a robot in a world."""

    tree: Any
    work: Any
    ground: Any
    pads: Any
    touch: Any
    joints: Any
    rows: Any
    motion: Any
    settings: Any
    pushes: Any
    feel: Any


@kernel
def prepare(tree, work, q, v, now):
    """All of the bodies that does not depend on forces: places, velocities (of v), inertia, velocity forces (of now)."""
    for i in range(1, len(tree.parent)):
        p = tree.parent[i]
        R, r = set_body(tree, work, q, i)
        put_vector(work.place, i, plus(get_vector(work.place, p), r))
        w_P, V_J = get_spin(work.spin, p), joint_motion(tree, work, now, i)
        w = spin_sum(w_P, angular(V_J))
        swing = velocity_product(w_P, r, V_J)
        B = rigid_turned(R, get_rigid(tree.rigid, i))
        put_spin(work.spin, i, w)
        put_rigid(work.rigid, i, B)
        put_motion(work.swing, i, swing)
        put_motion(work.speed, i, add(carry(get_motion(work.speed, p), r), joint_motion(tree, work, v, i)))
        put_motion(work.lean, i, add(carry(get_motion(work.lean, p), r), swing))
        put_motion(work.rest, i, subtract(gyroscopic(B, w), get_motion(work.push, i)))


@kernel
def approach(ground, pads, touch, work, h):
    """Find every contact's gap, normal and speed, and which of them take part in the step."""
    edges = ground.kind == PROFILE
    if edges:
        locate_on_profile(ground, pads, touch, work)
    for k in range(len(pads.body)):
        if not edges:
            locate_one(ground, pads, touch, work, k)
        u = linear(carry(get_motion(work.speed, pads.body[k]), get_vector(touch.arm, k)))
        put_vector(touch.speed, k, u)
        pace = dot(u, get_vector(touch.normal, k))
        flies = (
            touch.bounces[0] < MOST_BOUNCES
            and pads.stiffness[k] == 0.0
            and touch.mode[k] == OPEN
            and pace < -SLOW
            and touch.gap[k] > 0.0
        )
        reached = (
            touch.mode[k] != OPEN or touch.gap[k] + 2.0 * h * min(pace, 0.0) < REACH or touch.overlooked[k] or pads.bonded[k]
        )
        touch.near[k] = 1 if reached and not flies else 0
        if touch.near[k] == 0:
            forget(touch, k)


@kernel
def look_again(machine, ahead):
    """Whether a contact that was thought to be far would be in the ground after the drift; it takes part from now on."""
    pads, touch, found = machine.pads, machine.touch, 0
    for k in range(len(pads.body)):
        if touch.near[k] == 0:
            pace = closing(machine, k)
            strikes = pads.stiffness[k] == 0.0 and pace < -SLOW and touch.bounces[0] < MOST_BOUNCES
            if touch.gap[k] + ahead * pace < 0.0 and not strikes:
                touch.overlooked[k], found = 1, 1
    return found


@kernel
def closing(machine, k):
    """Speed at which contact k leaves the ground, after the kick."""
    pads, touch, work = machine.pads, machine.touch, machine.work
    body, x = pads.body[k], get_vector(touch.arm, k)
    A = subtract(get_motion(work.accel, body), get_motion(work.lean, body))
    V = add_scaled(get_motion(work.speed, body), A, touch.length[0])
    return dot(linear(carry(V, x)), get_vector(touch.normal, k))


@kernel
def forget(touch, k):
    o = scaled(get_vector(touch.force, k), 0.0)
    put_vector(touch.carried, k, o)
    put_vector(touch.force, k, o)
    touch.closed[k], touch.sticks[k], touch.grip[k], touch.old_grip[k] = 0, 0, 0.0, 0.0


@kernel
def aim(pads, touch, work, settings, kick, h):
    """What each contact must reach by the end of the drift h; what is off already is made good in a whole step."""
    for k in range(len(pads.body)):
        if touch.near[k]:
            set_error(pads, touch, work, k)
            stiffness, damping = pads.stiffness[k], pads.damping[k]
            e = get_vector(touch.error, k)
            if stiffness > 0.0:
                n, pull, drag = get_vector(touch.normal, k), pads.across_stiffness[k], pads.across_damping[k]
                touch.soft[k], share = 1.0 / (kick * (stiffness * h + damping)), stiffness / (stiffness * h + damping)
                touch.across[k], along = 1.0 / (kick * (pull * h + drag)), pull / (pull * h + drag)
                put_vector(touch.target, k, plus(scaled(e, along), scaled(n, (share - along) * dot(e, n))))
                put_vector(touch.carried, k, scaled(e, 0.0))
            else:
                touch.soft[k], touch.across[k] = settings.soft, settings.soft
                gap = scaled(get_vector(touch.normal, k), max(touch.gap[k], 0.0))
                off = scaled(plus(e, scaled(gap, -1.0)), 1.0 / settings.step)
                put_vector(touch.target, k, plus(plus(off, scaled(gap, 1.0 / h)), scaled(bending(pads, touch, work, k), 0.5 * h)))
                if touch.sticks[k] == RESTS:
                    rest(pads, touch, k)
                else:
                    put_vector(touch.carried, k, scaled(get_vector(touch.carried, k), 1.0 - LEAK))
            put_vector(touch.way, k, get_vector(touch.speed, k))
            foresee_grip(touch, k)
            fresh = (
                touch.mode[k] == OPEN and touch.gap[k] + h * dot(get_vector(touch.speed, k), get_vector(touch.normal, k)) <= 0.0
            )
            if fresh and pads.friction[k] > 0.0:
                touch.grip[k], touch.closed[k], touch.sticks[k] = FIRM, 1, 1


@kernel
def bending(pads, touch, work, k):
    """Acceleration of contact k (of the centre of an arc) with all joints at constant speed: how its path bends.

    On a corner it is the sole's own point that stays.
    """
    body, x = pads.body[k], get_vector(touch.arm, k)
    if pads.radius[k] > 0.0 and not (touch.feature[k] > 0 and touch.feature[k] & 1):
        x = rotate(get_turn(work.turn, body), get_vector(pads.at, k))
    a = linear(carry(subtract(get_motion(work.lean, body), get_motion(work.lean, 0)), x))
    return plus(a, centripetal(get_spin(work.spin, body), x))


@kernel
def rest(pads, touch, k):
    """Friction of what rests stays within its grip; well within it, the contact tries to stick again."""
    grip = pads.friction[k] * max(dot(get_vector(touch.carried, k), get_vector(touch.normal, k)), 0.0)
    f = full_friction(touch, k)
    size = np.sqrt(dot(f, f))
    if size < SPARE * grip:
        touch.sticks[k] = 1
    elif size > grip:
        put_vector(touch.carried, k, plus(get_vector(touch.carried, k), scaled(f, grip / size - 1.0)))


@kernel
def foresee_grip(touch, k):
    """Friction of what slides goes on changing as it did."""
    grip, old = touch.grip[k], touch.old_grip[k]
    touch.old_grip[k] = grip
    if touch.mode[k] == SLIDE and 0.5 * old < grip < 2.0 * old:
        touch.grip[k] = 2.0 * grip - old


@kernel
def one_pass(machine, h):
    """Accelerations with every contact and row as assumed. Returns the largest force that is off."""
    tree, work, pads, touch = machine.tree, machine.work, machine.pads, machine.touch
    rows, motion = machine.rows, machine.motion
    for i in range(1, len(tree.parent)):
        put_inertia(work.inertia, i, inertia_of_rigid(get_rigid(work.rigid, i)))
        put_motion(work.force, i, get_motion(work.rest, i))
    for d in range(len(motion.v)):
        motion.loaded[d], motion.heavy[d] = motion.base[d], motion.rotor[d]
    for k in range(len(pads.body)):
        if touch.near[k]:
            load_contact(pads, touch, work, k, h)
    for r in range(len(rows.dof)):
        if rows.near[r]:
            load_row(rows, r, motion.v, motion.loaded, motion.heavy, h)
    eliminate(tree, work, motion.loaded, motion.heavy)
    substitute(tree, work, motion.a)
    off = 0.0
    for k in range(len(pads.body)):
        if touch.near[k]:
            off = max(off, answer_contact(pads, touch, work, k, h))
    for r in range(len(rows.dof)):
        if rows.near[r]:
            off = max(off, answer_row(rows, r, motion.v, motion.a, h))
    return off


@kernel
def slope_at(machine, share, h):
    """Slope of the convex merit, `share` of the way from the last point to the newest."""
    pads, touch, rows = machine.pads, machine.touch, machine.rows
    total = 0.0
    for k in range(len(pads.body)):
        if touch.near[k]:
            total += downhill(pads, touch, k, share, h)
    for r in range(len(rows.dof)):
        if rows.near[r]:
            total += downhill_row(rows, r, share, h)
    return total


@kernel
def lowest(machine, h):
    """The share of the way where the merit is least."""
    low, high = 0.0, 1.0
    if slope_at(machine, 1.0, h) <= 0.0:
        return 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        if slope_at(machine, middle, h) <= 0.0:
            low = middle
        else:
            high = middle
        if high - low < 1e-3 * high:
            break
    return high if low == 0.0 else low


@kernel
def solve(machine, h):
    """Accelerations with contact, friction's largest force fixed: Newton's method on a convex merit, from the modes assumed.

    Returns the number of passes, negative if they did not settle.
    """
    pads, touch, rows = machine.pads, machine.touch, machine.rows
    for passes in range(1, MOST_PASSES + 1):
        off = one_pass(machine, h)
        if off <= machine.settings.force or (passes > 2 and off <= ENOUGH * machine.settings.force):
            return passes
        share = 1.0 if passes == 1 else lowest(machine, h)
        for k in range(len(pads.body)):
            if touch.near[k]:
                move_contact(touch, k, share)
                read_modes(pads, touch, k, h)
        for r in range(len(rows.dof)):
            if rows.near[r]:
                move_row(rows, r, share)
                read_row(rows, r, h)
    return -MOST_PASSES


@kernel
def carry_over(machine, kick, rounds):
    """Let rigid contacts start from the forces found, and friction from what presses. Returns the largest velocity missed."""
    pads, touch, rows = machine.pads, machine.touch, machine.rows
    miss = 0.0
    renew_grips(pads, touch, rounds)
    for k in range(len(pads.body)):
        if touch.near[k]:
            f, lack = get_vector(touch.force, k), abs(touch.lack[k])
            slides = pace_across(touch, k) >= CREEP  # where others hold it, its share is nobody's concern
            if touch.sticks[k] == RESTS:
                if slides or overfull(touch, k, machine.settings.rough):
                    touch.sticks[k] = 0
                    miss = max(miss, 2.0 * machine.settings.speed)
            elif not touch.sticks[k] or lack > touch.grip[k]:  # where it sticks with grip to spare, grip does not matter
                miss = max(miss, touch.across[k] * kick * lack)
                if slides and lack > ROUGH * touch.grip[k] + machine.settings.rough:
                    miss = max(miss, 2.0 * machine.settings.speed)
            if pads.stiffness[k] == 0.0:
                off = plus(f, scaled(get_vector(touch.carried, k), -1.0))
                if not touch.sticks[k]:
                    n = get_vector(touch.normal, k)
                    off = scaled(n, dot(n, off))
                miss = max(miss, touch.soft[k] * kick * np.sqrt(dot(off, off)))
                put_vector(touch.carried, k, f)
    for r in range(len(rows.dof)):
        if rows.near[r]:
            miss = max(miss, carry_row(rows, r, kick))
    return miss


@kernel
def overfull(touch, k, rough):
    """Whether a contact that rests has lost the load that its friction needs; to be called with its new grip."""
    f = full_friction(touch, k)
    return np.sqrt(dot(f, f)) > (1.0 + OVERFULL) * touch.grip[k] + rough


@kernel
def solve_fully(machine, kick):
    """Solve, carry over, and again until nothing is missed. Returns passes taken and the velocity still missed."""
    total, miss = 0, 0.0
    for rounds in range(machine.settings.rounds):
        total += abs(solve(machine, kick))
        miss = carry_over(machine, kick, rounds)
        if miss <= machine.settings.speed:
            break
    return total, miss


@kernel
def pace_across(touch, k):
    """Speed at which contact k slides. A pad whose share of friction is full may be kept still by others of its foot."""
    w, n = get_vector(touch.next_way, k), get_vector(touch.normal, k)
    w = plus(w, scaled(n, -dot(w, n)))
    return np.sqrt(dot(w, w))


@kernel
def settle(pads, touch, work):
    """Modes as they came out, and anchors for what sticks from now on. Returns 1 if any mode changed."""
    changed = 0
    for k in range(len(pads.body)):
        was = touch.mode[k]
        if touch.near[k] == 0 or not touch.closed[k]:
            touch.mode[k] = OPEN
        elif touch.sticks[k] or pace_across(touch, k) < CREEP:
            if was != STICK:  # what is rigid comes to rest by the end of the step: its foot may still tilt now
                set_anchor(pads, touch, work, k, no_vector())
                touch.anchored[k] = 1 if pads.stiffness[k] > 0.0 else 0
            elif pads.radius[k] > 0.0:
                set_anchor(pads, touch, work, k, get_vector(touch.error, k))
            touch.mode[k] = STICK
            if not touch.sticks[k] and pads.stiffness[k] == 0.0:
                touch.sticks[k] = RESTS
        else:
            touch.mode[k] = SLIDE
        if touch.mode[k] != was:
            changed = 1
    return changed


@kernel
def stride(work, length, left, h):
    """How much of the time `left` to move before forces are looked at again: no body turns far, and parts of a step are equal.

    Bodies turn as before the kick, or as after so much of it.
    """
    fastest = 0.0
    for i in range(1, len(work.speed)):
        w, A = angular(get_motion(work.speed, i)), subtract(get_motion(work.accel, i), get_motion(work.lean, i))
        after = angular(add_scaled(get_motion(work.speed, i), A, length))
        fastest = max(fastest, max(spin_square(w), spin_square(after)))
    parts = min(np.ceil(np.sqrt(fastest) * left / FARTHEST), np.ceil(MOST_PARTS * left / h))
    return left if parts <= 1.0 else left / parts


@kernel
def kick(machine, before, left):
    """Change the velocity by the forces at this instant: for half of the drift before and half of the one to come.

    Returns the length of that drift (at most `left`; less where joints turn fast), passes taken, the velocity that contacts
    miss, and 1 if a contact or a stop began or ended.
    """
    work, motion, touch, h = machine.work, machine.motion, machine.touch, machine.settings.step
    prepare(machine.tree, work, motion.q, motion.v, motion.now)
    ahead = stride(work, 0.0, left, h) if touch.parts[0] else left
    total, miss = 0, 0.0
    for k in range(len(machine.pads.body)):
        touch.overlooked[k] = 0
    for _ in range(MOST_TRIALS):
        length = 0.5 * (before + ahead)
        touch.length[0] = length
        approach(machine.ground, machine.pads, touch, work, ahead)
        aim(machine.pads, touch, work, machine.settings, length, ahead)
        aim_rows(machine.rows, motion.q, motion.v, ahead, h)
        load_joints(machine.tree, machine.joints, motion.q, motion.v, motion.tau, motion.base, motion.rotor, length, ahead)
        load_friction(machine.rows, machine.joints)
        passes, miss = solve_fully(machine, length)
        total += passes
        shorter = stride(work, length, left, h)
        if shorter >= 0.6 * ahead:
            if not look_again(machine, ahead):
                break
        else:
            ahead = shorter
    touch.parts[0] = 1 if ahead < left else 0
    jolted = max(settle(machine.pads, touch, work), settle_rows(machine.rows))
    settle_joints(machine.tree, machine.joints, motion.a, motion.rotor, touch.length[0], ahead)
    for d in range(len(motion.v)):
        motion.now[d] = motion.v[d] + 0.5 * before * motion.a[d]
        motion.v[d] += touch.length[0] * motion.a[d]
    return ahead, total, miss, jolted
