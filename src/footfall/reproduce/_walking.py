"""Figures of a walk along footsteps: speed, slip, ZMP, motors, and how many pushes are survived."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from footfall import analysis, kinematics, studies
from footfall.control.controller import Controller
from footfall.control.layered import Layered
from footfall.control.walk import Walk
from footfall.engines import Outcome
from footfall.kinematics.two_legs import sole_of
from footfall.reproduce import Row, Setting
from footfall.sim.run import Run
from footfall.sim.simulate import simulate
from footfall.sim.study import Study
from footfall.world import Push

SPEED = 2.0 / 3.6  # m/s: the paper's 2 km/h
LASTS, WATCHED = 0.1, 10.0  # s: of a push, and after it
FROM = 5.0  # s: the first moment of a push
TRIM = 0.03  # s: left out at both ends of single support
SINGLE = 2  # phase of the law


def walk_of(controller: Controller | None) -> Walk:
    """The walking law among the layers of a controller."""
    layers = controller.layers if isinstance(controller, Layered) else (controller,)
    return next(layer for layer in layers if isinstance(layer, Walk))


def period(study: Study) -> float:
    """Time of a step, s."""
    walk = walk_of(study.controller)
    return walk.single_support + walk.double_support


def speed(run: Run) -> float:
    """Of the pelvis, from the third step on, over whole steps, m/s."""
    walk, step = walk_of(run.study.controller), period(run.study)
    first = walk.begin + 2 * step
    whole = int((run.time[-1] - first) / step) * step
    a, b = np.searchsorted(run.time, [run.time[-1] - whole - 1e-9, run.time[-1] - 1e-9])
    return float(np.linalg.norm(run.q[b, :2] - run.q[a, :2]) / (run.time[b] - run.time[a]))


def slip(run: Run) -> float:
    """The farthest that any contact point slides within the time of a step, in the whole run, m."""
    rows = round(period(run.study) / (run.time[1] - run.time[0]))
    return float((run.slip[rows:] - run.slip[:-rows]).max())


def zmp_margin(run: Run) -> float:
    """The least distance of the ZMP, found from the motion, to the edge of the support, in the whole run, m."""
    track = analysis.zero_moment_point(run)
    return float(analysis.margin(run, track)[track.valid].min())


class Limits(NamedTuple):
    """Largest use of all motors, as a part of their limits."""

    torque: float
    speed: float
    current: float
    voltage: float


def limits(run: Run) -> Limits:
    drives = analysis.actuation(run).drives
    return Limits(*(max(getattr(drive, name).part for drive in drives) for name in Limits._fields))


def walk_rows(run: Run, title: str, seconds: float, wanted: float = SPEED) -> Iterable[Row]:
    """That it walks, how fast, without slip, with the ZMP inside the support, and within the limits of its motors."""
    yield Row(f"{title}: walks without a fall", "s", seconds, float(run.time[-1]), 0.0, ">=")
    yield Row(f"{title}: speed", "m/s", wanted, speed(run), 0.03 * wanted, how="over whole steps, from the third on")
    yield Row(f"{title}: least distance of the ZMP to the edge of the support", "mm", 0.0, 1e3 * zmp_margin(run), 0.0, ">=")
    yield Row(f"{title}: farthest that a contact point slips in the time of a step", "mm", 1.0, 1e3 * slip(run), 0.0, "<=")
    used = limits(run)
    for name in Limits._fields if any(used) else ():
        how = "the motor and the row in which it is largest"
        yield Row(f"{title}: largest {name} of a motor over its limit", "1", 1.0, getattr(used, name), 0.0, "<=", how)


# --- pushes ---------------------------------------------------------------------------------------------------------------


class Pushed(NamedTuple):
    """One run: a study by name with parameters, and a push."""

    name: str
    given: tuple[tuple[str, Any], ...]
    size: float  # N s
    toward: float  # rad
    at: float  # s
    seed: int


def draw(name: str, given: dict[str, Any], runs: int, seed: int, size: float = 6.0) -> list[Pushed]:
    """Pushes in any direction, at any time of a stride."""
    rng, stride = np.random.default_rng(seed), 2.0 * period(studies.load(name, **given))
    found = []
    for i in range(runs):
        toward, at = rng.uniform(-np.pi, np.pi), FROM + stride * rng.uniform()
        found.append(Pushed(name, tuple(given.items()), size, float(toward), round(float(at), 3), seed + i))
    return found


def survives(case: Pushed) -> bool:
    """Whether it has not fallen so long after the push."""
    study, force = studies.load(case.name, **dict(case.given)), case.size / LASTS
    push = Push("torso", (force * np.cos(case.toward), force * np.sin(case.toward), 0.0), case.at, case.at + LASTS)
    seconds = case.at + LASTS + WATCHED
    study = replace(study, world=replace(study.world, pushes=(push,)), seconds=seconds, seed=case.seed)
    return simulate(study).outcome is Outcome.END


def survived(setting: Setting, cases: Sequence[Pushed]) -> float:
    """Percentage of the runs."""
    found = setting.finished(survives, cases)
    return 100.0 * sum(found) / len(found)


# --- planned and measured ZMP -----------------------------------------------------------------------------------------------


def zmp_error(run: Run) -> tuple[float, float]:
    """Largest distance of the planned ZMP of the whole body from the centre of pressure in single support, both seen from the
    standing foot, m: with TRIM left out at both ends, and over the whole phase. The run must record the controller's state.
    """
    walk, cop = walk_of(run.study.controller), analysis.center_of_pressure(run)
    prefix = f"controller.{type(walk).__name__}.state."
    planned = np.column_stack([run.more[f"{prefix}sole_zmp.{k}"] for k in range(2)])
    step, phase = run.more[f"{prefix}step"], run.more[f"{prefix}phase"]
    trimmed = whole = 0.0
    for rows in _phases(phase == SINGLE):
        for i in rows[1:]:
            mean = 0.5 * (planned[i - 1] + planned[i])  # forces are means since the row before
            off = _measured(run, cop.place[i], walk, int(step[i]) % 2, i) - mean
            distance = float(np.hypot(*off))
            whole = max(whole, distance)
            if run.time[rows[0]] + TRIM <= run.time[i] <= run.time[rows[-1]] - TRIM:
                trimmed = max(trimmed, distance)
    return trimmed, whole


def _measured(run: Run, place: np.ndarray, walk: Walk, side: int, row: int) -> np.ndarray:
    """The centre of pressure from where the ZMP of a foot is wanted, in the axes of the foot."""
    foot = run.robot.feet[side]
    bottom = sole_of(run.robot, foot.name)[:, 2].min()
    pose = kinematics.pose(run.robot, run.q[row], foot.pads[0].link, at=(walk.ahead, 0.0, bottom))
    return (pose.rotation.T @ (place - pose.position))[:2]


def _phases(on: np.ndarray) -> list[np.ndarray]:
    """Rows of every unbroken phase that begins and ends within the run."""
    ends = np.flatnonzero(np.diff(on.astype(int))) + 1
    return [rows for rows in np.split(np.arange(len(on)), ends)[1:-1] if on[rows[0]]]
