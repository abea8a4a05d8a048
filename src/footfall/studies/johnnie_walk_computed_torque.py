"""JOHNNIE walks at 2 km/h by computed torques, as the paper plans it for the robot.

Control is that of the paper's section 5 (see `footfall.control.computed_torque`), the speed its 2 km/h. Steps, their times, hip
height and gains are our own: the paper has none. The ground is rigid; it may push back on compliant feet (robot.feet=compliant).
"""

from dataclasses import replace

from footfall.control import ComputedTorqueWalk
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._walks import ASKED, pushes, start
from footfall.world import World

STEPS = 1000  # more than it takes


@declared
def build(
    *,
    robot: Robot = ready("johnnie"),
    speed: float = quantity("m/s", "of walking; backward if negative", 2.0 / 3.6, low=-0.8, high=0.8),
    push: float = ASKED["push"],
    toward: float = ASKED["toward"],
) -> Study:
    """A walk of 60 s from standing, straight on."""
    walk = ComputedTorqueWalk(steps=STEPS)
    walk = replace(walk, length=speed * (walk.single_support + walk.double_support))
    world = World(pushes=pushes("torso", push, toward))
    return Study(robot, world, walk, start(robot, walk), seconds=60.0, name="johnnie-walk-computed-torque")
