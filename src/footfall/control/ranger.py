"""The walk of the Cornell Ranger: straight legs, round feet that are flipped out of the way, three motors.

After section 6 of M. Kelly, "Two walking robot simulators" (2014), with the values of his later simulator. His gait is "nearly
stable"; the two remedies that the report names, a push-off and a step length that answer the speed, are `push_gain` and
`length_gain`. The misprint in his foot controller is corrected: k_d = 2 xi w0 I.
"""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from footfall.control.controller import ControlError, Controller
from footfall.core.gaits.ranger import COUNT, GUI, PARAMETERS, SIZE, STAND, WALK, ranger_law
from footfall.model.parts import Arc, Motor
from footfall.model.quantity import choice, quantity
from footfall.model.robot import Robot

MODES = {"walk": WALK, "stand": STAND, "gui": GUI}
JOINTS = ("hip", "ankle_outer", "ankle_inner")


@dataclass(frozen=True)
class RangerGait(Controller):
    """Modes walk, stand and gui; in a step the legs swing, then push off, then exchange.

    A motor follows springs and dampers (N m/rad, N m s/rad at the joint; a current is the torque over gear and torque constant),
    within its limits. A foot in the air is moved as if it were a mass on a spring of `foot_frequency` and `foot_damping`.
    """

    mode: str = choice("of the whole controller", "walk", MODES)
    stand: float = quantity("s", "how long it stands before it walks", 0.0, low=0.0)
    speed: float = quantity("m/s", "that the hip shall have over the stance foot", 0.5, low=0.0, high=2.0)
    length: float = quantity("m", "from ankle to ankle, that the legs are held apart", 0.2, low=0.05, high=0.6)
    reach: float = quantity("m", "from ankle to ankle, where swinging ends", 0.2, low=0.0, high=0.6)
    scissor_gain: float = quantity("1", "angle of the swing leg for one of the stance leg", 1.25, low=0.0, high=3.0)
    scissor_offset: float = quantity("rad", "angle that the swing leg is ahead of that", 0.05, low=-0.3, high=0.5)
    hip_stiffness: float = quantity("N m/rad", "of the hip", 25.0, low=0.0, high=200.0)
    hip_damping: float = quantity("N m s/rad", "of the hip", 3.0, low=0.0, high=20.0)
    hip_weight: float = quantity("1", "share of the swing leg's weight that the hip carries", 1.0, low=-1.0, high=2.0)
    hold_stiffness: float = quantity("N m/rad", "of the stance ankle", 15.0, low=0.0, high=100.0)
    hold_damping: float = quantity("N m s/rad", "of the stance ankle", 1.0, low=0.0, high=10.0)
    level: float = quantity("rad", "angle of a foot that stands or lands, toe up", 0.0, low=-0.3, high=0.3)
    push: float = quantity("1", "push-off", 0.7, low=0.0, high=1.0)
    push_to: float = quantity("rad", "toe-down angle that a full push-off goes for", 1.0, low=0.1, high=1.5)
    push_stiffness: float = quantity("N m/rad", "of an ankle that pushes", 15.0, low=0.0, high=100.0)
    push_damping: float = quantity("N m s/rad", "of an ankle that pushes", 2.5, low=0.0, high=10.0)
    lean: float = quantity("rad", "that the stance leg leans forward before it pushes", 0.0, low=-0.2, high=0.4)
    double_support: float = quantity("s", "that the foot behind pushes after the other has landed", 0.04, low=0.0, high=0.3)
    patience: float = quantity(
        "s", "that it pushes longer, fully, while too slow to get over the other foot", 1.0, low=0.0, high=10.0
    )
    lower: float = quantity("m", "from ankle to ankle, where the swing foot is lowered", 0.2, low=-0.3, high=0.6)
    flip: float = quantity("rad", "of the ankle above its stop, where a swing foot is kept", 0.2, low=0.0, high=1.5)
    foot_frequency: float = quantity("rad/s", "of a foot in the air", 100.0, low=1.0, high=300.0)
    foot_damping: float = quantity("1", "damping ratio of a foot in the air", 2.5, low=0.1, high=5.0)
    push_gain: float = quantity("s/m", "push-off for each m/s that it is too slow", 0.0, low=0.0, high=10.0)
    length_gain: float = quantity("s", "metres of step length for each m/s that it is too fast", 0.0, low=0.0, high=2.0)
    cutoff: float = quantity("Hz", "of the filter that feels contact", 30.0, low=1.0, high=200.0)
    gui: tuple[float, ...] = quantity("rad", "angles of hip, outer and inner ankle in mode gui", (0.0, 0.0, 0.0), shape=(3,))
    gui_stiffness: float = quantity("N m/rad", "of all joints in mode gui", 25.0, low=0.0)
    gui_damping: float = quantity("N m s/rad", "of all joints in mode gui", 2.0, low=0.0)
    _numbers: Any = field(default=None, compare=False)

    tunable: ClassVar[tuple[str, ...]] = (
        *("speed", "length", "reach", "scissor_gain", "scissor_offset", "hip_stiffness", "hip_damping", "hip_weight"),
        *("hold_stiffness", "hold_damping", "push", "push_stiffness", "push_damping", "lean", "double_support", "lower", "flip"),
        *("foot_frequency", "foot_damping", "push_gain", "length_gain"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cutoff >= self.rate / 2:
            raise ControlError(f"RangerGait: cutoff must be below half the rate, {self.rate / 2:g} Hz, got {self.cutoff:g}")

    @property
    def numbers(self) -> Any:
        return self._numbers

    def memory(self, robot: Robot) -> int:
        return SIZE

    def law(self) -> Any:
        return ranger_law

    def start(self, robot: Robot, q: np.ndarray, gravity: float) -> "RangerGait":
        _check(robot)
        places = [robot.coordinates.index(name) for name in ("base.pitch", *JOINTS)]
        ankle = robot.joint("ankle_outer")
        leg, foot, motor = robot.link(ankle.parent), robot.link(ankle.child), ankle.motor or Motor()
        x, z = foot.com
        felt = float(np.sum(foot.inertia)) + foot.mass * (x * x + z * z) + motor.rotor_inertia * motor.gear**2
        parts = (
            tuple(getattr(self, name) for name in PARAMETERS),
            (MODES[self.mode], *butterworth(self.cutoff / self.rate), *places),
            (-ankle.at[1], gravity, -leg.mass * leg.com[1] * gravity, felt),
            (foot.mass * gravity * x, foot.mass * gravity * z, *self.gui),
        )
        numbers = np.concatenate(parts)
        numbers[PARAMETERS.index("flip")] += ankle.limits[0]
        if len(numbers) != COUNT:
            raise ControlError(f"RangerGait: its law reads {COUNT} numbers, got {len(numbers)}")
        return replace(self, _numbers=numbers)


def butterworth(cutoff: float) -> tuple[float, float, float]:
    """Second-order low-pass, `cutoff` as a share of the rate: y = b (x + 2 x' + x'') - a1 y' - a2 y''. Returns b, a1, a2."""
    K = np.tan(np.pi * cutoff)
    scale = 1.0 / (1.0 + np.sqrt(2.0) * K + K * K)
    return float(K * K * scale), float(2.0 * (K * K - 1.0) * scale), float((1.0 - np.sqrt(2.0) * K + K * K) * scale)


def _check(robot: Robot) -> None:
    """The law knows legs and feet by name."""
    names = {joint.name for joint in robot.joints if joint.motor}
    if robot.space != "planar" or not set(JOINTS) <= names or "base.pitch" not in robot.coordinates:
        raise ControlError(
            f"RangerGait walks a planar robot with a floating base and motors at {', '.join(JOINTS)}; {robot.name!r} is "
            f"{robot.space} with motors at {', '.join(sorted(names)) or 'no joint'}"
        )
    soles = [(foot.name, *foot.pads) for foot in robot.feet]
    wanted = [robot.joint(name).child for name in JOINTS[1:]]
    if len(soles) != 2 or any(
        len(s) != 2 or not isinstance(s[1], Arc) or s[1].link != w for s, w in zip(soles, wanted, strict=True)
    ):
        raise ControlError(
            f"RangerGait needs one round sole (Arc) on {' and on '.join(wanted)}, in this order, got {robot.feet!r:.200}"
        )
