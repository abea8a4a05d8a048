"""Loops, held points and rolling soles of a robot as the constraint rows of `core.maximal.loops`."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from footfall.core.maximal.loops import ANGLE, LEVER, Loops, new_loops
from footfall.core.recursion.kinematics import set_places
from footfall.errors import RobotError, StateError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.layout import Target, lift, lower
from footfall.model.parts import Loop
from footfall.model.pins import Pin
from footfall.model.robot import Robot

Y = np.array((0.0, 1.0, 0.0))


class Row(NamedTuple):
    """One constraint between two places; vectors of space, in the axes of the two bodies."""

    kind: int
    first: Target
    second: Target
    t: np.ndarray
    n: np.ndarray
    down: np.ndarray


class Closed(NamedTuple):
    """Constraint rows, and which of them belong to each name."""

    rows: Loops
    named: dict[str, slice]


def refuse_loops(robot: Robot, what: str) -> None:
    """For what knows trees only."""
    if robot.loops:
        names = ", ".join(repr(loop.name) for loop in robot.loops[:5])
        raise RobotError(
            f"{what} is for trees, but {names} of robot {robot.name!r} closes a loop; "
            "use formulation='maximal' or the engine Maximal"
        )


def closures(robot: Robot, pins: Iterable[Pin] = (), q: Any = None) -> Closed:
    """The rows of a robot's loops, then those of points that are held where they are at q. Loops that begin later are off."""
    rows: list[Row] = []
    named: dict[str, slice] = {}
    for loop in robot.loops:
        first, second = robot.target(loop.first), robot.target(loop.second)
        named[loop.name] = slice(len(rows), len(rows) + len(added := _loop_rows(robot, loop, first, second)))
        rows += added
    pins = tuple(pins)
    ev = Evaluation(robot)
    if pins:
        ev.run(set_places, q)
    for pin in pins:
        if str(pin) in named:
            raise StateError(f"{str(pin)!r} is held twice, or has the name of a loop")
        named[str(pin)] = slice(len(rows), len(rows) + len(added := _pin_rows(ev, pin)))
        rows += added
    packed = _packed(robot, rows)
    for loop in robot.loops:
        packed.on[named[loop.name]] = loop.start == 0.0
    return Closed(packed, named)


def _loop_rows(robot: Robot, loop: Loop, first: Target, second: Target) -> list[Row]:
    """Frames are matrices whose columns are their axes in those of the body."""
    a = lift(loop.axis) if loop.axis else Y
    t1, t2 = _across(a, robot.space)
    if robot.space == "planar":
        levers = {"fixed": (t1, t2), "revolute": (t1, t2), "prismatic": (t1,)}[loop.kind]
        angles = {"fixed": ((t1, t2),), "revolute": (), "prismatic": ((t1, a),)}[loop.kind]
    else:
        levers = (t1, t2) if loop.kind == "prismatic" else (a, t1, t2)
        rigid = ((t1, a), (t2, a), (t1, t2))
        across = lift(loop.across) if loop.across else Y
        angles = {"fixed": rigid, "revolute": rigid[:2], "prismatic": rigid, "universal": ((a, across),), "spherical": ()}[
            loop.kind
        ]
    zero = np.zeros(3)
    rows = [Row(LEVER, first, second, first.axes @ t, zero, zero) for t in levers]
    return rows + [Row(ANGLE, first, second, first.axes @ t, second.axes @ n, zero) for t, n in angles]


def _across(a: np.ndarray, space: str) -> tuple[np.ndarray, np.ndarray]:
    """Two directions perpendicular to a and to each other; in the plane, if a lies in it, the first is in the plane, too."""
    if space == "planar" and a[1] == 0.0:
        return np.array((-a[2], 0.0, a[0])), Y
    t1 = np.cross(a, np.eye(3)[int(np.argmin(np.abs(a)))])
    t1 /= np.linalg.norm(t1)
    return t1, np.cross(a, t1)


def _pin_rows(ev: Evaluation, pin: Pin) -> list[Row]:
    """A point of the robot held to the world where it is now; poses are set."""
    robot, zero = ev.robot, np.zeros(3)
    target = robot.target(pin.name)
    at = None if pin.at is None else state.vector(pin.at, robot.dim, "at")
    place = target.place if at is None else target.place + target.axes @ lift(at)
    second = Target(target.body, place, target.axes)
    here = lift(ev.work.p_WB[target.body]) + lift(
        np.array(ev.small("rotate", ev.work.R_WB[target.body], lower(place, robot.space)))
    )
    first = Target(0, here, np.eye(3))
    down = zero if pin.roll is None else -lift(state.vector(pin.roll, robot.dim, "roll"))
    axes = np.eye(3)[[0, 2]] if robot.space == "planar" else np.eye(3)
    rows = [Row(LEVER, first, second, t, zero, down) for t in axes]
    if pin.weld:
        pairs = [(0, 2)] if robot.space == "planar" else [(0, 1), (1, 2), (2, 0)]
        for t, n in pairs:
            back = ev.small("rotate_back", ev.work.R_WB[target.body], lower(np.eye(3)[n], robot.space))
            rows.append(Row(ANGLE, first, second, np.eye(3)[t], lift(np.array(back)), zero))
    return rows


def _packed(robot: Robot, rows: list[Row]) -> Loops:
    loops = new_loops(len(rows), robot.dim)
    for r, row in enumerate(rows):
        loops.kind[r], loops.first[r], loops.second[r] = row.kind, row.first.body, row.second.body
        vectors = {"at_first": row.first.place, "at_second": row.second.place, "t": row.t, "n": row.n, "down": row.down}
        for name, vector in vectors.items():
            getattr(loops, name)[r] = lower(vector, robot.space)
    return loops
