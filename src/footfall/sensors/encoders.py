"""Encoders: angles in whole increments, velocities as differences of these."""

from dataclasses import dataclass
from math import inf

from footfall.model.quantity import choice, quantity, words
from footfall.sensors.low_pass import LowPass
from footfall.sensors.sensor import Channel, Sensor, SensorError, Wiring

MEASURED = ("revolute", "prismatic", "spherical")


@dataclass(frozen=True)
class Encoders(Sensor):
    """Angles of hinges (displacements of slides, orientations of ball joints) in whole increments, and their velocities.

    The velocity is the difference of two samples times the rate, behind a low-pass of first order if `cutoff` says so. Without
    one it comes in steps of resolution times rate, and lags by half a sample.

    A ball joint is measured as a rotation: bias and noise e turn it about the axes of the child, R exp(e); the rotation vector
    log(R exp(e)) is shown in whole increments; its velocity is log(R_before^T R) times the rate, in the axes of the child.
    """

    resolution: float = quantity(
        "rad", "one increment (m where a joint slides); 0 for a continuous angle", 0.0, low=0.0, high=1.0
    )
    bias: float = quantity("rad", "constant error of every angle, or about every axis of a ball joint", 0.0)
    noise: float = quantity("rad/sqrt(Hz)", "noise density of every angle, before it is rounded", 0.0, low=0.0)
    velocity: str = choice("from differences of the angles, or as it is", "differences", ("differences", "ideal"))
    cutoff: float = quantity(
        "Hz", "bandwidth of the velocity's low-pass, at most a tenth of the rate", inf, low=1e-3, infinite=True
    )
    joints: tuple[str, ...] = words("names of the joints; all driven hinges, slides and ball joints if left out", ())

    def wire(self, wiring: Wiring) -> None:
        robot = wiring.robot
        found = {joint.name: i for i, joint in enumerate(robot.layout.joints, 1) if joint.kind in MEASURED}
        names = self.chosen("joints", self.joints, found)
        if not self.joints:
            names = [name for name in names if robot.layout.joints[found[name] - 1].motor]
            if not names:
                which = f"no hinge, slide or ball joint of {robot.name!r} is driven; name its joints: {', '.join(found)}"
                raise SensorError(f"Encoders: {which if found else f'{robot.name!r} has no hinges, slides or ball joints'}")
        for name in names:
            ball = robot.layout.joints[found[name] - 1].kind == "spherical"
            (self.wire_ball if ball else self.wire_hinge)(wiring, name, found[name])

    def wire_hinge(self, wiring: Wiring, name: str, body: int) -> None:  # noqa: ARG002
        robot = wiring.robot
        j, d = int(robot.tree.first_q[body]), int(robot.tree.first_v[body])
        angle = wiring.add(Channel(f"q.{robot.coordinates[j]}", bias=self.bias, noise=self.noise, resolution=self.resolution))
        wiring.from_q.append((angle, j))
        wiring.to_q.append((angle, j))
        self.wire_rate(wiring, d, angle, -1)

    def wire_ball(self, wiring: Wiring, name: str, body: int) -> None:
        """Three channels of errors, then the rotation vector, then its rates."""
        robot, tree = wiring.robot, wiring.robot.tree
        j, d = int(tree.first_q[body]), int(tree.first_v[body])
        errors = [wiring.add(Channel(f"error.{robot.velocities[d + k]}", None, self.bias, self.noise)) for k in range(3)]
        turn = [
            wiring.add(Channel(f"turn.{name}.{axis}", resolution=self.resolution, axis=k, error=errors[0]))
            for k, axis in enumerate("xyz")
        ]
        wiring.balls.append((turn[0], j))
        for k in range(3):
            self.wire_rate(wiring, d + k, turn[0], k)

    def wire_rate(self, wiring: Wiring, d: int, angle: int, axis: int) -> None:
        """A velocity from differences of the angle; or none, so that it is seen as it is."""
        if self.velocity == "differences":
            low_pass = None if self.cutoff == inf else LowPass(self.cutoff)
            rate = wiring.add(Channel(f"v.{wiring.robot.velocities[d]}", low_pass, of=angle, axis=axis))
            wiring.from_v.append((rate, d))
            wiring.to_v.append((rate, d))
