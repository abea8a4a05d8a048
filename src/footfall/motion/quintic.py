"""Quintic curves: position, velocity and acceleration given at every knot, so that no acceleration jumps."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.motion.curve import Curve, MotionError, as_table, frozen_knots, frozen_rows, shape_of


@dataclass(frozen=True)
class Quintic(Curve):
    """A polynomial of degree five between every two knots. Velocities and accelerations that are left out are zero.

    Between two knots at rest it is the motion of least jerk, x0 + (x1 - x0) (10 s^3 - 15 s^4 + 6 s^5) (Flash and Hogan 1985).
    """

    times: Any
    positions: Any
    velocities: Any = None
    accelerations: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", frozen_knots(self.times, "Quintic: times"))
        object.__setattr__(self, "positions", frozen_rows(self.positions, "Quintic: positions", len(self.times)))
        for name in ("velocities", "accelerations"):
            given = getattr(self, name)
            rows = np.zeros(np.shape(self.positions)) if given is None else given
            rows = frozen_rows(rows, f"Quintic: {name}", len(self.times))
            if np.shape(rows) != np.shape(self.positions):
                raise MotionError(
                    f"Quintic: {name} must have the shape of positions, {np.shape(self.positions)}, got {np.shape(rows)}"
                )
            object.__setattr__(self, name, rows)
        super().__post_init__()

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.positions)

    def pieces(self) -> tuple[np.ndarray, np.ndarray]:
        """Hermite's conditions in Bernstein form: x, x + h v / 5, x + 2 h v / 5 + h^2 a / 20, and the same from the end."""
        knots = np.array(self.times)
        x, v, a = as_table(self.positions), as_table(self.velocities), as_table(self.accelerations)
        h = np.diff(knots)[:, None]
        first = (x[:-1], x[:-1] + h * v[:-1] / 5.0, x[:-1] + 2.0 * h * v[:-1] / 5.0 + h * h * a[:-1] / 20.0)
        last = (x[1:] - 2.0 * h * v[1:] / 5.0 + h * h * a[1:] / 20.0, x[1:] - h * v[1:] / 5.0, x[1:])
        return knots, np.stack((*first, *last), axis=1)
