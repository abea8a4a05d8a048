"""A planar robot in space."""

import dataclasses
from typing import TYPE_CHECKING, Any

from footfall.model.parts import Box, Capsule, HeelToe

if TYPE_CHECKING:
    from footfall.model.robot import Robot


def embedded(robot: "Robot") -> "Robot":
    """The spatial twin: a plate in the plane x-z has half its inertia about each axis in that plane."""
    if robot.space == "spatial":
        return robot
    links = tuple(_lifted(link, "com", inertia=_plate(link.inertia)) for link in robot.links)
    joints = tuple(_tilted(joint, "at", *(("axis",) if joint.axis else ())) for joint in robot.joints)
    frames = tuple(_tilted(frame, "at") for frame in robot.frames)
    feet = tuple(dataclasses.replace(foot, pads=tuple(_pad(pad) for pad in foot.pads)) for foot in robot.feet)
    shapes = tuple(_pad(shape) for shape in robot.shapes)
    loops = tuple(_lifted(loop, *(("axis",) if loop.axis else ())) for loop in robot.loops)
    changed: dict[str, Any] = {"links": links, "joints": joints, "frames": frames, "feet": feet, "shapes": shapes, "loops": loops}
    return dataclasses.replace(robot, space="spatial", **changed)


def _plate(inertia: Any) -> tuple[float, float, float]:
    return inertia / 2, inertia, inertia / 2


def _lifted(part: Any, *vectors: str, **changes: Any) -> Any:
    for name in vectors:
        x, z = getattr(part, name)
        changes[name] = (x, 0.0, z)
    return dataclasses.replace(part, **changes)


def _tilted(part: Any, *vectors: str) -> Any:
    return _lifted(part, *vectors, turn=(0.0, part.turn, 0.0))


def _pad(pad: Any) -> Any:
    if isinstance(pad, HeelToe):
        return _lifted(pad, "heel", "toe")
    if isinstance(pad, Capsule):
        return _lifted(pad, "start", "end")
    if isinstance(pad, Box):
        return _lifted(pad, "at", size=(pad.size[0], min(pad.size), pad.size[1]))
    return _lifted(pad, "at")
