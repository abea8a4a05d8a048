"""The Cornell Ranger: Kelly's simulator, gaits that roll on their soles, whether they are stable, and what they cost."""

from collections.abc import Iterator
from dataclasses import fields, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from footfall import analysis, studies
from footfall.cycles.section import FittedMap, crossings, fit_map
from footfall.errors import FootfallError
from footfall.reproduce import Row, Setting
from footfall.sim.run import Run
from footfall.sim.study import Study
from footfall.sim.whole import whole
from footfall.studies._ranger import ROLLING
from footfall.studies._trouble import PUSH_TIME
from footfall.world import Push

STEP_TIME = 0.66  # s: no step of these gaits takes longer on the mean
FORWARD = 0.1  # m: shorter steps do not count
MORE = 20  # steps that a run in trouble goes on for
GAITS = {"stable": "kelly", "thrifty": "kelly", "thrifty-bhounsule": "bhounsule"}  # with whose numbers
DISTURBED = 0.5  # N s: of the pushes after which the step map is fitted, at most
SIZES = (-0.5, -0.35, -0.2, 0.2, 0.35, 0.5)  # N s: of the pushes whose fading is followed; - is backward
LEGS = ("leg_outer", "leg_inner")
BELOW = (0.0, -0.3)  # m: where a leg is pushed, from the hip
STEP_UNITS = {field.name: field.metadata["unit"] for field in fields(analysis.Step) if "unit" in field.metadata}
FADING = 5  # mid-stances after a push that the step map is fitted to; later ones differ by the tick of the controller


def walk(setting: Setting) -> Iterator[Row]:
    """From a standing start on flat ground: 2,000 steps, at the speed and for the cost of the Ranger's marathon."""
    wanted = 100 if setting.quick else 2000
    study = studies.load("ranger-walk", seconds=STEP_TIME * wanted + 5.0)
    run = whole(study)
    yield Row("steps from a standing start", "1", wanted, float(_steps(run)), 0.0, ">=", how=run.reason)
    cost = _cost(replace(study, seconds=30.0 if setting.quick else 120.0))
    yield Row("speed", "m/s", 0.588, cost.speed, 0.03)
    yield Row("total cost of transport", "1", 0.24, cost.total, 0.0, "<=", how=_split(cost))


def rolling(setting: Setting) -> Iterator[Row]:
    """Every step once the walk is even: on the sole, within Kelly's range of the foot, with a push-off in double support."""
    for gait, numbers in GAITS.items():
        study = studies.load("ranger-walk", gait=gait, numbers=numbers, seconds=30.0 if setting.quick else 120.0)
        found = analysis.steps(whole(replace(study, record_dt=study.dt)))
        rows = [step for step in found.rows[:-1] if step.time > 10.0]  # the last stance is cut off by the end
        for name, (low, high) in ROLLING.items():
            values = np.array([getattr(step, name) for step in rows])
            unit = STEP_UNITS[name]
            title, how = f"{name.replace('_', ' ')}, {gait}", f"worst of {len(rows)} steps; mean {values.mean():.4g}"
            if low > -np.inf:
                yield Row(f"{title}, least", unit, low, float(values.min(initial=np.inf)), 0.0, ">=", how=how)
            if high < np.inf:
                yield Row(f"{title}, most", unit, high, float(values.max(initial=-np.inf)), 0.0, "<=", how=how)


def remedies(setting: Setting) -> Iterator[Row]:
    """The report's remedies, push-off and step length that answer the speed: trouble and the step map with both, without each
    and without either.
    """
    count, wanted = (8, 40) if setting.quick else (40, 200)
    shares, lefts, told = {}, [], []
    for off in ((), ("push_gain",), ("length_gain",), ("push_gain", "length_gain")):
        title = f"without {' and '.join(off)}" if off else "with both"
        trouble = setting.each(partial(_in_trouble, wanted, off=off), range(setting.seed, setting.seed + count))
        shares[title] = float(np.mean([each.steps >= wanted for each in trouble]))
        multiplier = np.abs(_map(setting, range(setting.seed, setting.seed + 24), off).multipliers[0])
        lefts.append(float(np.max(list(_left(setting, 1 if setting.quick else 4, off).values()))))
        told.append(f"{title}: {shares[title]:.1%} survive, largest multiplier {multiplier:.2f}, left of a push {lefts[-1]:.2f}")
    both, length, push, neither = shares.values()
    title = f"share of runs that survive {wanted} steps in trouble, with both remedies less that without either"
    alone = f"length_gain alone gains {length - neither:+.3g}, push_gain alone {push - neither:+.3g}"
    how = f"{alone}; {'; '.join(told)}"
    if not setting.quick:  # a few short runs cannot tell
        yield Row(title, "1", 0.1, both - neither, 0.0, ">=", how=how)
    title = f"what is left of a push after {FADING - 1} steps, with both remedies over that without either"
    yield Row(title, "1", 0.5, lefts[0] / lefts[-1], 0.0, "<=", how=how)


