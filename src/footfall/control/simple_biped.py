"""The controller of Kelly's simple biped; its law is in `core.gaits.simple_biped`."""

from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from footfall.control.gaited import Gaited, motor_limit
from footfall.core.gaits.simple_biped import MEMORY, Tune, gaits_law
from footfall.model.quantity import quantity, words
from footfall.model.robot import Robot


@dataclass(frozen=True)
class SimpleBiped(Gaited):
    """Stand, walk and jump with three point masses, and go from one to another at any time.

    A controller above this one (see Layered) may set gait (0 stand, 1 walk, 2 jump) and speed instead.
    """

    known: ClassVar[tuple[str, ...]] = ("stand", "walk", "jump")  # numbered as in its law
    robot_coordinates: ClassVar[tuple[str, ...]] = ("base.x", "base.z", "base.pitch", "leg_left", "hip", "leg_right")

    gaits: tuple[str, ...] = words("stand, walk or jump, one after the other", ("walk",))
    speed: float = quantity("m/s", "wanted mean speed of walking", 0.6, low=0.2, high=1.2)
    length: float = quantity("m", "of a leg on which it walks", 0.8, low=0.1, high=10.0)
    clearance: float = quantity("m", "of the foot in the middle of a step", 0.07, low=0.0, high=1.0)
    step: float = quantity("m", "length of a step at no speed", 0.07, low=0.0, high=1.0)
    stride_time: float = quantity("s", "added length of a step per speed", 0.32, low=0.0, high=2.0)
    placing: float = quantity("s", "added length per speed in excess: brakes by where the foot is put", 0.3, low=0.0, high=2.0)
    stiffness: float = quantity("N/m", "with which a standing leg keeps its length", 3000.0, low=0.0)
    damping: float = quantity("N s/m", "of a standing leg", 300.0, low=0.0)
    push: float = quantity("N s/m", "force across the front leg for a lack of speed there", 200.0, low=0.0)
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

    def start(self, robot: Robot, q: np.ndarray, gravity: float) -> "SimpleBiped":
        """The sizes of the robot, which must be hip and feet as `simple-biped` has them."""
        self.check_robot(robot)
        joint = robot.joint("leg_left")
        zero, most = -joint.at[1], motor_limit(robot, "leg_left")
        masses = robot.link("hip").mass, robot.link("foot_left").mass
        return replace(self, _make=(*masses, gravity, zero, zero + joint.limits[0], zero + joint.limits[1], most))

    @property
    def numbers(self) -> Any:
        tune = [getattr(self, name) for name in Tune._fields]
        return np.concatenate([self._make, tune, self.switches])

    def memory(self, robot: Robot) -> int:
        return MEMORY - 2

    def law(self) -> Any:
        return gaits_law
