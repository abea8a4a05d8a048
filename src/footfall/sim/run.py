"""What came out: time series, contacts, events and the energy ledger, with the question that they answer."""

import csv
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import UnknownNameError
from footfall.sim.study import Study

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

LEDGER = ("motors", "springs and dampers", "stops and dry friction", "ground, normal", "ground, friction", "pushes", "impacts")
EVENTS = ("touch-down", "lift-off", "slip begins", "slip ends", "impact", "stop", "fall")
MODES = ("open", "stick", "slide")


@dataclass(frozen=True)
class Event:
    """Something that happened. `which` is a pad, a joint or a link; the numbers depend on the kind and have their names."""

    time: float
    kind: str
    which: str
    numbers: dict[str, float] = field(default_factory=dict)

    def __str__(self) -> str:
        more = ", ".join(f"{name} {value:.4g}" for name, value in self.numbers.items())
        return f"{self.time:9.4f} s  {self.kind:12} {self.which}" + (f"  ({more})" if more else "")


@dataclass(frozen=True)
class Run:
    """A simulated run. Row i of every array belongs to time[i]."""

    study: Study
    time: np.ndarray
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray  # joint forces of the motors
    pads: tuple[str, ...]  # names of the contacts, `foot/part`
    mode: np.ndarray  # (rows, pads) 0 open, 1 sticks, 2 slides
    force: np.ndarray  # (rows, pads, 2 or 3) of the ground on the robot
    point: np.ndarray  # (rows, pads, 2 or 3) where
    slip: np.ndarray  # (rows, pads) way slid so far
    ledger: np.ndarray  # (rows, 7) work done so far, see LEDGER
    passes: np.ndarray  # most passes of the solver in a step since the row before
    miss: np.ndarray  # largest velocity that contacts missed since the row before
    events: tuple[Event, ...]
    reason: str  # why it ended
    wall: float = 0.0  # seconds it took

    @property
    def robot(self) -> Any:
        return self.study.robot

    @property
    def fell(self) -> bool:
        """Whether it ended in a fall."""
        return any(event.kind == "fall" for event in self.events)

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

    def __eq__(self, other: object) -> bool:
        """Equal bit for bit, time taken aside."""
        if not isinstance(other, Run):
            return NotImplemented
        arrays = ("time", "q", "v", "tau", "mode", "force", "point", "slip", "ledger", "passes", "miss")
        same = all(_bits(getattr(self, name)) == _bits(getattr(other, name)) for name in arrays)
        return same and (self.pads, self.events, self.reason) == (other.pads, other.events, other.reason)

    __hash__ = None  # type: ignore[assignment]

    def columns(self) -> dict[str, np.ndarray]:
        """All series by name, for tables and files."""
        robot, axes = self.robot, "xz" if self.robot.dim == 2 else "xyz"
        table = {"time": self.time}
        table |= {f"q.{name}": self.q[:, i] for i, name in enumerate(robot.coordinates)}
        table |= {f"v.{name}": self.v[:, i] for i, name in enumerate(robot.velocities)}
        table |= {f"tau.{robot.velocities[i]}": self.tau[:, i] for i in robot.actuated}
        for k, pad in enumerate(self.pads):
            table[f"mode.{pad}"] = self.mode[:, k]
            table[f"slip.{pad}"] = self.slip[:, k]
            for i, axis in enumerate(axes):
                table[f"force.{pad}.{axis}"] = self.force[:, k, i]
                table[f"point.{pad}.{axis}"] = self.point[:, k, i]
        table |= {f"work.{name}": self.ledger[:, i] for i, name in enumerate(LEDGER)}
        return table | {"passes": self.passes, "miss": self.miss}

    def to_pandas(self) -> "pandas.DataFrame":
        """All series as a table of pandas."""
        import pandas

        return pandas.DataFrame(self.columns())

    def to_csv(self, path: Any) -> None:
        """All series as text, with all digits."""
        columns = self.columns()
        with open(path, "w", encoding="utf-8", newline="") as file:
            table = csv.writer(file, lineterminator="\n")
            table.writerow(columns)
            table.writerows([repr(x.item()) for x in row] for row in zip(*columns.values(), strict=True))

    def plot(self, what: str = "overview", path: Any = None) -> "Figure":
        """A picture of one aspect of the run: overview, joints, contacts, energy or pressure; written to `path`, if given."""
        from footfall.view import plot  # the one import that goes up: a run offers its pictures, and knows nothing of them

        return plot(self, what, path)

    def save(self, path: Any) -> None:
        """Write the run with its question to a Parquet file."""
        from footfall.sim.run_file import save_run

        save_run(self, path)

    @staticmethod
    def load(path: Any) -> "Run":
        """Read a run from a Parquet file. Nothing in the file is executed."""
        from footfall.sim.run_file import load_run

        return load_run(path)

    def replay(self) -> "Run":
        """The same question asked again: the answer is the same, bit for bit."""
        from footfall.sim.simulate import simulate

        return simulate(self.study)


def _bits(array: np.ndarray) -> tuple:
    return array.shape, array.dtype, array.tobytes()
