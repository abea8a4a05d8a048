"""Contact laws, disturbances, and the world they make up."""

import math
from dataclasses import dataclass, field
from math import cos, pi, sin
from types import NoneType
from typing import Any

import numpy as np

from footfall.errors import WorldError
from footfall.model.parts import WORLD
from footfall.model.quantity import ROW, check_quantities, flag, note, quantity
from footfall.model.robot import Robot
from footfall.model.state import vector
from footfall.world.terrain import Flat, Terrain


@dataclass(frozen=True)
class Contact:
    """How feet and ground meet. Coulomb friction has one coefficient for sticking and sliding."""

    friction: float = quantity("1", "Coulomb friction coefficient", 0.8, low=0.0, high=100.0)

    def __post_init__(self) -> None:
        check_quantities(self, type(self).__name__, WorldError)


@dataclass(frozen=True)
class Rigid(Contact):
    """Rigid contact: no penetration, and sticking points do not move."""

    restitution: float = quantity("1", "speed after an impact over the speed before", 0.0, low=0.0, high=1.0)


@dataclass(frozen=True)
class Compliant(Contact):
    """A spring and a damper at every point, in the normal and in the tangential direction; friction is limited by the cone."""

    stiffness: float = quantity("N/m", "of a point", 1e5, low=1.0)
    damping: float = quantity("N s/m", "of a point", 1e3, low=0.0)
    tangential_stiffness: float | None = quantity("N/m", "of a point along the ground; the same if left out", None, low=1.0)
    tangential_damping: float | None = quantity("N s/m", "of a point along the ground; the same if left out", None, low=0.0)


@dataclass(frozen=True)
class Push:
    """A force on a link or frame for some time."""

    on: str = note("the link or frame")
    force: tuple[float, ...] = quantity("N", "in world axes", shape=ROW)
    start: float = quantity("s", "when it begins", low=0.0)
    end: float = quantity("s", "when it ends", low=0.0)
    at: tuple[float, ...] | None = quantity("m", "point on the link, in its axes", None, shape=ROW)

    def __post_init__(self) -> None:
        _check_disturbance(self)


@dataclass(frozen=True)
class Load:
    """A point mass put on a link for some time."""

    on: str = note("the link or frame")
    mass: float = quantity("kg", "of the load", low=0.0)
    start: float = quantity("s", "when it is put on", 0.0, low=0.0)
    end: float = quantity("s", "when it is taken off", 1e9, low=0.0)
    at: tuple[float, ...] | None = quantity("m", "point on the link, in its axes", None, shape=ROW)

    def __post_init__(self) -> None:
        _check_disturbance(self)


@dataclass(frozen=True)
class Change:
    """Another ground from some time on; a part that is left out stays."""

    at: float = quantity("s", "when", low=0.0)
    terrain: Terrain | None = note("its shape", None)
    contact: Contact | None = note("its contact law", None)

    def __post_init__(self) -> None:
        check_quantities(self, "Change", WorldError)
        for name, kind in (("terrain", Terrain), ("contact", Contact)):
            _check_part(f"Change at {self.at:g} s: {name}", getattr(self, name), (kind, NoneType))
        if self.terrain is None and self.contact is None:
            raise WorldError(f"Change at {self.at:g} s: give it a terrain, a contact or both")

    @property
    def start(self) -> float:
        return self.at


