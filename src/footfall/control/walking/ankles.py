"""Ankle torque control, Johnnie (5.13) to (5.15): the ankles move the ZMP so that the robot comes back to its reference."""

import numpy as np

from footfall.control.walking.legs import LEFT, RIGHT, YAW, X, Y, center, clip, near, pelvis_turn, sole_place, yaw_of
from footfall.control.walking.pendulum import load_share, within_sole
from footfall.control.walking.reference import accelerate_more, deviation, tilt_of
from footfall.control.walking.steps import SINGLE, side_of, zmp_of
from footfall.control.walking.whole_body import DAMPED, cholesky_solve
from footfall.core.jit import kernel
from footfall.core.spatial.vectors import get_vector

RELAX = 0.1  # s: time constant at which legs come back to their length
MOST_TURN = 0.05  # rad: of a step, against an error of the heading
FARTHEST = 0.02  # m: that one is stretched against the other


@kernel
def control_ankles(params, state, command, p):
    """Ankle torques beside those of the virtual robot, whose ZMP is at p.

    The DCM of the real robot is off by e. Its ZMP moves by (1 + k/w) e, so that e' = -k e, as far as the soles allow, which is
    the limit of the torques (5.13, 5.14): abs(tau) <= F_n times the distance of the sole's edge. The virtual robot takes up the
    rest: it is accelerated the same way, as if its ZMP went to the other side, and puts its next foot elsewhere.
    """
    com, _ = center(params)
    w2 = params.gravity / max(com[2] - state.high, 0.1)
    w, share = np.sqrt(w2), load_share(params, state, p)
    e = deviation(params, state, share, w)
    k = params.ankles * (1.0 + params.ankle_gain / w)
    state.error[0], state.error[1] = e
    a, b = zmp_of(params, state.place[RIGHT]), zmp_of(params, state.place[LEFT])
    middle = a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])
    done_x, done_y = 0.0, 0.0
    share_load(params, state, share)
    for side in range(2):
        part, foot = (share, b) if side == LEFT else (1.0 - share, a)
        load = part * params.mass * params.gravity
        x, y = foot[0] + p[0] - middle[0], foot[1] + p[1] - middle[1]
        at = within_sole(params, side, state.place[side], (x + k * e[0], y + k * e[1]))
        dx, dy = at[0] - x, at[1] - y
        for j in params.leg[side, -2:]:
            axis = get_vector(params.model.work.axis, j)
            command.torque[j] -= load * (axis[0] * dy - axis[1] * dx)
        give_way(params, state, side, load, at)
        params.step[2] -= 0.5 * state.stretch if side == LEFT else -0.5 * state.stretch
        if state.phase == SINGLE and side != side_of(state.step):
            keep_level(params, state, side)
        lead_leg(params, command, side)
        done_x, done_y = done_x + part * dx, done_y + part * dy
    state.sole_zmp[0], state.sole_zmp[1] = p[0] - middle[0], p[1] - middle[1]
    c, s = np.cos(state.yaw), np.sin(state.yaw)
    g = params.ankles * (1.0 + params.follow_gain / w)
    ahead = beyond(g * (c * e[0] + s * e[1]), c * done_x + s * done_y, params.catch)
    left = beyond(g * (c * e[1] - s * e[0]), c * done_y - s * done_x, params.catch)
    k = params.adjust * w2
    accelerate_more(params, k * (c * ahead - s * left), k * (s * ahead + c * left))


@kernel
def beyond(wanted, done, most):
    """What is left of a wanted shift of the ZMP; nothing if more was done."""
    left = clip(wanted - done, -most, most)
    return left if left * wanted > 0.0 else 0.0


@kernel
def share_load(params, state, share):
    """In double support stiff legs of a wrong length would take the load from each other: the left one is stretched against the
    right one until it carries its share. In single support this is undone.
    """
    h, total = 1.0 / params.rate, params.load[LEFT] + params.load[RIGHT]
    if state.phase == SINGLE or total < 0.2 * params.mass * params.gravity:
        state.stretch -= min(h / RELAX, 1.0) * state.stretch
    else:
        state.stretch += h * params.sharing * (share * total - params.load[LEFT])
    state.stretch = clip(state.stretch, -FARTHEST, FARTHEST)


@kernel
def give_way(params, state, side, load, at):
    """A loaded foot sinks into its contact elements and turns with its torque: tau = -C_F phi (5.15). The leg makes up for it.

    The reference of the foot is lowered by load / (4 K) and turned by tau / C_F: `params.step`.
    """
    place, step = state.place[side], params.step
    c, s = np.cos(place[YAW]), np.sin(place[YAW])
    x, y = at[0] - place[X], at[1] - place[Y]
    ahead, left = c * x + s * y - params.middle[side, 0], c * y - s * x - params.middle[side, 1]
    roll, pitch = -load * left * params.yields[side, 0], load * ahead * params.yields[side, 1]
    step[0], step[1], step[2] = 0.0, 0.0, -params.compliance * load * params.yields[side, 2]
    step[3] = params.compliance * (c * roll - s * pitch)
    step[4] = params.compliance * (s * roll + c * pitch)
    step[5] = 0.0


@kernel
def keep_level(params, state, side):
    """A swing foot comes down level and in time, though the real robot is tilted about its standing foot; and where it has
    turned, it is turned back.
    """
    step, R = params.step, pelvis_turn(params)
    roll, pitch = tilt_of(R)
    roll, pitch, yaw = params.level * (params.tilt[0] - roll), params.level * (params.tilt[1] - pitch), yaw_of(R)
    c, s = np.cos(yaw), np.sin(yaw)
    wx, wy = c * roll - s * pitch, s * roll + c * pitch
    p, here = sole_place(params, side), sole_place(params, 1 - side)
    step[2] -= wx * (p[1] - here[1]) - wy * (p[0] - here[0])
    step[3] -= wx
    step[4] -= wy
    step[5] -= params.heading * clip(near(params.tilt[2], yaw) - yaw, -MOST_TURN, MOST_TURN)


@kernel
def lead_leg(params, command, side):
    """Move the reference of a leg's joints so that the foot makes the small motion `params.step`, by damped least squares."""
    J, H, rhs, leg = params.rows[side], params.H, params.rhs, params.leg[side]
    for k in range(6):
        for m in range(6):
            z = DAMPED if k == m else 0.0
            for d in leg:
                z += J[d, k] * J[d, m]
            H[k, m] = z
        rhs[k, 0], rhs[k, 1], rhs[k, 2] = params.step[k], 0.0, 0.0
    cholesky_solve(H, rhs)
    for d in leg:
        z = 0.0
        for k in range(6):
            z += J[d, k] * rhs[k, 0]
        command.angle[d] += z
