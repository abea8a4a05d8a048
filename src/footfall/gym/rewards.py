"""What is good: a reward is a function of all runs at once, and gives a number for each."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.errors import ParameterError, UnknownNameError
from footfall.model.quantity import check_quantities, quantity
from footfall.model.robot import Robot


class Now:
    """What a reward may look at, after a step: a row for each run. The arrays are to be read only."""

    def __init__(self, robot: Robot, batch: Any, limit: np.ndarray, dt: float):
        self.robot, self.dt = robot, dt  # s: from step to step
        self.time, self.q, self.v = batch.time, batch.q, batch.v
        self.force, self.mode, self.tau = batch.force, batch.mode, batch.tau
        self.action = np.zeros((len(batch), len(limit)))
        self.terminated = np.zeros(len(batch), bool)
        self.limit = limit  # (motors,) largest torque of each, infinite where it has no limit

    def coordinate(self, name: str) -> np.ndarray:
        """(runs,) a coordinate by name."""
        if name not in self.robot.coordinates:
            raise UnknownNameError(f"coordinate (of robot {self.robot.name!r})", name, self.robot.coordinates)
        return self.q[:, self.robot.coordinates.index(name)]

    def velocity(self, name: str) -> np.ndarray:
        """(runs,) a velocity by name."""
        if name not in self.robot.velocities:
            raise UnknownNameError(f"velocity (of robot {self.robot.name!r})", name, self.robot.velocities)
        return self.v[:, self.robot.velocities.index(name)]

    @property
    def effort(self) -> np.ndarray:
        """(runs,) mean square of the torques, each over the limit of its motor."""
        driven = self.robot.actuated
        return np.mean(np.square(self.tau[:, driven] / self.limit), axis=1)


@dataclass(frozen=True)
class Reward:
    """A reward of its own is any function of a `Now`."""

    def __post_init__(self) -> None:
        check_quantities(self, type(self).__name__, ParameterError)

    def check(self, robot: Robot) -> None:
        """Refuse a robot that it does not suit."""

    def __call__(self, now: Now) -> np.ndarray:
        raise NotImplementedError


@dataclass(frozen=True)
class Upright(Reward):
    """1 for every step that does not end in a fall."""

    effort: float = quantity("1", "taken off for the mean square of torque over limit", 0.0, low=0.0)

    def __call__(self, now: Now) -> np.ndarray:
        return np.where(now.terminated, 0.0, 1.0) - (self.effort * now.effort if self.effort else 0.0)


@dataclass(frozen=True)
class Walk(Reward):
    """1 for every step at a speed of the base forward, less at others: exp(-((v - speed) / width)^2); nothing for a fall."""

    speed: float = quantity("m/s", "that is wanted", 1.0)
    width: float = quantity("m/s", "how far from it is bad", 0.5, low=1e-6)
    alive: float = quantity("1", "for every step that does not end in a fall", 0.5, low=0.0)
    effort: float = quantity("1", "taken off for the mean square of torque over limit", 0.0, low=0.0)

    def check(self, robot: Robot) -> None:
        if self._forward(robot) not in robot.velocities:
            raise ParameterError(
                f"reward Walk: robot {robot.name!r} has no base that moves forward; use reward='upright', or a function of your "
                "own"
            )

    @staticmethod
    def _forward(robot: Robot) -> str:
        return f"{robot.layout.joints[0].name}.x"

    def __call__(self, now: Now) -> np.ndarray:
        off = (now.velocity(self._forward(now.robot)) - self.speed) / self.width
        good = self.alive + np.exp(-np.square(off)) - (self.effort * now.effort if self.effort else 0.0)
        return np.where(now.terminated, 0.0, good)


REWARDS = {"upright": Upright, "walk": Walk}


def reward_of(given: Any, robot: Robot) -> Any:
    """A reward, or the one of that name, that suits the robot."""
    if isinstance(given, str) and given in REWARDS:
        given = REWARDS[given]()
    if not callable(given):
        raise UnknownNameError("reward (of an environment; or a ff.gym.Walk, or a function of all runs)", given, REWARDS)
    if isinstance(given, Reward):
        given.check(robot)
    return given
