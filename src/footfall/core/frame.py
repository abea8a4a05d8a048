"""Arguments of compiled functions, written down once as words of 64 bits and handed over by their address.

A robot in a world is two hundred arrays. To copy them in a call took a tenth of a step; to pass them on as arguments from kernel
to kernel, each as the seven numbers that Numba has for an array, took half of the time to compile. So they are written down when
a run is built: a number is one word, a record or function its address, an array its address and its shape. Arrays are contiguous,
and whoever writes them down keeps them alive.

In compiled code a named tuple that is written down is a `Reference`: one address. Its fields are read where they are used, and a
field that is a named tuple is a reference again. The words do not change while compiled code runs, and the compiler is told so:
it reads a field once, outside of loops.
"""

import ctypes
from functools import cache
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof, types
from numba.core import cgutils
from numba.core.imputils import lower_builtin, lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer, infer_getattr, signature
from numba.extending import intrinsic, models, overload, register_model
from numba.np.arrayobj import populate_array

from footfall.core.jit import kernel

Words = np.ndarray  # int64
WORD = ir.IntType(64)


def words(value: Any) -> Words:
    """A value as words: floats, ints, contiguous arrays, records, functions, None, and tuples of these."""
    found: list[int] = []
    _collect(value, found)
    return np.array(found, np.int64)


def _collect(value: Any, found: list[int]) -> None:
    if isinstance(value, tuple):
        for part in value:
            _collect(part, found)
    elif isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError(f"an array that is not contiguous cannot be handed to compiled code: its strides are {value.strides}")
        found.append(value.ctypes.data)
        found += value.shape
    elif isinstance(value, np.void):
        found.append(int(value.__array_interface__["data"][0]))
    elif isinstance(value, float):
        found.append(int(np.float64(value).view(np.int64)))
    elif isinstance(value, int):
        found.append(value)
    elif isinstance(value, types.WrapperAddressProtocol):
        found.append(value.__wrapper_address__())
    elif value is not None:
        raise TypeError(f"a {type(value).__name__} cannot be handed to compiled code: {value!r:.60}")


_kinds: dict[tuple, Any] = {}
_signatures: dict[int, Any] = {}
_readers: dict[int, tuple[Any, Any]] = {}


def kind_of(value: Any) -> Any:
    """The Numba type of a value, the same object each time. To ask Numba for that of a robot, or to compare two, is slow."""
    signs: list[Any] = []
    _tell_apart(value, signs)
    key = tuple(signs)
    if key not in _kinds:
        _kinds[key] = typeof(value)
    return _kinds[key]


def _tell_apart(value: Any, signs: list[Any]) -> None:
    """What tells one Numba type from another."""
    signs.append(type(value))
    if isinstance(value, tuple):
        signs.append(len(value))
        for part in value:
            _tell_apart(part, signs)
    elif isinstance(value, np.ndarray):
        signs += (value.dtype, value.ndim, value.flags.num)
    elif isinstance(value, np.void):
        signs.append(value.dtype)
    elif isinstance(value, types.WrapperAddressProtocol):
        signature = value.signature()
        signs.append(id(_signatures.setdefault(id(signature), signature)))


def reference_to(value: Any) -> Any:
    """The Numba type of a value as compiled code sees it when it is written down."""
    return _shown(kind_of(value))


class Reference(types.Type):
    """A named tuple that is written down: its address."""

    def __init__(self, kind: Any):
        self.kind = kind
        self.types = (kind,)
        super().__init__(f"Reference({kind})")

    @property
    def key(self) -> Any:
        return self.kind


@register_model(Reference)
class _ReferenceModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any):
        super().__init__(manager, kind, WORD.as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference: Any, name: str) -> Any:  # type: ignore[override]
        kind = reference.kind
        return _shown(kind[kind.fields.index(name)]) if name in kind.fields else None


@lower_getattr_generic(Reference)
def _field(context: Any, builder: Any, reference: Any, start: Any, name: str) -> Any:
    index = reference.kind.fields.index(name)
    at = sum(_size(kind) for kind in reference.kind.types[:index])
    return _read(context, builder, reference.kind[index], start, at)


