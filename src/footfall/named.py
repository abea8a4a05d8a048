"""Things that are found by name: one file each in a package, with a `build` whose keywords declare its parameters.

    @declared
    def build(*, mass: float = quantity("kg", "of the bob", 1.0, low=0.0)) -> Robot: ...

Names of parameters are dotted where a thing has parts: `robot.hip_mass`. Where only one parameter fits, the parts before the last
word may be left out: `hip_mass`.
"""

import dataclasses
import functools
import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from footfall.errors import ParameterError, UnknownNameError
from footfall.model.quantity import checked
from footfall.model.units import read_value

KINDS = {"robots": "robot", "studies": "study"}


def names_in(path: Iterable[str]) -> list[str]:
    """The files of a package, but for those whose name begins with an underscore."""
    return sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules(path) if not module.name.startswith("_"))


# --- declaring ------------------------------------------------------------------------------------------------------------


def declared(build: Callable[..., Any]) -> Any:
    """Make the keyword defaults of a function declarations: given values are checked, others get their default."""
    fields: dict[str, dataclasses.Field] = {key: each.default for key, each in inspect.signature(build).parameters.items()}
    _, package, file = f"..{build.__module__}".rsplit(".", 2)
    title = f"{KINDS.get(package, package)} {file.replace('_', '-')!r}"

    @functools.wraps(build)
    def built(**given: Any) -> Any:
        for name in given:
            if name.split(".")[0] not in fields:
                raise UnknownNameError(f"parameter (of {title})", name, fields)
        return build(**{name: _value(field, name, given, title) for name, field in fields.items()})

    built.parameters = fields  # type: ignore[attr-defined]
    return built


def _value(field: dataclasses.Field, name: str, given: Mapping[str, Any], title: str) -> Any:
    """The value given for a parameter, or its default; a part is made from the values given for its own parameters."""
    if "make" not in field.metadata:
        return settled(field, name, given[name], title) if name in given else field.default
    own = {key.split(".", 1)[1]: value for key, value in given.items() if key.startswith(f"{name}.")}
    if name not in given:
        return field.metadata["make"](**own)
    if not isinstance(given[name], field.metadata["type"]):
        raise ParameterError(f"{title}: {name} must be a {field.metadata['type'].__name__}, got {given[name]!r:.80}")
    if own:
        raise ParameterError(f"{title}: give {name}, or parameters of the usual one ({', '.join(own)}), not both")
    return given[name]


def settled(field: dataclasses.Field, name: str, value: Any, title: str) -> Any:
    """A value converted as its declaration says; text may have a unit."""
    if isinstance(value, str) and value.lower() == "none" and field.default is None:
        value = None
    if isinstance(value, str):
        value = read_value(field.metadata, value, f"{title}: {name}")
    return checked(field, name, value, title, ParameterError)


def declarations(package: str, name: str) -> dict[str, dataclasses.Field]:
    """The parameters of a thing by dotted name, those of its parts included."""
    found: dict[str, dataclasses.Field] = {}
    for key, field in _module(package, name).build.parameters.items():
        if "make" in field.metadata:
            found |= {f"{key}.{inner}": each for inner, each in field.metadata["parameters"]().items()}
        else:
            found[key] = field
    return found


def with_values(
    fields: Mapping[str, dataclasses.Field], given: Mapping[str, Any], title: str
) -> Iterator[tuple[str, dataclasses.Field, Any]]:
    """Declarations with the values that are given, those of the thing itself before those of its parts."""
    full = {full_name(key, fields): value for key, value in given.items()}
    for key in sorted(fields, key=lambda key: "." in key):
        yield key, fields[key], settled(fields[key], key, full[key], title) if key in full else fields[key].default


# --- finding --------------------------------------------------------------------------------------------------------------


def full_name(name: str, known: Iterable[str]) -> str | None:
    """The known dotted name that is meant; None if there is none. Parts before the last word may be left out."""
    known = list(known)
    if name in known:
        return name
    fitting = [each for each in known if each.split(".")[-1] == name.split(".")[-1] and _is_within(name, each)]
    if len(fitting) > 1:
        shown = ", ".join(fitting[:8]) + (f" and {len(fitting) - 8} more" if len(fitting) > 8 else "")
        raise ParameterError(f"{name!r} may mean {shown}; write out which")
    return fitting[0] if fitting else None


def _is_within(short: str, full: str) -> bool:
    """Whether the words of one dotted name are in the other, in the same order."""
    words = iter(full.split("."))
    return all(word in words for word in short.split("."))


def known_name(path: Iterable[str], what: str, name: object) -> str:
    """The name of a thing as it is listed; an error lists the known names."""
    known = str(name).replace("_", "-")
    if known not in names_in(path):
        raise UnknownNameError(what, name, names_in(path))
    return known


def load_named(package: str, name: str, parameters: Mapping[str, Any]) -> Any:
    """Build the thing of that name, with parameters by their full names."""
    try:
        return _module(package, name).build(**parameters)
    except (ValueError, ArithmeticError) as error:
        title = f"{KINDS[package.split('.')[-1]]} {name!r}"
        given = ", ".join(f"{key} = {value!r:.40}" for key, value in parameters.items())
        raise ParameterError(f"{title} cannot be built with {given or 'what it says itself'}: {error}") from error


def about(package: str, name: str) -> str:
    """The docstring of the file of a thing."""
    return inspect.cleandoc(_module(package, name).__doc__ or "")


def _module(package: str, name: str) -> Any:
    return importlib.import_module(f"{package}.{name.replace('-', '_')}")
