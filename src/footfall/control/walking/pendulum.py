"""The inverted pendulum: the divergent component of motion (DCM), planned over the next steps, and the ZMP that follows it.

xi = c + c'/w with w^2 = g / height. In single support the ZMP is planned at the stance foot, in double support on a straight
line from foot to foot (Englsberger et al. 2015).
"""

import numpy as np

from footfall.control.walking.legs import LEFT, RIGHT, YAW, X, Y, clip
from footfall.control.walking.steps import SINGLE, STAND, footstep, side_of, zmp_of
from footfall.core.jit import kernel

AHEAD = 4  # steps that the plan looks ahead
EXACT = 1e-9  # m: less than this is nothing


@kernel
def ramp(w, T):
    """For a ZMP that goes from a to b in the time T: xi at the beginning is e^{-wT} xi_end + (1 - e^{-wT} - B) a + B b."""
    e = np.exp(-w * T)
    return e, (1.0 / w - (T + 1.0 / w) * e) / T


@kernel
def end_of_single(params, state, w, axis):
    """The DCM wanted at the end of single support on row `state.step` of the plan, from the steps after it."""
    e, B = ramp(w, params.double_support)
    es = np.exp(-w * params.single_support)
    last = state.step + AHEAD
    xi = zmp_of(params, footstep(params, state, last))[axis]
    for k in range(last - 1, state.step, -1):
        p, p_next = zmp_of(params, footstep(params, state, k))[axis], zmp_of(params, footstep(params, state, k + 1))[axis]
        xi = e * xi + (1.0 - e - B) * p + B * p_next  # start of double support: end of single support on k
        xi = p + es * (xi - p)  # start of single support on k
    p, p_next = state.ankle[1, axis], zmp_of(params, footstep(params, state, state.step + 1))[axis]
    return e * xi + (1.0 - e - B) * p + B * p_next


@kernel
def reference(params, state, w, now, axis):
    """DCM and ZMP of the plan at this moment."""
    a, b = state.ankle[0, axis], state.ankle[1, axis]
    if state.phase == STAND:
        return b, b
    if state.phase == SINGLE:
        left = max(state.until - now, 0.0)
        return b + np.exp(-w * left) * (end_of_single(params, state, w, axis) - b), b
    T, left = state.until - state.since, max(state.until - now, 0.0)
    if state.step >= len(params.plan) - 1:
        xi = b
    else:
        xi = b + np.exp(-w * params.single_support) * (end_of_single(params, state, w, axis) - b)
    early, left = max(left - T, 0.0), min(left, T)
    slope, p = (b - a) / T, b - (b - a) * left / T
    e = np.exp(-w * left)
    xi = e * xi + (1.0 - e) * p + slope * (1.0 / w - (left + 1.0 / w) * e)
    return p + np.exp(-w * early) * (xi - p), p


@kernel
def within_sole(params, side, place, p):
    """The point of a sole at a place that is nearest to p, a margin inside."""
    c, s = np.cos(place[YAW]), np.sin(place[YAW])
    x, y = p[0] - place[X], p[1] - place[Y]
    ahead = clip(c * x + s * y, params.low[side, 0] + params.margin, params.high[side, 0] - params.margin)
    left = clip(c * y - s * x, params.low[side, 1] + params.margin, params.high[side, 1] - params.margin)
    return place[X] + c * ahead - s * left, place[Y] + s * ahead + c * left


@kernel
def load_share(params, state, p):
    """The part of the load on the left foot for a ZMP at p: 1 or 0 in single support."""
    if state.phase == SINGLE:
        return 1.0 if side_of(state.step) == LEFT else 0.0
    a, b = zmp_of(params, state.place[RIGHT]), zmp_of(params, state.place[LEFT])
    dx, dy = b[0] - a[0], b[1] - a[1]
    return clip(((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / max(dx * dx + dy * dy, 1e-9), 0.0, 1.0)


@kernel
def within_support(params, state, p):
    """The point of support that is nearest to p, nearly: what is beyond the line between the feet must be within both soles."""
    share = load_share(params, state, p)
    a, b = zmp_of(params, state.place[RIGHT]), zmp_of(params, state.place[LEFT])
    mx, my = a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])
    off = p[0] - mx, p[1] - my
    first = within_sole(params, RIGHT, state.place[RIGHT], (a[0] + off[0], a[1] + off[1]))
    second = within_sole(params, LEFT, state.place[LEFT], (b[0] + off[0], b[1] + off[1]))
    return (
        (1.0 - share) * first[0] + share * second[0],
        (1.0 - share) * first[1] + share * second[1],
    )


