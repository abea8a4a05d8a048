"""Limit cycles of the walkers of the literature: Garcia, Goswami, McGeer, Bhounsule, Hsu Chen, Ono."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import cos, pi, radians, sin, sqrt
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from footfall import dynamics, kinematics, robots, studies
from footfall.cycles import LimitCycle, continuation, limit_cycle
from footfall.cycles.step_map import StepMap
from footfall.dynamics import constrained
from footfall.engines.hybrid.modes import Impact, Relabel
from footfall.engines.hybrid.motion import HybridResult
from footfall.engines.hybrid.walk import Walk
from footfall.model.pins import Pin
from footfall.reproduce import Row, Setting
from footfall.reproduce._clock import processor_time
from footfall.studies._legs import Stance, standing

# theta, its rate, period, multipliers: computed for massless feet, apart from this library; below, as Garcia printed them
GARCIA: dict[str, tuple[tuple[float, float], float, tuple[complex, complex]]] = {
    "long": ((0.2003109005442, -0.1998324730049), 3.882463752851, (-0.190099841 + 0.557598777j, -0.190099841 - 0.557598777j)),
    "short": ((0.1939373698102, -0.2038669274420), 3.096105868, (4.003864359, 0.459589590)),
}
PRINTED: dict[str, tuple[tuple[float, float], tuple[complex, complex]]] = {
    "long": (
        (0.20031090049483, -0.19983247291764),
        (-0.19120868949940 + 0.55633363687106j, -0.19120868949940 - 0.55633363687106j),
    ),
    "short": ((0.19393736960624, -0.20386692731962), (4.0, 0.459)),
}
NUDGE, DIGITS = 1e-5, {"long": 1e-6, "short": 5e-4}  # of differences that give what he printed; how many digits that is good for
GOSWAMI = (
    0.21866880,
    -0.32338856,
    -1.09182668,
    -0.37718156,
)  # stance, swing, rates at 9.8 m/s2, computed apart from this library
GOSWAMI_PRINTED = (0.2187, -0.3234, -1.0918, -0.3772)  # by recollection
GOSWAMI_MULTIPLIERS = (-0.19972613 + 0.54447606j, -0.19972613 - 0.54447606j, 0.13157262)
HSU_CHEN = (0.187700106, -0.288437140, -1.101439041, -0.039885256)
BHOUNSULE_PRINTED = (0.189472782205104, -0.239124222551699, 0.378945564410209, -0.053691703909393)  # q1, u1, q2, u2
BHOUNSULE = (0.1894382832527016, -0.2390109878129431, 0.3788765665054034, -0.0513970063447882)  # from his equations, put right
BHOUNSULE_MULTIPLIERS = (0.43344487, 0.37046538 + 0.18370392j, 0.37046538 - 0.18370392j)  # the same, by differences
ONO = (0.087573, -0.087573, -0.689116, -0.613792)  # computed apart from this library, for sizes from memory
DOUBLINGS = {"simplest-walker": -0.015088437673, "compass": -0.076635631575, "ono-walk": 5.73353113}  # tests/gait_equations.py
STEPS = 12  # of a disturbed run


def simplest_walker(_: Setting) -> Iterator[Row]:
    """Slope 0.009, the long and the short step. Garcia's multipliers are by forward differences, and off as far as those are."""
    for gait, (point, period, multipliers) in GARCIA.items():
        cycle, (printed_point, printed) = limit_cycle(studies.load("simplest-walker", gait=gait)), PRINTED[gait]
        found = np.array((0.009 - cycle.q[2], -cycle.v[2]))
        yield _off(f"{gait} step: fixed point off the computed one", found, point, 1e-10)
        yield _off(f"{gait} step: fixed point off Garcia's", found, printed_point, 3e-10)
        yield Row(f"{gait} step: period", "sqrt(l/g)", period, cycle.period, 1e-9)
        exact = _matched(cycle, multipliers)
        yield _off(f"{gait} step: multipliers off the computed ones", exact, multipliers, 1e-6)
        differences = _next_to(forward_differences(cycle.walk, found), printed)
        title = f"{gait} step: multipliers by forward differences of {NUDGE:g} off Garcia's"
        yield _off(title, differences, printed, DIGITS[gait])
        title = f"{gait} step: Garcia's multipliers off the exact ones; forward differences are off by as much"
        wrong, printed_wrong = (float(np.abs(np.array(each) - exact).max()) for each in (differences, printed))
        yield Row(title, "1", wrong, printed_wrong, DIGITS[gait], how=_three(gait, exact, differences, printed))


