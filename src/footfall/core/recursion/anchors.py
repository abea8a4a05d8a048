"""Staying on the constraints: which columns of J are eliminated, where what is held belongs, and the way back there."""

from typing import Any, NamedTuple

from footfall.core.jit import kernel
from footfall.core.manifold import integrate
from footfall.core.recursion.constrained import hold, set_points
from footfall.core.recursion.kinematics import set_places
from footfall.core.spatial.algebra import (
    get_turn,
    get_vector,
    join,
    plus,
    put_motion,
    put_turn,
    put_vector,
    rolled_back,
    rotate,
    scaled,
    turn_error,
)

EARLIER = 0.3  # a column this good, beside the best, is eliminated if it stands earlier: the place of the base before all others
DEPENDENT = 1e-9  # a pivot this small: the constraints say the same twice, or contradict each other
WORN = 0.1  # a pivot this small is worth a new choice


class Anchors(NamedTuple):
    """Where what is held belongs."""

    place: Any  # (points, DIM)
    turn: Any  # (points, TURN)
    joint: Any  # (locks,) coordinates of locked joints
    lock: Any  # (locks,) int: which coordinates these are


@kernel
def choose(tree, work, held, room, q):
    """The order of elimination at q, into `held`. 0, or 1 if what is held says the same twice."""
    set_points(tree, work, held, room, q)
    return set_order(held, room)


@kernel
def set_order(held, room):
    """Of a J that is set: Gauss with full pivoting, earlier columns preferred."""
    rows, nv = room.J.shape
    for r in range(rows):
        for d in range(nv):
            room.table[r, d] = room.J[r, d]
    for k in range(rows):
        largest = 0.0
        for d in range(nv):
            largest = max(largest, pivot_row(held, room, k, d)[1])
        if not largest > DEPENDENT:
            return 1
        d = 0
        while pivot_row(held, room, k, d)[1] < EARLIER * largest:
            d += 1
        p = pivot_row(held, room, k, d)[0]
        held.row[k], held.column[k] = p, d
        for r in range(rows):
            if not among(held.row, k + 1, r):
                factor = room.table[r, d] / room.table[p, d]
                for e in range(nv):
                    room.table[r, e] -= factor * room.table[p, e]
    i = 0
    for d in range(nv):
        if not among(held.column, rows, d):
            held.free[i] = d
            i += 1
    return 0


@kernel
def pivot_row(held, room, k, d):
    """The row of the largest entry of column d that is left for elimination k, and its size."""
    best, size = 0, 0.0
    if not among(held.column, k, d):
        for r in range(len(room.table)):
            if not among(held.row, k, r) and abs(room.table[r, d]) > size:
                best, size = r, abs(room.table[r, d])
    return best, size


@kernel
def among(chosen, count, number):
    found = False
    for k in range(count):
        found = found or chosen[k] == number
    return found


@kernel
def set_anchors(tree, work, held, anchors, q):
    """What is held stays where it is at q."""
    set_places(tree, work, q)
    keep(work, held, anchors, q)


@kernel
def standing(work, held, k):
    """Where point k is; of a sole that rolls, where it would touch if it were rolled back to a pitch of zero."""
    i = held.body[k]
    R = get_turn(work.turn, i)
    place = plus(get_vector(work.place, i), rotate(R, get_vector(held.at, k)))
    return plus(place, rolled_back(R, get_vector(held.down, k)))


@kernel
def keep(work, held, anchors, q):
    """The same, where the places are set."""
    for k in range(len(held.body)):
        i = held.body[k]
        put_vector(anchors.place, k, standing(work, held, k))
        put_turn(anchors.turn, k, get_turn(work.turn, i))
    for k in range(len(anchors.lock)):
        anchors.joint[k] = q[anchors.lock[k]]


@kernel
def drift(work, held, room, anchors, q):
    """How far what is held is from its anchors, row by row of J, into room.off; the places are set already. Returns the most."""
    row, most = 0, 0.0
    for k in range(len(held.body)):
        i = held.body[k]
        gap = plus(standing(work, held, k), scaled(get_vector(anchors.place, k), -1.0))
        put_motion(room.rate, 0, join(gap, turn_error(get_turn(work.turn, i), get_turn(anchors.turn, k))))
        for c in range(held.width[k]):
            room.off[row + c] = room.rate[0, c]
        row += held.width[k]
    for k in range(len(anchors.lock)):
        room.off[row + k] = q[anchors.lock[k]] - anchors.joint[k]
    for r in range(len(room.off)):
        most = max(most, abs(room.off[r]))
    return most


@kernel
def restore(tree, work, held, room, anchors, q):
    """Bring q back to the anchors, to first order, by its eliminated entries; quaternions to length 1. Returns how far it was."""
    hold(tree, work, held, room, q)
    return come_back(tree, work, held, room, anchors, q)


@kernel
def come_back(tree, work, held, room, anchors, q):
    """The same after `hold`."""
    most = drift(work, held, room, anchors, q)
    for d in range(len(room.step)):
        room.step[d] = 0.0
    for k in range(len(held.row)):
        for s in range(len(held.row)):
            room.step[held.column[k]] -= room.back[held.row[k], s] * room.off[s]
    integrate(tree, q, room.step, q)
    return most


@kernel
def worn(held, room):
    """Whether the order of elimination is worth a new choice."""
    most = 0.0
    for r in range(len(held.row)):
        for s in range(len(held.row)):
            most = max(most, abs(room.back[r, s]))
    return most * WORN > 1.0
