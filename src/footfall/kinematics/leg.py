"""Legs in closed form: joint angles and rates of a leg from the pose and motion of its foot.

It covers hip and knee, with or without an ankle, in the plane; and in space hips of yaw, roll and pitch, knees, and ankles of
pitch and roll, or with spherical joints in their place. Other legs are refused with the reason: `inverse` takes any.
"""

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from footfall.core import leg as kernels
from footfall.errors import SingularError, StateError
from footfall.kinematics.leg_geometry import Shape, shape_of
from footfall.kinematics.poses import Pose, pose, pose_of
from footfall.model import state
from footfall.model.robot import Robot

ROUNDING = 1e-12  # m: a goal that is no farther beyond reach is reached
SINGULAR = 1e-12  # margin below which a leg is singular
SAME = 1e-9  # rad: solutions closer than this are one


@dataclass(frozen=True)
class LegPosture:
    """Joint angles of a leg, by name, as `Robot.configuration` takes them; a spherical joint has a quaternion.

    `beyond` (m) is how far the goal is out of reach: positive if it is too far, negative if it is too near; the leg then
    points at it. `limits` names the joints that would have to pass a limit.
    """

    angles: dict[str, Any]
    beyond: float
    limits: tuple[str, ...]
    row: tuple[float, ...]  # angles of the single axes, from the hip outward

    @property
    def reached(self) -> bool:
        """Whether the foot is where it should be, with all joints within their limits."""
        return abs(self.beyond) <= ROUNDING and not self.limits

    def __str__(self) -> str:
        if self.reached:
            return "reached: " + ", ".join(f"{name} {_shown(angle)}" for name, angle in self.angles.items())
        far = "far" if self.beyond > 0.0 else "near"
        parts = [f"the foot is {abs(self.beyond):.6g} m too {far}"] if abs(self.beyond) > ROUNDING else []
        return "not reached: " + "; ".join((*parts, *self.limits))


