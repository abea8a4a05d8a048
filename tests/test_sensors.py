"""Sensors by themselves: what is measured equals what is declared."""

import numpy as np
import pytest
from scipy import signal, stats
from scipy.spatial.transform import Rotation

from footfall import kinematics, reproduce, robots
from footfall.core.recursion.kinematics import set_places
from footfall.core.sensors.channels import measure, measure_series
from footfall.core.sensors.noise import normal_quantile, normals, threefry
from footfall.core.sensors.sense import Kept, Truth, sense_with_accelerometers
from footfall.errors import UnknownNameError
from footfall.evaluate import Evaluation
from footfall.model.layout import lift, rotation
from footfall.sensors import Accelerometer, Attitude, Encoders, FootForce, LowPass, Sensor, SensorError, Unmeasured
from footfall.sensors.bank import build_bank, build_channels, columns, seen_by, wire
from footfall.sensors.sensor import Channel
from footfall.sensors.trial import trial

DT = 1e-3


def measured(inputs, *rows, dt=DT, seed=0):
    """What channels make of a series."""
    channels = build_channels(list(rows), dt, seed)
    inputs = np.ascontiguousarray(np.broadcast_to(np.asarray(inputs, float).T, (len(rows), len(inputs))).T)
    outputs = np.zeros_like(inputs)
    measure_series["planar"](channels, inputs, outputs)
    return outputs


# --- noise ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "counter", "words"),
    [  # the known answers that the authors of Threefry publish with Random123
        ((0, 0), (0, 0), (0x6B200159, 0x99BA4EFE)),
        ((0xFFFFFFFF, 0xFFFFFFFF), (0xFFFFFFFF, 0xFFFFFFFF), (0x1CB996FC, 0xBB002BE7)),
        ((0x13198A2E, 0x03707344), (0x243F6A88, 0x85A308D3), (0xC4923A9C, 0x483DF7A0)),
    ],
)
def test_the_generator_is_threefry(key, counter, words):
    assert threefry["planar"](*key, *counter) == words
    assert threefry.plain("planar")(*key, *counter) == words


def test_quantiles_of_the_normal_distribution():
    p = np.concatenate((10.0 ** -np.arange(1.0, 17.0), 1.0 - 10.0 ** -np.arange(1.0, 15.0), np.linspace(0.001, 0.999, 999)))
    ours = np.array([normal_quantile["planar"](x) for x in p])
    np.testing.assert_allclose(ours, stats.norm.ppf(p), rtol=2e-15, atol=1e-15)
    assert all(normal_quantile.plain("planar")(x) == y for x, y in zip(p, ours, strict=True))


def test_noise_is_normal_white_and_independent():
    one, two, three = (np.zeros(400_000) for _ in range(3))
    normals["planar"](7, 1, 0, one)
    normals["planar"](7, 2, 0, two)
    normals["planar"](8, 1, 0, three)
    n = len(one)
    for x in (one, two, three):
        assert abs(x.mean()) < 4.0 / np.sqrt(n)
        assert x.var() == pytest.approx(1.0, abs=4.0 * np.sqrt(2.0 / n))
        assert abs(stats.kurtosis(x)) < 4.0 * np.sqrt(24.0 / n)
        assert stats.kstest(x, "norm").pvalue > 1e-3
        for lag in (1, 2, 3, 10):
            assert abs(np.mean(x[lag:] * x[:-lag])) < 4.0 / np.sqrt(n)
    for x, y in ((one, two), (one, three), (two, three)):
        assert abs(np.mean(x * y)) < 4.0 / np.sqrt(n)


@pytest.mark.parametrize("rate", [1000.0, 250.0])
def test_variance_and_density_are_the_declared_ones(rate):
    density, n = 2e-3, 1_000_000
    out = measured(np.zeros(n), (Sensor(rate=rate), Channel("gyro", noise=density)))[:: round(1.0 / (rate * DT)), 0]
    assert out.var() == pytest.approx(density**2 * rate / 2.0, rel=0.02)
    f, S = signal.welch(out, rate, nperseg=256)
    inner = (f > 0.02 * rate) & (f < 0.48 * rate)
    assert np.sqrt(S[inner].mean()) == pytest.approx(density, rel=0.02)
    np.testing.assert_allclose(np.sqrt(S[inner]), density, rtol=0.15)


