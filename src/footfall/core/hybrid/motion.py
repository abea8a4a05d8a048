"""Smooth motion in a mode, recorded, until a guard is passed."""

from typing import Any, NamedTuple

from footfall.core.hybrid.events import (
    END,
    EVENT,
    FULL,
    NO_STEP,
    NOT_FINITE,
    PYTHON,
    finite,
    look,
)
from footfall.core.hybrid.steps import begin, first_step, interpolate, set_dense, size_of, stride
from footfall.core.jit import kernel


class Rows(NamedTuple):
    """Where a motion is recorded: at the ends of steps, or on a grid of times."""

    t: Any  # (rows,)
    y: Any  # (rows, n)
    count: Any  # (1,) int
    every: Any  # s, or 0 for the ends of steps
    ticks: Any  # (1,) int: of the grid that are past


@kernel
def advance(machine, tools, rows, end):
    """Smooth motion until a guard is passed (EVENT), the time is over (END) or the rows are full (FULL; call again)."""
    state, stages = machine.state, machine.stages
    if state.fresh[0] == 1:
        begin(machine, tools)
        if machine.failed[0] != 0:
            return PYTHON
        if not finite(stages.K[0][: size_of(machine)]):
            return NOT_FINITE
        state.h[0] = first_step(machine, tools, end)
        state.fresh[0], state.pending[0] = 0, 0
    while True:
        if state.pending[0] == 1:
            if not recorded(machine, rows):
                return FULL
            state.pending[0] = 0
            if state.guard[0] >= 0:
                return EVENT
            begin(machine, tools)
        if state.t[0] >= end:
            return END
        state.low[0] = state.t[0]
        h = stride(machine, tools, end)
        if machine.failed[0] != 0:
            return PYTHON
        if h == 0.0 or not finite(stages.end[: size_of(machine)]):
            return NO_STEP
        status = land(machine, tools, h, end)
        if machine.failed[0] != 0:
            return PYTHON
        if status != EVENT and status != END:
            return status
        state.pending[0] = 1


@kernel
def land(machine, tools, h, end):
    """The end of a step, or the event within it, becomes the state."""
    state, stages = machine.state, machine.stages
    state.length[0] = h
    set_dense(machine, tools, state.low[0], h)
    for i in range(size_of(machine)):
        state.y[i] = stages.end[i]
    tools.put_back(machine, state.y)
    state.t[0] = end if h == end - state.low[0] else state.low[0] + h
    return look(machine, tools, state.low[0], h)


@kernel
def recorded(machine, rows):
    """Put down what the last step gives. False if there is no room; nothing is lost then."""
    state, t, low = machine.state, machine.state.t[0], machine.state.low[0]
    if len(rows.t) == 0:
        return True
    while rows.every > 0.0 and (rows.ticks[0] + 1) * rows.every <= t:
        tick = (rows.ticks[0] + 1) * rows.every
        if tick > low:
            if rows.count[0] == len(rows.t):
                return False
            rows.t[rows.count[0]] = tick
            interpolate(machine, (tick - low) / state.length[0], rows.y[rows.count[0]])
            rows.count[0] += 1
        rows.ticks[0] += 1
    if rows.every > 0.0 or state.guard[0] >= 0:
        return True
    if rows.count[0] == len(rows.t):
        return False
    rows.t[rows.count[0]] = t
    for i in range(len(machine.stages.look)):
        rows.y[rows.count[0], i] = state.y[i]
    rows.count[0] += 1
    return True
