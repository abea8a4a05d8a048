"""Loops of a robot as equations that are always in force, before all others."""

import numpy as np

from footfall.control.algorithm.build import Entry
from footfall.control.algorithm.expression import Atom, Expression
from footfall.control.fields import ControlError
from footfall.core.equations import tables
from footfall.dynamics.loops import Closed
from footfall.model.robot import Robot

FIRST = -1  # their priority; rows of loops may be redundant


def loops_of(robot: Robot, closed: Closed) -> dict[str, Entry]:
    """An equation for each loop of a robot: its ends stay together, by whatever force that takes."""
    for loop in robot.loops:
        if loop.start > 0.0 or np.isfinite(loop.end):
            raise ControlError(
                f"Algorithm: loop {loop.name!r} of robot {robot.name!r} holds from {loop.start:g} to {loop.end:g} s; an "
                "algorithm takes loops that hold throughout: leave out start and end, or hold the ends together by an equation"
            )
    return {name: _closing(name, rows) for name, rows in closed.named.items()}


def _closing(name: str, rows: slice) -> Entry:
    numbers = range(rows.start, rows.stop)
    parts = tuple(Expression.of(Atom(tables.CLOSES, 1, f"loop {name}", body=r)) for r in numbers)
    gaps = tuple(Expression.of(Atom(tables.OPENS, 1, f"opening of loop {name}", body=r)) for r in numbers)
    return Entry(name, parts, priority=FIRST, external=(True,) * len(parts), gaps=gaps)
