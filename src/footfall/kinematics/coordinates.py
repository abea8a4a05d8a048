"""Coordinates of a robot as a manifold: steps from one configuration to another, drawn at random, within the stops."""

from numbers import Real
from typing import Any

import numpy as np

from footfall.core import manifold
from footfall.errors import StateError
from footfall.model import state
from footfall.model.robot import Robot

FARTHEST = 1e9  # m, rad: of steps drawn at random


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
    state.known_robot(robot)
    try:
        rng = np.random.default_rng(seed)
    except (TypeError, ValueError, OverflowError):
        raise StateError(f"seed must be a whole number from 0 on, or a random generator, got {seed!r:.60}") from None
    wide: Any = spread if isinstance(spread, Real) else np.nan
    if not 0.0 <= wide <= FARTHEST:
        raise StateError(f"spread must be a number from 0 to {FARTHEST:g}, got {spread!r:.60}")
    q = _on_manifold(robot, manifold.integrate, robot.neutral(), rng.normal(0.0, spread, robot.nv), robot.nq)
    return within_stops(robot, q)


def within_stops(robot: Robot, q: Any) -> np.ndarray:
    """The same configuration with every joint that is beyond a stop put at it."""
    q = state.coordinates(robot, q).copy()
    for i, joint in enumerate(robot.layout.joints, start=1):
        if joint.kind in ("revolute", "prismatic"):
            q[robot.tree.first_q[i]] = np.clip(q[robot.tree.first_q[i]], *joint.limits)
    return q


def _on_manifold(robot: Robot, kernel: Any, first: np.ndarray, second: np.ndarray, size: int) -> np.ndarray:
    out = np.zeros(size)
    kernel[robot.space](robot.tree, first, second, out)
    return out
