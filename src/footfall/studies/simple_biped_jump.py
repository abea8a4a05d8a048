"""Kelly's simple biped jumps on the spot, again and again. Speed and crouch are chosen, none published."""

from footfall.control import SimpleBiped
from footfall.sim.study import Study
from footfall.studies.simple_biped_walk import CONTACT, on_ground
from footfall.world import World


def build(*, jump: float = 1.3, seconds: float = 6.0, step: float = 0.001) -> Study:
    """jump (m/s), speed of the hip at take-off; seconds and step (s)."""
    return on_ground(World(contact=CONTACT), SimpleBiped(gaits=("jump",), jump=jump), 0.25, seconds, step, "simple-biped-jump")
