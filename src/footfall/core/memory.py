"""Values of compiled code in memory, for functions that are called by a pointer.

Such a call copies its arguments, and a robot is some thirty arrays: copying them took a tenth of a step. So they are written
down once, and what is called reads where they are, of which the compiler keeps what is used.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.registry import cpu_target
from numba.extending import intrinsic


def room(kind: Any) -> np.ndarray:
    """Memory for a value of a Numba type."""
    context = cpu_target.target_context
    return np.zeros(context.get_abi_sizeof(context.get_value_type(kind)), np.uint8)


@intrinsic
def write(typing: Any, where: Any, value: Any) -> Any:  # noqa: ARG001
    """write(where, value): put a value at an address."""

    def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ARG001
        address, content = given
        _each(builder, builder.inttoptr(address, content.type.as_pointer()), content, _put)
        return context.get_dummy_value()

    return types.void(types.int64, value), generate


def reader(kind: Any) -> Any:
    """A function read(where), for compiled code: the value of that Numba type at an address."""

    @intrinsic
    def read(typing: Any, where: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ARG001
            made = context.get_value_type(kind)
            return _each(builder, builder.inttoptr(given[0], made.as_pointer()), ir.Constant(made, ir.Undefined), _get)

        return kind(types.int64), generate

    return read


def _each(builder: Any, pointer: Any, value: Any, do: Any) -> Any:
    """Go through a value number by number, so that those nobody uses cost nothing."""
    if not isinstance(value.type, ir.LiteralStructType | ir.ArrayType):
        return do(builder, pointer, value)
    for i in range(len(value.type)):
        part = builder.gep(pointer, [ir.Constant(ir.IntType(32), 0), ir.Constant(ir.IntType(32), i)], inbounds=True)
        value = builder.insert_value(value, _each(builder, part, builder.extract_value(value, i), do), i)
    return value


def _put(builder: Any, pointer: Any, value: Any) -> Any:
    builder.store(value, pointer)
    return value


def _get(builder: Any, pointer: Any, value: Any) -> Any:  # noqa: ARG001
    return builder.load(pointer)
