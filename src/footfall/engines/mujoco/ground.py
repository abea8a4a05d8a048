"""The ground as MuJoCo has it: planes and boxes; where it is curved or slopes in pieces, a plane below every pad.

Places count from where the robot starts, as in `engines.contact`.
"""

import math
from itertools import pairwise

import numpy as np

from footfall.core.ground import BLOCKS, FLAT, PROFILE, SLOPE, Ground
from footfall.model.export import numbers

FAR = 1000.0  # m: half the length of what has no end
ASIDE = {"planar": 1.0, "spatial": 50.0}  # m: half the width of what goes on across
DEEP = 1.0  # m: thickness of the ground below its lowest place
WALL = 1e-6  # m: shorter pieces of a profile are upright


def is_followed(ground: Ground) -> bool:
    """Whether pads have planes of their own below them, which go along: on hills, and on a profile that slopes."""
    return ground.kind not in (FLAT, SLOPE, PROFILE, BLOCKS) or (
        ground.kind == PROFILE and any(slope for *_, slope in _faces(ground))
    )


def pieces(ground: Ground, space: str) -> list[dict[str, str]]:
    """The geoms that the ground is made of, if it is not followed."""
    if is_followed(ground):
        return []
    if ground.kind == FLAT:
        return [_plane(float(ground.numbers[0]), 0.0, 0.0)]
    if ground.kind == SLOPE:
        z, zx, zy = (float(each) for each in ground.numbers)
        return [_plane(z + zx * ground.origin[0] + zy * ground.origin[1], zx, zy if space == "spatial" else 0.0)]
    if ground.kind == BLOCKS:
        return [_plane(0.0, 0.0, 0.0), *_blocks(ground)]
    return _profile(ground, ASIDE[space])


def _plane(z: float, zx: float, zy: float) -> dict[str, str]:
    normal = np.array((-zx, -zy, 1.0)) / math.sqrt(1.0 + zx * zx + zy * zy)
    turned = {"zaxis": numbers(*normal)} if zx or zy else {}
    return {"type": "plane", "size": "0 0 1", "pos": numbers(0.0, 0.0, z), **turned}


def _blocks(ground: Ground) -> list[dict[str, str]]:
    made = []
    for x, y, c, s, half_length, half_width, height in ground.numbers.reshape(-1, 7):
        at = x - ground.origin[0], y - ground.origin[1], 0.5 * (height - DEEP)
        half = numbers(half_length, half_width, 0.5 * (height + DEEP))
        made.append({"type": "box", "pos": numbers(*at), "size": half, "euler": numbers(0.0, 0.0, math.atan2(s, c))})
    return made


def _faces(ground: Ground) -> list[tuple[tuple[float, float], tuple[float, float], bool]]:
    """Faces of a profile that are not upright, with where each begins and ends, and whether it slopes."""
    x, z = ground.knots - ground.origin[0], ground.numbers
    points = [(float(x[0]) - FAR, float(z[0])), *zip(x.tolist(), z.tolist(), strict=True), (float(x[-1]) + FAR, float(z[-1]))]
    return [(a, b, a[1] != b[1]) for a, b in pairwise(points) if b[0] - a[0] > WALL]


def _profile(ground: Ground, aside: float) -> list[dict[str, str]]:
    faces = _faces(ground)
    bottom = min(min(a[1], b[1]) for a, b, _ in faces) - DEEP
    made = []
    for i, (a, _, _) in enumerate(faces):
        first, last = _below_neighbours(faces, i)
        half = numbers(0.5 * (last - first), aside, 0.5 * (a[1] - bottom))
        made.append({"type": "box", "pos": numbers(0.5 * (first + last), 0.0, 0.5 * (a[1] + bottom)), "size": half})
    return made


def _below_neighbours(faces: list, i: int) -> tuple[float, float]:
    """From where to where a level face may go on below higher ones: a point deep in its end is then not pushed out sideways."""
    level, first, last = faces[i][0][1], i, i
    while first > 0 and min(faces[first - 1][0][1], faces[first - 1][1][1]) >= level:
        first -= 1
    while last + 1 < len(faces) and min(faces[last + 1][0][1], faces[last + 1][1][1]) >= level:
        last += 1
    return faces[first][0][0], faces[last][1][0]
