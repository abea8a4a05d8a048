"""The Cornell Ranger's marathon: one hour of the walk of May 2011, which covered 65 km in 30 h 49 min."""

from dataclasses import replace

from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies import ranger_walk
from footfall.studies._ranger import gait_of


@declared
def build(*, robot: Robot = ready("ranger"), gait: str = gait_of("thrifty")) -> Study:
    """An hour of `ranger-walk`."""
    return replace(ranger_walk.build(robot=robot, gait=gait), seconds=3600.0, record_dt=0.01, name="ranger-marathon")
