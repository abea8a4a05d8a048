"""The motion of a run, row by row: centre of mass, momentum and energy of the robot with the loads that it carries then."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from footfall import dynamics
from footfall.core.recursion import batch
from footfall.engines.engine import BODY
from footfall.errors import StateError
from footfall.evaluate import Evaluation
from footfall.model.layout import lift, lower, rotation
from footfall.model.parts import Joint, Link
from footfall.model.robot import Robot
from footfall.sim.run import Run
from footfall.sim.settings import gravity_at

HARDLY = 0.1  # m: who gets less far goes nowhere in particular
TURNS = 0.2  # rad: who faces more directions than that, from step to step, walks along a curve


def check_rows(run: Run) -> None:
    """Refuse a run that a controller stopped before its first instant was over."""
    if not len(run.time):
        raise StateError(f"the run has no rows: {run.reason}")


def center_of_mass(run: Run) -> np.ndarray:
    """(rows, 2 or 3) place of the centre of mass."""
    return _rows(run)[0]


def momentum(run: Run) -> np.ndarray:
    """(rows, 3 or 6) linear momentum, then angular momentum about the centre of mass."""
    return _rows(run)[1]


def energies(run: Run) -> np.ndarray:
    """(rows, 2) kinetic energy and energy of weight."""
    return _rows(run)[2]


def mass(run: Run) -> np.ndarray:
    """(rows,) of all that moves, loads included."""
    total = np.zeros(len(run.time))
    for rows, robot in carriers(run):
        total[rows] = robot.tree.rigid[1:, 0].sum()
    return total


def gravity(run: Run) -> np.ndarray:
    """(rows, 2 or 3) acceleration of free fall in the step that ends at each row, m/s2; it may be set during a run."""
    return gravity_at(run.study, run.time)


def weight(run: Run) -> np.ndarray:
    """(rows,) N, of all that moves, loads included."""
    return mass(run) * np.linalg.norm(gravity(run), axis=1)


def feet(run: Run) -> tuple[str, ...]:
    """Names of the feet that can touch the ground; bodies of links are none."""
    owners = dict.fromkeys(name.split("/")[0] for name in run.pads)
    return tuple(owner for owner in owners if not owner.endswith(BODY))


def moments(run: Run) -> np.ndarray:
    """(rows,) a time within the step that ends at each row: pushes and loads are there in a row if they are there then."""
    half = 0.5 * run.study.dt
    return np.maximum(run.time - half, half)


def heading(run: Run) -> np.ndarray:
    """The level direction of travel, of length 1: from the first place of the centre of mass to the last; x if it is near."""
    displacement = travel(run)
    far = float(np.linalg.norm(displacement))
    return displacement / far if far > HARDLY else np.eye(len(displacement))[0]


def headings(run: Run, spans: list[tuple[float, float]]) -> tuple[np.ndarray, float]:
    """(n, 1 or 2) the level direction of travel in each span of time, of length 1, and how far the robot came along it in all.

    Along a curve the direction turns with the floating body: it keeps the mean angle to where that faces. A run is along a curve
    if the body's yaw, as a mean over each span, has a range above `TURNS`; otherwise its one `heading` counts.
    """
    ahead, faced = heading(run), yaw(run)
    mean = np.array([_mean(run.time, faced, *span) for span in spans])
    if not len(mean) or np.ptp(mean) <= TURNS:
        return np.tile(ahead, (len(spans), 1)), float(travel(run) @ ahead)
    way = np.diff(center_of_mass(run)[:, :2], axis=0)
    c, s = np.cos(mid := 0.5 * (faced[1:] + faced[:-1])), np.sin(mid)
    own = np.array((c @ way[:, 0] + s @ way[:, 1], c @ way[:, 1] - s @ way[:, 0]))  # as who walks sees it
    far = float(np.hypot(*own))
    angles = mean + (np.arctan2(own[1], own[0]) if far > HARDLY else 0.0)
    return np.column_stack((np.cos(angles), np.sin(angles))), far if far > HARDLY else float(own[0])


def yaw(run: Run) -> np.ndarray:
    """(rows,) where the floating body of a robot in space faces, without jumps; 0 for other robots."""
    free = [i for i, joint in enumerate(run.robot.layout.joints, start=1) if joint.kind == "free"]
    if not free:
        return np.zeros(len(run.time))
    at = int(run.robot.tree.first_q[free[0]]) + 3
    w, x, y, z = run.q[:, at : at + 4].T
    return np.unwrap(np.arctan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z))


def _mean(time: np.ndarray, values: np.ndarray, begin: float, end: float) -> float:
    """Of the rows from one time to another."""
    first, last = np.minimum(np.searchsorted(time, (begin, end)), len(time) - 1)
    return float(values[first : last + 1].mean())


def travel(run: Run, start: float = 0.0) -> np.ndarray:
    """Horizontal displacement of the centre of mass from a time to the last row: (x) in the plane, (x, y) in space."""
    check_rows(run)
    first = min(int(np.searchsorted(run.time, start)), len(run.time) - 1)
    known = vars(run).setdefault("_travelled", {})  # several figures of a run ask for it
    if first not in known:
        ends = [dynamics.center_of_mass(run.robot, q) for q in (run.q[first], run.q[-1])]
        known[first] = (ends[1] - ends[0])[:-1]
    return known[first].copy()


def carriers(run: Run) -> list[tuple[slice, Robot]]:
    """Stretches of rows with one gravity, and the robot with the loads that are on it then."""
    check_rows(run)
    loads, times = run.study.world.loads, moments(run)
    on = np.array([(load.start <= times) & (times < load.end) for load in loads], dtype=bool).reshape(len(loads), len(times)).T
    changed = np.any(on[1:] != on[:-1], axis=1) | np.any(np.diff(gravity(run), axis=0) != 0.0, axis=1)
    cuts = [0, *(np.flatnonzero(changed) + 1), len(times)]
    return [
        (slice(a, b), _loaded(run.robot, [load for load, there in zip(loads, on[a], strict=True) if there]))
        for a, b in itertools.pairwise(cuts)
    ]


def _rows(run: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places of the centre of mass, momenta and energies."""
    n, dim = len(run.time), run.robot.dim
    places, momenta, energy = np.zeros((n, dim)), np.zeros((n, 3 * (dim - 1))), np.zeros((n, 2))
    pull = gravity(run)
    for rows, robot in carriers(run):
        out = places[rows], momenta[rows], energy[rows]
        Evaluation(robot).run(batch.motion_rows, run.q[rows], run.v[rows], pull[rows.start : rows.start + 1].copy(), out)
    return places, momenta, energy


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
