"""Sensors, with bandwidth, noise, resolution and delay, between the true state and the observation of controllers."""

from footfall.sensors.accelerometer import Accelerometer
from footfall.sensors.attitude import Attitude
from footfall.sensors.encoders import Encoders
from footfall.sensors.foot_force import FootForce
from footfall.sensors.low_pass import LowPass
from footfall.sensors.sensor import Sensor, SensorError
from footfall.sensors.trial import frequency_response, trial
from footfall.sensors.unmeasured import Unmeasured
from footfall.sensors.walker import walker_sensors
