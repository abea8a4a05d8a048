"""What standing feet can take, and whether a robot on them can still come to rest.

A robot whose centre of mass c is at the height h and moves with c' comes to rest over r = c + c' sqrt(h/g) if it presses on the
ground there. The pressure at p drives r away from it, r' = (r - p) sqrt(g/h), so that beyond an edge of the support nothing stops
the fall. With its distance s from an edge, s' + GUARD s >= 0 keeps it inside: p must be beyond r - s GUARD sqrt(h/g), seen
towards the edge.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    first_moment,
    get_motion,
    get_rigid,
    get_turn,
    get_vector,
    level_moment,
    linear,
    no_vector,
    plus,
    put_motion,
    put_vector,
    rigid_mass,
    rigid_times,
    rotate,
    scaled,
    turned_back,
)

GUARD = 1.5  # 1/s: pace at which an edge may be approached
BRINK = 1e-3  # m: pressure is asked for no nearer to an edge than this


class Soles(NamedTuple):
    """What the feet may do."""

    at: Any  # (legs, DIM) middle of each sole, in the foot's axes
    cone: Any  # (legs * rows, MOTION) wrenches w on a foot, in its axes about `at`, have cone w >= 0
    limit: Any  # (nv,) largest torque; infinite if there is none
    low: Any  # (nv,) stop of a joint, as far as it has one; else infinite
    high: Any  # (nv,)
    driven: Any  # (nv,) 1 where there is a motor
    edge: Any  # (edges, DIM) outward normal of an edge of the support, seen from above, and last its distance from the origin


@kernel
def sole_place(work, legs, soles, l):
    i = int(legs.foot[l])
    return plus(get_vector(work.place, i), rotate(get_turn(work.turn, i), get_vector(soles.at, l)))


@kernel
def set_rest(tree, work, legs, soles, rest):
    """r of the robot, and in place of its height sqrt(h/g); work.accel[0] is minus gravity."""
    mass, moment, flow = 0.0, no_vector(), no_vector()
    for i in range(1, len(tree.parent)):
        B = get_rigid(work.rigid, i)
        mass += rigid_mass(B)
        moment = plus(moment, plus(first_moment(B), scaled(get_vector(work.place, i), rigid_mass(B))))
        flow = plus(flow, linear(rigid_times(B, get_motion(work.speed, i))))
    ground = no_vector()
    for l in range(len(legs.foot)):
        ground = plus(ground, scaled(sole_place(work, legs, soles, l), 1.0 / len(legs.foot)))
    put_vector(rest, 0, plus(scaled(moment, 1.0 / mass), scaled(ground, -1.0)))
    up = len(rest[0]) - 1
    pause = np.sqrt(max(rest[0, up], BRINK) / max(work.accel[0, up], BRINK))
    put_vector(rest, 0, plus(scaled(moment, 1.0 / mass), scaled(flow, pause / mass)))
    rest[0, up] = pause


@kernel
def set_edge_row(work, legs, soles, rest, r, row):
    """Row of the program for edge r: row . (y, wrenches) >= 0."""
    up, out, width = len(rest[0]) - 1, soles.edge, len(soles.cone[0])
    here = 0.0
    for c in range(up):
        here += out[r, c] * rest[0, c]
    least = min(here - (out[r, up] - here) * GUARD * rest[0, up], out[r, up] - BRINK)
    for c in range(width):
        row[c] = 0.0
    for l in range(len(legs.foot)):
        place, lever = sole_place(work, legs, soles, l), -least
        for c in range(up):
            lever += out[r, c] * place[c]
        W = turned_back(get_turn(work.turn, int(legs.foot[l])), level_moment(get_vector(out, r), lever))
        for c in range(width):
            row[width * (1 + l) + c] = W[c]
