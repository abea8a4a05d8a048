"""Dynamics with decoupled natural orthogonal complements (DeNOC) of Saha and others, for trees, in small dense matrices.

The twists t of all bodies, taken at their centres of mass, are linear in the joint rates, and the map has two factors:

    t = N_l N_d v,    N_l: blocks B_ij, the twist of body j carried to body i;   N_d: blocks p_i, the columns of joint i

The Newton-Euler equations M t' + W M t = w lose their unknown reactions when multiplied by N' = N_d' N_l'. Nothing is ever formed
as a whole: products with N_l run outward over the tree, those with N_l' inward. The generalised inertia N' M N, rotors on
its diagonal, is factorised as U D U' from the tips inward, so that forward dynamics takes time in proportion to the bodies, too.
Motions and forces have the linear part first, in world axes. A body without mass is taken at its origin.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.recursion.batch import doubtful
from footfall.core.recursion.kinematics import set_places
from footfall.core.spatial.algebra import (
    MOTION,
    add,
    add_scaled,
    angular,
    column,
    column_rate,
    first_moment,
    get_motion,
    get_rigid,
    get_rotation,
    get_vector,
    gyroscopic,
    join,
    linear,
    no_motion,
    no_vector,
    plus,
    put_motion,
    put_rigid,
    put_vector,
    rigid_times,
    rotate_rigid,
    scaled,
    shift_force,
    shift_motion,
    shift_rigid,
    spin_cross,
    subtract,
)


class Factors(NamedTuple):
    """The blocks of the matrices, and room for vectors of the length of t."""

    unit: Any  # (MOTION, MOTION) identity
    back: Any  # (n+1, MOTION, MOTION) B' of each body and its parent: the transpose, so that its rows are what unit twists become
    p: Any  # (nv, MOTION) columns of the joints
    mass: Any  # (n+1, MOTION, MOTION) M of each body
    center: Any  # (n+1, DIM) from the body's origin to its centre of mass
    span: Any  # (n+1, DIM) from the parent's centre of mass to the body's
    twist: Any  # (n+1, MOTION) t
    rate: Any  # (n+1, MOTION) t', or what takes its place in a substitution
    wrench: Any  # (n+1, MOTION) w, or what takes its place in an elimination
    whole: Any  # (n+1, MOTION, MOTION) composite or articulated mass
    psi: Any  # (nv, MOTION) whole mass times p
    spare: Any  # (2, MOTION)


def factors(bodies: int, nv: int, algebra: Any, dtype: Any = np.float64) -> Factors:
    """New arrays for a number of bodies (the world included) and degrees of freedom."""
    m, dim = algebra.MOTION, algebra.DIM
    blocks = {name: np.zeros((bodies, m, m), dtype) for name in ("back", "mass", "whole")}
    vectors = {name: np.zeros((bodies, m), dtype) for name in ("twist", "rate", "wrench")}
    arms = {name: np.zeros((bodies, dim), dtype) for name in ("center", "span")}
    columns = {name: np.zeros((nv, m), dtype) for name in ("p", "psi")}
    return Factors(unit=np.eye(m), spare=np.zeros((2, m), dtype), **blocks, **vectors, **arms, **columns)


# --- the blocks -----------------------------------------------------------------------------------------------------------


@kernel
def set_factors(tree, work, blocks, q):
    """B, p and M of all bodies."""
    set_places(tree, work, q)
    for i in range(1, len(tree.parent)):
        rigid = rotate_rigid(get_rotation(work.R_WB, i), get_rigid(tree.rigid, i))
        m = tree.rigid[i, 0]
        c = scaled(first_moment(rigid), 1.0 / m) if m > 0.0 else no_vector()
        a = plus(plus(get_vector(work.r_PB_W, i), c), scaled(get_vector(blocks.center, tree.parent[i]), -1.0))
        put_vector(blocks.center, i, c)
        put_vector(blocks.span, i, a)
        put_rigid(work.rigid, i, shift_rigid(rigid, scaled(c, -1.0)))
        for k in range(MOTION):
            e = get_motion(blocks.unit, k)
            put_motion(blocks.back[i], k, shift_motion(e, a))
            put_motion(blocks.mass[i], k, rigid_times(get_rigid(work.rigid, i), e))
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            put_motion(blocks.p, d, shift_motion(column(tree.turns[d], get_vector(work.axis, d)), c))


@kernel
def outward(back, t, out):
    """out = B t."""
    for c in range(MOTION):
        total = back[0, c] * t[0]
        for k in range(1, MOTION):
            total += back[k, c] * t[k]
        out[c] = total


@kernel
def inward(back, w, out):
    """out = out + B'w."""
    for k in range(MOTION):
        total = out[k]
        for c in range(MOTION):
            total += back[k, c] * w[c]
        out[k] = total


