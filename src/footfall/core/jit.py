"""The one place that talks to the compiler.

A kernel is a text that is read in several ways. `@kernel` only keeps the text. `aba["planar"]` and `aba["spatial"]` are that
text compiled with the algebra of the plane or of space behind its names; `aba.plain("spatial")` is the same text as ordinary
Python, which CasADi can trace. The text imports the algebra of space; for the plane every name of that algebra is replaced by
its twin of the same name.

Compiled code is cached in a folder named by a hash of all sources of the package: Numba itself would look only at the file
that holds the function and silently keep stale code when a helper elsewhere changes.
"""

import dis
import hashlib
import importlib
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numba
from numba.core import event

SPACES = ("planar", "spatial")
PACKAGE = Path(__file__).parents[1]
OPTIONS: Any = {
    "cache": True,
    "error_model": "numpy",  # division by zero gives inf, as in numpy, instead of a branch
    "fastmath": {"contract"},  # a * b + c may be one instruction; nothing is reordered
    "nogil": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,  # kernels own no memory: nothing is allocated, nothing counted (counting cost half the time)
}
FOLDER = "kernels-[0-9a-f]{16}"
SETTINGS: Any = numba.config
KEPT_CACHES = 6  # folders of older sources that stay, for those who switch between versions

_lock = threading.RLock()


class Kernel:
    """One text and its readings."""

    def __init__(self, text: Callable, compiled_from: "Kernel | None" = None, inline: bool = True, exact: bool = False):
        self.text = text
        self._exact = exact
        self._faster = compiled_from
        self._inline = inline
        self.__name__ = text.__name__
        self.__doc__ = text.__doc__
        self._readings: dict[tuple[str, str], Any] = {}

    def __repr__(self) -> str:
        return f"<kernel {self.text.__module__}.{self.__name__}>"

    def __getitem__(self, space: str) -> Any:
        """The text compiled for `space`, on first use."""
        return self._read(space, "entry")

    def plain(self, space: str) -> Any:
        """The text as ordinary Python, all kernels that it calls included."""
        return self._read(space, "plain")

    def address(self, space: str, signature: Any) -> int:
        """Where the text for `space` begins, compiled for a signature, so that other compiled code can call it by a pointer."""
        return _address(self._read(space, "pointer"), signature)

    def address_of(self, caller: FunctionType, space: str, signature: Any) -> int:
        """The same for a function that calls this kernel as `law`."""
        names = {**caller.__globals__, "law": self._read(space, "law")}
        made = FunctionType(caller.__code__, names, caller.__name__)
        made.__module__ = self.text.__module__
        made.__qualname__ = f"{space}.pointer.{self.text.__module__}.{self.__name__}"
        return _address(_compile(made, False, "pointer"), signature)

    def _read(self, space: str, how: str) -> Any:
        """The text for `space`: 'plain', or compiled: an 'entry' from Python, an 'inner' part, a 'law', or for a 'pointer'."""
        if (space, how) in self._readings:
            return self._readings[space, how]
        if space not in SPACES:
            raise ValueError(f"no algebra of that name: {space!r}; there are {', '.join(SPACES)}")
        if self._faster and how != "plain":
            return self._faster._read(space, how)
        with _lock:
            names = {name: self._meaning(name, space, how) for name in _global_names(self.text)}
            names["__builtins__"] = self.text.__globals__["__builtins__"]
            names["__name__"] = self.text.__module__
            reading = FunctionType(self.text.__code__, names, self.__name__, self.text.__defaults__)
            reading.__qualname__ = f"{space}.{how}.{self.__name__}"  # also keeps readings apart in the cache
            reading.__module__ = self.text.__module__
            reading.__doc__ = self.__doc__
            self._readings[space, how] = reading if how == "plain" else _compile(reading, self._inline, how, self._exact)
            return self._readings[space, how]

    def _meaning(self, name: str, space: str, how: str) -> Any:
        value = self.text.__globals__[name]
        if getattr(_algebra("spatial"), name, None) is value:
            value = getattr(_algebra(space), name, value)
        if isinstance(value, Kernel):
            return value._read(space, "plain" if how == "plain" else "inner")
        return value


