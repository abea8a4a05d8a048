"""Hybrid motion: modes, guards and resets, with events located to the last digits. Limit cycles are computed with this.

The integrator is of eighth order with steps chosen by error (Dormand and Prince, in scipy). After each step what is held is put
back where it belongs, so that nothing drifts. Guards are looked at several times in each step; the time of an event is then found
on states that are integrated up to it, since interpolation would cost digits.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, NoReturn

import numpy as np
from scipy.integrate import DOP853
from scipy.optimize import brentq

from footfall import dynamics
from footfall.errors import FootfallError, StateError, UnknownNameError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.robot import Robot
from footfall.sim.constrained import Constraints
from footfall.sim.modes import Guard, Jump, Mode, Scalar, Switch, bound, bound_reset

SURFACE = 1e-11  # a guard this close to zero when its mode begins is on its surface, which the motion is about to leave
SLIP = 1e-8  # what a mode holds must not move faster when the mode begins, relative to the robot's largest rate (at least 1)
LOOKS = (0.1, 0.25, 0.5, 0.75)  # parts of a step at which guards are looked at, beside its end
FIRST_LOOKS = (1e-3, 1e-2, *LOOKS)  # where a guard begins on its surface
LONGEST_WAIT = 60.0  # s, for the next event, if no time is given
CROWD = (20, 1e-3)  # more events than this within so many seconds are taken for infinitely many


class HybridError(FootfallError):
    """A hybrid motion that cannot go on; `result` holds what there was until then."""

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
    """What came out, row by row; at an event there are two rows of the same time, before and after. And what was asked."""

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
        """What holds each pinned point and locked joint, row by row."""
        phases = {mode.name: _Phase(self.robot, mode, (), self.gravity) for mode in self.modes}
        out = []
        for t, q, v, name in zip(self.times, self.q, self.v, self.mode, strict=True):
            held = phases[name].held.chosen(q)
            out.append(held.named(held.accelerate(q, v, phases[name].torque(t, q, v))[1]))
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
    every: float | None = None,
    gravity: Any = None,
    rtol: float = 1e-12,
    atol: float = 1e-13,
    max_step: float = np.inf,
) -> HybridResult:
    """Let the robot move from mode `start` for so many seconds, or until so many events (in all, or by name) have happened.

    Rows of the result are the steps of the integrator, or a grid of times (`every`, in s, interpolated). `gravity` is a number,
    a vector (a slope may be had by tilting it) or left out for the robot's own. With `events`, `seconds` is the longest time.
    """
    known = _checked(tuple(modes), start)
    wanted = _wanted(events, known)
    if seconds is None and wanted is None:
        raise StateError("a hybrid motion needs an end: give seconds, or events")
    for name, value in {"seconds": seconds, "every": every}.items():
        if value is not None and not 0.0 < value < np.inf:
            raise StateError(f"{name} must be a number above 0, got {value!r}")
    fall = state.gravity(robot, gravity)
    run = _Run(robot, known, fall, _Tolerance(rtol, atol, max_step), _Record(every), seconds, wanted)
    return run.from_start(start, state.coordinates(robot, q), state.velocities(robot, v))


class _Tolerance(NamedTuple):
    rtol: float
    atol: float
    max_step: float


def _checked(modes: tuple[Mode, ...], start: str) -> dict[str, Mode]:
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


# --- a mode bound to a robot ----------------------------------------------------------------------------------------------


class _Watch:
    """A guard bound to a robot, and its last value."""

    def __init__(self, robot: Robot, guard: Guard, mode: Mode, after: Mode):
        ev = Evaluation(robot)
        self.guard = guard
        self.value: Scalar = bound(guard.function, ev, f"guard {guard.name!r}")
        self.condition: Scalar | None = guard.active and bound(guard.active, ev, f"active of guard {guard.name!r}")
        self.reset: Callable[[Any, Any, Any], Jump] = bound_reset(guard.reset, ev, Switch(mode, after, robot.neutral()))

    def active(self, t: float, q: np.ndarray, v: np.ndarray) -> bool:
        return self.condition is None or self.condition(t, q, v) > 0.0

    def passed(self, low: float, high: float) -> bool:
        """Whether it goes through zero in its direction between two values."""
        down, up = low > 0.0 >= high, low < 0.0 <= high
        return (down and self.guard.direction <= 0) or (up and self.guard.direction >= 0)

    def beyond(self, value: float) -> bool:
        """Whether a value is on the side to which the guard leads."""
        return self.guard.direction * value > SURFACE


class _Phase:
    """A mode bound to a robot: its smooth motion and its guards."""

    def __init__(self, robot: Robot, mode: Mode, watches: Iterable[_Watch], gravity: np.ndarray):
        self.robot, self.mode, self.watches, self.nq = robot, mode, tuple(watches), robot.nq
        self.held = Constraints(robot, mode.pinned, mode.locked, gravity)
        self.still = np.zeros(robot.nv)
        self.anchors = np.zeros(0)

    def enter(self, q: np.ndarray) -> None:
        self.held.chosen(q)
        self.anchors = self.held.anchors(q)

    def torque(self, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if self.mode.torque is None:
            return self.still
        tau = np.asarray(self.mode.torque(t, q, v), dtype=np.float64)
        names = self.robot.velocities
        if tau.shape != self.still.shape:
            needs = f"must give {len(names)} joint forces ({' '.join(names)})"
            raise StateError(f"torque of mode {self.mode.name!r} {needs}, got shape {tau.shape} at t = {t:.6g} s")
        if not np.isfinite(tau).all():
            bad = int(np.argmin(np.isfinite(tau)))
            raise StateError(f"torque of mode {self.mode.name!r} is {tau[bad]} for {names[bad]!r} at t = {t:.6g} s")
        return tau

    def slope(self, t: float, y: np.ndarray) -> np.ndarray:
        """dy/dt of y = (q, v)."""
        q, v = self.split(y)
        a, _ = self.held.accelerate(q, v, self.torque(t, q, v))
        return np.concatenate((self.held.rate(q, v), a))

    def split(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return y[: self.nq], y[self.nq :]

    def restored(self, y: np.ndarray) -> np.ndarray:
        """y with what is held back in its place and at rest."""
        q, v = self.split(y)
        q = self.held.restored(q, self.anchors)
        if self.held.rows:
            v = self.held.completed(q, v)
            self.held.kept_fit(q)
        return np.concatenate((q, v))


class _Crossing(NamedTuple):
    watch: _Watch
    time: float
    low: float  # the guard passes between these times
    high: float


# --- the run --------------------------------------------------------------------------------------------------------------


@dataclass
class _Record:
    """Rows of the result, and events."""

    every: float | None
    rows: list[tuple[float, np.ndarray, str]] = field(default_factory=list)
    events: list[HybridEvent] = field(default_factory=list)
    ticks: int = 0  # of the grid that are past

    def put(self, t: float, y: np.ndarray, mode: str) -> None:
        if self.rows and self.rows[-1][0] == t and self.rows[-1][2] == mode:
            return
        self.rows.append((t, y, mode))

    def step(self, low: float, high: float, dense: Callable[[float], np.ndarray], mode: str) -> None:
        """Rows of the grid after `low`, up to `high`."""
        while self.every is not None and (tick := (self.ticks + 1) * self.every) <= high:
            self.ticks += 1
            if tick > low:
                self.put(tick, dense(tick), mode)


@dataclass
class _Run:
    robot: Robot
    modes: dict[str, Mode]
    gravity: np.ndarray
    tolerance: _Tolerance
    record: _Record
    seconds: float | None
    wanted: dict[str | None, int] | None

    def from_start(self, start: str, q: np.ndarray, v: np.ndarray) -> HybridResult:
        self.phases = {name: self._phase(mode) for name, mode in self.modes.items()}
        t, phase = 0.0, self.phases[start]
        y = self._entered(phase, t, np.concatenate((q, v)))
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            while not self._satisfied():
                end = t + LONGEST_WAIT if self.seconds is None else self.seconds
                try:
                    t, y, crossing = self._flow(phase, t, y, end)
                except StateError as error:
                    self._fail(str(error))
                if crossing is not None:
                    phase, y = self._switched(phase, crossing.watch, t, y)
                elif self.wanted is not None:
                    self._fail(self._missing(phase, end))
                if t >= end:
                    break
        return self.result()

    def _phase(self, mode: Mode) -> _Phase:
        watches = [_Watch(self.robot, guard, mode, self.modes[guard.to]) for guard in mode.guards]
        return _Phase(self.robot, mode, watches, self.gravity)

    def _entered(self, phase: _Phase, t: float, y: np.ndarray) -> np.ndarray:
        """The state with which a mode begins; it must fit the mode."""
        q, v = phase.split(y)
        phase.enter(q)
        speeds = phase.held.named(phase.held.speeds(q, v)) if phase.held.rows else {}
        self.record.put(t, y, phase.mode.name)
        for name, speed in speeds.items():
            if np.abs(speed).max() > SLIP * max(1.0, np.abs(v).max()):
                moves = f"{name!r} held but moving at {np.array2string(np.asarray(speed), precision=4)}"
                self._fail(
                    f"mode {phase.mode.name!r} begins at t = {t:.6g} s with {moves}; make the velocities consistent, or let the "
                    "guard that leads here have an Impact"
                )
        for watch in phase.watches:
            value = float(watch.value(t, q, v))
            if watch.beyond(value) and watch.active(t, q, v):
                passed = f"guard {watch.guard.name!r} is passed already ({value:.6g})"
                self._fail(f"{passed} when mode {phase.mode.name!r} begins at t = {t:.6g} s")
        return phase.restored(y)

    def _flow(self, phase: _Phase, t: float, y: np.ndarray, end: float) -> tuple[float, np.ndarray, _Crossing | None]:
        """Smooth motion until a guard is passed or the time is over."""
        name = phase.mode.name
        if not np.isfinite(phase.slope(t, y)).all():
            self._fail(f"mode {name!r}: the accelerations at t = {t:.9g} s are not finite; what moves there has no inertia")
        solver = self._solver(phase.slope, t, y, end)
        values = self._first_values(phase, t, y)
        while solver.status == "running":
            low, start = solver.t, solver.y.copy()
            message = solver.step()
            if solver.status == "failed" or not np.isfinite(solver.y).all():
                self._fail(
                    f"mode {name!r}: the motion has no finite continuation after t = {low:.9g} s: {message or 'not finite'}"
                )
            dense, high = solver.dense_output(), solver.t
            solver.y = phase.restored(solver.y)
            crossing = self._crossing(phase, values, low, high, dense, solver.y)
            if crossing is not None:
                t, y = self._located(phase, crossing, low, start)
                self.record.step(low, t, dense, name)
                return t, y, crossing
            self.record.step(low, high, dense, name)
            if self.record.every is None:
                self.record.put(high, solver.y, name)
            solver.f = phase.slope(high, solver.y)
        self.record.put(solver.t, solver.y, name)
        return solver.t, solver.y, None

    def _solver(self, slope: Callable, t: float, y: np.ndarray, end: float, first: float | None = None) -> DOP853:
        rtol, atol, max_step = self.tolerance
        return DOP853(slope, t, y, end, rtol=rtol, atol=atol, max_step=max_step, first_step=first)

    # --- events -----------------------------------------------------------------------------------------------------------

    def _first_values(self, phase: _Phase, t: float, y: np.ndarray) -> list[float | None]:
        """Guards when a mode begins; None for those on whose surface it begins, which have no side yet."""
        values = [float(watch.value(t, *phase.split(y))) for watch in phase.watches]
        return [None if abs(value) <= SURFACE else value for value in values]

    def _crossing(
        self, phase: _Phase, values: list[float | None], low: float, high: float, dense: Callable, last: np.ndarray
    ) -> _Crossing | None:
        """The first guard that is passed in a step; `values` are taken along to its end."""
        if not phase.watches:
            return None
        looks = FIRST_LOOKS if None in values else LOOKS
        times = [low, *(low + part * (high - low) for part in looks), high]
        states = [phase.split(dense(time)) for time in times[1:-1]] + [phase.split(last)]
        found: list[_Crossing] = []
        for k, watch in enumerate(phase.watches):
            for j, (q, v) in enumerate(states):
                before, now = values[k], float(watch.value(times[j + 1], q, v))
                values[k] = None if before is None and abs(now) <= SURFACE else now
                if before is None:
                    if watch.beyond(now) and watch.active(times[j + 1], q, v):
                        self._fail(
                            f"guard {watch.guard.name!r} is passed as soon as mode {phase.mode.name!r} begins, t = {low:.9g} s: "
                            "its reset leads back into it, or its events crowd together without end"
                        )
                elif watch.passed(before, now):
                    root = self._interpolated(phase, watch, dense, times[j], times[j + 1])
                    if watch.active(root, *phase.split(dense(root))):
                        found.append(_Crossing(watch, root, times[j], times[j + 1]))
                        break
        return min(found, key=lambda crossing: crossing.time, default=None)

    def _interpolated(self, phase: _Phase, watch: _Watch, dense: Callable, low: float, high: float) -> float:
        def value(t: float) -> float:
            return float(watch.value(t, *phase.split(dense(t))))

        if value(low) * value(high) >= 0.0:  # an end of the interval is the root, up to the error of interpolation
            return low if abs(value(low)) < abs(value(high)) else high
        return float(brentq(value, low, high))

    def _located(self, phase: _Phase, crossing: _Crossing, low: float, start: np.ndarray) -> tuple[float, np.ndarray]:
        """Time and state of the event, on states that are integrated from the beginning of the step."""
        reached: dict[float, np.ndarray] = {0.0: start}

        def value(h: float) -> float:
            if h not in reached:
                solver = self._solver(lambda s, y: phase.slope(low + s, y), 0.0, start, h, first=h)
                while solver.status == "running":
                    solver.step()
                reached[h] = phase.restored(solver.y)
            return float(crossing.watch.value(low + h, *phase.split(reached[h])))

        guess, widest = crossing.time - low, crossing.high - low
        width = 1e-9 * widest
        while True:
            a, b = max(guess - width, crossing.low - low), min(guess + width, widest)
            if value(a) * value(b) <= 0.0:
                break
            if width > widest:
                self._fail(
                    f"guard {crossing.watch.guard.name!r} grazes zero near t = {crossing.time:.9g} s; its event has no sure time"
                )
            width *= 100.0
        h = a if value(a) == 0.0 else b if value(b) == 0.0 else float(brentq(value, a, b, xtol=1e-16, rtol=1e-15))
        value(h)
        return low + h, reached[h]

    def _switched(self, phase: _Phase, watch: _Watch, t: float, y: np.ndarray) -> tuple[_Phase, np.ndarray]:
        """Through the reset into the next mode."""
        (q, v), guard = phase.split(y), watch.guard
        self.record.put(t, y, phase.mode.name)
        jump = watch.reset(t, q, v)
        after = np.concatenate((state.coordinates(self.robot, jump.q), state.velocities(self.robot, jump.v)))
        states: dict[str, Any] = {"q_before": q.copy(), "v_before": v.copy(), "q_after": jump.q, "v_after": jump.v}
        report: dict[str, Any] = {"impulses": jump.impulses, "sinking": jump.sinking, "pulling": jump.pulling}
        event = HybridEvent(t, guard.name, phase.mode.name, guard.to, energy_lost=float(jump.energy_lost), **states, **report)
        self.record.events.append(event)
        most, within = CROWD
        if len(self.record.events) > most and t - self.record.events[-most - 1].time < within:
            self._fail(
                f"more than {most} events within {within:g} s, with no end to them, the last {guard.name!r} at t = {t:.9g} s"
            )
        self.record.rows.append((t, after, guard.to))
        return self.phases[guard.to], self._entered(self.phases[guard.to], t, after)

    # --- the end ----------------------------------------------------------------------------------------------------------

    def _count(self, name: str | None) -> int:
        return sum(name is None or event.name == name for event in self.record.events)

    def _satisfied(self) -> bool:
        return self.wanted is not None and all(self._count(name) >= count for name, count in self.wanted.items())

    def _missing(self, phase: _Phase, end: float) -> str:
        names = [f"{self._count(name)} of {count} {name or 'events'}" for name, count in (self.wanted or {}).items()]
        return f"only {', '.join(names)} before t = {end:g} s; the last mode is {phase.mode.name!r}"

    def result(self) -> HybridResult:
        times, states, modes = zip(*self.record.rows, strict=True)
        table = np.array(states)
        parts = (np.array(times), table[:, : self.robot.nq], table[:, self.robot.nq :], np.array(modes))
        return HybridResult(self.robot, tuple(self.modes.values()), self.gravity, *parts, tuple(self.record.events))

    def _fail(self, message: str) -> NoReturn:
        raise HybridError(f"robot {self.robot.name!r}, {message}", self.result())
