"""The law of `RangerGait`: which foot stands, what part of a step it is, and what each motor does then.

After section 6 of M. Kelly, "Two walking robot simulators" (2014). Angles are his: a leg's is positive with its lower end
forward, a foot's with its toe up, both from the vertical; `apart` is how far the swing leg's ankle is ahead of the other. The
controller does not know one leg from the other: outer and inner change places with every step.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.decide import Body, Felt, Own
from footfall.core.jit import kernel

# fmt: off
PARAMETERS = (
    "stand", "speed", "length", "reach", "scissor_gain", "scissor_offset", "hip_stiffness", "hip_damping", "hip_weight",
    "hold_stiffness", "hold_damping", "level", "push", "push_to", "push_stiffness", "push_damping", "lean", "double_support",
    "patience", "lower", "flip", "foot_frequency", "foot_damping", "push_gain", "length_gain", "gui_stiffness", "gui_damping",
)
(
    STAND_FOR, SPEED, LENGTH, REACH, SCISSOR_GAIN, SCISSOR_OFFSET, HIP_STIFFNESS, HIP_DAMPING, HIP_WEIGHT,
    HOLD_STIFFNESS, HOLD_DAMPING, LEVEL, PUSH_LEVEL, PUSH_TO, PUSH_STIFFNESS, PUSH_DAMPING, LEAN, DOUBLE_SUPPORT,
    PATIENCE, LOWER, FLIP_TO, FOOT_FREQUENCY, FOOT_DAMPING, PUSH_GAIN, LENGTH_GAIN, GUI_STIFFNESS, GUI_DAMPING,
    # then what `RangerGait.start` works out
    MODE, FILTER_B, FILTER_A1, FILTER_A2, PITCH, HIP, OUTER, INNER, LEG, GRAVITY, LEG_WEIGHT, FOOT_INERTIA, FOOT_X, FOOT_Z,
    GUI_HIP, GUI_OUTER, GUI_INNER, COUNT,
) = range(45)
# memory
BEGUN, STANCE, PART, SINCE, PASSED, PACE, PUSH_NOW, LENGTH_NOW, STEPS, IN_FLIGHT, HELD, CONTACT, SIZE = (*range(11), 14, 22)
# fmt: on
WALK, STAND, GUI = 0, 1, 2  # modes
SWINGS, PUSHES, DOUBLE, BACK = 0, 1, 2, 3  # parts of a step; BACK is a step that failed, the swing foot returns
OFF, HOLD, PUSH, FLIP, SWING, LAND, RETURN = 0, 1, 2, 3, 4, 5, 6  # programs of a motor; LAND and RETURN are HOLD in the air
TOUCHES, LIFTED = 0.5, 0.1  # of the contact estimate: above, a foot stands; with both below, the robot is in the air
AHEAD = 0.02  # m: a swing foot that touches nearer than this has scuffed, not landed
ENOUGH = 0.5  # of the speed over the stance foot: with less the swing leg would stay behind
RETREAT = 0.2  # m: so far behind is the foot put that a step began with, if the step fails
SHORTEST, LONGEST = 0.05, 0.6  # m: of steps that the controller asks for


class Pose(NamedTuple):
    """The legs by what they do; angles and rates in the report's sense."""

    stance: Any
    swing: Any
    stance_rate: Any
    swing_rate: Any
    apart: Any  # m


@kernel
def ranger_law(felt: Felt, own: Own, body: Body, tau: np.ndarray) -> int:
    """One tick."""
    numbers, memory = own.numbers, own.memory
    feel(felt, numbers, memory)
    for d in range(len(tau)):
        own.servo[0, d], own.servo[1, d], own.servo[2, d], tau[d] = 0.0, 0.0, 0.0, 0.0
    if numbers[MODE] == GUI:
        for i in range(3):
            spring(own, tau, int(numbers[HIP + i]), numbers[GUI_STIFFNESS], numbers[GUI_DAMPING], numbers[GUI_HIP + i], 0.0)
    elif numbers[MODE] == STAND or felt.time < numbers[STAND_FOR]:
        pose = pose_of(felt, own)
        run_ankle(felt, own, tau, HOLD, 0, pose)
        run_ankle(felt, own, tau, HOLD, 1, pose)
    else:
        walk(felt, own, tau)
    return 0


