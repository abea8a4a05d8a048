"""Shapes of a file as pads and shapes of a robot, which are along the axes of their links.

What lies across them gets a link of its own, without mass, fixed to the other. The sole of a foot whose link has other axes than
forward, left and up in the zero position gets one with these, so that all feet look alike to a controller.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from footfall.model.export import TOUCH
from footfall.model.parts import Arc, Box, Capsule, Pad, Point, Sphere
from footfall.model.reading.blueprint import Solid, row
from footfall.model.reading.hull import THINNEST

STRAIGHT = 1e-6  # in each entry of a rotation: axes that agree
LAYER = 0.003  # m: points of a hull this far above the lowest belong to the sole
UPRIGHT = 0.9  # of the axis of a cylinder: more stands on its rim
RIM = 8  # points of the rim of an upright cylinder
SIGNS = np.array([(x, y, z) for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])


class Placed(NamedTuple):
    """What becomes of a shape: pads, whose link is yet to be said, and what is different then."""

    pads: list[Any]
    said: str = ""
    turn: np.ndarray | None = None  # axes of the link of its own that it needs, in those of its link


def corners_of(solid: Solid) -> tuple[np.ndarray, float]:
    """Points in the axes of the link, and the radius of balls about them, that reach as far as the shape does in any direction.

    Of a cylinder the points are on its rims.
    """
    R, at = solid.pose[:3, :3], np.array(solid.at)
    if solid.kind == "sphere":
        return at[None], solid.size[0]
    if solid.kind == "capsule":
        return np.array([solid.at, solid.end]), solid.size[0]
    if solid.kind == "box":
        return SIGNS * np.array(solid.size) / 2 @ R.T + at, 0.0
    if solid.kind == "cylinder":
        r, length = solid.size
        angles = np.arange(RIM) * 2 * math.pi / RIM + math.pi / RIM
        ring = np.column_stack((r * np.cos(angles), r * np.sin(angles), np.zeros(RIM)))
        ends = [ring + np.array((0.0, 0.0, z)) for z in (-length / 2, length / 2)]
        return np.concatenate(ends) @ R.T + at, 0.0
    return solid.cloud.points @ R.T + at, 0.0


def lowest(solid: Solid, pose: np.ndarray) -> float:
    """How low a shape reaches, on a link with that pose."""
    if solid.kind == "cylinder":
        axis = pose[:3, :3] @ solid.pose[:3, 2]
        middle = pose[2, :3] @ np.array(solid.at) + pose[2, 3]
        return float(middle - abs(axis[2]) * solid.size[1] / 2 - solid.size[0] * math.sqrt(max(0.0, 1.0 - axis[2] ** 2)))
    points, radius = corners_of(solid)
    return float((points @ pose[2, :3]).min() + pose[2, 3] - radius)


# --- shapes of links ------------------------------------------------------------------------------------------------------


def as_shape(solid: Solid) -> Placed:
    """A shape of a link, of those that a robot has."""
    if solid.kind == "mesh":
        return _mesh(solid)
    if solid.kind == "box":
        return _box(solid)
    if solid.kind == "sphere":
        return Placed([_ball(solid)])
    if solid.kind == "capsule":
        return Placed([Capsule("", solid.size[0], solid.end, solid.at)])
    return _cylinder(solid)


def _mesh(solid: Solid) -> Placed:
    """Boxes about the convex hull, along the axes of the mesh: one, or several in a row along its longest side if it is slender.

    A shin that tapers toward the ankle would otherwise have corners that touch the ground where it does not.
    """
    pads, placed = [], Placed([])
    for a, b in solid.cloud.boxes:
        middle = np.array(solid.at) + solid.pose[:3, :3] @ ((a + b) / 2)
        placed = _box(solid._replace(kind="box", at=row(middle), size=row(np.maximum(b - a, THINNEST))))
        pads += placed.pads
    many = f"{len(pads)} boxes about its convex hull, one after the other" if len(pads) > 1 else "the box about it"
    return placed._replace(pads=pads, said=f"a mesh is taken for {many}, along its axes")


def _ball(solid: Solid) -> Pad:
    return Point("", solid.at) if solid.size[0] <= TOUCH else Sphere("", solid.size[0], solid.at)


def _box(solid: Solid) -> Placed:
    R = solid.pose[:3, :3]
    along = np.round(np.abs(R))
    if np.abs(np.abs(R) - along).max() < STRAIGHT:
        size = solid.size if not any(solid.turn) else row(along @ np.array(solid.size))
        return Placed([Box("", size, solid.at)])
    return Placed([Box("", solid.size, row(R.T @ np.array(solid.at)))], turn=R)


def _cylinder(solid: Solid) -> Placed:
    axis, (r, length) = solid.pose[:3, 2], solid.size
    if abs(abs(axis[1]) - 1.0) < STRAIGHT:
        return Placed([Arc("", r, solid.at, width=length)])
    half = length / 2 - r
    if half <= 0.1 * r:
        side = math.sqrt(math.pi) * r
        box = _box(solid._replace(kind="box", size=(side, side, length)))
        return box._replace(said="a cylinder shorter than wide is taken for a block of the same height and volume")
    ends = [row(np.array(solid.at) + sign * half * axis) for sign in (-1.0, 1.0)]
    return Placed([Capsule("", r, ends[1], ends[0])], "a cylinder is taken for a capsule of the same length and radius")


# --- soles ----------------------------------------------------------------------------------------------------------------


def as_sole(solid: Solid) -> Placed:
    """The part of a foot's shape that touches, in axes whose z is up."""
    if solid.kind == "box":
        placed = _box(solid)
        return placed if placed.turn is None else _points(corners_of(solid)[0], "a box that lies askew")
    if solid.kind == "cylinder" and abs(solid.pose[2, 2]) > UPRIGHT:
        points, _ = corners_of(solid)
        low = np.sort(np.argsort(points[:, 2], kind="stable")[:RIM])
        return Placed([Point("", row(p)) for p in points[low]], f"an upright cylinder touches with {RIM} points of its rim")
    if solid.kind == "mesh":
        return _points(corners_of(solid)[0][solid.cloud.corners], "a mesh")
    return as_shape(solid)


