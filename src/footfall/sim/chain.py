"""All that the compiled loop calls at an instant, one after the other: sensors, layers of control, their record."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import types

from footfall.core.contact.decide import Control, Layers, ask_layers, decide
from footfall.core.frame import kind_of, reader, words
from footfall.core.jit import SETTINGS
from footfall.world.pointer import Pointer, python_pointer

CALL = types.int64(types.float64, types.int64)


class Call(NamedTuple):
    """A function that the loop calls by its address, with the time and a number."""

    tick: int  # steps from one call to the next
    pointer: Pointer
    frame: int
    alive: Any = None  # what is at that address and where that points to: it must live as long as the loop may call


class Chain:
    """Calls in a row. The loop is handed the only one, or `decide`, which makes all of them."""

    def __init__(self, calls: Sequence[Call], space: str):
        self._calls, self._space = tuple(calls), space
        table = np.array([(call.tick, call.pointer.address, call.frame) for call in calls], np.int64).reshape(-1, 3)
        tick, law, frame = np.ascontiguousarray(table.T)
        self._layers = Layers(tick, law, frame, np.zeros(1, np.int64), np.full(1, -1, np.int64))
        self._words = words(self._layers)
        self._whole = self._pointer() if len(calls) > 1 else None
        self._control: Control | None = None

    def replace(self, first: int, calls: Sequence[Call]) -> None:
        """Other calls from a place on, as many as there were."""
        every, self._control = list(self._calls), None
        every[first : first + len(calls)] = calls
        self._calls = tuple(every)
        for i, call in enumerate(self._calls):
            self._layers.tick[i], self._layers.law[i], self._layers.frame[i] = call.tick, call.pointer.address, call.frame

    @property
    def control(self) -> Control:
        """What the loop is handed, the same thing each time."""
        if self._control is None:
            self._control = self._handed()
        return self._control

    def _handed(self) -> Control:
        if self._whole:
            return Control(1, self._whole.address, self._words.ctypes.data)
        return Control(*(int(row[0]) for row in self._layers[:3])) if self._calls else Control(0, 0, 0)

    @property
    def remembered(self) -> tuple[np.ndarray, ...]:
        """What it keeps from instant to instant."""
        return self._layers.step, self._layers.asked

    @property
    def asked(self) -> int:
        """The place of the call that was made last."""
        return int(self._layers.asked[0])

    def _pointer(self) -> Pointer:
        if SETTINGS.DISABLE_JIT:
            return python_pointer(self._plainly, CALL)
        frame: Any = reader(kind_of(self._layers))
        return Pointer(decide.law_address(self._space, ask_layers, frame, CALL), CALL, decide)

    def _plainly(self, time: float, where: int) -> int:  # noqa: ARG002
        return int(decide.plain(self._space)(self._layers, time)) + 1
