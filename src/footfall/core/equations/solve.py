"""Equations first, costs with what they leave: a null-space method.

The rows of the equations, scaled to unit length, are brought to a triangle by Householder reflections from the right; in every
step the row is taken that is farthest from those before it (QR with column pivoting of A', Golub and Van Loan 5.4.2). Rows
nearer than NEAR to a combination of others depend on them, unless a motion of ordinary size meets them. The directions that are
left, Z, are orthonormal, and the cost is minimised along them: min |D (x + Z z) + d|^2. What departs from the standard is the
order: equations of a higher priority go first, so that a row which depends on these yields; one that contradicts rows of its own
priority is named with them.

No threshold has a unit: rows are judged by their length beside that of what they are made of, so that an equation may be written
in any scale. W and Z are kept as columns, W[d, r], so that inner loops run along memory.
"""

import numpy as np

from footfall.core.cholesky import cholesky, inner, substitute
from footfall.core.equations.costs import minimise
from footfall.core.equations.scale import NEAR, set_scale
from footfall.core.equations.tables import COSTS, EQUATIONS
from footfall.core.jit import kernel

FAINT = 1e-11  # a row that is near to others does not depend on them if it is farther than this, and what it lacks can be met
ORDINARY = 1e3  # by a motion that is not larger than this times the right-hand sides
PART = 1e-3  # coefficient from which a row is part of a contradiction
MISFIT = 1e-9  # of the size of what cancels in a row: from here on dependent rows contradict each other
ROUNDED = 1e-13  # of the size of a motion: likewise
SAME = 1e-9  # rows that are missed likewise, and differ by less, say the same
SOLVED, CONFLICT, NOT_FINITE = 0, 1, 2


@kernel(inline=False)
def solve_rows(rows, room, n, m, first_cost, last_cost):
    """x for the first m rows as equations, and those from `first_cost` to `last_cost` as costs. Returns a status.

    room.answer has rank, undetermined directions, smallest pivot, ...
    """
    scale_rows(rows, room, m, n)
    size, rank, least, first, status = 1.0, 0, 1.0, 0, SOLVED
    for d in range(n):
        room.y[d] = 0.0
    while first < m:
        last = first
        while last < m and rows.level[last] == rows.level[first]:
            size = max(size, abs(room.r[last]))
            last += 1
        before = rank
        rank, least = triangle(room, first, last, m, n, rank, least)
        rank = meet(room, first, last, m, n, before, rank, size)
        level = rows.level[first]  # that of loops is below 0: their rows may be redundant
        if level >= 0 and settle_level(room, first, last, before if level > 0 else 0, rank) == CONFLICT:
            status = CONFLICT
        first = last
    unfold(room, rank, n)
    loose = minimise(rows, room, rank, n, first_cost, last_cost)
    room.answer[0], room.answer[1], room.answer[2] = rank, loose, least
    return status


@kernel(inline=False)
def measure(rows, room, n):
    """By how much every equation and cost is missed, and the most of those of the first priority. Whether all are finite."""
    check, worst = 0.0, 0.0
    for r in range(rows.size[COSTS]):
        e = rows.b[r] - rows.rhs[r] + inner(rows.A[r], room.x, n)
        rows.residual[r] = e
        check += 0.0 * e
        if r < rows.size[EQUATIONS] and rows.level[r] <= 0:
            worst = max(worst, abs(e))
    room.answer[3] = worst
    return check == 0.0


@kernel
def scale_rows(rows, room, m, n):
    """Rows of unit length in W and r."""
    for r in range(m):
        k = 1.0 / room.scale[r] if set_scale(rows, room, r, n) else 0.0
        for d in range(n):
            room.W[d, r] = k * rows.A[r, d]
        room.r[r] = (rows.rhs[r] - rows.b[r]) / room.scale[r]
        room.taken[r] = 0
    for r in range(len(room.conflict)):
        room.conflict[r] = 0.0


