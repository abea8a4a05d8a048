"""What happens around a step of MuJoCo: state and motors before it, contacts and records after it.

MuJoCo is called by Python, from these kernels' point of view by nobody. An instant has two halves. `begin_instant` takes over the
state that MuJoCo reached, asks the controllers and writes down what acts in the coming step. MuJoCo then finds accelerations and
contact forces. `end_instant` shares these among the pads, notes events and writes the row. Forces are constant from instant to
instant; `account` books their work and impulse once the velocity at the end of the step is known.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.decide import consult
from footfall.core.contact.geometry import OPEN, SLIDE, STICK, locate, tangential
from footfall.core.contact.joint_constraints import DRY, set_friction_bounds, set_joint_forces
from footfall.core.contact.loop import (
    CONTROL,
    DIVERGED,
    DONE,
    FRICTION,
    GROUND,
    JOINTS,
    MOTORS,
    PUSHES,
    STOPS,
    TOO_FAST,
    finish,
    report,
    set_world_coordinates,
)
from footfall.core.contact.push import apply_pushes, pushes_act
from footfall.core.contact.record import add_motor, measure_peaks, write_record
from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import point_speed, set_places, set_speeds
from footfall.core.spatial.algebra import (
    dot,
    get_motion,
    get_rotation,
    get_vector,
    linear,
    pair,
    plus,
    put_vector,
    rotate_back,
    scaled,
)

NEAR = 1e-3  # m: a contact that is nearer than this to a face of its shape acts on that face
LIMIT = 1.0 - 1e-6  # of the largest friction: from here on a contact slides. MuJoCo's solver gives just the largest then


class Coupling(NamedTuple):
    """MuJoCo's own arrays, in its order, and how to read them."""

    qpos: Any  # (nq,)
    qvel: Any  # (nv,)
    passive: Any  # (nv,) forces of springs, dampers and tendons
    constraint: Any  # (nv,) forces of contacts, stops and dry friction
    damping: Any  # (nv,)
    friction: Any  # (nv,) largest dry friction
    applied: Any  # (nv,) forces of the motors
    armature: Any  # (nv,) inertia that a joint has by itself
    order_q: Any  # (nq,) int: qpos[j] is our q[order_q[j]]
    order_v: Any  # (nv,) int
    finished: Any  # (1,) int: the last instant that was written down
    implicit: int  # 1 if the motors' own springs and dampers are taken at the end of a step


class Shapes(NamedTuple):
    """Shapes that can touch, and the pads that they stand for: corners of a block, ends of a rod."""

    body: Any  # (n,) int
    middle: Any  # (n, DIM) in the body's axes
    axes: Any  # (n, 3, DIM) unit vectors in the body's axes
    size: Any  # (n, 3) lengths along them; 0 is none
    first: Any  # (n + 1,) int: the pads of shape s are in rows first[s] to first[s + 1]
    pad: Any  # (m,) int
    high: Any  # (m, 3) int: 1 if the pad is at the high end of an axis
    of_geom: Any  # (geoms,) int: the shape of a geom, -1 for the ground


class Touches(NamedTuple):
    """The contacts that MuJoCo found at this instant."""

    count: Any  # (1,) int
    geom: Any  # (n, 2) int
    place: Any  # (n, DIM)
    frame: Any  # (n, 3, DIM) normal, from the first geom to the second, and two directions across it
    address: Any  # (n,) int: of its rows, -1 for one that is left out
    size: Any  # (n,) int: number of its rows, 1 without friction
    efc_force: Any  # (rows,)
    mu: Any  # (n,) coefficient of friction
    body: Any  # (n,) int: which of ours, 0 for none
    force: Any  # (n, DIM) on the robot
    normal: Any  # (n, DIM) away from the ground


@kernel
def take_state(motion, coupling):
    """The state that MuJoCo reached. Returns the sum of all speeds."""
    size = 0.0
    for j in range(len(motion.q)):
        motion.q[coupling.order_q[j]] = coupling.qpos[j]
    for d in range(len(motion.v)):
        size += abs(coupling.qvel[d])
        motion.v[coupling.order_v[d]] = coupling.qvel[d]
    for d in range(len(motion.v)):
        motion.v_now[d] = motion.v[d]
    set_world_coordinates(motion)
    return size


@kernel(inline=False)
def load_motors(data, coupling, h):
    """Motors within their limits, and the dry friction of joints, for the coming step.

    The motors' own springs and dampers act at its end, so that any gain is stable: an inertia of the joint, as in
    `core.contact.step`.
    """
    joints, motion, constraints = data.joints, data.motion, data.constraints
    set_joint_forces(data, h if coupling.implicit else 0.0, h)
    for j in range(len(coupling.order_v)):
        d = coupling.order_v[j]
        coupling.applied[j], coupling.armature[j] = joints.applied[d], data.tree.rotor[d] + joints.servo_inertia[d]
    set_friction_bounds(constraints, joints, motion.v_now)
    for j in range(len(coupling.order_v)):
        for r in range(len(constraints.dof)):
            if constraints.kind[r] == DRY and constraints.dof[r] == coupling.order_v[j]:
                coupling.friction[j] = constraints.bound[r]
    return 0


