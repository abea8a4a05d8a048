"""What standing feet can take, and whether a robot on them can still come to rest.

The capture point (extrapolated centre of mass) r = c + c' sqrt(h/g) is where a robot with its centre of mass c at the height h
comes to rest, if it presses on the ground there. Pressure elsewhere drives r away from it, so that beyond an edge of the support
nothing stops the fall. With s the distance of r from an edge, s' + GUARD s >= 0 keeps it inside: the feet may push toward the
edge with at most m (GUARD s - c') sqrt(g/h), where c' counts toward the edge too.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.spatial.algebra import (
    first_moment,
    get_motion,
    get_rigid,
    get_rotation,
    get_vector,
    horizontal,
    linear,
    no_vector,
    plus,
    put_vector,
    rigid_mass,
    rigid_times,
    rotate,
    rotate_motion_back,
    scaled,
)

GUARD = 1.5  # 1/s: rate at which an edge may be approached
LOW = 1e-3  # m, m/s2: less height or gravity than this is none
PULL = 2.0  # m/s2: largest acceleration that is asked for to get away from an edge


class Soles(NamedTuple):
    """What the feet may do: friction cones, torques, stops, edges of the support."""

    at: Any  # (legs, DIM) middle of each sole, in the foot's axes
    cone: Any  # (legs * rows, MOTION) wrenches w on a foot, in its axes about `at`, have cone w >= 0
    limit: Any  # (nv,) largest torque; infinite if there is none
    low: Any  # (nv,) stop of a joint, as far as it has one; else infinite
    high: Any  # (nv,)
    driven: Any  # (nv,) 1 where there is a motor
    edge: Any  # (edges, DIM) outward normal of an edge of the support, seen from above, and last its distance from the origin


@kernel(inline=False)
def set_rest(tree, work, legs, soles, rest):
    """Row 0 of `rest`: the capture point; row 1: the momentum. Their last entries are sqrt(h/g) and the mass instead."""
    mass, moment, flow, ground = 0.0, no_vector(), no_vector(), no_vector()
    for i in range(1, len(tree.parent)):
        B = get_rigid(work.rigid, i)
        mass += rigid_mass(B)
        moment = plus(moment, plus(first_moment(B), scaled(get_vector(work.p_WB, i), rigid_mass(B))))
        flow = plus(flow, linear(rigid_times(B, get_motion(work.V_WB, i))))
    for l in range(len(legs.foot)):
        i = int(legs.foot[l])
        sole = plus(get_vector(work.p_WB, i), rotate(get_rotation(work.R_WB, i), get_vector(soles.at, l)))
        ground = plus(ground, scaled(sole, 1.0 / len(legs.foot)))
    put_vector(rest, 0, plus(scaled(moment, 1.0 / mass), scaled(ground, -1.0)))
    up = len(rest[0]) - 1
    pause = np.sqrt(max(rest[0, up], LOW) / max(work.A_WB[0, up], LOW))
    put_vector(rest, 0, plus(scaled(moment, 1.0 / mass), scaled(flow, pause / mass)))
    put_vector(rest, 1, flow)
    rest[0, up], rest[1, up] = pause, mass


@kernel
def set_edge_row(work, legs, soles, rest, r, row):
    """Set the row of the program for edge r: row . (y, wrenches) >= what is returned."""
    up, width = len(rest[0]) - 1, len(soles.cone[0])
    pause, mass = rest[0, up], rest[1, up]
    distance, flow = soles.edge[r, up], 0.0
    for c in range(up):
        distance -= soles.edge[r, c] * rest[0, c]
        flow += soles.edge[r, c] * rest[1, c]
    for c in range(width):
        row[c] = 0.0
    for l in range(len(legs.foot)):
        F = rotate_motion_back(get_rotation(work.R_WB, int(legs.foot[l])), horizontal(get_vector(soles.edge, r)))
        for c in range(width):
            row[width * (1 + l) + c] = -F[c]
    return min((flow - mass * GUARD * distance) / pause, PULL * mass)
