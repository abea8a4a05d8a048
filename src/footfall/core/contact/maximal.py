"""A planar robot as bodies that know nothing of each other but for pins: Kelly's formulation, in maximal coordinates.

Every body has its own place, and the impulses at pins, pads and stops are solved for together, so that all of them are where
they belong at the end of the step (symplectic Euler; v' and x' are those of the next instant):

    M v' = M v + h f + H'J,   x' = x + h v',   c(x') = 0

H is G = dc/dx, but for a pad that slides, whose friction goes with what presses. c(x') = 0 is met exactly, by Newton's method
with the matrix of the step's begin. Rotors, and what joints do by themselves, couple two bodies within M.

A pad is free, pinned or slides; a stop is free or on; a joint that rubs holds or slips. Where the answer contradicts that, it is
changed and the step solved again: all at once, and one after the other when that does not come to an end; or as the report does,
one pad in each step, and only once.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.decide import decide
from footfall.core.contact.joint_constraints import DRY, set_applied_torques, set_joint_forces, set_loaded_friction
from footfall.core.contact.law import OPEN, SLIDE, STICK, locate, set_anchor, set_error, sum_contacts
from footfall.core.contact.loop import (
    CONTROL,
    DONE,
    FRICTION,
    GROUND,
    JOINTS,
    MOTORS,
    PUSHES,
    STOPS,
    finish,
    report,
    set_world_coordinates,
    write_record,
)
from footfall.core.contact.push import apply_pushes, pushes_act
from footfall.core.jit import kernel
from footfall.core.joints import REVOLUTE
from footfall.core.spatial.algebra import get_vector, put_vector
from footfall.core.trig import cos_sin

PIN, NORMAL, ALONG, STOP, HOLD = 0, 1, 2, 3, 4  # kinds of row
MAX_ROUNDS = 40
TOGETHER = 6  # rounds in which everything that is wrong is changed at once
MAX_REPAIRS = 6
CLOSED = 1e-12  # m or rad: rows that are off by less are met
DEEP = 1e-9  # m or rad: what is free may be this deep
GENTLE = 0.2  # of its depth: by how much what is in the ground already comes out in a step
STILL = 1e-9  # m/s or rad/s
SOFT = 1e-9  # of a row's own inertia: lets rows that say the same share evenly


class Bodies(NamedTuple):
    """Row i belongs to body i; the world is body 0, and does not move."""

    pose: Any  # (n+1, 3) x, z of the centre of mass, angle
    velocity: Any  # (n+1, 3)
    next_pose: Any
    next_velocity: Any
    centre: Any  # (n+1, 2) of mass, in the body's axes
    joint: Any  # (nv,) int: the body that a degree of freedom moves, if it is a hinge, otherwise 0
    slip_sense: Any  # (pads,) along which friction acts where a pad slides
    sticks: Any  # (rows,) int: 1 where a joint's friction holds
    sense_of_friction: Any  # (rows,) along which it acts otherwise
    M: Any  # (3n, 3n)
    f: Any  # (3n,) impulses of weight, pushes and joints
    free: Any  # (3n,) room
    G: Any  # (m, 3n)
    H: Any  # (m, 3n)
    W: Any  # (m, 3n) what unit impulses do to velocities
    S: Any  # (m, m)
    order: Any  # (m,) int
    c: Any  # (m,)
    target: Any  # (m,) what is left of an error at the end of the step
    J: Any  # (m,) impulses
    more: Any  # (m,) room
    kind: Any  # (m,) int
    which: Any  # (m,) int: body, pad or row of the machine
    alternate: Any  # (1,) int: 1 for one pad a step


@kernel
def place(data, bodies, pose):
    """Turns and places of the bodies' origins, and where their pads are."""
    work = data.work
    for i in range(1, len(pose)):
        c, s = cos_sin(pose[i, 2])
        x, z = bodies.centre[i, 0], bodies.centre[i, 1]
        work.R_WB[i, 0], work.R_WB[i, 1], work.R_WB[i, 2] = c, s, pose[i, 2]
        work.p_WB[i, 0] = pose[i, 0] - (c * x + s * z)
        work.p_WB[i, 1] = pose[i, 1] - (c * z - s * x)
    locate(data.ground, data.geometry, data.contact, work)
    for k in range(len(data.geometry.body)):
        set_error(data.geometry, data.contact, work, k)


