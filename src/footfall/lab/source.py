"""The motion that the lab shows: a simulation under way, or a run that is played back. Both are asked in the same way."""

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np

from footfall import kinematics
from footfall.control.fields import fields_of
from footfall.engines import Hybrid, TimeStepping
from footfall.engines.engine import BODY
from footfall.errors import FootfallError
from footfall.model.layout import lift
from footfall.sim.run import Run
from footfall.sim.settings import layers_of
from footfall.sim.simulate import Simulation, simulate
from footfall.sim.study import Study

KEPT = 60.0  # s of a live run whose rows are kept
AHEAD = 20.0  # s of a hybrid motion that are computed at once
CATCH_UP = 2.0  # s simulated at a time on the way to an instant


class Contacts(NamedTuple):
    """What happens at the pads: where each is, the force of the ground on it, and its mode; all in space."""

    point: np.ndarray  # (pads, 3)
    force: np.ndarray  # (pads, 3)
    mode: np.ndarray  # (pads,)


class Source(Protocol):
    """A motion that goes on."""

    live: bool

    @property
    def study(self) -> Study: ...

    @property
    def now(self) -> Study:
        """With parameters as they are at present."""

    @property
    def time(self) -> float: ...

    @property
    def dt(self) -> float: ...

    @property
    def over(self) -> str:
        """Why it cannot go on; nothing if it can."""

    def advance(self, seconds: float) -> None: ...

    def until(self, time: float) -> None:
        """Go on to an instant without being shown."""

    def step(self) -> None:
        """Go on by as little as it can."""

    def state(self) -> tuple[np.ndarray, np.ndarray]: ...

    def window(self, seconds: float) -> Run:
        """The last rows."""

    def contacts(self, slow: bool) -> Contacts: ...


def prepared(study: Study) -> Study:
    """A study that also records what its controllers remember and follow, so that it can be shown."""
    declares = [part.State or part.Goal for part in layers_of(study.controller)]
    if "controller" in study.record or not any(fields_of(each, "") for each in declares if each):
        return study
    return dataclasses.replace(study, record=(*study.record, "controller"))


def lying(study: Study) -> Study:
    """A study whose robot lies on the ground when it has fallen, instead of ending there; until then nothing is different."""
    world = study.world
    if not isinstance(study.engine, TimeStepping) or world.bodies or not world.falls or not any(study.robot.solids.values()):
        return study
    return dataclasses.replace(study, world=dataclasses.replace(world, bodies=True))


def is_ahead(study: Study) -> bool:
    """Whether a study is computed ahead: nothing of a hybrid motion can be changed on the way."""
    return isinstance(study.engine, Hybrid)


def opened(study: Study, lift: bool = True, keep: float = KEPT) -> "Source":
    """A study as a motion: simulated as it is shown, or ahead where its engine computes ahead."""
    if is_ahead(study):
        return Played(
            simulate(dataclasses.replace(study, seconds=max(study.seconds, AHEAD), record_dt=min(study.record_dt, 0.01)))
        )
    return Live(study, lift, keep)


class Live:
    """A simulation under way."""

    live = True

    def __init__(self, study: Study, lift: bool = True, keep: float = KEPT):
        self.simulation = Simulation(prepared(study), lift=lift, keep=keep)
        self.simulation.advance(0.0)
        self.over = ""

    @property
    def study(self) -> Study:
        """With all that was set and added so far."""
        return self.simulation.study

    @property
    def now(self) -> Study:
        """With parameters as they are at present."""
        return self.simulation.now

    @property
    def time(self) -> float:
        return self.simulation.time

    @property
    def dt(self) -> float:
        return self.simulation.study.dt

    def advance(self, seconds: float) -> None:
        try:
            self.simulation.advance(seconds)
        except FootfallError as error:
            self.over = str(error)
            raise
        if self.simulation.outcome.value != "end":
            self.over = self.simulation.reason

    def step(self) -> None:
        self.advance(self.dt)

    def until(self, time: float, progress: Callable[[float], None] = lambda _: None) -> None:
        """Go on to an instant without being shown."""
        last = round(time / self.dt)
        while not self.over and (left := last - self.simulation.rollout.step) > 0:
            self.advance(min(left, round(CATCH_UP / self.dt)) * self.dt)
            progress(self.time)

    @property
    def down(self) -> str:
        """What of the robot, other than its feet, came to the ground last; nothing if nothing did."""
        for event in reversed(self.simulation.happened):
            if event.kind == "touch-down" and BODY in event.which:
                return f"{event.which.split(BODY)[0]} touched the ground at {event.time:.2f} s"
        return ""

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        obs = self.simulation.rollout.observe()
        return obs.q.copy(), obs.v.copy()

    def window(self, seconds: float) -> Run:
        return self.simulation.run(last=seconds)

    def contacts(self, slow: bool) -> Contacts:
        """Mean forces since the row before; where time goes slowly, forces of the instant."""
        series = self.simulation.rollout.series(1)
        force = series["force"][0]
        if slow:
            now = self.simulation.rollout.observe().force
            force = np.concatenate((now, force[len(now) :]))
        return _contacts(series["center"][0], force, series["mode"][0])


