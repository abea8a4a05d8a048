"""Quantities that are known from places and velocities: all that were asked for so far, worked out at once for each state."""

from operator import is_
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.control.algorithm.build import Built
from footfall.control.algorithm.expression import Atom, Expression
from footfall.core.call import KernelCall
from footfall.core.equations import tables
from footfall.core.equations.tick import tick

if TYPE_CHECKING:
    from footfall.control.algorithm.algorithm import Algorithm

LEAST, MOST = 16, 256  # rows


class Watch:
    """Rows of the quantities asked for. The same quantity, written again, is the same row."""

    def __init__(self, algo: "Algorithm"):
        self._algo = algo
        self._look = KernelCall(tick, algo.robot.space)
        self._forget(LEAST)

    def _forget(self, rows: int) -> None:
        self._built = Built(self._algo.robot, 2 * rows, rows, 0, 0)
        self._built.rows.size[tables.LOOK] = 1
        self._rows: dict[Any, int] = {}
        self._asked: dict[int, tuple[Expression, int]] = {}  # by identity: quick to find
        self._seen: Any = None
        self._given: tuple[Any, ...] | None = None  # what the last look was at

    def forget_values(self) -> None:
        """Work them out again, also in the same state."""
        self._seen = None

    def value(self, expression: Expression) -> np.ndarray:
        """Its numbers in the state that the algorithm has in `out`, at its time."""
        known = self._asked.get(id(expression))
        row = self._row_of(expression) if known is None else known[1]
        algo = self._algo
        state = algo.out.q.tobytes(), algo.out.v.tobytes(), algo.time
        if state != self._seen:
            algo.out.time[0], built = algo.time, self._built
            given = algo.models[0], built, algo.passive, algo.out
            if self._given is not None and all(map(is_, given, self._given)):
                self._look.again()
            else:
                self._look(*algo.models, built.terms, built.rows, built.room, built.program, algo.passive, algo.out)
            self._seen, self._given = state, given
        return self._built.rows.b[row : row + expression.rows] + expression.constant

    def _row_of(self, expression: Expression) -> int:
        key = tuple((_key(atom), M.tobytes(), len(M)) for atom, M in expression.terms)
        if key not in self._rows:
            size = self._built.rows.size
            terms, rows = int(size[tables.TERMS]) + len(expression.terms), int(size[tables.GAPS]) + expression.rows
            most = self._built.room_for
            if terms > most[0] or rows > most[1]:
                self._forget(max(2 * most[1] if 2 * most[1] <= MOST else LEAST, len(expression.terms), expression.rows))
                size = self._built.rows.size
            self._rows[key] = row = int(size[tables.GAPS])
            self._built.add(expression, row)
            size[tables.GAPS] += expression.rows
            self._seen = None
        if len(self._asked) > MOST:
            self._asked.clear()
        self._asked[id(expression)] = expression, self._rows[key]
        return self._rows[key]


def _key(atom: Atom) -> tuple[Any, ...]:
    arrays = (None if each is None else each.tobytes() for each in (atom.point, atom.turn, atom.curve))
    return (atom.kind, atom.width, atom.body, atom.dof, atom.span, *arrays)