@kernel
def times(K, x, out):
    """out = K x for a symmetric K."""
    for k in range(MOTION):
        total = K[k, 0] * x[0]
        for c in range(1, MOTION):
            total += K[k, c] * x[c]
        out[k] = total


@kernel
def product(x, y):
    """x . y."""
    total = x[0] * y[0]
    for k in range(1, MOTION):
        total += x[k] * y[k]
    return total


@kernel
def hand_on(K, back, onto, y):
    """onto = onto + B'K B; y is room for a vector."""
    for c in range(MOTION):
        times(K, back[c], y)
        for k in range(MOTION):
            onto[k, c] += product(back[k], y)


# --- motion, and inverse dynamics -----------------------------------------------------------------------------------------


@kernel
def set_twists(tree, blocks, v):
    """t = N_l N_d v; the factors are set already."""
    for i in range(1, len(tree.parent)):
        outward(blocks.back[i], blocks.twist[tree.parent[i]], blocks.twist[i])
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            for k in range(MOTION):
                blocks.twist[i, k] += blocks.p[d, k] * v[d]


@kernel
def set_rates(tree, work, blocks, v, a):
    """t' = N_l N_d a + (N_l N_d)' v, with the world's acceleration in row 0 of work.A_WB."""
    put_motion(blocks.rate, 0, get_motion(work.A_WB, 0))
    for i in range(1, len(tree.parent)):
        p = tree.parent[i]
        t_P, t = get_motion(blocks.twist, p), get_motion(blocks.twist, i)
        w_P, w, c = angular(t_P), angular(t), get_vector(blocks.center, i)
        a_rate = linear(subtract(t, t_P))
        outward(blocks.back[i], blocks.rate[p], blocks.rate[i])
        A = add(get_motion(blocks.rate, i), join(spin_cross(w_P, a_rate), angular(no_motion())))
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            p_rate = column_rate(tree.turns[d], get_vector(work.axis, d), w_P, w, c, spin_cross(w, c))
            A = add_scaled(add_scaled(A, p_rate, v[d]), get_motion(blocks.p, d), a[d])
        put_motion(blocks.rate, i, A)


@kernel
def inverse(tree, work, blocks, q, v, a, tau):
    """tau = N_d' N_l' (M t' + W M t - w), with work.f_ext the external forces about the bodies' origins."""
    set_factors(tree, work, blocks, q)
    set_twists(tree, blocks, v)
    set_rates(tree, work, blocks, v, a)
    for i in range(1, len(tree.parent)):
        times(blocks.mass[i], blocks.rate[i], blocks.wrench[i])
        spinning = gyroscopic(get_rigid(work.rigid, i), angular(get_motion(blocks.twist, i)))
        pushed = shift_force(get_motion(work.f_ext, i), scaled(get_vector(blocks.center, i), -1.0))
        put_motion(blocks.wrench, i, add(get_motion(blocks.wrench, i), subtract(spinning, pushed)))
    collect(tree, blocks, a, tau)


@kernel
def collect(tree, blocks, a, tau):
    """tau = N_d' N_l' of what is in blocks.wrench, and the rotors."""
    for i in range(len(tree.parent) - 1, 0, -1):
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            tau[d] = product(blocks.p[d], blocks.wrench[i]) + tree.rotor[d] * a[d]
        if tree.parent[i] > 0:
            inward(blocks.back[i], blocks.wrench[i], blocks.wrench[tree.parent[i]])


# --- generalised inertia --------------------------------------------------------------------------------------------------


