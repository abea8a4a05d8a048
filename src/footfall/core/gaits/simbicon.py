"""SIMBICON as the loop asks it: from state to state, and the pose of each. `control.simbicon` says where it comes from."""

import numpy as np

from footfall.core.contact.decide import Body, Felt, Own
from footfall.core.gaits.states import GAIT, HEAD, SPEED, enter, follow_schedule, stands, time_in
from footfall.core.jit import kernel

NOW, STATE, SINCE = HEAD, HEAD + 1, HEAD + 2  # places in memory after the goal: gait, and the state it is in
MEMORY = HEAD + 3
STRIKE = -1.0  # in place of a time
MAKE = 7  # numbers before the table of states: stiffness, damping, thigh, shank, heel, and where the schedule begins
ROW = 9
HIP_RANGE = -1.6, 0.4  # rad: of the target of a swing hip


@kernel
def row_of(numbers, memory):
    """Where the numbers of the state begin; states 2 and 3 are 0 and 1 with the legs exchanged."""
    gaits = (int(numbers[6]) - MAKE) // (2 * ROW)
    return MAKE + ROW * (2 * min(max(int(memory[NOW]), 0), gaits - 1) + int(memory[STATE]) % 2)


@kernel
def is_over(felt, numbers, memory):
    """Whether the state has had its time, or its swing foot has struck."""
    lasts = numbers[row_of(numbers, memory)]
    if lasts >= 0.0:
        return time_in(memory, STATE, felt.time) >= lasts - 1e-9
    return stands(felt, 2, 4) if memory[STATE] < 2.0 else stands(felt, 0, 2)  # the left foot stands first


@kernel
def heel_of(felt, numbers, hip):
    """Place along the ground of the heel of a leg; `hip` is where the leg's coordinates begin."""
    thigh = felt.q[2] + felt.q[hip]
    shank = thigh + felt.q[hip + 1]
    foot = shank + felt.q[hip + 2]
    x = felt.q[0] - numbers[2] * np.sin(thigh) - numbers[3] * np.sin(shank)
    return x + numbers[4] * np.cos(foot) + numbers[5] * np.sin(foot)


@kernel
def simbicon_law(felt: Felt, own: Own, body: Body, tau: np.ndarray) -> int:
    """Go from state to state, then pose the joints."""
    numbers, memory, q, v = own.numbers, own.memory, felt.q, felt.v
    follow_schedule(numbers[int(numbers[6]) :], memory, felt.time)
    if felt.time == 0.0:
        memory[NOW] = memory[GAIT]
    for _ in range(4):  # states of time 0 are left at once
        if is_over(felt, numbers, memory):
            enter(memory, STATE, (memory[STATE] + 1.0) % 4.0, felt.time)
            memory[NOW] = memory[GAIT]
    at = row_of(numbers, memory)
    stance, swing = (3, 6) if memory[STATE] < 2.0 else (6, 3)
    ahead = q[0] - heel_of(felt, numbers, stance)
    lean = numbers[at + 2] + numbers[at + 3] * ahead + numbers[at + 4] * (v[0] - memory[SPEED])
    lean = min(max(lean, HIP_RANGE[0]), HIP_RANGE[1])
    stiffness, damping = numbers[0], numbers[1]
    torso = stiffness * (numbers[at + 1] - q[2]) - damping * v[2]
    tau[0] = tau[1] = tau[2] = 0.0
    tau[swing] = stiffness * (lean - q[2] - q[swing]) - damping * (v[2] + v[swing])
    tau[stance] = -torso - tau[swing]
    for i in (1, 2):  # knee and ankle: the servos bring them to zero, this to their targets
        tau[swing + i] = stiffness * numbers[at + 3 + 2 * i]
        tau[stance + i] = stiffness * numbers[at + 4 + 2 * i]
    return 0
