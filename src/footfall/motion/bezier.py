"""Bezier curves: drawn by a few control points, of which the first and the last are on the curve."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.core.jit import kernel
from footfall.motion.chain import bring_inside, piece
from footfall.motion.curve import Curve, MotionError, as_table, frozen_knots, frozen_rows, shape_of

MOST_POINTS = 32


@dataclass(frozen=True)
class Bezier(Curve):
    """The Bezier curve of two or more control points, from `start` to `end`."""

    points: Any
    start: float = 0.0
    end: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "points", frozen_rows(self.points, "Bezier: points"))
        start, end = frozen_knots((self.start, self.end), "Bezier: start and end")
        object.__setattr__(self, "start", start)
        object.__setattr__(self, "end", end)
        if not 2 <= len(self.points) <= MOST_POINTS:
            raise MotionError(f"Bezier: points must be 2 to {MOST_POINTS}, got {len(self.points)}")
        super().__post_init__()

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.points)

    def pieces(self) -> tuple[np.ndarray, np.ndarray]:
        return np.array((self.start, self.end)), as_table(self.points)[None]


@kernel(exact=True)
def bezier(points: Any, s: Any, outside: int) -> tuple:
    """Position, velocity and acceleration over s from 0 to 1 of a curve whose control points a law chooses as it goes.

    `points` are numbers in a tuple or a row: one coordinate of the control points. `outside` is HOLD, STRAIGHT, ... of `chain`.
    """
    where = bring_inside(s, 0.0, 1.0, outside)
    x, v, a = piece(points, where.time)
    return x + v * where.beyond, v * where.moves, a * where.bends


@kernel
def cubic_bezier(a: float, b: float, c: float, d: float, t: float) -> tuple[float, float]:
    """Position and velocity of the curve of four control points, by Bernstein polynomials; straight on after its end."""
    if t > 1.0:
        return d + 3.0 * (d - c) * (t - 1.0), 3.0 * (d - c)
    r = 1.0 - t
    place = r * r * r * a + 3.0 * r * r * t * b + 3.0 * r * t * t * c + t * t * t * d
    return place, 3.0 * (r * r * (b - a) + 2.0 * r * t * (c - b) + t * t * (d - c))
