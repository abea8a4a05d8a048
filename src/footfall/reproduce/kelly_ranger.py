"""The Cornell Ranger: Kelly's simulator, gaits that roll on their soles, whether they are stable, and what they cost."""

from collections.abc import Iterator
from dataclasses import fields, replace
from functools import partial
from typing import Any

import numpy as np

from footfall import analysis, studies
from footfall.cycles.section import crossings, fit_map
from footfall.errors import FootfallError
from footfall.reproduce import Row, Setting
from footfall.sim.run import Run
from footfall.sim.study import Study
from footfall.sim.whole import whole
from footfall.studies._ranger import ROLLING
from footfall.studies._trouble import PUSH_TIME
from footfall.world import Push

STEP_TIME = 0.66  # s: no step of these gaits takes longer on the mean
FORWARD = 0.1  # m: shorter steps do not count where the ground is rough
MORE = 20  # steps that a run in trouble goes on for
GAITS = {"stable": "kelly", "thrifty": "kelly", "thrifty-bhounsule": "bhounsule"}  # with whose numbers
DISTURBED = 0.5  # N s: of the pushes that runs for the step map begin with
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
    """The report's remedies, push-off and step length that answer the speed: trouble and the step map, with and without them."""
    count, wanted = (8, 40) if setting.quick else (40, 200)
    shares, maps = {}, []
    for off in ((), ("push_gain",), ("length_gain",), ("push_gain", "length_gain")):
        title = f"without {' and '.join(off)}" if off else "with both"
        trouble = setting.each(partial(_in_trouble, wanted, off=off), range(setting.seed, setting.seed + count))
        shares[title] = float(np.mean([made >= wanted for made, _ in trouble]))
        passed = setting.each(partial(_passes_of, off), range(setting.seed, setting.seed + 24))
        sequences = [rows for rows in passed if len(rows) == FADING]
        multiplier = np.abs(fit_map(sequences).multipliers[0])
        fades = ", ".join(f"{x:.2f}" for x in _left(sequences))
        maps.append(f"{title}: {shares[title]:.1%} survive, largest multiplier {multiplier:.2f}, left of a push {fades}")
    gain = shares["with both"] - shares["without push_gain and length_gain"]
    title = f"share of runs that survive {wanted} steps in trouble, with both remedies less that without"
    yield Row(title, "1", 0.1, gain, 0.0, ">=", how="; ".join(maps))


def stability(setting: Setting) -> Iterator[Row]:
    """Runs that were pushed, each on its own: all walk on, and the map from mid-stance to mid-stance shrinks the disturbance."""
    count, wanted = (8, 60) if setting.quick else (100, 2000)
    seeds = range(setting.seed, setting.seed + count)
    walked = setting.finished(partial(_walks_on, wanted), seeds)
    yield Row(f"perturbed starts with {wanted} steps", "1", len(walked), float(sum(walked)), 0.0, ">=")
    sequences = [rows for rows in setting.each(partial(_passes_of, ()), seeds) if len(rows)]
    found = fit_map(sequences)
    how = f"{found.pairs} pairs of (stance rate, swing angle, swing rate) at mid-stance, {found.unexplained:.1%} left unexplained"
    yield Row("largest multiplier of the step map", "1", 0.95, float(np.abs(found.multipliers[0])), 0.0, "<=", how=how)
    off = np.array([rows for rows in sequences if len(rows) == FADING]) - found.fixed
    size = np.sqrt((off**2).mean(axis=0))
    left = float((size[-1] / size[0]).max())
    how = f"root mean square over {len(off)} runs, of the number that fades most slowly; no fit but for where it settles"
    yield Row(f"what is left of a push after {FADING - 1} steps", "1", 0.95 ** (FADING - 1), left, 0.0, "<=", how=how)


def in_trouble(setting: Setting) -> Iterator[Row]:
    """Sharp steps of exactly 1 cm up or down or none, slopes of exactly 1.5 degrees up or down, and a push of 0.5 N s each tenth
    step, all at once; who survives goes on for 20 steps more.
    """
    count, wanted = (8, 40) if setting.quick else (200, 200)
    seeds = range(setting.seed, setting.seed + count)
    found = np.array(setting.finished(partial(_in_trouble, wanted + MORE), seeds))
    made, pushes = found[:, 0], found[:, 1]
    survived, each = made >= wanted + MORE, made.sum() / max(pushes.sum(), 1)
    how = f"{survived.sum()} of {len(found)} runs; {np.sum(made >= wanted)} make {wanted}; a push each {each:.3g} steps"
    yield Row(f"share of runs that survive {wanted} steps and {MORE} more", "1", 0.95, float(survived.mean()), 0.0, ">=", how=how)


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


def _in_trouble(wanted: int, seed: int, off: tuple[str, ...] = ()) -> tuple[int, int]:
    """How many steps forward it makes, up to those wanted, and how often it is pushed on the way; time there is for more."""
    study = studies.load("ranger-trouble", seed=seed, seconds=1.4 * STEP_TIME * wanted)
    run = _tried(_without(replace(study, record_dt=0.05), off))
    if run is None:
        return 0, 0
    times = [step.time for step in analysis.steps(run).rows if step.length > FORWARD][:wanted]
    return len(times), sum(push.end < times[-1] for push in run.study.world.pushes) if times else 0


def _left(sequences: list[np.ndarray]) -> np.ndarray:
    """Root mean square of what is left of the pushes from mid-stance to mid-stance, of the number that fades most slowly."""
    rows = np.array(sequences)
    off = rows - rows[:, -1].mean(axis=0)
    size = np.sqrt((off**2).mean(axis=0))
    return (size / size[0]).max(axis=1)


def _disturbed(seed: int, seconds: float, off: tuple[str, ...] = ()) -> Study:
    """Another split of the feet, and a push of up to 0.5 N s on each leg while it finds its gait; some gains may be off."""
    rng = np.random.default_rng((seed, 2))
    study = studies.load("ranger-walk", split=float(rng.uniform(0.15, 0.25)), seconds=seconds)
    study = _without(study, off)
    pushes = []
    for leg in ("leg_outer", "leg_inner"):
        begin, size = float(rng.uniform(8.0, 9.0)), float(rng.uniform(-DISTURBED, DISTURBED))
        pushes.append(Push(leg, (size / PUSH_TIME, 0.0), begin, begin + PUSH_TIME, at=(0.0, -0.3)))
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
    return len(analysis.steps(run).rows)


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
