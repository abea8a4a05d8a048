"""What a controller is.

A controller is asked `rate` times a second for joint forces, which are held between. It is a frozen dataclass whose fields are
its parameters, so that it can be saved with a run. What it remembers it keeps in `memory`, which begins with its `first_goal`,
if it follows one, and is zero otherwise when a run begins.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from footfall.errors import FootfallError
from footfall.model.quantity import ROW, check_quantities, count, note, quantity
from footfall.model.robot import Robot


class ControlError(FootfallError):
    """A controller that failed; `run` holds what was simulated until then."""

    run: Any = None


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

    def __post_init__(self) -> None:
        check_quantities(self, type(self).__name__, ControlError)

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
    """A function that Numba compiles: function(felt, own, body, tau) -> 0, or another number to stop the run.

    It writes joint forces into `tau`. It feels `felt.time`, `felt.q`, `felt.v`, and of every pad `felt.force` and `felt.mode`. It
    has `own.numbers` and `own.memory`, and may set `own.servo` (rows: stiffness, goal, damping; see Servo); `body.tree` and
    `body.work` are for kernels that it may call on the robot.
    """

    function: Any = note("the function", None)
    numbers: tuple[float, ...] = quantity("", "its parameters", (), shape=ROW)
    remembers: int = count("how many numbers it remembers", 0, high=10**6)

    def memory(self, robot: Robot) -> int:
        return int(self.remembers)

    def law(self) -> Any:
        if not callable(self.function):
            raise ControlError(f"Compiled: function must be a function, got {self.function!r:.60}")
        return self.function
