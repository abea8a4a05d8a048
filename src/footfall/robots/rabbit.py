"""RABBIT: torso, thighs and shanks with motors at hips and knees, points for feet.

Numbers of Westervelt, Grizzle and Koditschek, "Hybrid zero dynamics of planar biped walkers", IEEE Trans. Automatic Control 48
(2003), as coded in MatthewPeterKelly/OptimTraj, demo/fiveLinkBiped/getPhysicalParameters.m. Inertias are about each link's own
centre; those of thigh and shank are far larger than the links themselves can have and probably contain the motors seen through
their gears (0.83 kg m2 in later descriptions of the robot), so the motors here have no rotor inertia of their own.

OptimTraj labels the torso's 0.2 m as counted from the hip, but its equations count from the upper end: to compare with those,
set torso_com=0.425. Its absolute angles are positive the other way: pitch = -q. Knees bend to positive angles; that they bend
one way only is assumed, no range was found.
"""

from footfall.model.parts import Foot, Frame, Joint, Link, Motor, Point
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots._legs import KNEE, both


@declared
def build(*, torso_com: float = quantity("m", "the torso's centre of mass above the hip", 0.2, low=-1.0, high=1.0)) -> Robot:
    """Torso, thighs and shanks."""
    thigh = shank = (0.0, -0.4)
    motor = Motor(torque=100.0)  # bound of the OptimTraj example, not of the machine
    return Robot(
        name="rabbit",
        space="planar",
        links=(
            Link("torso", 20.0, com=(0.0, torso_com), inertia=2.22),
            *both(Link("thigh_*", 6.8, com=(0.0, -0.163), inertia=1.08), Link("shank_*", 3.2, com=(0.0, -0.128), inertia=0.93)),
        ),
        joints=(
            Joint("base", "planar", "world", "torso"),
            *both(
                Joint("hip_*", "revolute", "torso", "thigh_*", motor=motor),
                Joint("knee_*", "revolute", "thigh_*", "shank_*", at=thigh, limits=KNEE, motor=motor),
            ),
        ),
        frames=(Frame("top", "torso", at=(0.0, 0.625)), *both(Frame("tip_*", "shank_*", at=shank))),
        feet=both(Foot("foot_*", (Point("shank_*", shank),))),
        origin="Westervelt et al. 2003, via OptimTraj",
    )
