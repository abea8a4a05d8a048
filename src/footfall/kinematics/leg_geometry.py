"""Whether a chain of joints is a leg that the closed form fits, and the numbers that describe it."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.leg import PlanarLeg, SpatialLeg
from footfall.errors import RobotError, StateError
from footfall.model.parts import Joint
from footfall.model.robot import Robot
from footfall.model.serial import Axis, Serial, quaternion_of, rotation_of, serial
from footfall.model.transforms import rotation_x, rotation_y, rotation_z, yaw_roll_pitch

EXACT = 1e-9  # m, rad: how far axes may be from meeting, or from right angles
HIP, ANKLE = 3, 2  # axes of a hip and of an ankle in space
X, Y, Z = np.eye(3)


class Shape(NamedTuple):
    """A leg as the closed form has it."""

    numbers: Any  # PlanarLeg or SpatialLeg
    axes: tuple[Axis, ...]  # single axes from the hip outward
    joints: tuple[Joint, ...]
    zero: tuple[np.ndarray, ...]  # 3 by 3: the axes of the joints' child links in the zero position, in those of the base
    knee: int  # which axis is the knee's
    has_ankle: bool

    def by_joint(self, row: tuple[float, ...]) -> dict[str, Any]:
        """The coordinates of joints, by name, from the angles of single axes."""
        found: dict[str, Any] = {}
        left = list(row)
        for joint, zero in zip(self.joints, self.zero, strict=True):
            if joint.kind == "spherical":
                first = not found
                own, left = left[: HIP if first else ANKLE], left[HIP if first else ANKLE :]
                found[joint.name] = quaternion_of(_into(zero, self.leg_axes, _hip(*own) if first else _ankle(*own)))
            else:
                found[joint.name], left = left[0], left[1:]
        return found

    def rates_by_joint(self, rates: tuple[float, ...], angles: tuple[float, ...]) -> dict[str, Any]:
        """The velocities of joints, by name, from the rates of single axes."""
        found: dict[str, Any] = {}
        at = 0
        for joint, zero in zip(self.joints, self.zero, strict=True):
            if joint.kind == "spherical":
                first, turns = at == 0, []
                size = HIP if first else ANKLE
                R = np.eye(3)
                order = (rotation_z, rotation_x, rotation_y) if first else (rotation_y, rotation_x)
                for k, about in reversed(list(enumerate(order))):
                    own = {rotation_x: X, rotation_y: Y, rotation_z: Z}[about]
                    turns.append(rates[at + k] * (R.T @ own))
                    R = about(angles[at + k])[:3, :3] @ R
                w = zero.T @ self.leg_axes @ np.sum(turns, axis=0)
                found[joint.name], at = tuple(w.tolist()), at + size
            else:
                found[joint.name], at = float(rates[at]), at + 1
        return found

    def row_of(self, robot: Robot, q: np.ndarray) -> np.ndarray:
        """The angles of single axes in a configuration of the robot."""
        row: list[float] = []
        for joint, zero in zip(self.joints, self.zero, strict=True):
            i = robot.layout.joints.index(joint) + 1
            own = q[robot.tree.first_q[i] : robot.tree.first_q[i + 1]]
            if joint.kind != "spherical":
                row.append(float(own[0]))
                continue
            R = _out_of(zero, self.leg_axes, rotation_of(own))
            if not row:
                row += yaw_roll_pitch(R)
                continue
            pitch, roll = float(np.arctan2(-R[2, 0], R[0, 0])), float(np.arctan2(-R[1, 2], R[1, 1]))
            if np.abs(_ankle(pitch, roll) - R).max() > EXACT:
                raise StateError(f"joint {joint.name!r} of robot {robot.name!r} must have pitch and roll only; it also has yaw")
            row += [pitch, roll]
        return np.array(row)

    @property
    def leg_axes(self) -> np.ndarray:
        """The axes of the leg in those of the base."""
        return np.array(self.numbers.axes).reshape(3, 3) if isinstance(self.numbers, SpatialLeg) else np.eye(3)


def shape_of(robot: Robot, foot: str, base: str) -> Shape:
    """The leg from `base` to `foot`; a RobotError says why the closed form does not fit."""
    chain = serial(robot, foot, base)
    what = f"the leg of robot {robot.name!r} from {base!r} to {foot!r}"
    return _planar(chain, what) if robot.space == "planar" else _spatial(chain, what)


def _no(what: str, why: str) -> RobotError:
    return RobotError(f"{what} has no closed form: {why}. footfall.kinematics.inverse takes any leg")


def _listed(axes: tuple[Axis, ...]) -> str:
    return ", ".join(f"{axis.name} ({axis.kind})" for axis in axes)


def _planar(chain: Serial, what: str) -> Shape:
    axes = chain.axes
    if len(axes) not in (2, 3) or any(axis.kind != "revolute" for axis in axes):
        raise _no(what, f"it must have two or three hinges, hip, knee and perhaps ankle, and has {_listed(axes)}")
    end = chain.end[:3, 3]
    hip, knee, ankle = axes[0].point, axes[1].point, axes[2].point if len(axes) == 3 else end
    thigh, shank = _polar(knee - hip, axes[1].name, what), _polar(ankle - knee, axes[-1].name, what)
    R = chain.end[:3, :3]
    numbers = PlanarLeg(
        hip=_plane(hip),
        thigh=thigh[0],
        shank=shank[0],
        thigh_tilt=thigh[1],
        shank_tilt=shank[1],
        foot=_plane(end - ankle),
        foot_tilt=float(np.arctan2(R[0, 2], R[0, 0])),
        signs=tuple(float(axis.direction[1]) for axis in axes) + (1.0,) * (3 - len(axes)),
    )
    return Shape(numbers, axes, chain.joints, chain.zero, 1, len(axes) == 3)


def _spatial(chain: Serial, what: str) -> Shape:
    axes, spherical = chain.axes, [joint.kind == "spherical" for joint in chain.joints]
    if len(axes) == 7 and spherical[-1]:  # of a spherical ankle, pitch and roll
        _, roll, pitch = axes[-3:]
        axes = (*axes[:-3], pitch, roll)
    if len(axes) != 6 or any(axis.kind != "revolute" for axis in axes):
        raise _no(what, f"it must have hip yaw, roll, pitch, knee, ankle pitch, roll, and has {_listed(chain.axes)}")
    yaw, roll, pitch, knee, ankle, last = axes
    for one, two in ((yaw, roll), (roll, pitch), (ankle, last)):
        if abs(one.direction @ two.direction) > EXACT:
            raise _no(what, f"the axes {one.name} and {two.name} must be at right angles")
    for one in (knee, ankle):
        if np.linalg.norm(np.cross(one.direction, pitch.direction)) > EXACT:
            raise _no(what, f"the axis {one.name} must be parallel to {pitch.name}")
    if abs(abs(last.direction @ roll.direction) - 1.0) > EXACT or abs(yaw.direction @ pitch.direction) > EXACT:
        raise _no(what, f"in the zero position {last.name} must be parallel to {roll.name}, and {yaw.name} across both")
    hip, foot = _meeting((yaw, roll, pitch), what), _meeting((ankle, last), what)
    y = pitch.direction if pitch.direction[np.argmax(np.abs(pitch.direction))] > 0.0 else -pitch.direction
    z = yaw.direction if yaw.direction @ (hip - foot) >= 0.0 else -yaw.direction
    A = np.column_stack((np.cross(y, z), y, z))
    thigh, shank = (
        _polar(A.T @ way, name, what) for way, name in ((knee.point - hip, knee.name), (foot - knee.point, ankle.name))
    )
    along = (A[:, 2], A[:, 0], A[:, 1], A[:, 1], A[:, 1], A[:, 0])
    numbers = SpatialLeg(
        hip=tuple(hip.tolist()),
        axes=tuple(A.ravel().tolist()),
        thigh=thigh[0],
        shank=shank[0],
        thigh_tilt=thigh[1],
        shank_tilt=shank[1],
        aside=float((foot - hip) @ y),
        foot=tuple((A.T @ (chain.end[:3, 3] - foot)).tolist()),
        foot_axes=tuple((A.T @ chain.end[:3, :3]).ravel().tolist()),
        signs=tuple(float(np.sign(axis.direction @ way)) for axis, way in zip(axes, along, strict=True)),
    )
    if any(spherical) and min(numbers.signs) < 0.0:
        raise _no(what, "with spherical joints its axes must be those of the base, x forward and z up")
    return Shape(numbers, axes, chain.joints, chain.zero, HIP, True)


def _plane(vector: np.ndarray) -> tuple[float, float]:
    return float(vector[0]), float(vector[2])


def _polar(way: np.ndarray, name: str, what: str) -> tuple[float, float]:
    """Length in the plane x-z and tilt about y from straight down."""
    length = float(np.hypot(way[0], way[2]))
    if length < EXACT:
        raise _no(what, f"the axis {name} falls together with the one before it")
    return length, float(np.arctan2(-way[0], -way[2])) + 0.0


def _meeting(axes: tuple[Axis, ...], what: str) -> np.ndarray:
    """The point where axes meet."""
    across = [np.eye(3) - np.outer(axis.direction, axis.direction) for axis in axes]
    point = np.linalg.lstsq(
        np.vstack(across), np.concatenate([P @ axis.point for P, axis in zip(across, axes, strict=True)]), rcond=None
    )[0]
    off = max(float(np.linalg.norm(P @ (point - axis.point))) for P, axis in zip(across, axes, strict=True))
    if off > EXACT:
        raise _no(what, f"the axes {', '.join(axis.name for axis in axes)} must meet in a point, and are {off:.3g} m from it")
    exact = axes[0].point
    on_all = max(float(np.linalg.norm(P @ (exact - axis.point))) for P, axis in zip(across, axes, strict=True))
    return exact if on_all < 1e-15 else point


def _hip(yaw: float, roll: float, pitch: float) -> np.ndarray:
    return (rotation_z(yaw) @ rotation_x(roll) @ rotation_y(pitch))[:3, :3]


def _ankle(pitch: float, roll: float) -> np.ndarray:
    return (rotation_y(pitch) @ rotation_x(roll))[:3, :3]


def _into(zero: np.ndarray, axes: np.ndarray, R: np.ndarray) -> np.ndarray:
    """A turn in the axes of the leg, in those of a link."""
    return zero.T @ axes @ R @ axes.T @ zero


def _out_of(zero: np.ndarray, axes: np.ndarray, R: np.ndarray) -> np.ndarray:
    return axes.T @ zero @ R @ zero.T @ axes
