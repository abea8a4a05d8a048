"""Contact geometry and contact state: all that can touch the ground, where it touches, and how far from its anchor it is."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.edges import FAR, end_at, is_on, lies_along, locate_on_profile, touching_point
from footfall.core.ground import PROFILE, SLOPE
from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    ball_roll,
    dot,
    get_rotation,
    get_vector,
    no_vector,
    plus,
    put_rotation,
    put_vector,
    rolling_direction,
    rotate,
    scaled,
    surface,
)

OPEN, STICK, SLIDE = 0, 1, 2  # modes, as reported
RESTS = 2  # value of `sticks`: friction is at its limit and kept fixed, while other contacts of the foot hold it still
ON_CONE = 4  # added to `sticks` for the rest of a kick: its force is projected on the friction cone itself
MAX_ITERATIONS = 8  # of the search for the point in which an arc touches curved ground
SAME_NORMAL = 1e-24  # squared change of the normal at which that search ends


class ContactGeometry(NamedTuple):
    """Contact geometry: all that can touch the ground, constant in a run. Row k is one contact.

    The pads come first, each a point or an arc. On ground with edges a pad may touch in several places, and so may the straight
    line from pad to pad; their contacts come after the pads.
    """

    owner: Any  # (n,) int: the pad that it belongs to
    other: Any  # (n,) int: the pad at the other end, for a contact of a line; otherwise the same pad
    next: Any  # (n,) int: the next contact of the same pad or line, in a ring
    spare: Any  # (n,) int: for an arc with two ends, the contact of its other end; for that one itself; else 0
    middle: Any  # (n, 2) cosine and sine of the angle in the middle of an arc
    closing: Any  # (n,) cosine of the angle from there to its ends; less than any if it has none
    tips: Any  # (n, 2, 3) angle of each end, its sine and its cosine

    body: Any  # (n,) int
    side: Any  # (n,) int: 1 for those on the right (of every second foot), 2 in the middle of the robot
    at: Any  # (n, DIM) point, or centre of the arc, in the body's axes
    radius: Any  # (n,) 0 for a point
    ball: Any  # (n,) int: 1 for a ball in space; otherwise what is round is an arc
    low: Any  # (n,) ends of the arc: angles from `-up` toward `front`
    high: Any
    length: Any  # (n,) of a straight line, which begins at `at` and goes to the front
    half: Any  # (n, 3, DIM) and from there along the sides of its block, to their middle
    front: Any  # (n, DIM) the arc's own axes on the body
    up: Any
    friction: Any  # (n,)
    restitution: Any  # (n,) coefficient of restitution
    stiffness: Any  # (n,) 0 for a rigid contact
    damping: Any  # (n,)
    tangential_stiffness: Any  # (n,) the same along the ground
    tangential_damping: Any  # (n,)
    mobility: Any  # (n,) 1/kg: of the points of its foot together, at the start
    bonded: Any  # (n,) int: 1 if it is glued to the ground: it neither opens nor slides


class ContactState(NamedTuple):
    """Contact state: what every contact does, and the solver's variables of it."""

    mode: Any  # (n,) int: OPEN, STICK or SLIDE, after the last step
    active: Any  # (n,) int: 1 if it takes part in this step
    closed: Any  # (n,) int: 1 if the present iterate has a normal force
    sticks: Any  # (n,) int: 1 if it sticks in the present iterate, RESTS if its friction is kept fixed, more if ON_CONE
    gap: Any  # (n,)
    normal: Any  # (n, DIM)
    feature: Any  # (n,) int: face or corner that it touches, on ground with edges; else -1
    r_BC_W: Any  # (n, DIM) from the body's origin to the contact, in world axes
    roll: Any  # (n,) position along the arc or line
    anchor: Any  # (n, DIM) where it sticks
    anchor_roll: Any  # (n,)
    anchor_R: Any  # (n, ROTATION) of its body there; of balls only
    anchor_n: Any  # (n, DIM) of balls the normal there, of round soles the direction in which they roll
    anchored: Any  # (n,) int: 0 if it begins to stick, and its anchor is where it is found next
    error: Any  # (n, DIM) position error: the gap along the normal, the slip from the anchor across it
    v: Any  # (n, DIM) velocity before the step
    mass_n: Any  # (n,) 1/R along the normal
    mass_t: Any  # (n,) and along the ground
    bias: Any  # (n, DIM) velocity J w must be its negative
    dilation: Any  # (n,) m/s: De Saxce's correction, mu |slip| in the last round; part of the bias where it is ON_CONE
    f_t_max: Any  # (n,) limit of friction, fixed within a round
    f_t_max_step: Any  # (n,) that of the step before
    f_t_max_round: Any  # (n,) that of the round before
    residual: Any  # (n,) mu f_n - f_t_max, with what is carried over
    carry: Any  # (n,) N s: impulse of friction that lacked in the last kick, within the tolerance; this kick makes up for it
    residual_round: Any  # (n,) that of the round before
    limited: Any  # (n,) int: 1 if f_t_max acts on the motion: it slides, or is about to
    delta_x: Any  # (DEPTH, n) Anderson acceleration: changes of f_t_max in the last rounds
    delta_r: Any  # (DEPTH, n) and of the residual
    gram: Any  # (DEPTH, DEPTH + 1) its normal equations
    depth: Any  # (1,) int: how many changes are stored
    secant: Any  # (n,) minus d residual / d f_t_max, estimated from the last two rounds
    multiplier: Any  # (n, DIM) of the augmented Lagrangian: force of the last round
    force: Any  # (n, DIM) force by the law
    v_next: Any  # (n, DIM) velocity at the end of the step, present iterate
    f_model: Any  # (n, DIM) force in the linear model of that iterate
    v_trial: Any  # (n, DIM) the same after the full Newton step
    f_trial: Any  # (n, DIM)
    slip_direction: Any  # (n, DIM) unit vector of friction where it slides
    curvature: Any  # (n,) f_t_max / |z_t|: how far friction turns with the slip
    a: Any  # (n, DIM) acceleration by forces in the last kick, if it slid; else 0
    at_instant: Any  # (n,) int: 1 if friction is opposite to the slip at the instant of the kick, 0 if to that at its end
    f_before: Any  # (n,) friction until the slip ends or reverses in this kick, as a mean over the kick; else 0
    d_before: Any  # (n, DIM) its unit vector
    impacting: Any  # (n,) int: 1 if it strikes the ground at this moment, or took part in the impact before this kick
    kick: Any  # (1,) s: length of the last kick
    overlooked: Any  # (n,) int: 1 if it was not active, but this kick drives it into the ground
    nearing: Any  # (1,) int: 0 if no contact can strike the ground in the next drift
    substepping: Any  # (1,) int: 1 if the last drift was shorter than the time step
    impacts: Any  # (1,) int: number of impacts within this step
    count: Any  # (1,) int: all contacts from this one on are open and far from the ground in this step


