"""Forces and moments at the feet."""

from dataclasses import dataclass
from math import inf, sqrt

from footfall.model.quantity import quantity, words
from footfall.sensors.sensor import Channel, Sensor, SensorError, Wiring

AXES = {2: ("fx", "fz", "my"), 3: ("fx", "fy", "fz", "mx", "my", "mz")}


@dataclass(frozen=True)
class FootForce(Sensor):
    """A force-torque sensor in each foot: six numbers in space, three in the plane.

    Forces and moments are in the axes of the sensor, moments about its origin. It sits at a frame or link of the robot
    and measures the ground reaction force on the pads of its foot, without the weight of the foot itself.
    """

    bandwidth: float = quantity("Hz", "where the magnitude is 1/sqrt(2)", inf, low=1e-3, infinite=True)
    damping: float = quantity("1", "of the low-pass of second order", sqrt(0.5), low=0.1, high=10.0)
    force_bias: float = quantity("N", "constant error of every force", 0.0)
    force_noise: float = quantity("N/sqrt(Hz)", "noise density of forces", 0.0, low=0.0)
    force_resolution: float = quantity("N", "smallest step of forces; 0 for none", 0.0, low=0.0)
    force_range: float = quantity("N", "largest force", inf, low=0.0, infinite=True)
    moment_bias: float = quantity("N m", "constant error of every moment", 0.0)
    moment_noise: float = quantity("N m/sqrt(Hz)", "noise density of moments", 0.0, low=0.0)
    moment_resolution: float = quantity("N m", "smallest step of moments; 0 for none", 0.0, low=0.0)
    moment_range: float = quantity("N m", "largest moment", inf, low=0.0, infinite=True)
    feet: tuple[str, ...] = words("names of the feet; all of them if left out", ())
    frames: tuple[str, ...] = words("where the sensors sit, one for each foot; left out, the links that carry the feet", ())

    def wire(self, wiring: Wiring) -> None:
        robot, feet = wiring.robot, [foot.name for foot in wiring.robot.feet]
        chosen = self.chosen("feet", self.feet, feet)
        if not chosen:
            raise SensorError(f"FootForce: {robot.name!r} has no feet")
        frames = list(self.chosen("frames", self.frames, robot.layout.targets)) if self.frames else []
        if frames and len(frames) != len(chosen):
            raise SensorError(f"FootForce: frames must name one for each of {', '.join(chosen)}, got {', '.join(frames)}")
        low_pass = self.second_order(self.bandwidth, self.damping)
        force = (self.force_bias, self.force_noise, 0.0, self.force_resolution, self.force_range)
        moment = (self.moment_bias, self.moment_noise, 0.0, self.moment_resolution, self.moment_range)
        for i, name in enumerate(chosen):
            row = feet.index(name)
            frame = frames[i] if frames else robot.feet[row].pads[0].link
            parts = [
                Channel(f"wrench.{name}.{axis}", low_pass, *(force if axis[0] == "f" else moment)) for axis in AXES[robot.dim]
            ]
            first, *_ = [wiring.add(part) for part in parts]
            wiring.soles.append((first, row, frame))
