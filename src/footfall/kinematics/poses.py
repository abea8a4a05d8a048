"""Poses, velocities, accelerations and Jacobians of links, frames and points on them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.core.call import KernelCall
from footfall.core.recursion import kinematics as kernels
from footfall.errors import StateError, UnknownNameError
from footfall.evaluate import Evaluation
from footfall.model import state, transforms
from footfall.model.layout import Target, lift, rotation
from footfall.model.robot import Robot


@dataclass(frozen=True)
class Pose:
    """Place and orientation: `position`, `rotation` (its columns are the target's axes), and in the plane the `angle`."""

    position: np.ndarray
    rotation: np.ndarray
    angle: float | None = None

    @property
    def matrix(self) -> np.ndarray:
        """The homogeneous transform, 4 by 4; a pose of the plane is one in the plane x-z of space."""
        T, rows = np.eye(4), [0, 2] if len(self.position) == 2 else [0, 1, 2]
        T[np.ix_(rows, rows)], T[rows, 3] = self.rotation, self.position
        return T


def pose(robot: Robot, q: Any, target: str, at: Any = None) -> Pose:
    """Where a link, a frame or a point on it is."""
    return placed_pose(placed(robot, state.coordinates(robot, q)), robot.target(target), _point(robot, at))


def pose_of(given: Any, dim: int, what: str = "pose", turns: bool = True) -> Pose:
    """A Pose from a Pose, a homogeneous transform (4 by 4), or (position, rotation) with a rotation as a `Task` has it.

    `dim` is 2 in the plane, 3 in space. If the rotation does not count (`turns` is False), the position alone will do.
    """
    forms = "a Pose, a transform of 4 by 4, or (position, rotation)" + ("" if turns else ", or a position")
    if isinstance(given, Pose):
        if len(given.position) != dim:
            raise StateError(
                f"{what} must be in {'the plane' if dim == 2 else 'space'}, got a Pose in {len(given.position)} dimensions"
            )
        return given
    shape = _shape(given)
    if shape == (4, 4):
        T, rows = transforms.checked(given, what), [0, 2] if dim == 2 else [0, 1, 2]
        if dim == 2 and max(abs(T[1, 3]), np.abs(T[1, :3] - (0.0, 1.0, 0.0)).max()) > transforms.RIGID:
            raise StateError(f"{what} must stay in the plane x-z: shifted along x and z, turned about y, got {T.tolist()!r:.200}")
        place, R = T[rows, 3], T[np.ix_(rows, rows)]
    elif not turns and shape == (dim,):
        place, R = state.vector(given, dim, what), np.eye(dim)
    elif isinstance(given, tuple | list) and len(given) == 2:
        place = state.vector(given[0], dim, f"position of the {what}")
        R = np.eye(dim) if given[1] is None and not turns else rotation_matrix(given[1], dim, f"rotation of the {what}")
    else:
        raise StateError(f"{what} must be {forms}, got {given!r:.80}")
    return Pose(place, R, float(np.arctan2(R[0, 1], R[0, 0])) if dim == 2 else None)


def rotation_matrix(given: Any, dim: int, what: str) -> np.ndarray:
    """A rotation matrix from a matrix, an angle (in the plane) or (roll, pitch, yaw)."""
    short = "an angle" if dim == 2 else "(roll, pitch, yaw)"
    try:
        values = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        values = np.full((), np.nan)
    if values.shape == (() if dim == 2 else (3,)) and np.isfinite(values).all():
        R = rotation(float(values) if dim == 2 else tuple(values.tolist()))
        return R[np.ix_((0, 2), (0, 2))] if dim == 2 else R
    if values.shape == (dim, dim) and np.abs(values @ values.T - np.eye(dim)).max() < 1e-6 and np.linalg.det(values) > 0.0:
        return values
    raise StateError(f"{what} must be a rotation matrix of {dim} by {dim} or {short}, got {given!r:.80}")


def _shape(given: Any) -> tuple[int, ...]:
    try:
        return np.shape(given)
    except ValueError:  # rows of different lengths
        return ()


def pose_difference(here: Pose, there: Pose) -> np.ndarray:
    """The displacement (m) and the rotation vector (rad) that take one pose to another, in world axes."""
    if here.rotation.shape != there.rotation.shape:
        raise StateError("a pose in the plane and one in space have no difference")
    turn = there.rotation @ here.rotation.T
    if here.angle is not None:
        return np.array([*(there.position - here.position), np.arctan2(turn[0, 1], turn[0, 0])])
    from scipy.spatial.transform import Rotation

    return np.concatenate((there.position - here.position, Rotation.from_matrix(turn).as_rotvec()))


def placed_pose(ev: Evaluation, where: Target, at: np.ndarray | None) -> Pose:
    """The pose of a target of a robot whose bodies are placed."""
    position = ev.work.p_WB[where.body] + ev.arm(where, at)
    turn = ev.axes(where)
    if ev.robot.space == "planar":
        c, s, angle = turn
        return Pose(position, np.array(((c, s), (-s, c))), float(angle))
    return Pose(position, np.array(turn).reshape(3, 3))


def velocity(robot: Robot, q: Any, v: Any, target: str, at: Any = None, axes: str = "world") -> np.ndarray:
    """Velocity of a point of a link or frame, and the angular velocity."""
    q, v, where = state.coordinates(robot, q), state.velocities(robot, v), robot.target(target)
    ev = Evaluation(robot)
    ev.run(kernels.set_speeds, q, v)
    motion = ev.small("shift_motion", ev.work.V_WB[where.body], ev.arm(where, _point(robot, at)))
    return _in_axes(ev, where, motion, axes)


def acceleration(robot: Robot, q: Any, v: Any, a: Any, target: str, at: Any = None, axes: str = "world") -> np.ndarray:
    """Acceleration of a point of a link or frame, and the angular acceleration."""
    q, v, a = state.coordinates(robot, q), state.velocities(robot, v), state.velocities(robot, a, "a")
    where, ev = robot.target(target), Evaluation(robot)
    ev.run(kernels.set_accels, q, v, a)
    return _in_axes(ev, where, _point_accel(ev, where.body, ev.arm(where, _point(robot, at))), axes)


def jacobian(robot: Robot, q: Any, target: str, at: Any = None, axes: str = "world") -> np.ndarray:
    """J with velocity = J v; its first rows are linear, the last angular."""
    where, ev = robot.target(target), placed(robot, state.coordinates(robot, q))
    J = placed_jacobian(ev, where, _point(robot, at))
    return np.array([_in_axes(ev, where, tuple(column), axes) for column in J.T]).T


def placed_jacobian(ev: Evaluation, where: Target, at: np.ndarray | None) -> np.ndarray:
    """J in world axes of a target of a robot whose bodies are placed."""
    rows = ev.rows()
    ev.run(kernels.jacobian, where.body, ev.arm(where, at), rows)
    return rows.T


def jacobian_rate(robot: Robot, q: Any, v: Any, target: str, at: Any = None, axes: str = "world") -> np.ndarray:
    """dJ/dt v: the part of d/dt (J v) that comes from the velocity alone."""
    q, v, where = state.coordinates(robot, q), state.velocities(robot, v), robot.target(target)
    ev = Evaluation(robot)
    ev.run(kernels.set_accels, q, v, np.zeros(robot.nv))
    arm = ev.arm(where, _point(robot, at))
    rate = _point_accel(ev, where.body, arm)
    if axes == "body":  # these axes turn, which changes the components of the velocity
        speed = ev.small("shift_motion", ev.work.V_WB[where.body], arm)
        turning = ev.small("spin_cross", ev.small("angular", speed), ev.small("linear", speed))
        rate = (*np.subtract(rate[: robot.dim], turning), *rate[robot.dim :])
    return _in_axes(ev, where, rate, axes)


def placed(robot: Robot, q: np.ndarray) -> Evaluation:
    """The robot with its bodies where q has them."""
    ev = Evaluation(robot)
    ev.run(kernels.set_places, q)
    return ev


def _point(robot: Robot, at: Any) -> np.ndarray | None:
    return None if at is None else state.vector(at, robot.dim, "at")


def _point_accel(ev: Evaluation, body: int, arm: tuple) -> tuple:
    return kernels.point_accel.plain(ev.robot.space)(ev.work, body, arm)


def _in_axes(ev: Evaluation, target: Any, motion: tuple, axes: str) -> np.ndarray:
    if axes not in ("world", "body"):
        raise UnknownNameError("choice of axes", axes, ("world", "body"))
    return np.array(motion if axes == "world" else ev.small("rotate_motion_back", ev.axes(target), motion))


class LinkPoses:
    """Poses of all links of a robot in one call into compiled code; a planar robot is in the plane x-z of space."""

    def __init__(self, robot: Robot):
        self.names = tuple(link.name for link in robot.links)
        targets = [robot.target(name) for name in self.names]
        self._ev, self._planar = Evaluation(robot), robot.space == "planar"
        self._bodies = np.array([target.body for target in targets])
        self._places = np.array([target.place for target in targets])
        self._axes = np.array([target.axes for target in targets])
        self._call = KernelCall(kernels.placed_all, robot.space)
        self._mass = np.array([link.mass for link in robot.links])
        self._com = np.array([lift(link.com) for link in robot.links])

    def __call__(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions (links, 3) and rotations (links, 3, 3); q is not checked."""
        work = self._ev.work
        self._call(self._ev.tree, work, q)
        R, p = work.R_WB[self._bodies], work.p_WB[self._bodies]
        if self._planar:
            c, s = R[:, 0], R[:, 1]
            o, i = np.zeros_like(c), np.ones_like(c)
            R = np.stack((c, o, s, o, i, o, -s, o, c), axis=1)
            p = np.stack((p[:, 0], o, p[:, 1]), axis=1)
        R = R.reshape(-1, 3, 3)
        return p + np.einsum("nij,nj->ni", R, self._places), R @ self._axes

    def by_name(self, q: np.ndarray) -> dict[str, Pose]:
        """A pose in space for every link, by its name; q is not checked."""
        return {name: Pose(place, turn) for name, place, turn in zip(self.names, *self(q), strict=True)}

    def center_of_mass(self, positions: np.ndarray, rotations: np.ndarray) -> np.ndarray:
        """(3,) of the whole robot, from the poses of its links."""
        centers = positions + np.einsum("nij,nj->ni", rotations, self._com)
        return self._mass @ centers / self._mass.sum()
