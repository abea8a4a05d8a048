"""The line that a walk follows: straight on, or a circle. Places on it are (s, d), the way along it and how far to its left."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.trig import cos_sin


class Course(NamedTuple):
    """From a point on, in a direction, with a curvature (positive to the left)."""

    x: Any  # m
    y: Any  # m
    yaw: Any  # rad
    curvature: Any  # 1/m

    def at(self, s: Any) -> tuple[np.ndarray, np.ndarray]:
        """(n, 2) points, and (n,) directions in rad, for ways s."""
        turn = self.curvature * np.asarray(s)
        chord, way = np.asarray(s) * np.sinc(turn / (2.0 * np.pi)), self.yaw + 0.5 * turn
        return np.stack((self.x + chord * np.cos(way), self.y + chord * np.sin(way)), axis=-1), self.yaw + turn

    def seen(self, s: Any, points: np.ndarray) -> np.ndarray:
        """(n, 2) points as seen from those at s: along the direction there, and to its left."""
        here, yaw = self.at(s)
        x, y = np.moveaxis(points[..., :2] - here, -1, 0)
        c, sn = np.cos(yaw), np.sin(yaw)
        return np.stack((c * x + sn * y, c * y - sn * x), axis=-1)

    def left(self, s: Any, points: np.ndarray) -> np.ndarray:
        """(n,) d of points near those at s: 1/k - sqrt(a^2 + (1/k - b)^2), such that it is b for a curvature k of 0."""
        a, b = np.moveaxis(self.seen(s, points), -1, 0)
        k = self.curvature
        return (2.0 * b - k * (a * a + b * b)) / (1.0 + np.hypot(1.0 - k * b, k * a))

    def leftward(self, s: Any, points: np.ndarray) -> np.ndarray:
        """(n, 2) the direction in which d of points near those at s grows."""
        a, b = np.moveaxis(self.seen(s, points), -1, 0)
        yaw = self.at(s)[1] + np.arctan2(self.curvature * a, 1.0 - self.curvature * b)
        return np.stack((-np.sin(yaw), np.cos(yaw)), axis=-1)


@kernel
def put_on_course(course: Any, s: Any, d: Any, i: Any, body: Any) -> None:
    """Row i of the motion (3, n, 6) of a body: x, y and yaw of one that faces along the course, for (s, d) and derivatives.

    With t along the course and n to its left, v = s' (1 - k d) t + d' n and
    a = (s'' (1 - k d) - 2 k s' d') t + (d'' + k s'^2 (1 - k d)) n.
    """
    k = course.curvature
    half = 0.5 * k * s[0]
    c, sn = cos_sin(course.yaw + half)
    chord = s[0] * (np.sin(half) / half if half != 0.0 else 1.0)
    body[0, i, 0], body[0, i, 1] = course.x + chord * c, course.y + chord * sn
    c, sn = cos_sin(course.yaw + 2.0 * half)
    rest = 1.0 - k * d[0]
    v, a, b = s[1] * rest, s[2] * rest - 2.0 * k * s[1] * d[1], d[2] + k * s[1] * s[1] * rest
    body[0, i, 0] -= d[0] * sn
    body[0, i, 1] += d[0] * c
    body[1, i, 0], body[1, i, 1] = c * v - sn * d[1], sn * v + c * d[1]
    body[2, i, 0], body[2, i, 1] = c * a - sn * b, sn * a + c * b
    body[0, i, 5], body[1, i, 5], body[2, i, 5] = course.yaw + k * s[0], k * s[1], k * s[2]


@kernel
def put_rows_on_course(course: Any, s: Any, d: Any, body: Any) -> None:
    """All rows, for s and d (3, n)."""
    for i in range(s.shape[1]):
        put_on_course(course, s[:, i], d[:, i], i, body)
