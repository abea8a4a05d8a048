"""simulate() and Simulation: run a study, at once or piece by piece."""

import math
import threading
import time as wall_clock
from collections.abc import Callable
from dataclasses import fields, replace
from numbers import Real
from typing import Any

from footfall.control import Controller
from footfall.control.walking.legs import Estimate
from footfall.engines.engine import Halt
from footfall.engines.events import Event, Outcome
from footfall.errors import FootfallError, SimulationError, UnknownNameError
from footfall.model.robot import Robot
from footfall.sensors import Unmeasured
from footfall.sim.chain import Chain
from footfall.sim.control_record import WANTED, ControlRecord
from footfall.sim.control_runtime import ControlRuntime
from footfall.sim.outside import is_live
from footfall.sim.run import Run
from footfall.sim.sensing import Sensing
from footfall.sim.settings import Setting, altered, applied, goal_of, in_turn, layers_of, settle, step_of
from footfall.sim.stepping import Stepping
from footfall.sim.study import Study
from footfall.world import Change, Load, Push, World

CHUNK = 2000  # steps between looks at the clock
EARLY = (Outcome.FELL, Outcome.STOPPED, Outcome.BURIED, Outcome.GROUNDLESS)  # that a replay meets again
LONGEST = 1e6  # s that a call may ask for


def simulate(
    study: Study | Robot,
    controller: Controller | None = None,
    world: World | None = None,
    *,
    progress: Callable[[float], None] | None = None,
    lift: bool = False,
    **more: Any,
) -> Run:
    """Run a study, or a robot with a controller in a world (`seconds`, `q`, `v`, `dt`, `record_dt` as in Study).

    `lift` puts a robot that starts in the ground, or without `q` above it, onto the ground. `progress` is told the time reached.
    """
    known = {field.name for field in fields(Study)}
    for name in more:
        if name not in known:
            raise UnknownNameError("field (of a study)", name, known)
    if isinstance(study, Robot):
        study = Study(study, world or World(), controller, **more)
    elif not isinstance(study, Study):
        raise SimulationError(
            "simulate takes a Study, such as ff.studies.load('stand-push'), or a Robot, such as ff.robots.load('wendlandt'), "
            f"got {study!r:.80}"
        )
    elif controller or world or more:
        given: dict[str, Any] = {"controller": controller, "world": world}
        study = replace(study, **{key: value for key, value in given.items() if value is not None}, **more)
    _check_pelvis_is_known(study)
    simulation = Simulation(study, lift=lift)
    simulation.advance(study.seconds, progress)
    return simulation.run()


def _check_pelvis_is_known(study: Study) -> None:
    """A walking law on sensors that do not tell where the pelvis is, or which feet touch, needs an estimator above it.

    A `Simulation` is not checked, as its caller may set the goal of the law between its steps.
    """
    first = next(iter(layers_of(study.controller)), None)
    if first is None or first.Goal is not Estimate or any(goal_of(study, each.name) for each in study.settings):
        return
    base = tuple(f"{joint.name}." for joint in study.robot.layout.joints if joint.kind == "free")
    unseen = [each for each in study.sensors if isinstance(each, Unmeasured)]
    hidden = [name for each in unseen for name in each.names if name.startswith(base)]
    hidden += ["contacts" for each in unseen if each.contacts]
    if hidden:
        name = type(first).__name__
        raise SimulationError(
            f"{name} walks by what it sees of pelvis and contacts, and its sensors leave {', '.join(hidden)} unmeasured; put an "
            f"estimator above it: Layered((LegOdometry(), {name}(...))), or leave out the sensor Unmeasured"
        )


