"""Inverse dynamics: the recursive Newton-Euler algorithm, with classical accelerations of the bodies' origins, in world axes."""

from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import joint_motion, set_body
from footfall.core.spatial.algebra import (
    add,
    angular,
    column_dot,
    get_motion,
    get_rigid,
    get_spin,
    get_vector,
    gyroscopic,
    put_motion,
    put_spin,
    rigid_times,
    rotate_rigid,
    shift_force,
    shift_motion,
    spin_sum,
    subtract,
    velocity_product,
)


@kernel
def rnea(tree, work, q, v, a, tau):
    """Joint forces `tau` for the accelerations `a`, under gravity (row 0 of work.A_WB) and work.f_ext."""
    for i in range(1, len(tree.parent)):
        p = tree.parent[i]
        R, r = set_body(tree, work, q, i)
        w_P, V_J = get_spin(work.w_WB, p), joint_motion(tree, work, v, i)
        w = spin_sum(w_P, angular(V_J))
        A = add(shift_motion(get_motion(work.A_WB, p), r), add(velocity_product(w_P, r, V_J), joint_motion(tree, work, a, i)))
        B = rotate_rigid(R, get_rigid(tree.rigid, i))
        put_spin(work.w_WB, i, w)
        put_motion(work.A_WB, i, A)
        put_motion(work.force, i, subtract(add(rigid_times(B, A), gyroscopic(B, w)), get_motion(work.f_ext, i)))
    collect(tree, work, a, tau)


@kernel
def collect(tree, work, a, tau):
    """Inward pass: joint forces from the forces on the bodies (work.force)."""
    for i in range(len(tree.parent) - 1, 0, -1):
        p = tree.parent[i]
        F = get_motion(work.force, i)
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            tau[d] = column_dot(tree.turns[d], get_vector(work.axis, d), F) + tree.rotor[d] * a[d]
        if p > 0:
            put_motion(work.force, p, add(get_motion(work.force, p), shift_force(F, get_vector(work.r_PB_W, i))))
