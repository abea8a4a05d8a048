"""A robot in three dimensions, as meshes: limbs between its joints, balls at joints and masses, soles."""

from typing import Any, NamedTuple

import numpy as np

from footfall.model.layout import lift
from footfall.model.parts import WORLD, Arc, Box, Capsule, HeelToe, Pad, Sphere
from footfall.model.robot import Robot
from footfall.model.shapes import LIMB, height_of, pads_of
from footfall.model.shapes import ends as limb_ends
from footfall.view.picture import MIDDLE, SIDES

ASIDE = 0.07  # robot's heights: how far a leg of a planar robot stands from its middle
DEPTH = 0.09  # robot's heights: depth of a planar sole
SOLE = 0.012  # robot's heights: thickness of a sole that is a line
ROUND = 20  # corners of a circle


class Shape(NamedTuple):
    """A mesh in a link's axes."""

    vertices: np.ndarray
    faces: np.ndarray
    flat: bool = False  # shaded with its edges


def colors(link: str) -> tuple[int, int, int]:
    """Colour of a link, by its side."""
    text = SIDES.get(link.rpartition("_")[2], MIDDLE)
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def aside(robot: Robot, link: str) -> float:
    """How far a link of a planar robot is moved out of the plane, so that legs are seen side by side."""
    side = link.rpartition("_")[2]
    side_sign = 1.0 if side in ("left", "outer") else -1.0 if side in ("right", "inner") else 0.0
    return side_sign * ASIDE * height_of(robot) if robot.space == "planar" else 0.0


def ends(robot: Robot, link: str) -> list[np.ndarray]:
    """Where the limbs of a link end."""
    return [end.at for end in limb_ends(robot, link)]


def shapes(robot: Robot, link: str) -> list[Shape]:
    """All that is drawn of a link: its joint, its limbs or declared shapes, which are what can touch, and its pads.

    Limbs are also drawn where they do not touch: on to a pad, and to a link that slides.
    """
    tall = height_of(robot)
    thin, declared = LIMB * tall, any(shape.link == link for shape in robot.shapes)
    drawn = [end for end in limb_ends(robot, link) if end.kind in ("pad", "slide")] if not declared else []
    limbs = [_limb(thin, lift(end.at)) for end in drawn if np.linalg.norm(end.at) > 1e-9]
    found = [_ball(thin, np.zeros(3)), *limbs, *(_limb(thin, axle) for axle in _axle(robot, link))]
    return found + [_sole(pad, tall, robot.dim) for pad in (*robot.solids[link], *pads_of(robot, link))]


def _axle(robot: Robot, link: str) -> list[np.ndarray]:
    """Across to the parent, where a planar robot has been pulled apart."""
    parents = [joint.parent for joint in robot.joints if joint.child == link and joint.parent != WORLD]
    shift = sum(aside(robot, parent) for parent in parents) - aside(robot, link) if parents else 0.0
    return [np.array((0.0, shift, 0.0))] if abs(shift) > 0.0 else []


# --- meshes ---------------------------------------------------------------------------------------------------------------


def _sole(pad: Pad, tall: float, dim: int) -> Shape:
    deep = DEPTH * tall
    if isinstance(pad, Box):
        size = np.array(pad.size) if dim == 3 else np.array((pad.size[0], deep, pad.size[1]))
        return _box(np.maximum(size, 1e-3 * tall), lift(pad.at))
    if isinstance(pad, HeelToe):
        heel, toe = lift(pad.heel), lift(pad.toe)
        return _box(np.array((np.linalg.norm(toe - heel), deep, SOLE * tall)), (heel + toe) / 2 + (0.0, 0.0, SOLE * tall / 2))
    if isinstance(pad, Arc):
        return _rocker(pad, max(pad.width, deep), SOLE * tall)
    if isinstance(pad, Sphere):
        return _ball(pad.radius, lift(pad.at))
    if isinstance(pad, Capsule):
        return _limb(pad.radius, lift(pad.end), lift(pad.start))
    return _ball(LIMB * tall, lift(pad.at))


def _box(size: np.ndarray, middle: np.ndarray) -> Shape:
    signs = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    faces = [triangle for a, b, c, d in sides for triangle in ((a, b, c), (a, c, d))]
    return Shape(middle + signs * size / 2, np.array(faces), flat=True)


def _ball(radius: float, middle: np.ndarray) -> Shape:
    return _spun([(radius * np.sin(a), -radius * np.cos(a)) for a in np.linspace(0.0, np.pi, ROUND // 2)], np.eye(3), middle)


def _limb(radius: float, end: np.ndarray, start: Any = (0.0, 0.0, 0.0)) -> Shape:
    """A capsule from the origin, or another point, to a point."""
    length = float(np.linalg.norm(end - start))
    z = (end - start) / length
    x = np.cross((0.0, 1.0, 0.0), z) if abs(z[1]) < 0.9 else np.cross((1.0, 0.0, 0.0), z)
    x = x / np.linalg.norm(x)
    angles = np.linspace(0.0, np.pi / 2, ROUND // 4)
    low = [(radius * np.sin(a), -radius * np.cos(a)) for a in angles]
    high = [(radius * np.cos(a), length + radius * np.sin(a)) for a in angles]
    return _spun([*low, *high], np.column_stack((x, np.cross(z, x), z)), np.array(start))


def _spun(profile: list[tuple[float, float]], axes: np.ndarray, middle: np.ndarray) -> Shape:
    """The surface of revolution of a line of (distance, height) about the height."""
    turn = np.linspace(0.0, 2 * np.pi, ROUND, endpoint=False)
    rings = [np.column_stack((r * np.cos(turn), r * np.sin(turn), np.full(ROUND, h))) for r, h in profile]
    i, j = np.meshgrid(np.arange(len(profile) - 1), np.arange(ROUND), indexing="ij")
    a, b = (i * ROUND + j).ravel(), (i * ROUND + (j + 1) % ROUND).ravel()
    faces = np.concatenate((np.column_stack((a, b, b + ROUND)), np.column_stack((a, b + ROUND, a + ROUND))))
    return Shape(middle + np.concatenate(rings) @ axes.T, faces)


def _rocker(pad: Arc, deep: float, thick: float) -> Shape:
    """A sheet along the arc."""
    angles = np.linspace(*pad.span, 2 * ROUND)
    corners = []
    for radius in (pad.radius, max(pad.radius - thick, 0.5 * pad.radius)):
        for y in (-deep / 2, deep / 2):
            corners.append(lift(pad.at) + np.column_stack((radius * np.sin(angles), 0 * angles + y, -radius * np.cos(angles))))
    n = len(angles)
    i = np.arange(n - 1)
    faces = []
    for a, b in ((0, n), (3 * n, 2 * n), (2 * n, 0), (n, 3 * n)):  # under, above, and both sides
        faces += [np.column_stack((a + i, a + i + 1, b + i + 1)), np.column_stack((a + i, b + i + 1, b + i))]
    return Shape(np.concatenate(corners), np.concatenate(faces), flat=True)
