"""An algorithm in words: the equations in force, what they use of the robot's freedom, and what contradicts what."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from footfall.control.algorithm.build import Entry

if TYPE_CHECKING:
    from footfall.control.algorithm.algorithm import Algorithm


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
    """The paper's table 1 of the moment: name, degrees of freedom, what is constrained, and by how much it was missed."""
    misses, free = algo.residuals, algo.freedom
    lines = [("constraint", "dof", "constrained item", "residual")]
    for entry in sorted(algo.equations.values(), key=lambda e: (not e.external, e.priority)):
        how = [f"priority {entry.priority}"] if entry.priority else []
        how += [f"weight {entry.weight:g}"] if entry.weight is not None else []
        how += ["held"] if entry.external else []
        item = entry.item + (f" ({', '.join(how)})" if how else "")
        lines.append((entry.name, str(entry.size), item, f"{misses[entry.name]:.1e}" if entry.name in misses else ""))
    lines += [(entry.name, f"{entry.size}", f"{entry.item} (limit)", "") for entry in algo.limits.values()]
    widths = [max(len(line[k]) for line in lines) for k in range(4)]
    table = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines]
    table.insert(1, "-" * max(map(len, table)))
    used = f"{free['used']} of {free['all']} degrees of freedom used, {free['held']} held, {free['left']} left to the cost"
    loose = f"; {free['undetermined']} of these no cost determines" if free["undetermined"] else ""
    return "\n".join([f"Algorithm of {algo.robot.name!r} at {algo.time:g} s", *table, used + loose])
