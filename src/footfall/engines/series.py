"""The series of a run, declared once: name, unit, meaning, shape and type. Records, runs, files and tables follow from this.

Row i of every series belongs to the instant time[i]. Besides its rows a series has axes, whose sizes and names depend on the
robot and on its contacts: `force` has one entry for each pad and each axis of space, in columns `force.left/heel.x` and so on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import SimulationError
from footfall.model.robot import Robot

LEDGER = ("motors", "springs and dampers", "stops and dry friction", "ground, normal", "ground, friction", "pushes", "impacts")
LARGEST = 8 * 2**30  # bytes of a record
MODES = ("open", "stick", "slide")


def series(unit: str, help: str, *axes: str, dtype: Any = float, column: str = "") -> Any:
    """Declare a series: axes are `coordinates`, `velocities`, `pads`, `space` or `ledger`; its columns begin with `column`."""
    return field(metadata={"unit": unit, "help": help, "axes": axes, "dtype": dtype, "column": column})


@dataclass(frozen=True, eq=False)
class Recorded:
    """The series that every engine records."""

    time: np.ndarray = series("s", "the instant")
    q: np.ndarray = series("m or rad", "coordinates", "coordinates")
    v: np.ndarray = series("m/s or rad/s", "velocities", "velocities")
    tau: np.ndarray = series("N m or N", "joint forces of the motors", "velocities")
    mode: np.ndarray = series("", f"contact mode: {', '.join(f'{i} {m}' for i, m in enumerate(MODES))}", "pads", dtype=np.uint32)
    force: np.ndarray = series("N", "force of the ground on the robot", "pads", "space")
    point: np.ndarray = series("m", "where that force acts", "pads", "space")
    slip: np.ndarray = series("m", "distance slid so far", "pads")
    ledger: np.ndarray = series("J", "work done so far", "ledger", column="work")
    iterations: np.ndarray = series("", "most iterations of the contact solver in a step since the row before")
    residual: np.ndarray = series("m/s", "largest velocity by which contacts miss their target since the row before")


class Series(NamedTuple):
    """One declared series."""

    name: str
    unit: str
    help: str
    axes: tuple[str, ...]
    dtype: Any
    column: str

    def labels(self, robot: Robot, pads: Sequence[str]) -> list[Sequence[str]]:
        """The names along each axis."""
        known = {
            "coordinates": robot.coordinates,
            "velocities": robot.velocities,
            "pads": pads,
            "space": "xz" if robot.dim == 2 else "xyz",
            "ledger": LEDGER,
        }
        return [known[axis] for axis in self.axes]

    def shape(self, robot: Robot, pads: Sequence[str]) -> tuple[int, ...]:
        """Shape of one row."""
        return tuple(len(names) for names in self.labels(robot, pads))

    def columns(self, robot: Robot, pads: Sequence[str]) -> dict[str, tuple[int, ...]]:
        """The names of its columns, and where in a row each stands."""
        axes = [list(enumerate(names)) for names in self.labels(robot, pads)]
        return {".".join((self.column, *(name for _, name in at))): tuple(i for i, _ in at) for at in product(*axes)}


SERIES = tuple(Series(name=f.name, **{**f.metadata, "column": f.metadata["column"] or f.name}) for f in fields(Recorded))


def blank(robot: Robot, pads: Sequence[str], rows: int) -> dict[str, Any]:
    """All series at zero, by name."""
    return {each.name: np.zeros((rows, *each.shape(robot, pads)), each.dtype) for each in SERIES}


def check_size(robot: Robot, pads: Sequence[str], rows: int, record_dt: float) -> None:
    """Refuse a record that would not fit into memory."""
    size = rows * sum(array.nbytes for array in blank(robot, pads, 1).values())
    if size > LARGEST:
        raise SimulationError(
            f"a record of {rows} rows would take {size / 2**30:.3g} GiB, and {LARGEST / 2**30:g} are the most; "
            f"record less often than every {record_dt:g} s (`record_dt`), or simulate for less time"
        )


def room(rows: int, have: int, size: int) -> int:
    """How many rows of so many bytes a record that must grow gets: a half more than it has, so that it seldom grows."""
    return max(rows, min(have + have // 2, LARGEST // max(size, 1)))


def columns_of(arrays: Mapping[str, Any], robot: Robot, pads: Sequence[str]) -> dict[str, np.ndarray]:
    """Every number of a run as a column, by name."""
    return {
        name: arrays[each.name][(slice(None), *place)] for each in SERIES for name, place in each.columns(robot, pads).items()
    }
