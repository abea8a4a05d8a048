"""The one place that talks to the compiler.

A kernel is a text that is read in several ways. `@kernel` only keeps the text. `aba["planar"]` and `aba["spatial"]` are that
text compiled with the algebra of the plane or of space behind its names; `aba.plain("spatial")` is the same text as ordinary
Python, which CasADi can trace. The text imports the algebra of space; for the plane every name of that algebra is replaced by
its twin of the same name.

Compiled code is kept on disk, see `core.cache`.
"""

import importlib
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from inspect import CO_VARARGS
from pathlib import Path
from types import CellType, FunctionType, ModuleType
from typing import Any

import numba
from numba.core import event
from numba.core.errors import NumbaError

from footfall.core.announce import Announcer
from footfall.core.cache import KernelCache, closure_values, digest, global_names, global_values
from footfall.core.library import InnerCompiler, OuterCompiler, ShortLoopCompiler, how_optimised
from footfall.core.scalar import scalar

SPACES = ("planar", "spatial")
PACKAGE = Path(__file__).parents[1]
OPTIONS: Any = {
    "error_model": "numpy",  # division by zero gives inf, as in numpy, instead of a branch
    "fastmath": {"contract"},  # a * b + c may be one instruction; nothing is reordered
    "nogil": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,  # kernels own no memory: nothing is allocated, nothing counted (counting cost half the time)
}
SETTINGS: Any = numba.config
PYTHON = ("plain", "numeric")  # readings that are not compiled
PARTS = {
    "plain": "plain",
    "numeric": "numeric",
    "law": "exact",
    "exact": "exact",
}  # how a reading reads the kernels that it calls
ONE_WORD = numba.types.int64(numba.types.int64)

_lock = threading.RLock()


class Kernel:
    """One text and its readings."""

    def __init__(
        self, text: Callable, compiled_from: Any = None, inline: bool = True, exact: bool = False, short_loops: bool = False
    ):
        self.text = text
        self._exact = exact
        self._short_loops = short_loops
        self._faster = compiled_from
        self._inline = inline
        self.__name__ = text.__name__
        self.__doc__ = text.__doc__
        self._readings: dict[tuple[str, str], Any] = {}
        self._laws: dict[tuple[str, Any], int] = {}
        self._entries: dict[tuple[str, Any], int] = {}

    def __repr__(self) -> str:
        return f"<kernel {self.text.__module__}.{self.__name__}>"

    def __call__(self, *_given: Any, **_more: Any) -> Any:
        raise TypeError(
            f"{self!r} has a reading for each space, {self.__name__}['planar']; a law that calls it imports it by name"
        )

    def __getitem__(self, space: str) -> Any:
        """The text compiled for `space`, on first use."""
        return self._read(space, "entry")

    def plain(self, space: str) -> Any:
        """The text as ordinary Python, all kernels that it calls included."""
        return self._read(space, "plain")

    def numeric(self, space: str) -> Any:
        """As `plain`, for numbers only: it reads the same texts as the compiler, and gives the bits of a compiled law."""
        return self._read(space, "numeric")

    def address(self, space: str, signature: Any) -> int:
        """Where the text for `space` begins, compiled for a signature, so that other compiled code can call it by a pointer."""
        return _address(self._read(space, "pointer"), signature)

    def entry_address(self, space: str, frame: Any) -> int:
        """The address of int64(int64): the text for `space`, with arguments that `frame` reads at an address."""
        if (space, frame) not in self._entries:
            inner = self._read(space, "inner")
            made = FunctionType(_enter.__code__, {"kernel": inner, "frame": frame}, _enter.__name__)
            made.__module__ = self.text.__module__
            made.__qualname__ = f"{space}.enter.{self.text.__module__}.{self.__name__}"
            self._entries[space, frame] = _address(_compile(made, False, "enter", short_loops=self._short_loops), ONE_WORD)
        return self._entries[space, frame]

    def law_address(self, space: str, caller: FunctionType, frame: Any, signature: Any) -> int:
        """The address of `caller`, which reads its arguments by `frame` and calls this text as `law`: one compilation for both.

        Counting references takes longer than most laws do, but one that makes arrays, or calls what may make them, needs it.
        """
        if (space, frame) not in self._laws:
            law = self._read(space, "law")
            made = FunctionType(caller.__code__, {**caller.__globals__, "law": law, "frame": frame}, caller.__name__)
            made.__module__ = self.text.__module__
            made.__qualname__ = f"pointer.{self.text.__module__}.{self.__name__}"
            self._laws[space, frame] = _law_address(made, law.py_func, signature)
        return self._laws[space, frame]

    def _read(self, space: str, how: str) -> Any:
        """The text for `space`: 'plain' or 'numeric', or compiled: an 'entry' from Python, an 'inner' part, for a 'pointer', a
        'law' or an 'exact' part of one."""
        if (space, how) in self._readings:
            return self._readings[space, how]
        if space not in SPACES:
            raise ValueError(f"no algebra of that name: {space!r}; there are {', '.join(SPACES)}")
        if isinstance(self._faster, Kernel) and how != "plain":
            return self._faster._read(space, how)
        if self._faster and how not in PYTHON and not SETTINGS.DISABLE_JIT:
            return self._faster
        with _lock:
            reached = global_names(self.text.__code__) & self.text.__globals__.keys()
            names = {name: self._meaning(name, space, how) for name in reached}
            names["__builtins__"] = self.text.__globals__["__builtins__"]
            names["__name__"] = self.text.__module__
            cells = tuple(self._cell(cell, space, how) for cell in self.text.__closure__ or ())
            reading = FunctionType(self.text.__code__, names, self.__name__, self.text.__defaults__, cells)
            reading.__kwdefaults__ = self.text.__kwdefaults__
            if how not in PYTHON:
                _let_keywords_be_positions(reading)
            reading.__qualname__ = f"{space}.{how}.{self.__name__}"  # also keeps readings apart in the cache
            reading.__module__ = self.text.__module__
            reading.__doc__ = self.__doc__
            self._readings[space, how] = reading if how in PYTHON else _compile(reading, self._inline, how, self._exact)
            return self._readings[space, how]

    def _meaning(self, name: str, space: str, how: str) -> Any:
        value = self.text.__globals__[name]
        if getattr(_algebra("spatial"), name, None) is value:
            value = getattr(_algebra(space), name, value)
        return self._read_value(value, space, how)

    @staticmethod
    def _read_value(value: Any, space: str, how: str) -> Any:
        if isinstance(value, Kernel):
            return value._read(space, PARTS.get(how, "inner"))
        return scalar(value) if how == "numeric" else value

    def _cell(self, cell: CellType, space: str, how: str) -> CellType:
        """A variable of an outer function; Python shares it, unless it means something else there."""
        try:
            value = cell.cell_contents
        except ValueError:  # empty
            return cell if how in PYTHON else CellType()
        meaning = self._read_value(value, space, how)
        return cell if how in PYTHON and meaning is value else CellType(meaning)


