"""Legs in closed form: joint angles and rates from the pose and motion of a foot against the body. Numbers in, tuples out.

In the plane a leg is hip, knee and ankle (Johnnie 2.11 to 2.17, with atan2 and with the factor of 2). In space it is hip yaw,
roll and pitch with axes that meet, a knee parallel to hip pitch, and ankle pitch and roll with axes that meet.

The leg is described where its coordinates are zero, in its own axes: x forward, y along the pitch axes, z up. There the thigh
is the vector from hip to knee, of length `thigh` and turned by `thigh_tilt` about y from straight down; likewise the shank.
All legs of the ready robots hang straight down at zero, so that both tilts are 0.

A goal out of reach gets the straight (or folded) leg that points at it, and `beyond` says how far away it is: positive if it
is too far, negative if it is too near, 0 if it is reached.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.spatial.vectors import compose, cross, rotate, rotate_back
from footfall.core.trig import cos_sin

TURN = 2.0 * np.pi


class PlanarLeg(NamedTuple):
    """A leg in the plane x-z. Vectors are those of the zero position, in the axes of the base."""

    hip: Any  # (x, z)
    thigh: float
    shank: float
    thigh_tilt: float
    shank_tilt: float
    foot: Any  # (x, z): from the ankle to the target
    foot_tilt: float  # pitch of the target
    signs: Any  # of three joints: -1 where the axis is -y


class SpatialLeg(NamedTuple):
    """A leg in space. Vectors are those of the zero position, in the axes of the leg."""

    hip: Any  # (x, y, z) in the axes of the base
    axes: Any  # the axes of the leg in those of the base, nine entries by rows
    thigh: float
    shank: float
    thigh_tilt: float
    shank_tilt: float
    aside: float  # of the ankle from the hip, along the pitch axes
    foot: Any  # (x, y, z): from the ankle to the target
    foot_axes: Any  # the axes of the target in those of the leg, nine entries by rows
    signs: Any  # of six joints: -1 where the axis points the other way


@kernel
def wrapped(angle):
    """The same angle from -pi to pi."""
    return angle - TURN * np.floor(angle / TURN + 0.5)


@kernel
def turned(angle, x, z):
    """A vector of the plane x-z, turned about y."""
    c, s = cos_sin(angle)
    return c * x + s * z, c * z - s * x


@kernel
def bounded_inverse(x, near):
    """1 / x, damped where |x| < near: at most 1.16 / near, and continuous. With near = 0 it is 1 / x; 0 has 0."""
    if x == 0.0:
        return 0.0
    if abs(x) >= near:
        return 1.0 / x
    damping = 0.25 * (near * near - x * x)  # of damped least squares; grows toward the singularity
    return x / (x * x + damping)


@kernel
def knee_of(l1, l2, x, z, bend):
    """The bend of a leg of two links from straight, for an end that is (x, z) away, and how far that is beyond its reach.

    Johnnie (2.11), and (2.13) by half the angle, which keeps its digits where the leg is nearly straight.
    """
    r = np.hypot(x, z)
    longest, shortest = l1 + l2, abs(l1 - l2)
    beyond = max(r - longest, 0.0) + min(r - shortest, 0.0)
    r = min(max(r, shortest), longest)
    knee = 2.0 * np.arctan2(np.sqrt((longest - r) * (longest + r)), np.sqrt((r - shortest) * (r + shortest)))
    return beyond, bend * knee


@kernel
def planar_leg_angles(leg, p, pitch, bend):
    """Hip, knee and ankle for a target at p with that pitch, in the axes of the base; and `beyond`.

    `bend` is +1 for a knee that points forward, -1 for one that points back.
    """
    x, z = turned(pitch - leg.foot_tilt, leg.foot[0], leg.foot[1])
    x, z = p[0] - x - leg.hip[0], p[1] - z - leg.hip[1]
    beyond, k = knee_of(leg.thigh, leg.shank, x, z, bend)
    c, s = cos_sin(k)
    hip = np.arctan2(-x, -z) - np.arctan2(leg.shank * s, leg.thigh + leg.shank * c) - leg.thigh_tilt
    knee = k + leg.thigh_tilt - leg.shank_tilt
    ankle = pitch - leg.foot_tilt - hip - knee
    one, two, three = leg.signs
    return beyond, (one * wrapped(hip), two * wrapped(knee), three * wrapped(ankle))


@kernel
def planar_leg_rates(leg, angles, velocity, near):
    """Rates of hip, knee and ankle for a velocity (vx, vz, pitch rate) of the target against the base, in the base's axes.

    `near` damps the inverse where the sine of the knee is smaller: straight and folded legs are singular.
    """
    hip, knee = leg.signs[0] * angles[0], leg.signs[1] * angles[1]
    pitch = hip + knee + leg.signs[2] * angles[2]
    vx, vz, w = velocity
    fx, fz = turned(pitch, leg.foot[0], leg.foot[1])
    vx, vz = vx - w * fz, vz + w * fx
    tx, tz = turned(hip + leg.thigh_tilt, 0.0, -leg.thigh)
    sx, sz = turned(hip + knee + leg.shank_tilt, 0.0, -leg.shank)
    dx, dz = tx + sx, tz + sz
    _, bent = cos_sin(knee + leg.shank_tilt - leg.thigh_tilt)
    inverse = bounded_inverse(bent, near) / (leg.thigh * leg.shank)
    knee_rate, hip_rate = -(vx * dx + vz * dz) * inverse, (vx * sx + vz * sz) * inverse
    return leg.signs[0] * hip_rate, leg.signs[1] * knee_rate, leg.signs[2] * (w - hip_rate - knee_rate)


@kernel
def into_leg(leg, p, R):
    """From the pose of the target in the base's axes to the hip from the ankle, in the foot's axes, and the foot's axes."""
    A, F = leg.axes, leg.foot_axes
    back = (A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8])
    foot = compose(compose(back, R), (F[0], F[3], F[6], F[1], F[4], F[7], F[2], F[5], F[8]))
    away = rotate_back(A, (p[0] - leg.hip[0], p[1] - leg.hip[1], p[2] - leg.hip[2]))
    r = rotate_back(foot, away)
    return foot, (leg.foot[0] - r[0], leg.foot[1] - r[1], leg.foot[2] - r[2])


