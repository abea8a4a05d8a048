"""Cubic splines: through all points, with velocity and acceleration that do not jump."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.errors import UnknownNameError
from footfall.motion.curve import JOINS, TOO_LARGE, Curve, MotionError, as_table, frozen_knots, frozen_rows, shape_of

ENDS = ("natural", "clamped", "periodic")


@dataclass(frozen=True)
class Cubic(Curve):
    """The cubic spline through positions at times.

    Its ends are "natural" (no acceleration), "clamped" (with the `velocities` of the first and the last knot, zero if left out)
    or "periodic" (the last position is the first one, the spline goes round smoothly, and it repeats unless told otherwise).
    """

    times: Any
    positions: Any
    ends: str = "natural"
    velocities: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "times", frozen_knots(self.times, "Cubic: times"))
        object.__setattr__(self, "positions", frozen_rows(self.positions, "Cubic: positions", len(self.times)))
        if self.ends not in ENDS:
            raise UnknownNameError("kind of ends (of Cubic)", self.ends, ENDS)
        if self.velocities is not None:
            self._check_velocities()
        if self.ends == "periodic":
            self._check_period()
        super().__post_init__()

    def _check_velocities(self) -> None:
        if self.ends != "clamped":
            raise MotionError(f"Cubic: velocities are those of clamped ends; the ends are {self.ends}")
        rows = frozen_rows(self.velocities, "Cubic: velocities")
        if np.shape(rows) != (2, *self.shape):
            raise MotionError(f"Cubic: velocities must have shape {(2, *self.shape)}, first and last knot, got {np.shape(rows)}")
        object.__setattr__(self, "velocities", rows)

    def _check_period(self) -> None:
        x = as_table(self.positions)
        if np.abs(x[-1] - x[0]).max() > JOINS * max(1.0, np.abs(x).max()):
            raise MotionError(
                f"Cubic: the last position of a periodic spline must be the first, {self.positions[0]}, got {self.positions[-1]}"
            )
        if self.outside is None:
            object.__setattr__(self, "outside", "repeat")

    @property
    def shape(self) -> tuple[int, ...]:
        return shape_of(self.positions)

    def pieces(self) -> tuple[np.ndarray, np.ndarray]:
        """Slopes at the knots from SciPy; each piece then is Hermite's cubic, x, x + h v / 3, and the same from the end."""
        from scipy.interpolate import CubicSpline

        knots, x = np.array(self.times), as_table(self.positions)
        ends: Any = self.ends
        if ends == "periodic":
            x[-1] = x[0]
        elif ends == "clamped" and self.velocities is not None:
            first, last = as_table(self.velocities)
            ends = ((1, first), (1, last))
        try:
            with np.errstate(all="ignore"):
                v = CubicSpline(knots, x, bc_type=ends)(knots, 1)
        except (ValueError, np.linalg.LinAlgError) as error:
            raise MotionError(f"Cubic: no spline goes through these positions ({error}); {TOO_LARGE}") from None
        h = np.diff(knots)[:, None]
        return knots, np.stack((x[:-1], x[:-1] + h * v[:-1] / 3.0, x[1:] - h * v[1:] / 3.0, x[1:]), axis=1)
