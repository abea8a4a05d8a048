"""Figures of `newton-walk-contact`: the person on real contact, started off balance, pushed, and with a wrong model of itself.

Feet and joints are judged by the rows of the run and by `footfall.kinematics`, not by what the algorithm commands.
"""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from footfall import analysis, kinematics, studies
from footfall.control.newton_walk_contact import AIR, HEEL, SOLE, TOES
from footfall.engines.events import Outcome
from footfall.errors import FootfallError
from footfall.model.mistaken import Mistakes, mistaken
from footfall.reproduce import Row, Setting
from footfall.reproduce._ranges import angles_of, beyond
from footfall.sim.run import Run
from footfall.sim.whole import whole
from footfall.studies.newton_walk import standing
from footfall.world import Push

NAME = "newton-walk-contact"
SIDES = ("left", "right")
FINE = 0.002  # s between rows
LITTLE = 1e-3  # of the weight, added to limits of friction: the least loads count for nothing
SLIGHTLY = (1.0, 0.05)  # degrees of every joint, m/s of the hips: standard deviations
WORSE = ((2.0, 0.1), (3.0, 0.1), (5.0, 0.15))
PUSHES = ((100.0, 0.0, 0.0), (-100.0, 0.0, 0.0), (0.0, 60.0, 0.0), (0.0, -60.0, 0.0))
VARIED: dict[str, dict[str, Any]] = {
    "friction 0.6": {"friction": 0.6},
    "friction 1.0": {"friction": 1.0},
    "steps of 0.5 ms": {"dt": 0.0005},
    "steps of 2 ms": {"dt": 0.002},
    "500 ticks/s": {"controller.rate": 500.0},
    "speed changes within 8 s": {"controller.period": 8.0},
    "speed changes within 40 s": {"controller.period": 40.0},
    "knees bent by 15 degrees at the start": {"knee": 15.0},
    "knees bent by 35 degrees at the start": {"knee": 35.0},
    "ligaments and stops at human ranges": {"limits": True},
}


def walk_rows(setting: Setting) -> Iterator[Row]:
    """The walk of 60 s as it is shipped."""
    seconds = 4.0 if setting.quick else 60.0
    run = whole(studies.load(NAME), seconds=seconds, record_dt=FINE)
    yield Row("time walked without a fall", "s", seconds, run.time[-1] if run.outcome is Outcome.END else 0.0, 1e-9, ">=")
    if not setting.quick:
        speeds = step_speeds(run)[4:]
        yield Row("lowest speed", "m/s", 0.4, speeds.min(), 0.0, "<=", how="hips, over each step, after the first ones")
        yield Row("highest speed", "m/s", 1.0, speeds.max(), 0.0, ">=")
    strikes, toes = strike_pitches(run), take_off_toes(run)
    how = f"foot in the last row before it stands, of {len(strikes)} landings"
    yield Row("heel strike: flattest pitch of a foot that lands", "degree", -5.0, strikes.max(), 0.0, "<=", how=how)
    how = f"toe joint in the row before the swing, of {len(toes)} steps"
    yield Row("toe-off: least bend of a toe", "degree", -10.0, toes.max(), 0.0, "<=", how=how)
    yield Row("largest torque", "N m", 200.0, np.abs(run.tau_peak).max(), 1e-6, "<=", how="a limit of the equations, per axis")
    at = float(np.mean(np.abs(run.tau).max(axis=1) > 199.9))
    yield Row("rows with a motor at this limit", "1", 0.05, at, 0.0, "<=", how="bound is ours")
    yield from friction_rows(run)
    yield Row(
        "slip of a part while the foot stands on it",
        "m",
        0.002,
        slip_of_parts(run),
        0.0,
        "<=",
        how="the worst of all stances; bound is ours",
    )
    yield from range_rows(run)
    lost = -float(run.ledger[-1, -1])
    off = float(np.abs(analysis.ledger(run).residual).max()) / lost
    how = f"largest at any time; impacts took {lost:.3g} J in {run.time[-1]:g} s"
    yield Row("energy that the ledger does not explain, of that lost in impacts", "1", 0.0, off, 0.01, how=how)


