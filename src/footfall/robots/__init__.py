"""The ready robots, one file each. They are listed by `footfall list robots`.

A file is a robot: it has a function `build` that takes the robot's parameters by keyword and returns the Robot. Files whose name
begins with an underscore are shared by several robots and are none themselves.
"""

import importlib
import inspect
import math
import numbers
import pkgutil
from typing import Any

from footfall.errors import RobotError, UnknownNameError
from footfall.model.robot import Robot


def names() -> list[str]:
    """All ready robots, by name."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))


def load(name: str, /, **parameters: Any) -> Robot:
    """The robot of that name, with the parameters of its `build` where they shall differ from the published ones."""
    known = str(name).replace("_", "-")
    if known not in names():
        raise UnknownNameError("robot", name, names())
    build = importlib.import_module(f"{__name__}.{known.replace('-', '_')}").build
    declared = inspect.signature(build).parameters
    for key, value in parameters.items():
        if key not in declared:
            raise UnknownNameError(f"parameter (of robot {known!r})", key, declared)
        _check(f"robot {known!r}: {key}", value, declared[key].default)
    return build(**parameters)


def _check(title: str, value: Any, default: Any) -> None:
    """A value is of the kind that its default is: a choice, a count, or a length or mass, which is never negative."""
    if isinstance(default, (bool, str)):
        if not isinstance(value, type(default)):
            raise RobotError(f"{title} must be a {type(default).__name__} such as {default!r}, got {value!r:.80}")
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise RobotError(f"{title} must be a finite number such as {default!r}, got {value!r:.80}")
    if isinstance(default, int) and not isinstance(value, numbers.Integral):
        raise RobotError(f"{title} must be a whole number such as {default!r}, got {value!r:.80}")
    if value < 0:
        raise RobotError(f"{title} must not be negative, got {value!r:.80}")
