"""Operational-space inertia, from the factors that the articulated-body algorithm leaves: no matrix is inverted."""

from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    add_scaled,
    column_dot,
    get_inertia,
    get_motion,
    get_vector,
    inertia_times,
    put_motion,
    shift_force,
    shift_inertia,
)


@kernel
def response_to_force(tree, work, i, F, x):
    """Column x of the factor of J M^-1 J' for the force F on body i: the response of each joint, with the joints further out
    free.

    For two forces a and b, J_a M^-1 J_b' is the sum over d of x_a[d] x_b[d] work.D_inv[d]. Only joints between i and the base
    move.
    """
    while i > 0:
        last = tree.first_v[i + 1] - 1
        for k in range(tree.first_v[i + 1] - tree.first_v[i]):
            d = last - k
            x[d] = column_dot(tree.turns[d], get_vector(work.axis, d), F)
            F = add_scaled(F, get_motion(work.U, d), -x[d] * work.D_inv[d])
        F = shift_force(F, get_vector(work.r_PB_W, i))
        i = tree.parent[i]


@kernel
def inverse_inertia(tree, work, body, point, units, x, out):
    """J M^-1 J' of the motions of points: row k of `point` is given from the origin of body[k], in world axes.

    `units` is the unit matrix of motions, `x` (rows of out, nv) is room, zero before.
    """
    width = len(units)
    for k in range(len(body)):
        for c in range(width):
            F = shift_force(get_motion(units, c), get_vector(point, k))
            response_to_force(tree, work, body[k], F, x[k * width + c])
    for a in range(len(out)):
        for b in range(a + 1):
            total = 0.0
            for d in range(len(work.D_inv)):
                total += x[a, d] * x[b, d] * work.D_inv[d]
            out[a, b] = total
            out[b, a] = total


@kernel
def articulated_inertia(work, i, x, units, out):
    """Inertia of body i with all that hangs on it by free joints, about the point x from its origin."""
    K = shift_inertia(get_inertia(work.inertia, i), x)
    for c in range(len(units)):
        put_motion(out, c, inertia_times(K, get_motion(units, c)))
