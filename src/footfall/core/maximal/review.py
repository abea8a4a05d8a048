"""Which contacts, stops and dry friction act: an active-set iteration on accelerations and forces, or on velocities and impulses.

A contact is open, sticks or slides. Modes that contradict the solution are changed, and the system is formed and solved again:
all at once, then one after the other. With friction there may be no consistent modes; then nothing sticks or rubs at that
instant: forces without friction always exist, and the next step is one of time stepping.
"""

from footfall.core.contact.geometry import OPEN, SLIDE, STICK
from footfall.core.contact.joint_constraints import DRY
from footfall.core.jit import kernel
from footfall.core.maximal.border import clear_border, respond, row_of, solve_bordered, solve_with_y
from footfall.core.maximal.cone import NORMAL, name_rows, read_modes, solve_cone
from footfall.core.maximal.flow import accelerate, set_joint_torques, set_state
from footfall.core.maximal.loops import set_loop_rows
from footfall.core.maximal.touch import (
    SLIPS,
    aim_friction,
    place_contact,
    set_bias,
    set_contact_forces,
    set_contact_rows,
    set_joint_rows,
    slip_of,
)
from footfall.core.maximal.tree_system import solve_tree
from footfall.core.spatial.algebra import (
    add_scaled,
    dot,
    get_motion,
    get_vector,
    linear,
    no_motion,
    no_vector,
    pair,
    plus,
    put_motion,
    put_vector,
    scaled,
    shift_motion,
)

TURNS = 3  # what slides goes on to slide, in another direction
TURNED = 1e-16  # squared change of that direction that does not matter
MAX_ROUNDS = 40
TOGETHER = 6  # rounds in which all wrong modes are changed at once
TOUCHES = 1e-8  # m or rad: nearer than this it touches
RESTS = 1e-7  # m/s: what touches and leaves slower than this may stay
STILL = 1e-9  # of accelerations or velocities: what is slower does not move


@kernel
def motion_after(data, flow, k, struck):
    """Acceleration of contact k, or its velocity after an impact."""
    A = get_motion(flow.system.A, data.geometry.body[k])
    change = linear(shift_motion(A, get_vector(data.contact.r_BC_W, k)))
    if struck:
        return plus(get_vector(data.contact.v, k), change)
    return plus(change, get_vector(flow.bias, k))


@kernel
def judge_contact(data, flow, k, struck, lone):
    """The mode that contact k should have; where it begins to slide, the direction of its friction is set.

    A contact that sticks and pulls may be one that friction holds down, so it slides first; if that does not last, it opens.
    """
    geometry, contact, mode, y = data.geometry, data.contact, data.contact.mode[k], flow.border.y
    n = get_vector(contact.normal, k)
    if mode == OPEN:
        v_n = dot(get_vector(contact.v, k), n)
        if contact.gap[k] > TOUCHES or (not struck and abs(v_n) > RESTS):  # what approaches strikes first
            return OPEN
        onward = dot(motion_after(data, flow, k, struck), n)
        if not struck:
            onward += flow.bias_n[k] - dot(get_vector(flow.bias, k), n)
        u = slip_of(get_vector(contact.v, k), n)
        closed = SLIDE if not struck and dot(u, u) > SLIPS * SLIPS else STICK
        return closed if onward < -STILL else OPEN
    f_n, f = y[flow.row[k]], get_vector(contact.force, k)
    f_t = plus(f, scaled(n, -f_n))
    size = dot(f_t, f_t) ** 0.5
    if mode == STICK:
        if lone and f_n < 0.0:
            return OPEN
        if f_n < 0.0 or size > geometry.friction[k] * f_n * (1.0 + 1e-9):
            put_vector(flow.direction, k, scaled(f_t, 1.0 / size) if size > 0.0 else no_vector())
            return SLIDE
        return STICK
    if f_n < 0.0:
        return OPEN
    d, slip = get_vector(flow.direction, k), slip_of(get_vector(contact.v, k), n)
    if geometry.friction[k] == 0.0:
        return SLIDE
    moving = not struck and dot(slip, slip) > SLIPS * SLIPS
    onward = slip_of(motion_after(data, flow, k, struck), n)
    speed = dot(onward, onward) ** 0.5
    if not moving and (dot(d, d) == 0.0 or dot(onward, d) > STILL):
        return STICK
    if not moving and speed > STILL:  # it begins to slide: against what, only the solution says
        turn = plus(d, scaled(onward, 1.0 / speed))
        put_vector(flow.direction, k, scaled(onward, -1.0 / speed))
        return TURNS if dot(turn, turn) > TURNED else SLIDE
    return SLIDE


