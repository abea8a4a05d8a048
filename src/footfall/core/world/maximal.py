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

from footfall.core.jit import kernel
from footfall.core.joints import REVOLUTE
from footfall.core.spatial.algebra import get_vector, put_vector
from footfall.core.trig import cos_sin
from footfall.core.world.contact import OPEN, SLIDE, STICK, gather, locate, set_anchor, set_error
from footfall.core.world.decide import decide
from footfall.core.world.loop import (
    CONTROL,
    DONE,
    FRICTION,
    GROUND,
    JOINTS,
    MOTORS,
    PUSHES,
    STOPS,
    finish,
    keep,
    report,
    see,
)
from footfall.core.world.push import press, pushing
from footfall.core.world.rows import RUB, load_friction, load_joints, settle_joints

PIN, NORMAL, ALONG, STOP, HOLD = 0, 1, 2, 3, 4  # kinds of row
MOST_ROUNDS = 40
TOGETHER = 6  # rounds in which everything that is wrong is changed at once
MOST_REPAIRS = 6
CLOSED = 1e-12  # m or rad: rows that are off by less are met
DEEP = 1e-9  # m or rad: what is free may be this deep
GENTLE = 0.2  # of its depth: by how much what is in the ground already comes out in a step
STILL = 1e-9  # m/s or rad/s
SOFT = 1e-9  # of a row's own inertia: lets rows that say the same share evenly


class Bodies(NamedTuple):
    """Row i belongs to body i; the world is body 0, and does not move."""

    pose: Any  # (n+1, 3) x, z of the centre of mass, angle
    speed: Any  # (n+1, 3)
    next_pose: Any
    next_speed: Any
    centre: Any  # (n+1, 2) of mass, in the body's axes
    joint: Any  # (nv,) int: the body that a degree of freedom moves, if it is a hinge, otherwise 0
    sense: Any  # (pads,) along which friction acts where a pad slides
    sticks: Any  # (rows,) int: 1 where a joint's friction holds
    way: Any  # (rows,) along which it acts otherwise
    M: Any  # (3n, 3n)
    f: Any  # (3n,) impulses of weight, pushes and joints
    free: Any  # (3n,) room
    G: Any  # (m, 3n)
    H: Any  # (m, 3n)
    W: Any  # (m, 3n) what unit impulses do to velocities
    S: Any  # (m, m)
    order: Any  # (m,) int
    c: Any  # (m,)
    goal: Any  # (m,) what is left of an error at the end of the step
    J: Any  # (m,) impulses
    more: Any  # (m,) room
    kind: Any  # (m,) int
    which: Any  # (m,) int: body, pad or row of the machine
    alternate: Any  # (1,) int: 1 for one pad a step


@kernel
def place(machine, bodies, pose):
    """Turns and places of the bodies' origins, and where their pads are."""
    work = machine.work
    for i in range(1, len(pose)):
        c, s = cos_sin(pose[i, 2])
        x, z = bodies.centre[i, 0], bodies.centre[i, 1]
        work.turn[i, 0], work.turn[i, 1], work.turn[i, 2] = c, s, pose[i, 2]
        work.place[i, 0] = pose[i, 0] - (c * x + s * z)
        work.place[i, 1] = pose[i, 1] - (c * z - s * x)
    locate(machine.ground, machine.pads, machine.touch, work)
    for k in range(len(machine.pads.body)):
        set_error(machine.pads, machine.touch, work, k)


@kernel
def observe(machine, bodies):
    """The robot's own coordinates and velocities, from those of its bodies; `place` was called."""
    tree, work, motion, pose, speed = machine.tree, machine.work, machine.motion, bodies.pose, bodies.speed
    for i in range(1, len(pose)):
        p, j, d = tree.parent[i], tree.first_q[i], tree.first_v[i]
        if tree.kind[i] == REVOLUTE:
            motion.q[j], motion.v[d] = pose[i, 2] - pose[p, 2], speed[i, 2] - speed[p, 2]
        else:
            rx, rz = work.place[i, 0] - pose[i, 0], work.place[i, 1] - pose[i, 1]
            ux, uz = speed[i, 0] + speed[i, 2] * rz, speed[i, 1] - speed[i, 2] * rx
            for e in range(2):
                ax, az = tree.axis[d + e, 0], tree.axis[d + e, 1]
                x, z = work.place[i, 0] - tree.offset[i, 0], work.place[i, 1] - tree.offset[i, 1]
                motion.q[j + e], motion.v[d + e] = ax * x + az * z, ax * ux + az * uz
            motion.q[j + 2], motion.v[d + 2] = pose[i, 2], speed[i, 2]
    for d in range(len(motion.v)):
        motion.now[d] = motion.v[d]


