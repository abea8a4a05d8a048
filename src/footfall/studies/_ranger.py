"""Shared parts of the studies of the Ranger: its starts and its gaits."""

from functools import partial
from math import asin, cos, inf
from typing import Any

from footfall.errors import StateError
from footfall.model.quantity import choice, quantity
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
    "catch_damping": 2.5,
    "tucked": 3.2,
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
# Kelly's feet: limits of his simulator for the foot in contact; step and time of the marathon, 0.35 m and 0.6 s, within a tenth.
# Every step of a gait that walks as the robot does keeps these: it rolls on the arc of its soles, never flies, and its rear foot
# is back on the ground soon after the other has landed, and pushes.
ROLLING: dict[str, tuple[float, float]] = {
    "sole": (0.9, inf),
    "toe_up": (-inf, 0.3),
    "toe_down": (-inf, 0.9),
    "flight": (-inf, 0.0),
    "gap": (-inf, 0.008),
    "double": (0.02, inf),
    "push": (0.3, inf),
    "length": (0.315, 0.385),
    "duration": (0.54, 0.66),
}
STABLE: dict[str, Any] = {
    "speed": 0.545721,
    "length": 0.341099,
    "reach": 0.198649,
    "scissor_gain": 2.05941,
    "scissor_offset": -0.0762641,
    "hip_stiffness": 36.4212,
    "hip_damping": 3.26867,
    "hip_weight": 1.11879,
    "hold_stiffness": 24.4948,
    "hold_damping": 1.3013,
    "level": 0.00728608,
    "push": 0.48682,
    "push_to": 1.24028,
    "push_stiffness": 7.53902,
    "push_damping": 0.530722,
    "lean": 0.143551,
    "double_support": 0.0276466,
    "lower": 0.269506,
    "flip": 0.593688,
    "foot_frequency": 93.887,
    "foot_damping": 2.24561,
    "push_gain": 1.72572,
    "length_gain": 0.0871205,
    "catch_damping": 0.0881404,
    "rise": 0.210034,
    "descent": 0.0,
    "lean_gain": 0.0367825,
    "enough": 0.618108,
    "tucked": 0.570054,
}
THRIFTY: dict[str, Any] = {
    "speed": 0.526,
    "length": 0.333496,
    "reach": 0.172665,
    "scissor_gain": 2.04847,
    "scissor_offset": -0.0198821,
    "hip_stiffness": 35.8169,
    "hip_damping": 3.5341,
    "hip_weight": 1.20915,
    "hold_stiffness": 27.0298,
    "hold_damping": 0.566436,
    "level": 0.010304,
    "push": 0.598676,
    "push_to": 1.1806,
    "push_stiffness": 8.00195,
    "push_damping": 0.726413,
    "lean": 0.166172,
    "double_support": 0.0228666,
    "lower": 0.192404,
    "flip": 1.22526,
    "foot_frequency": 44.8094,
    "foot_damping": 1.80558,
    "push_gain": 1.52941,
    "length_gain": 0.171805,
    "catch_damping": 0.651081,
    "rise": 0.242277,
    "descent": 0.00255507,
    "lean_gain": 0.135285,
    "enough": 0.485548,
}
THRIFTY_BHOUNSULE: dict[str, Any] = {
    "speed": 0.498278,
    "length": 0.32916,
    "reach": 0.191109,
    "scissor_gain": 2.00075,
    "scissor_offset": -0.0180971,
    "hip_stiffness": 26.4233,
    "hip_damping": 1.98132,
    "hip_weight": 0.417758,
    "hold_stiffness": 3.2242,
    "hold_damping": 0.238285,
    "level": -0.0166921,
    "push": 0.776636,
    "push_to": 1.17591,
    "push_stiffness": 5.37832,
    "push_damping": 0.587814,
    "lean": 0.152402,
    "double_support": 0.0380233,
    "lower": 0.232,
    "flip": 1.42105,
    "foot_frequency": 58.3261,
    "foot_damping": 2.13533,
    "push_gain": 2.02643,
    "length_gain": 0.0717333,
    "catch_damping": 0.323163,
    "rise": 0.26239,
    "descent": 0.0,
    "lean_gain": 0.0308908,
    "enough": 0.507957,
}
# Tuned for cost alone, without bounds on the steps. It lands with the toe up by more than 0.4 rad, stands on the rear tip of its
# sole for most of a stance, and has no double support. Such gaits are cheap because the weight then acts close to the ankle: the
# motor has almost nothing to hold, and nothing rolls. The robot does not walk so; it is here for comparison.
HEEL_TIP: dict[str, Any] = {
    "speed": 0.527896,
    "length": 0.274848,
    "reach": 0.253968,
    "scissor_gain": 1.5887,
    "scissor_offset": -0.0222377,
    "hip_stiffness": 24.1924,
    "hip_damping": 1.72183,
    "hip_weight": 1.08791,
    "hold_stiffness": 4.75773,
    "hold_damping": 3.49925,
    "push": 0.733574,
    "push_stiffness": 14.5152,
    "push_damping": 3.49905,
    "lean": -0.0605898,
    "double_support": 0.0817304,
    "lower": 0.13195,
    "flip": 0.364517,
    "foot_frequency": 16.8285,
    "foot_damping": 2.92125,
    "push_gain": 2.99068,
    "length_gain": 0.302781,
    "catch_damping": 3.49905,
    "tucked": 3.2,
}
GAITS = {
    "hand": HAND,
    "stable": STABLE,
    "thrifty": THRIFTY,
    "thrifty-bhounsule": THRIFTY_BHOUNSULE,
    "heel-tip": HEEL_TIP,
}
SPLIT = quantity("m", "between the ankles at the start, the outer foot ahead", 0.2, low=-1.9, high=1.9)
gait_of = partial(choice, "whose parameters the controller has", options=GAITS)


def astride(robot: Robot, split: float) -> tuple[float, ...]:
    """At rest on both feet, level and `split` apart from ankle to ankle, the outer one ahead."""
    leg = -robot.joint("ankle_outer").at[1]
    if not abs(split) < 2 * leg:
        raise StateError(f"split of the Ranger's feet must be less than {2 * leg:.3g} m, twice its leg, got {split:g}")
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
