"""Ono's self-excited walker: thighs and shanks alike, a motor at the hip, free knees, no torso, points for feet.

Ono, Takahashi and Shimada, "Self-excited walking of a biped mechanism", Int. J. Robotics Research 20 (2001). Neither its tables
nor those of Sangwan et al. (2004) could be had: mass and length are from memory and not verified, uniform links are assumed
(they give 0.0267 kg m2; 0.027 is what is remembered), and so is g = 9.81 m/s2.

Self-excitation is a torque -k times the swing shank's angle against the vertical, applied to the swing thigh with its reaction
on the other leg; its form is the same in our signs. The motor turns the right thigh against the left, so it is -k
pitch(shank_right) while the right leg swings and +k pitch(shank_left) while the left one does. Knees bend to positive angles
and stop when straight.
"""

from math import inf

from footfall.model.parts import Foot, Frame, Joint, Link, Motor, Point
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots._legs import both


@declared
def build(
    *,
    mass: float = quantity("kg", "of each of the four links", 2.0, low=0.0, high=1e4),
    length: float = quantity("m", "of each of the four links", 0.4, low=0.0, high=100.0),
) -> Robot:
    """Four equal links."""
    middle, end, inertia = (0.0, -length / 2), (0.0, -length), mass * length**2 / 12
    return Robot(
        name="ono",
        space="planar",
        links=both(Link("thigh_*", mass, middle, inertia), Link("shank_*", mass, middle, inertia)),
        joints=(
            Joint("base", "planar", "world", "thigh_left"),
            Joint("hip", "revolute", "thigh_left", "thigh_right", motor=Motor()),
            *both(Joint("knee_*", "revolute", "thigh_*", "shank_*", at=end, limits=(0.0, inf))),
        ),
        frames=both(Frame("tip_*", "shank_*", at=end)),
        feet=both(Foot("foot_*", (Point("shank_*", end),))),
        origin="Ono et al. 2001, numbers from memory",
    )
