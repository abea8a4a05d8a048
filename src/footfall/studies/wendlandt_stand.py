"""Wendlandt and Sastry's experiment: a planar biped lowers its body to a standing position, by their recursive controller.

Section 4 of "Recursive workspace control of multibody systems: a planar biped example" (1996): the body starts at (0, 1.05 m),
leaning by 10 degrees, with the joints given there, and shall stand at (0.10, 0.95 m), upright. Controller at 100 Hz with gains of
3.0 and 2.46, restitution 0.1, friction 3.0, 10 s. The paper's x points backward; here it points forward (see robot `wendlandt`).

Assumed, because figure 2 is lost: lengths, inertias and division of mass of the robot, where they are explained, and g = 9.81.
"""

from functools import partial
from math import cos, radians, sin

import numpy as np

from footfall import kinematics
from footfall.control import Workspace
from footfall.model.quantity import choice, quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.world import Rigid, World

JOINTS = {"hip": 40.0, "knee": -70.4595, "ankle": 40.4595}  # degrees, the paper's signs
PITCH = -10.0  # degrees, the paper's sign
START, GOAL = (0.0, 1.05), (0.10, 0.95)  # m, the paper's x
CONTACT = Rigid(friction=3.0, restitution=0.1)
METHOD = partial(choice, "of the controller", options=("paper", "exact", "optimal"))
RATE = quantity("1/s", "of the controller", 100.0, low=0.1, high=1e5)


@declared
def build(*, robot: Robot = ready("wendlandt"), method: str = METHOD("paper"), rate: float = RATE) -> Study:
    """Section 4; with another robot than the assumed one too."""
    controller = Workspace(rate, (-GOAL[0], GOAL[1], 0.0), method, friction=CONTACT.friction)
    return Study(robot, World(contact=CONTACT), controller, tuple(start(robot)), seconds=10.0, name="wendlandt-stand")


def start(robot: Robot) -> np.ndarray:
    """The pose of section 4 in our axes, in the plane or in space.

    The feet are put onto the ground exactly; with the robot's own sizes they are there to within 20 um.
    """
    names = {"hip": "hip_pitch", "ankle": "ankle_pitch"} if robot.space == "spatial" else {}
    angles = {
        f"{names.get(joint, joint)}_{side}": -radians(angle) for joint, angle in JOINTS.items() for side in ("left", "right")
    }
    half = -radians(PITCH) / 2
    turn = {"base.qw": cos(half), "base.qy": sin(half)} if robot.space == "spatial" else {"base.pitch": 2 * half}
    q = robot.configuration({**angles, **turn})
    x, z = 0, robot.dim - 1
    q[x] += -START[0] - kinematics.pose(robot, q, "torso_com").position[x]
    q[z] -= kinematics.pose(robot, q, "sole_left").position[z]
    return q
