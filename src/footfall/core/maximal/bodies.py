"""Bodies that move each by itself: every one has a pose and a velocity of its own, those of its centre of mass."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    column_dot,
    get_motion,
    get_rotation,
    get_vector,
    plus,
    put_motion,
    put_rotation,
    put_vector,
    rotate,
    scaled,
    shift_motion,
    subtract,
)


class Bodies(NamedTuple):
    """Row i belongs to body i; the world is body 0, and does not move."""

    centre: Any  # (n+1, DIM) of mass, in the body's axes; a body without mass has its origin there
    p: Any  # (n+1, DIM) its place
    R: Any  # (n+1, ROTATION) rotation of the body
    V: Any  # (n+1, MOTION) velocity of the centre of mass
    next_p: Any  # the same at the end of the step
    next_R: Any
    next_V: Any
    mean_V: Any  # (n+1, MOTION) of the step
    apart: Any  # (n+1, MOTION) from where the hinges have a body at the end of the step to where it is, at its origin
    alternate: Any  # (1,) int: 1 for one pad a step


def new_bodies(tree: Any, work: Any, alternating: bool) -> Bodies:
    """New arrays for the bodies of a tree."""
    mass, (n, dim) = tree.rigid[:, :1], work.p_WB.shape
    poses = {f"{word}p": np.zeros((n, dim)) for word in ("", "next_")} | {f"{word}R": work.R_WB.copy() for word in ("", "next_")}
    motions = {name: np.zeros_like(work.V_WB) for name in ("V", "next_V", "mean_V", "apart")}
    centre = np.divide(tree.rigid[:, 1 : 1 + dim], mass, out=np.zeros((n, dim)), where=mass > 0.0)
    return Bodies(centre, **poses, **motions, alternate=np.array([alternating], np.int64))


@kernel
def centre_of(work, bodies, i):
    """From the origin of body i to its centre of mass, in world axes."""
    return rotate(get_rotation(work.R_WB, i), get_vector(bodies.centre, i))


@kernel(inline=False)
def spread(work, bodies):
    """Poses and velocities of all bodies where those of the tree are set."""
    for i in range(1, len(bodies.p)):
        r = centre_of(work, bodies, i)
        put_vector(bodies.p, i, plus(get_vector(work.p_WB, i), r))
        put_rotation(bodies.R, i, get_rotation(work.R_WB, i))
        put_motion(bodies.V, i, shift_motion(get_motion(work.V_WB, i), r))


@kernel(inline=False)
def set_origins(work, bodies, V):
    """Velocities of the bodies' origins from those of their centres of mass; poses of the tree are set."""
    for i in range(1, len(V)):
        put_motion(work.V_WB, i, shift_motion(get_motion(V, i), scaled(centre_of(work, bodies, i), -1.0)))


@kernel(inline=False)
def set_rates(tree, work, v):
    """Velocities v of the hinges from those of the bodies; a hinge has no part in the rest of them."""
    for i in range(1, len(tree.parent)):
        carried = shift_motion(get_motion(work.V_WB, tree.parent[i]), get_vector(work.r_PB_W, i))
        U = subtract(get_motion(work.V_WB, i), carried)
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            v[d] = column_dot(tree.turns[d], get_vector(work.axis, d), U)
