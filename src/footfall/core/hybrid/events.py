"""Events: when a guard is passed, and the resets that follow, with saltation of derivatives.

Guards are sampled several times in each step, on dense output. The time of an event is then found on states that are integrated
up to it, since interpolation would cost digits (regula falsi, Illinois variant).
"""

import numpy as np

from footfall.core.hybrid.steps import attempt, begin, interpolate
from footfall.core.hybrid.system import (
    IMPACT,
    JUMP,
    PERTURBATION,
    RELABEL,
    SHIFT,
    anchors_of,
    call_python,
    constraint_set,
    load_perturbed,
    load_state,
    measure,
    place,
    reset_arrays,
    scratch_of,
    store_state,
)
from footfall.core.jit import kernel
from footfall.core.recursion.anchors import set_anchors_here, set_order
from footfall.core.recursion.constrained import solve_impact
from footfall.core.recursion.relabel import relabel

SURFACE = 1e-11  # a guard this close to zero when its mode begins is on its surface, which the motion is about to leave
SAMPLES = (1e-3, 1e-2, 0.1, 0.25, 0.5, 0.75, 1.0)  # fractions of a step at which guards are sampled
AT_ONCE = 2  # the first samples are only for a guard that begins on its surface
NARROW, WIDER = 1e-9, 100.0  # of a step: the interval in which a guard is passed, at first, and by what it grows
# why a motion stops
EVENT, END, FULL, ENTERED = 0, 1, 2, 3
NOT_FINITE, NO_STEP, SLIPS, BEYOND, AT_THE_BEGINNING, GRAZES, SINGULAR, PYTHON, STIFF = 4, 5, 6, 7, 8, 9, 10, 11, 12


@kernel
def value_at(system, g, t, y):
    """Value of a guard in a state."""
    load_state(system, y)
    place(system, system.real)
    return measure(system, system.real, system.guards.measure[g], t)


@kernel
def awake(system, g, t):
    """Whether a guard counts in the state in the real arrays, where poses are set."""
    k = system.guards.active[g]
    return True if k < 0 else measure(system, system.real, k, t) > 0.0


@kernel
def passed(direction, low, high):
    """Whether a guard passes zero in its direction between two values."""
    down, up = low > 0.0 and high <= 0.0, low < 0.0 and high >= 0.0
    return (down and direction <= 0) or (up and direction >= 0)


@kernel
def settled(value):
    """A value, or 0 if it is on the surface."""
    return 0.0 if abs(value) <= SURFACE else value


@kernel
def enter(system, tools):
    """Begin the mode of the state, if the state fits it. Returns ENTERED, or why not."""
    state, evaluator = system.state, system.real
    m = state.mode[0]
    h = system.modes.constraint_set[m]
    reset_arrays(system, evaluator, h)
    if state.columns[0] > 0:
        reset_arrays(system, system.imaginary, h)
    constraints = constraint_set(system, h)
    scratch = scratch_of(evaluator.arrays, constraints)
    load_state(system, state.y)
    system.set_points(system.tree, constraints, evaluator.arrays)
    if set_order(constraints, scratch) != 0:
        return SINGULAR
    set_anchors_here(evaluator.arrays.work, constraints, anchors_of(system, h), evaluator.arrays.q)
    if slipping(system, scratch):
        return SLIPS
    for g in range(system.modes.first[m], system.modes.first[m + 1]):
        value = value_at(system, g, state.t[0], state.y)
        if system.guards.direction[g] * value > SURFACE and awake(system, g, state.t[0]):
            state.guard[0], state.info[0] = g, value
            return BEYOND
    tools.project(system, state.y)
    for g in range(system.modes.first[m], system.modes.first[m + 1]):
        state.side[g] = settled(value_at(system, g, state.t[0], state.y))
    state.fresh[0], state.pending[0], state.guard[0] = 1, 0, -1
    return PYTHON if system.failed[0] != 0 else ENTERED


