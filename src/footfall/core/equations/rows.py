"""Rows of named equations from terms: Jacobians, velocity products and known quantities, added up with their factors."""

from footfall.core.equations.tables import (
    A_COM,
    A_COORDINATE,
    CLOSES,
    COSTS,
    EXTERNAL,
    FORCES,
    GAPS,
    HELD,
    HINGE_MOMENT,
    MOMENTUM,
    MOMENTUM_RATE,
    OPENS,
    P_COM,
    P_POINT,
    POLYNOMIAL,
    Q_COORDINATE,
    SPIN_MOMENTUM,
    SPIN_RATE,
    TERMS,
    TORQUE,
    TURN,
    V_COM,
    V_POINT,
    V_SPIN,
    WHOLE,
)
from footfall.core.jit import kernel
from footfall.core.manifold import has_quaternion, plain_coordinates, quaternion_at, quaternion_log
from footfall.core.maximal.loops import ANGLE, arms_of, error_of, moment
from footfall.core.passive import set_passive_forces
from footfall.core.recursion.crba import crba
from footfall.core.recursion.kinematics import jacobian, point_accel, point_speed, set_accels
from footfall.core.recursion.momentum import center_of_mass, momentum, momentum_matrix, momentum_rate
from footfall.core.recursion.rnea import rnea
from footfall.core.spatial.algebra import (
    DIM,
    MOTION,
    add,
    angular,
    column,
    dot,
    get_motion,
    get_rigid,
    get_rotation,
    get_vector,
    join,
    linear,
    no_motion,
    no_vector,
    pair,
    plus,
    put_motion,
    put_vector,
    rigid_times,
    rotate,
    rotation_error,
    scaled,
    shift_force,
    shift_motion,
    spin_cross,
    subtract,
)


@kernel(inline=False)
def set_model(tree, work, weighed, rows, room, passive, out):
    """Poses, velocities and velocity products of the state in `out`; momentum and dynamics where they are asked for.

    `work` knows no gravity, `weighed` is the same robot with its weight. Springs, dampers and tendons do a part of what joints
    need; motors do the rest.
    """
    q, v = out.q, out.v
    if rows.size[WHOLE]:
        mass, c = center_of_mass(tree, work, q)
        put_vector(room.com, 0, c)
        room.com[1, 0] = mass
        momentum_matrix(tree, work, q, room.K)
        put_motion(room.K, len(v) + 1, momentum(tree, work, q, v))
        put_motion(room.K, len(v), momentum_rate(tree, work, q, v, room.zero))
    if rows.size[FORCES]:
        crba(tree, weighed, q, room.M)
        rnea(tree, weighed, q, v, room.zero, room.h)
        set_passive_forces(tree, passive, passive.tendons, q, v, passive.tau)
        for d in range(len(v)):
            room.h[d] -= passive.tau[d]
    set_accels(tree, work, q, v, room.zero)


@kernel(inline=False)
def set_rows(tree, work, weighed, terms, rows, room, loops, q, v, time):
    """All rows, for a model that is set."""
    for r in range(rows.size[GAPS]):
        rows.b[r], rows.made[r], rows.known[r] = 0.0, 0.0, 0.0
        for d in range(len(v) + rows.size[HELD]):
            rows.A[r, d] = 0.0
    for t in range(rows.size[TERMS]):
        kind = terms.kind[t]
        if kind <= Q_COORDINATE:
            add_coordinate(tree, terms, rows, t, q, v)
        elif kind <= TURN:
            add_place(tree, work, terms, rows, room, t)
        elif kind <= MOMENTUM:
            add_whole(terms, rows, room, t, len(v))
        elif kind == POLYNOMIAL:
            add_polynomial(terms, rows, t, time)
        elif kind >= CLOSES:
            add_loop(tree, work, loops, terms, rows, room, t)
        else:
            add_force(tree, weighed, terms, rows, room, t)


@kernel
def add_known(terms, rows, t, k, x):
    """Number k of term t is x."""
    for i in range(terms.rows[t]):
        part = terms.factor[t, i, k] * x
        if part != 0.0:
            rows.b[terms.row[t] + i] += part
            rows.known[terms.row[t] + i] += abs(part)


@kernel
def add_unknown(terms, rows, t, k, d, x):
    """Number k of term t is x per unit of unknown d."""
    for i in range(terms.rows[t]):
        part = terms.factor[t, i, k] * x
        if part != 0.0:
            rows.A[terms.row[t] + i, d] += part
            rows.made[terms.row[t] + i] += abs(part)


