"""Forward dynamics and impact of a robot with points and joints held, by null-space elimination.

    M x - J'f = b,   J x + c = 0

x are accelerations (b = tau - bias, c = dJ/dt v, f forces), or the velocities after an impact (b = M v, c = 0, f impulses). As
many columns of J as it has rows are eliminated by Gauss-Jordan. Which columns, and in which order, is data that the caller
chooses, so that nothing here branches on values. With E J having unit columns there, E c and E J give the eliminated entries of
x. What remains is a symmetric positive system in the other entries, factorised from the tips of the tree inward, so that a light
foot costs no accuracy. For a floating base that stands on a point the eliminated columns are those of its position.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.recursion.crba import crba
from footfall.core.recursion.kinematics import jacobian, set_places
from footfall.core.recursion.rnea import rnea
from footfall.core.spatial.algebra import (
    add,
    get_motion,
    get_rotation,
    get_spin,
    get_vector,
    no_motion,
    plus,
    put_motion,
    rotate,
    shift_motion,
    subtract,
    velocity_product,
)


class ConstraintSet(NamedTuple):
    """Points and joints that are held, and the order of elimination. Rows of J are those of the points, then one for each locked
    joint.
    """

    body: Any  # (points,) int
    at: Any  # (points, DIM) in the body's axes
    down: Any  # (points, DIM) from there to the held point, in world axes: for a round sole that rolls, else zero
    width: Any  # (points,) int: how many components of its motion vanish
    row: Any  # (rows,) int: the row of the k-th elimination
    column: Any  # (rows,) int: and its degree of freedom
    free: Any  # (nv - rows,) int: those that remain, in ascending order


class Scratch(NamedTuple):
    """Arrays to work in. The rows of locked joints are set in J already and stay."""

    M: Any  # (nv, nv)
    bias: Any  # (nv,)
    zero: Any  # (nv,) zeros
    motion: Any  # (points, nv, MOTION) of the points per unit rate, zero before
    rate: Any  # (1, MOTION) scratch
    J: Any  # (rows, nv)
    c: Any  # (rows,)
    EJ: Any  # (rows, nv) E J
    E: Any  # (rows, rows) E
    Ec: Any  # (rows,) E c
    MN: Any  # (nv, free) M times the null space of J
    S: Any  # (free, free) reduced inertia
    b: Any  # (nv,)
    y: Any  # (free,)
    residual: Any  # (rows,) position error: distance from the anchors
    dq: Any  # (nv,) correction of q


def new_scratch(nv: int, points: int, rows: int, motion: int, dtype: Any = np.float64) -> Scratch:
    """New arrays for a number of degrees of freedom, points and rows of J; with dtype=object they hold symbols."""
    free = nv - rows
    sizes: dict[str, tuple[int, ...]] = dict.fromkeys(("bias", "zero", "b", "dq"), (nv,))
    sizes |= {"M": (nv, nv), "motion": (points, nv, motion), "rate": (1, motion)}
    sizes |= {"J": (rows, nv), "c": (rows,), "EJ": (rows, nv), "E": (rows, rows), "Ec": (rows,), "residual": (rows,)}
    sizes |= {"MN": (nv, free), "S": (free, free), "y": (free,)}
    return Scratch(**{name: np.zeros(size, dtype) for name, size in sizes.items()})


@kernel
def forward(tree, work, constraints, scratch, q, v, tau, a, f):
    """Accelerations and constraint forces, under gravity (row 0 of work.A_WB)."""
    crba(tree, work, q, scratch.M)
    rnea(tree, work, q, v, scratch.zero, scratch.bias)
    set_jacobian(tree, work, constraints, scratch)
    set_rates(work, constraints, scratch)
    eliminate(constraints, scratch)
    for d in range(len(tau)):
        scratch.b[d] = tau[d] - scratch.bias[d]
    solve(constraints, scratch, a, f)


@kernel
def solve_impact(constraints, scratch, v, after, impulse):
    """After `factorise`: velocities after an inelastic impact that stops what is held, and the impulses."""
    for d in range(len(v)):
        scratch.b[d] = 0.0
        for e in range(len(v)):
            scratch.b[d] += scratch.M[d, e] * v[e]
    solve(constraints, scratch, after, impulse)


@kernel
def factorise(tree, work, constraints, scratch, q):
    """Set the mass matrix, J and its elimination."""
    crba(tree, work, q, scratch.M)
    set_jacobian(tree, work, constraints, scratch)
    for r in range(len(scratch.c)):
        scratch.c[r] = 0.0
    eliminate(constraints, scratch)


@kernel
def set_points(tree, work, constraints, scratch, q):
    """Set poses and J."""
    set_places(tree, work, q)
    set_jacobian(tree, work, constraints, scratch)


@kernel
def set_jacobian(tree, work, constraints, scratch):
    """Set the rows of J that belong to points; rotations, offsets and axes are set already."""
    row = 0
    for k in range(len(constraints.body)):
        i = constraints.body[k]
        x = rotate(get_rotation(work.R_WB, i), get_vector(constraints.at, k))
        jacobian(tree, work, i, plus(x, get_vector(constraints.down, k)), scratch.motion[k])
        for d in range(len(scratch.bias)):
            for c in range(constraints.width[k]):
                scratch.J[row + c, d] = scratch.motion[k, d, c]
        row += constraints.width[k]


@kernel
def set_rates(work, constraints, scratch):
    """Set c = dJ/dt v: accelerations of the points at constant rates, less the world's, as inverse dynamics leaves them.

    The vector down from the centre of a round sole does not turn with it, so it adds no centripetal acceleration.
    """
    row = 0
    for k in range(len(constraints.body)):
        i = constraints.body[k]
        x = rotate(get_rotation(work.R_WB, i), get_vector(constraints.at, k))
        A = shift_motion(subtract(get_motion(work.A_WB, i), get_motion(work.A_WB, 0)), plus(x, get_vector(constraints.down, k)))
        put_motion(scratch.rate, 0, add(A, velocity_product(get_spin(work.w_WB, i), x, no_motion())))
        for c in range(constraints.width[k]):
            scratch.c[row + c] = scratch.rate[0, c]
        row += constraints.width[k]


@kernel
def eliminate(constraints, scratch):
    """Gauss-Jordan on (J, 1, c), in the given order."""
    rows, nv = scratch.J.shape
    for r in range(rows):
        for d in range(nv):
            scratch.EJ[r, d] = scratch.J[r, d]
        for s in range(rows):
            scratch.E[r, s] = 0.0
        scratch.E[r, r] = 1.0
        scratch.Ec[r] = scratch.c[r]
    for k in range(rows):
        p = constraints.row[k]
        scale = 1.0 / scratch.EJ[p, constraints.column[k]]
        for d in range(nv):
            scratch.EJ[p, d] *= scale
        for s in range(rows):
            scratch.E[p, s] *= scale
        scratch.Ec[p] *= scale
        for r in range(rows):
            if r != p:
                factor = scratch.EJ[r, constraints.column[k]]
                for d in range(nv):
                    scratch.EJ[r, d] -= factor * scratch.EJ[p, d]
                for s in range(rows):
                    scratch.E[r, s] -= factor * scratch.E[p, s]
                scratch.Ec[r] -= factor * scratch.Ec[p]


@kernel
def solve(constraints, scratch, x, f):
    """M x - J'f = b, J x + c = 0, after the elimination."""
    rows, nv = scratch.J.shape
    set_reduced(constraints, scratch)
    for k in range(rows):
        for d in range(nv):
            scratch.b[d] += scratch.M[d, constraints.column[k]] * scratch.Ec[constraints.row[k]]
    for i in range(len(constraints.free)):
        scratch.y[i] = scratch.b[constraints.free[i]]
        for k in range(rows):
            scratch.y[i] -= scratch.EJ[constraints.row[k], constraints.free[i]] * scratch.b[constraints.column[k]]
    solve_positive(scratch.S, scratch.y)
    for i in range(len(constraints.free)):
        x[constraints.free[i]] = scratch.y[i]
    complete(constraints, scratch, x)
    for r in range(rows):
        f[r] = 0.0
    for k in range(rows):
        d = constraints.column[k]
        excess = -scratch.b[d]
        for i in range(len(constraints.free)):
            excess += scratch.MN[d, i] * scratch.y[i]
        for r in range(rows):
            f[r] += scratch.E[constraints.row[k], r] * excess


