"""Checks of the numbers that users pass to kernels."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from footfall.core.joints import FREE, SPHERICAL
from footfall.errors import StateError
from footfall.model.parts import WORLD
from footfall.model.robot import Robot

UNIT = 1e-3  # how far a quaternion's length may be from 1: more is a mistake, less is rounding in somebody's file


def coordinates(robot: Robot, q: Any, many: bool = False) -> np.ndarray:
    """q as the kernels take it; with `many`, rows of them are allowed too."""
    known_robot(robot)
    q = _numbers(robot, q, "q", robot.coordinates, many)
    tree = robot.tree
    for i in range(1, len(tree.parent)):
        if tree.kind[i] in (SPHERICAL, FREE):
            last = tree.first_q[i + 1]
            length = np.linalg.norm(q[..., last - 4 : last], axis=-1)
            if np.any(np.abs(length - 1.0) > UNIT):
                joint = robot.layout.joints[i - 1].name
                worst = np.atleast_1d(length)[np.argmax(np.atleast_1d(np.abs(length - 1.0)))]
                raise StateError(
                    f"q of robot {robot.name!r}: the quaternion of joint {joint!r} (entries {last - 4} to {last - 1}, "
                    f"w x y z) must have length 1, got {worst:.6g}"
                )
    return q


def velocities(robot: Robot, v: Any, what: str = "v", many: bool = False) -> np.ndarray:
    """v, or anything with one entry for each degree of freedom."""
    known_robot(robot)
    return _numbers(robot, v, what, robot.velocities, many)


def known_robot(robot: Any) -> None:
    """Refuse anything but a robot, such as its name."""
    if not isinstance(robot, Robot):
        raise StateError(f"robot must be a Robot, as footfall.robots.load gives, got {robot!r:.60}")


def _numbers(robot: Robot, given: Any, what: str, names: tuple[str, ...], many: bool) -> np.ndarray:
    try:
        values = np.ascontiguousarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise StateError(f"{what} of robot {robot.name!r} must be {len(names)} numbers, got {given!r:.80}") from None
    shapes = (1, 2) if many else (1,)
    if values.ndim not in shapes or values.shape[-1] != len(names):
        layout = " ".join(names[:30]) + (f" ... ({len(names)} in all)" if len(names) > 30 else "")
        rows = " (or rows of them)" if many else ""
        raise StateError(
            f"{what} of robot {robot.name!r} must have {len(names)} entries{rows}, got shape {values.shape}; they are: {layout}"
        )
    if not np.isfinite(values).all():
        bad = np.argwhere(~np.isfinite(values))[0]
        row = f" in row {bad[0]}" if values.ndim == 2 else ""
        raise StateError(f"{what} of robot {robot.name!r} must be finite, got {values[tuple(bad)]} for {names[bad[-1]]!r}{row}")
    return values


def vector(values: Any, length: int, what: str) -> np.ndarray:
    """A short row of finite numbers."""
    try:
        numbers = np.array(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise StateError(f"{what} must be {length} numbers, got {values!r:.80}") from None
    if numbers.shape != (length,) or not np.isfinite(numbers).all():
        raise StateError(f"{what} must be {length} finite numbers, got {values!r:.80}")
    return numbers


def gravity(robot: Robot, given: float | Any | None) -> np.ndarray:
    """Acceleration of free fall: a number points down, None is the robot's own."""
    given = robot.gravity if given is None else given
    if np.ndim(given) == 0:
        down = np.zeros(robot.dim)
        down[-1] = -vector([given], 1, "gravity")[0]
        return down
    return vector(given, robot.dim, "gravity")


def wrenches(robot: Robot, external: Mapping[str, Any] | None) -> dict[str, np.ndarray]:
    """External forces by link or frame: (force, moment) in world axes, at the origin of the link or frame."""
    size = 3 if robot.space == "planar" else 6
    parts = "(fx, fz, moment)" if robot.space == "planar" else "(fx, fy, fz, nx, ny, nz)"
    if external is not None and not isinstance(external, Mapping):
        raise StateError(f"external forces must be given by name, {{link or frame: {parts}}}, got {external!r:.80}")
    for name in external or {}:
        robot.target(name)
        if name == WORLD:
            raise StateError("an external force must act on a link or frame; the world does not move")
    return {name: vector(wrench, size, f"external force on {name!r} {parts}") for name, wrench in (external or {}).items()}
