"""Declarations to plain data and back: tables, lists, numbers and words, nothing that could run.

Defaults are left out; unknown keys are refused.
"""

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any

from footfall.errors import FileError, UnknownNameError


def to_data(part: Any) -> Any:
    """A declaration as plain data."""
    if isinstance(part, tuple):
        return [to_data(entry) for entry in part]
    if not dataclasses.is_dataclass(part):
        return part
    data = {}
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if value is not None and value != field.default:
            data[field.name] = to_data(value)
    return data


def tag(cls: type) -> str:
    """The word in a file for one of several kinds of part: HeelToe is 'heel_toe'."""
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in cls.__name__).lstrip("_")


def from_data(cls: type, data: Any, title: str) -> Any:
    """A declaration of class `cls` from plain data; `title` says where in the file it stands."""
    if not isinstance(data, Mapping):
        raise FileError(f"{title} must be a table of {', '.join(f.name for f in dataclasses.fields(cls))}, got {data!r:.60}")
    fields = {field.name: field for field in dataclasses.fields(cls)}
    for key in data:
        if key not in fields:
            raise UnknownNameError(f"key (in {title})", key, fields)
    missing = [name for name, field in fields.items() if field.default is dataclasses.MISSING and name not in data]
    if missing:
        raise FileError(f"{title} lacks {', '.join(missing)}")
    hints = typing.get_type_hints(cls)
    values = {key: _value(hints[key], value, f"{title}: {key}") for key, value in data.items()}
    return cls(**values)


def _value(hint: Any, value: Any, title: str) -> Any:
    if hint is str:
        if not isinstance(value, str):
            raise FileError(f"{title} must be a word, got {value!r:.60}")
        return value
    choices = [choice for choice in _choices(hint) if dataclasses.is_dataclass(choice)]
    if choices:
        return _part(choices, value, title)
    if typing.get_origin(hint) is tuple and _is_list_of_parts(hint):
        if not isinstance(value, list):
            raise FileError(f"{title} must be a list, got {value!r:.60}")
        entry = typing.get_args(hint)[0]
        return tuple(_value(entry, item, f"{title}[{index}]") for index, item in enumerate(value))
    return tuple(value) if isinstance(value, list) else value


def _part(choices: list[Any], value: Any, title: str) -> Any:
    if len(choices) == 1:
        return from_data(choices[0], value, title)
    tags = {tag(choice): choice for choice in choices}
    shape = value.get("shape") if isinstance(value, Mapping) else None
    if not isinstance(shape, str) or shape not in tags:
        raise FileError(f"{title} must have a shape, one of {', '.join(tags)}, got {shape!r:.60}")
    return from_data(tags[shape], {key: entry for key, entry in value.items() if key != "shape"}, title)


def _choices(hint: Any) -> tuple:
    return typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)


def _is_list_of_parts(hint: Any) -> bool:
    entry = typing.get_args(hint)[0]
    return any(dataclasses.is_dataclass(choice) for choice in _choices(entry))
