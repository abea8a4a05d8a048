"""One study, run again and again with other pushes: it is built once, and many runs are one call into compiled code.

Every run is that of `simulate`, bit for bit. What such a run is not (a law in Python, sensors, another ground on the way) is left
to `simulate`.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import partial
from typing import Any

import numpy as np

from footfall.control.controller import ControlError
from footfall.core.again import Again, run_all
from footfall.core.call import KernelCall
from footfall.core.contact.loop import DONE, FELL
from footfall.core.ground import USER
from footfall.core.jit import SETTINGS, Kernel
from footfall.engines import TimeStepping
from footfall.engines.contact.happened import Naming
from footfall.engines.contact.rollout import fell
from footfall.engines.events import Outcome
from footfall.errors import FootfallError, SimulationError
from footfall.sim.control_runtime import law_of
from footfall.sim.run import Run
from footfall.sim.settings import altered, layers_of
from footfall.sim.simulate import Simulation
from footfall.sim.state import Memory
from footfall.sim.study import Study
from footfall.sim.whole import whole
from footfall.world import World

EVENTS = 1024  # of a run; one with more is run alone
SECONDS = 0.1  # of work in a call, after which Ctrl-C is heard
MOST = 64  # runs in a call
LARGEST = 2**28  # bytes of their records
OF_WORLD = tuple(field.name for field in fields(World) if field.name != "pushes")
OF_STUDY = tuple(field.name for field in fields(Study) if field.name != "world")


def can_be_again(study: Study) -> bool:
    """Whether a study has nothing that only `simulate` can do."""
    world = study.world
    return (
        type(study.engine) is TimeStepping
        and not (study.sensors or study.settings or study.record or world.changes or world.loads or world.bonded)
        and not SETTINGS.DISABLE_JIT
        and is_compiled(study)
        and world.terrain.ground().kind != USER
    )


def is_compiled(study: Study) -> bool:
    """Whether no law of it is plain Python, which would hold Python's lock."""
    return all(isinstance(law_of(layer), Kernel) for layer in layers_of(study.controller))


