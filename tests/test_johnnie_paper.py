"""The errata of "A biped walking machine", section 2: each printed form fails, and the corrected one holds."""

import numpy as np
import pytest

import footfall as ff
from footfall.kinematics import leg
from footfall.reproduce import Setting, rows

L1, L2 = 0.42, 0.40
REACHED = L1 + L2


def position(one, two):
    """Ankle from the pelvis: angles from the axis of a, the knee's in addition."""
    return np.array((L1 * np.cos(one) + L2 * np.cos(one + two), L1 * np.sin(one) + L2 * np.sin(one + two)))


def angles(a, b, epsilon=np.arctan2, factor=2.0):
    """(2.13) to (2.16), with a choice of (2.14) and of the factor in the denominator of (2.15)."""
    square = a * a + b * b
    two = np.arccos((square - (L1**2 + L2**2)) / (2 * L1 * L2))
    delta = np.arccos((L1**2 + square - L2**2) / (factor * L1 * np.sqrt(square)))
    return epsilon(b, a) - delta, two


def goals(count=200, seed=0):
    rng = np.random.default_rng(seed)
    r, way = rng.uniform(abs(L1 - L2) + 0.01, REACHED - 0.01, count), rng.uniform(-np.pi, np.pi, count)
    return np.column_stack((r * np.cos(way), r * np.sin(way)))


def test_2_13_to_2_17_corrected_reach_every_goal():
    for a, b in goals():
        one, two = angles(a, b)
        assert np.abs(position(one, two) - (a, b)).max() < 1e-12
        for foot in (0.1, 0.6):
            three = -(one + two + foot)  # (2.17)
            assert one + two + three == pytest.approx(-foot, abs=1e-12)


def test_2_14_atan_is_wrong_behind_the_pelvis():
    """atan(b / a) has half a circle: the ankle comes out opposite wherever a < 0, and right elsewhere."""
    for a, b in goals():
        one, two = angles(a, b, epsilon=lambda b, a: np.arctan(b / a))
        goal, found = np.array((a, b)), position(one, two)
        assert np.abs(found - (goal if a > 0.0 else -goal)).max() < 1e-12


def test_2_15_lacks_a_factor_of_two():
    """As printed, the argument of the arc cosine is twice the cosine: above 1 for most goals, the wrong angle for the others."""
    outside = wrong = 0
    with np.errstate(invalid="ignore"):
        for a, b in goals():
            one, two = angles(a, b, factor=1.0)
            outside += not np.isfinite(one)
            wrong += bool(np.isfinite(one)) and np.abs(position(one, two) - (a, b)).max() > 1e-3
    assert outside > 100
    assert outside + wrong == 200


def test_the_closed_form_is_the_papers():
    """Wendlandt's leg in the paper's letters: a down and b back from the hip, both angles positive about our +y."""
    own = leg(ff.robots.load("wendlandt"), "foot_left")
    for x, z in ((0.1, -0.7), (-0.2, -0.6), (0.3, 0.4), (-0.1, 0.5)):
        square, l1, l2 = x * x + z * z, own.numbers.thigh, own.numbers.shank
        two = np.arccos((square - l1**2 - l2**2) / (2 * l1 * l2))
        one = np.arctan2(-x, -z) - np.arccos((l1**2 + square - l2**2) / (2 * l1 * np.sqrt(square)))
        (q, beyond) = own.many([(x, z)], [0.0], "forward")
        assert beyond[0] == 0.0
        assert np.abs(np.exp(1j * q[0, :2]) - np.exp(1j * np.array((one, two)))).max() < 1e-12
        assert np.exp(1j * q[0, 2]) == pytest.approx(np.exp(-1j * (one + two)), abs=1e-12)


def test_2_23_and_2_24_need_rates():
    """v = J(theta) theta-dot by differences of the position; J times the angles themselves is no velocity."""
    one, two, rates, h = 0.4, 0.7, np.array((0.3, -0.5)), 1e-6
    J = np.array(
        [
            [-L1 * np.sin(one) - L2 * np.sin(one + two), -L2 * np.sin(one + two)],
            [L1 * np.cos(one) + L2 * np.cos(one + two), L2 * np.cos(one + two)],
        ]
    )
    ahead, behind = (position(*(np.array((one, two)) + side * h * rates)) for side in (1, -1))
    moved = (ahead - behind) / (2 * h)
    assert J @ rates == pytest.approx(moved, abs=1e-9)
    assert np.abs(J @ (one, two) - moved).max() > 0.1  # (2.23) as printed
    assert np.linalg.solve(J, moved) == pytest.approx(rates, abs=1e-8)
    assert np.abs(np.linalg.solve(J, moved) - (one, two)).max() > 0.1  # (2.24) as printed


@pytest.mark.parametrize("study", ["dh", "leg"])
def test_the_table_holds(study):
    found = list(rows(f"johnnie/{study}", Setting(quick=True, workers=1)))
    assert found
    for row in found:
        assert row.ok, row
