"""The whole body: accelerations of feet and pelvis, of all joints, and the torques that make them."""

import numpy as np

from footfall.control.walking.legs import (
    LEFT,
    POSTURE,
    RIGHT,
    YAW,
    X,
    Y,
    Z,
    center,
    clip,
    pelvis_turn,
    sole_arm,
    sole_place,
    sole_turn,
)
from footfall.control.walking.pendulum import follow_dcm, height_between, load_share, within_support
from footfall.control.walking.steps import SINGLE, move_level, move_swing, on_slope, side_of, zmp_of
from footfall.core.jit import kernel
from footfall.core.manifold import difference
from footfall.core.recursion.kinematics import jacobian
from footfall.core.recursion.rnea import rnea
from footfall.core.spatial.vectors import (
    cross,
    get_motion,
    get_rotation,
    get_vector,
    plus,
    put_motion,
    rotate,
    rotate_back,
    rotation_error,
    scaled,
    turn_about,
)

UP = (0.0, 0.0, 1.0)
DAMPED = 1e-5  # m2: of the inversion of a leg's Jacobian
FASTEST = 2000.0  # rad/s2: no joint is accelerated more
TINY = 1e-9  # of a pivot
INSIDE = 2  # iterations that bring the ZMP inside the soles
LEAST_LOAD = 0.1  # of the weight: the feet press at least with this


@kernel
def want_foot(params, state, side):
    """Acceleration wanted of a foot, of the point of its sole below the ankle: (linear, angular)."""
    work = params.model.work
    V = get_motion(work.V_WB, params.foot[side])
    w, r = (V[3], V[4], V[5]), sole_arm(params, side)
    u = plus((V[0], V[1], V[2]), cross(w, r))
    if not (state.phase == SINGLE and side != side_of(state.step)):
        k = -params.stance_damping
        return k * u[0], k * u[1], k * u[2], k * w[0], k * w[1], k * w[2]
    p = sole_place(params, side)
    s = state.swing
    k, d = params.swing_stiffness, params.swing_damping
    ax = s[2, X] + k * (s[0, X] - p[0]) + d * (s[1, X] - u[0])
    ay = s[2, Y] + k * (s[0, Y] - p[1]) + d * (s[1, Y] - u[1])
    az = s[2, Z] + k * (s[0, Z] - p[2]) + d * (s[1, Z] - u[2])
    e = rotation_error(on_slope(state, s[0, YAW]), sole_turn(params, side))
    return (
        ax,
        ay,
        az,
        k * e[0] - d * w[0],
        k * e[1] - d * w[1],
        k * e[2] + d * (s[1, YAW] - w[2]) + s[2, YAW],
    )


@kernel
def want_motion(seen, params, state):
    """Accelerations wanted of the feet (their soles) and of the pelvis; those of the pelvis along x and y are found later."""
    if state.phase == SINGLE:
        move_swing(seen, params, state)
    work = params.model.work
    for side in range(2):
        put_motion(params.want, side, want_foot(params, state, side))
    h = 1.0 / params.rate
    rear, front = state.place[0], state.place[1]
    yaw = 0.5 * (rear[YAW] + front[YAW])
    if state.phase == SINGLE:
        swing = 1 - side_of(state.step)
        yaw = 0.5 * (state.place[1 - swing, YAW] + state.swing[0, YAW])
    move_level(seen, params, state)
    state.yaw += clip(yaw - state.yaw, -1.0 * h, 1.0 * h)
    V, p = get_motion(work.V_WB, params.base), get_vector(work.p_WB, params.base)
    k, d = params.body_stiffness, params.body_damping
    e = rotation_error(turn_about(UP, state.yaw), pelvis_turn(params))
    put_motion(
        params.want,
        2,
        (
            0.0,
            0.0,
            state.climb[1] + 0.25 * k * (state.high + params.height + params.rise - p[2]) + 0.5 * d * (state.climb[0] - V[2]),
            k * e[0] - d * V[3],
            k * e[1] - d * V[4],
            k * e[2] - d * V[5],
        ),
    )


