"""State and goal of a controller: fields by name, as its nested classes `State` and `Goal` declare them::

    class State:
        part: int = states("swings", "pushes")     # a whole number with names, 0 at first
        since: float = 0.0
        filter: Any = array(2, 4)
        lag: Any = array("nv")                     # a size that the robot has

They are NumPy records, which a law reads and writes by name, compiled or not. Fields whose size depends on the robot are arrays
of their own, so that code is not compiled for each robot: then all fields must be arrays.
"""

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, ClassVar, NamedTuple, get_origin

import numpy as np

from footfall.errors import FootfallError
from footfall.model.robot import Robot

OF_SPACE = ("dim", "motion")  # sizes that belong to the plane or to space, not to a robot
KINDS: dict[str, type] = {"int": np.int64, "float": np.float64, "bool": np.int64}
WORD = 8  # bytes: of every number


class ControlError(FootfallError):
    """A controller that cannot be used, or failed; `run` holds the simulation until then."""

    run: Any = None


class Array(NamedTuple):
    """A field with several numbers."""

    shape: tuple[int | str, ...]
    default: Any


class States(NamedTuple):
    """A field that is a whole number with a name for each value."""

    names: tuple[str, ...]


def array(*shape: int | str, default: float = 0.0) -> Any:
    """A field that is an array of floats: sizes are numbers, or sizes of the robot: 'nq', 'nv', 'motors', 'feet', 'contacts',
    'bodies' (the world is the first).

    'dim' is 2 in the plane and 3 in space, 'motion' 3 and 6: a place and a rotation.
    """
    return Array(shape, default)


def states(*names: str) -> Any:
    """A field that is one of several states: 0 for the first name, 1 for the second, ..."""
    return States(names)


class Field(NamedTuple):
    """One field of a state or goal."""

    name: str
    kind: type
    shape: tuple[int | str, ...] = ()
    default: float = 0.0
    labels: tuple[str, ...] = ()  # names of the values of a whole number
    rule: Any = None  # its declaration with unit and range, if it has one

    @property
    def of_robot(self) -> bool:
        """Whether its size depends on the robot."""
        return any(isinstance(size, str) and size not in OF_SPACE for size in self.shape)


def fields_of(declared: type | None, owner: str) -> tuple[Field, ...]:
    """The fields that a class `State` or `Goal` declares, floats first."""
    found: dict[str, Field] = {}
    for part in reversed(declared.__mro__ if declared else ()):
        for name, hint in vars(part).get("__annotations__", {}).items():
            found[name] = _field(name, hint, vars(part).get(name), f"{owner}.{declared.__name__}" if declared else owner)
    if any(f.of_robot for f in found.values()) and not all(f.shape for f in found.values()):
        plain = next(f.name for f in found.values() if not f.shape)
        raise ControlError(
            f"{owner}: {plain} stands beside fields whose size depends on the robot; make it an array, "
            "or give the others sizes that are numbers"
        )
    return tuple(sorted(found.values(), key=lambda f: f.kind is not np.float64))


def _field(name: str, hint: Any, default: Any, owner: str) -> Field:
    if isinstance(default, Array):
        for size in default.shape:
            if not (isinstance(size, str) or (isinstance(size, int) and size > 0)):
                raise ControlError(f"{owner}: sizes of {name} must be whole numbers above 0, or names, got {size!r}")
        return Field(name, np.float64, default.shape, float(default.default))
    if isinstance(default, States):
        return Field(name, np.int64, labels=default.names)
    if isinstance(default, dataclasses.Field):  # quantity(...), count(...)
        if isinstance(default.default, bool) or not isinstance(default.default, int | float):
            raise ControlError(f"{owner}: {name} needs a number as its default, got {default.default!r:.60}")
        whole = default.metadata.get("kind") == "count"
        return Field(name, np.int64 if whole else np.float64, default=default.default, rule=default)
    kind = KINDS.get(hint if isinstance(hint, str) else getattr(hint, "__name__", ""))
    if kind is None or get_origin(hint):
        raise ControlError(f"{owner}: {name} must be an int, a float, array(...) or states(...), got {hint!r}")
    return Field(name, kind, default=0 if default is None else default)


def sizes_of(robot: Robot, contacts: int) -> dict[str, int]:
    """The sizes of a robot by name."""
    motors = sum(joint.motor is not None for joint in robot.layout.joints)
    of_space = {"dim": robot.dim, "motion": 3 if robot.dim == 2 else 6}
    return {
        "nq": robot.nq,
        "nv": robot.nv,
        "motors": motors,
        "feet": len(robot.feet),
        "contacts": contacts,
        "bodies": len(robot.tree.parent),
        **of_space,
    }


