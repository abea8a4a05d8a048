"""Things that are found by name: one file each in a package, with a `build` that takes parameters by keyword."""

import importlib
import inspect
import math
import numbers
import pkgutil
from collections.abc import Iterable
from typing import Any

from footfall.errors import FootfallError, UnknownNameError


class ParameterError(FootfallError):
    """A parameter of a ready robot or study that makes no sense."""


def names_in(path: Iterable[str]) -> list[str]:
    """The files of a package, but for those whose name begins with an underscore."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(path) if not module.name.startswith("_"))


def parameters_of(package: str, name: str) -> dict[str, inspect.Parameter]:
    """What can be varied of a thing."""
    return dict(inspect.signature(_module(package, name).build).parameters)


def load_named(package: str, path: Iterable[str], what: str, name: str, parameters: dict[str, Any]) -> Any:
    """Build the thing of that name."""
    known = str(name).replace("_", "-")
    if known not in names_in(path):
        raise UnknownNameError(what, name, names_in(path))
    declared = parameters_of(package, known)
    for key, value in parameters.items():
        if key not in declared:
            raise UnknownNameError(f"parameter (of {what} {known!r})", key, declared)
        _check(f"{what} {known!r}: {key}", value, declared[key].default)
    try:
        return _module(package, known).build(**parameters)
    except (ValueError, ArithmeticError) as error:
        given = ", ".join(f"{key} = {value!r:.40}" for key, value in parameters.items())
        raise ParameterError(f"{what} {known!r} cannot be built with {given or 'what it says itself'}: {error}") from error


def _module(package: str, name: str) -> Any:
    return importlib.import_module(f"{package}.{name.replace('-', '_')}")


def _check(title: str, value: Any, default: Any) -> None:
    """A value is of the kind that its default is: a choice, a count, or a quantity, which is never negative."""
    if isinstance(default, (bool, str)):
        if not isinstance(value, type(default)):
            kind = "True or False" if isinstance(default, bool) else f"a word such as {default!r}"
            raise ParameterError(f"{title} must be {kind}, got {value!r:.80}")
        return
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not math.isfinite(value):
        raise ParameterError(f"{title} must be a finite number such as {default!r}, got {value!r:.80}")
    if isinstance(default, int) and not isinstance(value, numbers.Integral):
        raise ParameterError(f"{title} must be a whole number such as {default!r}, got {value!r:.80}")
    if value < 0:
        raise ParameterError(f"{title} must not be negative, got {value!r:.80}")