def stability(setting: Setting) -> Iterator[Row]:
    """Runs that were pushed, each on its own: all walk on, and the map from mid-stance to mid-stance shrinks the disturbance.

    What is left of a push is measured without a map: one push in a run, forward or backward, on either leg, at any moment of a
    step. How far the run is from the same run without the push is compared at the first mid-stance after the end of the push and
    four later.
    """
    count, wanted = (8, 60) if setting.quick else (100, 2000)
    seeds = range(setting.seed, setting.seed + count)
    walked = setting.finished(partial(_walks_on, wanted), seeds)
    yield Row(f"perturbed starts with {wanted} steps", "1", len(walked), float(sum(walked)), 0.0, ">=")
    found = _map(setting, seeds)
    how = f"{found.pairs} pairs of (stance rate, swing angle, swing rate) at mid-stance, {found.unexplained:.1%} left unexplained"
    yield Row("largest multiplier of the step map", "1", 0.95, float(np.abs(found.multipliers[0])), 0.0, "<=", how=how)
    each = 1 if setting.quick else 12
    left = _left(setting, each)
    listed = ", ".join(f"{size:+g} N s {part:.2f}" for size, part in left.items())
    how = f"root mean square over {len(LEGS) * each} runs of each size, of the number that fades most slowly: {listed}"
    title = f"what is left of a push after {FADING - 1} steps, at the size of push that fades most slowly"
    yield Row(title, "1", 0.95 ** (FADING - 1), float(np.max(list(left.values()))), 0.0, "<=", how=how)


def in_trouble(setting: Setting) -> Iterator[Row]:
    """Sharp steps of exactly 1 cm up or down or none, slopes of exactly 1.5 degrees up or down, and a push of 0.5 N s each tenth
    step, all at once; who survives goes on for 20 steps more. A step counts if it is the other foot's and at least 0.1 m ahead.
    """
    count, wanted = (8, 40) if setting.quick else (200, 200)
    seeds = range(setting.seed, setting.seed + count)
    found = setting.finished(partial(_in_trouble, wanted + MORE), seeds)
    made = np.array([each.steps for each in found])
    survived, each = made >= wanted + MORE, made.sum() / max(sum(each.pushes for each in found), 1)
    how = f"{survived.sum()} of {len(found)} runs; {np.sum(made >= wanted)} make {wanted}; a push each {each:.3g} steps"
    title = f"sharp edges of the ground each metre: share of runs that survive {wanted} steps and {MORE} more"
    yield Row(title, "1", 0.95, float(survived.mean()), 0.0, ">=", how=how)
    if not setting.quick:
        how = "steps of all runs over the pushes until the last of them; the first is after one period"
        yield Row("steps for each push", "1", 10.0, float(each), 0.0, "<=", how=how)


def thrift(setting: Setting) -> Iterator[Row]:
    """Gaits that roll, tuned for cost alone, beside the best that the robot itself did (Bhounsule et al.: 0.19 in all)."""
    seconds = 30.0 if setting.quick else 120.0
    for numbers, gait in (("kelly", "thrifty"), ("bhounsule", "thrifty-bhounsule")):
        cost = _cost(studies.load("ranger-walk", gait=gait, numbers=numbers, seconds=seconds))
        title = f"tuned for cost, {numbers.capitalize()}'s numbers"
        yield Row(f"total cost of transport, {title}", "1", 0.19, cost.total, 0.0, "<=", how=_split(cost))
        yield Row(f"speed, {title}", "m/s", 0.588, cost.speed, 0.03)


