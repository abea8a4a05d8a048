"""Smooth motion in a mode, recorded, until a guard is passed."""

from typing import Any, NamedTuple

from footfall.core.hybrid.events import (
    END,
    EVENT,
    FULL,
    NO_STEP,
    NOT_FINITE,
    PYTHON,
    STIFF,
    finite,
    look,
)
from footfall.core.hybrid.steps import adaptive_step, begin, first_step, interpolate, set_dense, size_of
from footfall.core.jit import kernel

MAX_STEPS = 100_000  # between two rows of the record; as many as DOP853 allows


class Trajectory(NamedTuple):
    """The trajectory buffer: rows at the ends of steps, or on a grid of times."""

    t: Any  # (rows,)
    y: Any  # (rows, n)
    count: Any  # (1,) int
    record_dt: Any  # s, or 0 for the ends of steps
    ticks: Any  # (1,) int: of the grid that are past


@kernel
def advance(system, tools, trajectory, end):
    """Smooth motion until a guard is passed (EVENT), the time is over (END) or the buffer is full (FULL; call again)."""
    state, stages = system.state, system.stages
    if state.fresh[0] == 1:
        begin(system, tools)
        if system.failed[0] != 0:
            return PYTHON
        if not finite(stages.K[0][: size_of(system)]):
            return NOT_FINITE
        state.h[0] = first_step(system, tools, end)
        state.fresh[0], state.pending[0], state.steps[0] = 0, 0, 0
    while True:
        if state.pending[0] == 1:
            if not recorded(system, trajectory):
                return FULL
            state.pending[0] = 0
            if state.guard[0] >= 0:
                return EVENT
            begin(system, tools)
        if state.t[0] >= end:
            return END
        if state.steps[0] >= MAX_STEPS:
            return STIFF
        state.steps[0] += 1
        state.low[0] = state.t[0]
        h = adaptive_step(system, tools, end)
        if system.failed[0] != 0:
            return PYTHON
        if h == 0.0 or not finite(stages.end[: size_of(system)]):
            return NO_STEP
        status = end_step(system, tools, h, end)
        if system.failed[0] != 0:
            return PYTHON
        if status != EVENT and status != END:
            return status
        state.pending[0] = 1


@kernel
def end_step(system, tools, h, end):
    """The end of a step, or the event within it, becomes the state."""
    state, stages = system.state, system.stages
    state.length[0] = h
    set_dense(system, tools, state.low[0], h)
    for i in range(size_of(system)):
        state.y[i] = stages.end[i]
    tools.project(system, state.y)
    state.t[0] = end if h == end - state.low[0] else state.low[0] + h
    return look(system, tools, state.low[0], h)


@kernel
def recorded(system, trajectory):
    """Record what the last step gives. Returns False if there is no room; then nothing is lost."""
    state, t, low = system.state, system.state.t[0], system.state.low[0]
    if len(trajectory.t) == 0:
        return True
    while trajectory.record_dt > 0.0 and (trajectory.ticks[0] + 1) * trajectory.record_dt <= t:
        tick = (trajectory.ticks[0] + 1) * trajectory.record_dt
        if tick > low:
            if trajectory.count[0] == len(trajectory.t):
                return False
            trajectory.t[trajectory.count[0]] = tick
            interpolate(system, (tick - low) / state.length[0], trajectory.y[trajectory.count[0]])
            trajectory.count[0] += 1
            state.steps[0] = 0
        trajectory.ticks[0] += 1
    if trajectory.record_dt > 0.0 or state.guard[0] >= 0:
        return True
    if trajectory.count[0] == len(trajectory.t):
        return False
    trajectory.t[trajectory.count[0]] = t
    for i in range(len(system.stages.look)):
        trajectory.y[trajectory.count[0], i] = state.y[i]
    trajectory.count[0] += 1
    state.steps[0] = 0
    return True
