"""Sensors do what they declare: bandwidth and damping, delay, noise, resolution."""

from collections.abc import Iterator

import numpy as np

from footfall import robots
from footfall.reproduce import Row, Setting
from footfall.sensors import Attitude, Encoders, FootForce, LowPass, Sensor
from footfall.sensors.trial import frequency_response, trial

DT = 1e-3
TIMES = (0.3, 0.9, 1.6)  # of the bandwidth; at 1 and 2 the filters are fitted, so these say more
SAMPLES = 400_000


def response(_: Setting) -> Iterator[Row]:
    """Magnitude and phase of a sine, from below to above the bandwidth, at the rate of the sensor; steps of 1 ms."""
    johnnie, attitude = robots.load("johnnie"), Attitude(bandwidth=85.0)
    yield from _bode("attitude of JOHNNIE, 85 Hz", attitude, "q.base.qx", LowPass(85.0, attitude.damping))
    yield from _bode("its angular velocity", attitude, "v.base.wy", LowPass(85.0, attitude.damping))
    foot, low_pass = FootForce(bandwidth=40.0, damping=0.5, rate=500.0, delay=0.004), LowPass(40.0, 0.5)
    yield from _bode("force at a foot, 40 Hz, damping 0.5, 4 ms late", foot, "wrench.foot_left.fz", low_pass)
    encoders, slow = Encoders(cutoff=30.0), LowPass(30.0)
    for f in (3.0, 10.0, 30.0):
        w = 2.0 * np.pi * f
        wanted = 1j * w * np.sinc(f * DT) * np.exp(-0.5j * w * DT) * slow.response(f)  # a difference lags by half a sample
        show = lambda x: trial(encoders, johnnie, "q.knee_left", x, shown="v.knee_left", dt=DT)  # noqa: E731
        yield from _beside(
            f"velocity by differences, cut off at 30 Hz, at {f:g} Hz", wanted, frequency_response(show, f, 1e3, DT)
        )


def _bode(title: str, sensor: Sensor, channel: str, low_pass: LowPass) -> Iterator[Row]:
    robot = robots.load("johnnie")
    for times in TIMES:
        f = times * low_pass.bandwidth
        measured = frequency_response(lambda x: trial(sensor, robot, channel, x, dt=DT), f, sensor.rate, DT)
        late = 360.0 * f * sensor.delay
        yield from _beside(f"{title}: at {f:g} Hz", low_pass.response(f), measured, late)


def _beside(title: str, wanted: complex, measured: complex, late: float = 0.0) -> Iterator[Row]:
    """Both, each within 1 %; a delay takes `late` degrees of phase more."""
    yield Row(f"{title}, magnitude", "1", abs(wanted), abs(measured), 0.01 * abs(wanted))
    declared = float(np.degrees(np.angle(wanted))) - late
    phase = declared + float(np.degrees(np.angle(measured * np.exp(-1j * np.radians(declared)))))
    yield Row(f"{title}, phase", "degree", declared, phase, 0.01 * abs(declared))


def noise(setting: Setting) -> Iterator[Row]:
    """Variance of the samples, density over the frequencies, spread of a bias that walks, and how alike two axes are."""
    robot, density = robots.load("johnnie"), 3e-4
    n = SAMPLES // (4 if setting.quick else 1)
    for rate in (1000.0, 250.0):
        sensor = Attitude(gyro_noise=density, rate=rate)
        x, y = (
            trial(sensor, robot, f"v.base.{axis}", np.zeros(round(n / (rate * DT))), dt=DT, seed=setting.seed)[
                :: round(1 / (rate * DT))
            ]
            for axis in ("wx", "wy")
        )
        wanted = density**2 * rate / 2.0
        yield Row(f"gyroscope, 3e-4 rad/s/sqrt(Hz) at {rate:g} 1/s: variance", "rad2/s2", wanted, float(x.var()), 0.02 * wanted)
        pieces = np.abs(np.fft.rfft(x[: len(x) // 64 * 64].reshape(-1, 64) * np.hanning(64))) ** 2
        spectrum = np.sqrt(2.0 * pieces.mean(axis=0) / (rate * (np.hanning(64) ** 2).sum()))[2:-2]
        off = float(np.abs(spectrum / density - 1.0).max())
        yield Row(f"density at {len(spectrum)} frequencies: largest deviation", "1", 0.0, off, 0.1, how="up to half the rate")
        alike = abs(float(np.corrcoef(x, y)[0, 1]))
        yield Row("correlation of two axes", "1", 0.0, alike, 4.0 / np.sqrt(n), how="four standard deviations")
    drift, seconds, many = 1e-3, 10.0, 400 if setting.quick else 2000
    sensor = Attitude(gyro_drift=drift, rate=100.0)
    ends = [trial(sensor, robot, "v.base.wx", np.zeros(1001), dt=0.01, seed=setting.seed + i)[-1] for i in range(many)]
    wanted = drift**2 * seconds
    found, may = float(np.var(ends)), 4.0 * np.sqrt(2.0 / many)
    yield Row(
        "bias that walks: variance after 10 s", "rad2/s2", wanted, found, may * wanted, how=f"{many} seeds, four deviations"
    )


def delay(_: Setting) -> Iterator[Row]:
    """Delay of a sensor."""
    robot, x = robots.load("johnnie"), np.random.default_rng(0).normal(size=4000)
    for rate, seconds in ((1000.0, 0.0), (1000.0, 0.007), (250.0, 0.012)):
        shown = trial(Attitude(rate=rate, delay=seconds), robot, "v.base.wx", x, dt=DT)
        every = round(1.0 / (rate * DT))
        lags = [k for k in range(40) if (shown[40::every] == x[40 - k : 4000 - k : every]).all()]
        yield Row(f"delay of {1e3 * seconds:g} ms at {rate:g} 1/s", "s", seconds, lags[0] * DT if lags else np.nan, 0.0)


def resolution(_: Setting) -> Iterator[Row]:
    """Errors of an encoder with 4096 increments a turn, along a slow motion."""
    robot, r = robots.load("johnnie"), 2.0 * np.pi / 4096
    x = np.linspace(-1.0, 1.0, 200_001)
    wrong = trial(Encoders(resolution=r), robot, "q.knee_left", x, dt=DT) - x
    yield Row("largest error", "rad", r / 2, float(np.abs(wrong).max()), 1e-12, "<=")
    yield Row("variance of the error", "rad2", r * r / 12, float(wrong.var()), 0.02 * r * r / 12)
    yield Row("mean error, in increments", "1", 0.0, abs(float(wrong.mean())) / r, 1e-3)


STUDIES = {"response": response, "noise": noise, "delay": delay, "resolution": resolution}
