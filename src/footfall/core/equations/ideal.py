"""The loop of the ideal engine: the robot accelerates as its controller says, and what holds it gives any force.

Accelerations are constant over a step: q + h v + h^2 a / 2, v + h a. What a controller says besides is taken over: a jump of the
velocities where something that moves is held from now on (an impact), and a shift of the coordinates, which takes drift away.
"""

from typing import Any, NamedTuple

from footfall.core.contact.decide import consult
from footfall.core.contact.geometry import OPEN, STICK, locate
from footfall.core.contact.loop import CONTROL, DONE, GROUND, IMPACTS, JOINTS, MOTORS, finish, set_world_coordinates
from footfall.core.contact.record import (
    IMPACT,
    LIFT_OFF,
    TOUCH_DOWN,
    add_forces,
    add_motor,
    follow_landings,
    measure_peaks,
    note,
    write_record,
)
from footfall.core.jit import kernel
from footfall.core.manifold import integrate
from footfall.core.passive import set_passive_forces
from footfall.core.recursion.kinematics import point_speed, set_speeds
from footfall.core.spatial.algebra import (
    DIM,
    dot,
    get_motion,
    get_rigid,
    get_rotation,
    get_vector,
    linear,
    pair,
    put_vector,
    rigid_times,
    rotate_rigid,
    scaled,
)

NEAR = 0.01  # m: pads of a held body that are nearer to the ground share its force
STRUCK = 1e-3  # of the largest velocity: a jump that is an impact, not drift


class IdealCommand(NamedTuple):
    """What a controller says to the ideal engine, held until it is asked again."""

    acceleration: Any  # (nv,)
    tau: Any  # (nv,) joint forces that go with it; recorded
    wrench: Any  # (n+1, MOTION) of what holds each body, about its origin; recorded
    jump: Any  # (nv,) of the velocities, once
    shift: Any  # (nv,) of the coordinates, once


@kernel(inline=False)
def advance(data, command, control, log, steps):
    """As `contact.loop.advance`: go on for a number of steps; the first time, begin with the present instant."""
    clock, tally, events, motion = log.clock, log.tally, log.events, data.motion
    h, nv = clock.h, len(motion.v)
    begun = clock.step[0] >= 0
    while steps > 0 or not begun:
        power = 0.0
        if begun:
            power = held_power(data, command)
            for d in range(nv):
                motion.dq[d] = h * (motion.v[d] + 0.5 * h * motion.a[d])
            integrate(data.tree, motion.q, motion.dq, motion.q)
            for d in range(nv):
                motion.v[d] += h * motion.a[d]
            steps -= 1
        place(data)
        if begun:
            tally.ledger[GROUND] += 0.5 * h * (power + held_power(data, command))
        clock.step[0] += 1
        begun = True
        for d in range(nv):
            motion.v_now[d] = motion.v[d]
        for k in range(len(data.geometry.body)):
            v_k = point_speed(data.work, data.geometry.body[k], get_vector(data.contact.r_BC_W, k))
            put_vector(data.contact.v, k, linear(v_k))
        if consult(control, clock, clock.step[0]) != 0:
            return CONTROL
        take(data, command, tally, events, clock.step[0] * h)
        share_forces(data, command, tally, events, clock.step[0] * h)
        if clock.step[0] % clock.record_every == 0:
            write_record(data, clock, log.record, tally, clock.step[0])
        follow_landings(data, tally.forces)
        measure_peaks(data.resultant, tally.forces)
        add_forces(data, tally.forces, h)
        for d in range(nv):
            if data.joints.applied[d] != 0.0:
                after = motion.v[d] + h * motion.a[d]
                tally.ledger[MOTORS] += 0.5 * h * data.joints.applied[d] * (motion.v[d] + after)
                add_motor(tally.motors, d, data.joints.applied[d], motion.v[d], after, h)
        add_passive_work(data, tally, h)
        status = finish(data, clock, events, log.marks)
        if status != DONE:
            return status
    return DONE


@kernel
def held_power(data, command):
    """Power of what holds bodies: magnets that turn a foot, or pull it along, do work."""
    power = 0.0
    for i in range(1, len(data.tree.parent)):
        power += pair(get_motion(command.wrench, i), get_motion(data.work.V_WB, i))
    return power


