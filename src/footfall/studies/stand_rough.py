"""A biped stands on hills and is pushed, both by chance: another seed, another ground and other pushes.

Hills and pushes are chosen, none published.
"""

from footfall import robots
from footfall.control import Hold
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.world import Rigid, World, random_hills, random_pushes

BEND = {"hip": -0.3, "knee": 0.6, "ankle": -0.3}  # rad


def build(*, seed: int = 1, height: float = 0.003, length: float = 1.0, impulse: float = 3.0, seconds: float = 5.0) -> Study:
    """seed; height and length (m) of the hills; impulse (N s) of a push each second; seconds (s)."""
    robot = robots.load("wendlandt")
    q = robot.configuration({f"{joint}_{side}": angle for joint, angle in BEND.items() for side in ("left", "right")})
    pushes = random_pushes(robot, "torso", impulse, 1.0, seconds, seed) if impulse else ()
    world = World(random_hills(height, length, seed), Rigid(friction=0.8), pushes=pushes)
    study = Study(robot, world, Hold(stiffness=3000.0, damping=100.0), tuple(q), seconds=seconds, name="stand-rough")
    return Simulation(study, lift=True).study
