"""One tick of an algorithm in one crossing: rows, what is held put back in place, the solution, and joint forces."""

import numpy as np

from footfall.core.cholesky import cholesky, substitute
from footfall.core.equations.limits import solve_within
from footfall.core.equations.rows import set_model, set_rows
from footfall.core.equations.solve import NOT_FINITE, SOLVED, measure, solve_rows
from footfall.core.equations.tables import BY_PRODUCT, COSTS, EQUATIONS, FORCES, HELD, LIMITS, LOOK
from footfall.core.jit import kernel
from footfall.core.manifold import integrate
from footfall.core.passive import set_passive_forces
from footfall.core.qp import INFEASIBLE
from footfall.core.qp import SOLVED as KEPT
from footfall.core.recursion.crba import crba
from footfall.core.recursion.rnea import rnea
from footfall.core.spatial.algebra import add_scaled, get_motion, no_motion, put_motion

LIMIT, LIMITS_TOO_LONG = 3, 4  # status: limits cannot be kept, or were not settled; SOLVED, CONFLICT and NOT_FINITE are 0, 1, 2
OFF, MOVES = 1e-5, 1e-3  # m or rad, m/s or rad/s: what is held is put back in place from here on
STIFF = 1e-12  # of the entries on the diagonal: lifts rows that hold the same thing twice
TINY = 1e-30
ROUNDS = 3  # corrections of a place


@kernel(inline=False)
def tick(tree, work, weighed, terms, rows, room, program, passive, out):
    """Accelerations for the state in `out`. Returns a status. Rows that are only looked at are set and nothing more: rows.b."""
    nv = len(out.v)
    for d in range(nv):
        out.jump[d], out.shift[d] = 0.0, 0.0
    set_model(tree, work, weighed, rows, room, passive, out)
    set_rows(tree, work, weighed, terms, rows, room, passive.loops, out.q, out.v, out.time[0])
    if rows.size[LOOK]:
        return SOLVED
    for _ in range(ROUNDS):
        if not put_back(tree, work, rows, room, out):
            break
        set_model(tree, work, weighed, rows, room, passive, out)
        set_rows(tree, work, weighed, terms, rows, room, passive.loops, out.q, out.v, out.time[0])
    n = nv + rows.size[HELD] if rows.size[FORCES] else nv
    m = rows.size[EQUATIONS]
    status = solve_rows(rows, room, n, m, m, rows.size[COSTS])
    if status == SOLVED and rows.size[LIMITS] > rows.size[COSTS]:
        kept = solve_within(rows, room, program, n)
        if kept != KEPT:
            status = LIMIT if kept == INFEASIBLE else LIMITS_TOO_LONG
    if not measure(rows, room, n):
        status = NOT_FINITE
    for d in range(nv):
        out.a[d] = room.x[d]
    if rows.size[FORCES]:
        give_forces(rows, room, out, nv)
    elif rows.size[BY_PRODUCT]:
        find_forces(tree, weighed, rows, room, passive, out)
    return status


