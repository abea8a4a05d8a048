"""Hold a posture: a spring and damper at every driven joint, and the torques that carry the weight."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall import dynamics, kinematics
from footfall.control.controller import Contacts, Controller
from footfall.model.quantity import quantity
from footfall.model.robot import Robot


@dataclass(frozen=True)
class Hold(Controller):
    """Keep the driven joints where they are at the start."""

    stiffness: float = quantity("N m/rad", "of every joint", 1500.0, low=0.0)
    damping: float = quantity("N m s/rad", "of every joint", 60.0, low=0.0)
    _robot: Any = field(default=None, compare=False)
    _target: Any = field(default=None, compare=False)
    _weight: Any = field(default=None, compare=False)
    _driven: Any = field(default=None, compare=False)

    def start(self, robot: Robot, q: np.ndarray, gravity: float) -> "Hold":
        """The torques of the weight, shared among the feet with least effort."""
        driven = np.zeros(robot.nv)
        driven[robot.actuated] = 1.0
        return Hold(self.rate, self.stiffness, self.damping, robot, q.copy(), driven * _static(robot, q, gravity), driven)

    def torques(self, time: float, q: np.ndarray, v: np.ndarray, contacts: Contacts, memory: np.ndarray) -> Any:
        error = kinematics.difference(self._robot, q, self._target)
        return self._weight + self._driven * (self.stiffness * error - self.damping * v)


def _static(robot: Robot, q: np.ndarray, gravity: float) -> np.ndarray:
    """Joint forces that hold the robot with ground forces under its feet, as far as there are any."""
    weight = dynamics.gravity_forces(robot, q, gravity=gravity)
    passive = np.setdiff1d(np.arange(robot.nv), robot.actuated)
    points = [(pad.link, corner) for foot in robot.feet for pad in foot.pads for corner in corners(pad)]
    if not points or not len(passive):
        return weight
    J = np.vstack([kinematics.jacobian(robot, q, link, at=at)[: robot.dim] for link, at in points])
    force, *_ = np.linalg.lstsq(J[:, passive].T, weight[passive], rcond=None)
    return weight - J.T @ force


def corners(pad: Any) -> list[tuple[float, ...]]:
    """Points of a pad that can carry: its lower corners, or its middle."""
    if hasattr(pad, "heel"):
        return [pad.heel, pad.toe]
    if hasattr(pad, "size"):
        half = np.array(pad.size) / 2
        signs = [(x, -1) for x in (-1, 1)] if len(half) == 2 else [(x, y, -1) for x in (-1, 1) for y in (-1, 1)]
        return [tuple(np.array(pad.at) + half * sign) for sign in signs]
    if hasattr(pad, "radius"):
        down = np.zeros(len(pad.at))
        down[-1] = -pad.radius
        return [tuple(np.array(pad.at) + down)]
    return [pad.at]
