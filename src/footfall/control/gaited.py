"""What controllers with several gaits declare: which one after which, and when."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from footfall.control.controller import ControlError, Controller
from footfall.errors import UnknownNameError
from footfall.model.quantity import ROW, quantity, words
from footfall.model.robot import Robot


@dataclass(frozen=True)
class Gaited(Controller, ABC):
    """A controller with several gaits: one after the other by a schedule, or as a controller above it says (see Layered)."""

    known: ClassVar[tuple[str, ...]] = ()  # its gaits; their numbers are their places here
    robot_coordinates: ClassVar[tuple[str, ...]] = ()  # of a robot that it can drive

    gaits: tuple[str, ...] = words("names of gaits, one after the other", ("walk",))
    times: tuple[float, ...] = quantity("s", "when the second gait begins, and each later one", (), low=0.0, shape=ROW)
    speed: float = quantity("m/s", "wanted", 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.gaits:
            if name not in self.known:
                raise UnknownNameError(f"gait (of {type(self).__name__})", name, self.known)
        if len(self.gaits) != len(self.times) + 1 or list(self.times) != sorted(self.times):
            raise ControlError(
                f"{type(self).__name__}: times must ascend and be one fewer than gaits, got {self.times} for {self.gaits}"
            )

    @property
    def switches(self) -> np.ndarray:
        """The schedule as `core.gaits.states.follow_schedule` reads it."""
        pairs = zip(self.times, self.gaits[1:], strict=True)
        return np.array([number for time, name in pairs for number in (time, self.known.index(name))], dtype=float)

    @abstractmethod
    def law(self) -> Any:
        """What its gaits do."""

    def first_goal(self, robot: Robot) -> np.ndarray:
        return np.array([self.known.index(self.gaits[0]), self.speed], dtype=float)

    def check_robot(self, robot: Robot) -> None:
        """Refuse a robot that the law does not know."""
        if robot.coordinates != self.robot_coordinates:
            raise ControlError(
                f"{type(self).__name__}: robot {robot.name!r} must have the coordinates {', '.join(self.robot_coordinates)}, "
                f"it has {', '.join(robot.coordinates)}"
            )


def motor_limit(robot: Robot, joint: str) -> Any:
    """The largest force or torque at a joint; none without a motor."""
    motor = robot.joint(joint).motor
    return motor.torque if motor else 0.0
