"""A passive walker with knees: point masses at the hip, on the thighs and on the shanks, points for feet, no motors.

Numbers of V. F. Hsu Chen, "Passive dynamic walking with knees: a point foot model" (MIT thesis, 2007), as given by the public
repository hope-yao/Bipedal and by R. Tedrake's kneedCompassGait.m. The published cycle walks down a slope of asin(7.25 / 144).

The sources count the angles q1 (stance leg), q2 (swing thigh), q3 (swing shank) against the vertical, positive with the lower
end ahead of the upper. Here pitch is minus that: with the left leg on the ground and its knee straight base.pitch = -q1, hip =
q1 - q2, knee_right = q2 - q3. Knees bend to positive angles and stop when straight.
"""

from math import inf

from footfall.model.parts import Foot, Frame, Joint, Link, Point
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots._legs import both


@declared
def build(
    *,
    hip_mass: float = quantity("kg", "at the hip", 0.5, low=0.0, high=1e4),
    thigh_mass: float = quantity("kg", "of a thigh", 0.5, low=0.0, high=1e4),
    shank_mass: float = quantity("kg", "of a shank", 0.05, low=0.0, high=1e4),
    a1: float = quantity("m", "from the foot up to the shank's mass", 0.375, low=0.0, high=100.0),
    b1: float = quantity("m", "from the shank's mass up to the knee", 0.125, low=0.0, high=100.0),
    a2: float = quantity("m", "from the knee up to the thigh's mass", 0.175, low=0.0, high=100.0),
    b2: float = quantity("m", "from the thigh's mass up to the hip", 0.325, low=0.0, high=100.0),
) -> Robot:
    """Point masses at the hip, on the thighs and on the shanks."""
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
