"""The articulated-body pass of a robot with feet that cannot move: the limit of ever heavier ones, taken link by link.

A body that hangs on a fixed foot answers F = c (B A + b) + K A + P with a factor c that grows without bound. Joint after joint is
made free in both orders at once, with a scalar pivot: while the leading order sees a degree of freedom S,

    d = S.B S > 0:   x = e - U.A'/d,   U = B S,   e = -S.b/d,   T = 1 - S U'/d
                     B' = B - U U'/d,                   b' = b + U e
                     K' = T'K T + rotor U U'/d^2,       P' = T'(P + K S e) + U (tau - rotor e)/d

its rate follows from what is fixed; otherwise the pass goes on as without feet. With as many independent joints in a leg as
motions of a body, nothing of the leading order arrives at the top, and K and P there are exact: no matrix is inverted.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    add,
    add_scaled,
    along,
    fetch,
    get_inertia,
    get_motion,
    get_vector,
    inertia_moved,
    inertia_sum,
    inertia_times,
    inertia_times_column,
    inertia_with_pair,
    inertia_without,
    put_inertia,
    put_motion,
)


class Ties(NamedTuple):
    """The leading order of every body, B and b."""

    bound: Any  # (n+1, INERTIA)
    pull: Any  # (n+1, MOTION)
    held: Any  # (nv,) 1 where a rate follows from what is fixed, else 0


@kernel(inline=False)
def eliminate_held(tree, work, ties, tau, rotor, least):
    """Inward, from the bodies' own B, b, K and P, and leaves theirs with all they carry; `substitute` then goes outward.

    A pivot of the leading order below `least` is rounding: the joint is not seen.
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
            D, Db = along(turns, axis, U) + rotor[d], along(turns, axis, Ub)
            ties.held[d] = 1.0 if Db > least else 0.0
            if Db > least:
                x = 1.0 / Db
                u = -along(turns, axis, b)
                e = x * u
                P = add_scaled(P, U, e)
                P = add_scaled(P, Ub, x * (tau[d] - rotor[d] * e - along(turns, axis, P)))
                K = inertia_without(inertia_with_pair(K, U, Ub, -x), Ub, -x * x * D)
                b = add_scaled(b, Ub, e)
                B = inertia_without(B, Ub, x)
                put_motion(work.answer, d, Ub)
            else:
                x = 1.0 / D
                u = tau[d] - along(turns, axis, P)
                P = add_scaled(P, U, x * u)
                K = inertia_without(K, U, x)
                put_motion(work.answer, d, U)
            work.pivot[d], work.load[d] = x, u
        if p > 0:
            r, swing = get_vector(work.arm, i), get_motion(work.swing, i)
            P, b = add(P, inertia_times(K, swing)), add(b, inertia_times(B, swing))
            put_inertia(work.inertia, p, inertia_sum(get_inertia(work.inertia, p), inertia_moved(K, r)))
            put_motion(work.force, p, add(get_motion(work.force, p), fetch(P, r)))
            put_inertia(ties.bound, p, inertia_sum(get_inertia(ties.bound, p), inertia_moved(B, r)))
            put_motion(ties.pull, p, add(get_motion(ties.pull, p), fetch(b, r)))
