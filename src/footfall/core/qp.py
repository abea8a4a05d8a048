"""A small quadratic program: minimise x'H x / 2 + g'x subject to C x >= c, the first rows as equations.

Standard name: Goldfarb and Idnani's dual active-set method (1983). It begins at the unconstrained minimum, makes the most
violated row active, and drops rows whose multiplier changes sign, until no row is violated. H is positive definite, so that the
solution is unique. Two departures from the standard:

- With H = L L' and w = L^-1 C' of a row, only the orthonormal directions Q of the active rows are kept, W = Q'R, and not the
  whole matrix J = L^-T Q' (Gram and Schmidt, twice): the work of a step grows with the number of active rows.
- It can begin with rows that were active in a program like this one. Those that pull are a point on the way of the method.

Nothing is allocated, and integers are kept as floats in the arrays given.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.cholesky import backward, cholesky, forward, inner, substitute
from footfall.core.jit import kernel

SOLVED, INFEASIBLE, TOO_LONG, NOT_POSITIVE = 0, 1, 2, 3
APART = 1e-20  # of the square of its length: a row that is nearer to the active ones depends on them
WELL_APART = 1e-8  # likewise, for rows to begin with
SUSPECT = 1e-8  # likewise: it may be rounding
ROUNDED = 1e-12  # of the size of what cancels


class Program(NamedTuple):
    """Data, solution and arrays of a program. Rows of C should have about unit length: violations are compared as they are."""

    H: Any  # (n, n); becomes its Cholesky factor
    g: Any  # (n,)
    C: Any  # (m, n)
    c: Any  # (m,)
    x: Any  # (n,) the answer
    pull: Any  # (m,) multiplier of each row: H x + g = C'pull
    Q: Any  # (n, n) orthonormal rows
    R: Any  # (n, n)
    d: Any  # (n,)
    z: Any  # (n,)
    r: Any  # (n,)
    u: Any  # (n + 1,)
    row: Any  # (n + 1,) which rows are active
    sign: Any  # (m,) +-1 if active, else 0


def sizes(n: int, m: int) -> dict[str, tuple[int, ...]]:
    """Of the arrays of a program with n unknowns and m rows."""
    shapes: dict[str, tuple[int, ...]] = {"H": (n, n), "g": (n,), "C": (m, n), "c": (m,), "x": (n,), "pull": (m,)}
    shapes |= {"Q": (n, n), "R": (n, n), "d": (n,), "z": (n,), "r": (n,), "u": (n + 1,), "row": (n + 1,), "sign": (m,)}
    return shapes


def program(n: int, m: int) -> Program:
    """Room for n unknowns and m rows."""
    return Program(**{name: np.zeros(shape) for name, shape in sizes(n, m).items()})


@kernel(inline=False)
def solve_program(p, equations, tolerance):
    """Returns a status and the row that cannot be satisfied, or -1. A row counts as satisfied to within `tolerance`."""
    n, m = len(p.g), len(p.c)
    if cholesky(p.H, n, 0.0) > 0:
        return NOT_POSITIVE, -1
    for i in range(n):
        p.x[i] = -p.g[i]
    substitute(p.H, p.x, n)
    status, row, q = solve_from(p, p.H, n, m, equations, tolerance, 0)
    if status == SOLVED:
        for i in range(m):
            p.pull[i] = 0.0
        for j in range(q):
            p.pull[int(p.row[j])] = p.u[j] * p.sign[int(p.row[j])]
    return status, row


@kernel(inline=False)
def solve_from(p, L, n, m, equations, tolerance, known):
    """From the free minimum in p.x, for n unknowns and m rows and H = L L'. The first `known` of p.row are tried to begin with.

    Returns a status, the row that cannot be satisfied, or -1, and how many rows are active. If a row cannot, it is the sum of the
    active ones times p.r, none of which is above zero.
    """
    q = resume(p, L, n, m, known)
    for _ in range(20 * (n + m)):
        k = next_row(p, n, m, equations, tolerance)
        if k < 0:
            polish(p, L, n, q)
            return SOLVED, -1, q
        p.u[q], p.row[q] = 0.0, k
        sign = -1.0 if k < equations and slack(p, k, n) > 0.0 else 1.0
        while True:
            length = set_directions(p, L, k, sign, n, q, APART)
            t1, drop = blocking(p, equations, q)
            t2 = -sign * slack(p, k, n) / length if length > 0.0 else np.inf
            t = min(t1, t2)
            if t == np.inf:
                polish(p, L, n, q)
                if sign * slack(p, k, n) >= -tolerance:
                    break
                return INFEASIBLE, k, q
            for j in range(q):
                p.u[j] -= t * p.r[j]
            p.u[q] += t
            if t2 <= t1:
                activate(p, n, q, np.sqrt(length))
            if t2 < np.inf:
                backward(L, p.z, n)
                for i in range(n):
                    p.x[i] += t * p.z[i]
            if t2 <= t1:
                p.sign[k] = sign
                q += 1
                break
            p.sign[int(p.row[drop])] = 0.0
            release(p, drop, n, q)
            q -= 1
    return TOO_LONG, -1, q


@kernel(inline=False)
def resume(p, L, n, m, known):
    """Make the rows active that pull among those known, and go to the minimum along them. Returns how many."""
    for k in range(m):
        p.sign[k] = 0.0
    q = 0
    for j in range(known):
        k = int(p.row[j])
        length = set_directions(p, L, k, 1.0, n, q, WELL_APART)
        if length > 0.0:
            activate(p, n, q, np.sqrt(length))
            p.row[q], p.sign[k] = k, 1.0
            q += 1
    while q > 0:
        set_lack(p, n, q)
        drop = -1
        for l in range(q):
            i = q - 1 - l
            e = p.d[i]
            for j in range(i + 1, q):
                e -= p.R[i, j] * p.u[j]
            p.u[i] = e / p.R[i, i]
            if p.u[i] < 0.0 and (drop < 0 or p.u[i] < p.u[drop]):
                drop = i
        if drop < 0:
            break
        p.sign[int(p.row[drop])] = 0.0
        release(p, drop, n, q)
        q -= 1
    meet_active(p, L, n, q)
    return q


@kernel
def set_lack(p, n, q):
    """d with R'd = what the active rows lack; R u = d."""
    for j in range(q):
        e = -p.sign[int(p.row[j])] * slack(p, int(p.row[j]), n)
        for i in range(j):
            e -= p.R[i, j] * p.d[i]
        p.d[j] = e / p.R[j, j]


