"""Figures beside the published ones, closed forms or bounds, with a verdict.

A subject is a file or a folder of this package with a table `STUDIES`: functions by name that take a Setting and yield Rows.
"""

import importlib
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

from footfall.errors import FootfallError, UnknownNameError
from footfall.named import names_in
from footfall.parallel.in_order import each

FAILURES = (FootfallError, ArithmeticError, AttributeError, LookupError, OSError, RuntimeError, TypeError, ValueError)
KEYS = ("study", "quantity", "unit", "paper", "value", "tolerance", "ok")


@dataclass(frozen=True)
class Row:
    """One figure: `paper` is the published value, that of a closed form, or a bound."""

    quantity: str
    unit: str
    paper: float
    value: float
    tolerance: float  # how far the value may be from `paper`
    sense: str = "="  # or "<=", ">=": `paper` is a bound, and only beyond it the tolerance counts
    how: str = ""
    study: str = ""

    def __post_init__(self) -> None:
        """Numbers of NumPy, and flags, become plain numbers, which JSON can write."""
        for name in ("paper", "value", "tolerance"):
            object.__setattr__(self, name, float(getattr(self, name)))

    @property
    def ok(self) -> bool:
        """Whether the value is where it should be; one that is not a number never is."""
        off = self.value - self.paper
        return {"=": abs(off), "<=": off, ">=": -off}[self.sense] <= self.tolerance

    @property
    def demand(self) -> str:
        """The required value, in words."""
        if self.sense == ">=":
            return f"at least {self.paper - self.tolerance:.6g}"
        if self.sense == "<=" or self.paper == 0.0:
            return f"at most {self.paper + self.tolerance:.6g}"
        return f"{self.paper:.6g} ± {self.tolerance:.2g}"

    def public(self) -> dict[str, Any]:
        """The row as JSON has it; a value that is not a number is null."""
        shown = {key: getattr(self, key) for key in KEYS}
        return shown | {"value": self.value if math.isfinite(self.value) else None}


@dataclass(frozen=True)
class Setting:
    """How thoroughly to look."""

    quick: bool = False  # a taste of seconds instead of the whole
    seed: int = 0  # of all that is drawn by chance
    workers: int = 0  # processes; 0 for one on each core
    out: str = ""  # folder for pictures, of subjects that draw some
    progress: Callable[[int, int], None] = lambda _done, _of: None
    stopped: Event = field(default_factory=Event)  # by Ctrl-C, in the midst of many runs

    def each(
        self, function: Callable[[Any], Any], items: Iterable[Any], lost: Callable[[Any], Any] | None = None
    ) -> Iterator[Any]:
        """function(item) for all items, in their order, on all cores; lost(item) where it would never end, if given.

        The function is one of a module's own, so that other processes find it.
        """
        if self.stopped.is_set():
            raise KeyboardInterrupt
        return each(function, list(items), self.workers, self.progress, lost)

    def finished(
        self, function: Callable[[Any], Any], items: Iterable[Any], lost: Callable[[Any], Any] | None = None
    ) -> list[Any]:
        """All that `each` finds. After Ctrl-C that of the items that are done, the first ones; the study judges them and ends."""
        found: list[Any] = []
        try:
            for result in self.each(function, items, lost):
                found.append(result)
        except KeyboardInterrupt:
            if not found:
                raise
            self.stopped.set()
        return found


Find = Callable[[Setting], Iterator[Row]]


def names() -> list[str]:
    """All subjects."""
    return names_in(__path__)


def studies(wanted: Iterable[str] = ()) -> dict[str, Find]:
    """The studies of the subjects named, or single ones named `subject/study`; all of them if none, or `all`, is named."""
    known = {f"{subject}/{name}": find for subject in names() for name, find in _table(subject).items()}
    chosen: dict[str, Find] = {}
    for name in names() if (chosen_names := list(wanted)) in ([], ["all"]) else chosen_names:
        found = {key: find for key, find in known.items() if name in (key, key.split("/")[0])}
        if not found:
            raise UnknownNameError("reproduction", name, [*names(), *known])
        chosen |= found
    return chosen


def rows(study: str, setting: Setting) -> Iterator[Row]:
    """Run one study; rows come as they are found. One that cannot be run is a row that fails and says why.

    Ctrl-C is raised after the rows of the finished part.
    """
    try:
        for row in studies([study])[study](setting):
            yield replace(row, study=study)
    except FAILURES as error:
        how = str(error) if isinstance(error, FootfallError) else f"{type(error).__name__}: {error}"
        yield Row("can be run", "", 1.0, math.nan, 0.0, how=how, study=study)
    if setting.stopped.is_set():
        raise KeyboardInterrupt


def _table(subject: str) -> dict[str, Find]:
    return importlib.import_module(f"{__name__}.{subject.replace('-', '_')}").STUDIES
