"""Wendlandt and Sastry's biped stands, a load is put on its body and taken off again; the controller is not told.

It stands at the goal of `wendlandt-stand` already, with the same gains, friction and restitution. With a stiffness of 3/s2 an
unknown 10 kg would press the body 45 cm down; the controller finds the force out from the motion that it did not command. The
load, when it comes and goes, and how long the controller takes to believe in it are chosen, none published.
"""

from footfall import robots
from footfall.control import Workspace
from footfall.sim.study import Study
from footfall.studies.wendlandt_stand import CONTACT, GOAL, start
from footfall.world import Load, World


def build(
    *, mass: float = 10.0, on: float = 2.0, off: float = 8.0, patience: float = 0.1, seconds: float = 14.0, step: float = 0.001
) -> Study:
    """mass (kg) of the load, on and off (s), patience (s) of the controller, 0 for none; seconds and step (s)."""
    robot = robots.load("wendlandt")
    controller = Workspace(target=(-GOAL[0], GOAL[1], 0.0), patience=patience, friction=CONTACT.friction)
    q = controller.reach(robot, start(robot)).q
    world = World(contact=CONTACT, loads=(Load("torso_com", mass, on, off),) if mass else ())
    return Study(robot, world, controller, tuple(q), seconds=seconds, step=step, name="wendlandt-load")
