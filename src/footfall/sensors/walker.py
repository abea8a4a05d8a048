"""The sensors of a walking machine such as JOHNNIE, for any robot with a free base, hinges and feet.

Known of JOHNNIE, from the paper: incremental encoders at all joints, force-torque sensors of six axes in both feet, and an
attitude sensor of accelerometers and gyroscopes at the upper body, with a bandwidth of about 85 Hz. Assumed are all errors:
encoders of 1e-4 rad at the joint, velocities behind 80 Hz; an orientation that is off by 0.1 degree about every axis; rates with
a noise of 0.01 rad/s in each sample, specific forces with 0.05 m/s2 and off by 0.05 m/s2; forces with 1 N and off by 1 N, up to
2 kN, moments with 0.05 N m and off by 0.05 N m, at 100 Hz; samples 1000 times a second. The sensors are on the pelvis.
"""

from math import radians, sqrt
from typing import Any

from footfall.model.robot import Robot
from footfall.sensors.accelerometer import Accelerometer
from footfall.sensors.attitude import Attitude
from footfall.sensors.encoders import Encoders
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
    free = [joint.name for joint in robot.layout.joints if joint.kind == "free"]
    unseen = [joint.name for joint in robot.layout.joints if joint.kind in ("spherical", "planar")]
    if not free or unseen:
        has = f"joints that no encoder measures: {', '.join(unseen)}" if unseen else "no free base"
        raise SensorError(f"sensors of a walker: robot {robot.name!r} must have a free base, hinges and slides; it has {has}")
    common: dict[str, Any] = {"rate": RATE, "delay": delay}
    hinges = tuple(joint.name for joint in robot.layout.joints if joint.kind in ("revolute", "prismatic"))
    return (
        Encoders(**common, resolution=1e-4, cutoff=80.0, joints=hinges),
        Attitude(**common, bandwidth=BANDWIDTH, bias=radians(0.1), gyro_noise=density(0.01)),
        Accelerometer(**common, bandwidth=BANDWIDTH, bias=0.05, noise=density(0.05)),
        FootForce(
            **common,
            bandwidth=100.0,
            force_bias=1.0,
            force_noise=density(1.0),
            force_range=2000.0,
            moment_bias=0.05,
            moment_noise=density(0.05),
        ),
        Unmeasured(**common, names=tuple(f"{free[0]}.{axis}" for axis in "xyz"), contacts=True),
    )
