"""Garcia's simplest walker on a slope, with its long or its short step."""

from math import cos

from footfall.engines import Hybrid
from footfall.model.quantity import choice
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._legs import scaled, slope_of, standing, straight, walker

SLOPE = -0.009  # of the published fixed points: theta and its rate
GAITS = {"long": (0.2003109, -0.1998325), "short": (0.1939374, -0.2038669)}


@declared
def build(
    *,
    robot: Robot = ready("simplest-walker", foot_mass=1e-12),  # results are off by about as much
    slope: float = slope_of(SLOPE),
    gait: str = choice("the long step or the short one", "long", GAITS),
) -> Study:
    """Near a published fixed point; dimensionless."""
    theta, rate = GAITS[gait]
    stance = scaled(theta, (-rate, 0.0), slope, slope / SLOPE)
    stance = stance._replace(hip_rate=-(1 - cos(stance.hip)) * stance.pitch_rate)  # which a massless foot has after a strike
    engine = Hybrid(straight("leg_left", 1.0), "step", "strike", 12.0)
    return walker("simplest-walker", robot, engine, standing(robot, stance), slope)