def range_rows(run: Run) -> Iterator[Row]:
    """Joints and human ranges, with the ankle of a foot in the air told from that of one that stands."""
    air = np.column_stack([run[f"controller.state.{side}"] == AIR for side in SIDES])
    every = np.ones_like(air)
    for title, name, rows in (
        ("hip", "hip", every),
        ("knee", "knee", every),
        ("toe", "toe", every),
        ("ankle, foot in the air", "ankle", air),
        ("ankle, foot on the ground", "ankle", ~air),
    ):
        off, how = beyond(name, angles_of(run, name)[rows])
        yield Row(f"{title}: beyond the human range, for comparison", "degree", 0.0, max(off, 0.0), 0.0, ">=", how=how)


def friction_rows(run: Run) -> Iterator[Row]:
    """Forces and the friction cone, of feet and of single points: within it to the contact solver's own tolerance."""
    mu, weight = run.study.world.contact.friction, run.robot.mass * run.study.gravity
    feet = np.stack([run.force[:, run.of(f"foot_{side}")].sum(axis=1) for side in SIDES], axis=1)
    for name, force in (("foot", feet), ("single point", run.force)):
        most = mu * force[..., 2]
        beyond = np.hypot(force[..., 0], force[..., 1]) - most
        part = float((beyond / (np.maximum(most, 0.0) + LITTLE * weight)).max())
        worst = 1e3 * max(0.0, float(beyond.max()))
        how = f"{run.time[1] * 1e3:g} ms rows; at most {worst:.3g} mN; the solver's tolerance is 0.2 % and 2e-6 of the weight"
        yield Row(f"force of a {name} beyond the friction cone, of its limit", "1", 0.0, max(0.0, part), 2e-3, how=how)


def model_rows(setting: Setting) -> Iterator[Row]:
    """An algorithm that takes its robot for another one."""
    if setting.quick:
        return
    for k in (0.9, 1.1):
        off = _walked({"mistakes": (Mistakes(masses=k, inertias=k), 0)}, 20.0)
        yield Row(f"masses believed to be {k:g} of the true ones: walks", "s", 20.0, off, 1e-9, ">=")
    times = setting.finished(_walked_with, [({"mistakes": (Mistakes(mass=0.1, inertia=0.1), i)}, 20.0) for i in range(10)])
    how = f"the worst of {len(times)} draws, up to 10 % each; with centres of mass: newton-sensing"
    yield Row("mass and inertia of every link believed wrongly, at random: walks", "s", 20.0, min(times), 1e-9, ">=", how=how)


def varied(setting: Setting) -> Iterator[Row]:
    """`newton-walk-contact` on other ground, with other steps and starts, and at constant speeds."""
    seconds = 4.0 if setting.quick else 20.0
    for (name, _), time in zip(
        VARIED.items(), setting.finished(_walked_with, [(each, seconds) for each in VARIED.values()]), strict=False
    ):
        yield Row(f"{name}: walks", "s", seconds, time, 1e-9, ">=")
    for speed in () if setting.quick else (0.4, 0.7, 1.0):
        study = studies.load(NAME)
        step = study.controller.swing_time + study.controller.double_support  # type: ignore[union-attr]
        run = whole(replace(study, controller=replace(study.controller, stride=speed * step, stride_swing=0.0), seconds=30.0))  # type: ignore[type-var]
        last = step_speeds(run)[-20:].mean() if run.outcome is Outcome.END else 0.0
        yield Row(f"stride for {speed:g} m/s, constant: speed", "m/s", speed, last, 0.05, how="last 20 steps of 30 s")


def _walked_with(given: tuple[dict[str, Any], float]) -> float:
    return _walked(*given)


def _walked(settings: dict[str, Any], seconds: float) -> float:
    """How long it walks with other settings."""
    settings = dict(settings)
    knee, mistakes = settings.pop("knee", None), settings.pop("mistakes", None)
    study = studies.load(NAME, **settings)
    if mistakes is not None:
        study = replace(study, controller=replace(study.controller, believed=mistaken(study.robot, *mistakes)))  # type: ignore[type-var]
    if knee is not None:
        study = replace(study, q=standing(study.robot, math.radians(knee)))
    try:
        run = whole(replace(study, seconds=seconds), lift=True)
    except FootfallError:
        return 0.0
    return float(run.time[-1]) if run.outcome is Outcome.END else 0.0


