"""A hybrid study, seen step by step, as limit cycles need it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from footfall.engines.engine import Scenario
from footfall.engines.hybrid.modes import Mode, on_ground
from footfall.engines.hybrid.motion import HybridResult, run_hybrid
from footfall.errors import UnsuitableError
from footfall.model import state
from footfall.model.robot import Robot


@dataclass(frozen=True, eq=False, repr=False)
class Walk:
    """A walker whose step leads from a mode through the guard of its section back to that mode, in a state like the first.

    The ground must be the same under every step.
    """

    study: Any

    def __post_init__(self) -> None:
        if why := why_no_steps(self.study):
            raise UnsuitableError(why)

    @property
    def robot(self) -> Robot:
        return self.study.robot

    @property
    def name(self) -> str:
        return self.study.name

    @cached_property
    def modes(self) -> tuple[Mode, ...]:
        return on_ground(self.study.engine.modes, self.study.world.terrain)

    @property
    def start(self) -> str:
        """The mode in which a step begins."""
        return self.study.engine.first

    @property
    def step(self) -> str:
        """The guard that ends a step."""
        return self.study.engine.section

    @property
    def longest(self) -> float:
        return self.study.engine.longest

    @property
    def gravity(self) -> np.ndarray:
        """Acceleration of free fall."""
        return self.study.gravity_vector

    @cached_property
    def _state(self) -> tuple[np.ndarray, np.ndarray]:
        q, v = self.study.start()
        return state.coordinates(self.robot, q), state.velocities(self.robot, v)

    @property
    def q(self) -> np.ndarray:
        """At the beginning of a step."""
        return self._state[0]

    @property
    def v(self) -> np.ndarray:
        return self._state[1]

    def __repr__(self) -> str:
        return f"<walk {self.name!r} of robot {self.robot.name!r}: modes {', '.join(mode.name for mode in self.modes)}>"

    def run(self, steps: int = 1, q: Any = None, v: Any = None, **options: Any) -> HybridResult:
        """So many steps from the study's own state or from another; `options` are those of `run_hybrid`."""
        q, v = self.q if q is None else q, self.v if v is None else v
        end: dict[str, Any] = {"events": {self.step: steps}, "seconds": steps * self.longest, "gravity": self.gravity}
        return run_hybrid(self.robot, self.modes, self.start, q, v, **{**end, **options})


def why_no_steps(study: Any) -> str:
    """Why a study has no steps that repeat; nothing if it has."""
    engine = getattr(study, "engine", None)
    if engine is None:
        return f"limit cycles belong to a study, such as ff.studies.load('compass'), got {study!r:.80}"
    title = f"study {study.name!r}" if study.name else f"this study of robot {study.robot.name!r}"
    if not hasattr(engine, "section"):
        return (
            f"no limit cycle can be solved for in {title}: the engine {type(engine).__name__} moves it, and exact step maps need "
            "the engine Hybrid. ff.cycles.fit_map finds the step map of a simulated walk from disturbed runs"
        )
    if engine.section is None:
        return f"no limit cycle can be solved for in {title}: its engine Hybrid names no section, the guard that ends a step"
    return ""


def walk_of(given: "Scenario | Walk") -> Walk:
    """A study as a `Walk`; a `Walk` is returned unchanged."""
    return given if isinstance(given, Walk) else Walk(given)


Family = Callable[..., Any]  # of parameters by keyword, to a study
