"""The divergent component of motion (DCM), also called capture point: xi = c + c'/w, w = sqrt(g/z).

An inverted pendulum has a part that converges to the DCM by itself, c' = w (xi - c), and one that runs away from the ZMP p,
xi' = w (xi - p). A walk in balance is one whose DCM does not run away. So its reference is found backward from the last
place, at which the robot stops (Englsberger et al. 2013). While the ZMP moves straight from p_0 to p_T in the time T, with
the velocity r = (p_T - p_0) / T,

    xi(t) = p(t) + r/w + (xi_T - p_T - r/w) exp(-w (T - t))
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.motion.chain import piece_at
from footfall.motion.curve import MotionError
from footfall.motion.footsteps import FootstepPlan


@kernel
def dcm_of(c: Any, v: Any, w: Any) -> Any:
    """xi = c + c'/w of one coordinate: the capture point, on which the ZMP would stop the pendulum."""
    return c + v / w


@kernel
def dcm_before(xi_end: Any, p: Any, p_end: Any, time: Any, w: Any) -> Any:
    """The DCM that comes to `xi_end` after a time in which the ZMP moves straight from p to p_end."""
    drift = (p_end - p) / (time * w) if time > 0.0 else 0.0
    return p + drift + (xi_end - p_end - drift) * np.exp(-w * time)


@kernel
def dcm_after(xi: Any, p: Any, p_end: Any, time: Any, w: Any) -> Any:
    """The DCM after a time in which the ZMP moves straight from p to p_end."""
    drift = (p_end - p) / (time * w) if time > 0.0 else 0.0
    return p_end + drift + (xi - p - drift) * np.exp(w * time)


@kernel
def step_time(xi: Any, p: Any, xi_end: Any, w: Any, least: Any, most: Any) -> Any:
    """Time after which the DCM, pushed by a ZMP at rest, comes to `xi_end`, within bounds. xi, p and xi_end are (x, y).

    It counts along the line from the ZMP to `xi_end`.
    """
    x, y = xi_end[0] - p[0], xi_end[1] - p[1]
    here, there = (xi[0] - p[0]) * x + (xi[1] - p[1]) * y, x * x + y * y
    if here <= 0.0 or there <= 0.0:
        return most
    return min(max(np.log(there / here) / w, least), most)


@kernel
def foothold_gain(double: Any, w: Any) -> Any:
    """How far a foothold must move for each metre that the DCM at touch-down is off: w T / (1 - exp(-w T)), T the double
    support in which the ZMP goes over to it."""
    return w * double / (1.0 - np.exp(-w * double)) if double > 0.0 else 1.0


class Adjustment(NamedTuple):
    """A step that takes up an error: time until touch-down, and how far the foothold moves."""

    time: Any
    x: Any
    y: Any


@kernel
def adjust_step(xi: Any, p: Any, xi_end: Any, w: Any, double: Any, bounds: Any) -> Any:
    """Step adjustment in time and place. The ZMP stays at p until touch-down; `xi_end` is the DCM that the plan has there.

    First the time is chosen, within bounds = (least, most), then the foothold takes up what is left: the DCM relative to the new
    foot is the planned one when the ZMP has come there. All points are (x, y).
    """
    time = step_time(xi, p, xi_end, w, bounds[0], bounds[1])
    gain = foothold_gain(double, w)
    x = gain * (dcm_after(xi[0], p[0], p[0], time, w) - xi_end[0])
    y = gain * (dcm_after(xi[1], p[1], p[1], time, w) - xi_end[1])
    return Adjustment(time, x, y)


class DcmData(NamedTuple):
    """A DCM reference as compiled laws read it, see `dcm_reference_at`."""

    frequency: Any
    knots: Any  # (m,)
    zmp: Any  # (m, 2)
    dcm: Any  # (m, 2)
    com: Any  # (m, 2)


