"""SE(2) in scalars: tuples in, tuples out. The twin of `core.spatial.algebra`, name for name.

The plane is x-z, and turning is positive about +y, so that a turn takes x toward -z. Everything is written in world axes, about
the origin of the body concerned, linear part first:

    turn     (cos, sin, angle); the angle is kept because it counts whole turns
    vector   (x, z)
    spin     (w,)
    motion   (vx, vz, w)
    force    (fx, fz, n)
    rigid    (m, m cx, m cz, J): mass, first moment, rotational inertia about the origin
    inertia  symmetric 3x3 as 6 scalars (xx, zz, xz, xw, zw, ww)
"""

import numpy as np

from footfall.core.contact.ground import ground_at
from footfall.core.jit import kernel
from footfall.core.joints import PRISMATIC, REVOLUTE
from footfall.core.trig import cos_sin, nearest_within

DIM = 2  # of a vector
SPIN = 1  # of an angular velocity
MOTION = 3  # of a motion or force
ROTATION = 3  # of a stored turn
RIGID = 4  # of a stored rigid inertia
INERTIA = 6  # of a stored inertia
NO_ROTATION = (1.0, 0.0, 0.0)


# --- storage: rows of arrays <-> tuples -----------------------------------------------------------------------------------


@kernel
def get_vector(rows, i):
    return rows[i, 0], rows[i, 1]


@kernel
def put_vector(rows, i, x):
    rows[i, 0], rows[i, 1] = x


@kernel
def get_spin(rows, i):
    return (rows[i, 0],)


@kernel
def put_spin(rows, i, w):
    rows[i, 0] = w[0]


@kernel
def get_rotation(rows, i):
    return rows[i, 0], rows[i, 1], rows[i, 2]


@kernel
def put_rotation(rows, i, R):
    rows[i, 0], rows[i, 1], rows[i, 2] = R


@kernel
def get_motion(rows, i):
    return rows[i, 0], rows[i, 1], rows[i, 2]


@kernel
def put_motion(rows, i, V):
    rows[i, 0], rows[i, 1], rows[i, 2] = V


@kernel
def get_inertia(rows, i):
    return rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 4], rows[i, 5]


@kernel
def put_inertia(rows, i, K):
    rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 4], rows[i, 5] = K


@kernel
def get_rigid(rows, i):
    return rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3]


@kernel
def put_rigid(rows, i, B):
    rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3] = B


# --- vectors and turns ----------------------------------------------------------------------------------------------------


@kernel
def no_vector():
    return 0.0, 0.0


@kernel
def plus(a, b):
    return a[0] + b[0], a[1] + b[1]


@kernel
def scaled(a, k):
    return a[0] * k, a[1] * k


@kernel
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1]


@kernel
def rotate(R, x):
    return R[0] * x[0] + R[1] * x[1], R[0] * x[1] - R[1] * x[0]


@kernel
def rotate_back(R, x):
    return R[0] * x[0] - R[1] * x[1], R[0] * x[1] + R[1] * x[0]


@kernel
def compose(A, B):
    return A[0] * B[0] - A[1] * B[1], A[0] * B[1] + A[1] * B[0], A[2] + B[2]


@kernel
def rotation_exp(w):
    """The turn by a rotation vector."""
    c, s = cos_sin(w[0])
    return c, s, w[0]


@kernel
def rotation_error(R, R_D):
    """The rotation vector that takes R_D to R, in world axes; whole turns count."""
    return (R[2] - R_D[2],)


# --- joints ---------------------------------------------------------------------------------------------------------------


@kernel
def joint_rotation(tree, q, i, R_P):
    """R_WB of body i, whose parent has the turn R_P."""
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


# --- ground and pads ------------------------------------------------------------------------------------------------------


@kernel
def surface(ground, p):
    """Distance of a point from the ground (negative below), and the ground's normal there."""
    z, slope, _ = ground_at(ground, p[0], 0.0)
    k = 1.0 / np.sqrt(1.0 + slope * slope)
    return (p[1] - z) * k, (-slope * k, k)


