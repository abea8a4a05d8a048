"""Joints that stop and joints that rub: the same law as a contact's, for one degree of freedom.

A row acts on degree of freedom d with the sign s, where w = s (v + h a) is its velocity after the step:

    z = carried - (w + c) / (R h),   force = max(z, 0) at a stop,   z cut to +-grip for dry friction

While it acts it is an inertia 1/R on the joint, as a rotor is.
"""

from typing import Any, NamedTuple

from footfall.core.jit import kernel

LOW, HIGH, RUB = 0, 1, 2  # kinds: stop below, stop above, dry friction
TOUCHING = 1e-6  # rad or m: nearer than this a joint is at its stop


class Rows(NamedTuple):
    dof: Any  # (n,) int
    coordinate: Any  # (n,) int: its entry of q
    kind: Any  # (n,) int
    sign: Any  # (n,) +1, or -1 for a stop above
    bound: Any  # (n,) coordinate of a stop, or largest friction
    soft: Any  # (n,) R
    dry: Any  # (n,) friction without load
    load: Any  # (n,) and for each N m of the motor, whatever its sense
    near: Any  # (n,) int
    was: Any  # (n,) int: 1 if it acted in the last kick
    on: Any  # (n,) int: 1 if assumed to act (a stop that presses, friction that holds)
    target: Any  # (n,) c
    carried: Any  # (n,)
    force: Any  # (n,)
    way: Any  # (n,) as for contacts
    model: Any  # (n,)
    next_way: Any  # (n,)
    next_model: Any  # (n,)


class Joints(NamedTuple):
    """What every degree of freedom does by itself."""

    coordinate: Any  # (nv,) int: its entry of q, where it has one
    damping: Any  # (nv,)
    stiffness: Any  # (nv,)
    rest: Any  # (nv,)
    late: (
        Any  # (nv,) 0: spring at the instant, damper at the mean velocity, which keeps energy; 1: both at the end, for stiff ones
    )
    torque: Any  # (nv,) largest of its motor
    speed: Any  # (nv,) above which its motor drives no more
    servo: Any  # (3, nv) the motor's own fast loop: stiffness toward a goal, the goal, and damping against motion
    applied: Any  # (nv,) torque of the motor in the last step


@kernel
def row_force(rows, r, w, h):
    z = rows.carried[r] - (w + rows.target[r]) / (rows.soft[r] * h)
    if rows.kind[r] == RUB:
        return min(max(z, -rows.bound[r]), rows.bound[r])
    return max(z, 0.0)


@kernel
def aim_rows(rows, q, v, h, step):
    """Which stops are near, and how far off."""
    for r in range(len(rows.dof)):
        rows.way[r] = rows.sign[r] * v[rows.dof[r]]
        if rows.kind[r] == RUB:
            rows.target[r] = 0.0
            rows.near[r] = 1
        else:
            room = rows.sign[r] * (q[rows.coordinate[r]] - rows.bound[r])
            rows.target[r] = room / (h if room > 0.0 else step)
            rows.near[r] = 1 if rows.on[r] or room + 2.0 * h * rows.way[r] < 1e-3 else 0
            if rows.near[r] == 0:
                rows.on[r], rows.carried[r], rows.force[r] = 0, 0.0, 0.0


@kernel
def load_row(rows, r, v, loaded, rotor, h):
    d, s = rows.dof[r], rows.sign[r]
    if rows.on[r]:
        stiff = 1.0 / rows.soft[r]
        loaded[d] += s * (rows.carried[r] - (s * v[d] + rows.target[r]) * stiff / h)
        rotor[d] += stiff
    elif rows.kind[r] == RUB:
        loaded[d] += row_force(rows, r, rows.way[r], h)


@kernel
def answer_row(rows, r, v, a, h):
    """Returns how far the assumed force is off."""
    d = rows.dof[r]
    w = rows.sign[r] * (v[d] + h * a[d])
    f = row_force(rows, r, w, h)
    if rows.on[r]:
        model = rows.carried[r] - (w + rows.target[r]) / (rows.soft[r] * h)
    elif rows.kind[r] == RUB:
        model = row_force(rows, r, rows.way[r], h)
    else:
        model = 0.0
    rows.next_way[r], rows.next_model[r], rows.force[r] = w, model, f
    return abs(f - model)


