"""A passive walker with knees: point masses at the hip, on the thighs and on the shanks, points for feet, no motors.

Numbers of V. F. Hsu Chen, "Passive dynamic walking with knees: a point foot model" (MIT thesis, 2007), as given by the public
repository hope-yao/Bipedal and by R. Tedrake's kneedCompassGait.m. The published cycle walks down a slope of asin(7.25 / 144).

The sources count the angles q1 (stance leg), q2 (swing thigh), q3 (swing shank) against the vertical, positive with the lower
end ahead of the upper. Here pitch is minus that: with the left leg on the ground and its knee straight base.pitch = -q1, hip =
q1 - q2, knee_right = q2 - q3. Knees bend to positive angles and stop when straight.
"""

from math import inf

from footfall.model.parts import Foot, Frame, Joint, Link, Point
from footfall.model.robot import Robot
from footfall.robots._legs import both


def build(
    *,
    hip_mass: float = 0.5,
    thigh_mass: float = 0.5,
    shank_mass: float = 0.05,
    a1: float = 0.375,
    b1: float = 0.125,
    a2: float = 0.175,
    b2: float = 0.325,
) -> Robot:
    """Masses (kg); a1 (m) from the foot up to the shank's mass, b1 on to the knee, a2 to the thigh's mass, b2 to the hip."""
    return Robot(
        name="kneed-walker",
        space="planar",
        links=(
            *both(Link("thigh_*", thigh_mass, com=(0.0, -b2)), Link("shank_*", shank_mass, com=(0.0, -b1))),
            Link("hip", hip_mass),
        ),
        joints=(
            Joint("base", "planar", "world", "thigh_left"),
            Joint("hip_mass", "fixed", "thigh_left", "hip"),
            Joint("hip", "revolute", "thigh_left", "thigh_right"),
            *both(Joint("knee_*", "revolute", "thigh_*", "shank_*", at=(0.0, -a2 - b2), limits=(0.0, inf))),
        ),
        frames=both(Frame("tip_*", "shank_*", at=(0.0, -a1 - b1))),
        feet=both(Foot("foot_*", (Point("shank_*", (0.0, -a1 - b1)),))),
        origin="Hsu Chen 2007, via hope-yao/Bipedal",
        gravity=9.8,
    )
