"""A rollout by time stepping: one crossing into compiled code from one change of the world to the next."""

from bisect import bisect_right
from typing import Any

import numpy as np

from footfall.core.call import KernelCall
from footfall.core.contact import loop
from footfall.core.contact.decide import Control
from footfall.core.contact.loop import Clock, Log
from footfall.core.contact.record import Events, Record
from footfall.core.ground import INTERRUPTED, Ground
from footfall.core.jit import SETTINGS
from footfall.core.law import Observation
from footfall.core.sensors.sense import Truth
from footfall.engines.contact.build import (
    build_pushes,
    build_settings,
    build_sim_data,
    compliant_feet,
    contact_columns,
    ground_below,
    has_edges,
    origin_of,
    pads_of,
    set_mobility,
    with_edges,
    world_acceleration,
)
from footfall.engines.contact.fall import fall_marks
from footfall.engines.contact.joints import check_joints, with_joints
from footfall.engines.contact.start import TOUCHING, check_stops, gaps_of, place
from footfall.engines.contact.tally import build_tally, set_motors
from footfall.engines.engine import Direct, Halt, Rollout, Scenario, unmeasured
from footfall.engines.events import EVENTS, Event, Outcome
from footfall.engines.series import blank, check_size, in_order, room
from footfall.errors import SimulationError, UnknownNameError
from footfall.evaluate import Evaluation
from footfall.model.layout import lift as lifted
from footfall.model.layout import lower
from footfall.world import Compliant, Contact, Load, Terrain

ENDED = 4  # steps after which a push leaves nothing behind
BOND = 1e-3  # m: a bonded foot holds with the pads that are nearer to the ground than this