@kernel(inline=False)
def add_coordinate(tree, terms, rows, t, q, v):
    """Acceleration, rate or value of the coordinates of a joint; a ball joint's are its rotation vector, in its own axes."""
    kind, d = terms.kind[t], terms.dof[t]
    if kind == Q_COORDINATE:
        i = terms.body[t]
        j = tree.first_q[i]
        if has_quaternion(tree.kind[i]):
            w = quaternion_log(quaternion_at(q, j + plain_coordinates(tree.kind[i])))
            for k in range(terms.width[t]):
                add_known(terms, rows, t, k, w[k])
        else:
            for k in range(terms.width[t]):
                add_known(terms, rows, t, k, q[j + k])
        return
    for k in range(terms.width[t]):
        if kind == A_COORDINATE:
            add_unknown(terms, rows, t, k, d + k, 1.0)
        else:
            add_known(terms, rows, t, k, v[d + k])


@kernel(inline=False)
def add_place(tree, work, terms, rows, room, t):
    """Points and turns of a body. The force of a row that holds is along the row, at the point."""
    kind, i, nv = terms.kind[t], terms.body[t], len(room.zero)
    x, J = rotate(get_rotation(work.R_WB, i), get_vector(terms.point, t)), room.J
    first = 0 if kind <= P_POINT else DIM
    if kind == P_POINT:
        put_motion(J, nv, join(plus(get_vector(work.p_WB, i), x), angular(no_motion())))
    elif kind == TURN:
        put_motion(J, nv, join(no_vector(), rotation_error(get_rotation(work.R_WB, i), get_rotation(terms.turn, t))))
    elif kind in (V_POINT, V_SPIN):
        put_motion(J, nv, point_speed(work, i, x))
    else:
        put_motion(J, nv, point_accel(work, i, x))
        jacobian(tree, work, i, x, J)
        j = i
        while j > 0:
            for d in range(tree.first_v[j], tree.first_v[j + 1]):
                for k in range(terms.width[t]):
                    add_unknown(terms, rows, t, k, d, J[d, first + k])
            j = tree.parent[j]
        set_units(terms, rows, room, t, i, x, first)
    for k in range(terms.width[t]):
        add_known(terms, rows, t, k, J[nv, first + k])


@kernel
def set_units(terms, rows, room, t, i, x, first):
    """The force that a unit of each unknown of a row that holds lays on its body, about the origin."""
    for m in range(terms.rows[t]):
        at = rows.held[terms.row[t] + m] - 1
        if at >= 0:
            l = len(room.zero) + at
            for e in range(MOTION):
                room.J[len(room.zero) + 1, e] = 0.0
            for k in range(terms.width[t]):
                room.J[len(room.zero) + 1, first + k] = terms.factor[t, m, k]
            put_motion(room.unit, l, shift_force(get_motion(room.J, len(room.zero) + 1), x))
            room.unit_body[l] = i


@kernel(inline=False)
def add_whole(terms, rows, room, t, nv):
    """Centre of mass and angular momentum."""
    kind = terms.kind[t]
    if kind == P_COM:
        for k in range(terms.width[t]):
            add_known(terms, rows, t, k, room.com[0, k])
        return
    first = DIM if kind in (SPIN_RATE, SPIN_MOMENTUM) else 0
    scale = 1.0 / room.com[1, 0] if kind in (A_COM, V_COM) else 1.0
    changes = kind in (A_COM, SPIN_RATE, MOMENTUM_RATE)
    for k in range(terms.width[t]):
        add_known(terms, rows, t, k, scale * room.K[nv if changes else nv + 1, first + k])
        if changes:
            for d in range(nv):
                add_unknown(terms, rows, t, k, d, scale * room.K[d, first + k])


@kernel(inline=False)
def add_polynomial(terms, rows, t, time):
    """A polynomial of the time since its start, or a derivative; after its end it goes on straight."""
    s, order = time - terms.span[t, 0], int(terms.span[t, 2])
    late = s - terms.span[t, 1]
    s = min(s, terms.span[t, 1])
    for k in range(terms.width[t]):
        x, rate, accel = 0.0, 0.0, 0.0
        for m in range(terms.curve.shape[2]):
            c = terms.curve[t, k, terms.curve.shape[2] - 1 - m]
            accel = accel * s + 2.0 * rate
            rate = rate * s + x
            x = x * s + c
        if late > 0.0:
            x, accel = x + late * rate, 0.0
        add_known(terms, rows, t, k, x if order == 0 else rate if order == 1 else accel)


