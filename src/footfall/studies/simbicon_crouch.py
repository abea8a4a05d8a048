"""SIMBICON walks crouching: `simbicon-walk` with the program's other gait, from the same start."""

from footfall.sim.study import Study
from footfall.studies.simbicon_walk import gait, world_with


def build(
    *,
    ground: str = "rigid",
    friction: float = 0.8,
    speed: float = 0.0,
    push: float = 0.0,
    backward: bool = False,
    seconds: float = 20.0,
    step: float = 0.001,
) -> Study:
    """As in `simbicon-walk`."""
    return gait("crouch", world_with(ground, friction, -push if backward else push), speed, seconds, step)
