"""simulate(): what happens, in one compiled loop."""

import time as wall_clock
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from footfall.control import Controller
from footfall.core.recursion.kinematics import set_places
from footfall.core.world import loop, maximal
from footfall.core.world.contact import locate
from footfall.core.world.loop import Clock, Events, Record, Tally
from footfall.engines.contact.build import (
    build_machine,
    build_pushes,
    contact_numbers,
    fall_marks,
    ground_below,
    has_edges,
    with_edges,
)
from footfall.engines.events import EVENTS, Event, Outcome
from footfall.engines.maximal import build_bodies, check_world
from footfall.engines.series import LEDGER, blank, row_size
from footfall.errors import SimulationError, UnknownNameError
from footfall.evaluate import Evaluation
from footfall.model.layout import lift, lower
from footfall.model.robot import Robot
from footfall.sim.helm import Helm
from footfall.sim.run import Run
from footfall.sim.study import Study
from footfall.world import Change, Compliant, Contact, Load, Push, Terrain, World

CHUNK = 2000  # steps between looks at the clock
UPRIGHT = 0.05  # of a normal that points up: a face with less is a wall
LARGEST = 8 * 2**30  # bytes of a record
BOND = 1e-3  # m: a bonded foot holds with the pads that are nearer to the ground than this
TOUCHING = 1e-6  # m: a start this deep in the ground is rounding


def simulate(
    study: Study | Robot,
    controller: Controller | None = None,
    world: World | None = None,
    *,
    progress: Callable[[float], None] | None = None,
    lift: bool = False,
    **more: Any,
) -> Run:
    """Run a study, or a robot with a controller in a world (`seconds`, `q`, `v`, `step`, `every` as in Study).

    `lift` puts a robot that starts in the ground, or without `q` above it, onto the ground. `progress` is told the time reached.
    """
    if isinstance(study, Robot):
        study = Study(study, world or World(), controller, **more)
    elif controller or world or more:
        given: dict[str, Any] = {"controller": controller, "world": world}
        study = replace(study, **{key: value for key, value in given.items() if value is not None}, **more)
    simulation = Simulation(study, lift=lift)
    simulation.advance(study.seconds, progress)
    return simulation.run()


