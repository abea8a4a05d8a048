"""Steps: phases, where the feet stand, and the motion of the swing foot."""

import numpy as np

from footfall.control.walking.legs import LIFT, YAW, X, Y, Z, clip, near, sole_place, sole_turn, touches, touching, yaw_of
from footfall.core.jit import kernel
from footfall.core.spatial.vectors import cross, dot, scaled

STAND, DOUBLE, SINGLE = 0, 1, 2
PHASES = ("stands", "double support", "single support")
AT_FIRST = 0.1  # s: time constant of the slope that is felt before the first step
SOON = 0.15  # s: the height of the pelvis is never changed in less


@kernel
def side_of(step):
    """Which foot row `step` of the plan is of."""
    return step % 2


@kernel
def set_place(params, state, side):
    """A foot stands where it is."""
    p = sole_place(params, side)
    state.place[side, X], state.place[side, Y], state.place[side, Z] = p
    yaw = yaw_of(sole_turn(params, side))
    state.place[side, YAW] = near(yaw, state.place[side, YAW])


@kernel
def zmp_of(params, place):
    """Where the ZMP of a foot at a place shall be."""
    return place[X] + params.ahead * np.cos(place[YAW]), place[Y] + params.ahead * np.sin(place[YAW])


@kernel
def footstep(params, state, step):
    """A row of the plan, shifted; beyond the plan its last rows, in turn."""
    n = len(params.plan)
    if step >= n:
        step = n - 2 + (step - n) % 2
    row = params.plan[step]
    return row[X] + state.offset[0], row[Y] + state.offset[1], row[Z], row[YAW]


@kernel
def lift_of(params, state):
    """How high the swing foot is lifted in this step."""
    return params.plan[min(state.step + 1, len(params.plan) - 1), LIFT]


@kernel
def schedule(seen, params, state):
    """From phase to phase."""
    now = seen.time
    follow_feet(seen, params, state)
    feel_slope(seen, params, state)
    if state.phase == STAND and state.until == 0.0:
        for side in range(2):
            state.place[side, YAW] = params.plan[side, YAW]
            set_place(params, state, side)
        state.until, state.step = now + params.begin, 1
        state.yaw, state.high = params.plan[0, YAW], params.plan[0, Z]
        first, second = zmp_of(params, state.place[0]), zmp_of(params, state.place[1])
        middle = 0.5 * (first[0] + second[0]), 0.5 * (first[1] + second[1])
        state.phase = DOUBLE if len(params.plan) > 2 else STAND
        state.ankle[0, 0], state.ankle[0, 1] = middle
        state.ankle[1, 0], state.ankle[1, 1] = second if state.phase == DOUBLE else middle
        state.since = now
    elif state.phase == DOUBLE and now >= state.until - 1e-9:
        if state.step >= len(params.plan) - 1:
            state.phase = STAND
        else:
            state.phase, state.since, state.until = SINGLE, now, now + params.single_support
            begin_swing(params, state)
    elif state.phase == SINGLE:
        swing = 1 - side_of(state.step)
        part = (now - state.since) / max(state.until - state.since, 1e-9)
        if (part > 0.6 and touches(seen, swing)) or now > state.until + 0.3:
            land(params, state, now)


@kernel
def follow_feet(seen, params, state):
    """Feet that stand are where they are, even if they have slid; and so is the ZMP that is wanted of them."""
    if state.until == 0.0:
        return
    for side in range(2):
        swings = state.phase == SINGLE and side != side_of(state.step)
        if not swings and touches(seen, side):
            x, y = state.place[side, X], state.place[side, Y]
            set_place(params, state, side)
            if side == side_of(state.step) and state.step < len(params.plan) - 1:
                dx, dy = state.place[side, X] - x, state.place[side, Y] - y
                state.offset[0], state.offset[1] = state.offset[0] + dx, state.offset[1] + dy
                if state.phase == SINGLE:
                    state.ankle[1, 0], state.ankle[1, 1] = zmp_of(params, state.place[side])


@kernel
def feel_slope(seen, params, state):
    """The slope of the ground is that of feet that stand on three corners or more, through a low-pass; quickly before the first
    step, by both feet.
    """
    side, begins = side_of(state.step), state.phase == DOUBLE and state.step == 1
    stands = state.phase != DOUBLE or begins or state.until - seen.time < 0.3 * params.double_support
    if not stands or touching(seen, side) < 3 or (begins and touching(seen, 1 - side) < 3):
        return
    x, y = tilt_of_foot(params, side)
    if begins:
        other = tilt_of_foot(params, 1 - side)
        x, y = 0.5 * (x + other[0]), 0.5 * (y + other[1])
    k = min(1.0 / (params.rate * (min(AT_FIRST, params.feeling) if begins else params.feeling)), 1.0)
    state.slope[0] += k * (x - state.slope[0])
    state.slope[1] += k * (y - state.slope[1])


@kernel
def tilt_of_foot(params, side):
    """dz/dx and dz/dy of the plane of a sole."""
    R = sole_turn(params, side)
    return clip(-R[2] / R[8], -0.4, 0.4), clip(-R[5] / R[8], -0.4, 0.4)


