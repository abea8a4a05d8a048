"""SE(3) in scalars: tuples in, tuples out. The twin of `core.planar.algebra`, name for name.

Everything is written in world axes, about the origin of the body concerned, linear part first:

    turn     rotation matrix R_WB, nine entries by rows
    vector   (x, y, z)
    spin     (wx, wy, wz): angular velocity
    motion   (v, w): velocity or acceleration of the body's origin, then the angular one
    force    (f, n): force, then moment about the body's origin
    rigid    (m, m c, J): mass, first moment, rotational inertia about the origin (xx yy zz xy xz yz)
    inertia  symmetric 6x6 as 21 scalars: M (xx yy zz xy xz yz), H by rows, J (like M):  f = M a + H w',  n = H' a + J w'
"""

import numpy as np

from footfall.core.contact.ground import ground_at
from footfall.core.jit import kernel
from footfall.core.joints import FREE, PRISMATIC, REVOLUTE, SPHERICAL
from footfall.core.manifold import quaternion_exp, quaternion_log
from footfall.core.trig import cos_sin, nearest_within

DIM = 3  # of a vector
SPIN = 3  # of an angular velocity
MOTION = 6  # of a motion or force
ROTATION = 9  # of a stored turn
RIGID = 10  # of a stored rigid inertia
INERTIA = 21  # of a stored inertia
NO_ROTATION = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


# --- storage: rows of arrays <-> tuples -----------------------------------------------------------------------------------


@kernel
def get_vector(rows, i):
    return rows[i, 0], rows[i, 1], rows[i, 2]


@kernel
def put_vector(rows, i, x):
    rows[i, 0], rows[i, 1], rows[i, 2] = x


@kernel
def get_spin(rows, i):
    return rows[i, 0], rows[i, 1], rows[i, 2]


@kernel
def put_spin(rows, i, w):
    rows[i, 0], rows[i, 1], rows[i, 2] = w


@kernel
def get_rotation(rows, i):
    return (
        rows[i, 0], rows[i, 1], rows[i, 2],
        rows[i, 3], rows[i, 4], rows[i, 5],
        rows[i, 6], rows[i, 7], rows[i, 8],
    )  # fmt: skip


@kernel
def put_rotation(rows, i, R):
    rows[i, 0], rows[i, 1], rows[i, 2] = R[0], R[1], R[2]
    rows[i, 3], rows[i, 4], rows[i, 5] = R[3], R[4], R[5]
    rows[i, 6], rows[i, 7], rows[i, 8] = R[6], R[7], R[8]


@kernel
def get_motion(rows, i):
    return rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 4], rows[i, 5]


@kernel
def put_motion(rows, i, V):
    rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 4], rows[i, 5] = V


@kernel
def get_inertia(rows, i):
    return (
        rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 4], rows[i, 5],
        rows[i, 6], rows[i, 7], rows[i, 8], rows[i, 9], rows[i, 10], rows[i, 11], rows[i, 12], rows[i, 13], rows[i, 14],
        rows[i, 15], rows[i, 16], rows[i, 17], rows[i, 18], rows[i, 19], rows[i, 20],
    )  # fmt: skip


@kernel
def put_inertia(rows, i, K):
    rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3], rows[i, 4], rows[i, 5] = K[0], K[1], K[2], K[3], K[4], K[5]
    rows[i, 6], rows[i, 7], rows[i, 8], rows[i, 9], rows[i, 10], rows[i, 11] = K[6], K[7], K[8], K[9], K[10], K[11]
    rows[i, 12], rows[i, 13], rows[i, 14], rows[i, 15], rows[i, 16] = K[12], K[13], K[14], K[15], K[16]
    rows[i, 17], rows[i, 18], rows[i, 19], rows[i, 20] = K[17], K[18], K[19], K[20]


@kernel
def get_rigid(rows, i):
    return (
        rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3],
        rows[i, 4], rows[i, 5], rows[i, 6], rows[i, 7], rows[i, 8], rows[i, 9],
    )  # fmt: skip


