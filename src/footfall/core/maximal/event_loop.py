"""The loop of the maximal-coordinate engine with events: control, settle modes, record, move on from event to event.

Between events the motion has order 8 (`core.maximal.flow`). An event is found where it happens: a contact that comes down, a slip
that ends, a joint that reaches its stop. Then the system is formed anew: impulses act, contacts and stops begin or end. A contact
that lifts or begins to slide, and one that slides off an edge, is seen at the next instant. What drifts off loops, contacts and
stops is projected back after every part, with the least kinetic energy. Where events crowd, or friction turns too fast, the rest
of a step is one of time stepping (`core.maximal.time_step`).
"""

import numpy as np

from footfall.core.contact.decide import consult
from footfall.core.contact.geometry import OPEN, SLIDE, STICK, locate, set_anchor, set_error
from footfall.core.contact.joint_constraints import DRY
from footfall.core.contact.loop import CONTROL, DIVERGED, DONE, GROUND, IMPACTS, set_world_coordinates
from footfall.core.contact.push import apply_pushes, pushes_act
from footfall.core.contact.record import (
    IMPACT,
    add_impulse,
    note,
)
from footfall.core.jit import kernel
from footfall.core.manifold import integrate
from footfall.core.maximal.border import solve_bordered
from footfall.core.maximal.flow import (
    MAX_PARTS,
    accelerate,
    begin_part,
    flow_on,
    keep_modes,
    parts_of,
    return_to_begin,
    set_joint_torques,
    set_state,
    turning_of_friction,
)
from footfall.core.maximal.loop import write_down
from footfall.core.maximal.loops import MADE, break_loops, error_of, switch_loops
from footfall.core.maximal.review import (
    STILL,
    TOUCHES,
    motion_after,
    set_rows_at_rest,
    settle_modes,
    stop_rows,
    strike,
)
from footfall.core.maximal.time_step import choose, parts_for_turning, step_on
from footfall.core.maximal.touch import SLIPS, place_contact, slip_of
from footfall.core.recursion.kinematics import set_speeds
from footfall.core.recursion.momentum import energies
from footfall.core.spatial.algebra import DIM, dot, get_vector, no_vector, plus, put_vector

DEEP = 1e-9  # m or rad: what comes deeper than this has come down
SHARP = 1e-11  # m, rad or m/s: so near an event is found
MAX_TRIALS = 60  # of the time of an event
SHORT = 1e-9  # of a step: so sharply is that time found
WEAK = 1e-6  # N/kg, or N m: forces beyond their limits by less are rounding
MAX_EVENTS = 30  # within a step; after these nothing strikes by itself
MOST_PARTS = 1000  # of a step
MANY = 6  # events within a step; contacts may lift each other by turns, without end
FAST = 8.0  # rad in a step: friction that turns faster is met by time steps
SAFE = 0.8  # of the length of a part that its error would allow
MAX_REPAIRS = 4
CLOSED = 1e-13  # m or rad: error at which a row is met
GAIN, GAIN_OF_MASS = 0.05, 1e-3  # of the kinetic energy, and J/kg: a step that gains more from nothing ends the run
STRIKES = 1e-2  # m/s: slower contacts come down without an event of their own


@kernel(inline=False)
def look(data):
    """Poses and velocities of the state in data.motion, and where it touches."""
    set_speeds(data.tree, data.work, data.motion.q, data.motion.v)
    locate(data.ground, data.geometry, data.contact, data.work)


@kernel(inline=False)
def room_left(data, flow):
    """How far the state in data.motion is from the next event, negative beyond it, with the modes with which the part began:
    the least gap of what is open, room of a stop, or slip against friction; then what forces have left. Sets velocities, gaps.
    """
    geometry, contact, constraints, motion = data.geometry, data.contact, data.constraints, data.motion
    look(data)
    least = 1.0
    for k in range(len(geometry.body)):
        if flow.mode[k] == OPEN:
            least = min(least, contact.gap[k])
        elif flow.mode[k] == SLIDE and contact.mode[k] == SLIDE:
            place_contact(data, k)
            u = slip_of(get_vector(contact.v, k), get_vector(contact.normal, k))
            least = min(least, -dot(u, get_vector(flow.aimed, k)) + DEEP)
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY and not constraints.on[r]:
            least = min(least, constraints.sign[r] * (motion.q[constraints.coordinate[r]] - constraints.bound[r]))
        elif constraints.kind[r] == DRY and not flow.holds[r]:
            least = min(least, -flow.sense[r] * motion.v[constraints.dof[r]] + DEEP)
    if least < -DEEP or not anything_held(data, flow):
        return least
    return min(least, force_room(data, flow))


