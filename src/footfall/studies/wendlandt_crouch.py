"""Wendlandt and Sastry's biped crouches and rises, faster and faster: the goal of its body moves.

It begins at the goal of `wendlandt-stand`, upright, with the same gains, friction and restitution. The controller is given the
goal's velocity and acceleration, as in (3.22) and (3.23). The way and the speeds are chosen, none published.
"""

from footfall import robots
from footfall.control import Workspace
from footfall.sim.study import Study
from footfall.studies.wendlandt_stand import CONTACT, GOAL, start
from footfall.world import World


def build(
    *,
    depth: float = 0.15,
    slow: float = 0.2,
    fast: float = 0.8,
    method: str = "optimal",
    seconds: float = 15.0,
    step: float = 0.001,
) -> Study:
    """depth (m), frequency at the start and at the end (Hz), method (paper, exact or optimal), seconds and step (s)."""
    robot = robots.load("wendlandt")
    goal, growth = (-GOAL[0], GOAL[1], 0.0), (fast - slow) / seconds
    controller = Workspace(
        target=goal, method=method, sway=(0.0, -depth, 0.0), frequency=slow, growth=growth, friction=CONTACT.friction
    )
    q = controller.reach(robot, start(robot)).q
    return Study(robot, World(contact=CONTACT), controller, tuple(q), seconds=seconds, step=step, name="wendlandt-crouch")