class AgainAndAgain:
    """A study that is built, to be run with other numbers of its pushes."""

    def __init__(self, study: Study):
        self.study = study
        simulation = Simulation(study)
        rollout: Any = simulation.rollout
        self._alive, self._study = simulation, simulation.study
        memory = simulation._remembered()  # all that is due at the start is done
        pushes = rollout.data.pushes
        self._changed = Memory(pushes.force, pushes.start, pushes.end)
        record = sorted(rollout.record._asdict().items(), key=lambda each: -each[1].itemsize)  # so that all stay aligned
        self._names = [name for name, _ in record]
        self._written = [rollout.clock.step, *(array for _, array in record)]
        self._written_parts = np.array([(array.ctypes.data, array.nbytes) for array in self._written], np.int64)
        self._sizes = [array.nbytes for array in self._written]
        self._naming: Naming = rollout.naming
        self._steps = round(study.seconds / study.dt)
        self._every = rollout.clock.record_every
        address, words = KernelCall(_loop_of(rollout), study.robot.space).ready(*rollout._arguments(simulation.chain.control), -1)
        self._start, noted = memory.read(), rollout.noted
        self._words, self._memory, self._noted = words, memory, noted
        self._again = Again(
            loop=address,
            frame=words.ctypes.data,
            words=words,
            steps=self._steps,
            parts=memory.parts,
            start=self._start.ctypes.data,
            changed=self._changed.parts,
            given=np.zeros((0, 0), np.uint8),
            written=self._written_parts,
            rooms=np.zeros(0, np.int64),
            noted=noted.count,
            events=noted.rows.ctypes.data,
            row=noted.rows[:1].nbytes,
            most=EVENTS,
            event_rooms=np.zeros(0, np.int64),
            counts=np.zeros(0, np.int64),
            status=np.zeros(0, np.int64),
        )
        self._call = KernelCall(run_all, "planar")
        self._cost = 0.0  # s

    def fits(self, study: Study) -> bool:
        """Whether a study differs in the numbers of its pushes at most."""
        ours, theirs = self.study.world, study.world
        return (
            all(getattr(study, name) is getattr(self.study, name) or _equal(study, self.study, name) for name in OF_STUDY)
            and all(getattr(theirs, name) is getattr(ours, name) or _equal(theirs, ours, name) for name in OF_WORLD)
            and [(push.on, push.at) for push in theirs.pushes] == [(push.on, push.at) for push in ours.pushes]
        )

    @property
    def ahead(self) -> int:
        """How many runs make a call."""
        room = max(1, LARGEST // max(sum(self._sizes), 1))
        return max(1, min(MOST, room, int(SECONDS / self._cost) if self._cost else 1))

    def runs(self, studies: Sequence[Study]) -> list[tuple[Run | None, str]]:
        """The runs of studies that fit, as `simulate` makes them, and what broke them off."""
        n, size = len(studies), sum(self._sizes)
        given = np.array([self._pushes(study) for study in studies]).reshape(n, -1).view(np.uint8).reshape(n, -1)
        rooms = [np.empty(size, np.uint8) for _ in range(n)]
        events = [np.empty((EVENTS, 5)) for _ in range(n)]
        counts, status = np.zeros(n, np.int64), np.zeros(n, np.int64)
        addresses = (np.array([room.ctypes.data for room in each], np.int64) for each in (rooms, events))
        ask = self._again._replace(given=given, counts=counts, status=status)._replace(
            rooms=next(addresses), event_rooms=next(addresses)
        )
        began = time.perf_counter()
        self._call(ask)
        self._cost = (time.perf_counter() - began) / n
        found = zip(studies, rooms, events, counts.tolist(), status.tolist(), strict=True)
        return [self._run(*each) if self._is_whole(*each[3:]) else alone(each[0]) for each in found]

    @staticmethod
    def _is_whole(count: int, status: int) -> bool:
        """Whether there is no error to tell of, and all events are there."""
        return status in (DONE, FELL) and count <= EVENTS

    def _pushes(self, study: Study) -> np.ndarray:
        """The numbers of its pushes, as they stand one after the other in the arrays of the loop."""
        pushes = study.world.pushes
        force = [x for push in pushes for x in push.force]
        return np.array([*force, *(push.start for push in pushes), *(push.end for push in pushes)])

    def _run(self, study: Study, room: np.ndarray, events: np.ndarray, count: int, status: int) -> tuple[Run, str]:
        step = int(room[:8].view(np.int64)[0])
        rows, at, series = (step + self._every) // self._every, self._sizes[0], {}
        for name, array, size in zip(self._names, self._written[1:], self._sizes[1:], strict=True):
            series[name] = room[at : at + size].view(array.dtype).reshape(array.shape)[:rows]
            at += size
        now = float(max(step, 0) * study.dt)
        noted = events[:count].copy()
        outcome, reason, seconds = Outcome.END, "reached the end", now
        if status == FELL:
            halt = fell(now, self._naming.named(*noted[-1].tolist()))
            outcome, reason, seconds = halt.outcome, halt.reason, max(study.seconds, now + study.dt)
        asked = altered(study, q=self._study.q, v=self._study.v, seconds=seconds)
        about: dict[str, Any] = {"study": asked, "pads": self._naming.pads, "outcome": outcome, "reason": reason}
        made = Run.with_late_events(partial(self._naming.all_named, noted), **series, **about, wall=self._cost)
        return made, ""


def _loop_of(rollout: Any) -> Any:
    return rollout._loop._kernel


def _equal(one: Any, other: Any, name: str) -> bool:
    """Whether two small parts are the same; of robots and controllers it would take too long to tell."""
    mine, theirs = getattr(one, name), getattr(other, name)
    return isinstance(mine, bool | int | float | str | tuple | None) and mine == theirs


class Built:
    """Runs of many studies, neighbours that are alike in one call. What was built last is kept for the next ones."""

    def __init__(self) -> None:
        self._last: AgainAndAgain | None = None

    def runs(self, studies: Sequence[Study]) -> Iterator[tuple[Run | None, str]]:
        """Each run and what broke it off, in their order; no run if it was refused."""
        k = 0
        while k < len(studies):
            count = self._alike(studies[k:])
            if count and self._last:
                yield from self._last.runs(studies[k : k + count])
            else:
                yield alone(studies[k])
            k += max(count, 1)

    def _alike(self, studies: Sequence[Study]) -> int:
        """How many of the first studies can be run together; 0 if the first one must be run alone."""
        if self._last is None or not self._last.fits(studies[0]):
            if len(studies) < 2 or not can_be_again(studies[0]):
                return 0
            try:
                built = AgainAndAgain(studies[0])
            except FootfallError:  # `alone` says why
                return 0
            if not built.fits(studies[1]):
                return 0
            self._last = built
        most = self._last.ahead
        return next((k for k, study in enumerate(studies[:most]) if not self._last.fits(study)), min(most, len(studies)))


def alone(study: Study) -> tuple[Run | None, str]:
    """A run by itself, and what broke it off."""
    try:
        return whole(study), ""
    except (SimulationError, ControlError) as error:
        return error.run, str(error)
    except FootfallError as error:
        return None, str(error)
