"""The sensors of a walking machine such as JOHNNIE, for any robot with a floating base, joints of any kind, and feet.

Known of JOHNNIE, from the paper: incremental encoders at all joints, force-torque sensors of six axes in both feet, and an
attitude sensor of accelerometers and gyroscopes at the upper body, with a bandwidth of about 85 Hz. Assumed are all errors:
encoders of 1e-4 rad at the joint, velocities behind 80 Hz; an orientation that is off by 0.1 degree about every axis; rates with
a noise of 0.01 rad/s in each sample, specific forces with 0.05 m/s2 and off by 0.05 m/s2; forces with 1 N and off by 1 N, up to
2 kN or five times the weight, moments with 0.05 N m and off by 0.05 N m, at 100 Hz; samples 1000 times a second. The sensors are
on the pelvis. Ball joints have the increments of 1e-4 rad in all entries of their rotation vector.
"""

from math import radians, sqrt
from typing import Any

from footfall.model.robot import Robot
from footfall.sensors.accelerometer import Accelerometer
from footfall.sensors.attitude import Attitude
from footfall.sensors.encoders import MEASURED, Encoders
from footfall.sensors.foot_force import FootForce
from footfall.sensors.sensor import Sensor, SensorError
from footfall.sensors.unmeasured import Unmeasured

RATE = 1000.0  # 1/s
BANDWIDTH = 85.0  # Hz, of the attitude sensor


def density(deviation: float) -> float:
    """The noise density of samples with this standard deviation."""
    return deviation * sqrt(2.0 / RATE)


def walker_sensors(robot: Robot, delay: float = 0.0) -> tuple[Sensor, ...]:
    """Sensors that leave no true value to controllers: neither the place of the robot nor its contacts; all with a delay in s."""
    floating = [joint.name for joint in robot.layout.joints if joint.kind in ("free", "planar")]
    if len(floating) != 1 or not robot.feet:
        has = f"{len(floating)} floating bases and {len(robot.feet)} feet"
        raise SensorError(f"sensors of a walker: robot {robot.name!r} must have one floating base, and feet; it has {has}")
    common: dict[str, Any] = {"rate": RATE, "delay": delay}
    joints = tuple(joint.name for joint in robot.layout.joints if joint.kind in MEASURED)
    return (
        Encoders(**common, resolution=1e-4, cutoff=80.0, joints=joints),
        Attitude(**common, bandwidth=BANDWIDTH, bias=radians(0.1), gyro_noise=density(0.01)),
        Accelerometer(**common, bandwidth=BANDWIDTH, bias=0.05, noise=density(0.05)),
        FootForce(
            **common,
            bandwidth=100.0,
            force_bias=1.0,
            force_noise=density(1.0),
            force_range=max(2000.0, 5.0 * robot.mass * robot.gravity),
            moment_bias=0.05,
            moment_noise=density(0.05),
        ),
        Unmeasured(**common, names=tuple(f"{floating[0]}.{axis}" for axis in ("xyz" if robot.dim == 3 else "xz")), contacts=True),
    )
