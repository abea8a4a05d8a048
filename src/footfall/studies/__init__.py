"""Whole experiments, one file each. A file has a function `build` that declares the study's parameters and returns a Study."""

from typing import Any

from footfall.errors import ParameterError
from footfall.named import about as about_named
from footfall.named import declarations, full_name, known_name, load_named, names_in, with_values
from footfall.sim.parameters import Parameter, parameter, with_parameters
from footfall.sim.parameters import parameters as parameters_in
from footfall.sim.study import Study


def names() -> list[str]:
    """All studies, by name."""
    return names_in(__path__)


def load(name: str, /, **settings: Any) -> Study:
    """The study of that name, with parameters where they shall differ.

    They are those that the study declares itself, those of its robot, and all others by dotted name:
    `load("stand-push", push=80.0, **{"robot.thigh": "45 cm", "world.gravity": 1.62})`.
    """
    name = known_name(__path__, "study", name)
    declared = declarations(__name__, name)
    own, rest = {}, {}
    for key, value in settings.items():
        found = key if key == "robot" else full_name(key, declared)
        if found not in (None, key):
            _check_unambiguous(name, key, found)
        if found is None:
            rest[key] = value
        else:
            own[found] = value
    return with_parameters(load_named(__name__, name, own), rest, also=declared)


def _check_unambiguous(name: str, short: str, found: str) -> None:
    """A short name of a parameter of the robot may be one of the rest of the study too."""
    other = full_name(short, [each.name for each in parameters_in(load_named(__name__, name, {}))])
    if other not in (None, found):
        raise ParameterError(f"{short!r} may mean {found}, {other}; write out which")


def parameters(name: str, /, **settings: Any) -> list[Parameter]:
    """All parameters of a study: first those that it declares itself and its robot's, then those of its parts."""
    study, declared = load(name, **settings), declarations(__name__, known_name(__path__, "study", name))
    own = [parameter(key, field, value) for key, field, value in with_values(declared, settings, f"study {name!r}")]
    return own + [each for each in parameters_in(study) if each.name not in declared]


def about(name: str) -> str:
    """The docstring of a study: what it is and where it is from."""
    return about_named(__name__, known_name(__path__, "study", name))
