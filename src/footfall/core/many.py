"""Steps of many runs in one call. Threads that enter it together share one list, each takes the next run that is left."""

from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from footfall.core.contact.loop import DONE
from footfall.core.frame import kind_of, reader
from footfall.core.jit import kernel
from footfall.core.law import Observation
from footfall.core.network import Inputs, read_inputs
from footfall.core.outside import UNDONE, desk_at, step_desk


class Shown(NamedTuple):
    """Where there is to see what a run does."""

    clock: Any  # (1,) int: number of the last instant
    dt: float  # s
    q: Any  # (nq,)
    v: Any  # (nv,) in the middle of the next step,
    a: Any  # (nv,) with this acceleration,
    ahead: Any  # (1,) s: and this length
    force: Any  # (contacts, DIM)
    mode: Any  # (contacts,)
    tau: Any  # (nv,) that motors applied
    measured: int  # 1 if there are sensors, which see
    q_seen: Any  # (nq,)
    v_seen: Any  # (nv,)
    force_seen: Any  # (contacts, DIM)
    mode_seen: Any  # (contacts,)
    wrench: Any  # (feet, n)
    acceleration: Any  # (n, DIM)


class Rows(NamedTuple):
    """The same of all runs: a row for each."""

    time: Any  # (runs,) s
    q: Any  # (runs, nq)
    v: Any  # (runs, nv)
    force: Any  # (runs, contacts, DIM)
    mode: Any  # (runs, contacts) int
    tau: Any  # (runs, nv)
    inputs: Any  # (runs, n)


class Jobs(NamedTuple):
    """What is to be done, for each run."""

    desk: Any  # (runs,) int: the address of its desk, 0 if Python must make the step
    shown: Any  # (runs,) int: the address of what it shows
    values: Any  # (runs, motors)
    status: Any  # (runs,) int
    steps: Any  # (1,) int
    next: Any  # (1,) int: the run that nobody has taken yet


def _example() -> Shown:
    row, table = np.zeros(1), np.zeros((1, 2))
    whole, modes = np.zeros(1, np.int64), np.zeros(1, np.uint32)
    return Shown(whole, 0.0, row, row, row, row, table, modes, row, 0, row, row, table, modes, table, table)


shown_at = reader(kind_of(_example()))  # all runs show arrays of the same kinds


@intrinsic
def _take(typing: Any, counter: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, given[0])
        return builder.atomic_rmw("add", array.data, ir.Constant(ir.IntType(64), 1), "seq_cst")

    return types.int64(types.Array(types.int64, 1, "C")), generate


@kernel(compiled_from=_take)
def take(counter):
    """The value of a counter, which goes up by one: each number is given to one thread."""
    counter[0] += 1
    return counter[0] - 1


@kernel(exact=True)
def look(shown, inputs, rows, k):
    """Write what a run shows into row k."""
    now = shown.clock[0] * shown.dt
    rows.time[k] = now
    for j in range(len(shown.q)):
        rows.q[k, j] = shown.q[j]
    for d in range(len(shown.v)):
        rows.v[k, d] = shown.v[d] - 0.5 * shown.ahead[0] * shown.a[d]
        rows.tau[k, d] = shown.tau[d]
    for c in range(len(shown.mode)):
        rows.mode[k, c] = shown.mode[c]
        for i in range(shown.force.shape[1]):
            rows.force[k, c, i] = shown.force[c, i]
    sensed = shown.wrench, shown.acceleration
    if shown.measured:
        seen = shown.q_seen, shown.v_seen, shown.force_seen, shown.mode_seen
        obs = Observation(now, seen[0], seen[1], seen[2], seen[3], sensed[0], sensed[1])
    else:
        obs = Observation(now, shown.q, rows.v[k], shown.force, shown.mode, sensed[0], sensed[1])
    read_inputs(obs, inputs, rows.inputs[k])


@kernel
def step_all(jobs, inputs, rows):
    """Take the steps of all runs that nobody else takes."""
    while True:
        k = take(jobs.next)
        if k >= len(jobs.desk):
            return DONE
        jobs.status[k] = UNDONE
        if jobs.desk[k] != 0:
            jobs.status[k] = step_desk(desk_at(jobs.desk[k]), jobs.values[k], jobs.steps[0])
            if jobs.status[k] == DONE:
                look(shown_at(jobs.shown[k]), inputs, rows, k)


@kernel
def look_at(wanted, shown, inputs, rows):
    """Write what some of the runs show, those with a 1."""
    for k in range(len(wanted)):
        if wanted[k]:
            look(shown_at(shown[k]), inputs, rows, k)
    return DONE


def no_inputs() -> Inputs:
    """Nothing is read."""
    none, whole = np.zeros(0), np.zeros(0, np.int64)
    return Inputs(whole, whole, whole, whole, none, none, 1.0)
