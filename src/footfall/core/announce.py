"""A line on standard error that says which kernel is being compiled and how far it is, so that it does not look like a hang."""

import sys
import threading
import time
from types import FunctionType
from typing import Any

from numba.core import event

from footfall.core.cache import closure_values, global_values

FIRST = "footfall: compiling its kernels for this machine; they are kept for the next time"
EVERY = 4.0  # s between lines where there is no terminal
BLINK = 0.25  # s between changes of the line of a terminal


class Announcer(event.Listener):
    """Listens to the compiler."""

    def __init__(self, package: str):
        self._package = package
        self._compiling: list[bool] = []  # one for each function under way, inner ones last: whether it is ours
        self._said = False
        self._title, self._done, self._total = "", 0, 0
        self._ticker: threading.Thread | None = None

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        ours = function.__module__.startswith(f"{self._package}.")
        if ours and not any(self._compiling):
            self._begin(function)
        self._compiling.append(ours)

    def on_end(self, event: Any) -> None:  # noqa: ARG002
        if self._compiling.pop():
            self._done += 1

    def _begin(self, function: FunctionType) -> None:
        module, space = function.__module__.removeprefix(f"{self._package}."), function.__qualname__.split(".")[0]
        name = function.__qualname__.split(".")[-1] if function.__name__.startswith("_") else function.__name__
        self._title = f"{name} of {module}" + (f", {space}" if space in ("planar", "spatial") else "")
        self._done, self._total = 0, len(_reached(function, {}))
        if not self._said:
            self._said = True
            print(f"{FIRST} ...", file=sys.stderr, flush=True)
        if self._ticker is None or not self._ticker.is_alive():
            self._ticker = threading.Thread(target=self._tick, daemon=True)
            self._ticker.start()

    def _tick(self) -> None:
        """Say how far it is, from time to time, until nothing has been compiled for a while."""
        terminal = sys.stderr.isatty() and not type(sys.stderr).__module__.startswith("rich")
        began = last = busy = time.monotonic()
        while time.monotonic() - busy < 2 * BLINK:
            time.sleep(BLINK)
            now = time.monotonic()
            if any(self._compiling):
                busy = now
            if terminal or now - last > EVERY:
                last = now
                text = f"footfall: {self._so_far()} ({now - began:.0f} s)"
                print(f"\r\x1b[2K{text}" if terminal else text, end="" if terminal else "\n", file=sys.stderr, flush=True)
        if terminal:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)

    def _so_far(self) -> str:
        if self._done + 1 < self._total:
            return f"{self._done} of {self._total} kernels of {self._title}"
        return f"{self._title}: all {self._total} kernels read, optimising"


def _reached(function: FunctionType, found: dict[int, Any]) -> dict[int, Any]:
    """The function and all kernels that it reaches and that are not compiled yet."""
    if id(function) not in found:
        found[id(function)] = function
        for value in (*global_values(function).values(), *closure_values(function).values()):
            if hasattr(value, "footfall_digest") and not value.overloads:
                _reached(value.py_func, found)
    return found
