"""Kelly's simple biped walks over hills that it does not know: sums of sines with slopes of up to 12 degrees.

The report names the slopes and changes in elevation of nearly a third of the leg, and shows one ground; here chance makes it.
"""

from footfall.control import SimpleBiped
from footfall.sim.study import Study
from footfall.studies.simple_biped_walk import CONTACT, on_ground
from footfall.world import World, hills_of


def build(
    *, seed: int = 1, slope: float = 12.0, rise: float = 0.8 / 3, speed: float = 0.6, seconds: float = 60.0, step: float = 0.001
) -> Study:
    """seed; slope (degrees), the steepest; rise (m) from the lowest to the highest place; speed (m/s); seconds and step (s)."""
    ground = hills_of(slope, rise, 0.9 * speed * seconds, seed)  # all of which is walked over
    return on_ground(World(ground, CONTACT), SimpleBiped(speed=speed), 0.3, seconds, step, "simple-biped-hills")
