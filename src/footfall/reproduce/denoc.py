"""Dan, Saha and Rama Krishna: impacts by momenta, DeNOC beside Lagrange's equations, and where digits are lost."""

from collections.abc import Iterator

import numpy as np

from footfall import dynamics, robots, studies
from footfall.cycles import Walk, limit_cycle
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._strikes import Compared, compare
from footfall.reproduce._textbook import Textbook, solved
from footfall.reproduce._three_links import Portrait, Walker
from footfall.studies._legs import Stance, standing

WALKERS = tuple(name for name in robots.names() if robots.load(name).feet)
STRIKES, FEW = 1000, 20
FORMULATIONS = ("recursive", "denoc", "lagrange")
SEEDS = 20  # of velocities and torques
GAIN, STEPS = 5.0, 20
START = Stance(-0.1, 0.2, 0.75, -0.07)  # next to the gait


def impacts(setting: Setting) -> Iterator[Row]:
    """A foot strikes, bouncing or not, while another stays or lifts: momenta beside a dense solve, and the contact solver, as it
    is in a simulation, beside an enumeration of modes. Friction is 0.3, 0.8 or 100. No strike is left out.
    """
    count = FEW if setting.quick else STRIKES
    found = setting.each(_compared, [(name, count, setting.seed) for name in WALKERS])
    for name, (dense, sticking, sliding, met) in zip(WALKERS, found, strict=True):
        how = f"{name}, {count} strikes: {', '.join(f'{many} {what}' for what, many in sorted(met.items()))}"
        yield Row(f"{name}: momenta off the dense solve, {count} strikes", "1", 0.0, dense, 1e-9, how=how)
        for kind, off in (("stick", sticking), ("slide", sliding)):
            title = f"{name}: contact solver off the enumeration, {met.get(kind, 0)} strikes that {kind}"
            yield Row(title, "1", 0.0, off, 1e-6, how=how)


def _compared(item: tuple[str, int, int]) -> Compared:
    return compare(*item)


def portrait(setting: Setting) -> Iterator[Row]:
    """Ono's walker at a gain of 5: DeNOC and momenta beside Lagrange's equations and dense solves, and beside hybrid mode."""
    steps = 3 if setting.quick else STEPS
    found = phase_portraits(steps)
    ours, theirs = found["DeNOC"], found["Lagrange"]
    for name, unit in (("angles", "rad"), ("rates", "rad/s"), ("times", "s")):
        off = float(np.abs(getattr(ours, name) - getattr(theirs, name)).max())
        yield Row(f"{steps} steps from beside the cycle: {name} of DeNOC off Lagrange's", unit, 0.0, off, 1e-8)
    walk = Walk(studies.load("ono-walk", gain=GAIN))
    events = walk.run(steps, *standing(walk.robot, START)).named("strike")
    hybrid = np.array([_pitches(event.q_after, event.v_after) for event in events])
    for name, each in found.items():
        off = float(np.abs(each.starts[1:] - hybrid).max())
        yield Row(f"{steps} steps: states after strikes, {name} off hybrid mode", "rad, rad/s", 0.0, off, 1e-8)
    cycle = limit_cycle(walk)
    begin = _pitches(cycle.q, cycle.v)
    for name in found:
        end = Walker(GAIN, name.lower()).walk(begin[:3], begin[3:], 1).starts[-1]
        yield Row(f"a step of the cycle, {name}: off its beginning", "rad, rad/s", 0.0, float(np.abs(end - begin).max()), 1e-10)


def phase_portraits(steps: int = STEPS) -> dict[str, Portrait]:
    """So many steps of the three links from beside the cycle, by DeNOC and by Lagrange's equations."""
    pitch, hip, rate, hip_rate = START
    angles, rates = np.array((pitch, pitch + hip, pitch + hip)), np.array((rate, rate + hip_rate, rate + hip_rate))
    return {name: Walker(GAIN, name.lower()).walk(angles, rates, steps) for name in ("DeNOC", "Lagrange")}


def _pitches(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Pitches of stance leg, thigh and shank, and their rates, for straight legs of the walker `ono`."""
    return np.array([(row[2], row[2] + row[3], row[2] + row[3]) for row in (q, v)]).ravel()


def gimbal_lock(setting: Setting) -> Iterator[Row]:
    """Hip axes nearly in line: formulations beside a dense solve in extended precision. Rounding may do condition times eps."""
    robot, seeds = robots.load("wendlandt-3d"), range(setting.seed, setting.seed + (3 if setting.quick else SEEDS))
    for off in (1e-2, 1e-3, 1e-4):
        q = robot.configuration(hip_roll_left=np.pi / 2 - off)
        bound = np.linalg.cond(dynamics.mass_matrix(robot, q)) * np.finfo(float).eps
        wrong = np.array([_errors(robot, q, seed) for seed in seeds]).max(axis=0)
        for name, worst in zip(FORMULATIONS, wrong, strict=True):
            how = f"{name}, {off:g} rad: {worst:.1e} of the largest acceleration, worst of {len(seeds)} velocities and torques"
            yield Row(
                f"{name}, {off:g} rad from the lock: error over what rounding may do", "1", 1.0, worst / bound, 0.0, "<=", how
            )


def _errors(robot: Robot, q: np.ndarray, seed: int) -> list[float]:
    """Of each formulation, over the largest acceleration, with velocities and torques at random."""
    v, tau = np.random.default_rng(seed).normal(size=(2, robot.nv))
    M, h = Textbook(robot, q, v).equations(robot.gravity)
    reference = solved(M, tau - h)
    assert reference is not None
    found = (dynamics.forward(robot, q, v, tau, formulation=name) for name in FORMULATIONS)
    return [float(np.abs(a - reference).max() / np.abs(reference).max()) for a in found]


STUDIES = {"impacts": impacts, "portrait": portrait, "gimbal-lock": gimbal_lock}
