"""Hsu Chen's passive walker with knees on a slope."""

from math import asin

from footfall.engines.hybrid.walk import Walk
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.walks._legs import kneed, leg_length, scaled, slope_of, standing

SLOPE = -asin(7.25 / 144)  # of the published cycle: stance 0.1877, swing -0.2884, rates -1.1014 and -0.0399


@declared
def build(*, robot: Robot = ready("kneed-walker"), slope: float = slope_of(SLOPE)) -> Walk:
    """Near the published cycle."""
    stance = scaled(0.23807, (1.1014, -1.1014 + 0.0399), slope, slope / SLOPE)
    return Walk(robot, kneed(slope, leg_length(robot)), "bent", "strike", *standing(robot, stance), None, 4.0, "kneed-walker")