def time_step(setting: Setting) -> Iterator[Row]:
    """Feet of 20 g under strong motors at 1 ms, compared with a quarter of that step."""
    seconds = 15.0 if setting.quick else 60.0
    costs = []
    for step in (1e-3, 2.5e-4):
        run = whole(replace(studies.load("ranger-walk", seconds=seconds, dt=step), record_dt=0.001))
        costs.append(analysis.cost_of_transport(run, start=5.0))
    coarse, fine = costs
    yield Row("speed at 1 ms over that at 0.25 ms", "1", 1.0, coarse.speed / fine.speed, 0.02)
    yield Row("total cost at 1 ms over that at 0.25 ms", "1", 1.0, coarse.total / fine.total, 0.05)


def kelly(setting: Setting) -> Iterator[Row]:
    """Kelly's parameters as they were, nothing adjusting itself, from his balanced start."""
    seconds = 20.0 if setting.quick else 120.0
    run = whole(studies.load("ranger-walk-kelly", seconds=seconds))
    cost = analysis.cost_of_transport(run, start=10.0)
    how = f"{_steps(run)} steps, {cost.speed:.3f} m/s, total cost of transport {cost.total:.3f}"
    yield Row("seconds walked with Kelly's parameters", "s", seconds, float(run.time[-1]), 0.0, ">=", how=how)


def _walks_on(wanted: int, seed: int) -> bool:
    """Whether a start that is disturbed leads to so many steps."""
    run = _tried(replace(_disturbed(seed, STEP_TIME * wanted + 5.0), record_dt=0.05))
    return run is not None and not run.fell and _steps(run) >= wanted


class Trouble(NamedTuple):
    """How far a run came."""

    steps: int
    pushes: int  # until the last of these steps


def _in_trouble(wanted: int, seed: int, off: tuple[str, ...] = ()) -> Trouble:
    """How many steps it makes, up to those wanted, and how often it is pushed on the way; time there is for more."""
    study = studies.load("ranger-trouble", seed=seed, seconds=1.4 * STEP_TIME * wanted)
    run = _tried(_without(replace(study, record_dt=0.05), off))
    if run is None:
        return Trouble(0, 0)
    times = [step.time for step in steps_made(run)][:wanted]
    return Trouble(len(times), sum(push.end < times[-1] for push in run.study.world.pushes) if times else 0)


def steps_made(run: Run) -> list[analysis.Step]:
    """Steps that lead on: of the other foot than the one before, put ahead of it, and of where it stood, by FORWARD at least.

    A foot that touches, opens and touches again, at the start too, or goes back, has not made another step.
    """
    made: list[analysis.Step] = []
    for step in analysis.steps(run).rows:
        if min(step.length, step.stride) > FORWARD and (not made or step.foot != made[-1].foot):
            made.append(step)
    return made


def _left(setting: Setting, each: int, off: tuple[str, ...] = ()) -> dict[float, float]:
    """What is left of single pushes, by their size: so many of each on each leg, spread over two steps.

    Root mean square over the runs of how far they are from the same without a push, over the same at the first mid-stance; of the
    number that fades most slowly. A run that falls, or has too few mid-stances, makes it not a number.
    """
    moments = 8.0 + np.arange(each) * 2 * STEP_TIME / each
    cases = [(size, leg, float(begin), off) for size in (0.0, *SIZES) for leg in LEGS for begin in moments]
    found = np.array(list(setting.each(_followed, cases))).reshape(1 + len(SIZES), -1, FADING, 3)
    with np.errstate(invalid="ignore"):
        size = np.sqrt(((found[1:] - found[0]) ** 2).mean(axis=1))
        left = (size[:, -1] / size[:, 0]).max(axis=1)
    return dict(zip(SIZES, left.tolist(), strict=True))


def _followed(case: tuple[float, str, float, tuple[str, ...]]) -> np.ndarray:
    """Mid-stances after one push of a size, on a leg, that begins at a time; infinite if there are too few."""
    size, leg, begin, off = case
    study = _without(studies.load("ranger-walk", seconds=begin + 6.0), off)
    pushes = (Push(leg, (size / PUSH_TIME, 0.0), begin, begin + PUSH_TIME, at=BELOW),) if size else ()
    run = _tried(replace(study, world=replace(study.world, pushes=pushes), record_dt=0.001))
    rows = np.zeros((0, 3)) if run is None or run.fell else passes(run, begin + PUSH_TIME)[:FADING]
    return rows if len(rows) == FADING else np.full((FADING, 3), np.inf)


