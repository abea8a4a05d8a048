"""Inverse dynamics: the recursive Newton-Euler algorithm, in classical accelerations of the bodies' origins and world axes."""

from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import joint_motion, set_body
from footfall.core.spatial.algebra import (
    add,
    along,
    angular,
    carry,
    fetch,
    get_motion,
    get_rigid,
    get_spin,
    get_vector,
    gyroscopic,
    put_motion,
    put_spin,
    rigid_times,
    rigid_turned,
    spin_sum,
    subtract,
    velocity_product,
)


@kernel
def rnea(tree, work, q, v, a, tau):
    """Joint forces `tau` that give the accelerations `a` against gravity (row 0 of work.accel) and work.push."""
    for i in range(1, len(tree.parent)):
        p = tree.parent[i]
        R, r = set_body(tree, work, q, i)
        w_P, V_J = get_spin(work.spin, p), joint_motion(tree, work, v, i)
        w = spin_sum(w_P, angular(V_J))
        A = add(carry(get_motion(work.accel, p), r), add(velocity_product(w_P, r, V_J), joint_motion(tree, work, a, i)))
        B = rigid_turned(R, get_rigid(tree.rigid, i))
        put_spin(work.spin, i, w)
        put_motion(work.accel, i, A)
        put_motion(work.force, i, subtract(add(rigid_times(B, A), gyroscopic(B, w)), get_motion(work.push, i)))
    collect(tree, work, a, tau)


@kernel
def collect(tree, work, a, tau):
    """Joint forces from the forces that the bodies need (work.force), from the tips inward."""
    for i in range(len(tree.parent) - 1, 0, -1):
        p = tree.parent[i]
        F = get_motion(work.force, i)
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            tau[d] = along(tree.turns[d], get_vector(work.axis, d), F) + tree.rotor[d] * a[d]
        if p > 0:
            put_motion(work.force, p, add(get_motion(work.force, p), fetch(F, get_vector(work.arm, i))))
