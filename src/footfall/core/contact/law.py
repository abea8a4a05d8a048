"""Contact inside the articulated-body pass.

A contact at the point x of a body exerts the force f. Written with the force `carried` over from before,

    z = carried - (J w + c) / (R h),     f = z where it sticks, nothing where z pulls, z cut to the friction cone where it slides

with w the velocity after the step, J w + c what must vanish (c is the gap, and the distance from where it stuck, over the step),
and R a softness. Where it sticks this is a point mass 1/R added to the body, where it slides the same along the normal only, so
one solve is one ordinary articulated-body pass and redundant contacts do no harm. Carrying the force over makes R vanish: in
balance z = carried, hence J w + c = 0. A compliant contact is the same with its own R, which may be another along the ground than
along the normal, and nothing carried over.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.edges import FAR, locate_on_profile
from footfall.core.contact.ground import PROFILE
from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    contact_point,
    dot,
    force_at,
    get_inertia,
    get_motion,
    get_rotation,
    get_vector,
    inertia_lateral,
    inertia_of_rigid,
    inertia_rank1_downdate,
    inertia_sum,
    lateral_part,
    linear,
    no_vector,
    plus,
    point_rigid,
    put_inertia,
    put_motion,
    put_vector,
    rolling_direction,
    rotate,
    scaled,
    shift_motion,
    subtract,
    surface,
)

OPEN, STICK, SLIDE = 0, 1, 2  # modes, as reported
RESTS = 2  # of `sticks`: its friction is full and stays as it was, and others of its foot hold it
UNLIMITED = 1e30  # N: grip of a contact of which no force is known yet, so that it first tries to stick
MAX_ITERATIONS = 8  # for the point in which an arc touches curved ground
SAME_NORMAL = 1e-24  # square of how much it may differ
TINY = 1e-100  # N: forces below this have no direction; their squares are zero


class ContactGeometry(NamedTuple):
    """What can touch the ground; row k is one contact. First come the pads themselves, each a point or an arc. On ground with
    edges a pad may touch in more places than one, and so may the straight line from pad to pad: those contacts come after.
    """

    owner: Any  # (n,) int: the pad that feels it
    other: Any  # (n,) int: and the pad at the end of a straight line, otherwise the same
    next: Any  # (n,) int: the next contact of the same pad or line, round and round

    body: Any  # (n,) int
    right: Any  # (n,) int: 1 for those of every second foot
    at: Any  # (n, DIM) point, or centre of the arc, in the body's axes
    radius: Any  # (n,) 0 for a point
    low: Any  # (n,) ends of the arc: angles from `-up` toward `front`
    high: Any
    length: Any  # (n,) of a straight line, which begins at `at` and goes to the front
    half: Any  # (n, 3, DIM) and from there along the sides of its block, to their middle
    front: Any  # (n, DIM) the arc's own axes on the body
    up: Any
    friction: Any  # (n,)
    restitution: Any  # (n,) restitution
    stiffness: Any  # (n,) 0 for a rigid contact
    damping: Any  # (n,)
    tangential_stiffness: Any  # (n,) the same along the ground
    tangential_damping: Any  # (n,)
    bonded: Any  # (n,) int: 1 while it is held, whatever pulls


class ContactState(NamedTuple):
    """The state of every contact, and what the solver needs of it."""

    mode: Any  # (n,) int, after the last step
    active: Any  # (n,) int: 1 takes part in this step
    closed: Any  # (n,) int: 1 if the normal force is assumed to press
    sticks: Any  # (n,) int: 1 if friction is assumed to hold, RESTS if it is fixed while others hold
    gap: Any  # (n,)
    normal: Any  # (n, DIM)
    feature: Any  # (n,) int: of ground with edges, what it touches
    r_BC_W: Any  # (n, DIM) from the body's origin
    roll: Any  # (n,) along the arc or line
    anchor: Any  # (n, DIM) where it sticks
    anchor_roll: Any  # (n,)
    anchored: Any  # (n,) int: 0 if it sticks from now on, where it will be found next
    error: Any  # (n, DIM) what must vanish: gap along the normal, way from the anchor across it
    v: Any  # (n, DIM) before the step
    R_n: Any  # (n,) R along the normal
    R_t: Any  # (n,) and along the ground
    bias: Any  # (n, DIM) c
    f_t_max: Any  # (n,) largest friction force, kept fixed while the modes are found
    f_t_max_step: Any  # (n,) the one of the step before
    f_t_max_round: Any  # (n,) the one before in this step
    residual: Any  # (n,) what it lacks to friction times what presses
    residual_round: Any  # (n,) the same of the round before
    limited: Any  # (n,) int: 1 if its grip decides what it does
    delta_x: Any  # (DEPTH, n) changes of grip in the rounds before
    delta_r: Any  # (DEPTH, n) and of what was lacking
    gram: Any  # (DEPTH, DEPTH + 1) room
    depth: Any  # (1,) int: rounds remembered
    secant: Any  # (n,) how what it lacks changes with it, the sign turned
    multiplier: Any  # (n, DIM)
    force: Any  # (n, DIM)
    v_next: Any  # (n, DIM) velocity after the step, at the point from which the modes were read
    f_model: Any  # (n, DIM) force that led to it
    v_trial: Any  # (n, DIM) the same of the newest pass
    f_trial: Any  # (n, DIM)
    slip_direction: Any  # (n, DIM) direction of friction where it slides
    curvature: Any  # (n,) how much of it turns with the velocity
    impacting: Any  # (n,) int: 1 if it strikes the ground now
    kick: Any  # (1,) s: of the last kick
    overlooked: Any  # (n,) int: 1 if it came near only by this kick
    substepping: Any  # (1,) int: 1 if the last drift was a part of the time there was
    impacts: Any  # (1,) int: impacts within this step


class PadResultants(NamedTuple):
    """What pads feel, all their contacts together; mode and force are those of `ContactState` if each has but one."""

    mode: Any  # (pads,) int
    force: Any  # (pads, DIM)
    point: Any  # (pads, DIM) where it acts


@kernel
def sum_contacts(geometry, contact, work, resultant):
    """Sum up what pads feel, if they have more contacts than one: else `resultant` is `contact`, but for the points.

    A force on the line between two is shared as by a lever.
    """
    count = len(resultant.mode)
    for k in range(len(geometry.body) if len(geometry.body) > count else 0):
        f, p = get_vector(contact.force, k), plus(get_vector(work.p_WB, geometry.body[k]), get_vector(contact.r_BC_W, k))
        if k < count:
            resultant.mode[k] = contact.mode[k]
            put_vector(resultant.force, k, f)
            put_vector(resultant.point, k, p)
        elif contact.mode[k] != OPEN:
            if geometry.length[k] > 0.0:
                fraction = contact.roll[k] / geometry.length[k]
                add_to_resultant(
                    resultant,
                    geometry.owner[k],
                    contact.mode[k],
                    scaled(f, 1.0 - fraction),
                    get_vector(resultant.point, geometry.owner[k]),
                )
                add_to_resultant(
                    resultant,
                    geometry.other[k],
                    contact.mode[k],
                    scaled(f, fraction),
                    get_vector(resultant.point, geometry.other[k]),
                )
            else:
                add_to_resultant(resultant, geometry.owner[k], contact.mode[k], f, p)


@kernel
def set_pad_points(geometry, contact, work, resultant):
    """Where pads with one contact each touch; for others `sum_contacts` says it."""
    for k in range(len(geometry.body) if len(geometry.body) == len(resultant.mode) else 0):
        put_vector(resultant.point, k, plus(get_vector(work.p_WB, geometry.body[k]), get_vector(contact.r_BC_W, k)))


@kernel
def add_to_resultant(resultant, o, mode, f, p):
    """One more force f at p on pad o: together they act where the larger acts more."""
    before = get_vector(resultant.force, o)
    size, more = np.sqrt(dot(before, before)), np.sqrt(dot(f, f))
    fraction = more / (size + more) if more > 0.0 else 0.0
    old = get_vector(resultant.point, o)
    put_vector(resultant.point, o, plus(old, scaled(plus(p, scaled(old, -1.0)), fraction)))
    put_vector(resultant.force, o, plus(before, f))
    if resultant.mode[o] != STICK:
        resultant.mode[o] = mode


@kernel
def locate(ground, geometry, contact, work):
    """Gap, normal and contact point of every contact; turns and places are set already."""
    if ground.kind == PROFILE:
        locate_on_profile(ground, geometry, contact, work)
    else:
        for k in range(len(geometry.body)):
            locate_one(ground, geometry, contact, work, k)


@kernel
def locate_one(ground, geometry, contact, work, k):
    """Where contact k touches ground without edges, of which only a pad's first contact knows."""
    body = geometry.body[k]
    R, p_WB = get_rotation(work.R_WB, body), get_vector(work.p_WB, body)
    x, roll = rotate(R, get_vector(geometry.at, k)), 0.0
    gap, n = surface(ground, plus(p_WB, x))
    if geometry.radius[k] > 0.0:
        for _ in range(MAX_ITERATIONS):  # it touches where the ground has the normal that it touches with
            x, roll = contact_point(geometry, k, R, n)
            last = n
            gap, n = surface(ground, plus(p_WB, x))
            change = plus(n, scaled(last, -1.0))
            if dot(change, change) < SAME_NORMAL:
                break
    contact.gap[k] = gap if geometry.owner[k] == k else FAR
    contact.roll[k] = roll
    put_vector(contact.normal, k, n)
    put_vector(contact.r_BC_W, k, x)


