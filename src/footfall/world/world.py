"""Contact laws, disturbances, and the world they make up."""

from dataclasses import dataclass, field
from types import NoneType
from typing import Any

from footfall.model.quantity import ROW, check_quantities, flag, note, quantity
from footfall.world.terrain import Flat, Terrain, WorldError


@dataclass(frozen=True)
class Contact:
    """How feet and ground meet. Friction is Coulomb's: what holds at rest is what drags when sliding."""

    friction: float = quantity("1", "largest tangential force for one of normal force", 0.8, low=0.0, high=100.0)

    def __post_init__(self) -> None:
        check_quantities(self, type(self).__name__, WorldError)


@dataclass(frozen=True)
class Rigid(Contact):
    """Neither gives way: no penetration, and what sticks does not move."""

    restitution: float = quantity("1", "speed after an impact over the speed before", 0.0, low=0.0, high=1.0)


@dataclass(frozen=True)
class Compliant(Contact):
    """A spring and a damper at every point, in the normal and in the tangential direction; it slides where the cone is left."""

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
        check_quantities(self, f"Push on {self.on!r}", WorldError)
        if not self.end > self.start:
            raise WorldError(f"Push on {self.on!r}: it must end after it starts, got {self.start:g} to {self.end:g} s")


@dataclass(frozen=True)
class Load:
    """A point mass put on a link for some time."""

    on: str = note("the link or frame")
    mass: float = quantity("kg", "of the load", low=0.0)
    start: float = quantity("s", "when it is put on", 0.0, low=0.0)
    end: float = quantity("s", "when it is taken off", 1e9, low=0.0)
    at: tuple[float, ...] | None = quantity("m", "point on the link, in its axes", None, shape=ROW)

    def __post_init__(self) -> None:
        check_quantities(self, f"Load on {self.on!r}", WorldError)


@dataclass(frozen=True)
class Change:
    """Another ground from some time on: what is left out stays."""

    at: float = quantity("s", "when", low=0.0)
    terrain: Terrain | None = note("its shape", None)
    contact: Contact | None = note("how it meets the feet", None)

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
    """Ground, contact law, gravity, and what disturbs."""

    terrain: Terrain = field(default_factory=Flat)
    contact: Contact = field(default_factory=Rigid)
    gravity: float | None = quantity("m/s2", "downward; the robot's own if left out", None, low=0.0)
    pushes: tuple[Push, ...] = note("forces", ())
    loads: tuple[Load, ...] = note("masses", ())
    changes: tuple[Change, ...] = note("of the ground", ())
    bonded: tuple[str, ...] = note("feet that are held by the ground", ())
    falls: bool = flag("whether the run ends when something other than a foot touches the ground", True)

    def __post_init__(self) -> None:
        check_quantities(self, "World", WorldError)
        _check_part("World: terrain", self.terrain, (Terrain,))
        _check_part("World: contact", self.contact, (Contact,))
        for name, kind in (("pushes", Push), ("loads", Load), ("changes", Change), ("bonded", str)):
            object.__setattr__(self, name, _row_of(f"World: {name}", getattr(self, name), kind))

    def terrain_at(self, time: float) -> Terrain:
        """The ground at a time."""
        found = [change.terrain for change in self._changed(time) if change.terrain]
        return found[-1] if found else self.terrain

    def contact_at(self, time: float) -> Contact:
        """The contact law at a time."""
        found = [change.contact for change in self._changed(time) if change.contact]
        return found[-1] if found else self.contact

    def _changed(self, time: float) -> list[Change]:
        return sorted((change for change in self.changes if change.at <= time), key=lambda change: change.at)


def _check_part(title: str, value: Any, kinds: tuple[type, ...]) -> None:
    if not isinstance(value, kinds):
        raise WorldError(f"{title} must be a {kinds[0].__name__}, got {value!r:.80}")


def _row_of(title: str, value: Any, kind: type) -> tuple:
    """A row of one kind of thing; a single one is no row, nor is a word a row of letters."""
    what = "names of feet" if kind is str else f"{kind.__name__}es" if kind is Push else f"{kind.__name__}s"
    if not isinstance(value, tuple | list) or not all(isinstance(entry, kind) for entry in value):
        raise WorldError(f"{title} must be a row of {what}, such as (one,), got {value!r:.80}")
    return tuple(value)
