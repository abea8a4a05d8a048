"""The configuration manifold: integration and differences of q. Quaternions are (w, x, y, z), their velocity is in body axes."""

import numpy as np

from footfall.core.jit import kernel
from footfall.core.joints import FREE, PLANAR, SPHERICAL


@kernel
def quaternion_product(a, b):
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def quaternion_exp(x, y, z):
    """The unit quaternion of the rotation vector (x, y, z)."""
    square = x * x + y * y + z * z
    if square < 1e-4:  # the series is exact to the last place here
        k = 0.5 - square * (1.0 / 48.0 - square * (1.0 / 3840.0 - square / 645120.0))
        w = 1.0 - square * (1.0 / 8.0 - square * (1.0 / 384.0 - square / 46080.0))
    else:
        angle = np.sqrt(square)
        k = np.sin(0.5 * angle) / angle
        w = np.cos(0.5 * angle)
    return w, k * x, k * y, k * z


@kernel
def quaternion_log(a):
    """The shortest rotation vector of a quaternion of any length but zero."""
    sign = -1.0 if a[0] < 0.0 else 1.0
    w, x, y, z = sign * a[0], sign * a[1], sign * a[2], sign * a[3]
    sine = np.sqrt(x * x + y * y + z * z)
    if sine < 1e-4 * w:
        t = sine / w
        k = 2.0 / w * (1.0 - t * t * (1.0 / 3.0 - t * t / 5.0))
    else:
        k = 2.0 * np.arctan2(sine, w) / sine
    return k * x, k * y, k * z


@kernel
def quaternion_at(q, j):
    return q[j], q[j + 1], q[j + 2], q[j + 3]


@kernel
def put_quaternion(q, j, a):
    k = 1.0 / np.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3])
    q[j], q[j + 1], q[j + 2], q[j + 3] = a[0] * k, a[1] * k, a[2] * k, a[3] * k


@kernel
def plain_coordinates(kind):
    """How many coordinates of a joint are ordinary numbers; they come before the quaternion, if there is one."""
    if kind == SPHERICAL:
        return 0
    return 3 if kind in (FREE, PLANAR) else 1


@kernel
def has_quaternion(kind):
    return kind in (SPHERICAL, FREE)


@kernel
def integrate(tree, q, step, out):
    """The state at `step` (a velocity times a time) from q."""
    for i in range(1, len(tree.parent)):
        j, d = tree.first_q[i], tree.first_v[i]
        plain = plain_coordinates(tree.kind[i])
        for k in range(plain):
            out[j + k] = q[j + k] + step[d + k]
        if has_quaternion(tree.kind[i]):
            j, d = j + plain, d + plain
            turn = quaternion_exp(step[d], step[d + 1], step[d + 2])
            put_quaternion(out, j, quaternion_product(quaternion_at(q, j), turn))


@kernel
def difference(tree, q, target, out):
    """The step that takes q to `target`, the short way round: integrate(q, out) = target."""
    for i in range(1, len(tree.parent)):
        j, d = tree.first_q[i], tree.first_v[i]
        plain = plain_coordinates(tree.kind[i])
        for k in range(plain):
            out[d + k] = target[j + k] - q[j + k]
        if has_quaternion(tree.kind[i]):
            j, d = j + plain, d + plain
            back = (q[j], -q[j + 1], -q[j + 2], -q[j + 3])
            turn = quaternion_product(back, quaternion_at(target, j))
            out[d], out[d + 1], out[d + 2] = quaternion_log(turn)


@kernel
def rate(tree, q, v, out):
    """dq/dt."""
    for i in range(1, len(tree.parent)):
        j, d = tree.first_q[i], tree.first_v[i]
        plain = plain_coordinates(tree.kind[i])
        for k in range(plain):
            out[j + k] = v[d + k]
        if has_quaternion(tree.kind[i]):
            j, d = j + plain, d + plain
            turn = quaternion_product(quaternion_at(q, j), (0.0, 0.5 * v[d], 0.5 * v[d + 1], 0.5 * v[d + 2]))
            out[j], out[j + 1], out[j + 2], out[j + 3] = turn
