"""Goswami's compass walker on a slope."""

from math import radians, sqrt

from footfall import robots
from footfall.engines.hybrid.walk import Walk
from footfall.walks._legs import scaled, standing, straight

SLOPE = radians(3)  # of the published fixed point (-0.3234, 0.2187, -0.3772, -1.0918)


def build(
    *, slope: float = SLOPE, leg_mass: float = 5.0, hip_mass: float = 10.0, a: float = 0.5, b: float = 0.5, gravity: float = 9.8
) -> Walk:
    """slope (rad); the rest as for the robot `compass`, and gravity (m/s2)."""
    robot = robots.load("compass", leg_mass=leg_mass, hip_mass=hip_mass, a=a, b=b)
    pace = sqrt(gravity / 9.8 / (a + b))
    stance = scaled(0.27105, (1.0918 * pace, -0.7146 * pace), slope, slope / SLOPE)
    longest = 4.0 / pace if pace else 4.0
    return Walk(
        robot, straight("leg_left", slope, a + b), "step", "strike", *standing(robot, stance), gravity, longest, "compass"
    )