@kernel
def meet_active(p, L, n, q):
    """Go along the active rows by p.d."""
    if q == 0:
        return
    for i in range(n):
        p.z[i] = 0.0
    for j in range(q):
        for i in range(n):
            p.z[i] += p.d[j] * p.Q[j, i]
    backward(L, p.z, n)
    for i in range(n):
        p.x[i] += p.z[i]


@kernel(inline=False)
def polish(p, L, n, q):
    """What the active rows miss is as large as rounding where the method began, which may be far away; meet them here."""
    set_lack(p, n, q)
    meet_active(p, L, n, q)


@kernel
def slack(p, k, n):
    """C x - c of row k."""
    return inner(p.C[k], p.x, n) - p.c[k]


@kernel
def next_row(p, n, m, equations, tolerance):
    """The first equation that is not active yet, or the row that is most violated; -1 if there is none."""
    worst, found = -tolerance, -1
    for k in range(m):
        if p.sign[k] == 0.0:
            s = slack(p, k, n)
            if k < equations:
                if abs(s) > tolerance:
                    return k
            elif s < worst:
                worst, found = s, k
    return found


@kernel(inline=False)
def set_directions(p, L, k, sign, n, q, apart):
    """Steps towards row k: L^-T z of x, -r of the multipliers. Returns how fast the row is approached, 0 if it is not."""
    for i in range(n):
        p.z[i] = sign * p.C[k, i]
    forward(L, p.z, n)
    whole = inner(p.z, p.z, n)
    for j in range(q):
        p.d[j] = 0.0
    for _ in range(2):
        for j in range(q):
            e = inner(p.Q[j], p.z, n)
            p.d[j] += e
            for i in range(n):
                p.z[i] -= e * p.Q[j, i]
    for m in range(q):
        i = q - 1 - m
        e = p.d[i]
        for j in range(i + 1, q):
            e -= p.R[i, j] * p.r[j]
        p.r[i] = e / p.R[i, i]
    length = inner(p.z, p.z, n)
    if q >= n or not length > apart * whole or (length < SUSPECT * whole and is_sum(p, k, sign, n, q)):
        return 0.0
    return length


@kernel(inline=False)
def is_sum(p, k, sign, n, q):
    """Whether row k is the sum of the active ones times p.r, to rounding of the rows: L^-1 makes rounding larger."""
    off, size = 0.0, 0.0
    for i in range(n):
        e = sign * p.C[k, i]
        whole = abs(e)
        for j in range(q):
            part = p.r[j] * p.sign[int(p.row[j])] * p.C[int(p.row[j]), i]
            e -= part
            whole += abs(part)
        off, size = max(off, abs(e)), max(size, whole)
    return off <= ROUNDED * size


@kernel
def blocking(p, equations, q):
    """How far one can go until an active row would pull the wrong way, and which."""
    t, drop = np.inf, -1
    for j in range(q):
        if int(p.row[j]) >= equations and p.r[j] > 0.0 and p.u[j] < t * p.r[j]:
            t, drop = p.u[j] / p.r[j], j
    return t, drop


@kernel
def activate(p, n, q, length):
    """The row whose directions were set becomes the last of the active ones."""
    for i in range(n):
        p.Q[q, i] = p.z[i] / length
    for j in range(q):
        p.R[j, q] = p.d[j]
    p.R[q, q] = length


@kernel(inline=False)
def release(p, drop, n, q):
    """Drop an active row; the candidate behind the q active ones moves up."""
    for j in range(drop, q):
        p.row[j], p.u[j] = p.row[j + 1], p.u[j + 1]
    for j in range(drop, q - 1):
        for i in range(j + 2):
            p.R[i, j] = p.R[i, j + 1]
        length = np.hypot(p.R[j, j], p.R[j + 1, j])
        if length == 0.0:
            continue
        c, s = p.R[j, j] / length, p.R[j + 1, j] / length
        for i in range(n):
            a, b = p.Q[j, i], p.Q[j + 1, i]
            p.Q[j, i], p.Q[j + 1, i] = c * a + s * b, c * b - s * a
        for k in range(j, q - 1):
            # column k is still to be shifted where k > j
            source = k if k == j else k + 1
            a, b = p.R[j, source], p.R[j + 1, source]
            p.R[j, source], p.R[j + 1, source] = c * a + s * b, c * b - s * a
