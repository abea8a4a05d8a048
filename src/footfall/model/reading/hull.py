"""The convex hull of a mesh."""

from functools import cached_property

import numpy as np
from scipy.spatial import ConvexHull, QhullError

MANY = 80_000  # corners of a hull take about a second; more are thinned
SAMPLE = 10_000
CELLS = 64  # by as many on each of the six sides of a cube about the mesh


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
