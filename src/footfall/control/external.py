"""Torques from outside: a loop of the user's own decides, step by step, and what it gave is written down for replays."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.control.controller import Controller
from footfall.control.fields import ControlError
from footfall.control.hold import of_hinges
from footfall.core.jit import kernel
from footfall.model.quantity import note, quantity
from footfall.model.robot import Robot


class Rows(NamedTuple):
    """What was given, and to which motors."""

    driven: Any  # (motors,) int: degrees of freedom
    servo: int  # 1 if numbers are targets of the motors' servos
    now: Any  # (motors,) what is given until the first row, and while a run is under way
    since: Any  # (rows,) int
    values: Any  # (rows, motors)


@dataclass(frozen=True, eq=False)
class External(Controller):
    """Torques that come from outside, by `Simulation.step`; in a saved run, those that came.

    There is a number for each driven degree of freedom, in the order of `robot.actuated`: its torque, or, with a stiffness or a
    damping, the angle at which the motor's own servo holds its hinge.
    """

    stiffness: float = quantity("N m/rad", "of the motors' servos", 0.0, low=0.0)
    damping: float = quantity("N m s/rad", "likewise", 0.0, low=0.0)
    since: np.ndarray | None = note("of what was given: the instant, in ticks, from which each row acts", None)
    values: np.ndarray | None = note("the rows", None)

    class State:
        tick: int = 0  # instants so far
        row: int = 0  # rows that have begun

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.since is None) != (self.values is None):
            raise ControlError("External: `since` and `values` belong together; give both, or neither")
        if self.since is None or self.values is None:
            return
        since, values = (_numbers(each, name) for each, name in ((self.since, "since"), (self.values, "values")))
        if since.ndim != 1 or values.ndim != 2 or len(since) != len(values):
            raise ControlError(
                f"External: `since` must have shape (rows,) and `values` (rows, motors), got {since.shape} and {values.shape}"
            )
        if np.any(since != np.rint(since)) or np.any(np.diff(since) <= 0) or np.any(since < 0) or np.any(since > 1e15):
            raise ControlError("External: `since` must be whole numbers from 0 up that ascend")
        object.__setattr__(self, "since", since)
        object.__setattr__(self, "values", values)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, External) and self._bits() == other._bits()

    def __hash__(self) -> int:
        return hash(self._bits())

    def _bits(self) -> tuple:
        rows = [None if each is None else (each.shape, each.tobytes()) for each in (self.since, self.values)]
        return self.rate, self.stiffness, self.damping, *rows

    def __repr__(self) -> str:
        rows = "nothing yet" if self.since is None else f"{len(self.since)} rows"
        return f"External(rate={self.rate:g}, {rows})"

    @property
    def servo(self) -> bool:
        """Whether the numbers given are targets of servos."""
        return self.stiffness > 0.0 or self.damping > 0.0

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Rows:
        driven, hinges = np.asarray(robot.actuated, np.int64), of_hinges(robot)
        if not len(driven):
            raise ControlError(f"External: robot {robot.name!r} has no motors, so nothing can be given to it")
        now = np.zeros(len(driven))
        if self.servo:
            if odd := [robot.velocities[d] for d in driven if not hinges[d]]:
                raise ControlError(f"External: servos act at hinges only, but {odd[0]!r} is not one; give torques")
            place = np.zeros(robot.nv, np.int64)
            for i in range(1, len(robot.tree.parent)):
                place[robot.tree.first_v[i]] = robot.tree.first_q[i]
            now = q[place[driven]]
        since, values = np.zeros(0), np.zeros((0, len(driven)))
        if self.since is not None and self.values is not None:
            since, values = self.since, self.values
        if values.shape[1] != len(driven):
            raise ControlError(f"External: a row must have {len(driven)} numbers ({names(robot)}), got {values.shape[1]}")
        return Rows(driven, int(self.servo), now, since.astype(np.int64), values)

    @kernel
    def law(obs, params, state, goal, command):
        """Give the row that acts at this instant."""
        while state.row < len(params.since) and params.since[state.row] <= state.tick:
            state.row += 1
        for i in range(len(params.driven)):
            d, given = params.driven[i], params.values[state.row - 1, i] if state.row > 0 else params.now[i]
            if params.servo:
                command.stiffness[d], command.target[d], command.damping[d] = params.stiffness, given, params.damping
            else:
                command.tau[d] = given
        state.tick += 1
        return 0


def names(robot: Robot) -> str:
    """The driven degrees of freedom, in words."""
    found = [robot.velocities[d] for d in robot.actuated]
    return ", ".join(found[:20]) + (f", ... {len(found)} in all" if len(found) > 20 else "")


def _numbers(rows: Any, name: str) -> np.ndarray:
    try:
        found = np.array(rows, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ControlError(f"External: {name} must be rows of numbers, got {rows!r:.60}") from None
    if not np.isfinite(found).all():
        raise ControlError(f"External: {name} must be finite numbers")
    found.flags.writeable = False
    return found
