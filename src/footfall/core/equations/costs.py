"""The least cost along the directions that equations leave: min |D z + e|^2, where row r of D and e counts with its weight.

The normal equations are quick, and lose as many digits as weights have between them. Where that is more than half of all
digits, or a direction is left undetermined, D is turned to a triangle by Householder reflections with interchanges of columns and
rows, which is stable for rows of any weight (Powell and Reid 1969; Cox and Higham 1998). Either way room.G is left with L of
D'D = L L', which the quadratic program for limits goes on from.
"""

import numpy as np

from footfall.core.cholesky import cholesky, inner, substitute
from footfall.core.equations.scale import NEAR, set_scale
from footfall.core.jit import kernel

CLOSE = 1e-8  # of the heaviest row: pivots of the normal equations that are smaller have lost half of their digits
NOTHING = 1e-12  # of a row: what is left of it by rounding
LOOSE = 1e-5  # of the smallest pivot: stands for a direction that no cost determines


@kernel(inline=False)
def minimise(rows, room, rank, n, first, last):
    """Go from x along the directions left to the least cost. Returns how many of them no cost determines."""
    free = n - rank
    if free == 0:
        return 0
    loose = 0
    if not normal_equations(rows, room, n, free, first, last):
        loose = weighted_rows(rows, room, n, free, first, last)
    for d in range(n):
        room.x[d] += inner(room.Z[d], room.g, free)
    return loose


@kernel
def along_free(rows, room, r, n, free, row):
    """Row r along the directions that are left."""
    for i in range(free):
        row[i] = 0.0
    for d in range(n):
        f = rows.A[r, d]
        if f != 0.0:
            for i in range(free):
                row[i] += f * room.Z[d, i]


@kernel(inline=False)
def normal_equations(rows, room, n, free, first, last):
    """The quick way. Returns whether it is exact enough."""
    D, G, g, heaviest = room.D, room.G, room.g, 0.0
    for i in range(free):
        g[i] = 0.0
        for j in range(free):
            G[i, j] = 0.0
    for r in range(first, last):
        along_free(rows, room, r, n, free, D[r])
        w = rows.weight[r]
        heaviest = max(heaviest, w * rows.made[r] * rows.made[r])
        e = w * (rows.b[r] - rows.rhs[r] + inner(rows.A[r], room.x, n))
        for i in range(free):
            g[i] -= e * D[r, i]
            f = w * D[r, i]
            if f != 0.0:
                for j in range(i + 1):
                    G[i, j] += f * D[r, j]
    if cholesky(G, free, 0.0) > 0:
        return False
    for i in range(free):
        if not G[i, i] * G[i, i] > CLOSE * heaviest:
            return False
    substitute(G, g, free)
    return True


@kernel(inline=False)
def weighted_rows(rows, room, n, free, first, last):
    """The exact way. Returns how many directions no cost determines."""
    D, G, g, e = room.D, room.G, room.g, room.r
    m = gather(rows, room, n, free, first, last)
    k = 0
    while k < free and k < m and choose(room, k, m, free):
        eliminate(room, k, m, free)
        k += 1
    least = 1.0
    for i in range(k):
        least = abs(D[i, i]) if i == 0 else min(least, abs(D[i, i]))
    for i in range(free):
        for j in range(i, free):
            G[i, j] = (D[i, j] if D[i, i] > 0.0 else -D[i, j]) if i < k else 0.0
        if i >= k:
            G[i, i] = LOOSE * least
        for j in range(i, free):
            G[j, i] = G[i, j]
        g[i] = 0.0
    for l in range(k):
        i = k - 1 - l
        s = -e[i]
        for j in range(i + 1, k):
            s -= D[i, j] * g[j]
        g[i] = s / D[i, i]
    return free - k


@kernel(inline=False)
def gather(rows, room, n, free, first, last):
    """Rows that say something along the directions left, times the roots of their weights, in D, room.r and their lengths in
    room.share. Returns how many."""
    D, m = room.D, 0
    for r in range(first, last):
        if rows.weight[r] > 0.0 and set_scale(rows, room, r, n):
            along_free(rows, room, r, n, free, D[m])
            root = np.sqrt(rows.weight[r])
            room.share[m] = root * room.scale[r]
            room.r[m] = root * (rows.b[r] - rows.rhs[r] + inner(rows.A[r], room.x, n))
            for i in range(free):
                D[m, i] *= root
            if tidy(room, m, 0, free):
                m += 1
    return m


@kernel
def tidy(room, r, k, free):
    """What is left of a row by rounding is nothing. Returns whether it has something left."""
    most = 0.0
    for i in range(k, free):
        most = max(most, abs(room.D[r, i]))
    if most > NOTHING * room.share[r]:
        return True
    for i in range(k, free):
        room.D[r, i] = 0.0
    return False


@kernel(inline=False)
def choose(room, k, m, free):
    """Bring the longest column to place k, and the row with its largest entry. Returns whether any row still determines one."""
    D, Z, says = room.D, room.Z, False
    best, best_square = k, -1.0
    for i in range(k, free):
        square = 0.0
        for r in range(k, m):
            square += D[r, i] * D[r, i]
            says = says or abs(D[r, i]) > NEAR * room.share[r]
        if square > best_square:
            best, best_square = i, square
    if not says:
        return False
    if best != k:
        for r in range(m):
            D[r, k], D[r, best] = D[r, best], D[r, k]
        for d in range(len(Z)):
            Z[d, k], Z[d, best] = Z[d, best], Z[d, k]
    top = k
    for r in range(k + 1, m):
        if abs(D[r, k]) > abs(D[top, k]):
            top = r
    if top != k:
        for i in range(free):
            D[k, i], D[top, i] = D[top, i], D[k, i]
        room.r[k], room.r[top] = room.r[top], room.r[k]
        room.share[k], room.share[top] = room.share[top], room.share[k]
    return True


@kernel(inline=False)
def eliminate(room, k, m, free):
    """Reflect rows k to m so that column k has its first entry only."""
    D, e, square = room.D, room.r, 0.0
    for r in range(k, m):
        square += D[r, k] * D[r, k]
    length = np.sqrt(square)
    alpha = -length if D[k, k] > 0.0 else length
    head = D[k, k] - alpha
    for i in range(k + 1, free + 1):
        s = head * (e[k] if i == free else D[k, i])
        for r in range(k + 1, m):
            s += D[r, k] * (e[r] if i == free else D[r, i])
        s /= alpha * head
        if i == free:
            e[k] += s * head
        else:
            D[k, i] += s * head
        for r in range(k + 1, m):
            if i == free:
                e[r] += s * D[r, k]
            else:
                D[r, i] += s * D[r, k]
    D[k, k] = alpha
    for r in range(k + 1, m):
        D[r, k] = 0.0
        tidy(room, r, k + 1, free)
