"""NumPy with its functions of single numbers taken from the C library, where Numba takes them from.

NumPy has functions of its own, which may differ from them in the last bit.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

NAMES = {name: name for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "expm1", "log", "log1p", "log10")}
NAMES |= {f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "tan2", "sinh", "cosh", "tanh")}


class ScalarNumpy:
    """Stands for the module `numpy` where a kernel is read as Python for numbers."""

    def __init__(self) -> None:
        for name, short in NAMES.items():
            setattr(self, name, _of_numbers(getattr(np, name), getattr(math, short)))

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)


def _of_numbers(array: Callable, number: Callable) -> Callable:
    def function(*given: Any, **more: Any) -> Any:
        if more or not all(isinstance(x, float) for x in given):
            return array(*given, **more)
        try:
            return np.float64(number(*given))
        except (ValueError, OverflowError):  # not a number, or infinity, for NumPy
            return array(*given)

    return function


NUMPY = ScalarNumpy()
