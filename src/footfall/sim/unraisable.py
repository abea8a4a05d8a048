"""Errors that a compiled law raises. Numba hands them to `sys.unraisablehook`, since none can pass through compiled code."""

import sys
import threading
from collections.abc import Callable
from typing import Any

ORIGIN = "numba.core.cpu.CPUContext"  # where Numba says that they come from

_of_thread = threading.local()


class _Hook:
    """Keeps such an error for `heard`; all others go where they went before."""

    def __init__(self, before: Callable[[Any], Any]):
        self.before = before

    def __call__(self, unraisable: Any) -> None:
        if ORIGIN in str(unraisable.object):
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
