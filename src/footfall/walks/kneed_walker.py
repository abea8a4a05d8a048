"""Hsu Chen's passive walker with knees on a slope."""

from math import asin

from footfall import robots
from footfall.engines.hybrid.walk import Walk
from footfall.walks._legs import kneed, scaled, standing

SLOPE = asin(7.25 / 144)  # of the published cycle: stance 0.1877, swing -0.2884, rates -1.1014 and -0.0399


def build(*, slope: float = SLOPE, hip_mass: float = 0.5, thigh_mass: float = 0.5, shank_mass: float = 0.05) -> Walk:
    """slope (rad); masses (kg) as for the robot `kneed-walker`."""
    robot = robots.load("kneed-walker", hip_mass=hip_mass, thigh_mass=thigh_mass, shank_mass=shank_mass)
    stance = scaled(0.23807, (1.1014, -1.1014 + 0.0399), slope, slope / SLOPE)
    return Walk(robot, kneed(slope, 1.0), "bent", "strike", *standing(robot, stance), None, 4.0, "kneed-walker")
