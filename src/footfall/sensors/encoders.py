"""Encoders: angles in whole increments, velocities as differences of these."""

from dataclasses import dataclass
from math import inf

from footfall.model.quantity import choice, quantity, words
from footfall.sensors.low_pass import LowPass
from footfall.sensors.sensor import Channel, Sensor, SensorError, Wiring


@dataclass(frozen=True)
class Encoders(Sensor):
    """Angles of hinges (displacements of slides) in whole increments, and their velocities.

    The velocity is the difference of two samples times the rate, behind a low-pass of first order if `cutoff` says so. Without
    one it comes in steps of resolution times rate, and lags by half a sample.
    """

    resolution: float = quantity(
        "rad", "one increment (m where a joint slides); 0 for a continuous angle", 0.0, low=0.0, high=1.0
    )
    velocity: str = choice("from differences of the angles, or as it is", "differences", ("differences", "ideal"))
    cutoff: float = quantity(
        "Hz", "bandwidth of the velocity's low-pass, at most a tenth of the rate", inf, low=1e-3, infinite=True
    )
    joints: tuple[str, ...] = words("names of the joints; all driven hinges and slides if left out", ())

    def wire(self, wiring: Wiring) -> None:
        robot, tree = wiring.robot, wiring.robot.tree
        hinges = {joint.name: i for i, joint in enumerate(robot.layout.joints, 1) if joint.kind in ("revolute", "prismatic")}
        names = self.chosen("joints", self.joints, hinges)
        if not self.joints:
            names = [name for name in names if robot.layout.joints[hinges[name] - 1].motor]
            if not names:
                which = f"no hinge of {robot.name!r} is driven; name its joints: {', '.join(hinges)}"
                raise SensorError(f"Encoders: {which if hinges else f'{robot.name!r} has neither hinges nor slides'}")
        for name in names:
            j, d = int(tree.first_q[hinges[name]]), int(tree.first_v[hinges[name]])
            angle = wiring.add(Channel(f"q.{robot.coordinates[j]}", resolution=self.resolution))
            wiring.from_q.append((angle, j))
            wiring.to_q.append((angle, j))
            if self.velocity == "differences":
                low_pass = None if self.cutoff == inf else LowPass(self.cutoff)
                rate = wiring.add(Channel(f"v.{robot.velocities[d]}", low_pass, of=angle))
                wiring.from_v.append((rate, d))
                wiring.to_v.append((rate, d))
