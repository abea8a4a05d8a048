"""Forward dynamics and impact of a robot of which some points and joints are held.

    M x - J'f = b,   J x + c = 0

has accelerations for x (b = tau - bias, c = dJ/dt v, f forces) or the velocities after an impact (b = M v, c = 0, f impulses).
As many columns of J as it has rows are eliminated by Gauss and Jordan; they and the order of the rows are data, chosen by the
caller, so that nothing here branches on values. With E J having unit columns there, E c and E J give the eliminated entries of x,
and what remains is a symmetric positive system of the other entries, factorised from the tips of the tree inward: a light
foot then costs no accuracy. For a floating base that stands on a point the eliminated columns are those of its place.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.recursion.crba import crba
from footfall.core.recursion.kinematics import jacobian, set_places
from footfall.core.recursion.rnea import rnea
from footfall.core.spatial.algebra import (
    add,
    carry,
    get_motion,
    get_spin,
    get_turn,
    get_vector,
    no_motion,
    plus,
    put_motion,
    rotate,
    subtract,
    velocity_product,
)


class Held(NamedTuple):
    """What does not move, and the order of elimination. The rows of J are those of the points, then one for each locked joint."""

    body: Any  # (points,) int
    at: Any  # (points, DIM) in the body's axes
    down: Any  # (points, DIM) from there to what is held, in world axes: of a round sole that rolls, else nothing
    width: Any  # (points,) int: how many of the components of its motion vanish
    row: Any  # (rows,) int: the row of the k-th elimination
    column: Any  # (rows,) int: and its degree of freedom
    free: Any  # (nv - rows,) int: those that remain, in ascending order


class Room(NamedTuple):
    """Arrays to work in. J has the rows of the locked joints set already, and nothing changes them."""

    M: Any  # (nv, nv)
    bias: Any  # (nv,)
    still: Any  # (nv,) zero
    motion: Any  # (points, nv, MOTION) of the points per unit rate, zero before
    rate: Any  # (1, MOTION) scratch
    J: Any  # (rows, nv)
    c: Any  # (rows,)
    table: Any  # (rows, nv) E J
    back: Any  # (rows, rows) E
    shift: Any  # (rows,) E c
    MN: Any  # (nv, free) M times the motions that the constraints allow
    S: Any  # (free, free) their inertia
    b: Any  # (nv,)
    y: Any  # (free,)
    off: Any  # (rows,) how far what is held is from its anchors
    step: Any  # (nv,) that leads back there


def room(nv: int, points: int, rows: int, motion: int, dtype: Any = np.float64) -> Room:
    """Fresh room for so many degrees of freedom, points and rows of J; with dtype=object it holds symbols."""
    free = nv - rows
    sizes: dict[str, tuple[int, ...]] = dict.fromkeys(("bias", "still", "b", "step"), (nv,))
    sizes |= {"M": (nv, nv), "motion": (points, nv, motion), "rate": (1, motion)}
    sizes |= {"J": (rows, nv), "c": (rows,), "table": (rows, nv), "back": (rows, rows), "shift": (rows,), "off": (rows,)}
    sizes |= {"MN": (nv, free), "S": (free, free), "y": (free,)}
    return Room(**{name: np.zeros(size, dtype) for name, size in sizes.items()})


@kernel
def forward(tree, work, held, room, q, v, tau, a, f):
    """Accelerations and the forces that hold, under gravity (row 0 of work.accel)."""
    crba(tree, work, q, room.M)
    rnea(tree, work, q, v, room.still, room.bias)
    set_jacobian(tree, work, held, room)
    set_rates(work, held, room)
    eliminate(held, room)
    for d in range(len(tau)):
        room.b[d] = tau[d] - room.bias[d]
    solve(held, room, a, f)


@kernel
def impact(tree, work, held, room, q, v, after, impulse):
    """Velocities after what is held comes to rest at once, and the impulses that do it."""
    hold(tree, work, held, room, q)
    strike(held, room, v, after, impulse)


@kernel
def strike(held, room, v, after, impulse):
    """The same after `hold`."""
    for d in range(len(v)):
        room.b[d] = 0.0
        for e in range(len(v)):
            room.b[d] += room.M[d, e] * v[e]
    solve(held, room, after, impulse)


@kernel
def hold(tree, work, held, room, q):
    """Mass matrix, J and its elimination."""
    crba(tree, work, q, room.M)
    set_jacobian(tree, work, held, room)
    for r in range(len(room.c)):
        room.c[r] = 0.0
    eliminate(held, room)


@kernel
def set_points(tree, work, held, room, q):
    """Places, and J."""
    set_places(tree, work, q)
    set_jacobian(tree, work, held, room)


@kernel
def set_jacobian(tree, work, held, room):
    """The rows of J that belong to points; turns, arms and axes are set already."""
    row = 0
    for k in range(len(held.body)):
        i = held.body[k]
        x = rotate(get_turn(work.turn, i), get_vector(held.at, k))
        jacobian(tree, work, i, plus(x, get_vector(held.down, k)), room.motion[k])
        for d in range(len(room.bias)):
            for c in range(held.width[k]):
                room.J[row + c, d] = room.motion[k, d, c]
        row += held.width[k]


@kernel
def set_rates(work, held, room):
    """dJ/dt v: accelerations of the points at constant rates, less the world's, as inverse dynamics leaves them.

    The way down from the middle of a round sole does not turn with it, so it adds nothing centripetal.
    """
    row = 0
    for k in range(len(held.body)):
        i = held.body[k]
        x = rotate(get_turn(work.turn, i), get_vector(held.at, k))
        A = carry(subtract(get_motion(work.accel, i), get_motion(work.accel, 0)), plus(x, get_vector(held.down, k)))
        put_motion(room.rate, 0, add(A, velocity_product(get_spin(work.spin, i), x, no_motion())))
        for c in range(held.width[k]):
            room.c[row + c] = room.rate[0, c]
        row += held.width[k]


@kernel
def eliminate(held, room):
    """Gauss and Jordan on (J, 1, c), in the order that is given."""
    rows, nv = room.J.shape
    for r in range(rows):
        for d in range(nv):
            room.table[r, d] = room.J[r, d]
        for s in range(rows):
            room.back[r, s] = 0.0
        room.back[r, r] = 1.0
        room.shift[r] = room.c[r]
    for k in range(rows):
        p = held.row[k]
        scale = 1.0 / room.table[p, held.column[k]]
        for d in range(nv):
            room.table[p, d] *= scale
        for s in range(rows):
            room.back[p, s] *= scale
        room.shift[p] *= scale
        for r in range(rows):
            if r != p:
                factor = room.table[r, held.column[k]]
                for d in range(nv):
                    room.table[r, d] -= factor * room.table[p, d]
                for s in range(rows):
                    room.back[r, s] -= factor * room.back[p, s]
                room.shift[r] -= factor * room.shift[p]


@kernel
def solve(held, room, x, f):
    """M x - J'f = b, J x + c = 0, after the elimination."""
    rows, nv = room.J.shape
    set_reduced(held, room)
    for k in range(rows):
        for d in range(nv):
            room.b[d] += room.M[d, held.column[k]] * room.shift[held.row[k]]
    for i in range(len(held.free)):
        room.y[i] = room.b[held.free[i]]
        for k in range(rows):
            room.y[i] -= room.table[held.row[k], held.free[i]] * room.b[held.column[k]]
    solve_positive(room.S, room.y)
    for i in range(len(held.free)):
        x[held.free[i]] = room.y[i]
    complete(held, room, x)
    for r in range(rows):
        f[r] = 0.0
    for k in range(rows):
        d = held.column[k]
        excess = -room.b[d]
        for i in range(len(held.free)):
            excess += room.MN[d, i] * room.y[i]
        for r in range(rows):
            f[r] += room.back[held.row[k], r] * excess


