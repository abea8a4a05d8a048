"""When a guard is passed, and what happens then.

Guards are looked at several times in each step, on interpolated states. The time of an event is then found on states that are
integrated up to it, since interpolation would cost digits.
"""

import numpy as np

from footfall.core.hybrid.machine import (
    IMPACT,
    JUMP,
    RELABEL,
    SHIFT,
    TINY,
    anchors_of,
    ask,
    held_of,
    lay,
    lay_disturbed,
    measure,
    occupy,
    place,
    room_of,
    take,
    work_of,
)
from footfall.core.hybrid.steps import attempt, begin, interpolate
from footfall.core.jit import kernel
from footfall.core.recursion.anchors import keep, set_order
from footfall.core.recursion.constrained import strike
from footfall.core.recursion.relabel import relabel

SURFACE = 1e-11  # a guard this close to zero when its mode begins is on its surface, which the motion is about to leave
LOOKS = (1e-3, 1e-2, 0.1, 0.25, 0.5, 0.75, 1.0)  # parts of a step at which guards are looked at
AT_ONCE = 2  # looks that are for a guard that begins on its surface
NARROW, WIDER = 1e-9, 100.0  # of a step: the interval in which a guard is passed, at first, and by what it grows
# why a motion stops
EVENT, END, FULL, ENTERED = 0, 1, 2, 3
NOT_FINITE, NO_STEP, SLIPS, BEYOND, AT_THE_BEGINNING, GRAZES, SINGULAR, PYTHON = 4, 5, 6, 7, 8, 9, 10, 11


@kernel
def value_at(machine, g, t, y):
    """A guard in a state."""
    lay(machine, y)
    place(machine, machine.real)
    return measure(machine, machine.real, machine.guards.measure[g], t)


@kernel
def awake(machine, g, t):
    """Whether a guard counts in the state on the desk, where the places are set."""
    k = machine.guards.active[g]
    return True if k < 0 else measure(machine, machine.real, k, t) > 0.0


@kernel
def passed(direction, low, high):
    """Whether a guard goes through zero in its direction between two values."""
    down, up = low > 0.0 and high <= 0.0, low < 0.0 and high >= 0.0
    return (down and direction <= 0) or (up and direction >= 0)


@kernel
def settled(value):
    """A value with a side, or 0 on the surface."""
    return 0.0 if abs(value) <= SURFACE else value


@kernel
def enter(machine, tools):
    """Begin the mode of the state, which must fit it. ENTERED, or why not."""
    state, desk = machine.state, machine.real
    m = state.mode[0]
    h = machine.modes.hold[m]
    occupy(machine, desk, h)
    if state.columns[0] > 0:
        occupy(machine, machine.imaginary, h)
    held = held_of(machine, h)
    room = room_of(desk.table, held)
    lay(machine, state.y)
    machine.set_points(machine.tree, held, desk.table)
    if set_order(held, room) != 0:
        return SINGULAR
    keep(work_of(desk.table), held, anchors_of(machine, h), desk.table.q)
    if slipping(machine, room):
        return SLIPS
    for g in range(machine.modes.first[m], machine.modes.first[m + 1]):
        value = value_at(machine, g, state.t[0], state.y)
        if machine.guards.direction[g] * value > SURFACE and awake(machine, g, state.t[0]):
            state.guard[0], state.info[0] = g, value
            return BEYOND
    tools.put_back(machine, state.y)
    for g in range(machine.modes.first[m], machine.modes.first[m + 1]):
        state.side[g] = settled(value_at(machine, g, state.t[0], state.y))
    state.fresh[0], state.pending[0], state.guard[0] = 1, 0, -1
    return PYTHON if machine.failed[0] != 0 else ENTERED


@kernel
def slipping(machine, room):
    """Whether something that is held moves, in the state on the desk, where J is set."""
    v, most = machine.real.table.v, 1.0
    for d in range(len(v)):
        most = max(most, abs(v[d]))
    for r in range(len(room.J)):
        speed = 0.0
        for d in range(len(v)):
            speed += room.J[r, d] * v[d]
        if not abs(speed) <= machine.limits.slip * most:
            return True
    return False


