"""Machine code on disk, one file for each compiled function, found by what the function is.

Numba's own cache looks only at the file that holds a function, and silently keeps stale code when a helper elsewhere changes.
Here the name of a file is a digest of all that its machine code depends on: the byte code and constants of the function and of
every function that it reaches, the fields of the tuples that it is given, the compiler, its settings and the processor. Nothing
else matters: an edit compiles again what it concerns and no more. A file that is damaged is compiled again and replaced.

The files are pickles, which run code when they are read. They are read only from a folder that belongs to this user and that
nobody else can write to.
"""

import contextlib
import dataclasses
import dis
import enum
import hashlib
import os
import pickle
import stat
import sys
import tempfile
import time
import warnings
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite
import numba
from numba.core import compiler, types
from numba.core.caching import _Cache
from numba.core.serialize import dumps

NAME = "footfall"
ENDING = ".kernel"
UNFINISHED = "new-"  # how the name of a file begins until it is whole
LONGEST_WRITE = 3600.0  # s: a process that has not finished one by then was killed
LARGEST = 1 << 30  # bytes: beyond, the files that were not used for longest are dropped
OF_COMPILER = {"numpy", "numba", *sys.stdlib_module_names}  # packages whose functions Numba compiles in its own way
VERSIONS = f"{sys.implementation.cache_tag} numba {numba.__version__} llvmlite {llvmlite.__version__}"


class CacheWarning(UserWarning):
    """Compiled code cannot be kept where it should be."""


# --- what a function is --------------------------------------------------------------------------------------------------------


def digest(value: Any) -> str:
    """A text that is the same for all values that compile to the same code, in every process."""
    found = hashlib.sha256(VERSIONS.encode())
    _describe(value, found, set())
    return found.hexdigest()[:32]


def _describe(value: Any, found: Any, seen: set[int]) -> None:
    found.update(f"{type(value).__name__}(".encode())
    for part in _parts(value, seen):
        if isinstance(part, bytes):
            found.update(len(part).to_bytes(8, "little") + part)
        else:
            _describe(part, found, seen)
    found.update(b")")


def _parts(value: Any, seen: set[int]) -> Iterable[Any]:
    """What makes a value: bytes, or further values."""
    known = getattr(value, "footfall_digest", None)
    if isinstance(known, str):
        return (known.encode(),)
    if callable(value) and hasattr(value, "__name__") and _is_of_compiler(value.__module__):
        return (f"{value.__module__}.{value.__name__}".encode(),)
    holder = getattr(value, "_dispatcher", value)  # that of a ufunc of Numba
    for wrapped in ("py_func", "_defn", "__wrapped__"):  # compiled by Numba, one of its intrinsics, or with a memory of results
        function = getattr(holder, wrapped, None)
        if isinstance(function, FunctionType):
            return _function_parts(function, seen)
    if isinstance(value, FunctionType):
        return _function_parts(value, seen)
    if isinstance(value, CodeType):
        return _code_parts(value)
    if isinstance(value, types.Type):
        return _type_parts(value)
    if isinstance(value, (str, bytes)):
        return (value.encode() if isinstance(value, str) else value,)
    if isinstance(value, (tuple, list, set, frozenset)):
        entries = sorted(value, key=repr) if isinstance(value, (set, frozenset)) else value
        return (*_fields(type(value)), *entries)
    if isinstance(value, dict):
        return tuple(value.items())
    if hasattr(value, "tobytes") and hasattr(value, "dtype"):
        return str(value.dtype).encode(), repr(value.shape).encode(), value.tobytes()
    if isinstance(value, type):
        members = tuple((each.name, each.value) for each in value) if issubclass(value, enum.Enum) else ()
        return (f"{value.__module__}.{value.__qualname__}".encode(), *_fields(value), *members)
    if isinstance(value, (ModuleType, BuiltinFunctionType)):
        return (value.__name__.encode(),)
    return (repr(value).encode(),)


def _fields(kind: type) -> tuple[bytes, ...]:
    """The names of the fields of a named tuple, in their order, or of a dataclass."""
    if dataclasses.is_dataclass(kind):
        return tuple(field.name.encode() for field in dataclasses.fields(kind))
    return tuple(str(name).encode() for name in getattr(kind, "_fields", ()))


