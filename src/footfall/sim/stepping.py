"""A simulation as a loop of the user's own: read the state, give torques, go on by a step, go back."""

import time as wall_clock
from dataclasses import replace
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall.core.contact.loop import DONE
from footfall.core.jit import SETTINGS
from footfall.core.law import Observation
from footfall.core.outside import UNDONE, ready_step
from footfall.engines.events import Outcome
from footfall.errors import FootfallError, SimulationError
from footfall.model import state as checked
from footfall.sim.outside import AHEAD, Outside, driven, is_live, period_of
from footfall.sim.settings import altered, step_of
from footfall.sim.state import Memory, State, mark_of
from footfall.sim.study import Study

if TYPE_CHECKING:
    from footfall.sim.simulate import Simulation

LONGEST = 1_000_000_000  # steps that a call may ask for


class Beginning(NamedTuple):
    """A start that a simulation can be put back to: the study with it, and all that it remembers before the first instant."""

    study: Study
    numbers: np.ndarray  # uint8


class Contacts(NamedTuple):
    """What the contacts of the feet do."""

    names: tuple[str, ...]  # foot/part
    force: np.ndarray  # (contacts, 2 or 3) of the ground on the robot, N
    mode: np.ndarray  # (contacts,) 0 open, 1 sticks, 2 slides


def _not_ready(where: int, values: Any, steps: int) -> int:  # noqa: ARG001
    return UNDONE


