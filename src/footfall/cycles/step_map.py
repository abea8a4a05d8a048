"""The step of a walk as a map of its free coordinates, and its exact derivative.

A step begins with pinned points, so not all of q and v are free: u are the free entries of both, and the rest follows.
The derivative D of a step is carried from event to event: in between, D' = A D with A the derivative of the flow; at an event
D+ = R (I - f g / (g f)) D, with the derivatives R of the reset and g of the guard and the rate f before it. This is the
saltation matrix for states that are compared at their own events and not at equal times. All of it is done in one crossing,
with complex numbers in place of derivatives: see `core.hybrid.system`.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.core.hybrid.walk import DONE, GO, STAND, Section
from footfall.engines.hybrid.motion import HybridResult, checked_modes
from footfall.engines.hybrid.program import ATOL, RTOL, Program, no_trajectory
from footfall.engines.hybrid.walk import Walk, walk_of
from footfall.errors import StateError
from footfall.model import state
from footfall.sim.study import Study

PERIODS = 16  # steps back that are compared, to see whether a walk repeats


class Stepped(NamedTuple):
    """Where a step leads, and the motion."""

    u: np.ndarray
    motion: HybridResult


class StepMap:
    """u -> u after one step, or after several."""

    def __init__(self, study: Study | Walk, steps: int = 1):
        walk = walk_of(study)
        robot = walk.robot
        if robot.nq != robot.nv:
            raise StateError(f"robot {robot.name!r} has quaternions; the step map is for robots whose coordinates are all plain")
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
            raise StateError(f"steps must be a whole number above 0, got {steps!r}")
        self.walk, self.steps = walk, steps
        self._walker = Walker(walk)
        self.free = self._walker.section.free
        names = [robot.coordinates[i] for i in self.free]
        self.names = (*names, *(f"rate of {name}" for name in names))

    def free_of(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.concatenate((q[self.free], v[self.free]))

    def state_of(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q and v at the beginning of a step, with the held points in their places."""
        return self._walker.standing(u)

    def __call__(self, u: np.ndarray) -> Stepped:
        motion = self.walk.run(self.steps, *self.state_of(u))
        last = motion.events[-1]
        if last.after != self.walk.start:
            raise StateError(
                f"guard {self.walk.step!r} of walk {self.walk.name!r} led to {last.after!r}, not {self.walk.start!r}"
            )
        return Stepped(self.free_of(last.q_after, last.v_after), motion)

    def derivative(self, motion: HybridResult) -> np.ndarray:
        """du after / du before, along a motion that this map gave."""
        return self._linear.derivative(self.free_of(motion.q[0], motion.v[0]), self.steps)

    @cached_property
    def _linear(self) -> "Walker":
        return Walker(self.walk, columns=2 * len(self.free))


class Walker:
    """A walk as kernels take it, step by step; with so many columns of the derivative. One belongs to one thread."""

    def __init__(self, study: Study | Walk, columns: int = 0, tolerance: tuple[float, float] = (RTOL, ATOL)):
        walk = walk_of(study)
        fall = state.gravity(walk.robot, walk.gravity)
        modes = tuple(checked_modes(walk.modes, walk.start).values())
        self.walk, self.columns = walk, columns
        self.program = Program(walk.robot, modes, fall, (*tolerance, np.inf), columns)
        self.rows = no_trajectory(walk.robot.nq + walk.robot.nv)
        mode = self.program.number[walk.start]
        free = self.program.free(mode, walk.q)
        self.section = Section(
            mode=mode,
            y=np.concatenate((walk.q, walk.v)),
            free=free,
            step=self.program.name_number(walk.step),
            longest=float(walk.longest),
            once=1,
            u=np.zeros(2 * len(free)),
            memory=np.zeros((PERIODS, 2 * len(free))),
        )
        if columns:
            self.program.check_timeless()

    def serve(self, what: int, **given: Any) -> int:
        return self.program.serve(what, self.rows, self.section, **given)

    def standing(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q and v at the beginning of a step."""
        if self.serve(STAND, u=np.array(u, dtype=np.float64)):
            raise self.program.singular(self.section.mode)
        y, nq = self.program.system.state.y, self.walk.robot.nq
        return y[:nq].copy(), y[nq : 2 * nq].copy()

    def derivative(self, u: np.ndarray, steps: int) -> np.ndarray:
        """du after / du before, from u on."""
        self.standing(u)
        status = self.serve(GO, steps=steps, end=steps * self.section.longest)
        if status != DONE:
            raise StateError(f"walk {self.walk.name!r} has no derivative where it does not walk")
        n = 2 * self.walk.robot.nv
        table = self.program.system.state.y.reshape(1 + self.columns, n)[1:].T
        return table[np.concatenate((self.section.free, self.walk.robot.nq + self.section.free))].copy()
