"""A humanoid hurls a ball (Stewart and Cremer 1989, section 4): a force between hand and ball, the centre of mass at rest."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.control.algorithm.controller import Algorithmic
from footfall.model.quantity import quantity

POUND = 4.4482216152605  # N: of force
STRAIGHTEST = np.radians(2.0)  # that knees and elbow may be


@dataclass(frozen=True)
class NewtonThrow(Algorithmic):
    """The ball goes straight, pushed by the joint `grip` of the hand; the feet are held, all else follows."""

    force: float = quantity(
        "N", "of the hand on the ball, along its way; fifty pounds in the paper", 50.0 * POUND, low=0.0, high=2e3
    )
    up: float = quantity("rad", "of the ball's way above the horizontal", 0.0, low=-1.5, high=1.5)

    class State:
        residual: float = 0.0  # the largest of an equation so far

    def prepare(self, robot: Any, q: np.ndarray, gravity: float) -> dict[str, Any]:
        return super().prepare(robot, q, gravity) | {"along": np.array((np.cos(self.up), 0.0, np.sin(self.up)))}

    def initialize(algo: Any, params: Any, state: Any) -> None:
        """Named quantities, and a cost that spreads the motion over the whole body."""
        person = [body for body in algo.bodies if body.name != "ball"]
        mass = sum(body.mass for body in person)
        algo.define("a_cm", sum(body.mass * body.acceleration for body in person) / mass)
        algo.define("HAND-FORCE", algo.joint("grip").force @ params.along)
        across = np.array(((-params.along[2], 0.0, params.along[0]), (0.0, 1.0, 0.0)))
        algo.equate("STRAIGHT", across @ algo.body("ball").acceleration == 0.0)
        for side in ("left", "right"):
            algo.hold(f"FOOT-{side.upper()}", algo.body(f"foot_{side}"), algo.joint(f"toe_{side}"))
        for name in ("knee_left", "knee_right", "elbow"):
            joint = algo.joint(name)
            bent = joint.acceleration + 40.0 * joint.velocity + 400.0 * (joint.angle - STRAIGHTEST)
            algo.limit(f"{name.upper()}-STOP", bent >= 0.0)
        algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))

    def controller(algo: Any, params: Any, state: Any, time: float) -> None:
        """The force, and at the same time the centre of mass."""
        state.residual = max(state.residual, algo.residual)
        algo.assign("HAND-FORCE", params.force)
        algo.assign("a_cm", 0.0)
