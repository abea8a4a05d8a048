"""Walking patterns: the motion of all joints for a footstep plan, such that the zero-moment point (ZMP) stays in the support.

The pelvis is upright and moves as the mass of a preview controller, the feet as the plan says, and the legs follow by inverse
kinematics. The ZMP of the whole robot then differs from that of the cart, mostly because of the swing leg. So the pattern is
corrected in passes: what the ZMP misses is subtracted from the target of the preview controller.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.manifold import difference, integrate
from footfall.errors import StateError
from footfall.model.robot import Robot
from footfall.motion.curve import MotionError
from footfall.motion.footsteps import SIDES, FootstepPlan
from footfall.motion.legs import TwoLegs, posture_of, two_legs
from footfall.motion.preview import Preview
from footfall.motion.support import hull, margins
from footfall.motion.zmp import Balance, balance

BENT = 0.89  # hip height over that of straight legs; a nearly straight knee would have to turn too fast
REACH = 1e-9  # m: rounding


class PatternData(NamedTuple):
    """A pattern as compiled laws read it: rows every dt; see `interpolate` and `sample`."""

    dt: Any
    q: Any  # (n, nq)
    v: Any  # (n, nv)
    a: Any  # (n, nv)
    com: Any  # (n, 9) centre of mass of the robot, its velocity and its acceleration
    zmp: Any  # (n, 3) reference of the ZMP
    feet: Any  # (3, n, 2, 6) places of both feet, velocities, accelerations
    standing: Any  # (n, 2) 1 where a foot stands
    load: Any  # (n, 2) part of the weight that each foot carries


@dataclass(frozen=True, eq=False)
class WalkingPattern:
    """A planned walk, a row for each time. Places are in m; feet are left, right, as (x, y, z, roll, pitch, yaw)."""

    robot: Robot
    times: np.ndarray  # (n,)
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    feet: np.ndarray  # (3, n, 2, 6) places of the feet, their velocities and accelerations
    standing: np.ndarray  # (n, 2) bool
    reference: np.ndarray  # (n, 3) of the ZMP, on the ground
    misses: tuple[float, ...] = ()  # m: how far the ZMP was off the reference after each pass, in single support

    @property
    def dt(self) -> float:
        """Time between two rows."""
        return float(self.times[1] - self.times[0])

    @cached_property
    def legs(self) -> TwoLegs:
        """The legs of the robot."""
        return two_legs(self.robot)

    @cached_property
    def balance(self) -> Balance:
        """Centre of mass, momentum and its rate, of the whole robot."""
        return balance(self.robot, self.q, self.v, self.a)

    @cached_property
    def zmp(self) -> np.ndarray:
        """(n, 2) ZMP of the whole robot, at the height of the reference."""
        return self.balance.zmp(self.reference[:, 2], self.robot.gravity)

    @property
    def com(self) -> np.ndarray:
        """(n, 3) centre of mass of the robot."""
        return self.balance.center

    @property
    def com_velocity(self) -> np.ndarray:
        """(n, 3) its velocity."""
        return self.balance.momentum[:, :3] / self.balance.mass

    @property
    def com_acceleration(self) -> np.ndarray:
        """(n, 3) its acceleration."""
        return self.balance.rate[:, :3] / self.balance.mass

    @cached_property
    def soles(self) -> np.ndarray:
        """(n, 2, k, 3) the corners of both soles."""
        return sole_corners(self.legs, self.feet[0])

    def support(self, row: int) -> np.ndarray:
        """(k, 2) the support polygon of a row: the hull of the soles that stand, anticlockwise."""
        return hull(self.soles[row, self.standing[row], :, :2])

    @cached_property
    def margin(self) -> np.ndarray:
        """(n,) distance of the ZMP to the edge of the support in m, negative outside."""
        return margins(self.soles[..., :2], self.standing, self.zmp)

    @cached_property
    def com_margin(self) -> np.ndarray:
        """(n,) the same of the centre of mass, seen from above."""
        return margins(self.soles[..., :2], self.standing, np.ascontiguousarray(self.com[:, :2]))

    @property
    def static(self) -> np.ndarray:
        """(n,) whether the centre of mass is above the support: the robot could stop there. A walk that is so throughout is
        static, one that is not is dynamic."""
        return self.com_margin >= 0.0

    @cached_property
    def load(self) -> np.ndarray:
        """(n, 2) part of the weight that each foot carries: in double support as the ZMP lies between the feet's references."""
        return loads(self.soles.mean(axis=2), self.standing, self.zmp)

    @cached_property
    def data(self) -> PatternData:
        """The arrays for compiled laws."""
        com = np.hstack((self.com, self.com_velocity, self.com_acceleration))
        standing = np.ascontiguousarray(self.standing, dtype=np.float64)
        return PatternData(self.dt, self.q, self.v, self.a, com, self.reference, self.feet, standing, self.load)

    def at(self, time: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """q, v, a at any time; before the first row and after the last they are those of that row."""
        if not np.isfinite(time):
            raise StateError(f"a time must be finite, got {time!r}")
        out = np.zeros(self.robot.nq), np.zeros(self.robot.nv), np.zeros(self.robot.nv)
        interpolate["spatial"](self.robot.tree, self.data, float(time), np.zeros(self.robot.nv), *out)
        return out


def walking_pattern(
    robot: Robot,
    plan: FootstepPlan,
    *,
    height: float | None = None,
    ahead: float | None = None,
    dt: float = 0.005,
    passes: int = 3,
    posture: Any = None,
) -> WalkingPattern:
    """The pattern of a robot for a plan, with rows every `dt`.

    The hips are at `height` above the ground (0.89 of that of straight legs if left out). In single support the ZMP is `ahead`
    of the ankle (in the middle of the sole if left out). `posture` gives joints besides the legs, by name.
    """
    legs, times = two_legs(robot), rows_of(plan, dt)
    ahead = float(legs.corners[0, :, 0].mean()) if ahead is None else float(ahead)
    feet = plan.feet_at(times)
    pelvis = upright(legs, plan, times, BENT * legs.longest if height is None else height)
    pelvis[:, :, 5] = feet[:, :, :, 5].mean(axis=2)
    planned = Planned(times, pelvis, feet, plan.standing(times), plan.zmp_reference(times, ahead))
    return corrected(legs, planned, posture_of(robot, posture), passes)


class Planned(NamedTuple):
    """Rows of a pattern before the legs follow: motions of the pelvis (3, n, 6) and the feet, and the reference of the ZMP."""

    times: np.ndarray
    pelvis: np.ndarray
    feet: np.ndarray
    standing: np.ndarray
    reference: np.ndarray


def rows_of(plan: FootstepPlan, dt: float) -> np.ndarray:
    """The times of the rows of a pattern; a plan that is none, and a dt that is longer than a step, are refused."""
    if not isinstance(plan, FootstepPlan):
        raise MotionError(f"a walking pattern needs a FootstepPlan, got {plan!r:.60}")
    if not Preview(1.0, dt).dt <= plan.timing.single / 4.0:
        raise MotionError(f"dt must be at most a quarter of the single support, {plan.timing.single:g} s, got {dt:g} s")
    return plan.times(dt)


def upright(legs: TwoLegs, plan: FootstepPlan, times: np.ndarray, height: float) -> np.ndarray:
    """(3, n, 6) a pelvis with the hips at a height above the plan's level, and no other motion."""
    if not 0.0 < height < np.inf:
        raise MotionError(f"the height of the hips must be above 0, got {height!r}")
    out = np.zeros((3, len(times), 6))
    for k, rows in enumerate(plan.level.at(times)):
        out[k, :, 2] = rows[:, 0]
    out[0, :, 2] += height - legs.data.hip[0, 2]
    return out


class Freely:
    """How preview control moves a pelvis: along x and y. Other ways have the same methods."""

    def of(self, points: np.ndarray) -> np.ndarray:
        """(n, k) coordinates of points of the ground, of which the ZMP is controlled."""
        return points[:, :2]

    def put(self, pelvis: np.ndarray, rows: Any) -> None:
        """Move the pelvis (3, n, 6) along these coordinates; `rows` are positions, velocities and accelerations, (n, k) each."""
        for k, row in enumerate(rows):
            pelvis[k][:, :2] = row


def corrected(legs: TwoLegs, planned: Planned, posture: np.ndarray, passes: int, way: Any = None) -> WalkingPattern:
    """The pattern whose pelvis moves by preview control, in its own way; the target is corrected by what the ZMP misses."""
    if not 1 <= passes <= 100:
        raise MotionError(f"a walking pattern takes 1 to 100 passes, got {passes!r}")
    times, pelvis, feet, standing, reference = planned
    robot, way, alone = legs.robot, way or Freely(), standing.sum(axis=1) == 1
    wanted = way.of(reference)
    way.put(pelvis, (wanted, np.zeros_like(wanted), np.zeros_like(wanted)))
    first = _followed(legs, Planned(*(rows[:, :1] if rows.ndim > 2 else rows[:1] for rows in planned)), posture)
    cart = Preview(float(balance(robot, *first).center[0, 2] - reference[0, 2]), float(times[1]), gravity=robot.gravity)
    target = wanted.copy()
    misses: tuple[float, ...] = ()
    for _ in range(passes):
        way.put(pelvis, cart.track(target)[:3])
        q, v, a = _followed(legs, planned, posture)
        found = WalkingPattern(robot, times, q, v, a, feet, standing, reference)
        miss = way.of(found.zmp) - wanted
        if not np.isfinite(miss).all():
            row = int(np.argmin(np.isfinite(miss).all(axis=1)))
            raise MotionError(
                f"robot {robot.name!r} cannot walk this plan: at {times[row]:.3f} s its accelerations have no bound, as "
                "where a leg is straight or folded; take other heights of the hips, shorter steps, or smaller angles of the feet"
            )
        misses = (*misses, float(np.abs(miss[alone]).max()))
        target -= miss
    object.__setattr__(found, "misses", misses)
    return found


def _followed(legs: TwoLegs, planned: Planned, posture: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q, v, a with the legs; a foot out of reach is refused."""
    q, v, a, miss = legs.follow(np.ascontiguousarray(planned.pelvis), planned.feet, posture)
    row, foot = np.unravel_index(np.argmax(miss), miss.shape)
    if not miss[row, foot] <= REACH:
        raise MotionError(
            f"robot {legs.robot.name!r} cannot walk this plan: at {planned.times[row]:.3f} s its {SIDES[foot]} foot is "
            f"{miss[row, foot]:.3g} m out of reach; lower the hips, or take shorter steps"
        )
    return q, v, a


def sole_corners(legs: TwoLegs, feet: np.ndarray) -> np.ndarray:
    """(n, 2, k, 3) corners of both soles for places (n, 2, 6) of the feet."""
    roll, pitch, yaw = feet[..., 3], feet[..., 4], feet[..., 5]
    (cr, cp, cy), (sr, sp, sy) = np.cos((roll, pitch, yaw)), np.sin((roll, pitch, yaw))
    R = np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
    return feet[..., None, :3] + np.einsum("xanf,fka->nfkx", R, legs.corners)


def loads(middles: np.ndarray, standing: np.ndarray, zmp: np.ndarray) -> np.ndarray:
    """(n, 2) parts of the weight: the ZMP projected on the line between the middles (n, 2, 3) of both soles."""
    out = standing.astype(float)
    both = standing.all(axis=1)
    apart = (middles[:, 1] - middles[:, 0])[both, :2]
    part = ((zmp - middles[:, 0, :2])[both] * apart).sum(axis=1) / np.maximum((apart * apart).sum(axis=1), 1e-300)
    out[both, 1] = np.clip(part, 0.0, 1.0)
    out[both, 0] = 1.0 - out[both, 1]
    return out


# --- for laws -------------------------------------------------------------------------------------------------------------


@kernel
def row_at(data: Any, time: Any) -> Any:
    """The row before a time and the fraction of dt since; within the pattern."""
    last = len(data.q) - 2
    where = min(max(time / data.dt, 0.0), last + 1.0)
    row = min(int(where), last)
    return row, where - row


@kernel
def sample(rows: Any, where: Any, k: Any) -> Any:
    """Column k of rows of a pattern, straight between two rows; `where` is of `row_at`."""
    row, part = where
    return (1.0 - part) * rows[row, k] + part * rows[row + 1, k]


@kernel
def interpolate(tree: Any, data: Any, time: Any, step: Any, q: Any, v: Any, a: Any) -> None:
    """q, v, a at a time: cubic Hermite steps between two rows, on the manifold of coordinates; `step` is room for nv numbers."""
    row, s = row_at(data, time)
    h = data.dt
    difference(tree, data.q[row], data.q[row + 1], step)
    inside = time > 0.0 and s < 1.0
    for d in range(len(step)):
        whole, v0, v1 = step[d], data.v[row, d], data.v[row + 1, d]
        b, c = 3.0 * whole - h * (2.0 * v0 + v1), h * (v0 + v1) - 2.0 * whole
        step[d] = s * (h * v0 + s * (b + s * c))
        v[d] = v0 + s * (2.0 * b + 3.0 * s * c) / h if inside else 0.0
        a[d] = (1.0 - s) * data.a[row, d] + s * data.a[row + 1, d] if inside else 0.0
    integrate(tree, data.q[row], step, q)
