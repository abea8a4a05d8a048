"""What a number of an action means: a torque, or an angle at which a motor's servo holds its joint."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.control.external import External
from footfall.control.inputs import stops
from footfall.errors import ParameterError, UnknownNameError
from footfall.model.parts import Joint
from footfall.model.quantity import ROW, SCALAR, check_quantities, quantity
from footfall.model.robot import Robot
from footfall.sim.study import Study

Bounds = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Action(ABC):
    """One number for each driven degree of freedom, in the order of `robot.actuated`."""

    def __post_init__(self) -> None:
        check_quantities(self, type(self).__name__, ParameterError)

    @abstractmethod
    def bounds(self, study: Study) -> Bounds:
        """The least and the largest value of each number."""

    @abstractmethod
    def external(self, study: Study, rate: float) -> External:
        """What takes the numbers in the simulation."""


@dataclass(frozen=True)
class Torque(Action):
    """Torques in N m, or forces in N where a joint slides, within the limits of the motors."""

    limit: Any = quantity(
        "N m", "most of each motor, or of all; those of the motors if left out", None, low=0.0, shape=[SCALAR, ROW]
    )

    def bounds(self, study: Study) -> Bounds:
        robot = study.robot
        if self.limit is None:
            limit = motor_limits(robot)
        else:
            limit = _for_each(study, self.limit, "Torque: limit")
        if endless := [robot.velocities[d] for d, most in zip(robot.actuated, limit, strict=True) if not np.isfinite(most)]:
            raise ParameterError(
                f"the motors of robot {robot.name!r} have no limit at {', '.join(endless)}, so their torques have no bounds; "
                "give some, such as action=ff.gym.Torque(limit=100.0), or let the motors of the robot have a limit"
            )
        return -limit, limit

    def external(self, study: Study, rate: float) -> External:  # noqa: ARG002
        return External(rate=rate)


@dataclass(frozen=True)
class Position(Action):
    """Angles (m where a joint slides) at which the motors' own servos hold the joints, within their stops.

    A joint without stops may go half a turn to either side of where the study starts. Stiffness and damping are those of the
    study's controller, if it has parameters of these names, unless they are given.
    """

    stiffness: float | None = quantity("N m/rad", "of the servos", None, low=0.0)
    damping: float | None = quantity("N m s/rad", "of the servos", None, low=0.0)
    around: float | None = quantity("rad", "how far from the start of the study, within the stops", None, low=0.0)

    def bounds(self, study: Study) -> Bounds:
        robot = study.robot
        low, high = stops(robot)
        q = study.start()[0]
        place = [robot.coordinates.index(robot.velocities[d]) for d in robot.actuated if robot.velocities[d] in robot.coordinates]
        if len(place) != len(robot.actuated):
            odd = next(robot.velocities[d] for d in robot.actuated if robot.velocities[d] not in robot.coordinates)
            raise ParameterError(f"servos hold hinges only, but {odd!r} of robot {robot.name!r} is not one; use action='torque'")
        low, high, middle = low[place], high[place], q[place]
        for i, d in enumerate(robot.actuated):
            if self.around is None and not np.isfinite([low[i], high[i]]).all() and _joint_of(robot, d).kind == "prismatic":
                raise ParameterError(
                    f"joint {robot.velocities[d]!r} slides without stops, so its targets have no bounds; give some with "
                    "action=ff.gym.Position(around=0.1)"
                )
        span = np.pi if self.around is None else self.around
        near = (middle - span, middle + span)
        if self.around is None:
            return np.where(np.isfinite(low), low, near[0]), np.where(np.isfinite(high), high, near[1])
        return np.maximum(low, near[0]), np.minimum(high, near[1])

    def external(self, study: Study, rate: float) -> External:
        found: dict[str, Any] = {}
        for name in ("stiffness", "damping"):
            value = getattr(self, name)
            value = getattr(study.controller, name, None) if value is None else value
            if not isinstance(value, float):
                raise ParameterError(
                    f"study {study.name!r} has no controller with a {name} for all joints; give one, such as "
                    "action=ff.gym.Position(stiffness=300.0, damping=30.0)"
                )
            found[name] = value
        if not any(found.values()):
            raise ParameterError("Position: stiffness and damping are both 0, so nothing would hold the joints")
        return External(rate=rate, **found)


ACTIONS = {"torque": Torque, "position": Position}


def action_of(given: Any) -> Action:
    """An action, or the one of that name."""
    if isinstance(given, Action):
        return given
    if not isinstance(given, str) or given not in ACTIONS:
        raise UnknownNameError("action (of an environment; or a ff.gym.Torque, a ff.gym.Position)", given, ACTIONS)
    return ACTIONS[given]()


def motor_limits(robot: Robot) -> np.ndarray:
    """(motors,) the largest torque of every driven degree of freedom."""
    joints = [_joint_of(robot, d) for d in robot.actuated]
    return np.array([joint.motor.strongest if joint.motor else np.inf for joint in joints])


def _joint_of(robot: Robot, d: int) -> Joint:
    return robot.layout.joints[int(np.searchsorted(robot.tree.first_v, d, side="right")) - 2]


def _for_each(study: Study, value: Any, what: str) -> np.ndarray:
    n, found = len(study.robot.actuated), np.array(value, float)
    if found.ndim and found.shape != (n,):
        raise ParameterError(f"{what} must be a number or one for each of {n} motors, got {len(found)}")
    return np.full(n, found) if found.ndim == 0 else found
