"""Inequalities: where the cheapest motion would break a limit, a quadratic program over the directions that equations leave.

Equations of the first priority and limits hold. Where they leave no room for the others, those yield, one priority after the
other, as in a hierarchical quadratic program (Escande, Mansard and Wieber 2014): least squares within the limits.
"""

from footfall.core.cholesky import inner
from footfall.core.equations.solve import (
    NEAR,
    PART,
    along_free,
    find_shares,
    name_conflict,
    set_scale,
    solve_rows,
)
from footfall.core.equations.tables import COSTS, EQUATIONS, LIMITS
from footfall.core.jit import kernel
from footfall.core.qp import INFEASIBLE, SOLVED, TOO_LONG, solve_from

KEPT = 1e-9  # of a limit of unit length: by how much it may be passed,
PRESSED = 1e-7  # and where equations yielded to it, of the size of the motion


@kernel(inline=False)
def solve_within(rows, room, program, n):
    """After `solve_rows`: keep the limits as well. Returns the status of the program."""
    status = keep_limits(rows, room, program, n, KEPT)
    m = rows.size[EQUATIONS]
    if status != INFEASIBLE or rows.level[m - 1 if m > 0 else 0] == 0:
        return status
    for r in range(m):
        room.wanted[r] = rows.rhs[r]
    first = 0
    while first < m and status != TOO_LONG:
        last = first
        while last < m and rows.level[last] == rows.level[first]:
            last += 1
        if rows.level[first] > 0:
            status = yield_level(rows, room, program, n, first, last)
            if status == INFEASIBLE:
                break
        first = last
    if status == SOLVED:
        solve_rows(rows, room, n, m, m, rows.size[COSTS])
        status = keep_limits(rows, room, program, n, pressed(room, n))
    for r in range(m):
        rows.rhs[r] = room.wanted[r]
    return status


@kernel
def pressed(room, n):
    """By how much a limit may be passed where equations yielded to it."""
    most = 1.0
    for d in range(n):
        most = max(most, abs(room.x[d]))
    return PRESSED * most


@kernel(inline=False)
def yield_level(rows, room, program, n, first, last):
    """Let the rows of one priority demand what is nearest to it within the limits and those before."""
    for r in range(first, last):
        rows.weight[r] = 1.0 / (room.scale[r] * room.scale[r])
    solve_rows(rows, room, n, first, first, last)
    status = keep_limits(rows, room, program, n, pressed(room, n))
    for r in range(first, last):
        rows.weight[r] = 0.0
        rows.rhs[r] = rows.b[r] + inner(rows.A[r], room.x, n)
    return status


@kernel(inline=False)
def keep_limits(rows, room, program, n, tolerance):
    """Move x along Z to the least cost within A x + b >= rhs. Returns the status of the program.

    Those that were at their bounds in the last tick, room.at_bounds, are tried first. Where limits cannot be kept, they and the
    equations that leave them no room are named in room.conflict.
    """
    first, m, rank = rows.size[COSTS], rows.size[LIMITS] - rows.size[COSTS], int(room.answer[0])
    free, worst = n - rank, 0.0
    for k in range(m):
        set_scale(rows, room, first + k, n)
        program.c[k] = -slack(rows, room, first + k, n)
        worst = max(worst, program.c[k])
    known, room.at_bounds[0] = room.at_bounds[0], 0
    if worst <= tolerance:
        return SOLVED
    for k in range(m):
        row, scale = program.C[k], room.scale[first + k]
        along_free(rows, room, first + k, n, free, row)
        for i in range(free):
            row[i] /= scale
        if not inner(row, row, free) > NEAR * NEAR:
            for i in range(free):
                row[i] = 0.0
    for i in range(free):
        program.x[i] = 0.0
    status, row, q = solve_from(program, room.G, free, m, 0, tolerance, known)
    for d in range(n):
        room.x[d] += inner(room.Z[d], program.x, free)
    if status == SOLVED:
        room.at_bounds[0] = q
    elif status == INFEASIBLE:
        name_limits(rows, room, program, n, rank, row, q)
    return status


@kernel
def slack(rows, room, r, n):
    """By how much a limit is kept, in units of its length."""
    return (rows.b[r] - rows.rhs[r] + inner(rows.A[r], room.x, n)) / room.scale[r]


@kernel(inline=False)
def name_limits(rows, room, program, n, rank, k, q):
    """Limit k is the sum of the q active ones times program.r, and of equations: it contradicts those that have a share in it.

    Each is named with as much as it alone would have to give way.
    """
    first, g = rows.size[COSTS], room.g
    e = max(-slack(rows, room, first + k, n), KEPT)
    room.conflict[first + k] = e
    for d in range(n):
        g[d] = rows.A[first + k, d] / room.scale[first + k]
    for j in range(q):
        l, share = first + int(program.row[j]), program.r[j]
        for d in range(n):
            g[d] -= share * rows.A[l, d] / room.scale[l]
        if abs(share) > PART:
            room.conflict[l] = e / abs(share)
    for step in range(rank):
        s = 0.0
        for d in range(step, n):
            s += room.reflector[step, d] * g[d]
        for d in range(step, n):
            g[d] -= s * room.reflector[step, d]
    for d in range(rank):
        room.share[d] = g[d]
    find_shares(room, 0, rank)
    name_conflict(room, rank, e)
