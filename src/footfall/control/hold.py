"""Hold a posture: a spring and damper at every driven joint, and the torques that carry the weight."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from footfall import dynamics, kinematics
from footfall.control.controller import Controller, Servo
from footfall.core.contact.decide import Body, Felt, Own
from footfall.core.jit import kernel
from footfall.core.joints import FREEDOMS
from footfall.core.manifold import difference
from footfall.model.layout import CODES
from footfall.model.quantity import quantity
from footfall.model.robot import Robot


@kernel
def hold(felt: Felt, own: Own, body: Body, tau: np.ndarray) -> int:
    """The weight, and a spring and damper where there are gains; numbers: weight, stiffness, damping, and the posture."""
    n, numbers = len(tau), own.numbers
    difference(body.tree, felt.q, numbers[3 * n :], tau)
    for d in range(n):
        tau[d] = numbers[d] + (numbers[n + d] * tau[d] - numbers[2 * n + d] * felt.v[d])
    return 0


@dataclass(frozen=True)
class Hold(Controller):
    """Keep the driven joints where they are at the start.

    Hinges are held by their motors' own servos. A spherical joint is held from here, with no more than its inertia bears.
    """

    stiffness: float = quantity("N m/rad", "of every joint", 1500.0, low=0.0)
    damping: float = quantity("N m s/rad", "of every joint", 60.0, low=0.0)
    _target: Any = field(default=None, compare=False)
    _numbers: Any = field(default=None, compare=False)

    def start(self, robot: Robot, q: np.ndarray, gravity: float) -> "Hold":
        """The torques of the weight, shared among the feet with least effort."""
        driven = np.zeros(robot.nv)
        driven[robot.actuated] = 1.0
        felt = 1.0 / np.linalg.inv(dynamics.mass_matrix(robot, q)).diagonal()
        outside = driven * (1.0 - _hinges(robot))
        stiffness = outside * np.minimum(self.stiffness, 0.05 * felt * self.rate**2)
        damping = outside * np.minimum(self.damping, 0.2 * felt * self.rate)
        numbers = np.concatenate((driven * _static(robot, q, gravity), stiffness, damping, q))
        return replace(self, _target=q.copy(), _numbers=numbers)

    @property
    def numbers(self) -> Any:
        return self._numbers

    def law(self) -> Any:
        return hold

    def servo(self, robot: Robot) -> Servo:
        hinges, goal = _hinges(robot), np.zeros(robot.nv)
        hinges[np.setdiff1d(np.arange(robot.nv), robot.actuated)] = 0.0
        for i in range(1, len(robot.tree.parent)):
            goal[robot.tree.first_v[i]] = self._target[robot.tree.first_q[i]]
        return Servo(self.stiffness * hinges, goal * hinges, self.damping * hinges)


def _hinges(robot: Robot) -> np.ndarray:
    """1 for every degree of freedom of a revolute or prismatic joint, else 0."""
    kinds = [(joint.kind in ("revolute", "prismatic"), FREEDOMS[CODES[joint.kind]]) for joint in robot.layout.joints]
    return np.array([float(hinge) for hinge, size in kinds for _ in range(size)])


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
