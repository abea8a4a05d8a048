"""Joint stops, dry friction, motors, springs, dampers and tendons.

Stops and dry friction are joint constraints with the same proximal law as contacts, for one degree of freedom d with the sign s.
With w = s (v + h a), the velocity at the end of the step,

    z = multiplier - (w + bias) / (R h),   force = max(z, 0) at a stop,   z clipped to +-bound for dry friction

An active constraint is an inertia 1/R on its joint, like that of a rotor.

The bound of dry friction is set before a step, from the motor's torque and from the speed at that instant (Stribeck's curve). So
the step stays convex, and friction never drives a joint.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.jit import kernel
from footfall.core.passive import set_tendon_forces

LOW, HIGH, DRY = 0, 1, 2  # kinds: stop below, stop above, dry friction
CHANGED, JOLTED = 1, 2  # what a kick was to contacts and stops: a mode changed; one began to act, and took away a velocity
TOUCHING = 1e-6  # rad or m: nearer than this a joint is at its stop
NEAR = 1e-3  # rad or m: stops that would be nearer than this after two drifts take part
GENTLE = 1.0  # rad/s^2 or m/s^2: a joint that comes to its stop slower than this times dt needs no impact, to second order


class JointConstraints(NamedTuple):
    """Row r is one constraint: a stop, or the dry friction of a joint."""

    dof: Any  # (n,) int
    coordinate: Any  # (n,) int: its entry of q
    kind: Any  # (n,) int
    sign: Any  # (n,) +1, or -1 for a stop above
    bound: Any  # (n,) coordinate of a stop, or largest friction
    R: Any  # (n,) regularisation
    friction: Any  # (n,) friction without load, where the joint slides
    load_friction: Any  # (n,) friction for each N m of the motor's torque
    stiction: Any  # (n,) how much larger friction without load is at rest
    v_stribeck: Any  # (n,) speed at which 1/e of that is left
    varies: Any  # (n,) int: 1 if the bound depends on load or speed
    active: Any  # (n,) int: 1 if it takes part in this step
    was_on: Any  # (n,) int: 1 if it acted in the last kick
    on: Any  # (n,) int: 1 if it acts in the present iterate (a stop with a force, friction that holds)
    bias: Any  # (n,) velocity w must be its negative
    multiplier: Any  # (n,)
    force: Any  # (n,)
    v_next: Any  # (n,) iterates, as for contacts
    f_model: Any  # (n,)
    v_trial: Any  # (n,)
    f_trial: Any  # (n,)


class Joints(NamedTuple):
    """Motor, spring and damper of every degree of freedom."""

    coordinate: Any  # (nv,) int: its entry of q, where it has one
    damping: Any  # (nv,)
    stiffness: Any  # (nv,)
    rest: Any  # (nv,)
    implicit: (
        Any  # (nv,) 0: spring at the instant, damper at the mean velocity, which keeps energy; 1: both at the end, for stiff ones
    )
    tau_max: Any  # (nv,) largest torque of its motor
    v_max: Any  # (nv,) speed above which its motor does not drive
    stall: Any  # (nv,) torque at rest that the supply of its motor allows
    droop: Any  # (nv,) what it loses of that for each rad/s, by the voltage of rotation
    servo: Any  # (3, nv) the motor's own fast loop: stiffness, target, damping
    servo_inertia: Any  # (nv,) what that loop, which acts at the end of the step, adds to the joint's inertia
    full: Any  # (nv,) int: 1 or -1 if that loop would ask for more than the motor has, which gives all it has in that direction
    applied: Any  # (nv,) torque of the motor in the last step


@kernel
def constraint_force(constraints, r, w, h):
    """The force of constraint r for the velocity w at the end of the step."""
    z = constraints.multiplier[r] - (w + constraints.bias[r]) / (constraints.R[r] * h)
    if constraints.kind[r] == DRY:
        return min(max(z, -constraints.bound[r]), constraints.bound[r])
    return max(z, 0.0)


@kernel
def aim_constraints(constraints, q, v, h, dt, may_strike):
    """Set which stops are near, and the bias that brings each to its bound.

    A joint that comes at speed is let fly: it will strike its stop within the drift. The bias of a stop that takes no part is
    its gap.
    """
    for r in range(len(constraints.dof)):
        constraints.v_next[r] = constraints.sign[r] * v[constraints.dof[r]]
        if constraints.kind[r] == DRY:
            constraints.bias[r] = 0.0
            constraints.active[r] = 1
        else:
            gap = constraints.sign[r] * (q[constraints.coordinate[r]] - constraints.bound[r])
            near = gap + 2.0 * h * constraints.v_next[r] < NEAR
            flies = may_strike and gap > 0.0 and constraints.v_next[r] < -GENTLE * dt
            if constraints.on[r] or (near and not flies):
                constraints.bias[r], constraints.active[r] = gap / (h if gap > 0.0 else dt), 1
            else:
                constraints.bias[r], constraints.active[r] = gap, 0
                constraints.on[r], constraints.multiplier[r], constraints.force[r] = 0, 0.0, 0.0


@kernel
def hold_constraints(constraints, v):
    """Let joints that are at their stops keep their velocity; the other stops take no part."""
    for r in range(len(constraints.dof)):
        constraints.v_next[r] = constraints.sign[r] * v[constraints.dof[r]]
        if constraints.kind[r] != DRY:
            constraints.bias[r], constraints.active[r] = -constraints.v_next[r], constraints.was_on[r]
            constraints.on[r], constraints.multiplier[r], constraints.force[r] = constraints.was_on[r], 0.0, 0.0


@kernel
def time_to_stop(constraints, r, motion, first, h, jolted):
    """The time until the joint of constraint r, which takes no part in this drift of length h, meets its stop; `first` if later.

    The coordinate moves on a parabola whose speed in the middle of the drift is v, or on a line after a jolt.
    """
    d, s, gap = constraints.dof[r], constraints.sign[r], constraints.bias[r]
    a = 0.0 if jolted else s * motion.a[d]
    v = s * motion.v[d] - 0.5 * h * a  # now
    if gap + first * (v + 0.5 * first * a) >= 0.0:
        return first
    root = np.sqrt(max(v * v - 2.0 * a * gap, 0.0))
    return max((-v - root) / a if v > 0.0 else 2.0 * gap / (root - v), 0.0)


@kernel
def add_constraint(constraints, r, v, tau_all, rotor, h):
    """Add constraint r in its present mode to the joint's force and inertia."""
    d, s = constraints.dof[r], constraints.sign[r]
    if constraints.on[r]:
        stiff = 1.0 / constraints.R[r]
        tau_all[d] += s * (constraints.multiplier[r] - (s * v[d] + constraints.bias[r]) * stiff / h)
        rotor[d] += stiff
    elif constraints.kind[r] == DRY:
        tau_all[d] += constraint_force(constraints, r, constraints.v_next[r], h)


