"""Kelly's simple biped goes from gait to gait: stand, walk, jump, walk, stand, jump, stand; all six changes."""

from footfall.control import SimpleBiped
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies.simple_biped_walk import CONTACT, SPEED, on_ground
from footfall.world import World

GAITS = ("stand", "walk", "jump", "walk", "stand", "jump", "stand")


@declared
def build(
    *,
    robot: Robot = ready("simple-biped"),
    every: float = quantity("s", "from one change of gait to the next", 4.0, low=0.1, high=1e4),
    speed: float = SPEED,
) -> Study:
    """From rest on both feet."""
    times = tuple(every * (i + 1) for i in range(len(GAITS) - 1))
    controller = SimpleBiped(gaits=GAITS, times=times, speed=speed)
    return on_ground(robot, World(contact=CONTACT), controller, 0.25, every * len(GAITS), "simple-biped-gaits")
