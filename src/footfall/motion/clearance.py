"""How far the shapes of a robot are from boxes on the ground: exact distances of its capsules, balls and soles.

The distance of two convex bodies that do not meet is that of a vertex to a face or of two edges. So it is the least of the
distances of the edges of one to the whole of the other, both ways. The distance of a segment to a box is convex along it.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import set_places
from footfall.core.spatial.vectors import dot, get_rotation, get_vector, plus, rotate, rotate_back, scaled
from footfall.evaluate import Evaluation
from footfall.model.parts import Box, Capsule, Sphere
from footfall.model.robot import Robot
from footfall.model.shapes import balls_of
from footfall.model.state import coordinates
from footfall.motion.curve import MotionError
from footfall.world.terrain import Blocks

HALVINGS = 40  # of a segment, when the nearest point is sought: to 1e-12 of its length
EDGES = tuple((i, i | bit) for i in range(8) for bit in (1, 2, 4) if not i & bit)  # of a box, by the signs of its corners


class Shapes(NamedTuple):
    """Segments of a robot's shapes, and those of its shapes that are boxes."""

    body: Any  # (n,) int
    start: Any  # (n, 3) in the body's axes
    end: Any  # (n, 3)
    radius: Any  # (n,)
    box_body: Any  # (m,) int
    box_at: Any  # (m, 3) middles in the body's axes
    box_half: Any  # (m, 3)


class Boxes(NamedTuple):
    """Boxes on the ground, upright."""

    at: Any  # (n, 3) middles
    axes: Any  # (n, 9)
    half: Any  # (n, 3)
    edges: Any  # (n, 12, 6) ends of their edges, in world axes


@kernel
def beyond(x: Any, half: Any) -> Any:
    """From a box about the origin to a point: the vector from its nearest point."""
    return (
        x[0] - min(max(x[0], -half[0]), half[0]),
        x[1] - min(max(x[1], -half[1]), half[1]),
        x[2] - min(max(x[2], -half[2]), half[2]),
    )


@kernel
def segment_to_box(a: Any, b: Any, half: Any) -> Any:
    """Distance of a segment from a box about the origin; 0 if they meet. The slope of its square only grows along the segment."""
    d = plus(b, scaled(a, -1.0))
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        if dot(beyond(plus(a, scaled(d, middle)), half), d) > 0.0:
            high = middle
        else:
            low = middle
    away = beyond(plus(a, scaled(d, 0.5 * (low + high))), half)
    first, last = beyond(a, half), beyond(b, half)
    return np.sqrt(min(dot(away, away), dot(first, first), dot(last, last)))


@kernel
def row_distances(work: Any, shapes: Any, boxes: Any, out: Any) -> Any:
    """out[i, k]: distance of shape i (segments first, then boxes) from box k, with the bodies where they are."""
    n = len(shapes.body)
    for k in range(len(boxes.at)):
        R, p, half = get_rotation(boxes.axes, k), get_vector(boxes.at, k), get_vector(boxes.half, k)
        for i in range(n):
            body = shapes.body[i]
            Q, o = get_rotation(work.R_WB, body), plus(get_vector(work.p_WB, body), scaled(p, -1.0))
            a = rotate_back(R, plus(o, rotate(Q, get_vector(shapes.start, i))))
            b = rotate_back(R, plus(o, rotate(Q, get_vector(shapes.end, i))))
            out[i, k] = max(segment_to_box(a, b, half) - shapes.radius[i], 0.0)
        for j in range(len(shapes.box_body)):
            body = shapes.box_body[j]
            Q, o = get_rotation(work.R_WB, body), get_vector(work.p_WB, body)
            middle, size, least = scaled(get_vector(shapes.box_at, j), -1.0), get_vector(shapes.box_half, j), np.inf
            for e in range(boxes.edges.shape[1]):
                edge = boxes.edges[k, e]
                a = rotate_back(Q, plus((edge[0], edge[1], edge[2]), scaled(o, -1.0)))
                b = rotate_back(Q, plus((edge[3], edge[4], edge[5]), scaled(o, -1.0)))
                least = min(least, segment_to_box(plus(a, middle), plus(b, middle), size))
            out[n + j, k] = least


@kernel(inline=False)
def distance_rows(tree: Any, work: Any, q: Any, shapes: Any, boxes: Any, room: Any, out: Any) -> Any:
    """out[r, i, k] for all rows of coordinates; `room` for those of one row."""
    for r in range(len(q)):
        set_places(tree, work, q[r])
        row_distances(work, shapes, boxes, room)
        for i in range(room.shape[0]):
            for k in range(room.shape[1]):
                out[r, i, k] = room[i, k]