def test_the_bias_walks():
    drift, n, many = 0.3, 1001, 2000
    rows = [(Sensor(rate=100.0), Channel(f"a{i}", drift=drift)) for i in range(many)]
    out = measured(np.zeros(n), *rows, dt=0.01)
    assert (out[0] == 0.0).all()
    for k in (100, 400, 1000):
        assert out[k].var() == pytest.approx(drift**2 * k * 0.01, rel=4.0 * np.sqrt(2.0 / many))


def test_the_same_seed_gives_the_same_bits_in_either_reading():
    rows = [
        (Sensor(rate=500.0, delay=0.004), Channel("q.a", LowPass(40.0, 0.7), 0.1, 0.01, 0.02, 1e-3, 2.0)),
        (Sensor(rate=500.0, delay=0.004), Channel("v.a", LowPass(20.0), of=0)),
    ]
    x = np.sin(0.05 * np.arange(300))
    first = measured(x, *rows, seed=3)
    channels, plain = build_channels(rows, DT, 3), np.zeros((300, 2))
    for i in range(300):
        channels.input[:] = x[i]
        measure.plain("planar")(channels)
        plain[i] = channels.output
    assert (first == plain).all()
    assert (first == measured(x, *rows, seed=3)).all()
    assert (first[10:] != measured(x, *rows, seed=4)[10:]).any()


def test_noise_belongs_to_the_name_of_what_is_measured():
    """A sensor more does not change what the others show; a seed of its own does."""
    a, b = (Sensor(), Channel("a", noise=1.0)), (Sensor(), Channel("b", noise=1.0))
    x = np.zeros(50)
    assert (measured(x, a, b)[:, 1] == measured(x, b)[:, 0]).all()
    assert (measured(x, (Sensor(seed=1), a[1]))[:, 0] != measured(x, a)[:, 0]).all()


# --- dynamics -------------------------------------------------------------------------------------------------------------


