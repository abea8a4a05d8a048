"""Legs with three axes through the hip, a knee, and two axes through the ankle: angles, rates and accelerations for a pelvis
and a foot that move.

Angles are hip yaw, roll, pitch, knee, ankle pitch, roll: R_foot = R_pelvis Rz Rx Ry Ry Ry Rx. They follow in closed form
(`core.leg`); rates and accelerations from the Jacobian of the six axes.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.leg import SpatialLeg, spatial_leg_angles
from footfall.core.spatial.algebra import compose, cross, plus, rotate, scaled
from footfall.core.trig import cos_sin

UPRIGHT = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
STRAIGHT = 1e-9  # squared sine of a knee that counts as straight: its rate is not defined there


class LegAngles(NamedTuple):
    """Six angles, and how far (m) the foot is out of the leg's reach; 0 within it."""

    angles: Any
    miss: Any


@kernel
def about_x(angle: Any) -> Any:
    c, s = cos_sin(angle)
    return 1.0, 0.0, 0.0, 0.0, c, -s, 0.0, s, c


@kernel
def about_y(angle: Any) -> Any:
    c, s = cos_sin(angle)
    return c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c


@kernel
def about_z(angle: Any) -> Any:
    c, s = cos_sin(angle)
    return c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0


@kernel
def transposed(R: Any) -> Any:
    return R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]


@kernel
def leg_angles(R_P: Any, p_hip: Any, R_F: Any, p_F: Any, thigh: Any, shank: Any) -> Any:
    """The angles that take the pelvis' axes R_P and the hip's place to the foot's axes R_F and the ankle's place p_F.

    A foot out of reach gets a straight leg that points at it.
    """
    back, none = transposed(R_P), (0.0, 0.0, 0.0)
    leg = SpatialLeg(none, UPRIGHT, thigh, shank, 0.0, 0.0, 0.0, none, UPRIGHT, (1.0, 1.0, 1.0, 1.0, 1.0, 1.0))
    ankle = rotate(back, plus(p_F, scaled(p_hip, -1.0)))
    beyond, angles = spatial_leg_angles(leg, ankle, compose(back, R_F), 1.0, 1.0, 1.0)
    return LegAngles(angles, abs(beyond))


class Body(NamedTuple):
    """A rigid body that moves: axes, place, velocity, angular velocity, and both accelerations, in world axes."""

    R: Any
    p: Any
    v: Any
    w: Any
    a: Any
    alpha: Any


@kernel
def body_of(rows: Any, k: Any) -> Any:
    """The body whose (x, y, z, roll, pitch, yaw) are rows[0, k], with rates rows[1, k] and accelerations rows[2, k]."""
    x, v, a = rows[0, k], rows[1, k], rows[2, k]
    Rz, Ry = about_z(x[5]), about_y(x[4])
    Rzy = compose(Rz, Ry)
    R = compose(Rzy, about_x(x[3]))
    z, y, e = (0.0, 0.0, 1.0), (Rz[1], Rz[4], Rz[7]), (Rzy[0], Rzy[3], Rzy[6])
    w = plus(scaled(z, v[5]), scaled(y, v[4]))
    alpha = plus(plus(scaled(z, a[5]), scaled(y, a[4])), scaled(cross(z, y), v[5] * v[4]))
    alpha = plus(plus(alpha, scaled(e, a[3])), scaled(cross(w, e), v[3]))
    w = plus(w, scaled(e, v[3]))
    return Body(R, (x[0], x[1], x[2]), (v[0], v[1], v[2]), w, (a[0], a[1], a[2]), alpha)


@kernel
def moved_to(B: Any, at: Any) -> Any:
    """The same body at a point of it; `at` in the body's axes."""
    r = rotate(B.R, at)
    v, a = cross(B.w, r), plus(cross(B.alpha, r), cross(B.w, cross(B.w, r)))
    return Body(B.R, plus(B.p, r), plus(B.v, v), B.w, plus(B.a, a), B.alpha)


@kernel
def solve_six(A: Any, b: Any) -> bool:
    """A x = b by elimination with pivots; x is left in b, A is used up. False if A is singular."""
    for k in range(6):
        best = k
        for i in range(k + 1, 6):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        if abs(A[best, k]) < 1e-9:
            return False
        if best != k:
            for j in range(6):
                A[k, j], A[best, j] = A[best, j], A[k, j]
            b[k], b[best] = b[best], b[k]
        for i in range(k + 1, 6):
            factor = A[i, k] / A[k, k]
            for j in range(k, 6):
                A[i, j] -= factor * A[k, j]
            b[i] -= factor * b[k]
    for k in range(5, -1, -1):
        for j in range(k + 1, 6):
            b[k] -= A[k, j] * b[j]
        b[k] /= A[k, k]
    return True


