"""A person squats by named equations, with sensors and a model that is off: on the contact engine or in maximal coordinates.

The algorithm is `footfall.control.newton_squat`, which counts on magnetic shoes. On the ideal engine it has them; on the others
its accelerations go through the dynamics component `InverseDynamics`. All numbers of the motion are our own.
"""

import math

from footfall.control.newton_squat import NewtonSquat
from footfall.engines import Ideal, Maximal, TimeStepping
from footfall.model.quantity import choice
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.studies._newton import ASKED, on_sensors, true_robot
from footfall.studies.newton_walk import standing
from footfall.world import Rigid, World

ENGINES = {"contact": TimeStepping(), "maximal": Maximal(), "ideal": Ideal()}


@declared
def build(
    *,
    robot: Robot = ready("person"),
    engine: str = choice("what moves the robot", "contact", tuple(ENGINES)),
    sensors: str = ASKED["sensors"],
    model_error: float = ASKED["model_error"],
    drawn: int = ASKED["drawn"],
) -> Study:
    """From standing with bent knees."""
    true = true_robot(robot, model_error, drawn)
    law = NewtonSquat(believed=None if true is robot else robot)
    controller, seen = on_sensors(law, robot, sensors, engine != "ideal")
    study = Study(
        true,
        World(contact=Rigid(0.8), lowest_base=0.5),
        controller,
        standing(robot, math.radians(25.0)),
        seconds=10.0,
        sensors=seen,
        engine=ENGINES[engine],
        name="newton-squat",
    )
    return Simulation(study, lift=True).study