class ContactRollout(Rollout):
    """A robot that the compiled loop moves."""

    def __init__(self, study: Scenario, q: np.ndarray, v: np.ndarray, lift: bool):
        self.study, self.robot, self.v = study, study.robot, v
        check_stops(self.robot, q)
        self.data, self.pads = build_sim_data(study, q, v)
        self.q = place(study, self.data, self.pads, lift)
        self.marks, self.mark_names = fall_marks(self.robot, study.world)
        record_every = max(1, round(study.record_dt / study.dt))
        self.clock = Clock(np.full(1, -1, dtype=np.int64), np.zeros(1), np.zeros(1, dtype=np.int64), study.dt, record_every)
        self.record = self._record(round(study.seconds / study.dt) // record_every + 1)
        self.tally = build_tally(self.robot, self.pads, len(self.data.constraints.dof))
        self.noted = Events(np.zeros(1, dtype=np.int64), np.zeros((4096, 5)))
        self._events: list[Event] = []
        self._feet = len(pads_of(self.robot))  # contacts of feet; those of other links come after
        self._nameless: list[np.ndarray] = []  # rows of events since
        self._bounded = False
        self._pushes: dict[int, Any] = {}  # what was worked out for each
        self._loop = KernelCall(loop.advance, self.robot.space)
        self._changes, self._applied = _schedule(study), -1  # and the step of those that took effect last
        self._ground = study.world.terrain, study.world.contact
        self._bond(self.data.motion.q)

    @property
    def step(self) -> int:
        return int(self.clock.step[0])

    @property
    def time(self) -> float:
        return float(max(self.step, 0) * self.study.dt)

    def observe(self) -> Observation:
        motion, resultant = self.data.motion, self.data.resultant
        contacts = resultant.force[: self._feet], resultant.mode[: self._feet]
        return Observation(0.0, motion.q_world, motion.v_now, *contacts, *unmeasured(self.robot))

    def velocity(self) -> np.ndarray:
        motion = self.data.motion
        return motion.v - 0.5 * self.clock.ahead[0] * motion.a if self.step >= 0 else motion.v.copy()

    def shown(self) -> tuple:
        motion, contacts = self.data.motion, self.observe()
        v = motion.v, motion.a, self.clock.ahead
        return self.clock.step, self.study.dt, motion.q_world, *v, contacts.force, contacts.mode, self.data.joints.applied

    def truth(self) -> Truth:
        motion, resultant, work, contact = self.data.motion, self.data.resultant, self.data.work, self.data.contact
        contacts = resultant.force, resultant.point, self.data.geometry.body, contact.r_BC_W
        return Truth(motion.q_world, motion.v_now, *contacts, work.R_WB, work.p_WB, work.A_WB)

    def apply(self) -> tuple[np.ndarray, np.ndarray]:
        return self.data.motion.tau, self.data.joints.servo

    # --- the record -------------------------------------------------------------------------------------------------------

    def _record(self, rows: int) -> Record:
        check_size(self.robot, self.pads, rows, self.study.record_dt)
        return Record(**blank(self.robot, self.pads, rows))

    def keep_last(self, rows: int) -> None:
        self.record, self._bounded = self._record(rows), True

    def reserve(self, step: int) -> None:
        rows = step // self.clock.record_every + 1
        if not self._bounded and rows > len(self.record.time):
            size = sum(array[:1].nbytes for array in self.record)
            bigger = self._record(room(rows, len(self.record.time), size))
            for old, new in zip(self.record, bigger, strict=True):
                new[: len(old)] = old
            self.record = bigger

    def series(self, last: int | None = None) -> dict[str, Any]:
        rows = (self.step + self.clock.record_every) // self.clock.record_every
        return {name: in_order(array, rows, last) for name, array in self.record._asdict().items()}

    # --- going on ---------------------------------------------------------------------------------------------------------

    def advance(self, control: Control, steps: int) -> Halt | None:
        last, begun = max(self.step, 0) + steps, self.step >= 0
        while not begun or self.step < last:
            if halt := self._apply_changes():
                return halt
            here = max(self.step, 0)
            until = min([last, *(at for at in self._changes if at > here)]) if begun else here
            try:
                status = self._call(control, until - here)
            finally:  # Ctrl-C while the loop ran is raised here
                self._collect()
            begun = True
            if halt := self.came_back(status):
                return halt
        return None

    def came_back(self, status: int) -> Halt | None:
        self._collect()
        return None if status in (loop.DONE, loop.FULL) else self._halt(status)

    def _call(self, control: Control, steps: int) -> int:
        return self._loop(*self._arguments(control), steps)

    def _arguments(self, control: Control) -> tuple:
        return self.data, control, self.log

    def direct(self, control: Control) -> Direct | None:
        if SETTINGS.DISABLE_JIT or self._bounded:
            return None
        room = len(self.record.time) * self.clock.record_every - 1
        due = self.step in self._changes and self._applied != self.step
        clear = -1 if due else min([room, *(at for at in self._changes if at > self.step)])
        return Direct(*self._loop.ready(*self._arguments(control), -1), self.clock.step, clear)

    def moving(self) -> tuple:
        if halt := self._apply_changes():
            raise SimulationError(halt.error)
        self._collect()
        data, clock = self.data, self.clock
        parts = data.work, data.contact, data.geometry, data.joints, data.tendons, data.constraints, data.motion, data.resultant
        return clock.step, clock.ahead, clock.jolted, self.tally, data.tree.rigid, data.pushes.on, *parts

    def resume(self) -> None:
        self.noted.count[0], self._applied = 0, -1
        now = (self.step + 0.5) * self.study.dt
        ground = self.study.world.terrain_at(now), self.study.world.contact_at(now)
        if ground != self._ground:
            self.data = self.data._replace(ground=ground_below(ground[0], self.robot, self.data.motion.q_offset))
            self._ground = ground

    def can_rewind(self, study: Scenario) -> bool:
        at_its_place = np.array_equal(
            origin_of(self.robot, study.start()[0]), self.data.motion.q_offset
        )  # the ground is seen from there
        return at_its_place and not study.world.changes and len(study.world.pushes) == len(self.data.pushes.body)

    def rewind(self, study: Scenario) -> None:
        self.study, self._applied = study, -1
        self.noted.count[0], self._events = 0, []
        self._nameless.clear()
        self.q, self.v = study.start()
        for k, push in enumerate(study.world.pushes):
            self.data.pushes.force[k], self.data.pushes.start[k], self.data.pushes.end[k] = push.force, push.start, push.end

    @property
    def log(self) -> Log:
        """The arrays that the loop records into."""
        return Log(self.clock, self.record, self.tally, self.noted, self.marks)

    def _halt(self, status: int) -> Halt:
        if status == loop.GROUND_FAILED:
            return self._lose_ground()
        if status == loop.CONTROL:
            self.clock.step[0] -= 1  # the instant at which a controller failed is not part of the run
            return Halt(Outcome.STOPPED, "")
        if status == loop.FELL:
            return Halt(Outcome.FELL, f"fell at {self.time:.3f} s: {self._fall()}")
        v = self.data.motion.v
        worst = self.robot.velocities[int(np.argmax(np.where(np.isfinite(v), np.abs(v), np.inf)))]
        error = (
            f"the simulation diverged at {self.time:.4f} s: {worst!r} moves at {v[self.robot.velocities.index(worst)]:.3g}; "
            f"a smaller step than {self.study.dt:g} s or softer control may help"
        )
        return Halt(Outcome.DIVERGED, f"diverged at {self.time:.4f} s", error)

    def _fall(self) -> str:
        """What a fall was."""
        fall = self._named(*self._nameless[-1][-1]) if self._nameless else self.events[-1]  # the loop notes it last
        low = fall.numbers.get("lowest m")
        return f"{fall.which} touched the ground" if low is None else f"{fall.which} was lower than {low:g} m above the ground"

    def _lose_ground(self) -> Halt:
        """A terrain that is a function failed: say which, when and where. It may have been Ctrl-C, after which it can go on."""
        ground, at = self.data.ground, self.time
        if ground.numbers[0] == INTERRUPTED:
            ground.numbers[0] = 0.0
            raise KeyboardInterrupt
        self.clock.step[0] -= 1  # this instant is not part of the run
        self._events = [event for event in self.events if event.time <= self.time]
        failure = ground.call.complaint()
        error = f"at {at:.4f} s {failure}"
        return Halt(Outcome.GROUNDLESS, f"lost its ground at {at:.3f} s", error, failure.__cause__)

    def _collect(self) -> None:
        """Take over the events that the loop noted. They get their names when someone asks for them."""
        if count := int(self.noted.count[0]):
            self._nameless.append(self.noted.rows[:count].copy())
            self.noted.count[0] = 0
        if self._bounded and (events := self.events) and events[0].time < self.time - self._span:
            del events[: bisect_right(events, self.time - self._span, key=lambda event: event.time)]

    @property
    def events(self) -> list[Event]:
        """In the order of time; a slide is noted when it has gone far enough, later than it began."""
        if self.noted.count[0]:
            self._collect()
        if self._nameless:
            found = [self._named(*row) for rows in self._nameless for row in rows.tolist()]
            self._nameless.clear()
            at = bisect_right(self._events, min(event.time for event in found), key=lambda event: event.time)
            self._events[at:] = sorted(self._events[at:] + found, key=lambda event: event.time)
        return self._events

    def _named(self, time: float, kind: float, which: float, first: float, second: float) -> Event:
        label, index = EVENTS[int(kind)], int(which)
        if label == "stop":
            name, numbers = self.robot.velocities[self.data.constraints.dof[index]], {"coordinate": first, "velocity": second}
        elif label == "fall":
            name, bound = self.mark_names[index], index - len(self.marks.body)
            numbers = {"lowest m": float(self.marks.lowest[bound])} if bound >= 0 else {}
        elif label.startswith("hinge"):
            name, numbers = self.robot.loops[index].name, {"force N": first, "energy lost J": second}
        else:
            name, numbers = self.pads[index], {}
            if label == "touch-down":
                numbers = {"normal velocity m/s": first}
            elif label == "slip ends":
                numbers = {"slid m": first}
            elif label == "impact":
                numbers = {"impulse N s": first, "energy lost J": second}
        return Event(time, label, name, numbers)

    @property
    def _span(self) -> float:
        """The time (s) of which a bounded record holds rows."""
        return float(len(self.record.time) * self.clock.record_every * self.study.dt)

    # --- the world as it is from now on -----------------------------------------------------------------------------------

    def check_change(self, study: Scenario) -> None:
        check_joints(self.robot, study.robot, self.q)
        has_edges(study.world)  # asks every ground that there will be
        if study.world.bodies != self.study.world.bodies:
            raise SimulationError(
                "world.bodies cannot be set while a run is under way: what can touch is recorded from the beginning"
            )
        if self.step < 0:
            return
        now = (self.step + 0.5) * study.dt
        ground = study.world.terrain_at(now), study.world.contact_at(now)
        if ground != self._ground and not isinstance(ground[1], Compliant):
            pad, depth = self._deepest(ground_below(ground[0], self.robot, self.data.motion.q_offset), look_only=True)
            if depth > TOUCHING:
                raise SimulationError(
                    f"this ground would have {pad!r} {depth:.4g} m inside it at {self.time:.4f} s; let it sink or change where "
                    "no foot stands, or make it Compliant"
                )

    def change(self, study: Scenario) -> None:
        before, world, here, edges = self.study, study.world, max(self.step, 0), has_edges(study.world)
        self._events = self.events  # what happened has its names from the world as it was
        self._changes, self._applied = sorted({here, *_schedule(study)}), -1
        self.study = study
        if study.robot is not self.robot:
            self.robot, self._pushes = study.robot, {}
            self.data = with_joints(self.data, self.robot, self.q, study.dt)
            set_motors(self.tally.motors, self.robot)
        if np.any(study.gravity_vector != before.gravity_vector):
            work, dim = self.data.work, self.robot.dim
            work.a_bias[0, :dim] = work.A_WB[0, :dim] = world_acceleration(study)
            self.data = self.data._replace(**build_settings(study))
        if any(getattr(world, name) != getattr(before.world, name) for name in ("falls", "lowest_base", "lowest_com")):
            self.marks, self.mark_names = fall_marks(self.robot, world)
        past = (here - ENDED) * study.dt
        pushes = [push for push in world.pushes if push.end > past]
        self.data = self.data._replace(pushes=build_pushes(self.robot, pushes, self._pushes))
        if edges and not has_edges(before.world):
            self.data = with_edges(self.data, self.robot, world)
            self._set_contact(self._ground[1])

    def _bond(self, q: np.ndarray) -> None:
        """Pads of bonded feet are held where they touch now; those that do not touch are free."""
        pads, contact = self.data.geometry, self.data.contact
        gaps = gaps_of(self.robot, self.data, q)
        for k in np.flatnonzero(pads.bonded):
            pads.bonded[k] = gaps[k] < BOND
            if pads.bonded[k]:
                contact.mode[k], contact.closed[k], contact.sticks[k], contact.anchored[k] = 1, 1, 1, 0

    def _apply_changes(self) -> Halt | None:
        """Loads and ground as they are from now on."""
        here = max(self.step, 0)
        if here not in self._changes:
            return None
        world, now, self._applied = self.study.world, (here + 0.5) * self.study.dt, here
        self.data.tree.rigid[:] = self.robot.tree.rigid
        for load in world.loads:
            if load.start <= now < load.end:
                self._load(load)
        ground = world.terrain_at(now), world.contact_at(now)
        if ground == self._ground:
            return None
        halt = self._change_ground(*ground)
        self._ground = ground
        return halt

    def _change_ground(self, terrain: Terrain, contact: Contact) -> Halt | None:
        """Another ground below the robot; one that would cut into a foot is refused, unless it gives way."""
        self.data = self.data._replace(ground=ground_below(terrain, self.robot, self.data.motion.q_offset))
        self.data.contact.feature[:], self.data.contact.nearing[0] = -1, 1
        self._set_contact(contact)
        name, depth = self._deepest(self.data.ground)
        if depth <= TOUCHING or isinstance(contact, Compliant):
            return None
        error = (
            f"the ground that is there from {self.time:.4f} s on has {name!r} {depth:.4g} m inside it; "
            "let it sink or change where no foot stands, or make it Compliant"
        )
        return Halt(Outcome.BURIED, f"the ground rose into {name} at {self.time:.3f} s", error)

    def _set_contact(self, contact: Contact) -> None:
        pads = [self.pads[owner] for owner in self.data.geometry.owner]
        for name, column in contact_columns(self.robot, contact, pads).items():
            getattr(self.data.geometry, name)[:] = column
        set_mobility(self.robot, self.data.geometry, self.q)

    def _deepest(self, ground: Ground, look_only: bool = False) -> tuple[str, float]:
        """The pad deepest in a ground, and how deep; bonded ones and those of compliant feet do not count.

        Looking only leaves everything as it is.
        """
        data = self.data._replace(ground=ground)
        if look_only:
            data = data._replace(work=copied(data.work), contact=copied(data.contact))
        gaps = gaps_of(self.robot, data, data.motion.q)
        soft = compliant_feet(self.robot)
        gaps[data.geometry.bonded == 1] = 0.0
        gaps[[self.pads[owner].split("/")[0] in soft for owner in data.geometry.owner]] = 0.0
        lowest = int(np.argmin(gaps)) if len(gaps) else 0
        return (self.pads[data.geometry.owner[lowest]], -float(gaps[lowest])) if len(gaps) else ("", 0.0)

    def _load(self, load: Load) -> None:
        """A point mass on a link is part of its body."""
        where, ev = self.robot.target(load.on), Evaluation(self.robot)
        at = where.place if load.at is None else where.place + where.axes @ lifted(load.at)
        self.data.tree.rigid[where.body] += ev.small("point_rigid", load.mass, lower(at, self.robot.space))


def copied(arrays: Any) -> Any:
    """A named tuple of arrays with copies of them."""
    return type(arrays)(*(array.copy() if isinstance(array, np.ndarray) else array for array in arrays))


def _schedule(study: Scenario) -> list[int]:
    """Steps at which something begins or ends."""
    for load in study.world.loads:
        study.robot.target(load.on)
    feet = {foot.name for foot in study.robot.feet}
    for name in study.world.bonded:
        if name not in feet:
            raise UnknownNameError(f"foot (of robot {study.robot.name!r}, to be bonded)", name, feet)
    times = [t for load in study.world.loads for t in (load.start, load.end)] + [change.at for change in study.world.changes]
    return sorted({0, *(int(t / study.dt) + more for t in times for more in (0, 1))})
