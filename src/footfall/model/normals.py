"""Frames on a chain of axes by the rules of Denavit and Hartenberg: z on the axis, x on the common normal to the next."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from footfall.errors import RobotError
from footfall.model.serial import Axis, Serial
from footfall.model.transforms import rigid

PARALLEL = 1e-12  # rad: axes closer than this are parallel
ASKEW = 1e-7  # rad: between these two, the common normal is so far away that digits are lost
MEET = 1e-12  # m: axes closer than this meet


class _Normal(NamedTuple):
    """The common normal of two axes."""

    x: np.ndarray | None  # its direction; None where any will do
    foot: np.ndarray | None  # where it leaves the first axis; None where any point will do
    length: float
    signed: bool  # whether the direction is decided, because the axes do not meet


def frames_along(chain: Serial, convention: str) -> list[np.ndarray]:
    """Frame 0, a frame on every axis with x towards the next one, and the last frame (that of the tail in the standard
    convention), all in the axes of the base in the zero position."""
    axes, placed = chain.axes, []
    x, origin = _across(axes[0].direction), axes[0].point
    for axis, after in pairwise(axes):
        normal = _normal(axis, after)
        if normal.x is not None:
            keep = normal.signed or normal.x @ x >= 0.0
            x = normal.x if keep else -normal.x
        x = _perpendicular(x, axis.direction)
        origin = _on(axis, origin) if normal.foot is None else normal.foot
        placed.append(_frame(axis, x, origin))
        origin = origin + normal.length * x
    last, tail = _last(chain, _perpendicular(x, axes[-1].direction), _on(axes[-1], origin), convention)
    placed.append(last)
    first = np.eye(4) if _fits(np.eye(4), axes[0], convention == "modified") else placed[0]
    return [first, *placed, tail]


def _last(chain: Serial, x: np.ndarray, origin: np.ndarray, convention: str) -> tuple[np.ndarray, np.ndarray]:
    """The frame on the last axis and that of the tail, so that the target itself is the tail if it can be."""
    axis, end = chain.axes[-1], chain.end
    if _fits(end, axis, convention == "standard"):
        if convention == "modified":
            return end, end
        along = (axis.point - end[:3, 3]) @ end[:3, 0]
        return _frame(axis, end[:3, 0], end[:3, 3] + along * end[:3, 0]), end
    own = _frame(axis, x, origin)
    return own, own


def _fits(frame: np.ndarray, axis: Axis, by_x: bool) -> bool:
    """Whether a frame is one row away from an axis: its x meets the axis at a right angle, or its z is the axis."""
    away = frame[:3, 3] - axis.point
    if by_x:
        x = frame[:3, 0]
        return abs(x @ axis.direction) < PARALLEL and abs(away @ np.cross(x, axis.direction)) < MEET
    across = away - (away @ axis.direction) * axis.direction
    return float(np.abs(frame[:3, 2] - axis.direction).max()) < PARALLEL and float(np.abs(across).max()) < MEET


def _normal(one: Axis, two: Axis) -> _Normal:
    across, between = np.cross(one.direction, two.direction), two.point - one.point
    sine = float(np.linalg.norm(across))
    if sine < PARALLEL:
        aside = between - (between @ one.direction) * one.direction
        length = float(np.linalg.norm(aside))
        return _Normal(aside / length, None, length, True) if length > MEET else _Normal(None, None, 0.0, False)
    if sine < ASKEW:
        raise RobotError(
            f"axes {one.name!r} and {two.name!r} are parallel but for {sine:.2g} rad; link parameters cannot express that, their "
            f"common normal is {abs(between @ np.cross(two.direction, across)) / sine**2:.2g} m away. Make them parallel"
        )
    x = across / sine
    length = float(between @ x)
    if length < 0.0:
        x, length = -x, -length
    foot = one.point + (np.cross(between, two.direction) @ across) / sine**2 * one.direction
    return _Normal(x, foot, length, length > MEET)


def _frame(axis: Axis, x: np.ndarray, origin: np.ndarray) -> np.ndarray:
    return rigid(np.column_stack((x, np.cross(axis.direction, x), axis.direction)), origin)


def _on(axis: Axis, point: np.ndarray) -> np.ndarray:
    """The point of an axis that is nearest."""
    return axis.point + ((point - axis.point) @ axis.direction) * axis.direction


def _perpendicular(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    """x without what it has along z."""
    x = x - (x @ z) * z
    return x / np.linalg.norm(x)


def _across(z: np.ndarray) -> np.ndarray:
    """A direction across z: along x if it can be."""
    nearest = np.eye(3)[0] if abs(z[0]) < 0.9 else np.eye(3)[2]
    return _perpendicular(nearest, z)
