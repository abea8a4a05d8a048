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

from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    carry,
    dot,
    force_at,
    get_inertia,
    get_motion,
    get_turn,
    get_vector,
    heading,
    inertia_across,
    inertia_of_rigid,
    inertia_sum,
    inertia_without,
    linear,
    no_vector,
    pad_point,
    plus,
    point_rigid,
    put_inertia,
    put_motion,
    put_vector,
    rotate,
    scaled,
    subtract,
    surface,
    turning,
)
from footfall.core.world.edges import FAR, locate_on_profile
from footfall.core.world.ground import PROFILE

OPEN, STICK, SLIDE = 0, 1, 2  # modes, as reported
RESTS = 2  # of `sticks`: its friction is full and stays as it was, and others of its foot hold it
FIRM = 1e30  # N: grip of a contact of which no force is known yet, so that it first tries to stick
MOST_LOOKS = 8  # for the point in which an arc touches curved ground
SAME_NORMAL = 1e-24  # square of how much it may differ
TINY = 1e-100  # N: forces below this have no direction; their squares are zero


class Pads(NamedTuple):
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
    bounce: Any  # (n,) restitution
    stiffness: Any  # (n,) 0 for a rigid contact
    damping: Any  # (n,)
    across_stiffness: Any  # (n,) the same along the ground
    across_damping: Any  # (n,)
    bonded: Any  # (n,) int: 1 while it is held, whatever pulls


class Touch(NamedTuple):
    """The state of every contact, and what the solver needs of it."""

    mode: Any  # (n,) int, after the last step
    near: Any  # (n,) int: 1 takes part in this step
    closed: Any  # (n,) int: 1 if the normal force is assumed to press
    sticks: Any  # (n,) int: 1 if friction is assumed to hold, RESTS if it is fixed while others hold
    gap: Any  # (n,)
    normal: Any  # (n, DIM)
    feature: Any  # (n,) int: of ground with edges, what it touches
    arm: Any  # (n, DIM) from the body's origin
    roll: Any  # (n,) along the arc or line
    anchor: Any  # (n, DIM) where it sticks
    anchor_roll: Any  # (n,)
    anchored: Any  # (n,) int: 0 if it sticks from now on, where it will be found next
    error: Any  # (n, DIM) what must vanish: gap along the normal, way from the anchor across it
    speed: Any  # (n, DIM) before the step
    soft: Any  # (n,) R along the normal
    across: Any  # (n,) and along the ground
    target: Any  # (n, DIM) c
    grip: Any  # (n,) largest friction force, kept fixed while the modes are found
    old_grip: Any  # (n,) the one of the step before
    last_grip: Any  # (n,) the one before in this step
    lack: Any  # (n,) what it lacks to friction times what presses
    last_lack: Any  # (n,) the same of the round before
    matters: Any  # (n,) int: 1 if its grip decides what it does
    ways: Any  # (DEPTH, n) changes of grip in the rounds before
    lacks: Any  # (DEPTH, n) and of what was lacking
    mixing: Any  # (DEPTH, DEPTH + 1) room
    mixed: Any  # (1,) int: rounds remembered
    give: Any  # (n,) how what it lacks changes with it, the sign turned
    carried: Any  # (n, DIM)
    force: Any  # (n, DIM)
    way: Any  # (n, DIM) velocity after the step, at the point from which the modes were read
    model: Any  # (n, DIM) force that led to it
    next_way: Any  # (n, DIM) the same of the newest pass
    next_model: Any  # (n, DIM)
    slide: Any  # (n, DIM) direction of friction where it slides
    bend: Any  # (n,) how much of it turns with the velocity
    meets: Any  # (n,) int: 1 if it strikes the ground now
    length: Any  # (1,) s: of the last kick
    overlooked: Any  # (n,) int: 1 if it came near only by this kick
    parts: Any  # (1,) int: 1 if the last drift was a part of the time there was
    bounces: Any  # (1,) int: impacts within this step


class Feel(NamedTuple):
    """What pads feel, all their contacts together; mode and force are those of `Touch` if each has but one."""

    mode: Any  # (pads,) int
    force: Any  # (pads, DIM)
    point: Any  # (pads, DIM) where it acts


@kernel
def gather(pads, touch, work, feel):
    """Sum up what pads feel, if they have more contacts than one: else `feel` is `touch`, but for the points.

    A force on the line between two is shared as by a lever.
    """
    count = len(feel.mode)
    for k in range(len(pads.body) if len(pads.body) > count else 0):
        f, p = get_vector(touch.force, k), plus(get_vector(work.place, pads.body[k]), get_vector(touch.arm, k))
        if k < count:
            feel.mode[k] = touch.mode[k]
            put_vector(feel.force, k, f)
            put_vector(feel.point, k, p)
        elif touch.mode[k] != OPEN:
            if pads.length[k] > 0.0:
                share = touch.roll[k] / pads.length[k]
                add_feeling(feel, pads.owner[k], touch.mode[k], scaled(f, 1.0 - share), get_vector(feel.point, pads.owner[k]))
                add_feeling(feel, pads.other[k], touch.mode[k], scaled(f, share), get_vector(feel.point, pads.other[k]))
            else:
                add_feeling(feel, pads.owner[k], touch.mode[k], f, p)


