"""The state of a run under way: plain data, from which a simulation of the same study goes on, bit for bit."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.control.external import External
from footfall.core.outside import gather, scatter
from footfall.sim.outside import Trail, trail_of
from footfall.sim.settings import altered
from footfall.sim.study import Study
from footfall.sim.study_json import study_text


@dataclass(frozen=True, eq=False)
class State:
    """All that a simulation remembers at an instant. Its numbers are what its arrays hold; they mean nothing elsewhere."""

    time: float  # s
    step: int  # number of the instant, -1 before the first
    numbers: np.ndarray = field(repr=False)  # uint8
    done: int  # settings of the study that took effect
    ahead: float  # s: asked for, but not simulated yet
    trail: Trail | None = field(repr=False)  # what was given from outside, of which
    rows: int  # so many rows of its last part
    study: Study = field(repr=False)

    @property
    def mark(self) -> str:
        """What tells its study from others."""
        return mark_of(self.study, self.step >= 0)

    def __reduce__(self) -> tuple:
        given = self.trail and self.trail.rows(self.rows)
        return _unpacked, (self.time, self.step, self.numbers.tobytes(), self.done, self.ahead, given, self.mark)


@dataclass(frozen=True, eq=False)
class Arrived(State):
    """A state from another process: it brings no study, only its mark."""

    known: str = ""

    @property
    def mark(self) -> str:
        return self.known


def _unpacked(time: float, step: int, numbers: bytes, done: int, ahead: float, given: Any, known: str) -> Arrived:
    trail = trail_of(*given) if given else None
    rows = len(given[0]) if given else 0
    study: Any = None
    return Arrived(time, step, np.frombuffer(numbers, np.uint8), done, ahead, trail, rows, study, known)


def mark_of(study: Study, begun: bool) -> str:
    """A digest of all of a study that its motion depends on, what was given from outside taken aside; before the first instant
    it is not decided yet who drives it.
    """
    controller = study.controller if begun else None
    live = isinstance(controller, External)
    if isinstance(controller, External):
        controller = External(stiffness=controller.stiffness, damping=controller.damping)
    data = json.loads(study_text(altered(study, controller=controller, seconds=0.0, record=(), name="")))
    data["lost"] = sorted(data["lost"])
    named = "External" if live else type(controller).__qualname__
    return hashlib.sha256(json.dumps([named, data], sort_keys=True).encode()).hexdigest()


class Memory:
    """Arrays, copied at once into a row of bytes and back."""

    def __init__(self, *things: Any):
        found = {array.ctypes.data: array for array in _arrays(things) if array.size}
        self._alive = list(found.values())
        self.parts = np.array([(at, array.nbytes) for at, array in found.items()], np.int64).reshape(-1, 2)
        self.size = int(self.parts[:, 1].sum())

    def read(self) -> np.ndarray:
        into = np.empty(self.size, np.uint8)
        gather["planar"](self.parts, into.ctypes.data, 0)
        return into

    def write(self, numbers: np.ndarray) -> None:
        scatter["planar"](self.parts, numbers.ctypes.data, 0)


def _arrays(thing: Any) -> Iterator[np.ndarray]:
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, tuple | list):
        for part in thing:
            yield from _arrays(part)