def _function_parts(function: FunctionType, seen: set[int]) -> Iterable[Any]:
    if id(function) in seen:
        return (function.__name__.encode(),)
    seen.add(id(function))
    cells = closure_values(function)
    names = {**function.__globals__, **cells}
    reached = tuple((path, _at(names, path)) for path in sorted(_paths(function.__code__)))
    defaults = function.__defaults__, *((function.__kwdefaults__,) if function.__kwdefaults__ else ())
    return function.__module__, function.__code__, *defaults, *cells.items(), reached  # a file names its module


def _at(names: dict[str, Any], path: tuple[str, ...]) -> Any:
    """What a dotted name means, as far as it leads through modules; those of the compiler belong to its version."""
    value = names.get(path[0])
    for name in path[1:]:
        if not isinstance(value, ModuleType) or _is_of_compiler(value.__name__):
            break
        value = getattr(value, name, None)
    return value


def _is_of_compiler(module: str | None) -> bool:
    return (module or "").split(".")[0] in OF_COMPILER


def _code_parts(code: CodeType) -> Iterable[Any]:
    names = (*code.co_names, *code.co_varnames, *code.co_freevars, *code.co_cellvars)
    counts = f"{code.co_argcount} {code.co_kwonlyargcount} {code.co_flags}"
    return code.co_code, code.co_exceptiontable, counts.encode(), *(name.encode() for name in names), tuple(code.co_consts)


def _type_parts(kind: types.Type) -> Iterable[Any]:
    """A Numba type: its name does not tell the fields of the named tuples in it."""
    inner = getattr(kind, "types", None) or getattr(kind, "args", None) or ()
    named = getattr(kind, "instance_class", None)
    dtype = getattr(kind, "dtype", None)
    parts = [str(kind).encode(), *(each for each in inner if isinstance(each, types.Type))]
    parts += list(_fields(named)) if named is not None else []
    return [*parts, dtype] if isinstance(dtype, types.Type) and dtype is not kind else parts


def _is_importable(kind: types.Type) -> bool:
    """Whether all named tuples in a Numba type are classes that another process finds by their names."""
    named = getattr(kind, "instance_class", None)
    if named is not None:
        found: Any = sys.modules.get(named.__module__) if named.__module__ != "__main__" else None
        for name in named.__qualname__.split("."):
            found = getattr(found, name, None)
        if found is not named:
            return False
    return all(_is_importable(each) for each in getattr(kind, "types", ()) if isinstance(each, types.Type))


def global_names(code: CodeType) -> set[str]:
    """The global names that code reads, also in functions within it; attributes of the same name do not count."""
    return {path[0] for path in _paths(code)}.difference(code.co_freevars)


@lru_cache(maxsize=1024)
def _paths(code: CodeType) -> frozenset[tuple[str, ...]]:
    """The names from outside that code reads, each with the attributes that it takes of them: (module, constant)."""
    found: set[tuple[str, ...]] = set()
    path: tuple[str, ...] = ()
    for each in dis.get_instructions(code):
        if each.opname in ("LOAD_ATTR", "LOAD_METHOD") and path:
            path = (*path, each.argval)
            continue
        found.add(path)
        path = (each.argval,) if each.opname in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF") else ()
    return frozenset(found.union({path}, *(_paths(each) for each in code.co_consts if isinstance(each, CodeType))) - {()})


@lru_cache(maxsize=1024)
def written_globals(code: CodeType) -> tuple[str, ...]:
    """The global names that code writes."""
    return tuple(sorted({each.argval for each in dis.get_instructions(code) if each.opname == "STORE_GLOBAL"}))


def global_values(function: Any) -> dict[str, Any]:
    """The globals that a function reads, by name; None where there is none, as for builtins."""
    return {name: function.__globals__.get(name) for name in sorted(global_names(function.__code__))}