@kernel
def place_pads(pads, touch, work, feel):
    """Where pads with one contact each touch; for others `gather` says it."""
    for k in range(len(pads.body) if len(pads.body) == len(feel.mode) else 0):
        put_vector(feel.point, k, plus(get_vector(work.place, pads.body[k]), get_vector(touch.arm, k)))


@kernel
def add_feeling(feel, o, mode, f, p):
    """One more force f at p on pad o: together they act where the larger acts more."""
    before = get_vector(feel.force, o)
    size, more = np.sqrt(dot(before, before)), np.sqrt(dot(f, f))
    share = more / (size + more) if more > 0.0 else 0.0
    old = get_vector(feel.point, o)
    put_vector(feel.point, o, plus(old, scaled(plus(p, scaled(old, -1.0)), share)))
    put_vector(feel.force, o, plus(before, f))
    if feel.mode[o] != STICK:
        feel.mode[o] = mode


@kernel
def locate(ground, pads, touch, work):
    """Gap, normal and contact point of every contact; turns and places are set already."""
    if ground.kind == PROFILE:
        locate_on_profile(ground, pads, touch, work)
    else:
        for k in range(len(pads.body)):
            locate_one(ground, pads, touch, work, k)


@kernel
def locate_one(ground, pads, touch, work, k):
    """Where contact k touches ground without edges, of which only a pad's first contact knows."""
    body = pads.body[k]
    R, place = get_turn(work.turn, body), get_vector(work.place, body)
    x, roll = rotate(R, get_vector(pads.at, k)), 0.0
    gap, n = surface(ground, plus(place, x))
    if pads.radius[k] > 0.0:
        for _ in range(MOST_LOOKS):  # it touches where the ground has the normal that it touches with
            x, roll = pad_point(pads, k, R, n)
            last = n
            gap, n = surface(ground, plus(place, x))
            off = plus(n, scaled(last, -1.0))
            if dot(off, off) < SAME_NORMAL:
                break
    touch.gap[k] = gap if pads.owner[k] == k else FAR
    touch.roll[k] = roll
    put_vector(touch.normal, k, n)
    put_vector(touch.arm, k, x)


@kernel
def set_error(pads, touch, work, k):
    """What must vanish of contact k: the gap, and where it sticks the way from its anchor, rolling allowed for."""
    n = get_vector(touch.normal, k)
    e = scaled(n, touch.gap[k])
    if touch.mode[k] == STICK and not touch.anchored[k]:
        set_anchor(pads, touch, work, k, no_vector())
    if touch.mode[k] == STICK:
        body = pads.body[k]
        p = plus(get_vector(work.place, body), get_vector(touch.arm, k))
        off = plus(p, scaled(get_vector(touch.anchor, k), -1.0))
        if pads.radius[k] > 0.0 or pads.length[k] > 0.0:
            rolled, around = touch.roll[k] - touch.anchor_roll[k], 2.0 * np.pi * pads.radius[k]
            if around > 0.0:
                rolled -= around * np.floor(rolled / around + 0.5)  # past the top of a whole wheel
            off = plus(off, scaled(heading(pads, k, get_turn(work.turn, body), n), -rolled))
        e = off if pads.bonded[k] else plus(e, plus(off, scaled(n, -dot(off, n))))
    put_vector(touch.error, k, e)


@kernel
def set_anchor(pads, touch, work, k, e):
    """Let contact k stick where it is, but for e, which it has to make good. To be called with places as they are now."""
    p = plus(get_vector(work.place, pads.body[k]), get_vector(touch.arm, k))
    put_vector(touch.anchor, k, plus(p, scaled(e, -1.0)))
    touch.anchor_roll[k] = touch.roll[k]
    touch.anchored[k] = 1


@kernel
def over_softness(touch, k, y, h):
    """y / (R h)."""
    out = scaled(y, 1.0 / (touch.across[k] * h))
    if touch.across[k] != touch.soft[k]:
        n = get_vector(touch.normal, k)
        out = plus(out, scaled(n, dot(n, y) * (1.0 / touch.soft[k] - 1.0 / touch.across[k]) / h))
    return out


@kernel
def proximal(pads, touch, k, w, h):
    """The force that contact k exerts when its velocity after the step is w, and the z that it comes from."""
    n = get_vector(touch.normal, k)
    lacking = over_softness(touch, k, plus(w, get_vector(touch.target, k)), h)
    z = plus(get_vector(touch.carried, k), scaled(lacking, -1.0))
    if pads.bonded[k]:
        return z, z
    press = dot(z, n)
    if touch.sticks[k] == RESTS:
        return plus(full_friction(touch, k), scaled(n, max(press, 0.0))), z
    across = plus(z, scaled(n, -press))
    size, grip = np.sqrt(dot(across, across)), touch.grip[k]
    f = scaled(across, 1.0 if size <= grip else grip / size)
    return plus(f, scaled(n, max(press, 0.0))), z


