"""Huang's walking pattern (Huang et al. 2001; Johnnie, section 3): the hip that gives the largest margin of the ZMP.

No course of the ZMP is designed. The hip moves along x on a periodic cubic spline with two parameters, its distances x_sd and
x_ed from the ankle of the support foot at the start and at the end of single support (3.2, 3.3). Both are found by exhaustive
search for the largest distance of the ZMP of the whole robot to the edge of the support (3.4). The paper leaves out the
beginning, the end and the lateral motion. Here the hip joins the periodic motion by quintics, whose length and end are searched
for in the same way, and preview control moves it sideways. In a curve the hip's way is measured along the curve, and its
sideways motion across it.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.recursion.rnea import rnea
from footfall.errors import UnknownNameError
from footfall.evaluate import Evaluation
from footfall.model.robot import Robot
from footfall.motion.course import Course, put_on_course, put_rows_on_course
from footfall.motion.cubic import Cubic
from footfall.motion.curve import MotionError
from footfall.motion.footsteps import FootstepPlan
from footfall.motion.huang import HuangFoot, huang_feet_at
from footfall.motion.legs import follow_row, posture_of, two_legs
from footfall.motion.pattern import Planned, WalkingPattern, corrected, rows_of, sole_corners, upright
from footfall.motion.quintic import Quintic

BENT = 0.88  # hip height over that of straight legs
EVEN = 1e-9  # m, rad: steps may differ so much in length and turn
SHARPEST = 0.5  # rad: that a step may turn
ENDS, LENGTHS = 21, 25  # places of rest, and lengths in time, that are tried for start and stop
REGIONS = ("soles", "edges")


class Hip(NamedTuple):
    """Distances of the hip from the ankle of the support foot at the start and at the end of single support, in m."""

    x_sd: float
    x_ed: float


@dataclass(frozen=True, eq=False)
class MarginMap:
    """Margins over (x_sd, x_ed), as far as legs reach; minus infinity where they do not."""

    x_sd: np.ndarray  # (m,)
    x_ed: np.ndarray  # (m,)
    margin: np.ndarray  # (m, m) rows are x_sd

    @property
    def best(self) -> Hip:
        """The parameters with the largest margin."""
        i, j = np.unravel_index(np.argmax(self.margin), self.margin.shape)
        return Hip(float(self.x_sd[i]), float(self.x_ed[j]))

    @property
    def largest(self) -> float:
        """The largest margin, in m."""
        return float(self.margin.max())


def hip_curve(length: float, period: float, double: float, hip: Hip) -> Cubic:
    """(3.2), (3.3): the hip's x less that of steady progress, from one heel strike to the next; a periodic cubic spline."""
    middle = length - hip.x_sd - length * double / period
    return Cubic((0.0, double, period), (hip.x_ed, middle, hip.x_ed), "periodic")


@kernel
def margins_of_hips(tree: Any, work: Any, legs: Any, motion: Any, hips: Any, ground: Any, only_best: Any, room: Any) -> None:
    """The least margin along the course of every motion of the hip (m, 3, n), with the ZMP of the whole robot.

    `motion` is the pelvis (3, n, 6), whose x, y and yaw are filled in, the feet, the course, and the motion across it (3, n);
    `ground` the direction of each row (n, 2), the support's ends along it (n, 2), and its height (n,);
    `room` is for legs, (q, v, a, tau), and for the result (m,). Weight is in row 0 of work.A_WB. Where `only_best`, a motion is
    left as soon as its margin is below the largest so far; what stands in the result is then more than it has.
    """
    (pelvis, feet, course, across), (ahead, ends, height), (scratch, (q, v, a, tau), out) = motion, ground, room
    best = -np.inf
    for m in range(len(hips)):
        out[m] = np.inf
        for i in range(len(height)):
            put_on_course(course, hips[m, :, i], across[:, i], i, pelvis)
            left, right = follow_row(legs, pelvis, feet, i, scratch, (q, v, a))
            if left > 0.0 or right > 0.0:
                out[m] = -np.inf
                break
            rnea(tree, work, q, v, a, tau)
            x, y = zmp_of_base(pelvis[0, i, 5], height[i], q, tau)
            place = ahead[i, 0] * x + ahead[i, 1] * y
            out[m] = min(out[m], place - ends[i, 0], ends[i, 1] - place)
            if only_best and out[m] < best:
                break
        best = out[m] if out[m] > best else best


