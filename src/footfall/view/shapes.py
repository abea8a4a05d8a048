"""The parts of a robot as meshes, for scenes in three dimensions."""

from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

from footfall.model.robot import Robot
from footfall.model.shapes import height_of
from footfall.view.look import Part, aside, color_of, parts, rgb

__all__ = ["Shape", "aside", "colors", "height_of", "mesh", "shapes"]

ROUND = 20  # corners of a circle
RINGS = 6  # along a limb


class Shape(NamedTuple):
    """A mesh in a link's axes; its faces are seen from outside, corners counter-clockwise."""

    vertices: np.ndarray
    faces: np.ndarray
    flat: bool = False  # shaded with its edges
    color: tuple[int, int, int] = (93, 107, 120)
    shades: bool = True  # casts a shadow; a board on the ground would cast stripes onto itself


def colors(link: str) -> tuple[int, int, int]:
    """Colour of a link, by its side."""
    return rgb(color_of(link))


def shapes(robot: Robot, link: str) -> list[Shape]:
    """All that is drawn of a link."""
    return [mesh(part) for part in parts(robot)[link]]


def mesh(part: Part) -> Shape:
    """The surface of a part: one of revolution for a ball and a limb, else the hull of points on its balls."""
    color = rgb(part.color)
    if len(part.radii) == 1:
        return _ball(float(part.radii[0]), part.centers[0], color)
    if len(part.radii) == 2 and part.radii.min() > 0.0:
        return _limb(part, color)
    points = [part.centers[part.radii == 0.0]]
    points += [_ball(r, at, color).vertices for at, r in zip(part.centers, part.radii, strict=True) if r > 0.0]
    hull = _hull(np.vstack(points), color, flat=not part.radii.any() or part.kind == "foot")
    return hull._replace(shades=part.kind != "board")


def _hull(points: np.ndarray, color: tuple[int, int, int], flat: bool) -> Shape:
    hull = ConvexHull(np.unique(points.round(9), axis=0))
    used, faces = np.unique(hull.simplices, return_inverse=True)
    vertices, faces = hull.points[used], faces.reshape(-1, 3)
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), hull.equations[:, :3]) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    return Shape(vertices, faces, flat, color)


def _ball(radius: float, middle: np.ndarray, color: tuple[int, int, int]) -> Shape:
    angles = np.linspace(0.0, np.pi, ROUND // 2 + 1)
    return _spun([(radius * np.sin(a), -radius * np.cos(a)) for a in angles], np.eye(3), middle, color)


def _limb(part: Part, color: tuple[int, int, int]) -> Shape:
    """Two balls and the cone that touches both."""
    (start, end), (first, last) = part.centers, part.radii
    length = float(np.linalg.norm(end - start))
    if length <= abs(first - last) + 1e-12:  # one ball holds the other
        return _ball(float(max(first, last)), start if first >= last else end, color)
    z = (end - start) / length
    x = np.cross((0.0, 1.0, 0.0), z) if abs(z[1]) < 0.9 else np.cross((1.0, 0.0, 0.0), z)
    x /= np.linalg.norm(x)
    slope = np.arcsin((first - last) / length)  # of the normal of the cone, upward
    low = [(first * np.cos(a), first * np.sin(a)) for a in np.linspace(-np.pi / 2, slope, ROUND // 3)]
    high = [(last * np.cos(a), length + last * np.sin(a)) for a in np.linspace(slope, np.pi / 2, ROUND // 3)]
    between = [tuple(np.array(low[-1]) + s * (np.array(high[0]) - np.array(low[-1]))) for s in np.linspace(0, 1, RINGS)[1:-1]]
    return _spun([*low, *between, *high], np.column_stack((x, np.cross(z, x), z)), start, color)


def _spun(profile: list, axes: np.ndarray, middle: np.ndarray, color: tuple[int, int, int]) -> Shape:
    """The surface of revolution of a line of (distance, height) about the height."""
    turn = np.linspace(0.0, 2 * np.pi, ROUND, endpoint=False)
    rings = [np.column_stack((r * np.cos(turn), r * np.sin(turn), np.full(ROUND, h))) for r, h in profile]
    i, j = np.meshgrid(np.arange(len(profile) - 1), np.arange(ROUND), indexing="ij")
    a, b = (i * ROUND + j).ravel(), (i * ROUND + (j + 1) % ROUND).ravel()
    faces = np.concatenate((np.column_stack((a, b, b + ROUND)), np.column_stack((a, b + ROUND, a + ROUND))))
    return Shape(middle + np.concatenate(rings) @ axes.T, faces, color=color)