@kernel
def full_friction(touch, k):
    """The friction of a contact that rests."""
    f, n = get_vector(touch.carried, k), get_vector(touch.normal, k)
    return plus(f, scaled(n, -dot(f, n)))


@kernel
def read_modes(pads, touch, k, h):
    """Assume of contact k what it would do at the velocity `way`."""
    n = get_vector(touch.normal, k)
    _, z = proximal(pads, touch, k, get_vector(touch.way, k), h)
    press = dot(z, n)
    across = plus(z, scaled(n, -press))
    size, grip = np.sqrt(dot(across, across)), touch.grip[k]
    closed = 1 if press > 0.0 or pads.bonded[k] else 0
    if touch.sticks[k] == RESTS:
        touch.closed[k] = closed
        return
    sticks = 1 if (size <= grip and grip > 0.0) or pads.bonded[k] else 0
    touch.closed[k], touch.sticks[k] = closed, sticks
    if not sticks:
        put_vector(touch.slide, k, scaled(across, 1.0 / max(size, TINY)))
        touch.bend[k] = min(grip / max(size, TINY), 1.0)


@kernel
def load_contact(pads, touch, work, k, h):
    """Add contact k, as it is assumed to be, to the inertia and force of its body."""
    body, x, n = pads.body[k], get_vector(touch.arm, k), get_vector(touch.normal, k)
    stiff, firm = 1.0 / touch.soft[k], 1.0 / touch.across[k]
    # z without the part that the acceleration makes: carried - (J v + c)/(R h) + J lean/R
    lean = linear(carry(get_motion(work.lean, body), x))
    missing = plus(get_vector(touch.speed, k), scaled(lean, -h))
    lacking = over_softness(touch, k, plus(missing, get_vector(touch.target, k)), h)
    z = plus(get_vector(touch.carried, k), scaled(lacking, -1.0))
    press = dot(z, n)
    K = get_inertia(work.inertia, body)
    if touch.sticks[k] == 1:
        f = z if touch.closed[k] else plus(z, scaled(n, -press))
        K = inertia_sum(K, inertia_of_rigid(point_rigid(firm, x)))
        less = firm - stiff if touch.closed[k] else firm
        if less != 0.0:
            K = inertia_without(K, force_at(n, x), less)
    else:
        if touch.sticks[k] == RESTS:
            f = full_friction(touch, k)
        else:
            d, bend = get_vector(touch.slide, k), touch.bend[k] * firm
            f = scaled(d, touch.grip[k])
            f = plus(f, turning(n, d, plus(get_vector(touch.way, k), scaled(missing, -1.0)), bend / h))
            K = inertia_across(K, n, d, x, bend)
        if touch.closed[k]:
            f = plus(f, scaled(n, press))
            K = inertia_without(K, force_at(n, x), -stiff)
    put_inertia(work.inertia, body, K)
    put_motion(work.force, body, subtract(get_motion(work.force, body), force_at(f, x)))


@kernel
def answer_contact(pads, touch, work, k, h):
    """Velocity after the step of contact k, and the force that was assumed for it. Returns how far the force is off."""
    body, x, n = pads.body[k], get_vector(touch.arm, k), get_vector(touch.normal, k)
    a = linear(carry(subtract(get_motion(work.accel, body), get_motion(work.lean, body)), x))
    w = plus(get_vector(touch.speed, k), scaled(a, h))
    f, z = proximal(pads, touch, k, w, h)
    press = dot(z, n)
    if touch.sticks[k] == 1:
        model = z if touch.closed[k] else plus(z, scaled(n, -press))
    else:
        if touch.sticks[k] == RESTS:
            model = full_friction(touch, k)
        else:
            d = get_vector(touch.slide, k)
            turned = plus(get_vector(touch.way, k), scaled(w, -1.0))
            model = plus(scaled(d, touch.grip[k]), turning(n, d, turned, touch.bend[k] / (touch.across[k] * h)))
        if touch.closed[k]:
            model = plus(model, scaled(n, press))
    put_vector(touch.next_way, k, w)
    put_vector(touch.next_model, k, model)
    put_vector(touch.force, k, f)
    off = plus(f, scaled(model, -1.0))
    return np.sqrt(dot(off, off))


@kernel
def downhill(pads, touch, k, share, h):
    """Part of contact k in the slope of the merit, `share` of the way from the last point to the newest."""
    way, step = get_vector(touch.way, k), plus(get_vector(touch.next_way, k), scaled(get_vector(touch.way, k), -1.0))
    f, _ = proximal(pads, touch, k, plus(way, scaled(step, share)), h)
    model = plus(scaled(get_vector(touch.model, k), 1.0 - share), scaled(get_vector(touch.next_model, k), share))
    return dot(step, plus(model, scaled(f, -1.0)))


@kernel
def move_contact(touch, k, share):
    """Take `share` of the way from the last point to the newest."""
    way, model = get_vector(touch.way, k), get_vector(touch.model, k)
    put_vector(touch.way, k, plus(scaled(way, 1.0 - share), scaled(get_vector(touch.next_way, k), share)))
    put_vector(touch.model, k, plus(scaled(model, 1.0 - share), scaled(get_vector(touch.next_model, k), share)))
