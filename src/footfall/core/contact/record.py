"""All that the loops of time stepping write down: sums from row to row, events, and rows.

State is recorded at its instant. Forces are recorded as means over the time since the row before: in an impact a force has no
value at an instant, but its impulse is known. So the recorded forces times the time between rows are the impulse of the ground,
exactly, however seldom rows are written. Energies of motors are summed in the same way.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.geometry import OPEN, SLIDE, STICK, set_pad_points
from footfall.core.jit import kernel
from footfall.core.spatial.algebra import dot, get_vector, no_vector, plus, put_vector, scaled

# kinds of event
TOUCH_DOWN, LIFT_OFF, SLIP_BEGINS, SLIP_ENDS, IMPACT, STOP, FALL = 0, 1, 2, 3, 4, 5, 6
# of a motor: energy drawn from the battery, heat of the winding, loss at the brushes, positive and negative work;
# torque times time, largest torque and power; heat for a torque of 1 N m, W / (N m)^2, and loss at the brushes, W / (N m)
DRAWN, HEAT, BRUSHES, POSITIVE, NEGATIVE, TAU, TAU_PEAK, POWER_PEAK, HEAT_RATE, BRUSH_RATE = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
SINCE, START, STICKS = 0, 1, 2  # numbers of a slide
SETTLED = 99  # age of a pad that has stuck to one point since the last row
LANDING = 2  # kicks in which a contact that closes within a step comes to rest: that which closes it, and the next
GENTLE = 1e-3  # m/s: a contact that closes more slowly is set down, without an impact
SLID = 1e-4  # m: a slide that counts; a sole of rubber shears by as much before it slips
STUCK = 0.02 - 1e-9  # s: a slide ends when the pad has stuck for so long; a foot does not hold in between
# states of a pad: it does not slide, it has not slid far yet, it slides
STILL, CREEPS, SLIDES = 0, 1, 2


class Record(NamedTuple):
    """Rows of the run; row i is the instant i * record_every. `engines.series` declares units and meanings."""

    time: Any
    q: Any
    v: Any
    tau: Any
    tau_mean: Any
    tau_peak: Any
    mode: Any
    force: Any  # (rows, pads, DIM)
    force_peak: Any  # (rows, feet, DIM)
    impacts: Any  # (rows, pads)
    impulse: Any  # (rows, pads, DIM)
    point: Any  # (rows, pads, DIM)
    center: Any  # (rows, pads, DIM)
    slip: Any  # (rows, pads) distance slid so far
    ledger: Any  # (rows, 7) work so far
    motor_energy: Any  # (rows, motors, 5) so far
    power_peak: Any  # (rows, motors)
    iterations: Any  # (rows,) most Newton iterations in a step since the last row
    residual: Any  # (rows,) largest residual velocity of contacts since the last row


class Events(NamedTuple):
    """Events that happened and were not collected yet."""

    count: Any  # (1,) int
    rows: Any  # (n, 5): time, kind, which, two numbers


class Forces(NamedTuple):
    """Forces of the ground since the last row."""

    first: Any  # (feet + 1,) int: the pads of foot j are from first[j] to first[j + 1]
    impulse: Any  # (pads, DIM) of all forces
    strike: Any  # (pads, DIM) of impacts
    moment: Any  # (pads, DIM) normal impulse times point of action
    weight: Any  # (pads,) normal impulse
    impacts: Any  # (pads,) int: number of impacts
    age: Any  # (pads,) int: 0 if open, 1 to LANDING while it lands, SETTLED if its point does not move
    landing: Any  # (1,) int: 1 if a pad lands in this kick
    peak: Any  # (feet, DIM) largest force in a step


class Slides(NamedTuple):
    """Slides of the pads."""

    state: Any  # (pads,) int: STILL, CREEPS or SLIDES
    numbers: Any  # (pads, 3): when it began, distance slid until then, since when it sticks (-1 while it slides)


class Tally(NamedTuple):
    """What is summed up from step to step."""

    ledger: Any  # (7,)
    slip: Any  # (pads,) distance slid so far
    ahead: Any  # (pads,) distance slid in the next drift
    was: Any  # (pads,) int: modes before
    stopped: Any  # (rows,) int
    worst: Any  # (2,) iterations and residual since the last row
    forces: Any
    motors: Any  # (nv, 10) energies so far, torques and powers since the last row, data of the motor
    driven: Any  # (motors,) int: degrees of freedom with a motor
    slides: Any


@kernel(inline=False)
def note(events, time, kind, which, first, second):
    """Add an event."""
    i = events.count[0]
    if i < len(events.rows):
        events.rows[i, 0], events.rows[i, 1], events.rows[i, 2] = time, kind, which
        events.rows[i, 3], events.rows[i, 4] = first, second
        events.count[0] = i + 1


# --- forces of the ground -------------------------------------------------------------------------------------------------


@kernel
def closed_one(data, o):
    """A contact by which pad o touches."""
    geometry, contact = data.geometry, data.contact
    for k in range(len(geometry.body)):
        if contact.mode[k] != OPEN and (geometry.owner[k] == o or geometry.other[k] == o):
            return k
    return o


@kernel(inline=False)
def lands(data, o):
    """Whether pad o, which closes in this kick, strikes rigid ground."""
    k = closed_one(data, o)
    v_n = dot(get_vector(data.contact.v, k), get_vector(data.contact.normal, k))
    return data.geometry.stiffness[k] == 0.0 and v_n < -GENTLE


@kernel(inline=False)
def follow_landings(data, forces):
    """Look which pads land in this kick, and which settled ones are loose again.

    A pad that closes within a step, slower than impacts are, comes to rest in two kicks. Their forces depend on the time step;
    only their impulse has a meaning.
    """
    mode = data.resultant.mode
    forces.landing[0] = 0
    for o in range(len(mode)):
        if forces.age[o] == SETTLED and mode[o] != STICK:
            loosen(data, forces, o)
        if mode[o] == OPEN:
            forces.age[o] = 0
        elif forces.age[o] == 0:
            strikes = lands(data, o)
            forces.age[o] = 1 if strikes else LANDING + 1
            forces.impacts[o] += 1 if strikes else 0
        elif forces.age[o] <= LANDING:
            forces.age[o] += 1
        if mode[o] != OPEN and forces.age[o] <= LANDING:
            forces.landing[0] = 1


@kernel
def loosen(data, forces, o):
    """Pad o, which stuck until now, moves: where did its force act so far?"""
    p = plus(get_vector(data.work.p_WB, data.geometry.body[o]), get_vector(data.contact.r_BC_W, o))
    forces.weight[o] = abs(dot(get_vector(forces.impulse, o), get_vector(data.contact.normal, o)))
    put_vector(forces.moment, o, scaled(p, forces.weight[o]))
    forces.age[o] = LANDING + 1


@kernel
def alone(data, o):
    """Whether the force of pad o is that of its own contact. On ground with edges others may add to it."""
    if data.contact.count[0] <= len(data.resultant.mode):
        return True
    more = plus(get_vector(data.resultant.force, o), scaled(get_vector(data.contact.force, o), -1.0))
    return dot(more, more) == 0.0


@kernel
def can_settle(data, forces, o):
    """Whether the point of pad o stays where it is until its mode changes."""
    geometry = data.geometry
    rigid = geometry.stiffness[o] == 0.0 and geometry.radius[o] == 0.0
    return rigid and data.resultant.mode[o] == STICK and forces.age[o] > LANDING and alone(data, o)


@kernel
def add_forces(data, forces, time):
    """Add forces that act for this time to the impulses; a negative time takes them back."""
    geometry, contact, resultant = data.geometry, data.contact, data.resultant
    single = contact.count[0] <= len(resultant.mode)
    for o in range(len(resultant.mode)):
        if resultant.mode[o] != OPEN:
            if not single and forces.age[o] == SETTLED and not alone(data, o):
                loosen(data, forces, o)
            f, age = get_vector(resultant.force, o), forces.age[o]
            put_vector(forces.impulse, o, plus(get_vector(forces.impulse, o), scaled(f, time)))
            if age != SETTLED:
                if single or alone(data, o):
                    p = plus(get_vector(data.work.p_WB, geometry.body[o]), get_vector(contact.r_BC_W, o))
                    press = time * abs(dot(f, get_vector(contact.normal, o)))
                else:
                    p = get_vector(resultant.point, o)
                    press = time * np.sqrt(dot(f, f))
                put_vector(forces.moment, o, plus(get_vector(forces.moment, o), scaled(p, press)))
                forces.weight[o] += press
                if age <= LANDING:
                    put_vector(forces.strike, o, plus(get_vector(forces.strike, o), scaled(f, time)))


@kernel(inline=False)
def add_strike(forces, o, J, press, p):
    """Add the impulse J of an impact at p to pad o."""
    put_vector(forces.impulse, o, plus(get_vector(forces.impulse, o), J))
    put_vector(forces.strike, o, plus(get_vector(forces.strike, o), J))
    put_vector(forces.moment, o, plus(get_vector(forces.moment, o), scaled(p, press)))
    forces.weight[o] += press
    forces.impacts[o] += 1


@kernel
def add_impulse(data, forces, k):
    """Add the impulse of contact k in an impact to its pads; one on the line between two pads is shared by the lever rule."""
    geometry, contact = data.geometry, data.contact
    J = get_vector(contact.force, k)
    if dot(J, J) > 0.0:
        p = plus(get_vector(data.work.p_WB, geometry.body[k]), get_vector(contact.r_BC_W, k))
        press = abs(dot(J, get_vector(contact.normal, k)))
        if geometry.length[k] > 0.0:
            fraction = contact.roll[k] / geometry.length[k]
            add_strike(forces, geometry.owner[k], scaled(J, 1.0 - fraction), (1.0 - fraction) * press, p)
            add_strike(forces, geometry.other[k], scaled(J, fraction), fraction * press, p)
        else:
            add_strike(forces, geometry.owner[k], J, press, p)


@kernel
def measure_peaks(resultant, forces):
    """Compare the forces of the feet in this kick with the largest ones so far. A kick in which a pad lands does not count."""
    if forces.landing[0] == 0:
        for j in range(len(forces.peak)):
            f = no_vector()
            for o in range(forces.first[j], forces.first[j + 1]):
                f = plus(f, get_vector(resultant.force, o))
            largest = get_vector(forces.peak, j)
            put_vector(forces.peak, j, f if dot(f, f) > dot(largest, largest) else largest)


# --- motors ---------------------------------------------------------------------------------------------------------------


@kernel
def mean_positive(a, b):
    """Mean of max(x, 0) where x goes straight from a to b."""
    if a >= 0.0 and b >= 0.0:
        return 0.5 * (a + b)
    high = max(a, b)
    return 0.5 * high * high / abs(b - a) if high > 0.0 else 0.0


@kernel
def add_motor(motors, d, tau, v_first, v_last, time):
    """Add the torque of a motor for this time, in which its rate goes straight from first to last.

    With the heat R I^2, the loss V_c |I| and the work tau w, its power is P; where P is negative, nothing is drawn.
    """
    before, after, lost = tau * v_first, tau * v_last, 0.0
    positive = mean_positive(before, after)
    if motors[d, HEAT_RATE] + motors[d, BRUSH_RATE] > 0.0:
        heat, brushes = motors[d, HEAT_RATE] * tau * tau, motors[d, BRUSH_RATE] * abs(tau)
        lost = heat + brushes
        motors[d, DRAWN] += time * mean_positive(lost + before, lost + after)
        motors[d, HEAT] += time * heat
        motors[d, BRUSHES] += time * brushes
    motors[d, POSITIVE] += time * positive
    motors[d, NEGATIVE] += time * (0.5 * (before + after) - positive)
    motors[d, TAU] += time * tau
    motors[d, TAU_PEAK] = max(motors[d, TAU_PEAK], abs(tau))
    motors[d, POWER_PEAK] = max(motors[d, POWER_PEAK], lost + max(before, after))


# --- slides ---------------------------------------------------------------------------------------------------------------


@kernel(inline=False)
def follow_slide(slides, events, o, mode, slip, time):
    """Note when pad o begins and ends to slide.

    A slide begins when the pad has slid by SLID, with few and short stops; its time is when that began. It ends when the pad
    has stuck for STUCK; its time is when it stopped. A pad that is lifted slides no more.
    """
    slide = slides.numbers[o]
    if mode == SLIDE:
        if slides.state[o] == STILL:
            slides.state[o], slide[SINCE], slide[START] = CREEPS, time, slip
        slide[STICKS] = -1.0
    elif slide[STICKS] < 0.0:
        slide[STICKS] = time
    if slides.state[o] == CREEPS and slip - slide[START] >= SLID:
        slides.state[o] = SLIDES
        note(events, slide[SINCE], SLIP_BEGINS, o, 0.0, 0.0)
    if mode == OPEN or (mode != SLIDE and time - slide[STICKS] >= STUCK):
        if slides.state[o] == SLIDES:
            note(events, slide[STICKS], SLIP_ENDS, o, slip - slide[START], 0.0)
        slides.state[o] = STILL


# --- rows -----------------------------------------------------------------------------------------------------------------


@kernel(inline=False)
def write_record(data, clock, record, tally, index):
    """Write the row of this instant; in a record without room for all rows, over the oldest one."""
    first, row = index == 0, (index // clock.record_every) % len(record.time)
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
        put_vector(record.point[row], k, get_vector(resultant.point, k))
    for j in range(len(tally.ledger)):
        record.ledger[row, j] = tally.ledger[j]
    record.iterations[row], record.residual[row] = tally.worst[0], tally.worst[1]
    tally.worst[0], tally.worst[1] = 0.0, 0.0
    if first:
        begin_with_instant(data, tally)
    interval = 1.0 if first else clock.record_every * clock.h
    write_forces(data, record, tally.forces, row, interval)
    write_motors(record, tally.motors, tally.driven, row, interval)


@kernel(inline=False)
def begin_with_instant(data, tally):
    """Nothing is before the first row: it has the forces at its instant, as if they had acted for 1 s."""
    forces, motors, force = tally.forces, tally.motors, data.resultant.force
    for o in range(len(forces.weight)):
        put_vector(forces.impulse, o, get_vector(force, o))
        forces.weight[o] = 0.0
    measure_peaks(data.resultant, forces)
    for d in range(len(motors)):
        add_motor(motors, d, data.joints.applied[d], data.motion.v_now[d], data.motion.v_now[d], 0.0)
        motors[d, TAU] = data.joints.applied[d]


@kernel
def write_forces(data, record, forces, row, interval):
    """Write forces since the last row, and begin anew."""
    none = no_vector()
    for k in range(len(forces.impacts)):
        p = get_vector(data.resultant.point, k)
        if forces.age[k] != SETTLED and forces.weight[k] > 0.0:
            p = scaled(get_vector(forces.moment, k), 1.0 / forces.weight[k])
        put_vector(record.center[row], k, p)
        for points in (record.point, record.center):
            points[row, k, 0] += data.ground.origin[0]
            if points.shape[2] == 3:
                points[row, k, 1] += data.ground.origin[1]
        put_vector(record.force[row], k, scaled(get_vector(forces.impulse, k), 1.0 / interval))
        put_vector(forces.impulse, k, none)
        put_vector(forces.moment, k, none)
        if forces.impacts[k] > 0 or forces.age[k] <= LANDING + 1:
            put_vector(record.impulse[row], k, get_vector(forces.strike, k))
            put_vector(forces.strike, k, none)
        else:
            put_vector(record.impulse[row], k, none)
        record.impacts[row, k] = forces.impacts[k]
        forces.impacts[k], forces.weight[k] = 0, 0.0
        if can_settle(data, forces, k):
            forces.age[k] = SETTLED
    for j in range(len(forces.peak)):
        put_vector(record.force_peak[row], j, get_vector(forces.peak, j))
        put_vector(forces.peak, j, none)


@kernel
def write_motors(record, motors, driven, row, interval):
    """Write torques since the last row and begin anew; write energies so far."""
    for m in range(len(driven)):
        d = driven[m]
        record.tau_mean[row, d], record.tau_peak[row, d] = motors[d, TAU] / interval, motors[d, TAU_PEAK]
        record.power_peak[row, m] = motors[d, POWER_PEAK]
        motors[d, TAU], motors[d, TAU_PEAK], motors[d, POWER_PEAK] = 0.0, 0.0, 0.0
        if motors[d, HEAT_RATE] + motors[d, BRUSH_RATE] == 0.0:  # without losses the battery gives what the motor does
            motors[d, DRAWN] = motors[d, POSITIVE]
        for e in range(record.motor_energy.shape[2]):
            record.motor_energy[row, m, e] = motors[d, e]
