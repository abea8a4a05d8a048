"""The Cornell Ranger gets going from standing with both feet on the ground, and walks.

The controller adjusts itself from step to step: push-off and step length answer the speed over the stance foot. Its parameters
were tuned, see `footfall.studies._ranger`; Kelly's own are in `ranger-walk-kelly`.
"""

from footfall import robots
from footfall.control import RangerGait
from footfall.errors import UnknownNameError
from footfall.sim.study import Study
from footfall.studies._ranger import GAITS, astride


def build(
    *, gait: str = "stable", numbers: str = "kelly", split: float = 0.2, seconds: float = 20.0, step: float = 0.001
) -> Study:
    """gait (stable, thrifty, thrifty-bhounsule, smooth or hand), numbers of the robot (kelly or bhounsule), split of the feet
    (m), seconds and step (s).
    """
    if gait not in GAITS:
        raise UnknownNameError("gait (of study 'ranger-walk')", gait, GAITS)
    robot = robots.load("ranger", numbers=numbers)
    controller = RangerGait(**GAITS[gait])
    return Study(
        robot, controller=controller, q=astride(robot, split), seconds=seconds, step=step, every=0.005, name="ranger-walk"
    )
