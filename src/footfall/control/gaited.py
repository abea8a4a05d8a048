"""Shared parts of controllers with several gaits: the schedule of gaits, and the part of a gait and its beginning."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from footfall.control.controller import ControlError, Controller
from footfall.core.jit import kernel
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
    speed: float = quantity("m/s", "desired", 0.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.gaits:
            if name not in self.known:
                raise UnknownNameError(f"gait (of {type(self).__name__})", name, self.known)
        if len(self.gaits) != len(self.times) + 1 or list(self.times) != sorted(self.times):
            raise ControlError(
                f"{type(self).__name__}: times must ascend and be one fewer than gaits, got {self.times} for {self.gaits}"
            )

    class Goal:
        gait: int = 0  # its place among `known`
        speed: float = 0.0  # m/s

    @abstractmethod
    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Any:
        """The data of a robot that its law needs, with the `schedule`."""

    def schedule(self) -> dict[str, Any]:
        """The first gait, and the switches as `follow_schedule` reads them."""
        first, *later = (self.known.index(name) for name in self.gaits)
        return {"gait": first, "switch_times": np.array(self.times, float), "switch_gaits": np.array(later, np.int64)}

    def check_robot(self, robot: Robot) -> None:
        """Refuse a robot that the law cannot drive."""
        if robot.coordinates != self.robot_coordinates:
            raise ControlError(
                f"{type(self).__name__}: robot {robot.name!r} must have the coordinates {', '.join(self.robot_coordinates)}, "
                f"it has {', '.join(robot.coordinates)}"
            )


def check_feet(controller: Gaited, robot: Robot, kind: type, links: tuple[str, ...]) -> None:
    """Refuse a robot whose feet are not one pad of a kind on each of these links, in this order: the law counts contacts."""
    pads = [[(type(pad), pad.link) for pad in foot.pads] for foot in robot.feet]
    if pads != [[(kind, link)] for link in links]:
        raise ControlError(
            f"{type(controller).__name__}: robot {robot.name!r} must have two feet, a {kind.__name__} on "
            f"{' and one on '.join(links)}, in this order, got {robot.feet!r:.200}"
        )


def motor_limit(robot: Robot, joint: str) -> Any:
    """The largest force or torque at a joint; none without a motor."""
    motor = robot.joint(joint).motor
    return motor.torque if motor else 0.0


# --- what the laws of such controllers share --------------------------------------------------------------------------------


@kernel
def follow_schedule(params, state, goal, time):
    """Switches that are due become the goal; a layer above may still set another gait."""
    while state.switched < len(params.switch_times) and time >= params.switch_times[state.switched]:
        goal.gait = params.switch_gaits[state.switched]
        state.switched += 1


@kernel
def enter(state, part, time):
    """Be in a part of the gait from now on."""
    state.part, state.since = part, time


@kernel
def time_in(state, time):
    """How long it has been in this part of the gait."""
    return time - state.since


@kernel
def stands(obs, first, last):
    """Whether any contact from `first` up to, not including, `last` presses on the ground."""
    found = False
    for k in range(first, last):
        found = found or obs.mode[k] > 0
    return found
