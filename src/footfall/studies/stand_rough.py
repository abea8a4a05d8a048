"""A biped stands on random hills and gets random pushes; the seed decides both.

Hills and pushes are chosen, none published.
"""

from footfall.control import Hold
from footfall.model.quantity import count, quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.world import Rigid, World, random_hills, random_pushes

BEND = {"hip": -0.3, "knee": 0.6, "ankle": -0.3}  # rad


@declared
def build(
    *,
    robot: Robot = ready("wendlandt"),
    seed: int = count("of hills and pushes", 1),
    height: float = quantity("m", "root mean square height of the hills", 0.003, low=0.0, high=1.0),
    length: float = quantity("m", "of the hills", 1.0, low=0.01, high=1000.0),
    impulse: float = quantity("N s", "of a push each second", 3.0, low=0.0, high=1000.0),
    seconds: float = quantity("s", "how long it stands and is pushed", 5.0, low=0.0, high=1e4),
) -> Study:
    """At rest on hills."""
    q = robot.configuration({f"{joint}_{side}": angle for joint, angle in BEND.items() for side in ("left", "right")})
    pushes = random_pushes(robot, "torso", impulse, 1.0, seconds, seed) if impulse else ()
    world = World(random_hills(height, length, seed), Rigid(friction=0.8), pushes=pushes)
    study = Study(robot, world, Hold(stiffness=3000.0, damping=100.0), tuple(q), seconds=seconds, name="stand-rough")
    return Simulation(study, lift=True).study
