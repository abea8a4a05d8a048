"""Newton-Euler equations of every body, and the forces in all hinges: one system, solved along the tree.

Unknown are the acceleration A_i of every body and the force F_i that its hinge lays on it:

    M_i A_i = f_i + F_i - sum over the bodies j that i carries of X_j' F_j          (Newton-Euler)
    A_i = X_i A_p + c_i + S_i s_i,    S_i' F_i = tau_i - rotor_i s_i                (the hinge of body i on its parent p)

X_i carries a motion from the parent's origin to that of body i, the columns of S_i are the freedoms of the hinge, s_i their
accelerations. All that S_i leaves out are the constraint rows of the hinge, and F_i has its forces along them, the multipliers.
Rows with any right-hand side c_i can be solved for.

Standard name: block LDL' of a sparse KKT matrix in the order of the tree (Baraff 1996): bodies and hinges alternate from the tips
inward, nothing fills in, and the cost grows with the number of bodies. Here a body and the hinge that carries it are one pivot,
S_i' K_i S_i + rotor: bodies without mass between two hinges are then no exception, and neither hinge rows nor their multipliers
need a basis. (So eliminated, the system becomes Featherstone's articulated-body algorithm.) K_i is the inertia that the hinge
feels. Factors are kept, and each further right-hand side costs one pass in and one out.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import joint_motion
from footfall.core.spatial.algebra import (
    MOTION,
    add,
    add_scaled,
    angular,
    column,
    get_motion,
    get_rigid,
    get_rotation,
    get_vector,
    gyroscopic,
    no_motion,
    pair,
    put_motion,
    rigid_times,
    rotate_rigid,
    shift_force,
    shift_motion,
    subtract,
    velocity_product,
)


class System(NamedTuple):
    """The matrix and the right-hand side of one state. Row i belongs to body i and its hinge; the world is body 0."""

    units: Any  # (MOTION, MOTION) the unit motions
    S: Any  # (n+1, MOTION, MOTION) row k: freedom k of the hinge
    K: Any  # (n+1, MOTION, MOTION) inertia of the body alone, after `factor` with all that it carries
    Y: Any  # (n+1, MOTION, MOTION) row k of L^-1 S'K
    L: Any  # (n+1, MOTION, MOTION) L and D of the pivot S'K S + rotor = L D L'; D on the diagonal
    room: Any  # (MOTION, MOTION)
    f: Any  # (n+1, MOTION) force on the body: weight, external, less what its spin needs
    c: Any  # (n+1, MOTION) acceleration of the hinge by velocities alone
    z: Any  # (n+1, MOTION) force on the body, after the pass inward with all that it carries
    A: Any  # (n+1, MOTION) accelerations, relative to the world
    F: Any  # (n+1, MOTION) force of the hinge on the body, about the body's origin
    s: Any  # (nv,) accelerations of the hinges
    none: Any  # (n+1, MOTION) zeros
    still: Any  # (nv,) zeros


def new_system(bodies: int, nv: int, motion: int) -> System:
    """New arrays for a number of bodies, the world included, and of degrees of freedom."""
    blocks = {name: np.zeros((bodies, motion, motion)) for name in ("S", "K", "Y", "L")}
    rows = {name: np.zeros((bodies, motion)) for name in ("f", "c", "z", "A", "F", "none")}
    return System(np.eye(motion), room=np.zeros((motion, motion)), s=np.zeros(nv), still=np.zeros(nv), **blocks, **rows)


@kernel
def set_system(tree, work, system):
    """Inertias, forces and hinges of all bodies where poses, axes and velocities are set; work.A_WB[0] is minus gravity."""
    up = get_motion(work.A_WB, 0)
    for i in range(1, len(tree.parent)):
        B = rotate_rigid(get_rotation(work.R_WB, i), get_rigid(tree.rigid, i))
        w = angular(get_motion(work.V_WB, i))
        for e in range(MOTION):
            put_motion(system.K[i], e, rigid_times(B, get_motion(system.units, e)))
        put_motion(system.f, i, subtract(get_motion(work.f_ext, i), add(gyroscopic(B, w), rigid_times(B, up))))


@kernel
def set_hinges(tree, work, system, v):
    """Freedoms of all hinges, and their accelerations by velocities alone."""
    for i in range(1, len(tree.parent)):
        first = tree.first_v[i]
        for k in range(tree.first_v[i + 1] - first):
            put_motion(system.S[i], k, column(tree.turns[first + k], get_vector(work.axis, first + k)))
        w_P = angular(get_motion(work.V_WB, tree.parent[i]))
        put_motion(system.c, i, velocity_product(w_P, get_vector(work.r_PB_W, i), joint_motion(tree, work, v, i)))


@kernel
def times(K, V):
    """K V for a row of a block."""
    F = no_motion()
    for e in range(MOTION):
        F = add_scaled(F, get_motion(K, e), V[e])
    return F


@kernel
def factor_pivot(tree, system, rotor, i):
    """Y, L and D of hinge i."""
    S, K, Y, L, first = system.S[i], system.K[i], system.Y[i], system.L[i], tree.first_v[i]
    for k in range(tree.first_v[i + 1] - first):
        U = times(K, get_motion(S, k))
        for l in range(k):
            L[k, l] = pair(get_motion(S, l), U)
            for m in range(l):
                L[k, l] -= L[k, m] * L[m, m] * L[l, m]
            L[k, l] /= L[l, l]
        L[k, k] = pair(get_motion(S, k), U) + rotor[first + k]
        for l in range(k):
            L[k, k] -= L[k, l] * L[k, l] * L[l, l]
            U = add_scaled(U, get_motion(Y, l), -L[k, l])
        put_motion(Y, k, U)


@kernel
def carry(tree, system, i, r):
    """Add what the hinge of body i lets its parent feel: K - Y'D^-1 Y, carried by r."""
    K, Y, L, room = system.K[i], system.Y[i], system.L[i], system.room
    count = tree.first_v[i + 1] - tree.first_v[i]
    for e in range(MOTION):
        F = get_motion(K, e)
        for k in range(count):
            F = add_scaled(F, get_motion(Y, k), -Y[k, e] / L[k, k])
        put_motion(room, e, shift_force(F, r))
    onto = system.K[tree.parent[i]]
    for e in range(MOTION):
        for g in range(e):
            room[e, g], room[g, e] = room[g, e], room[e, g]
    for e in range(MOTION):
        put_motion(onto, e, add(get_motion(onto, e), shift_force(get_motion(room, e), r)))


