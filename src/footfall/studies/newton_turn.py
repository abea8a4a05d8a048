"""Stewart and Cremer's person walks a circle: the direction of the walking algorithm changes with every step.

A step of length L that turns by L / R walks a circle of radius R; with a radius of 0 it turns on the spot, by 0.25 rad a step.
The algorithm is that of `newton-walk`.
"""

from footfall.control.newton_walk import NewtonWalk
from footfall.engines import Ideal
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.studies.newton_walk import standing
from footfall.world import World

ON_THE_SPOT = 0.25  # rad of every step


@declared
def build(
    *,
    robot: Robot = ready("person"),
    radius: float = quantity("m", "of the circle, walked to the left; 0 turns on the spot", 2.0, low=0.0, high=100.0),
    stride: float = quantity("m", "from heel to heel, on a circle", 0.4, low=0.1, high=0.8),
) -> Study:
    """From standing with knees slightly bent, for as long as a full circle takes, and a little more."""
    spot = radius < stride / 0.6
    if spot:  # a knee that lifts the heel by itself, and feet as far apart as the hips
        controller = NewtonWalk(stride=0.0, turn=ON_THE_SPOT, takeoff_knee=0.6, inside_step_fraction=1.0)
    else:
        controller = NewtonWalk(stride=stride, turn=stride / radius, inside_step_fraction=0.4)
    steps = 6.2832 / controller.turn + 3.0
    study = Study(
        robot,
        World(lowest_base=0.5, falls=False),
        controller,
        standing(robot, controller.stance_knee),
        seconds=min(float(round(0.62 * steps + 1.0)), 1e4),
        engine=Ideal(),
        record=("controller.state",),
        name="newton-turn",
    )
    return Simulation(study, lift=True).study
