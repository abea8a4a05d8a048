"""All parameters of a study by dotted names: `seconds`, `world.gravity`, `world.contact.friction`, `controller.push_gain`.

A name leads through the declarations of a study. Parts in a row go by their name or place: `robot.joints.knee_left.damping`,
`world.pushes.0.force`. Words before the last may be left out where only one parameter fits: `world.friction`,
`knee_left.damping`. Parameters of the robot's parts are looked at last, so that they take no short name from the rest.
"""

import dataclasses
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from footfall.errors import ParameterError, UnknownNameError
from footfall.model.quantity import REQUIRED, TABLE, Rule, count, quantity
from footfall.named import full_name, settled

PARTS = "robot."


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter: its name, declaration and value."""

    name: str
    rule: Rule
    needed: bool  # it has no default
    default: Any
    value: Any

    def row(self) -> dict[str, Any]:
        """As plain data, for JSON: an end or default that is not there is None."""
        rule, low, high = self.rule, self.rule.get("low", math.inf), self.rule.get("high", math.inf)
        known = {"name": self.name, "kind": rule.get("kind", "part"), "unit": rule.get("unit", ""), "help": rule.get("help", "")}
        known |= {"low": low if math.isfinite(low) else None, "high": high if math.isfinite(high) else None}
        known["options"] = list(rule.get("options", ())) or None
        return known | {"needed": self.needed, "default": _plain(self.default), "value": _plain(self.value)}


def _plain(value: Any) -> Any:
    """For JSON, which has no infinity."""
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def parameter(name: str, field: dataclasses.Field, value: Any = REQUIRED) -> Parameter:
    """A declared parameter with its value; that of its default if none is given."""
    needed = field.default is field.default_factory is REQUIRED
    default = field.default_factory() if field.default_factory is not REQUIRED else None if needed else field.default
    return Parameter(name, field.metadata, needed, default, default if value is REQUIRED else value)


def parameters(thing: Any, *, parts: bool = False) -> list[Parameter]:
    """All parameters of a study, a world, a controller, ..., by dotted name; with `parts` those of links and joints too."""
    return [each for each in _within(thing, "") if parts or not each.name.startswith(PARTS)]


def class_parameters(cls: Any) -> list[Parameter]:
    """The parameters of a class of controllers, terrains, ... before there is an instance."""
    public = [field for field in dataclasses.fields(cls) if field.init and not field.name.startswith("_")]
    return [parameter(field.name, field) for field in public]


def exactly(thing: Any, name: str) -> Parameter | None:
    """The parameter of that full name, found without looking at all others; None if there is none."""
    *path, last = name.split(".")
    for word in path:
        found = dict(_parts(thing)) if isinstance(thing, tuple) else {f.name: getattr(thing, f.name) for f in _public(thing)}
        thing = found.get(word)
    if isinstance(thing, Mapping):
        return parameter(name, _named(thing)[last], thing[last]) if last in _named(thing) else None
    field = next((f for f in _public(thing) if f.name == last and "kind" in f.metadata), None)
    return parameter(name, field, getattr(thing, last)) if field else None


def _named(values: Any) -> dict[str, Any]:
    """Declarations of numbers, and rows and tables of them, that were given by name alone: any number of the same shape fits."""
    found = {}
    for key, value in (values or {}).items():
        if isinstance(value, int) and not isinstance(value, bool):
            found[key] = count(key, value, low=-(2**53))
        elif np.asarray(value).dtype.kind == "f" and np.ndim(value) <= len(TABLE):
            found[key] = quantity("", key, value, shape=np.shape(value))
    return found


def _public(thing: Any) -> list[dataclasses.Field]:
    fields = dataclasses.fields(thing) if _is_part(thing) else ()
    return [f for f in fields if f.init and not f.name.startswith("_") and "whole" not in f.metadata]


def _within(thing: Any, prefix: str) -> Iterator[Parameter]:
    for field in _public(thing):
        value, name = getattr(thing, field.name), prefix + field.name
        if "kind" in field.metadata:
            yield parameter(name, field, value)
        if "named" in field.metadata:
            yield from (parameter(f"{name}.{key}", each, value[key]) for key, each in _named(value).items())
        for key, part in _parts(value):
            yield from _within(part, f"{name}.{key}." if key else f"{name}.")


def _parts(value: Any) -> list[tuple[str, Any]]:
    """A part, or those of a row by name or place."""
    if _is_part(value):
        return [("", value)]
    if isinstance(value, tuple):
        return [(getattr(part, "name", "") or str(i), part) for i, part in enumerate(value) if _is_part(part)]
    return []


def _is_part(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def resolved(study: Any, settings: Mapping[str, Any], *, also: Iterable[str] = ()) -> dict[str, Any]:
    """Parameters by their full names, with values as their declarations want them; nothing is set yet."""
    known = {name: each for name in settings if (each := exactly(study, name)) is not None}
    if len(known) < len(settings):
        known = {each.name: each for each in parameters(study, parts=True)}
    near = [name for name in known if not name.startswith(PARTS)]
    title = f"{type(study).__name__.lower()} {study.name!r}"
    found: dict[str, Any] = {}
    for short, value in settings.items():
        name = full_name(short, near) or full_name(short, known)
        if name is None:
            raise UnknownNameError(f"parameter (of {title})", short, [*also, *near])
        if name in found:
            raise ParameterError(f"{title}: {name} is set twice")
        found[name] = settled(_field(known[name]), name, value, title)
    return found


def with_parameters(study: Any, settings: Mapping[str, Any], *, also: Iterable[str] = ()) -> Any:
    """The study with some parameters set, by dotted name: `with_parameters(study, {"world.gravity": 1.62, "seconds": "2 min"})`.

    Text may have a unit. Everything is checked as in a new study. `also` are further names for the error on an unknown one.
    """
    if not settings:
        return study
    tree: dict[str, Any] = {}
    for name, value in resolved(study, settings, also=also).items():
        *path, last = name.split(".")
        branch: dict[str, Any] = tree
        for word in path:
            branch = branch.setdefault(word, {})
        branch[last] = _Leaf(value)
    return _replaced(study, tree)


def _field(given: Parameter) -> Any:
    return dataclasses.field(default=given.default, metadata=given.rule)


@dataclasses.dataclass(frozen=True)
class _Leaf:
    value: Any


def _replaced(thing: Any, tree: Mapping[str, Any]) -> Any:
    """A declaration with all changes at once, so that those which belong together are checked together."""
    if isinstance(thing, tuple):
        keys = [key for key, _ in _parts(thing)]
        return tuple(_replaced(part, tree[key]) if key in tree else part for key, part in zip(keys, thing, strict=True))
    if isinstance(thing, Mapping):
        return {**thing, **{key: leaf.value for key, leaf in tree.items()}}
    changes = {
        key: branch.value if isinstance(branch, _Leaf) else _replaced(getattr(thing, key), branch) for key, branch in tree.items()
    }
    return dataclasses.replace(thing, **changes)