@kernel
def set_error(geometry, contact, work, k):
    """What must vanish of contact k: the gap, and where it sticks the way from its anchor, rolling allowed for."""
    n = get_vector(contact.normal, k)
    e = scaled(n, contact.gap[k])
    if contact.mode[k] == STICK and not contact.anchored[k]:
        set_anchor(geometry, contact, work, k, no_vector())
    if contact.mode[k] == STICK:
        body = geometry.body[k]
        p = plus(get_vector(work.p_WB, body), get_vector(contact.r_BC_W, k))
        slipped = plus(p, scaled(get_vector(contact.anchor, k), -1.0))
        if geometry.radius[k] > 0.0 or geometry.length[k] > 0.0:
            rolled, around = contact.roll[k] - contact.anchor_roll[k], 2.0 * np.pi * geometry.radius[k]
            if around > 0.0:
                rolled -= around * np.floor(rolled / around + 0.5)  # past the top of a whole wheel
            slipped = plus(slipped, scaled(rolling_direction(geometry, k, get_rotation(work.R_WB, body), n), -rolled))
        e = slipped if geometry.bonded[k] else plus(e, plus(slipped, scaled(n, -dot(slipped, n))))
    put_vector(contact.error, k, e)


@kernel
def set_anchor(geometry, contact, work, k, e):
    """Let contact k stick where it is, but for e, which it has to make good. To be called with places as they are now."""
    p = plus(get_vector(work.p_WB, geometry.body[k]), get_vector(contact.r_BC_W, k))
    put_vector(contact.anchor, k, plus(p, scaled(e, -1.0)))
    contact.anchor_roll[k] = contact.roll[k]
    contact.anchored[k] = 1