@dataclass(frozen=True, eq=False)
class Leg:
    """A leg of a robot that the closed form fits: from link `base` to link or frame `foot`.

    `numbers` is what the kernels of `footfall.core.leg` take, for control laws.
    """

    robot: Robot
    base: str
    foot: str
    shape: Shape

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of its joints, from the hip outward."""
        return tuple(joint.name for joint in self.shape.joints)

    @property
    def numbers(self) -> Any:
        """A `PlanarLeg` or `SpatialLeg`, for the kernels."""
        return self.shape.numbers

    @property
    def reach(self) -> tuple[float, float]:
        """Least and largest distance (m) from hip to ankle (without an ankle, to the foot), within the limits of the knee."""
        n, (low, high) = self.numbers, self.shape.axes[self.shape.knee].limits
        shift = n.shank_tilt - n.thigh_tilt
        ends = sorted(n.signs[self.shape.knee] * end + shift for end in (low, high))
        folded = abs(n.thigh - n.shank) if any(ends[0] <= k <= ends[1] for k in (np.pi, -np.pi)) else np.inf
        straight = n.thigh + n.shank if ends[0] <= 0.0 <= ends[1] else 0.0
        at_ends = [np.sqrt(n.thigh**2 + n.shank**2 + 2 * n.thigh * n.shank * np.cos(k)) for k in ends if np.isfinite(k)]
        return float(min(folded, *at_ends)) if at_ends else folded, float(max(straight, *at_ends, 0.0))

    def inverse(self, foot: Any, base: Any = None, near: Any = None) -> LegPosture:
        """The best of `solutions`."""
        return self.solutions(foot, base, near)[0]

    def solutions(self, foot: Any, base: Any = None, near: Any = None) -> tuple[LegPosture, ...]:
        """All postures of the leg for a pose of the foot and of the base, both in the world.

        A pose is a `Pose`, or (position, rotation) with a rotation as a `Task` has it. Without `base` the foot's pose is in the
        base's axes. Those within the limits come first; among them the nearest to the configuration `near` of the robot, or
        those with the smallest angles. A goal out of reach has the nearest ones, whose `beyond` says how far it is.
        """
        T = self._from_base(foot, base)
        preferred = np.zeros(len(self.shape.axes)) if near is None else self._row(state.coordinates(self.robot, near))
        found: list[tuple[tuple, LegPosture]] = []
        for branch in self._branches():
            beyond, given = self._solve(T, branch)
            row, limits = self._within(given, preferred)
            apart = np.abs(np.subtract(row, preferred))
            if all(np.abs(np.subtract(row, other.row)).max() > SAME for _, other in found):
                key = (bool(limits), float(apart.max()) if near is None else float(np.sum(apart**2)))
                found.append((key, LegPosture(self.shape.by_joint(row), beyond, limits, row)))
        return tuple(posture for _, posture in sorted(found, key=lambda pair: pair[0]))

    def many(self, position: Any, rotation: Any = None, knee: str | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Angles (a row for each goal, a column for each axis) and `beyond` for many poses of the foot in the axes of the base.

        `position` has a row for each goal. `rotation` is matrices in space, pitch angles in the plane (left out for a leg without
        an ankle). `knee` points "forward" or "back"; left out, the way that its limits let it bend, forward if both. Other
        limits are not looked at.
        """
        p = _rows(position, (self.robot.dim,), f"position of leg {self.foot!r}")
        bend = self._bend() if knee is None else _bend(knee)
        beyond, planar = np.zeros(len(p)), self.robot.space == "planar"
        if rotation is None and self.shape.has_ankle:
            raise StateError(f"leg {self.foot!r} has an ankle: give a rotation for each of the {len(p)} positions")
        given = np.zeros(len(p)) if rotation is None else rotation
        R = _rows(given, () if planar else (3, 3), f"rotation of leg {self.foot!r}")
        if len(R) != len(p):
            raise StateError(f"leg {self.foot!r} needs as many rotations as positions, got {len(R)} and {len(p)}")
        angles = np.zeros((len(p), 3 if planar else 6))
        kernel: Any = kernels.planar_legs_angles if planar else kernels.spatial_legs_angles
        kernel[self.robot.space](self.numbers, p, R, bend, angles, beyond)
        return angles[:, : len(self.shape.axes)], beyond

    def rates(self, q: Any, foot: Any, base: Any = None, near: float = 0.0) -> dict[str, Any]:
        """Joint rates by name, as `Robot.velocity` takes them, that move the foot with a velocity in the world.

        `foot` and `base` are (linear, angular) as `velocity` gives them; a base that is left out is at rest. Straight legs are
        singular: with `near` above 0, say 0.1, the inverse is damped where the `margin` is smaller, rates stay bounded, and the
        foot moves slower than wanted.
        """
        q = state.coordinates(self.robot, q)
        near = _not_negative(near, "near of the rates of a leg")
        size = 3 if self.robot.space == "planar" else 6
        V = state.vector(foot, size, f"velocity of {self.foot!r}")
        V_base = np.zeros(size) if base is None else state.vector(base, size, f"velocity of {self.base!r}")
        there, here = pose(self.robot, q, self.foot), pose(self.robot, q, self.base)
        dim = self.robot.dim
        spin, arm = V_base[dim:], there.position - here.position
        carried = np.array((spin[0] * arm[1], -spin[0] * arm[0])) if dim == 2 else np.cross(spin, arm)
        linear = here.rotation.T @ (V[:dim] - V_base[:dim] - carried)
        angular = V[dim:] - spin if dim == 2 else here.rotation.T @ (V[dim:] - spin)
        if near == 0.0 and self.margin(q) < SINGULAR:
            raise SingularError(
                f"leg {self.foot!r} of robot {self.robot.name!r} is singular here: straight or folded, or with axes in line. "
                "Give near > 0 for rates that stay bounded"
            )
        kernel: Any = kernels.planar_leg_rates if dim == 2 else kernels.spatial_leg_rates
        angles = tuple(self._row(q)) + (0.0,) * (3 - len(self.shape.axes) if dim == 2 else 0)
        found = kernel[self.robot.space](self.numbers, angles, (*map(float, linear), *map(float, angular)), near)
        return self.shape.rates_by_joint(found[: len(self.shape.axes)], angles)

    def margin(self, q: Any) -> float:
        """How far the leg is from a singularity, 0 to 1: the sine of the knee's bend; in space also the cosine of hip roll and
        the height of the hip over the axis of ankle roll (in lengths of the leg), whichever is least.
        """
        n, row = self.numbers, self._row(state.coordinates(self.robot, q))
        knee = n.signs[self.shape.knee] * row[self.shape.knee]
        bent = abs(np.sin(knee + n.shank_tilt - n.thigh_tilt))
        if self.robot.space == "planar":
            return float(bent)
        ankle = n.signs[4] * row[4]
        height = n.thigh * np.cos(n.thigh_tilt - ankle - knee) + n.shank * np.cos(n.shank_tilt - ankle)
        return float(min(bent, abs(np.cos(row[1])), abs(height) / (n.thigh + n.shank)))

    # --- one goal ---------------------------------------------------------------------------------------------------------

    def _from_base(self, foot: Any, base: Any) -> Pose:
        there = pose_of(foot, self.robot.dim, f"pose of {self.foot!r}", bool(self.shape.has_ankle))
        if base is None:
            return there
        here = pose_of(base, self.robot.dim, f"pose of {self.base!r}", True)
        R = here.rotation.T @ there.rotation
        return Pose(here.rotation.T @ (there.position - here.position), R)

    def _branches(self) -> list[tuple[float, ...]]:
        both = (1.0, -1.0)
        return [(bend,) for bend in both] if self.robot.space == "planar" else list(product(both, both, both))

    def _solve(self, T: Pose, branch: tuple[float, ...]) -> tuple[float, tuple[float, ...]]:
        p = tuple(T.position.tolist())
        if self.robot.space == "planar":
            pitch = float(np.arctan2(T.rotation[0, 1], T.rotation[0, 0]))
            beyond, row = kernels.planar_leg_angles["planar"](self.numbers, p, pitch, *branch)
        else:
            beyond, row = kernels.spatial_leg_angles["spatial"](self.numbers, p, tuple(T.rotation.ravel().tolist()), *branch)
        return float(beyond), tuple(row[: len(self.shape.axes)])

    def _within(self, row: tuple[float, ...], preferred: np.ndarray) -> tuple[tuple[float, ...], tuple[str, ...]]:
        """Each angle by whole turns to where its limits allow it, nearest to the preferred one; limits that are passed."""
        angles, passed = [], []
        for axis, angle, wish in zip(self.shape.axes, row, preferred, strict=True):
            turns = angle + 2.0 * np.pi * (np.round((wish - angle) / (2.0 * np.pi)) + np.arange(-1, 2))
            low, high = axis.limits
            allowed = [each for each in turns if low - SAME <= each <= high + SAME]
            best = float(min(allowed or turns, key=lambda each, wish=wish: abs(each - wish)))
            if not allowed:
                side, limit = ("lower", low) if best < low else ("upper", high)
                passed.append(f"{axis.name} at {best:.6g} rad is {abs(best - limit):.6g} beyond its {side} limit of {limit:g}")
            angles.append(min(max(best, low), high) if allowed else best)
        return tuple(angles), tuple(passed)

    def _bend(self) -> float:
        """The way the knee bends, by its limits."""
        n, (low, high) = self.numbers, self.shape.axes[self.shape.knee].limits
        middle = n.signs[self.shape.knee] * (low + high) / 2 + n.shank_tilt - n.thigh_tilt
        return -1.0 if middle < 0.0 else 1.0

    def _row(self, q: np.ndarray) -> np.ndarray:
        return self.shape.row_of(self.robot, q)


