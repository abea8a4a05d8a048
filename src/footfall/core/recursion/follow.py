"""Accelerations that standing legs can follow.

The central body shall accelerate with A. Legs near the end of their reach cannot follow every A, so that the accelerations are
those of least

    (A_1 - A)'M_1 (A_1 - A) + sum over joints of light (x - urge)^2,     feet at rest

which is the motion of a robot whose legs have no mass but light rotors, and feet a thousand times as heavy as the body: the
articulated-body algorithm solves it. Fixed feet would not do. Two straight legs would fix the body twice, and a speed of a knee
that is next to nothing would ask for large accelerations. With J what a joint does to the body along the leg, the joint
accelerates with J A / (J^2 + light / M_1): at most half of A / sqrt(light / M_1), and without a jump where J changes sign. For
a bent leg the rotors are too light to matter. As a leg comes straight they grow (`soften`), as the damping of Nakamura and
Hanafusa (1986) does, so that it leaves the singularity gently.

Joints near their stops slow down (`restrain`). The force that does so is found from what a unit force on the joint would change:
the accelerations change along that column, and along no column of a joint that was slowed down before.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.recursion.aba import eliminate, substitute
from footfall.core.recursion.rnea import collect
from footfall.core.recursion.workspace import earth, reaction
from footfall.core.spatial.algebra import (
    add,
    add_column,
    add_scaled,
    column_dot,
    get_inertia,
    get_motion,
    get_rigid,
    get_rotation,
    get_vector,
    inertia_of_rigid,
    inertia_rank1_downdate,
    no_motion,
    pair,
    plus,
    put_inertia,
    put_motion,
    rigid_mass,
    rigid_times,
    rotate_rigid,
    scaled,
    shift_motion,
)

NO_LIMIT = 1e9  # N m: a motor that can do more has no limit
EASE = 5.0  # 1/s: rate at which a joint comes to its stop
SHY = 0.05  # rad, m: distance from a stop at which a joint halts; a knee that is straight or nearly so cannot lift the body
BENT = 0.0125  # squared sine of the bend from which on a leg is not softened; a knee of two equal parts then bends by 14 degrees
NOTHING = 1e-9  # rad/s2: a joint that a force on its rotor moves less than this is not moved
SOFT = 6e-4  # rotors of a straight leg, over the mass of the body and the square of the leg's length


class Scratch(NamedTuple):
    a: Any  # (nv,) accelerations
    tau: Any  # (nv,) joint forces without feet
    light: Any  # (nv,) rotors of the robot that resolves the motion
    urge: Any  # (nv,) what they are driven with
    wish: Any  # (1, MOTION) acceleration that the central body shall have
    least: Any  # (nv,) bounds of the accelerations, because of stops
    most: Any  # (nv,)
    kept: Any  # (nv,)
    stopped: Any  # (nv,) joints that slow down, as floats; the first `stops[0]` of them
    stops: Any  # (1,)
    columns: Any  # (nv, nv) a row for each of them: accelerations that a force on it adds
    reach: Any  # (MOTION, nv) joint forces without feet for unit y
    bend: Any  # (MOTION, nv) accelerations for unit y
    metric: Any  # (MOTION, MOTION) inertia of the central body
    unit: Any  # (1, MOTION)
    J: Any  # (legs, nv, MOTION) of the soles, in the feet's axes
    T: Any  # (nv, unknowns) joint forces for unit unknowns
    moves: Any  # (MOTION, MOTION) acceleration of the central body for unit y
    got: Any  # (1, MOTION) the one that comes out
    rest: Any  # (2, DIM) where the robot can still come to rest, see `balance`


@kernel(inline=False)
def resolve(tree, work, legs, scratch):
    """Accelerations of least cost: scratch.a."""
    up, none, center = get_motion(work.A_WB, 0), no_motion(), legs.center
    nothing = inertia_rank1_downdate(get_inertia(work.inertia, 0), none, 0.0)
    for i in range(1, len(tree.parent)):
        put_inertia(work.inertia, i, nothing)
        put_motion(work.force, i, none)
    for l in range(len(legs.foot)):
        put_inertia(work.inertia, int(legs.foot[l]), earth(work, legs, l))
    B = get_rigid(work.rigid, center)
    put_inertia(work.inertia, center, inertia_of_rigid(B))
    put_motion(work.force, center, reaction(rigid_times(B, get_motion(scratch.wish, 0))))
    eliminate(tree, work, scratch.urge, scratch.light)
    put_motion(work.A_WB, 0, none)  # the weight is in work.p_bias
    substitute(tree, work, scratch.a)
    put_motion(work.A_WB, 0, up)


@kernel(inline=False)
def soften(tree, work, legs, scratch):
    """Heavier rotors for legs that are nearly straight. Returns how many legs are.

    A pivot over what it would be, were the joint the only one of its leg, is the squared sine of the angle between what this
    joint and what those further out can do to the foot. It vanishes for a straight leg.
    """
    body, found = rigid_mass(get_rigid(work.rigid, legs.center)), 0
    for l in range(len(legs.foot)):
        foot, sine2, arm2 = int(legs.foot[l]), BENT, 0.0
        E = rotate_rigid(get_rotation(work.R_WB, foot), get_rigid(legs.earth, l))
        for i in range(1, len(tree.parent)):
            if legs.leg[i] == l + 1:
                r = plus(get_vector(work.p_WB, foot), scaled(get_vector(work.p_WB, i), -1.0))
                for d in range(tree.first_v[i], tree.first_v[i + 1]):
                    V = shift_motion(add_column(no_motion(), tree.turns[d], get_vector(work.axis, d), 1.0), r)
                    alone = pair(V, rigid_times(E, V))
                    arm2 = max(arm2, alone / rigid_mass(E))
                    sine2 = min(sine2, 1.0 / (work.D_inv[d] * alone))
        if sine2 < BENT:
            found += 1
            rotor = SOFT * arm2 * body * (1.0 - sine2 / BENT) ** 2
            for i in range(1, len(tree.parent)):
                if legs.leg[i] == l + 1:
                    for d in range(tree.first_v[i], tree.first_v[i + 1]):
                        scratch.urge[d] *= 1.0 + rotor / scratch.light[d]
                        scratch.light[d] += rotor
    return found


@kernel(inline=False)
def brake(tree, soles, scratch, q, v):
    """Bounds of accelerations with which joints do not reach their stops too fast.

    With s the distance from where a joint shall halt, s'' + 2 EASE s' + EASE^2 s >= 0.
    """
    for i in range(1, len(tree.parent)):
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            scratch.least[d], scratch.most[d] = -NO_LIMIT, NO_LIMIT
        d = tree.first_v[i]
        angle, rate = q[tree.first_q[i]], -2.0 * EASE * v[d]
        if soles.low[d] > -NO_LIMIT:
            scratch.least[d] = rate - EASE * EASE * (angle - soles.low[d] - SHY)
        if soles.high[d] < NO_LIMIT:
            scratch.most[d] = rate + EASE * EASE * (soles.high[d] - SHY - angle)


@kernel(inline=False)
def restrain(tree, work, legs, scratch):
    """Let joints that would reach their stops too fast slow down, the worst first."""
    a, n = scratch.a, len(scratch.a)
    scratch.stops[0] = 0
    for _ in range(n):
        worst, found, bound = 0.0, -1, 0.0
        for d in range(n):
            within = min(max(a[d], scratch.least[d]), scratch.most[d])
            if abs(within - a[d]) > worst and not is_stopped(scratch, d):
                worst, found, bound = abs(within - a[d]), d, within
        if found < 0 or not add_stop(tree, work, legs, scratch, found):
            return
        column = scratch.columns[int(scratch.stops[0]) - 1]
        step = (bound - a[found]) / column[found]
        for d in range(n):
            a[d] += step * column[d]


@kernel
def is_stopped(scratch, d):
    found = False
    for j in range(int(scratch.stops[0])):
        found = found or scratch.stopped[j] == d
    return found


@kernel
def add_stop(tree, work, legs, scratch, d):
    """Note joint d, and what a force on it adds while those noted before stay as they are. Returns False if nothing moves it."""
    a, n, count = scratch.a, len(scratch.a), int(scratch.stops[0])
    column = scratch.columns[count]
    for k in range(n):
        scratch.kept[k] = a[k]
    resolve(tree, work, legs, scratch)
    for k in range(n):
        column[k] = -a[k]
    scratch.urge[d] += scratch.light[d]
    resolve(tree, work, legs, scratch)
    scratch.urge[d] -= scratch.light[d]
    for k in range(n):
        column[k] += a[k]
        a[k] = scratch.kept[k]
    keep_stops(scratch, column)
    if not column[d] > NOTHING:
        return False
    scratch.stopped[count] = d
    scratch.stops[0] = count + 1
    return True


@kernel
def keep_stops(scratch, a):
    """Take from accelerations what they would add to those of joints that slow down."""
    for j in range(int(scratch.stops[0])):
        d, column = int(scratch.stopped[j]), scratch.columns[j]
        part = a[d] / column[d]
        for k in range(len(a)):
            a[k] -= part * column[k]


@kernel
def move_bodies(tree, work, a):
    """Accelerations of all bodies from those of the joints."""
    for i in range(1, len(tree.parent)):
        A = add(shift_motion(get_motion(work.A_WB, tree.parent[i]), get_vector(work.r_PB_W, i)), get_motion(work.c_J, i))
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            A = add_column(A, tree.turns[d], get_vector(work.axis, d), a[d])
        put_motion(work.A_WB, i, A)


@kernel(inline=False)
def settle(tree, work, legs, scratch):
    """Joint forces of the accelerations found, without feet: scratch.tau; that of the central body: scratch.got."""
    up = get_motion(work.A_WB, 0)
    put_motion(work.A_WB, 0, no_motion())
    move_bodies(tree, work, scratch.a)
    put_motion(work.A_WB, 0, up)
    gather(tree, work, scratch.a, scratch.tau)
    put_motion(scratch.got, 0, get_motion(work.A_WB, legs.center))


@kernel
def gather(tree, work, a, tau):
    """Joint forces of the present accelerations."""
    for i in range(1, len(tree.parent)):
        F = rigid_times(get_rigid(work.rigid, i), get_motion(work.A_WB, i))
        put_motion(work.force, i, add(F, get_motion(work.p_bias, i)))
    collect(tree, work, a, tau)


@kernel(inline=False)
def respond(tree, work, legs, scratch):
    """What unit accelerations of the central body would add: rows of scratch.reach. Forgets velocities and weight."""
    up, none, center = get_motion(work.A_WB, 0), no_motion(), legs.center
    put_motion(work.A_WB, 0, none)
    for i in range(1, len(tree.parent)):
        put_motion(work.c_J, i, none)
        put_motion(work.p_bias, i, none)
    for c in range(len(scratch.reach)):
        put_motion(scratch.unit, 0, none)
        scratch.unit[0, c] = 1.0
        P = rigid_times(get_rigid(work.rigid, center), get_motion(scratch.unit, 0))
        put_motion(scratch.metric, c, P)
        for d in range(len(work.u)):
            work.u[d] = 0.0
        last = tree.first_v[center + 1] - 1
        for k in range(tree.first_v[center + 1] - tree.first_v[center]):
            d = last - k
            u = column_dot(tree.turns[d], get_vector(work.axis, d), P)
            P = add_scaled(P, get_motion(work.U, d), -work.D_inv[d] * u)
            work.u[d] = u
        substitute(tree, work, scratch.bend[c])
        if scratch.stops[0] > 0:
            keep_stops(scratch, scratch.bend[c])
            move_bodies(tree, work, scratch.bend[c])
        put_motion(scratch.moves, c, get_motion(work.A_WB, center))
        gather(tree, work, scratch.bend[c], scratch.reach[c])
    put_motion(work.A_WB, 0, up)