@kernel
def constraint_residual(constraints, r, v, a, h):
    """Set the trial velocity and force of constraint r. Returns the residual: by how much the force differs from
    that which was assumed.
    """
    d = constraints.dof[r]
    w = constraints.sign[r] * (v[d] + h * a[d])
    f = constraint_force(constraints, r, w, h)
    if constraints.on[r]:
        model = constraints.multiplier[r] - (w + constraints.bias[r]) / (constraints.R[r] * h)
    elif constraints.kind[r] == DRY:
        model = constraint_force(constraints, r, constraints.v_next[r], h)
    else:
        model = 0.0
    constraints.v_trial[r], constraints.f_trial[r], constraints.force[r] = w, model, f
    return abs(f - model)


@kernel
def read_constraint(constraints, r, h):
    """Set the mode of constraint r at the velocity v_next."""
    f = constraint_force(constraints, r, constraints.v_next[r], h)
    if constraints.kind[r] == DRY:
        constraints.on[r] = 1 if abs(f) < constraints.bound[r] else 0
    else:
        constraints.on[r] = 1 if f > 0.0 else 0


@kernel
def constraint_merit_slope(constraints, r, alpha, h):
    """The part of constraint r in the slope of the merit function, at the fraction alpha of the Newton step."""
    dv = constraints.v_trial[r] - constraints.v_next[r]
    f_model = (1.0 - alpha) * constraints.f_model[r] + alpha * constraints.f_trial[r]
    return dv * (f_model - constraint_force(constraints, r, constraints.v_next[r] + alpha * dv, h))


@kernel
def move_constraint(constraints, r, alpha):
    """Move velocity and force of constraint r by the fraction alpha of the Newton step."""
    constraints.v_next[r] += alpha * (constraints.v_trial[r] - constraints.v_next[r])
    constraints.f_model[r] += alpha * (constraints.f_trial[r] - constraints.f_model[r])


@kernel
def update_constraint_multiplier(constraints, r, h):
    """Take the force found as the multiplier. Returns the velocity by which the constraint is still missed."""
    residual = constraints.R[r] * h * abs(constraints.force[r] - constraints.multiplier[r]) if constraints.on[r] else 0.0
    constraints.multiplier[r] = constraints.force[r]
    return residual


@kernel
def set_friction_bounds(constraints, joints, v_now):
    """Gears rub more under load, and more at rest than in motion. The load is the motor torque at the beginning of the step."""
    for r in range(len(constraints.dof)):
        if constraints.varies[r]:
            d = constraints.dof[r]
            bound = constraints.friction[r] + constraints.load_friction[r] * abs(joints.applied[d])
            if constraints.stiction[r] > 0.0:
                x = v_now[d] / constraints.v_stribeck[r]
                bound += constraints.stiction[r] * np.exp(-x * x)
            constraints.bound[r] = bound


