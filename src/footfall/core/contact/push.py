"""Pushes: forces in world axes that act at points of bodies and go along with them."""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import set_places
from footfall.core.spatial.algebra import (
    add,
    force_at,
    get_motion,
    get_rotation,
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
def pushes_act(pushes, begin, end):
    """Whether `apply_pushes` has anything to do: a push acts in this time, or did so in the last kick."""
    for k in range(len(pushes.body)):
        if pushes.on[0] or (pushes.start[k] < end and pushes.end[k] > begin):
            return 1
    return 0


@kernel(inline=False)
def apply_pushes(data, begin, end):
    """Forces of the pushes on the bodies in this kick: for each push the share of its time between begin and end, a step that is
    over.

    So a push acts half a step late, but with its whole force from its first kick on. With half the force at the instant when it
    begins it would not be late, but half a force may not move a foot that sticks.
    """
    tree, work, pushes = data.tree, data.work, data.pushes
    was, pushes.on[0] = pushes.on[0], 0
    for k in range(len(pushes.body)):
        if pushes.start[k] < end and pushes.end[k] > begin:
            pushes.on[0] = 1
    if was or pushes.on[0]:
        none = no_motion()
        for i in range(len(tree.parent)):
            put_motion(work.f_ext, i, none)
    if pushes.on[0]:
        set_places(tree, work, data.motion.q)
        for k in range(len(pushes.body)):
            fraction = (min(pushes.end[k], end) - max(pushes.start[k], begin)) / (end - begin)
            if fraction > 0.0:
                body = pushes.body[k]
                x = rotate(get_rotation(work.R_WB, body), get_vector(pushes.at, k))
                F = force_at(scaled(get_vector(pushes.force, k), fraction), x)
                put_motion(work.f_ext, body, add(get_motion(work.f_ext, body), F))
