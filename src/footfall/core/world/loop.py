"""The loop: drift, control, kick, record, until something stops it."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.manifold import integrate
from footfall.core.spatial.algebra import (
    add_scaled,
    dot,
    get_motion,
    get_turn,
    get_vector,
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
from footfall.core.world.contact import FIRM, OPEN, SLIDE, gather, place_pads
from footfall.core.world.decide import decide
from footfall.core.world.push import press, pushing
from footfall.core.world.rows import aim_rows, row_loss, strike_rows
from footfall.core.world.step import MOST_BOUNCES, SLOW, approach, closing, forget, kick, prepare, solve_fully

# why the loop came back
DONE, FELL, DIVERGED, CONTROL, FULL = 0, 1, 2, 3, 4
# kinds of event
TOUCH_DOWN, LIFT_OFF, SLIP, GRIP, IMPACT, STOP, FALL = 0, 1, 2, 3, 4, 5, 6
# where energy goes: motors, springs and dampers, stops and dry friction, ground (normal), ground (friction), pushes, impacts
MOTORS, JOINTS, STOPS, GROUND, FRICTION, PUSHES, IMPACTS = 0, 1, 2, 3, 4, 5, 6
NEGLIGIBLE = 1e-9  # of a step
BLENDS = 6  # halvings in search of the restitution that adds no energy
TOGETHER = 1e-9  # s: contacts that would touch within this time touch at once
TOO_FAST = 1e6  # a velocity beyond this is no motion of a walking robot


class Clock(NamedTuple):
    """Time is counted in steps, so that it never drifts."""

    step: Any  # (1,) int: number of the last instant, -1 before the first
    ahead: Any  # (1,) s: length of the next drift
    jolted: Any  # (1,) int: 1 if something struck in the last kick
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


@kernel
def strike(machine, share):
    """Impulses of what meets the ground, with a share of its restitution. Returns the energy that is lost."""
    pads, touch, motion, rows = machine.pads, machine.touch, machine.motion, machine.rows
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
            if pads.friction[k] > 0.0:
                touch.grip[k], touch.closed[k], touch.sticks[k] = FIRM, 1, 1
    solve_fully(machine, 1.0)
    lost = 0.0
    for k in range(len(pads.body)):
        if touch.near[k]:
            both = plus(get_vector(touch.speed, k), get_vector(touch.next_way, k))
            lost -= 0.5 * dot(get_vector(touch.force, k), both)
    for r in range(len(rows.dof)):
        if rows.near[r]:
            lost += row_loss(rows, r, motion.v, motion.a)
    return lost


@kernel(inline=False)
def impact(machine, tally, events, time):
    """Contacts that touch and approach exchange impulses at once, with as much restitution as adds no energy."""
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
    rows = machine.rows
    aim_rows(rows, motion.q, motion.v, 1.0, 1.0)
    strike_rows(rows)
    low, high, share, lost = 0.0, 1.0, 1.0, 0.0
    for trial in range(BLENDS + 2):
        lost = strike(machine, share)
        if lost >= 0.0:
            low = share
            if trial == 0:
                break
        else:
            high = share
        share = low if trial == BLENDS else 0.5 * (low + high)
    for r in range(len(rows.dof)):
        rows.carried[r], rows.force[r] = 0.0, 0.0
    for d in range(len(motion.v)):
        motion.v[d] += motion.a[d]
        motion.a[d] = 0.0
        motion.now[d] = motion.v[d]
    tally.ledger[IMPACTS] -= lost
    for k in range(len(pads.body)):
        if touch.near[k]:
            n = get_vector(touch.normal, k)
            note(events, time, IMPACT, pads.owner[k], dot(get_vector(touch.force, k), n), lost)
        forget(touch, k)
        touch.meets[k] = 0
    put_motion(work.lean, 0, saved)
    put_motion(work.accel, 0, saved)


@kernel
def time_to_meet(machine, h):
    """When the first rigid contact strikes the ground, and which then are there; h if none does."""
    pads, touch = machine.pads, machine.touch
    first = h
    for k in range(len(pads.body)):
        touch.meets[k] = 0
        if touch.near[k] == 0 and touch.bounces[0] < MOST_BOUNCES:
            pace = closing(machine, k)
            if pace < -SLOW and pads.stiffness[k] == 0.0 and touch.gap[k] + first * pace < 0.0:
                first = max(touch.gap[k] / -pace, 0.0)
    if first < h:
        for k in range(len(pads.body)):
            if touch.near[k] == 0:
                pace = closing(machine, k)
                if pace < 0.0 and touch.gap[k] + (first + TOGETHER) * pace <= 0.0:
                    touch.meets[k] = 1
    return first


@kernel
def drift(machine, left, jolted):
    """Move for the time `left`, or until a contact strikes the ground. Returns the time moved."""
    motion, part = machine.motion, time_to_meet(machine, left)
    early = 0.0 if jolted else 0.5 * (part - left)  # the velocity is that of the middle of the time moved
    for d in range(len(motion.v)):
        motion.step[d] = part * (motion.v[d] + early * motion.a[d])
    integrate(machine.tree, motion.q, motion.step, motion.q)
    return part


@kernel
def account(machine, tally, first, last, ahead):
    """Work of everything in a part of the kick, from `first` to `last` of its length."""
    pads, touch, work, motion, rows = machine.pads, machine.touch, machine.work, machine.motion, machine.rows
    joints, ledger, length = machine.joints, tally.ledger, touch.length[0]
    time, middle = (last - first) * length, 0.5 * (first + last)
    for d in range(len(motion.v)):
        after = motion.v[d]
        mean = after - (1.0 - middle) * length * motion.a[d]
        ledger[MOTORS] += time * joints.applied[d] * mean
        if joints.damping[d] > 0.0 or joints.stiffness[d] > 0.0:
            late = joints.late[d]
            stretch = motion.q[joints.coordinate[d]] - joints.rest[d] + late * ahead * after
            pace = after - 0.5 * (1.0 - late) * length * motion.a[d]
            ledger[JOINTS] -= time * mean * (joints.damping[d] * pace + joints.stiffness[d] * stretch)
    for r in range(len(rows.dof)):
        if rows.near[r]:
            d = rows.dof[r]
            ledger[STOPS] += time * rows.sign[r] * rows.force[r] * (motion.v[d] - (1.0 - middle) * length * motion.a[d])
    for k in range(len(pads.body)):
        if touch.near[k]:
            f, n, w = get_vector(touch.force, k), get_vector(touch.normal, k), get_vector(touch.next_way, k)
            mean = plus(scaled(get_vector(touch.speed, k), 1.0 - middle), scaled(w, middle))
            press, pace = dot(f, n), dot(mean, n)
            ledger[GROUND] += time * press * pace
            ledger[FRICTION] += time * (dot(f, mean) - press * pace)
    pushed = len(machine.tree.parent) if len(machine.pushes.body) > 0 and machine.pushes.on[0] else 1
    for i in range(1, pushed):
        F = get_motion(work.push, i)
        A = subtract(get_motion(work.accel, i), get_motion(work.lean, i))
        ledger[PUSHES] += time * pair(add_scaled(get_motion(work.speed, i), A, middle * length), F)


@kernel
def slide_on(machine, tally, ahead):
    """The way that contacts have slid, and that they will slide in the drift to come."""
    touch = machine.touch
    for k in range(len(machine.pads.body)):
        if k < len(tally.slip):
            tally.slip[k] += tally.ahead[k]
            tally.ahead[k] = 0.0
        if touch.near[k] and touch.mode[k] == SLIDE:
            o, w, n = machine.pads.owner[k], get_vector(touch.next_way, k), get_vector(touch.normal, k)
            away = plus(w, scaled(n, -dot(w, n)))
            tally.ahead[o] = max(tally.ahead[o], ahead * np.sqrt(dot(away, away)))


@kernel
def closed_one(machine, o):
    """A contact by which pad o touches."""
    pads, touch = machine.pads, machine.touch
    for k in range(len(pads.body)):
        if touch.mode[k] != OPEN and (pads.owner[k] == o or pads.other[k] == o):
            return k
    return o


@kernel
def report(machine, tally, events, time):
    """What pads and stops began or ended."""
    touch, rows, feel = machine.touch, machine.rows, machine.feel
    for o in range(len(feel.mode)):
        was, mode = tally.was[o], feel.mode[o]
        if mode != was:
            if was == OPEN:
                k = closed_one(machine, o)
                n = get_vector(touch.normal, k)
                note(events, time, TOUCH_DOWN, o, dot(get_vector(touch.speed, k), n), dot(get_vector(touch.force, k), n))
            elif mode == OPEN:
                note(events, time, LIFT_OFF, o, 0.0, 0.0)
            else:
                note(events, time, SLIP if mode == SLIDE else GRIP, o, tally.slip[o], 0.0)
            tally.was[o] = mode
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
    motion, feel = machine.motion, machine.feel
    place_pads(machine.pads, machine.touch, machine.work, feel)
    record.time[row] = index * clock.h
    for j in range(len(motion.q)):
        record.q[row, j] = motion.q[j] + motion.away[j]
    for d in range(len(motion.v)):
        record.v[row, d] = motion.now[d]
        record.tau[row, d] = machine.joints.applied[d]
    for k in range(len(feel.mode)):
        record.mode[row, k] = feel.mode[k]
        record.slip[row, k] = tally.slip[k]
        put_vector(record.force[row], k, get_vector(feel.force, k))
        put_vector(record.point[row], k, get_vector(feel.point, k))
        record.point[row, k, 0] += machine.ground.origin[0]
        if record.point.shape[2] == 3:
            record.point[row, k, 1] += machine.ground.origin[1]
    for j in range(len(tally.ledger)):
        record.ledger[row, j] = tally.ledger[j]
    record.passes[row], record.miss[row] = tally.worst[0], tally.worst[1]
    tally.worst[0], tally.worst[1] = 0.0, 0.0


@kernel
def finish(machine, clock, events, marks):
    """Look whether all is well. Returns why the loop must come back, or DONE."""
    motion, time, size = machine.motion, clock.step[0] * clock.h, 0.0
    for d in range(len(motion.v)):
        size += abs(motion.v[d])
    if not size < TOO_FAST:
        return DIVERGED
    found = fallen(machine, marks)
    if found >= 0:
        note(events, time, FALL, found, 0.0, 0.0)
        return FELL
    return FULL if events.count[0] > len(events.rows) - 64 else DONE


@kernel
def go_on(machine, tally, time, ahead):
    """Let the forces of the last kick act for so much longer: the velocity in the middle of a drift becomes that of a moment."""
    motion, length = machine.motion, machine.touch.length[0]
    account(machine, tally, 1.0, 1.0 + time / length, ahead)
    for d in range(len(motion.v)):
        motion.v[d] += time * motion.a[d]


@kernel
def see(motion):
    """The coordinates as controllers see them."""
    for j in range(len(motion.q)):
        motion.seen[j] = motion.q[j] + motion.away[j]


@kernel
def foretell(motion, ahead):
    """The velocity of the next instant, if forces go on."""
    for d in range(len(motion.v)):
        motion.now[d] = motion.v[d] + 0.5 * ahead * motion.a[d]


@kernel(inline=False)
def advance(machine, control, clock, record, tally, events, marks, steps):
    """Go on for so many steps; the first time, begin with the instant at hand. Returns why it came back.

    A step is a drift, then at the next instant: decide, kick, account, record. Where joints turn fast it has several drifts and
    kicks, and where something strikes on the way, the drift is cut short by an impact.
    """
    motion, h, touch = machine.motion, clock.h, machine.touch
    left, ahead, jolted, status = h, clock.ahead[0], clock.jolted[0], DONE
    begun = clock.step[0] >= 0
    while steps > 0 or not begun:
        part = drift(machine, ahead, jolted) if begun else left
        meets = part < ahead and begun
        left -= part
        if meets:
            if not jolted:
                go_on(machine, tally, part - 0.5 * ahead, ahead)
            touch.bounces[0] += 1
            impact(machine, tally, events, (clock.step[0] + 1) * h - left)
        whole = left < NEGLIGIBLE * h and not meets
        if whole:
            clock.step[0] += 1
            touch.bounces[0] = 0
            left = h
            see(motion)
            if decide(control, clock, clock.step[0]) != 0:
                return CONTROL
        before = part if begun and not meets else 0.0
        now = clock.step[0] * h + (0.0 if whole else h - left)
        if pushing(machine.pushes, now - h, now):  # a call takes longer than this look
            press(machine, now - h, now)
        ahead, passes, miss, jolted = kick(machine, before, left)
        tally.worst[0], tally.worst[1] = max(tally.worst[0], passes), max(tally.worst[1], miss)
        slide_on(machine, tally, ahead)
        gather(machine.pads, machine.touch, machine.work, machine.feel)
        share = before / (before + ahead)  # of the kick, that is over at the instant
        due = whole and clock.step[0] % clock.every == 0
        account(machine, tally, 0.0, share if due else 1.0, ahead)
        if whole:
            report(machine, tally, events, clock.step[0] * h)
            keep(machine, clock, record, tally, clock.step[0])
            status = finish(machine, clock, events, marks)
            if due:
                account(machine, tally, share, 1.0, ahead)
        foretell(motion, 0.0 if jolted else ahead)  # what struck has done so already
        if whole:
            steps -= 1 if begun else 0
            begun, clock.ahead[0], clock.jolted[0] = True, ahead, jolted
            if status != DONE:
                return status
    return DONE
