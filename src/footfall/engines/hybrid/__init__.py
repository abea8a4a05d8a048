"""Hybrid motion: smooth modes, guards that end them, resets that lead to the next. Limit cycles are computed with this engine."""

import math
from dataclasses import dataclass

import numpy as np

from footfall.dynamics.loops import refuse_loops
from footfall.engines.engine import Engine, Rollout, Scenario
from footfall.engines.hybrid.modes import Mode
from footfall.engines.hybrid.motion import checked_modes
from footfall.engines.hybrid.program import ATOL, RTOL
from footfall.engines.hybrid.rollout import HybridRollout, contacts
from footfall.errors import SimulationError, UnknownNameError
from footfall.model.quantity import check_quantities, note, quantity
from footfall.model.robot import Robot


@dataclass(frozen=True)
class Hybrid(Engine):
    """Smooth motion in modes, integrated to many digits, with events located exactly.

    A walking step leads from the mode `first` through the guard `section` back to `first`, in a state like the first: this is
    the Poincare section at which steps are compared. Where left and right differ only by name, `Relabel` in the reset of that
    guard makes a step out of half a stride. A guard named `fall`, into a mode without guards, ends the motion of a walker that
    has fallen.
    """

    modes: tuple[Mode, ...] = note("smooth motions, each with the guards that end it")
    first: str = note("the mode in which a motion begins")
    section: str | None = note("the guard at which steps are compared; without one there are no limit cycles", None)
    longest: float = quantity("s", "longest time that a step may take", 5.0, low=1e-6, high=1e6)
    rtol: float = quantity("1", "relative error of a step of the integrator", RTOL, low=1e-14, high=1.0)
    atol: float = quantity("1", "absolute error of a step of the integrator", ATOL, low=0.0, high=1.0)

    def __post_init__(self) -> None:
        check_quantities(self, "engine Hybrid", SimulationError)
        if not isinstance(self.modes, tuple) or not all(isinstance(mode, Mode) for mode in self.modes):
            raise SimulationError(f"engine Hybrid: modes must be a row of Modes, got {self.modes!r:.80}")
        checked_modes(self.modes, self.first)
        back = {guard.name for mode in self.modes for guard in mode.guards if guard.to == self.first}
        if self.section is not None and self.section not in back:
            raise UnknownNameError(f"guard (that leads to mode {self.first!r})", self.section, back)

    def pads(self, robot: Robot, bodies: bool = False) -> dict[str, float]:  # noqa: ARG002 - modes know the robot's points by name
        return {name: 0.0 if each.roll is None else math.hypot(*each.roll) for name, each in contacts(self.modes).items()}

    def start(self, study: Scenario, q: np.ndarray, v: np.ndarray, lift: bool = False) -> Rollout:
        if lift:
            raise SimulationError("engine Hybrid: a motion begins where its study says; it cannot be lifted onto the ground")
        refuse_loops(study.robot, "engine Hybrid")
        return HybridRollout(study, self, q, v)
