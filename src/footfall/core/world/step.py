"""One step of time: a leapfrog with contact.

Velocities live half a step behind: v moves q to the next instant, where forces change it. Contact acts on positions: the next
place of a closed contact is on the ground, and where it stuck (SHAKE, with inequalities).
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.manifold import integrate
from footfall.core.recursion.aba import eliminate, substitute
from footfall.core.recursion.kinematics import joint_motion, set_body
from footfall.core.spatial.algebra import (
    add,
    angular,
    carry,
    dot,
    get_motion,
    get_rigid,
    get_spin,
    get_vector,
    gyroscopic,
    inertia_of_rigid,
    linear,
    plus,
    put_inertia,
    put_motion,
    put_rigid,
    put_spin,
    put_vector,
    rigid_turned,
    scaled,
    spin_sum,
    subtract,
    velocity_product,
)
from footfall.core.world.contact import (
    OPEN,
    SLIDE,
    STICK,
    answer_contact,
    downhill,
    load_contact,
    locate,
    move_contact,
    read_modes,
    set_anchor,
    set_error,
)

MOST_SOLVES = 40
SLOW = 0.05  # m/s: a touch-down slower than this needs no time of its own
REACH = 1e-3  # m: contacts nearer than this are looked at


class Limits(NamedTuple):
    """How well contact is solved."""

    rounds: int  # times that forces are carried over within a step
    force: float  # N: friction may be off by this
    speed: float  # m/s: and the contact's velocity by this


class Motion(NamedTuple):
    """The moving state, and room for the step."""

    q: Any  # (nq,)
    v: Any  # (nv,) half a step behind q
    a: Any  # (nv,) of the last step
    now: Any  # (nv,) velocity at the instant of q, as far as it is known
    tau: Any  # (nv,) joint forces to be applied
    loaded: Any  # (nv,) joint forces with what joints do by themselves
    rotor: Any  # (nv,) and the inertia they have then
    step: Any  # (nv,) velocity at the instant of q, for the record
    next: Any  # (nv,)


@kernel
def prepare(tree, work, q, v, now):
    """All of the bodies that does not depend on forces: places, velocities (of v), inertia, velocity forces (of now)."""
    for i in range(1, len(tree.parent)):
        p = tree.parent[i]
        R, r = set_body(tree, work, q, i)
        put_vector(work.place, i, plus(get_vector(work.place, p), r))
        w_P, V_J = get_spin(work.spin, p), joint_motion(tree, work, now, i)
        w = spin_sum(w_P, angular(V_J))
        swing = velocity_product(w_P, r, V_J)
        B = rigid_turned(R, get_rigid(tree.rigid, i))
        put_spin(work.spin, i, w)
        put_rigid(work.rigid, i, B)
        put_motion(work.swing, i, swing)
        put_motion(work.speed, i, add(carry(get_motion(work.speed, p), r), joint_motion(tree, work, v, i)))
        put_motion(work.lean, i, add(carry(get_motion(work.lean, p), r), swing))
        put_motion(work.rest, i, subtract(gyroscopic(B, w), get_motion(work.push, i)))


@kernel
def one_pass(tree, work, pads, touch, motion, h):
    """Accelerations with every contact as assumed. Returns the largest force that is off."""
    for i in range(1, len(tree.parent)):
        put_inertia(work.inertia, i, inertia_of_rigid(get_rigid(work.rigid, i)))
        put_motion(work.force, i, get_motion(work.rest, i))
    for k in range(len(pads.body)):
        if touch.near[k]:
            load_contact(pads, touch, work, k, h)
    eliminate(tree, work, motion.loaded, motion.rotor)
    substitute(tree, work, motion.a)
    off = 0.0
    for k in range(len(pads.body)):
        if touch.near[k]:
            off = max(off, answer_contact(pads, touch, work, k, h))
    return off


@kernel
def lowest(pads, touch, h):
    """The share of the way from the last point to the newest where the convex merit is least."""
    low, high = 0.0, 1.0
    if slope_at(pads, touch, 1.0, h) <= 0.0:
        return 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        if slope_at(pads, touch, middle, h) <= 0.0:
            low = middle
        else:
            high = middle
        if high - low < 1e-3 * high:
            break
    return high if low == 0.0 else low


@kernel
def slope_at(pads, touch, share, h):
    total = 0.0
    for k in range(len(pads.body)):
        if touch.near[k]:
            total += downhill(pads, touch, k, share, h)
    return total


@kernel
def solve(tree, work, pads, touch, motion, h, tolerance):
    """Accelerations with contact, friction's largest force fixed: Newton's method on a convex merit, from the modes assumed.

    Returns the number of passes, negative if they did not settle.
    """
    share = 1.0
    for passes in range(1, MOST_SOLVES + 1):
        off = one_pass(tree, work, pads, touch, motion, h)
        if off <= tolerance:
            return passes
        if passes > 1:
            share = lowest(pads, touch, h)
        for k in range(len(pads.body)):
            if touch.near[k]:
                move_contact(touch, k, share)
                read_modes(pads, touch, k, h)
    return -MOST_SOLVES


@kernel
def approach(ground, pads, touch, work, h):
    """Find every contact's gap, normal and speed, and which of them can touch within the step."""
    for k in range(len(pads.body)):
        locate(ground, pads, touch, work, k)
        u = linear(carry(get_motion(work.speed, pads.body[k]), get_vector(touch.arm, k)))
        put_vector(touch.speed, k, u)
        fall = h * dot(u, get_vector(touch.normal, k))
        touch.near[k] = 1 if touch.mode[k] != OPEN or touch.gap[k] + 2.0 * fall < REACH or pads.bonded[k] else 0
        if touch.near[k] == 0:
            put_vector(touch.carried, k, scaled(u, 0.0))
            put_vector(touch.force, k, scaled(u, 0.0))
            touch.closed[k], touch.sticks[k], touch.grip[k] = 0, 0, 0.0


