"""SIMBICON walks, from the state in which the authors' program starts.

Yin, Loken and van de Panne (2007), numbers of their planar program (see `footfall.control.simbicon`). Its ground is a spring and
a damper at each point (1e5 N/m, 6e3 N s/m), which never slides; `ground="soft"` is that ground with friction. By default the
ground is rigid. The robot is lifted onto it: in the program it starts 0.4 mm inside.
"""

from footfall import robots
from footfall.control import Simbicon
from footfall.errors import UnknownNameError
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
GROUNDS = ("rigid", "soft")


def build(
    *,
    ground: str = "rigid",
    friction: float = 0.8,
    speed: float = 0.0,
    push: float = 0.0,
    backward: bool = False,
    seconds: float = 20.0,
    step: float = 0.001,
) -> Study:
    """ground (rigid or soft), friction; speed (m/s) asked for; push (N) for 0.2 s at 5 s, or backward; seconds and step (s)."""
    return gait("walk", world_with(ground, friction, -push if backward else push), speed, seconds, step)


def world_with(ground: str, friction: float, push: float) -> World:
    """A ground by its name, and a push (N) on the torso."""
    if ground not in GROUNDS:
        raise UnknownNameError("ground (for SIMBICON)", ground, GROUNDS)
    contact: Contact = Rigid(friction) if ground == "rigid" else Compliant(friction, 1e5, 6e3)
    return World(contact=contact, pushes=(Push("torso", (push, 0.0), 5.0, 5.2),) if push else ())


def gait(name: str, world: World, speed: float, seconds: float, step: float) -> Study:
    """A gait by its name, from the program's start."""
    robot, hip = robots.load("simbicon"), {"base.x": SPEED[0], "base.z": SPEED[1]}
    q = robot.configuration({"base.z": HEIGHT, **{joint: -angle for joint, (angle, _) in ANGLES.items()}})
    v = robot.velocity({**hip, **{joint: -rate for joint, (_, rate) in ANGLES.items()}})
    controller = Simbicon(gaits=(name,), speed=speed)
    study = Study(robot, world, controller, tuple(q), tuple(v), seconds, step, name=f"simbicon-{name}")
    return Simulation(study, lift=True).study
