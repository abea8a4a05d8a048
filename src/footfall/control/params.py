"""The parameters of a controller as its law reads them: declared quantities, and the results of `prepare` for a robot."""

import dataclasses
from collections.abc import Mapping
from dataclasses import Field
from typing import Any

import numpy as np

from footfall.control.fields import ControlError, tuple_type
from footfall.errors import RobotError, UnknownNameError
from footfall.model.robot import Robot

LOWEST, HIGHEST = -(2**63), 2**63 - 1  # of an int64


def params_of(controller: Any, robot: Robot, q: np.ndarray, gravity: float) -> Any:
    """A named tuple of numbers, arrays and tuples of these. Words (str) and what is left out (None) are for `prepare`."""
    owner = type(controller).__name__
    undeclared = [name for kind in type(controller).__mro__ for name, value in vars(kind).items() if isinstance(value, Field)]
    if undeclared:
        raise ControlError(f"{owner}: {undeclared[0]} is no parameter yet; put @dataclass(frozen=True) above the class")
    values = {}
    for field in dataclasses.fields(controller):
        value = getattr(controller, field.name)
        if isinstance(value, tuple) and value and all(isinstance(entry, float) for entry in value):
            value = np.array(value)
        if isinstance(value, (bool, int, float, np.ndarray)):
            values[field.name] = compiled_value(value, f"{owner}.{field.name}")
    for name, value in _prepared(controller, robot, q, gravity).items():
        values[name] = compiled_value(value, f"{owner}: what `prepare` gives as {name!r}")
    return tuple_type("Params", tuple(values))(*values.values())


def _prepared(controller: Any, robot: Robot, q: np.ndarray, gravity: float) -> Mapping[str, Any]:
    try:
        found = controller.prepare(robot, q.copy(), gravity)
    except (RobotError, UnknownNameError) as error:
        raise ControlError(f"{type(controller).__name__}: {error}") from error
    if found is None:
        return {}
    named = found._asdict() if isinstance(found, tuple) and hasattr(found, "_asdict") else found
    if not isinstance(named, Mapping) or not all(isinstance(name, str) and name.isidentifier() for name in named):
        raise ControlError(f"{type(controller).__name__}: `prepare` must return a NamedTuple or a dict, got {found!r:.80}")
    return named


def compiled_value(value: Any, title: str) -> Any:
    """A value of its own for a law: float, int, contiguous array of either, or a tuple of these."""
    if isinstance(value, tuple):
        parts = [compiled_value(part, title) for part in value]
        if not hasattr(value, "_fields"):
            return tuple(parts)
        importable = "<locals>" not in type(value).__qualname__ and type(value).__module__ != "__main__"
        return (type(value) if importable else tuple_type(type(value).__name__, value._fields))(*parts)
    if isinstance(value, (bool, int, np.integer, np.bool_)):
        return _within(int(value), title)
    if isinstance(value, (float, np.floating)):
        return float(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        whole = value.dtype.kind != "f"
        if value.dtype == np.uint64 and value.size:
            _within(int(value.max()), title)
        kept = value.dtype if value.dtype in (np.int64, np.int32, np.uint32) else np.dtype(np.int64 if whole else np.float64)
        return np.array(value, dtype=kept, order="C")
    if value is None or isinstance(value, Robot):  # a robot is for laws in plain Python
        return value
    raise ControlError(f"{title} must be a number, an array of numbers, or a tuple of these, got {value!r:.80}")


def _within(number: int, title: str) -> int:
    if not LOWEST <= number <= HIGHEST:
        raise ControlError(f"{title} must be a whole number of 64 bits, from {LOWEST} to {HIGHEST}, got {number}; or a float")
    return number
