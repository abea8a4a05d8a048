"""A planar robot in maximal coordinates: every body has a pose of its own.

`observe` and `spread` lead from the poses of bodies to the robot's coordinates and back.
"""

from typing import Any, NamedTuple

from footfall.core.contact.law import locate, set_error
from footfall.core.jit import kernel
from footfall.core.joints import REVOLUTE
from footfall.core.trig import cos_sin


class Bodies(NamedTuple):
    """Row i belongs to body i; the world is body 0, and does not move."""

    pose: Any  # (n+1, 3) x, z of the centre of mass, angle
    velocity: Any  # (n+1, 3)
    next_pose: Any
    next_velocity: Any
    centre: Any  # (n+1, 2) of mass, in the body's axes
    joint: Any  # (nv,) int: the body that a degree of freedom moves, if it is a hinge, otherwise 0
    slip_sense: Any  # (pads,) along which friction acts where a pad slides
    sticks: Any  # (rows,) int: 1 where a joint's friction holds
    sense_of_friction: Any  # (rows,) along which it acts otherwise
    M: Any  # (3n, 3n)
    f: Any  # (3n,) impulses of weight, pushes and joints
    free: Any  # (3n,) room
    G: Any  # (m, 3n)
    H: Any  # (m, 3n)
    W: Any  # (m, 3n) what unit impulses do to velocities
    S: Any  # (m, m)
    order: Any  # (m,) int
    c: Any  # (m,)
    target: Any  # (m,) what is left of an error at the end of the step
    J: Any  # (m,) impulses
    more: Any  # (m,) room
    kind: Any  # (m,) int
    which: Any  # (m,) int: body, pad or row of the machine
    alternate: Any  # (1,) int: 1 for one pad a step


@kernel
def place(data, bodies, pose):
    """Set rotations and origins of the bodies at `pose`, and gap and error of their contacts."""
    work = data.work
    for i in range(1, len(pose)):
        c, s = cos_sin(pose[i, 2])
        x, z = bodies.centre[i, 0], bodies.centre[i, 1]
        work.R_WB[i, 0], work.R_WB[i, 1], work.R_WB[i, 2] = c, s, pose[i, 2]
        work.p_WB[i, 0] = pose[i, 0] - (c * x + s * z)
        work.p_WB[i, 1] = pose[i, 1] - (c * z - s * x)
    locate(data.ground, data.geometry, data.contact, work)
    for k in range(len(data.geometry.body)):
        set_error(data.geometry, data.contact, work, k)


@kernel
def observe(data, bodies):
    """The robot's coordinates and velocities, from those of its bodies; `place` was called."""
    tree, work, motion, pose, speed = data.tree, data.work, data.motion, bodies.pose, bodies.velocity
    for i in range(1, len(pose)):
        p, j, d = tree.parent[i], tree.first_q[i], tree.first_v[i]
        if tree.kind[i] == REVOLUTE:
            motion.q[j], motion.v[d] = pose[i, 2] - pose[p, 2], speed[i, 2] - speed[p, 2]
        else:
            rx, rz = work.p_WB[i, 0] - pose[i, 0], work.p_WB[i, 1] - pose[i, 1]
            ux, uz = speed[i, 0] + speed[i, 2] * rz, speed[i, 1] - speed[i, 2] * rx
            for e in range(2):
                ax, az = tree.axis[d + e, 0], tree.axis[d + e, 1]
                x, z = work.p_WB[i, 0] - tree.offset[i, 0], work.p_WB[i, 1] - tree.offset[i, 1]
                motion.q[j + e], motion.v[d + e] = ax * x + az * z, ax * ux + az * uz
            motion.q[j + 2], motion.v[d + 2] = pose[i, 2], speed[i, 2]
    for d in range(len(motion.v)):
        motion.v_now[d] = motion.v[d]


@kernel(inline=False)
def spread(data, bodies):
    """Poses and velocities of the bodies, from the robot's coordinates; rotations, origins and velocities are set already."""
    work = data.work
    for i in range(1, len(bodies.pose)):
        m = data.tree.rigid[i, 0]
        x, z = data.tree.rigid[i, 1] / m, data.tree.rigid[i, 2] / m
        bodies.centre[i, 0], bodies.centre[i, 1] = x, z
        c, s, w = work.R_WB[i, 0], work.R_WB[i, 1], work.V_WB[i, 2]
        rx, rz = c * x + s * z, c * z - s * x
        bodies.pose[i, 0], bodies.pose[i, 1], bodies.pose[i, 2] = work.p_WB[i, 0] + rx, work.p_WB[i, 1] + rz, work.R_WB[i, 2]
        bodies.velocity[i, 0], bodies.velocity[i, 1], bodies.velocity[i, 2] = (
            work.V_WB[i, 0] + w * rz,
            work.V_WB[i, 1] - w * rx,
            w,
        )


@kernel
def pinned_at(data, i):
    """Position of the joint of body i, as a point of its parent and as a point of its own."""
    work, p = data.work, data.tree.parent[i]
    ox, oz = data.tree.offset[i, 0], data.tree.offset[i, 1]
    c, s = work.R_WB[p, 0], work.R_WB[p, 1]
    there = work.p_WB[p, 0] + c * ox + s * oz, work.p_WB[p, 1] + c * oz - s * ox
    return there, (work.p_WB[i, 0], work.p_WB[i, 1])
