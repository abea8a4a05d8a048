"""Motions, forces and the columns of joints in space. The twin of `core.planar.motions`, name for name.

These are Featherstone's spatial vectors with two differences: the linear part comes first, and all are in world axes about the
origin of the body concerned. A column of the motion subspace S of a joint is kept as its axis and whether it turns or slides.
"""

from footfall.core.jit import kernel
from footfall.core.joints import FREE, PRISMATIC, REVOLUTE, SPHERICAL
from footfall.core.spatial.vectors import (
    compose,
    cross,
    get_vector,
    plus,
    rotate,
    rotate_back,
    scaled,
    turn_about,
    turn_of_quaternion,
)


@kernel
def joint_rotation(tree, q, i, R_P):
    """R_WB of body i, whose parent has the rotation R_P."""
    kind, j, d = tree.kind[i], tree.first_q[i], tree.first_v[i]
    if kind == REVOLUTE:
        return compose(R_P, turn_about(get_vector(tree.axis, d), q[j]))
    if kind == PRISMATIC:
        return R_P
    if kind in (SPHERICAL, FREE):
        if kind == FREE:
            j, d = j + 3, d + 3
        # the quaternion is written in the axes of the joint, which are the rows d, d+1, d+2
        u = plus(
            plus(scaled(get_vector(tree.axis, d), q[j + 1]), scaled(get_vector(tree.axis, d + 1), q[j + 2])),
            scaled(get_vector(tree.axis, d + 2), q[j + 3]),
        )
        return compose(R_P, turn_of_quaternion(q[j], u[0], u[1], u[2]))
    return compose(R_P, turn_about(get_vector(tree.axis, d + 2), q[j + 2]))  # PLANAR


@kernel
def joint_offset(tree, q, i):
    """From the parent's origin to the origin of body i, in the parent's axes."""
    kind, j, d = tree.kind[i], tree.first_q[i], tree.first_v[i]
    r = get_vector(tree.offset, i)
    if kind == PRISMATIC:
        return plus(r, scaled(get_vector(tree.axis, d), q[j]))
    if kind in (REVOLUTE, SPHERICAL):
        return r
    r = plus(r, plus(scaled(get_vector(tree.axis, d), q[j]), scaled(get_vector(tree.axis, d + 1), q[j + 1])))
    if kind == FREE:
        r = plus(r, scaled(get_vector(tree.axis, d + 2), q[j + 2]))
    return r


@kernel
def no_motion():
    return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0


@kernel
def join(linear, angular):
    return linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]


@kernel
def linear(V):
    return V[0], V[1], V[2]


@kernel
def angular(V):
    return V[3], V[4], V[5]


@kernel
def add(A, B):
    return A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5]


@kernel(exact=True)
def force_sum(F, G):
    """F + G, rounded the same in either order, however it is compiled."""
    return F[0] + G[0], F[1] + G[1], F[2] + G[2], F[3] + G[3], F[4] + G[4], F[5] + G[5]


@kernel
def subtract(A, B):
    return A[0] - B[0], A[1] - B[1], A[2] - B[2], A[3] - B[3], A[4] - B[4], A[5] - B[5]


@kernel
def add_scaled(A, B, k):
    return A[0] + k * B[0], A[1] + k * B[1], A[2] + k * B[2], A[3] + k * B[3], A[4] + k * B[4], A[5] + k * B[5]


@kernel
def pair(V, F):
    """The power of force F on motion V."""
    return V[0] * F[0] + V[1] * F[1] + V[2] * F[2] + V[3] * F[3] + V[4] * F[4] + V[5] * F[5]


@kernel
def shift_motion(V, r):
    """The motion of the point r of the same body."""
    return (
        V[0] + V[4] * r[2] - V[5] * r[1],
        V[1] + V[5] * r[0] - V[3] * r[2],
        V[2] + V[3] * r[1] - V[4] * r[0],
        V[3],
        V[4],
        V[5],
    )


@kernel
def shift_force(F, r):
    """A force at the point r, about the origin."""
    return (
        F[0],
        F[1],
        F[2],
        F[3] + r[1] * F[2] - r[2] * F[1],
        F[4] + r[2] * F[0] - r[0] * F[2],
        F[5] + r[0] * F[1] - r[1] * F[0],
    )


@kernel
def rotate_motion(R, V):
    """A motion or force in the axes of R, written in the axes that R leads to."""
    return join(rotate(R, linear(V)), rotate(R, angular(V)))


@kernel
def rotate_motion_back(R, V):
    """The inverse of `rotate_motion`."""
    return join(rotate_back(R, linear(V)), rotate_back(R, angular(V)))


@kernel
def spin_square(a):
    return a[0] * a[0] + a[1] * a[1] + a[2] * a[2]


@kernel
def spin_sum(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel
def spin_cross(w, x):
    return cross(w, x)


@kernel
def centripetal(w, r):
    """Acceleration of the point r of a body that spins steadily about its origin."""
    return cross(w, cross(w, r))


@kernel
def velocity_product(w, r, V_J):
    """c_J: the acceleration that a joint with rates V_J at r adds by velocities alone, on a body with the angular velocity w."""
    inner = cross(w, r)
    inner = (inner[0] + 2.0 * V_J[0], inner[1] + 2.0 * V_J[1], inner[2] + 2.0 * V_J[2])
    return join(cross(w, inner), cross(w, angular(V_J)))


@kernel
def column_axis(turns, axis, d, R_P, R):
    """Degree of freedom d in world axes: an axis of turning goes with the body, one of sliding with its parent."""
    return rotate(R, get_vector(axis, d)) if turns[d] else rotate(R_P, get_vector(axis, d))


@kernel
def column(turns, a):
    """Column S of a degree of freedom."""
    if turns:
        return 0.0, 0.0, 0.0, a[0], a[1], a[2]
    return a[0], a[1], a[2], 0.0, 0.0, 0.0


@kernel
def column_rate(turns, a, w_P, w, r, r_rate):
    """How the column changes, carried to r: an axis of turning spins with the body (w), one of sliding with its parent (w_P)."""
    if turns:
        a_rate = cross(w, a)
        return join(plus(cross(a_rate, r), cross(a, r_rate)), a_rate)
    return join(cross(w_P, a), (0.0, 0.0, 0.0))


@kernel
def add_column(V, turns, a, rate):
    """V + S rate."""
    if turns:
        return V[0], V[1], V[2], V[3] + a[0] * rate, V[4] + a[1] * rate, V[5] + a[2] * rate
    return V[0] + a[0] * rate, V[1] + a[1] * rate, V[2] + a[2] * rate, V[3], V[4], V[5]


@kernel
def column_dot(turns, a, F):
    """S . F: the force along a degree of freedom."""
    if turns:
        return a[0] * F[3] + a[1] * F[4] + a[2] * F[5]
    return a[0] * F[0] + a[1] * F[1] + a[2] * F[2]


@kernel
def force_at(f, x):
    """A force that acts at x, about the origin."""
    return join(f, cross(x, f))


@kernel
def horizontal(n):
    """A force or motion along the horizontal part of n."""
    return n[0], n[1], 0.0, 0.0, 0.0, 0.0
