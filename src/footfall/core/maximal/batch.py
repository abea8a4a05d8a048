"""Forward and inverse dynamics in maximal coordinates, for rows of states and for one state with loops."""

from footfall.core.jit import kernel
from footfall.core.maximal.border import clear_border, row_of, solve_bordered
from footfall.core.maximal.loops import error_of, set_loop_rows
from footfall.core.maximal.tree_system import (
    collect_forces,
    factor,
    set_accelerations,
    set_hinges,
    set_system,
    solve_tree,
)
from footfall.core.recursion.batch import SPREAD
from footfall.core.recursion.kinematics import set_places, set_speeds
from footfall.core.spatial.algebra import no_motion, put_motion


@kernel
def assemble(tree, work, system, q, v):
    """The system of one state."""
    set_speeds(tree, work, q, v)
    set_system(tree, work, system)
    set_hinges(tree, work, system, v)


@kernel
def forward_rows(tree, work, system, q, v, tau, a, doubts):
    """Accelerations of the hinges, under gravity (row 0 of work.A_WB) and work.f_ext."""
    for row in range(len(q)):
        assemble(tree, work, system, q[row], v[row])
        factor(tree, work, system, tree.rotor)
        solve_tree(tree, work, system, tau[row])
        for d in range(len(system.s)):
            a[row, d] = system.s[d]
        doubts[row] = doubtful(tree, system)


@kernel
def doubtful(tree, system):
    """1 if some degree of freedom may move no inertia: its pivot is not positive, or tiny beside the others. Else 0."""
    least, most = 1e300, 0.0
    for i in range(1, len(tree.parent)):
        for k in range(tree.first_v[i + 1] - tree.first_v[i]):
            pivot = system.L[i, k, k]
            if not (0.0 < pivot < 1e300):
                return 1
            least, most = min(least, pivot), max(most, pivot)
    return 1 if least < SPREAD * most else 0


@kernel
def inverse_rows(tree, work, system, q, v, a, tau):
    """Joint forces for the accelerations `a`."""
    for row in range(len(q)):
        assemble(tree, work, system, q[row], v[row])
        set_accelerations(tree, work, system, a[row])
        collect_forces(tree, work, system, a[row], tau[row])


@kernel
def solve_loops(tree, work, system, loops, border, q, v, tau, residual):
    """All unknowns of one state of a robot with loops; `residual` gets the largest of a row. Returns 1 if some degree of freedom
    may move no inertia, else 0.
    """
    assemble(tree, work, system, q, v)
    factor(tree, work, system, tree.rotor)
    clear_border(border)
    set_loop_rows(work, loops, border)
    residual[0] = solve_bordered(tree, work, system, border, tau)
    return doubtful(tree, system)


@kernel
def mass_matrix(tree, work, system, q, M):
    """Column d: joint forces for a unit acceleration, without weight and velocities."""
    assemble(tree, work, system, q, system.still)
    for i in range(1, len(tree.parent)):
        put_motion(system.f, i, no_motion())
        put_motion(system.c, i, no_motion())
    for d in range(len(system.s)):
        for e in range(len(system.s)):
            system.s[e] = 1.0 if e == d else 0.0
        set_accelerations(tree, work, system, system.s)
        collect_forces(tree, work, system, system.s, M[d])


# --- staying on the loops -----------------------------------------------------------------------------------------------------


@kernel
def largest_error(tree, work, loops, q):
    """The largest error of position of the rows that act."""
    set_places(tree, work, q)
    worst = 0.0
    for r in range(len(loops.kind)):
        if loops.on[r]:
            worst = max(worst, abs(error_of(work, loops, r)))
    return worst


@kernel
def set_rows_at_rest(tree, work, system, loops, border, q):
    """The system without forces and velocities, factored, and the rows that act."""
    set_speeds(tree, work, q, system.still)
    set_system(tree, work, system)
    set_hinges(tree, work, system, system.still)
    for i in range(1, len(tree.parent)):
        put_motion(system.f, i, no_motion())
    factor(tree, work, system, tree.rotor)
    clear_border(border)
    set_loop_rows(work, loops, border)


@kernel
def correction(tree, work, system, loops, border, q, step):
    """The displacement of the hinges that closes all rows to first order, with the least kinetic energy. Returns the residual."""
    set_rows_at_rest(tree, work, system, loops, border, q)
    for r in range(len(loops.kind)):
        if loops.on[r]:
            border.d[loops.row[r]] = -loops.error[r]
    residual = solve_bordered(tree, work, system, border, system.still)
    for d in range(len(step)):
        step[d] = system.s[d]
    return residual


@kernel
def project_velocity(tree, work, system, loops, border, q, v, out):
    """`out` becomes v with the least change by which no row moves. Returns the residual."""
    set_rows_at_rest(tree, work, system, loops, border, q)
    set_speeds(tree, work, q, v)
    for r in range(len(loops.kind)):
        if loops.on[r]:
            border.d[loops.row[r]] = -row_of(border, loops.row[r], work.V_WB, system.none, v)
    residual = solve_bordered(tree, work, system, border, system.still)
    for d in range(len(out)):
        out[d] = v[d] + system.s[d]
    return residual