@kernel
def factor(tree, work, system, rotor):
    """The factors of all pivots, from the tips inward; `system.K` has the inertias of the bodies alone."""
    for i in range(len(tree.parent) - 1, 0, -1):
        factor_pivot(tree, system, rotor, i)
        if tree.parent[i] > 0:
            carry(tree, system, i, get_vector(work.r_PB_W, i))


@kernel
def pass_inward(tree, work, system, c, tau, z, s):
    """z becomes the force on each body with all that it carries; s what is left for its hinge."""
    for i in range(len(tree.parent) - 1, 0, -1):
        g = subtract(get_motion(z, i), times(system.K[i], get_motion(c, i)))
        pass_one(tree, work, system, i, g, tau, z, s)


@kernel
def pass_one(tree, work, system, i, g, tau, z, s):
    """Let the force g on body i act on its hinge and, by it, on its parent."""
    first, count = tree.first_v[i], tree.first_v[i + 1] - tree.first_v[i]
    S, Y, L = system.S[i], system.Y[i], system.L[i]
    onward = g
    for k in range(count):
        s[first + k] = tau[first + k] + pair(get_motion(S, k), g)
        for l in range(k):
            s[first + k] -= L[k, l] * s[first + l]
        onward = add_scaled(onward, get_motion(Y, k), -s[first + k] / L[k, k])
    p = tree.parent[i]
    if p > 0:
        put_motion(z, p, add(get_motion(z, p), shift_force(onward, get_vector(work.r_PB_W, i))))


@kernel
def pass_outward(tree, work, system, c, s, A):
    """Accelerations of all hinges and bodies, from what `pass_inward` left."""
    for i in range(1, len(tree.parent)):
        first, count = tree.first_v[i], tree.first_v[i + 1] - tree.first_v[i]
        S, Y, L = system.S[i], system.Y[i], system.L[i]
        here = shift_motion(get_motion(A, tree.parent[i]), get_vector(work.r_PB_W, i))
        for t in range(count):
            k = count - 1 - t
            s[first + k] = (s[first + k] - pair(get_motion(Y, k), here)) / L[k, k]
            for l in range(k + 1, count):
                s[first + k] -= L[l, k] * s[first + l]
        here = add(here, get_motion(c, i))
        for k in range(count):
            here = add_scaled(here, get_motion(S, k), s[first + k])
        put_motion(A, i, here)


@kernel
def set_hinge_forces(tree, system, z, A, F):
    """F = K A - z, after both passes."""
    for i in range(1, len(tree.parent)):
        put_motion(F, i, subtract(times(system.K[i], get_motion(A, i)), get_motion(z, i)))


@kernel
def solve_tree(tree, work, system, tau):
    """Accelerations system.A and system.s and hinge forces system.F under the forces of the state and `tau`."""
    for i in range(1, len(tree.parent)):
        put_motion(system.z, i, get_motion(system.f, i))
    pass_inward(tree, work, system, system.c, tau, system.z, system.s)
    pass_outward(tree, work, system, system.c, system.s, system.A)
    set_hinge_forces(tree, system, system.z, system.A, system.F)


@kernel
def collect_forces(tree, work, system, a, tau):
    """The reverse: system.F and `tau` for accelerations system.A of the bodies and `a` of the hinges, before `factor`."""
    for i in range(1, len(tree.parent)):
        put_motion(system.F, i, subtract(times(system.K[i], get_motion(system.A, i)), get_motion(system.f, i)))
    for i in range(len(tree.parent) - 1, 0, -1):
        F, p = get_motion(system.F, i), tree.parent[i]
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            tau[d] = pair(get_motion(system.S[i], d - tree.first_v[i]), F) + tree.rotor[d] * a[d]
        if p > 0:
            put_motion(system.F, p, add(get_motion(system.F, p), shift_force(F, get_vector(work.r_PB_W, i))))


@kernel
def set_accelerations(tree, work, system, a):
    """system.A of all bodies from those of the hinges."""
    for i in range(1, len(tree.parent)):
        A = add(shift_motion(get_motion(system.A, tree.parent[i]), get_vector(work.r_PB_W, i)), get_motion(system.c, i))
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            A = add_scaled(A, get_motion(system.S[i], d - tree.first_v[i]), a[d])
        put_motion(system.A, i, A)