def kernel(text: Callable | None = None, *, compiled_from: Kernel | None = None, inline: bool = True, exact: bool = False) -> Any:
    """Make a function a kernel: numbers, arrays and tuples in, the same out; a status instead of an exception.

    `compiled_from` names a faster text for the compiler, where symbols cannot follow (branches on values). A kernel that is long
    and seldom called stays a call of its own with `inline=False`, which saves compiling it at every place. What must round as
    it is written, because the order of two things shall not matter, is `exact`.
    """
    return partial(Kernel, compiled_from=compiled_from, inline=inline, exact=exact) if text is None else Kernel(text)


def _global_names(text: Any) -> set[str]:
    """The names of its module that a function reads; attributes of the same name do not count."""
    read = {code.argval for code in dis.get_instructions(text) if code.opname == "LOAD_GLOBAL"}
    return read & text.__globals__.keys()


def _algebra(space: str) -> ModuleType:
    return importlib.import_module(f"{__package__}.{space}.algebra")


def _compile(reading: FunctionType, inline: bool, how: str, exact: bool = False) -> Any:
    before = SETTINGS.CACHE_DIR
    SETTINGS.CACHE_DIR = str(cache_folder())
    try:
        options: Any = {**OPTIONS, "forceinline": inline, "no_cpython_wrapper": how != "entry"}
        if exact or how in ("law", "pointer"):  # a law rounds as Python and users' functions do, which it may stand in for
            options |= {"fastmath": False}
        if how == "pointer":
            options |= {"forceinline": False, "no_cfunc_wrapper": False}
        return numba.njit(**options)(reading)
    finally:
        SETTINGS.CACHE_DIR = before


def _address(compiled: Any, signature: Any) -> int:
    compiled.compile(signature)
    found = compiled.overloads[signature.args]
    return found.library.get_pointer_to_function(found.fndesc.llvm_cfunc_wrapper_name)


_folder: Path | None = None


def cache_folder() -> Path:
    """Where the machine code of exactly these sources is kept."""
    global _folder
    if _folder is None:
        digest = hashlib.sha256(f"{numba.__version__} {SETTINGS.BOUNDSCHECK}".encode())
        for path in sorted(PACKAGE.rglob("*.py")):
            digest.update(path.relative_to(PACKAGE).as_posix().encode())
            digest.update(path.read_bytes())
        _folder = _made_folder(cache_home(), f"kernels-{digest.hexdigest()[:16]}")
    return _folder


def _made_folder(home: Path, name: str) -> Path:
    """The folder, old ones beside it dropped; where the user's own place cannot be written, one that lasts until restart."""
    try:
        if not (home / name).exists():
            _drop_old_caches(home)
            (home / name).mkdir(parents=True, exist_ok=True)
        os.utime(home / name)
    except OSError:
        return Path(tempfile.mkdtemp(prefix=f"{PACKAGE.name}-"))
    return home / name


def cache_home() -> Path:
    """`FOOTFALL_CACHE_DIR` if it is set, otherwise the user's folder for such things."""
    if chosen := os.environ.get("FOOTFALL_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData/Local"))
    elif sys.platform == "darwin":
        base = Path.home() / "Library/Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    return base / PACKAGE.name


def _drop_old_caches(home: Path) -> None:
    if home.exists():
        ours = (path for path in home.iterdir() if re.fullmatch(FOLDER, path.name) and path.is_dir())
        folders = sorted(ours, key=lambda path: path.stat().st_mtime)
        for folder in folders[: -KEPT_CACHES or None]:
            shutil.rmtree(folder, ignore_errors=True)


class _Announcer(event.Listener):
    """Says once that code is being compiled, so that the first call does not look like a hang."""

    said = False

    def on_start(self, event: Any) -> None:
        ours = event.data["dispatcher"].py_func.__module__.startswith(f"{PACKAGE.name}.")
        if ours and not self.said:
            self.said = True
            print(
                "footfall: compiling its kernels for this machine (once per version, up to two minutes) ...",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: Any) -> None: ...


event.register("numba:compile", _Announcer())
