"""The ground around a place as a mesh, with lines and distances on it. It is drawn as it is: edges sharp, boxes as boxes."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core import ground as kinds
from footfall.world import Blocks, Terrain

REACH = 18.0  # robot's heights to all sides; fog hides what is beyond
FINE = 240  # points along the ground
GRID = 72  # points in each direction, of a ground that is uneven to all sides
ABOVE = 0.002  # robot's heights: lines above the ground
COLOR, LINES, TICKS = (226, 222, 214), (168, 162, 152), (196, 190, 180)


class Patch(NamedTuple):
    """A piece of ground."""

    vertices: np.ndarray
    faces: np.ndarray
    lines: np.ndarray  # (n, 2, 3) at every mark
    ticks: np.ndarray  # (n, 2, 3) ten times as many, short
    marks: list[tuple[str, np.ndarray]]  # distances, and where to write them


def heights(terrain: Terrain, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Heights (x, y) over a grid."""
    ground, height = terrain.ground(), kinds.ground_at.plain("spatial")
    return np.array([[height(ground, float(a), float(b))[0] for b in y] for a in x])


def is_even_across(terrain: Terrain) -> bool:
    """Whether its height does not depend on y."""
    ground = terrain.ground()
    if ground.kind == kinds.SLOPE:
        return bool(ground.numbers[2] == 0.0)
    return ground.kind in (kinds.FLAT, kinds.PROFILE)


def patch(terrain: Terrain, middle: np.ndarray, tall: float, planar: bool) -> Patch:
    """The ground around a place (x, y)."""
    if isinstance(terrain, Blocks):  # boxes are drawn by themselves
        terrain = Blocks(())
    every = mark_length(tall)
    low, high = middle - REACH * tall, middle + REACH * tall
    corners = terrain.corners()
    corners = corners[(corners > low[0]) & (corners < high[0])]
    even = planar or is_even_across(terrain)
    x = np.unique(np.concatenate((np.linspace(low[0], high[0], FINE if even else GRID), corners)))
    y = np.array((low[1], high[1])) if even else np.linspace(low[1], high[1], GRID)
    z = heights(terrain, x, np.array((0.0,)) if even else y)
    z = np.repeat(z, 2, axis=1) if even else z
    return Patch(*_mesh(x, y, z), *_lines(terrain, middle, tall, planar, every))


def mark_length(tall: float) -> float:
    """m between two marks on the ground: 1, 0.1, 10."""
    return float(10.0 ** np.ceil(np.log10(tall / 2)))


def _mesh(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    vertices = np.column_stack((np.repeat(x, len(y)), np.tile(y, len(x)), z.ravel()))
    i = (np.arange(len(x) - 1)[:, None] * len(y) + np.arange(len(y) - 1)).ravel()
    n = len(y)
    faces = np.concatenate((np.column_stack((i, i + n, i + 1)), np.column_stack((i + 1, i + n, i + n + 1))))
    return vertices, faces


def _lines(terrain: Terrain, middle: np.ndarray, tall: float, planar: bool, every: float) -> tuple[Any, Any, Any]:
    """Lines across at every mark, ticks between, and distances; in space also lines along."""
    reach, wide = 0.6 * REACH * tall, (1.1 if planar else 6.0) * tall
    at = np.arange(np.ceil((middle[0] - reach) / every), (middle[0] + reach) / every) * every
    aside = np.array((-wide, wide)) + (0.0 if planar else middle[1])
    even = planar or is_even_across(terrain)
    if not even:
        aside = np.linspace(aside[0], aside[1], 25)
    lines = [_along(terrain, np.array([(a, b) for b in aside]), tall, even) for a in at]
    if not planar:
        sides = np.arange(np.ceil((middle[1] - wide) / every), (middle[1] + wide) / every) * every
        corners = terrain.corners()
        x = np.unique(np.concatenate((np.linspace(at[0], at[-1], 81), corners[(corners > at[0]) & (corners < at[-1])])))
        lines += [_along(terrain, np.array([(a, b) for a in x]), tall, even) for b in sides]
    tick = np.arange(np.ceil(10 * (middle[0] - 4 * tall) / every), 10 * (middle[0] + 4 * tall) / every) * every / 10
    base = middle[1] if not planar else 0.0
    near = base - 0.45 * tall
    ticks = [_along(terrain, np.array(((a, near - 0.05 * tall), (a, near + 0.05 * tall))), tall, even) for a in tick]
    marks = []
    for a in at[np.abs(at - middle[0]) < 6 * tall]:
        z = heights(terrain, np.array((a,)), np.array((near,)))[0, 0]
        marks.append((f"{a:g} m", np.array((a, near - 0.1 * tall, z + 0.01 * tall))))
    return np.concatenate(lines), np.concatenate(ticks), marks


def _along(terrain: Terrain, path: np.ndarray, tall: float, even: bool) -> np.ndarray:
    """Segments on the ground along a path."""
    ground, height = terrain.ground(), kinds.ground_at.plain("spatial")
    z = [height(ground, float(a), 0.0 if even else float(b))[0] + ABOVE * tall for a, b in path]
    points = np.column_stack((path, z))
    return np.stack((points[:-1], points[1:]), axis=1)


def boxes(terrain: Terrain) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """Boxes on the ground: size (3,), middle (3,) and yaw."""
    if not isinstance(terrain, Blocks):
        return []
    return [(np.array((l, w, h)), np.array((x, y, h / 2)), yaw) for x, y, yaw, l, w, h in terrain.blocks]
