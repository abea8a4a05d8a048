"""Wendlandt and Sastry's experiment in space, which their paper announces: twelve joints, SE(3), the same start, goal and gains.

The body may be asked to lean and to twist as well. Shared evenly, as in the plane, the force on the body would need each foot to
press towards the middle of the robot, beside its sole: so forces are shared with least effort, the pressure inside each sole.

Assumed: what `wendlandt-3d` assumes. Planned with friction 0.5, although there is 3.0.
"""

from math import radians

from footfall import robots
from footfall.control import Workspace
from footfall.sim.study import Study
from footfall.studies.wendlandt_stand import CONTACT, GOAL, start
from footfall.world import World


def build(
    *,
    roll: float = 0.0,
    lean: float = 0.0,
    twist: float = 0.0,
    height: float = GOAL[1],
    rate: float = 100.0,
    seconds: float = 10.0,
    step: float = 0.001,
) -> Study:
    """roll, lean and twist of the body at the goal (degrees), height (m) of its centre, rate (1/s), seconds and step (s)."""
    robot = robots.load("wendlandt-3d")
    goal = (-GOAL[0], 0.0, height, radians(roll), radians(lean), radians(twist))
    q = tuple(start(robot))
    return Study(robot, World(contact=CONTACT), Workspace(rate, goal), q, seconds=seconds, step=step, name="wendlandt-stand-3d")