@kernel
def settle_constraints(constraints):
    """Returns JOLTED if a stop began, CHANGED if one ended. One that was struck began to act in the impact."""
    changed = 0
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY:
            on = 1 if constraints.active[r] and constraints.on[r] else 0
            if on != constraints.was_on[r]:
                changed = max(changed, JOLTED if on else CHANGED)
            constraints.was_on[r] = on
    return changed


@kernel
def aim_constraints_for_impact(constraints, q, v):
    """In an impact, joints at their stops do not move further. Dry friction is too weak to matter."""
    for r in range(len(constraints.dof)):
        gap = constraints.sign[r] * (q[constraints.coordinate[r]] - constraints.bound[r])
        constraints.active[r] = 1 if constraints.kind[r] != DRY and gap < TOUCHING else 0
        constraints.v_next[r] = constraints.sign[r] * v[constraints.dof[r]]
        constraints.bias[r], constraints.multiplier[r], constraints.force[r], constraints.on[r] = 0.0, 0.0, 0.0, 0


@kernel
def constraint_loss(constraints, r, v, a):
    """Energy that a stop takes in an impact."""
    d = constraints.dof[r]
    return -constraints.sign[r] * constraints.force[r] * (v[d] + 0.5 * a[d])


@kernel
def set_joint_forces(data, kick, h):
    """Set `tau_joint` and `rotor_joint`: motors within their limits, their servos, springs, dampers and tendons.

    Servos, and springs, dampers and tendons that are stiff for the time step, act at its end (implicit Euler), so that any gain
    is stable.
    """
    tree, joints, motion = data.tree, data.joints, data.motion
    q, v, tau, tau_joint, rotor = motion.q, motion.v, motion.tau, motion.tau_joint, motion.rotor_joint
    for d in range(len(tau)):
        at, most = q[joints.coordinate[d]], joints.tau_max[d]
        stiffness, damping = joints.servo[0, d], joints.servo[2, d]
        force = tau[d]
        if stiffness > 0.0 or damping > 0.0:
            force += stiffness * (joints.servo[1, d] - at - h * v[d]) - damping * v[d]
        added = kick * (damping + stiffness * h)
        if abs(force) > most or most == 0.0:
            force, added = min(max(force, -most), most), 0.0
        if force * v[d] > 0.0:
            if abs(v[d]) > joints.v_max[d]:
                force, added = 0.0, 0.0
            elif joints.droop[d] > 0.0 and abs(force) + joints.droop[d] * abs(v[d]) > joints.stall[d]:
                force, added = driven_by_supply(joints, d, v[d], kick)
        if joints.full[d] != 0:
            force, added = joints.full[d] * most, 0.0
        joints.applied[d], joints.servo_inertia[d] = force, added
        rotor[d] = tree.rotor[d] + added
        damping, stiffness, implicit = joints.damping[d], joints.stiffness[d], joints.implicit[d]
        if damping > 0.0 or stiffness > 0.0:
            force -= damping * v[d] + stiffness * (at - joints.rest[d] + implicit * h * v[d])
            rotor[d] += kick * (damping * 0.5 * (1.0 + implicit) + stiffness * h * implicit)
        tau_joint[d] = force
    if len(data.tendons.stiffness) > 0:
        set_tendon_forces(data.tendons, tree, q, v, motion.v_now if kick > 0.0 else v, kick, h)
        for d in range(len(tau)):
            tau_joint[d] += data.tendons.tau[d]
            rotor[d] += data.tendons.inertia[d]


@kernel
def driven_by_supply(joints, d, v, kick):
    """Torque in the direction of motion that the supply leaves, and the inertia that takes it at the end of the step."""
    left = joints.stall[d] - joints.droop[d] * abs(v)
    if left <= 0.0:
        return 0.0, 0.0
    return left if v > 0.0 else -left, kick * joints.droop[d]


@kernel
def apply_servos(joints, a):
    """Set the motor torques over a step in which joints accelerate by a. Returns how many motors would need more than they have;
    they are marked as full, and the step is to be solved again.

    What a servo asks for changes within a step. A joint that is braked hard, by an impact for one, raises it beyond the limit.
    """
    found = 0
    for d in range(len(a)):
        if joints.servo_inertia[d] != 0.0:
            force = joints.applied[d] - joints.servo_inertia[d] * a[d]
            if abs(force) > joints.tau_max[d]:
                joints.full[d] = 1 if force > 0.0 else -1
                found += 1
            joints.applied[d] = force
    return found


@kernel
def spare_motors(joints):
    """No motor is full, for the next kick."""
    for d in range(len(joints.full)):
        joints.full[d] = 0
