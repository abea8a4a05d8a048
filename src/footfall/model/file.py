"""Robots as text files (TOML). Reading one executes nothing and trusts nothing; writing and reading gives back the same robot.

The keys are the fields of the declarations (`footfall.Robot`, `Link`, `Joint`, ...), in the same units; what is left out is at
its default. A pad of a foot says its `shape`: point, heel_toe, box or arc.
"""

import json
import tomllib
from pathlib import Path
from typing import Any

from footfall.errors import FileError
from footfall.model.checks import MOST_LINKS
from footfall.model.data import from_data, tag, to_data
from footfall.model.robot import Robot

FORMAT, VERSION = "footfall-robot", 1
MOST_BYTES = 8_000_000


def write_robot(robot: Robot, path: str | Path) -> None:
    """Write a robot to a text file."""
    Path(path).write_text(robot_text(robot), encoding="utf-8")


def read_robot(path: str | Path) -> Robot:
    """Read a robot from a text file."""
    path = Path(path)
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        text = content.decode()
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not a text file: byte {error.start} is not UTF-8") from None
    if len(content) > MOST_BYTES:
        raise FileError(f"{path} has more than {MOST_BYTES:,} bytes, too many for a robot")
    return parse_robot(text, str(path))


def robot_text(robot: Robot) -> str:
    data = to_data(robot)
    for foot, declared in zip(data.get("feet", []), robot.feet, strict=True):
        foot["pads"] = [{"shape": tag(type(pad)), **entry} for entry, pad in zip(foot["pads"], declared.pads, strict=True)]
    return "\n".join(_toml({"format": FORMAT, "version": VERSION, **data}, "")).lstrip() + "\n"


def _toml(table: dict[str, Any], name: str) -> list[str]:
    """Plain values first, then the tables and lists of tables below `name`; numbers with all their digits."""
    tables = {key: value for key, value in table.items() if isinstance(value, dict)}
    lists = {key: value for key, value in table.items() if isinstance(value, list) and value and isinstance(value[0], dict)}
    lines = [f"{key} = {_plain(value)}" for key, value in table.items() if key not in tables and key not in lists]
    for key, value in tables.items():
        lines += ["", f"[{name}{key}]", *_toml(value, f"{name}{key}.")]
    for key, values in lists.items():
        for value in values:
            lines += ["", f"[[{name}{key}]]", *_toml(value, f"{name}{key}.")]
    return lines


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(_plain(entry) for entry in value)}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)


def parse_robot(text: str, source: str = "robot text") -> Robot:
    try:
        data: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FileError(f"{source} is not valid TOML: {error}") from None
    except RecursionError:
        raise FileError(f"{source} is nested too deeply to be a robot") from None
    if data.pop("format", None) != FORMAT:
        raise FileError(f"{source} is not a robot file: it does not begin with format = {FORMAT!r}")
    if (version := data.pop("version", None)) != VERSION or version is True:
        raise FileError(f"{source} has version {version!r}; this Footfall reads version {VERSION}")
    for key in ("links", "joints", "frames", "feet"):
        if isinstance(data.get(key), list) and len(data[key]) > MOST_LINKS:
            raise FileError(f"{source} has {len(data[key])} {key}; at most {MOST_LINKS} are supported")
    try:
        return from_data(Robot, data, source)
    except RecursionError:
        raise FileError(f"{source} is nested too deeply to be a robot") from None