@kernel
def observe(data, bodies):
    """The robot's own coordinates and velocities, from those of its bodies; `place` was called."""
    tree, work, motion, pose, speed = data.tree, data.work, data.motion, bodies.pose, bodies.velocity
    for i in range(1, len(pose)):
        p, j, d = tree.parent[i], tree.first_q[i], tree.first_v[i]
        if tree.kind[i] == REVOLUTE:
            motion.q[j], motion.v[d] = pose[i, 2] - pose[p, 2], speed[i, 2] - speed[p, 2]
        else:
            rx, rz = work.p_WB[i, 0] - pose[i, 0], work.p_WB[i, 1] - pose[i, 1]
            ux, uz = speed[i, 0] + speed[i, 2] * rz, speed[i, 1] - speed[i, 2] * rx
            for e in range(2):
                ax, az = tree.axis[d + e, 0], tree.axis[d + e, 1]
                x, z = work.p_WB[i, 0] - tree.offset[i, 0], work.p_WB[i, 1] - tree.offset[i, 1]
                motion.q[j + e], motion.v[d + e] = ax * x + az * z, ax * ux + az * uz
            motion.q[j + 2], motion.v[d + 2] = pose[i, 2], speed[i, 2]
    for d in range(len(motion.v)):
        motion.v_now[d] = motion.v[d]


@kernel(inline=False)
def spread(data, bodies):
    """Poses and velocities of the bodies, from the robot's coordinates; turns, places and motions of origins are set already."""
    work = data.work
    for i in range(1, len(bodies.pose)):
        m = data.tree.rigid[i, 0]
        x, z = data.tree.rigid[i, 1] / m, data.tree.rigid[i, 2] / m
        bodies.centre[i, 0], bodies.centre[i, 1] = x, z
        c, s, w = work.R_WB[i, 0], work.R_WB[i, 1], work.V_WB[i, 2]
        rx, rz = c * x + s * z, c * z - s * x
        bodies.pose[i, 0], bodies.pose[i, 1], bodies.pose[i, 2] = work.p_WB[i, 0] + rx, work.p_WB[i, 1] + rz, work.R_WB[i, 2]
        bodies.velocity[i, 0], bodies.velocity[i, 1], bodies.velocity[i, 2] = (
            work.V_WB[i, 0] + w * rz,
            work.V_WB[i, 1] - w * rx,
            w,
        )


@kernel
def put_point(G, r, i, x, z, arms):
    """Row r gains the velocity along (x, z) of a point of body i; `arms` is from its centre of mass. The world does not move."""
    if i > 0:
        b = 3 * (int(i) - 1)
        G[r, b] += x
        G[r, b + 1] += z
        G[r, b + 2] += x * arms[1] - z * arms[0]


@kernel
def pinned_at(data, i):
    """Where the joint of body i is on its parent, and on itself."""
    work, p = data.work, data.tree.parent[i]
    ox, oz = data.tree.offset[i, 0], data.tree.offset[i, 1]
    c, s = work.R_WB[p, 0], work.R_WB[p, 1]
    there = work.p_WB[p, 0] + c * ox + s * oz, work.p_WB[p, 1] + c * oz - s * ox
    return there, (work.p_WB[i, 0], work.p_WB[i, 1])


