"""Whole experiments, one file each. A file has a function `build` that takes parameters by keyword and returns a Study."""

from typing import Any

from footfall.named import load_named, names_in
from footfall.sim.study import Study


def names() -> list[str]:
    """All studies, by name."""
    return names_in(__path__)


def load(name: str, /, **parameters: Any) -> Study:
    """The study of that name, with parameters where they shall differ."""
    return load_named(__name__, __path__, "study", name, parameters)
