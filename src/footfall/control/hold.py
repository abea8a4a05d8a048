"""Hold a posture: a spring and damper at every driven joint, and the torques that carry the weight."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall import dynamics, kinematics
from footfall.control.controller import Controller
from footfall.core.jit import kernel
from footfall.core.joints import FREEDOMS
from footfall.core.manifold import difference
from footfall.core.tree import Tree
from footfall.model.layout import CODES
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.model.shapes import corners
from footfall.motion import pd


class Posture(NamedTuple):
    """The posture and its gains, at every degree of freedom."""

    tree: Tree
    posture: Any  # (nq,) coordinates at the start
    weight: Any  # (nv,) torques that carry it there
    outer_stiffness: Any  # (nv,) where the controller itself is the spring
    outer_damping: Any  # (nv,)
    servo_stiffness: Any  # (nv,) where the motor's servo is
    servo_target: Any  # (nv,)
    servo_damping: Any  # (nv,)


@dataclass(frozen=True)
class Hold(Controller):
    """Keep the driven joints where they are at the start.

    Hinges are held by their motors' own servos. A spherical joint is held from here, with no more than its inertia bears.
    """

    stiffness: float = quantity("N m/rad", "of every joint", 1500.0, low=0.0)
    damping: float = quantity("N m s/rad", "of every joint", 60.0, low=0.0)

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Posture:
        """The torques of the weight, shared among the feet with least effort."""
        driven, target = np.zeros(robot.nv), np.zeros(robot.nv)
        driven[robot.actuated] = 1.0
        inertia = 1.0 / dynamics.mobility(robot, q)
        outside, hinges = driven * (1.0 - of_hinges(robot)), driven * of_hinges(robot)
        for i in range(1, len(robot.tree.parent)):
            target[robot.tree.first_v[i]] = q[robot.tree.first_q[i]]
        return Posture(
            tree=robot.tree,
            posture=q,
            weight=driven * _static(robot, q, gravity),
            outer_stiffness=outside * np.minimum(self.stiffness, 0.05 * inertia * self.rate**2),
            outer_damping=outside * np.minimum(self.damping, 0.2 * inertia * self.rate),
            servo_stiffness=self.stiffness * hinges,
            servo_target=target * hinges,
            servo_damping=self.damping * hinges,
        )

    @kernel
    def law(obs, params, state, goal, command):
        tau = command.tau
        difference(params.tree, obs.q, params.posture, tau)
        for d in range(len(tau)):
            tau[d] = params.weight[d] + pd(params.outer_stiffness[d], params.outer_damping[d], tau[d], -obs.v[d])
            command.stiffness[d] = params.servo_stiffness[d]
            command.target[d] = params.servo_target[d]
            command.damping[d] = params.servo_damping[d]
        return 0


def of_hinges(robot: Robot) -> np.ndarray:
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
