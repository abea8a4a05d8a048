"""The articulated-body algorithm with feet that cannot move: the limit of ever heavier feet, taken link by link.

A body that hangs on a fixed foot has F = c (B A + b) + K A + P with a factor c that grows without bound. Joint after joint is
eliminated in both orders at once, with a scalar pivot. If the leading order sees the degree of freedom S,

    d = S.B S > 0:   x = e - U.A'/d,   U = B S,   e = -S.b/d,   T = 1 - S U'/d
                     B' = B - U U'/d,                   b' = b + U e
                     K' = T'K T + rotor U U'/d^2,       P' = T'(P + K S e) + U (tau - rotor e)/d

its rate follows from the fixed feet. Otherwise the pass goes on as without them. If a leg has as many independent joints as a
body has motions, nothing of the leading order reaches the top, and K and P there are exact: no matrix is inverted.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    add,
    add_scaled,
    column_dot,
    get_inertia,
    get_motion,
    get_vector,
    inertia_rank1_downdate,
    inertia_rank2_update,
    inertia_sum,
    inertia_times,
    inertia_times_column,
    put_inertia,
    put_motion,
    shift_force,
    shift_inertia,
)


class Ties(NamedTuple):
    """The leading order of every body, B and b."""

    bound: Any  # (n+1, INERTIA)
    pull: Any  # (n+1, MOTION)
    held: Any  # (nv,) 1 where a rate follows from what is fixed, else 0


@kernel(inline=False)
def eliminate_held(tree, work, ties, tau, rotor, least):
    """Inward pass, from the bodies' own B, b, K and P to those with all they carry; `substitute` then goes outward.

    A pivot of the leading order below `least` is rounding: the foot does not see the joint.
    """
    for i in range(len(tree.parent) - 1, 0, -1):
        p = tree.parent[i]
        K, P = get_inertia(work.inertia, i), get_motion(work.force, i)
        B, b = get_inertia(ties.bound, i), get_motion(ties.pull, i)
        last = tree.first_v[i + 1] - 1
        for k in range(tree.first_v[i + 1] - tree.first_v[i]):
            d = last - k
            turns, axis = tree.turns[d], get_vector(work.axis, d)
            U, Ub = inertia_times_column(K, turns, axis), inertia_times_column(B, turns, axis)
            D, Db = column_dot(turns, axis, U) + rotor[d], column_dot(turns, axis, Ub)
            ties.held[d] = 1.0 if Db > least else 0.0
            if Db > least:
                x = 1.0 / Db
                u = -column_dot(turns, axis, b)
                e = x * u
                P = add_scaled(P, U, e)
                P = add_scaled(P, Ub, x * (tau[d] - rotor[d] * e - column_dot(turns, axis, P)))
                K = inertia_rank1_downdate(inertia_rank2_update(K, U, Ub, -x), Ub, -x * x * D)
                b = add_scaled(b, Ub, e)
                B = inertia_rank1_downdate(B, Ub, x)
                put_motion(work.U, d, Ub)
            else:
                x = 1.0 / D
                u = tau[d] - column_dot(turns, axis, P)
                P = add_scaled(P, U, x * u)
                K = inertia_rank1_downdate(K, U, x)
                put_motion(work.U, d, U)
            work.D_inv[d], work.u[d] = x, u
        if p > 0:
            r, c_J = get_vector(work.r_PB_W, i), get_motion(work.c_J, i)
            P, b = add(P, inertia_times(K, c_J)), add(b, inertia_times(B, c_J))
            put_inertia(work.inertia, p, inertia_sum(get_inertia(work.inertia, p), shift_inertia(K, r)))
            put_motion(work.force, p, add(get_motion(work.force, p), shift_force(P, r)))
            put_inertia(ties.bound, p, inertia_sum(get_inertia(ties.bound, p), shift_inertia(B, r)))
            put_motion(ties.pull, p, add(get_motion(ties.pull, p), shift_force(b, r)))
