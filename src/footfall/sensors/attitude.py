"""The attitude of a floating base, as an inertial measurement unit (IMU) measures it."""

from dataclasses import dataclass
from math import inf, sqrt

from footfall.model.quantity import ROW, SCALAR, quantity
from footfall.sensors.sensor import Channel, Sensor, SensorError, Wiring


@dataclass(frozen=True)
class Attitude(Sensor):
    """Orientation and angular velocity of the link that floats, both with the same bandwidth.

    In the plane that is the pitch and its rate; in space the quaternion, and the angular velocity in the link's axes. Errors of
    the orientation are a rotation about the link's axes. One number for a bias or a noise is meant for every axis.
    """

    bandwidth: float = quantity("Hz", "where the magnitude is 1/sqrt(2)", inf, low=1e-3, infinite=True)
    damping: float = quantity("1", "of the low-pass of second order", sqrt(0.5), low=0.1, high=10.0)
    bias: float | tuple[float, ...] = quantity("rad", "constant error of the orientation", 0.0, shape=[SCALAR, ROW])
    noise: float | tuple[float, ...] = quantity(
        "rad/sqrt(Hz)", "noise density of the orientation", 0.0, low=0.0, shape=[SCALAR, ROW]
    )
    drift: float | tuple[float, ...] = quantity(
        "rad/sqrt(s)", "random walk of the orientation", 0.0, low=0.0, shape=[SCALAR, ROW]
    )
    gyro_bias: float | tuple[float, ...] = quantity("rad/s", "constant error of the angular velocity", 0.0, shape=[SCALAR, ROW])
    gyro_noise: float | tuple[float, ...] = quantity(
        "rad/s/sqrt(Hz)", "noise density of the angular velocity", 0.0, low=0.0, shape=[SCALAR, ROW]
    )
    gyro_drift: float | tuple[float, ...] = quantity(
        "rad/s/sqrt(s)", "random walk of its bias", 0.0, low=0.0, shape=[SCALAR, ROW]
    )

    def wire(self, wiring: Wiring) -> None:
        robot, low_pass = wiring.robot, self.second_order(self.bandwidth, self.damping)
        floating = [i for i, joint in enumerate(robot.layout.joints, 1) if joint.kind in ("free", "planar")]
        if not floating:
            raise SensorError(
                f"Attitude: {robot.name!r} has no floating base (no planar or free joint); use Encoders at its joints"
            )
        base, axes = floating[0], 2 * robot.dim - 3
        j, d = int(robot.tree.first_q[base]) + robot.dim, int(robot.tree.first_v[base]) + robot.dim
        errors, gyro_errors = self.errors(axes), self.errors(axes, "gyro_")
        if robot.dim == 2:
            pitch = wiring.add(Channel(f"q.{robot.coordinates[j]}", low_pass, **errors[0]))
            wiring.from_q.append((pitch, j))
            wiring.to_q.append((pitch, j))
        else:
            parts = [wiring.add(Channel(f"q.{robot.coordinates[j + k]}", low_pass)) for k in range(4)]
            wiring.from_q += [(channel, j + k) for k, channel in enumerate(parts)]
            wrong = [wiring.add(Channel(f"error.{robot.velocities[d + k]}", None, **errors[k])) for k in range(3)]
            wiring.quaternions.append((parts[0], wrong[0], j))
        for k in range(axes):
            rate = wiring.add(Channel(f"v.{robot.velocities[d + k]}", low_pass, **gyro_errors[k]))
            wiring.from_v.append((rate, d + k))
            wiring.to_v.append((rate, d + k))
