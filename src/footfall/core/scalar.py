"""NumPy with its functions of numbers taken from the C library, where Numba takes them from.

NumPy has functions of its own, which may differ from them in the last bit.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

NAMES = {name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "expm1", "log", "log1p", "log10")}
NAMES |= {name: name for name in ("cbrt", "exp2", "log2")} | {"power": "pow"}
NAMES |= {f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh")}


class ScalarNumpy:
    """Stands for the module `numpy` where a kernel is read as Python for numbers."""

    def __init__(self) -> None:
        for name, short in NAMES.items():
            setattr(self, name, _of_numbers(getattr(np, name), getattr(math, short)))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def _of_numbers(array: Callable, number: Callable) -> Callable:
    """Most calls are those of one number, or a row of them: they come first."""
    float64 = np.float64

    def single(*given: Any) -> Any:
        try:
            return float64(number(*given))
        except (ValueError, OverflowError):  # not a number, or infinity, for NumPy
            return array(*map(float, given))

    each = np.frompyfunc(single, array.nin, 1)  # type: ignore[attr-defined]

    def several(*given: Any, **more: Any) -> Any:
        if more or not all(isinstance(x, float) or _is_whole(x) or _is_row(x) for x in given):
            return array(*given, **more)
        if array is np.power and all(map(_is_whole, given)):  # stays whole
            return array(*given)
        found = each(*given)
        return found.astype(float64) if isinstance(found, np.ndarray) else found

    def one(x: Any, *others: Any, **more: Any) -> Any:
        if not (others or more):
            try:
                if isinstance(x, float):
                    return float64(number(x))
                if _is_row(x) and x.ndim == 1:
                    return np.array([number(entry) for entry in x.tolist()], float64)
            except (ValueError, OverflowError):
                pass
        return several(x, *others, **more)

    return one if array.nin == 1 else several  # type: ignore[attr-defined]


def _is_whole(x: Any) -> bool:
    return isinstance(x, int | np.integer) and not isinstance(x, bool)


def _is_row(x: Any) -> bool:
    return isinstance(x, np.ndarray) and x.dtype == np.float64


NUMPY = ScalarNumpy()
_INSTEAD = {id(getattr(np, name)): getattr(NUMPY, name) for name in NAMES} | {id(np): NUMPY}


def scalar(value: Any) -> Any:
    """What stands for NumPy, or for a function of it, where a kernel is read as Python for numbers; else the value itself."""
    return _INSTEAD.get(id(value), value)