@kernel
def put_rigid(rows, i, B):
    rows[i, 0], rows[i, 1], rows[i, 2], rows[i, 3] = B[0], B[1], B[2], B[3]
    rows[i, 4], rows[i, 5], rows[i, 6], rows[i, 7], rows[i, 8], rows[i, 9] = B[4], B[5], B[6], B[7], B[8], B[9]


# --- vectors and turns ----------------------------------------------------------------------------------------------------


@kernel
def no_vector():
    return 0.0, 0.0, 0.0


@kernel
def plus(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@kernel
def scaled(a, k):
    return a[0] * k, a[1] * k, a[2] * k


@kernel
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def rotate(R, x):
    return (
        R[0] * x[0] + R[1] * x[1] + R[2] * x[2],
        R[3] * x[0] + R[4] * x[1] + R[5] * x[2],
        R[6] * x[0] + R[7] * x[1] + R[8] * x[2],
    )


@kernel
def rotate_back(R, x):
    return (
        R[0] * x[0] + R[3] * x[1] + R[6] * x[2],
        R[1] * x[0] + R[4] * x[1] + R[7] * x[2],
        R[2] * x[0] + R[5] * x[1] + R[8] * x[2],
    )


@kernel
def compose(A, B):
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@kernel
def turn_about(a, angle):
    """Rodrigues: the turn by `angle` about the unit vector `a`."""
    c, s = cos_sin(angle)
    x, y, z = a
    kx, ky, kz = (1.0 - c) * x, (1.0 - c) * y, (1.0 - c) * z
    return (
        kx * x + c, kx * y - s * z, kx * z + s * y,
        kx * y + s * z, ky * y + c, ky * z - s * x,
        kx * z - s * y, ky * z + s * x, kz * z + c,
    )  # fmt: skip


@kernel
def turn_of_quaternion(w, x, y, z):
    """The turn of a quaternion of any length but zero."""
    k = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1.0 - k * (y * y + z * z), k * (x * y - w * z), k * (x * z + w * y),
        k * (x * y + w * z), 1.0 - k * (x * x + z * z), k * (y * z - w * x),
        k * (x * z - w * y), k * (y * z + w * x), 1.0 - k * (x * x + y * y),
    )  # fmt: skip


@kernel
def rotation_exp(w):
    """The turn by a rotation vector."""
    a, x, y, z = quaternion_exp(w[0], w[1], w[2])
    return turn_of_quaternion(a, x, y, z)


@kernel
def rotation_error(R, R_D):
    """The rotation vector that takes R_D to R the short way, in world axes: the logarithm of R R_D'."""
    E = compose(R, (R_D[0], R_D[3], R_D[6], R_D[1], R_D[4], R_D[7], R_D[2], R_D[5], R_D[8]))
    x, y, z = E[7] - E[5], E[2] - E[6], E[3] - E[1]
    most = max(E[0] + E[4] + E[8], E[0], E[4], E[8])  # of 4 (w^2, x^2, y^2, z^2) - 1, the safest to divide by
    if most == E[0] + E[4] + E[8]:
        return quaternion_log((1.0 + most, x, y, z))
    if most == E[0]:
        return quaternion_log((x, 1.0 + E[0] - E[4] - E[8], E[1] + E[3], E[2] + E[6]))
    if most == E[4]:
        return quaternion_log((y, E[1] + E[3], 1.0 + E[4] - E[0] - E[8], E[5] + E[7]))
    return quaternion_log((z, E[2] + E[6], E[5] + E[7], 1.0 + E[8] - E[0] - E[4]))


# --- joints ---------------------------------------------------------------------------------------------------------------


@kernel
def joint_rotation(tree, q, i, R_P):
    """R_WB of body i, whose parent has the turn R_P."""
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


# --- ground and pads ------------------------------------------------------------------------------------------------------


@kernel
def surface(ground, p):
    """Distance of a point from the ground (negative below), and the ground's normal there."""
    z, zx, zy = ground_at(ground, p[0], p[1])
    k = 1.0 / np.sqrt(1.0 + zx * zx + zy * zy)
    return (p[2] - z) * k, (-zx * k, -zy * k, k)


