"""The ready robots, one file each. They are listed by `footfall list robots`.

A file is a robot: it has a function `build` that takes the robot's parameters by keyword and returns the Robot. Files whose name
begins with an underscore are shared by several robots and are none themselves.
"""

from typing import Any

from footfall.model.robot import Robot
from footfall.named import load_named, names_in


def names() -> list[str]:
    """All ready robots, by name."""
    return names_in(__path__)


def load(name: str, /, **parameters: Any) -> Robot:
    """The robot of that name, with the parameters of its `build` where they shall differ from the published ones."""
    return load_named(__name__, __path__, "robot", name, parameters)
