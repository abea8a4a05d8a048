"""From the truth to what controllers see: gather what sensors measure, pass it through their channels, write the observation.

What no sensor measures is seen as it is.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.manifold import put_quaternion, quaternion_at, quaternion_exp, quaternion_log, quaternion_product
from footfall.core.recursion.kinematics import point_speed, set_speeds
from footfall.core.sensors.channels import measure
from footfall.core.spatial.algebra import (
    compose,
    force_at,
    force_sum,
    get_motion,
    get_rotation,
    get_vector,
    linear,
    no_motion,
    plus,
    put_motion,
    put_vector,
    rotate,
    rotate_back,
    rotate_motion_back,
    scaled,
)


class Coordinates(NamedTuple):
    """Which channels measure coordinates and velocities, and which are seen as those; rows of (channel, index)."""

    from_q: Any  # (n, 2) int
    from_v: Any
    to_q: Any
    to_v: Any
    quaternions: Any  # (n, 3) int: the first of four channels, the first of three with the error as a rotation vector, coordinate
    balls: Any  # (n, 2) int: the first of three channels with the rotation vector of a ball joint, coordinate


class Soles(NamedTuple):
    """Force sensors at feet."""

    channel: Any  # (n,) int: the first of its channels
    row: Any  # (n,) int: of the observation
    body: Any  # (n,) int
    at: Any  # (n, DIM) in the body's axes
    R_BS: Any  # (n, ROTATION) its axes on the body
    foot: Any  # (pads,) int: the sensor that feels a pad, or -1
    wrench: Any  # (n, MOTION) room


class Accelerometers(NamedTuple):
    channel: Any
    row: Any
    body: Any
    at: Any
    R_BS: Any
    last: Any  # (n, DIM) velocity at the step before
    specific_force: Any  # (n, DIM) room


class Bank(NamedTuple):
    """All sensors of a robot."""

    channels: Any
    coordinates: Any
    soles: Any
    accelerometers: Any
    dt: Any  # (1,) s


class Truth(NamedTuple):
    """What sensors measure. Contact forces are those of the last step; bodies and contacts are where they were meanwhile."""

    q: Any
    v: Any
    force: Any  # (pads, DIM) of the ground on the robot
    point: Any  # (pads, DIM) where it acts, if pads have more contacts than one each
    body: Any  # (contacts,) int: otherwise at a body
    r_BC_W: Any  # (contacts, DIM) so far from its origin
    R_WB: Any  # (bodies, ROTATION)
    p_WB: Any  # (bodies, DIM)
    A_WB: Any  # (bodies, MOTION) of which row 0, of the world, is against gravity


class Seen(NamedTuple):
    """What controllers see."""

    q: Any
    v: Any
    wrench: Any  # (feet, MOTION)
    acceleration: Any  # (accelerometers, DIM)


class Kept(NamedTuple):
    """The record of what controllers see."""

    rows: Any  # (n, numbers)
    every: Any  # (1,) int: steps from row to row


@kernel(exact=True)
def gather_wrenches(soles, channels, truth):
    """Forces of the ground on every foot with a sensor, about the sensor and in its axes."""
    none, single = no_motion(), len(truth.body) == len(truth.force)
    for i in range(len(soles.body)):
        put_motion(soles.wrench, i, none)
    for k in range(len(soles.foot)):
        i = soles.foot[k]
        if i >= 0:
            R_B, p_B = get_rotation(truth.R_WB, soles.body[i]), get_vector(truth.p_WB, soles.body[i])
            p_K = get_vector(truth.point, k)
            if single:
                p_K = plus(get_vector(truth.p_WB, truth.body[k]), get_vector(truth.r_BC_W, k))
            away = plus(p_K, scaled(plus(p_B, rotate(R_B, get_vector(soles.at, i))), -1.0))
            put_motion(soles.wrench, i, force_sum(get_motion(soles.wrench, i), force_at(get_vector(truth.force, k), away)))
    for i in range(len(soles.body)):
        R = compose(get_rotation(truth.R_WB, soles.body[i]), get_rotation(soles.R_BS, i))
        put_motion(soles.wrench, i, rotate_motion_back(R, get_motion(soles.wrench, i)))
        for j in range(soles.wrench.shape[1]):
            channels.input[soles.channel[i] + j] = soles.wrench[i, j]


@kernel(exact=True)
def gather_specific_forces(sensors, channels, truth, tree, work, dt):
    """Specific force (acceleration less gravity) at every accelerometer in its axes: the mean since the last step."""
    set_speeds(tree, work, truth.q, truth.v)
    up = linear(get_motion(truth.A_WB, 0))  # the world accelerates against gravity
    for i in range(len(sensors.body)):
        R_B = get_rotation(work.R_WB, sensors.body[i])
        now = linear(point_speed(work, sensors.body[i], rotate(R_B, get_vector(sensors.at, i))))
        before = get_vector(sensors.last, i) if channels.step[0] >= 0 else now
        put_vector(sensors.last, i, now)
        mean = plus(scaled(plus(now, scaled(before, -1.0)), 1.0 / dt), up)
        put_vector(sensors.specific_force, i, rotate_back(compose(R_B, get_rotation(sensors.R_BS, i)), mean))
        for j in range(sensors.specific_force.shape[1]):
            channels.input[sensors.channel[i] + j] = sensors.specific_force[i, j]


@kernel(exact=True)
def show(bank, truth, seen):
    """Write what controllers see."""
    parts, channels = bank.coordinates, bank.channels
    for j in range(len(truth.q)):
        seen.q[j] = truth.q[j]
    for d in range(len(truth.v)):
        seen.v[d] = truth.v[d]
    for i in range(len(parts.to_q)):
        seen.q[parts.to_q[i, 1]] = channels.output[parts.to_q[i, 0]]
    for i in range(len(parts.to_v)):
        seen.v[parts.to_v[i, 1]] = channels.output[parts.to_v[i, 0]]
    for i in range(len(parts.quaternions)):
        c, e, j = parts.quaternions[i, 0], parts.quaternions[i, 1], parts.quaternions[i, 2]
        turn = quaternion_exp(channels.output[e], channels.output[e + 1], channels.output[e + 2])
        put_quaternion(seen.q, j, quaternion_product(quaternion_at(channels.output, c), turn))
    for i in range(len(parts.balls)):
        c, j = parts.balls[i, 0], parts.balls[i, 1]
        put_quaternion(seen.q, j, quaternion_exp(channels.output[c], channels.output[c + 1], channels.output[c + 2]))
    for i in range(len(bank.soles.body)):
        for j in range(seen.wrench.shape[1]):
            seen.wrench[bank.soles.row[i], j] = channels.output[bank.soles.channel[i] + j]
    for i in range(len(bank.accelerometers.body)):
        for j in range(seen.acceleration.shape[1]):
            seen.acceleration[bank.accelerometers.row[i], j] = channels.output[bank.accelerometers.channel[i] + j]


@kernel(exact=True)
def keep(kept, seen, step):
    """Write the record of this instant, if it is due; in a record without room for all rows, over the oldest one."""
    if len(kept.rows) == 0 or step % kept.every[0]:
        return
    row, at = (step // kept.every[0]) % len(kept.rows), 0
    for j in range(len(seen.q)):
        kept.rows[row, at] = seen.q[j]
        at += 1
    for d in range(len(seen.v)):
        kept.rows[row, at] = seen.v[d]
        at += 1
    for i in range(seen.wrench.shape[0]):
        for j in range(seen.wrench.shape[1]):
            kept.rows[row, at] = seen.wrench[i, j]
            at += 1
    for i in range(seen.acceleration.shape[0]):
        for j in range(seen.acceleration.shape[1]):
            kept.rows[row, at] = seen.acceleration[i, j]
            at += 1


@kernel(exact=True)
def sense(bank, truth, seen, kept):
    """One step of all sensors but accelerometers: gather, measure, show, record."""
    parts, channels = bank.coordinates, bank.channels
    for i in range(len(parts.from_q)):
        channels.input[parts.from_q[i, 0]] = truth.q[parts.from_q[i, 1]]
    for i in range(len(parts.from_v)):
        channels.input[parts.from_v[i, 0]] = truth.v[parts.from_v[i, 1]]
    for i in range(len(parts.balls)):
        c, turn = parts.balls[i, 0], quaternion_log(quaternion_at(truth.q, parts.balls[i, 1]))
        channels.input[c], channels.input[c + 1], channels.input[c + 2] = turn
    gather_wrenches(bank.soles, channels, truth)
    measure(channels)
    show(bank, truth, seen)
    keep(kept, seen, channels.step[0])
    return 0


@kernel(exact=True)
def sense_with_accelerometers(bank, truth, seen, kept, tree, work):
    """The same, with accelerometers."""
    gather_specific_forces(bank.accelerometers, bank.channels, truth, tree, work, bank.dt[0])
    return sense(bank, truth, seen, kept)


def ask_sensors(time, where):  # noqa: ARG001
    """The sensors as the loop calls them by a pointer; `frame` and `law` are bound where it is compiled."""
    bank, truth, seen, kept = frame(where)  # noqa: F821
    return law(bank, truth, seen, kept) + 1  # noqa: F821


def ask_all_sensors(time, where):  # noqa: ARG001
    bank, truth, seen, kept, tree, work = frame(where)  # noqa: F821
    return law(bank, truth, seen, kept, tree, work) + 1  # noqa: F821
