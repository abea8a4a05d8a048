"""The family of errors. A message names the object, the value, and what would be valid."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class FootfallError(Exception):
    """The base of all errors of Footfall."""


class RobotError(FootfallError):
    """An invalid robot: wrong numbers, wrong names, not a tree."""


class StateError(FootfallError):
    """Coordinates, velocities or forces that do not fit the robot."""


class SingularError(FootfallError):
    """A configuration in which the result is not finite or not unique."""


class UnknownNameError(FootfallError):
    """A name that is not known; the message lists those that are."""

    def __init__(self, what: str, name: object, known: Iterable[str]):
        names = sorted(set(known))
        near = get_close_matches(str(name), names, n=1) or _near_in_last_word(str(name), names)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        shown = ", ".join(names[:40]) + (f" and {len(names) - 40} more" if len(names) > 40 else "")
        super().__init__(f"there is no {what} {str(name)[:80]!r}.{hint} Known: {shown or 'none'}.")


class SimulationError(FootfallError):
    """A simulation that cannot be run, or could not go on; `run` holds the simulation until then."""

    run: Any = None


class ParameterError(FootfallError):
    """A parameter with a value that makes no sense."""


def _near_in_last_word(name: str, names: list[str]) -> list[str]:
    """The dotted name (such as 'controller.push') whose last word is nearest."""
    words = {known.rsplit(".", 1)[-1]: known for known in reversed(names)}
    return [words[word] for word in get_close_matches(name.rsplit(".", 1)[-1], words, n=1)]


class WorldError(FootfallError):
    """An invalid world."""


class UnsuitableError(FootfallError):
    """Something that cannot be asked of a study; the message says why."""


class FileError(FootfallError):
    """A file that cannot be read, or has the wrong content."""


class MissingPartError(FootfallError):
    """An optional part that is not installed."""


class ClusterError(FootfallError):
    """A cluster that does not answer, or whose workers cannot be used."""