class Stepping:
    """What makes a simulation a loop."""

    study: Study
    robot: Any
    rollout: Any
    outside: Outside | None
    restored: bool  # rows and events before the present are those of another way here
    _give: Any  # the compiled step
    _where: int  # and where it finds what it needs

    def _begin_stepping(self: Any) -> None:
        self._give, self._where, self.restored, self._first, self._changed = _not_ready, 0, False, None, False
        self._memory: Memory | None = None
        self._parts: tuple = ()  # what it holds
        self._replayed: Any = None
        self.began: float | None = None  # on the clock: the first step with torques from outside
        self.outside: Outside | None = None
        if is_live(self.study.controller):
            if not self.rollout.stepwise:
                self._refuse_steps()
            self.outside = Outside(self.study.controller, self.rollout, self.runtime.layers[0].params, self.period)

    def _set_aside(self) -> None:
        """Nothing compiled steps on before Python has looked again."""
        self._give, self._where, self._replayed = _not_ready, 0, None

    # --- what there is to see ---------------------------------------------------------------------------------------------

    @property
    def period(self) -> int:
        """The steps of one period of control: that of the last layer of its controller, or one step."""
        return period_of(self.study)

    @property
    def q(self) -> np.ndarray:
        """(nq,) coordinates now, a copy."""
        return self._seen().q.copy()

    @property
    def v(self) -> np.ndarray:
        """(nv,) velocities now, a copy."""
        return self._seen().v.copy() if self.rollout.step < 0 else self.rollout.velocity()

    @property
    def contacts(self) -> Contacts:
        """The contacts of the feet."""
        rollout = self._begun().rollout
        seen = rollout.observe()
        return Contacts(rollout.pads[: len(seen.mode)], seen.force.copy(), seen.mode.astype(np.int64))

    @property
    def observation(self) -> Observation:
        """What a controller sees now, through the study's sensors; copies, which stay as they are."""
        begun: Any = self._begun()
        seen = (begun.sensing or begun.rollout).observe()
        v = seen.v.copy() if begun.sensing else begun.rollout.velocity()
        return Observation(begun.time, seen.q.copy(), v, *(array.copy() for array in seen[3:]))

    def _seen(self) -> Any:
        if not self.rollout.stepwise:
            self._refuse_steps()
        return self.rollout if self.rollout.step < 0 else self.rollout.observe()

    def _begun(self: Any) -> Any:
        """This simulation at its first instant or later. Before that it is not decided who drives it: then another one, at the
        first instant with motors that are off.
        """
        if self.rollout.step >= 0:
            return self
        if not self.rollout.stepwise:
            self._refuse_steps()
        if self.outside:
            self._go(0)
            return self
        if self._first is None:
            self._first = self._from_outside()
            self._first._go(0)
        return self._first

    def _refuse_steps(self) -> None:
        raise SimulationError(
            f"engine {type(self.study.engine).__name__} computes a motion ahead, from event to event: it has no steps, no "
            "torques from outside and no state to go back to; advance() it, and look at run()"
        )

    # --- steps ------------------------------------------------------------------------------------------------------------

    def step(self, torques: Any = None, steps: int | None = None) -> bool:
        """Go on by one period of control, or by so many steps of `dt`. Returns whether the run can go on after it.

        `torques` (N m, or N of sliding joints), one for each driven degree of freedom in the order of `robot.actuated`, act from
        the middle of the first step on, within the limits of the motors, until others are given; they take the place of the
        study's controller. Without torques its controller goes on, or the torques given last are held.
        """
        count = 0 if steps is None else steps if type(steps) is int and steps > 0 else -1
        try:
            status = self._give(self._where, torques, count)
        except TypeError:  # no array of floats
            status = UNDONE
        if status == DONE:
            return True
        return self._step(torques, steps, status)

    def _step(self: Any, torques: Any, steps: int | None, status: int) -> bool:
        """A step with all that compiled code leaves to Python."""
        if not self._busy.acquire(blocking=False):
            self._refuse("step")
        try:
            if self.outside and self.outside.busy[0]:  # by another thread
                self._refuse("step")
            if status != UNDONE:
                return self._came_back(status)
            self._check_can_go_on("step")
            count = self.period if steps is None else whole_number(steps)
            if torques is None:
                self._end(Outcome.END, "reached the end")
                self._go(count)
            else:
                if self.outside is None:
                    self._take_over()
                values = self.outside.checked(torques)
                self.began = self.began or wall_clock.perf_counter()
                self._end(Outcome.END, "reached the end")
                if self.rollout.step < 0:
                    self._go(0)
                self.outside.give(values)
                self._go(count)
            self._make_ready()
            return self.outcome is Outcome.END
        finally:
            self._busy.release()

    def _came_back(self: Any, status: int) -> bool:
        """The compiled step ended early, or there is no room for more events."""
        halt = self.rollout.came_back(status)
        if halt is not None:
            self._set_aside()
            self._finish(halt)
            return False
        if left := int(self.outside.target[0]) - self.rollout.step:
            self._go(left)
        self._make_ready()
        return self.outcome is Outcome.END

    def _make_ready(self: Any) -> None:
        """Let compiled code make the next steps by itself, as far as nothing is due that it cannot do."""
        if not self.outside or self.outcome is not Outcome.END or SETTINGS.DISABLE_JIT:
            return
        rows, dt = self.study.settings, self.study.dt
        last = self.rollout.step + AHEAD
        self._reserve(last)
        direct = self.rollout.direct(self.chain.control)
        if direct is None or self._keep is not None:
            return
        due = step_of(rows[self._done], dt) if self._done < len(rows) else last
        self._where = self.outside.desk(direct, min(due, last))
        self._give = ready_step(self.robot.space)

    def _take_over(self: Any) -> None:
        """From now on torques come from outside."""
        if not self.rollout.stepwise:
            self._refuse_steps()
        if self.rollout.step >= 0:
            has = f"{type(self.study.controller).__name__} drives this run" if self.study.controller else "motors are off"
            raise SimulationError(
                f"{has} since its first instant: torques can be given from the first step on; reset() begins again"
            )
        busy = self._busy
        vars(self).update(vars(self._first or self._from_outside()))
        self._busy = busy

    def _from_outside(self: Any) -> "Simulation":
        """The simulation of this study with torques from outside."""
        return type(self)(altered(driven(self.study), q=self._start[0], v=self._start[1]), self._lift, self._keep)

    def _asked(self) -> Study:
        """The study with all that was given from outside."""
        return altered(self.study, controller=self.outside.played(self.study.dt)) if self.outside else self.study

    # --- back to the start, or to a state ---------------------------------------------------------------------------------

    def reset(self: Any, seed: int | None = None, q: Any = None, v: Any = None) -> None:
        """Begin again, without what was added or set since: from the study's start or from another, with the same or another seed
        of its sensors' noise. A run with torques from outside stays one.
        """
        self._check_at_rest("reset")
        changes: dict[str, Any] = {}
        if seed is not None:
            changes["seed"] = replace(self.study, seed=seed).seed
        if q is not None:
            changes["q"] = tuple(checked.coordinates(self.robot, q).tolist())
        if v is not None:
            changes["v"] = tuple(checked.velocities(self.robot, v).tolist())
        busy = self._busy
        vars(self).update(vars(type(self)(altered(self._original, **changes), self._lift, self._keep)))
        self._busy = busy

    def rewind(self: Any, beginning: Beginning) -> None:
        """Begin again, quickly, from a beginning of the same study, with torques from outside. Its study may have another seed
        and other numbers of its pushes.
        """
        self._check_at_rest("rewind")
        study, rollout = beginning.study, self.rollout
        if not self.outside or self._changed or study.settings or self._keep is not None or not rollout.can_rewind(study):
            fresh = type(self)(study)
            if fresh.outside is None:
                fresh._take_over()
            vars(self).update({**vars(fresh), "_busy": self._busy})
        else:
            self._remembered().write(beginning.numbers)
            rollout.rewind(study)
            if self.sensing:
                self.sensing.reseed(study.seed)
            for layer in self.runtime.layers:
                layer.failure = None
            self.study = altered(study, controller=self.study.controller)
            self._original = self.now = self.study
            self._start, self._done, self._ahead = (study.q, study.v), 0, 0.0
            self.restored, self._replayed, self.wall, self.began = False, None, 0.0, None
            self.outside.forget()
            self._end(Outcome.END, "reached the end")
        self._go(0)
        self._make_ready()

    def state(self: Any) -> State:
        """All that it remembers now. It can be pickled, and `restore` of any simulation of the same study takes it."""
        self._check_at_rest("state")
        if not self.rollout.stepwise:
            self._refuse_steps()
        trail = self.outside.trail if self.outside else None
        if trail:
            trail.lent = True
        about: dict[str, Any] = {"trail": trail, "rows": int(trail.count[0]) if trail else 0, "study": self.study}
        if self.rollout.step < 0:
            return State(0.0, -1, np.zeros(0, np.uint8), 0, 0.0, **about)
        self._check_can_go_on("state")
        numbers = self._remembered().read()
        return State(self.time, self.rollout.step, numbers, self._done, self._ahead, **about)

    def restore(self: Any, state: State) -> None:
        """Be as a simulation of the same study was when it gave this state, also in another process. What follows is the same,
        bit for bit; a law in Python is asked to keep all that it remembers in its `State`.
        """
        self._check_at_rest("restore")
        if not isinstance(state, State):
            raise SimulationError(f"restore takes what state() gave, got {state!r:.60}")
        if self._keep is not None:
            raise SimulationError("a run that keeps its last rows only (`keep`) cannot go back")
        self._check_of_this_study(state)
        if state.step < 0:
            fresh = type(self)(altered(self.study, q=self._start[0], v=self._start[1]), self._lift)
            vars(self).update({**vars(fresh), "_busy": self._busy, "_original": self._original})
            return
        if self.rollout.step < 0 or (self._done, self._era(self.rollout.step)) != (state.done, self._era(state.step)):
            self._begin_at(state)
        memory = self._remembered()
        if memory.size != len(state.numbers):
            raise SimulationError(
                f"this state has {len(state.numbers)} bytes, and the simulation {memory.size}: another version of "
                "Footfall made it"
            )
        memory.write(state.numbers)
        self.rollout.resume()
        for layer in self.runtime.layers:
            layer.failure = None
        self._end(Outcome.END, "reached the end")
        self._ahead, self.restored, self._replayed = state.ahead, True, None
        if self.outside and state.trail:
            self.outside.trail = state.trail.branch(state.rows)
            self._set_aside()

    def beginning(self: Any) -> Beginning:
        """Where it begins, before its first instant and with torques from outside, for `rewind`."""
        if self.rollout.step >= 0:
            raise SimulationError("this simulation has begun already; a beginning is taken from a new one")
        if self.outside is None:
            self._take_over()
        return Beginning(self.study, self._remembered().read())

    def _remembered(self: Any) -> Memory:
        """The arrays that are remembered, after all that is due has been done."""
        params = tuple(layer.params for layer in self.runtime.layers)  # a law may work in arrays of its own there
        parts = *self.rollout.moving(), *params
        if self._memory is None or len(parts) != len(self._parts) or not all(map(is_, parts, self._parts)):
            sensors = (self.sensing.bank, self.sensing.seen) if self.sensing else ()
            kept = (self.kept.kept.row,) if self.kept else ()
            self._parts = parts
            self._memory = Memory(parts, sensors, kept, self.runtime.memory, self.chain.remembered)
        return self._memory

    def _era(self: Any, step: int) -> int:
        """How many changes of the ground have taken effect."""
        now = (step + 0.5) * self.study.dt
        return sum(change.at <= now for change in self.study.world.changes)

    def _check_of_this_study(self: Any, state: State) -> None:
        if state.trail is not None and self.outside is None:
            if self.rollout.step >= 0:
                raise SimulationError(
                    "this state is of a run with torques from outside, and its controller drives this one; reset() it first"
                )
            self._take_over()
        if state.study is not self.study and state.mark != mark_of(self.study, state.step >= 0):
            raise SimulationError(
                f"this state is of another study than {self.study.name or self.study.robot.name!r}, or of the same one before "
                "something was added or set; it can be restored in Simulation(simulation.study), of the simulation that gave it"
            )

    def _begin_at(self: Any, state: State) -> None:
        """Begin again, with all settings that had taken effect by then."""
        study = self.study
        fresh = type(self)(study, self._lift, self._keep)
        for setting in study.settings[: state.done]:
            fresh._take(setting)
            fresh._done += 1
        fresh._reserve(state.step + 1)
        fresh.rollout.clock.step[0] = state.step
        fresh.rollout.resume()
        vars(self).update({**vars(fresh), "_busy": self._busy, "_original": self._original, "study": study})

    def _again(self: Any) -> Any:
        """The same run from its start, in one go: after `restore`, rows and events before it are not its own."""
        if self._replayed is None or self._replayed.rollout.step != self.rollout.step:
            fresh = type(self)(self._asked())
            try:
                early = self.outcome is not Outcome.END
                fresh.advance(self.time + (self.study.dt if early else 0.0))
            except FootfallError:
                if fresh.outcome is not self.outcome:
                    raise
            self._replayed = fresh
        return self._replayed


def whole_number(steps: Any) -> int:
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or not 1 <= steps <= LONGEST:
        raise SimulationError(f"step takes a whole number of steps from 1 to {LONGEST:,}, got {steps!r:.60}")
    return int(steps)
