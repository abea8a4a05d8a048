"""Inequalities: where the cheapest motion would break a limit, a quadratic program over the directions that equations leave.

Equations of the first priority and limits hold. Where they leave no room for the others, those yield, one priority after the
other, as in a hierarchical quadratic program (Escande, Mansard and Wieber 2014): least squares within the limits.
"""

from footfall.core.cholesky import inner
from footfall.core.equations.costs import along_free
from footfall.core.equations.scale import NEAR, set_scale
from footfall.core.equations.solve import PART, correct, find_shares, name_conflict, solve_rows
from footfall.core.equations.tables import COSTS, EQUATIONS, LIMITS
from footfall.core.jit import kernel
from footfall.core.qp import INFEASIBLE, SOLVED, TOO_LONG, polish, solve_from

KEPT = 1e-9  # of what is added up in a limit of unit length, or of 1: by how much it may be passed
PRESSED = 10.0  # times as much more for each priority that yielded to it
WIDER, WIDEST = 10.0, 1e-3  # times as much, and at most, where rounding leaves no room within limits that can be kept
FAR = 1e3  # times as large: a motion at which rounding matters, where the method begins
ROUNDS = 3  # each with what is rounding at the place where the one before ended


@kernel(inline=False)
def solve_within(rows, room, program, n):
    """After `solve_rows`: keep the limits as well. Returns the status of the program."""
    status = keep_limits(rows, room, program, n, KEPT, False)
    m = rows.size[EQUATIONS]
    if status != INFEASIBLE or rows.level[m - 1 if m > 0 else 0] <= 0:
        return status
    for r in range(m):
        room.wanted[r] = rows.rhs[r]
    first, tolerance, widest = 0, KEPT, KEPT
    while first < m and status != TOO_LONG:
        last = first
        while last < m and rows.level[last] == rows.level[first]:
            last += 1
        if rows.level[first] > 0:
            status = yield_level(rows, room, program, n, first, last, tolerance, widest)
            tolerance, widest = tolerance + PRESSED * KEPT, WIDEST
            if status == INFEASIBLE:
                break
        first = last
    if status == SOLVED:
        status = keep_nearly(rows, room, program, n, m, rows.size[COSTS], tolerance, widest)
    for r in range(m):
        rows.rhs[r] = room.wanted[r]
    return status


@kernel(inline=False)
def yield_level(rows, room, program, n, first, last, tolerance, widest):
    """Let the rows of one priority demand what is nearest to it within the limits and those before."""
    for r in range(first, last):
        rows.weight[r] = 1.0 / (room.scale[r] * room.scale[r])
    status = keep_nearly(rows, room, program, n, first, last, tolerance, widest)
    for r in range(first, last):
        rows.weight[r] = 0.0
        rows.rhs[r] = rows.b[r] + inner(rows.A[r], room.x, n)
    return status


@kernel(inline=False)
def keep_nearly(rows, room, program, n, m, last, tolerance, widest):
    """The first m rows as equations, those from there to `last` as costs, and the limits.

    What yielded to limits before can pin the motion to a single point. Where limits there nearly say the same, as those of feet
    side by side do, rounding leaves none: they may then be passed by more, up to `widest`.
    """
    status = INFEASIBLE
    while status != SOLVED and tolerance <= widest:
        solve_rows(rows, room, n, m, m, last)
        status = keep_limits(rows, room, program, n, tolerance, True)
        tolerance *= WIDER
    return status


@kernel(inline=False)
def keep_limits(rows, room, program, n, tolerance, all_met):
    """Move x along Z to the least cost within A x + b >= rhs. Returns the status of the program.

    Those that were at their bounds in the last tick, room.at_bounds, are tried first. Where limits cannot be kept, they and the
    equations that leave them no room are named in room.conflict.
    """
    first, m, rank = rows.size[COSTS], rows.size[LIMITS] - rows.size[COSTS], int(room.answer[0])
    free, known, status, row = n - rank, room.at_bounds[0], SOLVED, -1
    for k in range(m):
        set_scale(rows, room, first + k, n)
    for d in range(n):
        room.y[d] = room.x[d]
    for i in range(free):
        program.x[i] = 0.0
    room.at_bounds[0] = 0
    for _ in range(ROUNDS):
        if set_program(rows, room, program, n, free) <= tolerance:
            break
        for d in range(n):
            room.x[d] = room.y[d]
        for i in range(free):
            program.x[i] = 0.0
        status, row, known = solve_from(program, room.G, free, m, 0, tolerance, known)
        for d in range(n):
            room.x[d] += inner(room.Z[d], program.x, free)
        if status != SOLVED:
            break
        room.at_bounds[0] = known
        if size_of(room.y, n) > FAR * size_of(room.x, n):
            correct(rows, room, rank, n, all_met)
            to_bounds(rows, room, program, n, free, known)
    if status == INFEASIBLE:
        name_limits(rows, room, program, n, rank, row, known)
    return status


@kernel
def size_of(x, n):
    most = 0.0
    for d in range(n):
        most = max(most, abs(x[d]))
    return most


@kernel(inline=False)
def to_bounds(rows, room, program, n, free, known):
    """Move x along the directions left to where the active limits are at their bounds, to rounding."""
    first = rows.size[COSTS]
    for j in range(known):
        k = int(program.row[j])
        program.c[k] = -slack(rows, room, first + k, n) * room.scale[first + k] / room.wanted[first + k]
    for i in range(free):
        program.x[i] = 0.0
    polish(program, room.G, free, known)
    for d in range(n):
        room.x[d] += inner(room.Z[d], program.x, free)


@kernel(inline=False)
def set_program(rows, room, program, n, free):
    """Limits along the directions left, from room.y, in units of what is added up in them at x. Returns by how much the worst is
    passed at x."""
    first, worst = rows.size[COSTS], 0.0
    for k in range(rows.size[LIMITS] - first):
        r, part, away = first + k, abs(rows.b[first + k] - rows.rhs[first + k]), 0.0
        for d in range(n):
            part = max(part, abs(rows.A[r, d] * room.x[d]))
            away += rows.A[r, d] * room.y[d]
        room.wanted[r] = unit = room.scale[r] * max(1.0, part / room.scale[r])
        worst = max(worst, -slack(rows, room, r, n) * room.scale[r] / unit)
        program.c[k] = -(rows.b[r] - rows.rhs[r] + away) / unit
        row, square = program.C[k], 0.0
        along_free(rows, room, r, n, free, row)
        for i in range(free):
            row[i] /= unit
            square += row[i] * row[i]
        if not square * (unit / room.scale[r]) ** 2 > NEAR * NEAR:
            for i in range(free):
                row[i] = 0.0
    return worst


@kernel
def slack(rows, room, r, n):
    """By how much a limit is kept, in units of its length."""
    return (rows.b[r] - rows.rhs[r] + inner(rows.A[r], room.x, n)) / room.scale[r]


@kernel(inline=False)
def name_limits(rows, room, program, n, rank, k, q):
    """Limit k is the sum of the q active ones times program.r, and of equations: it contradicts those that have a share in it.
    Limits in the program are in units of room.wanted.

    Each is named with as much as it alone would have to give way.
    """
    first, g = rows.size[COSTS], room.g
    e = max(-slack(rows, room, first + k, n), KEPT)
    room.conflict[first + k] = e
    for d in range(n):
        g[d] = rows.A[first + k, d] / room.scale[first + k]
    for j in range(q):
        l = first + int(program.row[j])
        share = program.r[j] * room.scale[l] / room.wanted[l] * room.wanted[first + k] / room.scale[first + k]
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