@kernel(inline=False)
def put_back(tree, work, rows, room, out):
    """Stop what is held and put it back in place, by the impulses that hold it: a plastic impact, or what drift is left.

    v+ = v - M^-1 J' (J M^-1 J')^-1 J v, and the same for the places. Returns whether anything moved.
    """
    nv, m, off = len(out.v), 0, False
    for r in range(rows.size[EQUATIONS]):
        if rows.gap[r] > 0:
            off = off or abs(speed(rows, r, out.v)) > MOVES or abs(gap(rows, r)) > OFF
    if not off:
        return False
    for i in range(nv):
        for j in range(nv):
            room.M[i, j] = 0.0
    crba(tree, work, out.q, room.M)
    cholesky(room.M, nv, 0.0)
    for r in range(rows.size[EQUATIONS]):
        if rows.gap[r] > 0:
            for d in range(nv):
                room.D[m, d] = rows.A[r, d]
            substitute(room.M, room.D[m], nv)
            room.taken[m] = r
            m += 1
    for i in range(m):
        for j in range(i + 1):
            s = 0.0
            for d in range(nv):
                s += rows.A[room.taken[i], d] * room.D[j, d]
            room.S[i, j] = s
        room.scale[i] = 1.0 / np.sqrt(max(room.S[i, i], TINY))
    for i in range(m):
        for j in range(i + 1):
            room.S[i, j] *= room.scale[i] * room.scale[j]
        room.s[i] = -room.scale[i] * speed(rows, room.taken[i], out.v)
        room.t[i] = -room.scale[i] * gap(rows, room.taken[i])
    cholesky(room.S, m, STIFF)
    substitute(room.S, room.s, m)
    substitute(room.S, room.t, m)
    for i in range(m):
        room.s[i], room.t[i] = room.scale[i] * room.s[i], room.scale[i] * room.t[i]
    for d in range(nv):
        dv, dq = 0.0, 0.0
        for i in range(m):
            dv += room.D[i, d] * room.s[i]
            dq += room.D[i, d] * room.t[i]
        out.v[d] += dv
        out.jump[d] += dv
        room.x[d] = dq
        out.shift[d] += dq
    integrate(tree, out.q, room.x, out.q)
    for i in range(nv):
        for j in range(nv):
            room.M[i, j] = 0.0
    return True


@kernel
def speed(rows, r, v):
    """How fast a row that is kept in place moves."""
    s = 0.0
    for d in range(len(v)):
        s += rows.A[r, d] * v[d]
    return s


@kernel
def gap(rows, r):
    """How far it is from its place."""
    g = rows.gap[r] - 1
    return rows.b[g] - rows.rhs[g]


@kernel(inline=False)
def give_forces(rows, room, out, nv):
    """Motor forces and wrenches of a solution that has forces among its unknowns."""
    for d in range(nv):
        s = room.h[d]
        for e in range(nv):
            s += room.M[d, e] * out.a[e]
        out.tau[d] = s
    for i in range(len(out.wrench)):
        put_motion(out.wrench, i, no_motion())
    for r in range(rows.size[COSTS]):
        if rows.held[r] > 0:
            l = nv + rows.held[r] - 1
            for d in range(nv):
                out.tau[d] -= rows.A[r, d] * room.x[l]
            i = room.unit_body[l]
            put_motion(out.wrench, i, add_scaled(get_motion(out.wrench, i), get_motion(room.unit, l), room.x[l]))


@kernel(inline=False)
def find_forces(tree, weighed, rows, room, passive, out):
    """Motor forces for the accelerations found, and the least wrenches that leave none to joints without motor."""
    nv, without = len(out.v), passive.without_motor
    m = len(without)
    rnea(tree, weighed, out.q, out.v, out.a, out.tau)
    set_passive_forces(tree, passive, passive.tendons, out.q, out.v, passive.tau)
    for d in range(nv):
        out.tau[d] -= passive.tau[d]
    for i in range(len(out.wrench)):
        put_motion(out.wrench, i, no_motion())
    if m == 0:
        return
    most = 1e-30
    for i in range(m):
        room.g[i] = out.tau[without[i]]
        for j in range(i + 1):
            s = 0.0
            for r in range(rows.size[COSTS]):
                if rows.held[r] > 0:
                    s += rows.A[r, without[i]] * rows.A[r, without[j]]
            room.G[i, j] = s
        most = max(most, room.G[i, i])
    cholesky(room.G, m, STIFF * most)
    substitute(room.G, room.g, m)
    for r in range(rows.size[COSTS]):
        if rows.held[r] > 0:
            l, force = nv + rows.held[r] - 1, 0.0
            for i in range(m):
                force += rows.A[r, without[i]] * room.g[i]
            room.x[l] = force
            for d in range(nv):
                out.tau[d] -= rows.A[r, d] * force
            k = room.unit_body[l]
            put_motion(out.wrench, k, add_scaled(get_motion(out.wrench, k), get_motion(room.unit, l), force))
