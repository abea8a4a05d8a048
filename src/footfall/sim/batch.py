"""Many runs of one kind that go on together: one call into compiled code steps all of them, on all cores."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

from footfall.control.external import names
from footfall.core.call import KernelCall
from footfall.core.contact.loop import DONE
from footfall.core.frame import words
from footfall.core.jit import SETTINGS
from footfall.core.many import Jobs, Rows, Shown, look, look_at, no_inputs, step_all
from footfall.core.network import Inputs
from footfall.core.outside import UNDONE
from footfall.engines.events import Outcome
from footfall.errors import SimulationError
from footfall.sim.outside import driven
from footfall.sim.simulate import Simulation
from footfall.sim.stepping import Beginning, whole_number
from footfall.sim.study import Study

FEW = 8  # runs for which another thread is not worth its while
MOST = 1_000_000  # runs


class Batch:
    """Simulations with torques from outside that are stepped together.

    They may be of different studies, as long as their robots have the same coordinates, motors and contacts. What there is to see
    of all of them is in arrays with a row for each run, after every step: `time`, `q`, `v`, `force`, `mode`, `tau`, and the
    numbers that `inputs` names in `x`. The arrays are the same at every step; copy what shall stay.
    """

    def __init__(self, simulations: Sequence[Simulation], inputs: Inputs | None = None, threads: int | None = None):
        self.simulations = list(simulations)
        if not 1 <= len(self.simulations) <= MOST or not all(isinstance(each, Simulation) for each in self.simulations):
            raise SimulationError(f"a batch is made of one or more Simulations, got {simulations!r:.60}")
        self._check_alike()
        self.threads = min(_cores() if threads is None else threads, 1 + (len(self.simulations) - 1) // FEW)
        self.inputs = inputs or no_inputs()
        for each in self.simulations:
            if each.outside is None:
                each._take_over()
            if each.rollout.step < 0:
                each._go(0)
                each._make_ready()
        n, first = len(self.simulations), self.simulations[0]
        seen = first.rollout.observe()
        self._rows = Rows(
            time=np.zeros(n),
            q=np.zeros((n, len(seen.q))),
            v=np.zeros((n, len(seen.v))),
            force=np.zeros((n, *seen.force.shape)),
            mode=np.zeros((n, len(seen.mode)), np.int64),
            tau=np.zeros((n, len(seen.v))),
            inputs=np.zeros((n, len(self.inputs.kind))),
        )
        whole = [np.zeros(n, np.int64) for _ in range(3)]
        values = np.zeros((n, len(first.robot.actuated)))
        self._jobs = Jobs(whole[0], whole[1], values, whole[2], np.zeros(1, np.int64), np.zeros(1, np.int64))
        self._shown: list[tuple] = [()] * n
        self._call, self._look = KernelCall(step_all, "planar"), KernelCall(look_at, "planar")
        self._wanted = np.zeros(n, np.int64)
        self._pool: ThreadPoolExecutor | None = None
        self._process = 0
        self.look(range(n))

    @classmethod
    def of(cls, study: Study, count: int, **more: Any) -> "Batch":
        """So many runs of one study, all from its start."""
        if type(count) is not int or not 1 <= count <= MOST:
            raise SimulationError(f"a batch has from 1 to {MOST:,} runs, got {count!r:.60}")
        return cls([Simulation(driven(study)) for _ in range(count)], **more)

    def _check_alike(self) -> None:
        """All rows have the same meaning."""
        first = self.simulations[0]
        for k, each in enumerate(self.simulations):
            if not each.rollout.stepwise:
                each._refuse_steps()
            a, b = first.robot, each.robot
            if (a.coordinates, a.velocities, list(a.actuated)) != (b.coordinates, b.velocities, list(b.actuated)) or (
                first.rollout.pads != each.rollout.pads
            ):
                raise SimulationError(
                    f"run {k} of a batch, of robot {b.name!r}, has other coordinates, motors or contacts than the first, of "
                    f"robot {a.name!r}; make a batch of each"
                )

    def __len__(self) -> int:
        return len(self.simulations)

    def __repr__(self) -> str:
        return f"<Batch of {len(self)} runs of {self.simulations[0].study.name or self.simulations[0].robot.name!r}>"

    # --- what there is to see ---------------------------------------------------------------------------------------------

    @property
    def time(self) -> np.ndarray:
        """(runs,) s"""
        return self._rows.time

    @property
    def q(self) -> np.ndarray:
        """(runs, nq) coordinates."""
        return self._rows.q

    @property
    def v(self) -> np.ndarray:
        """(runs, nv) velocities."""
        return self._rows.v

    @property
    def force(self) -> np.ndarray:
        """(runs, contacts, 2 or 3) of the ground on the feet, N."""
        return self._rows.force

    @property
    def mode(self) -> np.ndarray:
        """(runs, contacts) of the feet: 0 open, 1 sticks, 2 slides."""
        return self._rows.mode

    @property
    def tau(self) -> np.ndarray:
        """(runs, nv) that the motors applied in the last step, N m or N."""
        return self._rows.tau

    @property
    def x(self) -> np.ndarray:
        """(runs, n) the numbers that `inputs` names."""
        return self._rows.inputs

    @property
    def going(self) -> np.ndarray:
        """(runs,) whether each run can go on."""
        return np.array([each.outcome is Outcome.END for each in self.simulations])

    # --- steps ------------------------------------------------------------------------------------------------------------

    def step(self, values: Any, steps: int | None = None, only: Any = None) -> np.ndarray:
        """Go on by one period of control, or by so many steps of `dt`, with a row of torques (or targets) for each run.

        Runs that have ended stay as they are, and so do those that are not in `only`, a row of booleans. Returns (runs,) whether
        each can go on.
        """
        jobs, going = self._jobs, self.going
        jobs.values[:] = self._checked(values)
        jobs.steps[0] = 0 if steps is None else whole_number(steps)
        taken = going if only is None else going & np.asarray(only, bool)
        self._find_desks()
        jobs.desk[~taken] = 0
        self._step_all()
        left = np.flatnonzero((jobs.status != DONE) & taken).tolist()
        try:
            for k in left:
                self._step_in_python(k, steps)
                going[k] = self.simulations[k].outcome is Outcome.END
        finally:
            self.look(left)
        return going

    def _step_all(self) -> None:
        """One call, which every thread makes."""
        self._jobs.status[:], self._jobs.next[0] = UNDONE, 0
        if SETTINGS.DISABLE_JIT or not self._jobs.desk.any():
            return
        self._call.write(self._jobs, self.inputs, self._rows)
        with self._helped():
            self._call.again()

    @contextmanager
    def _helped(self) -> Iterator[None]:
        """The other threads are at the same work meanwhile, and have left it in the end."""
        if self.threads < 2:
            yield
            return
        if self._pool is None or self._process != os.getpid():  # threads do not come along into a process that was forked
            self._pool, self._process = ThreadPoolExecutor(self.threads - 1, "footfall batch"), os.getpid()
        helpers = [self._pool.submit(self._call.again) for _ in range(self.threads - 1)]
        try:
            yield
        finally:
            for each in helpers:
                if not each.cancel():
                    each.result()

    def _step_in_python(self, k: int, steps: int | None) -> None:
        """What compiled code leaves to Python: the first step, the last one, and what is due between."""
        each = self.simulations[k]
        try:
            each._step(self._jobs.values[k], steps, int(self._jobs.status[k]))
        except SimulationError:
            if each.outcome is not Outcome.DIVERGED:
                raise

    def _checked(self, values: Any) -> np.ndarray:
        wanted = self._jobs.values
        first: Any = self.simulations[0]
        try:
            found = np.asarray(values, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise SimulationError(f"{first.outside.what} must be rows of numbers, got {values!r:.80}") from None
        if found.shape != wanted.shape:
            raise SimulationError(
                f"{first.outside.what} must have a row for each of {len(self)} runs with {wanted.shape[1]} numbers "
                f"({names(first.robot)}), got shape {found.shape}"
            )
        if not np.isfinite(found).all():
            k, i = np.argwhere(~np.isfinite(found))[0]
            raise SimulationError(f"{first.outside.what} must be finite, but number {i} of run {k} is {found[k, i]}")
        return found

    # --- beginnings -------------------------------------------------------------------------------------------------------

    def rewind(self, beginnings: Mapping[int, Beginning]) -> None:
        """Let runs begin again, each (by its number) from its beginning."""
        for k, beginning in beginnings.items():
            self.simulations[k].rewind(beginning)
        self.look(beginnings)

    def look(self, which: Iterable[int]) -> None:
        """See again what some runs do, after something else than `step` moved them."""
        self._wanted[:] = 0
        for k in which:
            self._wanted[k] = 1
            self._show(k)
        if SETTINGS.DISABLE_JIT:
            for k in which:
                look.plain("planar")(self._shown[k][1], self.inputs, self._rows, k)
        else:
            self._look(self._wanted, self._jobs.shown, self.inputs, self._rows)

    def _find_desks(self) -> None:
        """Where the runs stand; somebody may have moved them by other ways meanwhile."""
        self._jobs.desk[:] = [each._where for each in self.simulations]
        for k, each in enumerate(self.simulations):
            if self._shown[k][0] is not each.rollout.data:
                self._show(k)

    def _show(self, k: int) -> None:
        """Write down for compiled code where to see run k."""
        each = self.simulations[k]
        if not self._shown[k] or self._shown[k][0] is not each.rollout.data:
            seen = (each.sensing or each.rollout).observe()
            parts: Any = (*each.rollout.shown(), int(each.sensing is not None), *seen[1:])
            shown = Shown(*parts)
            written = words(shown)
            self._shown[k] = each.rollout.data, shown, written
            self._jobs.shown[k] = written.ctypes.data

    def close(self) -> None:
        """End its threads. Without it they end with the process."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