@dataclass(frozen=True)
class World:
    """Ground, contact law, gravity and disturbances."""

    terrain: Terrain = field(default_factory=Flat)
    contact: Contact = field(default_factory=Rigid)
    gravity: float | None = quantity("m/s2", "downward; the robot's own if left out", None, low=0.0, high=1e6)
    pushes: tuple[Push, ...] = note("forces", ())
    loads: tuple[Load, ...] = note("masses", ())
    changes: tuple[Change, ...] = note("of the ground", ())
    bonded: tuple[str, ...] = note("feet that are held by the ground", ())
    falls: bool = flag("whether the run ends when something other than a foot touches the ground", True)
    lowest_base: float | None = quantity("m", "height of the base above the ground below which it fell; any if left out", None)
    lowest_com: float | None = quantity("m", "the same for the centre of mass", None)
    bodies: bool = flag("whether all links touch the ground with their shapes; touching is then no fall", False)
    gravity_tilt: float = quantity("rad", "of gravity from straight down; positive pulls forward", 0.0, low=-pi, high=pi)
    gravity_heading: float = quantity("rad", "in space, of the tilt: 0 forward (x), 90 deg left (y)", 0.0, low=-pi, high=pi)

    def __post_init__(self) -> None:
        check_quantities(self, "World", WorldError)
        _check_part("World: terrain", self.terrain, (Terrain,))
        _check_part("World: contact", self.contact, (Contact,))
        for name, kind in (("pushes", Push), ("loads", Load), ("changes", Change), ("bonded", str)):
            object.__setattr__(self, name, _row_of(f"World: {name}", getattr(self, name), kind))
        for part in ("terrain", "contact"):
            times = [change.at for change in self.changes if getattr(change, part)]
            if twice := [at for at in times if times.count(at) > 1]:
                raise WorldError(f"World: changes: two of them set another {part} at {twice[0]:g} s; only one can be there")

    def check_on(self, robot: Robot, dt: float) -> None:
        """Raise an error if a push or load could have no effect on this robot with steps of this length."""
        acting: list[Push | Load] = [*self.pushes, *self.loads]
        for each in acting:
            title = f"{type(each).__name__} on {each.on!r}"
            if robot.target(each.on).body == 0:
                raise WorldError(f"{title}: it must act on what moves, and {each.on!r} is fixed to the world")
            for name in ("force", "at"):
                given = getattr(each, name, None)
                if given is not None and (not isinstance(given, tuple) or len(given) != robot.dim):
                    raise WorldError(f"{title}: {name} must be {robot.dim} numbers for a {robot.space} robot, got {given}")
        if robot.dim == 2 and self.gravity_heading:
            raise WorldError(
                f"World: gravity_heading must be 0 for a planar robot, got {self.gravity_heading:g}; a negative gravity_tilt "
                "pulls backward"
            )
        for load in self.loads:
            if math.ceil(load.start / dt - 0.5) + 0.5 >= load.end / dt:
                raise WorldError(
                    f"Load on {load.on!r}: from {load.start:g} to {load.end:g} s there is no middle of a step of {dt:g} s, so it "
                    "would never be put on"
                )

    def down(self, dim: int) -> np.ndarray:
        """(dim,) the direction of gravity, of length 1: straight down, or tilted. Controllers take it to be straight down."""
        found = np.zeros(dim)
        found[-1] = -cos(self.gravity_tilt)
        if self.gravity_tilt:
            ahead = (cos(self.gravity_heading), sin(self.gravity_heading))
            found[:-1] = sin(self.gravity_tilt) * np.array(ahead[: dim - 1])
        return found

    def terrain_at(self, time: float) -> Terrain:
        """The ground at a time."""
        found = [change.terrain for change in self._changed(time) if change.terrain]
        return found[-1] if found else self.terrain

    def contact_at(self, time: float) -> Contact:
        """The contact law at a time."""
        found = [change.contact for change in self._changed(time) if change.contact]
        return found[-1] if found else self.contact

    def _changed(self, time: float) -> list[Change]:
        now = vector([time], 1, "the time")[0]
        return sorted((change for change in self.changes if change.at <= now), key=lambda change: change.at)


def _check_disturbance(part: Push | Load) -> None:
    title = f"{type(part).__name__} on {part.on!r:.80}"
    if not isinstance(part.on, str):
        raise WorldError(f"{title}: it must be on a link or frame, by name")
    check_quantities(part, title, WorldError)
    if part.on == WORLD:
        raise WorldError(f"{title}: it must act on a link or frame; the world does not move")
    if not part.end > part.start:
        raise WorldError(f"{title}: it must end after it starts, got {part.start:g} to {part.end:g} s")


def _check_part(title: str, value: Any, kinds: tuple[type, ...]) -> None:
    if not isinstance(value, kinds):
        raise WorldError(f"{title} must be a {kinds[0].__name__}, got {value!r:.80}")


def _row_of(title: str, value: Any, kind: type) -> tuple:
    """A row of one kind of thing; a single one is no row, nor is a word a row of letters."""
    what = "names of feet" if kind is str else f"{kind.__name__}es" if kind is Push else f"{kind.__name__}s"
    if not isinstance(value, tuple | list) or not all(isinstance(entry, kind) for entry in value):
        raise WorldError(f"{title} must be a row of {what}, such as (one,), got {value!r:.80}")
    return tuple(value)
