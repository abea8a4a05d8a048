"""The ready walkers of the literature as hybrid questions, one file each. They are listed by `footfall list walks`.

A file has a function `build` that takes parameters by keyword and returns a Walk. Its state is near the published gait, and is
moved along with the slope such that it stays near: angles and rates grow with the cube root of the slope.
"""

from typing import Any

from footfall.engines.hybrid.walk import Walk
from footfall.named import load_named, names_in


def names() -> list[str]:
    """All ready walks, by name."""
    return names_in(__path__)


def load(name: str, /, **parameters: Any) -> Walk:
    """The walk of that name, with parameters where they shall differ."""
    return load_named(__name__, __path__, "walk", name, parameters)
