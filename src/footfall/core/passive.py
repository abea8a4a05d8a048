"""Passive joint forces: springs, dampers, and elastic tendons across one or several joints.

A tendon is longer than at the zero of its joints by l(q) = sum r . theta, with moment arms r that do not change: theta is the
coordinate of a hinge or slide, and the rotation vector of a ball joint, R = exp(theta). With the stretch s = l - slack it pulls
with f = k s + c s', and a cord only where s > 0 and f > 0. Its joint forces are -f dl/dq. About a ball joint (angular velocity in
the child's axes) dl/dq is J' r with J the inverse of the right Jacobian of exp (Chirikjian),

    J = 1 + [theta]/2 + kappa [theta]^2,    kappa = (1 - phi/2 cot(phi/2)) / phi^2,    phi = |theta|

so that the forces are the gradient of k s^2 / 2, and energy is kept for any turn below half a circle.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.joints import SPHERICAL
from footfall.core.manifold import quaternion_at, quaternion_log

SMALL = 1e-2  # rad^2: below this the series of kappa is exact to rounding


class Springs(NamedTuple):
    """Spring and damper of every degree of freedom."""

    coordinate: Any  # (nv,) int: its entry of q, where it has one
    damping: Any  # (nv,)
    stiffness: Any  # (nv,)
    rest: Any  # (nv,)


class Tendons(NamedTuple):
    """Tendon t spans the joints of bodies joint[first[t] : first[t + 1]]."""

    first: Any  # (n + 1,) int
    joint: Any  # (m,) int
    arm: Any  # (m, 3) moment arms; of a hinge or slide in the first entry
    stiffness: Any  # (n,)
    slack: Any  # (n,)
    damping: Any  # (n,)
    pushes: Any  # (n,) int: 1 for one that acts both ways, 0 for a cord
    implicit: Any  # (n,) 1 for one that is stiff for the time step: it acts at its end
    gradient: Any  # (nv,) dl/dq of the tendon at hand
    tau: Any  # (nv,) joint forces of all tendons in the last kick
    inertia: Any  # (nv,) what stiff ones add to the inertia of joints in a kick


@kernel
def ball_gradient(q, j, r):
    """dl/dq of a ball joint with the quaternion at q[j], and its part of l."""
    x, y, z = quaternion_log(quaternion_at(q, j))
    square = x * x + y * y + z * z
    if square < SMALL:
        kappa = 1.0 / 12.0 + square * (1.0 / 720.0 + square * (1.0 / 30240.0 + square / 1209600.0))
    else:
        half = 0.5 * np.sqrt(square)
        kappa = (1.0 - half * np.cos(half) / np.sin(half)) / square
    cx, cy, cz = y * r[2] - z * r[1], z * r[0] - x * r[2], x * r[1] - y * r[0]
    dx, dy, dz = y * cz - z * cy, z * cx - x * cz, x * cy - y * cx
    l = r[0] * x + r[1] * y + r[2] * z
    return r[0] - 0.5 * cx + kappa * dx, r[1] - 0.5 * cy + kappa * dy, r[2] - 0.5 * cz + kappa * dz, l


@kernel
def tendon_length(tendons, tree, q, t):
    """The length l of tendon t, from that at the zero of its joints. Sets its gradient at the joints that it spans."""
    length, g = 0.0, tendons.gradient
    for m in range(tendons.first[t], tendons.first[t + 1]):
        i = tendons.joint[m]
        j, d = tree.first_q[i], tree.first_v[i]
        if tree.kind[i] == SPHERICAL:
            g[d], g[d + 1], g[d + 2], part = ball_gradient(q, j, (tendons.arm[m, 0], tendons.arm[m, 1], tendons.arm[m, 2]))
            length += part
        else:
            g[d] = tendons.arm[m, 0]
            length += g[d] * q[j]
    return length


@kernel
def along(tendons, tree, v, t):
    """The rate of l for velocities v, and the sum of all |dl/dq|; the gradient is set."""
    rate, whole = 0.0, 0.0
    for m in range(tendons.first[t], tendons.first[t + 1]):
        i = tendons.joint[m]
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            rate += tendons.gradient[d] * v[d]
            whole += abs(tendons.gradient[d])
    return rate, whole


@kernel
def pull_of(tendons, t, stretch, rate):
    """The force of tendon t; a cord does not push."""
    force = tendons.stiffness[t] * stretch + tendons.damping[t] * rate
    if tendons.pushes[t] or (stretch > 0.0 and force > 0.0):
        return force
    return 0.0


@kernel(inline=False)
def set_tendon_forces(tendons, tree, q, v, v_now, kick, h):
    """Set `tau` and `inertia`: tendons at the instant of q, with dampers at the velocity v_now.

    One that is stiff for the time step acts at its end, a time h from now (implicit Euler; v is the velocity before the kick).
    Between several joints its matrix k h r r' is replaced by a diagonal one that is nowhere smaller, which is stable as well.
    """
    for d in range(len(v)):
        tendons.tau[d], tendons.inertia[d] = 0.0, 0.0
    for t in range(len(tendons.stiffness)):
        stretch = tendon_length(tendons, tree, q, t) - tendons.slack[t]
        ends = tendons.implicit[t] > 0.0 and kick > 0.0
        rate, whole = along(tendons, tree, v if ends else v_now, t)
        force = pull_of(tendons, t, stretch + (h * rate if ends else 0.0), rate)
        if force == 0.0:
            continue
        added = kick * (tendons.stiffness[t] * h + tendons.damping[t]) * whole if ends else 0.0
        for m in range(tendons.first[t], tendons.first[t + 1]):
            i = tendons.joint[m]
            for d in range(tree.first_v[i], tree.first_v[i + 1]):
                tendons.tau[d] -= force * tendons.gradient[d]
                tendons.inertia[d] += added * abs(tendons.gradient[d])


@kernel(inline=False)
def set_passive_forces(tree, springs, tendons, q, v, tau):
    """Joint forces of springs, dampers and tendons in a state."""
    set_tendon_forces(tendons, tree, q, v, v, 0.0, 0.0)
    for d in range(len(v)):
        tau[d] = tendons.tau[d] - springs.damping[d] * v[d]
        if springs.stiffness[d] > 0.0:
            tau[d] -= springs.stiffness[d] * (q[springs.coordinate[d]] - springs.rest[d])


@kernel(inline=False)
def measure_tendons(tendons, tree, q, v, length, pull):
    """Length and force of every tendon, for rows of states."""
    for row in range(len(q)):
        for t in range(len(tendons.stiffness)):
            length[row, t] = tendon_length(tendons, tree, q[row], t)
            rate, _ = along(tendons, tree, v[row], t)
            pull[row, t] = pull_of(tendons, t, length[row, t] - tendons.slack[t], rate)
