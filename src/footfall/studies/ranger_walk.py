"""The Cornell Ranger gets going from standing with both feet on the ground, and walks.

The controller adjusts itself from step to step: push-off and step length depend on the speed over the stance foot. Its parameters
were tuned, see `footfall.studies._ranger`; Kelly's own are in `ranger-walk-kelly`.
"""

from footfall.control import RangerGait
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._ranger import GAITS, SPLIT, astride, gait_of


@declared
def build(*, robot: Robot = ready("ranger"), gait: str = gait_of("stable"), split: float = SPLIT) -> Study:
    """From rest on both feet."""
    controller = RangerGait(**GAITS[gait])
    return Study(robot, controller=controller, q=astride(robot, split), seconds=20.0, record_dt=0.005, name="ranger-walk")
