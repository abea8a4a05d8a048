"""SIMBICON walks crouching: `simbicon-walk` with the program's other gait, from the same start."""

from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies.simbicon_walk import ASKED, gait, world_with


@declared
def build(
    *,
    robot: Robot = ready("simbicon"),
    ground: str = ASKED["ground"],
    friction: float = ASKED["friction"],
    speed: float = ASKED["speed"],
    push: float = ASKED["push"],
) -> Study:
    """The gait `crouch`."""
    return gait("crouch", robot, world_with(ground, friction, push), speed)
