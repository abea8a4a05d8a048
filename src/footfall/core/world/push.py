"""Pushes: forces in world axes that act at points of bodies and go along with them."""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import set_places
from footfall.core.spatial.algebra import (
    add,
    force_at,
    get_motion,
    get_turn,
    get_vector,
    no_motion,
    put_motion,
    rotate,
    scaled,
)


class Pushes(NamedTuple):
    """Row k is one push."""

    body: Any  # (n,) int
    at: Any  # (n, DIM) in the body's axes
    force: Any  # (n, DIM) in world axes
    start: Any  # (n,) s
    end: Any  # (n,) s
    on: Any  # (1,) int: 1 if any may have acted in the last kick


@kernel
def share_of(pushes, k, begin, end):
    """How much of the time from begin to end push k lasts; a rounding of the clock is not a share."""
    if end > begin:
        share = (min(pushes.end[k], end) - max(pushes.start[k], begin)) / (end - begin)
        return 0.0 if share < 1e-9 else 1.0 if share > 1.0 - 1e-9 else share
    return 1.0 if pushes.start[k] < end < pushes.end[k] else 0.0


@kernel(inline=False)
def press(machine, begin, end):
    """Forces on the bodies for a kick after the time from begin to end: the share of each push that falls into it.

    So a push keeps its impulse, and one that lasts for whole steps acts in full or not at all: half of it might not overcome
    friction. Where no time has gone by, it acts as it does now.
    """
    tree, work, pushes = machine.tree, machine.work, machine.pushes
    was, pushes.on[0] = pushes.on[0], 0
    for k in range(len(pushes.body)):
        if share_of(pushes, k, begin, end) > 0.0:
            pushes.on[0] = 1
    if was or pushes.on[0]:
        none = no_motion()
        for i in range(len(tree.parent)):
            put_motion(work.push, i, none)
    if pushes.on[0]:
        set_places(tree, work, machine.motion.q)
        for k in range(len(pushes.body)):
            share = share_of(pushes, k, begin, end)
            if share > 0.0:
                body = pushes.body[k]
                x = rotate(get_turn(work.turn, body), get_vector(pushes.at, k))
                F = force_at(scaled(get_vector(pushes.force, k), share), x)
                put_motion(work.push, body, add(get_motion(work.push, body), F))