@kernel
def anything_held(data, flow):
    """Whether there are forces that have limits."""
    held = False
    for k in range(len(flow.mode)):
        held = held or (flow.mode[k] != OPEN and data.contact.mode[k] != OPEN)
    for r in range(len(flow.holds)):
        held = held or flow.holds[r] or data.constraints.on[r]
    return held


@kernel(inline=False)
def force_room(data, flow):
    """The least of all normal forces, and of what friction has left, per mass of the robot."""
    geometry, contact, constraints, y = data.geometry, data.contact, data.constraints, flow.border.y
    for k in range(len(flow.mode)):
        if contact.mode[k] != OPEN:
            contact.mode[k] = flow.mode[k]
    set_state(data, flow)
    set_joint_torques(data, flow)
    accelerate(data, flow)
    least = 1.0
    for k in range(len(flow.mode)):
        if contact.mode[k] != OPEN:
            f, f_n = get_vector(contact.force, k), y[flow.row[k]]
            least = min(least, f_n / flow.mass)
            if contact.mode[k] == STICK:
                f_t = slip_of(f, get_vector(contact.normal, k))
                least = min(least, (geometry.friction[k] * f_n - dot(f_t, f_t) ** 0.5) / flow.mass)
    for r in range(len(constraints.dof)):
        if constraints.kind[r] == DRY:
            if flow.holds[r]:
                least = min(least, constraints.bound[r] - abs(y[flow.joint_row[r]]))
        elif constraints.on[r]:
            least = min(least, y[flow.joint_row[r]])
    return least + WEAK


@kernel(inline=False)
def flying_room(data, flow):
    """The same in a time step: the least gap of what takes no part in it."""
    constraints, least = data.constraints, 1.0
    look(data)
    for k in range(len(flow.takes)):
        if not flow.takes[k]:
            least = min(least, data.contact.gap[k])
    for r in range(len(constraints.dof)):
        if not flow.acts[r]:
            least = min(least, constraints.sign[r] * (data.motion.q[constraints.coordinate[r]] - constraints.bound[r]))
    return least


@kernel(inline=False)
def try_part(data, flow, h, crowded):
    """Move on for h from where the part began, by a time step if events are crowded. Returns how much room is left until the next
    event."""
    if crowded:
        step_on(data, flow, h)
        return flying_room(data, flow)
    keep_modes(data, flow)
    flow_on(data, flow, h)
    return room_left(data, flow)


@kernel(inline=False)
def smooth_length(data, flow, h, least):
    """Move on for h, or for as long as the error of the step allows. Returns how far; 0 if that is less than `least`."""
    length = min(h, flow.length[0])
    for _ in range(MAX_TRIALS):
        keep_modes(data, flow)
        error = flow_on(data, flow, length)
        factor = SAFE / np.sqrt(np.sqrt(np.sqrt(max(error, 1e-12))))  # the error goes with the eighth power
        if error <= 1.0:
            flow.length[0] = length * min(factor, 4.0) if length < h or factor < 1.0 else np.inf
            return length
        length *= max(factor, 0.1)
        if length < least:
            break
    flow.length[0] = np.inf
    return 0.0


@kernel(inline=False)
def move_to_event(data, flow, h, crowded):
    """Move on for h, or to the first event before. Returns how far it went, and whether there was an event."""
    after = try_part(data, flow, h, 1) if crowded else room_left(data, flow)
    if after >= -DEEP:
        return h, 0
    low, high, at, before = 0.0, h, h, 0.0
    for trial in range(MAX_TRIALS):
        at = 0.5 * (low + high)
        if trial % 3 != 0 and before > 0.0:
            at = low + (high - low) * min(max(before / (before - after), 0.001), 0.999)
        now = try_part(data, flow, at, crowded)
        if abs(now) < SHARP or high - low < SHORT * h:
            break
        if now < 0.0:
            high, after = at, now
        else:
            low, before = at, now
    return at, 1


@kernel(inline=False)
def end_slips(data, flow):
    """Contacts whose slip has ended stick until the next look; those that slide on get their direction anew."""
    contact, motion = data.contact, data.motion
    for k in range(len(contact.mode)):
        if contact.mode[k] == SLIDE:
            u, d = slip_of(get_vector(contact.v, k), get_vector(contact.normal, k)), get_vector(flow.direction, k)
            if dot(u, d) > -DEEP and dot(u, u) < 1e-12:
                contact.mode[k], contact.anchored[k] = STICK, 0
                put_vector(flow.direction, k, no_vector())
            elif dot(u, u) > SLIPS * SLIPS:
                put_vector(flow.direction, k, no_vector())
    for r in range(len(flow.holds)):
        if data.constraints.kind[r] == DRY:
            v = motion.v[data.constraints.dof[r]]
            if flow.holds[r] == 0:
                flow.holds[r] = 1 if flow.sense[r] * v > -DEEP else 0
            elif abs(v) > SLIPS:
                flow.holds[r], flow.sense[r] = 0, -1.0 if v > 0.0 else 1.0


