"""A person walks at 1 m/s by computed torques, along footsteps: the controller of JOHNNIE with other numbers.

The robot is that of Stewart and Cremer, 80 kg, with spherical hips and ankles, and toes. Steps, their times, hip height and gains
are our own. Toes are held stiffly, as a part of the sole: in fast steps the swing leg's reaction moves the ZMP from heel to toe.
The whole body, not its pendulum alone, has the planned ZMP, for the same reason.
"""

from dataclasses import replace

from footfall.control import ComputedTorqueWalk
from footfall.control.walking.start import start
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._walks import ASKED, pushes
from footfall.world import World

STEPS = 1000  # more than it takes
WALK = ComputedTorqueWalk(
    steps=STEPS, single_support=0.52, double_support=0.05, width=0.14, height=0.82, ahead=0.05, whole=1.0, strongest=400.0
)


@declared
def build(
    *,
    robot: Robot = ready("person"),
    speed: float = quantity("m/s", "of walking; backward if negative", 1.0, low=-1.2, high=1.2),
    push: float = ASKED["push"],
    toward: float = ASKED["toward"],
) -> Study:
    """A walk of 60 s from standing, straight on."""
    walk = replace(WALK, length=speed * (WALK.single_support + WALK.double_support))
    world = World(pushes=pushes("torso", push, toward))
    return Study(robot, world, walk, start(robot, walk), seconds=60.0, name="person-walk")