@kernel
def judge_joint(data, flow, r, struck):
    """Whether stop r should act, or dry friction r hold."""
    constraints, motion, d = data.constraints, data.motion, data.constraints.dof[r]
    y, s = flow.border.y, flow.system.s[data.constraints.dof[r]]
    if constraints.kind[r] == DRY:
        if struck:
            return flow.holds[r]
        if flow.holds[r]:
            f = y[flow.joint_row[r]]
            if abs(f) > constraints.bound[r] * (1.0 + 1e-9):
                flow.sense[r] = 1.0 if f > 0.0 else -1.0
                return 0
            return 1
        return 1 if abs(motion.v[d]) < SLIPS and s * flow.sense[r] > STILL else 0
    if constraints.on[r]:
        return 1 if y[flow.joint_row[r]] >= 0.0 else 0
    sign = constraints.sign[r]
    if sign * (motion.q[constraints.coordinate[r]] - constraints.bound[r]) > TOUCHES:
        return 0
    if struck:
        return 1 if sign * (motion.v[d] + s) < -STILL else 0
    return 1 if sign * motion.v[d] < RESTS and sign * s < -STILL else 0


@kernel(inline=False)
def review(data, flow, struck, lone):
    """Change modes that contradict the solution; with `lone` at most one. Returns how many were changed."""
    contact, constraints, changed = data.contact, data.constraints, 0
    for k in range(len(data.geometry.body)):
        if not (lone and changed):
            mode = judge_contact(data, flow, k, struck, lone)
            if mode == TURNS:
                changed += 1
            elif mode != contact.mode[k]:
                if mode == STICK:
                    contact.anchored[k] = 0
                if contact.mode[k] == OPEN:
                    put_vector(flow.direction, k, no_vector())
                contact.mode[k] = mode
                changed += 1
    for r in range(len(constraints.dof)):
        if not (lone and changed):
            on = judge_joint(data, flow, r, struck)
            if constraints.kind[r] == DRY:
                changed += 1 if on != flow.holds[r] else 0
                flow.holds[r] = on
            elif on != constraints.on[r]:
                constraints.on[r] = on
                changed += 1
    return changed


@kernel
def place_open(data, flow):
    """Points, velocities and biases of open contacts that touch."""
    for k in range(len(data.geometry.body)):
        if data.contact.mode[k] == OPEN and data.contact.gap[k] <= TOUCHES:
            place_contact(data, k)
            set_bias(data, flow, k)


@kernel(inline=False)
def settle_modes(data, flow):
    """Modes, accelerations and forces of the present instant; gaps are set. Returns how often it was solved."""
    set_state(data, flow)
    set_joint_torques(data, flow)
    place_open(data, flow)
    for rounds in range(1, MAX_ROUNDS):
        flow.residual[0] = max(flow.residual[0], accelerate(data, flow))
        if review(data, flow, 0, rounds > TOGETHER) == 0:
            set_stop_forces(data, flow)
            return rounds
        set_joint_torques(data, flow)
        for k in range(len(data.geometry.body)):
            if data.contact.mode[k] == SLIDE:
                aim_friction(data, flow, k)
    flow.slick[0] = 1
    accelerate_without_friction(data, flow)
    set_stop_forces(data, flow)
    return MAX_ROUNDS


@kernel(inline=False)
def accelerate_without_friction(data, flow):
    """As `accelerate`, for all that touches and does not leave: forces of contacts without friction, of stops and of loops."""
    contact, constraints, motion, border, cone = data.contact, data.constraints, data.motion, flow.border, flow.cone
    for k in range(len(contact.mode)):
        v_n = dot(get_vector(contact.v, k), get_vector(contact.normal, k))
        if contact.mode[k] != OPEN or (contact.gap[k] <= TOUCHES and abs(v_n) <= RESTS):
            contact.mode[k], contact.anchored[k] = STICK, 0
            put_vector(flow.direction, k, no_vector())
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY and not constraints.on[r]:
            sign, d = constraints.sign[r], constraints.dof[r]
            touches = sign * (motion.q[constraints.coordinate[r]] - constraints.bound[r]) <= TOUCHES
            constraints.on[r] = 1 if touches and sign * motion.v[d] < RESTS else 0
    clear_border(border)
    set_loop_rows(data.work, flow.loops, border)
    set_contact_rows(data, flow, 1)
    set_joint_rows(data, flow, 1)
    name_rows(data, flow, 1.0)
    solve_tree(data.tree, data.work, flow.system, motion.tau_all)
    respond(data.tree, data.work, flow.system, border)
    for r in range(border.count[0]):
        if cone.kind[r] == NORMAL:
            cone.limit[r] = 0.0
        cone.b[r] = row_of(border, r, flow.system.A, flow.system.F, flow.system.s) - border.d[r]
        border.y[r] = 0.0
    solve_cone(border, cone)
    solve_with_y(data.tree, data.work, flow.system, border, motion.tau_all)
    set_contact_forces(data, flow)
    for d in range(len(motion.a)):
        motion.a[d] = flow.system.s[d]
    for k in range(len(contact.mode)):
        if contact.mode[k] != OPEN:
            contact.mode[k] = SLIDE if border.y[flow.row[k]] > 0.0 else OPEN
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY and constraints.on[r] and border.y[flow.joint_row[r]] <= 0.0:
            constraints.on[r] = 0


@kernel
def set_stop_forces(data, flow):
    """Forces of stops, as they are recorded."""
    constraints = data.constraints
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY:
            constraints.active[r] = constraints.on[r]
            constraints.force[r] = flow.border.y[flow.joint_row[r]] if constraints.on[r] else 0.0