@kernel
def inertia(tree, work, blocks, q, G):
    """N' M N and the rotors: entries p_i' B_ji' (mass of all that j carries) p_j; those of different branches stay zero."""
    set_factors(tree, work, blocks, q)
    start_whole(tree, blocks)
    force, moved = blocks.spare[0], blocks.spare[1]
    for i in range(len(tree.parent) - 1, 0, -1):
        if tree.parent[i] > 0:
            hand_on(blocks.whole[i], blocks.back[i], blocks.whole[tree.parent[i]], force)
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            times(blocks.whole[i], blocks.p[d], force)
            j = i
            while j > 0:
                for e in range(tree.first_v[j], tree.first_v[j + 1]):
                    G[e, d] = product(blocks.p[e], force)
                    G[d, e] = G[e, d]
                for k in range(MOTION):
                    moved[k] = 0.0
                inward(blocks.back[j], force, moved)
                for k in range(MOTION):
                    force[k] = moved[k]
                j = tree.parent[j]
            G[d, d] += tree.rotor[d]


@kernel
def start_whole(tree, blocks):
    """Begin with the bodies' own masses."""
    for i in range(1, len(tree.parent)):
        for k in range(MOTION):
            for c in range(MOTION):
                blocks.whole[i, k, c] = blocks.mass[i, k, c]


@kernel
def factorise(tree, work, blocks):
    """U D U' of the generalised inertia: psi = D times the blocks of U, one over D in work.D_inv; the factors are set already."""
    start_whole(tree, blocks)
    for i in range(len(tree.parent) - 1, 0, -1):
        whole = blocks.whole[i]
        last = tree.first_v[i + 1] - 1
        for s in range(tree.first_v[i + 1] - tree.first_v[i]):
            d = last - s
            psi = blocks.psi[d]
            times(whole, blocks.p[d], psi)
            x = 1.0 / (product(blocks.p[d], psi) + tree.rotor[d])
            work.D_inv[d] = x
            for k in range(MOTION):
                for c in range(MOTION):
                    whole[k, c] -= x * psi[k] * psi[c]
        if tree.parent[i] > 0:
            hand_on(whole, blocks.back[i], blocks.whole[tree.parent[i]], blocks.spare[0])


@kernel
def solve(tree, work, blocks, x):
    """U D U' y = x + N'w, with w in blocks.wrench, which is used up; y replaces x, and N y is left in blocks.rate."""
    for i in range(len(tree.parent) - 1, 0, -1):
        w = blocks.wrench[i]
        last = tree.first_v[i + 1] - 1
        for s in range(tree.first_v[i + 1] - tree.first_v[i]):
            d = last - s
            x[d] = (x[d] + product(blocks.p[d], w)) * work.D_inv[d]
            for k in range(MOTION):
                w[k] -= blocks.psi[d, k] * x[d]
        if tree.parent[i] > 0:
            inward(blocks.back[i], w, blocks.wrench[tree.parent[i]])
    put_motion(blocks.rate, 0, no_motion())
    for i in range(1, len(tree.parent)):
        t = blocks.rate[i]
        outward(blocks.back[i], blocks.rate[tree.parent[i]], t)
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            x[d] -= product(blocks.psi[d], t) * work.D_inv[d]
            for k in range(MOTION):
                t[k] += blocks.p[d, k] * x[d]


@kernel
def forward(tree, work, blocks, q, v, tau, a):
    """Accelerations: what inverse dynamics leaves of tau at rest, through U D U'."""
    for d in range(len(v)):
        work.u[d] = 0.0
    inverse(tree, work, blocks, q, v, work.u, a)
    for d in range(len(v)):
        a[d] = tau[d] - a[d]
    clear(blocks)
    factorise(tree, work, blocks)
    solve(tree, work, blocks, a)


@kernel
def clear(blocks):
    """No forces."""
    for i in range(len(blocks.wrench)):
        put_motion(blocks.wrench, i, no_motion())


@kernel
def forward_rows(tree, work, blocks, q, v, tau, a, doubts):
    for row in range(len(q)):
        forward(tree, work, blocks, q[row], v[row], tau[row], a[row])
        doubts[row] = doubtful(work)


@kernel
def inverse_rows(tree, work, blocks, q, v, a, tau):
    for row in range(len(q)):
        inverse(tree, work, blocks, q[row], v[row], a[row], tau[row])
