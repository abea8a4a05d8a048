"""Steps that are asked for one by one, with the torques that act in them: written down, put to the motors, and on with the loop.

To look at the arguments of a loop in Python took several times as long as a step. Here a desk holds all that a step needs, so one
call from Python makes a step, or a step of each of many robots.
"""

import ctypes
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from footfall.core.frame import WORD, kind_of, reader
from footfall.core.jit import kernel

UNDONE = -1  # status: nothing was done; somebody must look first at what is due or wrong
ENTRY = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)


class Desk(NamedTuple):
    """Where a step finds what it needs."""

    loop: int  # address of a function int64(int64), asked with
    frame: int  # the address of its words, of which the last is the number of steps
    words: Any  # (n,) int: the same
    clock: Any  # (1,) int: number of the last instant
    clear: Any  # (1,) int: up to this instant nothing is due that compiled code could not do
    period: Any  # (1,) int: steps of a call that asks for no number
    target: Any  # (1,) int: the instant at which the last call shall end
    now: Any  # (motors,) what is given now
    since: Any  # (n,) int: the instant from which each row of values acts
    values: Any  # (n, motors) what was given so far
    count: Any  # (1,) int: of rows
    busy: Any  # (1,) int: 1 while a step is under way


def _example() -> Desk:
    one = np.zeros(1, np.int64)
    return Desk(0, 0, one, one, one, one, one, np.zeros(1), one, np.zeros((1, 1)), one, one)


desk_at = reader(kind_of(_example()))  # all desks are of one kind


@intrinsic
def _enter(typing: Any, address: Any, where: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ARG001
        function = ir.FunctionType(WORD, [WORD])
        return builder.call(builder.inttoptr(given[0], function.as_pointer()), [given[1]])

    return types.int64(types.int64, types.int64), generate


@kernel(compiled_from=_enter)
def enter(address, where):
    """The status of the function int64(int64) at an address."""
    return ENTRY(int(address))(int(where))


@intrinsic
def _copy(typing: Any, to: Any, source: Any, size: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ARG001
        target, origin = (builder.inttoptr(each, ir.IntType(8).as_pointer()) for each in given[:2])
        cgutils.raw_memcpy(builder, target, origin, given[2], 1)
        return given[2]

    return types.int64(types.int64, types.int64, types.int64), generate


@kernel(compiled_from=_copy)
def copy(to, source, size):
    """Copy so many bytes from one address to another."""
    ctypes.memmove(int(to), int(source), int(size))
    return size


@kernel
def gather(parts, into, at):
    """Copy the bytes of many arrays, rows of (address, size), one after the other to an address."""
    for i in range(len(parts)):
        at += copy(into + at, parts[i, 0], parts[i, 1])
    return at


@kernel
def scatter(parts, source, at):
    """And back."""
    for i in range(len(parts)):
        at += copy(parts[i, 0], source + at, parts[i, 1])
    return at


@kernel
def is_new(desk, values):
    """Whether values differ from those given last: also in the sign of zero, so that a replay has the same bits."""
    n = desk.count[0]
    if n == 0:
        return True
    for i in range(len(values)):
        before = desk.values[n - 1, i]
        if values[i] != before or np.copysign(1.0, values[i]) != np.copysign(1.0, before):
            return True
    return False


@kernel
def step_desk(desk, values, steps):
    """Give values to the motors and go on, by so many steps or (0) by a period. Returns the status of the loop, or UNDONE."""
    now, n = desk.clock[0], desk.count[0]
    steps = steps if steps != 0 else desk.period[0]
    if steps < 0 or desk.busy[0] or now < 0 or now + steps > desk.clear[0] or len(values) != len(desk.now):
        return UNDONE
    check = 0.0
    for i in range(len(values)):
        check += 0.0 * values[i]
    if check != 0.0:  # not finite times zero is not a number
        return UNDONE
    if is_new(desk, values):
        if n == len(desk.since):
            return UNDONE
        desk.since[n] = now + 1
        for i in range(len(values)):
            desk.values[n, i] = values[i]
            desk.now[i] = values[i]
        desk.count[0] = n + 1
    desk.target[0] = now + steps
    desk.words[len(desk.words) - 1] = steps
    desk.busy[0] = 1
    status = enter(desk.loop, desk.frame)
    desk.busy[0] = 0
    return status


@kernel
def step_one(where, values, steps):
    """`step_desk` of the robot whose desk is written down at an address."""
    return step_desk(desk_at(where), values, steps)


@kernel
def step_many(where, values, steps, status):
    """The same of many robots, each with its row of values; `status` gets what became of each."""
    for i in range(len(where)):
        status[i] = step_desk(desk_at(where[i]), values[i], steps)
    return 0


@cache
def ready_step(space: str) -> Any:
    """`step_one` for arrays of floats alone: anything else is a TypeError, at once, and not another compilation."""
    step = step_one[space]
    step.compile((types.int64, types.float64[::1], types.int64))
    step.disable_compile()
    return step
