"""Many states in one call."""

from footfall.core.jit import kernel
from footfall.core.recursion.aba import aba
from footfall.core.recursion.constrained import solve_positive
from footfall.core.recursion.crba import crba
from footfall.core.recursion.kinematics import set_places
from footfall.core.recursion.momentum import center_of_mass, energies, momentum
from footfall.core.recursion.rnea import rnea
from footfall.core.spatial.algebra import get_rotation, get_vector, plus, put_motion, put_vector, rotate

SPREAD = 1e-12  # pivots this far apart are worth a second look


@kernel
def doubtful(work):
    """1 if some degree of freedom may move no inertia: its D_inv is not positive, or tiny beside the others. Else 0."""
    least, most = work.D_inv[0], work.D_inv[0]
    for pivot in work.D_inv:
        if not (0.0 < pivot < 1e300):
            return 1
        least, most = min(least, pivot), max(most, pivot)
    return 1 if least < SPREAD * most else 0


@kernel
def forward_rows(tree, work, q, v, tau, a, doubts):
    for row in range(len(q)):
        aba(tree, work, q[row], v[row], tau[row], a[row])
        doubts[row] = doubtful(work)


@kernel
def inverse_rows(tree, work, q, v, a, tau):
    for row in range(len(q)):
        rnea(tree, work, q[row], v[row], a[row], tau[row])


@kernel
def motion_rows(tree, work, q, v, gravity, out):
    """Centre of mass, momentum, and kinetic and potential energy: the three arrays of `out`."""
    places, momenta, energy = out
    for row in range(len(q)):
        _, place = center_of_mass(tree, work, q[row])
        put_vector(places, row, place)
        put_motion(momenta, row, momentum(tree, work, q[row], v[row]))
        energy[row, 0], energy[row, 1] = energies(tree, work, q[row], v[row], gravity)


@kernel
def place_rows(tree, work, q, body, at, out):
    """Places of a point of a body; `at` is one row."""
    for row in range(len(q)):
        set_places(tree, work, q[row])
        put_vector(out, row, plus(get_vector(work.p_WB, body), rotate(get_rotation(work.R_WB, body), get_vector(at, 0))))


@kernel
def composite_rows(tree, work, M, q, v, tau, a):
    """Forward dynamics by the mass matrix and a triangular factorisation, to compare with; for robots without branches."""
    for row in range(len(q)):
        for d in range(len(work.u)):
            work.u[d] = 0.0
        crba(tree, work, q[row], M)
        rnea(tree, work, q[row], v[row], work.u, a[row])
        for d in range(len(work.u)):
            a[row, d] = tau[row, d] - a[row, d]
        solve_positive(M, a[row])