@kernel
def spatial_leg_angles(leg, p, R, bend, over, across):
    """Hip yaw, roll, pitch, knee, ankle pitch, roll for a target at p with axes R in those of the base; and `beyond`.

    `bend`, `over` and `across` choose one of eight solutions, all +1 for a person who stands: a knee that points back, an ankle
    rolled over by half a turn, a hip rolled past the right angle are -1.
    """
    foot, r = into_leg(leg, p, R)
    radius = np.hypot(r[1], r[2])
    lean = leg.aside / radius if radius > abs(leg.aside) else np.sign(leg.aside)
    roll = np.arctan2(over * r[1], over * r[2]) + over * np.arcsin(lean)
    c, s = cos_sin(roll)
    up = s * r[1] + c * r[2]
    beyond, k = knee_of(leg.thigh, leg.shank, r[0], up, bend)
    inside = max(abs(leg.aside) - radius, 0.0)
    beyond = beyond if inside == 0.0 else -np.hypot(beyond, inside)
    knee = k + leg.thigh_tilt - leg.shank_tilt
    ck, sk = cos_sin(k)
    pitch = leg.shank_tilt - np.arctan2(leg.thigh * sk, leg.shank + leg.thigh * ck) - np.arctan2(r[0], up)
    cp, sp = cos_sin(pitch + knee)
    H = compose(compose(foot, (1.0, 0.0, 0.0, 0.0, c, s, 0.0, -s, c)), (cp, 0.0, -sp, 0.0, 1.0, 0.0, sp, 0.0, cp))
    hip = hip_angles(H, across)
    q = (hip[0], hip[1], hip[2], wrapped(knee), wrapped(pitch), wrapped(roll))
    n = leg.signs
    return beyond, (n[0] * q[0], n[1] * q[1], n[2] * q[2], n[3] * q[3], n[4] * q[4], n[5] * q[5])