def response(inputs_to_outputs, frequency, dt, rate):
    """Gain and phase at a frequency: the least-squares sine through what comes out after the start."""
    n = int(np.ceil(max(60.0 / frequency, 1.0) / dt))
    t = dt * np.arange(n)
    out = inputs_to_outputs(np.sin(2.0 * np.pi * frequency * t))
    every = round(1.0 / (rate * dt))
    late = slice(n // 2 // every * every, None, every)
    w = 2.0 * np.pi * frequency * t[late]
    (s, c), *_ = np.linalg.lstsq(np.column_stack((np.sin(w), np.cos(w))), out[late], rcond=None)
    return s + 1j * c


@pytest.mark.parametrize(
    ("bandwidth", "damping", "dt", "rate"),
    [
        (85.0, 0.7071, 1e-3, 1000.0),  # JOHNNIE's attitude sensor
        (85.0, 0.7071, 1e-4, 200.0),  # the filter is there before the sampling
        (85.0, 0.3, 1e-3, 500.0),
        (100.0, 1.0, 1e-3, 1000.0),
        (30.0, 3.0, 1e-3, 1000.0),
        (5.0, 0.7071, 1e-3, 1000.0),
        (60.0, 0.0, 1e-3, 1000.0),
        (0.5, 0.0, 1e-3, 1000.0),
    ],
)
def test_magnitude_and_phase_are_the_declared_ones(bandwidth, damping, dt, rate):
    low_pass = LowPass(bandwidth, damping)
    row = (Sensor(rate=rate), Channel("x", low_pass))
    assert abs(low_pass.response(bandwidth)) == pytest.approx(np.sqrt(0.5), rel=1e-12)
    for times in (0.3, 1.0, 2.0):
        f = times * bandwidth
        if damping == 0.0:
            wanted = 1.0 / (1.0 + 1j * times)
        else:  # a mass on a spring, from its equation: the bandwidth of w = 1, by bisection
            corner = np.sqrt(1 - 2 * damping**2 + np.sqrt((1 - 2 * damping**2) ** 2 + 1))
            wanted = 1.0 / (1.0 - (times * corner) ** 2 + 2j * damping * times * corner)
        got = response(lambda x: measured(x, row, dt=dt)[:, 0], f, dt, rate)
        assert abs(got) == pytest.approx(abs(wanted), rel=0.01)
        assert np.angle(got) == pytest.approx(np.angle(wanted), rel=0.01)


def test_a_step_is_answered_as_the_equation_says():
    """Against the solution of the differential equation, at the bandwidth of JOHNNIE's sensor; a step half way between samples."""
    low_pass, dt = LowPass(85.0, 0.7071), 1e-4
    t = dt * np.arange(300)
    out = measured((t > 0.0) * 1.0, (Sensor(rate=10_000.0), Channel("x", low_pass)), dt=dt)[:, 0]
    w = low_pass.natural
    exact = signal.step((([w * w]), [1.0, 2.0 * 0.7071 * w, w * w]), T=t)[1]
    np.testing.assert_allclose(out[2:-1], 0.5 * (exact[1:-2] + exact[2:-1]), atol=2e-3)
    assert measured(np.full(100, 0.7), (Sensor(), Channel("x", LowPass(10.0, 1.0))))[:, 0] == pytest.approx(0.7, rel=1e-12)


def test_velocity_by_differences():
    f, rate = 7.0, 500.0
    rows = [(Sensor(rate=rate), Channel("q")), (Sensor(rate=rate), Channel("v", LowPass(25.0), of=0))]
    got = response(lambda x: measured(x, *rows)[:, 1], f, DT, rate)
    w = 2.0 * np.pi * f
    half_a_sample = np.sinc(f / rate) * np.exp(-1j * w / (2.0 * rate))
    wanted = 1j * w * half_a_sample / (1.0 + 1j * f / 25.0)
    assert abs(got) == pytest.approx(abs(wanted), rel=0.01)
    assert np.angle(got) == pytest.approx(np.angle(wanted), rel=0.01)


@pytest.mark.parametrize(("rate", "delay"), [(1000.0, 0.007), (250.0, 0.007), (250.0, 0.001), (1000.0, 0.0)])
def test_delay_and_hold(rate, delay):
    """Shown at a step is the newest sample that is at least `delay` old; at first the first one."""
    x = np.random.default_rng(0).normal(size=200)
    out = measured(x, (Sensor(rate=rate, delay=delay), Channel("x")))[:, 0]
    tick, late = round(1.0 / (rate * DT)), round(delay / DT)
    for i in range(200):
        assert out[i] == x[max((i - late) // tick * tick, 0)]


def test_rounding_to_the_nearest_increment():
    r = 2.0 * np.pi / 4096
    x = np.linspace(-1.0, 1.0, 200_001)
    out = measured(x, (Sensor(), Channel("x", resolution=r)))[:, 0]
    assert np.abs(out - x).max() <= r / 2 * (1 + 1e-12)
    np.testing.assert_allclose(out / r, np.round(out / r), atol=1e-9)
    assert (out - x).var() == pytest.approx(r * r / 12, rel=0.02)
    assert abs((out - x).mean()) < 1e-3 * r
    assert (measured(-x, (Sensor(), Channel("x", resolution=r)))[:, 0] == -out).all()


def test_range():
    x = np.linspace(-3.0, 3.0, 61)
    assert (measured(x, (Sensor(), Channel("x", range=1.5)))[:, 0] == np.clip(x, -1.5, 1.5)).all()


# --- declarations ---------------------------------------------------------------------------------------------------------


def bank_of(robot, *sensors, dt=DT, q=None, seed=0):
    wiring = wire(sensors, robot, robot.neutral() if q is None else q)
    pads = tuple(f"{foot.name}/{i}" for foot in robot.feet for i in range(2))
    return wiring, build_bank(wiring, pads, dt, seed)


def test_wiring_of_a_planar_robot():
    robot = robots.load("rabbit")
    sensors = (Encoders(resolution=1e-3), Attitude(bandwidth=50.0), FootForce(), Accelerometer(), Unmeasured(names=("base.x",)))
    wiring, bank = bank_of(robot, *sensors)
    names = [channel.name for _, channel in wiring.channels]
    assert names[:2] == ["q.hip_left", "v.hip_left"]
    assert {"q.base.pitch", "v.base.pitch", "q.base.x", "wrench.foot_left.my", "acceleration.torso.z"} <= set(names)
    assert len(columns(wiring)) == sum(array.size for array in seen_by(wiring))
    assert bank.channels.b.shape == (len(names), 5)


def test_wiring_in_space():
    robot = robots.load("johnnie")
    wiring, bank = bank_of(
        robot, Encoders(), Attitude(bandwidth=85.0, bias=(0.01, 0.0, 0.0)), FootForce(frames=("sole_left", "sole_right"))
    )
    names = [channel.name for _, channel in wiring.channels]
    assert len([name for name in names if name.startswith("q.")]) == 17 + 4
    assert len([name for name in names if name.startswith("wrench.")]) == 12
    assert bank.coordinates.quaternions.shape == (1, 3)
    assert "obs.wrench.foot_right.mz" in columns(wiring)


@pytest.mark.parametrize(
    ("sensors", "word"),
    [
        ((Encoders(rate=300.0),), "3.33333 steps of 0.001 s; that must be a whole number: take 333.3333333 or 250 1/s"),
        ((Encoders(rate=2000.0),), "take 1000 1/s"),
        ((Encoders(delay=0.0015),), "take 0.001 or 0.002 s"),
        ((Attitude(bandwidth=150.0),), "a tenth of the steps, 100 Hz"),
        ((Encoders(rate=100.0, cutoff=20.0),), "a cutoff of 20 Hz must be from 0.0001 Hz to a tenth of its rate, 10 Hz"),
        ((Encoders(), Encoders()), "Encoders: 'q.hip_left' is measured by Encoders already"),
        ((Attitude(noise=(1.0, 2.0)),), "noise must be one number, or 1 on this robot"),
        ((FootForce(frames=("torso",)),), "one for each of foot_left, foot_right, got torso"),
        ((Unmeasured(),), "names must be some of base.x"),
        (("eyes",), "must be a row of sensors"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(sensors, word):
    with pytest.raises(SensorError, match=word):
        bank_of(robots.load("rabbit"), *sensors)


def test_names_are_checked():
    with pytest.raises(UnknownNameError, match="knee_left"):
        bank_of(robots.load("rabbit"), Encoders(joints=("knee_lift",)))
    with pytest.raises(UnknownNameError, match="foot_left"):
        bank_of(robots.load("rabbit"), FootForce(feet=("foot_lift",)))
    with pytest.raises(SensorError, match="no floating base"):
        bank_of(robots.load("pendulum"), Attitude())
    with pytest.raises(SensorError, match="resolution must be"):
        Encoders(resolution=-1.0)
    with pytest.raises(UnknownNameError, match="differences, ideal"):
        Encoders(velocity="guess")
    with pytest.raises(SensorError, match="seed must be a whole number"):
        Encoders(seed=0.5)


# --- what is gathered -----------------------------------------------------------------------------------------------------


def sensed(robot, bank, wiring, q, v, force, point, gravity=9.81):
    """One step of the kernel; the bodies are where q puts them."""
    ev = Evaluation(robot)
    ev.fall(np.eye(robot.dim)[-1] * -gravity)
    ev.run(set_places, q)
    seen, nothing = seen_by(wiring), Kept(np.zeros((0, 0)), np.ones(1, np.int64))
    none = np.zeros(0, np.int64), np.zeros((0, robot.dim))
    truth = Truth(q, v, force, point, *none, ev.work.R_WB, ev.work.p_WB, ev.work.A_WB)
    sense_with_accelerometers[robot.space](bank, truth, seen, nothing, ev.tree, ev.work)
    return seen


@pytest.mark.parametrize(("name", "frames"), [("rabbit", ("foot_left", "foot_right")), ("johnnie", ("sole_left", "sole_right"))])
def test_forces_at_a_foot(name, frames):
    """Each force by itself, about the frame and in its axes, worked out with rotation matrices."""
    robot, rng = robots.load(name), np.random.default_rng(1)
    frames = frames if name == "johnnie" else ()
    wiring, bank = bank_of(robot, FootForce(frames=frames))
    q = kinematics.random_configuration(robot, 2)
    force, point = rng.normal(size=(2, 4, robot.dim))
    seen = sensed(robot, bank, wiring, q, np.zeros(robot.nv), force, point)
    for i, foot in enumerate(robot.feet):
        where = kinematics.pose(robot, q, frames[i] if frames else foot.pads[0].link)
        mine = slice(2 * i, 2 * i + 2)
        in_space = (lift(f) for f in force[mine]), (lift(p - where.position) for p in point[mine])
        f, m = np.zeros(3), np.zeros(3)
        for one, arm in zip(*in_space, strict=True):
            f, m = f + one, m + np.cross(arm, one)
        R = where.rotation if robot.dim == 3 else rotation(float(where.angle))
        f, m = R.T @ f, R.T @ m
        wanted = (*f, *m) if robot.dim == 3 else (f[0], f[2], m[1])
        np.testing.assert_allclose(seen.wrench[i], wanted, atol=1e-12)


@pytest.mark.parametrize("name", ["rabbit", "johnnie"])
def test_accelerometer(name):
    """At rest it shows gravity in its axes; in motion, gravity and the change of its frame's velocity over the step."""
    robot, rng = robots.load(name), np.random.default_rng(3)
    frame, q, v = "torso", kinematics.random_configuration(robot, 4), rng.normal(size=robot.nv)
    wiring, bank = bank_of(robot, Accelerometer(frame=frame))
    nothing = np.zeros((4, robot.dim))
    up = np.eye(robot.dim)[-1] * 9.81
    axes = lambda q: kinematics.pose(robot, q, frame).rotation  # noqa: E731
    first = sensed(robot, bank, wiring, q, v, nothing, nothing)
    np.testing.assert_allclose(first.acceleration[0], axes(q).T @ up, atol=1e-12)
    later, faster = kinematics.integrate(robot, q, 0.001 * v), v + 0.01 * rng.normal(size=robot.nv)
    second = sensed(robot, bank, wiring, later, faster, nothing, nothing)
    before, after = (kinematics.velocity(robot, *state, frame)[: robot.dim] for state in ((q, v), (later, faster)))
    np.testing.assert_allclose(second.acceleration[0], axes(later).T @ ((after - before) / DT + up), atol=1e-9)


def test_orientation_in_space():
    """A bias is a rotation about the link's own axes; a fast turn is seen late by what the low-pass takes."""
    robot = robots.load("johnnie")
    q, v, nothing = robot.neutral(), np.zeros(robot.nv), np.zeros((4, 3))
    q[3:7] = Rotation.from_rotvec((0.3, -0.5, 2.0)).as_quat(scalar_first=True)
    wiring, bank = bank_of(robot, Attitude(bias=(0.02, -0.01, 0.05), gyro_bias=0.1))
    seen = sensed(robot, bank, wiring, q, v, nothing, nothing)
    wrong = Rotation.from_quat(q[3:7], scalar_first=True).inv() * Rotation.from_quat(seen.q[3:7], scalar_first=True)
    np.testing.assert_allclose(wrong.as_rotvec(), (0.02, -0.01, 0.05), atol=1e-12)
    np.testing.assert_allclose(seen.v[3:6], 0.1, atol=1e-15)
    wiring, bank = bank_of(robot, Attitude(bandwidth=20.0))
    lag, spin = -np.angle(LowPass(20.0, np.sqrt(0.5)).response(0.5 * 3.0 / (2 * np.pi))) / 1.5, np.array((0.0, 0.0, 3.0))
    for i in range(300):
        q[3:7] = Rotation.from_rotvec(spin * i * DT).as_quat(scalar_first=True)
        seen = sensed(robot, bank, wiring, q, v, nothing, nothing)
    turned = Rotation.from_quat(seen.q[3:7], scalar_first=True).as_rotvec()
    np.testing.assert_allclose(turned, spin * (299 * DT - lag), atol=1e-6)


# --- ball joints ----------------------------------------------------------------------------------------------------------


def shown_hip(turns, dt=DT, seed=0, **given):
    """What an encoder shows of the left hip of a person that turns as given: rotations and angular velocities."""
    robot = robots.load("person")
    wiring, bank = bank_of(robot, Encoders(joints=("hip_left",), **given), dt=dt, seed=seed)
    i = robot.coordinates.index("hip_left.qw")
    d = next(k for k, name in enumerate(robot.velocities) if name.startswith("hip_left"))
    q, v, nothing = robot.neutral(), np.zeros(robot.nv), np.zeros((4, 3))
    found = []
    for turn in turns:
        q[i : i + 4] = turn.as_quat(scalar_first=True)
        seen = sensed(robot, bank, wiring, q, v, nothing, nothing)
        found.append((seen.q[i : i + 4].copy(), seen.v[d : d + 3].copy()))
    quaternions, rates = (np.array(rows) for rows in zip(*found, strict=True))
    return Rotation.from_quat(quaternions, scalar_first=True), rates


def test_a_ball_joint_is_off_by_a_rotation_about_the_axes_of_the_child():
    """Bias and noise are R exp(e), wherever the joint is: variance density^2 rate / 2 in each axis, axes independent."""
    away = Rotation.from_rotvec((0.7, -1.2, 1.6))
    seen, _ = shown_hip([away], bias=0.02)
    np.testing.assert_allclose((away.inv() * seen[0]).as_rotvec(), 0.02, atol=1e-12)
    density, n = 1e-4, 4000
    seen, _ = shown_hip([away] * n, noise=density)
    wrong = (away.inv() * seen).as_rotvec()
    assert wrong.var(axis=0) == pytest.approx(density**2 * 500.0, rel=4.0 * np.sqrt(2.0 / n))
    assert np.abs(np.corrcoef(wrong.T) - np.eye(3)).max() < 4.0 / np.sqrt(n)


def test_a_ball_joint_is_shown_in_whole_increments_of_its_rotation_vector():
    r, rng = 2.0 * np.pi / 4096, np.random.default_rng(0)
    turns = [Rotation.from_rotvec(rng.uniform(-1.0, 1.0, 3)) for _ in range(2000)]
    seen, _ = shown_hip(turns, resolution=r)
    vectors, true = seen.as_rotvec(), np.array([turn.as_rotvec() for turn in turns])
    np.testing.assert_allclose(vectors / r, np.round(vectors / r), atol=1e-8)
    assert np.abs(vectors - true).max() <= r / 2 * (1 + 1e-9)
    assert (vectors - true).var() == pytest.approx(r * r / 12, rel=0.1)


def test_velocity_of_a_ball_joint():
    """A turn at constant speed about any axis: exact, also where the rotation vector jumps at half a turn; by steps of r rate."""
    spin, first = np.array((3.0, -2.0, 5.0)), Rotation.from_rotvec((0.3, 2.0, -0.4))
    turns = [first * Rotation.from_rotvec(spin * i * DT) for i in range(800)]
    seen, rates = shown_hip(turns)
    np.testing.assert_allclose(rates[1:], np.broadcast_to(spin, (799, 3)), atol=1e-9)
    assert max((a.inv() * b).magnitude() for a, b in zip(turns, seen, strict=True)) < 1e-12
    _, rates = shown_hip(turns, cutoff=20.0)
    np.testing.assert_allclose(rates[-1], spin, rtol=1e-6)
    lag = -np.log(1.0 - rates[1:60, 2] / spin[2])  # a step behind a low-pass of first order: 1 - exp(-w t)
    np.testing.assert_allclose(np.diff(lag)[8:40], 2.0 * np.pi * 20.0 * DT, rtol=1e-6)
    r = 1e-3
    _, rates = shown_hip(turns, resolution=r)
    assert np.abs(rates[1:] - spin).max() < 3.0 * r / DT


@pytest.mark.parametrize(("rate", "delay"), [(1000.0, 0.007), (250.0, 0.008)])
def test_delay_and_hold_of_a_ball_joint(rate, delay):
    rng = np.random.default_rng(1)
    turns = [Rotation.from_rotvec(rng.normal(size=3)) for _ in range(60)]
    seen, _ = shown_hip(turns, rate=rate, delay=delay)
    tick, late = round(1.0 / (rate * DT)), round(delay / DT)
    for i in range(60):
        assert (turns[max((i - late) // tick * tick, 0)].inv() * seen[i]).magnitude() < 1e-12


def test_a_ball_joint_in_either_reading():
    """Compiled and plain agree, with noise and increments, to rounding: turns have products that may be fused."""
    robot = robots.load("person")
    given = {"resolution": 1e-3, "noise": 1e-4, "cutoff": 50.0}
    wiring = wire((Encoders(joints=("ankle_left",), **given),), robot, robot.neutral())
    one, two = (build_channels(wiring.channels, DT, 2, wiring.constants) for _ in range(2))
    x = 0.5 * np.sin(0.05 * np.arange(200))[:, None] * np.ones(len(wiring.channels))
    x[:, :3] = 0.0
    compiled = np.zeros_like(x)
    measure_series["spatial"](one, x, compiled)
    for i in range(len(x)):
        two.input[:] = x[i]
        measure.numeric("spatial")(two)
        np.testing.assert_allclose(two.output, compiled[i], rtol=1e-12, atol=1e-10)


def test_mirrored_robots_stay_mirrored():
    """Left and right of a symmetric stance show the same bits, mirrored, where noise is off."""
    robot = robots.load("johnnie")
    frames = ("sole_left", "sole_right")
    wiring, bank = bank_of(robot, FootForce(frames=frames, bandwidth=40.0, force_resolution=0.01), Encoders(resolution=1e-4))
    q, v, rng = robot.neutral(), np.zeros(robot.nv), np.random.default_rng(5)
    mirror = np.array((1, -1, 1, -1, 1, -1))
    left = [i for i, name in enumerate(robot.coordinates) if name.endswith("left")]
    right = [robot.coordinates.index(robot.coordinates[i].replace("left", "right")) for i in left]
    sign = np.array([-1.0 if "roll" in robot.coordinates[i] or "yaw" in robot.coordinates[i] else 1.0 for i in left])
    for _ in range(20):
        angles = rng.normal(0.0, 0.3, len(left))
        q[left], q[right] = angles, sign * angles
        force, point = rng.normal(0.0, 100.0, (2, 2, 3)), rng.normal(0.0, 0.1, (2, 2, 3))
        force, point = (np.concatenate((x[0], x[0] * (1, -1, 1))) for x in (force, point))
        seen = sensed(robot, bank, wiring, q, v, force, point)
        assert (seen.wrench[1] == seen.wrench[0] * mirror).all()
        assert (seen.q[right] == sign * seen.q[left]).all()


@pytest.mark.parametrize("study", reproduce.studies(["sensors"]))
def test_the_figures_hold(study):
    assert [row.quantity for row in reproduce.rows(study, reproduce.Setting(quick=True)) if not row.ok] == []


def test_a_trial_names_its_channels():
    with pytest.raises(UnknownNameError, match="q.hip_left"):
        trial(Encoders(), robots.load("rabbit"), "q.hip_lift", np.zeros(3))