class Simulation(Stepping):
    """A run under way, on whichever engine the study names: it can be advanced bit by bit, pushed and changed between.

    `step` advances it by one period of control, with torques from outside if it is given any.
    """

    def __init__(self, study: Study, lift: bool = False, keep: float | None = None, *, engine: Any = None):
        """`engine`, an Engine or its name, takes the place of the study's. `keep` (s) is for a run without end: rows and events
        older than that are forgotten, and `run()` has the last ones.

        The study stays whole, so `simulate(simulation.run().study)` has all rows.
        """
        study = study if engine is None else replace(study, engine=engine)
        self._original, self._start, self._lift, self._keep = study, (study.q, study.v), lift, keep
        self.robot = study.robot
        self.rollout = study.engine.start(study, *study.start(), lift)
        self.study = replace(study, q=tuple(self.rollout.q.tolist()), v=tuple(self.rollout.v.tolist()))
        self.now = altered(self.study, settings=())  # the study as it is at present
        self._done = 0  # settings that took effect
        for _, later in in_turn(self.now, self.study.settings):
            self.rollout.check_change(later)
        self.sensing = Sensing(self.study, self.rollout) if study.sensors or "sensors" in study.record else None
        source: Any = self.sensing or self.rollout
        asked = altered(study.controller, rate=1.0 / study.dt) if is_live(study.controller) else study.controller
        self.runtime = ControlRuntime(asked, self.study.model, source, study.gravity, study.dt)
        self.sensors = [self.sensing.call()] if self.sensing else []
        self.kept = ControlRecord(self.study, self.runtime.memory) if any(name in WANTED for name in study.record) else None
        self.chain = Chain([*self.sensors, *self.runtime.calls, *([self.kept.call()] if self.kept else [])], self.robot.space)
        if keep is not None:
            self._keep_last(keep)
        self.outcome, self.reason, self.wall = Outcome.END, "reached the end", 0.0
        self._busy = threading.Lock()
        self._moving, self._ahead = False, 0.0  # s: asked for, but not simulated yet
        self._begin_stepping()

    def _keep_last(self, keep: float) -> None:
        if isinstance(keep, bool) or not isinstance(keep, Real) or not 0.0 < keep <= LONGEST:
            raise SimulationError(f"keep must be a number of seconds above 0 and up to {LONGEST:g}, got {keep!r:.60}")
        rows = max(2, math.ceil(keep / self.study.record_dt))
        for record in (self.rollout, self.sensing, self.kept):
            if record is not None:
                record.keep_last(rows)

    def __reduce__(self) -> Any:
        raise SimulationError(
            "a Simulation cannot be copied or pickled, as compiled code works on its memory; keep state(), which can be, and "
            "restore() it into another Simulation of the same study"
        )

    def __repr__(self) -> str:
        return f"<Simulation of {self.study.name or self.robot.name!r} at {self.time:g} s>"

    @property
    def time(self) -> float:
        return float(max(self.rollout.step, 0) * self.study.dt)

    @property
    def happened(self) -> list[Event]:
        """The events so far."""
        return list(self._again().rollout.events) if self.restored else self.rollout.events

    def advance(self, seconds: float, progress: Callable[[float], None] | None = None) -> None:
        """Go on for so long, or until the robot falls. Ctrl-C ends it with the run so far.

        It can go on from there, unless Ctrl-C came while a law in Python was at work: what that had written down is half done.
        Parts of a step are carried over to the next call, so that many short calls take as much time as one long one.
        """
        if not self._busy.acquire(blocking=False):  # it is called by its controller, or by another thread
            self._refuse("advance")
        try:
            self._check_can_go_on()
            self._advance(seconds, progress)
        finally:
            self._busy.release()

    def _advance(self, seconds: float, progress: Callable[[float], None] | None) -> None:
        if isinstance(seconds, bool) or not isinstance(seconds, Real) or not 0.0 <= seconds <= LONGEST:
            raise SimulationError(f"advance takes a number of seconds from 0 to {LONGEST:g}, got {seconds!r:.60}")
        self._end(Outcome.END, "reached the end")
        asked = float(seconds) + self._ahead
        steps = round(asked / self.study.dt)
        self._ahead = asked - steps * self.study.dt
        self._go(steps, progress)

    def _go(self, steps: int, progress: Callable[[float], None] | None = None) -> None:
        """So many steps."""
        self._set_aside()
        last = max(self.rollout.step, 0) + steps
        self._reserve(last)
        self._moving, halt = True, None
        began = wall_clock.perf_counter()
        try:
            if self.rollout.step < 0:  # compiles, if need be, which is not part of the time it takes
                halt = self.rollout.advance(self.chain.control, 0)
                began = wall_clock.perf_counter()
            while halt is None and self.rollout.step < last:
                until = min(last, self._apply_settings())
                halt = self.rollout.advance(self.chain.control, min(until - self.rollout.step, CHUNK))
                if progress:
                    progress(self.time)
        except KeyboardInterrupt:
            self._end(Outcome.INTERRUPTED, f"interrupted at {self.time:.3f} s")
            self._ahead = 0.0
        finally:
            self._moving = False
        self.wall += wall_clock.perf_counter() - began
        if halt is not None:
            self._finish(halt)

    def _reserve(self, last: int) -> None:
        for record in (self.rollout, self.sensing, self.kept):
            if record is not None:
                record.reserve(last)

    def _check_can_go_on(self, what: str = "advance") -> None:
        self._check_at_rest(what)
        if self.outcome not in (Outcome.END, Outcome.INTERRUPTED) or self.runtime.failure is not None:
            half = " within a law in Python, which is half done" if self.outcome is Outcome.INTERRUPTED else ""
            raise SimulationError(f"this run cannot go on: it {self._was()}{half}; {self._way_on()}")

    def _check_at_rest(self, what: str) -> None:
        if self._moving:
            self._refuse(what)

    @staticmethod
    def _refuse(what: str) -> None:
        raise SimulationError(f"{what} cannot be called while the simulation advances, for instance by its controller")

    def _was(self) -> str:
        return f"was {self.reason}" if self.outcome in (Outcome.STOPPED, Outcome.INTERRUPTED) else self.reason

    def _way_on(self) -> str:
        back = self.rollout.stepwise and self._keep is None
        return "reset() begins again" + (", and restore() goes back to a state() taken before" if back else "")

    def _end(self, outcome: Outcome, reason: str) -> None:
        self.outcome, self.reason = outcome, reason

    def _finish(self, halt: Halt) -> None:
        """It ended before its time: keep how, and raise what is an error, with what there is of the run."""
        if halt.outcome is Outcome.STOPPED:
            self._fail()
            return
        self._end(halt.outcome, halt.reason)
        if halt.error:
            error = SimulationError(halt.error)
            error.run = self.run()
            raise error from halt.cause

    def _fail(self) -> None:
        """A controller stopped the run: say which, when and why, and keep what there is. It may have been Ctrl-C."""
        at, asked = (self.rollout.step + 1) * self.study.dt, self.chain.asked - len(self.sensors)
        if asked >= 0:
            self.runtime.hear(asked)
        if isinstance(self.runtime.failure, KeyboardInterrupt):
            self._end(Outcome.INTERRUPTED, f"interrupted at {at:.3f} s")
            return
        self._end(Outcome.STOPPED, f"stopped by its controller at {at:.3f} s")
        error = self.runtime.complaint(asked, at)
        error.run = self.run()
        raise error from self.runtime.failure

    # --- changes on the way -------------------------------------------------------------------------------------------------

    def add(self, *items: Push | Load | Change) -> None:
        """More pushes, loads or changes of the ground, from now on; they become part of the study, for replays."""
        self._check_at_rest("add")
        for item in items:
            name = {Push: "pushes", Load: "loads", Change: "changes"}.get(type(item))
            if name is None:
                raise SimulationError(f"a Push, a Load or a Change can be added, got {item!r:.60}")
            if item.start < self.time - 1e-9:
                what = type(item).__name__
                raise SimulationError(f"{what}: it should begin at {item.start:g} s, but it is {self.time:g} s already")
            if self.rollout.step == 0 and not isinstance(item, Push) and item.start < self.study.dt:
                raise SimulationError(
                    f"{type(item).__name__}: the first instant is over; let it begin at {self.study.dt:g} s or later, "
                    "or add it before the run begins"
                )
            longer = [_added(study, name, item) for study in (self.study, self.now)]
            self._change(longer[1])
            self.study = longer[0]

    def set(self, name: str, value: Any) -> None:
        """Another value for a parameter, a goal or a part of the world from now on, by dotted name: `set("world.gravity", 1.62)`.

        A controller sees it when it is next asked, the world has it in the next step. It becomes part of the study, for replays.
        Before the first instant it changes the study itself.
        """
        self._check_can_go_on("set")
        if not isinstance(name, str):
            raise SimulationError(f"set takes the dotted name of what shall change, such as 'world.gravity', got {name!r:.60}")
        if self.rollout.step < 0:
            self._begin_with(name, value)
            return
        self._apply_settings()
        rows = self.study.settings
        last = rows[self._done - 1].time if self._done else 0.0
        setting = settle(self.now, Setting(max(self.time, last), name, value))
        self._take(setting)
        self.study = altered(self.study, settings=(*rows[: self._done], setting, *rows[self._done :]))
        self._done += 1

    def _begin_with(self, name: str, value: Any) -> None:
        """Set it before the first instant."""
        if goal := goal_of(self.now, name):
            if goal.parameter is None:
                raise SimulationError(f"{goal.name} can be set once the run has begun; advance(0.0) begins it")
            name = goal.name.replace("goal.", "")
        study = altered(self.study, q=self._start[0], v=self._start[1])
        fresh = Simulation(applied(study, settle(self.now, Setting(0.0, name, value), begun=False)), self._lift, self._keep)
        vars(self).update(vars(fresh))

    def _apply_settings(self) -> float:
        """Let settings of the study take effect that are due. Returns the instant of the next one."""
        rows, dt = self.study.settings, self.study.dt
        while self._done < len(rows) and step_of(rows[self._done], dt) <= self.rollout.step:
            try:
                self._take(rows[self._done])
            except FootfallError as failure:
                self._end(Outcome.STOPPED, f"stopped at {self.time:.3f} s: {rows[self._done].name} could not be set")
                error = SimulationError(f"at {self.time:.4f} s {rows[self._done].name} could not be set: {failure}")
                error.run = self.run()
                raise error from failure
            self._done += 1
        return step_of(rows[self._done], dt) if self._done < len(rows) else math.inf

    def _take(self, setting: Setting) -> None:
        """Let a setting take effect; one that is refused changes nothing."""
        if goal := goal_of(self.now, setting.name):
            self.runtime.set_goal(goal.layer, goal.field.name, setting.value)
        else:
            self._change(applied(self.now, setting))

    def _change(self, study: Study) -> None:
        """Go on with another study; one that is refused changes nothing."""
        was, self._changed = self.now, True
        self._set_aside()
        if self.outside and study.controller != was.controller:
            raise SimulationError(
                "its torques come from outside: nothing of its controller can be set while the run is under way"
            )
        self.rollout.check_change(study)
        if self.sensing:
            self.sensing.change(study)
        if not self.outside and (
            study.controller != was.controller or study.gravity != was.gravity or study.robot is not was.robot
        ):
            self.runtime.change(study.controller, study.model, study.gravity)
            self.chain.replace(len(self.sensors), self.runtime.calls)
        if study.world is not was.world or study.robot is not was.robot:
            self.rollout.change(study)
            if self.sensing:
                self.sensing.refresh()
        self.now = study

    def run(self, last: float | None = None) -> Run:
        """The run so far; it begins with the instant at the start. With `last`, only the rows of the last so many seconds."""
        if self.rollout.step < 0 and self.outcome is Outcome.END and not self._moving:
            self.advance(0.0)
        if self.restored:
            return self._again().run(last)
        early = self.outcome in EARLY  # its study says for how long it would have gone on
        study = altered(self._asked(), seconds=max(self.study.seconds, self.time + self.study.dt) if early else self.time)
        wall = self.wall if self.began is None else wall_clock.perf_counter() - self.began
        ended: dict[str, Any] = {"outcome": self.outcome, "reason": self.reason, "wall": wall}
        every = max(1, round(self.study.record_dt / self.study.dt))
        newest = None if last is None else int(last / (every * self.study.dt)) + 1
        series = self.rollout.series(newest)
        rows = (self.rollout.step + every) // every
        records = [record for record in (self.sensing, self.kept) if record is not None]
        more = {name: column for record in records for name, column in record.series(rows, newest).items()}
        named = {column.name: column.labels for column in self.kept.columns if column.labels} if self.kept else {}
        since = -math.inf if last is None else self.time - last
        events = tuple(self.rollout.events if last is None else [each for each in self.rollout.events if each.time >= since])
        about: dict[str, Any] = {"study": study, "pads": self.rollout.pads, "events": events}
        return Run(**series, more=more, labels=named, **about, **ended)


def _added(study: Study, name: str, item: Any) -> Study:
    """A study with one more push, load or change. Of many pushes only the new one is checked."""
    longer: dict[str, Any] = {name: (*getattr(study.world, name), item)}
    if name != "pushes":
        return replace(study, world=replace(study.world, **longer))
    World(pushes=(item,)).check_on(study.robot, study.dt)
    return altered(study, world=altered(study.world, **longer))
