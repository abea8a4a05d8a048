"""Rigid-body and articulated-body inertia in the plane. The twin of `core.spatial.inertias`, name for name."""

from footfall.core.jit import kernel
from footfall.core.planar.vectors import rotate


@kernel
def rotate_rigid(R, B):
    """The rigid inertia B, given in body axes, in the axes that R leads to."""
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
