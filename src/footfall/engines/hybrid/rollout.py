"""A hybrid motion as a rollout: recorded on a grid of times, with legs that keep their names and pinned points as contacts.

Where a reset swaps left and right (`Relabel`), the record takes it back, so that the left leg stays the left one. A pinned point
is in contact and sticks. Means of forces, the work of the joint forces and energies of motors are integrals by Simpson's rule on
the rows and the ends of all smooth pieces; impulses of the impacts are added.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import kinematics
from footfall.core.contact.decide import Control
from footfall.core.law import Observation
from footfall.core.sensors.sense import Truth
from footfall.dynamics.constrained import Constraints
from footfall.engines.engine import Halt, Rollout, Scenario, check_rigid_feet, unmeasured
from footfall.engines.events import Event, Outcome
from footfall.engines.hybrid.modes import Guard, Impact, Mode, Relabel, on_ground, parts_of, place_of
from footfall.engines.hybrid.motion import Flow, HybridError, HybridEvent, Trace
from footfall.engines.hybrid.program import Program, torque_of
from footfall.engines.hybrid.record import Strike, rows_of
from footfall.engines.series import blank, check_size
from footfall.errors import SimulationError, WorldError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.pins import Pin, pins
from footfall.world import Rigid

if TYPE_CHECKING:
    from footfall.engines.hybrid import Hybrid

FALL = "fall"  # guards of this name end a motion: the robot has fallen


def contacts(modes: tuple[Mode, ...]) -> dict[str, Pin]:
    """The points that modes pin, by the names of their contacts, and their twins where left and right change names."""
    found = {pad_name(each): each for mode in modes for each in pins(mode.pinned)}
    for sides in {part for mode in modes for guard in mode.guards for part in parts_of(guard.reset) if isinstance(part, Relabel)}:
        twins = [replace(each, name=sides.other(each.name)) for each in found.values()]
        found |= {pad_name(each): each for each in twins}
    return found


def pad_name(given: Pin) -> str:
    """`foot/part`, as contacts are called."""
    return f"{given}/pin"


class HybridRollout(Rollout):
    """A motion through modes. It is computed ahead in whole pages, so that it does not depend on how it is asked for."""

    stepwise = False

    def __init__(self, study: Scenario, engine: "Hybrid", q: np.ndarray, v: np.ndarray):
        self.study, self.engine, self.robot, self.q, self.v = study, engine, study.robot, q, v
        _check(study)
        self._pins = contacts(engine.modes)
        modes = on_ground(engine.modes, study.world.terrain)
        self.pads = tuple(self._pins)
        self._every = max(1, round(study.record_dt / study.dt))
        gravity = state.gravity(self.robot, study.gravity_vector)
        program = Program(self.robot, modes, gravity, (engine.rtol, engine.atol, np.inf))
        self._flow = Flow(program, Trace(self._every * study.dt))
        self._step, self._known, self._end = -1, 0.0, np.inf
        self._halt: Halt | None = None
        self._seen: list[Event] = []
        self._strikes: list[Strike] = []  # at the end of each smooth piece
        self._sides: list[Relabel | None] = [None]  # of each smooth piece: what takes its names back
        self.reserve(round(study.seconds / study.dt))

    @property
    def step(self) -> int:
        return self._step

    @property
    def events(self) -> list[Event]:
        return [event for event in self._seen if event.time <= self._now]

    @property
    def _now(self) -> float:
        return min(self._end, max(self._step, 0) * self.study.dt) if self._halt is None or self._ahead else self._end

    @property
    def _ahead(self) -> bool:
        """Whether the end is known, but not reached yet."""
        return (max(self._step, 0) + 1) * self.study.dt <= self._end

    def observe(self) -> Observation:
        pads = len(self.pads)
        contacts = np.zeros((pads, self.robot.dim)), np.zeros(pads, np.uint32)
        return Observation(0.0, self.q.copy(), self.v.copy(), *contacts, *unmeasured(self.robot))

    def truth(self) -> Truth:
        raise SimulationError("engine Hybrid: it takes no controller, and so no sensors; leave `sensors` out")

    def apply(self) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros(self.robot.nv), np.zeros((3, self.robot.nv))

    def reserve(self, step: int) -> None:
        check_size(self.robot, self.pads, step // self._every + 1, self.study.record_dt)

    def check_change(self, study: Scenario) -> None:
        _check(study)
        if study.world != self.study.world or study.robot is not self.study.robot:
            raise SimulationError(
                "engine Hybrid: the world and the robot cannot be changed while a run is under way, since a motion is computed "
                "ahead; begin another one from run.q[-1], run.v[-1]"
            )

    def change(self, study: Scenario) -> None:
        self.check_change(study)

    # --- going on ---------------------------------------------------------------------------------------------------------

    def advance(self, control: Control, steps: int) -> Halt | None:  # noqa: ARG002 - modes say their own joint forces
        if self._step < 0:
            self._try(self._begin)
            self._step = 0
        target = self._step + steps
        while self._halt is None and self._known < target * self.study.dt:
            self._try(self._turn)
        if self._halt is None or self._end > target * self.study.dt:
            self._step = target
            return None
        self._step = int(self._end / self.study.dt + 1e-9)
        return self._halt

    def _try(self, part: Callable[[], None]) -> None:
        try:
            part()
        except HybridError as error:
            self._end = self._flow.t
            self._halt = Halt(Outcome.DIVERGED, f"could not go on at {self._end:.4f} s", str(error))
        except WorldError as error:  # of a terrain that is a function
            self._end = self._flow.record.rows[-1][0]
            reason = f"lost its ground after {self._end:.3f} s"
            self._halt = Halt(Outcome.GROUNDLESS, reason, f"after {self._end:.4f} s {error}", error.__cause__)

    def _begin(self) -> None:
        self._flow.begin(self.engine.first, self.q, self.v)
        self._seen += [Event(0.0, "touch-down", name) for name in self._pinned(self._flow.mode, None)]

    def _turn(self) -> None:
        before, restore = len(self._flow.record.events), self._flow.save()
        try:
            self._known = self._flow.turn()
        except (HybridError, WorldError):
            raise
        except BaseException:  # Ctrl-C, or an error in a function of the user's: as if it had not been asked
            restore()
            raise
        if len(self._flow.record.events) > before:
            self._note(self._flow.record.events[-1])

    def _pinned(self, mode: Mode, sides: Relabel | None) -> dict[str, Pin]:
        """The pinned points of a mode, by the names of contacts that stay."""
        return {pad_name(_renamed(each, sides)): each for each in pins(mode.pinned)}

    def _note(self, event: HybridEvent) -> None:
        """An event, in names that stay."""
        modes = {mode.name: mode for mode in self.engine.modes}
        guard = next(guard for guard in modes[event.before].guards if guard.name == event.name)
        old, swap = self._sides[-1], _relabelling(guard)
        new = (None if old else swap) if swap else old
        self._sides.append(new)
        left, here = self._pinned(modes[event.before], old), self._pinned(modes[event.after], new)
        self._seen.append(Event(event.time, "switch", f"{event.name}: {event.before} to {event.after}"))
        self._seen += [Event(event.time, "lift-off", name) for name in left if name not in here]
        for name, each in here.items():
            if name not in left:
                self._seen.append(Event(event.time, "touch-down", name, self._speed(event, each, old, new)))
        self._seen += self._blows(event, guard, old, new)
        newly = set(modes[event.after].locked) - {_other(joint, swap) for joint in modes[event.before].locked}
        for joint in sorted(newly):
            where = self.robot.tree.first_q[[each.name for each in self.robot.layout.joints].index(joint) + 1]
            self._seen.append(Event(event.time, "stop", _other(joint, new), {"coordinate": float(event.q_after[where])}))
        if event.name == FALL:
            self._seen.append(Event(event.time, "fall", self.robot.layout.joints[0].child))
            self._end = event.time
            self._halt = Halt(Outcome.FELL, f"fell at {event.time:.3f} s: the guard {FALL!r} was passed")

    def _normal(self, place: np.ndarray) -> np.ndarray:
        normal = self.study.world.terrain.normal(*place[:-1])
        return normal[[0, 2]] if self.robot.dim == 2 else normal

    def _speed(self, event: HybridEvent, given: Pin, old: Relabel | None, new: Relabel | None) -> dict[str, float]:
        """How fast a point meets the ground; its name is that after the event."""
        each = _renamed(given, new) if old is None else _renamed(_renamed(given, new), old)
        place = kinematics.pose(self.robot, event.q_before, each.name, at=each.at).position
        speed = kinematics.velocity(self.robot, event.q_before, event.v_before, each.name, at=each.at)[: self.robot.dim]
        if each.roll is not None:
            rate = kinematics.velocity(self.robot, event.q_before, event.v_before, each.name)[-1]
            speed = speed + rate * np.array((-each.roll[1], each.roll[0]))
        return {"normal velocity m/s": float(speed @ self._normal(place))}

    def _blows(self, event: HybridEvent, guard: Guard, old: Relabel | None, new: Relabel | None) -> list[Event]:
        """Impulses of the ground; an impact before the names are swapped knows the earlier ones."""
        kinds = [type(part) for part in parts_of(guard.reset)]
        struck = np.zeros((len(self.pads), self.robot.dim))
        first = Impact in kinds and Relabel in kinds and kinds.index(Impact) < kinds.index(Relabel)
        blows = []
        for name, each in self._pins.items():
            raw = _renamed(each, old if first else new)
            if str(raw) in event.impulses:
                place = kinematics.pose(self.robot, event.q_after, raw.name, at=raw.at).position
                struck[self.pads.index(name)] = event.impulses[str(raw)][: self.robot.dim]
                impulse = float(struck[self.pads.index(name)] @ self._normal(place))
                blows.append(Event(event.time, "impact", name, {"impulse N s": impulse, "energy lost J": event.energy_lost}))
            for kind, points in (("pulls", event.pulling), ("sinks", event.sinking)):
                if str(raw) in points:
                    blows.append(Event(event.time, kind, name))
        self._strikes.append(Strike(float(event.energy_lost), struck))
        return blows

    # --- the record -------------------------------------------------------------------------------------------------------

    def series(self, last: int | None = None) -> dict[str, Any]:
        record = self._flow.record
        piece = np.searchsorted(record.starts, np.arange(len(record.rows)), side="right") - 1
        length = self._every * self.study.dt
        chosen = {}
        for row, (t, _, _) in enumerate(record.rows):
            tick = round(t / length)
            if tick * length == t <= self._now:
                chosen[tick] = row  # of two at an event, that after it
        rows = [chosen[tick] for tick in sorted(chosen)] if self._step >= 0 else []
        fine = blank(self.robot, self.pads, rows[-1] + 1 if rows else 0)
        for i in range(len(fine["time"])):
            self._fill(fine, i, record.rows[i], self._sides[piece[i]])
        found = rows_of(self.robot, self.pads, fine, rows, piece[: len(fine["time"])], self._strikes)
        return {name: array if last is None else array[-last:] for name, array in found.items()}

    @cached_property
    def _modes(self) -> dict[str, tuple[Mode, Constraints]]:
        gravity = self._flow.program.gravity
        return {mode.name: (mode, Constraints(self.robot, mode.pinned, mode.locked, gravity)) for mode in self.engine.modes}

    @cached_property
    def _bound(self) -> dict[Relabel | None, tuple[Callable, list[Callable]]]:
        return {}

    def _kept(self, sides: Relabel | None) -> tuple[Callable, list[Callable]]:
        """Functions of a state in its own names: the state in names that stay, and the places of all contacts."""
        if sides not in self._bound:
            ev = Evaluation(self.robot)
            places = [place_of(ev, _renamed(each, sides)) for each in self._pins.values()]
            self._bound[sides] = (lambda *given: given) if sides is None else sides.bind(ev), places
        return self._bound[sides]

    def _fill(self, out: dict[str, Any], i: int, row: tuple[float, np.ndarray, str], sides: Relabel | None) -> None:
        t, y, name = row
        q, v = np.split(y, [self.robot.nq])
        mode, held = self._modes[name]
        tau = torque_of(self.robot, mode, t, q, v)
        kept, places = self._kept(sides)
        out["time"][i] = t
        out["q"][i], out["v"][i] = (q, v) if sides is None else kept(t, q, v)[:2]
        out["tau"][i] = tau if sides is None or not tau.any() else _turned(kept, q, tau)
        for k, place in enumerate(places):
            out["point"][i, k] = place(q)
        if held.rows:
            forces = held.named(held.chosen(q).accelerate(q, v, tau)[1])
            for pad, each in self._pinned(mode, sides).items():
                k = self.pads.index(pad)
                out["mode"][i, k], out["force"][i, k] = 1, forces[str(each)][: self.robot.dim]
            out["residual"][i] = np.abs(held.speeds(q, v)).max()


def _check(study: Scenario) -> None:
    """Refuse what this engine has no place for."""
    if study.controller is not None:
        raise SimulationError("engine Hybrid takes no controller: the modes themselves say their joint forces (Mode.torque)")
    for name in ("pushes", "loads", "changes", "bonded", "bodies", "lowest_base", "lowest_com"):
        if getattr(study.world, name) not in ((), False, None):
            raise SimulationError(f"engine Hybrid knows no {name}, got {getattr(study.world, name)!r:.80}")
    if study.world.contact != Rigid():
        raise SimulationError(
            f"engine Hybrid: its modes say which points are held, without slip or rebound; a contact law has no effect there, "
            f"got {study.world.contact!r:.80}"
        )
    check_rigid_feet(study.robot, "engine Hybrid")


def _relabelling(guard: Guard) -> Relabel | None:
    return next((part for part in parts_of(guard.reset) if isinstance(part, Relabel)), None)


def _renamed(given: Pin, sides: Relabel | None) -> Pin:
    return given if sides is None else replace(given, name=sides.other(given.name))


def _other(name: str, sides: Relabel | None) -> str:
    return name if sides is None else sides.other(name)


def _turned(kept: Callable, q: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Joint forces in the other names, such that their power is the same: v' = A v and tau = A' tau'."""
    A = np.column_stack([kept(0.0, q, unit)[1] for unit in np.eye(len(tau))])
    return np.linalg.solve(A.T, tau)
