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
    angular,
    carry,
    dot,
    get_motion,
    get_rigid,
    get_spin,
    get_vector,
    gyroscopic,
    inertia_of_rigid,
    linear,
    plus,
    put_inertia,
    put_motion,
    put_rigid,
    put_spin,
    put_vector,
    rigid_turned,
    scaled,
    spin_sum,
    subtract,
    velocity_product,
)
from footfall.core.world.contact import (
    FIRM,
    OPEN,
    SLIDE,
    STICK,
    answer_contact,
    downhill,
    load_contact,
    locate,
    move_contact,
    read_modes,
    renew_grip,
    set_anchor,
    set_error,
)
from footfall.core.world.rows import (
    aim_rows,
    answer_row,
    carry_row,
    downhill_row,
    load_joints,
    load_row,
    move_row,
    read_row,
    settle_joints,
)

MOST_PASSES = 40
MOST_BOUNCES = 10  # within a step; what would bounce more often stays down
SLOW = 0.05  # m/s: a touch-down slower than this does not bounce
ROUGH = 1e-3  # of friction: what the force of a sliding contact may be off by
ENOUGH = 1e3  # times the wanted accuracy is good enough from the third pass on: Newton's next step would only polish
LEAK = 0.02  # of carried forces: lets what redundant contacts share settle on the even share
CREEP = 1e-5  # m/s: what slides slower than this is held by others
REACH = 1e-3  # m: contacts nearer than this are looked at


class Settings(NamedTuple):
    """How well contact is solved."""

    rounds: int  # times that forces are carried over within a step, at most
    force: float  # N: an assumed force may be off by this
    speed: float  # m/s: and a contact's velocity by this
    rough: float  # N: and that of a sliding contact by this besides
    soft: float  # 1/kg: R of rigid contacts


class Motion(NamedTuple):
    """The moving state, and room for the step."""

    q: Any  # (nq,)
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
    for k in range(len(pads.body)):
        locate(ground, pads, touch, work, k)
        u = linear(carry(get_motion(work.speed, pads.body[k]), get_vector(touch.arm, k)))
        put_vector(touch.speed, k, u)
        pace = dot(u, get_vector(touch.normal, k))
        flies = (
            touch.bounces[0] < MOST_BOUNCES
            and pads.bounce[k] > 0.0
            and touch.mode[k] == OPEN
            and pace < -SLOW
            and touch.gap[k] > 0.0
        )
        reached = touch.mode[k] != OPEN or touch.gap[k] + 2.0 * h * pace < REACH or pads.bonded[k] == 1
        touch.near[k] = 1 if reached and not flies else 0
        if touch.near[k] == 0:
            forget(touch, k)


@kernel
def forget(touch, k):
    o = scaled(get_vector(touch.force, k), 0.0)
    put_vector(touch.carried, k, o)
    put_vector(touch.force, k, o)
    touch.closed[k], touch.sticks[k], touch.grip[k] = 0, 0, 0.0


@kernel
def aim(pads, touch, work, kick, h, soft):
    """What each contact must reach by the end of the step."""
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
                touch.soft[k], touch.across[k] = soft, soft
                put_vector(touch.target, k, scaled(e, 1.0 / h))
                put_vector(touch.carried, k, scaled(get_vector(touch.carried, k), 1.0 - LEAK))
            put_vector(touch.way, k, get_vector(touch.speed, k))
            fresh = (
                touch.mode[k] == OPEN and touch.gap[k] + h * dot(get_vector(touch.speed, k), get_vector(touch.normal, k)) <= 0.0
            )
            if fresh and pads.friction[k] > 0.0:
                touch.grip[k], touch.closed[k], touch.sticks[k] = FIRM, 1, 1


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
    for k in range(len(pads.body)):
        if touch.near[k]:
            f = get_vector(touch.force, k)
            lack = abs(renew_grip(pads, touch, k, rounds))
            if not touch.sticks[k] or lack > touch.grip[k]:  # where it sticks with grip to spare, grip does not matter
                miss = max(miss, touch.across[k] * kick * lack)
                slides = pace_across(touch, k) >= CREEP  # where others hold it, its share is nobody's concern
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
            if was != STICK or pads.radius[k] > 0.0:
                set_anchor(pads, touch, work, k)
            touch.mode[k] = STICK
        else:
            touch.mode[k] = SLIDE
        if touch.mode[k] != was:
            changed = 1
    return changed


@kernel
def kick(machine, before, h):
    """Change the velocity by the forces at this instant: for half of the step before and half of the one to come.

    Returns passes taken, the velocity that contacts miss, and 1 if a contact changed its mode.
    """
    work, motion = machine.work, machine.motion
    length = 0.5 * (before + h)
    prepare(machine.tree, work, motion.q, motion.v, motion.now)
    approach(machine.ground, machine.pads, machine.touch, work, h)
    aim(machine.pads, machine.touch, work, length, h, machine.settings.soft)
    aim_rows(machine.rows, motion.q, motion.v, h)
    load_joints(machine.tree, machine.joints, motion.q, motion.v, motion.tau, motion.base, motion.rotor, length, h)
    passes, miss = solve_fully(machine, length)
    changed = settle(machine.pads, machine.touch, work)
    settle_joints(machine.tree, machine.joints, motion.a, motion.rotor, length, h)
    for d in range(len(motion.v)):
        motion.now[d] = motion.v[d] + 0.5 * before * motion.a[d]
        motion.v[d] += length * motion.a[d]
    return passes, miss, changed