@kernel
def set_axes(P: Any, angles: Any, lengths: Any, axes: Any, arms: Any) -> None:
    """World axes of the six joints, and for each the arm from it to the ankle; P is the pelvis at the hip."""
    R1 = compose(P.R, about_z(angles[0]))
    R2 = compose(R1, about_x(angles[1]))
    R3 = compose(R2, about_y(angles[2]))
    R4 = compose(R3, about_y(angles[3]))
    R5 = compose(R4, about_y(angles[4]))
    shank = rotate(R4, (0.0, 0.0, -lengths[1]))
    leg = plus(rotate(R3, (0.0, 0.0, -lengths[0])), shank)
    for k in range(3):
        axes[0, k], axes[1, k], axes[2, k] = P.R[3 * k + 2], R1[3 * k], R2[3 * k + 1]
        axes[3, k], axes[4, k], axes[5, k] = R2[3 * k + 1], R2[3 * k + 1], R5[3 * k]
        arms[0, k], arms[1, k], arms[2, k], arms[3, k], arms[4, k], arms[5, k] = leg[k], leg[k], leg[k], shank[k], 0.0, 0.0


@kernel
def set_jacobian(axes: Any, arms: Any, J: Any) -> None:
    for i in range(6):
        a = (axes[i, 0], axes[i, 1], axes[i, 2])
        v = cross(a, (arms[i, 0], arms[i, 1], arms[i, 2]))
        J[0, i], J[1, i], J[2, i], J[3, i], J[4, i], J[5, i] = v[0], v[1], v[2], a[0], a[1], a[2]


@kernel
def leg_bias(P: Any, axes: Any, arms: Any, rates: Any, out: Any) -> None:
    """Acceleration of the foot with the joints at constant rates; P is the pelvis at the hip."""
    w, alpha, a = P.w, P.alpha, P.a
    for i in range(6):
        axis = (axes[i, 0], axes[i, 1], axes[i, 2])
        alpha = plus(alpha, scaled(cross(w, axis), rates[i]))
        w = plus(w, scaled(axis, rates[i]))
        here, there = (arms[i, 0], arms[i, 1], arms[i, 2]), (0.0, 0.0, 0.0)
        if i < 5:
            there = (arms[i + 1, 0], arms[i + 1, 1], arms[i + 1, 2])
        r = plus(here, scaled(there, -1.0))
        a = plus(a, plus(cross(alpha, r), cross(w, cross(w, r))))
    out[0], out[1], out[2], out[3], out[4], out[5] = a[0], a[1], a[2], alpha[0], alpha[1], alpha[2]


@kernel(inline=False)
def leg_motion(P: Any, F: Any, lengths: Any, room: Any, out: Any) -> Any:
    """out[0], out[1], out[2]: angles, rates, accelerations for the pelvis P (at the hip) and the foot F (at the ankle).

    `room` is (8, 6, 6) numbers to work in. Returns how far the foot is out of reach. Rates of a straight leg are zero.
    """
    found = leg_angles(P.R, P.p, F.R, F.p, lengths[0], lengths[1])
    axes, arms, J, work = room[0], room[1], room[2], room[3]
    for i in range(6):
        out[0, i] = found.angles[i]
    set_axes(P, found.angles, lengths, axes, arms)
    set_jacobian(axes, arms, J)
    leg = (arms[0, 0], arms[0, 1], arms[0, 2])
    dv = plus(F.v, scaled(plus(P.v, cross(P.w, leg)), -1.0))
    dw = plus(F.w, scaled(P.w, -1.0))
    for k in range(3):
        out[1, k], out[1, k + 3] = dv[k], dw[k]
    for i in range(6):
        for j in range(6):
            work[i, j] = J[i, j]
    good = np.sin(out[0, 3]) ** 2 > STRAIGHT and solve_six(work, out[1])
    if not good:
        out[1, :], out[2, :] = 0.0, 0.0
        return found.miss
    leg_bias(P, axes, arms, out[1], room[4, 0])
    for k in range(3):
        out[2, k], out[2, k + 3] = F.a[k] - room[4, 0, k], F.alpha[k] - room[4, 0, k + 3]
    for i in range(6):
        for j in range(6):
            work[i, j] = J[i, j]
    solve_six(work, out[2])
    return found.miss
