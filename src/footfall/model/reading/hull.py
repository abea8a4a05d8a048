"""The convex hull of a mesh."""

from functools import cached_property
from itertools import pairwise

import numpy as np
from scipy.spatial import ConvexHull, QhullError

MANY = 80_000  # corners of a hull take about a second; more are thinned
SAMPLE = 10_000
CELLS = 64  # by as many on each of the six sides of a cube about the mesh


THINNEST = 1e-4  # m: least side of a box
MOST_BOXES = 5  # for a mesh


class Cloud:
    """The points of a mesh. Their hull is found once, however many shapes have them."""

    def __init__(self, points: np.ndarray):
        self.points = points  # (n, 3)

    @cached_property
    def triangles(self) -> np.ndarray:
        """Rows of three numbers of points; none where the points have no hull. Of dense meshes only the outermost count."""
        if not dense(self.points):
            return simplices(self.points)
        outermost = farthest(self.points)
        return outermost[simplices(self.points[outermost])]

    @cached_property
    def corners(self) -> np.ndarray:
        """The numbers of the points of the hull; all where there is none."""
        return np.unique(self.triangles) if len(self.triangles) else np.arange(len(self.points))

    @cached_property
    def edges(self) -> np.ndarray:
        """(n, 2, 3) ends of the edges of the hull; none where there is none."""
        if not len(self.triangles):
            return np.zeros((0, 2, 3))
        sides = np.concatenate([self.triangles[:, pair] for pair in ([0, 1], [1, 2], [2, 0])])
        return self.points[np.unique(np.sort(sides, axis=1), axis=0)]

    @cached_property
    def boxes(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Least and greatest corners of boxes about the hull, along the axes: one, or several in a row where it is slender."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        size = high - low
        along = int(np.argmax(size))
        count = int(np.clip(np.ceil(size[along] / max(np.sort(size)[1], THINNEST)), 1, MOST_BOXES))
        edges = self.edges if count > 1 else np.zeros((0, 2, 3))
        found = []
        for first, last in pairwise(np.linspace(low[along], high[along], (count if len(edges) else 1) + 1)):
            piece = _between(edges, along, first, last) if len(edges) else self.points
            a, b = piece.min(axis=0), piece.max(axis=0)
            a[along], b[along] = first, last
            found.append((a, b))
        return found


def _between(edges: np.ndarray, along: int, first: float, last: float) -> np.ndarray:
    """The ends of what is left of edges between two planes."""
    start, way = edges[:, 0], edges[:, 1] - edges[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        s, t = ((plane - start[:, along]) / way[:, along] for plane in (first, last))
    level = way[:, along] == 0.0
    within = (start[:, along] >= first) & (start[:, along] <= last)
    s, t = np.where(level, 0.0, np.clip(np.minimum(s, t), 0.0, 1.0)), np.where(level, 1.0, np.clip(np.maximum(s, t), 0.0, 1.0))
    lowest, highest = edges[:, :, along].min(axis=1), edges[:, :, along].max(axis=1)
    kept = np.where(level, within, (lowest <= last) & (highest >= first))
    return np.concatenate([start + s[:, None] * way, start + t[:, None] * way])[np.tile(kept, 2)]


def simplices(points: np.ndarray) -> np.ndarray:
    """The triangles of the hull, turned either way; none where there is none."""
    try:
        return np.asarray(ConvexHull(points).simplices)
    except (QhullError, ValueError):
        return np.zeros((0, 3), int)


def dense(points: np.ndarray) -> bool:
    """Whether a hull would have so many corners that it takes long, to judge by a part of the points."""
    if len(points) <= MANY:
        return False
    sample = points[:: len(points) // SAMPLE + 1]
    return len(np.unique(simplices(sample))) * len(points) > MANY * len(sample)


def farthest(points: np.ndarray) -> np.ndarray:
    """The numbers of the points that are farthest from the middle, in each of some ten thousand directions.

    A hull of these alone stays within 1e-4 of the size of the mesh.
    """
    low, high = points.min(axis=0), points.max(axis=0)
    away = (points - (low + high) / 2) / np.maximum(high - low, 1e-300)
    reach = np.abs(away).max(axis=1)
    side = np.argmax(np.abs(away), axis=1)
    sign = np.take_along_axis(away, side[:, None], 1)[:, 0] > 0.0
    ways = np.array([[1, 2], [0, 2], [0, 1]])[side]
    place = np.take_along_axis(away, ways, 1) / np.maximum(reach, 1e-300)[:, None]  # -1 to 1
    u, v = np.minimum((place + 1.0) * CELLS / 2, CELLS - 1).astype(int).T
    cell = ((2 * side + sign) * CELLS + u) * CELLS + v
    best = np.zeros(6 * CELLS * CELLS, int)
    order = np.argsort((away**2).sum(axis=1))  # the last of a cell is the farthest
    best[cell[order]] = order + 1
    return np.asarray(best[best > 0] - 1)
