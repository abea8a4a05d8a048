"""JOHNNIE walks at 2 km/h by joint position control with ankle torque control, on rigid feet, with ideal motors and true state.

The control of `johnnie-walk` in the plain setting, in which other engines and other controllers can be compared with it.
"""

from footfall.control import JointServo, Layered
from footfall.control.walking.start import start
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._walks import ASKED, pushes
from footfall.studies.johnnie_walk import ADJUST, ANKLES, SPEED, position_walk
from footfall.world import World


@declared
def build(
    *,
    robot: Robot = ready("johnnie"),
    speed: float = SPEED,
    push: float = ASKED["push"],
    toward: float = ASKED["toward"],
    adjust: float = ADJUST,
    ankles: float = ANKLES,
) -> Study:
    """A walk of 60 s from standing, straight on."""
    walk = position_walk(speed, adjust, ankles)
    world = World(pushes=pushes("torso", push, toward))
    return Study(robot, world, Layered((walk, JointServo())), start(robot, walk), seconds=60.0, name="johnnie-walk-rigid")
