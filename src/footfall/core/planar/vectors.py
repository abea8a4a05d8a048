"""Vectors, rotations, and rows of arrays as tuples, in the plane. The twin of `core.spatial.vectors`, name for name."""

from footfall.core.jit import kernel
from footfall.core.trig import cos_sin

DIM = 2  # of a vector
SPIN = 1  # of an angular velocity
MOTION = 3  # of a motion or force
ROTATION = 3  # of a stored turn
RIGID = 4  # of a stored rigid inertia
INERTIA = 6  # of a stored inertia
NO_ROTATION = (1.0, 0.0, 0.0)


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
