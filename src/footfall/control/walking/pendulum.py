"""The inverted pendulum: the divergent component of motion (DCM), planned over the next steps, and the ZMP that follows it.

xi = c + c'/w with w^2 = g / height. In single support the ZMP is planned at the stance foot, in double support on a straight
line from foot to foot (Englsberger et al. 2015).
"""

import numpy as np

from footfall.control.walking.legs import LEFT, RIGHT, YAW, X, Y, Z, clip
from footfall.control.walking.steps import SINGLE, STAND, footstep, side_of, zmp_of
from footfall.core.jit import kernel
from footfall.motion.dcm import dcm_after, dcm_before, dcm_of, foothold_gain

AHEAD = 4  # steps that the plan looks ahead
EXACT = 1e-9  # m: less than this is nothing


@kernel
def end_of_single(params, state, w, axis):
    """The DCM wanted at the end of single support on row `state.step` of the plan, from the steps after it."""
    last = state.step + AHEAD
    xi = zmp_of(params, footstep(params, state, last))[axis]
    for k in range(last - 1, state.step, -1):
        p, p_next = zmp_of(params, footstep(params, state, k))[axis], zmp_of(params, footstep(params, state, k + 1))[axis]
        xi = dcm_before(xi, p, p_next, params.double_support, w)  # at the end of single support on k
        xi = dcm_before(xi, p, p, params.single_support, w)  # at its start
    p, p_next = state.ankle[1, axis], zmp_of(params, footstep(params, state, state.step + 1))[axis]
    return dcm_before(xi, p, p_next, params.double_support, w)


@kernel
def reference(params, state, w, now, axis):
    """DCM and ZMP of the plan at this moment."""
    a, b = state.ankle[0, axis], state.ankle[1, axis]
    if state.phase == STAND:
        return b, b
    if state.phase == SINGLE:
        return dcm_before(end_of_single(params, state, w, axis), b, b, max(state.until - now, 0.0), w), b
    T, left = state.until - state.since, max(state.until - now, 0.0)
    xi = b
    if state.step < len(params.plan) - 1:
        xi = dcm_before(end_of_single(params, state, w, axis), b, b, params.single_support, w)
    early, left = max(left - T, 0.0), min(left, T)  # a foot that landed early waits for its load
    p = b - (b - a) * left / T
    return dcm_before(dcm_before(xi, p, b, left, w), p, p, early, w), p


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
def height_between(state, share):
    """Height of the point on the line between the feet that shares the load so."""
    return state.place[RIGHT, Z] + share * (state.place[LEFT, Z] - state.place[RIGHT, Z])


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
    return (xi[0] - x) * (xi[0] - x) + (xi[1] - y) * (xi[1] - y)


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
        choose_time(seen, params, state, w, (dcm_of(c[0], u[0], w), dcm_of(c[1], u[1], w)))
    x, px = reference(params, state, w, seen.time, 0)
    y, py = reference(params, state, w, seen.time, 1)
    state.xi[0], state.xi[1] = dcm_of(c[0], u[0], w), dcm_of(c[1], u[1], w)
    state.xi_ref[0], state.xi_ref[1] = x, y
    k = 1.0 + params.gain / w
    wanted = px + k * (state.xi[0] - x), py + k * (state.xi[1] - y)
    p = within_support(params, state, wanted)
    state.zmp[0], state.zmp[1] = p
    if state.phase == SINGLE and state.until - seen.time > params.frozen:
        adjust_step(seen, params, state, w, wanted, p)
    return w2 * (c[0] - p[0]), w2 * (c[1] - p[1])


@kernel
def adjust_step(seen, params, state, w, wanted, p):
    """If the ankle cannot hold the DCM, put the next foot where the plan can go on from.

    With the ankle at its limit p until touch-down, the DCM will not be where the plan has it then. The plan moves with the foot.
    """
    left, gain = state.until - seen.time, foothold_gain(params.double_support, w)
    place, step = state.place[side_of(state.step)], footstep(params, state, state.step + 1)
    c, s = np.cos(place[YAW]), np.sin(place[YAW])
    off_x = dcm_after(state.xi[0], p[0], p[0], left, w) - end_of_single(params, state, w, 0)
    off_y = dcm_after(state.xi[1], p[1], p[1], left, w) - end_of_single(params, state, w, 1)
    over_x, over_y = wanted[0] - p[0], wanted[1] - p[1]
    ahead = gain * (c * off_x + s * off_y) if abs(c * over_x + s * over_y) > EXACT else 0.0
    aside = gain * (c * off_y - s * off_x) if abs(c * over_y - s * over_x) > EXACT else 0.0
    sign = 1.0 if side_of(state.step) == RIGHT else -1.0  # to the side of the foot that swings
    gap = sign * (c * (step[Y] - place[Y]) - s * (step[X] - place[X]))
    ahead = params.adjust * clip(ahead, -params.farthest, params.farthest)
    aside = params.adjust * sign * clip(sign * aside, min(params.nearest - gap, 0.0), params.farthest)
    state.shift[0], state.shift[1] = c * ahead - s * aside, s * ahead + c * aside
