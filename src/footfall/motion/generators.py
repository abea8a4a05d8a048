"""Trajectory generators (Stewart and Cremer 1989, section 5): second derivatives of a quantity as equations of an algorithm.

They take what an algorithm can ask for, `algo.point("heel_left")` or `algo.joint("knee_left")`, and return an equation for
`algo.equate(name, ...)`. The printed PD generator (figure 2) has a double pole at -1/r with r = -delta_time / ln 0.01. From rest
it leaves (1 + ln 100) / 100 = 5.6 % of the way at delta_time, not the 1 % that the text promises; with `reaching=True` the pole
is where 1 % is left.
"""

from math import isfinite, log
from typing import Any

import numpy as np

from footfall.motion.curve import MotionError

PRINTED = log(100.0)  # the pole times delta_time, as figure 2 has it
REACHING = 6.638352067993813  # and where (1 + k) exp(-k) = 0.01: from rest, 1 % of the way is left


def pole(delta_time: float, reaching: bool = False) -> float:
    """The double pole of the PD generators, 1/s."""
    if not (isinstance(delta_time, int | float | np.number) and isfinite(delta_time) and delta_time > 0.0):
        raise MotionError(f"a generator needs a time above 0 s, got {delta_time!r:.40}")
    return (REACHING if reaching else PRINTED) / float(delta_time)


def _parts(thing: Any, what: str, *names: str) -> list[Any]:
    """Quantities of what a generator moves."""
    if not all(hasattr(thing, name) for name in names):
        raise MotionError(f"a generator takes {what}, got {thing!r:.60}")
    return [getattr(thing, name) for name in names]


def position_with_pd(point: Any, desired: Any, delta_time: float, reaching: bool = False) -> Any:
    """Bring a point to a place: a + 2 v / r + (x - x_desired) / r^2 = 0 (figure 2)."""
    w = pole(delta_time, reaching)
    a, v, x = _parts(point, "a point or body, such as algo.point('heel_left')", "acceleration", "velocity", "position")
    return a + 2.0 * w * v + w * w * (x - desired) == 0.0


def orient_with_pd(body: Any, desired: Any, delta_time: float, reaching: bool = False) -> Any:
    """Bring a body to an orientation, by the rotation vector that is left: no angles, so no orientation is special."""
    w, names = pole(delta_time, reaching), ("angular_acceleration", "angular_velocity", "orientation_error")
    a, v, error = _parts(body, "a body or frame, such as algo.body('torso')", *names)
    return a + 2.0 * w * v + w * w * error(desired) == 0.0


def set_angle_with_pd(joint: Any, angle: Any, delta_time: float, reaching: bool = False) -> Any:
    """Bring a joint to an angle."""
    w = pole(delta_time, reaching)
    a, v, now = _parts(joint, "a joint, such as algo.joint('knee_left')", "acceleration", "velocity", "angle")
    return a + 2.0 * w * v + w * w * (now - angle) == 0.0


def position_point_with_quintic(algo: Any, point: Any, position: Any, velocity: Any, duration: float) -> Any:
    """Bring a point to a place with a velocity there; accelerations are zero at both ends. From now on, open loop."""
    x, v = algo.value(point.position), algo.value(point.velocity)
    return point.acceleration == algo.curve(quintic_through(x, v, position, velocity, duration), duration)[2]


def position_point_with_quartic(algo: Any, point: Any, position: Any, velocity: Any, duration: float) -> Any:
    """The same with an acceleration of zero at the start only (figure 6)."""
    x, v = algo.value(point.position), algo.value(point.velocity)
    return point.acceleration == algo.curve(quartic_through(x, v, position, velocity, duration), duration)[2]


def quintic_through(x: Any, v: Any, x_end: Any, v_end: Any, duration: float) -> np.ndarray:
    """Coefficients from the constant on, a row for each entry: x, v at the start and the end, accelerations zero there."""
    T, x, v, d, e = _ends(x, v, x_end, v_end, duration)
    zero = np.zeros_like(x)
    cubic = (10.0 * d - 4.0 * e) / T**3
    return np.stack((x, v, zero, cubic, (7.0 * e - 15.0 * d) / T**4, (6.0 * d - 3.0 * e) / T**5), axis=1)


def quartic_through(x: Any, v: Any, x_end: Any, v_end: Any, duration: float) -> np.ndarray:
    """Coefficients from the constant on: x, v at the start and the end, the acceleration zero at the start."""
    T, x, v, d, e = _ends(x, v, x_end, v_end, duration)
    return np.stack((x, v, np.zeros_like(x), (4.0 * d - e) / T**3, (e - 3.0 * d) / T**4), axis=1)


def _ends(
    x: Any, v: Any, x_end: Any, v_end: Any, duration: float
) -> tuple[float, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Duration, start, and what a straight motion at the first velocity lacks: d of the way, e of velocity times duration."""
    pole(duration)
    try:
        rows = [np.atleast_1d(np.array(each, float)) for each in (x, v, x_end, v_end)]
    except (TypeError, ValueError, OverflowError):
        raise MotionError(f"places and velocities must be rows of numbers, got {x_end!r:.60} and {v_end!r:.60}") from None
    if len({row.shape for row in rows}) != 1 or not all(np.isfinite(row).all() for row in rows):
        raise MotionError(f"places and velocities must be finite and have as many entries, got {rows!r:.120}")
    x, v, x_end, v_end = rows
    return float(duration), x, v, x_end - x - duration * v, duration * (v_end - v)
