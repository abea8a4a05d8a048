"""What a controller is.

A controller is asked `rate` times a second for joint forces, which are held between. It is a frozen dataclass whose fields are
its parameters, so that it can be saved with a run. What it remembers it keeps in `memory`, which begins with its `first_goal`,
if it follows one, and is zero otherwise when a run begins.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from footfall.control.fields import Array, ControlError
from footfall.core.jit import Kernel
from footfall.model.quantity import check_quantities, note, quantity
from footfall.model.robot import Robot


@dataclass(frozen=True)
class Contacts:
    """What a controller feels of the ground: arrays with a row for each pad, in the order of `names`."""

    names: tuple[str, ...]
    force: np.ndarray  # (pads, 2 or 3) on the robot, N
    mode: np.ndarray  # (pads,) 0 open, 1 sticks, 2 slides

    def on(self, foot: str) -> bool:
        """Whether any pad of a foot presses on the ground."""
        return any(mode and name.split("/")[0] == foot for name, mode in zip(self.names, self.mode, strict=True))


@dataclass(frozen=True)
class Servo:
    """What a motor's own loop does at every degree of freedom of a hinge: stiffness * (goal - q) - damping * v."""

    stiffness: np.ndarray
    goal: np.ndarray
    damping: np.ndarray


@dataclass(frozen=True)
class Controller:
    """Any controller: say `torques` in Python, or `law` for what is compiled; `start` works out what is needed before."""

    rate: float = quantity("1/s", "how often it is asked", 1000.0, low=0.01, high=1e6)
    tunable: ClassVar[tuple[str, ...]] = ()  # parameters that `footfall tune` may vary, within their ranges
    State: ClassVar[Any] = None  # a class that declares what it remembers, see `footfall.control.fields`
    Goal: ClassVar[Any] = None  # a class that declares what it follows, which a layer above may set

    def __post_init__(self) -> None:
        check_quantities(self, type(self).__name__, ControlError)

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Any:
        """What is worked out once for a robot that starts at q: a NamedTuple or dict whose fields join the parameters."""
        return None

    @property
    def numbers(self) -> Any:
        """What its law reads: a row of numbers, which `start` may have worked out."""
        return ()

    def first_goal(self, robot: Robot) -> np.ndarray:
        """What it follows until a controller above it says otherwise (see Layered); it stands at the head of its memory."""
        return np.zeros(0)

    def memory(self, robot: Robot) -> int:
        """How many numbers it remembers besides."""
        return 0

    def start(self, robot: Robot, q: np.ndarray, gravity: float) -> "Controller":
        """The controller made ready for a robot that starts at q."""
        return self

    def servo(self, robot: Robot) -> "Servo | None":
        """Springs and dampers that motors hold by themselves, faster than any step, or None."""
        return None

    def law(self) -> Any:
        """A kernel, or a function that Numba can compile: law(felt, own, body, tau) -> 0; None if `torques` says it in Python."""
        return None

    def torques(self, time: float, q: np.ndarray, v: np.ndarray, contacts: Contacts, memory: np.ndarray) -> Any:
        """Joint forces, one for each degree of freedom; those of a floating base count for nothing.

        A controller above another answers with what that one follows instead.
        """
        raise ControlError(f"{type(self).__name__} does not say what its torques are")


@dataclass(frozen=True)
class Compiled(Controller):
    """A law by itself, which is compiled: function(obs, params, state, goal, command) -> 0, or another number to stop the run.

    `params` and `state` are what it reads and remembers, by name: numbers, or rows of numbers.
    """

    function: Any = note("the law", None)
    params: Any = note("its parameters by name", None)
    state: Any = note("what it remembers by name, as it is at first", None)

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


_kernels: Any = WeakKeyDictionary()


def kernel_of(function: FunctionType) -> Kernel:
    """A plain function as a kernel, the same one each time."""
    if function not in _kernels:
        _kernels[function] = Kernel(function)
    return _kernels[function]


@cache
def declared_state(items: tuple) -> type:
    """A class `State` of fields (name, values, shape)."""
    kinds = {name: type(values[0]) for name, values, _ in items}
    defaults = {name: Array(shape, values[0]) if shape else values[0] for name, values, shape in items}
    return type("State", (), {"__annotations__": kinds, **defaults})
