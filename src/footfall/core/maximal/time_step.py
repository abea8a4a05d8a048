"""A step of time stepping, where events crowd or friction turns faster than a method of high order can follow.

Standard name: Moreau's midpoint rule (Moreau 1988; Stewart and Trinkle 1996). Half of the step moves coordinates with the old
velocity; in the middle all impulses are found together (`core.maximal.cone`); the other half moves them with the new velocity v':

    M (v' - v) = h f + J'y,    J v' + 2 gap / h >= 0,   y in the cone of friction, opposite to the slip that v' has

all at the middle, with forces at the mean of v and v'. Smooth motion has order 2. There are no modes to guess and no events
within, but for what comes down: that ends the step, and strikes.
"""

import numpy as np

from footfall.core.contact.edges import FAR
from footfall.core.contact.geometry import OPEN, STICK
from footfall.core.contact.joint_constraints import (
    DRY,
    apply_servos,
    set_friction_bounds,
    set_joint_forces,
    spare_motors,
)
from footfall.core.contact.loop import FRICTION, GROUND, JOINTS, MOTORS, PUSHES, STOPS
from footfall.core.jit import kernel
from footfall.core.manifold import integrate
from footfall.core.maximal.border import clear_border, respond, row_of
from footfall.core.maximal.cone import ALONG, LOOP, NORMAL, name_rows, read_modes, solve_cone
from footfall.core.maximal.flow import LEDGER, keep_modes
from footfall.core.maximal.loops import set_loop_rows
from footfall.core.maximal.touch import place_contact, set_contact_forces, set_contact_rows, set_joint_rows
from footfall.core.maximal.tree_system import factor, set_hinges, set_system, solve_tree
from footfall.core.recursion.kinematics import set_speeds
from footfall.core.spatial.algebra import angular, dot, get_motion, get_vector, pair, put_vector, scaled, spin_square

TOUCHES = 1e-8  # m or rad: nearer than this it touches
REACH = 1e-4  # m or rad: nearer than this it may touch within the step
GENTLE = 0.1  # of the depth that was there before: so much is taken away in a step
SLOWLY = 0.02  # m/s or rad/s: and no faster than this, however short the step
FARTHEST = 0.005  # rad: no body turns farther in one go
MOST_TURNS = 128.0


@kernel
def parts_for_turning(work, h):
    """In how many parts a step of length h must be taken, so that no body turns too far."""
    fastest = 0.0
    for i in range(1, len(work.V_WB)):
        fastest = max(fastest, spin_square(angular(get_motion(work.V_WB, i))))
    return min(max(np.ceil(h * np.sqrt(fastest) / FARTHEST), 1.0), MOST_TURNS)


@kernel(inline=False)
def choose(data, flow, h, all_near):
    """Which contacts and stops take part: those that touch; with `all_near` also those that may touch within the step. Gaps and
    velocities are set."""
    contact, constraints, motion = data.contact, data.constraints, data.motion
    for k in range(len(contact.mode)):
        gap = contact.gap[k]
        flow.gap[k] = gap
        if gap >= FAR:
            flow.takes[k] = 0
            continue
        near = gap <= TOUCHES or contact.mode[k] != OPEN
        if all_near and not near:
            place_contact(data, k)
            near = gap + 2.0 * h * min(dot(get_vector(contact.v, k), get_vector(contact.normal, k)), 0.0) < REACH
        flow.takes[k] = 1 if near else 0
    for r in range(len(constraints.dof)):
        if constraints.kind[r] == DRY:
            flow.acts[r] = 1
        else:
            room = constraints.sign[r] * (motion.q[constraints.coordinate[r]] - constraints.bound[r])
            reach = TOUCHES
            if all_near:
                reach = REACH - 2.0 * h * min(constraints.sign[r] * motion.v[constraints.dof[r]], 0.0)
            flow.room_left[r] = room
            flow.acts[r] = 1 if room <= reach or constraints.on[r] else 0


@kernel
def left_over(error):
    """What is left of an error that is taken away gently."""
    return (1.0 - GENTLE) * error


@kernel
def bias_of(gap, before, h):
    """The velocity that closes a gap at the middle of the step by its end. A depth that was there before is taken away gently."""
    deep = min(before, 0.0)
    return 2.0 / h * (gap - min(left_over(deep), deep + SLOWLY * h))


@kernel(inline=False)
def form_rows(data, flow, h):
    """Rows of all that takes part, where poses are set and velocities are those before."""
    contact, constraints, border, cone = data.contact, data.constraints, flow.border, flow.cone
    for k in range(len(contact.mode)):
        if flow.takes[k]:
            if contact.mode[k] != STICK:
                contact.anchored[k] = 0
            contact.mode[k] = STICK
            place_contact(data, k)
            if contact.gap[k] >= FAR:
                contact.mode[k] = OPEN
        else:
            contact.mode[k] = OPEN
    for r in range(len(constraints.dof)):
        if constraints.kind[r] == DRY:
            flow.holds[r] = 1
        else:
            constraints.on[r] = flow.acts[r]
    clear_border(border)
    set_loop_rows(data.work, flow.loops, border)
    set_contact_rows(data, flow, 0)
    set_joint_rows(data, flow, 1)
    name_rows(data, flow, h)
    for r in range(border.count[0]):
        cone.before[r] = row_of(border, r, data.work.V_WB, flow.system.none, data.motion.v)
        cone.bias[r] = border.y[r] = 0.0