def _map(setting: Setting, seeds: range, off: tuple[str, ...] = ()) -> FittedMap:
    """The step map after random pushes."""
    return fit_map([rows for rows in setting.each(partial(_passes_of, off), seeds) if len(rows)])


def _disturbed(seed: int, seconds: float, off: tuple[str, ...] = ()) -> Study:
    """Another split of the feet, and a push of up to 0.5 N s on each leg while it finds its gait; some gains may be off."""
    rng = np.random.default_rng((seed, 2))
    study = studies.load("ranger-walk", split=float(rng.uniform(0.15, 0.25)), seconds=seconds)
    study = _without(study, off)
    pushes = []
    for leg in LEGS:
        begin, size = float(rng.uniform(8.0, 9.0)), float(rng.uniform(-DISTURBED, DISTURBED))
        pushes.append(Push(leg, (size / PUSH_TIME, 0.0), begin, begin + PUSH_TIME, at=BELOW))
    return replace(study, world=replace(study.world, pushes=tuple(pushes)))


def _without(study: Study, off: tuple[str, ...]) -> Study:
    """The study with some gains of its controller at zero."""
    gait: Any = study.controller
    return replace(study, controller=replace(gait, **dict.fromkeys(off, 0.0)))


def _tried(study: Study) -> Run | None:
    try:
        return whole(study)
    except FootfallError:
        return None


def _passes_of(off: tuple[str, ...], seed: int) -> np.ndarray:
    """States at mid-stance after the pushes: rate of the stance leg, angle and rate of the swing leg."""
    run = _tried(replace(_disturbed(seed, 13.0, off), record_dt=0.001))
    return np.zeros((0, 3)) if run is None or run.fell else passes(run, 9.1)[:FADING]


def passes(run: Run, start: float) -> np.ndarray:
    """Both legs at mid-stance: the stance leg upright below the hip, the other swinging, whichever it is."""
    names = run.robot.coordinates
    pitch, hip = names.index("base.pitch"), names.index("hip")
    angles = -np.column_stack((run.q[:, pitch], run.q[:, pitch] + run.q[:, hip]))
    rates = -np.column_stack((run.v[:, pitch], run.v[:, pitch] + run.v[:, hip]))
    found: list[tuple[float, np.ndarray]] = []
    for leg in (0, 1):
        alone = (run.mode[:, leg] > 0) & (run.mode[:, 1 - leg] == 0)
        signal = np.where(alone, angles[:, leg], np.nan)
        series = np.column_stack((rates[:, leg], angles[:, 1 - leg], rates[:, 1 - leg]))
        with np.errstate(invalid="ignore"):
            found += list(zip(*crossings(run, signal, series), strict=True))
    return np.array([row for time, row in sorted(found, key=lambda each: each[0]) if time > start]).reshape(-1, 3)


def _cost(study: Study) -> analysis.CostOfTransport:
    """Once it walks evenly, from every step of the simulation."""
    return analysis.cost_of_transport(whole(replace(study, record_dt=study.dt)), start=10.0)


def _steps(run: Run) -> int:
    return len(steps_made(run))


def _split(cost: analysis.CostOfTransport) -> str:
    """Where the power goes."""
    time = cost.distance / cost.speed if cost.speed else np.nan
    shares = {"electronics": cost.overhead, "windings": cost.heat, "brushes": cost.brushes, "friction": cost.friction}
    shares |= {"landing": cost.impacts, "positive work": cost.positive, "negative work": cost.negative}
    return f"motors only {cost.motors:.3f}; W: " + ", ".join(f"{name} {energy / time:.2f}" for name, energy in shares.items())


STUDIES = {
    "walk": walk,
    "rolling": rolling,
    "stability": stability,
    "remedies": remedies,
    "trouble": in_trouble,
    "thrift": thrift,
    "time-step": time_step,
    "kelly": kelly,
}
