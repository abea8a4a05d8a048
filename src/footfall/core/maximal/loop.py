"""The loop of the maximal-coordinate engine: control, solve, record, move."""

from footfall.core.contact.decide import consult
from footfall.core.contact.joint_constraints import DRY, set_applied_torques
from footfall.core.contact.law import SLIDE, STICK, set_anchor, sum_contacts
from footfall.core.contact.loop import (
    CONTROL,
    DONE,
    FRICTION,
    GROUND,
    JOINTS,
    MOTORS,
    PUSHES,
    STOPS,
    finish,
    report,
    set_world_coordinates,
)
from footfall.core.contact.push import apply_pushes, pushes_act
from footfall.core.contact.record import add_forces, add_motor, follow_landings, measure_peaks, write_record
from footfall.core.jit import kernel
from footfall.core.maximal.bodies import observe, place
from footfall.core.maximal.modes import impulse_of, slip_of, solve_modes
from footfall.core.maximal.solver import ALONG, NORMAL, PIN, STOP, row_speed
from footfall.core.spatial.algebra import get_vector, put_vector


@kernel(inline=False)
def put_forces(data, bodies, m, h):
    """Write forces of pads, motors and stops in the next step into the arrays that are recorded."""
    geometry, contact, constraints, motion = data.geometry, data.contact, data.constraints, data.motion
    for d in range(len(motion.v)):
        i = bodies.joint[d]
        rate = bodies.next_velocity[i, 2] - bodies.next_velocity[data.tree.parent[i], 2] if i > 0 else motion.v[d]
        motion.a[d] = (rate - motion.v[d]) / h
    set_applied_torques(data.joints, motion.a)
    for k in range(len(geometry.body)):
        i = geometry.body[k]
        rx = data.work.p_WB[i, 0] + contact.r_BC_W[k, 0] - bodies.pose[i, 0]
        rz = data.work.p_WB[i, 1] + contact.r_BC_W[k, 1] - bodies.pose[i, 1]
        w = bodies.velocity[i, 2]
        put_vector(contact.v, k, (bodies.velocity[i, 0] + w * rz, bodies.velocity[i, 1] - w * rx))
        n, J_n, J_t = get_vector(contact.normal, k), impulse_of(bodies, m, NORMAL, k), impulse_of(bodies, m, ALONG, k)
        if contact.mode[k] == SLIDE:
            J_t = geometry.friction[k] * bodies.slip_sense[k] * J_n
        put_vector(contact.force, k, ((J_n * n[0] + J_t * n[1]) / h, (J_n * n[1] - J_t * n[0]) / h))
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY:
            constraints.active[r], constraints.force[r] = constraints.on[r], impulse_of(bodies, m, STOP, r) / h


@kernel(inline=False)
def account(data, bodies, tally, m, h):
    """Add the work of all forces in the next step to the ledger, with the mean of the velocities before and after."""
    constraints, motion, work, ledger = data.constraints, data.motion, data.work, tally.ledger
    for d in range(len(motion.v)):
        mean = motion.v[d] + 0.5 * h * motion.a[d]
        whole = motion.tau_joint[d] - (motion.rotor_joint[d] - data.tree.rotor[d]) * motion.a[d]
        if bodies.joint[d] > 0:
            ledger[MOTORS] += h * data.joints.applied[d] * mean
            add_motor(tally.motors, d, data.joints.applied[d], motion.v[d], motion.v[d] + h * motion.a[d], h)
            ledger[JOINTS] += h * (whole - data.joints.applied[d]) * mean
    for r in range(len(constraints.dof)):
        if constraints.kind[r] == DRY and not bodies.sticks[r] and bodies.joint[constraints.dof[r]] > 0:
            d = constraints.dof[r]
            ledger[STOPS] += h * bodies.sense_of_friction[r] * constraints.bound[r] * (motion.v[d] + 0.5 * h * motion.a[d])
    for r in range(m):
        kind, J = bodies.kind[r], bodies.J[r]
        v_n = 0.5 * (row_speed(bodies.G, r, bodies.velocity) + row_speed(bodies.G, r, bodies.next_velocity))
        if kind == NORMAL:
            whole = 0.5 * (row_speed(bodies.H, r, bodies.velocity) + row_speed(bodies.H, r, bodies.next_velocity))
            ledger[GROUND] += J * v_n
            ledger[FRICTION] += J * (whole - v_n)
        elif kind != PIN:
            ledger[FRICTION if kind == ALONG else STOPS] += J * v_n
    for i in range(1, len(bodies.pose)):
        rx, rz = bodies.pose[i, 0] - work.p_WB[i, 0], bodies.pose[i, 1] - work.p_WB[i, 1]
        fx, fz = work.f_ext[i, 0], work.f_ext[i, 1]
        ux, uz = bodies.velocity[i, 0] + bodies.next_velocity[i, 0], bodies.velocity[i, 1] + bodies.next_velocity[i, 1]
        turn = (work.f_ext[i, 2] - rz * fx + rx * fz) * (bodies.velocity[i, 2] + bodies.next_velocity[i, 2])
        ledger[PUSHES] += 0.5 * h * (fx * ux + fz * uz + turn)


@kernel
def settle(data, bodies, tally, h):
    """Move to the next instant."""
    geometry, contact = data.geometry, data.contact
    place(data, bodies, bodies.next_pose)
    for k in range(len(geometry.body)):
        if contact.mode[k] == STICK and geometry.radius[k] > 0.0:  # it rolls on
            set_anchor(geometry, contact, data.work, k, get_vector(contact.error, k))
        elif contact.mode[k] == SLIDE:
            tally.slip[geometry.owner[k]] += h * abs(slip_of(data, bodies, k, bodies.next_velocity))
    for i in range(1, len(bodies.pose)):
        for e in range(3):
            bodies.pose[i, e], bodies.velocity[i, e] = bodies.next_pose[i, e], bodies.next_velocity[i, e]


@kernel(inline=False)
def advance(data, bodies, control, log, steps):
    """As `contact.loop.advance`: go on for a number of steps; the first time, begin with the present instant."""
    clock, tally, events = log.clock, log.tally, log.events
    h = clock.h
    begun = clock.step[0] >= 0
    while steps > 0 or not begun:
        if begun:
            settle(data, bodies, tally, h)
            steps -= 1
        clock.step[0] += 1
        begun = True
        place(data, bodies, bodies.pose)
        observe(data, bodies)
        set_world_coordinates(data.motion)
        if consult(control, clock, clock.step[0]) != 0:
            return CONTROL
        now = clock.step[0] * h
        if pushes_act(data.pushes, now, now + h):
            apply_pushes(data, now, now + h)
        m, rounds, residual = solve_modes(data, bodies, h, clock.step[0])
        place(data, bodies, bodies.pose)
        tally.worst[0] = max(tally.worst[0], rounds)
        tally.worst[1] = max(tally.worst[1], residual / h)
        put_forces(data, bodies, m, h)
        sum_contacts(data.geometry, data.contact, data.work, data.resultant)
        report(data, tally, events, now)
        if clock.step[0] % clock.record_every == 0:
            write_record(data, clock, log.record, tally, clock.step[0])
        follow_landings(data, tally.forces)
        measure_peaks(data.resultant, tally.forces)
        add_forces(data, tally.forces, h)
        account(data, bodies, tally, m, h)
        status = finish(data, clock, events, log.marks)
        if status != DONE:
            return status
    return DONE