@kernel
def look(machine, tools, low, h):
    """Whether a guard is passed in the last step. EVENT with the guard and the part of the step, END if none, or why not.

    Where several are passed between two looks, the first counts.
    """
    state, looked = machine.state, machine.stages.look
    m = state.mode[0]
    begin, stop = machine.modes.first[m], machine.modes.first[m + 1]
    first = AT_ONCE
    for g in range(begin, stop):
        if state.side[g] == 0.0:
            first = 0
    state.guard[0], before = -1, 0.0
    for j in range(first, len(LOOKS) if stop > begin else 0):
        x, best = LOOKS[j], 2.0
        if x < 1.0:
            interpolate(machine, x, looked)
        else:
            for i in range(len(looked)):
                looked[i] = state.y[i]
        lay(machine, looked)
        place(machine, machine.real)
        for g in range(begin, stop):
            state.now[g] = measure(machine, machine.real, machine.guards.measure[g], low + x * h)
            if state.side[g] == 0.0 and machine.guards.direction[g] * state.now[g] > SURFACE and awake(machine, g, low + x * h):
                state.guard[0] = g
                return AT_THE_BEGINNING
        for g in range(begin, stop):
            if passed(machine.guards.direction[g], state.side[g], state.now[g]):
                root = interpolated(machine, g, low, h, before, x)
                if awake(machine, g, low + root * h) and root < best:
                    best, state.guard[0] = root, g
            state.side[g] = settled(state.now[g]) if state.side[g] == 0.0 else state.now[g]
        if state.guard[0] >= 0:
            return located(machine, tools, low, h, best, before, x)
        before = x
    return END


@kernel
def guard_within(machine, g, low, h, x):
    interpolate(machine, x, machine.stages.look)
    return value_at(machine, g, low + x * h, machine.stages.look)


@kernel
def interpolated(machine, g, low, h, a, b):
    """The part of the step at which the guard is zero, on interpolated states (regula falsi, as Illinois has it)."""
    fa, fb = guard_within(machine, g, low, h, a), guard_within(machine, g, low, h, b)
    if fa * fb >= 0.0:  # an end of the interval is the root, up to the error of interpolation
        x = a if abs(fa) < abs(fb) else b
        guard_within(machine, g, low, h, x)
        return x
    for _ in range(60):
        x = b - fb * (b - a) / (fb - fa)
        fx = guard_within(machine, g, low, h, x)
        if fx == 0.0 or abs(x - b) < 1e-14:
            return x
        if fx * fb < 0.0:
            a, fa = b, fb
        else:
            fa *= 0.5
        b, fb = x, fx
    return x


@kernel
def guard_after(machine, tools, g, low, h):
    """The guard after a step of length h of its own; the state is in stages.end."""
    if h > 0.0:
        attempt(machine, tools, low, h)
        tools.put_back(machine, machine.stages.end)
    else:
        for i in range(len(machine.stages.look)):
            machine.stages.end[i] = machine.stages.start[i]
    return value_at(machine, g, low + h, machine.stages.end)


@kernel
def located(machine, tools, low, h, root, before, after):
    """Time and state of the event, on states that are integrated from the beginning of the step."""
    state, stages, g = machine.state, machine.stages, machine.state.guard[0]
    columns = state.columns[0]
    state.columns[0] = 0
    width = NARROW
    while True:
        a, b = h * max(root - width, before), h * min(root + width, after)
        fa, fb = guard_after(machine, tools, g, low, a), guard_after(machine, tools, g, low, b)
        if fa * fb <= 0.0:
            break
        if width > 1.0 or machine.failed[0] != 0:
            state.columns[0] = columns
            return GRAZES
        width *= WIDER
    x = a if fa == 0.0 else b
    for _ in range(0 if fa == 0.0 or fb == 0.0 else 60):
        x = b - fb * (b - a) / (fb - fa)
        fx = guard_after(machine, tools, g, low, x)
        done = fx == 0.0 or abs(x - b) <= 1e-16 + 1e-15 * x
        if fx * fb < 0.0:
            a, fa = b, fb
        else:
            fa *= 0.5
        b, fb = x, fx
        if done:
            break
    state.columns[0] = columns
    if columns > 0:
        attempt(machine, tools, low, x)
        tools.put_back(machine, stages.end)
    else:
        guard_after(machine, tools, g, low, x)
    state.t[0] = low + x
    for i in range(len(stages.end)):
        state.y[i] = stages.end[i]
    return EVENT


