"""What walkers with two legs share: both sides from a declaration of one, knees, soles, legs of six joints."""

import dataclasses
from math import pi
from typing import Any, TypeVar

from footfall.model.parts import Box, Capsule, Foot, Frame, Joint, Link, Motor, Sphere, Tendon

Part = TypeVar("Part", Link, Joint, Frame, Foot, Box, Sphere, Capsule, Tendon)

KNEE = (0.0, pi)  # rad: a knee bends one way, from straight to folded
HIP_ROLL = (-1.2, 1.2)  # rad: assumed; at a right angle the axes of yaw and pitch would fall together
SOLE = 0.02  # m: thickness of a sole in space, assumed; only its underside touches

# What becomes of a part's numbers in space when y changes sign; inertia is (xx, yy, zz, xy, xz, yz).
MIRROR: dict[str, tuple[float, ...]] = dict.fromkeys(("at", "com", "heel", "toe", "start", "end"), (1.0, -1.0, 1.0)) | {
    "turn": (-1.0, 1.0, -1.0),
    "arm": (-1.0, 1.0, -1.0),
    "inertia": (1.0, 1.0, 1.0, -1.0, 1.0, -1.0),
}


def both(*parts: Part, sides: tuple[str, str] = ("left", "right")) -> tuple[Part, ...]:
    """All parts for one side, then all for the other.

    Parts are declared for the first side (y > 0), with * for the side in their names and in the names that they refer to. In
    space the other side is the mirror image in the plane x-z. Axes and limits stay: equal angles turn both sides the same way.
    """
    return tuple(_on(part, side, side == sides[1]) for side in sides for part in parts)


def _on(part: Any, side: str, mirrored: bool) -> Any:
    changes: dict[str, Any] = {}
    for name, value in vars(part).items():
        if isinstance(value, str):
            changes[name] = value.replace("*", side)
        elif name in ("pads", "arms"):
            changes[name] = tuple(_on(each, side, mirrored) for each in value)
        elif mirrored and name in MIRROR and isinstance(value, tuple) and len(value) > 2:
            changes[name] = tuple(sign * x for sign, x in zip(MIRROR[name], value, strict=False))
    return dataclasses.replace(part, **changes)


def sole(link: str, back: float, front: float, width: float, bottom: float) -> Box:
    """The sole of a foot in space, from x = back to front, with its underside at z = bottom."""
    return Box(link, at=((back + front) / 2, 0.0, bottom + SOLE / 2), size=(front - back, width, SOLE))


def six_joint_legs(
    base: str, spacing: float, thigh: float, shank: float, motor: Motor
) -> tuple[tuple[Link, ...], tuple[Joint, ...]]:
    """The joints of two legs with hip yaw, roll, pitch, knee, ankle pitch, roll, and the massless pieces between crossing axes.

    The legs hang on link `base` at y = +-spacing/2; thigh_*, shank_* and foot_* are declared by the robot. The three axes of a
    hip meet in one point, as do the two of an ankle.
    """
    pieces = both(Link("hip_fork_*", 0.0), Link("hip_cross_*", 0.0), Link("ankle_cross_*", 0.0))
    joints = both(
        Joint("hip_yaw_*", "revolute", base, "hip_fork_*", at=(0.0, spacing / 2, 0.0), axis="z", motor=motor),
        Joint("hip_roll_*", "revolute", "hip_fork_*", "hip_cross_*", axis="x", limits=HIP_ROLL, motor=motor),
        Joint("hip_pitch_*", "revolute", "hip_cross_*", "thigh_*", axis="y", motor=motor),
        Joint("knee_*", "revolute", "thigh_*", "shank_*", at=(0.0, 0.0, -thigh), axis="y", limits=KNEE, motor=motor),
        Joint("ankle_pitch_*", "revolute", "shank_*", "ankle_cross_*", at=(0.0, 0.0, -shank), axis="y", motor=motor),
        Joint("ankle_roll_*", "revolute", "ankle_cross_*", "foot_*", axis="x", motor=motor),
    )
    return pieces, joints