@kernel
def in_profile(p):
    """The part of a vector that a profile knows: ahead and up."""
    return p


@kernel
def upright(x, z):
    """The vector of which a profile knows all."""
    return x, z


@kernel
def contact_point(geometry, k, R, n):
    """Where pad k would touch ground of normal n, from its body's origin, and how far along its arc that is."""
    center = rotate(R, get_vector(geometry.at, k))
    radius = geometry.radius[k]
    if radius == 0.0:
        return center, 0.0
    down = rotate_back(R, n)
    angle = nearest_within(np.arctan2(-down[0], down[1]), geometry.low[k], geometry.high[k])
    rim = rotate(R, (np.sin(angle), -np.cos(angle)))
    return plus(center, scaled(rim, radius)), radius * angle


@kernel
def rolling_direction(geometry, k, R, n):
    """The way along its sole that a pad's contact point moves when it rolls on."""
    if geometry.radius[k] == 0.0:
        return rotate(R, get_vector(geometry.front, k))
    return n[1], -n[0]


@kernel
def rolled_back(R, down):
    """From the middle of a round sole to where it touches, and back by the way that it has rolled."""
    return down[0] + R[2] * down[1], down[1] - R[2] * down[0]


# --- motions and forces ---------------------------------------------------------------------------------------------------


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
    """The same in either order, however it is compiled."""
    return F[0] + G[0], F[1] + G[1], F[2] + G[2]


@kernel
def subtract(A, B):
    return A[0] - B[0], A[1] - B[1], A[2] - B[2]


@kernel
def add_scaled(A, B, k):
    return A[0] + k * B[0], A[1] + k * B[1], A[2] + k * B[2]


@kernel
def pair(V, F):
    """The power of a force on a motion."""
    return V[0] * F[0] + V[1] * F[1] + V[2] * F[2]


@kernel
def shift_motion(V, r):
    """The motion at r further on the same body."""
    return V[0] + V[2] * r[1], V[1] - V[2] * r[0], V[2]


@kernel
def shift_force(F, r):
    """A force that acts at r, taken about the origin."""
    return F[0], F[1], F[2] + r[1] * F[0] - r[0] * F[1]


@kernel
def rotate_motion(R, V):
    """A motion or force given in the axes of R, in the axes that R is written in."""
    return join(rotate(R, linear(V)), angular(V))


@kernel
def rotate_motion_back(R, V):
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
    """What a joint with rates V_J at r on a body that spins with w adds to the acceleration: the terms in velocities only."""
    k = w[0]
    return k * (2.0 * V_J[1] - k * r[0]), -k * (2.0 * V_J[0] + k * r[1]), 0.0


# --- columns: a joint's degree of freedom turns about an axis, or slides along it -----------------------------------------


@kernel
def column_axis(turns, axis, d, R_P, R):
    """Degree of freedom d in world axes: an axis of sliding goes with the parent, that of turning is always y."""
    return get_vector(axis, d) if turns[d] else rotate(R_P, get_vector(axis, d))


@kernel
def column(turns, a):
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
    if turns:
        return V[0], V[1], V[2] + rate
    return V[0] + a[0] * rate, V[1] + a[1] * rate, V[2]


@kernel
def column_dot(turns, a, F):
    if turns:
        return F[2]
    return a[0] * F[0] + a[1] * F[1]


# --- inertia --------------------------------------------------------------------------------------------------------------


@kernel
def rotate_rigid(R, B):
    """The rigid inertia B, given in body axes, in the axes that R is written in."""
    h = rotate(R, (B[1], B[2]))
    return B[0], h[0], h[1], B[3]


@kernel
def rigid_sum(A, B):
    return A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3]


