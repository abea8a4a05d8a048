"""Vectors, rotations, and rows of arrays as tuples, in space. The twin of `core.planar.vectors`, name for name."""

from footfall.core.jit import kernel
from footfall.core.manifold import quaternion_exp, quaternion_log
from footfall.core.trig import cos_sin

DIM = 3  # of a vector
SPIN = 3  # of an angular velocity
MOTION = 6  # of a motion or force
ROTATION = 9  # of a stored turn
RIGID = 10  # of a stored rigid inertia
INERTIA = 21  # of a stored inertia
NO_ROTATION = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


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
