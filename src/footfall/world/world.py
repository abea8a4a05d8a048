"""Contact laws, disturbances, and the world they make up."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from footfall.model.quantity import check_quantities, note, quantity
from footfall.model.robot import Robot
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


@dataclass(frozen=True)
class Push:
    """A force on a link or frame for some time."""

    on: str = note("the link or frame")
    force: tuple[float, ...] = quantity("N", "in world axes")
    start: float = quantity("s", "when it begins", low=0.0)
    end: float = quantity("s", "when it ends", low=0.0)
    at: tuple[float, ...] | None = quantity("m", "point on the link, in its axes", None)

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
    at: tuple[float, ...] | None = quantity("m", "point on the link, in its axes", None)

    def __post_init__(self) -> None:
        check_quantities(self, f"Load on {self.on!r}", WorldError)


@dataclass(frozen=True)
class World:
    """Ground, contact law, gravity, and what disturbs."""

    terrain: Terrain = field(default_factory=Flat)
    contact: Contact = field(default_factory=Rigid)
    gravity: float | None = quantity("m/s2", "downward; the robot's own if left out", None, low=0.0)
    pushes: tuple[Push, ...] = note("forces", ())
    loads: tuple[Load, ...] = note("masses", ())
    bonded: tuple[str, ...] = note("feet that are held by the ground", ())
    falls: bool = note("whether the run ends when something other than a foot touches the ground", True)

    def __post_init__(self) -> None:
        check_quantities(self, "World", WorldError)
        for name, kind in (("terrain", Terrain), ("contact", Contact)):
            if not isinstance(getattr(self, name), kind):
                raise WorldError(f"World: {name} must be a {kind.__name__}, got {getattr(self, name)!r:.80}")


def random_pushes(
    robot: Robot, on: str, impulse: float, every: float, seconds: float, seed: int, length: float = 0.1
) -> tuple[Push, ...]:
    """Pushes of one impulse (N s) in random directions (along x in the plane, level in space), one in each `every` seconds."""
    rng, pushes = np.random.default_rng(seed), []
    for begin in np.arange(every, seconds, every):
        way: Any = (rng.choice((-1.0, 1.0)), 0.0)
        if robot.space == "spatial":
            angle = rng.uniform(0.0, 2 * np.pi)
            way = (np.cos(angle), np.sin(angle), 0.0)
        start = float(begin + rng.uniform(0.0, max(every - length, 0.0)))
        pushes.append(Push(on, tuple(float(x) * impulse / length for x in way), start, start + length))
    return tuple(pushes)
