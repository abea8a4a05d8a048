"""The loop of time stepping: drift, control, kick, record, until something stops it.

Contacts that meet the ground faster than SLOW, and joints that meet their stops at speed, exchange impulses at once
(`core.contact.impact`). They are met at their own time within the step.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.decide import consult
from footfall.core.contact.fall import fallen
from footfall.core.contact.geometry import OPEN, SLIDE, sum_contacts
from footfall.core.contact.impact import exchange_impulses
from footfall.core.contact.joint_constraints import JOLTED, time_to_stop
from footfall.core.contact.project import project_velocity
from footfall.core.contact.push import apply_pushes, pushes_act
from footfall.core.contact.record import (
    FALL,
    IMPACT,
    LIFT_OFF,
    STILL,
    STOP,
    TOUCH_DOWN,
    add_forces,
    add_impulse,
    add_motor,
    closed_one,
    follow_landings,
    follow_slide,
    measure_peaks,
    note,
    write_record,
)
from footfall.core.contact.steady import kick_steadily
from footfall.core.contact.step import (
    MAX_IMPACTS,
    NEARING,
    SLOW,
    kick,
    normal_velocity,
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
    get_vector,
    pair,
    plus,
    scaled,
    subtract,
)

# why the loop came back
DONE, FELL, DIVERGED, CONTROL, FULL, GROUND_FAILED = 0, 1, 2, 3, 4, 5
# where energy goes: motors, springs and dampers (tendons too), stops and dry friction, ground (normal, friction), pushes, impacts
MOTORS, JOINTS, STOPS, GROUND, FRICTION, PUSHES, IMPACTS = 0, 1, 2, 3, 4, 5, 6
NEGLIGIBLE = 1e-9  # of a step
TOGETHER = 1e-9  # s: contacts that would touch within this time touch at once
TOO_FAST = 1e6  # a velocity beyond this is no motion of a walking robot


class Clock(NamedTuple):
    """Time, counted in steps so that it does not drift."""

    step: Any  # (1,) int: number of the last instant, -1 before the first
    ahead: Any  # (1,) s: length of the next drift
    jolted: Any  # (1,) int: 1 if a contact or stop began in the last kick
    h: float
    record_every: int  # steps from row to row


class Log(NamedTuple):
    """All that the loop writes down, and the marks that it looks at."""

    clock: Any
    record: Any
    tally: Any
    events: Any
    marks: Any


@kernel(inline=False)
def impact(data, tally, events, time):
    """Contacts and joints that meet the ground and their stops exchange impulses at once."""
    geometry, contact, motion, constraints = data.geometry, data.contact, data.motion, data.constraints
    tally.ledger[IMPACTS] -= exchange_impulses(data)
    for k in range(len(geometry.body)):
        if contact.active[k]:
            n, f = get_vector(contact.normal, k), get_vector(contact.force, k)
            add_impulse(data, tally.forces, k)
            if dot(f, f) > 0.0:  # else it took part and got nothing
                taken = -0.5 * dot(f, plus(get_vector(contact.v, k), get_vector(contact.v_trial, k)))  # by this contact alone
                note(events, time, IMPACT, geometry.owner[k], dot(f, n), taken)
        reset_contact(contact, k)
        contact.impacting[k] = contact.active[k]
    for r in range(len(constraints.dof)):
        d = constraints.dof[r]
        if constraints.active[r] and constraints.on[r]:
            constraints.was_on[r] = 1
            if not tally.stopped[r]:
                note(events, time, STOP, r, motion.q[constraints.coordinate[r]], motion.v[d] - motion.a[d])
                tally.stopped[r] = 1
        constraints.multiplier[r], constraints.force[r] = 0.0, 0.0
    for d in range(len(motion.v)):
        motion.a[d] = 0.0


@kernel
def time_to_impact(data, h, jolted):
    """The time until a rigid contact strikes the ground or a joint its stop, h if none does. Sets which contacts strike."""
    geometry, contact, constraints = data.geometry, data.contact, data.constraints
    first = h
    if contact.impacts[0] >= MAX_IMPACTS:
        return first
    for k in range(contact.count[0] if contact.nearing[0] else 0):
        if contact.active[k] == 0:
            v_n = normal_velocity(data, k)
            if v_n < -SLOW and geometry.stiffness[k] == 0.0 and contact.gap[k] + NEARING * first * v_n < 0.0:
                first = min(first, time_to_touch(data, k, h, jolted))
    for r in range(len(constraints.dof)):
        if constraints.active[r] == 0:
            first = time_to_stop(constraints, r, data.motion, first, h, jolted)
    if first < h:
        for k in range(contact.count[0]):
            if contact.active[k] == 0 and geometry.stiffness[k] == 0.0:
                v_n = normal_velocity(data, k)
                near = v_n < 0.0 and contact.gap[k] + NEARING * first * v_n <= 0.0
                if near and time_to_touch(data, k, h, jolted) <= first + TOGETHER:
                    contact.impacting[k] = 1
    return first


@kernel
def drift(data, left, jolted):
    """Move for the time `left`, or until a contact strikes the ground or a joint its stop. Returns the time moved."""
    motion, part = data.motion, time_to_impact(data, left, jolted)
    early = 0.0 if jolted else 0.5 * (part - left)  # the velocity is that of the middle of the time moved
    for d in range(len(motion.v)):
        motion.dq[d] = part * (motion.v[d] + early * motion.a[d])
    integrate(data.tree, motion.q, motion.dq, motion.q)
    return part


@kernel(inline=False)
def account(data, ledger, motors, first, last, ahead):
    """Add the work of all forces in a part of the kick, from `first` to `last` of its length, to the ledger."""
    motion, joints, length = data.motion, data.joints, data.contact.kick[0]
    time, middle = (last - first) * length, 0.5 * (first + last)
    driven, passive = 0.0, 0.0
    for d in range(len(motion.v)):
        after, a, tau = motion.v[d], motion.a[d], joints.applied[d]
        mean = after - (1.0 - middle) * length * a
        if tau != 0.0:
            driven += tau * mean
            add_motor(motors, d, tau, after - (1.0 - first) * length * a, after - (1.0 - last) * length * a, time)
        if joints.damping[d] > 0.0 or joints.stiffness[d] > 0.0:
            implicit = joints.implicit[d]
            stretch = motion.q[joints.coordinate[d]] - joints.rest[d] + implicit * ahead * after
            v_n = after - 0.5 * (1.0 - implicit) * length * a
            passive -= mean * (joints.damping[d] * v_n + joints.stiffness[d] * stretch)
        if len(data.tendons.stiffness) > 0:
            passive += mean * (data.tendons.tau[d] - data.tendons.inertia[d] * a)
    ledger[MOTORS] += time * driven
    ledger[JOINTS] += time * passive
    ledger[STOPS] += time * power_of_stops(data.constraints, motion, (1.0 - middle) * length)
    normal, friction = power_of_ground(data.contact, middle)
    ledger[GROUND] += time * normal
    ledger[FRICTION] += time * friction
    if len(data.pushes.body) > 0 and data.pushes.on[0]:
        ledger[PUSHES] += time * power_of_pushes(data.work, middle * length)


@kernel
def power_of_stops(constraints, motion, back):
    """Power of stops and dry friction, at a time `back` from the end of the kick."""
    total = 0.0
    for r in range(len(constraints.dof)):
        if constraints.active[r]:
            d = constraints.dof[r]
            total += constraints.sign[r] * constraints.force[r] * (motion.v[d] - back * motion.a[d])
    return total


@kernel
def power_of_ground(contact, part):
    """Power of the normal forces and of friction, when a part of the kick is over."""
    normal, whole = 0.0, 0.0
    for k in range(contact.count[0]):
        if contact.active[k]:
            f, n, w = get_vector(contact.force, k), get_vector(contact.normal, k), get_vector(contact.v_trial, k)
            u = plus(scaled(get_vector(contact.v, k), 1.0 - part), scaled(w, part))
            normal += dot(f, n) * dot(u, n)
            whole += dot(f, u)
    return normal, whole - normal


@kernel
def power_of_pushes(work, time):
    """Power of the forces on the bodies, at a time from the beginning of the kick."""
    total = 0.0
    for i in range(1, len(work.f_ext)):
        A = subtract(get_motion(work.A_WB, i), get_motion(work.a_bias, i))
        total += pair(add_scaled(get_motion(work.V_WB, i), A, time), get_motion(work.f_ext, i))
    return total


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
def report(data, tally, events, time):
    """Note which pads and stops began or ended to touch, and which pads to slide."""
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
            tally.was[o] = mode
        if mode == SLIDE or tally.slides.state[o] != STILL:
            follow_slide(tally.slides, events, o, mode, tally.slip[o], time)
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != 2:
            on = 1 if constraints.active[r] and constraints.on[r] else 0
            if on and not tally.stopped[r]:
                d = constraints.dof[r]
                before = data.motion.v[d] - contact.kick[0] * data.motion.a[d]
                note(events, time, STOP, r, data.motion.q[constraints.coordinate[r]], before)
            tally.stopped[r] = on


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
def extend_kick(data, tally, time, ahead, jolted):
    """Let the forces of the last kick act for a longer time: from the middle of a drift to the moment of an impact.

    A time below zero takes back what acted too long; if that kick was a jolt, the impact brings to rest what is left of it. If
    it was and forces act longer, they are found again without the jolt. So no force is ever taken back that did not act.
    """
    motion, length, over = data.motion, data.contact.kick[0], 1.0
    if jolted and time > 0.0:
        kick_steadily(data, ahead)
        sum_contacts(data.geometry, data.contact, data.work, data.resultant)
        over = 0.0
    account(data, tally.ledger, tally.motors, over, over + time / length, ahead)
    add_forces(data, tally.forces, time)
    for d in range(len(motion.v)):
        motion.v[d] += (time - (1.0 - over) * length) * motion.a[d]


@kernel(inline=False)
def begin_interval(data, tally, over, ahead):
    """Add what is left of a kick after a row was written, when the part `over` of it was over."""
    account(data, tally.ledger, tally.motors, over, 1.0, ahead)
    add_forces(data, tally.forces, (1.0 - over) * data.contact.kick[0])
    measure_peaks(data.resultant, tally.forces)


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


@kernel(short_loops=True)
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
            extend_kick(data, tally, part - 0.5 * ahead, ahead, jolted)
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
        ahead, iterations, residual, changed = kick(data, before, left)
        jolted = 1 if changed == JOLTED else 0
        tally.worst[0], tally.worst[1] = max(tally.worst[0], iterations), max(tally.worst[1], residual)
        add_slip(data, tally, ahead)
        sum_contacts(data.geometry, data.contact, data.work, data.resultant)
        if changed or meets or tally.forces.landing[0]:
            follow_landings(data, tally.forces)
        due = whole and clock.step[0] % clock.record_every == 0
        over = before / (before + ahead) if due else 1.0  # of the kick, at the instant of a row
        account(data, tally.ledger, tally.motors, 0.0, over, ahead)
        add_forces(data, tally.forces, over * contact.kick[0])
        if due:
            project_velocity(data, over)
        if whole:
            report(data, tally, events, clock.step[0] * h)
            measure_peaks(data.resultant, tally.forces)
            if due:
                write_record(data, clock, log.record, tally, clock.step[0])
                begin_interval(data, tally, over, ahead)
            status = finish(data, clock, events, log.marks)
        predict_velocity(motion, 0.0 if jolted else ahead)  # what struck has done so already
        if whole:
            steps -= 1 if begun else 0
            begun, clock.ahead[0], clock.jolted[0] = True, ahead, jolted
            if status != DONE:
                return status
    return DONE