@kernel
def shift_rigid(B, r):
    """The rigid inertia of a body whose origin is at r, about the origin."""
    m, hx, hz = B[0], B[1], B[2]
    return m, hx + m * r[0], hz + m * r[1], B[3] + r[0] * (2.0 * hx + m * r[0]) + r[1] * (2.0 * hz + m * r[1])


@kernel
def rigid_mass(B):
    return B[0]


@kernel
def first_moment(B):
    return B[1], B[2]


@kernel
def rigid_times(B, A):
    """Force that gives a body at rest the acceleration A; momentum of one with the velocity A."""
    m, hx, hz = B[0], B[1], B[2]
    return m * A[0] + A[2] * hz, m * A[1] - A[2] * hx, hz * A[0] - hx * A[1] + B[3] * A[2]


@kernel
def gyroscopic(B, w):
    """Force that a body needs only because it spins: (-w^2 m c, 0)."""
    k = -w[0] * w[0]
    return k * B[1], k * B[2], 0.0


@kernel
def gyroscopic_map(B, w, V):
    """G V, linear in V, with G V = gyroscopic(B, w) for a body that moves with V = (v, w), and B' - 2 G skew-symmetric."""
    k = -w[0] * V[2]
    return k * B[1], k * B[2], 0.0


@kernel
def point_rigid(m, x):
    """A point mass at x."""
    return m, m * x[0], m * x[1], m * (x[0] * x[0] + x[1] * x[1])


@kernel
def force_at(f, x):
    """A force that acts at x, about the origin."""
    return f[0], f[1], x[1] * f[0] - x[0] * f[1]


@kernel
def horizontal(n):
    """A force or motion along the level part of n."""
    return n[0], 0.0, 0.0


@kernel
def inertia_lateral(K, n, d, x, k):
    """In space, mass k at x that resists motion across both n and d; in the plane there is no such way."""
    return K


@kernel
def lateral_part(n, d, u, k):
    """In space, k times the part of u across both n and d; in the plane there is no such way."""
    return 0.0, 0.0


@kernel
def inertia_of_rigid(B):
    return B[0], B[0], 0.0 * B[0], B[2], -B[1], B[3]


@kernel(exact=True)
def inertia_sum(A, B):
    return A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5]


@kernel
def inertia_times(K, A):
    return (
        K[0] * A[0] + K[2] * A[1] + K[3] * A[2],
        K[2] * A[0] + K[1] * A[1] + K[4] * A[2],
        K[3] * A[0] + K[4] * A[1] + K[5] * A[2],
    )


@kernel
def inertia_times_column(K, turns, a):
    if turns:
        return K[3], K[4], K[5]
    return K[0] * a[0] + K[2] * a[1], K[2] * a[0] + K[1] * a[1], K[3] * a[0] + K[4] * a[1]


@kernel
def inertia_rank1_downdate(K, U, k):
    """K - k U U'."""
    k0, k1, k2 = k * U[0], k * U[1], k * U[2]
    return (
        K[0] - k0 * U[0],
        K[1] - k1 * U[1],
        K[2] - k0 * U[1],
        K[3] - k0 * U[2],
        K[4] - k1 * U[2],
        K[5] - k2 * U[2],
    )


@kernel
def inertia_rank2_update(K, U, V, k):
    """K + k (U V' + V U')."""
    u0, u1, u2 = k * U[0], k * U[1], k * U[2]
    return (
        K[0] + 2.0 * u0 * V[0],
        K[1] + 2.0 * u1 * V[1],
        K[2] + u0 * V[1] + u1 * V[0],
        K[3] + u0 * V[2] + u2 * V[0],
        K[4] + u1 * V[2] + u2 * V[1],
        K[5] + 2.0 * u2 * V[2],
    )


@kernel
def shift_inertia(K, r):
    """The inertia of a body whose origin is at r, about the origin."""
    x, z = r
    xw = K[3] + K[0] * z - K[2] * x
    zw = K[4] + K[2] * z - K[1] * x
    return K[0], K[1], K[2], xw, zw, K[5] + z * (xw + K[3]) - x * (zw + K[4])