def _three(gait: str, exact: np.ndarray, differences: np.ndarray, printed: tuple[complex, ...]) -> str:
    rows = {"exact": exact, "by forward differences": differences, "printed": np.array(printed)}
    listed = (f"{name} {' and '.join(f'{np.real_if_close(each):.6g}' for each in row)}" for name, row in rows.items())
    return f"{gait} step, multipliers: {'; '.join(listed)}"


def forward_differences(walk: Walk, point: np.ndarray) -> np.ndarray:
    """Multipliers of Garcia's map of theta and its rate, by forward differences: so his were made, and are off by about 1e-3."""

    def step(theta: float, rate: float) -> np.ndarray:
        stance = Stance(0.009 - theta, 2 * theta, -rate, (1 - cos(2 * theta)) * rate)
        last = walk.run(1, *standing(walk.robot, stance)).events[-1]
        return np.array((0.009 - last.q_after[2], -last.v_after[2]))

    columns = [(step(*(point + nudge)) - step(*point)) / NUDGE for nudge in NUDGE * np.eye(2)]
    return np.linalg.eigvals(np.column_stack(columns))


def compass(_: Setting) -> Iterator[Row]:
    """Goswami's walker on 3 degrees."""
    cycle = limit_cycle(studies.load("compass"))
    yield _off("fixed point off the computed one", _legs(cycle), GOSWAMI, 1e-8)
    yield _off("fixed point off the four published digits", _legs(cycle), GOSWAMI_PRINTED, 5e-5)
    yield Row("period", "s", 0.73472096, cycle.period, 1e-8)
    yield Row("step length", "m", 0.53544542, cycle.step_length, 1e-8)
    yield _off("multipliers off the computed ones", _matched(cycle, GOSWAMI_MULTIPLIERS), GOSWAMI_MULTIPLIERS, 1e-8)


def rimless_wheel(_: Setting) -> Iterator[Row]:
    """The closed form, with inertia at the hub."""
    for spokes, slope, J in ((8, 0.08, 1e-6), (8, 0.2, 0.2), (12, 0.1, 0.2)):
        cycle = limit_cycle(studies.load("rimless-wheel", spokes=spokes, slope=-slope, inertia=J))
        a, e = pi / spokes, (J + cos(2 * pi / spokes)) / (J + 1)
        rate = sqrt(4 * 9.81 / (1 + J) * sin(a) * sin(slope) * e**2 / (1 - e**2))
        title = f"{spokes} spokes, slope {slope:g}, inertia {J:g}"
        yield Row(f"{title}: rate after a strike", "rad/s", rate, float(cycle.v[2]), 1e-12)
        yield Row(f"{title}: multiplier", "1", e**2, float(cycle.multipliers[0].real), 1e-10)


def round_feet(_: Setting) -> Iterator[Row]:
    """Feet that roll. Bhounsule's printed gait needs his strike, which gives the trailing leg an impulse that nothing exerts."""
    walk = Walk(studies.load("round-feet"))
    cycle = limit_cycle(walk)
    q1, u1, q2, u2 = BHOUNSULE_PRINTED
    start = standing(walk.robot, Stance(0.01 - q1, q2, -u1, u2), walk.modes[0].pinned[0])
    after = as_printed(walk).run(1, *start).events[-1]
    printed = _round_state(after.q_after, after.v_after)
    yield _off("a step with the printed strike off the printed fixed point", printed, BHOUNSULE_PRINTED, 1e-11)
    yield _off("fixed point off the computed one", _round_state(cycle.q, cycle.v), BHOUNSULE, 1e-11)
    yield Row("period", "sqrt(l/g)", 2.427955842629345, cycle.period, 1e-11)
    yield _off("multipliers off the computed ones", _matched(cycle, BHOUNSULE_MULTIPLIERS), BHOUNSULE_MULTIPLIERS, 1e-7)
    yield from _rolling(walk.run(20, cycle.q, 1.01 * cycle.v))
    pointed = limit_cycle(studies.load("round-feet", slope=-radians(3), hip_mass=10.0, leg_mass=5.0, inertia=0.0, radius=0.0))
    yield _off("radius 0: angles off those of the compass", _legs(pointed)[:2], GOSWAMI[:2], 1e-8)
    yield _off(
        "radius 0: multipliers off those of the compass", _matched(pointed, GOSWAMI_MULTIPLIERS), GOSWAMI_MULTIPLIERS, 1e-8
    )
    for radius in (0.0, 0.2, 0.5, 0.9, 1.0 - 1e-6):
        kept, expected = speed_kept(radius)
        title = f"light legs, radius {radius:g} of the leg: part of the speed that a strike leaves"
        yield Row(title, "1", expected, kept, 1e-9)


