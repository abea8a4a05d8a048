"""The Cornell Ranger stands on both feet: its ankles hold the feet level, its hip motor is off."""

from footfall import robots
from footfall.control import RangerGait
from footfall.sim.study import Study
from footfall.studies._ranger import astride


def build(*, split: float = 0.2, seconds: float = 5.0) -> Study:
    """split of the feet (m) and seconds (s)."""
    robot = robots.load("ranger")
    return Study(robot, controller=RangerGait(mode="stand"), q=astride(robot, split), seconds=seconds, name="ranger-stand")
