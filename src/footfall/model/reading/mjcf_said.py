"""What an MJCF file says that a robot has no word for: each part is listed with its name and line."""

from collections.abc import Set as AbstractSet

from footfall.model.reading.blueprint import Blueprint
from footfall.model.reading.mjcf_source import TURNS, Source
from footfall.model.reading.xml import Node

SOFT = {"solreflimit", "solimplimit", "solreffriction", "solimpfriction", "margin"}  # how far stops give way
LIMITS = {"range", "limited", "actuatorfrcrange", "actuatorfrclimited", "actuatorfrclimit"}
VIEW = {"name", "class", "group", "user", "rgba", "material", "width"}
ACTING = {"stiffness", "damping", "frictionloss", "springlength", "springdamper", "springref", "ref"}
OF_JOINT = {*VIEW, *LIMITS, *SOFT, *ACTING, *TURNS, "type", "pos", "axis", "armature", "actuatorgravcomp", "align"}
OF_TENDON = {*VIEW, *LIMITS, *SOFT, "stiffness", "damping", "frictionloss", "springlength"}
HARMLESS = {"0", "false", "auto", "none"}  # words that say that there is nothing
NUMERIC = {"warmstart", "midphase", "nativeccd", "multiccd", "island", "autoreset", "eulerdamp", "refsafe", "sensor"} | {
    *("energy", "fwdinv", "invdiscrete", "sleep")
}  # flags about how MuJoCo computes
OPTIONS = {
    "gravity",
    "density",
    "viscosity",
    "wind",
    "magnetic",
    "timestep",
    "apirate",
    "integrator",
    "cone",
    "jacobian",
    "solver",
} | {
    "iterations",
    "tolerance",
    "ls_iterations",
    "ls_tolerance",
    "noslip_iterations",
    "noslip_tolerance",
    "ccd_iterations",
    "ccd_tolerance",
    "mpr_iterations",
    "mpr_tolerance",
    "sleep_tolerance",
    "sdf_iterations",
    "sdf_initpoints",
    "impratio",
}


def options(found: Blueprint, source: Source) -> None:
    """Flags that differ from what holds if nothing is said, and options that would change the motion."""
    option = source.option()
    unknown(found, "option", "option", option, OPTIONS)
    for flag in option.all("flag"):
        for key, word in flag.attrib.items():
            usual = "disable" if key == "override" else "enable"
            if key == "gravity" or key in NUMERIC or word == usual:
                continue
            found.notes.add("flag", key, f"{word[:40]!r} is left out: here it is as with {usual!r}", flag.line)


def unknown(found: Blueprint, what: str, name: str, node: Node, known: AbstractSet[str]) -> None:
    """Attributes that are not read."""
    for key, text in node.attrib.items():
        if key not in known and not set(text.split()) <= HARMLESS:
            found.notes.add(what, name[:80], f"{key[:40]}={text[:40]!r} is left out", node.line)


def first(found: Blueprint, what: str, name: str, node: Node, key: str) -> float:
    """A coefficient; of several (for terms of higher order) the first."""
    value, *higher = node.numbers(key, (1, 10), (0.0,))
    if value < 0.0:
        raise node.error(f"{key} must be at least 0, got {value:g}")
    if any(higher):
        text = node.get(key)
        found.notes.add(what, name[:80], f"of its {key} {text[:60]!r} only the first number is read, no higher order", node.line)
    return value
