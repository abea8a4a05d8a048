"""The limits of friction, by a fixed-point iteration with Anderson acceleration.

Within a round the limit of friction x = f_t_max of each contact is fixed. The round gives the normal forces, hence the residual
r(x) = mu f_n - x. What is left of it in one kick is carried over to the next, so that the impulse of friction is right although
each kick is solved to a tolerance only. The contacts of one foot act on each other through its load, so the limits of all that
slide are updated together (Anderson acceleration, type II): the changes of x and r in the last rounds give the combination of
smallest residual.

It departs from the standard method in two ways. A contact without history takes a secant step of its own. And a step against its
residual means that more friction makes more load (jamming): the history is dropped, and the contact will stick.
"""

from footfall.core.contact.geometry import RESTS, SLIDE
from footfall.core.contact.law import UNLIMITED
from footfall.core.jit import kernel
from footfall.core.spatial.algebra import dot, get_vector

DEPTH = 4  # changes that are stored
CARRIED = 1e-3  # of mu f_n: the most that a kick makes up for


@kernel(inline=False)
def update_friction_limits(geometry, contact, rounds):
    """Set the residual of every contact, and its next limit f_t_max. Returns 1 if any had none yet."""
    if rounds == 0:
        contact.depth[0] = 0
    changed = 0
    for k in range(contact.count[0]):
        if contact.active[k]:
            changed = max(changed, measure_residual(geometry, contact, k, rounds))
    if rounds == 0 or changed:
        contact.depth[0] = 0
    else:
        remember_changes(geometry, contact)
    count, fresh = anderson_coefficients(geometry, contact) if contact.depth[0] else 0, 0
    for k in range(contact.count[0]):
        if contact.active[k]:
            update_secant(contact, k, rounds)
            step = anderson_step(contact, k, count) if count and contact.limited[k] else secant_step(contact, k)
            new = max(contact.f_t_max[k] + step, 0.0)
            if contact.f_t_max[k] >= UNLIMITED:
                new, fresh = geometry.friction[k] * normal_force(contact, k), 1
            contact.f_t_max[k], contact.residual_round[k] = new, contact.residual[k]
    return fresh


@kernel
def normal_force(contact, k):
    """f_n of contact k, not negative."""
    return max(dot(get_vector(contact.force, k), get_vector(contact.normal, k)), 0.0)


@kernel
def measure_residual(geometry, contact, k, rounds):
    """Set the residual of contact k. Returns 1 if it has just become limited by friction, or ceased to be."""
    f_t_max = contact.f_t_max[k]
    most = geometry.friction[k] * normal_force(contact, k)
    carried = min(contact.carry[k] / contact.kick[0], CARRIED * most) if contact.carry[k] != 0.0 else 0.0
    residual = max(most + carried, 0.0) - f_t_max
    limited = 1 if contact.sticks[k] == 0 or (contact.sticks[k] != RESTS and residual < -f_t_max) else 0
    changed = 1 if rounds > 0 and (limited != contact.limited[k] or contact.f_t_max_round[k] >= UNLIMITED) else 0
    contact.residual[k], contact.limited[k] = residual, limited
    return changed


@kernel
def update_secant(contact, k, rounds):
    """Estimate how the residual of contact k changes with its limit. The estimate is kept while the contact slides."""
    f_t_max, change = contact.f_t_max[k], contact.f_t_max[k] - contact.f_t_max_round[k]
    if rounds == 0 and contact.mode[k] != SLIDE:
        contact.secant[k] = 1.0
    elif rounds > 0 and contact.f_t_max_round[k] < UNLIMITED and abs(change) > 1e-6 * f_t_max:
        secant = (contact.residual_round[k] - contact.residual[k]) / change
        contact.secant[k] = secant if secant > 1e-3 else 1.0  # the residual falls with the limit
    contact.f_t_max_round[k] = f_t_max


@kernel
def secant_step(contact, k):
    """The step of contact k as if it were alone."""
    return contact.residual[k] / contact.secant[k] if contact.limited[k] else contact.residual[k]


@kernel
def remember_changes(geometry, contact):
    """Store how limits and residuals have changed since the last round."""
    slot = contact.depth[0] % DEPTH
    contact.depth[0] += 1
    for k in range(len(geometry.body)):
        on = contact.active[k] and contact.limited[k]
        contact.delta_x[slot, k] = contact.f_t_max[k] - contact.f_t_max_round[k] if on else 0.0
        contact.delta_r[slot, k] = contact.residual[k] - contact.residual_round[k] if on else 0.0


@kernel
def anderson_coefficients(geometry, contact):
    """The coefficients of the stored changes that minimise the residual, in gram[:, DEPTH]. Returns how many there are."""
    delta_r, M, count = contact.delta_r, contact.gram, min(contact.depth[0], DEPTH)
    for i in range(count):
        M[i, DEPTH] = product(geometry, contact, delta_r[i], contact.residual)
        for j in range(i + 1):
            M[i, j] = product(geometry, contact, delta_r[i], delta_r[j])
    solve_small(M, count)
    for k in range(contact.count[0]):
        if contact.active[k] and contact.limited[k] and contact.residual[k] * anderson_step(contact, k, count) < 0.0:
            contact.depth[0] = 0  # it jams
            return 0
    return count


@kernel
def product(geometry, contact, x, y):
    """Sum of x y over the limited contacts. Left and right are summed apart, so that mirrored motions are mirrored to the bit."""
    left, right, middle = 0.0, 0.0, 0.0
    for k in range(contact.count[0]):
        if contact.active[k] and contact.limited[k]:
            if geometry.side[k] == 2:
                middle += x[k] * y[k]
            elif geometry.side[k]:
                right += x[k] * y[k]
            else:
                left += x[k] * y[k]
    return left + right + middle


@kernel
def anderson_step(contact, k, count):
    """The accelerated step of contact k."""
    step = contact.residual[k]
    for i in range(count):
        step -= contact.gram[i, DEPTH] * (contact.delta_x[i, k] + contact.delta_r[i, k])
    return step


@kernel
def solve_small(M, count):
    """Solve the symmetric system whose lower triangle and right side are in M (L D L'). Nearly dependent columns are left out."""
    for j in range(count):
        pivot = M[j, j]
        for i in range(j):
            pivot -= M[j, i] * M[j, i] * M[i, i]
        keep = pivot > 1e-10 * M[j, j] and M[j, j] > 0.0
        M[j, j] = pivot if keep else 1.0
        for i in range(j + 1, count):
            entry = M[i, j]
            for s in range(j):
                entry -= M[i, s] * M[j, s] * M[s, s]
            M[i, j] = entry / pivot if keep else 0.0
        for i in range(j):
            M[j, DEPTH] -= M[j, i] * M[i, DEPTH]
        if not keep:
            M[j, DEPTH] = 0.0
    for j in range(count):
        M[j, DEPTH] /= M[j, j]
    for j in range(count - 1, -1, -1):
        for i in range(j + 1, count):
            M[j, DEPTH] -= M[i, j] * M[i, DEPTH]
