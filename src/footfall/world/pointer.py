"""Functions and kernels as pointers that compiled code can call."""

import ctypes
from collections.abc import Callable
from typing import Any

import numba
from numba import types
from numba.core.types import WrapperAddressProtocol

from footfall.core.jit import SETTINGS, Kernel


class Pointer(WrapperAddressProtocol):
    """The address of a function with its signature; keeps what it points to alive."""

    def __init__(self, address: int, signature: Any, alive: Any):
        self._address, self._signature, self._alive = address, signature, alive

    @property
    def address(self) -> int:
        return self._address

    def __wrapper_address__(self) -> int:
        return self._address

    def __call__(self, *arguments: Any) -> Any:
        """For the plain reading of kernels."""
        return self._alive(*arguments)

    def signature(self) -> Any:
        return self._signature


def python_pointer(function: Callable, signature: Any) -> Pointer:
    """A Python function of numbers as a pointer; it must not raise."""
    kinds: dict[Any, Any] = {types.float64: ctypes.c_double, types.int64: ctypes.c_int64}
    call = ctypes.CFUNCTYPE(kinds[signature.return_type], *(kinds[kind] for kind in signature.args))(function)
    return Pointer(ctypes.cast(call, ctypes.c_void_p).value or 0, signature, call)


def compiled_pointer(function: Any, signature: Any, **options: Any) -> Pointer:
    """A function as Numba compiles it."""
    call = numba.cfunc(signature, **options)(getattr(function, "py_func", function))
    return Pointer(call.address or 0, signature, call)


def kernel_pointer(kernel: Kernel, space: str, signature: Any) -> Pointer:
    """A kernel as it is read for a space; its code is cached as that of all others."""
    address = 1 if SETTINGS.DISABLE_JIT else kernel.address(space, signature)
    return Pointer(address, signature, kernel.plain(space))


def is_compiled(function: Any) -> bool:
    """Whether Numba has been asked to compile it."""
    return hasattr(function, "py_func")
