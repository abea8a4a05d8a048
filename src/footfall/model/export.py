"""Shared parts of exports: text with its report, numbers with all their digits, pads as simple shapes.

Parts that the robot does not name itself get names with a dot (`base.x`, `foot.0`), which no declared name has.
"""

import math
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path
from typing import Any, NamedTuple

from footfall.files import write_whole
from footfall.model.parts import Arc, Box, Capsule, HeelToe, Motor, Pad, Sphere
from footfall.model.robot import Robot

TOUCH = 1e-5  # m: radius of the ball that stands for a point, which neither format has
FULL_TURN = 2 * math.pi * (1 - 1e-9)


@dataclass(frozen=True)
class Export:
    """A robot as the text of another format."""

    text: str
    left_out: tuple[str, ...]  # what the format cannot say, or says otherwise: the parts, then what became of them

    def write(self, path: str | Path) -> None:
        write_whole(path, self.text)


class LeftOut:
    """Collects parts that were left out or written differently; parts that share a reason share a line."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], dict[str, int]] = {}

    def add(self, what: str, name: str, reason: str, line: int = 0) -> None:
        """`line` is that of a file that is read, if it is to be named."""
        self._names.setdefault((what, reason), {})[name] = line

    def lines(self) -> tuple[str, ...]:
        return tuple(
            f"{what} {', '.join(starmap(_title, names.items()))}: {reason}" for (what, reason), names in self._names.items()
        )


def _title(name: str, line: int) -> str:
    return f"{name!r} (line {line})" if line else repr(name)


class Shape(NamedTuple):
    """A pad as both formats have it. A cylinder lies along y, a capsule goes from `at` to `end`."""

    kind: str  # sphere, box, cylinder or capsule
    name: str
    at: tuple[float, ...]
    size: tuple[float, ...]  # radius; full lengths; radius and full length
    end: tuple[float, ...] = ()


def shapes_by_link(robot: Robot, notes: LeftOut, bodies: bool = False) -> dict[str, list[Shape]]:
    """The pads of a robot in space, by the link that carries them; `foot.0` is the first pad of a foot, `foot.1` the second.

    With `bodies` the shapes of its links, too, as `link.body.0` and so on.
    """
    found: dict[str, list[Shape]] = {}
    owners = [("foot", foot.name, foot.name, foot.pads) for foot in robot.feet]
    for foot in robot.feet:
        if foot.compliance:
            notes.add("foot", foot.name, "springs and dampers of its contact elements are left out")
    owners += [("link", link, f"{link}.body", shapes) for link, shapes in robot.solids.items()] if bodies else []
    for what, owner, title, pads in owners:
        number = 0
        for pad in pads:
            for kind, at, size, *end in _simple(pad, (what, owner), notes):
                found.setdefault(pad.link, []).append(Shape(kind, f"{title}.{number}", at, size, *end))
                number += 1
    return found


def _simple(pad: Pad, owner: tuple[str, str], notes: LeftOut) -> list[tuple]:
    """(kind, place, size) of the one or two shapes that stand for a pad, and the end of a capsule."""
    if isinstance(pad, Box):
        return [("box", pad.at, pad.size)]
    if isinstance(pad, Sphere):
        return [("sphere", pad.at, (pad.radius,))]
    if isinstance(pad, Capsule):
        return [("capsule", pad.start, (pad.radius,), pad.end)]
    if isinstance(pad, Arc):
        if pad.span[1] - pad.span[0] < FULL_TURN:
            notes.add(*owner, "of a round sole the whole circle is written, its span from heel to toe cannot be said")
        if pad.width > 0.0:
            return [("cylinder", pad.at, (pad.radius, pad.width))]
        notes.add(*owner, "a round sole without width is written as a ball, which is the same in the plane x-z only")
        return [("sphere", pad.at, (pad.radius,))]
    notes.add(*owner, f"a point is written as a ball of {TOUCH:g} m about it, so it touches that much earlier")
    if isinstance(pad, HeelToe):
        notes.add(*owner, "the line between heel and toe is left out, it touches flat ground only where its ends do")
        return [("sphere", pad.heel, (TOUCH,)), ("sphere", pad.toe, (TOUCH,))]
    return [("sphere", pad.at, (TOUCH,))]


def flat_notes(robot: Robot, notes: LeftOut) -> None:
    """Properties that a planar robot does not have in space, and their substitutes."""
    for loop in robot.loops:
        notes.add("loop", loop.name, "is left out: the robot is written as the open tree")
    if robot.space == "planar":
        notes.add(
            "robot",
            robot.name,
            "the plane has inertia about y only; half of it is written about x and z, without effect in the plane",
        )
        for foot in robot.feet:
            if any(isinstance(pad, Box) for pad in foot.pads):
                notes.add("foot", foot.name, "a box in the plane has no width, its smaller side is written")


STICTION = "friction at rest, which is larger than in motion, is left out"
ELECTRICAL = "currents, heat and friction under load of its motor are left out"


def has_rotor(motor: Motor) -> bool:
    """Whether a motor says something of its rotor and gear."""
    return motor.rotor_inertia > 0.0 or motor.gear != 1.0


def numbers(*values: Any) -> str:
    """Numbers with all their digits: what reads them gets the same bits."""
    return " ".join(repr(float(value) + 0.0) for value in values)


def xml_text(root: ET.Element) -> str:
    ET.indent(root)
    return ET.tostring(root, encoding="unicode", xml_declaration=False) + "\n"
