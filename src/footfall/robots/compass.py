"""The compass walker: two straight legs with a point mass each, a point mass at the hip, points for feet, no motors.

Goswami, Thuilot and Espiau, "A study of the passive gait of a compass-like biped robot", Int. J. Robotics Research 17 (1998).
Masses and lengths are those of the usual example, mass ratio 2 and length ratio 1. The fixed point on a slope of 3 degrees, by
recollection (-0.3234, 0.2187, -0.3772, -1.0918), belongs to g = 9.8 m/s2.

Goswami's angles are those of the legs against the vertical, positive with the foot ahead of the hip. Here a leg's pitch is
minus that: with the left leg on the ground base.pitch = -theta_s and hip = theta_s - theta_ns.
"""

from footfall.model.parts import Foot, Frame, Joint, Link, Point
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots._legs import both


@declared
def build(
    *,
    leg_mass: float = quantity("kg", "of a leg", 5.0, low=0.0, high=1e4),
    hip_mass: float = quantity("kg", "at the hip", 10.0, low=0.0, high=1e4),
    a: float = quantity("m", "from the foot up to the mass of the leg", 0.5, low=0.0, high=100.0),
    b: float = quantity("m", "from the mass of the leg up to the hip", 0.5, low=0.0, high=100.0),
) -> Robot:
    """Two straight legs with a mass each, and one at the hip."""
    return Robot(
        name="compass",
        space="planar",
        links=(*both(Link("leg_*", leg_mass, com=(0.0, -b))), Link("hip", hip_mass)),
        joints=(
            Joint("base", "planar", "world", "leg_left"),
            Joint("hip_mass", "fixed", "leg_left", "hip"),
            Joint("hip", "revolute", "leg_left", "leg_right"),
        ),
        frames=both(Frame("tip_*", "leg_*", at=(0.0, -a - b))),
        feet=both(Foot("foot_*", (Point("leg_*", (0.0, -a - b)),))),
        origin="Goswami et al. 1998",
        gravity=9.8,  # the fixed point agrees with 9.8 to all its digits, with 9.81 it does not
    )
