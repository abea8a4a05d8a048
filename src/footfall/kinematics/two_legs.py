"""Robots on two legs: which link floats, and the chains of joints from it to the feet."""

from typing import Any, NamedTuple

import numpy as np

from footfall.errors import RobotError
from footfall.kinematics.poses import pose
from footfall.model.robot import Robot


class LegChains(NamedTuple):
    """Both legs, left first, by numbers of bodies and degrees of freedom."""

    base: int  # body that floats
    foot: Any  # (2,) int: bodies of the feet
    bodies: tuple[tuple[int, ...], tuple[int, ...]]  # from below the base to the feet
    leg: Any  # (2, n) int: degrees of freedom
    toes: Any  # (n, 2) int: hinges beyond a foot: places in q and v


def find_legs(robot: Robot) -> LegChains:
    """The legs of a robot with two feet: chains from the link that floats to the bodies of the feet. Beyond a foot are toes."""
    what = f"robot {robot.name!r}"
    if robot.space != "spatial":
        raise RobotError(f"{what} must be in space, it is planar")
    tree, kinds = robot.tree, [joint.kind for joint in robot.layout.joints]
    base = next((i for i in range(1, len(tree.parent)) if tree.parent[i] == 0 and kinds[i - 1] == "free"), 0)
    if not base or len(robot.feet) != 2:
        raise RobotError(
            f"{what} must have a free base and two feet, it has {'a' if base else 'no'} free base and {len(robot.feet)} feet"
        )
    _check_feet(robot, what)
    feet = [robot.target(foot.pads[0].link).body for foot in robot.feet]
    left, right = (_chain(robot, body, base) for body in feet)
    legs = [[d for i in chain for d in range(tree.first_v[i], tree.first_v[i + 1])] for chain in (left, right)]
    for foot, leg in zip(robot.feet, legs, strict=True):
        if len(leg) < 6:
            raise RobotError(f"{what} must have legs of six degrees of freedom or more, that of {foot.name!r} has {len(leg)}")
    if len(legs[0]) != len(legs[1]):
        raise RobotError(f"{what} must have as many joints in both legs, it has {len(legs[0])} and {len(legs[1])}")
    toes = [i for i in range(1, len(tree.parent)) if int(tree.parent[i]) in feet and kinds[i - 1] == "revolute"]
    places = np.array([(tree.first_q[i], tree.first_v[i]) for i in toes], np.int64).reshape(-1, 2)
    return LegChains(base, np.array(feet, np.int64), (left, right), np.array(legs, np.int64), places)


def _chain(robot: Robot, body: int, base: int) -> tuple[int, ...]:
    out: list[int] = []
    while body not in (0, base):
        out, body = [body, *out], int(robot.tree.parent[body])
    return tuple(out)


def _check_feet(robot: Robot, what: str) -> None:
    """Two feet of the same kind, the left one first: their contacts are counted in this order."""
    left, right = robot.feet
    kinds = [[type(pad).__name__ for pad in foot.pads] for foot in robot.feet]
    if kinds[0] != kinds[1]:
        raise RobotError(f"{what} must have the same pads on both feet, it has {kinds[0]} and {kinds[1]}")
    zero = robot.configuration()
    aside = [pose(robot, zero, foot.pads[0].link).position[1] for foot in robot.feet]
    if aside[0] < aside[1]:
        raise RobotError(f"{what} must have its left foot first, its feet are {left.name!r} and {right.name!r}")