@kernel
def over_compliance(contact, k, y, h):
    """y / (R h)."""
    out = scaled(y, 1.0 / (contact.R_t[k] * h))
    if contact.R_t[k] != contact.R_n[k]:
        n = get_vector(contact.normal, k)
        out = plus(out, scaled(n, dot(n, y) * (1.0 / contact.R_n[k] - 1.0 / contact.R_t[k]) / h))
    return out


@kernel
def proximal(geometry, contact, k, w, h):
    """The force that contact k exerts when its velocity after the step is w, and the z that it comes from."""
    n = get_vector(contact.normal, k)
    excess = over_compliance(contact, k, plus(w, get_vector(contact.bias, k)), h)
    z = plus(get_vector(contact.multiplier, k), scaled(excess, -1.0))
    if geometry.bonded[k]:
        return z, z
    z_n = dot(z, n)
    if contact.sticks[k] == RESTS:
        return plus(held_friction(contact, k), scaled(n, max(z_n, 0.0))), z
    z_t = plus(z, scaled(n, -z_n))
    size, f_t_max = np.sqrt(dot(z_t, z_t)), contact.f_t_max[k]
    f = scaled(z_t, 1.0 if size <= f_t_max else f_t_max / size)
    return plus(f, scaled(n, max(z_n, 0.0))), z


@kernel
def held_friction(contact, k):
    """The friction of a contact that rests."""
    f, n = get_vector(contact.multiplier, k), get_vector(contact.normal, k)
    return plus(f, scaled(n, -dot(f, n)))


@kernel
def read_modes(geometry, contact, k, h):
    """Assume of contact k what it would do at the velocity `v_next`."""
    n = get_vector(contact.normal, k)
    _, z = proximal(geometry, contact, k, get_vector(contact.v_next, k), h)
    z_n = dot(z, n)
    z_t = plus(z, scaled(n, -z_n))
    size, f_t_max = np.sqrt(dot(z_t, z_t)), contact.f_t_max[k]
    closed = 1 if z_n > 0.0 or geometry.bonded[k] else 0
    if contact.sticks[k] == RESTS:
        contact.closed[k] = closed
        return
    sticks = 1 if (size <= f_t_max and f_t_max > 0.0) or geometry.bonded[k] else 0
    contact.closed[k], contact.sticks[k] = closed, sticks
    if not sticks:
        put_vector(contact.slip_direction, k, scaled(z_t, 1.0 / max(size, TINY)))
        contact.curvature[k] = min(f_t_max / max(size, TINY), 1.0)


