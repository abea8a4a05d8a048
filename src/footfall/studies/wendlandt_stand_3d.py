"""Wendlandt and Sastry's experiment in space, which their paper announces: twelve joints, SE(3), the same start, goal and gains.

The body may be asked to lean and to twist as well. Shared evenly, as in the plane, the force on the body would need each foot to
press towards the middle of the robot, beside its sole: so forces are shared with least effort, the pressure inside each sole.

Assumed: what `wendlandt-3d` assumes. Planned with friction 0.5, although there is 3.0.
"""

from footfall.control import Workspace
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies.wendlandt_stand import CONTACT, GOAL, RATE, start
from footfall.world import World


@declared
def build(
    *,
    robot: Robot = ready("wendlandt-3d"),
    roll: float = quantity("rad", "of the body at the goal", 0.0, low=-1.5, high=1.5),
    lean: float = quantity("rad", "of the body at the goal, positive forward", 0.0, low=-1.5, high=1.5),
    twist: float = quantity("rad", "of the body at the goal, positive to the left", 0.0, low=-1.5, high=1.5),
    height: float = quantity("m", "of the body's centre at the goal", GOAL[1], low=0.0, high=2.0),
    rate: float = RATE,
) -> Study:
    """Section 4 in space."""
    goal = (-GOAL[0], 0.0, height, roll, lean, twist)
    q = tuple(start(robot))
    return Study(robot, World(contact=CONTACT), Workspace(rate, goal), q, seconds=10.0, name="wendlandt-stand-3d")
