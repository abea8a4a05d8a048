"""Any humanoid walks: one with two legs of six joints and flat feet, ready or from a file (URDF, MJCF), without own numbers.

`footfall run walk --robot talos.urdf`. Legs, hips, soles and the way that it faces are found from its tree. The walk is that of
JOHNNIE by computed torques (Johnnie, section 5), fitted by similarity: lengths in proportion to the leg, times to the root of it.
Steps are shorter than JOHNNIE's at 2 km/h by a factor of our own, CALM: in longer ones, feet of light robots turn on the ground.
A robot of JOHNNIE's size walks at 1.4 km/h. Joints that no leg has are held by their own servos. The robot may differ from the
one that the controller believes in (masses, spread).
"""

from dataclasses import replace

from footfall.control import ComputedTorqueWalk
from footfall.errors import ParameterError
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._walks import ASKED, PER_MASS, hit, off
from footfall.world import Rigid, World

STEPS = 1000  # more than it takes
CALM = 0.7  # of the step that is similar to JOHNNIE's at 2 km/h


@declared
def build(
    *,
    robot: Robot = ready("johnnie"),
    speed: float | None = quantity(
        "m/s", "of walking, backward if negative; by the length of the legs if left out", None, low=-2.0, high=2.0
    ),
    turn: float = quantity("rad/s", "to the left", 0.0, low=-1.0, high=1.0),
    push: float = PER_MASS,
    toward: float = ASKED["toward"],
    friction: float = quantity("1", "between feet and ground", 0.8, low=0.05, high=10.0),
    masses: float = ASKED["masses"],
    spread: float = ASKED["spread"],
    drawn: int = ASKED["drawn"],
) -> Study:
    """From standing, for 20 s."""
    true = off(robot, masses, masses, 1.0, spread, drawn)
    walk = fitted(robot, speed, turn)
    if true is not robot:
        walk = replace(walk, believed=robot)
    world = World(contact=Rigid(friction=friction), pushes=hit(robot, push, toward))
    return Study(true, world, walk, walk.start(robot), seconds=20.0, name="walk")


def fitted(robot: Robot, speed: float | None = None, turn: float = 0.0) -> ComputedTorqueWalk:
    """The walk for a robot."""
    walk = ComputedTorqueWalk(steps=STEPS, whole=1.0, hurry=0.05).fitted(robot)
    period = walk.single_support + walk.double_support
    length = CALM * walk.length if speed is None else speed * period
    if abs(length) > 1.0:
        raise ParameterError(f"study 'walk': speed must be at most {1.0 / period:.3g} m/s, steps of 1 m, got {speed:g}")
    return replace(walk, length=length, turn=turn * period)
