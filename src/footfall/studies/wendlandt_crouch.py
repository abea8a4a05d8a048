"""Wendlandt and Sastry's biped crouches and rises, faster and faster: the goal of its body moves.

It begins at the goal of `wendlandt-stand`, upright, with the same gains, friction and restitution. The controller is given the
goal's velocity and acceleration, as in (3.22) and (3.23). The way and the speeds are chosen, none published.
"""

from footfall.control import Workspace
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies.wendlandt_stand import CONTACT, GOAL, METHOD, start
from footfall.world import World


@declared
def build(
    *,
    robot: Robot = ready("wendlandt"),
    depth: float = quantity("m", "of the crouch, downward", 0.15, low=-0.5, high=0.5),
    slow: float = quantity("Hz", "frequency at the start", 0.2, low=0.0, high=10.0),
    fast: float = quantity("Hz", "frequency at the end", 0.8, low=0.0, high=10.0),
    method: str = METHOD("optimal"),
    seconds: float = quantity("s", "how long it takes to get from slow to fast", 15.0, low=0.01, high=1e5),
) -> Study:
    """Crouching and rising, from the upright stand."""
    goal, growth = (-GOAL[0], GOAL[1], 0.0), (fast - slow) / seconds
    controller = Workspace(
        target=goal, method=method, sway=(0.0, -depth, 0.0), frequency=slow, growth=growth, friction=CONTACT.friction
    )
    q = controller.reach(robot, start(robot)).q
    return Study(robot, World(contact=CONTACT), controller, tuple(q), seconds=seconds, name="wendlandt-crouch")
