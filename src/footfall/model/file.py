"""Robots as text files (TOML). Reading one executes nothing and trusts nothing; writing and reading gives back the same robot.

Files of other programs (URDF, MJCF) are read by `footfall.model.reading`.

The keys are the fields of the declarations (`footfall.Robot`, `Link`, `Joint`, ...), in the same units; keys that are left
out have their default. A pad of a foot, and a shape of a link, says its `shape`: point, heel_toe, box, arc, sphere or capsule.
"""

import json
from pathlib import Path
from typing import Any

from footfall.errors import FileError
from footfall.files import read_text, write_whole
from footfall.model.checks import MOST_LINKS
from footfall.model.data import from_data, tag, to_data
from footfall.model.parts import Pad
from footfall.model.robot import Robot
from footfall.model.toml import parse_toml

FORMAT, VERSION = "footfall-robot", 1
MOST_BYTES = 8_000_000


def write_robot(robot: Robot, path: str | Path) -> None:
    """Write a robot to a text file; one that is there already is replaced."""
    write_whole(path, robot_text(robot))


def read_robot(path: str | Path, **options: Any) -> Robot:
    """Read a robot from a file: Footfall's own (TOML), URDF or MJCF. The options of `import_robot` are for the last two."""
    text = read_text(path, MOST_BYTES, "a robot")
    if is_xml(path, text):
        from footfall.model.reading.read import import_text

        return import_text(text, path, **options).robot
    if options:
        raise FileError(f"{path} is a robot file of Footfall, which says everything itself; it takes no {', '.join(options)}")
    return parse_robot(text, str(path))


def is_xml(path: str | Path, text: str) -> bool:
    """Whether a text is of another program, by its first character or the name of its file."""
    return text.lstrip("\ufeff \t\r\n").startswith("<") or Path(path).suffix.lower() in (".urdf", ".xml", ".mjcf", ".xacro")


def robot_text(robot: Robot) -> str:
    if not isinstance(robot, Robot):
        raise FileError(f"only a Robot can be written as one, got {robot!r:.80}")
    data = to_data(robot)
    for foot, declared in zip(data.get("feet", []), robot.feet, strict=True):
        foot["pads"] = _tagged(foot["pads"], declared.pads)
    if robot.shapes:
        data["shapes"] = _tagged(data["shapes"], robot.shapes)
    return "\n".join(_toml({"format": FORMAT, "version": VERSION, **data}, "")).lstrip() + "\n"


def _tagged(entries: list[dict[str, Any]], pads: tuple[Pad, ...]) -> list[dict[str, Any]]:
    return [{"shape": tag(type(pad)), **entry} for entry, pad in zip(entries, pads, strict=True)]


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
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str | bool) else repr(value)


def parse_robot(text: str, source: str = "robot text") -> Robot:
    data = parse_toml(text, source)
    if data.pop("format", None) != FORMAT:
        raise FileError(f"{source} is not a robot file: it does not begin with format = {FORMAT!r}")
    if (version := data.pop("version", None)) != VERSION or version is True:
        raise FileError(f"{source} has version {version!r}; this Footfall reads version {VERSION}")
    for key in ("links", "joints", "frames", "feet", "shapes", "loops", "tendons"):
        if isinstance(data.get(key), list) and len(data[key]) > MOST_LINKS:
            raise FileError(f"{source} has {len(data[key])} {key}; at most {MOST_LINKS} are supported")
    return from_data(Robot, data, source)
