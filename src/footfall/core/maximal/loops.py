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

from footfall.core.contact.record import note
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
SOON = 1e-9  # s: a loop whose time comes within this is made or released
MEETS = 1e-3  # m or rad: ends of a loop that are nearer than this can be joined
MADE, RELEASED = 10, 11  # events, as `engines.events` has them


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


# --- loops that begin and end -------------------------------------------------------------------------------------------------


@kernel(inline=False)
def switch_loops(data, flow, events, now, h):
    """Loops are released when their time is over, and made once their ends meet: before they would pass in the next step. Returns
    the number of one that was just made, or -1."""
    loops, hinges = flow.loops, flow.hinges
    for g in range(len(hinges.start)):
        first, last = hinges.first[g], hinges.first[g + 1]
        ended = now > hinges.end[g] - SOON
        if loops.on[first] and ended:
            set_on(loops, first, last, 0)
            note(events, now, RELEASED, g, 0.0, 0.0)
        elif not (loops.on[first] or ended or hinges.broken[g]) and now > hinges.start[g] - SOON:
            beyond = 0.0
            for r in range(first, last):
                beyond = max(beyond, abs(error_of(data.work, loops, r)) - h * abs(rate_of(data.work, loops, r)))
            if beyond < MEETS:
                set_on(loops, first, last, 1)
                return g
    return -1


@kernel
def set_on(loops, first, last, on):
    for r in range(first, last):
        loops.on[r] = on


@kernel
def break_loops(flow, events, now):
    """Loops break whose force exceeds their strength. Returns how many; forces are set."""
    loops, hinges, count = flow.loops, flow.hinges, 0
    for g in range(len(hinges.start)):
        square = 0.0
        for r in range(hinges.first[g], hinges.first[g + 1]):
            if loops.on[r] and loops.kind[r] == LEVER:
                square += flow.border.y[loops.row[r]] ** 2
        if square > hinges.strength[g] ** 2:
            set_on(loops, hinges.first[g], hinges.first[g + 1], 0)
            hinges.broken[g] = 1
            note(events, now, RELEASED, g, square**0.5, 0.0)
            count += 1
    return count
