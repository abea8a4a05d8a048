"""A controller declares parameters, state and goal; its law reads and writes them by name::

    @dataclass(frozen=True)
    class Damper(Controller):
        gain: float = quantity("N m s/rad", "of every joint", 2.0, low=0.0)      a parameter: params.gain

        class State:
            ticks: int = 0                                                       remembered: state.ticks

        class Goal:
            speed: float = 0.0                                                   followed: goal.speed

        @kernel
        def law(obs, params, state, goal, command):
            state.ticks += 1
            for d in range(len(command.tau)):
                command.tau[d] = params.gain * (goal.speed - obs.v[d])
            return 0

The law is asked `rate` times a second, and its command is held between. With `@kernel` it is compiled; without, it runs as plain
Python, with the same names. It returns 0, or another whole number to stop the run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, ClassVar

import numpy as np

from footfall.control.fields import Array, ControlError
from footfall.core.jit import Kernel
from footfall.model.quantity import check_quantities, note, quantity
from footfall.model.robot import Robot


@dataclass(frozen=True)
class Controller:
    """Any controller: a frozen dataclass, so that it can be saved with a run."""

    rate: float = quantity("1/s", "how often the law is called", 1000.0, low=0.01, high=1e6)
    tunable: ClassVar[tuple[str, ...]] = ()  # parameters that `footfall tune` may vary, within their ranges
    leads: ClassVar[str] = ""  # what must be below it, if it commands no motors: the name of a controller, or words
    State: ClassVar[Any] = None  # a class that declares what it remembers, see `footfall.control.fields`
    Goal: ClassVar[Any] = None  # a class that declares what it follows; it begins with the parameters of the same names
    needs: ClassVar[str] = ""  # what its law cannot do without, in words: said if its answer is not finite
    law: ClassVar[Any] = None  # law(obs, params, state, goal, command) -> 0

    def __post_init__(self) -> None:
        check_quantities(self, type(self).__name__, ControlError)

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Any:
        """Work out what the law needs of a robot that starts at q: a NamedTuple or dict whose fields join the parameters."""
        return None


@dataclass(frozen=True)
class Compiled(Controller):
    """A law by itself, which is compiled: function(obs, params, state, goal, command) -> 0, or another number to stop the run.

    `params` and `state` are dicts of numbers, or rows of numbers: its parameters, and its state at the start.
    """

    function: Any = note("the law", None)
    params: Any = field(default=None, metadata={"help": "its parameters by name", "named": True})
    state: Any = note("its state at the start, by name", None)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (isinstance(self.function, Kernel) or isinstance(getattr(self.function, "py_func", self.function), FunctionType)):
            raise ControlError(f"Compiled: function must be a function, got {self.function!r:.60}")
        for name in ("params", "state"):
            value = getattr(self, name)
            if not (value is None or isinstance(value, Mapping)):
                raise ControlError(f"Compiled: {name} must be a dict, got {value!r:.60}")

    @property
    def law(self) -> Any:
        text = getattr(self.function, "py_func", self.function)
        return text if isinstance(text, Kernel) else kernel_of(text)

    @property
    def State(self) -> Any:
        items = tuple((name, tuple(np.ravel(value).tolist()), np.shape(value)) for name, value in (self.state or {}).items())
        return declared_state(items) if items else None

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Any:
        return {name: np.array(value, float) if np.ndim(value) else value for name, value in (self.params or {}).items()}


def kernel_of(function: Any) -> Kernel:
    """A plain function as a kernel, the same one each time; it lives as long as the function does."""
    if not hasattr(function, "footfall_kernel"):
        function.footfall_kernel = Kernel(function)
    return function.footfall_kernel


def declared_state(items: tuple) -> type:
    """A class `State` of fields (name, values, shape)."""
    kinds = {name: type(values[0]) for name, values, _ in items}
    defaults = {name: Array(shape, values[0]) if shape else values[0] for name, values, shape in items}
    return type("State", (), {"__annotations__": kinds, **defaults})
