"""JOHNNIE walks on a slope that it does not know, up, down or across, at 2 km/h.

The slope is felt by the feet that stand; swing feet are held parallel to it, and land as high as it says.
"""

from math import radians

from footfall.control import ComputedTorqueWalk
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.sim.study import Study
from footfall.studies._ground import JOHNNIE, STEADY, STEPS, over
from footfall.studies._walks import ASKED
from footfall.world import Slope


@declared
def build(
    *,
    robot: Robot = JOHNNIE,
    angle: float = quantity("rad", "of the slope along the way: positive goes up", radians(3.0), low=-0.3, high=0.3),
    across: float = quantity("rad", "of the slope across the way: positive rises to the left", 0.0, low=-0.3, high=0.3),
    sensors: str = ASKED["sensors"],
) -> Study:
    """Straight on for half a minute."""
    walk = ComputedTorqueWalk(steps=STEPS, **STEADY)
    return over(Slope(angle, across), robot, walk, sensors, 30.0, "johnnie-slope")
