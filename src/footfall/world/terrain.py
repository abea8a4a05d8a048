"""The ground: a height for every place. Planar robots walk on its profile at y = 0."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.core import ground as kinds
from footfall.core.ground import Ground
from footfall.errors import WorldError
from footfall.model.quantity import ROW, TABLE, check_quantities, count, note, quantity
from footfall.model.state import vector
from footfall.world.pointer import Pointer
from footfall.world.user_ground import UserGround, no_ground

HAIR = 1e-9  # m
FAR = 1e12  # m


@dataclass(frozen=True)
class Terrain:
    """Any ground. Kernels read `ground()`."""

    def __post_init__(self) -> None:
        check_quantities(self, type(self).__name__, WorldError)
        self.check()

    def check(self) -> None:
        """Raise a WorldError if there is no such ground: numbers that do not go together, rows of the wrong length."""

    def ground(self) -> Ground:
        raise WorldError(f"{type(self).__name__} does not say what its ground is")

    def height(self, x: float, y: float = 0.0) -> float:
        """Height at a place, in m."""
        return float(kinds.ground_at.plain("spatial")(self.ground(), *vector((x, y), 2, "x and y of a place"))[0])

    def corners(self) -> np.ndarray:
        """x of all its corners, each a little before and behind, for drawing."""
        ground = self.ground()
        near = np.stack((ground.knots - HAIR, ground.knots + HAIR)) if ground.kind == kinds.PROFILE else np.zeros(0)
        return np.unique(near)

    def normal(self, x: float, y: float = 0.0) -> np.ndarray:
        """The direction away from the ground at a place."""
        _, zx, zy = kinds.ground_at.plain("spatial")(self.ground(), *vector((x, y), 2, "x and y of a place"))
        return np.array((-zx, -zy, 1.0)) / math.sqrt(1.0 + zx * zx + zy * zy)


def _ground(kind: int, numbers: Any, knots: Any = (0.0,), call: Pointer | None = None) -> Ground:
    return Ground(kind, np.array(numbers, dtype=float), np.array(knots, dtype=float), call or no_ground(), np.zeros(2))


def _chain(x: Any, z: Any) -> Ground:
    """A profile through these points, each but once."""
    points = np.array((x, z), dtype=float)
    new = np.append(True, np.any(np.diff(points), axis=0))
    return _ground(kinds.PROFILE, points[1, new], points[0, new])


@dataclass(frozen=True)
class Flat(Terrain):
    """Level ground."""

    z: float = quantity("m", "its height", 0.0)

    def ground(self) -> Ground:
        return _ground(kinds.FLAT, [self.z])


@dataclass(frozen=True)
class Slope(Terrain):
    """A plane that rises in x (and y): a positive angle goes uphill, a negative one downhill."""

    angle: float = quantity("rad", "rise in x: positive goes up", low=-1.5, high=1.5)
    across: float = quantity("rad", "rise in y", 0.0, low=-1.5, high=1.5)
    z: float = quantity("m", "height at the origin", 0.0)

    def ground(self) -> Ground:
        return _ground(kinds.SLOPE, [self.z, math.tan(self.angle), math.tan(self.across)])


@dataclass(frozen=True)
class Waves(Terrain):
    """A sum of sines: each wave is (amplitude m, length m, direction rad, phase rad)."""

    waves: tuple[tuple[float, ...], ...] = quantity("m, m, rad, rad", "the waves", shape=(None, 4))

    def check(self) -> None:
        for wave in self.waves:
            if len(wave) != 4 or wave[1] <= 0.0:
                raise WorldError(f"Waves: a wave is (amplitude, length, direction, phase) with a length above 0, got {wave}")

    def ground(self) -> Ground:
        rows = []
        for wave in self.waves:
            k = 2 * math.pi / wave[1]
            rows += [wave[0], k * math.cos(wave[2]), k * math.sin(wave[2]), wave[3]]
        return _ground(kinds.WAVES, rows)


@dataclass(frozen=True)
class Profile(Terrain):
    """Heights z at places x, straight between them and level beyond; two points at one x make a step."""

    x: tuple[float, ...] = quantity("m", "places, ascending", shape=ROW)
    z: tuple[float, ...] = quantity("m", "heights there", shape=ROW)

    def check(self) -> None:
        if len(self.x) != len(self.z) or len(self.x) < 2 or any(np.diff(self.x) < 0):
            raise WorldError("Profile: x must ascend and have as many entries as z, at least two")
        if any(np.array(self.x[2:]) == self.x[:-2]):
            at = next(x for x, last in zip(self.x, self.x[2:], strict=False) if x == last)
            raise WorldError(f"Profile: at most two points may have one x, which make a step; more have x = {at:g}")

    def ground(self) -> Ground:
        return _chain(self.x, self.z)


@dataclass(frozen=True)
class Stairs(Terrain):
    """Steps up (rise above 0) or down, from x = start on."""

    rise: float = quantity("m", "height of a step")
    run: float = quantity("m", "depth of a step", low=1e-3)
    count: int = count("number of steps", 10, low=1, high=1000)
    start: float = quantity("m", "where they begin", 0.5)

    def check(self) -> None:
        for name, each in (("rise", self.rise), ("run", self.run)):
            if not abs(each) * self.count < FAR:
                raise WorldError(f"Stairs: {self.count} steps with a {name} of {each:g} m lead beyond {FAR:g} m")

    def ground(self) -> Ground:
        edges = self.start + self.run * np.arange(int(self.count))
        levels = self.rise * np.arange(int(self.count) + 1)
        return _chain(np.repeat(edges, 2), np.repeat(levels, 2)[1:-1])


@dataclass(frozen=True)
class Obstacles(Terrain):
    """Level ground with blocks (height above 0) and holes (below): each is (from x, to x, height)."""

    blocks: tuple[tuple[float, ...], ...] = quantity("m", "from x, to x, height", shape=(None, 3))

    def check(self) -> None:
        end = -math.inf
        for block in sorted(self.blocks):
            if len(block) != 3 or not end <= block[0] < block[1]:
                raise WorldError(f"Obstacles: a block is (from x, to x, height) and none may overlap, got {block}")
            end = block[1]

    def ground(self) -> Ground:
        x, z = [], []
        for start, end, height in sorted(self.blocks):
            x += [start, start, end, end]
            z += [0.0, height, height, 0.0]
        return _chain(x, z) if x else _ground(kinds.FLAT, [0.0])


@dataclass(frozen=True)
class Blocks(Terrain):
    """Level ground with boxes on it: each is (x, y of its middle, yaw, length, width, height).

    Feet feel its height below each of their contact points, as that of any terrain in space, and no vertical faces: a corner of a
    sole that goes sideways into a box is deep inside it at once. `footfall.analysis.obstacles` measures distances of all shapes.
    """

    blocks: tuple[tuple[float, ...], ...] = quantity("m, m, rad, m, m, m", "x, y, yaw, length, width, height", shape=(None, 6))

    def check(self) -> None:
        for block in self.blocks:
            if len(block) != 6 or min(block[3:]) <= 0.0:
                raise WorldError(
                    f"Blocks: a block is (x, y, yaw, length, width, height) with the last three above 0, got {block}"
                )

    def ground(self) -> Ground:
        rows = [
            (x, y, math.cos(yaw), math.sin(yaw), 0.5 * length, 0.5 * width, height)
            for x, y, yaw, length, width, height in self.blocks
        ]
        return _ground(kinds.BLOCKS, np.ravel(rows)) if rows else _ground(kinds.FLAT, [0.0])


@dataclass(frozen=True)
class Field(Terrain):
    """Heights over a grid, rows along y and columns along x, smooth between; beyond the edge its heights continue."""

    heights: tuple[tuple[float, ...], ...] = quantity("m", "rows of heights", shape=TABLE)
    spacing: tuple[float, float] = quantity("m", "of columns (x) and of rows (y)", low=1e-6, shape=(2,))
    corner: tuple[float, float] = quantity("m", "x and y of the first entry", (0.0, 0.0), shape=(2,))

    def check(self) -> None:
        lengths = sorted({len(row) for row in self.heights})
        if len(self.heights) < 2 or len(lengths) != 1 or lengths[0] < 2:
            rows = f"{len(self.heights)} rows of {' and '.join(map(str, lengths)) or 'no'} entries"
            raise WorldError(f"Field: heights must be two rows or more, all of one length, two or more; got {rows}")

    def ground(self) -> Ground:
        table = np.array(self.heights, dtype=float)
        return _ground(kinds.FIELD, [*self.corner, *self.spacing, table.shape[1], *table.ravel()])


@dataclass(frozen=True)
class Function(Terrain):
    """Any function height(x, y), in plain Python or compiled by Numba; its slopes by differences if they are not given."""

    function: Callable[..., float] = note("height in m at (x, y)")
    slopes: Callable[..., tuple[float, float]] | None = note("(dz/dx, dz/dy) at (x, y)", None)

    def check(self) -> None:
        if not callable(self.function) or not (self.slopes is None or callable(self.slopes)):
            wrong = self.slopes if callable(self.function) else self.function
            raise WorldError(f"Function: it takes a function height(x, y) and one of slopes, or none, got {wrong!r:.60}")

    def ground(self) -> Ground:
        ground = _ground(kinds.USER, np.zeros(3))
        return ground._replace(call=UserGround(self.function, self.slopes, ground.numbers))
