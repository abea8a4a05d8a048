"""Ono's walker: a torque -k times the angle of the swing shank, while that knee is free, lets it walk on level ground."""

from typing import Any

from footfall import robots
from footfall.sim.walk import Walk
from footfall.walks._legs import Stance, kneed, standing


def build(*, gain: float = 5.0, slope: float = 0.0, mass: float = 2.0, length: float = 0.4) -> Walk:
    """gain k (N m/rad), slope (rad); mass (kg) and length (m) as for the robot `ono`."""
    robot = robots.load("ono", mass=mass, length=length)

    def torque(_t: Any, q: Any, v: Any) -> Any:
        tau = 0.0 * v
        tau[3] = -gain * (q[2] + q[3] + q[5])  # pitch of the right shank
        return tau

    start = standing(robot, Stance(slope - 0.0876, 2 * 0.0876, 0.689, -0.689 + 0.614))
    return Walk(robot, kneed(slope, 2 * length, torque), "bent", "strike", *start, None, 4.0, "ono-walk")