@kernel
def in_profile(p):
    """The part of a vector that a profile knows: ahead and up."""
    return p[0], p[2]


@kernel
def upright(x, z):
    """The vector of which a profile knows all."""
    return x, 0.0, z


@kernel
def contact_point(geometry, k, R, n):
    """Where pad k would touch ground of normal n, from its body's origin, and how far along its arc that is."""
    center = rotate(R, get_vector(geometry.at, k))
    radius = geometry.radius[k]
    if radius == 0.0:
        return center, 0.0
    down = rotate_back(R, n)
    front, up = get_vector(geometry.front, k), get_vector(geometry.up, k)
    angle = nearest_within(np.arctan2(-dot(down, front), dot(down, up)), geometry.low[k], geometry.high[k])
    rim = rotate(R, plus(scaled(front, np.sin(angle)), scaled(up, -np.cos(angle))))
    return plus(center, scaled(rim, radius)), radius * angle


@kernel
def rolling_direction(geometry, k, R, n):
    """The way along its sole that a pad's contact point moves when it rolls on."""
    if geometry.radius[k] == 0.0:
        return rotate(R, get_vector(geometry.front, k))
    side = rotate(R, cross(get_vector(geometry.up, k), get_vector(geometry.front, k)))
    ahead = cross(side, n)
    return scaled(ahead, 1.0 / np.sqrt(dot(ahead, ahead) + 1e-30))


@kernel
def rolled_back(R, down):
    """In space nothing is held that rolls: `down` is zero."""
    return down


# --- motions and forces ---------------------------------------------------------------------------------------------------


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
    """The same in either order, however it is compiled."""
    return F[0] + G[0], F[1] + G[1], F[2] + G[2], F[3] + G[3], F[4] + G[4], F[5] + G[5]


@kernel
def subtract(A, B):
    return A[0] - B[0], A[1] - B[1], A[2] - B[2], A[3] - B[3], A[4] - B[4], A[5] - B[5]


@kernel
def add_scaled(A, B, k):
    return A[0] + k * B[0], A[1] + k * B[1], A[2] + k * B[2], A[3] + k * B[3], A[4] + k * B[4], A[5] + k * B[5]


@kernel
def pair(V, F):
    """The power of a force on a motion."""
    return V[0] * F[0] + V[1] * F[1] + V[2] * F[2] + V[3] * F[3] + V[4] * F[4] + V[5] * F[5]


@kernel
def shift_motion(V, r):
    """The motion at r further on the same body."""
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
    """A force that acts at r, taken about the origin."""
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
    """A motion or force given in the axes of R, in the axes that R is written in."""
    return join(rotate(R, linear(V)), rotate(R, angular(V)))


@kernel
def rotate_motion_back(R, V):
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
    """What a joint with rates V_J at r on a body that spins with w adds to the acceleration: the terms in velocities only."""
    inner = cross(w, r)
    inner = (inner[0] + 2.0 * V_J[0], inner[1] + 2.0 * V_J[1], inner[2] + 2.0 * V_J[2])
    return join(cross(w, inner), cross(w, angular(V_J)))


# --- columns: a joint's degree of freedom turns about an axis, or slides along it -----------------------------------------


@kernel
def column_axis(turns, axis, d, R_P, R):
    """Degree of freedom d in world axes: an axis of turning goes with the body, one of sliding with its parent."""
    return rotate(R, get_vector(axis, d)) if turns[d] else rotate(R_P, get_vector(axis, d))


@kernel
def column(turns, a):
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
    if turns:
        return V[0], V[1], V[2], V[3] + a[0] * rate, V[4] + a[1] * rate, V[5] + a[2] * rate
    return V[0] + a[0] * rate, V[1] + a[1] * rate, V[2] + a[2] * rate, V[3], V[4], V[5]


