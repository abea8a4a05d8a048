"""Equations first, costs with what they leave: a null-space method.

The rows of the equations, scaled to unit length, are brought to a triangle by Householder reflections from the right; in every
step the row is taken that is farthest from those before it (QR with column pivoting of A', Golub and Van Loan 5.4.2). Rows
nearer than NEAR to a combination of others depend on them. The directions that are left, Z, are orthonormal, and the cost is
minimised along them: min |D (x + Z z) + d|^2. What departs from the standard is the order: equations of a higher priority go
first, so that a row which depends on these yields; one that contradicts rows of its own priority is named with them.
"""

import numpy as np

from footfall.core.equations.tables import COSTS, EQUATIONS
from footfall.core.jit import kernel

NEAR = 1e-6  # a row of unit length that is nearer than this to a combination of others depends on them
PART = 1e-3  # coefficient from which a row is part of a contradiction
MISFIT = 1e-9  # of the size of the right-hand sides: from here on dependent rows contradict each other
THIN = 1e-12  # of its largest entry: what a cost must at least say along a direction to determine it
SOLVED, CONFLICT, NOT_FINITE = 0, 1, 2


@kernel(inline=False)
def solve_rows(rows, room, n):
    """x for all equations and costs; room.answer has rank, undetermined directions, smallest pivot, ... Returns a status."""
    m = rows.size[EQUATIONS]
    size = scale_rows(rows, room, m, n)
    rank, least, first, status = 0, 1.0, 0, SOLVED
    for d in range(n):
        room.y[d] = 0.0
    for r in range(m):
        room.taken[r], room.conflict[r] = 0, 0.0
    while first < m:
        last = first
        while last < m and rows.level[last] == rows.level[first]:
            last += 1
        before = rank
        rank, least = triangle(room, first, last, m, n, rank, least)
        if settle_level(room, first, last, before, rank, size) == CONFLICT:
            status = CONFLICT
        first = last
    unfold(room, rank, n)
    loose = minimise(rows, room, rank, n)
    room.answer[0], room.answer[1], room.answer[2] = rank, loose, least
    return status if measure(rows, room, n) else NOT_FINITE


@kernel(inline=False)
def measure(rows, room, n):
    """By how much every equation and cost is missed, and the most of those of the first priority. Whether all are finite."""
    check, worst = 0.0, 0.0
    for r in range(rows.size[COSTS]):
        e = rows.b[r] - rows.rhs[r]
        for d in range(n):
            e += rows.A[r, d] * room.x[d]
        rows.residual[r] = e
        check += 0.0 * e
        if r < rows.size[EQUATIONS] and rows.level[r] == 0:
            worst = max(worst, abs(e))
    room.answer[4] = worst
    return check == 0.0


@kernel
def scale_rows(rows, room, m, n):
    """Rows of unit length in W and r. Returns the size of the right-hand sides."""
    size = 1.0
    for r in range(m):
        total = 0.0
        for d in range(n):
            total += rows.A[r, d] * rows.A[r, d]
        length = np.sqrt(total)
        room.scale[r] = length
        k = 1.0 / length if length > NEAR else 0.0
        for d in range(n):
            room.W[r, d] = k * rows.A[r, d]
        room.r[r] = (k if k > 0.0 else 1.0) * (rows.rhs[r] - rows.b[r])
        size = max(size, abs(room.r[r]))
    return size


@kernel(inline=False)
def triangle(room, first, last, m, n, rank, least):
    """Take the rows of one priority, the most independent one first. Returns the rank so far and the smallest pivot."""
    W = room.W
    while rank < n:
        best, best_square = -1, NEAR * NEAR
        for r in range(first, last):
            if room.taken[r] == 0:
                square = 0.0
                for d in range(rank, n):
                    square += W[r, d] * W[r, d]
                if square > best_square:
                    best, best_square = r, square
        if best < 0:
            break
        length = np.sqrt(best_square)
        least = min(least, length)
        room.taken[best] = rank + 1
        room.pivot[rank] = best
        reflect(room, best, m, n, rank, length)
        rank += 1
    return rank, least


@kernel
def reflect(room, best, m, n, k, length):
    """Turn row `best` onto axis k, and all rows that are still to come with it."""
    W, u = room.W, room.reflector
    alpha = -length if W[best, k] > 0.0 else length
    for d in range(k, n):
        u[k, d] = W[best, d]
    u[k, k] -= alpha
    square = 0.0
    for d in range(k, n):
        square += u[k, d] * u[k, d]
    scale = np.sqrt(2.0 / square)
    for d in range(k, n):
        u[k, d] *= scale
    for r in range(m):
        if room.taken[r] == 0:
            s = 0.0
            for d in range(k, n):
                s += u[k, d] * W[r, d]
            for d in range(k, n):
                W[r, d] -= s * u[k, d]
    for d in range(k, n):
        W[best, d] = 0.0
    W[best, k] = alpha


