"""Force distribution of workspace control: least effort within friction and soles.

`follow` has found accelerations for a wanted one of the central body. With A = wanted + y, the unknowns (y, wrench of each foot)
leave the base without force. A quadratic program chooses them: y as small as possible, then the torques.
"""

from footfall.core.jit import kernel
from footfall.core.qp import SOLVED, solve_program
from footfall.core.recursion.balance import set_edge_row
from footfall.core.recursion.follow import NO_LIMIT
from footfall.core.recursion.kinematics import jacobian
from footfall.core.spatial.algebra import (
    add_scaled,
    get_motion,
    get_rotation,
    get_vector,
    put_motion,
    rotate,
    rotate_motion_back,
)

URGENT = 1e8  # how much more a kilogram of the body counts than (N m)^2: the wanted motion comes before ease
EVEN = 1e-4  # cost of a newton in a foot beside one of a newton metre in a joint: legs that carry without torque share evenly
TIGHT = 1e-7  # N: tolerance of the program


@kernel(inline=False)
def set_torques(tree, work, legs, soles, scratch):
    """Dependence of the joint forces on the unknowns: scratch.T."""
    width = len(scratch.reach)
    for l in range(len(legs.foot)):
        i = int(legs.foot[l])
        R = get_rotation(work.R_WB, i)
        jacobian(tree, work, i, rotate(R, get_vector(soles.at, l)), scratch.J[l])
        while i > 0:
            for d in range(tree.first_v[i], tree.first_v[i + 1]):
                put_motion(scratch.J[l], d, rotate_motion_back(R, get_motion(scratch.J[l], d)))
            i = int(tree.parent[i])
    for d in range(len(scratch.T)):
        for c in range(width):
            scratch.T[d, c] = scratch.reach[c, d]
            for l in range(len(legs.foot)):
                scratch.T[d, width * (1 + l) + c] = -scratch.J[l, d, c]


@kernel(inline=False)
def set_cost(soles, scratch, p):
    """Cost: the wanted motion first, then the torques, then the forces in the feet."""
    n, width = len(p.g), len(scratch.reach)
    for i in range(n):
        p.g[i] = 0.0
        for j in range(i + 1):
            p.H[i, j] = EVEN if i == j else 0.0
            if i < width:
                p.H[i, j] += URGENT * scratch.metric[i, j]
    for d in range(len(scratch.T)):
        if soles.driven[d] > 0.0:
            for i in range(n):
                p.g[i] += scratch.T[d, i] * scratch.tau[d]
                for j in range(i + 1):
                    p.H[i, j] += scratch.T[d, i] * scratch.T[d, j]


@kernel(inline=False)
def set_rows(tree, work, legs, soles, scratch, p):
    """Constraints: the base without force; friction and pressure of every foot; balance."""
    n, width, first = len(p.g), len(scratch.reach), int(tree.first_v[legs.center])
    cone = len(soles.cone) // len(legs.foot)
    for k in range(width):
        p.c[k] = -scratch.tau[first + k]
        for i in range(n):
            p.C[k, i] = scratch.T[first + k, i]
    for l in range(len(legs.foot)):
        for r in range(cone):
            k = width + l * cone + r
            p.c[k] = 0.0
            for i in range(n):
                p.C[k, i] = 0.0
            for c in range(width):
                p.C[k, width * (1 + l) + c] = soles.cone[l * cone + r, c]
    for r in range(len(soles.edge)):
        k = width + len(soles.cone) + r
        p.c[k] = set_edge_row(work, legs, soles, scratch.rest, r, p.C[k])


@kernel
def set_limits(soles, scratch, p):
    """Constraints: torques of the motors, as far as there are rows for them."""
    k = len(scratch.reach) + len(soles.cone) + len(soles.edge)
    for d in range(len(scratch.T)):
        for side in (1.0, -1.0):
            if k < len(p.c) and soles.driven[d] > 0.0 and soles.limit[d] < NO_LIMIT:
                p.c[k] = -soles.limit[d] - side * scratch.tau[d]
                for j in range(len(p.g)):
                    p.C[k, j] = side * scratch.T[d, j]
                k += 1


@kernel(inline=False)
def distribute_forces(tree, work, legs, soles, scratch, p, tau):
    """After `settle` and `respond`: joint forces of least effort. Returns the status of the program and the row that cannot be
    met.
    """
    set_torques(tree, work, legs, soles, scratch)
    set_cost(soles, scratch, p)
    set_rows(tree, work, legs, soles, scratch, p)
    set_limits(soles, scratch, p)
    status, row = solve_program(p, len(scratch.reach), TIGHT)
    if status == SOLVED:
        for d in range(len(tau)):
            tau[d] = scratch.tau[d]
            for i in range(len(p.x)):
                tau[d] += scratch.T[d, i] * p.x[i]
        for c in range(len(scratch.reach)):
            put_motion(scratch.got, 0, add_scaled(get_motion(scratch.got, 0), get_motion(scratch.moves, c), p.x[c]))
    return status, row
