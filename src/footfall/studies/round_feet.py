"""Bhounsule's passive walker on round feet, which roll without slipping, on a slope."""

from math import cos, sin, sqrt

from footfall.engines import Hybrid
from footfall.model.parts import Arc
from footfall.model.pins import Pin
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._legs import leg_length, scaled, slope_of, standing, straight, walker

SLOPE = -0.01  # of the published fixed point (0.18947278, -0.23912422, 0.37894556, -0.05369170)


@declared
def build(*, robot: Robot = ready("round-feet"), slope: float = slope_of(SLOPE)) -> Study:
    """Near the published fixed point; dimensionless."""
    pad, whole = robot.foot("foot_left").pads[0], leg_length(robot)
    radius = pad.radius if isinstance(pad, Arc) else 0.0
    up = (radius * sin(-slope), radius * cos(slope))
    left, right = Pin("middle_left", roll=up), Pin("middle_right", roll=up)
    stance = scaled(0.189472782205104, (0.239124222551699, -0.053691703909393), slope, slope / SLOPE)
    start = standing(robot, stance, left)
    engine = Hybrid(straight("leg_left", whole, (left, right)), "step", "strike", 12.0 * sqrt(whole))
    return walker("round-feet", robot, engine, start, slope)
