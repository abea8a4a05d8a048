"""From declared sensors to the arrays that the kernels read."""

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from footfall.core.sensors.channels import PURPOSES, TAPS, Channels
from footfall.core.sensors.sense import Accelerometers, Bank, Coordinates, Seen, Soles
from footfall.evaluate import Evaluation
from footfall.model.layout import lower
from footfall.model.robot import Robot
from footfall.sensors.foot_force import AXES
from footfall.sensors.low_pass import HIGHEST, LOWEST, LowPass
from footfall.sensors.sensor import Channel, Sensor, SensorError, Wiring

WHOLE = 1e-6  # of a step


def wire(sensors: tuple[Sensor, ...], robot: Robot, q: np.ndarray) -> Wiring:
    """The channels of all sensors; q is the start of the robot."""
    wiring = Wiring(robot, q)
    for sensor in sensors:
        if not isinstance(sensor, Sensor):
            raise SensorError(f"sensors must be a row of sensors, got {sensor!r:.60}")
        wiring.sensor = sensor
        sensor.wire(wiring)
    return wiring


def build_bank(wiring: Wiring, pads: tuple[str, ...], dt: float, seed: int) -> Bank:
    """The sensors of a robot with these pads, for steps of dt; noise is drawn from the seed and the name of the channel."""
    return Bank(
        channels=build_channels(wiring.channels, dt, seed, wiring.constants),
        coordinates=Coordinates(
            from_q=_pairs(wiring.from_q, 2),
            from_v=_pairs(wiring.from_v, 2),
            to_q=_pairs(wiring.to_q, 2),
            to_v=_pairs(wiring.to_v, 2),
            quaternions=_pairs(wiring.quaternions, 3),
            balls=_pairs(wiring.balls, 2),
        ),
        soles=_soles(wiring, pads),
        accelerometers=_accelerometers(wiring),
        dt=np.array([dt]),
    )


def seen_by(wiring: Wiring) -> Seen:
    """Room for what controllers see. Where nothing measures a wrench, there is none: not a number."""
    robot = wiring.robot
    return Seen(
        q=np.zeros(robot.nq),
        v=np.zeros(robot.nv),
        wrench=np.full((len(robot.feet), len(AXES[robot.dim])), np.nan),
        acceleration=np.full((len(wiring.accelerometers), robot.dim), np.nan),
    )


def columns(wiring: Wiring) -> tuple[str, ...]:
    """Names of all numbers that controllers see, in the order of `Seen`."""
    robot, axes = wiring.robot, "xz" if wiring.robot.dim == 2 else "xyz"
    wrenches = [f"wrench.{foot.name}.{axis}" for foot in robot.feet for axis in AXES[robot.dim]]
    accelerations = [f"acceleration.{frame}.{axis}" for _, frame in wiring.accelerometers for axis in axes]
    q, v = [f"q.{name}" for name in robot.coordinates], [f"v.{name}" for name in robot.velocities]
    return tuple(f"obs.{name}" for name in (*q, *v, *wrenches, *accelerations))


