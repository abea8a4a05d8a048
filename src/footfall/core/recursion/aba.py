"""Forward dynamics: the articulated-body algorithm (Featherstone).

It departs from the textbook in three ways. A joint with several degrees of freedom is eliminated column by column, each with a
scalar pivot, so that no small matrix is inverted:

    F = K A + P,  A = A' + S x,  S.F = tau   =>   x = (u - U.A') / D,   K' = K - U U'/D,  P' = P + U u/D
    with  U = K S,  D = S.U + rotor,  u = tau - S.P

Accelerations are classical ones of the bodies' origins, in world axes. And at bodies that fork, left and right are summed apart,
so that mirrored states give mirrored accelerations to the bit.
"""

from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import joint_motion, set_body
from footfall.core.spatial.algebra import (
    add,
    add_column,
    add_scaled,
    angular,
    column_dot,
    force_sum,
    get_inertia,
    get_motion,
    get_rigid,
    get_spin,
    get_vector,
    gyroscopic,
    inertia_of_rigid,
    inertia_rank1_downdate,
    inertia_sum,
    inertia_times,
    inertia_times_column,
    no_motion,
    pair,
    put_inertia,
    put_motion,
    put_spin,
    rotate_rigid,
    shift_force,
    shift_inertia,
    shift_motion,
    spin_sum,
    subtract,
    velocity_product,
)


@kernel
def aba(tree, work, q, v, tau, a):
    """Accelerations `a` under the joint forces `tau`, gravity (row 0 of work.A_WB) and work.f_ext.

    Leaves in `work` the articulated-body inertias and the factors (axis, U, D_inv) of the mass matrix.
    """
    for i in range(1, len(tree.parent)):
        R, r = set_body(tree, work, q, i)
        w_P, V_J = get_spin(work.w_WB, tree.parent[i]), joint_motion(tree, work, v, i)
        w = spin_sum(w_P, angular(V_J))
        B = rotate_rigid(R, get_rigid(tree.rigid, i))
        put_spin(work.w_WB, i, w)
        put_motion(work.c_J, i, velocity_product(w_P, r, V_J))
        put_motion(work.force, i, subtract(gyroscopic(B, w), get_motion(work.f_ext, i)))
        put_inertia(work.inertia, i, inertia_of_rigid(B))
    eliminate(tree, work, tau, tree.rotor)
    substitute(tree, work, a)


@kernel
def eliminate(tree, work, tau, rotor):
    """Inward pass: articulated-body inertia K and bias force P of every body, F = K A + P.

    Begins with the bodies' own K in work.inertia and P in work.force, and replaces them.
    """
    bodies = len(tree.parent)
    for i in range(bodies - 1, 0, -1):
        p = tree.parent[i]
        if tree.forks[i]:
            add_sides(work, i)
        K, P = get_inertia(work.inertia, i), get_motion(work.force, i)
        last = tree.first_v[i + 1] - 1
        for k in range(tree.first_v[i + 1] - tree.first_v[i]):
            d = last - k
            turns, axis = tree.turns[d], get_vector(work.axis, d)
            U = inertia_times_column(K, turns, axis)
            u = tau[d] - column_dot(turns, axis, P)
            x = 1.0 / (column_dot(turns, axis, U) + rotor[d])
            K = inertia_rank1_downdate(K, U, x)
            P = add_scaled(P, U, x * u)
            put_motion(work.U, d, U)
            work.D_inv[d] = x
            work.u[d] = u
        if p > 0:
            r = get_vector(work.r_PB_W, i)
            P = add(P, inertia_times(K, get_motion(work.c_J, i)))
            K, P = shift_inertia(K, r), shift_force(P, r)
            if tree.side[i] == 0:
                add_articulated(work.inertia, work.force, p, K, P)
            elif tree.side[i] == 1:
                add_articulated(work.left_inertia, work.left_force, p, K, P)
            else:
                add_articulated(work.right_inertia, work.right_force, p, K, P)


@kernel
def add_articulated(inertia, force, p, K, P):
    """Add K and P to those of body p."""
    put_inertia(inertia, p, inertia_sum(get_inertia(inertia, p), K))
    put_motion(force, p, force_sum(get_motion(force, p), P))


@kernel
def add_sides(work, i):
    """Add what is left and right of body i, summed to one before: exchanging the two changes nothing."""
    K = inertia_sum(get_inertia(work.left_inertia, i), get_inertia(work.right_inertia, i))
    P = force_sum(get_motion(work.left_force, i), get_motion(work.right_force, i))
    add_articulated(work.inertia, work.force, i, K, P)
    nothing, none = get_inertia(work.inertia, 0), no_motion()  # row 0 is the world's, and zero
    put_inertia(work.left_inertia, i, nothing)
    put_inertia(work.right_inertia, i, nothing)
    put_motion(work.left_force, i, none)
    put_motion(work.right_force, i, none)


@kernel
def substitute(tree, work, a):
    """Outward pass: accelerations of the joints and of all bodies."""
    for i in range(1, len(tree.parent)):
        A = add(shift_motion(get_motion(work.A_WB, tree.parent[i]), get_vector(work.r_PB_W, i)), get_motion(work.c_J, i))
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            a[d] = (work.u[d] - pair(get_motion(work.U, d), A)) * work.D_inv[d]
            A = add_column(A, tree.turns[d], get_vector(work.axis, d), a[d])
        put_motion(work.A_WB, i, A)
