"""What controllers remember and follow, recorded by name beside the other series of a run.

`controller.state.part` is the field `part` of the state of the controller. Among several layers the class says whose it is:
`controller.Simbicon.state.part`; where a class is there more than once, with the place of the layer: `controller.Lead0.goal.x`.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from footfall.control.fields import Block, Field, sizes_of
from footfall.core.contact.keep import Kept, ask_keep, keep
from footfall.core.frame import kind_of, reader, words
from footfall.core.jit import SETTINGS
from footfall.engines.series import LARGEST, in_order, room
from footfall.errors import SimulationError
from footfall.model.robot import Robot
from footfall.sim.chain import CALL, Call
from footfall.sim.settings import layer_names, layers_of
from footfall.sim.study import Study
from footfall.world.pointer import Pointer, python_pointer

WANTED = {"controller": ("state", "goal"), "controller.state": ("state",), "controller.goal": ("goal",)}


class Column(NamedTuple):
    """One number of a state or goal."""

    name: str
    dtype: Any
    labels: tuple[str, ...] = ()  # what its values are called, if they have names


def _columns(study: Study) -> list[tuple[Column, int]]:
    """Columns, and where among the words of all layers each stands."""
    wanted = {kind for name in study.record for kind in WANTED.get(name, ())}
    robot, pads, at, found = study.robot, tuple(study.engine.pads(study.robot)), 0, []
    for part, layer in zip(layers_of(study.controller), layer_names(study.controller), strict=True):
        for kind, declared in (("state", part.State), ("goal", part.Goal)):
            block = Block(type(part).__name__, declared, sizes_of(robot, len(pads)))
            begin = ".".join(word for word in ("controller", layer, kind) if word)
            for field in block.fields:
                for name in _names(field, block.shapes[field.name], robot, pads):
                    if kind in wanted:
                        found.append((Column(f"{begin}.{name}", field.kind, field.labels), at))
                    at += 1
    return found


def _names(field: Field, shape: tuple[int, ...], robot: Robot, pads: Sequence[str]) -> Iterator[str]:
    """The names of the numbers of a field: by joint, foot or contact where it has one for each."""
    known: dict[Any, Sequence[str]] = {
        "nq": robot.coordinates,
        "nv": robot.velocities,
        "motors": [joint.name for joint in robot.layout.joints if joint.motor is not None],
        "feet": [foot.name for foot in robot.feet],
        "contacts": pads,
        "dim": "xz" if robot.dim == 2 else "xyz",
    }
    axes = [known.get(size) or [str(i) for i in range(count)] for size, count in zip(field.shape, shape, strict=True)]
    return (".".join((field.name, *place)) for place in product(*axes))


class ControlRecord:
    """The record under way: the loop calls it at every recorded instant, after the layers were asked."""

    def __init__(self, study: Study, memory: np.ndarray):
        found = _columns(study)
        if not found:
            who = type(study.controller).__name__ if study.controller else "none"
            wanted = ", ".join(name for name in study.record if name in WANTED)
            raise SimulationError(
                f"study {study.name!r}: it records {wanted}, but its controller ({who}) has nothing of the kind; a class `State` "
                "or `Goal` in it would declare it"
            )
        self.columns, self.places = zip(*found, strict=True)
        self.space, self.every = study.robot.space, max(1, round(study.record_dt / study.dt))
        memory = memory.view(np.int64)
        self.kept = Kept(np.zeros((0, len(memory)), np.int64), memory, np.zeros(1, np.int64))
        self.words, self._bounded = words(self.kept), False

    def call(self) -> Call:
        """What the loop calls."""
        return Call(self.every, self._pointer(), self.words.ctypes.data)

    def _pointer(self) -> Pointer:
        if SETTINGS.DISABLE_JIT:
            return python_pointer(self._plainly, CALL)
        return Pointer(keep.law_address(self.space, ask_keep, reader(kind_of(self.kept)), CALL), CALL, keep)

    def _plainly(self, time: float, where: int) -> int:  # noqa: ARG002
        return int(keep.plain(self.space)(self.kept)) + 1

    def keep_last(self, rows: int) -> None:
        """Record no more than the last rows."""
        self.reserve((rows - 1) * self.every)
        self._bounded = True

    def reserve(self, step: int) -> None:
        """Make room to record up to this step."""
        rows, width = step // self.every + 1, self.kept.rows.shape[1]
        if self._bounded:
            return
        if 8 * rows * width > LARGEST:
            raise SimulationError(
                f"a record of {rows} rows of what controllers remember takes over {LARGEST / 2**30:g} GiB; record less often "
                "(`record_dt`)"
            )
        if rows > len(self.kept.rows):
            bigger = np.zeros((room(rows, len(self.kept.rows), 8 * width), width), np.int64)
            bigger[: len(self.kept.rows)] = self.kept.rows
            kept = self.kept._replace(rows=bigger)
            self._alive = self.kept, kept  # Ctrl-C may come in between
            self.words[:] = words(kept)
            self.kept = kept

    def series(self, rows: int, last: int | None = None) -> dict[str, np.ndarray]:
        """What was recorded by the time of so many rows, or the last ones of it, a column for each number."""
        both = zip(self.columns, self.places, strict=True)
        return {column.name: in_order(self.kept.rows[:, at], rows, last).view(column.dtype) for column, at in both}
