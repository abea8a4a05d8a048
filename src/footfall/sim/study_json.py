"""A study as text (JSON) and back. Reading it executes nothing and trusts nothing; numbers keep all their digits.

A part of the world or of control is a table with its `class`, one of those that Footfall itself has, and all its parameters,
defaults too, so that a later default changes no earlier study. A field whose name begins with "_" is no parameter. Code
(a function, a class of the user's) cannot be text: it is left out, and `lost` says in a sentence what it was.
"""

import dataclasses
import importlib
import inspect
import json
import pkgutil
import types
import typing
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar

import numpy as np

from footfall.control import Controller
from footfall.core.ground import Ground
from footfall.engines.engine import Engine, Rollout
from footfall.errors import FileError, FootfallError, SimulationError, UnknownNameError
from footfall.model.file import parse_robot, robot_text
from footfall.model.quantity import note
from footfall.model.robot import Robot
from footfall.sim.study import Study
from footfall.world import Terrain, World

# whose classes a study may name
PACKAGES = ("footfall.world", "footfall.control", "footfall.sensors", "footfall.engines", "footfall.engines.hybrid")
MODULES = ("footfall.model.pins", "footfall.sim.settings")  # and these
MOST_TEXT = 250_000_000  # characters
MOST_TABLES = 5_000_000
DEEPEST = 40
LONGEST = 18  # digits of a whole number; longer ones are read as floats
UNIONS = (types.UnionType, typing.Union)


@dataclasses.dataclass(frozen=True)
class LostController(Controller):
    """Stands for a controller that could not be saved: it can be shown, not asked."""

    lost: ClassVar[bool] = True  # its parameters are not known
    why: str = note("what it was", "")

    def law(obs: Any, params: Any, state: Any, goal: Any, command: Any) -> int:  # noqa: ARG002
        return 1

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> None:  # noqa: ARG002
        raise SimulationError(f"{self.why} Give it again to run this study: simulate(run.study, controller=...)")


@dataclasses.dataclass(frozen=True)
class LostTerrain(Terrain):
    """Stands for a ground that could not be saved."""

    lost: ClassVar[bool] = True
    why: str = note("what it was", "")

    def ground(self) -> Ground:
        raise SimulationError(f"{self.why} Give it again to run this study: simulate(run.study, world=...)")


@dataclasses.dataclass(frozen=True)
class LostEngine(Engine):
    """Stands for an engine that could not be saved."""

    lost: ClassVar[bool] = True
    why: str = note("what it was", "")

    def pads(self, robot: Robot, bodies: bool = False) -> dict[str, float]:  # noqa: ARG002
        return {}

    def start(self, study: Any, q: np.ndarray, v: np.ndarray, lift: bool = False) -> Rollout:  # noqa: ARG002
        raise SimulationError(f"{self.why} Give it again to run this study: simulate(run.study, engine=...)")


# --- writing --------------------------------------------------------------------------------------------------------------


def study_text(study: Study) -> str:
    """A study as text; it is certain to be read again."""
    lost: dict[str, str] = {}
    parts = ("controller", "engine", "settings")
    data = {name: _plain(getattr(study, name), name) for name in hints(Study) if name not in ("world", *parts)}
    data["world"] = {"class": "World", **{name: _kept(study.world, name, hint, lost) for name, hint in hints(World).items()}}
    for name in parts:
        data[name] = _kept(study, name, hints(Study)[name], lost)
    text = json.dumps(data | {"lost": lost})
    parse_study(text, "the study")
    return text


def _kept(owner: Any, name: str, hint: Any, lost: dict[str, str]) -> Any:
    """A part as plain data; one that cannot be is None, and `lost` says why."""
    part = getattr(owner, name)
    try:
        data = _plain(part, name)
        _value(hint, data, name)
    except FootfallError as error:
        lost[name] = (
            part.why if isinstance(part, LostController | LostTerrain | LostEngine) else f"{error}. It was {part!r:.1000}."
        )
        return None
    return data


