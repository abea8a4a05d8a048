"""The support: the convex hull of the soles that stand, seen from above, the distance of a point to its edge, and of soles."""

from typing import Any

import numpy as np

from footfall.core.jit import kernel


@kernel
def turn_of(p: Any, a: Any, b: Any, c: Any) -> Any:
    """Positive where points a, b, c of p turn left."""
    return (p[b, 0] - p[a, 0]) * (p[c, 1] - p[a, 1]) - (p[b, 1] - p[a, 1]) * (p[c, 0] - p[a, 0])


@kernel
def sort_points(p: Any) -> Any:
    """Sort by x, then y, and drop points that are there twice. Returns how many are left, the first ones of p."""
    for i in range(1, len(p)):
        x, y, j = p[i, 0], p[i, 1], i
        while j > 0 and (p[j - 1, 0] > x or (p[j - 1, 0] == x and p[j - 1, 1] > y)):
            p[j, 0], p[j, 1] = p[j - 1, 0], p[j - 1, 1]
            j -= 1
        p[j, 0], p[j, 1] = x, y
    n = 0
    for i in range(len(p)):
        if n == 0 or p[i, 0] != p[n - 1, 0] or p[i, 1] != p[n - 1, 1]:
            p[n, 0], p[n, 1] = p[i, 0], p[i, 1]
            n += 1
    return n


@kernel
def hull_of(p: Any, chain: Any, corners: Any) -> Any:
    """Andrew's monotone chain: corners anticlockwise, without points on an edge. Sorts p; returns the number of corners.

    `chain` has room for as many indices as there are points and one more.
    """
    n = sort_points(p)
    if n < 3:
        for i in range(n):
            corners[i, 0], corners[i, 1] = p[i, 0], p[i, 1]
        return n
    count = 0
    for way in range(2):
        m = 0
        for step in range(n):
            i = step if way == 0 else n - 1 - step
            while m > 1 and turn_of(p, chain[m - 2], chain[m - 1], i) <= 0.0:
                m -= 1
            chain[m] = i
            m += 1
        for k in range(m - 1):
            corners[count, 0], corners[count, 1] = p[chain[k], 0], p[chain[k], 1]
            count += 1
    return count


@kernel
def depth_in(corners: Any, n: Any, x: Any, y: Any) -> Any:
    """Distance from a point to the edge of a hull of n corners: positive inside, negative outside or where there is no inside."""
    nearest, inside = np.inf, n > 2
    for i in range(n):
        j = i + 1 if i + 1 < n else 0
        ax, ay, ex, ey = corners[i, 0], corners[i, 1], corners[j, 0] - corners[i, 0], corners[j, 1] - corners[i, 1]
        px, py = x - ax, y - ay
        fraction = min(max((px * ex + py * ey) / max(ex * ex + ey * ey, 1e-300), 0.0), 1.0)
        dx, dy = px - fraction * ex, py - fraction * ey
        nearest = min(nearest, np.sqrt(dx * dx + dy * dy))
        inside = inside and ex * py - ey * px >= 0.0
    return nearest if inside else -nearest


@kernel
def margin_rows(points: Any, standing: Any, places: Any, room: Any, out: Any) -> None:
    """Margins of places (n, 2) in the hull of the feet that stand: points (n, feet, k, 2), standing (n, feet).

    `room` is three arrays, for 2 (points) and 1 (indices). Where nothing stands the margin is minus infinity.
    """
    gathered, corners, chain = room
    feet, k = points.shape[1], points.shape[2]
    for i in range(len(places)):
        n = 0
        for f in range(feet):
            if standing[i, f]:
                for c in range(k):
                    gathered[n, 0], gathered[n, 1] = points[i, f, c, 0], points[i, f, c, 1]
                    n += 1
        out[i] = depth_in(corners, hull_of(gathered[:n], chain, corners), places[i, 0], places[i, 1])


def hull(points: Any) -> np.ndarray:
    """(n, 2) corners of the convex hull, anticlockwise; of fewer than three points, these points."""
    rows = np.array(points, dtype=float).reshape(-1, 2)
    corners, chain = np.zeros((2 * len(rows), 2)), np.zeros(len(rows) + 1, dtype=np.int64)
    return corners[: hull_of.plain("planar")(rows, chain, corners)]


def depth(corners: Any, point: Any) -> float:
    """Distance from a point to the edge of a hull in m, negative outside."""
    rows = np.array(corners, dtype=float)
    return float(depth_in.plain("planar")(rows, len(rows), float(point[0]), float(point[1])))


def margins(points: np.ndarray, standing: np.ndarray, places: np.ndarray) -> np.ndarray:
    """(n,) distance of places (n, 2) to the edge of the hull of the soles that stand, negative outside.

    `points` (n, feet, k, 2) are the soles' corners, `standing` (n, feet) says which count.
    """
    most = points.shape[1] * points.shape[2]
    out, room = np.zeros(len(places)), (np.zeros((most, 2)), np.zeros((2 * most, 2)), np.zeros(most + 1, dtype=np.int64))
    arrays = (np.ascontiguousarray(points), np.ascontiguousarray(standing, dtype=np.uint8), np.ascontiguousarray(places))
    margin_rows["planar"](*arrays, room, out)
    return out


def apart(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """(n,) distance in m of convex polygons (n, k, 2), corners anticlockwise; where they overlap, minus the way to part them."""
    gap = np.maximum(_beyond_edges(one, two), _beyond_edges(two, one))
    return np.where(gap > 0.0, np.minimum(_to_edges(one, two), _to_edges(two, one)), gap)


def _beyond_edges(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """(n,) how far all of the other polygon is beyond an edge of this one, for the edge where that is most."""
    edge = np.roll(one, -1, axis=1) - one
    length = np.hypot(edge[..., 0], edge[..., 1])
    out = np.stack((edge[..., 1], -edge[..., 0]), axis=-1) / np.maximum(length, 1e-300)[..., None]
    off = ((two[:, None] - one[:, :, None]) * out[:, :, None]).sum(axis=-1).min(axis=2)
    return np.where(length > 0.0, off, -np.inf).max(axis=1)


def _to_edges(one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """(n,) least distance of the other polygon's corners from the edges of this one."""
    edge = (np.roll(one, -1, axis=1) - one)[:, :, None]
    way = two[:, None] - one[:, :, None]
    part = np.clip((way * edge).sum(axis=-1) / np.maximum((edge * edge).sum(axis=-1), 1e-300), 0.0, 1.0)
    return np.linalg.norm(way - part[..., None] * edge, axis=-1).min(axis=(1, 2))
