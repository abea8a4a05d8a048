"""The equations in force as the arrays that the compiled tick reads."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from footfall.control.algorithm.expression import FORCES, WHOLE, Expression
from footfall.core import qp
from footfall.core.equations import tables
from footfall.model.robot import Robot

SPARE = 32  # rows and terms beyond those in use
LEAST_LIMITS = 8


@dataclass(eq=False)
class Entry:
    """A named equation, cost or limit: one or several expressions, each to be `value`."""

    name: str
    parts: tuple[Expression, ...]
    sign: str = "=="
    priority: int = 0
    weight: float | None = None  # of the square of what it misses; without one it holds
    external: tuple[bool, ...] = ()  # parts that a force from outside holds
    gaps: tuple[Expression | None, ...] = ()  # how far each part is from its place, if it is kept there
    value: Any = 0.0
    left: Expression | None = None  # side of an equation, as it was written: what `assign` sets
    row: int = -1  # the first of its rows
    force: dict[int, int] = field(default_factory=dict)  # the first unknown force of each part

    @cached_property
    def size(self) -> int:
        return sum(part.rows for part in self.parts)

    @property
    def holds(self) -> bool:
        return any(self.external)

    @property
    def soft(self) -> bool:
        """Whether it is a limit that may be missed: by an unknown of its own, which costs."""
        return self.sign == ">=" and self.weight is not None

    def cost_of_missing(self) -> "Entry":
        """What a soft limit adds to the cost."""
        own = next(atom for atom, _ in self.parts[0].terms if atom.hold is self)
        return Entry("cost", (Expression.of(own),), weight=self.weight)

    @property
    def held_whole(self) -> list[int]:
        """Bodies that forces and moments from outside hold in all directions."""
        pairs = zip(self.parts, self.external, strict=False)
        held = {(atom.body, atom.kind) for part, external in pairs if external for atom, _ in part.terms}
        return [body for body, kind in held if kind == tables.A_POINT and (body, tables.A_SPIN) in held]

    @property
    def item(self) -> str:
        """What it constrains, in words."""

        def hidden(atom: Any) -> bool:
            return atom.hold is self or atom.name.endswith("of a curve")

        names = [atom.name for part in self.parts for atom, M in part.terms if M.any() and not hidden(atom)]
        return ", ".join(dict.fromkeys(names)) if len(set(names)) < 4 else f"{names[0]} and {len(set(names)) - 1} more"

    @cached_property
    def constants(self) -> np.ndarray:
        return np.concatenate([part.constant for part in self.parts])

    @property
    def rhs(self) -> np.ndarray:
        return self.value - self.constants

    def assign(self, value: Any) -> bool:
        """Let its left side have a value. Returns whether it has other terms than before."""
        before, self.value = self.parts, value
        if self.left is not None:
            self.parts, self.left = (self.left,), None
            self.__dict__.pop("constants", None)
        return sum(len(part.terms) for part in before) != sum(len(part.terms) for part in self.parts)


class Built:
    """Arrays with room for the entries in force; they are filled again when entries come and go."""

    def __init__(self, robot: Robot, terms: int = 0, rows: int = 0, held: int = 0, limits: int = 0):
        self.robot = robot
        motion = 3 if robot.dim == 2 else 6
        self.room_for = (terms, rows, held, limits)
        n = robot.nv + held
        self.terms = tables.terms(terms, robot.dim, 3 if robot.dim == 2 else 9)
        self.rows = tables.rows(rows, n)
        self.room = tables.room(rows, n, robot.nv, motion, robot.dim)
        self.program = qp.program(n, max(limits, 1))

    def fill(self, equations: Sequence[Entry], costs: Sequence[Entry], limits: Sequence[Entry], forces: bool) -> None:
        """All entries, equations by priority; those that hold come first among the terms, since forces refer to them."""
        size, rows = self.rows.size, self.rows
        size[:], self.room.unit_body[:] = 0, 0
        rows.held[:], rows.gap[:], rows.level[:], rows.weight[:] = 0, 0, 0, 0.0
        equations = sorted(equations, key=lambda entry: entry.priority)
        at = 0
        for group, end in ((equations, tables.EQUATIONS), (costs, tables.COSTS), (limits, tables.LIMITS)):
            for entry in group:
                entry.row = at
                rows.rhs[at : at + entry.size] = entry.rhs
                rows.level[at : at + entry.size] = entry.priority
                rows.weight[at : at + entry.size] = 0.0 if entry.weight is None else entry.weight
                at += entry.size
            size[end] = at
        size[tables.GAPS] = self._gaps(equations, at)
        size[tables.FORCES] = forces
        size[tables.HELD] = self._held([*equations, *costs])
        for entry in limits:
            if entry.soft:
                entry.force[0] = int(size[tables.HELD])
                size[tables.HELD] += entry.size
        every = sorted([*equations, *costs, *limits], key=lambda entry: not entry.holds)
        for entry in every:
            first = entry.row
            for part in entry.parts:
                self.add(part, first)
                first += part.rows
        gap = int(size[tables.LIMITS])
        for entry in equations:
            for off in entry.gaps:
                if off is not None:
                    self.add(off, gap)
                    gap += off.rows

    def _gaps(self, equations: Sequence[Entry], at: int) -> int:
        for entry in equations:
            first = entry.row
            for part, gap in zip(entry.parts, entry.gaps or (None,) * len(entry.parts), strict=True):
                if gap is not None:
                    self.rows.gap[first : first + part.rows] = 1 + at + np.arange(part.rows)
                    self.rows.rhs[at : at + gap.rows] = -gap.constant
                    at += gap.rows
                first += part.rows
        return at

    def _held(self, equations: Sequence[Entry]) -> int:
        held = 0
        for entry in equations:
            first = entry.row
            for k, (part, external) in enumerate(zip(entry.parts, entry.external or (False,) * len(entry.parts), strict=True)):
                if external:
                    entry.force[k] = held
                    self.rows.held[first : first + part.rows] = 1 + held + np.arange(part.rows)
                    held += part.rows
                first += part.rows
        return held

    def add(self, part: Expression, row: int) -> None:
        """The terms of an expression, to rows from `row` on."""
        terms, t = self.terms, int(self.rows.size[tables.TERMS])
        for atom, M in part.terms:
            if not M.any():
                continue
            terms.kind[t], terms.row[t], terms.rows[t], terms.width[t] = atom.kind, row, part.rows, atom.width
            terms.body[t], terms.dof[t] = atom.body, atom.dof
            terms.factor[t] = 0.0
            terms.factor[t, : part.rows, : atom.width] = M
            if atom.point is not None:
                terms.point[t] = atom.point
            if atom.turn is not None:
                terms.turn[t] = atom.turn
            if atom.curve is not None:
                terms.curve[t] = 0.0
                terms.curve[t, : atom.width] = atom.curve
                terms.span[t] = atom.span
            if atom.kind == tables.EXTERNAL:
                terms.dof[t] = atom.hold.force[atom.dof]
            self.rows.size[tables.WHOLE] |= atom.kind in WHOLE
            t += 1
        self.rows.size[tables.TERMS] = t


def needs(entries: Sequence[Entry]) -> tuple[int, int, int]:
    """How many terms, rows and held rows entries have."""
    parts = [part for entry in entries for part in (*entry.parts, *(gap for gap in entry.gaps if gap is not None))]
    held = sum(part.rows for entry in entries for part, out in zip(entry.parts, entry.external, strict=False) if out)
    held += sum(entry.size for entry in entries if entry.soft)
    return sum(len(part.terms) for part in parts), sum(part.rows for part in parts), held


def fitting(built: Built | None, robot: Robot, entries: Sequence[Entry], limits: int) -> Built:
    """Arrays with room for so many entries: those at hand, if they have."""
    wanted = (*needs(entries), limits)
    if built is not None and built.robot is robot and all(a <= b for a, b in zip(wanted, built.room_for, strict=True)):
        return built
    have = built.room_for if built is not None else (0, 0, 0, 0)
    spare = (SPARE, SPARE, 0, LEAST_LIMITS)  # unknowns cost time: no more than needed
    return Built(robot, *(max(a + s, b) for a, b, s in zip(wanted, have, spare, strict=True)))


def asks_forces(entries: Sequence[Entry]) -> bool:
    """Whether any of them asks for a force."""
    return any(atom.kind in FORCES for entry in entries for part in entry.parts for atom, M in part.terms if M.any())
