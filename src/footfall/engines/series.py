"""The series of a run, declared once: name, unit, meaning, shape and type. Records, runs, files and tables follow from this.

Row i of every series belongs to the instant time[i]. Series of state (q, v, tau, mode, point) are those of the instant. `force`,
`tau_mean`, `center` and all peaks are those of the time since the row before, so that nothing is missed between rows: recorded
forces times the time between rows are the impulse of the ground, impacts included. Series "so far" (slip, ledger, motor_energy)
are sums from the start; differences of rows are those of the time between.

Besides its rows a series has axes, whose sizes and names depend on the robot and on its contacts: `force` has one entry for each
pad and each axis of space, in columns `force.left/heel.x` and so on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import SimulationError
from footfall.model.parts import Motor
from footfall.model.robot import Robot

LEDGER = ("motors", "springs and dampers", "stops and dry friction", "ground, normal", "ground, friction", "pushes", "impacts")
MOTOR_ENERGY = ("drawn", "heat", "brushes", "positive work", "negative work")
LARGEST = 8 * 2**30  # bytes of a record
MODES = ("open", "stick", "slide")


def series(unit: str, help: str, *axes: str, dtype: Any = float, column: str = "") -> Any:
    """Declare a series: axes are `coordinates`, `velocities`, `pads`, `space` and others; its columns begin with `column`."""
    return field(metadata={"unit": unit, "help": help, "axes": axes, "dtype": dtype, "column": column})


@dataclass(frozen=True, eq=False)
class Recorded:
    """The series that every engine records."""

    time: np.ndarray = series("s", "the instant")
    q: np.ndarray = series("m or rad", "coordinates", "coordinates")
    v: np.ndarray = series("m/s or rad/s", "velocities", "velocities")
    tau: np.ndarray = series("N m or N", "joint forces of the motors, at the instant", "velocities")
    tau_mean: np.ndarray = series("N m or N", "mean joint forces of the motors since the row before", "velocities")
    tau_peak: np.ndarray = series("N m or N", "largest size of a joint force in a step since the row before", "velocities")
    mode: np.ndarray = series("", f"contact mode: {', '.join(f'{i} {m}' for i, m in enumerate(MODES))}", "pads", dtype=np.uint32)
    force: np.ndarray = series("N", "mean force of the ground since the row before, impacts included", "pads", "space")
    force_peak: np.ndarray = series(
        "N", "largest force of the ground on a foot in a step since the row before, impacts aside", "feet", "space"
    )
    impacts: np.ndarray = series("", "number of impacts since the row before", "pads", dtype=np.uint32)
    impulse: np.ndarray = series("N s", "impulse of those impacts", "pads", "space")
    point: np.ndarray = series("m", "where the pad touches, or would touch, at the instant", "pads", "space")
    center: np.ndarray = series("m", "where the mean force acts: mean of the points, weighted by normal force", "pads", "space")
    slip: np.ndarray = series("m", "distance slid so far", "pads")
    ledger: np.ndarray = series("J", "work done so far", "ledger", column="work")
    motor_energy: np.ndarray = series("J", "energy of each motor so far", "motors", "energies")
    power_peak: np.ndarray = series("W", "largest power that a motor drew in a step since the row before", "motors")
    iterations: np.ndarray = series("", "most iterations of the contact solver in a step since the row before")
    residual: np.ndarray = series("m/s", "largest velocity by which contacts miss their target since the row before")


def feet_of(pads: Sequence[str]) -> list[str]:
    """The feet to which pads belong."""
    return list(dict.fromkeys(pad.split("/")[0] for pad in pads))


def motors_of(robot: Robot) -> dict[int, Motor]:
    """Motors by degree of freedom."""
    first = robot.tree.first_v
    return {
        d: joint.motor
        for i, joint in enumerate(robot.layout.joints, start=1)
        if joint.motor
        for d in range(int(first[i]), int(first[i + 1]))
    }


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
            "feet": feet_of(pads),
            "motors": [robot.velocities[d] for d in robot.actuated],
            "energies": MOTOR_ENERGY,
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


def in_order(array: np.ndarray, rows: int, last: int | None = None) -> np.ndarray:
    """A copy of what is recorded after so many rows, or of the `last` ones; where there was no room for all, of those there are.

    A record without room for all rows has row i at i modulo its length.
    """
    first = max(rows - len(array), 0 if last is None else rows - last, 0)
    return array[first:rows].copy() if rows <= len(array) else array[np.arange(first, rows) % len(array)]


def columns_of(arrays: Mapping[str, Any], robot: Robot, pads: Sequence[str]) -> dict[str, np.ndarray]:
    """Every number of a run as a column, by name."""
    return {
        name: arrays[each.name][(slice(None), *place)] for each in SERIES for name, place in each.columns(robot, pads).items()
    }
