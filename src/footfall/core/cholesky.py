"""Cholesky's factor of a small dense matrix, in place, and substitution with it.

The factor is kept in both halves, L below and L' above the diagonal, so that every inner loop runs along a row: it adds a
multiple of one row to another, which compilers do for several entries at once.
"""

import numpy as np

from footfall.core.jit import kernel


@kernel(inline=False)
def cholesky(G, n, floor):
    """Factor G + floor I = L L'; only the lower half of G is read. Pivots below 2 `floor` are lifted; returns how many."""
    low = 0
    for j in range(n):
        s = G[j, j] + floor
        if s < 2.0 * floor or s <= 0.0:
            low += 1
            s = max(s, floor)
            if s <= 0.0:
                s = 1.0
        pivot = np.sqrt(s)
        G[j, j] = pivot
        for i in range(j + 1, n):
            G[i, j] /= pivot
            G[j, i] = G[i, j]
        for i in range(j + 1, n):
            f = G[i, j]
            if f != 0.0:
                for k in range(j + 1, i + 1):
                    G[i, k] -= f * G[j, k]
    return low


@kernel
def substitute(L, g, n):
    """Solve L L' g = g in place."""
    forward(L, g, n)
    backward(L, g, n)


@kernel(inline=False)
def forward(L, g, n):
    """Solve L g = g in place."""
    for j in range(n):
        f = g[j] / L[j, j]
        g[j] = f
        for i in range(j + 1, n):
            g[i] -= f * L[j, i]


@kernel(inline=False)
def backward(L, g, n):
    """Solve L' g = g in place."""
    for m in range(n):
        i = n - 1 - m
        f = g[i] / L[i, i]
        g[i] = f
        for k in range(i):
            g[k] -= f * L[i, k]


@kernel
def inner(a, b, n):
    """The sum of a[i] b[i], in four sums side by side: one addition need not wait for the one before it."""
    s0, s1, s2, s3, whole = 0.0, 0.0, 0.0, 0.0, n // 4
    for i in range(whole):
        s0 += a[4 * i] * b[4 * i]
        s1 += a[4 * i + 1] * b[4 * i + 1]
        s2 += a[4 * i + 2] * b[4 * i + 2]
        s3 += a[4 * i + 3] * b[4 * i + 3]
    for i in range(4 * whole, n):
        s0 += a[i] * b[i]
    return (s0 + s1) + (s2 + s3)