@kernel
def dcm_piece(data: Any, j: Any, s: Any, k: Any) -> Any:
    """ZMP, DCM and centre of mass of coordinate k, a time s after knot j."""
    w, T = data.frequency, data.knots[j + 1] - data.knots[j]
    p0, rate = data.zmp[j, k], (data.zmp[j + 1, k] - data.zmp[j, k]) / T
    away = data.dcm[j + 1, k] - data.zmp[j + 1, k] - rate / w
    p = p0 + rate * s
    near = data.com[j, k] - p0 - 0.5 * away * np.exp(-w * T)
    grows = away * np.exp(-w * (T - s))
    return p, p + rate / w + grows, p + 0.5 * grows + near * np.exp(-w * s)


@kernel
def dcm_reference_at(data: Any, time: Any, k: Any) -> Any:
    """ZMP, DCM and centre of mass of coordinate k at a time; outside the knots, those of the first and of the last."""
    t = min(max(time, data.knots[0]), data.knots[len(data.knots) - 1])
    j = piece_at(data.knots, t)
    return dcm_piece(data, j, t - data.knots[j], k)


@kernel
def dcm_rows(data: Any, times: Any, out: Any) -> None:
    for i in range(len(times)):
        for k in range(2):
            out[0, i, k], out[1, i, k], out[2, i, k] = dcm_reference_at(data, times[i], k)


class DcmRows(NamedTuple):
    """ZMP, DCM, centre of mass and its velocity, (n, 2) each."""

    zmp: np.ndarray
    dcm: np.ndarray
    com: np.ndarray
    com_velocity: np.ndarray


@dataclass(frozen=True)
class DcmReference:
    """The DCM over a footstep plan in closed form, for a centre of mass at a height above the ground."""

    plan: FootstepPlan
    height: float
    ahead: float = 0.0
    inward: float = 0.0
    gravity: float = 9.81

    def __post_init__(self) -> None:
        if not (0.0 < self.height < np.inf and 0.0 < self.gravity < np.inf):
            raise MotionError(f"DcmReference: height and gravity must be above 0, got {self.height!r} and {self.gravity!r}")

    @property
    def frequency(self) -> float:
        """w = sqrt(g / z), in rad/s."""
        return float(np.sqrt(self.gravity / self.height))

    @cached_property
    def data(self) -> DcmData:
        """The knots, for compiled laws: DCM backward from rest at the end, centre of mass forward from rest at the start."""
        knots, places = self.plan.zmp_knots(self.ahead, self.inward)
        keep = np.append(True, np.diff(knots) > 1e-12)
        knots, zmp = knots[keep], np.ascontiguousarray(places[keep, :2])
        w, dcm = self.frequency, np.array(zmp)
        for j in range(len(knots) - 2, -1, -1):
            for k in range(2):
                dcm[j, k] = dcm_before.plain("planar")(dcm[j + 1, k], zmp[j, k], zmp[j + 1, k], knots[j + 1] - knots[j], w)
        data = DcmData(w, knots, zmp, dcm, dcm.copy())
        for j in range(1, len(knots)):
            for k in range(2):
                _, _, data.com[j, k] = dcm_piece.plain("planar")(data, j - 1, knots[j] - knots[j - 1], k)
        return data

    def at(self, times: Any) -> DcmRows:
        """The reference at times."""
        rows = np.atleast_1d(np.asarray(times, dtype=float))
        out = np.zeros((3, len(rows), 2))
        dcm_rows["planar"](self.data, rows, out)
        return DcmRows(out[0], out[1], out[2], self.frequency * (out[1] - out[2]))


def capture_point(position: Any, velocity: Any, height: float, gravity: float = 9.81) -> np.ndarray:
    """Where the ZMP must be for the pendulum to come to rest above it: c + c' sqrt(z/g), seen from above."""
    return np.asarray(position, dtype=float) + np.asarray(velocity, dtype=float) * np.sqrt(height / gravity)
