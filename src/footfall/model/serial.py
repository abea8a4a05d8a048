"""A serial chain of a robot, from one of its links to another: single axes where they are in the zero position.

A joint with several degrees of freedom counts as a series of single ones: a spherical joint as yaw, roll and pitch, a floating
base as slides and then turns. The way may also lead inward, from a foot to the body, and out again.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import RobotError, UnknownNameError
from footfall.model import state, transforms
from footfall.model.layout import lift
from footfall.model.parts import WORLD, Joint
from footfall.model.robot import Robot

X, Y, Z = np.eye(3)
TURNS = (("revolute", ".yaw", Z), ("revolute", ".roll", X), ("revolute", ".pitch", Y))
SINGLE: dict[str, tuple[tuple[str, str, np.ndarray], ...]] = {  # the single axes of a joint, in the child's axes at zero
    "fixed": (),
    "spherical": TURNS,
    "planar": (("prismatic", ".x", X), ("prismatic", ".z", Z), ("revolute", ".pitch", Y)),
    "free": (("prismatic", ".x", X), ("prismatic", ".y", Y), ("prismatic", ".z", Z), *TURNS),
}


class Axis(NamedTuple):
    """A single axis in the zero position, in the axes of the chain's base."""

    name: str  # of the joint, or of one of its freedoms, such as hip.yaw
    kind: str  # revolute or prismatic
    point: np.ndarray
    direction: np.ndarray
    limits: tuple[float, float]


class Serial(NamedTuple):
    """A chain from a base to a target: T(q) is the product of the motions about its axes, and then `end`."""

    axes: tuple[Axis, ...]
    end: np.ndarray  # 4 by 4: the target in the axes of the base where all coordinates are zero
    joints: tuple[Joint, ...]  # that it passes, fixed ones left out
    zero: tuple[np.ndarray, ...]  # 3 by 3: the axes of their child links in the zero position


def serial(robot: Robot, target: str, base: str = WORLD) -> Serial:
    """The chain of a robot that leads from link or frame `base` to `target`."""
    state.known_robot(robot)
    poses = zero_poses(robot)
    for name in (base, target):
        if not isinstance(name, str) or name not in poses:
            raise UnknownNameError(f"link or frame (in robot {robot.name!r})", name, poses)
    above = {joint.child: joint for joint in robot.joints}
    inward, outward = (_to_world(robot, above, name) for name in (base, target))
    while inward and outward and inward[-1] is outward[-1]:
        inward, outward = inward[:-1], outward[:-1]
    to_base = transforms.inverse(poses[base])
    way = [(joint, -1.0) for joint in inward] + [(joint, 1.0) for joint in reversed(outward)]
    way = [(joint, sign) for joint, sign in way if joint.kind != "fixed"]
    if not way:
        raise RobotError(f"robot {robot.name!r}: no joint moves {target!r} against {base!r}")
    axes: list[Axis] = []
    for joint, sign in way:
        placed = to_base @ poses[joint.child]
        own = [_axis(joint, single, placed, sign) for single in _single(joint)]
        axes += own if sign > 0.0 else reversed(own)
    zero = tuple((to_base @ poses[joint.child])[:3, :3] for joint, _ in way)
    return Serial(tuple(axes), to_base @ poses[target], tuple(joint for joint, _ in way), zero)


def zero_poses(robot: Robot) -> dict[str, np.ndarray]:
    """Links, frames and the world where all coordinates are zero."""
    poses = {WORLD: np.eye(4)}
    for joint in robot.joints:
        poses[joint.child] = poses[joint.parent] @ transforms.of_part(joint.at, joint.turn)
    return poses | {frame.name: poses[frame.link] @ transforms.of_part(frame.at, frame.turn) for frame in robot.frames}


def variables(robot: Robot, q: Any, names: tuple[str, ...]) -> np.ndarray:
    """The coordinates of single axes by name, from those of the robot; quaternions become yaw, roll and pitch."""
    q = state.coordinates(robot, q)
    known = dict(zip(robot.coordinates, q.tolist(), strict=True))
    for i, joint in enumerate(robot.layout.joints, start=1):
        if joint.kind in ("spherical", "free"):
            last = robot.tree.first_q[i + 1]
            angles = transforms.yaw_roll_pitch(rotation_of(q[last - 4 : last]))
            known |= {joint.name + part: angle for (_, part, _), angle in zip(TURNS, angles, strict=True)}
    for name in names:
        if name not in known:
            raise UnknownNameError(f"coordinate (of robot {robot.name!r})", name, known)
    return np.array([known[name] for name in names])


def nearest_point(axes: Sequence[tuple[Any, Any]]) -> np.ndarray:
    """The point nearest to axes (point, direction); where it may lie anywhere on them, nearest to the point of the first."""
    first = axes[0][0]
    across = [np.eye(3) - np.outer(direction, direction) for _, direction in axes]
    off = np.concatenate([P @ (point - first) for P, (point, _) in zip(across, axes, strict=True)])
    return first + np.linalg.lstsq(np.vstack(across), off, rcond=1e-6)[0]


def rotation_of(quaternion: np.ndarray) -> np.ndarray:
    """The matrix of a quaternion (w, x, y, z)."""
    from scipy.spatial.transform import Rotation

    return Rotation.from_quat(np.roll(quaternion, -1)).as_matrix()


def quaternion_of(R: np.ndarray) -> tuple[float, ...]:
    """The quaternion (w, x, y, z), w not negative, of a rotation."""
    from scipy.spatial.transform import Rotation

    return tuple(float(x) for x in np.roll(Rotation.from_matrix(R).as_quat(canonical=True), 1))


def _to_world(robot: Robot, above: dict[str, Joint], name: str) -> list[Joint]:
    """The joints from a link or frame inward to the world."""
    link, way = next((frame.link for frame in robot.frames if frame.name == name), name), []
    while link != WORLD:
        way.append(above[link])
        link = above[link].parent
    return way


def _single(joint: Joint) -> tuple[tuple[str, str, np.ndarray], ...]:
    if joint.kind in ("revolute", "prismatic"):
        along: Any = joint.axis
        return ((joint.kind, "", Y if along is None else lift(along)),)
    return SINGLE[joint.kind]


def _axis(joint: Joint, single: tuple[str, str, np.ndarray], placed: np.ndarray, sign: float) -> Axis:
    kind, part, direction = single
    return Axis(joint.name + part, kind, placed[:3, 3], sign * (placed[:3, :3] @ direction), joint.limits)
