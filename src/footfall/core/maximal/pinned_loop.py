"""The loop of bodies that move each by itself: control, solve, record, move."""

from footfall.core.contact.decide import consult
from footfall.core.contact.joint_constraints import set_applied_torques
from footfall.core.contact.law import SLIDE, locate, set_error
from footfall.core.contact.loop import CONTROL, DONE, finish, set_world_coordinates
from footfall.core.contact.push import apply_pushes, pushes_act
from footfall.core.contact.record import add_motor
from footfall.core.jit import kernel
from footfall.core.maximal.bodies import set_origins, set_rates
from footfall.core.maximal.event_loop import record_instant, roll_on
from footfall.core.maximal.pinned import look_again, solve_modes
from footfall.core.maximal.review import set_stop_forces
from footfall.core.maximal.time_step import account
from footfall.core.maximal.touch import point_velocity, set_contact_forces, slip_of
from footfall.core.recursion.kinematics import set_places
from footfall.core.spatial.algebra import (
    add_scaled,
    dot,
    get_motion,
    get_rotation,
    get_vector,
    put_motion,
    put_rotation,
    put_vector,
    subtract,
)


@kernel(inline=False)
def look(data, bodies):
    """Poses, velocities and contacts of the present instant."""
    tree, work, motion = data.tree, data.work, data.motion
    set_places(tree, work, motion.q)
    set_origins(work, bodies, bodies.V)
    set_rates(tree, work, motion.v)
    for d in range(len(motion.v)):
        motion.v_now[d] = motion.v[d]
    locate(data.ground, data.geometry, data.contact, work)
    for k in range(len(data.contact.mode)):
        set_error(data.geometry, data.contact, work, k)


@kernel(inline=False)
def set_forces(data, then, flow, h):
    """Forces, accelerations and torques of the next step, as they are recorded at the present instant."""
    motion = data.motion
    look_again(data, flow)
    set_contact_forces(data, flow)
    set_stop_forces(data, flow)
    for k in range(len(flow.mode)):
        put_vector(data.contact.v, k, point_velocity(data, k))
    for d in range(len(motion.v)):
        motion.a[d] = (then.motion.v[d] - motion.v[d]) / h
    set_applied_torques(data.joints, motion.a)


@kernel(inline=False)
def settle(data, then, flow, bodies, tally, h):
    """Account for the step, and move to the next instant."""
    contact, motion = data.contact, data.motion
    for i in range(1, len(bodies.V)):
        V = get_motion(bodies.V, i)
        put_motion(bodies.mean_V, i, add_scaled(V, subtract(get_motion(bodies.next_V, i), V), 0.5))
    set_origins(data.work, bodies, bodies.mean_V)
    for d in range(len(motion.v)):
        flow.step[d] = 0.5 * (motion.v[d] + then.motion.v[d])
        add_motor(tally.motors, d, data.joints.applied[d], motion.v[d], then.motion.v[d], h)
    account(data, flow, flow.step, h)
    for j in range(len(flow.work)):
        tally.ledger[j] += flow.work[j]
    look_again(then, flow)
    roll_on(then)
    for k in range(len(flow.mode)):
        if contact.mode[k] == SLIDE:
            u = slip_of(point_velocity(then, k), get_vector(contact.normal, k))
            tally.slip[data.geometry.owner[k]] += h * dot(u, u) ** 0.5
    for j in range(len(motion.q)):
        motion.q[j] = then.motion.q[j]
    for i in range(1, len(bodies.V)):
        put_vector(bodies.p, i, get_vector(bodies.next_p, i))
        put_rotation(bodies.R, i, get_rotation(bodies.next_R, i))
        put_motion(bodies.V, i, get_motion(bodies.next_V, i))


@kernel(inline=False)
def advance(data, then, flow, bodies, control, log, steps):
    """As `contact.loop.advance`: go on for a number of steps; the first time, begin with the present instant. `then` is the data
    of the end of the step."""
    clock, tally = log.clock, log.tally
    h = clock.h
    begun = clock.step[0] >= 0
    while steps > 0 or not begun:
        if begun:
            settle(data, then, flow, bodies, tally, h)
            steps -= 1
        clock.step[0] += 1
        begun = True
        look(data, bodies)
        set_world_coordinates(data.motion)
        if consult(control, clock, clock.step[0]) != 0:
            return CONTROL
        now = clock.step[0] * h
        if pushes_act(data.pushes, now, now + h):
            apply_pushes(data, now, now + h)
        rounds, residual = solve_modes(data, then, flow, bodies, h, clock.step[0])
        tally.worst[0] = max(tally.worst[0], rounds)
        tally.worst[1] = max(tally.worst[1], residual / h)
        set_forces(data, then, flow, h)
        record_instant(data, log, now)
        status = finish(data, clock, log.events, log.marks)
        if status != DONE:
            return status
    return DONE