class Played:
    """A run that is played back: between two rows the way from one to the other is taken evenly."""

    live = False

    def __init__(self, run: Run):
        if len(run.time) < 2:
            raise FootfallError(f"a run of two rows or more can be played back, got {len(run.time)}")
        self.run, self._at = run, float(run.time[0])

    @property
    def study(self) -> Study:
        return self.run.study

    @property
    def now(self) -> Study:
        return self.run.study

    @property
    def time(self) -> float:
        return self._at

    @property
    def first(self) -> float:
        return float(self.run.time[0])

    @property
    def last(self) -> float:
        return float(self.run.time[-1])

    @property
    def dt(self) -> float:
        return self.run.study.dt

    @property
    def over(self) -> str:
        return self.run.reason if self._at >= self.last else ""

    def seek(self, time: float) -> None:
        self._at = min(max(time, self.first), self.last)

    def advance(self, seconds: float) -> None:
        self.seek(self._at + seconds)

    def until(self, time: float) -> None:
        self.seek(time)

    def step(self) -> None:
        """Go to the next row."""
        self.seek(float(self.run.time[min(self._row() + 1, len(self.run.time) - 1)]))

    def _row(self) -> int:
        """The last row that is not later."""
        return max(int(np.searchsorted(self.run.time, self._at + 1e-12, side="right")) - 1, 0)

    def state(self) -> tuple[np.ndarray, np.ndarray]:
        run, i = self.run, self._row()
        j = min(i + 1, len(run.time) - 1)
        part = (self._at - run.time[i]) / (run.time[j] - run.time[i]) if j > i else 0.0
        step = kinematics.difference(run.robot, run.q[i], run.q[j])
        return kinematics.integrate(run.robot, run.q[i], part * step), (1 - part) * run.v[i] + part * run.v[j]

    def window(self, seconds: float) -> Run:
        last = self._row() + 1
        first = int(np.searchsorted(self.run.time, self._at - seconds))
        return part_of(self.run, slice(min(first, last - 1), last))

    def contacts(self, slow: bool) -> Contacts:  # noqa: ARG002
        i = self._row()
        return _contacts(
            self.run.center[i] if self.run.center[i].any() else self.run.point[i], self.run.force[i], self.run.mode[i]
        )


def part_of(run: Run, rows: slice) -> Run:
    """Some rows of a run, with the events of their time."""
    series: dict[str, Any] = {name: array[rows] for name, array in run.series.items()}
    since, until = series["time"][0], series["time"][-1]
    events = tuple(each for each in run.events if since <= each.time <= until)
    return dataclasses.replace(run, **series, more={name: column[rows] for name, column in run.more.items()}, events=events)


def taken_over(run: Run, time: float, progress: Callable[[float], None] = lambda _: None) -> Live:
    """A live simulation of a run that was played back, from an instant on; what was set or pushed later than that is left out."""
    study, world = run.study, run.study.world
    kept: dict[str, Any] = {
        name: tuple(each for each in getattr(world, name) if each.start <= time) for name in ("pushes", "loads", "changes")
    }
    settings = tuple(each for each in study.settings if each.time <= time)
    live = Live(dataclasses.replace(study, world=dataclasses.replace(world, **kept), settings=settings), lift=False)
    live.until(time, progress)
    return live


def _contacts(point: np.ndarray, force: np.ndarray, mode: np.ndarray) -> Contacts:
    def in_space(rows: np.ndarray) -> np.ndarray:
        return np.array([lift(row) for row in rows]).reshape(len(rows), 3)

    return Contacts(in_space(point), in_space(force), np.asarray(mode))
