"""Which constraints act in a step of the maximal-coordinate engine: an active-set iteration.

A pad is open, sticks or slides; a stop is on or off; dry friction of a joint holds or slips. Modes that contradict the solution
are changed, and the step is solved again: all at once, and one after the other if that does not end. With `alternate`, as in
Kelly's report, one pad is looked at in each step, once.
"""

from footfall.core.contact.joint_constraints import DRY, set_friction_bounds, set_joint_forces
from footfall.core.contact.law import OPEN, SLIDE, STICK
from footfall.core.jit import kernel
from footfall.core.maximal.solver import ALONG, HOLD, NORMAL, STOP, set_matrix, solve
from footfall.core.spatial.algebra import get_vector

MAX_ROUNDS = 40  # of changes of modes; as many again on slick ground
TOGETHER = 6  # rounds in which all wrong modes are changed at once
DEEP = 1e-9  # m or rad: what is free may be this deep
STILL = 1e-9  # m/s or rad/s


@kernel
def impulse_of(bodies, m, kind, which):
    """The impulse of a row, 0 if there is none."""
    for r in range(m):
        if bodies.kind[r] == kind and bodies.which[r] == which:
            return bodies.J[r]
    return 0.0


@kernel
def judge_pad(data, bodies, m, k, slick):
    """The mode that pad k should have by the solution, and the direction of friction if it slides. `set_errors` left its new
    gap.
    """
    geometry, contact, mode = data.geometry, data.contact, data.contact.mode[k]
    rough = geometry.friction[k] > 0.0 and not slick
    if mode == OPEN:
        if contact.gap[k] < -DEEP:
            return (STICK, 0.0) if rough else (SLIDE, 0.0)
        return OPEN, 0.0
    J_n = impulse_of(bodies, m, NORMAL, k)
    if mode == STICK:
        J_t = impulse_of(bodies, m, ALONG, k)
        if J_n < 0.0 or abs(J_t) > geometry.friction[k] * J_n * (1.0 + 1e-9):  # it may be friction that would lift it
            return SLIDE, 1.0 if J_t > 0.0 else -1.0
        return STICK, 0.0
    if J_n < 0.0:
        return OPEN, 0.0
    sense = bodies.slip_sense[k]
    if rough and (sense == 0.0 or slip_of(data, bodies, k, bodies.next_velocity) * sense > STILL):
        return STICK, 0.0
    return SLIDE, sense


@kernel
def slip_of(data, bodies, k, speed):
    """Velocity of pad k along the ground; contact points are those of the pose that is asked for."""
    i, n, contact = data.geometry.body[k], get_vector(data.contact.normal, k), data.contact
    rx = data.work.p_WB[i, 0] + contact.r_BC_W[k, 0] - bodies.next_pose[i, 0]
    rz = data.work.p_WB[i, 1] + contact.r_BC_W[k, 1] - bodies.next_pose[i, 1]
    ux, uz = speed[i, 0] + speed[i, 2] * rz, speed[i, 1] - speed[i, 2] * rx
    return n[1] * ux - n[0] * uz


@kernel
def judge_row(data, bodies, m, r, h):
    """Whether stop r should be on, or friction r hold, and the direction of friction if it slips."""
    constraints, i = data.constraints, bodies.joint[data.constraints.dof[r]]
    p = data.tree.parent[i]
    rate = bodies.next_velocity[i, 2] - bodies.next_velocity[p, 2]
    if constraints.kind[r] == DRY:
        if bodies.sticks[r]:
            J = impulse_of(bodies, m, HOLD, r)
            return (1, 0.0) if abs(J) <= h * constraints.bound[r] else (0, 1.0 if J > 0.0 else -1.0)
        return (1, 0.0) if rate * bodies.sense_of_friction[r] > STILL else (0, bodies.sense_of_friction[r])
    if constraints.on[r]:
        return (1, 0.0) if impulse_of(bodies, m, STOP, r) >= 0.0 else (0, 0.0)
    room = constraints.sign[r] * (bodies.next_pose[i, 2] - bodies.next_pose[p, 2] - constraints.bound[r])
    return (1, 0.0) if room < -DEEP else (0, 0.0)


@kernel
def review(data, bodies, m, h, lone, only, slick):
    """Change modes that contradict the solution; with `lone` at most one, and with `only` only that of one pad.

    On `slick` ground nothing sticks. Returns how many were changed.
    """
    contact, constraints, changed = data.contact, data.constraints, 0
    for k in range(len(data.geometry.body)):
        if (only < 0 or k == only) and not (lone and changed):
            mode, sense = judge_pad(data, bodies, m, k, slick)
            if mode != contact.mode[k]:
                if mode == STICK:
                    contact.anchored[k] = 0
                if mode == SLIDE and contact.mode[k] == OPEN:
                    sense = 0.0
                contact.mode[k], bodies.slip_sense[k] = mode, sense
                changed += 1
    for r in range(len(constraints.dof)):
        if bodies.joint[constraints.dof[r]] > 0 and not (lone and changed):
            on, sense_of_friction = judge_row(data, bodies, m, r, h)
            if constraints.kind[r] == DRY:
                if on != bodies.sticks[r]:
                    bodies.sticks[r], bodies.sense_of_friction[r] = on, sense_of_friction
                    changed += 1
            elif on != constraints.on[r]:
                constraints.on[r] = on
                changed += 1
    return changed


@kernel
def pads_of(geometry):
    """How many pads there are; they stand before the further contacts of pads."""
    count = 0
    for k in range(len(geometry.owner)):
        count += 1 if geometry.owner[k] == k else 0
    return count


@kernel(inline=False)
def solve_modes(data, bodies, h, index):
    """Solve the next step. Returns the number of rows, how often it was solved, and the largest error of a row.

    With friction there may be no consistent modes. From MAX_ROUNDS on, the ground is slick for this step, for which there always
    are.
    """
    set_joint_forces(data, h, h)
    set_friction_bounds(data.constraints, data.joints, data.motion.v)
    set_matrix(data, bodies, h)
    m, residual = solve(data, bodies, h)
    count = len(data.geometry.body)
    if bodies.alternate[0]:
        changed = review(data, bodies, m, h, 0, index % max(pads_of(data.geometry), 1), 0)
        if changed:
            m, residual = solve(data, bodies, h)
        return m, 1 + changed, residual
    for rounds in range(1, 2 * MAX_ROUNDS):
        if rounds == MAX_ROUNDS:
            for k in range(count):
                bodies.slip_sense[k] = 0.0
                if data.contact.mode[k] == STICK:
                    data.contact.mode[k] = SLIDE
            m, residual = solve(data, bodies, h)
        if review(data, bodies, m, h, rounds > TOGETHER, -1, rounds >= MAX_ROUNDS) == 0:
            return m, rounds, residual
        m, residual = solve(data, bodies, h)
    return m, 2 * MAX_ROUNDS, residual