@kernel(inline=False)
def add_loop(tree, work, loops, terms, rows, room, t):
    """A row of a loop. LEVER: the second point stays in a plane of the first body; ANGLE: two directions stay perpendicular.

    t . (a_b - a_a) - 2 t . (w_a x v), of the second point and the point of the first body that is there, v the one's velocity
    against the other; u . (alpha_b - alpha_a) + du/dt . (w_b - w_a) with u = n x t.
    """
    r, J = terms.body[t], room.J
    a, b = loops.first[r], loops.second[r]
    if terms.kind[t] == OPENS:
        add_known(terms, rows, t, 0, error_of(work, loops, r))
        return
    V_a, V_b = get_motion(work.V_WB, a), get_motion(work.V_WB, b)
    way = rotate(get_rotation(work.R_WB, a), get_vector(loops.t, r))
    if loops.kind[r] == ANGLE:
        n = rotate(get_rotation(work.R_WB, b), get_vector(loops.n, r))
        F, x_a, x_b = moment(way, n), no_vector(), no_vector()
        turning = add(moment(way, spin_cross(angular(V_b), n)), moment(spin_cross(angular(V_a), way), n))
        known = pair(turning, subtract(V_b, V_a))
    else:
        x_a, x_b, apart = arms_of(work, loops, r)
        x_a = plus(x_a, apart)
        F = join(way, angular(no_motion()))
        away = linear(subtract(shift_motion(V_b, x_b), shift_motion(V_a, x_a)))
        known = 2.0 * dot(spin_cross(angular(V_a), way), away)
    known += pair(F, subtract(point_accel(work, b, x_b), point_accel(work, a, x_a)))
    add_known(terms, rows, t, 0, known)
    for side in range(2):
        i, x = (b, x_b) if side == 0 else (a, x_a)
        jacobian(tree, work, i, x, J)
        while i > 0:
            for d in range(tree.first_v[i], tree.first_v[i + 1]):
                part = pair(F, get_motion(J, d))
                add_unknown(terms, rows, t, 0, d, part if side == 0 else -part)
            i = tree.parent[i]


@kernel(inline=False)
def add_force(tree, weighed, terms, rows, room, t):
    """Forces: of motors, between bodies, and of what holds; those that hold were met before."""
    kind, nv = terms.kind[t], len(room.zero)
    n = nv + rows.size[HELD]
    if kind == EXTERNAL:
        for k in range(terms.width[t]):
            add_unknown(terms, rows, t, k, nv + terms.dof[t] + k, 1.0)
    elif kind == TORQUE:
        for k in range(terms.width[t]):
            d = terms.dof[t] + k
            add_known(terms, rows, t, k, room.h[d])
            for e in range(nv):
                add_unknown(terms, rows, t, k, e, room.M[d, e])
            for r in range(rows.size[COSTS]):
                if rows.held[r] > 0:
                    add_unknown(terms, rows, t, k, nv + rows.held[r] - 1, -rows.A[r, d])
    else:
        add_hinge(tree, weighed, terms, rows, room, t, nv, n)


@kernel
def add_hinge(tree, weighed, terms, rows, room, t, nv, n):
    """Force and moment of the parent on body i, about its origin: what all that it carries needs, less what holds it."""
    i, first = terms.body[t], DIM if terms.kind[t] == HINGE_MOMENT else 0
    J = room.J
    put_motion(J, nv, get_motion(weighed.force, i))
    for k in range(terms.width[t]):
        add_known(terms, rows, t, k, J[nv, first + k])
    for body in range(1, len(tree.parent)):
        for d in range(tree.first_v[body], tree.first_v[body + 1]):
            S = column(tree.turns[d], get_vector(weighed.axis, d))
            if carries(tree, i, body):
                put_motion(J, nv, moved(tree, weighed, rigid_times(get_rigid(weighed.rigid, body), S), body, i))
            elif carries(tree, body, i):
                r = plus(get_vector(weighed.p_WB, i), scaled(get_vector(weighed.p_WB, body), -1.0))
                put_motion(J, nv, rigid_times(get_rigid(weighed.rigid, i), shift_motion(S, r)))
            else:
                continue
            for k in range(terms.width[t]):
                add_unknown(terms, rows, t, k, d, J[nv, first + k])
    for l in range(nv, n):
        if room.unit_body[l] > 0 and carries(tree, i, room.unit_body[l]):
            put_motion(J, nv, moved(tree, weighed, get_motion(room.unit, l), room.unit_body[l], i))
            for k in range(terms.width[t]):
                add_unknown(terms, rows, t, k, l, -J[nv, first + k])


@kernel
def carries(tree, i, body):
    """Whether body i is `body`, or carries it."""
    while body > i:
        body = tree.parent[body]
    return body == i


@kernel
def moved(tree, work, F, body, i):
    """A force about the origin of `body`, about the origin of body i, which carries it."""
    while body != i:
        F = shift_force(F, get_vector(work.r_PB_W, body))
        body = tree.parent[body]
    return F
