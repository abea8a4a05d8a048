"""A hybrid question: a robot, its modes, what counts as a step, and a state from which it walks or nearly does."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.engines.hybrid.modes import Mode
from footfall.engines.hybrid.motion import HybridResult, run_hybrid
from footfall.errors import StateError, UnknownNameError
from footfall.model import state
from footfall.model.robot import Robot

FALL = "fall"  # guards of this name end a walk: who passes one has fallen


@dataclass(frozen=True, eq=False)
class Walk:
    """A walker whose step leads from mode `start` through the guard `step` back to `start`, in a state like the first.

    Where left and right differ only by name, `Relabel` in the reset of `step` makes a step out of half a stride. The ground must
    be the same under every step. A guard named `fall`, into a mode without guards, keeps a walker that has fallen from striking
    the ground all the same.
    """

    robot: Robot
    modes: tuple[Mode, ...]
    start: str
    step: str  # name of the guard
    q: np.ndarray  # at the beginning of a step
    v: np.ndarray
    gravity: Any = None
    longest: float = 5.0  # s that a step may take
    name: str = ""

    def __post_init__(self) -> None:
        modes = {mode.name for mode in self.modes}
        if self.start not in modes:
            raise UnknownNameError(f"mode (of walk {self.name!r})", self.start, modes)
        back = {guard.name for mode in self.modes for guard in mode.guards if guard.to == self.start}
        if self.step not in back:
            raise UnknownNameError(f"guard (of walk {self.name!r}, leading to mode {self.start!r})", self.step, back)
        if not 0.0 < self.longest < np.inf:
            raise StateError(f"walk {self.name!r}: longest must be a number above 0, got {self.longest!r}")
        object.__setattr__(self, "q", state.coordinates(self.robot, self.q))
        object.__setattr__(self, "v", state.velocities(self.robot, self.v))

    def __repr__(self) -> str:
        return f"<walk {self.name!r} of robot {self.robot.name!r}: modes {', '.join(mode.name for mode in self.modes)}>"

    def run(self, steps: int = 1, q: Any = None, v: Any = None, **options: Any) -> HybridResult:
        """So many steps from the walk's own state or from another; `options` are those of `run_hybrid`."""
        q, v = self.q if q is None else q, self.v if v is None else v
        end: dict[str, Any] = {"events": {self.step: steps}, "seconds": steps * self.longest, "gravity": self.gravity}
        return run_hybrid(self.robot, self.modes, self.start, q, v, **{**end, **options})


Family = Callable[..., Walk]  # of parameters by keyword