@kernel
def column_dot(turns, a, F):
    if turns:
        return a[0] * F[3] + a[1] * F[4] + a[2] * F[5]
    return a[0] * F[0] + a[1] * F[1] + a[2] * F[2]


# --- inertia --------------------------------------------------------------------------------------------------------------


@kernel
def rotate_rigid(R, B):
    """The rigid inertia B, given in body axes, in the axes that R is written in."""
    h = rotate(R, (B[1], B[2], B[3]))
    xx, yy, zz, xy, xz, yz = B[4], B[5], B[6], B[7], B[8], B[9]
    a0, a1, a2 = R[0] * xx + R[1] * xy + R[2] * xz, R[0] * xy + R[1] * yy + R[2] * yz, R[0] * xz + R[1] * yz + R[2] * zz
    b0, b1, b2 = R[3] * xx + R[4] * xy + R[5] * xz, R[3] * xy + R[4] * yy + R[5] * yz, R[3] * xz + R[4] * yz + R[5] * zz
    c0, c1, c2 = R[6] * xx + R[7] * xy + R[8] * xz, R[6] * xy + R[7] * yy + R[8] * yz, R[6] * xz + R[7] * yz + R[8] * zz
    return (
        B[0], h[0], h[1], h[2],
        a0 * R[0] + a1 * R[1] + a2 * R[2],
        b0 * R[3] + b1 * R[4] + b2 * R[5],
        c0 * R[6] + c1 * R[7] + c2 * R[8],
        a0 * R[3] + a1 * R[4] + a2 * R[5],
        a0 * R[6] + a1 * R[7] + a2 * R[8],
        b0 * R[6] + b1 * R[7] + b2 * R[8],
    )  # fmt: skip


@kernel
def rigid_sum(A, B):
    return (
        A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3],
        A[4] + B[4], A[5] + B[5], A[6] + B[6], A[7] + B[7], A[8] + B[8], A[9] + B[9],
    )  # fmt: skip


@kernel
def shift_rigid(B, r):
    """The rigid inertia of a body whose origin is at r, about the origin."""
    m, hx, hy, hz = B[0], B[1], B[2], B[3]
    x, y, z = r
    xx, yy, zz = x * (2.0 * hx + m * x), y * (2.0 * hy + m * y), z * (2.0 * hz + m * z)
    return (
        m, hx + m * x, hy + m * y, hz + m * z,
        B[4] + yy + zz, B[5] + xx + zz, B[6] + xx + yy,
        B[7] - (hx * y + x * hy + m * x * y),
        B[8] - (hx * z + x * hz + m * x * z),
        B[9] - (hy * z + y * hz + m * y * z),
    )  # fmt: skip


@kernel
def rigid_mass(B):
    return B[0]


@kernel
def first_moment(B):
    return B[1], B[2], B[3]


@kernel
def rigid_times(B, A):
    """Force that gives a body at rest the acceleration A; momentum of one with the velocity A."""
    m = B[0]
    h = (B[1], B[2], B[3])
    a, w = linear(A), angular(A)
    wh, ha = cross(w, h), cross(h, a)
    return (
        m * a[0] + wh[0],
        m * a[1] + wh[1],
        m * a[2] + wh[2],
        ha[0] + B[4] * w[0] + B[7] * w[1] + B[8] * w[2],
        ha[1] + B[7] * w[0] + B[5] * w[1] + B[9] * w[2],
        ha[2] + B[8] * w[0] + B[9] * w[1] + B[6] * w[2],
    )


@kernel
def gyroscopic(B, w):
    """Force that a body needs only because it spins: (w x (w x m c), w x J w)."""
    Jw = (
        B[4] * w[0] + B[7] * w[1] + B[8] * w[2],
        B[7] * w[0] + B[5] * w[1] + B[9] * w[2],
        B[8] * w[0] + B[9] * w[1] + B[6] * w[2],
    )
    return join(cross(w, cross(w, (B[1], B[2], B[3]))), cross(w, Jw))


