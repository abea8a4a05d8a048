"""Accelerometers."""

from dataclasses import dataclass
from math import inf, sqrt

from footfall.model.quantity import ROW, SCALAR, note, quantity
from footfall.sensors.sensor import Channel, Sensor, SensorError, Wiring


@dataclass(frozen=True)
class Accelerometer(Sensor):
    """Specific force at a frame or link, in its axes: acceleration less gravity, so that at rest it shows g upward.

    It measures the mean since the step before, impacts included. One number for a bias or a noise is meant for every axis.
    """

    frame: str = note("the frame or link that carries it; left out, the link that floats", "")
    bandwidth: float = quantity("Hz", "where the magnitude is 1/sqrt(2)", inf, low=1e-3, infinite=True)
    damping: float = quantity("1", "of the low-pass of second order", sqrt(0.5), low=0.1, high=10.0)
    bias: float | tuple[float, ...] = quantity("m/s2", "constant error", 0.0, shape=[SCALAR, ROW])
    noise: float | tuple[float, ...] = quantity("m/s2/sqrt(Hz)", "noise density", 0.0, low=0.0, shape=[SCALAR, ROW])
    drift: float | tuple[float, ...] = quantity("m/s2/sqrt(s)", "random walk of the bias", 0.0, low=0.0, shape=[SCALAR, ROW])
    range: float = quantity("m/s2", "largest specific force", inf, low=0.0, infinite=True)

    def wire(self, wiring: Wiring) -> None:
        robot = wiring.robot
        frames = [name for name, target in robot.layout.targets.items() if target.body > 0]
        if not self.frame and not robot.layout.joints:
            raise SensorError(f"Accelerometer: nothing of {robot.name!r} moves")
        frame = self.chosen("frame", (self.frame,), frames)[0] if self.frame else robot.layout.joints[0].child
        axes, low_pass = "xz" if robot.dim == 2 else "xyz", self.second_order(self.bandwidth, self.damping)
        parts = [
            Channel(f"acceleration.{frame}.{axis}", low_pass, **wrong, range=self.range)
            for axis, wrong in zip(axes, self.errors(len(axes)), strict=True)
        ]
        first, *_ = [wiring.add(part) for part in parts]
        wiring.accelerometers.append((first, frame))
