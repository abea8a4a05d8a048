"""The Cornell Ranger with Kelly's controller as it was: from a balanced stand on one foot, nothing adjusts itself."""

from footfall.control import RangerGait
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._ranger import KELLY, balanced


@declared
def build(*, robot: Robot = ready("ranger")) -> Study:
    """From a balanced stand."""
    controller = RangerGait(**KELLY)
    return Study(robot, controller=controller, q=balanced(robot), seconds=20.0, record_dt=0.005, name="ranger-walk-kelly")
