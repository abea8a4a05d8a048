"""SIMBICON runs: `simbicon-walk` with the program's other gait, from the same start.

As published it runs on the spot; a speed makes it go. `fast` is its second state alone, at 3 m/s.
"""

from footfall.model.quantity import flag
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies.simbicon_walk import ASKED, gait, world_with


@declared
def build(
    *,
    robot: Robot = ready("simbicon"),
    fast: bool = flag("its second state alone, at 3 m/s", False),
    ground: str = ASKED["ground"],
    friction: float = ASKED["friction"],
    speed: float = ASKED["speed"],
    push: float = ASKED["push"],
) -> Study:
    """The gait `run`."""
    return gait("fast-run" if fast else "run", robot, world_with(ground, friction, push), speed)
