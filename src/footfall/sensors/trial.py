"""A sensor by itself, without a simulation: its answer to a given signal."""

from collections.abc import Callable

import numpy as np

from footfall.core.sensors.channels import measure_series
from footfall.errors import UnknownNameError
from footfall.model.robot import Robot
from footfall.sensors.bank import build_channels, wire
from footfall.sensors.sensor import Sensor


def trial(
    sensor: Sensor, robot: Robot, given: str, signal: np.ndarray, *, shown: str = "", dt: float = 1e-3, seed: int = 0
) -> np.ndarray:
    """The values that the sensor shows at every step of dt, if the true value of `given` is the signal.

    Channels have the names of the measured quantities: `q.base.pitch`, `v.knee_left`, `wrench.foot_left.fz`. `shown` is another
    channel, such as the velocity that an encoder computes from an angle.
    """
    wiring = wire((sensor,), robot, robot.neutral())
    names = [channel.name for _, channel in wiring.channels]
    for name in (given, shown or given):
        if name not in names:
            raise UnknownNameError(f"channel (of {type(sensor).__name__} on {robot.name!r})", name, names)
    channels = build_channels(wiring.channels, dt, seed, wiring.constants)
    inputs = np.zeros((len(signal), len(names)))
    inputs[:, names.index(given)] = signal
    outputs = np.zeros_like(inputs)
    measure_series[robot.space](channels, inputs, outputs)
    return outputs[:, names.index(shown or given)].copy()


def frequency_response(show: Callable[[np.ndarray], np.ndarray], frequency: float, rate: float, dt: float = 1e-3) -> complex:
    """Gain and phase, as a complex number, with which show(signal) follows a sine; from its samples after it has settled."""
    count, every = int(np.ceil(max(60.0 / frequency, 1.0) / dt)), round(1.0 / (rate * dt))
    angle = 2.0 * np.pi * frequency * dt * np.arange(count)
    late = slice(count // 2 // every * every, None, every)
    sine_and_cosine = np.column_stack((np.sin(angle[late]), np.cos(angle[late])))
    (s, c), *_ = np.linalg.lstsq(sine_and_cosine, show(np.sin(angle))[late], rcond=None)
    return complex(s, c)
