"""Rows beside the tree: loops, held points, contacts, and any other linear equation on accelerations and hinge forces.

The tree's equations (`core.maximal.tree_system`) gain unknowns y and as many rows:

    tree (A, F) = forces + columns y,     rows (A, F) = d

A column is a unit force on bodies, or a joint force; a row is a linear combination of accelerations of bodies, of accelerations
of hinges and of hinge forces. For a constraint both are the same numbers and y is its force; a contact that slides has friction
in its column; a control torque that an equation determines has a column of its own. Each column costs one solution of the tree,
y the solution of a small dense system, the Schur complement.

Redundant rows (a spatial four-bar linkage of hinges has three) are met, with forces that are nearly the smallest: the diagonal
gets EPS of its mean, and iterative refinement against the rows themselves takes the error of that away. Rows that contradict each
other leave a residual, which is returned.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.maximal.tree_system import pass_inward, pass_one, pass_outward, set_hinge_forces, solve_tree
from footfall.core.spatial.algebra import add_scaled, get_motion, no_motion, pair, put_motion

EPS = 1e-10  # of the mean of the diagonal: regularisation of the Schur complement
MAX_REFINEMENTS = 8
MET = 1e-14  # of the size of the right-hand side: rows that miss by less are met


class Border(NamedTuple):
    """Rows r and columns r of the border, both in use below count[0]."""

    count: Any  # (1,) int
    bodies: Any  # (m, 2) int: the bodies on which a constraint acts, 0 for none; -1 first if it may be any of them
    row_A: Any  # (m, n+1, MOTION) coefficients of the accelerations of bodies
    row_F: Any  # (m, n+1, MOTION) of hinge forces
    row_s: Any  # (m, nv) of accelerations of hinges
    f: Any  # (m, n+1, MOTION) the column: forces on bodies for y = 1
    tau: Any  # (m, nv) and joint forces
    forces: Any  # (1,) int: 1 if some row has coefficients of hinge forces
    d: Any  # (m,) right-hand side
    y: Any  # (m,) the unknowns of the columns
    A: Any  # (m, n+1, MOTION) what y = 1 does to accelerations of bodies,
    F: Any  # (m, n+1, MOTION) hinge forces
    s: Any  # (m, nv) and accelerations of hinges
    z: Any  # (n+1, MOTION) room
    schur: Any  # (m, m)
    order: Any  # (m,) int: rows of the Schur complement after pivoting
    touched: Any  # (n+1,) int: bodies that feel a column
    more: Any  # (2 m,) residuals, and room
    total: Any  # (nv,) joint forces with those of the columns


def new_border(rows: int, bodies: int, nv: int, motion: int) -> Border:
    """New arrays for up to so many rows."""
    wide = {name: np.zeros((rows, bodies, motion)) for name in ("row_A", "row_F", "f", "A", "F")}
    flat = {name: np.zeros((rows, nv)) for name in ("row_s", "tau", "s")}
    lines = {"d": np.zeros(rows), "y": np.zeros(rows), "more": np.zeros(2 * rows)}
    count, forces, order = np.zeros(1, np.int64), np.zeros(1, np.int64), np.zeros(rows, np.int64)
    z, schur, total = np.zeros((bodies, motion)), np.zeros((rows, rows)), np.zeros(nv)
    touched = np.zeros(bodies, np.int64)
    return Border(
        count=count,
        touched=touched,
        bodies=np.zeros((rows, 2), np.int64),
        forces=forces,
        order=order,
        z=z,
        schur=schur,
        total=total,
        **wide,
        **flat,
        **lines,
    )


@kernel
def clear_border(border):
    """No rows."""
    border.count[0] = 0
    border.forces[0] = 0


@kernel(inline=False)
def new_row(border, d):
    """Another row with nothing in it but its right-hand side. Returns its number."""
    r = border.count[0]
    border.count[0] += 1
    border.bodies[r, 0] = border.bodies[r, 1] = 0
    for i in range(border.row_A.shape[1]):
        put_motion(border.row_A[r], i, no_motion())
        put_motion(border.row_F[r], i, no_motion())
        put_motion(border.f[r], i, no_motion())
    for k in range(len(border.total)):
        border.row_s[r, k] = border.tau[r, k] = 0.0
    border.d[r] = d
    return r


@kernel
def add_wrench(rows, i, F, sign):
    """Add a force on body i, about its origin, to one row of `row_A` or `f`. The world does not move."""
    if i > 0:
        put_motion(rows, i, add_scaled(get_motion(rows, i), F, sign))


@kernel
def constrain(border, r, i, F, sign):
    """Let row r, which acts on two bodies at most, hold the motion of body i along F, by a force along F."""
    if border.bodies[r, 0] == 0:
        border.bodies[r, 0] = i
    elif border.bodies[r, 0] != i:
        border.bodies[r, 1] = i
    add_wrench(border.row_A[r], i, F, sign)
    add_wrench(border.f[r], i, F, sign)


@kernel
def row_of(border, r, A, F, s):
    """The left side of row r."""
    total = 0.0
    if border.bodies[r, 0] > 0:
        for e in range(2):
            i = border.bodies[r, e]
            total += pair(get_motion(border.row_A[r], i), get_motion(A, i))
        return total
    for i in range(1, len(A)):
        total += pair(get_motion(border.row_A[r], i), get_motion(A, i))
    if border.forces[0]:
        for i in range(1, len(A)):
            total += pair(get_motion(border.row_F[r], i), get_motion(F, i))
    for k in range(len(s)):
        total += border.row_s[r, k] * s[k]
    return total


@kernel
def pass_path(tree, work, system, border, bodies, z, s):
    """`pass_inward` for forces on two bodies at most, and nothing else: only the bodies between them and the world feel it."""
    for d in range(len(s)):
        s[d] = 0.0
    for i in range(1, len(tree.parent)):
        border.touched[i] = 0
    border.touched[bodies[0]] = border.touched[bodies[1]] = 1
    for i in range(max(bodies[0], bodies[1]), 0, -1):
        if border.touched[i]:
            border.touched[tree.parent[i]] = 1
            pass_one(tree, work, system, i, get_motion(z, i), system.still, z, s)


@kernel(inline=False)
def respond(tree, work, system, border):
    """What each column does, and the Schur complement."""
    m = border.count[0]
    for r in range(m):
        for i in range(1, len(tree.parent)):
            put_motion(border.z, i, get_motion(border.f[r], i))
        if border.bodies[r, 0] > 0:
            pass_path(tree, work, system, border, border.bodies[r], border.z, border.s[r])
        else:
            pass_inward(tree, work, system, system.none, border.tau[r], border.z, border.s[r])
        pass_outward(tree, work, system, system.none, border.s[r], border.A[r])
        if border.forces[0]:
            set_hinge_forces(tree, system, border.z, border.A[r], border.F[r])
    for r in range(m):
        for t in range(m):
            border.schur[r, t] = row_of(border, r, border.A[t], border.F[t], border.s[t])


@kernel
def factor_schur(schur, order, m):
    """schur = L U with rows exchanged, in its place."""
    for j in range(m):
        order[j] = j
    for j in range(m):
        best = j
        for i in range(j + 1, m):
            if abs(schur[i, j]) > abs(schur[best, j]):
                best = i
        if best != j:
            order[j], order[best] = order[best], order[j]
            for k in range(m):
                schur[j, k], schur[best, k] = schur[best, k], schur[j, k]
        if schur[j, j] != 0.0:
            for i in range(j + 1, m):
                schur[i, j] /= schur[j, j]
                for k in range(j + 1, m):
                    schur[i, k] -= schur[i, j] * schur[j, k]


@kernel
def solve_factored(schur, order, x, m):
    """Entries m to 2 m of x become the solution for the right-hand side that stands before them, after `factor_schur`."""
    for i in range(m):
        x[m + i] = x[order[i]]
        for k in range(i):
            x[m + i] -= schur[i, k] * x[m + k]
    for t in range(m):
        i = m - 1 - t
        for k in range(i + 1, m):
            x[m + i] -= schur[i, k] * x[m + k]
        x[m + i] = x[m + i] / schur[i, i] if schur[i, i] != 0.0 else 0.0


@kernel(inline=False)
def solve_with_y(tree, work, system, border, tau):
    """system.A, system.s and system.F with the columns at border.y: one fresh solution of the tree."""
    for i in range(1, len(tree.parent)):
        F = get_motion(system.f, i)
        for r in range(border.count[0]):
            F = add_scaled(F, get_motion(border.f[r], i), border.y[r])
        put_motion(system.z, i, F)
    for k in range(len(tau)):
        border.total[k] = tau[k]
        for r in range(border.count[0]):
            border.total[k] += border.y[r] * border.tau[r, k]
    pass_inward(tree, work, system, system.c, border.total, system.z, system.s)
    pass_outward(tree, work, system, system.c, system.s, system.A)
    set_hinge_forces(tree, system, system.z, system.A, system.F)


@kernel(inline=False)
def solve_bordered(tree, work, system, border, tau):
    """Accelerations and hinge forces in `system`, unknowns in border.y, after `factor`. Returns the largest residual of a row."""
    m = border.count[0]
    for r in range(m):
        border.y[r] = 0.0
    solve_tree(tree, work, system, tau)
    if m == 0:
        return 0.0
    respond(tree, work, system, border)
    mean = 0.0
    for r in range(m):
        mean += abs(border.schur[r, r]) / m
    for r in range(m):
        border.schur[r, r] += EPS * mean
    factor_schur(border.schur, border.order, m)
    residual, before, size = 0.0, 0.0, 0.0
    for turn in range(MAX_REFINEMENTS + 1):
        residual = 0.0
        for r in range(m):
            value = row_of(border, r, system.A, system.F, system.s)
            border.more[r] = border.d[r] - value
            residual = max(residual, abs(border.more[r]))
            size = max(size, max(abs(value), abs(border.d[r])))
        if turn == MAX_REFINEMENTS or residual <= MET * size or (turn > 2 and residual > 0.9 * before):
            break
        before = residual
        solve_factored(border.schur, border.order, border.more, m)
        for r in range(m):
            border.y[r] += border.more[m + r]
        solve_with_y(tree, work, system, border, tau)
    return residual
