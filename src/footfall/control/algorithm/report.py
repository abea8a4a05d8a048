"""An algorithm in words: the equations in force, what they use of the robot's freedom, and what contradicts what."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.control.algorithm.build import Entry
from footfall.control.algorithm.expression import Expression

if TYPE_CHECKING:
    from footfall.control.algorithm.algorithm import Algorithm

MOST = 3  # numbers of a right side that are shown


def conflict_of(built: Any, entries: Sequence[Entry]) -> dict[str, float]:
    """The equations and limits that contradict each other, each with what it alone would have to give way, in its own unit."""
    found: dict[str, float] = {}
    for entry in entries:
        rows = slice(entry.row, entry.row + entry.size)
        size = float((built.room.conflict[rows] * built.room.scale[rows]).max())
        if size > 0.0:
            found[entry.name] = max(found.get(entry.name, 0.0), size)
    return found


def report(algo: "Algorithm") -> str:
    """The paper's table 1 of the moment: name, degrees of freedom, what is constrained, to what, and how much it was missed."""
    misses, free = algo.residuals, algo.freedom
    lines = [("constraint", "dof", "constrained item", "right side", "unit", "residual")]
    equations = sorted(algo.equations.values(), key=lambda e: (not e.external, e.priority))
    for entry in (*algo.loops.values(), *equations, *algo.limits.values()):
        how = [f"priority {entry.priority}"] if entry.priority > 0 else []
        how += [f"weight {entry.weight:g}"] if entry.weight is not None else []
        how += ["closed"] if entry.name in algo.loops else ["held"] if entry.external else []
        how += ["limit"] if entry.sign == ">=" else []
        item = entry.item + (f" ({', '.join(how)})" if how else "")
        missed = f"{misses[entry.name]:.1e}" if entry.name in misses else ""
        side = right_side(algo, entry) if entry.name not in algo.loops else "0"
        lines.append((entry.name, str(entry.size), item, side, unit_of(entry), missed))
    widths = [max(len(line[k]) for line in lines) for k in range(6)]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    table.insert(1, "-" * max(map(len, table)))
    used = f"{free['used']} of {free['all']} degrees of freedom used, {free['held']} held, {free['left']} left to the cost"
    passive = free["all"] - free["used"] - free["held"] - free["left"]
    used += f", {passive} without motors" if passive > 0 else ""
    loose = f"; {free['undetermined']} of these no cost determines" if free["undetermined"] else ""
    return "\n".join([f"Algorithm of {algo.robot.name!r} at {algo.time:g} s", *table, used + loose])


def right_side(algo: "Algorithm", entry: Entry) -> str:
    """What the unknowns of an equation must add up to in this state, or at least reach: all that is known is on the right."""
    numbers, at = np.zeros(entry.size) + entry.value, 0
    for part in entry.parts:
        known = Expression(tuple(term for term in part.terms if Expression((term,)).known), part.constant, part.scalar)
        numbers[at : at + part.rows] -= np.atleast_1d(algo.value(known) if known.terms else known.constant)
        at += part.rows
    start = ">= " if entry.sign == ">=" else ""
    if not numbers.any():
        return f"{start}0"
    told = ", ".join(f"{x:.3g}" for x in numbers[:MOST])
    return f"{start}{told}" + (", ..." if len(numbers) > MOST else "")


def unit_of(entry: Entry) -> str:
    """The units of its unknowns, where these stand alone: a factor before them may have one."""
    unknown = [(atom, M) for part in entry.parts for atom, M in part.terms if not Expression(((atom, M),)).known and M.any()]
    bare = all(np.isin(np.abs(M), (0.0, 1.0)).all() for _, M in unknown)
    return ", ".join(dict.fromkeys(atom.unit for atom, _ in unknown if atom.unit)) if bare else ""
