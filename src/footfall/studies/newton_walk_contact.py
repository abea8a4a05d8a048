"""Stewart and Cremer's person walks on real contact: no magnets, friction and soles as limits, DCM feedback and step adjustment.

The algorithm is `footfall.control.newton_walk_contact`; its torques drive the motors of the person on the contact engine. With
`sensors="real"` it sees what encoders, an inertial measurement unit and force sensors in the feet tell, by two estimators. With
`model_error` the robot is not as the algorithm believes. With `dynamics="component"` its accelerations go through
`InverseDynamics` in place of its own torques.
"""

import math

from footfall.control.newton_walk_contact import NewtonWalkContact
from footfall.model.quantity import choice, quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.studies._newton import ASKED, on_sensors, true_robot
from footfall.studies.newton_walk import standing
from footfall.world import Rigid, World


@declared
def build(
    *,
    robot: Robot = ready("person"),
    stride: float = quantity("m", "of every step, on average", 0.325, low=0.0, high=0.8),
    stride_swing: float = quantity("m", "by which the stride changes to and fro", 0.145, low=0.0, high=0.5),
    friction: float = quantity("1", "between feet and ground", 0.8, low=0.05, high=10.0),
    sensors: str = ASKED["sensors"],
    model_error: float = ASKED["model_error"],
    drawn: int = ASKED["drawn"],
    dynamics: str = choice("torques of the algorithm, or its accelerations through InverseDynamics", "own", ("own", "component")),
) -> Study:
    """From standing with bent knees."""
    true = true_robot(robot, model_error, drawn)
    law = NewtonWalkContact(stride=stride, stride_swing=stride_swing, believed=None if true is robot else robot)
    controller, seen = on_sensors(law, robot, sensors, dynamics == "component")
    study = Study(
        true,
        World(contact=Rigid(friction), lowest_base=0.6),
        controller,
        standing(robot, math.radians(25.0)),
        seconds=60.0,
        sensors=seen,
        record=("controller.state",),
        name="newton-walk-contact",
    )
    return Simulation(study, lift=True).study