@kernel(inline=False)
def triangle(room, first, last, m, n, rank, least):
    """Take the rows of one priority, the most independent one first. Returns the rank so far and the smallest pivot."""
    W, squares = room.W, room.share
    while rank < n:
        for r in range(first, last):
            squares[r] = 0.0
        for d in range(rank, n):
            for r in range(first, last):
                squares[r] += W[d, r] * W[d, r]
        best, best_square = -1, NEAR * NEAR
        for r in range(first, last):
            if room.taken[r] == 0 and squares[r] > best_square:
                best, best_square = r, squares[r]
        if best < 0:
            break
        length = np.sqrt(best_square)
        least = min(least, length)
        reflect(room, best, m, n, rank, length)
        rank += 1
    return rank, least


@kernel(inline=False)
def reflect(room, best, m, n, k, length):
    """Take row `best`: turn it onto axis k, and all rows to come with it. Those taken have nothing left to turn."""
    W, u, s = room.W, room.reflector, room.share
    room.taken[best], room.pivot[k] = k + 1, best
    alpha = -length if W[k, best] > 0.0 else length
    for d in range(k, n):
        u[k, d] = W[d, best]
    u[k, k] -= alpha
    square = 0.0
    for d in range(k, n):
        square += u[k, d] * u[k, d]
    scale = np.sqrt(2.0 / square)
    for r in range(m):
        s[r] = 0.0
    for d in range(k, n):
        u[k, d] *= scale
        f = u[k, d]
        if f != 0.0:
            for r in range(m):
                s[r] += f * W[d, r]
    for d in range(k, n):
        f = u[k, d]
        if f != 0.0:
            for r in range(m):
                W[d, r] -= f * s[r]
        W[d, best] = 0.0
    W[k, best] = alpha


@kernel
def lack(room, r, rank):
    """What row r misses at y."""
    e = room.r[r]
    for d in range(rank):
        e -= room.W[d, r] * room.y[d]
    return e


@kernel
def misfit(room, r, rank):
    """From where on row r is missed: rounding of what cancels in it, and of the motion."""
    part, most = max(1.0, abs(room.r[r])), 0.0
    for d in range(rank):
        part = max(part, abs(room.W[d, r] * room.y[d]))
        most = max(most, abs(room.y[d]))
    return MISFIT * part + ROUNDED * most


@kernel(inline=False)
def meet(room, first, last, m, n, before, rank, size):
    """Forward substitution for the rows of one priority, and for those that nearly depend but can be met. Returns the rank."""
    for k in range(before, rank):
        room.y[k] = lack(room, room.pivot[k], k) / room.W[k, room.pivot[k]]
    found = True
    while found and rank < n:
        found = False
        for r in range(first, last):
            if room.taken[r] == 0 and not found:
                e, square = lack(room, r, rank), 0.0
                for d in range(rank, n):
                    square += room.W[d, r] * room.W[d, r]
                length = np.sqrt(square)
                ordinary = length > FAINT and abs(e) <= ORDINARY * size * length
                if ordinary and abs(e) > misfit(room, r, rank):
                    reflect(room, r, m, n, rank, length)
                    room.y[rank] = e / room.W[rank, r]
                    rank += 1
                    found = True
    return rank


@kernel(inline=False)
def settle_level(room, first, last, before, rank):
    """Where rows of one priority depend on others and do not fit, they are named, or yield."""
    yields, status = 0, SOLVED
    for r in range(first, last):
        if room.taken[r] == 0:
            e = abs(lack(room, r, rank))
            if e > misfit(room, r, rank):
                for k in range(rank):
                    room.share[k] = room.W[k, r]
                if not find_shares(room, before, rank):
                    yields = 1
                elif not repeats(room, first, r, rank):
                    room.conflict[r] = max(room.conflict[r], e)
                    name_conflict(room, rank, e)
                    status = CONFLICT
    if yields and status == SOLVED:
        least_squares(room, first, last, before, rank)
    return status


