"""What the studies of the Ranger share: where it starts, and the gaits that it has."""

from math import asin, cos
from typing import Any

from footfall.model.robot import Robot

# Kelly's simulator (RangerSimulator/TEST_SimpleWalk.m). A foot in the air: his gains 20 and 1 with a foot of 0.002 kg m2.
KELLY: dict[str, Any] = {
    "length": 0.2,
    "reach": 0.2,
    "scissor_gain": 1.25,
    "scissor_offset": 0.05,
    "hip_stiffness": 25.0,
    "hip_damping": 3.0,
    "hip_weight": 1.0,
    "hold_stiffness": 15.0,
    "hold_damping": 1.0,
    "level": 0.0,
    "push": 0.7,
    "push_to": 1.0,
    "push_stiffness": 15.0,
    "push_damping": 2.5,
    "lean": 0.0,
    "double_support": 0.04,
    "patience": 0.0,
    "lower": 0.2,
    "flip": 0.2,
    "foot_frequency": 100.0,
    "foot_damping": 2.5,
    "push_gain": 0.0,
    "length_gain": 0.0,
}
HAND: dict[str, Any] = {
    "length": 0.35,
    "reach": 0.26,
    "double_support": 0.06,
    "push_gain": 2.0,
    "length_gain": 0.2,
    "push": 0.5,
}  # where tuning began
THRIFTY: dict[str, Any] = {
    "speed": 0.5735,
    "length": 0.1139,
    "reach": 0.3129,
    "scissor_gain": 1.804,
    "scissor_offset": 0.01724,
    "hip_stiffness": 4.825,
    "hip_damping": 0.4777,
    "hip_weight": -0.004581,
    "hold_stiffness": 8.398,
    "hold_damping": 3.796,
    "push": 0.327,
    "push_stiffness": 22.16,
    "push_damping": 3.392,
    "lean": -0.04753,
    "double_support": 0.02018,
    "lower": 0.1561,
    "flip": 0.1329,
    "foot_frequency": 28.3,
    "foot_damping": 3.224,
    "push_gain": 1.916,
    "length_gain": 0.3151,
}
GAITS = {"hand": HAND, "stable": HAND, "thrifty": THRIFTY}


def astride(robot: Robot, split: float) -> tuple[float, ...]:
    """At rest on both feet, level and `split` apart from ankle to ankle, the outer one ahead."""
    leg = -robot.joint("ankle_outer").at[1]
    angle = asin(split / 2 / leg)
    q = robot.configuration({"base.pitch": -angle, "hip": 2 * angle, "ankle_outer": angle, "ankle_inner": -angle})
    q[robot.coordinates.index("base.z")] = leg * cos(angle) + _sole(robot)
    return tuple(q.tolist())


def balanced(robot: Robot) -> tuple[float, ...]:
    """Kelly's start: at rest on the outer foot, hardly leaning forward, the other leg beside it with its foot flipped."""
    lean, leg = 0.005, -robot.joint("ankle_outer").at[1]
    flipped = robot.joint("ankle_inner").limits[0]
    q = robot.configuration({"base.pitch": lean, "hip": -2 * lean, "ankle_outer": -lean, "ankle_inner": flipped + lean})
    q[robot.coordinates.index("base.z")] = leg * cos(lean) + _sole(robot)
    return tuple(q.tolist())


def _sole(robot: Robot) -> float:
    """Height of the ankle above level ground, the foot level."""
    pad: Any = robot.foot("foot_outer").pads[0]
    return pad.radius - pad.at[1]
