"""Feet that roll from heel to toe (Huang et al. 2001; Johnnie 3.1): they leave the ground over the toe and land on the heel.

Between two places a foot turns about its toe for T_d, swings, lands on its heel one step period T_c after it began to turn, and
turns flat in T_d again. The paper gives the ankle's x, z and the foot's angle at these instants and puts cubic splines
through them (`printed`). Such a foot holds toe and heel at the knots only: in between it goes millimetres below ground, and its
acceleration jumps where it begins. The `clean` foot meets the same conditions, turns exactly about toe and heel, has no jump, and
stays above ground in the air (`footfall.motion.huang_air`).

On uneven ground the places have heights and slopes of their own, which are the additional parameters that the paper mentions.
In a curve each place has its own direction: the foot turns about toe and heel in the plane of the place that it leaves or comes
to, where it meets (3.1), and yaws in the air.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.model.quantity import check_quantities, flag, quantity
from footfall.motion.cubic import Cubic
from footfall.motion.curve import MotionError
from footfall.motion.footsteps import SIDES, Footstep, FootstepPlan
from footfall.motion.huang_air import Air, foot_point, turned_arm
from footfall.motion.legs import TwoLegs
from footfall.motion.quintic import Quintic

BRISK = 1.25  # rate of a clean foot at the end of its turn about the toe, over the mean rate of that turn


@dataclass(frozen=True)
class HuangFoot:
    """The parameters of (3.1) besides those of the plan: T_d is its double support, T_c its period, D_s its step length."""

    toe_off: float = quantity("rad", "q_b, angle of the foot when the toe leaves the ground", 0.2, low=0.0, high=1.2)
    heel_strike: float = quantity("rad", "q_f, angle of the foot when the heel lands", 0.2, low=0.0, high=1.2)
    height: float = quantity("m", "H_a, highest point of the ankle above the higher of both places", 0.16, low=0.0, high=10.0)
    place: float = quantity("1", "where the ankle is highest, L_a over the whole way of the foot", 0.5, low=0.05, high=0.95)
    time: float = quantity("1", "when it is highest, T_m over T_c", 0.5, low=0.05, high=0.95)
    clean: bool = flag("turn exactly about toe and heel, instead of splines as printed", True)

    def __post_init__(self) -> None:
        check_quantities(self, "HuangFoot", MotionError)


class FootMotion:
    """One swing of the ankle: knots of (3.1), each in the sagittal plane of its own place, and the curves through them.

    `begin` is when the heel leaves the ground, t = k T_c; sole is (l_ab, l_af, l_an).
    """

    def __init__(self, foot: HuangFoot, ends: tuple[Footstep, Footstep], begin: float, timing: Any, sole: tuple[float, ...]):
        T_c, T_d, T_m = timing.period, timing.double, foot.time * timing.period
        if not T_d < T_m < T_c:
            raise MotionError(f"HuangFoot: time must be {T_d / T_c:.3g} to 1 of T_c, while the foot swings, got {foot.time:g}")
        self.first, self.last = ends
        self.sole = sole
        self.toe, self.heel = Edge(self.first, sole[1], sole[2]), Edge(self.last, -sole[0], sole[2])
        self.times = begin + np.array([0.0, T_d, T_m, T_c, T_c + T_d])
        self.angles = (self.first.pitch, self.first.pitch + foot.toe_off, self.last.pitch - foot.heel_strike, self.last.pitch)
        start, end = self.toe.ankle(self.first.pitch), self.heel.ankle(self.last.pitch)
        self.high = (*(start + foot.place * (end - start))[:2], max(self.first.z, self.last.z) + foot.height)
        self.turn_times = self.times[[0, 1, 3, 4]]
        self.yaw = Quintic(self.times[[1, 3]], (self.first.yaw, self.last.yaw), outside="hold")
        self.curves = self._clean() if foot.clean else self._printed()

    def knots(self) -> np.ndarray:
        """(5, 3) the ankle at the five instants of (3.1)."""
        edges = (self.toe, self.toe, self.heel, self.heel)
        rows = [edge.ankle(angle) for edge, angle in zip(edges, self.angles, strict=True)]
        return np.array([*rows[:2], self.high, *rows[2:]])

    def _printed(self) -> tuple[Any, Any]:
        """Cubic splines, at rest at both ends."""
        return Cubic(self.turn_times, self.angles, "clamped"), Cubic(self.times, self.knots(), "clamped")

    def _clean(self) -> tuple[Any, Any]:
        """Quintics for the angle; for the ankle in the air, with place, velocity and acceleration of toe-off and landing."""
        t, angles = self.turn_times, self.angles
        rates = (0.0, BRISK * (angles[1] - angles[0]) / (t[1] - t[0]), BRISK * (angles[3] - angles[2]) / (t[3] - t[2]), 0.0)
        turn = Quintic(t, angles, rates)
        ends = [edge.turned(turn.at(np.array([time])))[:, 0] for edge, time in ((self.toe, t[1]), (self.heel, t[2]))]
        ankle = _over(self.times[1:4], ends[0], self.high, ends[1])
        return turn, Air(ankle, (turn, self.yaw), (self.first, self.last), self.sole)

    def at(self, times: np.ndarray) -> np.ndarray:
        """(3, n, 5) x, y, z, angle and yaw of the ankle, velocities and accelerations; times are within the motion."""
        t = np.clip(times, self.times[0], self.times[-1])
        turn, ankle = self.curves
        out = np.zeros((3, len(t), 5))
        angles = turn.at(t)
        out[..., 3], out[..., 4] = angles, self.yaw.at(t)
        if isinstance(ankle, Cubic):
            out[..., :3] = ankle.at(t)
            return out
        early, late = t < self.turn_times[1], t > self.turn_times[2]
        for rows, edge in ((early, self.toe), (late, self.heel)):
            out[:, rows, :3] = edge.turned(tuple(each[rows] for each in angles))
        air = ~(early | late)
        out[:, air, :3] = ankle.at(t[air])
        return out


class Edge:
    """The toe or heel edge of a sole on its place, `along` from the ankle, about which the foot turns in its sagittal plane."""

    def __init__(self, place: Footstep, along: float, ankle: float):
        self.point = np.array(place.beside(along, 0.0))
        self.arm = (-along, ankle)
        self.plane = np.array([(np.cos(place.yaw), np.sin(place.yaw), 0.0), (0.0, 0.0, 1.0)])

    def turned(self, turn: Any) -> np.ndarray:
        """(3, n, 3) place, velocity and acceleration of the ankle, for a pitch with its derivatives."""
        rows = turned_arm(self.arm, turn) @ self.plane
        rows[0] += self.point
        return rows

    def ankle(self, angle: float) -> np.ndarray:
        """(3,) the ankle at a pitch."""
        return self.turned((angle, 0.0, 0.0))[0]


def _over(times: np.ndarray, first: np.ndarray, high: tuple[float, ...], last: np.ndarray) -> Quintic:
    """Two quintics over the highest point. In x and y they are splines, whose fourth derivative does not jump; in z there is no
    velocity at that point, and the third derivative does not jump."""
    from scipy.interpolate import make_interp_spline

    (h, k), (x0, v0, a0), (x1, v1, a1) = np.diff(times), first, last
    ends = ([(1, v0[:2]), (2, a0[:2])], [(1, v1[:2]), (2, a1[:2])])
    spline = make_interp_spline(times, (x0[:2], high[:2], x1[:2]), k=5, bc_type=ends)
    later = 60.0 * (x1[2] - high[2]) / k**3 - 24.0 * v1[2] / k**2 + 3.0 * a1[2] / k
    sooner = 60.0 * (high[2] - x0[2]) / h**3 - 24.0 * v0[2] / h**2 - 3.0 * a0[2] / h
    middle_v, middle_a = (*spline(times[1], 1), 0.0), (*spline(times[1], 2), (later - sooner) / (9.0 / h + 9.0 / k))
    return Quintic(times, (x0, high, x1), (v0, middle_v, v1), (a0, middle_a, a1))


def huang_feet(foot: HuangFoot, plan: FootstepPlan, legs: TwoLegs) -> tuple[tuple[FootMotion, ...], tuple[FootMotion, ...]]:
    """The swings of the left and of the right foot."""
    rolls = [step.roll for step in (*plan.stand, *plan.steps)]
    if any(rolls):
        raise MotionError(
            "Huang's feet turn about the whole edge of toe and heel: all places must have roll 0, "
            f"got {max(rolls, key=abs):.3g} rad"
        )
    corners, t = legs.corners[0, :, 0], plan.timing
    sole = (-float(corners.min()), float(corners.max()), float(legs.data.ankle))
    out: tuple[list[FootMotion], list[FootMotion]] = ([], [])
    for i, step in enumerate(plan.steps):
        side = SIDES.index(step.side)
        out[side].append(FootMotion(foot, (plan.stances[i][side], step), plan.lifts(i) - t.double, t, sole))
    return tuple(out[0]), tuple(out[1])


def huang_feet_at(foot: HuangFoot, plan: FootstepPlan, legs: TwoLegs, times: np.ndarray) -> np.ndarray:
    """(3, n, 2, 6) places of the soles below the ankles, velocities and accelerations, as `FootstepPlan.feet_at`."""
    out = np.zeros((3, len(times), 2, 6))
    for side, motions in enumerate(huang_feet(foot, plan, legs)):
        start = plan.stand[side]
        out[0, :, side] = (start.x, start.y, start.z, 0.0, start.pitch, start.yaw)
        for motion in motions:
            rows = times >= motion.times[0]
            rest = times[rows] > motion.times[-1]
            sole = _sole_below(motion.at(times[rows]), legs.data.ankle)
            sole[1:, rest] = 0.0
            for k, column in enumerate((0, 1, 2, 4, 5)):
                out[:, rows, side, column] = sole[..., k]
    return out


def _sole_below(ankle: np.ndarray, height: float) -> np.ndarray:
    """From (x, y, z, pitch, yaw) of an ankle with derivatives (3, n, 5) to the point of the sole below it."""
    out = ankle.copy()
    out[..., :3] = foot_point(ankle, (0.0, -height))
    return out