@kernel
def slipping(system, scratch):
    """Whether something that is held moves, for the state in the real arrays, where J is set."""
    v, most = system.real.arrays.v, 1.0
    for d in range(len(v)):
        most = max(most, abs(v[d]))
    for r in range(len(scratch.J)):
        speed = 0.0
        for d in range(len(v)):
            speed += scratch.J[r, d] * v[d]
        if not abs(speed) <= system.limits.slip * most:
            return True
    return False


@kernel
def look(system, tools, low, h):
    """Look for a guard that is passed in the last step. Returns EVENT (with the guard and the fraction of the step), END if
    there is none, or why not.

    If several are passed between two samples, the first counts.
    """
    state, looked = system.state, system.stages.look
    m = state.mode[0]
    begin, stop = system.modes.first[m], system.modes.first[m + 1]
    first = AT_ONCE
    for g in range(begin, stop):
        if state.side[g] == 0.0:
            first = 0
    state.guard[0], before = -1, 0.0
    for j in range(first, len(SAMPLES) if stop > begin else 0):
        x, best = SAMPLES[j], 2.0
        if x < 1.0:
            interpolate(system, x, looked)
        else:
            for i in range(len(looked)):
                looked[i] = state.y[i]
        load_state(system, looked)
        place(system, system.real)
        for g in range(begin, stop):
            state.now[g] = measure(system, system.real, system.guards.measure[g], low + x * h)
            if state.side[g] == 0.0 and system.guards.direction[g] * state.now[g] > SURFACE and awake(system, g, low + x * h):
                state.guard[0] = g
                return AT_THE_BEGINNING
        for g in range(begin, stop):
            if passed(system.guards.direction[g], state.side[g], state.now[g]):
                root = interpolated(system, g, low, h, before, x)
                if awake(system, g, low + root * h) and root < best:
                    best, state.guard[0] = root, g
            state.side[g] = settled(state.now[g]) if state.side[g] == 0.0 else state.now[g]
        if state.guard[0] >= 0:
            return located(system, tools, low, h, best, before, x)
        before = x
    return END


@kernel
def guard_within(system, g, low, h, x):
    """The guard at the fraction x of the step, on dense output."""
    interpolate(system, x, system.stages.look)
    return value_at(system, g, low + x * h, system.stages.look)


@kernel
def interpolated(system, g, low, h, a, b):
    """The fraction of the step at which the guard is zero, on dense output."""
    fa, fb = guard_within(system, g, low, h, a), guard_within(system, g, low, h, b)
    if fa * fb >= 0.0:  # an end of the interval is the root, up to the error of interpolation
        x = a if abs(fa) < abs(fb) else b
        guard_within(system, g, low, h, x)
        return x
    for _ in range(60):
        x = b - fb * (b - a) / (fb - fa)
        fx = guard_within(system, g, low, h, x)
        if fx == 0.0 or abs(x - b) < 1e-14:
            return x
        if fx * fb < 0.0:
            a, fa = b, fb
        else:
            fa *= 0.5
        b, fb = x, fx
    return x


@kernel
def guard_after(system, tools, g, low, h):
    """The guard after a step of length h of its own; the state is in stages.end."""
    if h > 0.0:
        attempt(system, tools, low, h)
        tools.project(system, system.stages.end)
    else:
        for i in range(len(system.stages.look)):
            system.stages.end[i] = system.stages.start[i]
    return value_at(system, g, low + h, system.stages.end)


@kernel
def located(system, tools, low, h, root, before, after):
    """Time and state of the event, on states that are integrated from the beginning of the step."""
    state, stages, g = system.state, system.stages, system.state.guard[0]
    columns = state.columns[0]
    state.columns[0] = 0
    width = NARROW
    while True:
        a, b = h * max(root - width, before), h * min(root + width, after)
        fa, fb = guard_after(system, tools, g, low, a), guard_after(system, tools, g, low, b)
        if fa * fb <= 0.0:
            break
        if width > 1.0 or system.failed[0] != 0:
            state.columns[0] = columns
            return GRAZES
        width *= WIDER
    x = a if fa == 0.0 else b
    for _ in range(0 if fa == 0.0 or fb == 0.0 else 60):
        x = b - fb * (b - a) / (fb - fa)
        fx = guard_after(system, tools, g, low, x)
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
        attempt(system, tools, low, x)
        tools.project(system, stages.end)
    else:
        guard_after(system, tools, g, low, x)
    state.t[0] = low + x
    for i in range(len(stages.end)):
        state.y[i] = stages.end[i]
    return EVENT


