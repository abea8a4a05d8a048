"""Where things are and how they move: the same functions for planar and spatial robots.

`target` is the name of a link or frame; `at` a point on it, in its axes. Motions are (linear, angular): (vx, vz, pitch rate) in
the plane, (vx, vy, vz, wx, wy, wz) in space, of the point itself, in world axes or (`axes="body"`) in the target's.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.core import manifold
from footfall.core.recursion import kinematics as kernels
from footfall.errors import UnknownNameError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.robot import Robot


@dataclass(frozen=True)
class Pose:
    """Place and orientation: `position`, `rotation` (its columns are the target's axes), and in the plane the `angle`."""

    position: np.ndarray
    rotation: np.ndarray
    angle: float | None = None


def pose(robot: Robot, q: Any, target: str, at: Any = None) -> Pose:
    """Where a link, a frame or a point on it is."""
    where, ev = robot.target(target), _placed(robot, state.coordinates(robot, q))
    position = ev.work.place[where.body] + ev.arm(where, _point(robot, at))
    turn = ev.axes(where)
    if robot.space == "planar":
        c, s, angle = turn
        return Pose(position, np.array(((c, s), (-s, c))), float(angle))
    return Pose(position, np.array(turn).reshape(3, 3))


def velocity(robot: Robot, q: Any, v: Any, target: str, at: Any = None, axes: str = "world") -> np.ndarray:
    """Velocity of a point of a link or frame, and the angular velocity."""
    q, v, where = state.coordinates(robot, q), state.velocities(robot, v), robot.target(target)
    ev = Evaluation(robot)
    ev.run(kernels.set_speeds, q, v)
    motion = ev.small("carry", ev.work.speed[where.body], ev.arm(where, _point(robot, at)))
    return _in_axes(ev, where, motion, axes)


def acceleration(robot: Robot, q: Any, v: Any, a: Any, target: str, at: Any = None, axes: str = "world") -> np.ndarray:
    """Acceleration of a point of a link or frame, and the angular acceleration."""
    q, v, a = state.coordinates(robot, q), state.velocities(robot, v), state.velocities(robot, a, "a")
    where, ev = robot.target(target), Evaluation(robot)
    ev.run(kernels.set_accels, q, v, a)
    return _in_axes(ev, where, _point_accel(ev, where.body, ev.arm(where, _point(robot, at))), axes)


def jacobian(robot: Robot, q: Any, target: str, at: Any = None, axes: str = "world") -> np.ndarray:
    """J with velocity = J v; its first rows are linear, the last angular."""
    where, ev = robot.target(target), _placed(robot, state.coordinates(robot, q))
    rows = ev.rows()
    ev.run(kernels.jacobian, where.body, ev.arm(where, _point(robot, at)), rows)
    return np.array([_in_axes(ev, where, tuple(row), axes) for row in rows]).T


def jacobian_rate(robot: Robot, q: Any, v: Any, target: str, at: Any = None, axes: str = "world") -> np.ndarray:
    """dJ/dt v: what the velocity alone adds to d/dt (J v)."""
    q, v, where = state.coordinates(robot, q), state.velocities(robot, v), robot.target(target)
    ev = Evaluation(robot)
    ev.run(kernels.set_accels, q, v, np.zeros(robot.nv))
    arm = ev.arm(where, _point(robot, at))
    rate = _point_accel(ev, where.body, arm)
    if axes == "body":  # these axes turn, which changes the components of the velocity
        speed = ev.small("carry", ev.work.speed[where.body], arm)
        turning = ev.small("spin_cross", ev.small("angular", speed), ev.small("linear", speed))
        rate = (*np.subtract(rate[: robot.dim], turning), *rate[robot.dim :])
    return _in_axes(ev, where, rate, axes)


def integrate(robot: Robot, q: Any, step: Any) -> np.ndarray:
    """The coordinates at `step` (a velocity times a time) from q; quaternions stay of length 1."""
    q, step = state.coordinates(robot, q), state.velocities(robot, step, "step")
    return _on_manifold(robot, manifold.integrate, q, step, robot.nq)


def difference(robot: Robot, q: Any, target: Any) -> np.ndarray:
    """The step that takes q to `target`, the short way round: integrate(robot, q, difference) = target."""
    return _on_manifold(robot, manifold.difference, state.coordinates(robot, q), state.coordinates(robot, target), robot.nv)


def rate(robot: Robot, q: Any, v: Any) -> np.ndarray:
    """dq/dt: equal to v but for quaternions."""
    return _on_manifold(robot, manifold.rate, state.coordinates(robot, q), state.velocities(robot, v), robot.nq)


def random_configuration(robot: Robot, seed: int | np.random.Generator, spread: float = 1.0) -> np.ndarray:
    """A configuration drawn at random: every degree of freedom moved by a normal step of `spread` from neutral, within limits."""
    rng = np.random.default_rng(seed)
    q = _on_manifold(robot, manifold.integrate, robot.neutral(), rng.normal(0.0, spread, robot.nv), robot.nq)
    return within_stops(robot, q)


def within_stops(robot: Robot, q: Any) -> np.ndarray:
    """The same configuration with every joint that is beyond a stop put at it."""
    q = state.coordinates(robot, q).copy()
    for i, joint in enumerate(robot.layout.joints, start=1):
        if joint.kind in ("revolute", "prismatic"):
            q[robot.tree.first_q[i]] = np.clip(q[robot.tree.first_q[i]], *joint.limits)
    return q


def _placed(robot: Robot, q: np.ndarray) -> Evaluation:
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
    return np.array(motion if axes == "world" else ev.small("turned_back", ev.axes(target), motion))


def _on_manifold(robot: Robot, kernel: Any, first: np.ndarray, second: np.ndarray, size: int) -> np.ndarray:
    out = np.zeros(size)
    kernel[robot.space](robot.tree, first, second, out)
    return out