@kernel
def read_row(rows, r, h):
    """Assume what the row would do at the velocity `way`."""
    f = row_force(rows, r, rows.way[r], h)
    if rows.kind[r] == RUB:
        rows.on[r] = 1 if abs(f) < rows.bound[r] else 0
    else:
        rows.on[r] = 1 if f > 0.0 else 0


@kernel
def downhill_row(rows, r, share, h):
    step = rows.next_way[r] - rows.way[r]
    model = (1.0 - share) * rows.model[r] + share * rows.next_model[r]
    return step * (model - row_force(rows, r, rows.way[r] + share * step, h))


@kernel
def move_row(rows, r, share):
    rows.way[r] += share * (rows.next_way[r] - rows.way[r])
    rows.model[r] += share * (rows.next_model[r] - rows.model[r])


@kernel
def carry_row(rows, r, h):
    """Start from the force found. Returns the velocity that is still missed."""
    miss = rows.soft[r] * h * abs(rows.force[r] - rows.carried[r]) if rows.on[r] else 0.0
    rows.carried[r] = rows.force[r]
    return miss


@kernel
def load_friction(rows, joints):
    """Gears rub more under load. The load is the torque that motors begin the step with; a servo may give way of it yet."""
    for r in range(len(rows.dof)):
        if rows.load[r] > 0.0:
            rows.bound[r] = rows.dry[r] + rows.load[r] * abs(joints.applied[rows.dof[r]])


@kernel
def settle_rows(rows):
    """Returns 1 if a stop began or ended."""
    changed = 0
    for r in range(len(rows.dof)):
        if rows.kind[r] != RUB:
            on = 1 if rows.near[r] and rows.on[r] else 0
            if on != rows.was[r]:
                changed = 1
            rows.was[r] = on
    return changed


@kernel
def strike_rows(rows):
    """In an impact a joint at its stop does not go on."""
    for r in range(len(rows.dof)):
        rows.near[r] = 1 if rows.kind[r] != RUB and rows.target[r] < TOUCHING else 0
        rows.target[r], rows.carried[r], rows.on[r] = 0.0, 0.0, 0


@kernel
def row_loss(rows, r, v, a):
    """Energy that a stop takes in an impact."""
    d = rows.dof[r]
    return -rows.sign[r] * rows.force[r] * (v[d] + 0.5 * a[d])


@kernel
def load_joints(tree, joints, q, v, tau, loaded, rotor, kick, h):
    """Motors within their limits, their servos, springs and dampers, all at the end of the step, so that any gain is stable."""
    for d in range(len(tau)):
        at, most = q[joints.coordinate[d]], joints.torque[d]
        stiffness, damping = joints.servo[0, d], joints.servo[2, d]
        force = tau[d]
        if stiffness > 0.0 or damping > 0.0:
            force += stiffness * (joints.servo[1, d] - at - h * v[d]) - damping * v[d]
        give = kick * (damping + stiffness * h)
        if abs(force) > most:
            force, give = min(max(force, -most), most), 0.0
        if force * v[d] > 0.0 and abs(v[d]) > joints.speed[d]:
            force, give = 0.0, 0.0
        joints.applied[d] = force
        rotor[d] = tree.rotor[d] + give
        damping, stiffness, late = joints.damping[d], joints.stiffness[d], joints.late[d]
        if damping > 0.0 or stiffness > 0.0:
            force -= damping * v[d] + stiffness * (at - joints.rest[d] + late * h * v[d])
            rotor[d] += passive_inertia(joints, d, kick, h)
        loaded[d] = force


@kernel
def passive_inertia(joints, d, kick, h):
    """How spring and damper of a joint resist its acceleration within the step."""
    late = joints.late[d]
    return kick * (joints.damping[d] * 0.5 * (1.0 + late) + joints.stiffness[d] * h * late)


@kernel
def settle_joints(tree, joints, a, rotor, kick, h):
    """The torques that motors came to, their servos having given way."""
    for d in range(len(a)):
        joints.applied[d] -= (rotor[d] - tree.rotor[d] - passive_inertia(joints, d, kick, h)) * a[d]