def closure_values(function: Any) -> dict[str, Any]:
    """The variables of outer functions that a function reads, but for those that have no value yet."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # empty
            found[name] = cell.cell_contents
    return found


# --- where it is kept ----------------------------------------------------------------------------------------------------------


def cache_home() -> Path:
    """`FOOTFALL_CACHE_DIR` if it is set, otherwise the user's folder for such things."""
    if chosen := os.environ.get("FOOTFALL_CACHE_DIR"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData/Local")
    elif sys.platform == "darwin":
        base = Path.home() / "Library/Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / NAME


_folder: Path | None = None


def cache_folder() -> Path:
    """Where machine code is kept. Where it cannot be, a warning says why, and nothing is kept beyond the process."""
    global _folder
    if _folder is None:
        try:
            _folder = (cache_home() / "kernels").absolute()
            _folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if fault := _fault(_folder.resolve()):
                raise PermissionError(fault)
            tempfile.TemporaryFile(dir=_folder).close()
        except (OSError, RuntimeError) as error:  # RuntimeError: there is no home
            _folder = Path(os.devnull) / NAME  # where nothing is found, and nothing can be put
            message = f"compiled kernels cannot be kept, and every new process compiles them again: {error}"
            warnings.warn(CacheWarning(f"{message}; set FOOTFALL_CACHE_DIR to a folder of your own"), stacklevel=2)
    return _folder


def _fault(folder: Path) -> str:
    """Why the files of a folder cannot be trusted, or nothing: who can write to it, or put another one in its place?"""
    if not hasattr(os, "getuid"):
        return ""
    for place in (folder, *folder.parents):
        status = place.stat()
        if status.st_uid != os.getuid() and (place == folder or status.st_uid != 0):
            return f"{place} belongs to another user"
        if _is_open(status) and (place == folder or not status.st_mode & stat.S_ISVTX):
            return f"{place} can be written to by other users (chmod go-w would mend it)"
    return ""


def _is_open(status: os.stat_result) -> bool:
    """Whether others can write there; a group of the user's own name has nobody else in it."""
    group = status.st_mode & stat.S_IWGRP and status.st_gid != os.getgid()
    return bool(group or status.st_mode & stat.S_IWOTH)


def _drop_unused(folder: Path) -> None:
    """Files that were not used for longest, where all take more room than they may."""
    files = []
    for path in (*folder.glob(f"*{ENDING}"), *folder.glob(f"{UNFINISHED}*")):
        try:
            status = path.stat()
        except OSError:  # another process was faster
            continue
        if path.suffix == ENDING:
            files.append((status.st_mtime, status.st_size, path))
        elif time.time() - status.st_mtime > LONGEST_WRITE:
            path.unlink(missing_ok=True)
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= LARGEST:
            return
        path.unlink(missing_ok=True)
        total -= size


class KernelCache(_Cache):
    """What Numba asks for and hands over for one function, whose digest is known."""

    def __init__(self, name: str, known: str):
        self._name, self._digest = name, known
        self._enabled = True

    @property
    def cache_path(self) -> str:
        return str(cache_folder())

    def enable(self) -> None:
        self._enabled = True

    def disable(self) -> None:
        self._enabled = False

    def flush(self) -> None:
        for path in cache_folder().glob(f"{self._name}-*{ENDING}"):
            path.unlink(missing_ok=True)

    def _path(self, signature: Any, codegen: Any) -> Path:
        kinds = signature if isinstance(signature, tuple) else (*signature.args, signature.return_type)
        key = digest((self._digest, tuple(kinds), repr(codegen.magic_tuple())))
        return cache_folder() / f"{self._name}-{key}{ENDING}"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function, or None where there is none, or a damaged one."""
        if not self._enabled:
            return None
        target_context.refresh()
        path = self._path(sig, target_context.codegen())
        try:
            with path.open("rb") as file:
                if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid != os.getuid():
                    return None
                check, content = file.read(32), file.read()
            if hashlib.sha256(content).digest() != check:
                raise ValueError("damaged")
            found = compiler.CompileResult._rebuild(target_context, *pickle.loads(content))
            os.utime(path)
        except (OSError, ValueError, ImportError, AttributeError):
            return None
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        if not self._enabled or data.library.has_dynamic_globals or any(not each.can_cache for each in data.lifted):
            return
        if not all(_is_importable(kind) for kind in (*data.signature.args, data.signature.return_type)):
            return  # another process would read another class
        content = dumps(data._reduce())
        path = self._path(sig, data.codegen)
        try:
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=UNFINISHED, delete=False) as file:
                file.write(hashlib.sha256(content).digest() + content)
            os.replace(file.name, path)
            _drop_unused(path.parent)
        except OSError:  # a full disk: what was compiled still runs, and what was begun is dropped in time
            return
