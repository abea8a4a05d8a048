"""Stewart and Cremer's person walks with elastic tendons: motors of the swing leg are off for most of the swing.

The paper's last section hopes for it: tendons that are stretched at the end of stance pull the leg forward, and no trajectory of
the heel has to be given. The robot is the person with human joint ranges and tendons (`limits`, `tendons`), the algorithm
`footfall.control.newton_walk_tendons`, everything else is that of `newton-walk-contact`: real contact, no magnets.

The first steps, while the stride grows, are guided as they are there.
"""

import math

from footfall.control.newton_walk_tendons import NewtonWalkTendons
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.studies.newton_walk import standing
from footfall.world import Rigid, World


@declared
def build(
    *,
    robot: Robot = ready("person", limits=True, tendons=True),
    stride: float = quantity("m", "of every step", 0.4, low=0.0, high=0.8),
    friction: float = quantity("1", "between feet and ground", 0.8, low=0.05, high=10.0),
) -> Study:
    """From standing with bent knees."""
    study = Study(
        robot,
        World(contact=Rigid(friction), lowest_base=0.6),
        NewtonWalkTendons(stride=stride),
        standing(robot, math.radians(25.0)),
        seconds=60.0,
        record=("controller.state",),
        name="newton-walk-tendons",
    )
    return Simulation(study, lift=True).study