def leg(robot: Robot, foot: str, base: str | None = None) -> Leg:
    """The leg that ends in link or frame `foot`, if the closed form fits it; `base` is the floating body if left out."""
    state.known_robot(robot)
    robot.target(foot)
    if base is None:
        floating = [joint.child for joint in robot.joints if joint.kind in ("planar", "free")]
        base = floating[0] if floating else "world"
    robot.target(base)
    return Leg(robot, base, foot, shape_of(robot, foot, base))


def _shown(angle: Any) -> str:
    return f"{angle:.4g}" if isinstance(angle, float) else "(" + ", ".join(f"{x:.4g}" for x in angle) + ")"


def _bend(knee: Any) -> float:
    if knee not in ("forward", "back"):
        raise StateError(f"knee of a leg points 'forward' or 'back', got {knee!r:.60}")
    return 1.0 if knee == "forward" else -1.0


def _rows(given: Any, shape: tuple[int, ...], what: str) -> np.ndarray:
    try:
        rows = np.ascontiguousarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise StateError(f"{what} must be numbers, got {given!r:.80}") from None
    if rows.ndim != 1 + len(shape) or rows.shape[1:] != shape or not np.isfinite(rows).all():
        raise StateError(f"{what} must be finite numbers of shape (goals, {', '.join(map(str, shape))}), got shape {rows.shape}")
    return rows


def _not_negative(given: Any, what: str) -> float:
    try:
        number = float(given)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not 0.0 <= number < np.inf:
        raise StateError(f"{what} must be a number from 0 on, got {given!r:.60}")
    return number
