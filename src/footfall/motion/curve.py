"""Base of all curves: checked when made, and called with a time or with an array of times."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import FootfallError, UnknownNameError
from footfall.motion.chain import ERROR, OUTSIDE, REPEAT, Chain, evaluate_rows

JOINS = 1e-9  # relative to its size, how far apart the ends of a curve that repeats may be
TOO_LARGE = "its numbers are too large, or its knots too close together"
FEW = 100  # numbers that are not worth compiling for


class MotionError(FootfallError):
    """An invalid curve, or a time at which a curve is not defined."""


class Motion(NamedTuple):
    """Where a curve is, and how it moves there."""

    position: np.ndarray
    velocity: np.ndarray
    acceleration: np.ndarray


@dataclass(frozen=True)
class Curve(ABC):
    """A motion over time, or over any other number such as a phase: a number, or a row of numbers such as the angles of a leg.

    `outside` says what happens before the first and after the last knot: "error" refuses, "hold" stays at the end, "straight"
    goes on with the velocity of the end, "extrapolate" follows the polynomial, "repeat" begins again.
    """

    outside: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        if self.outside is None:
            object.__setattr__(self, "outside", "error")
        if self.outside not in OUTSIDE:
            raise UnknownNameError(f"way to go on outside the knots (of {type(self).__name__})", self.outside, OUTSIDE)
        knots, points, outside = self.data
        if not (np.isfinite(points).all() and np.isfinite(knots).all()):
            raise MotionError(f"{type(self).__name__}: {TOO_LARGE}")
        if outside == REPEAT:
            start, end = points[0, 0], points[-1, -1]
            if np.abs(end - start).max() > JOINS * max(1.0, np.abs(points).max()):
                raise MotionError(
                    f"{type(self).__name__}: a curve that repeats must end where it begins, got {_shown(start)} and {_shown(end)}"
                )

    @abstractmethod
    def pieces(self) -> tuple[np.ndarray, np.ndarray]:
        """Knots, and the control points of the Bezier piece from each knot to the next, (pieces, degree + 1, size)."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """() for a curve of numbers, (n,) for one of rows."""

    @cached_property
    def data(self) -> Chain:
        """The data for compiled laws: evaluate(curve.data, time, k)."""
        knots, points = self.pieces()
        return Chain(np.ascontiguousarray(knots), np.ascontiguousarray(points), OUTSIDE[str(self.outside)])

    @property
    def span(self) -> tuple[float, float]:
        """The first and the last knot."""
        return float(self.data.knots[0]), float(self.data.knots[-1])

    def __call__(self, time: Any) -> np.ndarray:
        """The position at a time, or at each of an array of times."""
        return self.at(time).position

    def velocity(self, time: Any) -> np.ndarray:
        return self.at(time).velocity

    def acceleration(self, time: Any) -> np.ndarray:
        return self.at(time).acceleration

    def at(self, time: Any) -> Motion:
        """Position, velocity and acceleration at a time or at each of an array of times."""
        times = _times(self, time)
        out = np.zeros((3, times.size, self.data.points.shape[2]))
        reading = evaluate_rows.plain("planar") if out.size < FEW else evaluate_rows["planar"]
        reading(self.data, times.ravel(), out)
        return Motion(*(rows.reshape(times.shape + self.shape)[()] for rows in out))


def _times(curve: Curve, given: Any) -> np.ndarray:
    name = type(curve).__name__
    try:
        times = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise MotionError(f"{name}: a time must be a number, or an array of them, got {given!r:.80}") from None
    if not np.isfinite(times).all():
        raise MotionError(f"{name}: times must be finite, got {given!r:.80}")
    start, end = curve.span
    if curve.data.outside == ERROR and times.size and not (start <= times.min() and times.max() <= end):
        worst = times.min() if times.min() < start else times.max()
        raise MotionError(f"{name}: it is defined from {start:g} to {end:g}, asked at {worst:g} (see its `outside`)")
    return times


def frozen_rows(given: Any, what: str, count: int | None = None) -> Any:
    """A number or a row for each knot, checked, as tuples for a frozen object."""
    try:
        rows = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise MotionError(f"{what} must be numbers, or rows of one length, got {given!r:.80}") from None
    if rows.ndim not in (1, 2) or 0 in rows.shape:
        raise MotionError(f"{what} must be a row of numbers, or rows of one length, got shape {rows.shape}")
    if count is not None and len(rows) != count:
        raise MotionError(f"{what} must have {count} entries, one for each knot, got {len(rows)}")
    if not np.isfinite(rows).all():
        raise MotionError(f"{what} must be finite, got {rows[~np.isfinite(rows)][0]}")
    return tuple(rows.tolist()) if rows.ndim == 1 else tuple(tuple(row) for row in rows.tolist())


def frozen_knots(given: Any, what: str) -> tuple[float, ...]:
    """At least two times that ascend."""
    knots = frozen_rows(given, what)
    if isinstance(knots[0], tuple) or len(knots) < 2:
        raise MotionError(f"{what} must be a row of at least two numbers, got {given!r:.80}")
    late = next((i for i in range(1, len(knots)) if not knots[i] > knots[i - 1]), None)
    if late is not None:
        raise MotionError(f"{what} must ascend, got {knots[late]:g} after {knots[late - 1]:g}")
    return knots


def as_table(rows: Any) -> np.ndarray:
    """Frozen rows as (knots, size)."""
    table = np.array(rows, dtype=float)
    return table[:, None] if table.ndim == 1 else table


def shape_of(rows: Any) -> tuple[int, ...]:
    return np.shape(rows)[1:]


def _shown(row: np.ndarray) -> str:
    return f"{row[0]:g}" if len(row) == 1 else f"({', '.join(f'{x:g}' for x in row)})"
