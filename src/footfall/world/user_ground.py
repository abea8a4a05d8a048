"""Ground given by a Python function."""

import math
import numbers
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numba import types
from numba.core.errors import NumbaError

from footfall.core.ground import INTERRUPTED
from footfall.errors import WorldError
from footfall.world.pointer import Pointer, compiled_pointer, is_compiled, python_pointer

GROUND = types.float64(types.float64, types.float64, types.int64)
STEP = 1e-6  # m: for slopes by differences


@cache
def no_ground() -> Pointer:
    """Where no function is asked."""
    return python_pointer(lambda *_: 0.0, GROUND)


class UserGround(Pointer):
    """height(x, y, what): the height of the ground in m, or its slope in x (what = 1) or in y (2).

    Called from Python, it raises what goes wrong. Nothing may pass through compiled code, so there the error is kept in `failure`
    and the answer is NaN from then on: the loop notices and comes back. After Ctrl-C the function is asked once more, so that the
    loop can finish its step; `status`, which the loop looks at, then says INTERRUPTED.
    """

    def __init__(self, function: Callable, slopes: Callable | None, status: np.ndarray):
        self.function, self.slopes, self.status = function, slopes, status
        self.title = f"the terrain {getattr(function, '__name__', type(function).__name__)!r}"
        self.failure: BaseException | None = None
        compiled = is_compiled(function) and (slopes is None or is_compiled(slopes))
        made = _compiled(function, slopes, self.title) if compiled else python_pointer(self._kept, GROUND)
        super().__init__(made.__wrapper_address__(), GROUND, made)

    def __call__(self, x: float, y: float, what: int) -> float:
        try:
            return self._height(x, y) if what == 0 else self._slope(x, y, what)
        except WorldError:
            raise
        except Exception as failure:
            raise WorldError(f"{self.title} raised {type(failure).__name__} {_place(x, y)}: {failure}") from failure

    def _kept(self, x: float, y: float, what: int) -> float:
        for _ in range(2):
            try:
                return math.nan if self.failure else self(x, y, what)
            except KeyboardInterrupt:
                self.status[0] = INTERRUPTED
            except BaseException as failure:  # noqa: BLE001 - raised again when the loop has come back
                self.failure = failure
        return math.nan

    def _height(self, x: float, y: float) -> float:
        value = self.function(x, y)
        if type(value) is float and math.isfinite(value):
            return value
        if isinstance(value, numbers.Real) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
        raise WorldError(f"{self.title} gave {value!r:.60} {_place(x, y)}; its height must be a finite number in m")

    def _slope(self, x: float, y: float, what: int) -> float:
        if self.slopes is None:
            dx, dy = (STEP, 0.0) if what == 1 else (0.0, STEP)
            return (self._height(x + dx, y + dy) - self._height(x - dx, y - dy)) / (2 * STEP)
        value = self.slopes(x, y)
        if np.shape(value) != (2,) or not np.isfinite(value).all():
            raise WorldError(f"{self.title} gave slopes {value!r:.60} {_place(x, y)}; they must be two finite numbers")
        return float(value[what - 1])

    def complaint(self) -> WorldError:
        """The error that stopped the loop. SystemExit and the like are raised unchanged."""
        if isinstance(self.failure, WorldError):
            return self.failure
        if self.failure is not None:
            raise self.failure
        _, x, y = self.status
        return WorldError(f"{self.title} raised an error or gave no finite number {_place(x, y)}")


def _place(x: float, y: float) -> str:
    return f"at x = {x:.6g} m, y = {y:.6g} m"


@lru_cache(maxsize=64)
def _compiled(function: Any, slopes: Any, title: str) -> Pointer:
    """All of it compiled. What raises becomes NaN: no more can be said of it there."""

    def height(x, y, what):  # type: ignore[no-untyped-def]
        try:
            if what == 0:
                return function(x, y)
            if what == 1:
                return (function(x + STEP, y) - function(x - STEP, y)) / (2.0 * STEP)
            return (function(x, y + STEP) - function(x, y - STEP)) / (2.0 * STEP)
        except Exception:  # noqa: BLE001 - the only one that Numba knows
            return math.nan

    def height_with_slopes(x, y, what):  # type: ignore[no-untyped-def]
        try:
            return function(x, y) if what == 0 else slopes(x, y)[what - 1]
        except Exception:  # noqa: BLE001 - the only one that Numba knows
            return math.nan

    try:
        return compiled_pointer(height if slopes is None else height_with_slopes, GROUND)
    except NumbaError as failure:
        raise WorldError(f"{title} cannot be compiled as a function of x and y that gives a number: {failure!s:.300}") from None