# --- resets ---------------------------------------------------------------------------------------------------------------


@kernel
def salt(machine, tools, g):
    """Columns at their own events instead of at equal times: D - f (g D) / (g f), with the rate f before the event."""
    state, f, other = machine.state, machine.stages.K[0], machine.imaginary
    n, t = len(machine.stages.look), machine.state.t[0]
    k, columns = machine.guards.measure[g], machine.state.columns[0]
    begin(machine, tools)
    for i in range(n):
        f[n + i] = state.y[n + i]  # the first column is kept here while the rate takes its place
        state.y[n + i] = f[i]
    lay_disturbed(machine, state.y, 0)
    place(machine, other)
    rate = measure(machine, other, k, t).imag
    for i in range(n):
        state.y[n + i] = f[n + i]
    for j in range(columns):
        lay_disturbed(machine, state.y, j)
        place(machine, other)
        share = measure(machine, other, k, t).imag / rate
        for i in range(n):
            state.y[(1 + j) * n + i] -= f[i] * share


@kernel
def turn_over(machine, desk, r, t):
    """Reset number r of the state on a desk; the order of elimination is chosen already."""
    resets, tree, table = machine.resets, machine.tree, desk.table
    if resets.kind[r] == RELABEL:
        relabel(tree, work_of(table), resets.twins[r], table.q, table.v)
    elif resets.kind[r] == IMPACT:
        held = held_of(machine, resets.hold[r])
        occupy(machine, desk, resets.hold[r])
        desk.hold(tree, held, table)
        strike(held, room_of(table, held), table.v, table.a, table.f)
        for d in range(len(table.v)):
            table.v[d] = table.a[d]
    elif resets.kind[r] == SHIFT:
        for i in range(len(table.q)):
            table.q[i] += resets.shift[r, i]
    else:
        ask(machine, desk, t, JUMP, r)


@kernel
def jump(machine, tools):
    """The resets of the guard that was passed, into the mode it leads to, which is to be entered then. ENTERED or why not."""
    state, desk, table, g = machine.state, machine.real, machine.imaginary.table, machine.state.guard[0]
    n, nq, t = len(machine.stages.look), len(table.q), machine.state.t[0]
    if state.columns[0] > 0:
        salt(machine, tools, g)
    for r in range(machine.guards.first[g], machine.guards.first[g + 1]):
        if machine.resets.kind[r] == IMPACT:
            held = held_of(machine, machine.resets.hold[r])
            occupy(machine, desk, machine.resets.hold[r])
            lay(machine, state.y)
            machine.set_points(machine.tree, held, desk.table)
            if set_order(held, room_of(desk.table, held)) != 0:
                return SINGULAR
        for j in range(state.columns[0]):
            lay_disturbed(machine, state.y, j)
            turn_over(machine, machine.imaginary, r, t)
            first = (1 + j) * n
            for i in range(nq):
                state.y[first + i] = table.q[i].imag / TINY
            for i in range(n - nq):
                state.y[first + nq + i] = table.v[i].imag / TINY
        lay(machine, state.y)
        turn_over(machine, desk, r, t)
        take(machine, state.y)
    state.last[0], state.mode[0] = state.mode[0], machine.guards.to[g]
    return PYTHON if machine.failed[0] != 0 else ENTERED


@kernel
def finite(values):
    good = True
    for value in values:
        good = good and abs(value) < np.inf
    return good