@kernel
def on_slope(state, yaw):
    """Axes of a foot that stands on the slope, its toe toward the yaw."""
    k = 1.0 / np.sqrt(1.0 + state.slope[0] * state.slope[0] + state.slope[1] * state.slope[1])
    n = -k * state.slope[0], -k * state.slope[1], k
    c, s = np.cos(yaw), np.sin(yaw)
    x = c, s, c * state.slope[0] + s * state.slope[1]
    x = scaled(x, 1.0 / np.sqrt(dot(x, x)))
    y = cross(n, x)
    return x[0], y[0], n[0], x[1], y[1], n[1], x[2], y[2], n[2]


@kernel
def begin_swing(params, state):
    swing = 1 - side_of(state.step)
    set_place(params, state, swing)
    for k in range(4):
        state.swing[0, k], state.swing[1, k], state.swing[2, k] = state.place[swing, k], 0.0, 0.0
    state.shift[0], state.shift[1] = 0.0, 0.0
    set_place(params, state, 1 - swing)


@kernel
def land(params, state, now):
    """The swing foot has landed: it will carry, after double support."""
    swing = 1 - side_of(state.step)
    state.place[swing, YAW] = state.swing[0, YAW]
    set_place(params, state, swing)
    stays = 1.0 - params.back
    state.offset[0], state.offset[1] = stays * (state.offset[0] + state.shift[0]), stays * (state.offset[1] + state.shift[1])
    state.ankle[0, 0], state.ankle[0, 1] = state.ankle[1, 0], state.ankle[1, 1]
    ahead = zmp_of(params, state.place[swing])
    state.step += 1
    last = state.step >= len(params.plan) - 1
    if last:
        other = zmp_of(params, state.place[1 - swing])
        ahead = 0.5 * (ahead[0] + other[0]), 0.5 * (ahead[1] + other[1])
    state.ankle[1, 0], state.ankle[1, 1] = ahead
    state.phase, state.since, state.fresh = DOUBLE, max(now, state.until), 1  # a foot that lands early waits for its load
    state.until = state.since + (params.begin if last else params.double_support)


@kernel
def quintic_on(x, v, a, goal, left, h):
    """Go on by h along the curve of least jerk that reaches the goal at rest in the time left."""
    if left <= h:
        return goal, 0.0, 0.0
    u, T2 = (goal - x) / left, left * left
    j = ((60.0 * u - 36.0 * v) / left - 9.0 * a) / left
    s = ((192.0 * v - 360.0 * u) / left + 36.0 * a) / T2
    r = ((720.0 * u - 360.0 * v) / left - 60.0 * a) / (T2 * left)
    x1 = x + h * (v + h / 2.0 * (a + h / 3.0 * (j + h / 4.0 * (s + h / 5.0 * r))))
    v1 = v + h * (a + h / 2.0 * (j + h / 3.0 * (s + h / 4.0 * r)))
    a1 = a + h * (j + h / 2.0 * (s + h / 3.0 * r))
    return x1, v1, a1


@kernel
def landing(params, state):
    """Where the swing foot shall land: x, y, z, yaw; as high as the slope under the standing foot and the plan have it."""
    step = footstep(params, state, state.step + 1)
    here, rise = state.place[side_of(state.step)], step[Z] - footstep(params, state, state.step)[Z]
    x, y = step[X] + state.shift[0], step[Y] + state.shift[1]
    z = here[Z] + rise + state.slope[0] * (x - here[X]) + state.slope[1] * (y - here[Y])
    return x, y, z, step[YAW]


@kernel
def move_swing(seen, params, state):
    """Move the reference of the swing foot on: to its highest point and down, and level with it between `delay` and `hurry`.

    A foot that finds no ground in time goes on downward.
    """
    now, h, T = seen.time, 1.0 / params.rate, state.until - state.since
    s, goal = state.swing, landing(params, state)
    top, x_left = state.since + params.apex * T, state.until - params.hurry * T - now
    for k in range(4):
        if k == Z and now < top:
            high = max(state.place[1 - side_of(state.step), Z], goal[Z]) + lift_of(params, state)
            s[0, Z], s[1, Z], s[2, Z] = quintic_on(s[0, Z], s[1, Z], s[2, Z], high, top - now, h)
        elif k == Z:
            s[0, Z], s[1, Z], s[2, Z] = quintic_on(s[0, Z], s[1, Z], s[2, Z], goal[Z], state.until - now, h)
        elif now >= state.since + params.delay * T:
            s[0, k], s[1, k], s[2, k] = quintic_on(s[0, k], s[1, k], s[2, k], goal[k], x_left, h)
    if now > state.until:
        s[0, Z], s[1, Z] = goal[Z] - params.descent * (now - state.until), -params.descent


@kernel
def move_level(seen, params, state):
    """Move the height of the ground under the pelvis on: the mean of both feet, or of what it will be when the foot lands."""
    level = 0.5 * (state.place[0, Z] + state.place[1, Z])
    if state.phase == SINGLE:
        level = 0.5 * (state.place[side_of(state.step), Z] + landing(params, state)[Z])
    left = max(state.until - seen.time, SOON)
    state.high, state.climb[0], state.climb[1] = quintic_on(
        state.high, state.climb[0], state.climb[1], level, left, 1.0 / params.rate
    )
