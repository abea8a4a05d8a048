"""Walks of robots of another size, by similarity: lengths in proportion, times as of a pendulum as long as the leg (Froude).

A walk that one robot does is done by another of the same shape, L times as long and m times as heavy, where gravity is g times
as strong: with lengths times L, times times sqrt(L / g), masses times m. The unit of each parameter says what becomes of it.
"""

from dataclasses import fields
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from footfall.control.walking.legs import driven_legs
from footfall.kinematics.two_legs import walker
from footfall.model.robot import Robot
from footfall.model.units import powers_of
from footfall.robots import load

MODEL = "johnnie"  # whose walks the defaults of the laws are
HIPS = 0.85 / 0.954  # height of its hips when it walks, over that with straight legs
GAP = 0.02  # m: least that it leaves between its soles, sideways
SAME = ("rate",)  # of a control computer, not of a motion
INSIDE = 0.25  # of half the width of a sole: the margin of the ZMP is no wider


class Scale(NamedTuple):
    """How many times as long, as slow and as heavy."""

    length: float
    time: float
    mass: float

    def of(self, unit: str) -> float:
        """The factor of a quantity with this unit."""
        powers = powers_of(unit)
        newton = powers.get("N", 0)
        return float(
            self.length ** (powers.get("m", 0) + newton)
            * self.time ** (powers.get("s", 0) - 2 * newton)
            * self.mass ** (powers.get("kg", 0) + newton)
        )


def scale_of(robot: Robot) -> Scale:
    """A robot beside the one whose walks the defaults are."""
    length, mass, gravity = _model()
    L = walker(robot).length / length
    return Scale(L, float(np.sqrt(L * gravity / (robot.gravity or gravity))), robot.mass / mass)


@cache
def _model() -> tuple[float, float, float]:
    robot = load(MODEL)
    return walker(robot).length, robot.mass, robot.gravity


def similar(walk: Any, robot: Robot) -> dict[str, Any]:
    """The parameters of a walk for another robot: by similarity, and those that its own legs and soles decide."""
    driven_legs(robot)
    scale, shape = scale_of(robot), walker(robot)
    found: dict[str, Any] = {}
    for field in fields(walk):
        value, unit = getattr(walk, field.name), field.metadata.get("unit", "1")
        if field.metadata.get("kind") == "number" and isinstance(value, float) and field.name not in SAME:
            found[field.name] = value * scale.of(unit)
    between = float(shape.soles[1][:, 1].max() - shape.soles[0][:, 1].min())  # of ankles when the soles meet
    gap = GAP * scale.length
    middle = [0.5 * float(rows[:, 0].min() + rows[:, 0].max()) for rows in shape.soles]
    half = 0.5 * min(float(np.ptp(rows[:, :2], axis=0).min()) for rows in shape.soles)
    return found | {
        "width": max(float(shape.ankles[0, 1] - shape.ankles[1, 1]), between + gap),
        "nearest": between + gap,
        "height": HIPS * shape.length,
        "ahead": 0.5 * sum(middle),
        "servos": True,
        "margin": min(found["margin"], INSIDE * half),
    }
