"""Forward kinematics: poses, velocities and accelerations of the bodies, in one pass outward.

The kernels `set_...` fill the arrays of `Work`; the others answer for a point x (world axes) from the origin of body i.
"""

from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    add,
    add_column,
    angular,
    column,
    column_axis,
    get_motion,
    get_rotation,
    get_vector,
    joint_offset,
    joint_rotation,
    no_motion,
    plus,
    put_motion,
    put_rotation,
    put_vector,
    rotate,
    shift_motion,
    velocity_product,
)


@kernel
def set_body(tree, work, q, i):
    """Set rotation, offset and joint axes of body i; its parent is set already. Returns the rotation and the offset."""
    R_P = get_rotation(work.R_WB, tree.parent[i])
    R = joint_rotation(tree, q, i, R_P)
    r = rotate(R_P, joint_offset(tree, q, i))
    put_rotation(work.R_WB, i, R)
    put_vector(work.r_PB_W, i, r)
    for d in range(tree.first_v[i], tree.first_v[i + 1]):
        put_vector(work.axis, d, column_axis(tree.turns, tree.axis, d, R_P, R))
    return R, r


@kernel
def joint_motion(tree, work, rate, i):
    """The motion that the joint of body i adds: the sum of S rate."""
    V = no_motion()
    for d in range(tree.first_v[i], tree.first_v[i + 1]):
        V = add_column(V, tree.turns[d], get_vector(work.axis, d), rate[d])
    return V


@kernel
def set_places(tree, work, q):
    """Set rotations, offsets, axes and origins of all bodies."""
    for i in range(1, len(tree.parent)):
        _, r = set_body(tree, work, q, i)
        put_vector(work.p_WB, i, plus(get_vector(work.p_WB, tree.parent[i]), r))


@kernel
def placed_all(tree, work, q):
    """The same, to be called from Python again and again."""
    set_places(tree, work, q)
    return 0


@kernel
def set_speeds(tree, work, q, v):
    """Set poses and velocities of all bodies."""
    set_places(tree, work, q)
    for i in range(1, len(tree.parent)):
        V_P = get_motion(work.V_WB, tree.parent[i])
        put_motion(work.V_WB, i, add(shift_motion(V_P, get_vector(work.r_PB_W, i)), joint_motion(tree, work, v, i)))


@kernel
def set_accels(tree, work, q, v, a):
    """Set poses, velocities and accelerations of all bodies; row 0 of work.A_WB is the world's."""
    set_speeds(tree, work, q, v)
    for i in range(1, len(tree.parent)):
        p = tree.parent[i]
        r = get_vector(work.r_PB_W, i)
        bias = velocity_product(angular(get_motion(work.V_WB, p)), r, joint_motion(tree, work, v, i))
        A = add(shift_motion(get_motion(work.A_WB, p), r), add(bias, joint_motion(tree, work, a, i)))
        put_motion(work.A_WB, i, A)


@kernel
def point_speed(work, i, x):
    """Velocity of the point x of body i."""
    return shift_motion(get_motion(work.V_WB, i), x)


@kernel
def point_accel(work, i, x):
    """Acceleration of the point x of body i."""
    w = angular(get_motion(work.V_WB, i))
    return add(shift_motion(get_motion(work.A_WB, i), x), velocity_product(w, x, no_motion()))


@kernel
def jacobian(tree, work, i, x, rows):
    """Row d: motion of the point per unit rate of degree of freedom d; rows of joints that do not move it stay untouched."""
    r = x
    while i > 0:
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            put_motion(rows, d, shift_motion(column(tree.turns[d], get_vector(work.axis, d)), r))
        r = plus(r, get_vector(work.r_PB_W, i))
        i = tree.parent[i]