@kernel(inline=False)
def set_position_errors(data, flow):
    """Right-hand sides that take position errors away; all rows are set. Returns the largest."""
    border, contact, constraints, loops, motion = flow.border, data.contact, data.constraints, flow.loops, data.motion
    worst = 0.0
    for r in range(len(loops.kind)):
        if loops.on[r]:
            border.d[loops.row[r]] = -error_of(data.work, loops, r)
    for k in range(len(contact.mode)):
        if contact.mode[k] != OPEN:
            set_error(data.geometry, contact, data.work, k)
            border.d[flow.row[k]] = -contact.gap[k]
            if contact.mode[k] == STICK:
                for c in range(DIM - 1):
                    t = get_vector(flow.tangent[k], c)
                    border.d[flow.row[k] + 1 + c] = -dot(t, get_vector(contact.error, k))
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY and constraints.on[r]:
            error = constraints.sign[r] * (motion.q[constraints.coordinate[r]] - constraints.bound[r])
            border.d[flow.joint_row[r]] = -error
    for r in range(border.count[0]):
        worst = max(worst, abs(border.d[r]))
    return worst


@kernel(inline=False)
def project(data, flow, tally):
    """Bring coordinates and velocities back to where all rows that act are met. Returns the largest error of position left."""
    tree, motion, worst = data.tree, data.motion, 0.0
    for repair in range(MAX_REPAIRS):
        set_state(data, flow)
        set_rows_at_rest(data, flow, 0, 1)
        if flow.border.count[0] == 0:
            return 0.0
        worst = set_position_errors(data, flow)
        if worst < CLOSED or repair == MAX_REPAIRS - 1:
            break
        solve_bordered(tree, data.work, flow.system, flow.border, flow.system.still)
        for d in range(len(flow.step)):
            flow.step[d] = flow.system.s[d]
        integrate(tree, motion.q, flow.step, motion.q)
    stop_rows(data, flow)
    solve_bordered(tree, data.work, flow.system, flow.border, flow.system.still)
    for r in range(flow.border.count[0]):  # what that takes of the energy
        tally.ledger[GROUND] -= 0.5 * flow.border.y[r] * flow.border.d[r]
    for d in range(len(motion.v)):
        motion.v[d] += flow.system.s[d]
    return worst


@kernel
def roll_on(data):
    """Round soles that stick are anchored where they are, less their error."""
    for k in range(len(data.contact.mode)):
        if data.contact.mode[k] == STICK and data.geometry.radius[k] > 0.0:
            set_anchor(data.geometry, data.contact, data.work, k, get_vector(data.contact.error, k))


@kernel
def approaches(data):
    """Whether an open contact touches the ground, or a joint its stop, and moves on."""
    contact, constraints, found = data.contact, data.constraints, False
    for k in range(len(contact.mode)):
        if contact.mode[k] == OPEN and contact.gap[k] <= TOUCHES:
            place_contact(data, k)
            found = found or dot(get_vector(contact.v, k), get_vector(contact.normal, k)) < -STILL
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY and not constraints.on[r]:
            room = constraints.sign[r] * (data.motion.q[constraints.coordinate[r]] - constraints.bound[r])
            found = found or (room <= TOUCHES and constraints.sign[r] * data.motion.v[constraints.dof[r]] < -STILL)
    return found


@kernel(inline=False)
def meet(data, flow, tally, events, time, crowded):
    """An event: slips end, and what has come down strikes."""
    geometry, contact = data.geometry, data.contact
    for k in range(len(geometry.body)):
        if contact.mode[k] != OPEN:
            place_contact(data, k)
    if not crowded:
        end_slips(data, flow)
    if not approaches(data):
        return
    lost = strike(data, flow, crowded)
    tally.ledger[IMPACTS] -= lost
    for k in range(len(geometry.body)):
        f, n = get_vector(contact.force, k), get_vector(contact.normal, k)
        if contact.mode[k] != OPEN and dot(f, f) > 0.0:
            add_impulse(data, tally.forces, k)
            v = get_vector(contact.v, k)
            if dot(v, n) < -STRIKES:
                taken = -0.5 * dot(f, plus(v, motion_after(data, flow, k, 1)))
                note(events, time, IMPACT, geometry.owner[k], dot(f, n), taken)
        put_vector(contact.force, k, no_vector())


