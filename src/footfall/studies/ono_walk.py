"""Ono's walker: a torque -k times the angle of the swing shank, while that knee is free, lets it walk on level ground."""

from footfall.engines import Hybrid
from footfall.engines.hybrid.modes import Feedback
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies._legs import Stance, kneed, leg_length, slope_of, standing, walker


@declared
def build(
    *,
    robot: Robot = ready("ono"),
    gain: float = quantity("N m/rad", "hip torque per angle of the swing shank", 5.0, low=0.0, high=100.0),
    slope: float = slope_of(0.0),
) -> Study:
    """Near the cycle of the gain 5."""
    shank = ("base.pitch", "hip", "knee_right")  # whose sum is the pitch of the right shank
    torque = Feedback.of(robot, by_q={("hip", name): -gain for name in shank})
    start = standing(robot, Stance(-slope - 0.0876, 2 * 0.0876, 0.689, -0.689 + 0.614))
    engine = Hybrid(kneed(leg_length(robot), torque), "bent", "strike", 4.0)
    return walker("ono-walk", robot, engine, start, slope)