@kernel
def distance(params, state, w, now, xi):
    """How far the DCM is from the plan, squared."""
    x, _ = reference(params, state, w, now, 0)
    y, _ = reference(params, state, w, now, 1)
    return (xi[0] - x) ** 2 + (xi[1] - y) ** 2


@kernel
def choose_time(seen, params, state, w, xi):
    """A foot that has landed early waits for its load, unless the DCM is nearer to the plan without waiting."""
    state.fresh = 0
    waits = state.since - seen.time
    if waits > 0.0:
        later = distance(params, state, w, seen.time, xi)
        state.since, state.until = state.since - waits, state.until - waits
        if later <= distance(params, state, w, seen.time, xi):
            state.since, state.until = state.since + waits, state.until + waits


@kernel
def follow_dcm(seen, params, state, c, u):
    """Set the ZMP that is commanded. Returns the acceleration of the centre of mass, level."""
    w2 = params.gravity / max(c[2] - state.high, 0.1)
    w = np.sqrt(w2)
    if state.fresh:
        choose_time(seen, params, state, w, (c[0] + u[0] / w, c[1] + u[1] / w))
    wanted = (0.0, 0.0)
    for axis in range(2):
        xi, p = reference(params, state, w, seen.time, axis)
        state.xi[axis], state.xi_ref[axis] = c[axis] + u[axis] / w, xi
        wanted = (p + (1.0 + params.gain / w) * (state.xi[axis] - xi), wanted[0])
    wanted = wanted[1], wanted[0]
    p = within_support(params, state, wanted)
    state.zmp[0], state.zmp[1] = p
    if state.phase == SINGLE and state.until - seen.time > params.frozen:
        adjust_step(seen, params, state, w, wanted, p)
    return w2 * (c[0] - p[0]), w2 * (c[1] - p[1])


@kernel
def adjust_step(seen, params, state, w, wanted, p):
    """If the ankle cannot hold the DCM, put the next foot where the plan can go on from.

    With the ankle at its limit p the DCM at touch-down will be p + e^{w left} (xi - p). The plan wants it to be at its end of
    single support, which moves with the next foot by the part e + B of its shift.
    """
    e, B = ramp(w, params.double_support)
    grows, part = np.exp(w * (state.until - seen.time)), e + B
    place, step = state.place[side_of(state.step)], footstep(params, state, state.step + 1)
    c, s = np.cos(place[YAW]), np.sin(place[YAW])
    miss_x = p[0] + grows * (state.xi[0] - p[0]) - end_of_single(params, state, w, 0)
    miss_y = p[1] + grows * (state.xi[1] - p[1]) - end_of_single(params, state, w, 1)
    over_x, over_y = wanted[0] - p[0], wanted[1] - p[1]
    ahead = (c * miss_x + s * miss_y) / part if abs(c * over_x + s * over_y) > EXACT else 0.0
    aside = (c * miss_y - s * miss_x) / part if abs(c * over_y - s * over_x) > EXACT else 0.0
    sign = 1.0 if side_of(state.step) == RIGHT else -1.0  # to the side of the foot that swings
    gap = sign * (c * (step[Y] - place[Y]) - s * (step[X] - place[X]))
    ahead = params.adjust * clip(ahead, -params.farthest, params.farthest)
    aside = params.adjust * sign * clip(sign * aside, min(params.nearest - gap, 0.0), params.farthest)
    state.shift[0], state.shift[1] = c * ahead - s * aside, s * ahead + c * aside
