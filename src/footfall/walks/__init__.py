"""The ready walkers of the literature as hybrid questions, one file each. They are listed by `footfall list walks`.

A file has a function `build` that declares parameters and returns a Walk. Its state is near the published gait, and is moved
along with the slope such that it stays near: angles and rates grow with the cube root of the slope. A slope is positive
uphill, so that of walkers without a motor is negative.
"""

from typing import Any

from footfall.engines.hybrid.walk import Walk
from footfall.errors import UnknownNameError
from footfall.named import about as about_named
from footfall.named import declarations, full_name, known_name, load_named, names_in, with_values
from footfall.sim.parameters import Parameter, parameter


def names() -> list[str]:
    """All ready walks, by name."""
    return names_in(__path__)


def load(name: str, /, **settings: Any) -> Walk:
    """The walk of that name, with parameters where they shall differ: its own, or its robot's."""
    name = known_name(__path__, "walk", name)
    declared, own = declarations(__name__, name), {}
    for key, value in settings.items():
        found = key if key == "robot" else full_name(key, declared)
        if found is None:
            raise UnknownNameError(f"parameter (of walk {name!r})", key, declared)
        own[found] = value
    return load_named(__name__, name, own)


def parameters(name: str, /, **settings: Any) -> list[Parameter]:
    """All parameters of a walk, and its robot's."""
    declared = declarations(__name__, known_name(__path__, "walk", name))
    return [parameter(key, field, value) for key, field, value in with_values(declared, settings, f"walk {name!r}")]


def about(name: str) -> str:
    """What a walk is and where it is from."""
    return about_named(__name__, known_name(__path__, "walk", name))
