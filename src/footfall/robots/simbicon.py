"""The planar biped of SIMBICON: torso, thighs, shanks and feet, all six joints driven.

Yin, Loken and van de Panne, "SIMBICON: simple biped locomotion control", SIGGRAPH 2007. Numbers of the authors' own Java
program, as kept in gedeschaines/JSimbicon (Bip7.java, Controller.java); nslo/2dsimbicon has the same masses, thighs and shanks.

The program counts all angles positive the other way (thigh forward, torso backward, toe up), so every angle and every rate here
is minus the program's: a swing hip target of 0.4 is -0.4, a knee of -1.1 is 1.1, an ankle of 0.2 is -0.2, a torso of -0.22 is
0.22.

The program declares joint stops but throws their torques away, so nothing ever stopped there; `stops` puts them in.
"""

from math import inf

from footfall.model.parts import Foot, Frame, HeelToe, Joint, Link, Motor
from footfall.model.quantity import flag
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots._legs import both


@declared
def build(
    *, stops: bool = flag("limit hips to -3 .. 1 rad and knees to 0.02 .. 3 rad; a straight knee is then out of bounds", False)
) -> Robot:
    """Torso, thighs, shanks and feet."""
    free = (-inf, inf)
    hip, knee = ((-3.0, 1.0), (0.02, 3.0)) if stops else (free, free)
    motor = Motor(torque=1000.0)  # Controller.java, all joints
    heel, toe = (-0.04, -0.04), (0.12, -0.04)  # Bip7.java: the points that can touch, from the ankle
    return Robot(
        name="simbicon",
        space="planar",
        links=(
            Link("torso", 70.0, com=(0.0, 0.24), inertia=1.475),
            *both(
                Link("thigh_*", 5.0, com=(0.0, -0.225), inertia=0.0885),
                Link("shank_*", 4.0, com=(0.0, -0.225), inertia=0.0696),
                Link("foot_*", 1.0, com=(0.04, -0.02), inertia=0.010),
            ),
        ),
        joints=(
            Joint("base", "planar", "world", "torso"),
            *both(
                Joint("hip_*", "revolute", "torso", "thigh_*", limits=hip, motor=motor),
                Joint("knee_*", "revolute", "thigh_*", "shank_*", at=(0.0, -0.45), limits=knee, motor=motor),
                Joint("ankle_*", "revolute", "shank_*", "foot_*", at=(0.0, -0.45), motor=motor),
            ),
        ),
        frames=(Frame("top", "torso", at=(0.0, 0.48)), *both(Frame("sole_*", "foot_*", at=(0.04, -0.04)))),
        feet=both(Foot("foot_*", (HeelToe("foot_*", heel, toe),))),
        origin="Yin et al. 2007, via JSimbicon",
        gravity=9.8,
    )
