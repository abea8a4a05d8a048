"""McGeer's wheel without a rim on a slope: it strikes with spoke after spoke, and is turned back by one after each."""

from math import cos, pi, sin, sqrt
from typing import Any

from footfall.dynamics.constrained import Pin, consistent, placed
from footfall.engines import Hybrid
from footfall.engines.hybrid.modes import Above, Guard, Impact, Mode, Shift, Touches
from footfall.engines.hybrid.rollout import FALL
from footfall.errors import RobotError
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._legs import slope_of, walker


@declared
def build(*, robot: Robot = ready("rimless-wheel"), slope: float = slope_of(-0.08)) -> Study:
    """A wheel that is fast enough to get over its top."""
    spoke: Any = robot.feet[0].pads[0] if robot.feet else None
    if robot.space != "planar" or not hasattr(spoke, "at"):
        raise RobotError(f"robot {robot.name!r} must be a wheel in the plane whose spokes are feet that touch with a point")
    turn, length = 2 * pi / len(robot.feet), -spoke.at[1]
    stance, following = Pin("wheel", (0.0, -length)), Pin("wheel", (length * sin(turn), -length * cos(turn)))

    strike = Guard("strike", Touches(following), to="roll", reset=(Shift({"base.pitch": -turn}), Impact()))
    lowest = length * (cos(turn / 2 - slope) - 0.05)  # for the hub of a wheel that rolls; it may rock back instead
    back = Guard(FALL, Above("wheel", stance, lowest), to="fallen")
    q = placed(robot, robot.configuration({"base.pitch": -slope - turn / 2}), stance)
    over = sqrt(2 * robot.gravity / length * max(1 - cos(turn / 2 + slope), 0.0))  # a rate that just leads over the top
    v = consistent(robot, q, [0.0, 0.0, 1.5 * over], pinned=(stance,))
    modes = (Mode("roll", (stance,), guards=(strike, back)), Mode("fallen"))
    return walker("rimless-wheel", robot, Hybrid(modes, "roll", "strike"), (q, v), slope)
