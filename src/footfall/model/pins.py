"""Points and joints of a robot that are held, by name."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from footfall.errors import StateError, UnknownNameError
from footfall.model.robot import Robot


@dataclass(frozen=True)
class Pin:
    """A point that is held: the origin of a link or frame, or `at` on it, in its axes.

    With `roll` the point is the middle of a round sole that rolls. `roll` is the vector from the contact to the middle, radius
    times the ground's normal, in world axes. The contact point is held, a new one at every moment.
    """

    name: str
    at: tuple[float, ...] | None = None
    weld: bool = False  # the link does not turn either
    roll: tuple[float, ...] | None = None

    def __str__(self) -> str:
        return self.name if self.at is None else f"{self.name}{self.at}"


Held = str | Pin | tuple[str, str]  # ("foot_left", "weld") is short for Pin("foot_left", weld=True)


def pin(given: Held) -> Pin:
    """A Pin from its short forms."""
    if isinstance(given, Pin):
        return given
    if isinstance(given, str):
        return Pin(given)
    if isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str):
        if given[1] != "weld":
            raise UnknownNameError(f"way to hold {given[0]!r}", given[1], ("weld",))
        return Pin(given[0], weld=True)
    raise StateError(f'a held point is the name of a link or frame, (name, "weld") or a Pin, got {given!r:.80}')


def pins(given: Any) -> tuple[Pin, ...]:
    """Several of them; one alone needs no brackets."""
    return tuple(pin(each) for each in ((given,) if isinstance(given, (str, Pin)) else given))


def hinges(robot: Robot, names: Iterable[str]) -> tuple[list[int], list[int]]:
    """Where the locked joints are in q and in v."""
    where = {joint.name: i for i, joint in enumerate(robot.layout.joints, start=1)}
    for name in names:
        if name not in where:
            raise UnknownNameError(f"joint (of robot {robot.name!r})", name, where)
        if robot.joint(name).kind not in ("revolute", "prismatic"):
            raise StateError(f"joint {name!r} is {robot.joint(name).kind}; only revolute and prismatic joints can be locked")
    return tuple([int(starts[where[name]]) for name in names] for starts in (robot.tree.first_q, robot.tree.first_v))  # type: ignore[return-value]
