"""A robot that weighs otherwise than its model, put down to its first link."""

from typing import Any

import numpy as np

from footfall.control.fields import ControlError
from footfall.core.recursion.momentum import correct_mass
from footfall.model.robot import Robot


def corrected(robot: Robot, more: float, offset: Any) -> np.ndarray:
    """Mass, first moment and inertia of the first link of a robot that has so much more mass (kg), and whose centre of mass is
    off by `offset` (m), in the axes of that link. Its inertia about its own centre of mass stays.
    """
    n, B = robot.dim, robot.tree.rigid[1]
    try:
        more, way = float(more), np.array(offset, float)
        own = float(B[0]) + more
    except (TypeError, ValueError, OverflowError):
        way, own = np.array(np.nan), np.nan
    if way.shape != (n,) or not np.isfinite(way).all() or not np.isfinite(own):
        raise ControlError(f"correct_mass: it takes a mass and {n} finite numbers, got {more!r:.40} and {offset!r:.60}")
    if not min(B[0], own) > 0.0:
        raise ControlError(f"correct_mass: the first link of robot {robot.name!r} must have mass, it has {own:g} kg")
    rigid = robot.tree.rigid.copy()
    correct_mass[robot.space](rigid, robot.tree.rigid, float(more), way[None])
    return rigid[1]
