"""SIMBICON: poses that follow each other by time and by foot strikes, with feedback on where the swing leg goes.

K. Yin, K. Loken and M. van de Panne, "SIMBICON: simple biped locomotion control", SIGGRAPH 2007. States, gains and feedback are
those of the authors' own planar program, as kept in gedeschaines/JSimbicon (Controller.java, Simbicon.java):

    target of the swing hip    th + c_d d + c_v (v - speed), d from the heel of the standing foot to the hip, v of the hip
    every joint                300 (target - angle) - 30 rate; torso and swing thigh against the vertical
    standing hip               minus the torque for the torso, minus that of the swing hip

A state of time 0, such as the second of running, is over as soon as it begins. `fast-run` is that state alone for 0.21 s, which
is not in the program. The program's torques are held for 50 us; here knees and ankles are held by their motors' servos, whose
gains any step can bear.
"""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from footfall.control.controller import Servo
from footfall.control.states import GAIT, HEAD, SPEED, Gaited, enter, follow_schedule, stands, time_in
from footfall.core.jit import kernel
from footfall.core.world.decide import Body, Felt, Own
from footfall.model.quantity import note, quantity
from footfall.model.robot import Robot

NOW, STATE, SINCE = HEAD, HEAD + 1, HEAD + 2  # places in memory after the goal: gait, and the state it is in
MEMORY = HEAD + 3
STRIKE = -1.0  # in place of a time
MAKE = 6  # numbers before the table: stiffness, damping, thigh, shank, heel
ROW = 9
HIP_RANGE = -0.4, 1.6  # rad: of the target of a swing hip

# Each gait has two states for either leg, in the program's signs (forward and toe up positive): time (s) or strike of the swing
# foot, torso, swing hip, c_d (rad/m), c_v (rad s/m), swing knee, standing knee, swing ankle, standing ankle.
FAST = (0.21, -0.22, 1.08, 0.0, 0.20, -2.18, -0.05, 0.20, 0.27)
STATES = {
    "walk": ((0.30, 0.0, 0.40, 0.0, 0.20, -1.10, -0.05, 0.20, 0.20), (STRIKE, 0.0, -0.70, 2.20, 0.0, -0.05, -0.10, 0.20, 0.20)),
    "run": ((0.21, 0.0, 0.80, 0.0, 0.20, -1.84, -0.05, 0.20, 0.27), (0.0, *FAST[1:])),
    "crouch": (
        (0.30, -0.18, 1.10, 0.0, 0.20, -2.17, -0.97, 0.62, 0.44),
        (STRIKE, -0.25, -0.70, 2.20, 0.0, -0.05, -0.92, 0.20, 0.44),
    ),
    "fast-run": (FAST, (0.0, *FAST[1:])),
}
TABLE = MAKE + ROW * 2 * len(STATES)  # numbers before the schedule


@kernel
def row_of(gait, state):
    """Where the numbers of a state begin; states 2 and 3 are 0 and 1 with the legs exchanged."""
    return MAKE + ROW * (2 * int(gait) + int(state) % 2)


@kernel
def is_over(felt, numbers, memory):
    """Whether the state has had its time, or its swing foot has struck."""
    lasts = numbers[row_of(memory[NOW], memory[STATE])]
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
    follow_schedule(numbers[TABLE:], memory, felt.time)
    for _ in range(4):  # states of time 0 are left at once
        if is_over(felt, numbers, memory):
            enter(memory, STATE, (memory[STATE] + 1.0) % 4.0, felt.time)
            memory[NOW] = memory[GAIT]
    at = row_of(memory[NOW], memory[STATE])
    stance, swing = (3, 6) if memory[STATE] < 2.0 else (6, 3)
    ahead = q[0] - heel_of(felt, numbers, stance)
    lean = numbers[at + 2] + numbers[at + 3] * ahead + numbers[at + 4] * (v[0] - memory[SPEED])
    lean = min(max(lean, -HIP_RANGE[1]), -HIP_RANGE[0])
    stiffness, damping = numbers[0], numbers[1]
    torso = stiffness * (numbers[at + 1] - q[2]) - damping * v[2]
    tau[0] = tau[1] = tau[2] = 0.0
    tau[swing] = stiffness * (lean - q[2] - q[swing]) - damping * (v[2] + v[swing])
    tau[stance] = -torso - tau[swing]
    for i in (1, 2):  # knee and ankle: the servos bring them to zero, this to their targets
        tau[swing + i] = stiffness * numbers[at + 3 + 2 * i]
        tau[stance + i] = stiffness * numbers[at + 4 + 2 * i]
    return 0


@dataclass(frozen=True)
class Simbicon(Gaited):
    """Walk, run and crouch with the planar biped of seven links; gaits change when a state ends."""

    known: ClassVar[tuple[str, ...]] = tuple(STATES)
    robot_coordinates: ClassVar[tuple[str, ...]] = (
        "base.x", "base.z", "base.pitch", "hip_left", "knee_left", "ankle_left", "hip_right", "knee_right", "ankle_right",
    )  # fmt: skip

    gaits: tuple[str, ...] = note("walk, run, crouch or fast-run, one after the other", ("walk",))
    speed: float = quantity("m/s", "that the feedback on the speed of the hip asks for", 0.0, low=-5.0, high=5.0)
    stiffness: float = quantity("N m/rad", "of every joint", 300.0, low=0.0)
    damping: float = quantity("N m s/rad", "of every joint", 30.0, low=0.0)
    _make: Any = field(default=(), compare=False)

    def start(self, robot: Robot, q: np.ndarray, gravity: float) -> "Simbicon":
        """The sizes of the legs."""
        self.check_robot(robot)
        heel = robot.foot("foot_left").pads[0].heel  # type: ignore[union-attr]
        return replace(self, _make=(-robot.joint("knee_left").at[1], -robot.joint("ankle_left").at[1], *heel))

    @property
    def numbers(self) -> Any:
        table = -np.array([row for states in STATES.values() for row in states])  # our angles have the other sign
        table[:, 0] *= -1.0
        return np.concatenate([(self.stiffness, self.damping), self._make, table.ravel(), self.switches])

    def memory(self, robot: Robot) -> int:
        return MEMORY - 2

    def servo(self, robot: Robot) -> Servo:
        """Knees and ankles."""
        held = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0])
        return Servo(self.stiffness * held, 0.0 * held, self.damping * held)

    def law(self) -> Any:
        return simbicon_law
