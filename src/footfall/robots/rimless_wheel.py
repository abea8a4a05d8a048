"""A wheel without a rim: spokes of equal length on a hub, rolling from spoke to spoke. The simplest thing that walks.

McGeer, "Passive dynamic walking", Int. J. Robotics Research 9 (1990), studied it first; the sizes here are a textbook's. With a
point mass at the hub a step of 2a = 2 pi / spokes multiplies the speed by cos(2a). A body that floats needs some inertia in
every direction, so the default is not zero but 1e-6 kg m2; with inertia J the factor is (J + m l^2 cos(2a)) / (J + m l^2).

In the zero pose spoke_0 points straight down. Rolling forward is a positive pitch, and the spokes touch down in the order of
their numbers.
"""

from math import cos, pi, sin

from footfall.model.parts import Foot, Joint, Link, Point
from footfall.model.quantity import count, quantity
from footfall.model.robot import Robot
from footfall.named import declared


@declared
def build(
    *,
    spokes: int = count("number of spokes", 8, low=3, high=1000),
    length: float = quantity("m", "of a spoke", 1.0, low=0.0, high=100.0),
    mass: float = quantity("kg", "of the hub", 1.0, low=0.0, high=1e4),
    inertia: float = quantity("kg m2", "of the hub about itself", 1e-6, low=0.0, high=1e4),
) -> Robot:
    """Spokes on a hub."""
    angles = [2 * pi * i / spokes for i in range(spokes)]
    return Robot(
        name="rimless-wheel",
        space="planar",
        links=(Link("wheel", mass, inertia=inertia),),
        joints=(Joint("base", "planar", "world", "wheel"),),
        feet=tuple(Foot(f"spoke_{i}", (Point("wheel", (length * sin(a), -length * cos(a))),)) for i, a in enumerate(angles)),
        origin="McGeer 1990, textbook sizes",
    )