class Simulation:
    """A run under way: it can be advanced bit by bit, pushed and changed between."""

    def __init__(self, study: Study, lift: bool = False):
        self.study, self.robot = study, study.robot
        q, v = study.start()
        _check_stops(self.robot, q)
        q = _placed(study, q, lift)
        self.controller = study.controller.start(self.robot, q, study.gravity) if study.controller else None
        self.study = replace(study, q=tuple(q.tolist()), v=tuple(v.tolist()))
        self.machine, self.pads = build_machine(study, q, v)
        self.marks, self.mark_names = fall_marks(self.robot, study.world.falls)
        every = max(1, round(study.every / study.step))
        self.clock = Clock(np.full(1, -1, dtype=np.int64), np.zeros(1), np.zeros(1, dtype=np.int64), study.step, every)
        self.record = self._record(round(study.seconds / study.step) // every + 1)
        pads, rows = len(self.pads), len(self.machine.rows.dof)
        counts = np.zeros(pads, np.uint32), np.zeros(rows, np.uint32)
        self.tally = Tally(np.zeros(len(LEDGER)), np.zeros(pads), np.zeros(pads), *counts, np.zeros(2))
        self.events = Events(np.zeros(1, dtype=np.int64), np.zeros((4096, 5)))
        self.happened: list[Event] = []
        self.helm = Helm(self.controller, self.robot, self.machine, self.pads, study.step)
        self.outcome, self.reason, self.wall = Outcome.END, "reached the end", 0.0
        self._changes = _schedule(study)
        self._ground = study.world.terrain, study.world.contact
        self._bond(self.machine.motion.q)
        self._serve()
        self.bodies = None if study.formulation == "recursive" else build_bodies(study, self.machine)

    # --- parts ------------------------------------------------------------------------------------------------------------

    def _record(self, rows: int) -> Record:
        size = rows * row_size(self.robot, self.pads)
        if size > LARGEST:
            raise SimulationError(
                f"a record of {rows} rows would take {size / 2**30:.3g} GiB, and {LARGEST / 2**30:g} are the most; "
                f"record less often than every {self.study.every:g} s (`every`), or simulate for less time"
            )
        return Record(**blank(self.robot, self.pads, rows))

    def _serve(self) -> None:
        """Tell the motors' servos what to hold."""
        servo = self.controller.servo(self.robot) if self.controller else None
        if servo:
            self.machine.joints.servo[:] = servo.stiffness, servo.goal, servo.damping

    def _bond(self, q: np.ndarray) -> None:
        """Pads of bonded feet are held where they touch now; those that do not touch are free."""
        pads, touch = self.machine.pads, self.machine.touch
        gaps = _gaps(self.robot, self.machine, q)
        for k in np.flatnonzero(pads.bonded):
            pads.bonded[k] = gaps[k] < BOND
            if pads.bonded[k]:
                touch.mode[k], touch.closed[k], touch.sticks[k] = 1, 1, 1
                touch.anchor[k] = self.machine.work.place[pads.body[k]] + touch.arm[k]
                touch.anchor_roll[k], touch.anchored[k] = touch.roll[k], 1

    # --- going on ---------------------------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        return float(max(self.clock.step[0], 0) * self.study.step)

    def advance(self, seconds: float, progress: Callable[[float], None] | None = None) -> None:
        """Go on for so long, or until the robot falls. Ctrl-C ends it with what there is."""
        if self.helm.failure is not None:
            raise SimulationError(f"this run cannot go on: it was {self.reason}")
        if self.outcome is Outcome.INTERRUPTED:
            self._end(Outcome.END, "reached the end")
        self._make_room(seconds)
        last, status = max(int(self.clock.step[0]), 0) + round(seconds / self.study.step), loop.DONE
        if self.clock.step[0] < 0:  # compiles, if need be, which is not part of the time it takes
            self._apply_changes()
            status = self._call(0)
        began = wall_clock.perf_counter()
        try:
            while status == loop.DONE and self.clock.step[0] < last:
                self._apply_changes()
                here = int(self.clock.step[0])
                until = min([last, here + CHUNK, *(at for at in self._changes if at > here)])
                status = self._call(until - here)
                if progress:
                    progress(self.time)
        except KeyboardInterrupt:
            status = loop.DONE
            self._end(Outcome.INTERRUPTED, f"interrupted at {self.time:.3f} s")
        self.wall += wall_clock.perf_counter() - began
        self._finish(status)

    def _make_room(self, seconds: float) -> None:
        """Let the record grow if more is simulated than was foreseen."""
        rows = (max(int(self.clock.step[0]), 0) + round(seconds / self.study.step)) // self.clock.every + 1
        if rows > len(self.record.time):
            bigger = self._record(rows)
            for old, new in zip(self.record, bigger, strict=True):
                new[: len(old)] = old
            self.record = bigger

    def _call(self, steps: int) -> int:
        parts = (self.helm.control, self.clock, self.record, self.tally, self.events, self.marks, steps)
        if self.bodies is None:
            status = _entry(loop.advance[self.robot.space])(self.machine, *parts)
        else:
            status = _entry(maximal.advance[self.robot.space])(self.machine, self.bodies, *parts)
        self._collect()
        if status == loop.CONTROL:
            self.clock.step[0] -= 1  # the instant at which a controller failed is not part of the run
        return loop.DONE if status == loop.FULL else status

    def _finish(self, status: int) -> None:
        if status == loop.CONTROL:
            self._fail()
        if status == loop.DIVERGED:
            v = self.machine.motion.v
            worst = self.robot.velocities[int(np.argmax(np.where(np.isfinite(v), np.abs(v), np.inf)))]
            self._end(Outcome.DIVERGED, f"diverged at {self.time:.4f} s")
            error = SimulationError(
                f"the simulation diverged at {self.time:.4f} s: {worst!r} moves at {v[self.robot.velocities.index(worst)]:.3g}; "
                f"a smaller step than {self.study.step:g} s or softer control may help"
            )
            error.run = self.run()
            raise error
        if status == loop.FELL:
            self._end(Outcome.FELL, f"fell at {self.time:.3f} s: {self.happened[-1].which} touched the ground")

    def _end(self, outcome: Outcome, reason: str) -> None:
        self.outcome, self.reason = outcome, reason

    def _fail(self) -> None:
        """A controller stopped the run: say which, when and why, and keep what there is. It may have been Ctrl-C."""
        at = (int(self.clock.step[0]) + 1) * self.study.step
        if isinstance(self.helm.failure, KeyboardInterrupt):
            self._end(Outcome.INTERRUPTED, f"interrupted at {at:.3f} s")
            return
        self._end(Outcome.STOPPED, f"stopped by its controller at {at:.3f} s")
        error = self.helm.complaint(at)
        error.run = self.run()
        raise error from self.helm.failure

    def add(self, *items: Push | Load | Change) -> None:
        """More pushes, loads or changes of the ground, from now on; they become part of the question, for replays."""
        before = self.study.world
        for item in items:
            name = {Push: "pushes", Load: "loads", Change: "changes"}.get(type(item))
            if name is None:
                raise SimulationError(f"a Push, a Load or a Change can be added, got {item!r:.60}")
            if item.start < self.time - 1e-9:
                what = type(item).__name__
                raise SimulationError(f"{what}: it should begin at {item.start:g} s, but it is {self.time:g} s already")
            longer: dict[str, Any] = {name: (*getattr(self.study.world, name), item)}
            study = replace(self.study, world=replace(self.study.world, **longer))
            if self.bodies is not None and has_edges(study.world) and not has_edges(before):
                raise SimulationError("maximal coordinates: ground with edges must be there, or foreseen, from the start")
            if self.bodies is not None:
                check_world(study)
            self.study = study
        self._changes = _schedule(self.study)
        self.machine = self.machine._replace(pushes=build_pushes(self.robot, self.study.world))
        if has_edges(self.study.world) and not has_edges(before):
            self.machine = with_edges(self.machine, self.robot, self.study.world)

    def _apply_changes(self) -> None:
        """Loads and ground as they are from now on."""
        here = max(int(self.clock.step[0]), 0)
        if here not in self._changes:
            return
        world, now = self.study.world, (here + 0.5) * self.study.step
        self.machine.tree.rigid[:] = self.robot.tree.rigid
        for load in world.loads:
            if load.start <= now < load.end:
                self._load(load)
        ground = world.terrain_at(now), world.contact_at(now)
        if ground != self._ground:
            self._ground = ground
            self._change_ground(*ground)

    def _change_ground(self, terrain: Terrain, contact: Contact) -> None:
        """Another ground below the robot; one that would cut into a foot is refused, unless it gives way."""
        self.machine = self.machine._replace(ground=ground_below(terrain, self.robot, self.machine.motion.away))
        self.machine.touch.feature[:] = -1
        for name, value in contact_numbers(contact).items():
            getattr(self.machine.pads, name)[:] = value
        gaps = _gaps(self.robot, self.machine, self.machine.motion.q)
        gaps[self.machine.pads.bonded == 1] = 0.0
        lowest = int(np.argmin(gaps)) if len(gaps) else 0
        if len(gaps) and gaps[lowest] < -TOUCHING and not isinstance(contact, Compliant):
            name = self.pads[self.machine.pads.owner[lowest]]
            self._end(Outcome.BURIED, f"the ground rose into {name} at {self.time:.3f} s")
            error = SimulationError(
                f"the ground that is there from {self.time:.4f} s on has {name!r} {-gaps[lowest]:.4g} m inside it; "
                "let it sink or change where no foot stands, or make it Compliant"
            )
            error.run = self.run()
            raise error

    def _load(self, load: Any) -> None:
        """A point mass on a link is part of its body."""
        where, ev = self.robot.target(load.on), Evaluation(self.robot)
        at = where.place if load.at is None else where.place + where.axes @ lift(load.at)
        self.machine.tree.rigid[where.body] += ev.small("point_rigid", load.mass, lower(at, self.robot.space))

    def _collect(self) -> None:
        """Events of the loop, with names."""
        rows = self.machine.rows
        for i in range(int(self.events.count[0])):
            time, kind, which, first, second = self.events.rows[i]
            label, numbers = EVENTS[int(kind)], {}
            if label == "stop":
                name = self.robot.velocities[rows.dof[int(which)]]
                numbers = {"coordinate": first, "force": second}
            elif label == "fall":
                name = self.mark_names[int(which)]
            else:
                name = self.pads[int(which)]
                if label == "touch-down":
                    numbers = {"normal velocity m/s": first}
                elif label == "impact":
                    numbers = {"impulse N s": first, "energy lost J": second}
            self.happened.append(Event(float(time), label, name, {key: float(value) for key, value in numbers.items()}))
        self.events.count[0] = 0

    def run(self) -> Run:
        """What there is so far."""
        rows = min((int(self.clock.step[0]) + self.clock.every) // self.clock.every, len(self.record.time))
        series: dict[str, Any] = {name: array[:rows].copy() for name, array in self.record._asdict().items()}
        study = self.study if self.outcome is Outcome.FELL else replace(self.study, seconds=self.time)
        ended: dict[str, Any] = {"outcome": self.outcome, "reason": self.reason, "wall": self.wall}
        return Run(**series, study=study, pads=self.pads, events=tuple(self.happened), **ended)


def _entry(dispatcher: Any) -> Any:
    """The compiled code itself: with the types known, looking at a hundred arrays again would cost a millisecond a call."""
    compiled = list(getattr(dispatcher, "overloads", {}).values())
    return compiled[0].entry_point if len(compiled) == 1 else dispatcher


def _schedule(study: Study) -> list[int]:
    """Steps at which something begins or ends."""
    for load in study.world.loads:
        study.robot.target(load.on)
    feet = {foot.name for foot in study.robot.feet}
    for name in study.world.bonded:
        if name not in feet:
            raise UnknownNameError(f"foot (of robot {study.robot.name!r}, to be bonded)", name, feet)
    times = [t for load in study.world.loads for t in (load.start, load.end)] + [change.at for change in study.world.changes]
    return sorted({0, *(int(t / study.step) + more for t in times for more in (0, 1))})


def _check_stops(robot: Robot, q: np.ndarray) -> None:
    """A start beyond a joint's stop would be thrown back by it."""
    for i, joint in enumerate(robot.layout.joints, start=1):
        if joint.kind in ("revolute", "prismatic"):
            value, (low, high) = float(q[robot.tree.first_q[i]]), joint.limits
            if not low - TOUCHING <= value <= high + TOUCHING:
                raise SimulationError(
                    f"at the start joint {joint.name!r} is at {value:.6g}, beyond its stops at {low:.6g} and {high:.6g}; "
                    "kinematics.within_stops(robot, q) puts it there"
                )


def _placed(study: Study, q: np.ndarray, wanted: bool) -> np.ndarray:
    """The start on the ground: lifted or lowered if asked for, refused if it is inside."""
    machine, names = build_machine(study, q, np.zeros(study.robot.nv))
    if not names or study.world.bonded:
        return q
    gaps = _gaps(study.robot, machine, q - machine.motion.away)
    lowest = int(np.argmin(gaps))
    heights = [i for i, name in enumerate(study.robot.coordinates) if name.endswith(".z")]
    if (wanted or study.q is None) and heights:
        for turn in range(50):  # on ground that is not straight one lift is not enough
            sinks = _sink(gaps, machine.touch.normal[:, -1], 2.0**turn)
            if abs(sinks) < 1e-12 or (turn > 25 and sinks > 0.0):
                break
            q[heights[0]] -= sinks
            gaps = _gaps(study.robot, machine, q - machine.motion.away)
        lowest = int(np.argmin(gaps))
    if gaps[lowest] < -TOUCHING:
        raise SimulationError(
            f"at the start {names[machine.pads.owner[lowest]]!r} is {-gaps[lowest]:.4g} m inside the ground; lift the robot, "
            "or let simulate(..., lift=True) do it"
        )
    return q


def _sink(gaps: np.ndarray, up: np.ndarray, more: float) -> float:
    """How far a robot may sink until a contact touches: gaps are measured along normals, of which this is the part upward.

    Faces that are as good as upright stop nobody from sinking, but who is inside of one comes out above: `more` times as far.
    """
    level = up > UPRIGHT
    over_level = np.where(level, gaps, np.inf) / np.where(level, up, 1.0)
    inside = np.where(~level & (gaps < -TOUCHING), gaps * more, np.inf)
    return float(min(over_level.min(), inside.min()))


def _gaps(robot: Robot, machine: Any, q: np.ndarray) -> np.ndarray:
    """Of all pads; q counts from where the machine does."""
    set_places.plain(robot.space)(machine.tree, machine.work, q)
    locate.plain(robot.space)(machine.ground, machine.pads, machine.touch, machine.work)
    return machine.touch.gap.copy()
