"""The ready robots, one file each. They are listed by `footfall list robots`.

A file is a robot: its function `build` declares the robot's parameters and returns the Robot. Files whose name begins with an
underscore are shared by several robots and are none themselves.
"""

import dataclasses
from functools import partial
from typing import Any

from footfall.errors import UnknownNameError
from footfall.model.robot import Robot
from footfall.named import declarations, full_name, known_name, load_named, names_in


def names() -> list[str]:
    """All ready robots, by name."""
    return names_in(__path__)


def parameters(name: str) -> dict[str, dataclasses.Field]:
    """The parameters of a ready robot: its declarations, by name."""
    return declarations(__name__, known_name(__path__, "robot", name))


def load(name: str, /, **settings: Any) -> Robot:
    """The robot of that name, with the parameters of its `build` where they shall differ from the published ones."""
    known = parameters(name)
    full: dict[str, Any] = {}
    for key, value in settings.items():
        found = full_name(key, known)
        if found is None:
            raise UnknownNameError(f"parameter (of robot {name!r})", key, known)
        full[found] = value
    return load_named(__name__, str(name).replace("_", "-"), full)


def ready(name: str, **defaults: Any) -> Any:
    """A ready robot as a parameter of a study: its own parameters are the study's too, and another may be given in its place."""

    def declared() -> dict[str, dataclasses.Field]:
        known = parameters(name)
        return known | {key: dataclasses.field(default=value, metadata=known[key].metadata) for key, value in defaults.items()}

    rule = {"help": f"{name} if left out", "type": Robot, "make": partial(load, name, **defaults), "parameters": declared}
    return dataclasses.field(default=None, metadata=rule)
