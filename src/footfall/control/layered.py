"""Control in layers: a slow controller says what a faster one below it follows."""

from dataclasses import dataclass, field, replace

import numpy as np

from footfall.control.controller import Controller, Servo
from footfall.control.fields import ControlError
from footfall.core.contact.decide import MOST_LAYERS
from footfall.model.quantity import note
from footfall.model.robot import Robot


@dataclass(frozen=True)
class Layered(Controller):
    """Controllers above one another, the outermost first, each asked at its own rate.

    The command of a controller is the goal of the one below it, which it sets by name; it is held until the controller is asked
    again. The last one commands the motors. Where several are due at the same time, the outer one is asked first.
    """

    rate: float = field(init=False, default=0.0)  # of the fastest
    layers: tuple[Controller, ...] = note("the controllers, the outermost first", ())

    def __post_init__(self) -> None:
        if not isinstance(self.layers, tuple | list) or not all(isinstance(part, Controller) for part in self.layers):
            raise ControlError(f"Layered: layers must be a row of controllers, got {self.layers!r:.80}")
        flat = tuple(one for part in self.layers for one in (part.layers if isinstance(part, Layered) else (part,)))
        if not 1 <= len(flat) <= MOST_LAYERS:
            raise ControlError(f"Layered: there may be 1 to {MOST_LAYERS} layers, got {len(flat)}")
        object.__setattr__(self, "layers", flat)
        object.__setattr__(self, "rate", max(part.rate for part in flat))

    def start(self, robot: Robot, q: np.ndarray, gravity: float) -> "Layered":
        return replace(self, layers=tuple(part.start(robot, q, gravity) for part in self.layers))

    def servo(self, robot: Robot) -> Servo | None:
        found = [(part, servo) for part in self.layers if (servo := part.servo(robot))]
        if len(found) > 1:
            names = " and ".join(type(part).__name__ for part, _ in found)
            raise ControlError(f"Layered: only one layer may hold the motors' servos, got {names}")
        return found[0][1] if found else None
