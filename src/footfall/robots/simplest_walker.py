"""The simplest walker: a mass at the hip, vanishing masses at the feet, no length but the leg's. Everything is dimensionless.

Garcia, Chatterjee, Ruina and Coleman, "The simplest walking model", J. Biomechanical Engineering 120 (1998). Hip mass, leg
length and gravity are one, so time counts in sqrt(l / g). The paper lets the foot mass go to zero; a joint must move something,
so here it is small, and results approach the paper's in proportion to it.

Garcia's theta is the stance leg's angle from the slope's normal, positive with the foot ahead of the hip, and phi the angle
between the legs, theta - phi being the swing leg's. On a slope that falls by gamma along +x and with the left leg on the
ground: base.pitch = gamma - theta, hip = phi; with the right leg on the ground base.pitch = gamma - theta + phi, hip = -phi.
"""

import dataclasses

from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import compass


@declared
def build(*, foot_mass: float = quantity("1", "of a foot, in masses of the hip", 1e-6, low=0.0, high=100.0)) -> Robot:
    """A mass at the hip and two straight legs."""
    walker = compass.build(leg_mass=foot_mass, hip_mass=1.0, a=0.0, b=1.0)
    return dataclasses.replace(walker, name="simplest-walker", origin="Garcia et al. 1998 (dimensionless)", gravity=1.0)
