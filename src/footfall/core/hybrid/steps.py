"""Adaptive steps of DOP853, with dense output.

Standard name: the explicit Runge-Kutta method of order 8 of Dormand and Prince, with step-size control and continuous extension
of Hairer, Norsett and Wanner. It departs from their code in one way: after a step, q and v are projected onto the constraints of
the mode.
"""

import numpy as np

from footfall.core.hybrid.dop853 import ALL_STAGES, POWERS, STAGES, A, C, D, E
from footfall.core.hybrid.system import anchors_of, constraint_set, load_state, scratch_of, state_rate, store_state
from footfall.core.jit import kernel
from footfall.core.recursion.anchors import poorly_pivoted, project_back, set_order
from footfall.core.recursion.constrained import complete

SAFETY, LEAST, MOST = 0.9, 0.2, 10.0  # by what the next step may differ
EXPONENT = -1.0 / 8.0
ENDS = np.array((0, 1, 2, STAGES, ALL_STAGES))  # of runs of stages; as numbers in the text each run would be compiled for itself


@kernel
def size_of(system):
    """Length of y, with the columns of the derivative."""
    return len(system.stages.look) * (1 + system.state.columns[0])


@kernel
def set_stages(system, t, h, first, last):
    """Slopes K of some of the stages of a step of length h from stages.start; earlier ones are set."""
    stages = system.stages
    for s in range(first, last):
        for i in range(size_of(system)):
            total = 0.0
            for j in range(s):
                if A[s, j] != 0.0:
                    total += A[s, j] * stages.K[j, i]
            stages.stage[i] = stages.start[i] + h * total
        state_rate(system, t + C[s] * h, stages.stage, stages.K[s])


@kernel
def begin(system, tools):
    """The slope at the state, K[0]."""
    for i in range(size_of(system)):
        system.stages.start[i] = system.state.y[i]
    tools.set_stages(system, system.state.t[0], 0.0, ENDS[0], ENDS[1])


@kernel
def attempt(system, tools, t, h):
    """One step from stages.start, whose slope is K[0], to stages.end."""
    tools.set_stages(system, t, h, ENDS[1], ENDS[3])
    for i in range(size_of(system)):
        system.stages.end[i] = system.stages.stage[i]


@kernel
def error_of(system, h):
    """Error of the last attempt, in units of the tolerance."""
    stages, size = system.stages, size_of(system)
    fifth, third = 0.0, 0.0
    for i in range(size):
        scale = system.limits.atol + system.limits.rtol * max(abs(stages.start[i]), abs(stages.end[i]))
        five, three = 0.0, 0.0
        for s in range(STAGES):
            five += E[0, s] * stages.K[s, i]
            three += E[1, s] * stages.K[s, i]
        fifth += (five / scale) ** 2
        third += (three / scale) ** 2
    if fifth == 0.0 and third == 0.0:
        return 0.0
    return abs(h) * fifth / np.sqrt((fifth + 0.01 * third) * size)


@kernel
def first_step(system, tools, end):
    """A first step that is safe, from the slope K[0] at the state and that a little later (Hairer, Norsett, Wanner, II.4)."""
    state, stages, size = system.state, system.stages, size_of(system)
    d0, d1, d2 = 0.0, 0.0, 0.0
    for i in range(size):
        scale = system.limits.atol + system.limits.rtol * abs(state.y[i])
        d0 += (state.y[i] / scale) ** 2
        d1 += (stages.K[0, i] / scale) ** 2
    d0, d1 = np.sqrt(d0 / size), np.sqrt(d1 / size)
    h = 1e-6 if d0 < 1e-5 or d1 < 1e-5 else 0.01 * d0 / d1
    h = min(h, end - state.t[0])
    tools.set_stages(system, state.t[0], h / A[1, 0], ENDS[1], ENDS[2])
    for i in range(size):
        scale = system.limits.atol + system.limits.rtol * abs(state.y[i])
        d2 += ((stages.K[1, i] - stages.K[0, i]) / scale) ** 2
    d2 = np.sqrt(d2 / size) / h
    later = max(1e-6, 1e-3 * h) if d1 <= 1e-15 and d2 <= 1e-15 else (0.01 / max(d1, d2)) ** (1.0 / 8.0)
    return min(min(100.0 * h, later), min(end - state.t[0], system.limits.max_step))


@kernel
def adaptive_step(system, tools, end):
    """A step from the state, as long as its error allows; its end is stages.end. Returns its length, 0 if there is none."""
    state = system.state
    t = state.t[0]
    shortest = 10.0 * (np.nextafter(max(t, 1.0), np.inf) - max(t, 1.0))  # near t = 0, too, steps of 1e-16 s lead nowhere
    h = max(min(state.h[0], system.limits.max_step), shortest)
    rejected = False
    while h >= shortest and system.failed[0] == 0:
        h = min(t + h, end) - t
        attempt(system, tools, t, h)
        error = error_of(system, h)
        if error < 1.0:
            factor = MOST if error == 0.0 else min(MOST, SAFETY * error**EXPONENT)
            state.h[0] = h * (min(1.0, factor) if rejected else factor)
            return h
        h *= max(LEAST, SAFETY * error**EXPONENT) if error < np.inf else LEAST
        rejected = True
    return 0.0


@kernel
def set_dense(system, tools, t, h):
    """Coefficients of the dense output of the last step; without derivatives."""
    stages, columns = system.stages, system.state.columns[0]
    system.state.columns[0] = 0
    tools.set_stages(system, t, h, ENDS[3], ENDS[4])
    for i in range(size_of(system)):
        change = stages.end[i] - stages.start[i]
        stages.F[0, i] = change
        stages.F[1, i] = h * stages.K[0, i] - change
        stages.F[2, i] = 2.0 * change - h * (stages.K[12, i] + stages.K[0, i])
        for r in range(4):
            total = 0.0
            for s in range(ALL_STAGES):
                total += D[r, s] * stages.K[s, i]
            stages.F[3 + r, i] = h * total
    system.state.columns[0] = columns


@kernel
def interpolate(system, x, out):
    """q and v at the fraction x of the last step."""
    stages = system.stages
    for i in range(len(stages.look)):
        y = 0.0
        for k in range(POWERS):
            y = (y + stages.F[POWERS - 1 - k, i]) * (x if k % 2 == 0 else 1.0 - x)
        out[i] = stages.start[i] + y


@kernel
def project(system, y):
    """q and v projected onto the constraints of the mode: held points at their anchors and at rest."""
    evaluator, arrays, h = system.real, system.real.arrays, system.modes.constraint_set[system.state.mode[0]]
    constraints = constraint_set(system, h)
    scratch = scratch_of(arrays, constraints)
    load_state(system, y)
    for turn in range(2 if len(constraints.row) > 0 else 1):
        evaluator.factorise(system.tree, constraints, arrays)
        if turn == 0:
            project_back(system.tree, arrays.work, constraints, scratch, anchors_of(system, h), arrays.q)
    if len(constraints.row) > 0:
        complete(constraints, scratch, arrays.v)
        if poorly_pivoted(constraints, scratch):
            set_order(constraints, scratch)
    store_state(system, y)