@kernel(inline=False)
def set_biases(data, flow, h):
    """What closes gaps and loops, which are those in the middle of the step."""
    contact, constraints, cone = data.contact, data.constraints, flow.cone
    for r in range(len(flow.loops.kind)):
        if flow.loops.on[r]:
            cone.bias[flow.loops.row[r]] = 2.0 / h * flow.loops.error[r]
    for k in range(len(contact.mode)):
        if contact.mode[k] != OPEN:
            cone.bias[flow.row[k]] = bias_of(contact.gap[k], flow.gap[k], h)
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY and constraints.on[r]:
            room = constraints.sign[r] * (data.motion.q[constraints.coordinate[r]] - constraints.bound[r])
            cone.bias[flow.joint_row[r]] = bias_of(room, flow.room_left[r], h)


@kernel(inline=False)
def set_velocities(data, v):
    """Poses at data.motion.q, and velocities v of the hinges there."""
    set_speeds(data.tree, data.work, data.motion.q, v)


@kernel(inline=False)
def set_free_velocity(data, flow, h, fraction):
    """flow.next: the velocity after the step without impulses, with forces at the velocity between that before and flow.next."""
    tree, work, motion, system = data.tree, data.work, data.motion, flow.system
    for d in range(len(motion.v)):
        motion.v[d] = (1.0 - fraction) * flow.v[d] + fraction * flow.next[d]
    set_velocities(data, motion.v)
    set_system(tree, work, system)
    set_hinges(tree, work, system, motion.v)
    factor(tree, work, system, motion.rotor_joint)
    solve_tree(tree, work, system, motion.tau_joint)
    for d in range(len(motion.v)):
        flow.next[d] = flow.v[d] + h * system.s[d]


@kernel(inline=False)
def find_next_velocity(data, flow, h):
    """flow.next: the velocity h later; border.y: impulses; motion.a: the mean acceleration. Returns the number of sweeps."""
    tree, work, motion, border, cone = data.tree, data.work, data.motion, flow.border, flow.cone
    keep_modes(data, flow)
    for d in range(len(motion.v)):
        motion.v[d], flow.next[d] = flow.v[d], flow.v[d]
        flow.step[d] = 0.5 * h * flow.v[d]
    integrate(tree, flow.q, flow.step, motion.q)
    set_joint_forces(data, h, 0.5 * h)
    set_friction_bounds(data.constraints, data.joints, motion.v)
    set_velocities(data, motion.v)
    form_rows(data, flow, h)
    set_biases(data, flow, h)
    sweeps = 0
    for turn in range(2):
        set_free_velocity(data, flow, h, 0.5 * turn)
        if turn == 0:
            respond(tree, work, flow.system, border)
        set_velocities(data, flow.next)
        for r in range(border.count[0]):
            cone.b[r] = row_of(border, r, work.V_WB, flow.system.none, flow.next) + cone.bias[r]
        sweeps += solve_cone(border, cone)
        for d in range(len(motion.v)):
            for r in range(border.count[0]):
                flow.next[d] += border.s[r, d] * border.y[r]
    for d in range(len(motion.v)):
        motion.a[d] = (flow.next[d] - flow.v[d]) / h
    return sweeps


@kernel(inline=False)
def step_on(data, flow, h):
    """From where the part began to h later, for what `choose` has chosen. Sets the state there, modes, mean forces of contacts,
    and flow.work. Returns the number of sweeps."""
    tree, motion, border, cone = data.tree, data.motion, flow.border, flow.cone
    sweeps = find_next_velocity(data, flow, h)
    while apply_servos(data.joints, motion.a) > 0:
        sweeps += find_next_velocity(data, flow, h)
    spare_motors(data.joints)
    for d in range(len(motion.v)):
        motion.v[d] = flow.next[d]
    account(data, flow, h)
    set_contact_forces(data, flow)
    for k in range(len(data.contact.mode)):
        put_vector(data.contact.force, k, scaled(get_vector(data.contact.force, k), 1.0 / h))
    for r in range(border.count[0]):
        cone.w[r] -= cone.bias[r]
    read_modes(data, flow, 1)
    for d in range(len(motion.v)):
        flow.step[d] = 0.5 * h * flow.next[d]
    integrate(tree, motion.q, flow.step, motion.q)
    return sweeps


@kernel(inline=False)
def account(data, flow, h):
    """flow.work: the work of all forces in the step, with the mean of the velocities before and after."""
    motion, joints, border, cone, work = data.motion, data.joints, flow.border, flow.cone, flow.work
    for j in range(LEDGER):
        work[j] = 0.0
    for d in range(len(motion.v)):
        mean = 0.5 * (flow.v[d] + flow.next[d])
        whole = motion.tau_joint[d] - (motion.rotor_joint[d] - data.tree.rotor[d]) * motion.a[d]
        work[MOTORS] += h * joints.applied[d] * mean
        work[JOINTS] += h * (whole - joints.applied[d]) * mean
        flow.step[d] = mean
    for r in range(border.count[0]):
        done = 0.5 * border.y[r] * (cone.before[r] + cone.w[r] - cone.bias[r])
        kind = cone.kind[r]
        work[GROUND if kind in (NORMAL, LOOP) else FRICTION if kind == ALONG else STOPS] += done
    set_velocities(data, flow.step)
    for i in range(1, len(data.work.V_WB)):
        work[PUSHES] += h * pair(get_motion(data.work.V_WB, i), get_motion(data.work.f_ext, i))
