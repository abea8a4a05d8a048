"""Modes of walkers on two legs: the left one stands or rolls, and at each strike left and right change names."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from footfall.dynamics.constrained import consistent, placed
from footfall.engines.hybrid import Hybrid
from footfall.engines.hybrid.modes import Above, Ahead, Guard, Impact, JointReaches, Mode, Relabel, Touches
from footfall.engines.hybrid.rollout import FALL
from footfall.errors import RobotError
from footfall.model.pins import Held
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.sim.study import Study
from footfall.world import Slope, World

KNEES = ("knee_left", "knee_right")
TIPS: tuple[Held, Held] = ("tip_left", "tip_right")
AHEAD = 0.02  # lengths of a leg: straight legs scuff as they pass each other, and the strike counts from here on
FALLEN = 0.5  # lengths of a leg: a hip this low above the standing foot
slope_of = partial(quantity, "rad", "of the ground, positive uphill", low=-0.5, high=0.5)


class Stance(NamedTuple):
    """The beginning of a step: pitch of the stance leg, angle of the other against it, and their rates."""

    pitch: float
    hip: float
    pitch_rate: float
    hip_rate: float


def leg_length(robot: Robot) -> float:
    """From the hip down to the tip of a straight leg."""
    tip = next((frame for frame in robot.frames if frame.name == "tip_left"), None)
    if tip is None:
        known = ", ".join(frame.name for frame in robot.frames) or "none"
        raise RobotError(f"robot {robot.name!r} must have a frame 'tip_left' at the end of its leg; its frames: {known}")
    knees = [joint.at[1] for joint in robot.joints if joint.name == "knee_left"]
    return -(sum(knees) + tip.at[1])


def walker(name: str, robot: Robot, engine: Hybrid, start: tuple[np.ndarray, np.ndarray], slope: float) -> Study:
    """A study of ten steps or so, on a slope."""
    q, v = (tuple(each.tolist()) for each in start)
    return Study(robot, World(Slope(slope)), q=q, v=v, seconds=2.5 * engine.longest, engine=engine, name=name)


def standing(robot: Robot, stance: Stance, foot: Held = TIPS[0]) -> tuple[np.ndarray, np.ndarray]:
    """q and v of two straight legs, the left foot at rest in the origin; a round one would be there at a pitch of zero."""
    q = placed(robot, robot.configuration({"base.pitch": stance.pitch, "hip": stance.hip}), foot)
    rates = np.zeros(robot.nv)
    rates[2:4] = stance.pitch_rate, stance.hip_rate
    locked = tuple(name for name in KNEES if name in robot.velocities)
    return q, consistent(robot, q, rates, pinned=(foot,), locked=locked)


def scaled(angle: float, rates: Sequence[float], slope: float, size: float) -> Stance:
    """A stance on another slope, `size` times as steep: half the angle between the legs and the rates, by the cube root."""
    grown = float(np.cbrt(size))
    return Stance(-slope - grown * angle, 2 * grown * angle, grown * rates[0], grown * rates[1])


def straight(hip: str, length: float, feet: tuple[Held, Held] = TIPS) -> tuple[Mode, ...]:
    """Straight legs: one mode for walking, and one for a walker that fell. The hip is at the origin of the link `hip`."""
    guards = (_strike("step", length, Impact(), feet), _fall(hip, length, feet[0]))
    return Mode("step", (feet[0],), guards=guards), Mode("fallen")


def kneed(length: float, torque: Callable[[Any, Any, Any], Any] | None = None) -> tuple[Mode, ...]:
    """Knee of the swing leg free (and the torque on) until it is straight, then locked; both are straight in a strike."""
    fall, strike = _fall("thigh_left", length), _strike("bent", length, Impact(locked=KNEES))
    knee = Guard("knee_strike", JointReaches("knee_right"), to="straight", reset=Impact())
    bent = Mode("bent", ("tip_left",), ("knee_left",), torque, (knee, fall))
    return bent, Mode("straight", ("tip_left",), KNEES, guards=(strike, fall)), Mode("fallen")


def _fall(hip: str, length: float, foot: Held = TIPS[0]) -> Guard:
    return Guard(FALL, Above(hip, foot, FALLEN * length), to="fallen")


def _strike(to: str, length: float, impact: Impact, feet: tuple[Held, Held] = TIPS) -> Guard:
    ahead = Ahead(feet[1], feet[0], AHEAD * length)
    return Guard("strike", Touches(feet[1]), to=to, reset=(Relabel(), impact), active=ahead)