@kernel(inline=False)
def begin_instant(data, coupling, touches, control, log):
    """Book the step that is over, take over the state at its end, ask the controllers, and set what acts from now on.

    Returns why the run must stop, or DONE.
    """
    clock, motion = log.clock, data.motion
    h = clock.h
    if clock.step[0] >= 0:
        account(data, coupling, touches, log.tally, h)
    clock.step[0] += 1
    if not take_state(motion, coupling) < TOO_FAST:
        clock.step[0] -= 1  # this instant is not part of the run
        return DIVERGED
    if consult(control, clock, clock.step[0]) != 0:
        return CONTROL
    load_motors(data, coupling, h)
    now = clock.step[0] * h
    if pushes_act(data.pushes, now, now + h):
        apply_pushes(data, now, now + h)
    return DONE


@kernel
def share_along(shapes, s, local, axis):
    """How far along an axis of shape s a point is, from 0 to 1; on a face if it is near."""
    size = shapes.size[s, axis]
    away = dot(plus(local, scaled(get_vector(shapes.middle, s), -1.0)), get_vector(shapes.axes[s], axis))
    part = away + 0.5 * size
    if part < NEAR:
        return 0.0
    return 1.0 if part > size - NEAR else part / size


@kernel
def give_to_pads(shapes, data, s, p, f, mode):
    """Share the force f at p among the pads of shape s by the lever rule, so that force and moment are the same."""
    resultant, body = data.resultant, shapes.body[s]
    away = plus(p, scaled(get_vector(data.work.p_WB, body), -1.0))
    local = rotate_back(get_rotation(data.work.R_WB, body), away)
    for m in range(shapes.first[s], shapes.first[s + 1]):
        share, o = 1.0, shapes.pad[m]
        for axis in range(3):
            if shapes.size[s, axis] > 0.0:
                part = share_along(shapes, s, local, axis)
                share *= part if shapes.high[m, axis] else 1.0 - part
        if share > 0.0:
            put_vector(resultant.force, o, plus(get_vector(resultant.force, o), scaled(f, share)))
            if resultant.mode[o] != STICK:
                resultant.mode[o] = mode


@kernel(inline=False)
def read_touches(data, shapes, touches):
    """Forces of MuJoCo's contacts on the robot, and on its pads. Poses of the bodies are set already."""
    resultant = data.resultant
    for o in range(len(resultant.mode)):
        resultant.mode[o] = OPEN
        put_vector(resultant.force, o, scaled(get_vector(resultant.force, o), 0.0))
    for c in range(touches.count[0]):
        at, first, second = touches.address[c], shapes.of_geom[touches.geom[c, 0]], shapes.of_geom[touches.geom[c, 1]]
        s, sign = (second, 1.0) if second >= 0 else (first, -1.0)
        touches.body[c] = 0
        if at < 0 or s < 0 or not touches.efc_force[at] > 0.0:
            continue
        f, rubs, most = scaled(get_vector(touches.frame[c], 0), 0.0), 0.0, LIMIT * touches.mu[c] * touches.efc_force[at]
        for j in range(touches.size[c]):
            f = plus(f, scaled(get_vector(touches.frame[c], j), sign * touches.efc_force[at + j]))
            rubs += touches.efc_force[at + j] ** 2 if j > 0 else 0.0
        touches.body[c] = shapes.body[s]
        put_vector(touches.force, c, f)
        put_vector(touches.normal, c, scaled(get_vector(touches.frame[c], 0), sign))
        slides = touches.size[c] == 1 or rubs >= most * most
        give_to_pads(shapes, data, s, get_vector(touches.place, c), f, SLIDE if slides else STICK)


@kernel
def show_pads(data, tally):
    """Points and velocities of the pads, and modes and forces as the record reads them."""
    contact, geometry, resultant, work = data.contact, data.geometry, data.resultant, data.work
    for o in range(len(resultant.mode)):
        r, body = get_vector(contact.r_BC_W, o), geometry.body[o]
        put_vector(resultant.point, o, plus(get_vector(work.p_WB, body), r))
        u = linear(point_speed(work, body, r))
        put_vector(contact.v, o, u)
        contact.mode[o] = resultant.mode[o]
        put_vector(contact.force, o, get_vector(resultant.force, o))
        if resultant.mode[o] == STICK:
            tally.worst[1] = max(tally.worst[1], np.sqrt(dot(u, u)))


