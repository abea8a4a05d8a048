"""Kelly (2014): the simple biped of sections 3 and 4; and SIMBICON (Yin et al. 2007), which its gaits come from."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import permutations
from typing import Any

import numpy as np

from footfall import robots, studies
from footfall.analysis.steps import Steps, steps
from footfall.control import SimpleBiped
from footfall.engines.events import Outcome
from footfall.errors import SimulationError
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._clock import processor_time
from footfall.sim.run import Run
from footfall.sim.study import Study
from footfall.sim.whole import whole
from footfall.studies.simple_biped_walk import CONTACT, stance
from footfall.world import Flat, Push, Rigid, Terrain, World, random_loads, random_pushes

SPEEDS = tuple(round(0.3 + 0.1 * i, 1) for i in range(8))  # m/s
STRIDE = 0.34, 0.07  # s, m: a step takes no longer than this and this over the speed
GAITS = ("stand", "walk", "jump")
SETTLED = 20.0  # s from standstill
PUSH = 3.0  # N s: as much as changes the speed of the whole robot by 0.375 m/s
RISE = 0.8 / 3  # m: a third of the leg


def flat(setting: Setting) -> Iterator[Row]:
    """From standstill on level ground, and back to its gait after a push."""
    count = 100 if setting.quick else 1000
    run = _run(_walk(0.6, _time_for(count, 0.6)))
    yield Row(f"steps from standstill at 0.6 m/s, of {count} asked for", "1", count, _count(run), 0.0, ">=", run.reason)
    speeds = (0.3, 0.6, 1.0) if setting.quick else SPEEDS
    for speed, off in zip(speeds, setting.each(_speed_error, speeds), strict=True):
        title = f"set {speed:g} m/s: speed from {SETTLED:g} to {3 * SETTLED:g} s after standstill off by, over it"
        yield Row(title, "1", 0.0, off, 0.05)
    for clock, title in ((1.0, "as shipped"), (10.0, "clock of control and simulation ten times as fast")):
        found = setting.each(partial(_after_push, seed=setting.seed, clock=clock), range(3 if setting.quick else 12))
        roots = _roots(list(found))
        listed = ", ".join(f"{abs(root):.3f}" for root in roots)
        how = f"{title}: roots of the recursion of second order that fits the speeds of 12 steps after pushes: {listed}"
        yield Row(f"largest multiplier from step to step, {title}", "1", 0.9, float(max(abs(roots))), 0.0, "<=", how)


def hills(setting: Setting) -> Iterator[Row]:
    """Sums of sines, 12 degrees at their steepest, a third of the leg from lowest to highest; the robot does not know them."""
    profiles, count = (3, 60) if setting.quick else (20, 300)
    seeds = range(setting.seed, setting.seed + profiles)
    found = setting.finished(partial(_on_hills, count=count), seeds)
    bad = [seed for seed, (done, *_) in zip(seeds, found, strict=False) if done < count]
    how = f"seeds that fail {bad}" if bad else ""
    title = f"{len(found)} profiles, {count} steps each at 0.3 to 1.0 m/s"
    yield Row(f"{title}: that end in a fall", "1", 0.0, float(len(bad)), 0.0, how=how)
    yield Row(f"{title}: steepest ground walked on, least of all", "degrees", 12.0, min(row[1] for row in found), 0.05, ">=")
    yield Row(f"{title}: rise walked over, least of all", "m", RISE, min(row[2] for row in found), 1e-3, ">=")


def changes(setting: Setting) -> Iterator[Row]:
    """From each gait to each other one, at random times."""
    count = 5 if setting.quick else 50
    for before, after in permutations(GAITS, 2):
        seeds = range(setting.seed, setting.seed + count)
        found = setting.finished(partial(_changes, before=before, after=after), seeds)
        bad = [seed for seed, ok in zip(seeds, found, strict=False) if not ok]
        title = f"{before} to {after}, {len(found)} times: falls, or does not do it within 6 s"
        yield Row(title, "1", 0.0, float(len(bad)), 0.0, how=f"seeds {bad[:9]}" if bad else "")


def robust(setting: Setting) -> Iterator[Row]:
    """Walking with pushes, other starts, other masses than the controller knows of, another friction."""
    count = 6 if setting.quick else 50
    cases = {
        f"a push of {PUSH:g} N s every 3 s for 30 s": _pushed,
        "other starts: feet 0.15 to 0.4 m apart, hip 5 cm before or behind, moving": _started,
        "other robots: masses within 20 and 30 %, friction 0.6 to 1": _built,
        "loads of up to 2 kg at the hip that the controller does not know of": _loaded,
    }
    for title, function in cases.items():
        seeds = range(setting.seed, setting.seed + count)
        found = setting.finished(function, seeds)
        bad = [seed for seed, ok in zip(seeds, found, strict=False) if not ok]
        how = f"seeds {bad[:9]}" if bad else ""
        yield Row(
            f"{title}, {len(found)} times: falls, or is slower than 0.7 of its speed", "1", 0.0, float(len(bad)), 0.0, how=how
        )


def simbicon(setting: Setting) -> Iterator[Row]:
    """SIMBICON with its published states and gains on rigid ground, and on ground of the published springs with friction."""
    count = 60 if setting.quick else 500
    cases: tuple[tuple[str, dict[str, Any]], ...] = (("walk", {}), ("run", {}), ("run", {"fast": True}), ("crouch", {}))
    for ground in ("rigid",) if setting.quick else ("rigid", "soft"):
        for name, more in cases:
            run = _run(studies.load(f"simbicon-{name}", ground=ground, seconds=0.4 * count, **more))
            found = steps(run)
            title = f"{'fast ' if more else ''}{name}, {ground} ground: steps, of {count} asked for"
            how = f"{run.reason}, {found.speed:.2f} m/s, {found.flight:.0%} of the time in flight"
            yield Row(title, "1", count, float(len(found.rows)), 0.0, ">=", how)
    for ground in ("rigid", "soft"):
        for push, direction in ((60.0, "forward"), (-60.0, "backward")):
            run = _run(studies.load("simbicon-walk", ground=ground, push=push))
            title = f"walk, {ground} ground, 60 N for 0.2 s {direction}: seconds that it walks, of 20"
            yield Row(title, "s", 20.0, float(run.time[-1]), 1e-9, ">=", run.reason)


def speed(_: Setting) -> Iterator[Row]:
    """Simulated time over processor time, controller and preparation included: of this kind of machine, but not of its load."""
    for name in ("simple-biped-walk", "simple-biped-hills"):
        study = studies.load(name, seconds=30.0)
        whole(study)  # compiles the kernels, if need be
        taken = processor_time(partial(whole, study), 5)
        yield Row(f"{name}: simulated time over processor time", "1", 300.0, study.seconds / taken, 0.0, ">=")


# --- single runs ----------------------------------------------------------------------------------------------------------


def _walk(speed: float, seconds: float, terrain: Terrain | None = None) -> Study:
    study = studies.load("simple-biped-walk", speed=speed, seconds=seconds)
    ground = terrain or Flat()
    return replace(study, world=World(ground, CONTACT), q=stance(study.robot, ground), record_dt=0.05)


def _run(study: Study) -> Run:
    """The run, also of a simulation that broke down."""
    try:
        return whole(study)
    except SimulationError as error:
        if error.run is None:
            raise
        return error.run


def _time_for(count: int, speed: float) -> float:
    return count * (STRIDE[0] + STRIDE[1] / speed) + 10.0


def _count(run: Run) -> float:
    """Steps that lead forward."""
    found: Steps = steps(run)
    return float(sum(step.length > 0.0 for step in found.rows))


def _speed_error(speed: float) -> float:
    run = _run(_walk(speed, 3 * SETTLED))
    late = run.time >= SETTLED
    return abs(float(np.polyfit(run.time[late], run.q[late, 0], 1)[0]) / speed - 1.0) if run.outcome is Outcome.END else np.nan


def _after_push(number: int, seed: int, clock: float) -> list[float]:
    """Speeds of the steps after a push, less those without it; control and simulation `clock` times as often as usual."""
    rng = np.random.default_rng((seed, number))
    start, force = SETTLED + rng.uniform(0.0, 1.0), rng.choice((-1.0, 1.0)) * rng.uniform(5.0, 10.0)
    study = replace(_walk(0.6, SETTLED + 8.0), record_dt=1e-2)
    controller = replace(study.controller, rate=clock * study.controller.rate)  # type: ignore[type-var, union-attr]
    study = replace(study, dt=study.dt / clock, controller=controller)
    pushed = replace(study.world, pushes=(Push("hip", (float(force), 0.0), start, start + 0.1),))
    run = whole(replace(study, world=pushed))
    found = [step.speed for step in steps(run).rows if step.time > start + 0.1]
    return [float(x) for x in np.array(found[1:13]) - np.mean(found[-4:])]


def _roots(found: list[list[float]]) -> np.ndarray:
    """Roots of z^2 = a z + b, where e[k+2] = a e[k+1] + b e[k] fits best."""
    rows = np.array([(e[k + 1], e[k], e[k + 2]) for e in found for k in range(len(e) - 2)])
    a, b = np.linalg.lstsq(rows[:, :2], rows[:, 2], rcond=None)[0]
    return np.roots((1.0, -a, -b))


def _on_hills(seed: int, count: int) -> tuple[float, float, float]:
    """Steps done, and how steep and how high the ground was that was walked on."""
    speed = SPEEDS[seed % len(SPEEDS)]
    study = studies.load("simple-biped-hills", seed=seed, rise=RISE, speed=speed, seconds=_time_for(count, speed))
    run = _run(replace(study, record_dt=0.05))
    x = np.linspace(0.0, run.q[-1, 0], 4000)
    z = np.array([study.world.terrain.height(place) for place in x])
    return _count(run), float(np.degrees(np.arctan(np.abs(np.gradient(z, x)).max()))), float(np.ptp(z))


def _changes(seed: int, before: str, after: str) -> bool:
    """Whether it follows a change of gait at a random time."""
    rng = np.random.default_rng((seed, GAITS.index(before), GAITS.index(after)))
    time, speed = float(rng.uniform(2.0, 6.0)), float(rng.uniform(0.3, 1.0))
    controller = SimpleBiped(gaits=(before, after), times=(time,), speed=speed)
    run = _run(replace(_walk(speed, time + 6.0), controller=controller, record_dt=0.01))
    late = run.time > time + 3.0
    if run.outcome is not Outcome.END:
        return False
    flies = bool((run.mode[late] == 0).all(axis=1).any())
    distance = float(run.q[late, 0][-1] - run.q[late, 0][0])
    return {
        "stand": not flies and abs(distance) < 0.02,
        "walk": not flies and distance > 2.0 * speed,
        "jump": flies and abs(distance) < 0.3,
    }[after]


@dataclass(frozen=True)
class _Draw:
    """Random numbers of a seed."""

    rng: np.random.Generator
    speed: float

    @staticmethod
    def of(seed: int) -> "_Draw":
        rng = np.random.default_rng(seed)
        return _Draw(rng, float(rng.uniform(0.4, 0.9)))

    def near(self, value: float, share: float) -> float:
        return value * float(self.rng.uniform(1.0 - share, 1.0 + share))


def _arrives(study: Study, speed: float) -> bool:
    run = _run(study)
    return run.outcome is Outcome.END and float(run.q[-1, 0]) > 0.7 * speed * study.seconds


def _pushed(seed: int) -> bool:
    draw = _Draw.of(seed)
    study = _walk(draw.speed, 30.0)
    pushes = random_pushes(study.robot, "hip", PUSH, 3.0, 30.0, seed)
    return _arrives(replace(study, world=replace(study.world, pushes=pushes)), draw.speed)


def _started(seed: int) -> bool:
    draw = _Draw.of(seed)
    study, rng = _walk(draw.speed, 30.0), draw.rng
    q = stance(study.robot, Flat(), float(rng.uniform(0.15, 0.4)), float(rng.uniform(0.74, 0.8)), float(rng.uniform(-0.05, 0.05)))
    v = (float(rng.uniform(-0.1, 0.3)), 0.0, 0.0, 0.0, 0.0, 0.0)
    return _arrives(replace(study, q=q, v=v), draw.speed)


@dataclass(frozen=True)
class _Mistaken(SimpleBiped):
    """Takes any robot for the usual one."""

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Any:  # noqa: ARG002
        return super().prepare(robots.load("simple-biped"), q, gravity)


def _built(seed: int) -> bool:
    draw = _Draw.of(seed)
    study = _walk(draw.speed, 30.0)
    other = robots.load("simple-biped", hip_mass=draw.near(6.8, 0.2), foot_mass=draw.near(0.6, 0.3))
    world = World(contact=Rigid(float(draw.rng.uniform(0.6, 1.0))))
    return _arrives(replace(study, robot=other, world=world, controller=_Mistaken(speed=draw.speed)), draw.speed)


def _loaded(seed: int) -> bool:
    draw = _Draw.of(seed)
    study = _walk(draw.speed, 30.0)
    return _arrives(replace(study, world=replace(study.world, loads=random_loads("hip", 2.0, 3.0, 30.0, seed))), draw.speed)


STUDIES = {
    "flat": flat,
    "hills": hills,
    "changes": changes,
    "robust": robust,
    "simbicon": simbicon,
    "speed": speed,
}