@kernel
def resolve(seen, params):
    """Accelerations of all joints for those wanted: params.a[0]; and with the pelvis accelerated along x, y by 1 m/s2 besides."""
    tree, work, a = params.model.tree, params.model.work, params.a
    first = tree.first_v[params.base]
    R = get_rotation(work.R_WB, params.base)
    W = get_motion(params.want, 2)
    w = rotate_back(R, (W[3], W[4], W[5]))  # rates of a free joint count in the body's axes
    difference(tree, seen.q, params.posture, params.urge)
    for d in range(len(a[0])):
        a[0, d], a[1, d], a[2, d] = 0.0, 0.0, 0.0
        params.urge[d] = POSTURE[0] * params.urge[d] - POSTURE[1] * seen.v[d]
    for d in params.held[:, 1]:
        params.urge[d] = 0.0
    for j in range(3):
        a[j, first], a[j, first + 1], a[j, first + 2] = W[0], W[1], W[2]
        a[j, first + 3], a[j, first + 4], a[j, first + 5] = w
        for d in params.arms:
            a[j, d] = params.urge[d]
    a[1, first] += 1.0
    a[2, first + 1] += 1.0
    for side in range(2):
        resolve_leg(params, side, first)


@kernel
def resolve_leg(params, side, first):
    """Accelerations of the joints of a leg, by its Jacobian: damped least squares."""
    tree, work, a, J = params.model.tree, params.model.work, params.a, params.rows[side]
    i, r = params.foot[side], sole_arm(params, side)
    jacobian(tree, work, i, r, J)
    A, V = get_motion(work.A_WB, i), get_motion(work.V_WB, i)
    w = V[3], V[4], V[5]
    bias = plus(plus((A[0], A[1], A[2] - params.gravity), cross((A[3], A[4], A[5]), r)), cross(w, cross(w, r)))
    want = get_motion(params.want, side)
    left = (want[0] - bias[0], want[1] - bias[1], want[2] - bias[2], want[3] - A[3], want[4] - A[4], want[5] - A[5])
    H, rhs, leg = params.H, params.rhs, params.leg[side]
    for k in range(6):
        for m in range(6):
            x = DAMPED if k == m else 0.0
            for d in leg:
                x += J[d, k] * J[d, m]
            H[k, m] = x
        for j in range(3):
            e = left[k]
            for d in range(first, first + 6):
                e -= J[d, k] * a[j, d]
            for d in params.trunk:
                e -= J[d, k] * a[j, d]
            for d in leg:
                e -= J[d, k] * params.urge[d]
            rhs[k, j] = e
    cholesky_solve(H, rhs)
    for j in range(3):
        for d in leg:
            x = params.urge[d]
            for k in range(6):
                x += J[d, k] * rhs[k, j]
            a[j, d] = clip(x, -FASTEST, FASTEST)


@kernel
def cholesky_solve(H, rhs):
    """Solve H x = rhs in place, H symmetric and positive."""
    n = len(H)
    for j in range(n):
        for k in range(j):
            H[j, j] -= H[j, k] * H[j, k]
        H[j, j] = np.sqrt(max(H[j, j], TINY))
        for i in range(j + 1, n):
            for k in range(j):
                H[i, j] -= H[i, k] * H[j, k]
            H[i, j] /= H[j, j]
    for c in range(rhs.shape[1]):
        for i in range(n):
            for k in range(i):
                rhs[i, c] -= H[i, k] * rhs[k, c]
            rhs[i, c] /= H[i, i]
        for i in range(n - 1, -1, -1):
            for k in range(i + 1, n):
                rhs[i, c] -= H[k, i] * rhs[k, c]
            rhs[i, c] /= H[i, i]


@kernel
def ground_wrench(params, j, about):
    """Force of the ground, and its moment about a point, for accelerations j; forces of a free joint count in the axes of x y z
    and of the body. A point nearby keeps the ZMP nearly linear in s, wherever the robot has walked to.
    """
    work, first, tau = params.model.work, params.model.tree.first_v[params.base], params.tau[j]
    F = tau[first], tau[first + 1], tau[first + 2]
    M = rotate(get_rotation(work.R_WB, params.base), (tau[first + 3], tau[first + 4], tau[first + 5]))
    p = get_vector(work.p_WB, params.base)
    return F, plus(M, cross(plus(p, scaled(about, -1.0)), F))


@kernel
def combined(of_0, of_1, of_2, s):
    """A vector that belongs to the accelerations a_0 + s_x (a_1 - a_0) + s_y (a_2 - a_0)."""
    rest = scaled(of_0, 1.0 - s[0] - s[1])
    return plus(rest, plus(scaled(of_1, s[0]), scaled(of_2, s[1])))