@kernel(inline=False)
def settle_level(room, first, last, before, rank, size):
    """Forward substitution for the rows of one priority; where rows depend on others and do not fit, they are named, or yield."""
    W, y = room.W, room.y
    for k in range(before, rank):
        p = room.pivot[k]
        e = room.r[p]
        for d in range(k):
            e -= W[p, d] * y[d]
        y[k] = e / W[p, k]
    yields, status = 0, SOLVED
    for r in range(first, last):
        if room.taken[r] == 0:
            e = room.r[r]
            for d in range(rank):
                e -= W[r, d] * y[d]
            if abs(e) > MISFIT * size:
                if shares(room, r, before, rank):
                    name_conflict(room, r, rank, abs(e))
                    status = CONFLICT
                else:
                    yields = 1
    if yields and status == SOLVED:
        least_squares(room, first, last, before, rank)
    return status


@kernel
def shares(room, r, before, rank):
    """How row r is made of the rows taken, in room.share. Whether only rows of its own priority are among them, or none."""
    W, own = room.W, True
    for k in range(rank):
        room.share[k] = W[r, k]
    for m in range(rank):
        k = rank - 1 - m
        p = room.pivot[k]
        room.share[k] /= W[p, k]
        for d in range(k):
            room.share[d] -= room.share[k] * W[p, d]
        if k < before and abs(room.share[k]) > PART:
            own = False
    return own


@kernel
def name_conflict(room, r, rank, size):
    """All rows of which row r is made contradict it."""
    room.conflict[r] = max(room.conflict[r], size)
    for k in range(rank):
        if abs(room.share[k]) > PART:
            p = room.pivot[k]
            room.conflict[p] = max(room.conflict[p], size)


@kernel(inline=False)
def least_squares(room, first, last, before, rank):
    """Rows of one priority that those above leave no room for: the least sum of squares of what all of them miss."""
    W, y, G, g, n = room.W, room.y, room.G, room.g, rank - before
    for i in range(n):
        g[i] = 0.0
        for j in range(n):
            G[i, j] = 0.0
    for r in range(first, last):
        e = room.r[r]
        for d in range(before):
            e -= W[r, d] * y[d]
        for i in range(n):
            g[i] += W[r, before + i] * e
            for j in range(i + 1):
                G[i, j] += W[r, before + i] * W[r, before + j]
    cholesky(G, n, 0.0)
    substitute(G, g, n)
    for i in range(n):
        y[before + i] = g[i]


@kernel(inline=False)
def unfold(room, rank, n):
    """x = Q y, and the directions that are left, Q's other columns, as rows of Z."""
    for d in range(n):
        room.x[d] = room.y[d] if d < rank else 0.0
    turn_back(room, room.x, rank, n)
    for j in range(n - rank):
        for d in range(n):
            room.Z[j, d] = 1.0 if d == rank + j else 0.0
        turn_back(room, room.Z[j], rank, n)


@kernel
def turn_back(room, x, rank, n):
    """Q x, by the reflections in turn."""
    u = room.reflector
    for m in range(rank):
        k = rank - 1 - m
        s = 0.0
        for d in range(k, n):
            s += u[k, d] * x[d]
        for d in range(k, n):
            x[d] -= s * u[k, d]


@kernel(inline=False)
def minimise(rows, room, rank, n):
    """Go from x along the directions left to the least cost. Returns how many of them no cost determines."""
    free, Z, D, G, g, x = n - rank, room.Z, room.D, room.G, room.g, room.x
    if free == 0:
        return 0
    for i in range(free):
        g[i] = 0.0
        for j in range(free):
            G[i, j] = 0.0
    for r in range(rows.size[EQUATIONS], rows.size[COSTS]):
        w, e = rows.weight[r], rows.b[r] - rows.rhs[r]
        for d in range(n):
            e += rows.A[r, d] * x[d]
        for i in range(free):
            s = 0.0
            for d in range(n):
                s += rows.A[r, d] * Z[i, d]
            D[r, i] = s
            g[i] -= w * s * e
            for j in range(i + 1):
                G[i, j] += w * s * D[r, j]
    most = 1e-30
    for i in range(free):
        most = max(most, G[i, i])
    loose = cholesky(G, free, THIN * most)
    substitute(G, g, free)
    for i in range(free):
        for d in range(n):
            x[d] += g[i] * Z[i, d]
    return loose


@kernel(inline=False)
def cholesky(G, n, floor):
    """Factor G = L L' in place, in its lower half. Pivots below 2 `floor` are lifted; returns how many."""
    low = 0
    for j in range(n):
        s = G[j, j] + floor
        for k in range(j):
            s -= G[j, k] * G[j, k]
        if s < 2.0 * floor or s <= 0.0:
            low += 1
            s = max(s, floor)
            if s <= 0.0:
                s = 1.0
        G[j, j] = np.sqrt(s)
        for i in range(j + 1, n):
            e = G[i, j]
            for k in range(j):
                e -= G[i, k] * G[j, k]
            G[i, j] = e / G[j, j]
    return low


@kernel
def substitute(L, g, n):
    """Solve L L' g = g in place."""
    for i in range(n):
        for k in range(i):
            g[i] -= L[i, k] * g[k]
        g[i] /= L[i, i]
    for m in range(n):
        i = n - 1 - m
        for k in range(i + 1, n):
            g[i] -= L[k, i] * g[k]
        g[i] /= L[i, i]