class PadResultants(NamedTuple):
    """Contact mode and resultant force of each pad, over all its contacts.

    If every pad has just one contact, mode and force are the arrays of `ContactState` themselves.
    """

    mode: Any  # (pads,) int
    force: Any  # (pads, DIM)
    point: Any  # (pads, DIM) where it acts


@kernel
def sum_contacts(geometry, contact, work, resultant):
    """Set the resultants of pads that have several contacts.

    A force on the line between two pads is shared by the lever rule.
    """
    count = len(resultant.mode)
    for k in range(max(count, contact.count[0]) if len(geometry.body) > count else 0):
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
    """Set the points of pads that have one contact each; for others `sum_contacts` does."""
    for k in range(len(geometry.body) if len(geometry.body) == len(resultant.mode) else 0):
        put_vector(resultant.point, k, plus(get_vector(work.p_WB, geometry.body[k]), get_vector(contact.r_BC_W, k)))


@kernel
def add_to_resultant(resultant, o, mode, f, p):
    """Add the force f at p to pad o. The point of action moves toward p, weighted by the size of the forces."""
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
    """Set gap, normal and contact point of every contact. Poses of the bodies are set already."""
    if ground.kind == PROFILE:
        locate_on_profile(ground, geometry, contact, work)
    else:
        for k in range(len(geometry.body)):
            locate_one(ground, geometry, contact, work, k)


@kernel
def locate_one(ground, geometry, contact, work, k):
    """Set gap, normal and contact point of contact k on ground without edges.

    An arc touches where its normal is the ground's; on curved ground this is a fixed-point iteration. Further contacts of a pad
    have nothing to touch here, but for the spare one of an arc upside down.
    """
    body = geometry.body[k]
    R, p_WB = get_rotation(work.R_WB, body), get_vector(work.p_WB, body)
    if geometry.owner[k] != k and lies_idle(ground, geometry, contact, k, R):
        leave_alone(geometry, contact, k)
        return
    x, roll = rotate(R, get_vector(geometry.at, k)), 0.0
    gap, n = surface(ground, plus(p_WB, x))
    there = True
    if geometry.radius[k] > 0.0:
        for _ in range(MAX_ITERATIONS):  # it touches where the ground has the normal that it touches with
            x, roll, there = touching_point(geometry, contact, k, R, n, -1)
            last = n
            gap, n = surface(ground, plus(p_WB, x))
            change = plus(n, scaled(last, -1.0))
            if dot(change, change) < SAME_NORMAL:
                break
    contact.gap[k] = gap if there else FAR
    contact.roll[k] = roll
    put_vector(contact.normal, k, n)
    put_vector(contact.r_BC_W, k, x)