@kernel(inline=False)
def spread(machine, bodies):
    """Poses and velocities of the bodies, from the robot's coordinates; turns, places and motions of origins are set already."""
    work = machine.work
    for i in range(1, len(bodies.pose)):
        m = machine.tree.rigid[i, 0]
        x, z = machine.tree.rigid[i, 1] / m, machine.tree.rigid[i, 2] / m
        bodies.centre[i, 0], bodies.centre[i, 1] = x, z
        c, s, w = work.turn[i, 0], work.turn[i, 1], work.speed[i, 2]
        rx, rz = c * x + s * z, c * z - s * x
        bodies.pose[i, 0], bodies.pose[i, 1], bodies.pose[i, 2] = work.place[i, 0] + rx, work.place[i, 1] + rz, work.turn[i, 2]
        bodies.speed[i, 0], bodies.speed[i, 1], bodies.speed[i, 2] = work.speed[i, 0] + w * rz, work.speed[i, 1] - w * rx, w


@kernel
def put_point(G, r, i, x, z, arms):
    """Row r gains the velocity along (x, z) of a point of body i; `arms` is from its centre of mass. The world does not move."""
    if i > 0:
        b = 3 * (int(i) - 1)
        G[r, b] += x
        G[r, b + 1] += z
        G[r, b + 2] += x * arms[1] - z * arms[0]


@kernel
def pinned_at(machine, i):
    """Where the joint of body i is on its parent, and on itself."""
    work, p = machine.work, machine.tree.parent[i]
    ox, oz = machine.tree.offset[i, 0], machine.tree.offset[i, 1]
    c, s = work.turn[p, 0], work.turn[p, 1]
    there = work.place[p, 0] + c * ox + s * oz, work.place[p, 1] + c * oz - s * ox
    return there, (work.place[i, 0], work.place[i, 1])


