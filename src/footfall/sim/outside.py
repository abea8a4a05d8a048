"""Torques that a loop outside gives to a run under way, and the record of them, from which the run is replayed."""

from dataclasses import replace
from operator import is_
from typing import Any

import numpy as np

from footfall.control import Controller
from footfall.control.external import External, names
from footfall.core.frame import words
from footfall.core.outside import Desk
from footfall.engines.engine import Direct, Rollout
from footfall.engines.series import LARGEST
from footfall.errors import SimulationError
from footfall.sim.control_record import WANTED
from footfall.sim.settings import altered, layers_of
from footfall.sim.study import Study

FIRST_ROWS, AHEAD = 256, 4096  # rows of a new trail; steps for which room is made at once


class Trail:
    """What was given so far, a row for each change. Only its end grows, so states that share it need no copies of it."""

    __slots__ = ("before", "count", "lent", "shared", "since", "values")

    def __init__(self, motors: int, before: "Trail | None" = None, shared: int = 0):
        self.before, self.shared = before, shared  # a trail that this one continues, and how many rows of it
        self.since, self.values = np.zeros(FIRST_ROWS, np.int64), np.zeros((FIRST_ROWS, motors))
        self.count = np.zeros(1, np.int64)
        self.lent = before is not None  # whether a state holds it, too

    def branch(self, count: int) -> "Trail":
        """A trail that goes on after so many rows of this one."""
        return Trail(self.values.shape[1], self, count)

    def grow(self) -> None:
        """Room for more rows."""
        size = 2 * len(self.since)
        if 8 * size * (1 + self.values.shape[1]) > LARGEST:
            raise SimulationError(
                f"{len(self.since):,} changes of torques have been recorded, and {LARGEST / 2**30:g} GiB are the most; begin "
                "another run with reset()"
            )
        for name in ("since", "values"):
            old = getattr(self, name)
            new = np.zeros((size, *old.shape[1:]), old.dtype)
            new[: len(old)] = old
            setattr(self, name, new)

    def append(self, instant: int, values: np.ndarray) -> None:
        """Values that act from an instant on."""
        n = int(self.count[0])
        if n and values.tobytes() == self.values[n - 1].tobytes():
            return
        if n and self.since[n - 1] == instant:  # Ctrl-C came before its step
            self.values[n - 1] = values
            return
        if n == len(self.since):
            self.grow()
        self.since[n], self.values[n] = instant, values
        self.count[0] = n + 1

    def rows(self, count: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """All rows from the beginning, or up to so many of the last part."""
        part: Trail | None = self
        taken = int(self.count[0]) if count is None else count
        found: list[tuple[np.ndarray, np.ndarray]] = []
        while part is not None:
            found.append((part.since[:taken], part.values[:taken]))
            taken, part = part.shared, part.before
        since, values = zip(*reversed(found), strict=True)
        return np.concatenate(since), np.concatenate(values)


def trail_of(since: np.ndarray, values: np.ndarray) -> Trail:
    """A trail with these rows."""
    made = Trail(values.shape[1])
    made.since, made.values = since.copy(), values.copy()
    made.count[0] = len(since)
    return made


def is_live(controller: Controller | None) -> bool:
    """Whether its torques come from outside, now."""
    return isinstance(controller, External) and controller.since is None


def period_of(study: Study) -> int:
    """The steps of one period of control: that of the last layer of its controller, or one step."""
    layers = layers_of(study.controller)
    return max(1, round(1.0 / (layers[-1].rate * study.dt))) if layers else 1


def driven(study: Study) -> Study:
    """The study with torques from outside in place of its controller, as often as that was asked."""
    if is_live(study.controller):
        return study
    record = tuple(name for name in study.record if name not in WANTED)
    return altered(study, controller=External(rate=1.0 / (period_of(study) * study.dt)), record=record)


class Outside:
    """Where numbers from outside go: to the law that gives them to the motors, and to the trail."""

    def __init__(self, external: External, rollout: Rollout, given: Any, period: int):
        """`given` is what the law of `external` reads."""
        self.external, self.rollout, self.now = external, rollout, given.now
        robot = rollout.robot  # type: ignore[attr-defined]
        self.names, self.robot = names(robot), robot.name
        self.what = "targets" if external.servo else "torques"
        self.trail = Trail(len(self.now))
        self.period, self.clear, self.target, self.busy = (np.array([n], np.int64) for n in (period, 0, 0, 0))
        self._alive: Any = None
        self._desk: tuple = ()

    def checked(self, given: Any) -> np.ndarray:
        """Numbers for all motors, or an error that says which one is wrong."""
        try:
            if np.iscomplexobj(given):
                raise TypeError
            values = np.array(given, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise SimulationError(f"{self.what} must be {len(self.now)} numbers ({self.names}), got {given!r:.80}") from None
        if values.shape != self.now.shape:
            raise SimulationError(
                f"{self.what} of robot {self.robot!r} must have {len(self.now)} numbers ({self.names}), got shape {values.shape}"
            )
        if not np.isfinite(values).all():
            bad = int(np.flatnonzero(~np.isfinite(values))[0])
            raise SimulationError(f"{self.what} of robot {self.robot!r} must be finite, but number {bad} is {values[bad]}")
        return values

    def give(self, values: np.ndarray) -> None:
        """Let them act from the next instant on."""
        self.trail.append(max(self.rollout.step, 0) + 1, values)
        self.now[:] = values

    def forget(self) -> None:
        """Nothing was given yet."""
        if self.trail.lent:
            self.trail = Trail(len(self.now))
        self.trail.count[0] = 0

    def desk(self, direct: Direct, clear: int) -> int:
        """The address of all that compiled code needs to make further steps, up to the instant `clear`."""
        trail = self.trail
        if trail.count[0] == len(trail.since):
            trail.grow()
        self.clear[0] = min(clear, direct.clear)
        parts = direct.loop, direct.words, direct.clock, trail.since
        if self._desk and all(map(is_, parts[1:], self._desk[1:])) and parts[0] == self._desk[0]:
            return int(self._alive[1].ctypes.data)
        where = direct.loop, int(direct.words.ctypes.data), direct.words, direct.clock
        rows = trail.since, trail.values, trail.count
        made = Desk(*where, self.clear, self.period, self.target, self.now, *rows, self.busy)
        written = words(made)
        self._alive, self._desk = (made, written), parts
        return int(written.ctypes.data)

    def played(self, dt: float) -> External:
        """The controller that gives the same again."""
        since, values = self.trail.rows()
        rate = 1.0 / dt
        return replace(self.external, rate=rate, since=since, values=values) if len(since) else replace(self.external, rate=rate)
