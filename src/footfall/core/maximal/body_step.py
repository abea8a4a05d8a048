"""A step in which every body moves by itself: symplectic Euler, with all constraints on positions at its end (as SHAKE has them).

After Kelly, "Two walking robot simulators". V' and x' are those of the next instant, M does not change, and neither do J and X:

    M (V' - V) = h f + F + J'y,    x' = x + h V',    hinges of x' fit,    gaps(x') >= 0,    y in the cone of friction

Solved by Newton's method, which begins with V' = V: in each turn the tree (`core.maximal.tree_system`) is solved with the errors
that hinges would have at x', over h, as its c_i, and contacts, stops, dry friction and loops are rows of its border, whose
impulses y are found together (`core.maximal.cone`).
"""

from footfall.core.contact.edges import FAR
from footfall.core.contact.geometry import OPEN, STICK, locate
from footfall.core.contact.joint_constraints import (
    DRY,
    apply_servos,
    set_friction_bounds,
    set_joint_forces,
    spare_motors,
)
from footfall.core.jit import kernel
from footfall.core.manifold import integrate
from footfall.core.maximal.bodies import close_hinges, move_bodies, show, turn_inertias
from footfall.core.maximal.border import respond, row_of
from footfall.core.maximal.cone import LOOP, read_modes, solve_cone
from footfall.core.maximal.flow import begin_part
from footfall.core.maximal.loops import error_of
from footfall.core.maximal.time_step import account, choose, form_rows, left_over
from footfall.core.maximal.touch import place_contact, set_contact_forces, touch_at
from footfall.core.maximal.tree_system import factor, pass_inward, pass_outward, set_hinges, set_system
from footfall.core.recursion.kinematics import set_speeds
from footfall.core.spatial.algebra import (
    DIM,
    add,
    add_scaled,
    get_motion,
    get_rotation,
    get_vector,
    no_motion,
    put_motion,
)

MAX_TURNS = 16
CLOSED = 1e-12  # m or rad: error at which a hinge or a row is met
DEEP = 1e-9  # m or rad: what took no part may be this deep
MAX_SURPRISES = 3
MADE = 1e-6  # m or rad: a loop that is open by more is closed gently


@kernel(inline=False)
def set_instant(data, flow, bodies, h):
    """Forces, inertias and contacts of the present instant, and which contacts may take part."""
    tree, work, motion, system = data.tree, data.work, data.motion, flow.system
    begin_part(data, flow)
    set_joint_forces(data, h, h)
    set_friction_bounds(data.constraints, data.joints, motion.v)
    set_speeds(tree, work, motion.q, system.still)
    set_system(tree, work, system)
    set_hinges(tree, work, system, system.still)
    factor(tree, work, system, motion.rotor_joint)
    show(work, bodies.R, bodies.p, bodies.V)
    locate(data.ground, data.geometry, data.contact, work)
    choose(data, flow, h, 1)


@kernel
def take_turns(data, flow, index):
    """As in Kelly's report, pads change one after the other: of those whose turn it is not, the open ones stay so."""
    count = len(data.resultant.mode)
    for k in range(count):
        if k != index % count and flow.mode[k] == OPEN:
            flow.takes[k] = 0


@kernel
def hold_closed(data, flow, index):
    """And those that stick do."""
    count = len(data.resultant.mode)
    for k in range(count):
        if k != index % count and flow.mode[k] == STICK and data.contact.mode[k] != OPEN:
            for c in range(DIM):
                flow.cone.kind[flow.row[k] + c] = LOOP


@kernel(inline=False)
def set_values(data, flow, bodies, h):
    """cone.b: by how much each row is missed where V_next leads, over h, or the velocity that dry friction resists."""
    contact, constraints, loops, b = data.contact, data.constraints, flow.loops, flow.cone.b
    show(data.work, bodies.R_next, bodies.p_next, bodies.V_next)
    for r in range(len(loops.kind)):
        if loops.on[r]:
            kept = left_over(loops.error[r]) if abs(loops.error[r]) > MADE else 0.0
            b[loops.row[r]] = (error_of(data.work, loops, r) - kept) / h
    for k in range(len(contact.mode)):
        if contact.mode[k] != OPEN:
            place_contact(data, k)
            b[flow.row[k]] = (contact.gap[k] - left_over(min(flow.gap[k], 0.0))) / h
            for r in range(flow.row[k] + 1, flow.row[k] + DIM):
                b[r] = row_of(flow.border, r, bodies.V_next, flow.system.none, flow.next)
    for r in range(len(constraints.dof)):
        if constraints.kind[r] == DRY:
            b[flow.joint_row[r]] = flow.next[constraints.dof[r]]
        elif constraints.on[r]:
            room = constraints.sign[r] * (bodies.q_next[constraints.coordinate[r]] - constraints.bound[r])
            b[flow.joint_row[r]] = (room - left_over(min(flow.room_left[r], 0.0))) / h


