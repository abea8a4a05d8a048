"""Dan, Saha and Rama Krishna: impacts by momenta, DeNOC beside Lagrange's equations, and where digits are lost."""

from collections.abc import Iterator

import numpy as np

from footfall import dynamics, kinematics, robots, studies
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
SEEDS = 40  # of postures, velocities and torques
SPREAD = 0.5  # rad: of the other joints
GAIN, STEPS = 5.0, 20
START = Stance(-0.1, 0.2, 0.75, -0.07)  # next to the gait


def impacts(setting: Setting) -> Iterator[Row]:
    """A foot strikes, bouncing or not, while another stays or lifts: momenta beside a dense solve, and the contact solver, as it
    is in a simulation, beside an enumeration of modes. Friction is 0.3, 0.8 or 100. No strike that was drawn is left out.

    Never drawn are: joints with stops or dry friction, which are taken away; pads other than the two, and more than one foot that
    strikes at once; strikes below 0.06 m/s, whose velocities are raised to it; a standing foot that slides already; ground that
    is not level; bounce of the foot that stands. In space, where friction has any direction, the enumeration finds the answers
    near the contact solver's, near the velocities before the strike, and near those of points that stick, and may miss others.
    Where there are several answers, the contact solver's counts as right if it is one of them.
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
    """Hip axes nearly in line: formulations beside a dense solve in extended precision, in random postures.

    What rounding may do: with entries of M, h and tau wrong by d of their size, accelerations a are wrong by
    d |M^-1| (|M| |a| + |h| + |tau|) (Skeel 1979). Entries are sums of as many terms as there are degrees of freedom n, and
    rounding errors that are independent of each other add up to d = sqrt(n) eps / 2 (Higham and Mary 2019).
    """
    robot, seeds = robots.load("wendlandt-3d"), range(setting.seed, setting.seed + (3 if setting.quick else SEEDS))
    for off in (1e-2, 1e-3, 1e-4):
        found = np.array([_errors(robot, off, seed) for seed in seeds])
        shares, errors = (found[:, 1:] / found[:, :1]).max(axis=0), found[:, 1:].max(axis=0)
        for name, share, worst in zip(FORMULATIONS, shares, errors, strict=True):
            how = f"{name}, {off:g} rad: {worst:.1e} of the largest acceleration, worst of {len(seeds)} postures"
            yield Row(f"{name}, {off:g} rad from the lock: error over what rounding may do", "1", 1.0, share, 0.0, "<=", how)


def _errors(robot: Robot, off: float, seed: int) -> list[float]:
    """What rounding may do, and the error of each formulation, over the largest acceleration; the rest of the state is random."""
    rng = np.random.default_rng(seed)
    v, tau = rng.normal(size=(2, robot.nv))
    q = kinematics.random_configuration(robot, rng, SPREAD)
    q[robot.coordinates.index("hip_roll_left")] = np.pi / 2 - off
    M, h = Textbook(robot, q, v).equations(robot.gravity)
    reference = solved(M, tau - h)
    assert reference is not None
    sizes = np.abs(M) @ np.abs(reference) + np.abs(h) + np.abs(tau)
    rounding = np.sqrt(robot.nv) * np.finfo(float).eps / 2 * np.abs(np.linalg.inv(M.astype(float))) @ sizes
    wrong = [np.abs(dynamics.forward(robot, q, v, tau, formulation=name) - reference) for name in FORMULATIONS]
    return [float(each.max() / np.abs(reference).max()) for each in (rounding, *wrong)]


STUDIES = {"impacts": impacts, "portrait": portrait, "gimbal-lock": gimbal_lock}
