"""Hinges that close loops: constraint rows between two bodies that the tree does not join.

Two equations make every kind (Haug 1989). t is a vector of the first body, n of the second, and D leads from a point of the first
body to one of the second:

    LEVER    t . D = 0      the second point stays in a plane of the first body
    ANGLE    t . n = 0      two directions stay perpendicular

A spherical hinge has three LEVER rows, a revolute one two ANGLE rows besides, a prismatic one two LEVER and three ANGLE rows, a
universal one three and one, a fixed one all six. A round sole that rolls on the world has LEVER rows of its middle, whose force
acts `down` from there, where it touches. The world is body 0.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.maximal.border import constrain, new_row
from footfall.core.spatial.algebra import (
    add,
    angular,
    centripetal,
    dot,
    force_at,
    get_motion,
    get_rotation,
    get_vector,
    join,
    linear,
    no_vector,
    pair,
    plus,
    rotate,
    scaled,
    shift_motion,
    spin_cross,
    subtract,
)

LEVER, ANGLE = 0, 1


class Loops(NamedTuple):
    """Row r is one constraint; it acts if on[r]."""

    kind: Any  # (m,) int
    first: Any  # (m,) int: body
    second: Any  # (m,) int: body
    at_first: Any  # (m, DIM) point in the first body's axes
    at_second: Any  # (m, DIM) point in the second body's axes
    t: Any  # (m, DIM) in the first body's axes
    n: Any  # (m, DIM) in the second body's axes
    down: Any  # (m, DIM) from the second point to where it touches, in world axes: of a round sole that rolls, else zero
    on: Any  # (m,) int
    row: Any  # (m,) int: its number in the border
    error: Any  # (m,) of position


class Hinges(NamedTuple):
    """When loops hold. Loop g has the rows first[g] .. first[g+1]-1."""

    first: Any  # (loops+1,) int
    start: Any  # (loops,) s
    end: Any  # (loops,) s
    strength: Any  # (loops,) N
    broken: Any  # (loops,) int


def new_loops(rows: int, dim: int) -> Loops:
    """Room for so many rows."""
    whole = {name: np.zeros(rows, np.int64) for name in ("kind", "first", "second", "row")}
    vectors = {name: np.zeros((rows, dim)) for name in ("at_first", "at_second", "t", "n", "down")}
    return Loops(on=np.ones(rows, np.int64), error=np.zeros(rows), **whole, **vectors)


@kernel
def arms_of(work, loops, r):
    """Both points from the origins of their bodies, and the way from the first to the second, in world axes."""
    a, b = loops.first[r], loops.second[r]
    x_a = rotate(get_rotation(work.R_WB, a), get_vector(loops.at_first, r))
    x_b = rotate(get_rotation(work.R_WB, b), get_vector(loops.at_second, r))
    p_a, p_b = plus(get_vector(work.p_WB, a), x_a), plus(get_vector(work.p_WB, b), x_b)
    return x_a, x_b, plus(p_b, scaled(p_a, -1.0))


@kernel
def error_of(work, loops, r):
    """t . D or t . n, where poses are set."""
    t = rotate(get_rotation(work.R_WB, loops.first[r]), get_vector(loops.t, r))
    if loops.kind[r] == ANGLE:
        return dot(t, rotate(get_rotation(work.R_WB, loops.second[r]), get_vector(loops.n, r)))
    return dot(t, arms_of(work, loops, r)[2])


@kernel
def rate_of(work, loops, r):
    """How fast that error changes, where velocities are set."""
    V_a, V_b = get_motion(work.V_WB, loops.first[r]), get_motion(work.V_WB, loops.second[r])
    t = rotate(get_rotation(work.R_WB, loops.first[r]), get_vector(loops.t, r))
    if loops.kind[r] == ANGLE:
        return pair(moment(t, rotate(get_rotation(work.R_WB, loops.second[r]), get_vector(loops.n, r))), subtract(V_b, V_a))
    x_a, x_b, D = arms_of(work, loops, r)
    away = linear(subtract(shift_motion(V_b, x_b), shift_motion(V_a, x_a)))
    return dot(t, away) + dot(spin_cross(angular(V_a), t), D)


@kernel(inline=False)
def set_loop_rows(work, loops, border):
    """Add the rows that act to the border, for accelerations, where poses and velocities are set; set errors of position."""
    for r in range(len(loops.kind)):
        if loops.on[r]:
            loops.error[r] = error_of(work, loops, r)
            loops.row[r] = angle_row(work, loops, border, r) if loops.kind[r] == ANGLE else lever_row(work, loops, border, r)


@kernel
def angle_row(work, loops, border, r):
    """u . (w_b - w_a) = 0 with u = n x t, and its derivative."""
    a, b = loops.first[r], loops.second[r]
    V_a, V_b = get_motion(work.V_WB, a), get_motion(work.V_WB, b)
    t = rotate(get_rotation(work.R_WB, a), get_vector(loops.t, r))
    n = rotate(get_rotation(work.R_WB, b), get_vector(loops.n, r))
    u = moment(t, n)
    rate = add(moment(t, spin_cross(angular(V_b), n)), moment(spin_cross(angular(V_a), t), n))
    row = new_row(border, -pair(rate, subtract(V_b, V_a)))
    constrain(border, row, b, u, 1.0)
    constrain(border, row, a, u, -1.0)
    return row


@kernel
def moment(f, x):
    """x cross f, as a force without a resultant."""
    return join(no_vector(), angular(force_at(f, x)))


@kernel
def lever_row(work, loops, border, r):
    """t . (v_b - v_a) + (w_a x t) . D = 0 and its derivative; the first body feels the force at the second point."""
    a, b = loops.first[r], loops.second[r]
    x_a, x_b, D = arms_of(work, loops, r)
    V_a, V_b = get_motion(work.V_WB, a), get_motion(work.V_WB, b)
    w_a, w_b = angular(V_a), angular(V_b)
    t = rotate(get_rotation(work.R_WB, a), get_vector(loops.t, r))
    t_rate = spin_cross(w_a, t)
    away = linear(subtract(shift_motion(V_b, x_b), shift_motion(V_a, x_a)))
    bend = plus(centripetal(w_b, x_b), scaled(centripetal(w_a, x_a), -1.0))
    row = new_row(border, -(dot(t, bend) + 2.0 * dot(t_rate, away) + dot(centripetal(w_a, t), D)))
    down = get_vector(loops.down, r)
    constrain(border, row, b, force_at(t, plus(x_b, down)), 1.0)
    constrain(border, row, a, force_at(t, plus(plus(x_a, D), down)), -1.0)
    return row
