"""Control in layers: a slow controller sets the goal of a faster one below it."""

from dataclasses import dataclass, field

from footfall.control.controller import Controller
from footfall.control.fields import ControlError
from footfall.model.quantity import note


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
        if not flat:
            raise ControlError("Layered: there must be one layer or more, got none")
        object.__setattr__(self, "layers", flat)
        object.__setattr__(self, "rate", max(part.rate for part in flat))