# --- what is felt -------------------------------------------------------------------------------------------------------------


@kernel
def feel(felt, numbers, memory):
    """Contact of each foot through a second-order Butterworth filter, which begins with what is there."""
    for i in range(2):
        on, at = 1.0 if felt.mode[i] else 0.0, CONTACT + 4 * i  # newest input, the one before, and the same of the output
        if felt.time == 0.0:
            on = 1.0 if felt.mode[i] or numbers[MODE] != WALK or stands_at_first(felt, numbers, i) else 0.0
            memory[at], memory[at + 1], memory[at + 2], memory[at + 3] = on, on, on, on
        out = numbers[FILTER_B] * (on + 2.0 * memory[at] + memory[at + 1])
        out -= numbers[FILTER_A1] * memory[at + 2] + numbers[FILTER_A2] * memory[at + 3]
        memory[at + 1], memory[at] = memory[at], on
        memory[at + 3], memory[at + 2] = memory[at + 2], out


@kernel
def stands_at_first(felt, numbers, i):
    """No contact is known before the first step: a foot that is not flipped stands."""
    return felt.q[int(numbers[OUTER + i])] > 0.5 * numbers[FLIP_TO]


@kernel
def stands(memory, i):
    return memory[CONTACT + 4 * i + 2] > TOUCHES


@kernel
def lifted(memory, i):
    return memory[CONTACT + 4 * i + 2] < LIFTED


@kernel
def leg_angle(felt, numbers, i):
    """Angle and rate of the outer (0) or inner (1) leg."""
    pitch, hip = int(numbers[PITCH]), int(numbers[HIP])
    return -(felt.q[pitch] + i * felt.q[hip]), -(felt.v[pitch] + i * felt.v[hip])


@kernel
def pose_of(felt, own):
    stance = int(own.memory[STANCE])
    a, rate_a = leg_angle(felt, own.numbers, stance)
    b, rate_b = leg_angle(felt, own.numbers, 1 - stance)
    return Pose(a, b, rate_a, rate_b, own.numbers[LEG] * (np.sin(b) - np.sin(a)))


# --- parts of a step ----------------------------------------------------------------------------------------------------------


@kernel
def walk(felt, own, tau):
    """Choose the part of the step, then the program of every motor."""
    memory = own.memory
    if memory[BEGUN] == 0.0:
        begin(felt, own)
    change_feet(felt, own)
    pose = pose_of(felt, own)
    pass_over(own, pose)
    go_on(felt, own, pose)
    if lifted(memory, 0) and lifted(memory, 1):
        hold_on(felt, own, tau)
        return
    memory[IN_FLIGHT] = 0.0
    stance, part = int(memory[STANCE]), memory[PART]
    if part == SWINGS:
        run_hip(own, tau, SWING, pose)
        run_ankle(felt, own, tau, HOLD, stance, pose)
        run_ankle(felt, own, tau, FLIP if pose.apart < lowers_at(own) else LAND, 1 - stance, pose)
    elif part == PUSHES:
        run_hip(own, tau, LAND, pose)
        run_ankle(felt, own, tau, PUSH if pose.stance < -own.numbers[LEAN] else HOLD, stance, pose)
        run_ankle(felt, own, tau, LAND, 1 - stance, pose)
    elif part == DOUBLE:
        run_hip(own, tau, OFF, pose)
        run_ankle(felt, own, tau, HOLD, stance, pose)
        run_ankle(felt, own, tau, PUSH, 1 - stance, pose)
    else:
        run_hip(own, tau, RETURN, pose)
        run_ankle(felt, own, tau, HOLD, stance, pose)
        run_ankle(felt, own, tau, LAND if pose.apart < -0.7 * RETREAT else FLIP, 1 - stance, pose)


