"""Impulses of contacts, stops, dry friction and loops together: complementarity with the exact cone of Coulomb's friction.

With W the Schur complement of the border (Delassus' matrix) and w = W y + b the velocities of all rows after the impulses y:

    loop           w = 0
    normal, stop   w >= 0,  y >= 0,  w y = 0
    along          |y_t| <= mu y_n, and y_t = -mu y_n w_t / |w_t| where w_t is not 0
    dry friction   |y| <= bound, and y = -bound sign(w) where w is not 0

Standard names: projected Gauss-Seidel (Moreau 1988; Jourdan, Alart and Jean 1998), one contact after the other, each with the
projection on its own disc of friction; between its sweeps a semismooth Newton method (Alart and Curnier 1991) for all rows at
once, which ends the search if it finds a solution. No modes need be guessed, and redundant rows need no care. Modes are read from
the solution.

Where none is found, the same problem is solved as a row of convex ones, each with the slip of the one before in its normal
velocities (De Saxce and Feng 1998). Its impulses never raise the kinetic energy, however early that ends.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.geometry import OPEN, SLIDE
from footfall.core.contact.joint_constraints import DRY
from footfall.core.jit import kernel
from footfall.core.maximal.border import factor_schur, solve_factored
from footfall.core.spatial.algebra import DIM, dot, get_vector, plus, put_vector, scaled

LOOP, NORMAL, ALONG, STOP, RUBS = 0, 1, 2, 3, 4  # kinds of row
MAX_SWEEPS = 200
ROUNDS = 20  # of the convex problem
FEW = 3  # sweeps before Newton's method is tried again; then twice as many
AT_ONCE, MAX_NEWTON = 5, 8  # turns of Newton's method
FIRM, LESS_FIRM, SOFT = 1e-3, 1e-5, 1e-10  # of the mean of the diagonal of W: regularisation of its matrix
NEAR = 1e-7  # of the velocities: near enough, where redundant rows contradict each other
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
    slip: Any  # (m,) mu |w_t| of a normal, as it is kept in the convex problem
    kept: Any  # (m,) impulses to return to
    matrix: Any  # (m, m) of Newton's method
    order: Any  # (m,) int: its rows after pivoting
    x: Any  # (2 m,) its residual and its step


def new_cone(rows: int) -> Cone:
    """Room for so many rows."""
    columns = {name: np.zeros(rows) for name in ("limit", "b", "w", "before", "bias", "slip", "kept")}
    whole = {name: np.zeros(rows, np.int64) for name in ("kind", "order")}
    return Cone(matrix=np.zeros((rows, rows)), x=np.zeros(2 * rows), **whole, **columns)


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
def sweep(border, cone, convex):
    """Correct all impulses, one after the other. Returns the largest change of a velocity."""
    W, y, change = border.schur, border.y, 0.0
    for r in range(border.count[0]):
        kind = cone.kind[r]
        if kind == ALONG or W[r, r] <= 0.0:
            continue
        if convex and kind == NORMAL:
            change = max(change, project_on_cone(border, cone, r))
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


@kernel
def meet_row(border, cone, r):
    """Newton's equation for row r: its velocity vanishes."""
    for t in range(border.count[0]):
        cone.matrix[r, t] = border.schur[r, t]
    cone.x[r] = -cone.w[r]


@kernel
def fix_row(border, cone, r, value):
    """Newton's equation for row r: its impulse has this value. Scaled to a velocity."""
    W = border.schur[r, r] if border.schur[r, r] > 0.0 else 1.0
    for t in range(border.count[0]):
        cone.matrix[r, t] = 0.0
    cone.matrix[r, r] = W
    cone.x[r] = W * (value - border.y[r])


@kernel
def limit_friction(border, cone, r, z_n, rate):
    """Newton's equations for the friction of the contact whose normal is row r, which presses. z = y - rate w is projected on the
    disc of friction."""
    y, W, mu, square = border.y, border.schur, cone.limit[r], 0.0
    most = mu * max(y[r], 0.0)
    for c in range(1, DIM):
        square += (y[r + c] - rate * cone.w[r + c]) ** 2
    size = np.sqrt(square)
    for c in range(1, DIM):
        t = r + c
        if size <= mu * z_n:
            meet_row(border, cone, t)
            continue
        d = (y[t] - rate * cone.w[t]) / size
        fix_row(border, cone, t, most * d)
        scale = cone.matrix[t, t]
        cone.matrix[t, r] -= scale * mu * d
        for e in range(1, DIM if DIM == 3 else 1):
            across = scale * most / size * ((1.0 if e == c else 0.0) - d * (y[r + e] - rate * cone.w[r + e]) / size)
            cone.matrix[t, r + e] -= across
            for s in range(border.count[0]):
                cone.matrix[t, s] += across * rate * W[r + e, s]


@kernel(inline=False)
def linearise(border, cone, soft):
    """Newton's equations for all rows at the impulses border.y. Returns the largest residual, as a velocity."""
    y, W, m, worst, mean = border.y, border.schur, border.count[0], 0.0, 0.0
    for r in range(m):
        cone.w[r] = velocity_of(border, cone, r)
        mean += abs(W[r, r]) / m
    for r in range(m):
        kind = cone.kind[r]
        if kind == ALONG:
            continue
        z = y[r] - cone.w[r] / W[r, r] if W[r, r] > 0.0 else 0.0
        if W[r, r] <= 0.0:
            fix_row(border, cone, r, 0.0)
        elif kind == LOOP or (kind in (NORMAL, STOP) and z > 0.0) or (kind == RUBS and abs(z) <= cone.limit[r]):
            meet_row(border, cone, r)
        else:
            fix_row(border, cone, r, 0.0 if kind != RUBS else cone.limit[r] if z > 0.0 else -cone.limit[r])
        if kind == NORMAL:
            trace = 0.0
            for c in range(1, DIM):
                trace += W[r + c, r + c]
            if z > 0.0 and trace > 0.0:
                limit_friction(border, cone, r, z, 1.0 / trace)
            else:
                for c in range(1, DIM):
                    fix_row(border, cone, r + c, 0.0)
    for r in range(m):
        worst = max(worst, abs(cone.x[r]))
        cone.matrix[r, r] += soft * mean
    return worst


