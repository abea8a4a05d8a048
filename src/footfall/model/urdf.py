"""Robots as URDF, the format that most robot software reads.

Links, hinges and slides are URDF's own. A planar base becomes two slides and a hinge, a spherical joint three hinges, with links
without mass between them; frames become such links too, fixed to theirs. URDF has no springs, tendons, rotors or gravity.
"""

import math
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import RobotError
from footfall.model.export import (
    ELECTRICAL,
    STICTION,
    Export,
    LeftOut,
    Shape,
    flat_notes,
    has_rotor,
    numbers,
    shapes_by_link,
    xml_text,
)
from footfall.model.parts import WORLD, Joint, Link
from footfall.model.robot import Robot

UNBOUNDED = 1e9  # for limits that URDF demands and the robot does not have; readers refuse infinity
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
PIECES = {  # joints that URDF does not have: what is added to the name, the kind and the axis of those that stand for them
    "planar": ((".x", "prismatic", X), (".z", "prismatic", Z), (".pitch", "revolute", Y)),
    "spherical": ((".x", "revolute", X), (".y", "revolute", Y), (".z", "revolute", Z)),
}


def urdf_text(robot: Robot, *, base: bool = True, bodies: bool = False) -> Export:
    """The robot as URDF, hanging on a link `world`. Its pads are collision geometry, with `bodies` the shapes of its links, too.

    With `base=False` its free joint to the world is left out, for readers that bring one along (Pinocchio's
    `JointModelFreeFlyer`); the first link is then the root.
    """
    return _Writer(robot, base, bodies).export()


def write_urdf(robot: Robot, path: str | Path, *, base: bool = True, bodies: bool = False) -> Export:
    """Write the robot to a URDF file; the result lists what was left out."""
    export = urdf_text(robot, base=base, bodies=bodies)
    export.write(path)
    return export