@kernel
def begin(felt, own):
    """With both feet on the ground the front leg will stand and the other push; with one foot, that one stands."""
    numbers, memory = own.numbers, own.memory
    outer, inner = stands(memory, 0), stands(memory, 1)
    front, _ = leg_angle(felt, numbers, 0)
    other, _ = leg_angle(felt, numbers, 1)
    both = outer == inner
    memory[STANCE] = (1.0 if other > front else 0.0) if both else (1.0 if inner else 0.0)
    memory[PART] = DOUBLE if both else SWINGS
    memory[BEGUN], memory[SINCE] = 1.0, felt.time
    memory[PUSH_NOW], memory[LENGTH_NOW] = numbers[PUSH_LEVEL], numbers[LENGTH]


@kernel
def change_feet(felt, own):
    """When the swing foot has landed ahead, it is the stance foot; when the foot behind stands alone, it pushes the other on."""
    memory = own.memory
    pose, stance = pose_of(felt, own), int(memory[STANCE])
    if not stands(memory, 1 - stance):
        return
    if memory[PART] != DOUBLE and pose.apart > AHEAD:
        memory[STANCE], memory[PART], memory[SINCE], memory[PASSED] = 1.0 - stance, DOUBLE, felt.time, 0.0
        memory[STEPS] += 1.0
    elif pose.apart < -AHEAD and lifted(memory, stance):
        memory[STANCE], memory[PART], memory[PASSED] = 1.0 - stance, PUSHES, 1.0


@kernel
def pass_over(own, pose):
    """When the hip passes over the stance foot, its speed decides the push-off and the length of the step."""
    numbers, memory = own.numbers, own.memory
    if memory[PASSED] == 0.0 and memory[PART] != DOUBLE and pose.stance < 0.0:
        memory[PASSED] = 1.0
        memory[PACE] = -numbers[LEG] * pose.stance_rate
        lacking = numbers[SPEED] - memory[PACE]
        memory[PUSH_NOW] = min(max(numbers[PUSH_LEVEL] + numbers[PUSH_GAIN] * lacking, 0.0), 1.0)
        memory[LENGTH_NOW] = min(max(numbers[LENGTH] - numbers[LENGTH_GAIN] * lacking, SHORTEST), LONGEST)


@kernel
def go_on(felt, own, pose):
    """From one part of the step to the next."""
    numbers, memory = own.numbers, own.memory
    if memory[PART] == DOUBLE:
        waited = felt.time - memory[SINCE]
        if waited >= numbers[DOUBLE_SUPPORT]:
            enough = left_over(numbers, pose) > (ENOUGH * numbers[SPEED]) ** 2
            if enough or waited >= numbers[DOUBLE_SUPPORT] + numbers[PATIENCE]:
                memory[PART] = SWINGS
            else:
                memory[PUSH_NOW] = 1.0
    elif memory[PART] == BACK:
        if stands(memory, 1 - int(memory[STANCE])):
            memory[PART], memory[SINCE] = DOUBLE, felt.time
    elif numbers[PATIENCE] > 0.0 and pose.apart < 0.0 and left_over(numbers, pose) < 0.0:
        memory[PART] = BACK
    if memory[PART] == SWINGS and pose.apart > numbers[REACH] + memory[LENGTH_NOW] - numbers[LENGTH]:
        memory[PART] = PUSHES


@kernel
def lowers_at(own):
    """How far ahead the swing foot is when it is lowered."""
    return own.numbers[LOWER] + own.memory[LENGTH_NOW] - own.numbers[LENGTH]


@kernel
def left_over(numbers, pose):
    """Square of the speed that the hip will have over the stance foot, as an inverted pendulum; negative if it falls back."""
    pace = -numbers[LEG] * pose.stance_rate
    return pace * abs(pace) - 2.0 * numbers[GRAVITY] * numbers[LEG] * (1.0 - np.cos(max(pose.stance, 0.0)))


