"""Kelly's simple biped goes from gait to gait: stand, walk, jump, walk, stand, jump, stand; all six changes."""

from footfall.control import SimpleBiped
from footfall.sim.study import Study
from footfall.studies.simple_biped_walk import CONTACT, on_ground
from footfall.world import World

GAITS = ("stand", "walk", "jump", "walk", "stand", "jump", "stand")


def build(*, every: float = 4.0, speed: float = 0.6, step: float = 0.001) -> Study:
    """every (s), from one change to the next; speed (m/s) of walking; step (s)."""
    times = tuple(every * (i + 1) for i in range(len(GAITS) - 1))
    controller = SimpleBiped(gaits=GAITS, times=times, speed=speed)
    return on_ground(World(contact=CONTACT), controller, 0.25, every * len(GAITS), step, "simple-biped-gaits")