@kernel(inline=False)
def join_loop(data, flow, tally, events, now, g):
    """The ends of loop g come to rest, one beside the other."""
    lost = strike(data, flow, 0)
    tally.ledger[IMPACTS] -= lost
    note(events, now, MADE, g, 0.0, lost)
    project(data, flow, tally)
    look(data)


@kernel(inline=False)
def crowds(data, flow, events, h):
    """Whether the motion cannot be followed from event to event: too many of them, no consistent modes, or friction that turns
    too fast."""
    if events > MANY or flow.slick[0]:
        return True
    return DIM == 3 and h * turning_of_friction(data, flow) > FAST


@kernel(inline=False)
def go_on(data, flow, left, h, crowded, all_near):
    """A part of a step: to the next event, or for as long as its error allows. Returns how far it went, whether there was an
    event, and whether events are crowded from now on."""
    begin_part(data, flow)
    if not crowded:
        length = min(left, h / parts_of(data, flow, h))
        gone = smooth_length(data, flow, length, h / (MAX_PARTS if anything_held(data, flow) else MOST_PARTS))
        if gone > 0.0:
            gone, happened = move_to_event(data, flow, gone, 0)
            return gone, happened, 0
        return_to_begin(data, flow)
        look(data)
    choose(data, flow, left, all_near)
    gone, happened = move_to_event(data, flow, min(left, h / parts_for_turning(data.work, h)), 1)
    return gone, happened, 1


@kernel(inline=False)
def move(data, flow, tally, events, now, h):
    """From the instant `now` to the next one, from event to event."""
    contact, motion, left = data.contact, data.motion, h
    event, crowded = 0, 0
    for part in range(2 * MOST_PARTS):
        if not crowded and (part >= MOST_PARTS or crowds(data, flow, event, h)):
            crowded = 1
        gone, happened, crowded = go_on(data, flow, left, h, crowded, event > MAX_EVENTS)
        left -= gone
        event += happened
        for j in range(len(flow.work)):
            tally.ledger[j] += flow.work[j]
        for k in range(len(contact.mode)):
            if contact.mode[k] == SLIDE:
                u = slip_of(get_vector(contact.v, k), get_vector(contact.normal, k))
                tally.slip[data.geometry.owner[k]] += gone * dot(u, u) ** 0.5
        if happened or approaches(data):
            meet(data, flow, tally, events, now + h - left, crowded)
        elif not crowded:
            end_slips(data, flow)
        tally.worst[1] = max(tally.worst[1], project(data, flow, tally) / h)
        look(data)
        roll_on(data)
        if left <= 1e-9 * h:
            break
        if not crowded:
            tally.worst[0] = max(tally.worst[0], settle_modes(data, flow))
    for d in range(len(motion.v)):
        motion.v_now[d] = motion.v[d]


@kernel(inline=False)
def advance(data, flow, control, log, steps):
    """As `contact.loop.advance`: go on for a number of steps; the first time, begin with the present instant."""
    clock, tally, events, motion = log.clock, log.tally, log.events, data.motion
    h = clock.h
    begun = clock.step[0] >= 0
    while steps > 0 or not begun:
        if begun:
            before, _ = energy_beside(data, tally)
            move(data, flow, tally, events, clock.step[0] * h, h)
            after, kinetic = energy_beside(data, tally)
            steps -= 1
            if after - before > GAIN * kinetic + GAIN_OF_MASS * flow.mass:
                return DIVERGED
        else:
            begin(data, flow)
        clock.step[0] += 1
        begun = True
        set_world_coordinates(motion)
        if consult(control, clock, clock.step[0]) != 0:
            return CONTROL
        now = clock.step[0] * h
        if pushes_act(data.pushes, now, now + h):
            apply_pushes(data, now, now + h)
        flow.slick[0] = 0
        g = switch_loops(data, flow, events, now, h)
        while g >= 0:
            join_loop(data, flow, tally, events, now, g)
            g = switch_loops(data, flow, events, now, h)
        tally.worst[0] = max(tally.worst[0], settle_modes(data, flow))
        if break_loops(flow, events, now):
            tally.worst[0] = max(tally.worst[0], settle_modes(data, flow))
        status = write_down(data, log, now)
        if status != DONE:
            return status
    return DONE


@kernel(inline=False)
def energy_beside(data, tally):
    """The energy less all work that the ledger has, which must not grow; and the kinetic energy."""
    kinetic, fall = energies(data.tree, data.work, data.motion.q, data.motion.v, data.work.A_WB)  # row 0 is minus gravity
    total = kinetic - fall
    for j in range(len(tally.ledger)):
        total -= tally.ledger[j]
    return total, kinetic


@kernel
def begin(data, flow):
    """Before the first instant: what touches and does not leave begins to act, without an impulse if it is at rest."""
    look(data)
    begin_part(data, flow)