# --- programs of the motors ---------------------------------------------------------------------------------------------------


@kernel
def spring(own, tau, d, stiffness, damping, goal, rate):
    """(18): stiffness (goal - q) + damping (rate - v), held by the motor itself; the current is the torque over G K."""
    own.servo[0, d], own.servo[1, d], own.servo[2, d] = stiffness, goal, damping
    tau[d] = damping * rate


@kernel
def run_hip(own, tau, program, pose):
    """SWING mirrors the stance leg; LAND keeps the legs apart for the step to come, RETURN for the one that was."""
    numbers, memory, d = own.numbers, own.memory, int(own.numbers[HIP])
    if program == OFF:
        return
    sense = 1.0 if memory[STANCE] == 1.0 else -1.0  # the hip's angle grows as the outer leg goes ahead of the inner
    if program == SWING:
        goal = numbers[SCISSOR_OFFSET] - (1.0 + numbers[SCISSOR_GAIN]) * pose.stance
        rate = -(1.0 + numbers[SCISSOR_GAIN]) * pose.stance_rate
    else:
        goal, rate = 2.0 * np.arcsin(0.5 * memory[LENGTH_NOW] / numbers[LEG]), 0.0
        if program == RETURN:
            goal = -2.0 * np.arcsin(0.5 * RETREAT / numbers[LEG])
    spring(own, tau, d, numbers[HIP_STIFFNESS], numbers[HIP_DAMPING], sense * goal, sense * rate)
    tau[d] += sense * numbers[HIP_WEIGHT] * numbers[LEG_WEIGHT] * np.sin(pose.swing)


@kernel
def run_ankle(felt, own, tau, program, i, pose):
    """HOLD and LAND keep the foot level, PUSH turns its toe down, FLIP pulls it up; in the air it is a light mass on a spring."""
    numbers, d, stance = own.numbers, int(own.numbers[OUTER + i]), i == int(own.memory[STANCE])
    leg, rate = (pose.stance, pose.stance_rate) if stance else (pose.swing, pose.swing_rate)
    inertia, frequency = numbers[FOOT_INERTIA], numbers[FOOT_FREQUENCY]
    stiffness, damping = frequency * frequency * inertia, 2.0 * numbers[FOOT_DAMPING] * frequency * inertia
    if program == HOLD:
        spring(own, tau, d, numbers[HOLD_STIFFNESS], numbers[HOLD_DAMPING], leg - numbers[LEVEL], rate)
    elif program == PUSH:
        toe = own.memory[PUSH_NOW] * numbers[PUSH_TO]
        spring(own, tau, d, numbers[PUSH_STIFFNESS], numbers[PUSH_DAMPING], leg + toe, rate)
    elif program == FLIP:
        spring(own, tau, d, stiffness, damping, numbers[FLIP_TO], 0.0)
    else:
        spring(own, tau, d, stiffness, damping, leg - numbers[LEVEL], rate)
    if program in (FLIP, LAND):
        pitch = felt.q[d] - leg
        tau[d] -= numbers[FOOT_X] * np.cos(pitch) + numbers[FOOT_Z] * np.sin(pitch)  # the foot's own weight


@kernel
def hold_on(felt, own, tau):
    """In the air all joints stay where they were when the last foot left."""
    numbers, memory = own.numbers, own.memory
    for i in range(3):
        d = int(numbers[HIP + i])
        if memory[IN_FLIGHT] == 0.0:
            memory[HELD + i] = felt.q[d]
        stiffness = numbers[HIP_STIFFNESS] if i == 0 else numbers[FOOT_FREQUENCY] ** 2 * numbers[FOOT_INERTIA]
        damping = numbers[HIP_DAMPING]
        if i > 0:
            damping = 2.0 * numbers[FOOT_DAMPING] * numbers[FOOT_FREQUENCY] * numbers[FOOT_INERTIA]
        spring(own, tau, d, stiffness, damping, memory[HELD + i], 0.0)
    memory[IN_FLIGHT] = 1.0
