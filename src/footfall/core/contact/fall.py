"""Falls: a shape of a link touches the ground, or the robot is too low."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.edges import distance_to_profile
from footfall.core.ground import PROFILE
from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    get_rotation,
    get_vector,
    in_profile,
    no_vector,
    plus,
    rotate,
    scaled,
    surface,
)


class Marks(NamedTuple):
    """Places of the robot that must not touch the ground: points and balls of the links' shapes; and how low it may get."""

    body: Any  # (n,) int
    at: Any  # (n, DIM)
    radius: Any  # (n,)
    base: Any  # (1,) int: the body whose origin must not be lower
    lowest: Any  # (2,) m above the ground: of the base, and of the centre of mass


@kernel
def fallen(data, marks):
    """Index of the mark deepest in the ground; behind all marks, 0 or 1 for the base or the centre of mass too low; or -1."""
    work, worst, found, count = data.work, 0.0, -1, len(marks.body)
    for i in range(count):
        body = marks.body[i]
        p = plus(get_vector(work.p_WB, body), rotate(get_rotation(work.R_WB, body), get_vector(marks.at, i)))
        gap = clearance(data.ground, p, marks.radius[i])
        if gap < worst:
            worst, found = gap, i
    if found < 0 and marks.lowest[0] > -np.inf and height(data.ground, get_vector(work.p_WB, marks.base[0])) < marks.lowest[0]:
        found = count
    if found < 0 and marks.lowest[1] > -np.inf and height(data.ground, center_of_mass(data.tree, work)) < marks.lowest[1]:
        found = count + 1
    return found


@kernel
def clearance(ground, p, radius):
    """Distance of a ball about p from the ground, negative if it is inside. On curved ground to second order in its radius."""
    if radius > 0.0 and ground.kind == PROFILE:
        x, z = in_profile(p)
        return distance_to_profile(ground, x, z, radius) - radius
    gap, n = surface(ground, p)
    if radius > 0.0 and gap < 2.0 * radius:
        gap, _ = surface(ground, plus(p, scaled(n, -radius)))
        return gap
    return gap - radius


@kernel
def height(ground, p):
    """Height of a point above the ground straight below it."""
    gap, n = surface(ground, p)
    _, up = in_profile(n)
    return gap / up


@kernel
def center_of_mass(tree, work):
    """Centre of mass; poses of the bodies are set already."""
    mass, total = 0.0, no_vector()
    for i in range(1, len(tree.parent)):
        m = tree.rigid[i, 0]
        moment = get_vector(tree.rigid[:, 1:], i)
        total = plus(total, plus(rotate(get_rotation(work.R_WB, i), moment), scaled(get_vector(work.p_WB, i), m)))
        mass += m
    return scaled(total, 1.0 / mass)