@kernel
def aim(pads, touch, work, kick, h, soft):
    """What each contact must reach by the end of the step."""
    for k in range(len(pads.body)):
        if touch.near[k]:
            set_error(pads, touch, work, k)
            stiffness, damping = pads.stiffness[k], pads.damping[k]
            e = get_vector(touch.error, k)
            if stiffness > 0.0:
                touch.soft[k] = 1.0 / (kick * (stiffness * h + damping))
                put_vector(touch.target, k, scaled(e, stiffness / (stiffness * h + damping)))
                put_vector(touch.carried, k, scaled(e, 0.0))
            else:
                touch.soft[k] = soft
                put_vector(touch.target, k, scaled(e, 1.0 / h))
            put_vector(touch.way, k, get_vector(touch.speed, k))


@kernel
def carry_over(pads, touch, kick):
    """Let rigid contacts start from the forces found, and friction from what presses. Returns the largest velocity missed."""
    miss = 0.0
    for k in range(len(pads.body)):
        if touch.near[k]:
            f = get_vector(touch.force, k)
            grip = pads.friction[k] * dot(f, get_vector(touch.normal, k))
            miss = max(miss, touch.soft[k] * kick * abs(grip - touch.grip[k]))
            touch.grip[k] = grip
            if pads.stiffness[k] == 0.0:
                off = plus(f, scaled(get_vector(touch.carried, k), -1.0))
                if not touch.sticks[k]:
                    n = get_vector(touch.normal, k)
                    off = scaled(n, dot(n, off))
                miss = max(miss, touch.soft[k] * kick * np.sqrt(dot(off, off)))
                put_vector(touch.carried, k, f)
    return miss


@kernel
def settle(pads, touch, work):
    """Modes as they came out, and anchors for what sticks from now on. Returns 1 if any mode changed."""
    changed = 0
    for k in range(len(pads.body)):
        was = touch.mode[k]
        if touch.near[k] == 0 or not touch.closed[k]:
            touch.mode[k] = OPEN
        elif touch.sticks[k]:
            if was != STICK or pads.radius[k] > 0.0:
                set_anchor(pads, touch, work, k)
            touch.mode[k] = STICK
        else:
            touch.mode[k] = SLIDE
        if touch.mode[k] != was:
            changed = 1
    return changed


@kernel
def step(tree, work, ground, pads, touch, motion, before, h, soft, limits):
    """From one instant to the next; `before` was the last step. Returns the passes taken."""
    kick = 0.5 * (before + h)
    q, v, a = motion.q, motion.v, motion.a
    prepare(tree, work, q, v, motion.now)
    approach(ground, pads, touch, work, h)
    aim(pads, touch, work, kick, h, soft)
    total = 0
    for _ in range(limits.rounds):
        total += abs(solve(tree, work, pads, touch, motion, kick, limits.force))
        if carry_over(pads, touch, kick) <= limits.speed:
            break
    ahead = 0.0 if settle(pads, touch, work) else 0.5 * h  # across a change the last acceleration says nothing of the next
    for d in range(len(v)):
        motion.step[d] = v[d] + 0.5 * before * a[d]
        v[d] += kick * a[d]
        motion.now[d] = v[d] + ahead * a[d]
        motion.next[d] = h * v[d]
    integrate(tree, q, motion.next, q)
    return total
