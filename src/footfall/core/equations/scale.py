"""How long a row is, and how long it must be to say anything."""

import numpy as np

from footfall.core.cholesky import inner
from footfall.core.jit import kernel

GONE = 1e-9  # of the terms that a row is made of: a row that is shorter has no unknown left
NEAR = 1e-6  # a row of unit length that is nearer than this to a combination of others depends on them
SMALL, LARGE = 1e-290, 1e290  # squares of lengths that are exact


@kernel(inline=False)
def long_or_short(row, n):
    """The length of a row whose square is not a number."""
    largest, square = 0.0, 0.0
    for d in range(n):
        largest = max(largest, abs(row[d]))
    if largest > 0.0:
        for d in range(n):
            square += (row[d] / largest) ** 2
    return largest * np.sqrt(square)


@kernel
def set_scale(rows, room, r, n):
    """The length of a row; of one that has no unknown left, the size of what it is made of. Returns whether it has one."""
    square = inner(rows.A[r], rows.A[r], n)
    length = np.sqrt(square) if SMALL < square < LARGE else long_or_short(rows.A[r], n)
    if length > GONE * rows.made[r]:
        room.scale[r] = length
        return True
    room.scale[r] = rows.made[r] if rows.made[r] > 0.0 else rows.known[r] + abs(rows.rhs[r])
    if not room.scale[r] > 0.0:
        room.scale[r] = 1.0
    return False
