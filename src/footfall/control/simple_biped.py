"""The controller of Kelly's simple biped; its law and what it does are in `control.gaits`."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from footfall.control import gaits
from footfall.control.controller import ControlError, Controller
from footfall.errors import UnknownNameError
from footfall.model.quantity import note, quantity
from footfall.model.robot import Robot

GAITS = {"stand": gaits.STAND, "walk": gaits.WALK, "jump": gaits.JUMP}
COORDINATES = ("base.x", "base.z", "base.pitch", "leg_left", "hip", "leg_right")


@dataclass(frozen=True)
class SimpleBiped(Controller):
    """Stand, walk and jump with three point masses, and go from one to another at any time.

    A controller above this one (see Layered) may set gait (0 stand, 1 walk, 2 jump) and speed instead.
    """

    gaits: tuple[str, ...] = note("stand, walk or jump, one after the other", ("walk",))
    times: tuple[float, ...] = quantity("s", "when the second gait begins, and each later one", (), low=0.0)
    speed: float = quantity("m/s", "wanted mean speed of walking", 0.6, low=0.2, high=1.2)
    length: float = quantity("m", "of a leg on which it walks", 0.8, low=0.1, high=10.0)
    clearance: float = quantity("m", "of the foot in the middle of a step", 0.07, low=0.0, high=1.0)
    step: float = quantity("m", "length of a step at no speed", 0.07, low=0.0, high=1.0)
    stride_time: float = quantity("s", "added length of a step per speed", 0.32, low=0.0, high=2.0)
    placing: float = quantity("s", "added length per speed in excess: brakes by where the foot is put", 0.3, low=0.0, high=2.0)
    stiffness: float = quantity("N/m", "with which a standing leg keeps its length", 3000.0, low=0.0)
    damping: float = quantity("N s/m", "of a standing leg", 250.0, low=0.0)
    push: float = quantity("N s/m", "force across the front leg for a lack of speed there", 150.0, low=0.0)
    swing: float = quantity("1/s", "how fast a swinging leg follows its virtual one", 40.0, low=1.0, high=300.0)
    swing_ratio: float = quantity("1", "damping ratio of a swinging leg", 1.0, low=0.0, high=10.0)
    trim: float = quantity("1", "part of a step's lack of speed that later steps make good", 0.3, low=0.0, high=1.0)
    reserve: float = quantity("m/s", "speed at the top beyond that of a pendulum: what the swinging leg takes", 0.1, low=0.0)
    width: float = quantity("m", "between the feet of a robot that stands", 0.25, low=0.05, high=1.0)
    catch: float = quantity("s", "time of a step with which it saves itself", 0.25, low=0.05, high=2.0)
    height: float = quantity("m", "of the hip when it stands", 0.77, low=0.1, high=10.0)
    jump: float = quantity("m/s", "speed of the hip at which a jump takes off", 1.3, low=0.0, high=10.0)
    crouch: float = quantity("m", "height of the hip before a jump", 0.74, low=0.1, high=10.0)
    _make: Any = field(default=(), compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "gaits", tuple(self.gaits))
        for name in self.gaits:
            if name not in GAITS:
                raise UnknownNameError("gait (of SimpleBiped)", name, GAITS)
        if len(self.gaits) != len(self.times) + 1 or list(self.times) != sorted(self.times):
            raise ControlError(
                f"SimpleBiped: times must ascend and be one fewer than gaits, got {len(self.times)} for {self.gaits}: {self.times}"
            )

    def start(self, robot: Robot, q: np.ndarray, gravity: float) -> "SimpleBiped":
        """The sizes of the robot, which must be hip and feet as `simple-biped` has them."""
        if robot.coordinates != COORDINATES:
            raise ControlError(f"SimpleBiped: robot {robot.name!r} must have the coordinates {', '.join(COORDINATES)}")
        joint = robot.joint("leg_left")
        zero, most = -joint.at[1], joint.motor.torque if joint.motor else 0.0
        masses = robot.link("hip").mass, robot.link("foot_left").mass
        return replace(self, _make=(*masses, gravity, zero, zero + joint.limits[0], zero + joint.limits[1], most))

    @property
    def numbers(self) -> Any:
        tune = [getattr(self, name) for name in gaits.Tune._fields]
        switches = [(time, GAITS[name]) for time, name in zip(self.times, self.gaits[1:], strict=True)]
        return np.concatenate([self._make, tune, np.ravel(switches)])

    def first_goal(self, robot: Robot) -> np.ndarray:
        return np.array([GAITS[self.gaits[0]], self.speed])

    def memory(self, robot: Robot) -> int:
        return gaits.MEMORY - 2

    def law(self) -> Any:
        return gaits.gaits_law