def kernel(
    text: Callable | None = None,
    *,
    compiled_from: Any = None,
    inline: bool = True,
    exact: bool = False,
    short_loops: bool = False,
) -> Any:
    """Make a function a kernel: numbers, arrays and tuples in, the same out; a status instead of an exception.

    `compiled_from` names a faster text for the compiler, where symbols cannot follow (branches on values), or an intrinsic of
    Numba, where Python has another way. A kernel that is long and seldom called stays a call of its own with `inline=False`,
    which saves compiling it at every place. What must round as it is written, because the order of two things shall not matter,
    is `exact`. A kernel with `short_loops`, entered by its address, is compiled with all that it calls for loops over a handful
    of joints and contacts.
    """
    options = {"compiled_from": compiled_from, "inline": inline, "exact": exact, "short_loops": short_loops}
    return partial(Kernel, **options) if text is None else Kernel(text)


def _algebra(space: str) -> ModuleType:
    return importlib.import_module(f"{__package__}.{space}.algebra")


def _enter(where):
    """A kernel as it is called with the address of its arguments; `frame` and `kernel` are bound where it is compiled."""
    return kernel(*frame(where))  # noqa: F821


def _compile(reading: FunctionType, inline: bool, how: str, exact: bool = False, short_loops: bool = False, **more: Any) -> Any:
    if how == "law":  # becomes part of the text that calls it
        return numba.njit(inline="always")(reading)
    options: Any = {**OPTIONS, "forceinline": inline, "no_cpython_wrapper": how != "entry"}
    if exact or how in ("pointer", "exact"):  # a law rounds as Python does, which it may stand in for
        options |= {"fastmath": False}
    if how in ("pointer", "enter"):
        options |= {"forceinline": False, "no_cfunc_wrapper": False}
    options |= more
    part = how in ("inner", "exact")
    pipeline = InnerCompiler if part else ShortLoopCompiler if short_loops else OuterCompiler
    compiled: Any = numba.njit(**options, pipeline_class=pipeline)(reading)
    if not SETTINGS.DISABLE_JIT:
        compiled.footfall_digest = known = digest((reading, options, how_optimised(pipeline)))
        if not part:
            compiled._cache = KernelCache(reading.__qualname__, known)
    return compiled


def _let_keywords_be_positions(reading: FunctionType) -> None:
    """Arguments after a bare `*`, which the compiler does not know, become ordinary ones."""
    code, after = reading.__code__, reading.__kwdefaults__ or {}
    names = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    if not names or code.co_flags & CO_VARARGS or set(names) != set(after):
        return
    reading.__code__ = code.replace(co_argcount=code.co_argcount + len(names), co_kwonlyargcount=0)
    reading.__defaults__ = (*(reading.__defaults__ or ()), *(after[name] for name in names))
    reading.__kwdefaults__ = None


def _address(compiled: Any, signature: Any) -> int:
    compiled.compile(signature)
    found = compiled.overloads[signature.args]
    return found.library.get_pointer_to_function(found.fndesc.llvm_cfunc_wrapper_name)


_law_addresses: dict[str, int] = {}  # by digest: a function that is defined again, as in a loop, is not compiled again


def _law_address(made: FunctionType, law: FunctionType, signature: Any) -> int:
    known = digest((made, SETTINGS.BOUNDSCHECK))
    made.__qualname__ += f".{known[:8]}"  # one name for one code, also if laws of the plane and of space are the same
    if known not in _law_addresses:
        _law_addresses[known] = _compiled_law(made, law, signature)
    return _law_addresses[known]


def _compiled_law(made: FunctionType, law: FunctionType, signature: Any) -> int:
    reached = (*global_values(law).values(), *closure_values(law).values())
    foreign = any(hasattr(each, "py_func") and not hasattr(each, "footfall_digest") for each in reached)
    if not foreign:
        with suppress(NumbaError):  # what is wrong otherwise is said below
            return _address(_compile(made, False, "pointer"), signature)
    return _address(_compile(made, False, "pointer", _nrt=True), signature)


event.register("numba:compile", Announcer(PACKAGE.name))
