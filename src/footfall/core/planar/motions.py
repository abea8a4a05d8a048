"""Motions, forces and the columns of joints in the plane. The twin of `core.spatial.motions`, name for name.

These are Featherstone's spatial vectors with two differences: the linear part comes first, and all are in world axes about the
origin of the body concerned. A column of the motion subspace S of a joint is kept as its axis and whether it turns or slides.
"""

from footfall.core.jit import kernel
from footfall.core.joints import PRISMATIC, REVOLUTE
from footfall.core.planar.vectors import get_vector, plus, rotate, rotate_back, scaled
from footfall.core.trig import cos_sin


@kernel
def joint_rotation(tree, q, i, R_P):
    """R_WB of body i, whose parent has the rotation R_P."""
    kind, j = tree.kind[i], tree.first_q[i]
    if kind == PRISMATIC:
        return R_P
    angle = R_P[2] + (q[j] if kind == REVOLUTE else q[j + 2])
    c, s = cos_sin(angle)
    return c, s, angle


@kernel
def joint_offset(tree, q, i):
    """From the parent's origin to the origin of body i, in the parent's axes."""
    kind, j, d = tree.kind[i], tree.first_q[i], tree.first_v[i]
    r = get_vector(tree.offset, i)
    if kind == REVOLUTE:
        return r
    r = plus(r, scaled(get_vector(tree.axis, d), q[j]))
    if kind == PRISMATIC:
        return r
    return plus(r, scaled(get_vector(tree.axis, d + 1), q[j + 1]))  # PLANAR


@kernel
def no_motion():
    return 0.0, 0.0, 0.0


@kernel
def join(linear, angular):
    return linear[0], linear[1], angular[0]


@kernel
def linear(V):
    return V[0], V[1]


@kernel
def angular(V):
    return (V[2],)


@kernel
def add(A, B):
    return A[0] + B[0], A[1] + B[1], A[2] + B[2]


@kernel(exact=True)
def force_sum(F, G):
    """F + G, rounded the same in either order, however it is compiled."""
    return F[0] + G[0], F[1] + G[1], F[2] + G[2]


@kernel
def subtract(A, B):
    return A[0] - B[0], A[1] - B[1], A[2] - B[2]


@kernel
def add_scaled(A, B, k):
    return A[0] + k * B[0], A[1] + k * B[1], A[2] + k * B[2]


@kernel
def pair(V, F):
    """The power of force F on motion V."""
    return V[0] * F[0] + V[1] * F[1] + V[2] * F[2]


@kernel
def shift_motion(V, r):
    """The motion of the point r of the same body."""
    return V[0] + V[2] * r[1], V[1] - V[2] * r[0], V[2]


@kernel
def shift_force(F, r):
    """A force at the point r, about the origin."""
    return F[0], F[1], F[2] + r[1] * F[0] - r[0] * F[1]


@kernel
def rotate_motion(R, V):
    """A motion or force in the axes of R, written in the axes that R leads to."""
    return join(rotate(R, linear(V)), angular(V))


@kernel
def rotate_motion_back(R, V):
    """The inverse of `rotate_motion`."""
    return join(rotate_back(R, linear(V)), angular(V))


@kernel
def spin_square(a):
    return a[0] * a[0]


@kernel
def spin_sum(a, b):
    return (a[0] + b[0],)


@kernel
def spin_cross(w, x):
    return w[0] * x[1], -w[0] * x[0]


@kernel
def centripetal(w, r):
    """Acceleration of the point r of a body that spins steadily about its origin."""
    return -w[0] * w[0] * r[0], -w[0] * w[0] * r[1]


@kernel
def velocity_product(w, r, V_J):
    """c_J: the acceleration that a joint with rates V_J at r adds by velocities alone, on a body with the angular velocity w."""
    k = w[0]
    return k * (2.0 * V_J[1] - k * r[0]), -k * (2.0 * V_J[0] + k * r[1]), 0.0


@kernel
def column_axis(turns, axis, d, R_P, R):
    """Degree of freedom d in world axes: an axis of sliding goes with the parent, that of turning is always y."""
    return get_vector(axis, d) if turns[d] else rotate(R_P, get_vector(axis, d))


@kernel
def column(turns, a):
    """Column S of a degree of freedom."""
    if turns:
        return 0.0, 0.0, 1.0
    return a[0], a[1], 0.0


@kernel
def column_rate(turns, a, w_P, w, r, r_rate):
    """How the column changes, carried to r: an axis of sliding spins with the parent (w_P)."""
    if turns:
        return r_rate[1], -r_rate[0], 0.0
    return w_P[0] * a[1], -w_P[0] * a[0], 0.0


@kernel
def add_column(V, turns, a, rate):
    """V + S rate."""
    if turns:
        return V[0], V[1], V[2] + rate
    return V[0] + a[0] * rate, V[1] + a[1] * rate, V[2]


@kernel
def column_dot(turns, a, F):
    """S . F: the force along a degree of freedom."""
    if turns:
        return F[2]
    return a[0] * F[0] + a[1] * F[1]


@kernel
def force_at(f, x):
    """A force that acts at x, about the origin."""
    return f[0], f[1], x[1] * f[0] - x[0] * f[1]


@kernel
def horizontal(n):
    """A force or motion along the horizontal part of n."""
    return n[0], 0.0, 0.0
