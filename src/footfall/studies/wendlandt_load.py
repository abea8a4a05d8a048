"""Wendlandt and Sastry's biped stands, a load is put on its body and taken off again; the controller does not know of it.

It stands at the goal of `wendlandt-stand` already, with the same gains, friction and restitution. With a stiffness of 3/s2 an
unknown 10 kg would press the body 45 cm down; the controller estimates the force from the motion that it did not
command. The load, its times and the time constant of the estimate are chosen, none published.
"""

from footfall.control import Workspace
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies.wendlandt_stand import CONTACT, GOAL, start
from footfall.world import Load, World


@declared
def build(
    *,
    robot: Robot = ready("wendlandt"),
    mass: float = quantity("kg", "of the load", 10.0, low=0.0, high=1000.0),
    on: float = quantity("s", "when it is put on", 2.0, low=0.0, high=1e6),
    off: float = quantity("s", "when it is taken off", 8.0, low=0.0, high=1e6),
    patience: float = quantity(
        "s", "time constant of the controller's estimate of the force; 0 for no estimate", 0.1, low=0.0, high=10.0
    ),
) -> Study:
    """Standing, then loaded."""
    controller = Workspace(target=(-GOAL[0], GOAL[1], 0.0), patience=patience, friction=CONTACT.friction)
    q = controller.reach(robot, start(robot)).q
    world = World(contact=CONTACT, loads=(Load("torso_com", mass, on, off),) if mass else ())
    return Study(robot, world, controller, tuple(q), seconds=14.0, name="wendlandt-load")
