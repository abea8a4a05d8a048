"""The motion of a run, row by row: centre of mass, momentum and energy of the robot with the loads that it carries then."""

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from footfall import dynamics
from footfall.model.layout import lift, lower, rotation
from footfall.model.parts import Joint, Link
from footfall.model.robot import Robot
from footfall.sim.run import Run

HARDLY = 0.1  # m: who gets less far goes nowhere in particular


def center_of_mass(run: Run) -> np.ndarray:
    """(rows, 2 or 3) place of the centre of mass."""
    return _rows(run, lambda robot, q, _: dynamics.center_of_mass(robot, q))


def momentum(run: Run) -> np.ndarray:
    """(rows, 3 or 6) linear momentum, then angular momentum about the centre of mass."""
    return _rows(run, dynamics.momentum)


def energies(run: Run) -> np.ndarray:
    """(rows, 2) kinetic energy and energy of weight."""
    gravity = run.study.gravity
    return _rows(run, lambda robot, q, v: np.array(dynamics.energy(robot, q, v, gravity=gravity)))


def mass(run: Run) -> np.ndarray:
    """(rows,) of all that moves, loads included."""
    return _rows(run, lambda robot, *_: np.array([robot.tree.rigid[1:, 0].sum()]))[:, 0]


def feet(run: Run) -> tuple[str, ...]:
    """Names of the feet that can touch the ground."""
    return tuple(dict.fromkeys(name.split("/")[0] for name in run.pads))


def moments(run: Run) -> np.ndarray:
    """(rows,) a time within the step that ends at each row: pushes and loads are there in a row if they are there then."""
    half = 0.5 * run.study.step
    return np.maximum(run.time - half, half)


def heading(run: Run) -> np.ndarray:
    """The level direction of travel, of length 1: from the first place of the centre of mass to the last; x if it is near."""
    way = travel(run)
    far = float(np.linalg.norm(way))
    return way / far if far > HARDLY else np.eye(len(way))[0]


def travel(run: Run, start: float = 0.0) -> np.ndarray:
    """Level way of the centre of mass, from a time on to the last row: (x) in the plane, (x, y) in space."""
    first = min(int(np.searchsorted(run.time, start)), len(run.time) - 1)
    ends = [dynamics.center_of_mass(run.robot, q) for q in (run.q[first], run.q[-1])]
    return (ends[1] - ends[0])[:-1]


def carriers(run: Run) -> list[tuple[slice, Robot]]:
    """Stretches of rows, and the robot with the loads that are on it then."""
    loads, times = run.study.world.loads, moments(run)
    on = np.array([[load.start <= t < load.end for load in loads] for t in times], dtype=bool).reshape(len(times), len(loads))
    cuts = [0, *(np.flatnonzero(np.any(on[1:] != on[:-1], axis=1)) + 1), len(times)]
    return [
        (slice(a, b), _loaded(run.robot, [load for load, there in zip(loads, on[a], strict=True) if there]))
        for a, b in itertools.pairwise(cuts)
    ]


def _rows(run: Run, what: Callable[[Robot, np.ndarray, np.ndarray], np.ndarray]) -> np.ndarray:
    return np.array([what(robot, run.q[i], run.v[i]) for rows, robot in carriers(run) for i in range(rows.start, rows.stop)])


def _loaded(robot: Robot, loads: list[Any]) -> Robot:
    """A load is one more link, fixed where it was put."""
    links, joints = list(robot.links), list(robot.joints)
    for number, load in enumerate(loads):
        link, at = _on_link(robot, load.on, load.at)
        links.append(Link(f"load_{number}_of_world", load.mass))
        joints.append(Joint(f"load_{number}_of_world", "fixed", link, links[-1].name, at=at))
    return replace(robot, links=tuple(links), joints=tuple(joints)) if loads else robot


def _on_link(robot: Robot, name: str, at: Any) -> tuple[str, tuple[float, ...]]:
    """A point on a link or frame as a point on a link."""
    point = np.zeros(3) if at is None else lift(at)
    for frame in robot.frames:
        if frame.name == name:
            name, point = frame.link, lift(frame.at) + rotation(frame.turn) @ point
            break
    return name, tuple(float(x) for x in lower(point, robot.space))