@kernel
def complete(held, room, x):
    """The eliminated entries of x from the others: J x + c = 0."""
    for k in range(len(held.row)):
        p = held.row[k]
        total = -room.shift[p]
        for d in held.free:
            total -= room.table[p, d] * x[d]
        x[held.column[k]] = total


@kernel
def set_reduced(held, room):
    """M N and S = N'M N, with N the motions that the constraints allow, one for each free entry."""
    rows, nv = room.J.shape
    for i in range(len(held.free)):
        for d in range(nv):
            room.MN[d, i] = room.M[d, held.free[i]]
        for k in range(rows):
            factor = room.table[held.row[k], held.free[i]]
            for d in range(nv):
                room.MN[d, i] -= room.M[d, held.column[k]] * factor
    for i in range(len(held.free)):
        for j in range(i + 1):
            room.S[i, j] = room.MN[held.free[i], j]
            for k in range(rows):
                room.S[i, j] -= room.table[held.row[k], held.free[i]] * room.MN[held.column[k], j]


@kernel
def solve_positive(S, y):
    """S y = y for a symmetric positive S of which the lower half is given, by S = L'DL from the last row upward."""
    n = len(y)
    for m in range(n):
        i = n - 1 - m
        for j in range(i):
            factor = S[i, j] / S[i, i]
            for k in range(j + 1):
                S[j, k] -= factor * S[i, k]
            y[j] -= factor * y[i]
    for i in range(n):
        for j in range(i):
            y[i] -= S[i, j] * y[j]
        y[i] /= S[i, i]