@kernel(inline=False)
def repeats(room, first, r, rank):
    """Whether row r, which contradicts others, says what one before it said that was named."""
    for o in range(first, r):
        if room.taken[o] == 0 and room.conflict[o] > 0.0:
            along = inner(room.W[:, o], room.W[:, r], rank)
            sign = 1.0 if along > 0.0 else -1.0
            off = abs(room.r[o] - sign * room.r[r]) / max(1.0, abs(room.r[r]))
            for k in range(rank):
                off = max(off, abs(room.W[k, o] - sign * room.W[k, r]))
            if off < SAME:
                return True
    return False


@kernel(inline=False)
def find_shares(room, before, rank):
    """How the row in room.share, turned as W is, is made of the rows taken. Whether none of a higher priority is among them."""
    W, own = room.W, True
    for l in range(rank):
        k = rank - 1 - l
        p = room.pivot[k]
        room.share[k] /= W[k, p]
        for d in range(k):
            room.share[d] -= room.share[k] * W[d, p]
        if k < before and abs(room.share[k]) > PART:
            own = False
    return own


@kernel
def name_conflict(room, rank, size):
    """All rows that have a share in one that is missed contradict it; each by as much as it alone would have to give way."""
    for k in range(rank):
        share, p = abs(room.share[k]), room.pivot[k]
        if share > PART:
            room.conflict[p] = max(room.conflict[p], size / share)


@kernel(inline=False)
def least_squares(room, first, last, before, rank):
    """Rows of one priority that those above leave no room for: the least sum of squares of what all of them miss.

    Normal equations, solved a second time for what the first solution leaves.
    """
    W, y, G, g, n = room.W, room.y, room.G, room.g, rank - before
    for i in range(n):
        y[before + i] = 0.0
        for j in range(i + 1):
            s = 0.0
            for r in range(first, last):
                s += W[before + i, r] * W[before + j, r]
            G[i, j] = s
    cholesky(G, n, 0.0)
    for _ in range(2):
        for i in range(n):
            g[i] = 0.0
        for r in range(first, last):
            e = lack(room, r, rank)
            for i in range(n):
                g[i] += W[before + i, r] * e
        substitute(G, g, n)
        for i in range(n):
            y[before + i] += g[i]


@kernel(inline=False)
def correct(rows, room, rank, n, all_met):
    """Move x to where the rows taken are met to rounding; without `all_met` those of low priority keep what they miss."""
    x, y, u = room.x, room.share, room.reflector
    for k in range(rank):
        p = room.pivot[k]
        e = 0.0
        if all_met or rows.level[p] <= 0:
            e = (rows.rhs[p] - rows.b[p] - inner(rows.A[p], x, n)) / room.scale[p]
        for d in range(k):
            e -= room.W[d, p] * y[d]
        y[k] = e / room.W[k, p]
    for d in range(n):
        room.g[d] = y[d] if d < rank else 0.0
    for l in range(rank):
        k = rank - 1 - l
        s = 0.0
        for d in range(k, n):
            s += u[k, d] * room.g[d]
        for d in range(k, n):
            room.g[d] -= u[k, d] * s
    for d in range(n):
        x[d] += room.g[d]


@kernel(inline=False)
def unfold(room, rank, n):
    """x = Q y, and the directions that are left, Q's other columns: Z."""
    u, Z, x, s, free = room.reflector, room.Z, room.x, room.g, n - rank
    for d in range(n):
        x[d] = room.y[d] if d < rank else 0.0
        for j in range(free):
            Z[d, j] = 1.0 if d == rank + j else 0.0
    for l in range(rank):
        k = rank - 1 - l
        along = 0.0
        for j in range(free):
            s[j] = 0.0
        for d in range(k, n):
            f = u[k, d]
            if f != 0.0:
                along += f * x[d]
                for j in range(free):
                    s[j] += f * Z[d, j]
        for d in range(k, n):
            f = u[k, d]
            if f != 0.0:
                x[d] -= f * along
                for j in range(free):
                    Z[d, j] -= f * s[j]
