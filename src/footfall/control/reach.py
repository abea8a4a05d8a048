"""Where the central body of a standing robot can go, with the feet where they are, and whether it could stand there."""

from typing import NamedTuple

import numpy as np

from footfall import dynamics
from footfall.control.soles import outside, support
from footfall.kinematics import Task, inverse
from footfall.model.legs import stance
from footfall.model.robot import Robot


class Reach(NamedTuple):
    """The posture nearest to a goal, with the feet where they were."""

    q: np.ndarray
    residual: np.ndarray  # what is left of the way to the goal: m, then rad
    outside: float  # m: how far the centre of mass is beyond the feet, negative if it is above them


def nearest(
    robot: Robot, q: np.ndarray, link: str, at: tuple[float, ...], goal: tuple[np.ndarray, np.ndarray], margin: float
) -> Reach:
    """The posture near q that takes a point of the central body nearest to a place and orientation (as `kinematics.pose`).

    `margin` is the part of the soles that counts as support.
    """
    place, rotation = goal
    found = inverse(robot, q, Task(link, place, rotation, at, lever=_lever(robot)), hold="feet", tries=2)
    return Reach(found.q, found.residual[0], outside(support(robot, q, margin), dynamics.center_of_mass(robot, found.q)))


def _lever(robot: Robot) -> float:
    """The radius of _lever of the central body (m): the metres that count as much as a radian."""
    row = robot.tree.rigid[stance(robot).legs.center]
    com = row[1 : 1 + robot.dim] / row[0]
    planar = robot.space == "planar"
    about = (row[-1] if planar else row[4:7].mean()) / row[0]  # about the origin of the link, in space the mean of three axes
    return float(np.sqrt(max(about - (1.0 if planar else 2.0 / 3.0) * com @ com, 1e-6)))
