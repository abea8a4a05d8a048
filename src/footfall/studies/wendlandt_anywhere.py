"""Wendlandt and Sastry's biped, from a random posture to another: within reach of its legs, the feet flat on the ground.

Body leaning by up to 15 degrees either way, thighs forward by up to 50, shanks backward by 5 to 45, all drawn evenly. The start
is drawn until its centre of mass is 1 cm inside the support that the controller plans with; the goal is not, so that some are
refused, because the robot could not stand there. Gains, friction and restitution are those of `wendlandt-stand`.
"""

from math import radians

import numpy as np

from footfall import dynamics, kinematics
from footfall.control import Workspace
from footfall.control.soles import outside, support
from footfall.errors import StateError
from footfall.model.quantity import count
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies.wendlandt_stand import CONTACT, METHOD, RATE
from footfall.world import World

INSIDE = 0.01  # m
DRAWS = 300  # of a start; the robot as it is needs a few


@declared
def build(
    *,
    robot: Robot = ready("wendlandt"),
    seed: int = count("of the two postures", 0),
    method: str = METHOD("optimal"),
    rate: float = RATE,
) -> Study:
    """From one posture to the other."""
    rng = np.random.default_rng(seed)
    controller = Workspace(rate, method=method, friction=CONTACT.friction)
    for _ in range(DRAWS):
        q = posture(robot, rng)
        if outside(support(robot, q, controller.margin), dynamics.center_of_mass(robot, q)) < -INSIDE:
            break
    else:
        raise StateError(f"wendlandt-anywhere: in {DRAWS} postures the robot never stood with 1 cm to spare; give it longer feet")
    goal = kinematics.pose(robot, posture(robot, rng), "torso_com")
    pose = (*goal.position, goal.angle or 0.0)
    controller = Workspace(rate, pose, method, friction=CONTACT.friction)
    return Study(robot, World(contact=CONTACT), controller, tuple(q), seconds=12.0, name="wendlandt-anywhere")


def posture(robot: Robot, rng: np.random.Generator) -> np.ndarray:
    """At random, with the soles at the origin."""
    lean, thigh, shank = radians(rng.uniform(-15, 15)), radians(rng.uniform(-50, 0)), radians(rng.uniform(5, 45))
    angles = {"hip": thigh - lean, "knee": shank - thigh, "ankle": -shank}
    q = robot.configuration({f"{joint}_{side}": angle for joint, angle in angles.items() for side in ("left", "right")})
    q[2] = lean
    q[:2] -= kinematics.pose(robot, q, "sole_left").position
    return q