@kernel
def gyroscopic_map(B, w, V):
    """G V, linear in V, with G V = gyroscopic(B, w) for a body that moves with V = (v, w), and B' - 2 G skew-symmetric."""
    h = (B[1], B[2], B[3])
    e = angular(V)
    J = (B[4], B[7], B[8], B[7], B[5], B[9], B[8], B[9], B[6])
    f = cross(e, cross(w, h))
    n = plus(cross(w, rotate(J, e)), plus(cross(e, rotate(J, w)), scaled(rotate(J, cross(w, e)), -1.0)))
    return join(f, scaled(n, 0.5))


@kernel
def point_rigid(m, x):
    """A point mass at x."""
    h = scaled(x, m)
    xx, yy, zz = x[0] * h[0], x[1] * h[1], x[2] * h[2]
    return m, h[0], h[1], h[2], yy + zz, xx + zz, xx + yy, -x[0] * h[1], -x[0] * h[2], -x[1] * h[2]


@kernel
def force_at(f, x):
    """A force that acts at x, about the origin."""
    return join(f, cross(x, f))


@kernel
def horizontal(n):
    """A force or motion along the level part of n."""
    return n[0], n[1], 0.0, 0.0, 0.0, 0.0


@kernel
def inertia_lateral(K, n, d, x, k):
    """In space, mass k at x that resists motion across both n and d; in the plane there is no such way."""
    return inertia_rank1_downdate(K, force_at(cross(n, d), x), -k)


@kernel
def lateral_part(n, d, u, k):
    """In space, k times the part of u across both n and d; in the plane there is no such way."""
    b = cross(n, d)
    return scaled(b, k * dot(b, u))


@kernel
def inertia_of_rigid(B):
    m, hx, hy, hz = B[0], B[1], B[2], B[3]
    o = 0.0 * m
    return (m, m, m, o, o, o, o, hz, -hy, -hz, o, hx, hy, -hx, o, B[4], B[5], B[6], B[7], B[8], B[9])


@kernel(exact=True)
def inertia_sum(A, B):
    return (
        A[0] + B[0], A[1] + B[1], A[2] + B[2], A[3] + B[3], A[4] + B[4], A[5] + B[5],
        A[6] + B[6], A[7] + B[7], A[8] + B[8], A[9] + B[9], A[10] + B[10], A[11] + B[11],
        A[12] + B[12], A[13] + B[13], A[14] + B[14],
        A[15] + B[15], A[16] + B[16], A[17] + B[17], A[18] + B[18], A[19] + B[19], A[20] + B[20],
    )  # fmt: skip


@kernel
def inertia_times(K, A):
    a0, a1, a2, w0, w1, w2 = A
    return (
        K[0] * a0 + K[3] * a1 + K[4] * a2 + K[6] * w0 + K[7] * w1 + K[8] * w2,
        K[3] * a0 + K[1] * a1 + K[5] * a2 + K[9] * w0 + K[10] * w1 + K[11] * w2,
        K[4] * a0 + K[5] * a1 + K[2] * a2 + K[12] * w0 + K[13] * w1 + K[14] * w2,
        K[6] * a0 + K[9] * a1 + K[12] * a2 + K[15] * w0 + K[18] * w1 + K[19] * w2,
        K[7] * a0 + K[10] * a1 + K[13] * a2 + K[18] * w0 + K[16] * w1 + K[20] * w2,
        K[8] * a0 + K[11] * a1 + K[14] * a2 + K[19] * w0 + K[20] * w1 + K[17] * w2,
    )


@kernel
def inertia_times_column(K, turns, a):
    x, y, z = a
    if turns:
        return (
            K[6] * x + K[7] * y + K[8] * z,
            K[9] * x + K[10] * y + K[11] * z,
            K[12] * x + K[13] * y + K[14] * z,
            K[15] * x + K[18] * y + K[19] * z,
            K[18] * x + K[16] * y + K[20] * z,
            K[19] * x + K[20] * y + K[17] * z,
        )
    return (
        K[0] * x + K[3] * y + K[4] * z,
        K[3] * x + K[1] * y + K[5] * z,
        K[4] * x + K[5] * y + K[2] * z,
        K[6] * x + K[9] * y + K[12] * z,
        K[7] * x + K[10] * y + K[13] * z,
        K[8] * x + K[11] * y + K[14] * z,
    )


