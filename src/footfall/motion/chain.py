"""Curves as laws read them: a chain of Bezier pieces, and the kernels that evaluate it.

A piece of degree n from one knot to the next is sum of C(n, i) (1 - s)^(n - i) s^i P_i, s from 0 to 1. In this form pieces begin
and end exactly at their first and last control points, and nothing is lost to cancellation. The kernels are `exact`: they
round as the plain reading does.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel

ERROR, HOLD, STRAIGHT, EXTRAPOLATE, REPEAT = 0, 1, 2, 3, 4  # what a curve does outside its knots
OUTSIDE = {"error": ERROR, "hold": HOLD, "straight": STRAIGHT, "extrapolate": EXTRAPOLATE, "repeat": REPEAT}


class Chain(NamedTuple):
    """A curve as arrays; a field of the parameters of a law."""

    knots: Any  # (m + 1,) ascending
    points: Any  # (m, n + 1, size) control points of each piece
    outside: Any  # int, see OUTSIDE


class Inside(NamedTuple):
    """The time at which a curve is evaluated for a time that may be outside its knots."""

    time: Any
    beyond: Any  # straight on from there for so long
    moves: Any  # 1, or 0 where the curve rests
    bends: Any  # 1, or 0 where it has no acceleration


@kernel(exact=True)
def bring_inside(time, start, end, outside):
    if (time >= start and time <= end) or outside == EXTRAPOLATE:
        return Inside(time, 0.0, 1.0, 1.0)
    if outside == REPEAT:
        turn = time - (end - start) * np.floor((time - start) / (end - start))
        return Inside(min(max(turn, start), end), 0.0, 1.0, 1.0)
    edge = start if time < start else end
    if outside == HOLD:
        return Inside(edge, 0.0, 0.0, 0.0)
    if outside == STRAIGHT:
        return Inside(edge, time - edge, 1.0, 0.0)
    return Inside(np.nan, 0.0, 1.0, 1.0)


@kernel(exact=True)
def difference(points, order, i):
    """The difference of that order (0, 1 or 2) of the control points."""
    if order == 0:
        return points[i]
    if order == 1:
        return points[i + 1] - points[i]
    return (points[i + 2] - points[i + 1]) - (points[i + 1] - points[i])


@kernel(exact=True)
def bernstein(points, order, s):
    """The polynomial whose Bernstein coefficients are the differences of `points`: without factors, its derivative."""
    n, r = len(points) - 1 - order, 1.0 - s
    total, choose = 0.0, 1.0
    for i in range(n + 1):
        weight = choose
        for _ in range(n - i):
            weight *= r
        for _ in range(i):
            weight *= s
        total += weight * difference(points, order, i)
        choose = choose * (n - i) / (i + 1)
    return total


@kernel(exact=True)
def piece(points, s):
    """Position, velocity and acceleration of one Bezier piece, over its own s; points are numbers, in a tuple or a row."""
    n = len(points) - 1
    return bernstein(points, 0, s), n * bernstein(points, 1, s), n * (n - 1) * bernstein(points, 2, s)


@kernel(exact=True)
def piece_at(knots, time):
    """The piece in which a time lies: a knot belongs to the piece after it, the last one to the piece before."""
    low, high = 0, len(knots) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if time < knots[middle]:
            high = middle
        else:
            low = middle
    return low


@kernel(exact=True)
def evaluate(curve, time, k):
    """Position, velocity and acceleration of entry k of a curve; NaN outside its knots if the curve says "error" there."""
    knots = curve.knots
    where = bring_inside(time, knots[0], knots[len(knots) - 1], curve.outside)
    j = piece_at(knots, where.time)
    h = knots[j + 1] - knots[j]
    x, v, a = piece(curve.points[j, :, k], (where.time - knots[j]) / h)
    v = v / h
    return x + v * where.beyond, v * where.moves, a / (h * h) * where.bends


@kernel(exact=True)
def evaluate_rows(curve, times, out):
    """All entries at many times: out[0], out[1], out[2] are positions, velocities and accelerations, a row for each time."""
    for i in range(len(times)):
        for k in range(curve.points.shape[2]):
            x, v, a = evaluate(curve, times[i], k)
            out[0, i, k], out[1, i, k], out[2, i, k] = x, v, a
