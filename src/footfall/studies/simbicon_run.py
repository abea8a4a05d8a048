"""SIMBICON runs: `simbicon-walk` with the program's other gait, from the same start.

As published it runs on the spot; a speed makes it go. `fast` is its second state alone, at 3 m/s.
"""

from footfall.sim.study import Study
from footfall.studies.simbicon_walk import gait, world_with


def build(
    *,
    fast: bool = False,
    ground: str = "rigid",
    friction: float = 0.8,
    speed: float = 0.0,
    push: float = 0.0,
    backward: bool = False,
    seconds: float = 20.0,
    step: float = 0.001,
) -> Study:
    """fast; the rest as in `simbicon-walk`."""
    return gait("fast-run" if fast else "run", world_with(ground, friction, -push if backward else push), speed, seconds, step)
