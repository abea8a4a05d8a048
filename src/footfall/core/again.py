"""A run again and again: its arrays put back to their beginning, some numbers changed, the loop, what it wrote copied out.

Many runs are one call, so what a run costs besides its loop is a few copies.
"""

from typing import Any, NamedTuple

from footfall.core.contact.loop import DONE
from footfall.core.jit import kernel
from footfall.core.outside import copy, enter, gather, scatter


class Again(NamedTuple):
    """Where everything is; parts of arrays are rows of (address, bytes)."""

    loop: int  # address of a function int64(int64), asked with
    frame: int  # the address of its words, of which the last is the number of steps
    words: Any  # (n,) int: the same
    steps: int  # of a run
    parts: Any  # (n, 2) all that moves
    start: int  # the address of what is in it before the first instant
    changed: Any  # (n, 2) what differs from run to run
    given: Any  # (runs, bytes) of it
    written: Any  # (n, 2) what the loop writes
    rooms: Any  # (runs,) addresses of room for it
    noted: Any  # (1,) int: events that the loop noted,
    events: int  # the address of their rows
    row: int  # bytes of one
    most: int  # that there is room for, with each run
    event_rooms: Any  # (runs,) addresses of this room
    counts: Any  # (runs,) int: events of each run; more than `most` if they did not fit
    status: Any  # (runs,) int: of the loop


@kernel
def run_all(a):
    """All runs, one after the other."""
    last = len(a.words) - 1
    for k in range(len(a.status)):
        scatter(a.parts, a.start, 0)
        scatter(a.changed, a.given[k].ctypes.data, 0)
        a.noted[0] = 0
        a.words[last] = 0  # the first instant
        status = enter(a.loop, a.frame)
        if status == DONE and a.steps > 0:
            a.words[last] = a.steps
            status = enter(a.loop, a.frame)
        a.status[k], a.counts[k] = status, a.noted[0]
        gather(a.written, a.rooms[k], 0)
        if a.noted[0] <= a.most:
            copy(a.event_rooms[k], a.events, a.noted[0] * a.row)
    return DONE
