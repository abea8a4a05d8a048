"""Holding constraints on positions: the choice of pivots, the anchors, and the projection back to them.

Standard name: projection onto the constraint manifold (coordinate partitioning). Only the eliminated entries of q are corrected.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.manifold import integrate
from footfall.core.recursion.constrained import factorise, set_points
from footfall.core.recursion.kinematics import set_places
from footfall.core.spatial.algebra import (
    get_rotation,
    get_vector,
    join,
    plus,
    put_motion,
    put_rotation,
    put_vector,
    rolled_back,
    rotate,
    rotation_error,
    scaled,
)

EARLIER = 0.3  # an earlier column is eliminated if its pivot is at least this part of the best: the base before all others
DEPENDENT = 1e-9  # a pivot this small: constraints are redundant, or contradict each other
WORN = 0.1  # with a pivot this small the order is chosen anew


class Anchors(NamedTuple):
    """Positions, rotations and joint coordinates at which points and joints are held."""

    p: Any  # (points, DIM)
    R: Any  # (points, ROTATION)
    joint: Any  # (locks,) coordinates of locked joints
    lock: Any  # (locks,) int: which coordinates these are


@kernel
def choose(tree, work, constraints, scratch, q):
    """Choose the order of elimination at q, into `constraints`. Returns 0, or 1 if constraints are dependent."""
    set_points(tree, work, constraints, scratch, q)
    return set_order(constraints, scratch)


@kernel
def set_order(constraints, scratch):
    """The same for a J that is set: Gauss with full pivoting, earlier columns preferred."""
    rows, nv = scratch.J.shape
    for r in range(rows):
        for d in range(nv):
            scratch.EJ[r, d] = scratch.J[r, d]
    for k in range(rows):
        largest = 0.0
        for d in range(nv):
            largest = max(largest, pivot_row(constraints, scratch, k, d)[1])
        if not largest > DEPENDENT:
            return 1
        d = 0
        while pivot_row(constraints, scratch, k, d)[1] < EARLIER * largest:
            d += 1
        p = pivot_row(constraints, scratch, k, d)[0]
        constraints.row[k], constraints.column[k] = p, d
        for r in range(rows):
            if not among(constraints.row, k + 1, r):
                factor = scratch.EJ[r, d] / scratch.EJ[p, d]
                for e in range(nv):
                    scratch.EJ[r, e] -= factor * scratch.EJ[p, e]
    i = 0
    for d in range(nv):
        if not among(constraints.column, rows, d):
            constraints.free[i] = d
            i += 1
    return 0


@kernel
def pivot_row(constraints, scratch, k, d):
    """The row of the largest entry of column d that is left for elimination k, and its size."""
    best, size = 0, 0.0
    if not among(constraints.column, k, d):
        for r in range(len(scratch.EJ)):
            if not among(constraints.row, k, r) and abs(scratch.EJ[r, d]) > size:
                best, size = r, abs(scratch.EJ[r, d])
    return best, size


@kernel
def among(chosen, count, number):
    found = False
    for k in range(count):
        found = found or chosen[k] == number
    return found


@kernel
def set_anchors(tree, work, constraints, anchors, q):
    """Anchor what is held where it is at q."""
    set_places(tree, work, q)
    set_anchors_here(work, constraints, anchors, q)


@kernel
def held_place(work, constraints, k):
    """Position of held point k; for a sole that rolls, where it would touch if it were rolled back to a pitch of zero."""
    i = constraints.body[k]
    R = get_rotation(work.R_WB, i)
    place = plus(get_vector(work.p_WB, i), rotate(R, get_vector(constraints.at, k)))
    return plus(place, rolled_back(R, get_vector(constraints.down, k)))


@kernel
def set_anchors_here(work, constraints, anchors, q):
    """The same where poses are set."""
    for k in range(len(constraints.body)):
        i = constraints.body[k]
        put_vector(anchors.p, k, held_place(work, constraints, k))
        put_rotation(anchors.R, k, get_rotation(work.R_WB, i))
    for k in range(len(anchors.lock)):
        anchors.joint[k] = q[anchors.lock[k]]


@kernel
def constraint_drift(work, constraints, scratch, anchors, q):
    """Set the position error of every row of J in scratch.residual; poses are set already. Returns the largest."""
    row, most = 0, 0.0
    for k in range(len(constraints.body)):
        i = constraints.body[k]
        gap = plus(held_place(work, constraints, k), scaled(get_vector(anchors.p, k), -1.0))
        put_motion(scratch.rate, 0, join(gap, rotation_error(get_rotation(work.R_WB, i), get_rotation(anchors.R, k))))
        for c in range(constraints.width[k]):
            scratch.residual[row + c] = scratch.rate[0, c]
        row += constraints.width[k]
    for k in range(len(anchors.lock)):
        scratch.residual[row + k] = q[anchors.lock[k]] - anchors.joint[k]
    for r in range(len(scratch.residual)):
        most = max(most, abs(scratch.residual[r]))
    return most


@kernel
def restore(tree, work, constraints, scratch, anchors, q):
    """Project q back to the anchors, to first order, by its eliminated entries; normalise quaternions. Returns the largest
    error.
    """
    factorise(tree, work, constraints, scratch, q)
    return project_back(tree, work, constraints, scratch, anchors, q)


@kernel
def project_back(tree, work, constraints, scratch, anchors, q):
    """The same after `factorise`."""
    most = constraint_drift(work, constraints, scratch, anchors, q)
    for d in range(len(scratch.dq)):
        scratch.dq[d] = 0.0
    for k in range(len(constraints.row)):
        for s in range(len(constraints.row)):
            scratch.dq[constraints.column[k]] -= scratch.E[constraints.row[k], s] * scratch.residual[s]
    integrate(tree, q, scratch.dq, q)
    return most


@kernel
def poorly_pivoted(constraints, scratch):
    """Whether the order of elimination should be chosen anew."""
    most = 0.0
    for r in range(len(constraints.row)):
        for s in range(len(constraints.row)):
            most = max(most, abs(scratch.E[r, s]))
    return most * WORN > 1.0
