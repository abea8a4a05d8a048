"""Inertia and bias of the central body with the feet held, by operational space instead of a recursion.

All bodies float. The forces that hold the feet follow from J M^-1 J' of the central body and the feet together, which the
articulated-body algorithm gives. The feet are eliminated first, row by row; the rest is inverted.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.recursion.aba import aba
from footfall.core.recursion.operational import inverse_inertia
from footfall.core.spatial.algebra import get_motion, put_motion, subtract


class HeldFeet(NamedTuple):
    """The central body and the feet, and room."""

    body: Any  # (1 + feet,) int
    point: Any  # (1 + feet, DIM) zero: the origins
    units: Any  # (MOTION, MOTION)
    x: Any  # ((1 + feet) MOTION, nv)
    give: Any  # (the same squared) J M^-1 J'
    free: Any  # (1 + feet, MOTION) accelerations without forces
    a: Any  # (nv,)
    still: Any  # (nv,) zero


@kernel
def contact_dynamics(tree, work, constraints, q, v, inertia, bias):
    """Inertia (MOTION, MOTION) and bias (MOTION) of the central body, about its origin, with the feet held."""
    aba(tree, work, q, v, constraints.still, constraints.a)
    inverse_inertia(tree, work, constraints.body, constraints.point, constraints.units, constraints.x, constraints.give)
    for k in range(len(constraints.body)):
        put_motion(constraints.free, k, subtract(get_motion(work.A_WB, constraints.body[k]), get_motion(work.A_WB, 0)))
    width, size = len(bias), len(constraints.give)
    give, free = constraints.give, constraints.free
    for k in range(size - 1, width - 1, -1):  # the force in row k brings its acceleration to zero
        for i in range(k):
            factor = give[i, k] / give[k, k]
            for j in range(k):
                give[i, j] -= factor * give[k, j]
            free[i // width, i % width] -= factor * free[k // width, k % width]
    for i in range(width):
        bias[i] = -free[0, i]
        for j in range(width):
            inertia[i, j] = constraints.units[i, j]
    for k in range(width):
        for i in range(width):
            if i != k:
                factor = give[i, k] / give[k, k]
                for j in range(width):
                    give[i, j] -= factor * give[k, j]
                    inertia[i, j] -= factor * inertia[k, j]
                bias[i] -= factor * bias[k]
    for i in range(width):
        bias[i] /= give[i, i]
        for j in range(width):
            inertia[i, j] /= give[i, i]
