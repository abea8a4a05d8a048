"""Limit cycles of the walkers of the literature: Garcia, Goswami, McGeer, Hsu Chen, Ono."""

from collections.abc import Iterator
from functools import partial
from math import cos, pi, sin, sqrt
from time import perf_counter

import numpy as np

from footfall import analysis, walks
from footfall.analysis import LimitCycle, limit_cycle
from footfall.analysis.step_map import StepMap
from footfall.reproduce import Row, Setting

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
GOSWAMI = (
    0.21866880,
    -0.32338856,
    -1.09182668,
    -0.37718156,
)  # stance, swing, rates at 9.8 m/s2, computed apart from this library
GOSWAMI_PRINTED = (0.2187, -0.3234, -1.0918, -0.3772)  # by recollection
GOSWAMI_MULTIPLIERS = (-0.19972613 + 0.54447606j, -0.19972613 - 0.54447606j, 0.13157262)
HSU_CHEN = (0.187700106, -0.288437140, -1.101439041, -0.039885256)
ONO = (0.087573, -0.087573, -0.689116, -0.613792)  # computed apart from this library, for sizes from memory
STEPS = 12  # of a disturbed run


def simplest_walker(_: Setting) -> Iterator[Row]:
    """Slope 0.009, the long and the short step."""
    for gait, (point, period, multipliers) in GARCIA.items():
        cycle, (printed_point, printed) = limit_cycle(walks.load("simplest-walker", gait=gait)), PRINTED[gait]
        found = np.array((0.009 - cycle.q[2], -cycle.v[2]))
        yield _off(f"{gait} step: fixed point off the computed one", found, point, 1e-10)
        yield _off(f"{gait} step: fixed point off Garcia's", found, printed_point, 3e-10)
        yield Row(f"{gait} step: period", "sqrt(l/g)", period, cycle.period, 1e-9)
        yield _off(f"{gait} step: multipliers off the computed ones", _matched(cycle, multipliers), multipliers, 1e-6)
        size = max(1.0, abs(printed[0]))
        yield _off(f"{gait} step: multipliers off Garcia's, over the largest or 1", _matched(cycle, printed), printed, 2e-3, size)


def compass(_: Setting) -> Iterator[Row]:
    """Goswami's walker on 3 degrees."""
    cycle = limit_cycle(walks.load("compass"))
    yield _off("fixed point off the computed one", _legs(cycle), GOSWAMI, 1e-8)
    yield _off("fixed point off the four published digits", _legs(cycle), GOSWAMI_PRINTED, 5e-5)
    yield Row("period", "s", 0.73472096, cycle.period, 1e-8)
    yield Row("step length", "m", 0.53544542, cycle.step_length, 1e-8)
    yield _off("multipliers off the computed ones", _matched(cycle, GOSWAMI_MULTIPLIERS), GOSWAMI_MULTIPLIERS, 1e-8)


def rimless_wheel(_: Setting) -> Iterator[Row]:
    """The closed form, with inertia at the hub."""
    for spokes, slope, J in ((8, 0.08, 1e-6), (8, 0.2, 0.2), (12, 0.1, 0.2)):
        cycle = limit_cycle(walks.load("rimless-wheel", spokes=spokes, slope=slope, inertia=J))
        a, e = pi / spokes, (J + cos(2 * pi / spokes)) / (J + 1)
        rate = sqrt(4 * 9.81 / (1 + J) * sin(a) * sin(slope) * e**2 / (1 - e**2))
        title = f"{spokes} spokes, slope {slope:g}, inertia {J:g}"
        yield Row(f"{title}: rate after a strike", "rad/s", rate, float(cycle.v[2]), 1e-12)
        yield Row(f"{title}: multiplier", "1", e**2, float(cycle.multipliers[0].real), 1e-10)


