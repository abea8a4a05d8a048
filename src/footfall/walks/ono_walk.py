"""Ono's walker: a torque -k times the angle of the swing shank, while that knee is free, lets it walk on level ground."""

from footfall import robots
from footfall.engines.hybrid.modes import Feedback
from footfall.engines.hybrid.walk import Walk
from footfall.walks._legs import Stance, kneed, standing


def build(*, gain: float = 5.0, slope: float = 0.0, mass: float = 2.0, length: float = 0.4) -> Walk:
    """gain k (N m/rad), slope (rad); mass (kg) and length (m) as for the robot `ono`."""
    robot = robots.load("ono", mass=mass, length=length)
    shank = ("base.pitch", "hip", "knee_right")  # whose sum is the pitch of the right shank
    torque = Feedback.of(robot, by_q={("hip", name): -gain for name in shank})
    start = standing(robot, Stance(slope - 0.0876, 2 * 0.0876, 0.689, -0.689 + 0.614))
    return Walk(robot, kneed(slope, 2 * length, torque), "bent", "strike", *start, None, 4.0, "ono-walk")