def started(given: tuple[int, float], push: bool = False, name: str = NAME, off_by: tuple[float, float] = SLIGHTLY) -> bool:
    """Joints off by 1 degree, hips by 5 cm/s (standard deviations). With a push of 0.2 s besides, at the middle of the hips: at
    any time from 5 s on, so in any phase and at any speed, with 10 s to go; fore, aft, left and right in turn."""
    seed, seconds = given
    rng = np.random.default_rng(seed)
    study = studies.load(name, seconds=seconds)
    nv, world = study.robot.nv, study.world
    off = np.concatenate((np.zeros(3), math.radians(off_by[0]) * rng.normal(size=nv - 3)))
    v = np.concatenate((off_by[1] * rng.normal(size=2), np.zeros(nv - 2)))
    if push:
        at = float(rng.uniform(min(5.0, 0.4 * seconds), max(seconds - 10.2, 0.5 * seconds)))
        world = replace(world, pushes=(Push("torso", PUSHES[seed % 4], at, at + 0.2),))
    q = kinematics.integrate(study.robot, np.array(study.q), off)
    try:
        run = whole(replace(study, q=tuple(q.tolist()), v=tuple(v.tolist()), world=world), lift=True)
    except FootfallError:
        return False
    return run.outcome is Outcome.END


def pushed(given: tuple[int, float]) -> bool:
    return started(given, push=True)


def started_worse(given: tuple[int, float, tuple[float, float]]) -> bool:
    return started(given[:2], off_by=given[2])


def campaign_rows(setting: Setting) -> Iterator[Row]:
    """A hundred starts, and a hundred pushes."""
    for title, function, seconds, many in (("perturbed starts", started, 60.0, 0.95), ("pushed", pushed, 35.0, 0.90)):
        seeds = [setting.seed + i for i in range(2 if setting.quick else 100)]
        ended = setting.finished(function, [(seed, 4.0 if setting.quick else seconds) for seed in seeds])
        how = f"of {len(ended)} runs of {4.0 if setting.quick else seconds:g} s"
        yield Row(f"{title}: part that walks through", "1", many, float(np.mean(ended)), 0.0, ">=", how=how)
    for off_by in () if setting.quick else WORSE:
        ended = setting.finished(started_worse, [(setting.seed + i, 10.0, off_by) for i in range(20)])
        title = f"starts off by {off_by[0]:g} degrees and {100.0 * off_by[1]:g} cm/s: part that walks on, for comparison"
        yield Row(title, "1", 0.0, float(np.mean(ended)), 0.0, ">=", how=f"of {len(ended)} runs of 10 s; falls come early")


# --- what the rows of a run say ---------------------------------------------------------------------------------------------


def step_speeds(run: Run) -> np.ndarray:
    """Mean speed of the hips over every whole step but the first."""
    at = np.flatnonzero(np.diff(run["controller.state.steps"]))[1:]
    return np.diff(run["q.base.x"][at]) / np.diff(run.time[at])


def _changes(run: Run, side: str, before: int, after: int) -> np.ndarray:
    """Rows after which a foot stands on something else."""
    part = run[f"controller.state.{side}"]
    return np.flatnonzero((part[:-1] == before) & (part[1:] == after))


def strike_pitches(run: Run) -> np.ndarray:
    """Pitch of each foot that lands, degrees: negative with the toe up."""
    rows = [(side, i) for side in SIDES for i in _changes(run, side, AIR, HEEL)]
    turns = [kinematics.pose(run.robot, run.q[i], f"heel_{side}").rotation for side, i in rows]
    return np.degrees([math.asin(-R[2, 0]) for R in turns])


def take_off_toes(run: Run) -> np.ndarray:
    """Angle of each toe joint when its foot leaves the ground, degrees."""
    return np.degrees(np.concatenate([run[f"q.toe_{side}"][_changes(run, side, TOES, AIR)] for side in SIDES]))


def slip_of_parts(run: Run) -> float:
    """The farthest that a corner of heel and sole, or of the toes, slid while the foot stood on it, m."""
    worst = 0.0
    for side in SIDES:
        part, pads = run[f"controller.state.{side}"], np.array(run.of(f"foot_{side}"))
        sole, toes = np.array_split(pads, 2)
        for kinds, corners in (((HEEL, SOLE), sole), ((TOES,), toes)):
            rows = np.flatnonzero(np.isin(part, kinds))
            for stance in np.split(rows, np.flatnonzero(np.diff(rows) > 1) + 1):
                slid = run.slip[stance[-1], corners] - run.slip[stance[0], corners]
                worst = max(worst, float(slid.max()))
    return worst
