"""A kernel that is called from Python again and again. Its arguments are written down, and looked at only where they changed."""

import ctypes
import operator
from itertools import accumulate, zip_longest
from typing import Any

import numpy as np

from footfall.core.frame import Words, kind_of, reader, words
from footfall.core.jit import SETTINGS, Kernel

_prototype = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)  # lets go of the interpreter's lock meanwhile


class KernelCall:
    """Calls a kernel whose arguments are arrays, numbers and named tuples of these, and which returns a whole number."""

    def __init__(self, kernel: Kernel, space: str):
        self._kernel, self._space = kernel, space
        self._kept: tuple[Any, ...] = ()  # the arguments, which must stay alive
        self._kinds: list[Any] = []
        self._places: list[int] = []
        self._words = np.zeros(0, np.int64)
        self._address = 0
        self._function: Any = None

    def __call__(self, *arguments: Any) -> int:
        if SETTINGS.DISABLE_JIT:
            self._kept = arguments
            return self.again()
        self.write(*arguments)
        return self.again()

    def ready(self, *arguments: Any) -> tuple[int, Words]:
        """Write the arguments down, for other compiled code that is to call it: the address of the function, and its words."""
        self.write(*arguments)
        return int(ctypes.cast(self._function, ctypes.c_void_p).value or 0), self._words

    def again(self) -> int:
        """With the same arguments as before, which hold other numbers now."""
        if SETTINGS.DISABLE_JIT:
            return int(self._kernel.plain(self._space)(*self._kept))
        return int(self._function(self._address))

    def write(self, *arguments: Any) -> None:
        """Write down what is new, for `again`."""
        changed = [i for i, (new, old) in enumerate(zip_longest(arguments, self._kept)) if not _same(new, old)]
        if not self._kept or any(kind_of(arguments[i]) is not self._kinds[i] for i in changed):
            self._write_all(arguments)
        else:
            for i in changed:
                self._words[self._places[i] : self._places[i + 1]] = words(arguments[i])
        self._kept = arguments

    def _write_all(self, arguments: tuple[Any, ...]) -> None:
        parts = [words(each) for each in arguments]
        self._words, self._places = np.concatenate(parts), [0, *accumulate(len(part) for part in parts)]
        self._address = self._words.ctypes.data
        self._kinds = [kind_of(each) for each in arguments]
        self._function = _prototype(self._kernel.entry_address(self._space, reader(kind_of(arguments))))


def _same(new: Any, old: Any) -> bool:
    """Whether it is the same thing, or a tuple of the same things."""
    return new is old or (type(new) is type(old) and isinstance(new, tuple) and all(map(operator.is_, new, old)))
