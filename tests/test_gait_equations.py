"""Limit cycles and period doublings beside equations written out by hand, which share nothing with this library."""

import numpy as np
import pytest

import gait_equations as by_hand
from footfall.reproduce import cycles

# a fixed point near the doubling, the slope that falls or the gain on both sides of it, and how well the result is known
DOUBLINGS = {
    "simplest-walker": (by_hand.Garcia, (0.2371659, -0.2319271), (0.01508, 0.0151), -1.0, 1e-9),
    "compass": (by_hand.compass, (-0.2319376, 1.1524072, 0.1510162), (0.0766, 0.0767), -1.0, 1e-9),
    "ono-walk": (by_hand.ono, (-0.0996154, 0.7700278, 0.6593972), (5.73, 5.737), 1.0, 1e-7),
}


@pytest.mark.parametrize("name", DOUBLINGS)
def test_period_doublings_that_the_reproduction_cites(name):
    walker, guess, bracket, sign, within = DOUBLINGS[name]
    value, _ = by_hand.doubling(walker, guess, *bracket)
    assert cycles.DOUBLINGS[name] == pytest.approx(sign * value, abs=within)


@pytest.mark.parametrize("gait", ["long", "short"])
def test_computed_cycle_of_the_simplest_walker(gait):
    point, _, multipliers = cycles.GARCIA[gait]
    step = by_hand.Garcia(0.009).step
    found = by_hand.fixed_point(step, point)
    assert found == pytest.approx(point, abs=1e-10)
    assert sorted(np.linalg.eigvals(by_hand.derivative(step, found)), key=np.imag) == pytest.approx(
        sorted(multipliers, key=np.imag), abs=1e-6
    )


def test_computed_cycle_of_the_compass():
    stance, _, rate, swing = cycles.GOSWAMI
    step = by_hand.compass(np.radians(3.0)).step
    found = by_hand.fixed_point(step, (-stance, -rate, -swing))
    assert found == pytest.approx((-stance, -rate, -swing), abs=1e-8)
    multipliers = np.linalg.eigvals(by_hand.derivative(step, found))
    for each in cycles.GOSWAMI_MULTIPLIERS:
        assert np.abs(multipliers - each).min() < 1e-7


def test_computed_cycle_of_ono():
    stance, _, rate, swing = cycles.ONO
    found = by_hand.fixed_point(by_hand.ono(5.0).step, (-stance, -rate, -swing))
    assert found == pytest.approx((-stance, -rate, -swing), abs=1e-6)
