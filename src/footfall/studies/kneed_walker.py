"""Hsu Chen's passive walker with knees on a slope."""

from math import asin

from footfall.engines import Hybrid
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._legs import kneed, leg_length, scaled, slope_of, standing, walker

SLOPE = -asin(7.25 / 144)  # of the published cycle: stance 0.1877, swing -0.2884, rates -1.1014 and -0.0399


@declared
def build(*, robot: Robot = ready("kneed-walker"), slope: float = slope_of(SLOPE)) -> Study:
    """Near the published cycle."""
    stance = scaled(0.23807, (1.1014, -1.1014 + 0.0399), slope, slope / SLOPE)
    engine = Hybrid(kneed(leg_length(robot)), "bent", "strike", 4.0)
    return walker("kneed-walker", robot, engine, standing(robot, stance), slope)
