"""The base of sensors: a frozen dataclass whose fields are its parameters, so that it can be saved with a run."""

from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from footfall.errors import FootfallError, UnknownNameError
from footfall.model.quantity import check_quantities, count, quantity
from footfall.model.robot import Robot
from footfall.sensors.low_pass import LowPass


class SensorError(FootfallError):
    """A sensor that makes no sense, or not on this robot."""


@dataclass(frozen=True)
class Channel:
    """One measured number, and what becomes of it before controllers see it."""

    name: str
    low_pass: LowPass | None = None
    bias: float = 0.0
    noise: float = 0.0  # density, unit/sqrt(Hz)
    drift: float = 0.0  # random walk of the bias, unit/sqrt(s)
    resolution: float = 0.0
    range: float = inf
    of: int = -1  # the channel whose differences it takes
    axis: int = -1  # its place in a rotation vector, if it is a part of one
    error: int = -1  # the first of the channels of a rotation by which this one is off


@dataclass
class Wiring:
    """The channels of a robot's sensors; each adds its own with `Sensor.wire`."""

    robot: Robot
    q: np.ndarray  # at the start
    sensor: Any = None  # the one that is being wired
    channels: list[tuple[Any, Channel]] = field(default_factory=list)
    constants: dict[int, float] = field(default_factory=dict)  # inputs that never change
    from_q: list[tuple[int, int]] = field(default_factory=list)  # channel and coordinate
    from_v: list[tuple[int, int]] = field(default_factory=list)
    to_q: list[tuple[int, int]] = field(default_factory=list)
    to_v: list[tuple[int, int]] = field(default_factory=list)
    quaternions: list[tuple[int, int, int]] = field(default_factory=list)
    balls: list[tuple[int, int]] = field(default_factory=list)  # first channel, coordinate
    soles: list[tuple[int, int, str]] = field(default_factory=list)  # first channel, foot, frame
    accelerometers: list[tuple[int, str]] = field(default_factory=list)  # first channel, frame
    contacts: bool = True  # whether controllers see forces and modes of contacts

    def add(self, channel: Channel) -> int:
        """One more channel; two sensors for the same thing are refused."""
        for other, known in self.channels:
            if known.name == channel.name:
                here, there = type(self.sensor).__name__, type(other).__name__
                raise SensorError(f"{here}: {channel.name!r} is measured by {there} already; one sensor for each")
        self.channels.append((self.sensor, channel))
        return len(self.channels) - 1


@dataclass(frozen=True)
class Sensor:
    """Any sensor: it takes samples at its own rate, and shows each after a delay, until the next one comes."""

    rate: float = quantity("1/s", "samples a second; a whole number of steps each", 1000.0, low=0.01, high=1e6)
    delay: float = quantity("s", "from a sample to when controllers see it; a whole number of steps", 0.0, low=0.0, high=1.0)
    seed: int = count("of its own noise, besides that of the study", 0, high=2**30)

    def __post_init__(self) -> None:
        check_quantities(self, type(self).__name__, SensorError)

    def wire(self, wiring: Wiring) -> None:  # noqa: ARG002
        """Add the channels that this sensor measures."""
        raise SensorError(f"{type(self).__name__} does not say what it measures")

    # --- help for those that do -------------------------------------------------------------------------------------------

    def per_axis(self, name: str, count: int) -> np.ndarray:
        """A parameter as a number for each axis: a single number is meant for all of them."""
        value = np.atleast_1d(np.array(getattr(self, name), dtype=float))
        if len(value) not in (1, count):
            raise SensorError(f"{type(self).__name__}: {name} must be one number, or {count} on this robot, got {value.tolist()}")
        return np.broadcast_to(value, (count,))

    def errors(self, axes: int, prefix: str = "") -> list[dict[str, Any]]:
        """Bias, noise and drift of the channel of every axis."""
        rows = {name: self.per_axis(prefix + name, axes).tolist() for name in ("bias", "noise", "drift")}
        return [{name: row[k] for name, row in rows.items()} for k in range(axes)]

    def second_order(self, bandwidth: float, damping: float) -> LowPass | None:
        return None if bandwidth == inf else LowPass(bandwidth, damping)

    def chosen(self, what: str, names: tuple[str, ...], known: Any) -> list[str]:
        """Names that a sensor was given, each checked; all that are known if none was."""
        for name in names:
            if name not in known:
                raise UnknownNameError(f"name (in {what} of {type(self).__name__})", name, known)
        return list(names) or list(known)