@kernel
def hip_angles(H, across):
    """Yaw, roll and pitch of H = R_z R_x R_y; the other solution with across = -1."""
    yaw = np.arctan2(-across * H[1], across * H[4])
    c, s = cos_sin(yaw)
    return yaw, np.arctan2(H[7], c * H[4] - s * H[1]), np.arctan2(c * H[2] + s * H[5], c * H[0] + s * H[3])


@kernel
def spatial_leg_rates(leg, angles, velocity, near):
    """Rates of the six joints for a velocity (vx, vy, vz, wx, wy, wz) of the target against the base, in the base's axes.

    `near` damps the inverse at three singularities: the sine of the knee, the cosine of hip roll, and the height of the hip
    over the ankle's roll axis (in lengths of the leg).
    """
    n = leg.signs
    cy, sy = cos_sin(n[0] * angles[0])
    cr, sr = cos_sin(n[1] * angles[1])
    pitch, knee, ankle = n[2] * angles[2], n[3] * angles[3], n[4] * angles[4]
    ca, sa = cos_sin(n[5] * angles[5])
    C = (cy, -sy * cr, sy * sr, sy, cy * cr, -cy * sr, 0.0, sr, cr)  # the axes of hip pitch in those of the leg
    cp, sp = cos_sin(pitch + knee + ankle)
    B = compose(C, (cp, 0.0, sp, 0.0, 1.0, 0.0, -sp, 0.0, cp))  # the axes before ankle roll
    w = rotate_back(B, rotate_back(leg.axes, (velocity[3], velocity[4], velocity[5])))
    v = rotate_back(B, rotate_back(leg.axes, (velocity[0], velocity[1], velocity[2])))
    foot = rotate((1.0, 0.0, 0.0, 0.0, ca, -sa, 0.0, sa, ca), leg.foot)
    hx, hz = turned(leg.thigh_tilt - ankle - knee, 0.0, -leg.thigh)
    sx, sz = turned(leg.shank_tilt - ankle, 0.0, -leg.shank)
    f = (hx + sx, leg.aside, hz + sz)  # from hip to ankle
    turning = cross(w, (f[0] + foot[0], f[1] + foot[1], f[2] + foot[2]))
    x, y, z = v[0] - turning[0], v[1] - turning[1], v[2] - turning[2]
    long = leg.thigh + leg.shank
    roll_rate = y * bounded_inverse(f[2] / long, near) / long
    z += roll_rate * leg.aside
    _, bent = cos_sin(knee + leg.shank_tilt - leg.thigh_tilt)
    inverse = bounded_inverse(bent, near) / (leg.thigh * leg.shank)
    knee_rate, ankle_rate = -(x * f[0] + z * f[2]) * inverse, (x * hx + z * hz) * inverse
    mx, mz = turned(pitch + knee + ankle, w[0] - roll_rate, w[2])
    yaw_rate = mz * bounded_inverse(cr, near)
    hip_rate = w[1] - yaw_rate * sr - knee_rate - ankle_rate
    return n[0] * yaw_rate, n[1] * mx, n[2] * hip_rate, n[3] * knee_rate, n[4] * ankle_rate, n[5] * roll_rate


@kernel
def planar_legs_angles(leg, p, pitch, bend, angles, beyond):
    """`planar_leg_angles` for many goals."""
    for i in range(len(p)):
        beyond[i], q = planar_leg_angles(leg, (p[i, 0], p[i, 1]), pitch[i], bend)
        angles[i, 0], angles[i, 1], angles[i, 2] = q


@kernel
def spatial_legs_angles(leg, p, R, bend, angles, beyond):
    """`spatial_leg_angles` for many goals, each the solution of a person who stands, or with the knee bent back."""
    for i in range(len(p)):
        at = (p[i, 0], p[i, 1], p[i, 2])
        axes = (R[i, 0, 0], R[i, 0, 1], R[i, 0, 2], R[i, 1, 0], R[i, 1, 1], R[i, 1, 2], R[i, 2, 0], R[i, 2, 1], R[i, 2, 2])
        beyond[i], q = spatial_leg_angles(leg, at, axes, bend, 1.0, 1.0)
        for k in range(6):
            angles[i, k] = q[k]