@kernel
def zmp_on(F, M, fz, z):
    """Where a wrench has its zero-moment point on a level plane; fz is its force on the plane."""
    return (z * F[0] - M[1]) / fz, (M[0] + z * F[1]) / fz


@kernel
def drive(seen, params, state, command):
    """Torques for the centre of mass to accelerate as the pendulum does, with the ZMP within the soles.

    The pelvis is accelerated along x and y by s: first so that the centre of mass accelerates as wanted; then, where the ZMP of
    the whole body is outside, so that it comes back inside, or, by a part `whole`, so that it is that of the plan. All forces
    are linear in s; Newton, as the ZMP nearly is.
    Returns the ZMP of the whole body.
    """
    tree, work, a, tau, m = params.model.tree, params.model.work, params.a, params.tau, params.mass
    c, u = center(params)
    ax, ay = follow_dcm(seen, params, state, c, u)
    for j in range(3):
        rnea(tree, work, seen.q, seen.v, params.a[j], tau[j])
    p = state.zmp[0], state.zmp[1]
    o = p[0], p[1], 0.0
    F0, M0 = ground_wrench(params, 0, o)
    F1, M1 = ground_wrench(params, 1, o)
    F2, M2 = ground_wrench(params, 2, o)
    s = solve2(F1[0] - F0[0], F2[0] - F0[0], F1[1] - F0[1], F2[1] - F0[1], m * ax - F0[0], m * ay - F0[1])
    z = height_between(state, load_share(params, state, p))
    for k in range(INSIDE):
        F, M = combined(F0, F1, F2, s), combined(M0, M1, M2, s)
        fz = max(F[2], LEAST_LOAD * m * params.gravity)
        here, zero = zmp_on(F, M, fz, z), zmp_on(F0, M0, fz, z)
        here = here[0] + o[0], here[1] + o[1]
        if k == 0:
            x, y = here[0] + params.whole * (p[0] - here[0]), here[1] + params.whole * (p[1] - here[1])
            p = within_support(params, state, (x, y))
        along, aside = zmp_on(F1, M1, fz, z), zmp_on(F2, M2, fz, z)
        more = solve2(
            along[0] - zero[0], aside[0] - zero[0], along[1] - zero[1], aside[1] - zero[1], p[0] - here[0], p[1] - here[1]
        )
        s = s[0] + more[0], s[1] + more[1]
    for d in range(len(command.tau)):
        command.tau[d] = tau[0, d] + s[0] * (tau[1, d] - tau[0, d]) + s[1] * (tau[2, d] - tau[0, d])
        params.accel[d] = a[0, d] + s[0] * (a[1, d] - a[0, d]) + s[1] * (a[2, d] - a[0, d])
    F, M = combined(F0, F1, F2, s), combined(M0, M1, M2, s)
    carry(params, state, command, load_share(params, state, p), F, plus(M, cross(o, F)))
    return p


@kernel
def carry(params, state, command, share, F, M):
    """Take the torques of the ground's forces from the legs' joints: each foot has its share of the force and of the moment
    about the point between the feet's ZMPs.
    """
    a, b = zmp_of(params, state.place[RIGHT]), zmp_of(params, state.place[LEFT])
    middle = a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), height_between(state, share)
    N = plus(M, scaled(cross(middle, F), -1.0))
    for side in range(2):
        part = share if side == LEFT else 1.0 - share
        if part > 0.0:
            at = b if side == LEFT else a
            f = scaled(F, part)
            p = sole_place(params, side)
            arm = at[0] - p[0], at[1] - p[1], state.place[side, Z] - p[2]
            moment = plus(scaled(N, part), cross(arm, f))
            J = params.rows[side]
            for d in params.leg[side]:
                command.tau[d] -= along(J, d, f, moment)
            for d in params.trunk:
                command.tau[d] -= along(J, d, f, moment)


@kernel
def along(J, d, f, moment):
    """The part of a wrench that acts along a degree of freedom."""
    x = 0.0
    for k in range(3):
        x += J[d, k] * f[k] + J[d, 3 + k] * moment[k]
    return x


@kernel
def solve2(a, b, c, d, x, y):
    det = a * d - b * c
    if abs(det) < TINY:
        return 0.0, 0.0
    return (d * x - b * y) / det, (a * y - c * x) / det
