"""Kelly's simple biped jumps on the spot, again and again. Speed and crouch are chosen, none published."""

from footfall.control import SimpleBiped
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies.simple_biped_walk import CONTACT, on_ground
from footfall.world import World


@declared
def build(
    *,
    robot: Robot = ready("simple-biped"),
    jump: float = quantity("m/s", "speed of the hip at take-off", 1.3, low=0.0, high=10.0),
) -> Study:
    """From rest on both feet."""
    controller = SimpleBiped(gaits=("jump",), jump=jump)
    return on_ground(robot, World(contact=CONTACT), controller, 0.25, 6.0, "simple-biped-jump")
