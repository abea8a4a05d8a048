"""The loop of time stepping: drift, control, kick, record, until something stops it.

Impacts are Moreau's: contacts that meet the ground faster than SLOW exchange impulses at once, with Newton's coefficient of
restitution. They are met at their own time within the step.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.decide import consult
from footfall.core.contact.joint_constraints import aim_constraints, constraint_loss, prepare_constraints_for_impact
from footfall.core.contact.law import OPEN, SLIDE, UNLIMITED, set_pad_points, sum_contacts
from footfall.core.contact.project import project_velocity
from footfall.core.contact.push import apply_pushes, pushes_act
from footfall.core.contact.solver import solve_contact
from footfall.core.contact.step import (
    MAX_IMPACTS,
    SLOW,
    find_contacts,
    kick,
    normal_velocity,
    prepare,
    reset_contact,
    time_to_touch,
)
from footfall.core.ground import USER
from footfall.core.jit import kernel
from footfall.core.manifold import integrate
from footfall.core.spatial.algebra import (
    add_scaled,
    dot,
    get_motion,
    get_rotation,
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

# why the loop came back
DONE, FELL, DIVERGED, CONTROL, FULL, GROUND_FAILED = 0, 1, 2, 3, 4, 5
# kinds of event
TOUCH_DOWN, LIFT_OFF, SLIP_BEGINS, SLIP_ENDS, IMPACT, STOP, FALL = 0, 1, 2, 3, 4, 5, 6
# where energy goes: motors, springs and dampers, stops and dry friction, ground (normal), ground (friction), pushes, impacts
MOTORS, JOINTS, STOPS, GROUND, FRICTION, PUSHES, IMPACTS = 0, 1, 2, 3, 4, 5, 6
NEGLIGIBLE = 1e-9  # of a step
MAX_HALVINGS = 6  # in the search for the restitution that adds no energy
TOGETHER = 1e-9  # s: contacts that would touch within this time touch at once
TOO_FAST = 1e6  # a velocity beyond this is no motion of a walking robot


class Clock(NamedTuple):
    """Time, counted in steps so that it does not drift."""

    step: Any  # (1,) int: number of the last instant, -1 before the first
    ahead: Any  # (1,) s: length of the next drift
    jolted: Any  # (1,) int: 1 if a contact or stop began or ended in the last kick
    h: float
    record_every: int  # steps from row to row


class Marks(NamedTuple):
    """Points of the robot that must not touch the ground."""

    body: Any  # (n,) int
    at: Any  # (n, DIM)


class Record(NamedTuple):
    """Rows of the run; row i is the instant i * record_every."""

    time: Any
    q: Any
    v: Any
    tau: Any
    mode: Any
    force: Any  # (rows, pads, DIM)
    point: Any  # (rows, pads, DIM)
    slip: Any  # (rows, pads) distance slid so far
    ledger: Any  # (rows, 7) work so far
    iterations: Any  # (rows,) most Newton iterations in a step since the last row
    residual: Any  # (rows,) largest residual velocity of contacts since the last row


class Events(NamedTuple):
    """Events that happened and were not collected yet."""

    count: Any  # (1,) int
    rows: Any  # (n, 5): time, kind, which, two numbers


class Tally(NamedTuple):
    """What is summed up from step to step."""

    ledger: Any  # (7,)
    slip: Any  # (pads,) distance slid so far
    ahead: Any  # (pads,) distance slid in the next drift
    was: Any  # (pads,) int: modes before
    stopped: Any  # (rows,) int
    worst: Any  # (2,) iterations and residual since the last row


class Log(NamedTuple):
    """All that the loop writes down, and the marks that it looks at."""

    clock: Any
    record: Any
    tally: Any
    events: Any
    marks: Any


@kernel(inline=False)
def note(events, time, kind, which, first, second):
    """Add an event."""
    i = events.count[0]
    if i < len(events.rows):
        events.rows[i, 0], events.rows[i, 1], events.rows[i, 2] = time, kind, which
        events.rows[i, 3], events.rows[i, 4] = first, second
        events.count[0] = i + 1


@kernel
def strike(data, fraction):
    """Impulses of the contacts that meet the ground, with a fraction of their restitution. Returns the energy lost."""
    geometry, contact, motion, constraints = data.geometry, data.contact, data.motion, data.constraints
    for k in range(len(geometry.body)):
        contact.active[k] = 1 if contact.impacting[k] == 1 or contact.mode[k] != OPEN else 0
        reset_contact(contact, k)
        if contact.active[k]:
            n, u = get_vector(contact.normal, k), get_vector(contact.v, k)
            v_n = dot(u, n)
            e = fraction * geometry.restitution[k] if v_n < -SLOW else 0.0
            contact.R_n[k], contact.R_t[k] = data.settings.R, data.settings.R
            put_vector(contact.bias, k, scaled(n, e * v_n))
            put_vector(contact.v_next, k, u)
            if geometry.friction[k] > 0.0:
                contact.f_t_max[k], contact.closed[k], contact.sticks[k] = UNLIMITED, 1, 1
    solve_contact(data, 1.0)
    lost = 0.0
    for k in range(len(geometry.body)):
        if contact.active[k]:
            both = plus(get_vector(contact.v, k), get_vector(contact.v_trial, k))
            lost -= 0.5 * dot(get_vector(contact.force, k), both)
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            lost += constraint_loss(constraints, r, motion.v, motion.a)
    return lost


@kernel(inline=False)
def impact(data, tally, events, time):
    """Contacts that touch and approach exchange impulses at once.

    Several at a time can gain energy with Newton's restitution. If they would, the largest fraction of restitution that does not
    is found by bisection.
    """
    geometry, contact, work, motion, tree = data.geometry, data.contact, data.work, data.motion, data.tree
    prepare(tree, work, motion.q, motion.v, motion.v)
    find_contacts(data.ground, geometry, contact, work, data.settings.f_tol)
    saved, none = get_motion(work.a_bias, 0), no_motion()
    for i in range(len(tree.parent)):
        put_motion(work.a_bias, i, none)
        put_motion(work.A_WB, i, none)
        put_motion(work.c_J, i, none)
        put_motion(work.p_bias, i, none)
    for d in range(len(motion.v)):
        motion.tau_joint[d], motion.rotor_joint[d] = 0.0, tree.rotor[d]
    constraints = data.constraints
    aim_constraints(constraints, motion.q, motion.v, 1.0, 1.0)
    prepare_constraints_for_impact(constraints)
    low, high, fraction, lost = 0.0, 1.0, 1.0, 0.0
    for trial in range(MAX_HALVINGS + 2):
        lost = strike(data, fraction)
        if lost >= 0.0:
            low = fraction
            if trial == 0:
                break
        else:
            high = fraction
        fraction = low if trial == MAX_HALVINGS else 0.5 * (low + high)
    for r in range(len(constraints.dof)):
        constraints.multiplier[r], constraints.force[r] = 0.0, 0.0
    for d in range(len(motion.v)):
        motion.v[d] += motion.a[d]
        motion.a[d] = 0.0
        motion.v_now[d] = motion.v[d]
    tally.ledger[IMPACTS] -= lost
    for k in range(len(geometry.body)):
        if contact.active[k]:
            n = get_vector(contact.normal, k)
            note(events, time, IMPACT, geometry.owner[k], dot(get_vector(contact.force, k), n), lost)
        reset_contact(contact, k)
        contact.impacting[k] = 0
    put_motion(work.a_bias, 0, saved)
    put_motion(work.A_WB, 0, saved)


@kernel
def time_to_impact(data, h, jolted):
    """The time until the first rigid contact strikes the ground, h if none does. Sets which contacts strike then."""
    geometry, contact = data.geometry, data.contact
    first = h
    for k in range(len(geometry.body)):
        contact.impacting[k] = 0
        if contact.active[k] == 0 and contact.impacts[0] < MAX_IMPACTS:
            v_n = normal_velocity(data, k)
            if v_n < -SLOW and geometry.stiffness[k] == 0.0 and contact.gap[k] + 1.5 * first * v_n < 0.0:
                first = min(first, time_to_touch(data, k, h, jolted))
    if first < h:
        for k in range(len(geometry.body)):
            if contact.active[k] == 0:
                v_n = normal_velocity(data, k)
                if (
                    v_n < 0.0
                    and contact.gap[k] + 1.5 * first * v_n <= 0.0
                    and time_to_touch(data, k, h, jolted) <= first + TOGETHER
                ):
                    contact.impacting[k] = 1
    return first


@kernel
def drift(data, left, jolted):
    """Move for the time `left`, or until a contact strikes the ground. Returns the time moved."""
    motion, part = data.motion, time_to_impact(data, left, jolted)
    early = 0.0 if jolted else 0.5 * (part - left)  # the velocity is that of the middle of the time moved
    for d in range(len(motion.v)):
        motion.dq[d] = part * (motion.v[d] + early * motion.a[d])
    integrate(data.tree, motion.q, motion.dq, motion.q)
    return part


@kernel(inline=False)
def account(data, tally, first, last, ahead):
    """Add the work of all forces in a part of the kick, from `first` to `last` of its length, to the ledger."""
    geometry, contact, work, motion, constraints = data.geometry, data.contact, data.work, data.motion, data.constraints
    joints, ledger, length = data.joints, tally.ledger, contact.kick[0]
    time, middle = (last - first) * length, 0.5 * (first + last)
    for d in range(len(motion.v)):
        after = motion.v[d]
        mean = after - (1.0 - middle) * length * motion.a[d]
        ledger[MOTORS] += time * joints.applied[d] * mean
        if joints.damping[d] > 0.0 or joints.stiffness[d] > 0.0:
            implicit = joints.implicit[d]
            stretch = motion.q[joints.coordinate[d]] - joints.rest[d] + implicit * ahead * after
            v_n = after - 0.5 * (1.0 - implicit) * length * motion.a[d]
            ledger[JOINTS] -= time * mean * (joints.damping[d] * v_n + joints.stiffness[d] * stretch)
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            d = constraints.dof[r]
            ledger[STOPS] += (
                time * constraints.sign[r] * constraints.force[r] * (motion.v[d] - (1.0 - middle) * length * motion.a[d])
            )
    for k in range(len(geometry.body)):
        if contact.active[k]:
            f, n, w = get_vector(contact.force, k), get_vector(contact.normal, k), get_vector(contact.v_trial, k)
            mean = plus(scaled(get_vector(contact.v, k), 1.0 - middle), scaled(w, middle))
            f_n, v_n = dot(f, n), dot(mean, n)
            ledger[GROUND] += time * f_n * v_n
            ledger[FRICTION] += time * (dot(f, mean) - f_n * v_n)
    pushed = len(data.tree.parent) if len(data.pushes.body) > 0 and data.pushes.on[0] else 1
    for i in range(1, pushed):
        F = get_motion(work.f_ext, i)
        A = subtract(get_motion(work.A_WB, i), get_motion(work.a_bias, i))
        ledger[PUSHES] += time * pair(add_scaled(get_motion(work.V_WB, i), A, middle * length), F)


@kernel
def add_slip(data, tally, ahead):
    """Add the distance that contacts slid in the last drift, and foresee that of the next."""
    contact = data.contact
    for k in range(len(data.geometry.body)):
        if k < len(tally.slip):
            tally.slip[k] += tally.ahead[k]
            tally.ahead[k] = 0.0
        if contact.active[k] and contact.mode[k] == SLIDE:
            o, w, n = data.geometry.owner[k], get_vector(contact.v_trial, k), get_vector(contact.normal, k)
            away = plus(w, scaled(n, -dot(w, n)))
            tally.ahead[o] = max(tally.ahead[o], ahead * np.sqrt(dot(away, away)))


@kernel
def closed_one(data, o):
    """A contact by which pad o touches."""
    geometry, contact = data.geometry, data.contact
    for k in range(len(geometry.body)):
        if contact.mode[k] != OPEN and (geometry.owner[k] == o or geometry.other[k] == o):
            return k
    return o


@kernel
def report(data, tally, events, time):
    """Note which pads and stops began or ended to touch, stick or slide."""
    contact, constraints, resultant = data.contact, data.constraints, data.resultant
    for o in range(len(resultant.mode)):
        was, mode = tally.was[o], resultant.mode[o]
        if mode != was:
            if was == OPEN:
                k = closed_one(data, o)
                n = get_vector(contact.normal, k)
                note(events, time, TOUCH_DOWN, o, dot(get_vector(contact.v, k), n), dot(get_vector(contact.force, k), n))
            elif mode == OPEN:
                note(events, time, LIFT_OFF, o, 0.0, 0.0)
            else:
                note(events, time, SLIP_BEGINS if mode == SLIDE else SLIP_ENDS, o, tally.slip[o], 0.0)
            tally.was[o] = mode
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != 2:
            on = 1 if constraints.active[r] and constraints.on[r] else 0
            if on and not tally.stopped[r]:
                note(events, time, STOP, r, data.motion.q[constraints.coordinate[r]], constraints.force[r])
            tally.stopped[r] = on


@kernel
def fallen(data, marks):
    """Index of the mark deepest below the ground, or -1."""
    work, worst, found = data.work, 0.0, -1
    for i in range(len(marks.body)):
        body = marks.body[i]
        x = rotate(get_rotation(work.R_WB, body), get_vector(marks.at, i))
        gap, _ = surface(data.ground, plus(get_vector(work.p_WB, body), x))
        if gap < worst:
            worst, found = gap, i
    return found


@kernel
def write_record(data, clock, record, tally, index):
    """Write the row of this instant, if one is due."""
    if index % clock.record_every:
        return
    row = index // clock.record_every
    if row >= len(record.time):
        return
    motion, resultant = data.motion, data.resultant
    set_pad_points(data.geometry, data.contact, data.work, resultant)
    record.time[row] = index * clock.h
    for j in range(len(motion.q)):
        record.q[row, j] = motion.q[j] + motion.q_offset[j]
    for d in range(len(motion.v)):
        record.v[row, d] = motion.v_now[d]
        record.tau[row, d] = data.joints.applied[d]
    for k in range(len(resultant.mode)):
        record.mode[row, k] = resultant.mode[k]
        record.slip[row, k] = tally.slip[k]
        put_vector(record.force[row], k, get_vector(resultant.force, k))
        put_vector(record.point[row], k, get_vector(resultant.point, k))
        record.point[row, k, 0] += data.ground.origin[0]
        if record.point.shape[2] == 3:
            record.point[row, k, 1] += data.ground.origin[1]
    for j in range(len(tally.ledger)):
        record.ledger[row, j] = tally.ledger[j]
    record.iterations[row], record.residual[row] = tally.worst[0], tally.worst[1]
    tally.worst[0], tally.worst[1] = 0.0, 0.0


@kernel
def finish(data, clock, events, marks):
    """Look for divergence, a fall or a full list of events. Returns why the loop must come back, or DONE."""
    motion, time, size = data.motion, clock.step[0] * clock.h, 0.0
    if data.ground.kind == USER and data.ground.numbers[0] != 0.0:
        return GROUND_FAILED
    for d in range(len(motion.v)):
        size += abs(motion.v[d])
    if not size < TOO_FAST:
        return DIVERGED
    found = fallen(data, marks)
    if found >= 0:
        note(events, time, FALL, found, 0.0, 0.0)
        return FELL
    return FULL if events.count[0] > len(events.rows) - 64 else DONE


@kernel
def extend_kick(data, tally, time, ahead):
    """Let the forces of the last kick act for a longer time: from the middle of a drift to the moment of an impact."""
    motion, length = data.motion, data.contact.kick[0]
    account(data, tally, 1.0, 1.0 + time / length, ahead)
    for d in range(len(motion.v)):
        motion.v[d] += time * motion.a[d]


@kernel
def set_world_coordinates(motion):
    """The coordinates in the world, for controllers."""
    for j in range(len(motion.q)):
        motion.q_world[j] = motion.q[j] + motion.q_offset[j]


@kernel
def predict_velocity(motion, ahead):
    """The velocity at the next instant, if forces stay as they are."""
    for d in range(len(motion.v)):
        motion.v_now[d] = motion.v[d] + 0.5 * ahead * motion.a[d]


@kernel
def advance(data, control, log, steps):
    """Go on for a number of steps; the first time, begin with the present instant. Returns why it came back.

    A step is a drift, then at the next instant: control, kick, energy account, record. Where joints turn fast it has several
    drifts and kicks. An impact cuts a drift short.
    """
    clock, tally, events = log.clock, log.tally, log.events
    motion, h, contact = data.motion, clock.h, data.contact
    left, ahead, jolted, status = h, clock.ahead[0], clock.jolted[0], DONE
    begun = clock.step[0] >= 0
    while steps > 0 or not begun:
        part = drift(data, ahead, jolted) if begun else left
        meets = part < ahead and begun
        left -= part
        if meets:
            if not jolted:
                extend_kick(data, tally, part - 0.5 * ahead, ahead)
            contact.impacts[0] += 1
            impact(data, tally, events, (clock.step[0] + 1) * h - left)
        whole = left < NEGLIGIBLE * h and not meets
        if whole:
            clock.step[0] += 1
            contact.impacts[0] = 0
            left = h
            set_world_coordinates(motion)
            if consult(control, clock, clock.step[0]) != 0:
                return CONTROL
        before = part if begun and not meets else 0.0
        now = clock.step[0] * h + (0.0 if whole else h - left)
        if pushes_act(data.pushes, now - h, now):  # a call takes longer than this look
            apply_pushes(data, now - h, now)
        ahead, iterations, residual, jolted = kick(data, before, left)
        tally.worst[0], tally.worst[1] = max(tally.worst[0], iterations), max(tally.worst[1], residual)
        add_slip(data, tally, ahead)
        sum_contacts(data.geometry, data.contact, data.work, data.resultant)
        fraction = before / (before + ahead)  # of the kick, that is over at the instant
        due = whole and clock.step[0] % clock.record_every == 0
        account(data, tally, 0.0, fraction if due else 1.0, ahead)
        if due:
            project_velocity(data, fraction)
        if whole:
            report(data, tally, events, clock.step[0] * h)
            write_record(data, clock, log.record, tally, clock.step[0])
            status = finish(data, clock, events, log.marks)
            if due:
                account(data, tally, fraction, 1.0, ahead)
        predict_velocity(motion, 0.0 if jolted else ahead)  # what struck has done so already
        if whole:
            steps -= 1 if begun else 0
            begun, clock.ahead[0], clock.jolted[0] = True, ahead, jolted
            if status != DONE:
                return status
    return DONE