def knees(_: Setting) -> Iterator[Row]:
    """Hsu Chen's walker, published from a coarse integration, and Ono's at a gain of 5 N m/rad, its sizes from memory."""
    cycle = limit_cycle(walks.load("kneed-walker"))
    yield _off("Hsu Chen: angles off the published ones", _legs(cycle)[:2], HSU_CHEN[:2], 1e-3)
    yield _off("Hsu Chen: rates off the published ones", _legs(cycle)[2:], HSU_CHEN[2:], 2e-2)
    yield Row("Hsu Chen: residual", "1", 0.0, cycle.residual, 1e-11)
    cycle = limit_cycle(walks.load("ono-walk"))
    yield _off("Ono: fixed point off the computed one", _legs(cycle), ONO, 1e-6)
    yield Row("Ono: period", "s", 0.6575, cycle.period, 1e-4)
    yield Row("Ono: step length", "m", 0.1399, cycle.step_length, 1e-4)
    yield Row("Ono: speed", "m/s", 0.213, cycle.speed, 5e-4)
    yield _off("Ono: multipliers off the computed ones", cycle.multipliers, (0.7765, -0.6948, -0.1857), 1e-4)
    yield Row("Ono: residual", "1", 0.0, cycle.residual, 1e-10)


def decay(setting: Setting) -> Iterator[Row]:
    """A disturbed run, which knows nothing of derivatives: its last differences obey e'' = (m1 + m2) e' - m1 m2 e."""
    for name in ("compass", "simplest-walker", "kneed-walker", "ono-walk")[: 2 if setting.quick else 4]:
        cycle = limit_cycle(walks.load(name))
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
    """Where the first period doubling is, by continuation; a multiplier must be -1 there, and the gait lose its stability."""
    cases = (("simplest-walker", "slope", 0.0145, 0.0155), ("compass", "slope", 0.075, 0.078), ("ono-walk", "gain", 5.6, 5.9))
    for name, along, first, last in cases[: 1 if setting.quick else 3]:
        branch = analysis.continuation(partial(walks.load, name), along, first, last)
        found = branch.of("period doubling")
        yield Row(f"{name}: period doublings for {along} {first:g} to {last:g}", "", 1.0, float(len(found)), 0.0)
        off = float(np.abs(found[0].cycle.multipliers + 1.0).min())
        yield Row(f"{name}: multiplier off -1", "1", 0.0, off, 1e-6, how=f"{name}: {along} = {found[0].value:.7g}")
        turns = float(branch.cycles[0].stable and not branch.cycles[-1].stable)
        yield Row(f"{name}: stable before and unstable after", "", 1.0, turns, 0.0)


def speed(_: Setting) -> Iterator[Row]:
    """From the walk's own state to its cycle, derivatives traced anew: a time, and so of this machine and this moment."""
    for name in walks.names():
        walk = walks.load(name)
        limit_cycle(walk)  # compiles the kernels, if need be
        start = perf_counter()
        limit_cycle(walk)
        yield Row(f"{name}: limit cycle", "s", 2.0, perf_counter() - start, 0.0, "<=")


def _legs(cycle: LimitCycle) -> np.ndarray:
    """Angles and rates of the stance and the swing leg, in the papers' signs."""
    q, v = cycle.q, cycle.v
    return -np.array((q[2], q[2] + q[3], v[2], v[2] + v[3]))


def _matched(cycle: LimitCycle, expected: tuple[complex, ...]) -> np.ndarray:
    """The multiplier next to each expected one."""
    return np.array([cycle.multipliers[np.argmin(np.abs(cycle.multipliers - each))] for each in expected])


def _off(title: str, found: np.ndarray, expected: tuple, tolerance: float, size: float = 1.0) -> Row:
    """The largest difference."""
    return Row(title, "1", 0.0, float(np.abs(found - np.array(expected)).max()) / size, tolerance)


STUDIES = {
    "simplest-walker": simplest_walker,
    "compass": compass,
    "rimless-wheel": rimless_wheel,
    "knees": knees,
    "decay": decay,
    "doubling": doubling,
    "speed": speed,
}
