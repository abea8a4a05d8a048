"""Bhounsule's passive walker on round feet, which roll without slipping, on a slope."""

from math import cos, sin, sqrt

from footfall import robots
from footfall.engines.hybrid.walk import Walk
from footfall.model.pins import Pin
from footfall.walks._legs import scaled, standing, straight

SLOPE = 0.01  # of the published fixed point (0.18947278, -0.23912422, 0.37894556, -0.05369170)


def build(
    *,
    slope: float = SLOPE,
    hip_mass: float = 1.0,
    leg_mass: float = 0.5,
    inertia: float = 0.02,
    length: float = 1.0,
    com: float = 0.5,
    radius: float = 0.2,
) -> Walk:
    """slope (rad); the rest as for the robot `round-feet`. Dimensionless."""
    robot = robots.load(
        "round-feet", hip_mass=hip_mass, leg_mass=leg_mass, inertia=inertia, length=length, com=com, radius=radius
    )
    up = (radius * sin(slope), radius * cos(slope))
    left, right = Pin("middle_left", roll=up), Pin("middle_right", roll=up)
    stance = scaled(0.189472782205104, (0.239124222551699, -0.053691703909393), slope, slope / SLOPE)
    start = standing(robot, stance, left)
    whole = length + radius
    return Walk(
        robot, straight("leg_left", slope, whole, (left, right)), "step", "strike", *start, None, 12.0 * sqrt(whole), "round-feet"
    )
