"""Limits of the contact wrench under the soles of standing feet."""

from itertools import product

import numpy as np
from scipy.spatial import ConvexHull

from footfall import kinematics
from footfall.errors import RobotError
from footfall.model.layout import lift, lower
from footfall.model.robot import Robot
from footfall.model.shapes import corners

FLAT = 1e-6  # m: corners this far out of a plane still make a flat sole


def sole_corners(robot: Robot, foot: str) -> np.ndarray:
    """The corners of a foot that stand on the ground together, in the axes of its body. Up is z of the link of its first pad."""
    points, axes = [], sole_axes(robot, foot)
    for pad in robot.foot(foot).pads:
        where = robot.target(pad.link)
        points += [where.place + where.axes @ lift(at) for at in corners(pad)]
    rows = np.array(points)
    height = rows @ axes[:, 2]
    low = rows[height < height.min() + FLAT]
    size = np.ptp(low @ axes, axis=0)
    if size[0] < FLAT or (robot.space == "spatial" and size[1] < FLAT):
        raise RobotError(f"foot {foot!r} of robot {robot.name!r} has no flat sole to stand on")
    return lower(low, robot.space)


def sole_axes(robot: Robot, foot: str) -> np.ndarray:
    """Forward, left and up of a sole, in the axes of its body."""
    return robot.target(robot.foot(foot).pads[0].link).axes


def sole_rectangle(robot: Robot, foot: str) -> tuple[np.ndarray, np.ndarray]:
    """The middle of a sole in the axes of its body, and half its lengths along its own axes."""
    rows = sole_corners(robot, foot)
    axes = sole_axes(robot, foot) if robot.space == "spatial" else np.eye(2)
    own = rows @ axes
    return axes @ ((own.max(axis=0) + own.min(axis=0)) / 2), ((own.max(axis=0) - own.min(axis=0)) / 2)[:-1]


def in_body(cone: np.ndarray, axes: np.ndarray, space: str) -> np.ndarray:
    """Rows for wrenches in the axes of a sole, for the same in those of its body."""
    if space == "planar":
        return cone
    return np.hstack((cone[:, :3] @ axes.T, cone[:, 3:] @ axes.T))


def wrench_cone(size: np.ndarray, friction: float) -> tuple[np.ndarray, tuple[str, ...]]:
    """Rows with rows . (force, moment) >= 0 for wrenches that a flat sole can take about its middle, and the name of each row.

    The sole is a rectangle of half lengths `size`, friction is a pyramid inside the cone, and the moment about the normal is
    limited by the friction at the edges (Caron, Pham and Nakamura 2015).
    """
    if len(size) == 1:
        X, mu = size[0], friction
        rows = [[1, mu, 0], [-1, mu, 0], [0, X, 1], [0, X, -1]]
        return np.array(rows, dtype=float), ("friction",) * 2 + ("centre of pressure",) * 2
    (X, Y), mu = size, friction / np.sqrt(2.0)
    table: list[list[float]] = [[s, 0, mu, 0, 0, 0] for s in (1, -1)] + [[0, s, mu, 0, 0, 0] for s in (1, -1)]
    table += [[0, 0, Y, s, 0, 0] for s in (1, -1)] + [[0, 0, X, 0, s, 0] for s in (1, -1)]
    for s, t, side in product((1, -1), repeat=3):
        # side n <= mu (X + Y) fz - |Y fx + side mu mx| - |X fy + side mu my|
        table.append([s * Y, t * X, mu * (X + Y), s * side * mu, t * side * mu, -side])
    return np.array(table, dtype=float), ("friction",) * 4 + ("centre of pressure",) * 4 + ("twist",) * 8


def support(robot: Robot, q: np.ndarray, margin: float = 1.0) -> np.ndarray:
    """The region under the feet, seen from above: rows (outward normal, distance from the origin) of its edges.

    `margin` is the part of each sole that counts.
    """
    rows = []
    for foot in robot.feet:
        link = foot.pads[0].link
        where, corners = robot.target(link), sole_corners(robot, foot.name)
        middle = (corners.max(axis=0) + corners.min(axis=0)) / 2
        for corner in middle + margin * (corners - middle):
            local = where.axes.T @ (lift(corner) - where.place)
            rows.append(kinematics.pose(robot, q, link, at=lower(local, robot.space)).position[:-1])
    points = np.array(rows)
    if robot.space == "planar":
        return np.array([(1.0, points.max()), (-1.0, -points.min())])
    edges = ConvexHull(points).equations * (1.0, 1.0, -1.0)
    _, first = np.unique(np.round(edges, 9), axis=0, return_index=True)  # collinear corners give an edge twice
    return edges[np.sort(first)]


def outside(edges: np.ndarray, place: np.ndarray) -> float:
    """How far a place lies outside a region, seen from above; negative inside."""
    return float(np.max(edges[:, :-1] @ place[:-1] - edges[:, -1]))