def build_channels(rows: list[tuple[Any, Channel]], dt: float, seed: int, constants: dict[int, float] | None = None) -> Channels:
    """Channels, each of a sensor."""
    n = len(rows)
    tick = np.array([_steps(sensor, "rate", 1.0 / (sensor.rate * dt), dt) for sensor, _ in rows], np.int64)
    late = np.array([_steps(sensor, "delay", sensor.delay / dt, dt) for sensor, _ in rows], np.int64)
    rate = np.array([sensor.rate for sensor, _ in rows])
    parts = [channel for _, channel in rows]
    filters = [_filter(sensor, part, sensor.rate if part.of >= 0 else 1.0 / dt) for sensor, part in rows]
    given = constants or {}
    return Channels(
        input=np.array([given.get(i, 0.0) for i in range(n)]),
        output=np.zeros(n),
        step=np.full(1, -1, np.int64),
        tick=tick,
        late=late,
        rate=rate,
        of=np.array([part.of for part in parts], np.int64),
        axis=np.array([part.axis for part in parts], np.int64),
        error=np.array([part.error for part in parts], np.int64),
        b=np.array([b for b, _ in filters]).reshape(n, TAPS),
        a=np.array([a for _, a in filters]).reshape(n, 2),
        u=np.zeros((n, TAPS - 1)),
        y=np.zeros((n, 2)),
        bias=np.array([part.bias for part in parts]),
        noise=np.array([part.noise for part in parts]) * np.sqrt(0.5 * rate),
        walk=np.array([part.drift for part in parts]) / np.sqrt(rate),
        drift=np.zeros(n),
        resolution=np.array([part.resolution for part in parts]),
        range=np.array([part.range for part in parts]),
        key=np.array([(seed, zlib.crc32(part.name.encode())) for part in parts], np.int64).reshape(n, 2),
        salt=np.array([PURPOSES * sensor.seed for sensor, _ in rows], np.int64),
        sample=np.zeros(n),
        before=np.zeros(n),
        ring=np.zeros((n, int((late // tick).max(initial=0)) + 1)),
    )


def _steps(sensor: Sensor, name: str, steps: float, dt: float) -> int:
    """A time in steps: a whole number, or it is refused."""
    whole = max(round(steps), 1 if name == "rate" else 0)
    if abs(steps - whole) <= WHOLE * max(whole, 1):
        return whole
    near = sorted({max(int(steps), 1 if name == "rate" else 0), int(steps) + 1})
    values = " or ".join(f"{1.0 / (n * dt) if name == 'rate' else n * dt:.10g}" for n in near)
    unit = "1/s" if name == "rate" else "s"
    raise SensorError(
        f"{type(sensor).__name__}: a {name} of {getattr(sensor, name):g} {unit} is {steps:.6g} steps of {dt:g} s; that must be a "
        f"whole number: take {values} {unit}"
    )


def _filter(sensor: Sensor, channel: Channel, rate: float) -> tuple[np.ndarray, np.ndarray]:
    """Numerator and denominator at so many steps a second."""
    low_pass: LowPass | None = channel.low_pass
    if low_pass is None:
        return np.eye(TAPS)[0], np.zeros(2)
    if not LOWEST * rate <= low_pass.bandwidth <= HIGHEST * rate * (1.0 + WHOLE):
        what, often = ("cutoff", "its rate") if channel.of >= 0 else ("bandwidth", "the steps")
        raise SensorError(
            f"{type(sensor).__name__}: a {what} of {low_pass.bandwidth:g} Hz must be from {LOWEST * rate:g} Hz "
            f"to a tenth of {often}, {HIGHEST * rate:g} Hz"
        )
    return low_pass.steps(rate)


def _pairs(rows: Sequence[tuple[int, ...]], width: int) -> np.ndarray:
    return np.array(rows, np.int64).reshape(len(rows), width)


def _mounted(robot: Robot, frames: list[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bodies, places and axes of frames."""
    targets, ev = [robot.target(name) for name in frames], Evaluation(robot)
    body = np.array([target.body for target in targets], np.int64)
    at = np.array([lower(target.place, robot.space) for target in targets]).reshape(len(targets), robot.dim)
    turn = np.zeros((len(targets), ev.algebra.ROTATION))
    for i, target in enumerate(targets):
        turn[i] = target.axes.ravel() if robot.dim == 3 else _planar_turn(target.axes)
    return body, at, turn


def _planar_turn(axes: np.ndarray) -> tuple[float, float, float]:
    c, s = axes[0, 0], axes[0, 2]
    return c, s, float(np.arctan2(s, c))


def _soles(wiring: Wiring, pads: tuple[str, ...]) -> Soles:
    robot, rows = wiring.robot, wiring.soles
    body, at, turn = _mounted(robot, [frame for *_, frame in rows])
    sensor_of = {robot.feet[foot].name: i for i, (_, foot, _) in enumerate(rows)}
    return Soles(
        channel=np.array([channel for channel, *_ in rows], np.int64),
        row=np.array([foot for _, foot, _ in rows], np.int64),
        body=body,
        at=at,
        R_BS=turn,
        foot=np.array([sensor_of.get(name.split("/")[0], -1) for name in pads], np.int64),
        wrench=np.zeros((len(rows), len(AXES[robot.dim]))),
    )


def _accelerometers(wiring: Wiring) -> Accelerometers:
    body, at, turn = _mounted(wiring.robot, [frame for _, frame in wiring.accelerometers])
    n, dim = len(body), wiring.robot.dim
    channel = np.array([channel for channel, _ in wiring.accelerometers], np.int64)
    return Accelerometers(channel, np.arange(n), body, at, turn, np.zeros((n, dim)), np.zeros((n, dim)))
