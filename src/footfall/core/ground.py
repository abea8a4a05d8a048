"""The ground as a height over the plane x-y, with its slopes. A planar robot walks on the profile at y = 0.

Kinds that come with Footfall are branches here; any other function is called through a pointer, `Ground.call`: height(x, y, what)
with what = 0 for the height, 1 and 2 for its slopes in x and y.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.trig import cos_sin

FLAT = 0  # numbers: height
SLOPE = 1  # height at x = 0, slope in x, slope in y
WAVES = 2  # for each wave: amplitude, wave number in x, in y, phase
PROFILE = 3  # heights at points of x (knots), straight between them
FIELD = 4  # heights over a grid: x0, y0, dx, dy, columns, then rows of heights; bilinear
BLOCKS = 6  # for each block: x, y of its middle, cosine and sine of its yaw, half its length and width, height
USER = 5  # status, and x and y of the place where its function failed
FAILED, INTERRUPTED = 1.0, 2.0  # status: no finite number came, or Ctrl-C; else 0


class Ground(NamedTuple):
    kind: Any  # int
    numbers: Any  # (n,) what the kind needs
    knots: Any  # (n,) for PROFILE: x of the points
    call: Any  # pointer to float64(float64, float64, int64)
    origin: Any  # (2,) x and y of the place from which points count


@kernel
def ground_at(ground, x, y):
    """Height and slopes (z, dz/dx, dz/dy) below a point."""
    kind, numbers = ground.kind, ground.numbers
    if kind == FLAT:
        return numbers[0], 0.0, 0.0
    x, y = x + ground.origin[0], y + ground.origin[1]
    if kind == SLOPE:
        return numbers[0] + numbers[1] * x + numbers[2] * y, numbers[1], numbers[2]
    if kind == WAVES:
        return waves_at(numbers, x, y)
    if kind == PROFILE:
        return profile_at(ground.knots, numbers, x)
    if kind == FIELD:
        return field_at(numbers, x, y)
    if kind == BLOCKS:
        return blocks_at(numbers, x, y), 0.0, 0.0
    return user_at(ground.call, numbers, x, y)


@kernel
def user_at(call, status, x, y):
    """What a function of the user's says; if that is no finite number, it is noted, and the loop will come back."""
    z, zx, zy = call(x, y, 0), call(x, y, 1), call(x, y, 2)
    if status[0] != FAILED and not abs(z) + abs(zx) + abs(zy) < np.inf:
        status[0], status[1], status[2] = FAILED, x, y
    return z, zx, zy


@kernel
def waves_at(numbers, x, y):
    z, zx, zy = 0.0, 0.0, 0.0
    for i in range(0, len(numbers), 4):
        angle = numbers[i + 1] * x + numbers[i + 2] * y + numbers[i + 3]
        c, s = cos_sin(angle)
        slope = numbers[i] * c
        z += numbers[i] * s
        zx += slope * numbers[i + 1]
        zy += slope * numbers[i + 2]
    return z, zx, zy


@kernel
def profile_at(knots, heights, x):
    """Level beyond the ends. At a corner the piece ahead counts."""
    high = knots_before(knots, x)
    if high == 0:
        return heights[0], 0.0, 0.0
    if high == len(knots):
        return heights[high - 1], 0.0, 0.0
    slope = (heights[high] - heights[high - 1]) / (knots[high] - knots[high - 1])
    return heights[high - 1] + slope * (x - knots[high - 1]), slope, 0.0


@kernel
def knots_before(knots, x):
    """How many knots there are up to x."""
    low, high = 0, len(knots)
    while low < high:
        middle = (low + high) // 2
        if x < knots[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def field_at(numbers, x, y):
    """Bilinear over a grid; beyond its edge the edge goes on."""
    x0, y0, dx, dy, columns = numbers[0], numbers[1], numbers[2], numbers[3], int(numbers[4])
    rows = (len(numbers) - 5) // columns
    u = min(max((x - x0) / dx, 0.0), columns - 1.0)
    w = min(max((y - y0) / dy, 0.0), rows - 1.0)
    i, j = min(int(u), columns - 2), min(int(w), rows - 2)
    u, w = u - i, w - j
    at = 5 + j * columns + i
    a, b, c, d = numbers[at], numbers[at + 1], numbers[at + columns], numbers[at + columns + 1]
    z = (1.0 - w) * ((1.0 - u) * a + u * b) + w * ((1.0 - u) * c + u * d)
    return z, ((1.0 - w) * (b - a) + w * (d - c)) / dx, ((1.0 - u) * (c - a) + u * (d - b)) / dy


@kernel
def blocks_at(numbers, x, y):
    """Level ground at 0, and the top of the highest block below a point."""
    z = 0.0
    for i in range(0, len(numbers), 7):
        dx, dy, c, s = x - numbers[i], y - numbers[i + 1], numbers[i + 2], numbers[i + 3]
        if abs(c * dx + s * dy) <= numbers[i + 4] and abs(c * dy - s * dx) <= numbers[i + 5]:
            z = max(z, numbers[i + 6])
    return z
