"""What studies of algorithms share: sensors with estimators, a robot that is not as believed, and the dynamics component."""

from dataclasses import replace
from typing import Any

from footfall.control import Algorithmic, Controller, InverseDynamics, Layered, LegOdometry, MassCenter
from footfall.model.mistaken import mistaken
from footfall.model.quantity import choice, count, quantity
from footfall.model.robot import Robot
from footfall.sensors import Sensor, walker_sensors

ASKED: dict[str, Any] = {
    "sensors": choice("the truth, or sensors and estimators", "ideal", ("ideal", "real")),
    "model_error": quantity(
        "1",
        "largest part by which mass and inertia of each link are off, and its centre of mass in parts of its length",
        0.0,
        low=0.0,
        high=0.5,
    ),
    "drawn": count("seed of these errors", 0, high=2**32 - 1),
}
LEVEL = 0.5  # s: the ground is known to be level
WINDOW = 4.0  # s: of the mass estimate, several strides


def true_robot(robot: Robot, model_error: float, drawn: int) -> Robot:
    """The robot that is simulated, if `robot` is the one that the algorithm believes in."""
    return mistaken(robot, model_error, drawn) if model_error else robot


def on_sensors(law: Algorithmic, robot: Robot, sensors: str, component: bool = False) -> tuple[Controller, tuple[Sensor, ...]]:
    """The algorithm with estimators above it and the dynamics component below it, as wanted; and the sensors."""
    seen = walker_sensors(robot) if sensors == "real" else ()
    layers: list[Controller] = [law]
    if seen:
        layers = [LegOdometry(level=LEVEL), MassCenter(window=WINDOW, believed=law.believed), law]
    if component:
        layers.append(InverseDynamics(rate=law.rate, believed=law.believed))
    return (Layered(tuple(layers)) if len(layers) > 1 else replace(law)), seen
