"""The loop of bodies that move each by itself: control, solve, record, move."""

from footfall.core.contact.decide import consult
from footfall.core.contact.geometry import SLIDE, sum_contacts
from footfall.core.contact.loop import CONTROL, DONE, finish, report, set_world_coordinates
from footfall.core.contact.push import apply_pushes, pushes_act
from footfall.core.contact.record import add_forces, add_motor, follow_landings, measure_peaks, note, write_record
from footfall.core.jit import kernel
from footfall.core.maximal.bodies import arrive, show
from footfall.core.maximal.body_step import read_step, solve_step
from footfall.core.maximal.loops import MADE, break_loops, switch_loops
from footfall.core.maximal.review import set_stop_forces
from footfall.core.recursion.kinematics import set_places
from footfall.core.spatial.algebra import DIM


@kernel(inline=False)
def write_down(data, log, now):
    """Records and events of an instant whose modes and forces are known. Returns why the loop must come back, or DONE."""
    clock, tally, motion = log.clock, log.tally, data.motion
    sum_contacts(data.geometry, data.contact, data.work, data.resultant)
    report(data, tally, log.events, now)
    if clock.step[0] % clock.record_every == 0:
        write_record(data, clock, log.record, tally, clock.step[0])
    follow_landings(data, tally.forces)
    measure_peaks(data.resultant, tally.forces)
    add_forces(data, tally.forces, clock.h)
    for d in range(len(motion.v)):
        add_motor(tally.motors, d, data.joints.applied[d], motion.v[d], motion.v[d] + clock.h * motion.a[d], clock.h)
    return finish(data, clock, log.events, log.marks)


@kernel(inline=False)
def settle(data, flow, bodies, tally, h):
    """Move to the next instant."""
    motion = data.motion
    for k in range(len(data.contact.mode)):
        if data.contact.mode[k] == SLIDE:
            square = 0.0
            for c in range(DIM - 1):
                square += flow.cone.w[flow.row[k] + 1 + c] ** 2
            tally.slip[data.geometry.owner[k]] += h * square**0.5
    for j in range(len(motion.q)):
        motion.q[j] = bodies.q_next[j]
    set_places(data.tree, data.work, motion.q)
    arrive(data.tree, data.work, bodies, motion.v)
    for d in range(len(motion.v)):
        motion.v_now[d] = motion.v[d]


@kernel(inline=False)
def advance(data, flow, bodies, control, log, steps):
    """As `contact.loop.advance`: go on for a number of steps; the first time, begin with the present instant."""
    clock, tally, events = log.clock, log.tally, log.events
    h = clock.h
    begun = clock.step[0] >= 0
    while steps > 0 or not begun:
        if begun:
            settle(data, flow, bodies, tally, h)
            steps -= 1
        clock.step[0] += 1
        begun = True
        show(data.work, bodies.R, bodies.p, bodies.V)
        set_world_coordinates(data.motion)
        if consult(control, clock, clock.step[0]) != 0:
            return CONTROL
        now = clock.step[0] * h
        if pushes_act(data.pushes, now, now + h):
            apply_pushes(data, now, now + h)
        g = switch_loops(data, flow, events, now, h)
        while g >= 0:
            note(events, now, MADE, g, 0.0, 0.0)
            g = switch_loops(data, flow, events, now, h)
        turns, error = solve_step(data, flow, bodies, h, clock.step[0])
        read_step(data, flow, bodies, h)
        set_stop_forces(data, flow)
        break_loops(flow, events, now)
        tally.worst[0] = max(tally.worst[0], turns)
        tally.worst[1] = max(tally.worst[1], error / h)
        status = write_down(data, log, now)
        for j in range(len(flow.work)):
            tally.ledger[j] += flow.work[j]
        if status != DONE:
            return status
    return DONE