class _Writer:
    """Builds the URDF of one robot, seen in space."""

    def __init__(self, robot: Robot, base: bool, bodies: bool) -> None:
        if not isinstance(robot, Robot):
            raise RobotError(f"only a Robot can be written as URDF, got {robot!r:.80}")
        self.robot, self.base = robot.in_space(), base
        roots = [joint for joint in robot.joints if joint.parent == WORLD]
        if not base and [joint.kind for joint in roots] != ["free"]:
            kinds = ", ".join(f"{joint.name!r} ({joint.kind})" for joint in roots)
            raise RobotError(f"robot {robot.name!r} has no free base to leave out; on the world it has {kinds}")
        self.notes = LeftOut()
        flat_notes(robot, self.notes)
        for tendon in robot.tendons:
            self.notes.add("tendon", tendon.name, "is left out")
        self.notes.add("robot", robot.name, "gravity is left out")
        if robot.origin:
            self.notes.add("robot", robot.name, "where its numbers come from is left out")
        self.shapes = shapes_by_link(self.robot, self.notes, bodies)
        self.root = ET.Element("robot", name=robot.name)

    def export(self) -> Export:
        if self.base:
            self._add_link(Link(WORLD, 0.0))
        for link in self.robot.links:
            self._add_link(link)
        for joint in self.robot.joints:
            self._add_joint(joint)
        for frame in self.robot.frames:
            self._add_link(Link(frame.name, 0.0))
            self._joint_element(f"{frame.name}.fixed", "fixed", (frame.link, frame.name), (frame.at, frame.turn))
        return Export(xml_text(self.root), self.notes.lines())

    # --- links ------------------------------------------------------------------------------------------------------------

    def _add_link(self, link: Link) -> None:
        element = ET.SubElement(self.root, "link", name=link.name)
        if link.mass or np.any(link.inertia):
            inertial = ET.SubElement(element, "inertial")
            _add_origin(inertial, link.com)
            ET.SubElement(inertial, "mass", value=numbers(link.mass))
            names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
            moments = zip(names, np.atleast_1d(link.inertia), strict=True)
            ET.SubElement(inertial, "inertia", {name: numbers(value) for name, value in moments})
        for shape in self.shapes.get(link.name, []):
            for piece in _pieces_of(shape):
                _add_collision(element, *piece)

    # --- joints -----------------------------------------------------------------------------------------------------------

    def _add_joint(self, joint: Joint) -> None:
        ends, place = (joint.parent, joint.child), (joint.at, joint.turn)
        if joint.kind in PIECES:
            self._add_pieces(joint)
        elif joint.kind == "free":
            self._add_free(joint)
        elif joint.kind == "fixed":
            self._joint_element(joint.name, "fixed", ends, place)
        else:
            axis: Any = joint.axis
            self._moving(joint, self._joint_element(joint.name, self._kind(joint), ends, place), axis)

    def _add_free(self, joint: Joint) -> None:
        if self.base:
            self._joint_element(joint.name, "floating", (joint.parent, joint.child), (joint.at, joint.turn))
            return
        self.notes.add("joint", joint.name, "is left to the reader, which must add a free joint to the world")
        if any(joint.at) or np.any(joint.turn):
            self.notes.add("joint", joint.name, "its place and turn in the world are left out")

    def _add_pieces(self, joint: Joint) -> None:
        """A joint as three, the place in the first, the child on the last."""
        turned = " and its coordinates are three angles, no quaternion" if joint.kind == "spherical" else ""
        self.notes.add("joint", joint.name, f"a {joint.kind} joint is written as three with massless links between{turned}")
        if joint.kind == "spherical" and (joint.motor or joint.damping or joint.holding):
            self.notes.add("joint", joint.name, "motor, damping and friction act about the axes of its three hinges")
        parent, place = joint.parent, (joint.at, joint.turn)
        for suffix, kind, axis in PIECES[joint.kind]:
            child = joint.child
            if suffix != PIECES[joint.kind][-1][0]:
                child = joint.child + suffix
                self._add_link(Link(child, 0.0))
            urdf_kind = "continuous" if kind == "revolute" else kind
            self._moving(joint, self._joint_element(joint.name + suffix, urdf_kind, (parent, child), place), axis)
            parent, place = child, ((), ())

    def _kind(self, joint: Joint) -> str:
        bounded = any(map(math.isfinite, joint.limits))
        return "continuous" if joint.kind == "revolute" and not bounded else joint.kind

    def _joint_element(self, name: str, kind: str, ends: tuple[str, str], place: tuple[Any, Any]) -> ET.Element:
        element = ET.SubElement(self.root, "joint", name=name, type=kind)
        _add_origin(element, *place)
        ET.SubElement(element, "parent", link=ends[0])
        ET.SubElement(element, "child", link=ends[1])
        return element

    def _moving(self, joint: Joint, element: ET.Element, axis: tuple[float, ...]) -> None:
        """Axis, limits and passive forces of a hinge or slide."""
        ET.SubElement(element, "axis", xyz=numbers(*axis))
        limits = self._limits(joint, element.get("type") != "continuous")
        if limits:
            ET.SubElement(element, "limit", {key: numbers(value) for key, value in limits.items()})
        if joint.damping or joint.friction:
            ET.SubElement(element, "dynamics", damping=numbers(joint.damping), friction=numbers(joint.friction))
        if joint.holding > joint.friction:
            self.notes.add("joint", joint.name, STICTION)
        if joint.spring:
            self.notes.add("joint", joint.name, "its spring is left out")
        if joint.motor and has_rotor(joint.motor):
            self.notes.add("joint", joint.name, "rotor inertia and gear of its motor are left out")
        if joint.motor and (joint.motor.torque_constant or joint.motor.load_friction):
            self.notes.add("joint", joint.name, ELECTRICAL)

    def _limits(self, joint: Joint, demanded: bool) -> dict[str, float]:
        """Lowest and highest coordinate, largest force and speed; a joint without motor has no force."""
        force, speed = (joint.motor.strongest, joint.motor.speed) if joint.motor else (0.0, math.inf)
        if not demanded and math.isinf(force) and math.isinf(speed):
            return {}
        limits = dict(zip(("lower", "upper"), joint.limits, strict=True)) if demanded else {}
        limits |= {"effort": force, "velocity": speed}
        if any(map(math.isinf, limits.values())):
            self.notes.add(
                "joint", joint.name, f"URDF demands limits of way, force and speed; {UNBOUNDED:g} is written where none is given"
            )
        return {key: min(max(value, -UNBOUNDED), UNBOUNDED) for key, value in limits.items()}


def _add_origin(element: ET.Element, at: Any, turn: Any = ()) -> None:
    entries = {key: numbers(*value) for key, value in (("xyz", at), ("rpy", turn)) if np.any(value)}
    if entries:
        ET.SubElement(element, "origin", entries)


def _pieces_of(shape: Shape) -> list[tuple[Shape, tuple[float, ...]]]:
    """The shapes that stand for one, each with its turn. URDF's cylinders lie along z, and it has no capsules."""
    if shape.kind == "cylinder":
        return [(shape, (-math.pi / 2, 0.0, 0.0))]
    if shape.kind != "capsule":
        return [(shape, ())]
    start, end = np.array(shape.at), np.array(shape.end)
    x, y, z = (end - start) / np.linalg.norm(end - start)
    turn = (0.0, math.atan2(math.hypot(x, y), z), math.atan2(y, x))
    middle, length = tuple((start + end) / 2), float(np.linalg.norm(end - start))
    balls = [Shape("sphere", f"{shape.name}.{name}", at, shape.size) for name, at in (("start", shape.at), ("end", shape.end))]
    return [(Shape("cylinder", shape.name, middle, (*shape.size, length)), turn), *((ball, ()) for ball in balls)]


def _add_collision(link: ET.Element, shape: Shape, turn: tuple[float, ...]) -> None:
    collision = ET.SubElement(link, "collision", name=shape.name)
    _add_origin(collision, shape.at, turn)
    keys = {"sphere": ("radius",), "cylinder": ("radius", "length"), "box": ("size",)}[shape.kind]
    values = [numbers(*shape.size)] if shape.kind == "box" else [numbers(value) for value in shape.size]
    ET.SubElement(ET.SubElement(collision, "geometry"), shape.kind, dict(zip(keys, values, strict=True)))
