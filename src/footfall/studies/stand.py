"""Any humanoid stands, and is pushed: one with two legs of six joints and flat feet, ready or from a file, without own numbers.

`footfall run stand --robot talos.urdf`. It stands on bent legs, where the study `walk` would begin. By default workspace control
holds it (Wendlandt and Sastry's, with forces of least effort, see `footfall.control.workspace`), with gains of our own; it needs
legs that begin at the link that floats. Otherwise it stands as between steps: the divergent component of motion is brought back
by the ZMP (Johnnie, section 5).
"""

from dataclasses import replace

from footfall.control import Controller, Workspace
from footfall.kinematics.two_legs import walker
from footfall.model.quantity import choice, quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._walks import ASKED, PER_MASS, hit
from footfall.studies.walk import fitted
from footfall.world import Rigid, World


@declared
def build(
    *,
    robot: Robot = ready("johnnie"),
    control: str = choice(
        "of the pose of the floating link, of the centre of mass, or the first if legs begin at that link",
        "either",
        ("either", "workspace", "balance"),
    ),
    push: float = PER_MASS,
    toward: float = ASKED["toward"],
    friction: float = quantity("1", "between feet and ground", 0.8, low=0.05, high=10.0),
) -> Study:
    """Standing for 10 s."""
    walk = fitted(robot)
    stand: Controller = Workspace(rate=500.0, stiffness=40.0, damping=12.0, friction=min(friction, 0.8))
    if control == "balance" or (control == "either" and len(walker(robot).legs.trunk)):
        stand = replace(walk, steps=0)
    world = World(contact=Rigid(friction=friction), pushes=hit(robot, push, toward))
    return Study(robot, world, stand, walk.start(robot), seconds=10.0, name="stand")
