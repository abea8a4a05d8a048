"""JOHNNIE walks over uneven ground, slopes and stairs and around curves, with motors, gears and feet as they could be.

The controller has sensors and an estimator alone. Hills, treads and slopes are unknown to it; stairs and curves are planned.
Gaits were chosen on seeds from 1000 on.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import radians
from typing import Any, NamedTuple

import numpy as np

import footfall.studies as ready
from footfall import kinematics
from footfall.engines.events import Outcome
from footfall.kinematics.two_legs import sole_of
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import GRAVITY
from footfall.reproduce._walking import period, walk_of
from footfall.sim.run import Run
from footfall.sim.simulate import simulate
from footfall.sim.study import Study
from footfall.world import Stairs

HOW = "motors with limits and friction, compliant feet, sensors and estimator"
OFF, MOVING = 0.02, 0.05  # rad, rad/s: joints at the start are off and move, in the root mean square
BEND = 0.1  # rad, of a knee
OTHERS: dict[str, dict[str, Any]] = {"rigid feet": {"robot.feet": "rigid"}, "at 2 km/h": {"gait": "brisk"}}
SHOWN = "nothing is demanded"
OWN = "bound stated by us"
AFTER = 2.5  # s: a start that was disturbed is over


class Case(NamedTuple):
    """A run: a study by name with values of its parameters, and the seed of its start; none is undisturbed."""

    study: str
    values: dict[str, Any]
    start: int | None = None


class Found(NamedTuple):
    """How a run went."""

    walked: bool
    way: float  # m, from start to end
    high: float  # m: of the soles at the end, off the height of the last footsteps; nan if it fell or has no footsteps
    stands: float  # m: farthest that a contact of a foot which carries half the weight or more slid within the time of a step
    slides: float  # m: the same of any contact, however light
    bend: float  # rad: of the knees, least
    clear: float  # m: of soles that pass the edge of a stair, above it, least
    home: float  # m: of the middle between the feet at the end from where it shall be at the end of its plan; nan if it fell


def _study(case: Case) -> Study:
    study = ready.load(case.study, **{"sensors": "real"} | case.values)
    if case.start is None:
        return study
    rng, robot = np.random.default_rng((case.start, 14)), study.robot
    q, v = np.array(study.q), np.zeros(robot.nv)
    q[7:] += rng.normal(0.0, OFF, len(q) - 7)
    v[:] = rng.normal(0.0, MOVING, robot.nv)
    return replace(study, q=tuple(q.tolist()), v=tuple(v.tolist()), seed=case.start)


def _ran(case: Case) -> Found:
    study = _study(case)
    run = simulate(study, lift=case.start is not None)
    walk, step = walk_of(study.controller), round(period(study) / study.record_dt)
    ahead = run.q[-1] - run.q[0]
    walked = run.outcome is Outcome.END
    knees = min(float(run[f"q.knee_{side}"].min()) for side in ("left", "right"))
    terrain = study.world.terrain
    clear = _clearance(run, terrain) if isinstance(terrain, Stairs) else np.nan
    home, high = _off(run, np.array(walk.footsteps)) if walked and len(walk.footsteps) else (np.nan, np.nan)
    slides = _slide(run, step, 0.5), _slide(run, step, 0.0)
    return Found(walked, float(np.hypot(*ahead[:2])), high, *slides, knees, clear, home)


def _slide(run: Run, step: int, load: float) -> float:
    """The farthest that a contact slid within so many rows, while its foot carried this part of the weight or more."""
    slid = np.diff(run.slip, axis=0)
    for foot in run.robot.feet:
        pads = run.of(foot.name)
        slid[:, pads] *= (run.force[1:, pads, 2].sum(axis=1) >= load * run.robot.mass * GRAVITY)[:, None]
    way = np.cumsum(slid, axis=0)[run.time[1:] >= AFTER]
    return float((way[step:] - way[:-step]).max()) if len(way) > step else np.nan


def _clearance(run: Run, stairs: Stairs) -> float:
    """The least height above an edge of the stairs at which a corner of a sole passes it."""
    edges = stairs.start + stairs.run * np.arange(stairs.count)
    levels = stairs.rise * (np.arange(stairs.count) + (1 if stairs.rise > 0.0 else 0))  # of the higher tread at each
    least = np.inf
    for pad in range(len(run.pads)):
        x, z = run.point[:, pad, 0], run.point[:, pad, 2]
        for edge, level in zip(edges, levels, strict=True):
            for i in np.flatnonzero((x[:-1] < edge) & (x[1:] >= edge)):
                part = (edge - x[i]) / (x[i + 1] - x[i])
                least = min(least, z[i] + part * (z[i + 1] - z[i]) - level)
    return float(least)


def _off(run: Run, footsteps: np.ndarray) -> tuple[float, float]:
    """How far the middle between the soles is at the end from that of the last two footsteps: level, and in height."""
    soles = [(f"foot_{side}", sole_of(run.robot, f"foot_{side}")[:, 2].min()) for side in ("left", "right")]
    feet = [kinematics.pose(run.robot, run.q[-1], foot, at=(0.0, 0.0, low)).position for foot, low in soles]
    off = np.mean(feet, axis=0) - footsteps[-2:, :3].mean(axis=0)
    return float(np.hypot(*off[:2])), float(abs(off[2]))


def _walked(found: list[Found], what: str, how: str, slide: float, needed: int | None = None) -> Iterator[Row]:
    """How many walked to the end, and what the worst of them did."""
    n, slides = len(found), 1e3 * max(f.slides for f in found)
    yield Row(
        f"{what}: walks to the end, of {n}", "", n if needed is None else needed, sum(f.walked for f in found), 0.0, ">=", how
    )
    more = (
        f"{OWN}; from {AFTER:g} s on, while the foot carries half the weight or more; any contact, however light: {slides:.1f} mm"
    )
    yield Row(f"{what}: farthest slide of a standing foot in a step", "m", slide, max(f.stands for f in found), 0.0, "<=", more)
    yield Row(f"{what}: least bend of a knee", "rad", BEND, min(f.bend for f in found), 0.0, ">=", OWN)


def _least(numbers: list[float]) -> float:
    return float(min(numbers)) if numbers else np.nan


def uneven(setting: Setting) -> Iterator[Row]:
    """Hills of 7 mm rms (0.5 to 1 m long) and sharp treads of +-1 cm (0.27 to 0.53 m deep): 30 s on each of 20 grounds."""
    seeds = range(setting.seed, setting.seed + (1 if setting.quick else 20))
    where = f"seeds {seeds[0]} to {seeds[-1]}"
    for ground, words, share, slide in (("hills", "hills of 7 mm", 1.0, 0.01), ("treads", "treads of 1 cm", 0.9, 0.05)):
        found = setting.finished(_ran, [Case("johnnie-uneven", {"ground": ground, "seed": seed}, seed) for seed in seeds])
        needed = int(share * len(found)) if len(found) >= 10 else len(found)
        yield from _walked(found, words, f"{HOW}; 30 s at 1 km/h, {where}", slide, needed)
        way = _least([f.way for f in found if f.walked])
        yield Row(f"{words}: shortest way of those that walk", "m", 7.0, way, 0.0, ">=", "20 steps of 0.35 m")
        for what, values in {} if setting.quick else OTHERS.items():
            found = setting.finished(
                _ran, [Case("johnnie-uneven", {"ground": ground, "seed": seed} | values, seed) for seed in seeds]
            )
            yield Row(
                f"{words}, {what}: walks to the end, of {len(found)}", "", 0, sum(f.walked for f in found), 0.0, ">=", SHOWN
            )


def slopes(setting: Setting) -> Iterator[Row]:
    """Slopes of 3 degrees up, down, left and right, unknown to the controller: 30 s at 2 km/h, from disturbed starts."""
    starts = range(setting.seed, setting.seed + (1 if setting.quick else 5))
    for words, along, across in (
        ("up", 3.0, 0.0),
        ("down", -3.0, 0.0),
        ("rising to the left", 0.0, 3.0),
        ("to the right", 0.0, -3.0),
    ):
        angles = {"angle": radians(along), "across": radians(across)}
        found = setting.finished(_ran, [Case("johnnie-slope", angles, start) for start in starts])
        yield from _walked(found, f"slope of 3 degrees, {words}", f"{HOW}; 30 s at 2 km/h, {len(found)} starts", 0.002)


def stairs(setting: Setting) -> Iterator[Row]:
    """Eight stairs of 5 cm, up and down, 0.30 to 0.36 m deep, from disturbed starts."""
    starts = range(setting.seed, setting.seed + (1 if setting.quick else 20))
    for words, rise in (("up", 0.05), ("down", -0.05)):
        depth = np.linspace(0.30, 0.36, len(starts)) if len(starts) > 1 else [0.32]
        cases = [
            Case("johnnie-stairs", {"rise": rise, "run": float(run)}, start) for run, start in zip(depth, starts, strict=True)
        ]
        found = setting.finished(_ran, cases)
        yield from _walked(found, f"stairs of 5 cm {words}", f"{HOW}; 8 stairs, {len(found)} starts, one depth each", 0.001)
        clear = min(f.clear for f in found)
        yield Row(f"stairs {words}: least height at which a sole passes an edge", "m", 0.01, clear, 0.0, ">=", OWN)
        high = [f.high for f in found if f.walked]
        yield Row(f"stairs {words}: height of the soles at the end, off plan", "m", 0.0, max(high, default=np.nan), 5e-3, how=OWN)


def curve(setting: Setting) -> Iterator[Row]:
    """Once around a circle of 2 m at 2 km/h, left and right, from disturbed starts."""
    starts = range(setting.seed, setting.seed + (1 if setting.quick else 10))
    for words, radius in (("left", 2.0), ("right", -2.0)):
        found = setting.finished(_ran, [Case("johnnie-curve", {"radius": radius}, start) for start in starts])
        yield from _walked(found, f"circle of 2 m to the {words}", f"{HOW}; once around, {len(found)} starts", 0.002)
        off = [f.home for f in found if f.walked]
        yield Row(f"circle to the {words}: end of the walk from its plan", "m", 0.0, max(off, default=np.nan), 0.05, how=OWN)


STUDIES = {"uneven": uneven, "slopes": slopes, "stairs": stairs, "curve": curve}