@kernel
def set_matrix(data, bodies, h):
    """M of the bodies with rotors, h f, and M = L L' in its place."""
    tree, work, motion, M, f = data.tree, data.work, data.motion, bodies.M, bodies.f
    n = len(f)
    M[:, :] = 0.0
    for i in range(1, len(bodies.pose)):
        b, m = 3 * (i - 1), tree.rigid[i, 0]
        x, z = bodies.centre[i, 0], bodies.centre[i, 1]
        rx, rz = bodies.pose[i, 0] - work.p_WB[i, 0], bodies.pose[i, 1] - work.p_WB[i, 1]
        M[b, b], M[b + 1, b + 1], M[b + 2, b + 2] = m, m, tree.rigid[i, 3] - m * (x * x + z * z)
        fx, fz = work.f_ext[i, 0], work.f_ext[i, 1]
        f[b], f[b + 1] = h * (fx - m * work.A_WB[0, 0]), h * (fz - m * work.A_WB[0, 1])
        f[b + 2] = h * (work.f_ext[i, 2] - rz * fx + rx * fz)
    for d in range(len(motion.v)):
        i = bodies.joint[d]
        if i > 0:
            p = tree.parent[i]
            b, a = 3 * (int(i) - 1) + 2, 3 * (int(p) - 1) + 2
            M[b, b] += motion.rotor_joint[d]
            f[b] += h * motion.tau_joint[d]
            if p > 0:
                M[a, a] += motion.rotor_joint[d]
                M[a, b] -= motion.rotor_joint[d]
                M[b, a] -= motion.rotor_joint[d]
                f[a] -= h * motion.tau_joint[d]
    for j in range(n):
        for k in range(j):
            M[j, j] -= M[j, k] * M[j, k]
        M[j, j] = np.sqrt(M[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                M[i, j] -= M[i, k] * M[j, k]
            M[i, j] /= M[j, j]


@kernel
def solve_mass(M, x):
    """x becomes M^-1 x."""
    n = len(x)
    for i in range(n):
        for k in range(i):
            x[i] -= M[i, k] * x[k]
        x[i] /= M[i, i]
    for m in range(n):
        i = n - 1 - m
        for k in range(i + 1, n):
            x[i] -= M[k, i] * x[k]
        x[i] /= M[i, i]


@kernel
def new_row(bodies, m, kind, which):
    bodies.kind[m], bodies.which[m], bodies.J[m], bodies.target[m] = kind, which, 0.0, 0.0
    bodies.G[m, :] = 0.0
    bodies.H[m, :] = 0.0
    return m + 1


@kernel
def set_rows(data, bodies):
    """Rows of all that is held, as it is assumed to be. Returns how many there are."""
    tree, work, geometry, contact, constraints = data.tree, data.work, data.geometry, data.contact, data.constraints
    G, pose, m = bodies.G, bodies.pose, 0
    for i in range(1, len(pose)):
        if tree.kind[i] == REVOLUTE:
            p = tree.parent[i]
            there, here = pinned_at(data, i)
            for e in range(2):
                m = new_row(bodies, m, PIN, 2 * i + e)
                x, z = 1.0 - e, 0.0 + e
                put_point(G, m - 1, i, x, z, (here[0] - pose[i, 0], here[1] - pose[i, 1]))
                put_point(G, m - 1, p, -x, -z, (there[0] - pose[p, 0], there[1] - pose[p, 1]))
    for k in range(len(geometry.body)):
        if contact.mode[k] != OPEN:
            i, n = geometry.body[k], get_vector(contact.normal, k)
            arms = work.p_WB[i, 0] + contact.r_BC_W[k, 0] - pose[i, 0], work.p_WB[i, 1] + contact.r_BC_W[k, 1] - pose[i, 1]
            m = new_row(bodies, m, NORMAL, k)
            put_point(G, m - 1, i, n[0], n[1], arms)
            if contact.mode[k] == STICK:
                m = new_row(bodies, m, ALONG, k)
                put_point(G, m - 1, i, n[1], -n[0], arms)
            else:
                pull = geometry.friction[k] * bodies.slip_sense[k]
                put_point(bodies.H, m - 1, i, pull * n[1], -pull * n[0], arms)
    for r in range(len(constraints.dof)):
        i = bodies.joint[constraints.dof[r]]
        if i > 0 and (constraints.on[r] if constraints.kind[r] != DRY else bodies.sticks[r]):
            m = new_row(bodies, m, HOLD if constraints.kind[r] == DRY else STOP, r)
            G[m - 1, 3 * (int(i) - 1) + 2] = constraints.sign[r]
            if tree.parent[i] > 0:
                G[m - 1, 3 * (int(tree.parent[i]) - 1) + 2] = -constraints.sign[r]
    for r in range(m):
        for j in range(len(bodies.f)):
            bodies.H[r, j] += G[r, j]
    return m


@kernel
def set_errors(data, bodies, m, pose):
    """c of every row, the bodies being at `pose`. Returns the largest."""
    contact, constraints = data.contact, data.constraints
    place(data, bodies, pose)
    worst = 0.0
    for r in range(m):
        kind, k = bodies.kind[r], bodies.which[r]
        if kind == PIN:
            there, here = pinned_at(data, k // 2)
            bodies.c[r] = here[1] - there[1] if k % 2 else here[0] - there[0]
        elif kind == NORMAL:
            bodies.c[r] = contact.gap[k]
        elif kind == ALONG:
            n = get_vector(contact.normal, k)
            bodies.c[r] = n[1] * contact.error[k, 0] - n[0] * contact.error[k, 1] if contact.anchored[k] else 0.0
        elif kind == STOP:
            i = bodies.joint[constraints.dof[k]]
            bodies.c[r] = constraints.sign[k] * (pose[i, 2] - pose[data.tree.parent[i], 2] - constraints.bound[k])
        else:
            bodies.c[r] = 0.0
        bodies.c[r] -= bodies.target[r]
        worst = max(worst, abs(bodies.c[r]))
    return worst


@kernel
def factor(bodies, m):
    """S = G M^-1 H' with a little softness, as L U with rows in `order`."""
    S, W, n = bodies.S, bodies.W, len(bodies.f)
    for r in range(m):
        for j in range(n):
            W[r, j] = bodies.H[r, j]
        solve_mass(bodies.M, W[r])
    for r in range(m):
        bodies.order[r] = r
        for s in range(m):
            S[r, s] = 0.0
            for j in range(n):
                S[r, s] += bodies.G[r, j] * W[s, j]
        S[r, r] *= 1.0 + SOFT
    for j in range(m):
        best = j
        for i in range(j + 1, m):
            if abs(S[i, j]) > abs(S[best, j]):
                best = i
        if best != j:
            bodies.order[j], bodies.order[best] = bodies.order[best], bodies.order[j]
            for k in range(m):
                S[j, k], S[best, k] = S[best, k], S[j, k]
        for i in range(j + 1, m):
            S[i, j] /= S[j, j]
            for k in range(j + 1, m):
                S[i, k] -= S[i, j] * S[j, k]


@kernel
def add_impulses(bodies, m, b):
    """Impulses that change the rows' velocities by b: they are added to J, and what they do to next_speed."""
    S, more = bodies.S, bodies.more
    for i in range(m):
        more[i] = b[bodies.order[i]]
        for k in range(i):
            more[i] -= S[i, k] * more[k]
    for t in range(m):
        i = m - 1 - t
        for k in range(i + 1, m):
            more[i] -= S[i, k] * more[k]
        more[i] /= S[i, i]
    for r in range(m):
        bodies.J[r] += more[r]
        for i in range(1, len(bodies.pose)):
            for e in range(3):
                bodies.next_velocity[i, e] += bodies.W[r, 3 * (i - 1) + e] * more[r]


@kernel
def row_speed(G, r, speed):
    total = 0.0
    for i in range(1, len(speed)):
        for e in range(3):
            total += G[r, 3 * (i - 1) + e] * speed[i, e]
    return total


@kernel
def move_freely(data, bodies, h):
    """Next velocities without any impulse."""
    constraints, tree, free = data.constraints, data.tree, bodies.free
    for j in range(len(free)):
        free[j] = bodies.f[j]
    for r in range(len(constraints.dof)):
        i = bodies.joint[constraints.dof[r]]
        if constraints.kind[r] == DRY and i > 0 and not bodies.sticks[r]:
            twist = h * bodies.sense_of_friction[r] * constraints.bound[r]
            free[3 * i - 1] += twist
            if tree.parent[i] > 0:
                free[3 * int(tree.parent[i]) - 1] -= twist
    solve_mass(bodies.M, free)
    for i in range(1, len(bodies.pose)):
        for e in range(3):
            bodies.next_velocity[i, e] = bodies.velocity[i, e] + free[3 * (i - 1) + e]


@kernel(inline=False)
def solve(data, bodies, h):
    """Velocities and poses of the next instant, modes as assumed. Returns the number of rows, and by how much one is missed."""
    place(data, bodies, bodies.pose)
    m = set_rows(data, bodies)
    factor(bodies, m)
    set_errors(data, bodies, m, bodies.pose)
    for r in range(m):
        if bodies.kind[r] == NORMAL or bodies.kind[r] == STOP:
            bodies.target[r] = (1.0 - GENTLE) * min(bodies.c[r], 0.0)
            bodies.c[r] -= bodies.target[r]
    move_freely(data, bodies, h)
    residual = 0.0
    for repair in range(MAX_REPAIRS):
        for r in range(m):
            flow = row_speed(bodies.G, r, bodies.next_velocity) if repair == 0 else 0.0
            bodies.c[r] = -bodies.c[r] / h - flow
        add_impulses(bodies, m, bodies.c)
        for i in range(1, len(bodies.pose)):
            for e in range(3):
                bodies.next_pose[i, e] = bodies.pose[i, e] + h * bodies.next_velocity[i, e]
        residual = set_errors(data, bodies, m, bodies.next_pose)
        if residual < CLOSED:
            break
    return m, residual


@kernel
def impulse_of(bodies, m, kind, which):
    """The impulse of a row, 0 if there is none."""
    for r in range(m):
        if bodies.kind[r] == kind and bodies.which[r] == which:
            return bodies.J[r]
    return 0.0


@kernel
def judge_pad(data, bodies, m, k, slick):
    """What pad k should be, given what came out: its mode, and along which friction would act. `set_errors` left its new gap."""
    geometry, contact, mode = data.geometry, data.contact, data.contact.mode[k]
    rough = geometry.friction[k] > 0.0 and not slick
    if mode == OPEN:
        if contact.gap[k] < -DEEP:
            return (STICK, 0.0) if rough else (SLIDE, 0.0)
        return OPEN, 0.0
    apply_pushes = impulse_of(bodies, m, NORMAL, k)
    if mode == STICK:
        J_t = impulse_of(bodies, m, ALONG, k)
        if apply_pushes < 0.0 or abs(J_t) > geometry.friction[k] * apply_pushes * (
            1.0 + 1e-9
        ):  # it may be friction that would lift it
            return SLIDE, 1.0 if J_t > 0.0 else -1.0
        return STICK, 0.0
    if apply_pushes < 0.0:
        return OPEN, 0.0
    sense = bodies.slip_sense[k]
    if rough and (sense == 0.0 or slip_of(data, bodies, k, bodies.next_velocity) * sense > STILL):
        return STICK, 0.0
    return SLIDE, sense


@kernel
def slip_of(data, bodies, k, speed):
    """Velocity of pad k along the ground; places are those of the pose it is asked for."""
    i, n, contact = data.geometry.body[k], get_vector(data.contact.normal, k), data.contact
    rx = data.work.p_WB[i, 0] + contact.r_BC_W[k, 0] - bodies.next_pose[i, 0]
    rz = data.work.p_WB[i, 1] + contact.r_BC_W[k, 1] - bodies.next_pose[i, 1]
    ux, uz = speed[i, 0] + speed[i, 2] * rz, speed[i, 1] - speed[i, 2] * rx
    return n[1] * ux - n[0] * uz


@kernel
def judge_row(data, bodies, m, r, h):
    """Whether stop r should be on, or friction r hold, and along which friction would act otherwise."""
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
    """Change modes that contradict the answer; with `lone` no more than one, and of pads `only` that one, if it is one.

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


@kernel(inline=False)
def solve_modes(data, bodies, h, index):
    """Solve the step to come. Returns how many rows it has, how often it was solved, and by how much a row is missed.

    Friction may leave no modes that do. Then, from MOST_ROUNDS on, the ground is slick for this step, for which there always are.
    """
    motion = data.motion
    set_joint_forces(data.tree, data.joints, motion.q, motion.v, motion.tau, motion.tau_joint, motion.rotor_joint, h, h)
    set_loaded_friction(data.constraints, data.joints)
    set_matrix(data, bodies, h)
    m, residual = solve(data, bodies, h)
    count = len(data.geometry.body)
    if bodies.alternate[0]:
        changed = review(data, bodies, m, h, 0, index % max(count, 1), 0)
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


@kernel(inline=False)
def put_forces(data, bodies, m, h):
    """What pads, motors and stops do in the step to come, as the record has it; bodies and pads are where they are now."""
    geometry, contact, constraints, motion = data.geometry, data.contact, data.constraints, data.motion
    for d in range(len(motion.v)):
        i = bodies.joint[d]
        rate = bodies.next_velocity[i, 2] - bodies.next_velocity[data.tree.parent[i], 2] if i > 0 else motion.v[d]
        motion.a[d] = (rate - motion.v[d]) / h
    set_applied_torques(data.tree, data.joints, motion.a, motion.rotor_joint, h, h)
    for k in range(len(geometry.body)):
        i = geometry.body[k]
        rx = data.work.p_WB[i, 0] + contact.r_BC_W[k, 0] - bodies.pose[i, 0]
        rz = data.work.p_WB[i, 1] + contact.r_BC_W[k, 1] - bodies.pose[i, 1]
        w = bodies.velocity[i, 2]
        put_vector(contact.v, k, (bodies.velocity[i, 0] + w * rz, bodies.velocity[i, 1] - w * rx))
        n, apply_pushes, J_t = get_vector(contact.normal, k), impulse_of(bodies, m, NORMAL, k), impulse_of(bodies, m, ALONG, k)
        if contact.mode[k] == SLIDE:
            J_t = geometry.friction[k] * bodies.slip_sense[k] * apply_pushes
        put_vector(contact.force, k, ((apply_pushes * n[0] + J_t * n[1]) / h, (apply_pushes * n[1] - J_t * n[0]) / h))
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY:
            constraints.active[r], constraints.force[r] = constraints.on[r], impulse_of(bodies, m, STOP, r) / h


@kernel(inline=False)
def account(data, bodies, tally, m, h):
    """The work of everything in the step to come, with the mean of the velocities before and after."""
    constraints, motion, work, ledger = data.constraints, data.motion, data.work, tally.ledger
    for d in range(len(motion.v)):
        mean = motion.v[d] + 0.5 * h * motion.a[d]
        whole = motion.tau_joint[d] - (motion.rotor_joint[d] - data.tree.rotor[d]) * motion.a[d]
        if bodies.joint[d] > 0:
            ledger[MOTORS] += h * data.joints.applied[d] * mean
            ledger[JOINTS] += h * (whole - data.joints.applied[d]) * mean
    for r in range(len(constraints.dof)):
        if constraints.kind[r] == DRY and not bodies.sticks[r] and bodies.joint[constraints.dof[r]] > 0:
            d = constraints.dof[r]
            ledger[STOPS] += h * bodies.sense_of_friction[r] * constraints.bound[r] * (motion.v[d] + 0.5 * h * motion.a[d])
    for r in range(m):
        kind, J = bodies.kind[r], bodies.J[r]
        v_n = 0.5 * (row_speed(bodies.G, r, bodies.velocity) + row_speed(bodies.G, r, bodies.next_velocity))
        if kind == NORMAL:
            whole = 0.5 * (row_speed(bodies.H, r, bodies.velocity) + row_speed(bodies.H, r, bodies.next_velocity))
            ledger[GROUND] += J * v_n
            ledger[FRICTION] += J * (whole - v_n)
        elif kind != PIN:
            ledger[FRICTION if kind == ALONG else STOPS] += J * v_n
    for i in range(1, len(bodies.pose)):
        rx, rz = bodies.pose[i, 0] - work.p_WB[i, 0], bodies.pose[i, 1] - work.p_WB[i, 1]
        fx, fz = work.f_ext[i, 0], work.f_ext[i, 1]
        ux, uz = bodies.velocity[i, 0] + bodies.next_velocity[i, 0], bodies.velocity[i, 1] + bodies.next_velocity[i, 1]
        turn = (work.f_ext[i, 2] - rz * fx + rx * fz) * (bodies.velocity[i, 2] + bodies.next_velocity[i, 2])
        ledger[PUSHES] += 0.5 * h * (fx * ux + fz * uz + turn)


@kernel
def settle(data, bodies, tally, h):
    """Go to the next instant."""
    geometry, contact = data.geometry, data.contact
    place(data, bodies, bodies.next_pose)
    for k in range(len(geometry.body)):
        if contact.mode[k] == STICK and geometry.radius[k] > 0.0:  # it rolls on
            set_anchor(geometry, contact, data.work, k, get_vector(contact.error, k))
        elif contact.mode[k] == SLIDE:
            tally.slip[geometry.owner[k]] += h * abs(slip_of(data, bodies, k, bodies.next_velocity))
    for i in range(1, len(bodies.pose)):
        for e in range(3):
            bodies.pose[i, e], bodies.velocity[i, e] = bodies.next_pose[i, e], bodies.next_velocity[i, e]


@kernel(inline=False)
def advance(data, bodies, control, clock, record, tally, events, marks, steps):
    """As `loop.advance`: go on for so many steps; the first time, begin with the instant at hand."""
    h = clock.h
    begun = clock.step[0] >= 0
    while steps > 0 or not begun:
        if begun:
            settle(data, bodies, tally, h)
            steps -= 1
        clock.step[0] += 1
        begun = True
        place(data, bodies, bodies.pose)
        observe(data, bodies)
        set_world_coordinates(data.motion)
        if decide(control, clock, clock.step[0]) != 0:
            return CONTROL
        now = clock.step[0] * h
        if pushes_act(data.pushes, now, now + h):
            apply_pushes(data, now, now + h)
        m, rounds, residual = solve_modes(data, bodies, h, clock.step[0])
        place(data, bodies, bodies.pose)
        tally.worst[0] = max(tally.worst[0], rounds)
        tally.worst[1] = max(tally.worst[1], residual / h)
        put_forces(data, bodies, m, h)
        sum_contacts(data.geometry, data.contact, data.work, data.resultant)
        report(data, tally, events, now)
        write_record(data, clock, record, tally, clock.step[0])
        account(data, bodies, tally, m, h)
        status = finish(data, clock, events, marks)
        if status != DONE:
            return status
    return DONE
