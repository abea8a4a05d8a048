"""The divergent component of motion: against closed forms of the pendulum, numerical integration and preview control."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from footfall.motion import FootstepPlan, MotionError, Preview, Timing, capture_point
from footfall.motion.dcm import DcmReference, adjust_step, dcm_after, dcm_before, foothold_gain, step_time

PLAN = FootstepPlan.straight(5, 0.4, 0.2)
REFERENCE = DcmReference(PLAN, 0.9, ahead=0.05)
plain = lambda kernel: kernel.plain("planar")  # noqa: E731


def pendulum(c, v, zmp, w, times):
    """Integrated numerically."""
    found = solve_ivp(
        lambda t, y: (y[1], w * w * (y[0] - zmp(t))),
        (times[0], times[-1]),
        (c, v),
        t_eval=times,
        rtol=1e-11,
        atol=1e-13,
        max_step=0.01,
    )
    return found.y


def test_a_capture_point_stops_the_pendulum():
    w, c, v = np.sqrt(9.81 / 0.8), 0.1, 0.5
    p = capture_point(c, v, 0.8)
    t = np.linspace(0.0, 2.0, 50)
    place, speed = pendulum(c, v, lambda _: p, w, t)
    assert np.abs(place - (p + (c - p) * np.exp(-w * t))).max() < 1e-6
    assert abs(speed[-1]) < 2e-3


@pytest.mark.parametrize("seed", range(10))
def test_before_and_after_are_the_pendulums(seed):
    rng = np.random.default_rng(seed)
    (c, v, p0, p1), w, T = rng.normal(size=4), rng.uniform(2.0, 5.0), rng.uniform(0.1, 0.8)
    place, speed = pendulum(c, v, lambda t: p0 + (p1 - p0) * t / T, w, np.array([0.0, T]))
    end = place[-1] + speed[-1] / w
    assert plain(dcm_after)(c + v / w, p0, p1, T, w) == pytest.approx(end, abs=1e-7)
    assert plain(dcm_before)(end, p0, p1, T, w) == pytest.approx(c + v / w, abs=1e-7)


def test_the_reference_is_a_pendulum_above_the_plans_zmp():
    t = np.linspace(0.0, PLAN.duration, 4001)
    found, w = REFERENCE.at(t), REFERENCE.frequency
    assert np.abs(found.zmp - PLAN.zmp_reference(t, 0.05)[:, :2]).max() < 1e-12
    h = t[1]
    accel = (found.com[2:] - 2 * found.com[1:-1] + found.com[:-2]) / h**2
    assert np.abs(accel - w * w * (found.com - found.zmp)[1:-1]).max() < 0.01
    assert np.abs(np.gradient(found.com, h, axis=0)[1:-1] - found.com_velocity[1:-1]).max() < 1e-4
    assert np.abs(found.dcm - (found.com + found.com_velocity / w)).max() < 1e-12
    assert np.abs(found.dcm[-1] - found.zmp[-1]).max() < 1e-12
    assert np.abs(np.diff(found.dcm, axis=0)).max() < 0.01


def test_preview_control_finds_the_same_motion():
    """With little cost of jerk, preview control is the same optimum."""
    p = Preview(0.9, jerk_weight=1e-9, horizon=3.0)
    plan = FootstepPlan.straight(4, 0.4, 0.2, timing=Timing(start=4.0))
    t = plan.times(p.dt)
    cart, found = p.track(plan.zmp_reference(t)[:, :2]), DcmReference(plan, 0.9).at(t)
    assert np.abs(cart.position - found.com).max() < 2e-3
    assert np.abs(cart.velocity - found.com_velocity).max() < 2e-2


def test_it_stands_still_for_long_and_far_away():
    plan = FootstepPlan.straight(2, 0.3, 0.2, timing=Timing(start=5000.0, stop=5000.0))
    found = DcmReference(plan, 0.9).at([0.0, 2500.0, plan.duration])
    assert np.isfinite(found).all()
    assert np.abs(found.com_velocity).max() < 1e-12


def test_the_gain_of_a_foothold():
    """The formula as it is usually found: 1 / (1 - A), A = (1 - e) - (1/w - (T + 1/w) e) / T, e = exp(-w T)."""
    for w, T in ((3.3, 0.15), (2.0, 0.6)):
        e = np.exp(-w * T)
        A = (1.0 - e) - (1.0 / w - (T + 1.0 / w) * e) / T
        assert plain(foothold_gain)(T, w) == pytest.approx(1.0 / (1.0 - A), rel=1e-12)
    assert plain(foothold_gain)(0.0, 3.0) == 1.0


@pytest.mark.parametrize("push", [(0.05, 0.0), (-0.04, 0.03), (0.0, -0.02)])
def test_an_adjusted_step_takes_up_a_push(push):
    """After the double support the DCM relative to the new foot is the planned one."""
    w, single, T, p = 3.3, 0.4, 0.15, np.array([0.0, -0.1])
    foot, offset = np.array([0.4, 0.1]), np.array([0.12, -0.05])  # next foothold; DCM relative to it when the ZMP is there
    wanted = np.array([plain(dcm_before)(foot[k] + offset[k], p[k], foot[k], T, w) for k in range(2)])
    xi = np.array([plain(dcm_before)(wanted[k], p[k], p[k], single, w) for k in range(2)]) + push
    found = plain(adjust_step)(tuple(xi), tuple(p), tuple(wanted), w, T, (0.2, 0.6))
    new = foot + np.array((found.x, found.y))
    for k in range(2):
        touch = plain(dcm_after)(xi[k], p[k], p[k], found.time, w)
        assert plain(dcm_after)(touch, p[k], new[k], T, w) - new[k] == pytest.approx(offset[k], abs=1e-12)
    assert 0.2 <= found.time <= 0.6


def test_an_unpushed_step_stays_as_it_is():
    w, T, p, wanted = 3.3, 0.15, (0.0, -0.1), (0.25, 0.02)
    xi = tuple(plain(dcm_before)(wanted[k], p[k], p[k], 0.37, w) for k in range(2))
    found = plain(adjust_step)(xi, p, wanted, w, T, (0.1, 0.9))
    assert found == pytest.approx((0.37, 0.0, 0.0), abs=1e-12)
    assert plain(step_time)((-1.0, -0.1), p, wanted, w, 0.1, 0.9) == 0.9  # it falls back: never there


def test_compiled_and_plain_have_the_same_answer():
    arguments = ((0.03, -0.08), (0.0, -0.1), (0.25, 0.02), 3.3, 0.15, (0.1, 0.9))
    assert adjust_step["planar"](*arguments) == pytest.approx(adjust_step.plain("planar")(*arguments), rel=1e-14)


def test_refused():
    with pytest.raises(MotionError):
        DcmReference(PLAN, 0.0)