@kernel
def add_passive_work(data, tally, h):
    """Work of springs, dampers and tendons over the next step: their forces at its beginning times the way."""
    motion, power = data.motion, 0.0
    set_passive_forces(data.tree, data.joints, data.tendons, motion.q, motion.v, motion.tau_joint)
    for d in range(len(motion.v)):
        power += motion.tau_joint[d] * (motion.v[d] + 0.5 * h * motion.a[d])
    tally.ledger[JOINTS] += h * power


@kernel(inline=False)
def place(data):
    """Poses, velocities and contact points of an instant."""
    motion = data.motion
    set_speeds(data.tree, data.work, motion.q, motion.v)
    set_world_coordinates(motion)
    locate(data.ground, data.geometry, data.contact, data.work)


@kernel(inline=False)
def take(data, command, tally, events, time):
    """Take over what the controller said; the energy of a jump goes to the impacts, which belong to the bodies held."""
    motion, moved, fast, jump = data.motion, 0.0, 0.0, 0.0
    for d in range(len(motion.v)):
        motion.a[d] = command.acceleration[d]
        moved = max(moved, abs(command.shift[d]), abs(command.jump[d]))
        fast, jump = max(fast, abs(motion.v[d])), max(jump, abs(command.jump[d]))
        data.joints.applied[d] = 0.0
    for m in range(len(tally.driven)):
        data.joints.applied[tally.driven[m]] = command.tau[tally.driven[m]]
    if moved == 0.0:
        return
    energy, up = moving(data)
    integrate(data.tree, motion.q, command.shift, motion.q)
    for d in range(len(motion.v)):
        motion.v[d] += command.jump[d]
        command.jump[d], command.shift[d] = 0.0, 0.0
    place(data)
    energy_after, up_after = moving(data)
    tally.ledger[IMPACTS] += energy_after - energy
    if jump > STRUCK * fast:
        for k in range(len(data.geometry.body)):
            if lands(data, command, tally, k):  # the first of its pads stands for the body
                note(events, time, IMPACT, k, up_after - up, energy - energy_after)
                break
    for d in range(len(motion.v)):
        motion.v_now[d] = motion.v[d]


@kernel
def lands(data, command, tally, k):
    """Whether pad k is held from now on."""
    F = get_motion(command.wrench, data.geometry.body[k])
    return pair(F, F) > 0.0 and tally.was[k] == OPEN and data.contact.gap[k] < NEAR


@kernel
def moving(data):
    """Kinetic energy of all bodies, whose velocities are set, and their momentum upward."""
    work, energy, up = data.work, 0.0, 0.0
    for i in range(1, len(data.tree.parent)):
        V = get_motion(work.V_WB, i)
        H = rigid_times(rotate_rigid(get_rotation(work.R_WB, i), get_rigid(data.tree.rigid, i)), V)
        energy += 0.5 * pair(V, H)
        up += linear(H)[DIM - 1]
    return energy, up


@kernel(inline=False)
def share_forces(data, command, tally, events, time):
    """The force on a held body, shared equally by its pads that are near the ground; their moments are not recorded."""
    geometry, contact, resultant = data.geometry, data.contact, data.resultant
    for k in range(len(resultant.mode)):
        F = get_motion(command.wrench, geometry.body[k])
        held, near = pair(F, F) > 0.0, 0.0
        for j in range(len(resultant.mode)):
            near += 1.0 if geometry.body[j] == geometry.body[k] and contact.gap[j] < NEAR else 0.0
        on = held and contact.gap[k] < NEAR
        resultant.mode[k] = contact.mode[k] = STICK if on else OPEN
        f = scaled(linear(F), 1.0 / near) if on else scaled(linear(F), 0.0)
        put_vector(resultant.force, k, f)
        put_vector(contact.force, k, f)
        if on and tally.was[k] == OPEN:
            note(events, time, TOUCH_DOWN, k, dot(get_vector(contact.v, k), get_vector(contact.normal, k)), 0.0)
        elif not on and tally.was[k] != OPEN:
            note(events, time, LIFT_OFF, k, 0.0, 0.0)
        tally.was[k] = resultant.mode[k]