@infer
class _Field(AbstractTemplate):
    """reference[1], with an index that stands in the text."""

    key = "static_getitem"

    def generic(self, args: Any, kws: Any) -> Any:  # noqa: ARG002
        reference, index = args
        if isinstance(reference, Reference) and isinstance(index, int) and -len(reference.kind) <= index < len(reference.kind):
            return signature(_shown(reference.kind[index]), *args)
        return None


@lower_builtin("static_getitem", Reference, types.IntegerLiteral)
def _field_by_index(context: Any, builder: Any, signature: Any, given: Any) -> Any:
    reference = signature.args[0]
    return _field(context, builder, reference, given[0], reference.kind.fields[given[1]])


@overload(len)
def _count(reference):
    if not isinstance(reference, Reference):
        return None
    count = len(reference.kind)
    return lambda reference: count  # noqa: ARG005


def reader(kind: Any) -> Any:
    """A function read(where), for compiled code: the value of that Numba type (of `kind_of`) whose words are at an address."""
    if id(kind) not in _readers:
        _readers[id(kind)] = kind, _reader(kind)
    return _readers[id(kind)][1]


def _reader(kind: Any) -> Any:
    @intrinsic
    def read(typing: Any, where: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, given: Any) -> Any:  # noqa: ARG001
            return _read(context, builder, kind, builder.inttoptr(given[0], WORD.as_pointer()), 0)

        return _shown(kind)(types.int64), generate

    return read


def _shown(kind: Any) -> Any:
    """The type of a part as compiled code sees it."""
    if isinstance(kind, types.BaseNamedTuple):
        return Reference(kind)
    parts: Any = kind
    return types.Tuple([_shown(part) for part in parts]) if isinstance(kind, types.BaseTuple) else kind


@cache
def _size(kind: Any) -> int:
    """How many words a value of a Numba type takes."""
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        return sum(_size(part) for part in parts)
    if isinstance(kind, types.NoneType):
        return 0
    return 1 + kind.ndim if isinstance(kind, types.Array) else 1


def _read(context: Any, builder: Any, kind: Any, start: Any, at: int) -> Any:
    """The value whose words begin at `at`."""
    if isinstance(kind, types.BaseNamedTuple):
        return _place(builder, start, at)
    if isinstance(kind, types.BaseTuple):
        parts: Any = kind
        values = []
        for part in parts:
            values.append(_read(context, builder, part, start, at))
            at += _size(part)
        return context.make_tuple(builder, _shown(kind), values)
    if isinstance(kind, types.NoneType):
        return context.get_dummy_value()
    if isinstance(kind, types.Array):
        return _read_array(context, builder, kind, start, at)
    word = _word(builder, start, at)
    if isinstance(kind, types.Float):
        return builder.bitcast(word, ir.DoubleType())
    if isinstance(kind, types.Record):
        return builder.inttoptr(word, context.get_value_type(kind))
    if isinstance(kind, types.FunctionType):
        function = cgutils.create_struct_proxy(kind)(context, builder)
        function.c_addr = builder.inttoptr(word, function.c_addr.type)
        function.py_addr, function.jit_addr = (ir.Constant(each.type, None) for each in (function.py_addr, function.jit_addr))
        return function._getvalue()
    return word


def _place(builder: Any, start: Any, at: int) -> Any:
    return builder.gep(start, [ir.Constant(WORD, at)], inbounds=True)


def _word(builder: Any, start: Any, at: int) -> Any:
    word = builder.load(_place(builder, start, at))
    word.set_metadata("invariant.load", builder.module.add_metadata([]))
    return word


def _read_array(context: Any, builder: Any, kind: Any, start: Any, at: int) -> Any:
    made = context.make_array(kind)(context, builder)
    data = builder.inttoptr(_word(builder, start, at), made.data.type)
    shape = [_word(builder, start, at + 1 + axis) for axis in range(kind.ndim)]
    itemsize = ir.Constant(WORD, context.get_abi_sizeof(context.get_data_type(kind.dtype)))
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