@kernel
def add_contact(geometry, contact, work, k, h):
    """Add contact k, as it is assumed to be, to the inertia and force of its body."""
    body, x, n = geometry.body[k], get_vector(contact.r_BC_W, k), get_vector(contact.normal, k)
    stiff, firm = 1.0 / contact.R_n[k], 1.0 / contact.R_t[k]
    # z without the part that the acceleration makes: carried - (J v + c)/(R h) + J lean/R
    a_bias = linear(shift_motion(get_motion(work.a_bias, body), x))
    missing = plus(get_vector(contact.v, k), scaled(a_bias, -h))
    excess = over_compliance(contact, k, plus(missing, get_vector(contact.bias, k)), h)
    z = plus(get_vector(contact.multiplier, k), scaled(excess, -1.0))
    z_n = dot(z, n)
    K = get_inertia(work.inertia, body)
    if contact.sticks[k] == 1:
        f = z if contact.closed[k] else plus(z, scaled(n, -z_n))
        K = inertia_sum(K, inertia_of_rigid(point_rigid(firm, x)))
        less = firm - stiff if contact.closed[k] else firm
        if less != 0.0:
            K = inertia_rank1_downdate(K, force_at(n, x), less)
    else:
        if contact.sticks[k] == RESTS:
            f = held_friction(contact, k)
        else:
            d, bend = get_vector(contact.slip_direction, k), contact.curvature[k] * firm
            f = scaled(d, contact.f_t_max[k])
            f = plus(f, lateral_part(n, d, plus(get_vector(contact.v_next, k), scaled(missing, -1.0)), bend / h))
            K = inertia_lateral(K, n, d, x, bend)
        if contact.closed[k]:
            f = plus(f, scaled(n, z_n))
            K = inertia_rank1_downdate(K, force_at(n, x), -stiff)
    put_inertia(work.inertia, body, K)
    put_motion(work.force, body, subtract(get_motion(work.force, body), force_at(f, x)))


@kernel
def contact_residual(geometry, contact, work, k, h):
    """Velocity after the step of contact k, and the force that was assumed for it. Returns how far the force is off."""
    body, x, n = geometry.body[k], get_vector(contact.r_BC_W, k), get_vector(contact.normal, k)
    a = linear(shift_motion(subtract(get_motion(work.A_WB, body), get_motion(work.a_bias, body)), x))
    w = plus(get_vector(contact.v, k), scaled(a, h))
    f, z = proximal(geometry, contact, k, w, h)
    z_n = dot(z, n)
    if contact.sticks[k] == 1:
        model = z if contact.closed[k] else plus(z, scaled(n, -z_n))
    else:
        if contact.sticks[k] == RESTS:
            model = held_friction(contact, k)
        else:
            d = get_vector(contact.slip_direction, k)
            turned = plus(get_vector(contact.v_next, k), scaled(w, -1.0))
            model = plus(scaled(d, contact.f_t_max[k]), lateral_part(n, d, turned, contact.curvature[k] / (contact.R_t[k] * h)))
        if contact.closed[k]:
            model = plus(model, scaled(n, z_n))
    put_vector(contact.v_trial, k, w)
    put_vector(contact.f_trial, k, model)
    put_vector(contact.force, k, f)
    residual = plus(f, scaled(model, -1.0))
    return np.sqrt(dot(residual, residual))


@kernel
def contact_merit_slope(geometry, contact, k, alpha, h):
    """Part of contact k in the slope of the merit, `alpha` of the way from the last point to the newest."""
    v_next, dv = get_vector(contact.v_next, k), plus(get_vector(contact.v_trial, k), scaled(get_vector(contact.v_next, k), -1.0))
    f, _ = proximal(geometry, contact, k, plus(v_next, scaled(dv, alpha)), h)
    model = plus(scaled(get_vector(contact.f_model, k), 1.0 - alpha), scaled(get_vector(contact.f_trial, k), alpha))
    return dot(dv, plus(model, scaled(f, -1.0)))


@kernel
def move_contact(contact, k, alpha):
    """Take `alpha` of the way from the last point to the newest."""
    v_next, f_model = get_vector(contact.v_next, k), get_vector(contact.f_model, k)
    put_vector(contact.v_next, k, plus(scaled(v_next, 1.0 - alpha), scaled(get_vector(contact.v_trial, k), alpha)))
    put_vector(contact.f_model, k, plus(scaled(f_model, 1.0 - alpha), scaled(get_vector(contact.f_trial, k), alpha)))
