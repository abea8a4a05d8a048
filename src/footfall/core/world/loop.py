"""The loop: drift, control, kick, record, until something stops it."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.manifold import integrate
from footfall.core.spatial.algebra import (
    add_scaled,
    carry,
    dot,
    get_motion,
    get_turn,
    get_vector,
    linear,
    no_motion,
    pair,
    plus,
    put_motion,
    put_vector,
    rotate,
    scaled,
    subtract,
    surface,
)
from footfall.core.world.contact import OPEN, SLIDE
from footfall.core.world.decide import decide
from footfall.core.world.push import press
from footfall.core.world.rows import aim_rows
from footfall.core.world.step import SLOW, approach, forget, kick, prepare, solve_fully

# why the loop came back
DONE, FELL, DIVERGED, CONTROL, FULL = 0, 1, 2, 3, 4
# kinds of event
TOUCH_DOWN, LIFT_OFF, SLIP, GRIP, IMPACT, STOP, FALL = 0, 1, 2, 3, 4, 5, 6
# where energy goes: motors, springs and dampers, stops and dry friction, ground (normal), ground (friction), pushes, impacts
MOTORS, JOINTS, STOPS, GROUND, FRICTION, PUSHES, IMPACTS = 0, 1, 2, 3, 4, 5, 6
TOGETHER = 1e-9  # s: contacts that would touch within this time touch at once
TOO_FAST = 1e6  # a velocity beyond this is no motion of a walking robot


class Clock(NamedTuple):
    """Time is counted in steps, so that it never drifts."""

    step: Any  # (1,) int: number of the last instant, -1 before the first
    h: float
    every: int  # steps to a record


class Marks(NamedTuple):
    """Points of the robot that must not touch the ground."""

    body: Any  # (n,) int
    at: Any  # (n, DIM)


class Record(NamedTuple):
    """Rows of the run; row i is the instant i * every."""

    time: Any
    q: Any
    v: Any
    tau: Any
    mode: Any
    force: Any  # (rows, pads, DIM)
    point: Any  # (rows, pads, DIM)
    slip: Any  # (rows, pads) way slid so far
    ledger: Any  # (rows, 7) work so far
    passes: Any  # (rows,) most in a step since the last row
    miss: Any  # (rows,) largest velocity missed since the last row


class Events(NamedTuple):
    count: Any  # (1,) int
    rows: Any  # (n, 5): time, kind, which, two numbers


class Tally(NamedTuple):
    ledger: Any  # (7,)
    slip: Any  # (pads,) way slid so far
    ahead: Any  # (pads,) way that is slid until the next instant
    was: Any  # (pads,) int: modes before
    stopped: Any  # (rows,) int
    worst: Any  # (2,) passes and miss since the last row


@kernel
def note(events, time, kind, which, first, second):
    i = events.count[0]
    if i < len(events.rows):
        events.rows[i, 0], events.rows[i, 1], events.rows[i, 2] = time, kind, which
        events.rows[i, 3], events.rows[i, 4] = first, second
        events.count[0] = i + 1


@kernel(inline=False)
def impact(machine, tally, events, time):
    """Contacts that touch and approach exchange impulses at once; restitution, but never more energy than there was."""
    pads, touch, work, motion, tree = machine.pads, machine.touch, machine.work, machine.motion, machine.tree
    prepare(tree, work, motion.q, motion.v, motion.v)
    approach(machine.ground, pads, touch, work, machine.settings.force)
    saved, none = get_motion(work.lean, 0), no_motion()
    for i in range(len(tree.parent)):
        put_motion(work.lean, i, none)
        put_motion(work.accel, i, none)
        put_motion(work.swing, i, none)
        put_motion(work.rest, i, none)
    for d in range(len(motion.v)):
        motion.base[d], motion.rotor[d] = 0.0, tree.rotor[d]
    aim_rows(machine.rows, motion.q, motion.v, 1.0)
    for r in range(len(machine.rows.dof)):
        machine.rows.near[r] = 0
    lost = 0.0
    for share in (1.0, 0.0):
        for k in range(len(pads.body)):
            touch.near[k] = 1 if touch.meets[k] == 1 or touch.mode[k] != OPEN else 0
            forget(touch, k)
            if touch.near[k]:
                n, u = get_vector(touch.normal, k), get_vector(touch.speed, k)
                pace = dot(u, n)
                e = share * pads.bounce[k] if pace < -SLOW else 0.0
                touch.soft[k], touch.across[k] = machine.settings.soft, machine.settings.soft
                put_vector(touch.target, k, scaled(n, e * pace))
                put_vector(touch.way, k, u)
        solve_fully(machine, 1.0)
        lost = 0.0
        for k in range(len(pads.body)):
            if touch.near[k]:
                both = plus(get_vector(touch.speed, k), get_vector(touch.next_way, k))
                lost -= 0.5 * dot(get_vector(touch.force, k), both)
        if lost >= 0.0:
            break
    for d in range(len(motion.v)):
        motion.v[d] += motion.a[d]
        motion.a[d] = 0.0
        motion.now[d] = motion.v[d]
    tally.ledger[IMPACTS] -= lost
    for k in range(len(pads.body)):
        if touch.near[k]:
            n = get_vector(touch.normal, k)
            note(events, time, IMPACT, k, dot(get_vector(touch.force, k), n), lost)
        forget(touch, k)
        touch.meets[k] = 0
    put_motion(work.lean, 0, saved)
    put_motion(work.accel, 0, saved)


@kernel
def time_to_meet(machine, h):
    """When the first contact that bounces gets to the ground, and which then are there; h if none does."""
    pads, touch = machine.pads, machine.touch
    first = h
    for k in range(len(pads.body)):
        touch.meets[k] = 0
        if touch.near[k] == 0 and touch.gap[k] > 0.0:
            pace = closing(machine, k)
            if pace < -SLOW and pads.bounce[k] > 0.0 and touch.gap[k] + first * pace < 0.0:
                first = touch.gap[k] / -pace
    if first < h:
        for k in range(len(pads.body)):
            if touch.near[k] == 0 and touch.gap[k] > 0.0:
                pace = closing(machine, k)
                if pace < 0.0 and touch.gap[k] + (first + TOGETHER) * pace <= 0.0:
                    touch.meets[k] = 1
    return first


@kernel
def closing(machine, k):
    """Speed at which contact k leaves the ground, after the kick."""
    pads, touch, work = machine.pads, machine.touch, machine.work
    body, x = pads.body[k], get_vector(touch.arm, k)
    A = subtract(get_motion(work.accel, body), get_motion(work.lean, body))
    V = add_scaled(get_motion(work.speed, body), A, touch.length[0])
    return dot(linear(carry(V, x)), get_vector(touch.normal, k))


@kernel
def drift(machine, left):
    """Move for the time `left`, or until a contact that bounces meets the ground. Returns the time moved."""
    motion, part = machine.motion, time_to_meet(machine, left)
    for d in range(len(motion.v)):
        motion.step[d] = part * motion.v[d]
    integrate(machine.tree, motion.q, motion.step, motion.q)
    return part


@kernel
def account(machine, tally, length, h):
    """Work of everything during the kick, and the way slid after it."""
    pads, touch, work, motion, rows = machine.pads, machine.touch, machine.work, machine.motion, machine.rows
    joints, ledger = machine.joints, tally.ledger
    for d in range(len(motion.v)):
        after = motion.v[d]
        mean = after - 0.5 * length * motion.a[d]
        ledger[MOTORS] += length * joints.applied[d] * mean
        if joints.damping[d] > 0.0 or joints.stiffness[d] > 0.0:
            late = joints.late[d]
            stretch = motion.q[joints.coordinate[d]] - joints.rest[d] + late * h * after
            pace = late * after + (1.0 - late) * mean
            ledger[JOINTS] -= length * mean * (joints.damping[d] * pace + joints.stiffness[d] * stretch)
    for r in range(len(rows.dof)):
        if rows.near[r]:
            d = rows.dof[r]
            ledger[STOPS] += length * rows.sign[r] * rows.force[r] * (motion.v[d] - 0.5 * length * motion.a[d])
    for k in range(len(pads.body)):
        tally.slip[k] += tally.ahead[k]
        tally.ahead[k] = 0.0
        if touch.near[k]:
            f, n, w = get_vector(touch.force, k), get_vector(touch.normal, k), get_vector(touch.next_way, k)
            mean = scaled(plus(get_vector(touch.speed, k), w), 0.5)
            press, pace = dot(f, n), dot(mean, n)
            ledger[GROUND] += length * press * pace
            ledger[FRICTION] += length * (dot(f, mean) - press * pace)
            away = plus(w, scaled(n, -dot(w, n)))
            tally.ahead[k] = h * np.sqrt(dot(away, away)) if touch.mode[k] == SLIDE else 0.0
    for i in range(1, len(machine.tree.parent)):
        F = get_motion(work.push, i)
        A = subtract(get_motion(work.accel, i), get_motion(work.lean, i))
        ledger[PUSHES] += length * pair(add_scaled(get_motion(work.speed, i), A, 0.5 * length), F)


@kernel
def report(machine, tally, events, time):
    """What contacts and stops began or ended."""
    pads, touch, rows = machine.pads, machine.touch, machine.rows
    for k in range(len(pads.body)):
        was, mode = tally.was[k], touch.mode[k]
        if mode != was:
            n = get_vector(touch.normal, k)
            pace = dot(get_vector(touch.speed, k), n)
            if was == OPEN:
                note(events, time, TOUCH_DOWN, k, pace, dot(get_vector(touch.force, k), n))
            elif mode == OPEN:
                note(events, time, LIFT_OFF, k, 0.0, 0.0)
            else:
                note(events, time, SLIP if mode == SLIDE else GRIP, k, tally.slip[k], 0.0)
            tally.was[k] = mode
    for r in range(len(rows.dof)):
        if rows.kind[r] != 2:
            on = 1 if rows.near[r] and rows.on[r] else 0
            if on and not tally.stopped[r]:
                note(events, time, STOP, r, machine.motion.q[rows.coordinate[r]], rows.force[r])
            tally.stopped[r] = on


@kernel
def fallen(machine, marks):
    """Index of the deepest mark below the ground, or -1."""
    work, worst, found = machine.work, 0.0, -1
    for i in range(len(marks.body)):
        body = marks.body[i]
        x = rotate(get_turn(work.turn, body), get_vector(marks.at, i))
        gap, _ = surface(machine.ground, plus(get_vector(work.place, body), x))
        if gap < worst:
            worst, found = gap, i
    return found


@kernel
def keep(machine, clock, record, tally, index):
    """Write the record of this instant, if it is due."""
    if index % clock.every:
        return
    row = index // clock.every
    if row >= len(record.time):
        return
    motion, touch, work = machine.motion, machine.touch, machine.work
    record.time[row] = index * clock.h
    for j in range(len(motion.q)):
        record.q[row, j] = motion.q[j]
    for d in range(len(motion.v)):
        record.v[row, d] = motion.now[d]
        record.tau[row, d] = machine.joints.applied[d]
    for k in range(len(touch.mode)):
        record.mode[row, k] = touch.mode[k]
        record.slip[row, k] = tally.slip[k]
        put_vector(record.force[row], k, get_vector(touch.force, k))
        put_vector(record.point[row], k, plus(get_vector(work.place, machine.pads.body[k]), get_vector(touch.arm, k)))
    for j in range(len(tally.ledger)):
        record.ledger[row, j] = tally.ledger[j]
    record.passes[row], record.miss[row] = tally.worst[0], tally.worst[1]
    tally.worst[0], tally.worst[1] = 0.0, 0.0


@kernel
def finish(machine, clock, events, marks, changed):
    """Foretell the velocity of the next instant, and look whether all is well. Returns why the loop must come back, or DONE."""
    motion, time, size = machine.motion, clock.step[0] * clock.h, 0.0
    for d in range(len(motion.v)):
        size += abs(motion.v[d])
        motion.now[d] = motion.v[d] + (0.0 if changed else 0.5 * clock.h * motion.a[d])
    if not size < TOO_FAST:
        return DIVERGED
    found = fallen(machine, marks)
    if found >= 0:
        note(events, time, FALL, found, 0.0, 0.0)
        return FELL
    return FULL if events.count[0] > len(events.rows) - 64 else DONE


@kernel(inline=False)
def advance(machine, control, clock, record, tally, events, marks, steps):
    """Go on for so many steps; the first time, begin with the instant at hand. Returns why it came back.

    A step is a drift, then at the next instant: decide, kick, account, record. Where something bounces on the way, the drift is
    cut short by an impact and a kick of its own.
    """
    motion, h, touch = machine.motion, clock.h, machine.touch
    left, status = h, DONE
    begun = clock.step[0] >= 0
    while steps > 0 or not begun:
        part = drift(machine, left) if begun else left
        meets = part < left
        if meets:
            for d in range(len(motion.v)):  # the velocity at this very moment
                motion.v[d] += (part - 0.5 * left) * motion.a[d]
            touch.bounces[0] += 1
            impact(machine, tally, events, (clock.step[0] + 1) * h - left + part)
            left -= part
            before, ahead = 0.0, left
        else:
            clock.step[0] += 1
            touch.bounces[0] = 0
            before, ahead = left if begun else 0.0, h
            if decide(machine, control, clock, clock.step[0]) != 0:
                return CONTROL
        touch.length[0] = 0.5 * (before + ahead)
        now = (clock.step[0] + 1) * h - left if meets else clock.step[0] * h
        press(machine, now - h, now)
        passes, miss, changed = kick(machine, before, ahead)
        tally.worst[0], tally.worst[1] = max(tally.worst[0], passes), max(tally.worst[1], miss)
        account(machine, tally, touch.length[0], ahead)
        if not meets:
            report(machine, tally, events, clock.step[0] * h)
            keep(machine, clock, record, tally, clock.step[0])
            status = finish(machine, clock, events, marks, changed)
            if begun:
                steps -= 1
            begun, left = True, h
            if status != DONE:
                return status
    return DONE
