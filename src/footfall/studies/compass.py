"""Goswami's compass walker on a slope."""

from dataclasses import replace
from math import radians, sqrt

from footfall.engines import Hybrid
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._legs import leg_length, scaled, slope_of, standing, straight, walker

SLOPE = -radians(3)  # of the published fixed point (-0.3234, 0.2187, -0.3772, -1.0918)


@declared
def build(
    *,
    robot: Robot = ready("compass"),
    slope: float = slope_of(SLOPE),
    gravity: float = quantity("m/s2", "downward", 9.8, low=0.0, high=1000.0),
) -> Study:
    """Near the published fixed point."""
    length = leg_length(robot)
    rate = sqrt(gravity / 9.8 / length)
    stance = scaled(0.27105, (1.0918 * rate, -0.7146 * rate), slope, slope / SLOPE)
    longest = 4.0 / rate if rate else 4.0
    engine = Hybrid(straight("leg_left", length), "step", "strike", longest)
    study = walker("compass", robot, engine, standing(robot, stance), slope)
    return replace(study, world=replace(study.world, gravity=gravity))
