"""A passive walker on round feet: two straight legs, a mass at the hip, parts of circles for feet. Everything is dimensionless.

P. A. Bhounsule, passivewalker.m (Cornell, 26 December 2009, now in pab47/pab47.github.io), `passivewalker(2)`: masses, inertia,
lengths, radius and slope, and the gait found with them. The middle of a foot's circle is `length` below the hip, so that a
straight leg stands `length` + `radius` high. The centre of mass of a leg is on the leg; the source could also move it forward.
How far a foot's arc reaches is from its picture, and matters in time stepping only.

The source's q1 is the angle of the stance leg from the slope's normal, positive with the foot ahead of the hip, and q2 that
between the legs. On a slope that falls by gamma along +x, the left leg on the ground: base.pitch = gamma - q1, hip = q2.
"""

from footfall.model.parts import Arc, Foot, Frame, Joint, Link, Point
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots._legs import both

SPAN = (-0.5, 0.5)  # rad


@declared
def build(
    *,
    hip_mass: float = quantity("1", "at the hip", 1.0, low=0.0, high=100.0),
    leg_mass: float = quantity("1", "of a leg", 0.5, low=0.0, high=100.0),
    inertia: float = quantity("1", "of a leg about its centre of mass", 0.02, low=0.0, high=100.0),
    length: float = quantity("1", "from the hip down to the middle of the foot's circle", 1.0, low=0.0, high=100.0),
    com: float = quantity("1", "from the hip down to the leg's centre of mass", 0.5, low=0.0, high=100.0),
    radius: float = quantity("1", "of the foot's circle; 0 for a point", 0.2, low=0.0, high=100.0),
) -> Robot:
    """Two straight legs on round feet."""
    middle, bottom = (0.0, -length), (0.0, -length - radius)
    pad = Arc("leg_*", radius, at=middle, span=SPAN) if radius else Point("leg_*", bottom)
    return Robot(
        name="round-feet",
        space="planar",
        links=(*both(Link("leg_*", leg_mass, com=(0.0, -com), inertia=inertia)), Link("hip", hip_mass)),
        joints=(
            Joint("base", "planar", "world", "leg_left"),
            Joint("hip_mass", "fixed", "leg_left", "hip"),
            Joint("hip", "revolute", "leg_left", "leg_right"),
        ),
        frames=(*both(Frame("tip_*", "leg_*", at=bottom)), *both(Frame("middle_*", "leg_*", at=middle))),
        feet=both(Foot("foot_*", (pad,))),
        origin="Bhounsule 2009 (dimensionless)",
        gravity=1.0,
    )
