"""Hybrid motion: modes, guards and resets, with events located to the last digits. Limit cycles are computed with this.

The integrator is of eighth order with steps chosen by error (Dormand and Prince). After each step the held points are projected
back to their places, so that nothing drifts. The smooth motion of a mode, up to the event that ends it, is one crossing into
compiled code.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from footfall import dynamics
from footfall.core.hybrid import events as why
from footfall.core.hybrid.motion import MAX_STEPS
from footfall.core.hybrid.walk import ADVANCE, ENTER
from footfall.dynamics.constrained import Constraints
from footfall.engines.hybrid.modes import Guard, Jump, Mode, Switch, bound_reset
from footfall.engines.hybrid.program import ATOL, RTOL, Program, new_trajectory, torque_of
from footfall.errors import FootfallError, StateError, UnknownNameError, WorldError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.robot import Robot

LONGEST_WAIT = 60.0  # s, for the next event, if no time is given
CROWD = (20, 1e-3)  # more events than this within so many seconds are taken for infinitely many
PAGE = 256  # rows that are fetched at a time
FAR = 1e9  # s: an end that no motion reaches, so that its steps do not depend on how it is cut into pieces


class HybridError(FootfallError):
    """A hybrid motion that cannot go on; `result` holds the motion until then."""

    def __init__(self, message: str, result: "HybridResult"):
        super().__init__(message)
        self.result = result


@dataclass(frozen=True, eq=False)
class HybridEvent:
    """A guard that was passed: when, from which mode to which, and the states before and after."""

    time: float
    name: str
    before: str
    after: str
    q_before: np.ndarray
    v_before: np.ndarray
    q_after: np.ndarray
    v_after: np.ndarray
    impulses: Mapping[str, np.ndarray]
    energy_lost: float  # by the impact, if it was one
    sinking: tuple[str, ...]  # points let go that move into the ground nevertheless
    pulling: tuple[str, ...]  # points that would have to be pulled down


@dataclass(frozen=True, eq=False, repr=False)
class HybridResult:
    """A motion, row by row, with its model; at an event there are two rows of the same time, before and after."""

    robot: Robot
    modes: tuple[Mode, ...]
    gravity: np.ndarray
    times: np.ndarray
    q: np.ndarray
    v: np.ndarray
    mode: np.ndarray  # of names
    events: tuple[HybridEvent, ...]

    def __repr__(self) -> str:
        return (
            f"<hybrid motion of {self.robot.name!r}: {self.times[-1]:.6g} s, {len(self.times)} rows, {len(self.events)} events>"
        )

    def named(self, name: str) -> list[HybridEvent]:
        """The events of a guard."""
        known = {guard.name for mode in self.modes for guard in mode.guards}
        if name not in known:
            raise UnknownNameError("guard", name, known)
        return [event for event in self.events if event.name == name]

    def energy(self) -> np.ndarray:
        """Kinetic plus potential energy, row by row."""
        rows = zip(self.q, self.v, strict=True)
        return np.array([dynamics.energy(self.robot, q, v, gravity=self.gravity).total for q, v in rows])

    def forces(self) -> list[dict[str, np.ndarray]]:
        """Constraint forces of each pinned point and locked joint, row by row."""
        modes = {mode.name: mode for mode in self.modes}
        held = {mode.name: Constraints(self.robot, mode.pinned, mode.locked, self.gravity) for mode in self.modes}
        out = []
        for t, q, v, name in zip(self.times, self.q, self.v, self.mode, strict=True):
            tau = torque_of(self.robot, modes[name], t, q, v)
            out.append(held[name].named(held[name].chosen(q).accelerate(q, v, tau)[1]))
        return out


def run_hybrid(
    robot: Robot,
    modes: Iterable[Mode],
    start: str,
    q: Any,
    v: Any,
    *,
    seconds: float | None = None,
    events: int | Mapping[str, int] | None = None,
    record_dt: float | None = None,
    gravity: Any = None,
    rtol: float = RTOL,
    atol: float = ATOL,
    max_step: float = np.inf,
) -> HybridResult:
    """Let the robot move from mode `start` for so many seconds, or until so many events (in all, or by name) have happened.

    Rows of the result are the steps of the integrator, or a grid of times (`record_dt`, s, interpolated). `gravity` is a number,
    a vector (tilted, it models a slope) or left out for the robot's own. With `events`, `seconds` is the longest time.
    """
    known = checked_modes(tuple(modes), start)
    wanted = _wanted(events, known)
    if seconds is None and wanted is None:
        raise StateError("a hybrid motion needs an end: give seconds, or events")
    for name, value in {"seconds": seconds, "record_dt": record_dt}.items():
        if value is not None and not 0.0 < value < np.inf:
            raise StateError(f"{name} must be a number above 0, got {value!r}")
    fall = state.gravity(robot, gravity)
    program = Program(robot, tuple(known.values()), fall, (rtol, atol, max_step))
    run = Flow(program, Trace(record_dt), seconds, wanted)
    return run.from_start(start, state.coordinates(robot, q), state.velocities(robot, v))


def checked_modes(modes: tuple[Mode, ...], start: str) -> dict[str, Mode]:
    """Modes by name."""
    known = {mode.name: mode for mode in modes}
    if len(known) < len(modes):
        raise StateError(f"every mode must have a name of its own, got {', '.join(mode.name for mode in modes)}")
    if start not in known:
        raise UnknownNameError("mode", start, known)
    for mode in modes:
        for guard in mode.guards:
            if guard.to not in known:
                raise UnknownNameError(f"mode (to which guard {guard.name!r} leads)", guard.to, known)
            if guard.direction not in (-1, 0, 1):
                raise StateError(f"guard {guard.name!r}: direction must be -1, 0 or 1, got {guard.direction!r}")
    return known


def _wanted(events: int | Mapping[str, int] | None, modes: Mapping[str, Mode]) -> dict[str | None, int] | None:
    if events is None:
        return None
    names = {guard.name for mode in modes.values() for guard in mode.guards}
    counts: Mapping[Any, int] = events if isinstance(events, Mapping) else {None: events}
    for name, count in counts.items():
        if name is not None and name not in names:
            raise UnknownNameError("guard", name, names)
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            raise StateError(f"a number of events must be a whole number above 0, got {count!r}")
    return dict(counts)


# --- the run --------------------------------------------------------------------------------------------------------------


@dataclass
class Trace:
    """Rows of the result, the rows with which smooth pieces begin, and the events between them."""

    record_dt: float | None
    rows: list[tuple[float, np.ndarray, str]] = field(default_factory=list)
    starts: list[int] = field(default_factory=lambda: [0])
    events: list[HybridEvent] = field(default_factory=list)

    def put(self, t: float, y: np.ndarray, mode: str) -> None:
        if self.rows and self.rows[-1][0] == t and self.rows[-1][2] == mode:
            return
        self.rows.append((t, y, mode))


@dataclass
class Flow:
    """A hybrid motion under way."""

    program: Program
    record: Trace
    seconds: float | None = None
    wanted: dict[str | None, int] | None = None

    def __post_init__(self) -> None:
        self.robot, self.state = self.program.robot, self.program.system.state
        self.page = new_trajectory(PAGE, self.robot.nq + self.robot.nv, self.record.record_dt or 0.0)

    @property
    def mode(self) -> Mode:
        return self.program.modes[self.state.mode[0]]

    @property
    def guard(self) -> Guard:
        return self.program.guards[self.state.guard[0]][1]

    @property
    def t(self) -> float:
        return float(self.state.t[0])

    def begin(self, start: str, q: np.ndarray, v: np.ndarray) -> None:
        """Enter the first mode."""
        self.state.mode[0], self.state.y[:] = self.program.number[start], np.concatenate((q, v))
        self._enter()

    def save(self) -> Callable[[], None]:
        """A function that takes the motion back to here, whatever happened to it in the meantime."""
        arrays = [*self.state, *self.program.system.stages, self.page.count, self.page.ticks]
        lists: list[list[Any]] = [self.record.rows, self.record.starts, self.record.events]
        copies, lengths = [array.copy() for array in arrays], [len(each) for each in lists]

        def restore() -> None:
            for array, copy in zip(arrays, copies, strict=True):
                array[...] = copy
            for each, length in zip(lists, lengths, strict=True):
                del each[length:]

        return restore

    def turn(self) -> float:
        """Go on for a page of rows, or to the next event and through it. The time up to which all rows are there."""
        status = self._run(ADVANCE, FAR)
        self._turn_page()
        if status == why.EVENT:
            self._switch()
        elif status != why.FULL:
            self._fail(self._broken(status))
        return self.record.rows[-1][0]

    def from_start(self, start: str, q: np.ndarray, v: np.ndarray) -> HybridResult:
        self.begin(start, q, v)
        while not self._satisfied():
            end = self.t + LONGEST_WAIT if self.seconds is None else self.seconds
            if self._flow(end):
                self._switch()
            elif self.wanted is not None:
                self._fail(self._missing(end))
            if self.t >= end:
                break
        return self.result()

    def _enter(self) -> None:
        """Begin a mode; the state must fit it."""
        self.record.put(self.t, self.state.y.copy(), self.mode.name)
        status = self._run(ENTER)
        begins = f"mode {self.mode.name!r} begins at t = {self.t:.6g} s"
        if status == why.SINGULAR:
            raise self.program.singular(self.state.mode[0])
        if status == why.SLIPS:
            name, speed = self._slips()
            moves = f"{name!r} held but moving at {np.array2string(np.asarray(speed), precision=4)}"
            self._fail(f"{begins} with {moves}; make the velocities consistent, or let the guard that leads here have an Impact")
        if status == why.BEYOND:
            self._fail(f"guard {self.guard.name!r} is passed already ({self.state.info[0]:.6g}) when {begins}")

    def _slips(self) -> tuple[str, np.ndarray]:
        """The held point or joint that moves fastest, and its speed."""
        q, v = np.split(self.state.y, [self.robot.nq])
        held = Constraints(self.robot, self.mode.pinned, self.mode.locked).chosen(q)
        speeds = held.named(held.speeds(q, v))
        return max(speeds.items(), key=lambda pair: np.abs(pair[1]).max())

    def _flow(self, end: float) -> bool:
        """Smooth motion until a guard is passed, or until the time is over."""
        status = why.FULL
        while status == why.FULL:
            status = self._run(ADVANCE, end)
            self._turn_page()
        if status == why.END:
            self.record.put(self.t, self.state.y.copy(), self.mode.name)
        elif status != why.EVENT:
            self._fail(self._broken(status))
        return status == why.EVENT

    def _turn_page(self) -> None:
        for t, y in zip(self.page.t[: self.page.count[0]], self.page.y, strict=False):
            self.record.put(float(t), y.copy(), self.mode.name)
        self.page.count[0] = 0

    def _run(self, what: int, end: float = 0.0) -> int:
        """The status of kernels; errors in Python are raised again, those of state and force with the motion until then."""
        try:
            return self.program.serve(what, self.page, end=end)
        except StateError as error:
            self._turn_page()
            self._fail(str(error))
        except WorldError:
            self._turn_page()
            raise

    def _broken(self, status: int) -> str:
        """Why the motion cannot go on."""
        mode, t, low = f"mode {self.mode.name!r}", self.t, self.state.low[0]
        if status == why.NOT_FINITE:
            return f"{mode}: the accelerations at t = {t:.9g} s are not finite; what moves there has no inertia"
        if status == why.AT_THE_BEGINNING:
            soon = f"guard {self.guard.name!r} is passed as soon as {mode} begins, t = {low:.9g} s"
            return f"{soon}: its reset leads back into it, or its events crowd together without end"
        if status == why.GRAZES:
            return f"guard {self.guard.name!r} grazes zero near t = {t:.9g} s; its event has no sure time"
        if status == why.STIFF:
            return f"{mode}: {MAX_STEPS:,} steps led no further than to t = {t:.9g} s; masses or lengths are too far apart"
        return f"{mode}: the motion has no finite continuation after t = {low:.9g} s"

    # --- events -----------------------------------------------------------------------------------------------------------

    @cached_property
    def _resets(self) -> dict[int, Callable[[Any, Any, Any], Jump]]:
        return {}

    def _reset(self, g: int) -> Callable[[Any, Any, Any], Jump]:
        """Bound on first use."""
        if g not in self._resets:
            mode, guard = self.program.guards[g]
            switch = Switch(mode, self.program.modes[self.program.number[guard.to]], self.robot.neutral())
            self._resets[g] = bound_reset(guard.reset, Evaluation(self.robot), switch)
        return self._resets[g]

    def _switch(self) -> None:
        """Through the reset into the next mode."""
        t, guard, mode = self.t, self.guard, self.mode
        y = self.state.y.copy()
        q, v = np.split(y, [self.robot.nq])
        self.record.put(t, y, mode.name)
        jump = self._reset(self.state.guard[0])(t, q, v)
        after = np.concatenate((state.coordinates(self.robot, jump.q), state.velocities(self.robot, jump.v)))
        states: dict[str, Any] = {"q_before": q, "v_before": v, "q_after": jump.q, "v_after": jump.v}
        report: dict[str, Any] = {"impulses": jump.impulses, "sinking": jump.sinking, "pulling": jump.pulling}
        event = HybridEvent(t, guard.name, mode.name, guard.to, energy_lost=float(jump.energy_lost), **states, **report)
        self.record.events.append(event)
        most, within = CROWD
        if len(self.record.events) > most and t - self.record.events[-most - 1].time < within:
            self._fail(
                f"more than {most} events within {within:g} s, with no end to them, the last {guard.name!r} at t = {t:.9g} s"
            )
        self.record.starts.append(len(self.record.rows))
        self.record.rows.append((t, after, guard.to))
        self.state.y[:], self.state.mode[0] = after, self.program.number[guard.to]
        self._enter()

    # --- the end ----------------------------------------------------------------------------------------------------------

    def _count(self, name: str | None) -> int:
        return sum(name is None or event.name == name for event in self.record.events)

    def _satisfied(self) -> bool:
        return self.wanted is not None and all(self._count(name) >= count for name, count in self.wanted.items())

    def _missing(self, end: float) -> str:
        names = [f"{self._count(name)} of {count} {name or 'events'}" for name, count in (self.wanted or {}).items()]
        return f"only {', '.join(names)} before t = {end:g} s; the last mode is {self.mode.name!r}"

    def result(self) -> HybridResult:
        times, states, modes = zip(*self.record.rows, strict=True)
        table = np.array(states)
        parts = (np.array(times), table[:, : self.robot.nq], table[:, self.robot.nq :], np.array(modes))
        return HybridResult(self.robot, self.program.modes, self.program.gravity, *parts, tuple(self.record.events))

    def _fail(self, message: str) -> NoReturn:
        raise HybridError(f"robot {self.robot.name!r}, {message}", self.result())
