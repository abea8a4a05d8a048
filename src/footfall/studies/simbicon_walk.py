"""SIMBICON walks, from the state in which the authors' program starts.

Yin, Loken and van de Panne (2007), numbers of their planar program (see `footfall.control.simbicon`). Its ground is a spring and
a damper at each point (1e5 N/m, 6e3 N s/m), which never slides; `ground="soft"` is that ground with friction. By default the
ground is rigid. The robot is lifted onto it: in the program it starts 0.4 mm inside.
"""

from typing import Any

from footfall.control import Simbicon
from footfall.model.quantity import choice, quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.world import Compliant, Contact, Push, Rigid, World

# angle and rate of each joint in the program's signs, and place and speed of the hip
ANGLES = {
    "base.pitch": (0.051, 0.276),
    "hip_left": (0.298, -3.268),
    "knee_left": (-0.601, 3.167),
    "ankle_left": (0.241, 3.532),
    "hip_right": (-0.221, -1.430),
    "knee_right": (-0.217, 0.086),
    "ankle_right": (0.360, 0.697),
}
HEIGHT, SPEED = 0.898, (0.98, -0.229)  # m, m/s
ASKED: dict[str, Any] = {
    "ground": choice("rigid, or the program's springs and dampers", "rigid", ("rigid", "soft")),
    "friction": quantity("1", "between feet and ground", 0.8, low=0.0, high=100.0),
    "speed": quantity("m/s", "desired speed", 0.0, low=-5.0, high=5.0),
    "push": quantity("N", "on the torso for 0.2 s at 5 s, positive forward", 0.0, low=-5000.0, high=5000.0),
}


@declared
def build(
    *,
    robot: Robot = ready("simbicon"),
    ground: str = ASKED["ground"],
    friction: float = ASKED["friction"],
    speed: float = ASKED["speed"],
    push: float = ASKED["push"],
) -> Study:
    """The gait `walk`."""
    return gait("walk", robot, world_with(ground, friction, push), speed)


def world_with(ground: str, friction: float, push: float) -> World:
    """A ground by its name, and a push (N) on the torso."""
    contact: Contact = Rigid(friction) if ground == "rigid" else Compliant(friction, 1e5, 6e3)
    return World(contact=contact, pushes=(Push("torso", (push, 0.0), 5.0, 5.2),) if push else ())


def gait(name: str, robot: Robot, world: World, speed: float) -> Study:
    """A gait by its name, from the program's start."""
    hip = {"base.x": SPEED[0], "base.z": SPEED[1]}
    q = robot.configuration({"base.z": HEIGHT, **{joint: -angle for joint, (angle, _) in ANGLES.items()}})
    v = robot.velocity({**hip, **{joint: -rate for joint, (_, rate) in ANGLES.items()}})
    controller = Simbicon(gaits=(name,), speed=speed)
    study = Study(robot, world, controller, tuple(q), tuple(v), seconds=20.0, name=f"simbicon-{name}")
    return Simulation(study, lift=True).study
