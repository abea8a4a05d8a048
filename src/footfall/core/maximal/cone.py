"""Impulses of contacts, stops, dry friction and loops together: complementarity with the exact cone of Coulomb's friction.

With W the Schur complement of the border (Delassus' matrix) and w = W y + b the velocities of all rows after the impulses y:

    loop           w = 0
    normal, stop   w >= 0,  y >= 0,  w y = 0
    along          |y_t| <= mu y_n, and y_t = -mu y_n w_t / |w_t| where w_t is not 0
    dry friction   |y| <= bound, and y = -bound sign(w) where w is not 0

Standard name: projected Gauss-Seidel (Moreau 1988; Jourdan, Alart and Jean 1998), one contact after the other, each with the
projection on its own disc of friction. It needs no guess of modes, and redundant rows need no care. Modes are read from the
solution.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.joint_constraints import DRY
from footfall.core.contact.law import OPEN, SLIDE
from footfall.core.jit import kernel
from footfall.core.spatial.algebra import DIM, dot, get_vector, plus, put_vector, scaled

LOOP, NORMAL, ALONG, STOP, RUBS = 0, 1, 2, 3, 4  # kinds of row
MAX_SWEEPS = 2000
FOUND = 1e-11  # of the velocities: a sweep that changes them by less is the last
SLOWEST = 1e-9  # m/s: what slides slower than this sticks


class Cone(NamedTuple):
    """What a row is, and its velocities."""

    kind: Any  # (m,) int
    limit: Any  # (m,) coefficient of friction of a normal, bound of the impulse of dry friction
    b: Any  # (m,) velocity without impulses
    w: Any  # (m,) velocity with them
    before: Any  # (m,) velocity before the step
    bias: Any  # (m,) what is added to velocities so that positions are met


def new_cone(rows: int) -> Cone:
    """Room for so many rows."""
    columns = {name: np.zeros(rows) for name in ("limit", "b", "w", "before", "bias")}
    return Cone(kind=np.zeros(rows, np.int64), **columns)


@kernel(inline=False)
def name_rows(data, flow, span):
    """Set kind and limit of all rows of the border: every contact that takes part sticks in it. Dry friction acts for a time."""
    cone, constraints = flow.cone, data.constraints
    for r in range(flow.border.count[0]):
        cone.kind[r], cone.limit[r] = LOOP, 0.0
    for k in range(len(data.contact.mode)):
        if data.contact.mode[k] != OPEN:
            cone.kind[flow.row[k]], cone.limit[flow.row[k]] = NORMAL, data.geometry.friction[k]
            for c in range(DIM - 1):
                cone.kind[flow.row[k] + 1 + c] = ALONG
    for r in range(len(constraints.dof)):
        if constraints.kind[r] == DRY:
            if flow.holds[r] and span > 0.0:
                cone.kind[flow.joint_row[r]], cone.limit[flow.joint_row[r]] = RUBS, span * constraints.bound[r]
        elif constraints.on[r]:
            cone.kind[flow.joint_row[r]] = STOP


@kernel
def velocity_of(border, cone, r):
    """w of row r."""
    total = cone.b[r]
    for t in range(border.count[0]):
        total += border.schur[r, t] * border.y[t]
    return total


@kernel
def rub(border, cone, r):
    """Friction of the contact whose normal is row r: that which stops it, shortened to its limit. Returns the change of
    velocity."""
    W, y = border.schur, border.y
    most = cone.limit[r] * y[r]
    if DIM == 2:
        t = r + 1
        if W[t, t] <= 0.0:
            return 0.0
        old = y[t]
        y[t] = min(max(old - velocity_of(border, cone, t) / W[t, t], -most), most)
        return abs(y[t] - old) * W[t, t]
    s, t = r + 1, r + 2
    trace, det = W[s, s] + W[t, t], W[s, s] * W[t, t] - W[s, t] * W[t, s]
    if trace <= 0.0:
        return 0.0
    old_s, old_t, w_s, w_t = y[s], y[t], velocity_of(border, cone, s), velocity_of(border, cone, t)
    if det > 1e-10 * trace * trace:
        y_s, y_t = old_s - (W[t, t] * w_s - W[s, t] * w_t) / det, old_t - (W[s, s] * w_t - W[t, s] * w_s) / det
    else:
        y_s, y_t = old_s - w_s / trace, old_t - w_t / trace
    if y_s * y_s + y_t * y_t > most * most:
        stiff = 0.5 * (trace + np.sqrt(max(trace * trace - 4.0 * det, 0.0)))  # the larger eigenvalue
        y_s, y_t = old_s - w_s / stiff, old_t - w_t / stiff
        size = np.sqrt(y_s * y_s + y_t * y_t)
        if size > most:
            y_s, y_t = y_s * most / size, y_t * most / size
    y[s], y[t] = y_s, y_t
    return max(abs(y_s - old_s), abs(y_t - old_t)) * trace


@kernel(inline=False)
def sweep(border, cone):
    """Correct all impulses, one after the other. Returns the largest change of a velocity."""
    W, y, change = border.schur, border.y, 0.0
    for r in range(border.count[0]):
        kind = cone.kind[r]
        if kind == ALONG or W[r, r] <= 0.0:
            continue
        old = y[r]
        new = old - velocity_of(border, cone, r) / W[r, r]
        if kind in (NORMAL, STOP):
            new = max(new, 0.0)
        elif kind == RUBS:
            new = min(max(new, -cone.limit[r]), cone.limit[r])
        y[r] = new
        change = max(change, abs(new - old) * W[r, r])
        if kind == NORMAL:
            change = max(change, rub(border, cone, r))
    return change


@kernel(inline=False)
def solve_cone(border, cone):
    """Impulses border.y, from those there as a first guess, and velocities cone.w. Returns the number of sweeps."""
    size, sweeps = 0.0, 0
    for r in range(border.count[0]):
        size = max(size, abs(cone.b[r]))
    while sweeps < MAX_SWEEPS:
        sweeps += 1
        if sweep(border, cone) <= FOUND * size:
            break
    for r in range(border.count[0]):
        cone.w[r] = velocity_of(border, cone, r)
    return sweeps


@kernel(inline=False)
def read_modes(data, flow, rubs):
    """Modes of all contacts, stops and, with `rubs`, dry friction that took part, and the directions of friction."""
    contact, constraints, y, w = data.contact, data.constraints, flow.border.y, flow.cone.w
    for k in range(len(contact.mode)):
        if contact.mode[k] != OPEN:
            r, slip, pull = flow.row[k], 0.0, scaled(get_vector(contact.normal, k), 0.0)
            for c in range(DIM - 1):
                slip += w[r + 1 + c] * w[r + 1 + c]
                pull = plus(pull, scaled(get_vector(flow.tangent[k], c), -w[r + 1 + c]))
            if y[r] <= 0.0:
                contact.mode[k], contact.anchored[k] = OPEN, 0
            elif slip > SLOWEST * SLOWEST:
                contact.mode[k], contact.anchored[k] = SLIDE, 0
                put_vector(flow.direction, k, scaled(pull, dot(pull, pull) ** -0.5))
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY:
            if constraints.on[r] and y[flow.joint_row[r]] <= 0.0:
                constraints.on[r] = 0
        elif rubs and abs(w[flow.joint_row[r]]) > SLOWEST:
            flow.holds[r], flow.sense[r] = 0, -1.0 if w[flow.joint_row[r]] > 0.0 else 1.0
