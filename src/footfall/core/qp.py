"""A small quadratic program: minimise x'H x / 2 + g'x subject to C x >= c, the first rows as equations.

Standard name: Goldfarb and Idnani's dual active-set method (1983). It begins at the unconstrained minimum, makes the most
violated row active, and drops rows whose multiplier changes sign, until no row is violated. H is positive definite, so that the
solution is unique. It departs from the standard in its storage only: nothing is allocated, and integers are kept as floats in
the arrays given.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel

SOLVED, INFEASIBLE, TOO_LONG, NOT_POSITIVE = 0, 1, 2, 3


class Program(NamedTuple):
    """Data, solution and arrays of a program. Rows of C should have about unit length: violations are compared as they are."""

    H: Any  # (n, n); becomes its Cholesky factor
    g: Any  # (n,)
    C: Any  # (m, n)
    c: Any  # (m,)
    x: Any  # (n,) the answer
    pull: Any  # (m,) multiplier of each row: H x + g = C'pull
    J: Any  # (n, n)
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
    shapes |= {"J": (n, n), "R": (n, n), "d": (n,), "z": (n,), "r": (n,), "u": (n + 1,), "row": (n + 1,), "sign": (m,)}
    return shapes


def program(n: int, m: int) -> Program:
    """Room for n unknowns and m rows."""
    return Program(**{name: np.zeros(shape) for name, shape in sizes(n, m).items()})


@kernel(inline=False)
def solve_program(p, equations, tolerance):
    """Returns a status and the row that cannot be satisfied, or -1. A row counts as satisfied to within `tolerance`."""
    n, m = len(p.g), len(p.c)
    if start(p):
        return NOT_POSITIVE, -1
    q = 0
    for _ in range(20 * (n + m)):
        k = next_row(p, equations, tolerance)
        if k < 0:
            for i in range(m):
                p.pull[i] = 0.0
            for j in range(q):
                p.pull[int(p.row[j])] = p.u[j] * p.sign[int(p.row[j])]
            return SOLVED, -1
        p.u[q], p.row[q] = 0.0, k
        sign = -1.0 if k < equations and slack(p, k) > 0.0 else 1.0
        while True:
            length = set_directions(p, k, sign, q)
            t1, drop = blocking(p, equations, q)
            t2 = -sign * slack(p, k) / length if length > 0.0 else np.inf
            t = min(t1, t2)
            if t == np.inf:
                return INFEASIBLE, k
            for j in range(q):
                p.u[j] -= t * p.r[j]
            p.u[q] += t
            if t2 < np.inf:
                for i in range(n):
                    p.x[i] += t * p.z[i]
            if t2 <= t1:
                activate(p, q)
                p.sign[k] = sign
                q += 1
                break
            p.sign[int(p.row[drop])] = 0.0
            release(p, drop, q)
            q -= 1
    return TOO_LONG, -1


@kernel
def start(p):
    """H = L L', J = inverse of L', and the free minimum. Returns 1 if H is not positive."""
    n = len(p.g)
    for j in range(n):
        for k in range(j):
            p.H[j, j] -= p.H[j, k] * p.H[j, k]
        if not p.H[j, j] > 0.0:
            return 1
        p.H[j, j] = np.sqrt(p.H[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                p.H[i, j] -= p.H[i, k] * p.H[j, k]
            p.H[i, j] /= p.H[j, j]
    for j in range(n):  # column j of the inverse of L, which is row j of J
        for i in range(n):
            total = 1.0 if i == j else 0.0
            for k in range(j, i):
                total -= p.H[i, k] * p.J[j, k]
            p.J[j, i] = total / p.H[i, i] if i >= j else 0.0
    for i in range(n):
        p.d[i] = 0.0
        for k in range(n):
            p.d[i] -= p.J[k, i] * p.g[k]
    for i in range(n):
        p.x[i] = 0.0
        for k in range(n):
            p.x[i] += p.J[i, k] * p.d[k]
    for i in range(len(p.c)):
        p.sign[i] = 0.0
    return 0


@kernel
def slack(p, k):
    """C x - c of row k."""
    total = -p.c[k]
    for i in range(len(p.x)):
        total += p.C[k, i] * p.x[i]
    return total


@kernel
def next_row(p, equations, tolerance):
    """The first equation that is not active yet, or the row that is most violated; -1 if there is none."""
    worst, found = -tolerance, -1
    for k in range(len(p.c)):
        if p.sign[k] == 0.0:
            s = slack(p, k)
            if k < equations:
                if abs(s) > tolerance:
                    return k
            elif s < worst:
                worst, found = s, k
    return found


@kernel
def set_directions(p, k, sign, q):
    """Steps towards row k: z of x, -r of the multipliers. Returns how fast the row is approached, 0 if it is not."""
    n, whole, free = len(p.x), 0.0, 0.0
    for j in range(n):
        p.d[j] = 0.0
        for i in range(n):
            p.d[j] += p.J[i, j] * sign * p.C[k, i]
        whole += p.d[j] * p.d[j]
        if j >= q:
            free += p.d[j] * p.d[j]
    for i in range(n):
        p.z[i] = 0.0
        for j in range(q, n):
            p.z[i] += p.J[i, j] * p.d[j]
    for m in range(q):
        i = q - 1 - m
        p.r[i] = p.d[i]
        for j in range(i + 1, q):
            p.r[i] -= p.R[i, j] * p.r[j]
        p.r[i] /= p.R[i, i]
    return free if free > 1e-20 * whole else 0.0


@kernel
def blocking(p, equations, q):
    """How far one can go until an active row would pull the wrong way, and which."""
    t, drop = np.inf, -1
    for j in range(q):
        if int(p.row[j]) >= equations and p.r[j] > 0.0 and p.u[j] < t * p.r[j]:
            t, drop = p.u[j] / p.r[j], j
    return t, drop


@kernel
def turn_columns(p, j, first, second):
    """Turn columns j and j+1 of J so that (first, second) becomes (length, 0). Returns cosine, sine and the length."""
    length = np.hypot(first, second)
    if length == 0.0:
        return 1.0, 0.0, 0.0
    c, s = first / length, second / length
    for i in range(len(p.x)):
        a, b = p.J[i, j], p.J[i, j + 1]
        p.J[i, j], p.J[i, j + 1] = c * a + s * b, c * b - s * a
    return c, s, length


@kernel
def activate(p, q):
    """The row whose directions were set becomes the last of the active ones."""
    for m in range(len(p.x) - 1 - q):
        j = len(p.x) - 2 - m
        _, _, p.d[j] = turn_columns(p, j, p.d[j], p.d[j + 1])
        p.d[j + 1] = 0.0
    for i in range(q + 1):
        p.R[i, q] = p.d[i]


@kernel
def release(p, drop, q):
    """Drop an active row; the candidate behind the q active ones moves up."""
    for j in range(drop, q):
        p.row[j], p.u[j] = p.row[j + 1], p.u[j + 1]
    for j in range(drop, q - 1):
        for i in range(j + 2):
            p.R[i, j] = p.R[i, j + 1]
        c, s, _ = turn_columns(p, j, p.R[j, j], p.R[j + 1, j])
        for k in range(j, q - 1):
            # column k is still to be shifted where k > j
            source = k if k == j else k + 1
            a, b = p.R[j, source], p.R[j + 1, source]
            p.R[j, source], p.R[j + 1, source] = c * a + s * b, c * b - s * a