@dataclass(frozen=True, eq=False)
class Clearance:
    """Distances in m of all links from all boxes, in every row."""

    links: tuple[str, ...]
    distance: np.ndarray  # (rows, links, boxes)

    @property
    def least(self) -> float:
        """The smallest of all; infinite without boxes."""
        return float(self.distance.min(initial=np.inf))

    def nearest(self, box: int) -> tuple[float, str, int]:
        """The smallest distance to a box, the link that has it, and the row."""
        rows = self.distance[:, :, box]
        row, link = np.unravel_index(np.argmin(rows), rows.shape)
        return float(rows[row, link]), self.links[link], int(row)


def clearance(robot: Robot, q: Any, terrain: Blocks) -> Clearance:
    """Distances of the links of a robot from the boxes of a terrain, for rows of coordinates; 0 where they touch or meet."""
    if robot.space != "spatial" or not isinstance(terrain, Blocks):
        raise MotionError(f"clearance is that of a robot in space from Blocks, got {robot.space} {robot.name!r}, {terrain!r:.60}")
    rows = np.ascontiguousarray(np.atleast_2d(coordinates(robot, q, many=True)))
    shapes, names = shapes_of(robot)
    boxes, ev = boxes_of(terrain), Evaluation(robot)
    found = np.zeros((len(rows), len(names), len(boxes.at)))
    ev.run(distance_rows, rows, shapes, boxes, np.zeros(found.shape[1:]), found)
    links = tuple(dict.fromkeys(names))
    least = [found[:, [name == link for name in names]].min(axis=1) for link in links]
    return Clearance(links, np.stack(least, axis=1))


def shapes_of(robot: Robot) -> tuple[Shapes, list[str]]:
    """All shapes of links and feet, and for each the name of its link."""
    segments: list[tuple[str, Any, Any, float]] = []
    boxes: list[tuple[str, Any, Any]] = []
    solids = [shape for link in robot.links for shape in robot.solids[link.name]]
    for shape in (*solids, *(pad for foot in robot.feet for pad in foot.pads)):
        if isinstance(shape, Box):
            half = np.array(shape.size) / 2.0
            corners = [np.array(shape.at) + half * [1.0 if i & bit else -1.0 for bit in (1, 2, 4)] for i in range(8)]
            segments += [(shape.link, corners[i], corners[j], 0.0) for i, j in EDGES]
            boxes.append((shape.link, np.array(shape.at), half))
        elif isinstance(shape, Capsule):
            segments.append((shape.link, shape.start or (0.0, 0.0, 0.0), shape.end, shape.radius))
        elif isinstance(shape, Sphere):
            segments.append((shape.link, shape.at, shape.at, shape.radius))
        else:  # edges and arcs: the points and balls that touch the ground
            segments += [(shape.link, at, at, radius) for at, radius in balls_of(shape, robot.dim)]
    return _placed(robot, segments, boxes), [each[0] for each in segments] + [each[0] for each in boxes]


def _placed(robot: Robot, segments: list, boxes: list) -> Shapes:
    """In the axes of the bodies: a link may be fixed to another, turned against it."""

    def on(link: str, at: Any) -> np.ndarray:
        target = robot.target(link)
        return target.place + target.axes @ np.asarray(at, dtype=float)

    turned = [link for link, _, _ in boxes if np.abs(robot.target(link).axes - np.eye(3)).max() > 1e-9]
    if turned:
        raise MotionError(
            f"robot {robot.name!r}: the box of link {turned[0]!r} is turned against its body; that is not supported"
        )
    return Shapes(
        np.array([robot.target(link).body for link, *_ in segments], np.int64),
        np.array([on(link, start) for link, start, _, _ in segments]).reshape(-1, 3),
        np.array([on(link, end) for link, _, end, _ in segments]).reshape(-1, 3),
        np.array([radius for *_, radius in segments], float),
        np.array([robot.target(link).body for link, *_ in boxes], np.int64),
        np.array([on(link, at) for link, at, _ in boxes]).reshape(-1, 3),
        np.array([half for *_, half in boxes], float).reshape(-1, 3),
    )


def boxes_of(terrain: Blocks) -> Boxes:
    """The boxes of a terrain, from the ground up."""
    at, axes, half, edges = [], [], [], []
    for x, y, yaw, length, width, height in terrain.blocks:
        c, s = np.cos(yaw), np.sin(yaw)
        R, h, p = (
            np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]),
            np.array((length, width, height)) / 2.0,
            (x, y, height / 2.0),
        )
        corners = [p + R @ (h * [1.0 if i & bit else -1.0 for bit in (1, 2, 4)]) for i in range(8)]
        at.append(p)
        axes.append(R.ravel())
        half.append(h)
        edges.append([np.concatenate((corners[i], corners[j])) for i, j in EDGES])
    n = len(at)
    return Boxes(
        np.array(at).reshape(n, 3), np.array(axes).reshape(n, 9), np.array(half).reshape(n, 3), np.array(edges).reshape(n, 12, 6)
    )
