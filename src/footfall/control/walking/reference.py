"""The reference of joint position control: a virtual robot that walks by itself, and by which the joints are led.

The virtual robot is the robot model on rigid ground, without disturbances. Feet, pelvis and centre of mass move as computed
torque control has it (`whole_body`), and its joints are integrated. It touches down when the real robot does.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.control.walking.legs import LEFT, YAW, X, Y, center, pelvis_turn, sole_place, sole_turn, yaw_of
from footfall.control.walking.whole_body import ground_wrench, solve2
from footfall.core.jit import kernel
from footfall.core.manifold import integrate

JOINTS = 6  # of a leg
POSE = 7  # coordinates of the pelvis
ORIGIN = (0.0, 0.0, 0.0)


class Torques(NamedTuple):
    """Stands for the command of a law that commands torques."""

    tau: Any


@kernel
def measure(params):
    """Where the real centre of mass is and how fast it moves, seen from each sole, in axes that have its yaw; tilt and yaw."""
    c, u = center(params)
    R = pelvis_turn(params)
    params.tilt[0], params.tilt[1] = tilt_of(R)
    params.tilt[2] = yaw_of(R)
    for side in range(2):
        p = sole_place(params, side)
        yaw = yaw_of(sole_turn(params, side))
        cos, sin = np.cos(yaw), np.sin(yaw)
        x, y = c[0] - p[0], c[1] - p[1]
        params.measured[side, 0], params.measured[side, 1] = cos * x + sin * y, cos * y - sin * x
        params.measured[side, 2], params.measured[side, 3] = cos * u[0] + sin * u[1], cos * u[1] - sin * u[0]


@kernel
def feel_loads(obs, params):
    """The load on each foot: by its force sensor, or of its contacts where none measures."""
    n = len(obs.mode) // 2
    for side in range(2):
        load = obs.wrench[side, 2]
        if np.isnan(load):
            load = 0.0
            for k in range(side * n, (side + 1) * n):
                load += obs.force[k, 2]
        params.load[side] = load


@kernel
def tilt_of(R):
    """Roll and pitch of a body that is nearly upright, in axes that have its yaw: the vertical cross its own z axis."""
    yaw = yaw_of(R)
    c, s = np.cos(yaw), np.sin(yaw)
    return s * R[2] - c * R[5], c * R[2] + s * R[5]


@kernel
def recall(params, state):
    """The virtual robot takes the place of the real one in the working arrays. It begins as the robot stands at the start."""
    tree, base = params.model.tree, params.base
    i, d = tree.first_q[base], tree.first_v[base]
    if state.begun == 0:
        state.begun = 1
        for k in range(POSE):
            state.pose[k] = params.posture[i + k]
        for side in range(2):
            for k in range(JOINTS):
                state.angle[side, k] = params.posture[params.at[params.leg[side, k]]]
    for k in range(len(params.q)):
        params.q[k] = params.posture[k]
    for k in range(len(params.v)):
        params.v[k] = 0.0
    for k in range(POSE):
        params.q[i + k] = state.pose[k]
    for k in range(6):
        params.v[d + k] = state.velocity[k]
    for side in range(2):
        for k in range(JOINTS):
            j = params.leg[side, k]
            params.q[params.at[j]], params.v[j] = state.angle[side, k], state.rate[side, k]


@kernel
def deviation(params, state, share, w):
    """By how much the DCM of the real robot is off that of the virtual one, both seen from the feet that carry."""
    ex, ey = 0.0, 0.0
    for side in range(2):
        part = share if side == LEFT else 1.0 - share
        place = state.place[side]
        c, s = np.cos(place[YAW]), np.sin(place[YAW])
        x = params.measured[side, 0] + params.measured[side, 2] / w
        y = params.measured[side, 1] + params.measured[side, 3] / w
        ex += part * (place[X] + c * x - s * y - state.xi[0])
        ey += part * (place[Y] + s * x + c * y - state.xi[1])
    return ex, ey


@kernel
def accelerate_more(params, ax, ay):
    """Accelerate the pelvis of the virtual robot so that its centre of mass has this acceleration besides, along x and y."""
    F0, _ = ground_wrench(params, 0, ORIGIN)
    F1, _ = ground_wrench(params, 1, ORIGIN)
    F2, _ = ground_wrench(params, 2, ORIGIN)
    m = params.mass
    s = solve2(F1[0] - F0[0], F2[0] - F0[0], F1[1] - F0[1], F2[1] - F0[1], m * ax, m * ay)
    for d in range(len(params.accel)):
        params.accel[d] += s[0] * (params.a[1, d] - params.a[0, d]) + s[1] * (params.a[2, d] - params.a[0, d])


@kernel
def move_on(params, state):
    """Integrate the virtual robot over a tick."""
    tree, base, h = params.model.tree, params.base, 1.0 / params.rate
    i, d = tree.first_q[base], tree.first_v[base]
    for k in range(len(params.v)):
        params.urge[k] = h * (params.v[k] + 0.5 * h * params.accel[k])
    integrate(tree, params.q, params.urge, params.q)
    for k in range(POSE):
        state.pose[k] = params.q[i + k]
    for k in range(6):
        state.velocity[k] = params.v[d + k] + h * params.accel[d + k]
    for side in range(2):
        for k in range(JOINTS):
            j = params.leg[side, k]
            state.angle[side, k], state.rate[side, k] = params.q[params.at[j]], params.v[j] + h * params.accel[j]
