"""The Cornell Ranger with Kelly's controller as it was: from a balanced stand on one foot, nothing adjusts itself."""

from footfall import robots
from footfall.control import RangerGait
from footfall.sim.study import Study
from footfall.studies._ranger import KELLY, balanced


def build(*, seconds: float = 20.0, step: float = 0.001) -> Study:
    """seconds and step (s)."""
    robot = robots.load("ranger")
    return Study(
        robot,
        controller=RangerGait(**KELLY),
        q=balanced(robot),
        seconds=seconds,
        step=step,
        every=0.005,
        name="ranger-walk-kelly",
    )