@kernel
def zmp_of_base(yaw: Any, height: Any, q: Any, tau: Any) -> Any:
    """Where at a height the force on an upright base (in world axes, its moment in the base's) has no tipping moment."""
    c, s = np.cos(yaw), np.sin(yaw)
    up = height - q[2]
    return q[0] + (up * tau[0] - s * tau[3] - c * tau[4]) / tau[2], q[1] + (up * tau[1] + c * tau[3] - s * tau[4]) / tau[2]


def course_of(plan: FootstepPlan) -> tuple[Course, float]:
    """The course of a plan, from the middle between its feet on, and the length of its steps along it."""
    (left, right), steps = plan.stand, plan.steps
    turn, yaw = steps[0].yaw - left.yaw, left.yaw
    x, y = 0.5 * (left.x + right.x), 0.5 * (left.y + right.y)
    ahead = (steps[0].x - x) * np.cos(steps[0].yaw) + (steps[0].y - y) * np.sin(steps[0].yaw)
    length = float(ahead / np.sinc(turn / np.pi))  # of an arc, by the sine of its angle
    width = float(np.hypot(left.x - right.x, left.y - right.y))
    if abs(turn) > SHARPEST or abs(turn) * width > abs(length):
        raise MotionError(
            f"Huang's pattern turns by at most {SHARPEST:g} rad in a step, on a radius of at least the {width:.3g} m between its "
            f"feet; got {turn:.3g} rad in {length:.3g} m"
        )
    course = Course(x, y, yaw, turn / length if turn else 0.0)
    ways = length * np.array([0.0, 0.0, *range(1, len(steps)), len(steps) - 1])
    places = np.array([(step.x, step.y, step.yaw) for step in (left, right, *steps)])
    off = np.abs((course.seen(ways, places[:, :2])[:, 0], places[:, 2] - course.at(ways)[1])).max()
    if off > EVEN:
        raise MotionError(
            "Huang's pattern has steps of one length and one turn, and one that closes the feet, as FootstepPlan.straight and "
            f"FootstepPlan.curve; these are off by {off:.3g} m or rad"
        )
    return course, length


class _Across:
    """Preview control moves the pelvis across a course, along which its way (3, n) is given."""

    def __init__(self, course: Course, way: np.ndarray):
        self.course, self.way = course, np.ascontiguousarray(way)

    def of(self, points: np.ndarray) -> np.ndarray:
        return self.course.left(self.way[0], points)[:, None]

    def put(self, pelvis: np.ndarray, rows: Any) -> None:
        put_rows_on_course["spatial"](self.course, self.way, np.array([row[:, 0] for row in rows]), pelvis)

    def moved(self, points: np.ndarray, to: np.ndarray) -> np.ndarray:
        """(n, 2) points moved across the course, to distances (n, 1) from it."""
        return points + (to - self.of(points)) * self.course.leftward(self.way[0], points)