@kernel(inline=False)
def improve(data, flow, bodies, h, turn):
    """One turn of Newton's method. Returns the largest error of position before it, but that of rows in the first one."""
    tree, work, system, border, cone = data.tree, data.work, flow.system, flow.border, flow.cone
    for d in range(len(flow.next)):
        flow.step[d] = h * flow.next[d]
        data.motion.tau_all[d] = h * data.motion.tau_joint[d] if turn == 0 else 0.0
    integrate(tree, data.motion.q, flow.step, bodies.q_next)
    move_bodies(tree, bodies, h)
    worst = close_hinges(tree, bodies, h, system.c)
    set_values(data, flow, bodies, h)
    for r in range(border.count[0] if turn > 0 else 0):
        worst = max(worst, h * abs(cone.b[r] - cone.w[r]))
    if turn > 0 and worst < CLOSED:
        return worst
    for i in range(1, len(tree.parent)):
        put_motion(system.z, i, add_scaled(no_motion(), get_motion(system.f, i), h if turn == 0 else 0.0))
    if DIM == 3:
        turn_inertias(tree, bodies, h, system.z)
    pass_inward(tree, work, system, system.c, data.motion.tau_all, system.z, system.s)
    pass_outward(tree, work, system, system.c, system.s, system.A)
    for r in range(border.count[0]):
        cone.bias[r] = border.y[r]
        cone.b[r] += row_of(border, r, system.A, system.F, system.s)
        for t in range(border.count[0]):
            cone.b[r] -= border.schur[r, t] * border.y[t]
    solve_cone(border, cone)
    for i in range(1, len(tree.parent)):
        V = add(get_motion(bodies.V_next, i), get_motion(system.A, i))
        for r in range(border.count[0]):
            V = add_scaled(V, get_motion(border.A[r], i), border.y[r] - cone.bias[r])
        put_motion(bodies.V_next, i, V)
    for d in range(len(flow.next)):
        flow.next[d] += system.s[d]
        for r in range(border.count[0]):
            flow.next[d] += border.s[r, d] * (border.y[r] - cone.bias[r])
    return worst


@kernel(inline=False)
def surprises(data, flow, bodies):
    """Let contacts and stops take part that would be inside the ground, or beyond. Returns how many."""
    constraints, found = data.constraints, 0
    for k in range(len(flow.takes)):
        if not flow.takes[k] and flow.gap[k] < FAR:
            i = data.geometry.body[k]
            R, p = get_rotation(bodies.R_next, i), get_vector(bodies.p_next, i)
            if touch_at(data.ground, data.geometry, data.contact, k, R, p)[0] < -DEEP:
                flow.takes[k] = 1
                found += 1
    for r in range(len(constraints.dof)):
        room = constraints.sign[r] * (bodies.q_next[constraints.coordinate[r]] - constraints.bound[r])
        if not flow.acts[r] and room < -DEEP:
            flow.acts[r] = 1
            found += 1
    return found


@kernel(inline=False)
def solve_step(data, flow, bodies, h, index):
    """The next instant in `bodies` and flow.next, impulses in border.y; motion.a: the mean acceleration. No motor is above its
    largest torque. Returns how many turns it took, and the error left."""
    motion, turns = data.motion, 0
    while True:
        more, worst = solve_once(data, flow, bodies, h, index)
        turns += more
        for d in range(len(motion.v)):
            motion.a[d] = (flow.next[d] - motion.v[d]) / h
        if apply_servos(data.joints, motion.a) == 0:
            spare_motors(data.joints)
            return turns, worst


@kernel(inline=False)
def solve_once(data, flow, bodies, h, index):
    """The same, for the motors that are full."""
    tree, work, system, turns, worst = data.tree, data.work, flow.system, 0, 0.0
    set_instant(data, flow, bodies, h)
    for _ in range(MAX_SURPRISES):
        if bodies.alternate[0]:
            take_turns(data, flow, index)
        show(work, bodies.R, bodies.p, bodies.V)
        form_rows(data, flow, h)
        if bodies.alternate[0]:
            hold_closed(data, flow, index)
        respond(tree, work, system, flow.border)
        for i in range(1, len(tree.parent)):
            put_motion(bodies.V_next, i, get_motion(bodies.V, i))
            put_motion(bodies.spin, i, no_motion())
        for d in range(len(flow.next)):
            flow.next[d] = flow.v[d]
        for turn in range(MAX_TURNS):
            worst = improve(data, flow, bodies, h, turn)
            turns += 1
            if turn > 0 and worst < CLOSED:
                break
        if bodies.alternate[0] or surprises(data, flow, bodies) == 0:
            break
    return turns, worst


@kernel(inline=False)
def read_step(data, flow, bodies, h):
    """Modes, mean forces and work of the step, where the present instant is shown again."""
    border, cone = flow.border, flow.cone
    for r in range(border.count[0]):
        cone.bias[r] = cone.w[r] - row_of(border, r, bodies.V_next, flow.system.none, flow.next)
    account(data, flow, h)
    show(data.work, bodies.R, bodies.p, bodies.V)
    for k in range(len(data.contact.mode)):
        if data.contact.mode[k] != OPEN:
            place_contact(data, k)
    for r in range(border.count[0]):
        border.y[r] /= h
    set_contact_forces(data, flow)
    read_modes(data, flow, 1)
    if bodies.alternate[0]:
        for k in range(len(data.resultant.mode)):
            if flow.mode[k] == STICK and flow.takes[k] and cone.kind[flow.row[k]] == LOOP:
                data.contact.mode[k] = STICK