def _points(hull: np.ndarray, what: str) -> Placed:
    """The outermost four of the lowest points of a hull."""
    low = hull[hull[:, 2] <= hull[:, 2].min() + LAYER]
    flat = low[:, :2]
    middle, size = (flat.max(axis=0) + flat.min(axis=0)) / 2, np.maximum(np.ptp(flat, axis=0), THINNEST)
    away = (flat - middle) / size
    chosen = dict.fromkeys(int(np.argmax(away @ sign)) for sign in ((-1, -1), (-1, 1), (1, -1), (1, 1)))
    level, uneven = float(low[:, 2].min()), float(np.ptp(low[list(chosen), 2]))
    said = f"{what} touches with the outermost {len(chosen)} of the lowest points of its hull"
    said += f", brought to one height ({1e3 * uneven:.2g} mm)" if uneven > 0.0 else ""
    return Placed([Point("", row((*low[i, :2], level))) for i in chosen], said)


def sole_axes(axes: np.ndarray, boxes: list[np.ndarray]) -> np.ndarray:
    """The axes for the sole of a foot: those of its first box, the one most upward called z, else none of its own."""
    for box in boxes:
        R = axes @ box
        if np.abs(np.abs(R) - np.round(np.abs(R))).max() < STRAIGHT:
            continue
        up = int(np.argmax(np.abs(R[2])))
        front = max((i for i in range(3) if i != up), key=lambda i: abs(R[0, i]))
        z, x = R[:, up] * np.sign(R[2, up]), R[:, front] * (np.sign(R[0, front]) or 1.0)
        return np.column_stack((x, np.cross(z, x), z))
    return np.eye(3)
