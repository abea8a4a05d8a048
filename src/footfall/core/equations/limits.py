"""Inequalities: where the cheapest motion would break a limit, a quadratic program over the directions that equations leave."""

from footfall.core.cholesky import inner
from footfall.core.equations.solve import NEAR, PART, along_free, find_shares, name_conflict, set_scale
from footfall.core.equations.tables import COSTS, LIMITS
from footfall.core.jit import kernel
from footfall.core.qp import INFEASIBLE, SOLVED, solve_from

KEPT = 1e-9  # of a limit of unit length: by how much it may be passed


@kernel(inline=False)
def keep_limits(rows, room, program, n):
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
    if worst <= KEPT:
        return SOLVED
    for k in range(m):
        row, scale = program.C[k], room.scale[first + k]
        along_free(rows, room, first + k, n, free, row)
        square = inner(row, row, free)
        along = square > (NEAR * scale) * (NEAR * scale)
        for i in range(free):
            row[i] = row[i] / scale if along else 0.0
    for i in range(free):
        program.x[i] = 0.0
    status, row, q = solve_from(program, room.G, free, m, 0, KEPT, known)
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
