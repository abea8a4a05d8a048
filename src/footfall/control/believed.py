"""The robot that a controller reckons with, if it is not the true one."""

from dataclasses import field
from typing import Any

from footfall.control.fields import ControlError
from footfall.model.robot import Robot


def another_robot() -> Any:
    """The parameter `believed` of a controller."""
    return field(
        default=None,
        metadata={"help": "the robot whose masses, sizes and friction it reckons with; the true one if left out", "whole": True},
    )


def believed_by(controller: Any, robot: Robot) -> Robot:
    """The robot in which a controller believes: it must have the coordinates, feet and motors of the true one."""
    owner, believed = type(controller).__name__, controller.believed
    return robot if believed is None else alike(owner, believed, robot)


def alike(owner: str, believed: Any, robot: Robot) -> Robot:
    """A robot that can be believed to be the true one: it has its coordinates, feet and motors."""
    if not isinstance(believed, Robot):
        raise ControlError(f"{owner}: believed must be a Robot, or left out, got {believed!r:.80}")
    if believed.coordinates != robot.coordinates:
        raise ControlError(
            f"{owner}: the robot that it believes in, {believed.name!r}, must have the coordinates of {robot.name!r}: "
            f"{', '.join(robot.coordinates)}; it has {', '.join(believed.coordinates)}"
        )
    for what, part in (("feet and pads", _feet), ("motors", _motors)):
        true, ours = part(robot), part(believed)
        if true != ours:
            raise ControlError(
                f"{owner}: the robot that it believes in, {believed.name!r}, must have the {what} of "
                f"{robot.name!r}, in the same order: {true}; it has {ours}"
            )
    return believed


def _feet(robot: Robot) -> str:
    """The feet of a robot and the kinds of their pads: contacts are counted in this order."""
    return ", ".join(f"{foot.name} ({', '.join(type(pad).__name__ for pad in foot.pads)})" for foot in robot.feet)


def _motors(robot: Robot) -> str:
    return ", ".join(robot.velocities[d] for d in robot.actuated)