@kernel
def inertia_rank1_downdate(K, U, k):
    """K - k U U'."""
    u0, u1, u2, u3, u4, u5 = U
    k0, k1, k2, k3, k4, k5 = k * u0, k * u1, k * u2, k * u3, k * u4, k * u5
    return (
        K[0] - k0 * u0, K[1] - k1 * u1, K[2] - k2 * u2, K[3] - k0 * u1, K[4] - k0 * u2, K[5] - k1 * u2,
        K[6] - k0 * u3, K[7] - k0 * u4, K[8] - k0 * u5,
        K[9] - k1 * u3, K[10] - k1 * u4, K[11] - k1 * u5,
        K[12] - k2 * u3, K[13] - k2 * u4, K[14] - k2 * u5,
        K[15] - k3 * u3, K[16] - k4 * u4, K[17] - k5 * u5, K[18] - k3 * u4, K[19] - k3 * u5, K[20] - k4 * u5,
    )  # fmt: skip


@kernel
def inertia_rank2_update(K, U, V, k):
    """K + k (U V' + V U')."""
    v0, v1, v2, v3, v4, v5 = V
    u0, u1, u2, u3, u4, u5 = k * U[0], k * U[1], k * U[2], k * U[3], k * U[4], k * U[5]
    return (
        K[0] + 2.0 * u0 * v0, K[1] + 2.0 * u1 * v1, K[2] + 2.0 * u2 * v2,
        K[3] + u0 * v1 + u1 * v0, K[4] + u0 * v2 + u2 * v0, K[5] + u1 * v2 + u2 * v1,
        K[6] + u0 * v3 + u3 * v0, K[7] + u0 * v4 + u4 * v0, K[8] + u0 * v5 + u5 * v0,
        K[9] + u1 * v3 + u3 * v1, K[10] + u1 * v4 + u4 * v1, K[11] + u1 * v5 + u5 * v1,
        K[12] + u2 * v3 + u3 * v2, K[13] + u2 * v4 + u4 * v2, K[14] + u2 * v5 + u5 * v2,
        K[15] + 2.0 * u3 * v3, K[16] + 2.0 * u4 * v4, K[17] + 2.0 * u5 * v5,
        K[18] + u3 * v4 + u4 * v3, K[19] + u3 * v5 + u5 * v3, K[20] + u4 * v5 + u5 * v4,
    )  # fmt: skip


@kernel
def shift_inertia(K, r):
    """The inertia of a body whose origin is at r, about the origin: H - M [r], J + [r](H - M [r]) - H' [r]."""
    x, y, z = r
    xx, yy, zz, xy, xz, yz = K[0], K[1], K[2], K[3], K[4], K[5]
    h00, h01, h02 = K[6] - xy * z + xz * y, K[7] + xx * z - xz * x, K[8] - xx * y + xy * x
    h10, h11, h12 = K[9] - yy * z + yz * y, K[10] + xy * z - yz * x, K[11] - xy * y + yy * x
    h20, h21, h22 = K[12] - yz * z + zz * y, K[13] + xz * z - zz * x, K[14] - xz * y + yz * x
    return (
        xx, yy, zz, xy, xz, yz,
        h00, h01, h02, h10, h11, h12, h20, h21, h22,
        K[15] + y * h20 - z * h10 - (K[9] * z - K[12] * y),
        K[16] + z * h01 - x * h21 - (K[13] * x - K[7] * z),
        K[17] + x * h12 - y * h02 - (K[8] * y - K[11] * x),
        K[18] + y * h21 - z * h11 - (K[12] * x - K[6] * z),
        K[19] + y * h22 - z * h12 - (K[6] * y - K[9] * x),
        K[20] + z * h02 - x * h22 - (K[7] * y - K[10] * x),
    )  # fmt: skip