@kernel
def lies_idle(ground, geometry, contact, k, R):
    """Whether further contact k of a pad has nothing to touch on ground without edges: only the other end of an arc has."""
    owner = geometry.owner[k]
    if geometry.spare[k] != k or end_at(geometry, owner, contact.roll[owner]) == 0:
        return True
    return ground.kind <= SLOPE and not is_on(contact, k) and not lies_along(geometry, contact, owner, R)


@kernel
def leave_alone(geometry, contact, k):
    """Contact k touches nothing."""
    contact.gap[k] = FAR
    if not geometry.bonded[k]:
        contact.mode[k] = OPEN


@kernel
def set_error(geometry, contact, work, k):
    """Set the position error of contact k: the gap along the normal, and the slip from its anchor if it sticks, less rolling.

    The anchor of a compliant contact that slides is the end of its spring, which slides with it.
    """
    n = get_vector(contact.normal, k)
    e = scaled(n, contact.gap[k])
    tied = contact.mode[k] == STICK or (contact.mode[k] == SLIDE and geometry.stiffness[k] > 0.0)
    if tied and not contact.anchored[k]:
        set_anchor(geometry, contact, work, k, no_vector())
    if tied:
        body = geometry.body[k]
        p = plus(get_vector(work.p_WB, body), get_vector(contact.r_BC_W, k))
        slipped = plus(p, scaled(get_vector(contact.anchor, k), -1.0))
        if geometry.ball[k]:
            slipped = plus(slipped, scaled(ball_roll(geometry, contact, k, get_rotation(work.R_WB, body), n), -1.0))
        elif geometry.radius[k] > 0.0 or geometry.length[k] > 0.0:
            rolled, around = contact.roll[k] - contact.anchor_roll[k], 2.0 * np.pi * geometry.radius[k]
            if around > 0.0 and geometry.length[k] == 0.0:
                rolled -= around * np.floor(rolled / around + 0.5)  # past the top of a whole wheel
            ahead = rolling_direction(geometry, k, get_rotation(work.R_WB, body), n)
            if geometry.length[k] == 0.0:  # the mean on the way, since a wheel may turn
                ahead = scaled(plus(ahead, get_vector(contact.anchor_n, k)), 0.5)
            slipped = plus(slipped, scaled(ahead, -rolled))
        e = slipped if geometry.bonded[k] else plus(e, plus(slipped, scaled(n, -dot(slipped, n))))
    put_vector(contact.error, k, e)


@kernel
def set_anchor(geometry, contact, work, k, e):
    """Anchor contact k where it is now, less the error e, which stays to be corrected."""
    p = plus(get_vector(work.p_WB, geometry.body[k]), get_vector(contact.r_BC_W, k))
    put_vector(contact.anchor, k, plus(p, scaled(e, -1.0)))
    contact.anchor_roll[k] = contact.roll[k]
    if geometry.ball[k]:
        put_rotation(contact.anchor_R, k, get_rotation(work.R_WB, geometry.body[k]))
        put_vector(contact.anchor_n, k, get_vector(contact.normal, k))
    elif geometry.radius[k] > 0.0 and geometry.length[k] == 0.0:
        ahead = rolling_direction(geometry, k, get_rotation(work.R_WB, geometry.body[k]), get_vector(contact.normal, k))
        put_vector(contact.anchor_n, k, ahead)
    contact.anchored[k] = 1


@kernel
def drag_anchor(geometry, contact, work, k):
    """Move the anchor of contact k, compliant and sliding: its spring s and damper carry the friction f, K s + B ds/dt = -f.

    By implicit Euler, as in the law that sticks, with s at the end of the next drift.
    """
    n, h = get_vector(contact.normal, k), contact.kick[0]
    pull, drag = geometry.tangential_stiffness[k], geometry.tangential_damping[k]
    f, s = tangential(get_vector(contact.force, k), n), tangential(get_vector(contact.error, k), n)
    s = scaled(plus(scaled(s, drag), scaled(f, -h)), 1.0 / (pull * h + drag))
    set_anchor(geometry, contact, work, k, plus(s, scaled(tangential(get_vector(contact.v_trial, k), n), -h)))


@kernel
def tangential(u, n):
    """The part of u across the normal n."""
    return plus(u, scaled(n, -dot(u, n)))
