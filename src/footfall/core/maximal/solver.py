"""The step of the maximal-coordinate engine: bodies joined by pins, and all constraint impulses solved for together.

Standard name: symplectic Euler with constraints on positions at the end of the step (as SHAKE has them), in maximal coordinates;
after Kelly, "Two walking robot simulators". v' and x' are those of the next instant:

    M v' = M v + h f + H'J,   x' = x + h v',   c(x') = 0

H is G = dc/dx, but for a pad that slides: there it holds friction, which is proportional to the normal impulse. c(x') = 0 is met
by Newton's method with the matrix of the beginning of the step. Rotors, springs, dampers and servos couple two bodies within M.
"""

import numpy as np

from footfall.core.contact.joint_constraints import DRY
from footfall.core.contact.law import OPEN, STICK
from footfall.core.jit import kernel
from footfall.core.joints import REVOLUTE
from footfall.core.maximal.bodies import pinned_at, place
from footfall.core.spatial.algebra import get_vector

PIN, NORMAL, ALONG, STOP, HOLD = 0, 1, 2, 3, 4  # kinds of row
MAX_REPAIRS = 6
CLOSED = 1e-12  # m or rad: error at which a row is met
GENTLE = 0.2  # of its depth: how far a pad inside the ground comes out in a step
SOFT = 1e-9  # of a row's own inertia: regularisation, so that redundant rows share evenly


@kernel
def put_point(G, r, i, x, z, arms):
    """Row r gains the velocity along (x, z) of a point of body i; `arms` is from its centre of mass. The world does not move."""
    if i > 0:
        b = 3 * (int(i) - 1)
        G[r, b] += x
        G[r, b + 1] += z
        G[r, b + 2] += x * arms[1] - z * arms[0]


@kernel
def set_matrix(data, bodies, h):
    """Set M of the bodies with rotors, and h f; then M = L L' in its place."""
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
    """Begin row m of the constraints. Returns the next number."""
    bodies.kind[m], bodies.which[m], bodies.J[m], bodies.target[m] = kind, which, 0.0, 0.0
    bodies.G[m, :] = 0.0
    bodies.H[m, :] = 0.0
    return m + 1


@kernel
def set_rows(data, bodies):
    """Set the rows of all active constraints, in their present modes. Returns how many there are."""
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
    """Set c of every row, for bodies at `pose`. Returns the largest."""
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
    """S = G M^-1 H' with a little regularisation, as L U with rows in `order`."""
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
    """Impulses that change the velocities of the rows by b; add them to J, and their effect to next_velocity."""
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
    """Velocity along row r of G."""
    total = 0.0
    for i in range(1, len(speed)):
        for e in range(3):
            total += G[r, 3 * (i - 1) + e] * speed[i, e]
    return total


@kernel
def move_freely(data, bodies, h):
    """Next velocities without constraint impulses."""
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
    """Velocities and poses of the next instant, with modes as they are. Returns the number of rows and their largest error."""
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
