"""The mass matrix by the composite-rigid-body algorithm, and the Coriolis matrix."""

from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import set_places, set_speeds
from footfall.core.spatial.algebra import (
    add,
    angular,
    column,
    column_dot,
    column_rate,
    get_motion,
    get_rigid,
    get_rotation,
    get_vector,
    gyroscopic_map,
    linear,
    no_vector,
    pair,
    plus,
    put_motion,
    put_rigid,
    rigid_sum,
    rigid_times,
    rotate_rigid,
    scaled,
    shift_force,
    shift_motion,
    shift_rigid,
)


@kernel
def set_composites(tree, work):
    """Composite inertia of all that body i carries, about its origin, in work.rigid; poses are set already."""
    bodies = len(tree.parent)
    for i in range(1, bodies):
        put_rigid(work.rigid, i, rotate_rigid(get_rotation(work.R_WB, i), get_rigid(tree.rigid, i)))
    for k in range(bodies - 1):
        i = bodies - 1 - k
        p = tree.parent[i]
        if p > 0:
            carried = shift_rigid(get_rigid(work.rigid, i), get_vector(work.r_PB_W, i))
            put_rigid(work.rigid, p, rigid_sum(get_rigid(work.rigid, p), carried))


@kernel
def crba(tree, work, q, M):
    """The mass matrix; entries of joints on different branches stay untouched (zero)."""
    set_places(tree, work, q)
    set_composites(tree, work)
    for i in range(1, len(tree.parent)):
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            F = rigid_times(get_rigid(work.rigid, i), column(tree.turns[d], get_vector(work.axis, d)))
            j = i
            while j > 0:
                for e in range(tree.first_v[j], tree.first_v[j + 1]):
                    M[e, d] = column_dot(tree.turns[e], get_vector(work.axis, e), F)
                    M[d, e] = M[e, d]
                F = shift_force(F, get_vector(work.r_PB_W, j))
                j = tree.parent[j]
            M[d, d] += tree.rotor[d]


@kernel
def set_columns(tree, work, i, J, J_rate):
    """Rows d of J and J_rate: motion of the origin of body i per unit rate of d, and its rate of change."""
    r, j = no_vector(), i
    v_i = linear(get_motion(work.V_WB, i))
    while j > 0:
        p = tree.parent[j]
        w_P, w = angular(get_motion(work.V_WB, p)), angular(get_motion(work.V_WB, j))
        r_rate = plus(v_i, scaled(linear(get_motion(work.V_WB, j)), -1.0))
        for d in range(tree.first_v[j], tree.first_v[j + 1]):
            turns, axis = tree.turns[d], get_vector(work.axis, d)
            put_motion(J, d, shift_motion(column(turns, axis), r))
            put_motion(J_rate, d, column_rate(turns, axis, w_P, w, r, r_rate))
        r = plus(r, get_vector(work.r_PB_W, j))
        j = p


@kernel
def coriolis(tree, work, q, v, J, J_rate, C):
    """C with C v the velocity forces and M' - 2 C skew: the sum over bodies of J' (B J_rate + G J). C is zero before."""
    set_speeds(tree, work, q, v)
    for i in range(1, len(tree.parent)):
        B = rotate_rigid(get_rotation(work.R_WB, i), get_rigid(tree.rigid, i))
        w = angular(get_motion(work.V_WB, i))
        set_columns(tree, work, i, J, J_rate)
        j = i
        while j > 0:
            for d in range(tree.first_v[j], tree.first_v[j + 1]):
                F = add(rigid_times(B, get_motion(J_rate, d)), gyroscopic_map(B, w, get_motion(J, d)))
                k = i
                while k > 0:
                    for e in range(tree.first_v[k], tree.first_v[k + 1]):
                        C[e, d] += pair(get_motion(J, e), F)
                    k = tree.parent[k]
            j = tree.parent[j]