@cache
def tuple_type(name: str, fields: tuple[str, ...]) -> Any:
    """A named tuple; the same class for the same fields, since code is compiled for a class."""
    return NamedTuple(name, [(field, Any) for field in fields])


class Plain:
    """A record as a law in Python reads it: the same fields in the same memory, ten times as fast as one of NumPy."""

    __slots__ = ("_parts",)
    _fields: ClassVar[tuple[str, ...]] = ()

    def __init__(self, memory: np.ndarray, kind: Any):
        self._parts = [_part(memory, *kind.fields[name][:2]) for name in self._fields]


def _part(memory: np.ndarray, kind: np.dtype, at: int) -> np.ndarray:
    return memory[at : at + kind.itemsize].view(kind.base).reshape(kind.shape or 1)


@cache
def plain_type(fields: tuple[tuple[str, bool], ...]) -> type[Plain]:
    """The class for fields of these names, with whether each is an array."""
    names = tuple(name for name, _ in fields)
    members = {name: _member(i, is_array) for i, (name, is_array) in enumerate(fields)}
    return type("Plain", (Plain,), {"__slots__": (), "_fields": names, **members})


def _member(i: int, is_array: bool) -> property:
    at = slice(None) if is_array else 0

    def get(plain: Plain) -> Any:
        return plain._parts[i] if is_array else plain._parts[i][0]

    def put(plain: Plain, value: Any) -> None:
        plain._parts[i][at] = value

    return property(get, put)


class Block:
    """A state or goal in memory: a compiled law gets `value`, one in Python `plain`; `floats` are all of its floats in a row."""

    def __init__(self, owner: str, declared: type | None, sizes: Mapping[str, int]):
        self.fields = fields_of(declared, owner)
        self.shapes = {f.name: tuple(_size(size, sizes, owner) for size in f.shape) for f in self.fields}
        counts = [int(np.prod(self.shapes[f.name], dtype=int)) for f in self.fields]
        self.size, self._name = WORD * sum(counts), declared.__name__ if declared else ""
        self._floats = sum(n for n, f in zip(counts, self.fields, strict=True) if f.kind is np.float64)
        self.value: Any = None
        self.plain: Any = None
        self.memory = self.floats = np.zeros(0)

    def place(self, memory: np.ndarray) -> None:
        """Live in these bytes from now on, with the defaults."""
        self.memory, self.floats = memory, memory[: WORD * self._floats].view(np.float64)
        self.value = self.plain = self.view(memory)
        if isinstance(self.value, np.void):
            self.plain = plain_type(tuple((f.name, bool(f.shape)) for f in self.fields))(memory, self.value.dtype)
        for f in self.fields:
            self[f.name] = f.default

    def view(self, memory: np.ndarray) -> Any:
        """The fields in bytes like its own: a record, or a tuple of arrays."""
        if not self.fields:
            return None
        if any(f.of_robot for f in self.fields):
            ends = np.cumsum([0, *(WORD * int(np.prod(self.shapes[f.name])) for f in self.fields)])
            parts: list[Any] = [
                memory[a:b].view(f.kind).reshape(self.shapes[f.name])
                for f, a, b in zip(self.fields, ends[:-1], ends[1:], strict=True)
            ]
            return tuple_type(self._name, tuple(f.name for f in self.fields))(*parts)
        kind = np.dtype([(f.name, f.kind, self.shapes[f.name]) for f in self.fields])
        return memory.view(kind).view(np.recarray)[0]

    def __getitem__(self, name: str) -> Any:
        return getattr(self.value, name)

    def __setitem__(self, name: str, value: Any) -> None:
        if self.shapes[name] or not isinstance(self.value, np.void):
            getattr(self.value, name)[...] = value
        else:
            setattr(self.value, name, value)

    def names(self) -> tuple[str, ...]:
        return tuple(f.name for f in self.fields)


def _size(size: int | str, sizes: Mapping[str, int], owner: str) -> int:
    if isinstance(size, str) and size not in sizes:
        raise ControlError(f"{owner}: a size must be a number or one of {', '.join(sizes)}, got {size!r}")
    return sizes[size] if isinstance(size, str) else size


def place_all(blocks: Iterable[Block]) -> np.ndarray:
    """Bytes in which all of them live, one after the other."""
    blocks = list(blocks)
    memory, at = np.zeros(sum(block.size for block in blocks), np.uint8), 0
    for block in blocks:
        block.place(memory[at : at + block.size])
        at += block.size
    return memory