@kernel(inline=False)
def newton(border, cone, soft, most, small):
    """Whether Newton's method, from the impulses border.y, finds a solution but for `small` velocities. If not, the best impulses
    stay that it came across."""
    y, m, least = border.y, border.count[0], np.inf
    for _ in range(most):
        worst = linearise(border, cone, soft)
        if worst <= small:
            return True
        if worst < least:
            least = worst
            for r in range(m):
                cone.kept[r] = y[r]
        factor_schur(cone.matrix, cone.order, m)
        solve_factored(cone.matrix, cone.order, cone.x, m)
        for r in range(m):
            y[r] += cone.x[m + r]
    for r in range(m):
        y[r] = cone.kept[r]
    return False


@kernel
def solve_at_once(border, cone, size):
    """Whether Newton's method finds the impulses: as they are if rows are few and independent. Otherwise it is made firm, to find
    which of them act; then contradictions between redundant rows, which come of large turns, remain."""
    if newton(border, cone, SOFT, AT_ONCE, FOUND * size):
        return True
    if newton(border, cone, FIRM, MAX_NEWTON, NEAR * size) or newton(border, cone, LESS_FIRM, MAX_NEWTON, NEAR * size):
        newton(border, cone, SOFT, AT_ONCE, FOUND * size)
        return True
    return False


@kernel
def shorten(border, cone):
    """Friction is within its limits to the last digit."""
    y = border.y
    for r in range(border.count[0]):
        if cone.kind[r] == NORMAL:
            square = 0.0
            y[r] = max(y[r], 0.0)
            for c in range(1, DIM):
                square += y[r + c] ** 2
            over = np.sqrt(square) - cone.limit[r] * y[r]
            for c in range(1, DIM if over > 0.0 else 1):
                y[r + c] *= cone.limit[r] * y[r] / (cone.limit[r] * y[r] + over)


@kernel
def project_on_cone(border, cone, r):
    """A step of projected gradient for the contact whose normal is row r, with the slip that is kept. Returns the change of
    velocity."""
    y, W, mu, trace = border.y, border.schur, cone.limit[r], 0.0
    for c in range(DIM):
        trace += W[r + c, r + c]
    z, square = y[r] - (velocity_of(border, cone, r) + cone.slip[r]) / trace, 0.0
    for c in range(1, DIM):
        cone.kept[r + c] = y[r + c] - velocity_of(border, cone, r + c) / trace
        square += cone.kept[r + c] ** 2
    size, change = np.sqrt(square), 0.0
    if size > mu * z:
        z = max(z + mu * size, 0.0) / (1.0 + mu * mu)
    for c in range(DIM):
        old = y[r + c]
        y[r + c] = z if c == 0 else cone.kept[r + c] * (min(mu * z / size, 1.0) if size > 0.0 else 1.0)
        change = max(change, abs(y[r + c] - old) * trace)
    return change


@kernel
def keep_slip(border, cone):
    """The slip that there is becomes that of the convex problem. Returns the largest change."""
    change = 0.0
    for r in range(border.count[0]):
        if cone.kind[r] == NORMAL:
            square, before = 0.0, cone.slip[r]
            for c in range(1, DIM):
                square += velocity_of(border, cone, r + c) ** 2
            cone.slip[r] = cone.limit[r] * np.sqrt(square)
            change = max(change, abs(cone.slip[r] - before))
    return change


@kernel
def take_no_energy(border, cone):
    """Weaken impulses that would raise the kinetic energy until they leave it as it is."""
    first, second = 0.0, 0.0
    for r in range(border.count[0]):
        first += border.y[r] * cone.b[r]
        second += border.y[r] * (velocity_of(border, cone, r) - cone.b[r])
    if first + 0.5 * second > 0.0:
        fraction = max(-2.0 * first / second, 0.0) if second > 0.0 else 0.0
        for r in range(border.count[0]):
            border.y[r] *= fraction


@kernel(inline=False)
def solve_convex(border, cone, most, small):
    """Impulses for slip that is kept while they are found, then looked at again: at first there is none. Returns the number of
    sweeps, in each round `most` or fewer."""
    sweeps = 0
    for r in range(border.count[0]):
        border.y[r] = cone.slip[r] = 0.0
    for _ in range(ROUNDS):
        for _ in range(most):
            sweeps += 1
            if sweep(border, cone, True) <= small:
                break
        if keep_slip(border, cone) <= small:
            break
    take_no_energy(border, cone)
    return sweeps


@kernel(inline=False)
def solve_cone(border, cone):
    """Impulses border.y, from those there as a first guess, and velocities cone.w. Returns the number of sweeps."""
    size, sweeps, after = 0.0, 0, FEW
    for r in range(border.count[0]):
        size = max(size, abs(cone.b[r]))
    found = size == 0.0 or solve_at_once(border, cone, size)
    while not found and sweeps < MAX_SWEEPS:
        sweeps += 1
        found = sweep(border, cone, False) <= FOUND * size
        if not found and sweeps == after:
            found = solve_at_once(border, cone, size)
            after *= 2
    if not found:
        sweeps += solve_convex(border, cone, MAX_SWEEPS, NEAR * size)
    shorten(border, cone)
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
