"""Preview control and the zero-moment point: against published gains, closed forms, statics, differences and a textbook robot."""

from contextlib import suppress

import numpy as np
import pytest
from scipy.linalg import solve

import footfall as ff
from footfall.motion import MotionError, Preview, balance, pendulum_acceleration, pendulum_zmp, zmp

# jrl-umi3218/jrl-walkgen, src/data/PreviewControlParameters.ini: height 0.814 m, 5 ms, 1.6 s; five digits; gains by their place
STATE, INTEGRAL = (72719.0, 21550.0, 177.01), 618.7
PREVIEW = {
    1: 618.7, 2: 777.51, 3: 952.26, 4: 1082.3, 5: 1155.3, 6: 1181.4, 7: 1177.0, 8: 1156.5, 16: 983.51, 32: 745.57, 48: 564.77,
    64: 427.82, 80: 324.07, 96: 245.49, 112: 185.96, 128: 140.86, 144: 106.7, 160: 80.829, 176: 61.228, 192: 46.381, 208: 35.133,
    224: 26.614, 240: 20.16, 256: 15.271, 272: 11.568, 288: 8.7628, 304: 6.6379, 320: 5.0282,
}  # fmt: skip


def printed(value):
    """A number as it would be printed there."""
    return float(f"{value:.5g}")


def test_gains_are_the_published_ones_to_every_digit():
    gains = Preview(0.814, dt=0.005, horizon=1.6, gravity=9.81).gains
    assert len(gains.preview) == 320
    assert printed(gains.integral) == INTEGRAL
    assert tuple(printed(gain) for gain in gains.state) == STATE
    assert {j: printed(gains.preview[j - 1]) for j in PREVIEW} == PREVIEW
    assert printed(Preview(0.814, gravity=9.8).gains.state[0]) != STATE[0]


@pytest.mark.parametrize(("error_weight", "jerk_weight"), [(1.0, 1e-4), (100.0, 1e-2), (1e-3, 1e-7), (10.0, 1e-4)])
def test_the_cart_minimises_its_cost(error_weight, jerk_weight):
    """A finite problem solved as least squares over all jerks has the same first jerk as the gains."""
    p, n = Preview(0.8, dt=0.02, horizon=3.0, error_weight=error_weight, jerk_weight=jerk_weight), 400
    T, lag = p.dt, p.height / p.gravity
    A, B = np.array([[1, T, T * T / 2], [0, 1, T], [0, 0, 1]]), np.array([T**3 / 6, T * T / 2, T])
    C = np.array([1.0, 0.0, -lag])
    reference = np.where(np.arange(n) < 50, 0.0, 0.1)
    response = np.zeros((n, n))  # ZMP at row k for a unit jerk at row j
    for j in range(n - 1):
        x = B
        for k in range(j + 1, n):
            response[k, j] = C @ x
            x = A @ x
    D = np.eye(n) - np.eye(n, k=-1)
    D[0, 0] = 1.0  # no jerk before the first row
    H = response.T @ response + jerk_weight / error_weight * D.T @ D + 1e-12 * np.eye(n)
    jerk = solve(H, response.T @ reference, assume_a="pos")
    cart = p.track(reference)
    got = np.diff(cart.acceleration) / T
    assert np.abs(got[:100] - jerk[:100]).max() < 1e-3 * np.abs(jerk).max()


@pytest.mark.parametrize("error_weight", [1e-12, 1e-6, 1.0, 1e6, 1e12])
@pytest.mark.parametrize("jerk_weight", [1e-15, 1e-12, 1e-6, 1e3, 1e6])
@pytest.mark.parametrize(("height", "dt"), [(0.8, 0.005), (0.1, 0.001), (100.0, 0.05)])
def test_at_every_weight_the_cart_stays_near_its_reference_or_is_refused(height, dt, error_weight, jerk_weight):
    preview = Preview(height, dt, 1.6, error_weight, jerk_weight)
    if jerk_weight / error_weight > 1e10:
        with suppress(MotionError):  # its Riccati equation may be too hard
            assert np.isfinite(preview.gains.state).all()
        return
    assert np.abs(preview.track(np.repeat((0.0, 0.3), (500, 1500))).position).max() < 1.0


