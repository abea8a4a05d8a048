"""Arguments of compiled functions that are called by a pointer, written down once as words of 64 bits.

Such a call copies its arguments, and a robot is some thirty arrays: copying them took a tenth of a step. So they are written down
when a run is built, and the function that is called reads what it needs: a number is one word, a record its address, and an array
its address and its shape. Arrays are contiguous, and whoever writes them down keeps them alive.
"""

import ctypes
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from footfall.core.jit import kernel

Words = np.ndarray  # int64


def words(value: Any) -> Words:
    """A value as words: floats, ints, contiguous arrays, records, None, and tuples of these."""
    found: list[int] = []
    _collect(value, found)
    return np.array(found, np.int64)


def _collect(value: Any, found: list[int]) -> None:
    if isinstance(value, tuple):
        for part in value:
            _collect(part, found)
    elif isinstance(value, np.ndarray):
        found += [value.ctypes.data, *value.shape]
    elif isinstance(value, np.void):
        found.append(int(value.__array_interface__["data"][0]))
    elif isinstance(value, float):
        found.append(int(np.float64(value).view(np.int64)))
    elif isinstance(value, int):
        found.append(value)
    elif value is not None:
        raise TypeError(f"a {type(value).__name__} cannot be handed to compiled code: {value!r:.60}")


def kind_of(value: Any) -> Any:
    """The Numba type of a value."""
    return typeof(value)


@cache
def reader(kind: Any) -> Any:
    """A function read(where), for compiled code: the value of that Numba type whose words are at an address."""

    @intrinsic
    def read(typing: Any, where: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ARG001
            start = builder.inttoptr(given[0], ir.IntType(64).as_pointer())
            value, _ = _read(context, builder, kind, start, 0)
            return value

        return kind(types.int64), generate

    return read


def _read(context: Any, builder: Any, kind: Any, start: Any, at: int) -> tuple[Any, int]:
    """The value whose words begin at `at`, and where the next one's do."""
    if isinstance(kind, types.BaseTuple):
        values = []
        parts: Any = kind
        for part in parts:
            value, at = _read(context, builder, part, start, at)
            values.append(value)
        return context.make_tuple(builder, kind, values), at
    if isinstance(kind, types.NoneType):
        return context.get_dummy_value(), at
    if isinstance(kind, types.Array):
        return _read_array(context, builder, kind, start, at), at + 1 + kind.ndim
    word = _word(builder, start, at)
    if isinstance(kind, types.Float):
        return builder.bitcast(word, ir.DoubleType()), at + 1
    if isinstance(kind, types.Record):
        return builder.inttoptr(word, context.get_value_type(kind)), at + 1
    return word, at + 1


def _word(builder: Any, start: Any, at: int) -> Any:
    return builder.load(builder.gep(start, [ir.Constant(ir.IntType(64), at)], inbounds=True))


def _read_array(context: Any, builder: Any, kind: Any, start: Any, at: int) -> Any:
    made = context.make_array(kind)(context, builder)
    data = builder.inttoptr(_word(builder, start, at), made.data.type)
    shape = [_word(builder, start, at + 1 + axis) for axis in range(kind.ndim)]
    itemsize = ir.Constant(ir.IntType(64), context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides: list[Any] = []
    step = itemsize
    for size in reversed(shape):
        strides.insert(0, step)
        step = builder.mul(step, size)
    populate_array(made, data=data, shape=shape, strides=strides, itemsize=itemsize, meminfo=None)
    return made._getvalue()


# --- calling by an address ----------------------------------------------------------------------------------------------------
# A function that is called so returns its status plus 1. One that raises an error returns 0, whatever it is.

LAW = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_double, ctypes.c_int64)


@intrinsic
def _call(typing: Any, address: Any, time: Any, frame: Any) -> Any:  # noqa: ARG001
    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ARG001
        word = ir.IntType(64)
        function = ir.FunctionType(word, [ir.DoubleType(), word])
        returned = builder.call(builder.inttoptr(given[0], function.as_pointer()), [given[1], given[2]])
        return builder.sub(returned, ir.Constant(word, 1))

    return types.int64(types.int64, types.float64, types.int64), generate


@kernel(compiled_from=_call)
def call_law(address, time, frame):
    """The status of the function int64(float64, int64) at an address: not 0 if it raised an error."""
    return LAW(int(address))(time, int(frame)) - 1
