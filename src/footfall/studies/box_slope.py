"""A box on a slope: it sticks while the slope is less than its friction, and slides beyond."""

from math import atan, cos

from footfall.model.parts import Box, Foot, Joint, Link
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.sim.study import Study
from footfall.world import Rigid, Slope, World


@declared
def build(
    *,
    slope: float = quantity(
        "rad", "of the ground, positive uphill; a rise of 0.25 over a run of 1", atan(0.25), low=-1.4, high=1.4
    ),
    friction: float = quantity("1", "between box and ground", 0.5, low=0.0, high=100.0),
    mass: float = quantity("kg", "of the box", 10.0, low=1e-3, high=1e4),
) -> Study:
    """A box of 0.4 x 0.2 m, at rest."""
    inertia = mass * (0.4**2 + 0.2**2) / 12
    joint = Joint("base", "planar", "world", "box")
    box = Robot("box", "planar", (Link("box", mass, inertia=inertia),), (joint,), feet=(Foot("box", (Box("box", (0.4, 0.2)),)),))
    start = (0.0, 0.1 / cos(slope), -slope)
    return Study(box, World(Slope(slope), Rigid(friction=friction)), q=start, seconds=10.0, name="box-slope")
