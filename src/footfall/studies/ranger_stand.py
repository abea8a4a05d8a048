"""The Cornell Ranger stands on both feet: its ankles hold the feet level, its hip motor is off."""

from footfall.control import RangerGait
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._ranger import SPLIT, astride


@declared
def build(*, robot: Robot = ready("ranger"), split: float = SPLIT) -> Study:
    """At rest."""
    return Study(robot, controller=RangerGait(mode="stand"), q=astride(robot, split), name="ranger-stand")
