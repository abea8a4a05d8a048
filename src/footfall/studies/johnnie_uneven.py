"""JOHNNIE walks over ground that it does not know: hills, or level treads with sharp steps up and down between them.

It feels with its feet alone: a swing foot that touches early stops, one that finds no ground goes on downward, feet turn until
they are flat, and the slope of the ground is that of the feet over the last two seconds. Its steps are slower and shorter than
on level ground: 1.0 + 0.3 s and 0.35 m, which is 1 km/h, and a foot rises before it goes forward.
"""

from footfall.control import ComputedTorqueWalk
from footfall.model.quantity import choice, count, quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.sim.study import Study
from footfall.studies._ground import CAREFUL, JOHNNIE, STEADY, STEPS, over
from footfall.studies._walks import ASKED
from footfall.world import Terrain, random_ground, random_hills

GAITS = {"careful": CAREFUL, "brisk": STEADY}
BEFORE = 0.4  # m: level ground before the first tread


@declared
def build(
    *,
    robot: Robot = JOHNNIE,
    ground: str = choice("hills in all directions, or treads", "hills", ("hills", "treads")),
    height: float = quantity("m", "of hills, in the root mean square", 0.007, low=0.0, high=0.1),
    length: float = quantity("m", "of hills, about, from one to the next", 0.7, low=0.1, high=100.0),
    rise: float = quantity("m", "of each step from tread to tread: up, down or none, each as likely", 0.01, low=0.0, high=0.1),
    run: float = quantity("m", "depth of the treads, about: two thirds to four thirds of it", 0.4, low=0.05, high=10.0),
    seed: int = count("of the ground", 0),
    gait: str = choice("slow steps that rise first, or 2 km/h as on level ground", "careful", tuple(GAITS)),
    sensors: str = ASKED["sensors"],
    seconds: float = quantity("s", "how long", 30.0, low=0.01, high=1e4),
) -> Study:
    """Straight on for half a minute."""
    walk = ComputedTorqueWalk(steps=STEPS, **GAITS[gait])
    far = seconds * walk.length / (walk.single_support + walk.double_support) + 2.0
    terrain: Terrain = random_hills(height, length, seed)
    if ground == "treads":
        terrain = random_ground(rise, 0.0, seed, far, piece=run, start=BEFORE, exact=True)
    return over(terrain, robot, walk, sensors, seconds, "johnnie-uneven")