@kernel
def look_at_stops(constraints, motion):
    """Joints beyond their stops are pushed back."""
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY:
            beyond = constraints.sign[r] * (motion.q[constraints.coordinate[r]] - constraints.bound[r]) <= 0.0
            constraints.active[r], constraints.on[r] = 1 if beyond else 0, 1 if beyond else 0


@kernel(inline=False)
def see_contacts(data, shapes, touches, tally):
    """All that is known of contacts at this instant, once MuJoCo has found their forces."""
    motion = data.motion
    set_speeds(data.tree, data.work, motion.q, motion.v_now)
    locate(data.ground, data.geometry, data.contact, data.work)
    read_touches(data, shapes, touches)
    show_pads(data, tally)
    look_at_stops(data.constraints, motion)


@kernel(inline=False)
def end_instant(data, coupling, shapes, touches, log):
    """Contacts, events and the row of this instant. Returns why the run must come back, or DONE."""
    clock, tally = log.clock, log.tally
    see_contacts(data, shapes, touches, tally)
    report(data, tally, log.events, clock.step[0] * clock.h)
    measure_peaks(data.resultant, tally.forces)
    if clock.step[0] % clock.record_every == 0:
        write_record(data, clock, log.record, tally, clock.step[0])
    coupling.finished[0] = clock.step[0]
    return finish(data, clock, log.events, log.marks)


@kernel
def look_again(data, shapes, touches, log):
    """The contacts of an instant that is written down already: MuJoCo has found them once more, with another world or after a
    restart.
    """
    see_contacts(data, shapes, touches, log.tally)
    return DONE


@kernel(inline=False)
def account(data, coupling, touches, tally, h):
    """Book work and impulse of all forces in the step that is over, of length h. They were constant, but for what implicit
    dampers took away; the velocity went straight from that at the instant to MuJoCo's present one.
    """
    motion, joints, work, ledger = data.motion, data.joints, data.work, tally.ledger
    motors, passive, constraint = 0.0, 0.0, 0.0
    for j in range(len(coupling.order_v)):
        d = coupling.order_v[j]
        before, after = motion.v_now[d], coupling.qvel[j]
        mean, a = 0.5 * (before + after), (after - before) / h
        motion.v[d], motion.a[d] = mean, a
        if joints.servo_inertia[d] != 0.0:
            joints.applied[d] -= joints.servo_inertia[d] * a
        tau = joints.applied[d]
        if tau != 0.0:
            motors += tau * mean
            add_motor(tally.motors, d, tau, before, after, h)
        passive += (coupling.passive[j] - coupling.damping[j] * h * a) * mean
        constraint += coupling.constraint[j] * mean
    set_speeds(data.tree, work, motion.q, motion.v)
    normal, friction = power_of_touches(touches, work)
    ledger[MOTORS] += h * motors
    ledger[JOINTS] += h * passive
    ledger[GROUND] += h * normal
    ledger[FRICTION] += h * friction
    ledger[STOPS] += h * (constraint - normal - friction)
    if len(data.pushes.body) > 0 and data.pushes.on[0]:
        for i in range(1, len(work.f_ext)):
            ledger[PUSHES] += h * pair(get_motion(work.V_WB, i), get_motion(work.f_ext, i))
    add_impulses(data, tally, h)


@kernel
def power_of_touches(touches, work):
    """Power of the normal forces and of friction."""
    normal, whole = 0.0, 0.0
    for c in range(touches.count[0]):
        body = touches.body[c]
        if body > 0:
            away = plus(get_vector(touches.place, c), scaled(get_vector(work.p_WB, body), -1.0))
            u, f, n = linear(point_speed(work, body, away)), get_vector(touches.force, c), get_vector(touches.normal, c)
            normal += dot(f, n) * dot(u, n)
            whole += dot(f, u)
    return normal, whole - normal


@kernel
def add_impulses(data, tally, h):
    """Add the forces of the pads and the way that they slid or crept; velocities of the bodies are the means of the step."""
    contact, geometry, resultant, work, forces = data.contact, data.geometry, data.resultant, data.work, tally.forces
    for o in range(len(resultant.mode)):
        if resultant.mode[o] != OPEN:
            f, n = get_vector(resultant.force, o), get_vector(contact.normal, o)
            press = h * abs(dot(f, n))
            put_vector(forces.impulse, o, plus(get_vector(forces.impulse, o), scaled(f, h)))
            put_vector(forces.moment, o, plus(get_vector(forces.moment, o), scaled(get_vector(resultant.point, o), press)))
            forces.weight[o] += press
            u = tangential(linear(point_speed(work, geometry.body[o], get_vector(contact.r_BC_W, o))), n)
            tally.slip[o] += h * np.sqrt(dot(u, u))


@kernel
def look_below(data):
    """Find the ground below the pads."""
    set_places(data.tree, data.work, data.motion.q)
    locate(data.ground, data.geometry, data.contact, data.work)
    return 0
