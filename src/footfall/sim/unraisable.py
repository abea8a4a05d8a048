"""Errors that a compiled law raises. Numba hands them to `sys.unraisablehook`, since none can pass through compiled code.

So does ctypes with Ctrl-C at the door of a law in Python, before or after all that the law does itself.
"""

import sys
import threading
from collections.abc import Callable
from typing import Any

ORIGINS = "numba.core.cpu.CPUContext", "function _ask_layer"  # where Numba and ctypes say that they come from

_of_thread = threading.local()


class _Hook:
    """Keeps such an error for `heard`; all others go where they went before."""

    def __init__(self, before: Callable[[Any], Any]):
        self.before = before

    def __call__(self, unraisable: Any) -> None:
        told = f"{unraisable.object} {getattr(unraisable, 'err_msg', None)}"
        if any(origin in told for origin in ORIGINS):
            _of_thread.failure = unraisable.exc_value
        else:
            self.before(unraisable)


def listen() -> None:
    """Keep such errors from now on."""
    if not isinstance(sys.unraisablehook, _Hook):
        sys.unraisablehook = _Hook(sys.unraisablehook)


def heard() -> BaseException | None:
    """The last one in this thread, once."""
    failure = getattr(_of_thread, "failure", None)
    _of_thread.failure = None
    return failure