def as_printed(walk: Walk) -> Walk:
    """A strike in which the trailing leg loses its inertia times the rate of the hip: a blow by the hip, and nothing else."""

    def blow(_t: Any, q: Any, v: Any) -> tuple[Any, Any]:
        impulse = -0.02 * v[3]  # the leg's inertia; left and right have changed names, and the rate its sign
        return q, v + np.linalg.solve(dynamics.mass_matrix(walk.robot, q), np.array((0.0, 0.0, 0.0, impulse)))

    step, fallen = walk.modes
    guards = tuple(
        replace(guard, reset=(Relabel(), blow, Impact())) if guard.name == walk.step else guard for guard in step.guards
    )
    engine = replace(walk.study.engine, modes=(replace(step, guards=guards), fallen))
    return Walk(replace(walk.study, engine=engine))


def speed_kept(radius: float, angle: float = 0.3) -> tuple[float, float]:
    """Over a strike of legs that weigh nothing, at so large an angle either side, and by the momentum of the hip's mass.

    With d from where a foot touches to the hip, before and after, it is d.d' / d.d: all of it for wheels about the hip.
    """
    robot = robots.load("round-feet", leg_mass=1e-12, inertia=0.0, length=1.0 - radius, com=1.0, radius=radius)
    old, new = (Pin(f"middle_{side}", roll=(0.0, radius)) for side in ("left", "right"))
    q = robot.configuration({"base.pitch": angle, "hip": -2 * angle})
    v = constrained.consistent(robot, q, [0.0, 0.0, 1.0, 0.0], pinned=old)
    after = constrained.impact(robot, q, v, pinned=new).velocities
    d = np.array(((1.0 - radius) * sin(angle), (1.0 - radius) * cos(angle) + radius))
    return float(after[2] + after[3]), float((d[1] ** 2 - d[0] ** 2) / (d @ d))


def _rolling(motion: HybridResult) -> Iterator[Row]:
    """Twenty steps from beside the cycle: the middle of the standing foot moves on by radius times turn, energy stays."""
    slip, drift, begin, energy = 0.0, 0.0, 0, motion.energy()
    places = np.array([kinematics.pose(motion.robot, q, "middle_left").position for q in motion.q])
    for event in motion.events:
        last = int(np.searchsorted(motion.times, event.time))  # the row before the strike
        rows = slice(begin, last + 1)
        turned = motion.q[rows, 2] - motion.q[begin, 2]
        along = np.array((cos(0.01), -sin(0.01)))
        off = places[rows] - places[begin] - 0.2 * np.outer(turned, along)
        slip, drift, begin = max(slip, np.abs(off).max()), max(drift, np.ptp(energy[rows])), last + 1
    yield Row("20 steps: way of the standing foot off that of a wheel", "l", 0.0, float(slip), 1e-13)
    yield Row("20 steps: largest change of energy within a step", "m g l", 0.0, float(drift), 1e-11)


