"""Kelly's simple biped walks over unknown hills: sums of sines with slopes of up to 12 degrees.

The report names the slopes and changes in elevation of nearly a third of the leg, and shows one ground; here it is random.
"""

from math import radians

from footfall.control import SimpleBiped
from footfall.model.quantity import count, quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies.simple_biped_walk import CONTACT, SPEED, on_ground
from footfall.world import World, hills_of


@declared
def build(
    *,
    robot: Robot = ready("simple-biped"),
    seed: int = count("of the hills", 1),
    slope: float = quantity("rad", "where they are steepest", radians(12.0), low=radians(0.1), high=radians(80.0)),
    rise: float = quantity("m", "from the lowest place to the highest", 0.8 / 3, low=1e-6, high=1e6),
    speed: float = SPEED,
    seconds: float = quantity("s", "how long; the hills are made for the distance walked in this time", 60.0, low=0.01, high=1e6),
) -> Study:
    """From rest on both feet."""
    ground = hills_of(slope, rise, 0.9 * speed * seconds, seed)  # all of which is walked over
    return on_ground(robot, World(ground, CONTACT), SimpleBiped(speed=speed), 0.3, seconds, "simple-biped-hills")
