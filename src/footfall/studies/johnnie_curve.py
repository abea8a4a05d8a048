"""JOHNNIE walks around a circle at 2 km/h."""

from math import pi

from footfall.control import ComputedTorqueWalk
from footfall.errors import ParameterError
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.motion.footsteps import FootstepPlan
from footfall.named import declared
from footfall.sim.study import Study
from footfall.studies._ground import JOHNNIE, STEADY, footsteps, over, until_it_stands
from footfall.studies._walks import ASKED
from footfall.world import Flat


@declared
def build(
    *,
    robot: Robot = JOHNNIE,
    radius: float = quantity("m", "of the circle; to the right if negative", 2.0, low=-100.0, high=100.0),
    angle: float = quantity("rad", "of the way around it", 2.0 * pi, low=0.1, high=100.0),
    sensors: str = ASKED["sensors"],
) -> Study:
    """From standing to standing, once around."""
    walk = ComputedTorqueWalk()
    if abs(radius) < walk.width:
        raise ParameterError(f"study 'johnnie-curve': radius must be at least {walk.width:g} m, got {radius:g}")
    steps = max(1, round(angle * abs(radius) / walk.length))
    plan = FootstepPlan.curve(steps, angle * abs(radius) / steps, radius, walk.width, first="left")
    walk = ComputedTorqueWalk(footsteps=footsteps(plan), **STEADY)
    return over(Flat(), robot, walk, sensors, until_it_stands(walk), "johnnie-curve")
