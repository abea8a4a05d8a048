"""The result of a simulation: time series, contacts, events and the energy ledger, with the study."""

import csv
from collections.abc import Callable
from dataclasses import dataclass, field
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.engines.events import EVENTS, Event, Outcome
from footfall.engines.series import SERIES, Recorded, columns_of
from footfall.errors import MissingPartError, UnknownNameError
from footfall.files import whole_file
from footfall.shown import Shown
from footfall.sim.study import Study

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class Run(Recorded, Shown):
    """A simulated run: its study, its series, its events and how it ended."""

    study: Study
    pads: tuple[str, ...]  # names of the contacts, `foot/part`
    events: tuple[Event, ...]
    outcome: Outcome
    reason: str  # the same in a sentence
    wall: float = 0.0  # seconds it took
    more: dict[str, np.ndarray] = field(default_factory=dict)  # columns that the study's `record` asked for
    labels: dict[str, tuple[str, ...]] = field(default_factory=dict)  # of such columns: what the values 0, 1, ... are called

    @classmethod
    def with_late_events(cls, named: Callable[[], tuple[Event, ...]], **parts: Any) -> "Run":
        """A run whose events get their names when somebody asks for them."""
        made = cls(events=(), **parts)
        del vars(made)["events"]
        vars(made)["_named"] = named
        return made

    def __getattr__(self, name: str) -> Any:
        if name != "events" or "_named" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        vars(self)["events"] = vars(self).pop("_named")()
        return vars(self)["events"]

    @property
    def robot(self) -> Any:
        return self.study.robot

    @property
    def fell(self) -> bool:
        """Whether it ended in a fall."""
        return self.outcome is Outcome.FELL

    @property
    def series(self) -> dict[str, np.ndarray]:
        """All series by name; `footfall.engines.series` declares their meaning."""
        return {each.name: getattr(self, each.name) for each in SERIES}

    def __getitem__(self, name: str) -> np.ndarray:
        """A column by name: `run["q.hip_left"]`, `run["controller.state.part"]`."""
        known = self.columns()
        if name not in known:
            raise UnknownNameError("column (of this run)", name, known)
        return known[name]

    def of(self, foot: str) -> list[int]:
        """Indices of the pads of a foot."""
        found = [i for i, name in enumerate(self.pads) if name.split("/")[0] == foot]
        if not found:
            raise UnknownNameError("foot (in this run)", foot, {name.split("/")[0] for name in self.pads})
        return found

    def happened(self, kind: str) -> list[Event]:
        """All events of a kind."""
        if kind not in EVENTS:
            raise UnknownNameError("kind of event", kind, EVENTS)
        return [event for event in self.events if event.kind == kind]

    def __repr__(self) -> str:
        study, rows = self.study.name or self.robot.name, len(self.time)
        return f"<Run of {study!r}: {self.reason}, {rows} rows of {self.study.record_dt:g} s, {len(self.events)} events>"

    def __eq__(self, other: object) -> bool:
        """Equal bit for bit, time taken aside."""
        if not isinstance(other, Run):
            return NotImplemented
        ours, theirs = self.series, other.series
        ours, theirs = ours | self.more, theirs | other.more
        same = ours.keys() == theirs.keys() and all(_bits(ours[name]) == _bits(theirs[name]) for name in ours)
        ends = [(run.pads, run.events, run.outcome, run.reason, run.labels) for run in (self, other)]
        return same and ends[0] == ends[1]

    __hash__ = None  # type: ignore[assignment]

    def columns(self) -> dict[str, np.ndarray]:
        """Every number of the run in a column by name, for tables and files."""
        return columns_of(self.series, self.robot, self.pads) | self.more

    def to_pandas(self) -> "pandas.DataFrame":
        """All series as a table of pandas."""
        try:
            import pandas
        except ImportError:
            raise MissingPartError("a table of pandas needs pandas: pip install pandas; to_csv needs nothing") from None

        return pandas.DataFrame(self.columns())

    def to_csv(self, path: Any) -> None:
        """All series as text, with all digits."""
        columns = self.columns()
        with whole_file(path) as file:
            text = TextIOWrapper(file, encoding="utf-8", newline="")
            table = csv.writer(text, lineterminator="\n")
            table.writerow(columns)
            table.writerows([repr(x.item()) for x in row] for row in zip(*columns.values(), strict=True))
            text.detach()  # all is in the file

    def plot(self, what: str = "overview", path: Any = None, *, between: tuple[float, float] | None = None) -> "Figure":
        """A picture of one aspect (`footfall.view.plots_of` lists them), also `between` two times only (s); saved to `path`."""
        from footfall.view import plot  # an import that goes up: a run offers its pictures, and knows nothing of them

        return plot(self, what, path, between=between)

    def save(self, path: Any) -> None:
        """Write the run with its study to a Parquet file."""
        from footfall.sim.run_file import save_run

        save_run(self, path)

    @staticmethod
    def load(path: Any) -> "Run":
        """Read a run from a Parquet file. Nothing in the file is executed."""
        from footfall.sim.run_file import load_run

        return load_run(path)

    def replay(self, controller: Any = None, world: Any = None) -> "Run":
        """Simulate the same study again: the result is the same, bit for bit.

        A file does not keep a controller, or a ground, that is code of your own: give it again.
        """
        from footfall.sim.simulate import simulate

        return simulate(self.study, controller, world)


def _bits(array: np.ndarray) -> tuple:
    return array.shape, array.dtype, array.tobytes()