# --- impact -------------------------------------------------------------------------------------------------------------------


@kernel(inline=False)
def set_rows_at_rest(data, flow, rubs, holds):
    """The system without forces, and all rows that act, for changes of velocity; the state is set. With `rubs` contacts that
    slide have friction, with `holds` dry friction of joints that holds is a constraint."""
    tree, border = data.tree, flow.border
    for i in range(1, len(tree.parent)):
        put_motion(flow.system.f, i, no_motion())
        put_motion(flow.system.c, i, no_motion())
    clear_border(border)
    set_loop_rows(data.work, flow.loops, border)
    set_contact_rows(data, flow, rubs)
    set_joint_rows(data, flow, holds)


@kernel(inline=False)
def stop_rows(data, flow):
    """Let the right-hand sides of all rows undo their velocities."""
    for r in range(flow.border.count[0]):
        flow.border.d[r] = -row_of(flow.border, r, data.work.V_WB, flow.system.none, data.motion.v)


@kernel(inline=False)
def strike(data, flow, crowded):
    """An impact without bounce: contacts and stops that touch and approach come to rest, or slide on. Those that touched before
    take part if they would move into the ground otherwise. Velocities change, contact.force has the impulses. Returns the energy
    that is lost.

    Modes are guessed and changed until none contradicts the solution. If there is no end to that, or with `crowded` from the
    beginning, all impulses are found together (`core.maximal.cone`).
    """
    set_state(data, flow)
    place_open(data, flow)
    settled = False
    if not crowded:
        begin_strike(data, 0)
        for rounds in range(1, MAX_ROUNDS):
            set_rows_at_rest(data, flow, 1, 0)
            stop_rows(data, flow)
            solve_bordered(data.tree, data.work, flow.system, flow.border, flow.system.still)
            set_contact_forces(data, flow)
            settled = review(data, flow, 1, rounds > TOGETHER) == 0
            if settled:
                break
    if not settled:
        begin_strike(data, 1)
        set_rows_at_rest(data, flow, 1, 0)
        stop_rows(data, flow)
        respond(data.tree, data.work, flow.system, flow.border)
        name_rows(data, flow, 0.0)
        for r in range(flow.border.count[0]):
            flow.cone.b[r], flow.border.y[r] = -flow.border.d[r], 0.0
        solve_cone(flow.border, flow.cone)
        solve_with_y(data.tree, data.work, flow.system, flow.border, flow.system.still)
        set_contact_forces(data, flow)
        read_modes(data, flow, 0)
    lost = energy_lost(data, flow)
    for d in range(len(data.motion.v)):
        data.motion.v[d] += flow.system.s[d]
    rub_anew(data, flow)
    return lost


@kernel(inline=False)
def begin_strike(data, all_touching):
    """First guess of modes: what touches and approaches sticks; with `all_touching` all that touches does."""
    motion, contact, constraints = data.motion, data.contact, data.constraints
    for k in range(len(data.geometry.body)):
        touches = contact.mode[k] != OPEN or contact.gap[k] <= TOUCHES
        if all_touching and touches:
            contact.mode[k] = STICK
        elif touches:
            v_n = dot(get_vector(contact.v, k), get_vector(contact.normal, k))
            contact.mode[k] = STICK if contact.mode[k] == OPEN and v_n < -STILL else OPEN
        contact.anchored[k] = 0
    for r in range(len(constraints.dof)):
        if constraints.kind[r] != DRY and not constraints.on[r]:
            sign, d = constraints.sign[r], constraints.dof[r]
            touches = sign * (motion.q[constraints.coordinate[r]] - constraints.bound[r]) <= TOUCHES
            constraints.on[r] = 1 if touches and (all_touching or sign * motion.v[d] < 0.0) else 0


@kernel
def energy_lost(data, flow):
    """By the impulses border.y, whose changes of velocity stand in the system."""
    lost = 0.0
    for i in range(1, len(data.tree.parent)):
        mean = add_scaled(get_motion(data.work.V_WB, i), get_motion(flow.system.A, i), 0.5)
        for r in range(flow.border.count[0]):
            lost -= flow.border.y[r] * pair(get_motion(flow.border.f[r], i), mean)
    for d in range(len(data.motion.v)):
        for r in range(flow.border.count[0]):
            lost -= flow.border.y[r] * flow.border.tau[r, d] * (data.motion.v[d] + 0.5 * flow.system.s[d])
    return lost


@kernel
def rub_anew(data, flow):
    """After an impact friction acts against the new velocities."""
    contact, constraints, motion = data.contact, data.constraints, data.motion
    for k in range(len(contact.mode)):
        if contact.mode[k] == SLIDE:
            u = slip_of(motion_after(data, flow, k, 1), get_vector(contact.normal, k))
            if dot(u, u) > SLIPS * SLIPS:
                put_vector(flow.direction, k, no_vector())
    for r in range(len(constraints.dof)):
        v = motion.v[constraints.dof[r]]
        if constraints.kind[r] == DRY and abs(v) > SLIPS:
            flow.holds[r], flow.sense[r] = 0, -1.0 if v > 0.0 else 1.0
