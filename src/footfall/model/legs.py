"""The legs of a robot: chains from its central body to its feet."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.recursion.workspace import BIG, Legs
from footfall.errors import RobotError
from footfall.model.robot import Robot


class Stance(NamedTuple):
    """A robot on its feet, as the kernels read it, and by name."""

    legs: Legs
    feet: tuple[str, ...]
    joints: tuple[tuple[str, ...], ...]  # of each leg, from the hip outward


def stance(robot: Robot) -> Stance:
    """The central body is the one that floats; every foot must have a leg of its own."""
    center = _center(robot)
    if not robot.feet:
        raise RobotError(f"robot {robot.name!r} has no feet to stand on")
    leg, foot, names = np.zeros(len(robot.tree.parent)), [], []
    for number, declared in enumerate(robot.feet, start=1):
        bodies = {robot.target(pad.link).body for pad in declared.pads}
        if len(bodies) != 1:
            raise RobotError(f"foot {declared.name!r} of robot {robot.name!r} must be one rigid body, it has {len(bodies)}")
        i = foot_body = bodies.pop()
        chain: list[str] = []
        while i not in (0, center):
            if leg[i]:
                raise RobotError(
                    f"feet {robot.feet[int(leg[i]) - 1].name!r} and {declared.name!r} of robot {robot.name!r} share the joint "
                    f"{robot.layout.joints[i - 1].name!r}; each needs a leg of its own"
                )
            leg[i] = number
            chain.insert(0, robot.layout.joints[i - 1].name)
            i = int(robot.tree.parent[i])
        if i == 0 or not chain:
            raise RobotError(f"foot {declared.name!r} of robot {robot.name!r} does not hang on its floating body by joints")
        foot.append(foot_body)
        names.append(tuple(chain))
    earth = np.array([_earth(robot, center, i) for i in foot])
    return Stance(Legs(center, leg, np.array(foot, float), earth), tuple(f.name for f in robot.feet), tuple(names))


def _center(robot: Robot) -> int:
    wanted = "planar" if robot.space == "planar" else "free"
    for i, joint in enumerate(robot.layout.joints, start=1):
        if robot.tree.parent[i] == 0 and joint.kind == wanted:
            return i
    raise RobotError(f"robot {robot.name!r} has no floating body: one with a {wanted!r} joint to the world")


def _earth(robot: Robot, center: int, foot: int) -> np.ndarray:
    """Wendlandt (3.14): BIG times the central body, with its centre of mass where the foot's is."""
    body, other = robot.tree.rigid[center], robot.tree.rigid[foot]
    at = other[1 : 1 + robot.dim] / other[0] if other[0] > 0.0 else np.zeros(robot.dim)
    com = body[1 : 1 + robot.dim] / body[0]
    turning = body[1 + robot.dim :] + body[0] * (_square(at) - _square(com))
    return BIG * np.concatenate(([body[0]], body[0] * at, turning))


def _square(r: Any) -> np.ndarray:
    """Rotational inertia of a unit mass at r, as the tree stores it."""
    if len(r) == 2:
        return np.array([r @ r])
    full = (r @ r) * np.eye(3) - np.outer(r, r)
    return full[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