# --- resets ---------------------------------------------------------------------------------------------------------------


@kernel
def apply_saltation(system, tools, g):
    """Turn variations at equal times into variations at each one's own event: D - f (g D) / (g f), with the rate f before the
    event.

    Together with the derivatives of resets and of the flow after them this is the saltation matrix.
    """
    state, f, other = system.state, system.stages.K[0], system.imaginary
    n, t = len(system.stages.look), system.state.t[0]
    k, columns = system.guards.measure[g], system.state.columns[0]
    begin(system, tools)
    for i in range(n):
        f[n + i] = state.y[n + i]  # the first column is kept here while the rate takes its place
        state.y[n + i] = f[i]
    load_perturbed(system, state.y, 0)
    place(system, other)
    rate = measure(system, other, k, t).imag
    for i in range(n):
        state.y[n + i] = f[n + i]
    for j in range(columns):
        load_perturbed(system, state.y, j)
        place(system, other)
        factor = measure(system, other, k, t).imag / rate
        for i in range(n):
            state.y[(1 + j) * n + i] -= f[i] * factor


@kernel
def apply_reset(system, evaluator, r, t):
    """Apply reset r to the state in the arrays; the order of elimination is chosen already."""
    resets, tree, arrays = system.resets, system.tree, evaluator.arrays
    if resets.kind[r] == RELABEL:
        relabel(tree, arrays.work, resets.twins[r], arrays.q, arrays.v)
    elif resets.kind[r] == IMPACT:
        constraints = constraint_set(system, resets.constraint_set[r])
        reset_arrays(system, evaluator, resets.constraint_set[r])
        evaluator.factorise(tree, constraints, arrays)
        solve_impact(constraints, scratch_of(arrays, constraints), arrays.v, arrays.a, arrays.f)
        for d in range(len(arrays.v)):
            arrays.v[d] = arrays.a[d]
    elif resets.kind[r] == SHIFT:
        for i in range(len(arrays.q)):
            arrays.q[i] += resets.shift[r, i]
    else:
        call_python(system, evaluator, t, JUMP, r)


@kernel
def jump(system, tools):
    """Apply the resets of the guard that was passed, and take the mode it leads to, which is to be entered next. Returns ENTERED
    or why not.
    """
    state, evaluator, arrays, g = system.state, system.real, system.imaginary.arrays, system.state.guard[0]
    n, nq, t = len(system.stages.look), len(arrays.q), system.state.t[0]
    if state.columns[0] > 0:
        apply_saltation(system, tools, g)
    for r in range(system.guards.first[g], system.guards.first[g + 1]):
        if system.resets.kind[r] == IMPACT:
            constraints = constraint_set(system, system.resets.constraint_set[r])
            reset_arrays(system, evaluator, system.resets.constraint_set[r])
            load_state(system, state.y)
            system.set_points(system.tree, constraints, evaluator.arrays)
            if set_order(constraints, scratch_of(evaluator.arrays, constraints)) != 0:
                return SINGULAR
        for j in range(state.columns[0]):
            load_perturbed(system, state.y, j)
            apply_reset(system, system.imaginary, r, t)
            first = (1 + j) * n
            for i in range(nq):
                state.y[first + i] = arrays.q[i].imag / PERTURBATION
            for i in range(n - nq):
                state.y[first + nq + i] = arrays.v[i].imag / PERTURBATION
        load_state(system, state.y)
        apply_reset(system, evaluator, r, t)
        store_state(system, state.y)
    state.last[0], state.mode[0] = state.mode[0], system.guards.to[g]
    return PYTHON if system.failed[0] != 0 else ENTERED


@kernel
def finite(values):
    """Whether all values are finite."""
    good = True
    for value in values:
        good = good and abs(value) < np.inf
    return good
