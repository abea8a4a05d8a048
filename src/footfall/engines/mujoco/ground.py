"""The ground as MuJoCo has it: planes, boxes, prisms, and height fields where it is curved.

Places count from where the robot starts, as in `engines.contact`.
"""

import math
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from footfall.core.ground import BLOCKS, FLAT, PROFILE, SLOPE, USER, Ground
from footfall.core.mujoco import heights
from footfall.errors import SimulationError
from footfall.model.export import numbers

FAR = 1000.0  # m: half the length of what has no end
ASIDE = {"planar": 1.0, "spatial": 50.0}  # m: half the width of what goes on across
DEEP = 1.0  # m: thickness of the ground below its lowest place
WINDOW = {"planar": 8.0, "spatial": 4.0}  # m: half the length of a height field, which goes along with the robot
WALL = 1e-6  # m: shorter pieces of a profile are upright


class Piece(NamedTuple):
    """A geom of the ground, and the vertices of its mesh if it has one."""

    geom: dict[str, str]
    vertices: np.ndarray | None = None


class Hills(NamedTuple):
    """A height field about a place."""

    x: np.ndarray
    y: np.ndarray
    z: np.ndarray  # (y, x)

    @property
    def low(self) -> float:
        return float(self.z.min())

    @property
    def rise(self) -> float:
        return max(float(np.ptp(self.z)), 1e-3)

    @property
    def size(self) -> str:
        return numbers(0.5 * np.ptp(self.x), 0.5 * np.ptp(self.y), self.rise, DEEP)

    @property
    def place(self) -> str:
        return numbers(0.5 * (self.x[0] + self.x[-1]), 0.5 * (self.y[0] + self.y[-1]), self.low)


def is_hilly(ground: Ground) -> bool:
    """Whether only a height field can stand for it."""
    return ground.kind not in (FLAT, SLOPE, PROFILE, BLOCKS)


def has_corners_only(ground: Ground) -> bool:
    """Whether blocks touch it with their corners only: with a prism or height field MuJoCo finds too few contacts of a block."""
    return is_hilly(ground) or (ground.kind == PROFILE and any(slope for _, _, slope in _faces(ground)))


def pieces(ground: Ground, space: str) -> list[Piece]:
    """What the ground is made of, without hills."""
    if ground.kind == FLAT:
        return [_plane(float(ground.numbers[0]), 0.0, 0.0)]
    if ground.kind == SLOPE:
        z, zx, zy = (float(each) for each in ground.numbers)
        return [_plane(z + zx * ground.origin[0] + zy * ground.origin[1], zx, zy if space == "spatial" else 0.0)]
    if ground.kind == BLOCKS:
        return [_plane(0.0, 0.0, 0.0), *_blocks(ground)]
    return _profile(ground, ASIDE[space]) if ground.kind == PROFILE else []


def _plane(z: float, zx: float, zy: float) -> Piece:
    normal = np.array((-zx, -zy, 1.0)) / math.sqrt(1.0 + zx * zx + zy * zy)
    turned = {"zaxis": numbers(*normal)} if zx or zy else {}
    return Piece({"type": "plane", "size": "0 0 1", "pos": numbers(0.0, 0.0, z), **turned})


def _blocks(ground: Ground) -> list[Piece]:
    made = []
    for x, y, c, s, half_length, half_width, height in ground.numbers.reshape(-1, 7):
        at = x - ground.origin[0], y - ground.origin[1], 0.5 * (height - DEEP)
        half = numbers(half_length, half_width, 0.5 * (height + DEEP))
        made.append(Piece({"type": "box", "pos": numbers(*at), "size": half, "euler": numbers(0.0, 0.0, math.atan2(s, c))}))
    return made


def _faces(ground: Ground) -> list[tuple[tuple[float, float], tuple[float, float], bool]]:
    """Faces of a profile that are not upright, with where each begins and ends, and whether it slopes."""
    x, z = ground.knots - ground.origin[0], ground.numbers
    points = [(float(x[0]) - FAR, float(z[0])), *zip(x.tolist(), z.tolist(), strict=True), (float(x[-1]) + FAR, float(z[-1]))]
    return [(a, b, a[1] != b[1]) for a, b in pairwise(points) if b[0] - a[0] > WALL]


def _profile(ground: Ground, aside: float) -> list[Piece]:
    faces = _faces(ground)
    bottom = min(min(a[1], b[1]) for a, b, _ in faces) - DEEP
    made = []
    for i, (a, b, slopes) in enumerate(faces):
        if slopes:
            corners = [(x, y, z) for y in (-aside, aside) for x, z in (a, b, (b[0], bottom), (a[0], bottom))]
            made.append(Piece({"type": "mesh"}, np.array(corners)))
            continue
        first, last = _below_neighbours(faces, i)
        half = numbers(0.5 * (last - first), aside, 0.5 * (a[1] - bottom))
        made.append(Piece({"type": "box", "pos": numbers(0.5 * (first + last), 0.0, 0.5 * (a[1] + bottom)), "size": half}))
    return made


def _below_neighbours(faces: list, i: int) -> tuple[float, float]:
    """From where to where a level face may go on below higher ones: a point deep in its end is then not pushed out sideways."""
    level, first, last = faces[i][0][1], i, i
    while first > 0 and min(faces[first - 1][0][1], faces[first - 1][1][1]) >= level:
        first -= 1
    while last + 1 < len(faces) and min(faces[last + 1][0][1], faces[last + 1][1][1]) >= level:
        last += 1
    return faces[first][0][0], faces[last][1][0]


# --- hills ----------------------------------------------------------------------------------------------------------------


def middle_of(at: np.ndarray, now: tuple[float, float] | None, spacing: float, space: str) -> tuple[float, float]:
    """The middle of the window for a robot at this place: it stays until the robot is halfway to its edge."""
    window = WINDOW[space]
    if now is not None and max(abs(at[0] - now[0]), abs(at[1] - now[1])) < 0.5 * window:
        return now
    return tuple(float(spacing * round(each / spacing)) for each in at)  # type: ignore[return-value]


def hills(ground: Ground, middle: tuple[float, float], spacing: float, space: str) -> Hills:
    """Heights about a place, at whole multiples of the spacing: so it is the same surface in all windows."""
    half, aside = round(WINDOW[space] / spacing), round(WINDOW[space] / spacing) if space == "spatial" else 0
    x = (np.arange(-half, half + 1) + round(middle[0] / spacing)) * spacing
    y = (np.arange(-aside, aside + 1) + round(middle[1] / spacing)) * spacing if aside else np.zeros(1)
    z = np.zeros((len(y), len(x)))
    _sample(ground, x, y, z)
    if not aside:  # the same across the plane of motion
        y, z = np.array((-ASIDE["planar"], ASIDE["planar"])), np.repeat(z, 2, axis=0)
    return Hills(x, y, z)


def _sample(ground: Ground, x: np.ndarray, y: np.ndarray, z: np.ndarray) -> None:
    if len(x) * len(y) > 4_000_000:
        raise SimulationError(
            f"engine MuJoCo: a height field with a spacing of {x[1] - x[0]:g} m has {len(x) * len(y):,} places; 4,000,000 are "
            "the most: make engine.spacing larger"
        )
    call: Any = heights["spatial"]
    call(ground, x, y, z)
    if ground.kind == USER and ground.numbers[0] != 0.0:
        raise ground.call.complaint()