@kernel
def set_matrix(machine, bodies, h):
    """M of the bodies with rotors, h f, and M = L L' in its place."""
    tree, work, motion, M, f = machine.tree, machine.work, machine.motion, bodies.M, bodies.f
    n = len(f)
    M[:, :] = 0.0
    for i in range(1, len(bodies.pose)):
        b, m = 3 * (i - 1), tree.rigid[i, 0]
        x, z = bodies.centre[i, 0], bodies.centre[i, 1]
        rx, rz = bodies.pose[i, 0] - work.place[i, 0], bodies.pose[i, 1] - work.place[i, 1]
        M[b, b], M[b + 1, b + 1], M[b + 2, b + 2] = m, m, tree.rigid[i, 3] - m * (x * x + z * z)
        fx, fz = work.push[i, 0], work.push[i, 1]
        f[b], f[b + 1] = h * (fx - m * work.accel[0, 0]), h * (fz - m * work.accel[0, 1])
        f[b + 2] = h * (work.push[i, 2] - rz * fx + rx * fz)
    for d in range(len(motion.v)):
        i = bodies.joint[d]
        if i > 0:
            p = tree.parent[i]
            b, a = 3 * (int(i) - 1) + 2, 3 * (int(p) - 1) + 2
            M[b, b] += motion.rotor[d]
            f[b] += h * motion.base[d]
            if p > 0:
                M[a, a] += motion.rotor[d]
                M[a, b] -= motion.rotor[d]
                M[b, a] -= motion.rotor[d]
                f[a] -= h * motion.base[d]
    for j in range(n):
        for k in range(j):
            M[j, j] -= M[j, k] * M[j, k]
        M[j, j] = np.sqrt(M[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                M[i, j] -= M[i, k] * M[j, k]
            M[i, j] /= M[j, j]


@kernel
def answer(M, x):
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
    bodies.kind[m], bodies.which[m], bodies.J[m], bodies.goal[m] = kind, which, 0.0, 0.0
    bodies.G[m, :] = 0.0
    bodies.H[m, :] = 0.0
    return m + 1


@kernel
def set_rows(machine, bodies):
    """Rows of all that is held, as it is assumed to be. Returns how many there are."""
    tree, work, pads, touch, rows = machine.tree, machine.work, machine.pads, machine.touch, machine.rows
    G, pose, m = bodies.G, bodies.pose, 0
    for i in range(1, len(pose)):
        if tree.kind[i] == REVOLUTE:
            p = tree.parent[i]
            there, here = pinned_at(machine, i)
            for e in range(2):
                m = new_row(bodies, m, PIN, 2 * i + e)
                x, z = 1.0 - e, 0.0 + e
                put_point(G, m - 1, i, x, z, (here[0] - pose[i, 0], here[1] - pose[i, 1]))
                put_point(G, m - 1, p, -x, -z, (there[0] - pose[p, 0], there[1] - pose[p, 1]))
    for k in range(len(pads.body)):
        if touch.mode[k] != OPEN:
            i, n = pads.body[k], get_vector(touch.normal, k)
            arms = work.place[i, 0] + touch.arm[k, 0] - pose[i, 0], work.place[i, 1] + touch.arm[k, 1] - pose[i, 1]
            m = new_row(bodies, m, NORMAL, k)
            put_point(G, m - 1, i, n[0], n[1], arms)
            if touch.mode[k] == STICK:
                m = new_row(bodies, m, ALONG, k)
                put_point(G, m - 1, i, n[1], -n[0], arms)
            else:
                pull = pads.friction[k] * bodies.sense[k]
                put_point(bodies.H, m - 1, i, pull * n[1], -pull * n[0], arms)
    for r in range(len(rows.dof)):
        i = bodies.joint[rows.dof[r]]
        if i > 0 and (rows.on[r] if rows.kind[r] != RUB else bodies.sticks[r]):
            m = new_row(bodies, m, HOLD if rows.kind[r] == RUB else STOP, r)
            G[m - 1, 3 * (int(i) - 1) + 2] = rows.sign[r]
            if tree.parent[i] > 0:
                G[m - 1, 3 * (int(tree.parent[i]) - 1) + 2] = -rows.sign[r]
    for r in range(m):
        for j in range(len(bodies.f)):
            bodies.H[r, j] += G[r, j]
    return m


@kernel
def set_errors(machine, bodies, m, pose):
    """c of every row, the bodies being at `pose`. Returns the largest."""
    touch, rows = machine.touch, machine.rows
    place(machine, bodies, pose)
    worst = 0.0
    for r in range(m):
        kind, k = bodies.kind[r], bodies.which[r]
        if kind == PIN:
            there, here = pinned_at(machine, k // 2)
            bodies.c[r] = here[1] - there[1] if k % 2 else here[0] - there[0]
        elif kind == NORMAL:
            bodies.c[r] = touch.gap[k]
        elif kind == ALONG:
            n = get_vector(touch.normal, k)
            bodies.c[r] = n[1] * touch.error[k, 0] - n[0] * touch.error[k, 1] if touch.anchored[k] else 0.0
        elif kind == STOP:
            i = bodies.joint[rows.dof[k]]
            bodies.c[r] = rows.sign[k] * (pose[i, 2] - pose[machine.tree.parent[i], 2] - rows.bound[k])
        else:
            bodies.c[r] = 0.0
        bodies.c[r] -= bodies.goal[r]
        worst = max(worst, abs(bodies.c[r]))
    return worst


@kernel
def factor(bodies, m):
    """S = G M^-1 H' with a little softness, as L U with rows in `order`."""
    S, W, n = bodies.S, bodies.W, len(bodies.f)
    for r in range(m):
        for j in range(n):
            W[r, j] = bodies.H[r, j]
        answer(bodies.M, W[r])
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
def push_rows(bodies, m, b):
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
                bodies.next_speed[i, e] += bodies.W[r, 3 * (i - 1) + e] * more[r]


@kernel
def row_speed(G, r, speed):
    total = 0.0
    for i in range(1, len(speed)):
        for e in range(3):
            total += G[r, 3 * (i - 1) + e] * speed[i, e]
    return total


@kernel
def move_freely(machine, bodies, h):
    """Next velocities without any impulse."""
    rows, tree, free = machine.rows, machine.tree, bodies.free
    for j in range(len(free)):
        free[j] = bodies.f[j]
    for r in range(len(rows.dof)):
        i = bodies.joint[rows.dof[r]]
        if rows.kind[r] == RUB and i > 0 and not bodies.sticks[r]:
            twist = h * bodies.way[r] * rows.bound[r]
            free[3 * i - 1] += twist
            if tree.parent[i] > 0:
                free[3 * int(tree.parent[i]) - 1] -= twist
    answer(bodies.M, free)
    for i in range(1, len(bodies.pose)):
        for e in range(3):
            bodies.next_speed[i, e] = bodies.speed[i, e] + free[3 * (i - 1) + e]


@kernel(inline=False)
def solve(machine, bodies, h):
    """Velocities and poses of the next instant, modes as assumed. Returns the number of rows, and by how much one is missed."""
    place(machine, bodies, bodies.pose)
    m = set_rows(machine, bodies)
    factor(bodies, m)
    set_errors(machine, bodies, m, bodies.pose)
    for r in range(m):
        if bodies.kind[r] == NORMAL or bodies.kind[r] == STOP:
            bodies.goal[r] = (1.0 - GENTLE) * min(bodies.c[r], 0.0)
            bodies.c[r] -= bodies.goal[r]
    move_freely(machine, bodies, h)
    miss = 0.0
    for repair in range(MOST_REPAIRS):
        for r in range(m):
            flow = row_speed(bodies.G, r, bodies.next_speed) if repair == 0 else 0.0
            bodies.c[r] = -bodies.c[r] / h - flow
        push_rows(bodies, m, bodies.c)
        for i in range(1, len(bodies.pose)):
            for e in range(3):
                bodies.next_pose[i, e] = bodies.pose[i, e] + h * bodies.next_speed[i, e]
        miss = set_errors(machine, bodies, m, bodies.next_pose)
        if miss < CLOSED:
            break
    return m, miss


@kernel
def impulse_of(bodies, m, kind, which):
    """The impulse of a row, 0 if there is none."""
    for r in range(m):
        if bodies.kind[r] == kind and bodies.which[r] == which:
            return bodies.J[r]
    return 0.0


@kernel
def judge_pad(machine, bodies, m, k, slick):
    """What pad k should be, given what came out: its mode, and along which friction would act. `set_errors` left its new gap."""
    pads, touch, mode = machine.pads, machine.touch, machine.touch.mode[k]
    rough = pads.friction[k] > 0.0 and not slick
    if mode == OPEN:
        if touch.gap[k] < -DEEP:
            return (STICK, 0.0) if rough else (SLIDE, 0.0)
        return OPEN, 0.0
    press = impulse_of(bodies, m, NORMAL, k)
    if mode == STICK:
        drag = impulse_of(bodies, m, ALONG, k)
        if press < 0.0 or abs(drag) > pads.friction[k] * press * (1.0 + 1e-9):  # it may be friction that would lift it
            return SLIDE, 1.0 if drag > 0.0 else -1.0
        return STICK, 0.0
    if press < 0.0:
        return OPEN, 0.0
    sense = bodies.sense[k]
    if rough and (sense == 0.0 or slip_of(machine, bodies, k, bodies.next_speed) * sense > STILL):
        return STICK, 0.0
    return SLIDE, sense


@kernel
def slip_of(machine, bodies, k, speed):
    """Velocity of pad k along the ground; places are those of the pose it is asked for."""
    i, n, touch = machine.pads.body[k], get_vector(machine.touch.normal, k), machine.touch
    rx = machine.work.place[i, 0] + touch.arm[k, 0] - bodies.next_pose[i, 0]
    rz = machine.work.place[i, 1] + touch.arm[k, 1] - bodies.next_pose[i, 1]
    ux, uz = speed[i, 0] + speed[i, 2] * rz, speed[i, 1] - speed[i, 2] * rx
    return n[1] * ux - n[0] * uz


@kernel
def judge_row(machine, bodies, m, r, h):
    """Whether stop r should be on, or friction r hold, and along which friction would act otherwise."""
    rows, i = machine.rows, bodies.joint[machine.rows.dof[r]]
    p = machine.tree.parent[i]
    rate = bodies.next_speed[i, 2] - bodies.next_speed[p, 2]
    if rows.kind[r] == RUB:
        if bodies.sticks[r]:
            J = impulse_of(bodies, m, HOLD, r)
            return (1, 0.0) if abs(J) <= h * rows.bound[r] else (0, 1.0 if J > 0.0 else -1.0)
        return (1, 0.0) if rate * bodies.way[r] > STILL else (0, bodies.way[r])
    if rows.on[r]:
        return (1, 0.0) if impulse_of(bodies, m, STOP, r) >= 0.0 else (0, 0.0)
    room = rows.sign[r] * (bodies.next_pose[i, 2] - bodies.next_pose[p, 2] - rows.bound[r])
    return (1, 0.0) if room < -DEEP else (0, 0.0)


@kernel
def review(machine, bodies, m, h, lone, only, slick):
    """Change modes that contradict the answer; with `lone` no more than one, and of pads `only` that one, if it is one.

    On `slick` ground nothing sticks. Returns how many were changed.
    """
    touch, rows, changed = machine.touch, machine.rows, 0
    for k in range(len(machine.pads.body)):
        if (only < 0 or k == only) and not (lone and changed):
            mode, sense = judge_pad(machine, bodies, m, k, slick)
            if mode != touch.mode[k]:
                if mode == STICK:
                    touch.anchored[k] = 0
                if mode == SLIDE and touch.mode[k] == OPEN:
                    sense = 0.0
                touch.mode[k], bodies.sense[k] = mode, sense
                changed += 1
    for r in range(len(rows.dof)):
        if bodies.joint[rows.dof[r]] > 0 and not (lone and changed):
            on, way = judge_row(machine, bodies, m, r, h)
            if rows.kind[r] == RUB:
                if on != bodies.sticks[r]:
                    bodies.sticks[r], bodies.way[r] = on, way
                    changed += 1
            elif on != rows.on[r]:
                rows.on[r] = on
                changed += 1
    return changed


@kernel(inline=False)
def foresee(machine, bodies, h, index):
    """Solve the step to come. Returns how many rows it has, how often it was solved, and by how much a row is missed.

    Friction may leave no modes that do. Then, from MOST_ROUNDS on, the ground is slick for this step, for which there always are.
    """
    motion = machine.motion
    load_joints(machine.tree, machine.joints, motion.q, motion.v, motion.tau, motion.base, motion.rotor, h, h)
    load_friction(machine.rows, machine.joints)
    set_matrix(machine, bodies, h)
    m, miss = solve(machine, bodies, h)
    pads = len(machine.pads.body)
    if bodies.alternate[0]:
        changed = review(machine, bodies, m, h, 0, index % max(pads, 1), 0)
        if changed:
            m, miss = solve(machine, bodies, h)
        return m, 1 + changed, miss
    for rounds in range(1, 2 * MOST_ROUNDS):
        if rounds == MOST_ROUNDS:
            for k in range(pads):
                bodies.sense[k] = 0.0
                if machine.touch.mode[k] == STICK:
                    machine.touch.mode[k] = SLIDE
            m, miss = solve(machine, bodies, h)
        if review(machine, bodies, m, h, rounds > TOGETHER, -1, rounds >= MOST_ROUNDS) == 0:
            return m, rounds, miss
        m, miss = solve(machine, bodies, h)
    return m, 2 * MOST_ROUNDS, miss


@kernel(inline=False)
def put_forces(machine, bodies, m, h):
    """What pads, motors and stops do in the step to come, as the record has it; bodies and pads are where they are now."""
    pads, touch, rows, motion = machine.pads, machine.touch, machine.rows, machine.motion
    for d in range(len(motion.v)):
        i = bodies.joint[d]
        rate = bodies.next_speed[i, 2] - bodies.next_speed[machine.tree.parent[i], 2] if i > 0 else motion.v[d]
        motion.a[d] = (rate - motion.v[d]) / h
    settle_joints(machine.tree, machine.joints, motion.a, motion.rotor, h, h)
    for k in range(len(pads.body)):
        i = pads.body[k]
        rx = machine.work.place[i, 0] + touch.arm[k, 0] - bodies.pose[i, 0]
        rz = machine.work.place[i, 1] + touch.arm[k, 1] - bodies.pose[i, 1]
        w = bodies.speed[i, 2]
        put_vector(touch.speed, k, (bodies.speed[i, 0] + w * rz, bodies.speed[i, 1] - w * rx))
        n, press, drag = get_vector(touch.normal, k), impulse_of(bodies, m, NORMAL, k), impulse_of(bodies, m, ALONG, k)
        if touch.mode[k] == SLIDE:
            drag = pads.friction[k] * bodies.sense[k] * press
        put_vector(touch.force, k, ((press * n[0] + drag * n[1]) / h, (press * n[1] - drag * n[0]) / h))
    for r in range(len(rows.dof)):
        if rows.kind[r] != RUB:
            rows.near[r], rows.force[r] = rows.on[r], impulse_of(bodies, m, STOP, r) / h


@kernel(inline=False)
def book(machine, bodies, tally, m, h):
    """The work of everything in the step to come, with the mean of the velocities before and after."""
    rows, motion, work, ledger = machine.rows, machine.motion, machine.work, tally.ledger
    for d in range(len(motion.v)):
        mean = motion.v[d] + 0.5 * h * motion.a[d]
        whole = motion.base[d] - (motion.rotor[d] - machine.tree.rotor[d]) * motion.a[d]
        if bodies.joint[d] > 0:
            ledger[MOTORS] += h * machine.joints.applied[d] * mean
            ledger[JOINTS] += h * (whole - machine.joints.applied[d]) * mean
    for r in range(len(rows.dof)):
        if rows.kind[r] == RUB and not bodies.sticks[r] and bodies.joint[rows.dof[r]] > 0:
            d = rows.dof[r]
            ledger[STOPS] += h * bodies.way[r] * rows.bound[r] * (motion.v[d] + 0.5 * h * motion.a[d])
    for r in range(m):
        kind, J = bodies.kind[r], bodies.J[r]
        pace = 0.5 * (row_speed(bodies.G, r, bodies.speed) + row_speed(bodies.G, r, bodies.next_speed))
        if kind == NORMAL:
            whole = 0.5 * (row_speed(bodies.H, r, bodies.speed) + row_speed(bodies.H, r, bodies.next_speed))
            ledger[GROUND] += J * pace
            ledger[FRICTION] += J * (whole - pace)
        elif kind != PIN:
            ledger[FRICTION if kind == ALONG else STOPS] += J * pace
    for i in range(1, len(bodies.pose)):
        rx, rz = bodies.pose[i, 0] - work.place[i, 0], bodies.pose[i, 1] - work.place[i, 1]
        fx, fz = work.push[i, 0], work.push[i, 1]
        ux, uz = bodies.speed[i, 0] + bodies.next_speed[i, 0], bodies.speed[i, 1] + bodies.next_speed[i, 1]
        turn = (work.push[i, 2] - rz * fx + rx * fz) * (bodies.speed[i, 2] + bodies.next_speed[i, 2])
        ledger[PUSHES] += 0.5 * h * (fx * ux + fz * uz + turn)


@kernel
def settle(machine, bodies, tally, h):
    """Go to the next instant."""
    pads, touch = machine.pads, machine.touch
    place(machine, bodies, bodies.next_pose)
    for k in range(len(pads.body)):
        if touch.mode[k] == STICK and pads.radius[k] > 0.0:  # it rolls on
            set_anchor(pads, touch, machine.work, k, get_vector(touch.error, k))
        elif touch.mode[k] == SLIDE:
            tally.slip[pads.owner[k]] += h * abs(slip_of(machine, bodies, k, bodies.next_speed))
    for i in range(1, len(bodies.pose)):
        for e in range(3):
            bodies.pose[i, e], bodies.speed[i, e] = bodies.next_pose[i, e], bodies.next_speed[i, e]


@kernel(inline=False)
def advance(machine, bodies, control, clock, record, tally, events, marks, steps):
    """As `loop.advance`: go on for so many steps; the first time, begin with the instant at hand."""
    h = clock.h
    begun = clock.step[0] >= 0
    while steps > 0 or not begun:
        if begun:
            settle(machine, bodies, tally, h)
            steps -= 1
        clock.step[0] += 1
        begun = True
        place(machine, bodies, bodies.pose)
        observe(machine, bodies)
        see(machine.motion)
        if decide(control, clock, clock.step[0]) != 0:
            return CONTROL
        now = clock.step[0] * h
        if pushing(machine.pushes, now, now + h):
            press(machine, now, now + h)
        m, rounds, miss = foresee(machine, bodies, h, clock.step[0])
        place(machine, bodies, bodies.pose)
        tally.worst[0] = max(tally.worst[0], rounds)
        tally.worst[1] = max(tally.worst[1], miss / h)
        put_forces(machine, bodies, m, h)
        gather(machine.pads, machine.touch, machine.work, machine.feel)
        report(machine, tally, events, now)
        keep(machine, clock, record, tally, clock.step[0])
        book(machine, bodies, tally, m, h)
        status = finish(machine, clock, events, marks)
        if status != DONE:
            return status
    return DONE
