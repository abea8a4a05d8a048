"""Garcia's simplest walker on a slope, with its long or its short step."""

from math import cos

from footfall import robots
from footfall.engines.hybrid.walk import Walk
from footfall.errors import UnknownNameError
from footfall.walks._legs import scaled, standing, straight

SLOPE = 0.009  # of the published fixed points: theta and its rate
GAITS = {"long": (0.2003109, -0.1998325), "short": (0.1939374, -0.2038669)}


def build(*, slope: float = SLOPE, gait: str = "long", foot_mass: float = 1e-12) -> Walk:
    """slope (rad), gait (long or short), foot_mass in masses of the hip: results are off by about as much. Dimensionless."""
    if gait not in GAITS:
        raise UnknownNameError("gait (of walk 'simplest-walker')", gait, GAITS)
    theta, rate = GAITS[gait]
    robot = robots.load("simplest-walker", foot_mass=foot_mass)
    stance = scaled(theta, (-rate, 0.0), slope, slope / SLOPE)
    stance = stance._replace(hip_rate=-(1 - cos(stance.hip)) * stance.pitch_rate)  # which a massless foot has after a strike
    return Walk(
        robot, straight("leg_left", slope, 1.0), "step", "strike", *standing(robot, stance), None, 12.0, "simplest-walker"
    )
