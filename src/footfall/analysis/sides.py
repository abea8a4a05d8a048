"""Hybrid motion with legs that keep their names, although left and right change names at the end of a step."""

import numpy as np

from footfall.engines.hybrid.modes import Relabel
from footfall.engines.hybrid.motion import HybridEvent, HybridResult
from footfall.evaluate import Evaluation


def kept_sides(motion: HybridResult) -> tuple[np.ndarray, np.ndarray]:
    """q and v, row by row, in which left is the leg that was left at first."""
    q, v = motion.q.copy(), motion.v.copy()
    ev, swapped = Evaluation(motion.robot), None
    for event, rows in zip((None, *motion.events), pieces(motion), strict=True):
        change = event and _relabelling(motion, event)
        if change:
            swapped = None if swapped else change.bind(ev)
        if swapped:
            for row in range(rows.start, rows.stop):
                q[row], v[row], *_ = swapped(motion.times[row], q[row], v[row])
    return q, v


def pieces(motion: HybridResult) -> list[slice]:
    """Rows of smooth motion, from event to event."""
    first = [0, *(int(np.searchsorted(motion.times, event.time)) + 1 for event in motion.events)]
    return [slice(low, high) for low, high in zip(first, [*first[1:], len(motion.times)], strict=True)]


def _relabelling(motion: HybridResult, event: HybridEvent) -> Relabel | None:
    """The change of names in an event's reset, if there is one."""
    guards = next(mode.guards for mode in motion.modes if mode.name == event.before)
    reset = next(guard.reset for guard in guards if guard.name == event.name)
    return next((part for part in (reset if isinstance(reset, tuple) else (reset,)) if isinstance(part, Relabel)), None)