def test_the_cart_obeys_its_own_equations():
    p, rng = Preview(0.7, dt=0.01), np.random.default_rng(0)
    reference = np.cumsum(rng.normal(0.0, 0.01, (500, 2)), axis=0)
    cart = p.track(reference)
    assert np.abs(cart.zmp - pendulum_zmp(cart.position, cart.acceleration, 0.7)).max() < 1e-13
    assert np.abs(pendulum_acceleration(cart.position, cart.zmp, 0.7) - cart.acceleration).max() < 1e-11
    h, jerk = p.dt, np.diff(cart.acceleration, axis=0) / p.dt
    x, v, a = (rows[:-1] for rows in cart[:3])
    assert np.abs(x + h * v + h * h / 2 * a + h**3 / 6 * jerk - cart.position[1:]).max() < 1e-14
    assert np.abs(v + h * a + h * h / 2 * jerk - cart.velocity[1:]).max() < 1e-13


def test_the_zmp_follows_and_far_away_nothing_changes():
    p = Preview(0.814)
    reference = np.where(np.arange(1600) < 800, 0.0, 0.3)
    near, far = p.track(reference), p.track(reference + 1000.0)
    assert np.abs(near.zmp - reference)[:700].max() < 5e-3
    assert abs(near.zmp[-1] - 0.3) < 1e-5
    assert np.abs(far.zmp - near.zmp - 1000.0).max() < 1e-9
    short = Preview(0.814, horizon=0.4).track(reference)
    assert short.zmp[:800].min() < 5.0 * near.zmp[:800].min() < 0.0  # too short a view, and the ZMP undershoots


def test_a_start_in_motion():
    """A pendulum above its ZMP that comes to rest there by itself needs next to nothing; the jerk begins at zero."""
    p, w = Preview(0.8), np.sqrt(9.81 / 0.8)
    cart = p.track(np.zeros(400), start=(0.1, -0.1 * w, 0.1 * w * w))
    assert np.abs(cart.zmp).max() < 0.1 * w * p.dt
    t = p.dt * np.arange(400)
    assert np.abs(cart.position - 0.1 * np.exp(-w * t)).max() < 5e-4


@pytest.mark.parametrize(
    "wrong", [{"height": 0.0}, {"height": 1.0, "dt": -1.0}, {"height": np.nan}, {"height": 1.0, "horizon": 1e-3}]
)
def test_refused(wrong):
    with pytest.raises(MotionError):
        Preview(**wrong)


@pytest.mark.parametrize("reference", ["x", [], [[[1.0]]], [np.nan]])
def test_refused_references(reference):
    with pytest.raises(MotionError):
        Preview(0.8).track(reference)


# --- the zero-moment point --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["johnnie", "person", "wendlandt-3d", "wendlandt", "rabbit"])
def test_momentum_and_its_rate(name):
    """Centre of mass, momentum and rates of many states: against differences along a motion."""
    robot, rng, h = ff.robots.load(name), np.random.default_rng(3), 1e-5
    q = ff.kinematics.random_configuration(robot, 2, spread=0.4)
    v, a = rng.normal(size=(2, robot.nv))
    steps = [ff.kinematics.integrate(robot, q, s * v + 0.5 * s * s * a) for s in (-h, h)]
    found = balance(robot, q, v, a)
    c = [ff.dynamics.center_of_mass(robot, each) for each in steps]
    assert np.abs((c[1] - c[0]) / (2 * h) * found.mass - found.momentum[0, : robot.dim]).max() < 1e-6 * robot.mass
    speeds = [v + s * a for s in (-h, h)]
    if name in ("wendlandt", "rabbit"):  # rates of free bases in space are not those of a straight step
        momenta = [ff.dynamics.momentum(robot, each, speed) for each, speed in zip(steps, speeds, strict=True)]
        assert np.abs((momenta[1] - momenta[0]) / (2 * h) - found.rate[0]).max() < 1e-4 * robot.mass


