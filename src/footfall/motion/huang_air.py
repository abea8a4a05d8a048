"""A clean foot of Huang's pattern in the air: neither toe nor heel goes below ground.

Quintics lead the ankle over its highest point. Where they would bring toe or heel below ground, the ankle's height moves toward

    z = (1 - w) D + w H

by the least part that keeps both above, and the ankle below H. H is the highest point. D is the height at which the lower of toe
and heel would just touch, with the corner where these change places rounded upward. w goes from 0 at toe-off to 1 at the highest
point and back to 0 at landing. H and D are at or above what toe and heel need, so every height between them is. At the three
instants z, its velocity and its acceleration are those of a foot that turns about the toe, is at rest at H, and turns about the
heel.

The ground is the plane of both places. Where they have planes of their own, as on stairs, it glides from one to the other;
`feasibility` checks a pattern against the terrain itself.
"""

from typing import Any

import numpy as np

from footfall.motion.curve import MotionError
from footfall.motion.footsteps import Footstep
from footfall.motion.quintic import Quintic

SAMPLES = 1000  # instants between two knots at which toe and heel are checked
SHARE = 0.02  # of the clearance along D and H that a foot keeps at least
ROUND = 0.05  # of the sole's length: how far D is rounded upward
SPARE = 1e-3  # m: the highest point over what toe and heel need
LEVEL = 1e-9  # m: an ankle that is no more above its highest point is at it


class Air:
    """The ankle from toe-off over its highest point to landing; `turns` are the curves of the foot's pitch and yaw."""

    def __init__(self, ankle: Quintic, turns: tuple[Quintic, Quintic], ends: tuple[Footstep, Footstep], sole: tuple[float, ...]):
        self.ankle, self.turns, self.ends = ankle, turns, ends
        self.points = ((sole[1], -sole[2]), (-sole[0], -sole[2]))
        t = np.array(ankle.times)
        self.high = float(ankle.positions[1][2])
        self.glide = Quintic(t[[0, 2]], (0.0, 1.0))
        self.rise = Quintic(t, (0.0, 1.0, 0.0))
        within = np.arange(1, SAMPLES) / SAMPLES
        times = np.concatenate((t[0] + (t[1] - t[0]) * within, t[1:2], t[1] + (t[2] - t[1]) * within))
        clearances, z = self._clearances(times), np.array(ankle.at(times))[..., 2]
        lower = np.minimum(*clearances[:, 0])
        spare = self.high - z[0] + clearances[:, 0]  # of toe and heel, with the ankle as high as H
        self._check(float(spare.min()))
        rounding = min(ROUND * (sole[0] + sole[1]), float(np.sqrt(spare[0] * spare[1]).min()))  # at most this, and D is below H
        self.round = Quintic((t[0], 0.5 * (t[0] + t[2]), t[2]), (0.0, rounding, 0.0))
        self.part = self._least_part(z[0], lower, self._lift(times, z, clearances)[0])

    def at(self, times: np.ndarray) -> np.ndarray:
        """(3, n, 3) place, velocity and acceleration of the ankle."""
        out = np.array(self.ankle.at(times))
        if self.part:
            out[..., 2] += self.part * self._lift(times, out[..., 2], self._clearances(times))
        return out

    def _check(self, spare: float) -> None:
        """Toe and heel must be above ground throughout with the ankle at its highest point."""
        if spare < SPARE:
            height = self.high - max(step.z for step in self.ends)
            raise MotionError(
                f"HuangFoot: height must be at least {np.ceil(1e4 * (height + SPARE - spare)) / 1e4:g} m with these angles and "
                f"times of the foot, or toe or heel would be below ground in the air; got {height:g} m"
            )

    def _least_part(self, z: np.ndarray, lower: np.ndarray, lift: np.ndarray) -> float:
        """How far the height must move by `lift` such that toe and heel keep their share and the ankle is below its highest
        point, 0 to 1."""
        short, over = SHARE * (lower + lift) - lower, z - self.high
        low, high = short > 0.0, over > LEVEL
        return float(np.concatenate((short[low] / lift[low], -over[high] / lift[high])).max(initial=0.0))

    def _lift(self, times: np.ndarray, z: np.ndarray, clearances: np.ndarray) -> np.ndarray:
        """(3, n) from the height z of the quintics to (1 - w) D + w H, with its derivatives."""
        half = 0.5 * (clearances[0] - clearances[1])
        lowest = 0.5 * (clearances[0] + clearances[1]) - _hypot(half, np.array(self.round.at(times)))
        up = lowest - z  # H - D is H + up
        up[0] += self.high
        return product(np.array(self.rise.at(times)), up) - lowest

    def _clearances(self, times: np.ndarray) -> np.ndarray:
        """(2, 3, n) of toe and heel above ground along the quintics, with derivatives."""
        rows = np.concatenate((self.ankle.at(times), *(np.array(each.at(times))[..., None] for each in self.turns)), axis=-1)
        glide = np.array(self.glide.at(times))
        out = []
        for point in self.points:
            first, last = (_above(step, foot_point(rows, point)) for step in self.ends)
            out.append(first + product(glide, last - first))
        return np.array(out)


def foot_point(ankle: np.ndarray, point: tuple[float, float]) -> np.ndarray:
    """(3, n, 3) a point of the foot, ahead of and above the ankle in its own axes, with derivatives, for (x, y, z, pitch, yaw)
    of the ankle (3, n, 5)."""
    yaw, rate, accel = (each[:, None] for each in ankle[..., 4])
    ahead, left = np.concatenate((np.cos(yaw), np.sin(yaw)), axis=-1), np.concatenate((-np.sin(yaw), np.cos(yaw)), axis=-1)
    arm, out = turned_arm(point, ankle[..., 3]), ankle[..., :3].copy()
    out[..., :2] += product(arm[..., :1], np.stack((ahead, rate * left, accel * left - rate**2 * ahead)))
    out[..., 2] += arm[..., 1]
    return out


def turned_arm(arm: tuple[float, float], turn: Any) -> np.ndarray:
    """(3, n, 2) an arm (ahead, up) turned by a pitch, with velocity and acceleration, for the pitch with its derivatives."""
    angle, rate, accel = (np.asarray(each)[..., None] for each in turn)
    (along, up), c, s = arm, np.cos(angle[..., 0]), np.sin(angle[..., 0])
    r = np.stack((along * c + up * s, -along * s + up * c), axis=-1)
    across = np.stack((r[..., 1], -r[..., 0]), axis=-1)
    return np.stack((r, rate * across, accel * across - rate**2 * r))


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(3, ...) of two quantities with their first and second derivatives."""
    return np.stack((a[0] * b[0], a[1] * b[0] + a[0] * b[1], a[2] * b[0] + 2.0 * a[1] * b[1] + a[0] * b[2]))


def _hypot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(3, n) the root of a^2 + b^2 with its derivatives; where it is zero, a and b are so with two derivatives."""
    square = product(a, a) + product(b, b)
    root = np.sqrt(square[0])
    over = np.divide(0.5, root, out=np.zeros_like(root), where=root > 0.0)
    rate = over * square[1]
    return np.stack((root, rate, over * (square[2] - 2.0 * rate**2)))


def _above(place: Footstep, points: np.ndarray) -> np.ndarray:
    """(3, n) height of points (3, n, 3) above the plane of a place, with derivatives."""
    slope = np.tan(place.pitch) * np.array((np.cos(place.yaw), np.sin(place.yaw)))
    out = points[..., 2] + points[..., :2] @ slope
    out[0] -= place.z + np.array((place.x, place.y)) @ slope
    return out
