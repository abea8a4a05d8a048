"""Inequalities: where the cheapest motion would break a limit, a quadratic program over the directions that equations leave."""

import numpy as np

from footfall.core.equations.solve import THIN
from footfall.core.equations.tables import COSTS, EQUATIONS, LIMITS
from footfall.core.jit import kernel
from footfall.core.qp import SOLVED, solve_program

KEPT = 1e-9  # of the size of a limit: by how much it may be passed
NONE = -1e30  # a bound that nothing reaches


@kernel(inline=False)
def keep_limits(rows, room, program, n):
    """Move x along Z to the least cost within A x + b >= rhs. Returns -1, or the row that cannot be kept."""
    first, last, rank = rows.size[COSTS], rows.size[LIMITS], int(room.answer[0])
    worst = 0.0
    for r in range(first, last):
        worst = min(worst, slack(rows, room, r, n) / (1.0 + abs(rows.rhs[r])))
    if worst >= -KEPT:
        return -1
    free = n - rank
    set_cost(rows, room, program, free)
    for r in range(len(program.c)):
        program.c[r] = NONE
        for d in range(len(program.g)):
            program.C[r, d] = 0.0
    for r in range(first, last):
        total = 0.0
        for i in range(free):
            s = 0.0
            for d in range(n):
                s += rows.A[r, d] * room.Z[i, d]
            program.C[r - first, i] = s
            total += s * s
        length = np.sqrt(total)
        k = 1.0 / length if length > 1e-9 else 1.0
        for i in range(free):
            program.C[r - first, i] *= k
        program.c[r - first] = -k * slack(rows, room, r, n)
    status, row = solve_program(program, 0, KEPT)
    if status != SOLVED:
        return first + max(row, 0)
    for i in range(free):
        for d in range(n):
            room.x[d] += program.x[i] * room.Z[i, d]
    return -1


@kernel
def slack(rows, room, r, n):
    """By how much a limit is kept."""
    s = rows.b[r] - rows.rhs[r]
    for d in range(n):
        s += rows.A[r, d] * room.x[d]
    return s


@kernel
def set_cost(rows, room, program, free):
    """The cost about x, which is its minimum. Unknowns that are not used stay where they are."""
    H = program.H
    for i in range(len(program.g)):
        program.g[i] = 0.0
        for j in range(len(program.g)):
            H[i, j] = 1.0 if i == j and i >= free else 0.0
    for r in range(rows.size[EQUATIONS], rows.size[COSTS]):
        for i in range(free):
            for j in range(free):
                H[i, j] += rows.weight[r] * room.D[r, i] * room.D[r, j]
    most = 1e-9
    for i in range(free):
        most = max(most, H[i, i])
    for i in range(free):
        H[i, i] += 1e3 * THIN * most
