"""Rigid-body and articulated-body inertia in space. The twin of `core.planar.inertias`, name for name."""

from footfall.core.jit import kernel
from footfall.core.spatial.motions import angular, join, linear
from footfall.core.spatial.vectors import cross, plus, rotate, scaled


@kernel
def rotate_rigid(R, B):
    """The rigid inertia B, given in body axes, in the axes that R leads to."""
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