def _plain(value: Any, title: str) -> Any:
    """Tables, lists, numbers and words."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple | list):
        return [_plain(entry, title) for entry in value]
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(entry, title) for key, entry in value.items()}
    if isinstance(value, Robot):
        return robot_text(value)
    cls: Any = type(value)
    name = cls.__name__
    if known_parts().get(name) is cls:
        return {"class": name, **{key: _plain(getattr(value, key), f"{key} of the {title} {name}") for key in hints(cls)}}
    if callable(value) and hasattr(value, "__name__"):
        raise FileError(f"the {title} is a function, {value.__name__!r}, and code is not kept in files")
    raise FileError(f"the {title} {name} is not a part of Footfall (but of {cls.__module__!r}), so files cannot keep it")


# --- reading --------------------------------------------------------------------------------------------------------------


def parse_study(text: str, source: str) -> Study:
    """A study from text. Parts that were lost have a stand-in, which cannot be simulated and names the missing part."""
    data = parse_json(text, source)
    if not isinstance(data, dict) or not isinstance(data.get("world"), dict):
        raise FileError(f"{source} must be a table with a robot, a world and a controller, got {text!r:.60}")
    lost = _value(dict[str, str], data.pop("lost", {}), f"{source}: lost")
    for name in lost:
        if name not in (known := ("controller", "engine", "settings", *hints(World))):
            raise UnknownNameError(f"part (lost, in {source})", name, known)
    world = {key: value for key, value in data["world"].items() if key not in lost}
    gone: dict[str, Any] = {}
    if "controller" in lost:
        gone["controller"] = LostController(why=lost.pop("controller"))
    if "engine" in lost:
        gone["engine"] = LostEngine(why=lost.pop("engine"))
    gone["settings"] = _value(hints(Study)["settings"], data.get("settings") or [], f"{source}: settings")
    study: Study = build(Study, {key: value for key, value in data.items() if key not in gone} | {"world": world}, source)
    if lost:
        ground = LostTerrain(" ".join(lost.values()))
        study = dataclasses.replace(study, world=dataclasses.replace(study.world, terrain=ground))
    return dataclasses.replace(study, **gone)


def parse_json(text: str, source: str) -> Any:
    """Plain data from text; more or deeper data than a study or a run could have are refused."""
    if len(text) > MOST_TEXT or text.count("[") + text.count("{") > MOST_TABLES:
        raise FileError(f"{source} is too long: at most {MOST_TEXT:,} characters and {MOST_TABLES:,} lists and tables are read")
    try:
        data = json.loads(text, parse_int=lambda digits: int(digits) if len(digits) <= LONGEST else float(digits))
    except json.JSONDecodeError as error:
        raise FileError(f"{source} is not valid JSON: {error}") from None
    except RecursionError:
        raise FileError(f"{source} is nested too deeply") from None
    layer, depth = [data], 0
    while layer := [part for parent in layer if isinstance(parent, dict | list) for part in _inside(parent)]:
        depth += 1
        if depth > DEEPEST:
            raise FileError(f"{source} is nested too deeply: at most {DEEPEST} lists and tables within each other are read")
    return data


def _inside(parent: dict | list) -> list[Any]:
    """Lists and tables that a list or table holds."""
    held = parent.values() if isinstance(parent, dict) else parent
    return [part for part in held if isinstance(part, dict | list)]


def build(cls: Any, data: Any, title: str) -> Any:
    """A declaration of class `cls` from a table of its public fields."""
    if not isinstance(data, dict):
        raise FileError(f"{title} must be a table of {', '.join(hints(cls))}, got {data!r:.60}")
    for key in data:
        if key not in hints(cls):
            raise UnknownNameError(f"key (in {title})", key, hints(cls))
    optional = {f.name for f in dataclasses.fields(cls) if not f.default is f.default_factory is dataclasses.MISSING}
    if missing := [name for name in hints(cls) if name not in data and name not in optional]:
        raise FileError(f"{title} lacks {', '.join(missing)}")
    return cls(**{key: _value(hints(cls)[key], value, f"{title}: {key}") for key, value in data.items()})


def _value(hint: Any, value: Any, title: str) -> Any:
    """A value as its declaration demands it."""
    if typing.get_origin(hint) in UNIONS:
        return _one_of(typing.get_args(hint), value, title)
    if typing.get_origin(hint) is tuple:
        return _row(typing.get_args(hint), value, title)
    if typing.get_origin(hint) in (dict, Mapping):
        if not isinstance(value, dict):
            raise FileError(f"{title} must be a table, got {value!r:.60}")
        return {key: _value(typing.get_args(hint)[1], entry, f"{title}: {key}") for key, entry in value.items()}
    if hint is np.ndarray:
        return _array(value, title)
    if hint is Robot and isinstance(value, str):
        return parse_robot(value, title)
    if dataclasses.is_dataclass(hint) and hint is not Robot:
        return _part(hint, value, title)
    if hint is Any and not isinstance(value, dict):
        return tuple(value) if isinstance(value, list) else value
    return _simple(hint, value, title)


def _simple(hint: Any, value: Any, title: str) -> Any:
    wanted: dict[Any, str] = {float: "a number", int: "a whole number", str: "a word", bool: "true or false", Robot: "a robot"}
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if hint in wanted and isinstance(value, hint) and not (hint is int and isinstance(value, bool)):
        return value
    raise FileError(f"{title} must be {wanted.get(hint, 'left out, since it is code,')}, got {value!r:.60}")


def _one_of(choices: tuple, value: Any, title: str) -> Any:
    if value is None and types.NoneType in choices:
        return None
    choices = tuple(choice for choice in choices if choice is not types.NoneType)
    failures: dict[Any, FootfallError] = {}
    for choice in choices:
        try:
            return _value(choice, value, title)
        except FootfallError as failure:
            failures[choice] = failure
    parts = [failure for choice, failure in failures.items() if isinstance(value, dict) and dataclasses.is_dataclass(choice)]
    raise [*parts, *reversed(failures.values())][0]


def _row(entries: tuple, value: Any, title: str) -> tuple:
    if not isinstance(value, list):
        raise FileError(f"{title} must be a list, got {value!r:.60}")
    hints = entries[:1] * len(value) if entries[-1] is ... else entries
    if len(hints) != len(value):
        raise FileError(f"{title} must have {len(hints)} entries, got {len(value)}")
    return tuple(_value(hint, entry, f"{title}[{i}]") for i, (hint, entry) in enumerate(zip(hints, value, strict=True)))


def _array(value: Any, title: str) -> np.ndarray:
    """Rows of numbers of the same length."""
    try:
        found = np.array(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        found = np.array(np.nan)
    if not isinstance(value, list) or not np.isfinite(found).all():
        raise FileError(f"{title} must be a list of numbers, or of such lists that are as long, got {value!r:.60}")
    return found


def _part(base: Any, value: Any, title: str) -> Any:
    """One of the parts that Footfall has, by the name of its class."""
    if not isinstance(value, dict):
        raise FileError(f"{title} must be a table with a class, got {value!r:.60}")
    known = {name: cls for name, cls in known_parts().items() if issubclass(cls, base)}
    name = value.get("class")
    if not isinstance(name, str) or name not in known:
        raise UnknownNameError(f"{base.__name__.lower()} (in {title})", name, known)
    return build(known[name], {key: entry for key, entry in value.items() if key != "class"}, title)


# --- what is known --------------------------------------------------------------------------------------------------------


@cache
def known_parts() -> dict[str, type]:
    """All declarations of worlds and controllers in Footfall, by name; not what others are only made from."""
    found: dict[str, type] = {}
    paths = [(package, importlib.import_module(package).__path__) for package in PACKAGES]
    inside = [entry.name for package, path in paths for entry in pkgutil.iter_modules(path, f"{package}.")]
    for name in (*inside, *MODULES):
        module = importlib.import_module(name)
        declared = [part for part in vars(module).values() if isinstance(part, type) and dataclasses.is_dataclass(part)]
        ready = [part for part in declared if part.__module__ == name and not inspect.isabstract(part)]
        found |= {part.__name__: part for part in ready}
    return found


def parts_of(base: type) -> dict[str, type]:
    """The declarations of one kind that can be used, by name: `parts_of(Terrain)`."""
    return {name: part for name, part in sorted(known_parts().items()) if issubclass(part, base) and part is not base}


@cache
def hints(cls: Any) -> dict[str, Any]:
    """The parameters of a declaration, with their types."""
    kinds = typing.get_type_hints(cls)
    public = [field for field in dataclasses.fields(cls) if field.init and not field.name.startswith("_")]
    return {field.name: kinds[field.name] for field in public}