@pytest.mark.parametrize("name", ["johnnie", "person", "wendlandt-3d", "wendlandt"])
def test_the_base_has_no_moment_about_the_zmp(name):
    """Inverse dynamics gives the base a force that, moved to the ZMP, has no tipping moment: the definition of the point."""
    robot, rng = ff.robots.load(name), np.random.default_rng(5)
    for seed in range(5):
        q = ff.kinematics.random_configuration(robot, seed, spread=0.3)
        v, a = rng.normal(0.0, 0.5, size=(2, robot.nv))
        place = zmp(robot, q, v, a, height=-0.3)[0]
        tau = ff.dynamics.inverse(robot, q, v, a)
        base = ff.kinematics.pose(robot, q, robot.links[0].name)
        if robot.dim == 3:
            force, moment = tau[:3], base.rotation @ tau[3:6]
            arm = base.position - np.array([*place, -0.3])
            assert np.abs((moment + np.cross(arm, force))[:2]).max() < 1e-9 * robot.mass
        else:
            arm = base.position - np.array([place[0], -0.3])
            assert abs(tau[2] + arm[1] * tau[0] - arm[0] * tau[1]) < 1e-9 * robot.mass


def links(robot, q, v, a):
    """Mass, place and acceleration of the centre, inertia, spin and its rate, of every link, in world axes."""
    for link in robot.links:
        if link.mass:
            pose = ff.kinematics.pose(robot, q, link.name, at=link.com)
            accel = ff.kinematics.acceleration(robot, q, v, a, link.name, at=link.com)
            w = ff.kinematics.velocity(robot, q, v, link.name)[3:]
            xx, yy, zz, xy, xz, yz = (*link.inertia, 0.0, 0.0, 0.0)[:6]
            R = pose.rotation
            yield link.mass, pose.position, accel, R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T, w


def test_johnnie_4_16_and_4_17_corrected_and_as_printed():
    """Sums over links. With accelerations and a plus in 4.17 they are the ZMP; as printed they are not."""
    robot, rng = ff.robots.load("johnnie"), np.random.default_rng(1)
    q = ff.kinematics.random_configuration(robot, 1, spread=0.3)
    v, a = rng.normal(0.0, 0.5, size=(2, robot.nv))
    g, bottom, x, y, y_minus = robot.gravity, 0.0, 0.0, 0.0, 0.0
    for m, c, accel, I, w in links(robot, q, v, a):
        spin = I @ accel[3:] + np.cross(w, I @ w)
        bottom += m * (accel[2] + g)
        x += m * (accel[2] + g) * c[0] - m * accel[0] * c[2] - spin[1]
        y += m * (accel[2] + g) * c[1] - m * accel[1] * c[2] + spin[0]
        y_minus += m * (accel[2] + g) * c[1] - m * accel[1] * c[2] - spin[0]
    found = zmp(robot, q, v, a)[0]
    assert np.abs(found - (x / bottom, y / bottom)).max() < 1e-12
    assert abs(found[1] - y_minus / bottom) > 1e-4


def test_at_rest_the_zmp_is_below_the_centre_of_mass():
    robot = ff.robots.load("johnnie")
    q, still = ff.kinematics.random_configuration(robot, 7), np.zeros(robot.nv)
    assert np.abs(zmp(robot, q, still, still)[0] - ff.dynamics.center_of_mass(robot, q)[:2]).max() < 1e-13


def test_without_weight_there_is_none():
    robot = ff.robots.load("johnnie")
    fall = robot.velocity({"base.z": -2.0 * robot.gravity})
    assert np.isnan(zmp(robot, robot.neutral(), np.zeros(robot.nv), fall)).all()


@pytest.mark.parametrize("name", ["johnnie", "person", "wendlandt-3d"])
def test_pinocchio_agrees(name):
    pin = pytest.importorskip("pinocchio")
    from footfall.model.peers import PinocchioRobot

    robot, rng = ff.robots.load(name), np.random.default_rng(4)
    o = PinocchioRobot(robot)
    q = ff.kinematics.random_configuration(robot, 3, spread=0.3)
    v, a = rng.normal(0.0, 0.5, size=(2, robot.nv))
    found = balance(robot, q, v, a)
    pin.computeCentroidalMomentumTimeVariation(o.model, o.data, o.q(q), o.v(v), o.v(a))
    assert np.abs(o.data.com[0] - found.center[0]).max() < 1e-12
    assert np.abs(o.data.hg.vector - found.momentum[0]).max() < 1e-10
    assert np.abs(o.data.dhg.vector - found.rate[0]).max() < 1e-9
