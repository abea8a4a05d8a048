"""A box on a slope: it sticks while the slope is less than its friction, and slides beyond."""

import math

from footfall.model.parts import Box, Foot, Joint, Link
from footfall.model.robot import Robot
from footfall.sim.study import Study
from footfall.world import Rigid, Slope, World


def build(*, slope: float = 0.25, friction: float = 0.5, seconds: float = 10.0, mass: float = 10.0) -> Study:
    """slope (rise over run), friction, seconds (s), mass (kg) of a box of 0.4 x 0.2 m."""
    angle = math.atan(slope)
    inertia = mass * (0.4**2 + 0.2**2) / 12
    joint = Joint("base", "planar", "world", "box")
    box = Robot("box", "planar", (Link("box", mass, inertia=inertia),), (joint,), feet=(Foot("box", (Box("box", (0.4, 0.2)),)),))
    start = (0.0, 0.1 / math.cos(angle), -angle)
    return Study(box, World(Slope(angle), Rigid(friction=friction)), q=start, seconds=seconds, name="box-slope")