def _round_state(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """q1, u1, q2, u2 as Bhounsule has them."""
    return np.array((0.01 - q[2], -v[2], q[3], v[3]))


def knees(_: Setting) -> Iterator[Row]:
    """Hsu Chen's walker, published from a coarse integration, and Ono's at a gain of 5 N m/rad, its sizes from memory."""
    cycle = limit_cycle(studies.load("kneed-walker"))
    yield _off("Hsu Chen: angles off the published ones", _legs(cycle)[:2], HSU_CHEN[:2], 1e-3)
    yield _off("Hsu Chen: rates off the published ones", _legs(cycle)[2:], HSU_CHEN[2:], 2e-2)
    yield Row("Hsu Chen: residual", "1", 0.0, cycle.residual, 1e-11)
    cycle = limit_cycle(studies.load("ono-walk"))
    yield _off("Ono: fixed point off the computed one", _legs(cycle), ONO, 1e-6)
    yield Row("Ono: period", "s", 0.6575, cycle.period, 1e-4)
    yield Row("Ono: step length", "m", 0.1399, cycle.step_length, 1e-4)
    yield Row("Ono: speed", "m/s", 0.213, cycle.speed, 5e-4)
    yield _off("Ono: multipliers off the computed ones", cycle.multipliers, (0.7765, -0.6948, -0.1857), 1e-4)
    yield Row("Ono: residual", "1", 0.0, cycle.residual, 1e-10)


def decay(setting: Setting) -> Iterator[Row]:
    """A disturbed run, which knows nothing of derivatives: its last differences obey e'' = (m1 + m2) e' - m1 m2 e."""
    for name in ("compass", "simplest-walker", "kneed-walker", "ono-walk")[: 2 if setting.quick else 4]:
        cycle = limit_cycle(studies.load(name))
        m1, m2 = cycle.multipliers[:2]
        total, product = disturbed(cycle)
        yield Row(f"{name}: sum of the largest multipliers, over that of a run", "1", 1.0, (m1 + m2).real / total, 0.01)
        yield Row(f"{name}: product of the largest multipliers, over that of a run", "1", 1.0, (m1 * m2).real / product, 0.01)


def disturbed(cycle: LimitCycle) -> tuple[float, float]:
    """Sum and product of the two largest multipliers, from a run that began next to the cycle, both feet on the ground."""
    step_map, u = StepMap(cycle.walk), cycle.u.copy()
    u[:2] += 1e-4, -2e-4
    strikes = cycle.walk.run(STEPS, *step_map.state_of(u)).named(cycle.walk.step)
    off = np.array([step_map.free_of(event.q_after, event.v_after) - cycle.u for event in strikes])[-6:-2]
    table = np.column_stack((off[1:3].ravel(), off[:2].ravel()))
    total, product = np.linalg.lstsq(table, off[2:].ravel(), rcond=None)[0]
    return float(total), float(-product)


def doubling(setting: Setting) -> Iterator[Row]:
    """Where the first period doubling is, by continuation, beside scipy on equations by hand (tests/gait_equations.py)."""
    cases = (("simplest-walker", "slope", -0.0145, -0.0155), ("compass", "slope", -0.075, -0.078), ("ono-walk", "gain", 5.6, 5.9))
    for name, along, first, last in cases[: 1 if setting.quick else 3]:
        branch = continuation(partial(studies.load, name), along, first, last)
        if not branch.complete:
            raise KeyboardInterrupt
        found = branch.of("period doubling")
        yield Row(f"{name}: period doublings for {along} {first:g} to {last:g}", "", 1.0, float(len(found)), 0.0)
        unit, apart = ("rad", 1e-9) if along == "slope" else ("N m/rad", 1e-7)
        yield Row(f"{name}: {along} at the period doubling", unit, DOUBLINGS[name], found[0].value, apart)
        off = float(np.abs(found[0].cycle.multipliers + 1.0).min())
        yield Row(f"{name}: multiplier off -1", "1", 0.0, off, 1e-6)
        turns = float(branch.cycles[0].stable and not branch.cycles[-1].stable)
        yield Row(f"{name}: stable before and unstable after", "", 1.0, turns, 0.0)


def speed(_: Setting) -> Iterator[Row]:
    """From the walk's own state to its cycle, derivatives traced anew: of this kind of machine, but not of its load."""
    for name in ("compass", "kneed-walker", "ono-walk", "rimless-wheel", "round-feet", "simplest-walker"):
        study = studies.load(name)
        limit_cycle(study)  # compiles the kernels, if need be
        yield Row(f"{name}: limit cycle, processor time", "s", 2.0, processor_time(partial(limit_cycle, study), 1), 0.0, "<=")


def _legs(cycle: LimitCycle) -> np.ndarray:
    """Angles and rates of the stance and the swing leg, in the papers' signs."""
    q, v = cycle.q, cycle.v
    return -np.array((q[2], q[2] + q[3], v[2], v[2] + v[3]))


def _matched(cycle: LimitCycle, expected: tuple[complex, ...]) -> np.ndarray:
    """The multipliers in the order of the expected ones."""
    return _next_to(cycle.multipliers, expected)


def _next_to(found: np.ndarray, expected: tuple[complex, ...]) -> np.ndarray:
    """Each of those found beside one expected, none twice and none left over, as near as can be; not numbers if counts differ."""
    if len(found) != len(expected):
        return np.full(len(expected), np.nan)
    _, order = linear_sum_assignment(np.abs(np.subtract.outer(np.array(expected), found)))
    return np.asarray(found)[order]


def _off(title: str, found: np.ndarray, expected: tuple, tolerance: float) -> Row:
    """The largest difference."""
    return Row(title, "1", 0.0, float(np.abs(found - np.array(expected)).max()), tolerance)


STUDIES = {
    "simplest-walker": simplest_walker,
    "compass": compass,
    "rimless-wheel": rimless_wheel,
    "round-feet": round_feet,
    "knees": knees,
    "decay": decay,
    "doubling": doubling,
    "speed": speed,
}
