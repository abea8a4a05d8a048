"""Shared parts of the studies of the Ranger: its starts and its gaits."""

from functools import partial
from math import asin, cos
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
# From `hand`, by the same search as for `stable`, when steps of the ground were still smooth over 15 cm.
SMOOTH: dict[str, Any] = {
    "speed": 0.498819,
    "length": 0.333639,
    "reach": 0.256821,
    "scissor_gain": 1.8342,
    "scissor_offset": -0.0709928,
    "hip_stiffness": 27.727,
    "hip_damping": 3.27144,
    "hip_weight": 1.08335,
    "hold_stiffness": 8.72872,
    "hold_damping": 2.43632,
    "push": 0.695745,
    "push_stiffness": 12.497,
    "push_damping": 2.81299,
    "lean": -0.0395315,
    "double_support": 0.0616814,
    "lower": 0.152643,
    "flip": 0.222144,
    "foot_frequency": 32.9678,
    "foot_damping": 2.92637,
    "push_gain": 2.95562,
    "length_gain": 0.230151,
}
# footfall tune ranger-walk --objective robust --speed 0.59 --runs 16 --size 12 --spread 0.04 --set gait=smooth --set seconds=50
#     --seed 1 --generations 27
STABLE: dict[str, Any] = {
    "speed": 0.512055,
    "length": 0.369085,
    "reach": 0.228608,
    "scissor_gain": 1.8645,
    "scissor_offset": -0.0921556,
    "hip_stiffness": 29.0121,
    "hip_damping": 4.36979,
    "hip_weight": 1.34849,
    "hold_stiffness": 7.66241,
    "hold_damping": 2.53514,
    "push": 0.672759,
    "push_stiffness": 14.196,
    "push_damping": 2.77858,
    "lean": -0.00702061,
    "double_support": 0.0575932,
    "lower": 0.161541,
    "flip": 0.240742,
    "foot_frequency": 50.2867,
    "foot_damping": 3.17675,
    "push_gain": 2.98008,
    "length_gain": 0.138551,
}
# footfall tune ranger-walk --objective cost --speed 0.59 --size 14 --spread 0.03 --set gait=smooth --seed 2 --generations 116
THRIFTY: dict[str, Any] = {
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
}
# footfall tune ranger-walk --objective cost --speed 0.59 --size 14 --spread 0.03 --set gait=smooth --set numbers=bhounsule
#     --seed 3 --generations 100
THRIFTY_BHOUNSULE: dict[str, Any] = {
    "speed": 0.461637,
    "length": 0.272287,
    "reach": 0.241879,
    "scissor_gain": 1.72705,
    "scissor_offset": -0.0252065,
    "hip_stiffness": 27.058,
    "hip_damping": 1.36006,
    "hip_weight": 0.6441,
    "hold_stiffness": 6.42998,
    "hold_damping": 2.94324,
    "push": 0.80209,
    "push_stiffness": 15.4594,
    "push_damping": 4.22442,
    "lean": 0.00675363,
    "double_support": 0.0403553,
    "lower": 0.0132366,
    "flip": 0.366869,
    "foot_frequency": 26.0548,
    "foot_damping": 3.95567,
    "push_gain": 3.06049,
    "length_gain": 0.110767,
}
GAITS = {"hand": HAND, "smooth": SMOOTH, "stable": STABLE, "thrifty": THRIFTY, "thrifty-bhounsule": THRIFTY_BHOUNSULE}
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