@kernel
def complete(constraints, scratch, x):
    """The eliminated entries of x from the others: J x + c = 0."""
    for k in range(len(constraints.row)):
        p = constraints.row[k]
        total = -scratch.Ec[p]
        for d in constraints.free:
            total -= scratch.EJ[p, d] * x[d]
        x[constraints.column[k]] = total


@kernel
def set_reduced(constraints, scratch):
    """M N and S = N'M N, with N the null space of J: one column for each free entry."""
    rows, nv = scratch.J.shape
    for i in range(len(constraints.free)):
        for d in range(nv):
            scratch.MN[d, i] = scratch.M[d, constraints.free[i]]
        for k in range(rows):
            factor = scratch.EJ[constraints.row[k], constraints.free[i]]
            for d in range(nv):
                scratch.MN[d, i] -= scratch.M[d, constraints.column[k]] * factor
    for i in range(len(constraints.free)):
        for j in range(i + 1):
            scratch.S[i, j] = scratch.MN[constraints.free[i], j]
            for k in range(rows):
                scratch.S[i, j] -= scratch.EJ[constraints.row[k], constraints.free[i]] * scratch.MN[constraints.column[k], j]


@kernel
def solve_positive(S, y):
    """Solve S y = y for a symmetric positive S with its lower half given, by S = L'D L from the last row upward."""
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