class _Sagittal:
    """A plan with Huang's feet, seen from the side."""

    def __init__(self, robot: Robot, plan: FootstepPlan, foot: HuangFoot, height: float | None, posture: Any):
        self.legs, self.plan, self.foot = two_legs(robot), plan, foot
        self.height = BENT * self.legs.longest if height is None else float(height)
        self.posture = posture_of(robot, posture)
        if not isinstance(plan, FootstepPlan):
            raise MotionError(f"a walking pattern needs a FootstepPlan, got {plan!r:.60}")
        if len(plan.steps) < 3:
            raise MotionError(f"Huang's pattern needs 3 steps at least, one of them steady, got {len(plan.steps)}")
        self.course, self.length = course_of(plan)
        self.begins = plan.lifts(1) - plan.timing.double  # heel strike of the first step
        self.ends = plan.lifts(len(plan.steps) - 1)  # toe-off of the last one

    def feet(self, times: np.ndarray) -> np.ndarray:
        return huang_feet_at(self.foot, self.plan, self.legs, times)

    def pelvis(self, times: np.ndarray) -> np.ndarray:
        return upright(self.legs, self.plan, times, self.height)

    def steady(self, times: np.ndarray, hip: Hip) -> np.ndarray:
        """(3, n) the hip's way along the course in steady walking, with velocity and acceleration."""
        t, curve = self.plan.timing, hip_curve(self.length, self.plan.timing.period, self.plan.timing.double, hip)
        rows = np.array(curve.at(times - self.begins))
        rows[0] += self.length / t.period * (times - self.begins)
        rows[1] += self.length / t.period
        return rows

    def support(self, times: np.ndarray, feet: np.ndarray, region: str) -> tuple[np.ndarray, ...]:
        """Directions of steady progress, ends of the support along them, and the height of the ground."""
        way = self.length / self.plan.timing.period * (times - self.begins)
        yaw = self.course.at(np.clip(way, 0.0, self.length * (len(self.plan.steps) - 1)))[1]
        ahead = np.stack((np.cos(yaw), np.sin(yaw)), axis=-1)
        standing, x = self.plan.standing(times), np.einsum("nfkx,nx->nfk", sole_corners(self.legs, feet[0])[..., :2], ahead)
        low, high = np.where(standing, x.min(axis=2), np.inf), np.where(standing, x.max(axis=2), -np.inf)
        ends = np.stack((low.min(axis=1), high.max(axis=1)), axis=1)
        if region == "edges":
            both = standing.all(axis=1)
            ends[both] = np.stack((high[both].min(axis=1), low[both].max(axis=1)), axis=1)
        return ahead, ends, np.ascontiguousarray(self.plan.zmp_reference(times)[:, 2])

    def margins(self, times: np.ndarray, hips: np.ndarray, region: str = "soles", only_best: bool = False) -> np.ndarray:
        """(m,) least margins of motions (m, 3, n) of the hip; right for the best alone where this suffices, which is faster."""
        robot, feet, ev = self.legs.robot, self.feet(times), Evaluation(self.legs.robot)
        ev.fall(np.array((0.0, 0.0, -robot.gravity)))
        rows = (self.posture.copy(), np.zeros(robot.nv), np.zeros(robot.nv), np.zeros(robot.nv))
        room = (np.zeros((8, 6, 6)), rows, np.zeros(len(hips)))
        motion = self.pelvis(times), np.ascontiguousarray(feet), self.course, np.zeros((3, len(times)))
        ground = self.support(times, feet, region)
        ev.run(margins_of_hips, self.legs.data, motion, np.ascontiguousarray(hips), ground, only_best, room)
        return np.where(np.isnan(room[-1]), -np.inf, room[-1])

    def search(self, count: int, instants: int, region: str, only_best: bool = False) -> MarginMap:
        """(3.4) over one step in the middle of the plan."""
        middle = 1 + (len(self.plan.steps) - 2) // 2
        times = self.plan.lifts(middle) - self.plan.timing.double + self.plan.timing.period * np.arange(instants) / instants
        base = self.steady(times, Hip(0.0, 0.0))
        per_sd, per_ed = self.steady(times, Hip(1.0, 0.0)) - base, self.steady(times, Hip(0.0, 1.0)) - base
        grid = 0.5 * self.length * (np.arange(count) + 0.5) / count
        hips = base + grid[:, None, None, None] * per_sd + grid[None, :, None, None] * per_ed
        found = self.margins(times, hips.reshape(count * count, 3, instants), region, only_best)
        return MarginMap(grid, grid.copy(), found.reshape(count, count))

    def best(self) -> Hip:
        """The hip with the largest margin."""
        found = self.search(50, 60, "soles", only_best=True)
        if not np.isfinite(found.largest):
            raise MotionError(
                f"robot {self.legs.robot.name!r} cannot walk this plan: its legs do not reach with the hips {self.height:g} m "
                "high, wherever they are; take shorter steps, other heights, or smaller angles of the feet"
            )
        return found.best

    def hip(self, times: np.ndarray, hip: Hip) -> np.ndarray:
        """(3, n) the hip's way along the course in the whole walk: rest, a quintic, steady walking, a quintic, rest."""
        out, (start, stop) = self.steady(times, hip), (self._end(hip, True), self._end(hip, False))
        for rows, curve in ((times < self.begins, start), (times > self.ends, stop)):
            out[:, rows] = curve.at(times[rows])
        return out

    def _end(self, hip: Hip, first: bool) -> Quintic:
        """The quintic between steady walking and rest with the largest margin."""
        joint = self.begins if first else self.ends
        x, v, a = self.steady(np.array([joint]), hip)[:, 0]
        sole = self.legs.corners[0, :, 0]
        foot = 0.0 if first else self.length * (len(self.plan.steps) - 1)
        rests = foot + np.linspace(sole.min(), sole.max(), ENDS + 2)[1:-1]
        longest = self.begins if first else self.plan.duration - self.ends
        lengths, same = np.linspace(0.3 * longest, 0.999 * longest, LENGTHS), np.ones(ENDS)
        times = np.linspace(*((0.0, joint) if first else (joint, self.plan.duration)), 80)

        def curve(length: float, rest: Any, of: Any = 1.0) -> Quintic:
            """To or from the places of rest; `of` is 1, or a row of as many ones."""
            if first:
                return Quintic((joint - length, joint), (rest, x * of), (0.0 * of, v * of), (0.0 * of, a * of), outside="hold")
            return Quintic((joint, joint + length), (x * of, rest), (v * of, 0.0 * of), (a * of, 0.0 * of), outside="hold")

        rows = [np.moveaxis(np.array(curve(length, rests, same).at(times)), -1, 0) for length in lengths]
        found = self.margins(times, np.concatenate(rows), only_best=True)
        if not np.isfinite(found.max()):
            raise MotionError(
                f"robot {self.legs.robot.name!r} cannot {'start' if first else 'stop'} this walk: its legs do not reach; give "
                f"it more time to {'start' if first else 'stop'}, lower the hips, or take shorter steps"
            )
        best = int(np.argmax(found))
        return curve(float(lengths[best // ENDS]), float(rests[best % ENDS]))


def huang_search(
    robot: Robot,
    plan: FootstepPlan,
    foot: HuangFoot | None = None,
    *,
    height: float | None = None,
    count: int = 50,
    instants: int = 60,
    region: str = "soles",
) -> MarginMap:
    """Margins over count x count parameters from 0 to half the step length, each the least of so many instants of a step.

    The support is the hull of the soles of both feet in double support. Read strictly, it would be what touches, from the toe
    edge behind to the heel edge in front (`region="edges"`): it then meets the sole of single support in a point, and no margin
    is above zero.
    """
    if region not in REGIONS:
        raise UnknownNameError("region of support", region, REGIONS)
    if not (1 <= count <= 1000 and 2 <= instants <= 100_000):
        raise MotionError(f"a search takes 1 to 1000 values and 2 to 100000 instants, got {count!r} and {instants!r}")
    return _Sagittal(robot, plan, foot or HuangFoot(), height, None).search(count, instants, region)


def huang_pattern(
    robot: Robot,
    plan: FootstepPlan,
    foot: HuangFoot | None = None,
    *,
    hip: tuple[float, float] | None = None,
    height: float | None = None,
    dt: float = 0.005,
    passes: int = 3,
) -> WalkingPattern:
    """Huang's pattern for a plan straight on or in a curve: starts, walks and stops. `hip` is (x_sd, x_ed), searched for if left
    out."""
    side = _Sagittal(robot, plan, foot or HuangFoot(), height, None)
    chosen = side.best() if hip is None else Hip(*hip)
    times = rows_of(plan, dt)
    across = _Across(side.course, side.hip(times, chosen))
    planned = Planned(times, side.pelvis(times), side.feet(times), plan.standing(times), plan.zmp_reference(times))
    found = corrected(side.legs, planned, side.posture, passes, across)
    found.reference[:, :2] = across.moved(found.zmp, across.of(found.reference))
    return found
