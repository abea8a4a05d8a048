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
from footfall.control.gaited import Gaited
from footfall.core.gaits.simbicon import MAKE, MEMORY, STRIKE, simbicon_law
from footfall.model.quantity import quantity, words
from footfall.model.robot import Robot

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


@dataclass(frozen=True)
class Simbicon(Gaited):
    """Walk, run and crouch with the planar biped of seven links; gaits change when a state ends."""

    known: ClassVar[tuple[str, ...]] = tuple(STATES)
    robot_coordinates: ClassVar[tuple[str, ...]] = (
        "base.x", "base.z", "base.pitch", "hip_left", "knee_left", "ankle_left", "hip_right", "knee_right", "ankle_right",
    )  # fmt: skip

    gaits: tuple[str, ...] = words("walk, run, crouch or fast-run, one after the other", ("walk",))
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
        return np.concatenate([(self.stiffness, self.damping), self._make, (MAKE + table.size,), table.ravel(), self.switches])

    def memory(self, robot: Robot) -> int:
        return MEMORY - 2

    def servo(self, robot: Robot) -> Servo:
        """Knees and ankles."""
        held = np.array([0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0])
        return Servo(self.stiffness * held, 0.0 * held, self.damping * held)

    def law(self) -> Any:
        return simbicon_law
