"""The Cornell Ranger walks on unknown ground: sharp steps, slopes and pushes, all from a seed."""

from dataclasses import replace
from math import radians

from footfall.model.quantity import count, quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies import ranger_walk
from footfall.studies._ranger import gait_of
from footfall.studies._trouble import TROUBLE, trouble


@declared
def build(
    *,
    robot: Robot = ready("ranger"),
    gait: str = gait_of("stable"),
    seed: int = count("of ground and pushes", 0),
    rise: float = quantity(
        "m", "of each step up or down; about one in each metre, a third of them left out", TROUBLE["rise"], low=0.0, high=0.5
    ),
    slope: float = quantity("rad", "of each piece of ground, up or down", radians(1.5), low=0.0, high=1.0),
    impulse: float = quantity("N s", "of a push, forward or backward", TROUBLE["impulse"], low=0.0, high=100.0),
    every: float = quantity("s", "from push to push", TROUBLE["every"], low=0.1, high=1e6),
    seconds: float = quantity("s", "how long, and length of the ground in m", 120.0, low=0.0, high=1e5),
) -> Study:
    """`ranger-walk` on random ground, with pushes."""
    study = replace(ranger_walk.build(robot=robot, gait=gait), seconds=seconds, name="ranger-trouble")
    return trouble(study, seed, rise=rise, slope=slope, impulse=impulse, every=every, span=seconds)
