"""A time step of bodies that move each by itself, with all hinges, contacts, stops and loops met at its end.

Standard name: symplectic Euler with constraints on positions at the end of the step (as SHAKE has them), in maximal coordinates;
after Kelly, "Two walking robot simulators". v' and x' are those of the next instant, x the centre of mass and the turn of a body:

    M (v' - v) = h f + H'J,   x' = x + h v',   c(x') = 0

It is the system of `core.maximal.tree_system` and its border, with other right-hand sides: hinges and rows do not hold the
accelerations that velocities ask for, but those by which errors vanish until the end of the step, -c(x') / h^2. Newton's method
repeats that with the factors of the beginning. Coordinates of the hinges move along, x' of a body must be where they have it.
"""

from footfall.core.contact.edges import FAR
from footfall.core.contact.joint_constraints import DRY, set_friction_bounds, set_joint_forces
from footfall.core.contact.law import OPEN, SLIDE, STICK, locate, set_error
from footfall.core.jit import kernel
from footfall.core.manifold import integrate
from footfall.core.maximal.bodies import centre_of, set_origins
from footfall.core.maximal.border import clear_border, correct, factor_border, row_of
from footfall.core.maximal.flow import add_dry_friction
from footfall.core.maximal.loops import set_loop_rows
from footfall.core.maximal.review import MAX_ROUNDS, STEP, TOGETHER, review
from footfall.core.maximal.time_step import left_over
from footfall.core.maximal.touch import (
    point_velocity,
    set_contact_forces,
    set_contact_rows,
    set_joint_rows,
    set_position_errors,
)
from footfall.core.maximal.tree_system import factor, set_hinges, set_system, times
from footfall.core.recursion.kinematics import set_places
from footfall.core.spatial.algebra import (
    MOTION,
    add,
    add_scaled,
    angular,
    centripetal,
    compose,
    get_motion,
    get_rotation,
    get_vector,
    join,
    linear,
    no_motion,
    no_vector,
    plus,
    put_motion,
    put_rotation,
    put_vector,
    rotation_error,
    rotation_exp,
    scaled,
    shift_motion,
    subtract,
)

MAX_REPAIRS = 6
SOFT = 1e-7  # regularisation of the rows: redundant ones contradict each other until Newton's method has converged
CLOSED = 1e-12  # m or rad: error at which a hinge or a row is met


@kernel(inline=False)
def set_matrix(data, flow, bodies, h):
    """Factors of the tree, and all forces on bodies and hinges, at the beginning of the step. The centre of a body's mass moves
    on straight if nothing acts on it, and its origin does not: forces are such that this needs none."""
    tree, work, system = data.tree, data.work, flow.system
    set_joint_forces(data, h, h)
    set_friction_bounds(data.constraints, data.joints, data.motion.v)
    set_system(tree, work, system)
    for i in range(1, len(tree.parent)):
        bend = centripetal(angular(get_motion(work.V_WB, i)), centre_of(work, bodies, i))
        put_motion(system.f, i, add(get_motion(system.f, i), times(system.K[i], join(bend, angular(no_motion())))))
    set_hinges(tree, work, system, data.motion.v)
    factor(tree, work, system, data.motion.rotor_joint)


@kernel(inline=False)
def look_again(data, flow):
    """Where contacts are in `data`; they touch what they touched when the step began."""
    contact = data.contact
    for k in range(len(flow.mode)):
        contact.feature[k] = flow.feature[k]
    locate(data.ground, data.geometry, contact, data.work)
    for k in range(len(flow.mode)):
        contact.mode[k] = flow.mode[k]
        set_error(data.geometry, contact, data.work, k)


@kernel(inline=False)
def move_bodies(data, then, flow, bodies, h):
    """Move hinges and bodies, each by itself, to the end of the step with their next velocities, and set how far bodies are from
    where their hinges have them."""
    tree, work = data.tree, then.work
    for d in range(len(flow.step)):
        flow.step[d] = h * then.motion.v[d]
    integrate(tree, data.motion.q, flow.step, then.motion.q)
    set_places(tree, work, then.motion.q)
    for i in range(1, len(tree.parent)):
        way = add_scaled(no_motion(), get_motion(bodies.next_V, i), h)
        p = plus(get_vector(bodies.p, i), linear(way))
        R = compose(rotation_exp(angular(way)), get_rotation(bodies.R, i))
        put_vector(bodies.next_p, i, p)
        put_rotation(bodies.next_R, i, R)
        back = scaled(plus(get_vector(work.p_WB, i), centre_of(work, bodies, i)), -1.0)
        apart = join(plus(p, back), rotation_error(R, get_rotation(work.R_WB, i)))
        put_motion(bodies.apart, i, shift_motion(apart, scaled(centre_of(work, bodies, i), -1.0)))


@kernel(inline=False)
def set_targets(data, then, flow, bodies, h):
    """Accelerations of hinges and rows, system.c and border.d, by which all errors at the end of the step vanish. Returns the
    largest of these errors."""
    tree, system, border, constraints = data.tree, flow.system, flow.border, data.constraints
    for r in range(border.count[0]):
        border.d[r] = 0.0
    set_position_errors(then, flow)
    for k in range(len(flow.mode)):
        if flow.mode[k] != OPEN:
            border.d[flow.row[k]] = -left_over(then.contact.gap[k], flow.gap[k]) if then.contact.gap[k] < FAR else 0.0
    for r in range(len(constraints.dof)):
        if constraints.kind[r] == DRY and flow.holds[r]:
            border.d[flow.joint_row[r]] = -h * then.motion.v[constraints.dof[r]]
        elif constraints.kind[r] != DRY and constraints.on[r]:
            before = constraints.sign[r] * (data.motion.q[constraints.coordinate[r]] - constraints.bound[r])
            border.d[flow.joint_row[r]] = -left_over(-border.d[flow.joint_row[r]], before)
    worst = 0.0
    for r in range(border.count[0]):
        border.d[r] -= row_of(border, r, bodies.apart, system.none, system.still)
        worst = max(worst, abs(border.d[r]))
        border.d[r] /= h * h
    for i in range(1, len(tree.parent)):
        carried = shift_motion(get_motion(bodies.apart, tree.parent[i]), get_vector(data.work.r_PB_W, i))
        put_motion(system.c, i, subtract(carried, get_motion(bodies.apart, i)))
        for e in range(MOTION):
            worst = max(worst, abs(system.c[i, e]))
            system.c[i, e] /= h * h
    return worst


@kernel(inline=False)
def solve(data, then, flow, bodies, h):
    """Velocities and poses of the next instant, with modes as they are. Returns the largest error that is left."""
    tree, work, system, border = data.tree, data.work, flow.system, flow.border
    add_dry_friction(data, flow)
    clear_border(border)
    set_loop_rows(work, flow.loops, border)
    set_contact_rows(data, flow, 1)
    set_joint_rows(data, flow, 1)
    factor_border(tree, work, system, border, SOFT)
    for r in range(border.count[0]):
        border.y[r] = 0.0
    for d in range(len(flow.step)):
        then.motion.v[d] = data.motion.v[d]
    for i in range(1, len(bodies.V)):
        put_motion(bodies.next_V, i, get_motion(bodies.V, i))
    for k in range(len(flow.mode)):
        flow.mode[k] = data.contact.mode[k]
    f, tau, residual = system.f, data.motion.tau_all, 0.0
    for repair in range(MAX_REPAIRS + 1):
        move_bodies(data, then, flow, bodies, h)
        look_again(then, flow)
        residual = set_targets(data, then, flow, bodies, h)
        if repair == MAX_REPAIRS or (repair > 0 and residual < CLOSED):
            break
        correct(tree, work, system, border, f, tau)
        f, tau = system.none, system.still
        for d in range(len(flow.step)):
            then.motion.v[d] += h * system.s[d]
        for i in range(1, len(bodies.V)):
            A = shift_motion(get_motion(system.A, i), centre_of(work, bodies, i))
            put_motion(bodies.next_V, i, add_scaled(get_motion(bodies.next_V, i), A, h))
    set_origins(then.work, bodies, bodies.next_V)
    for k in range(len(flow.mode)):
        put_vector(then.contact.v, k, point_velocity(then, k))
    set_contact_forces(data, flow)
    return residual


@kernel
def pads_of(geometry):
    """How many pads there are; they stand before the further contacts of pads."""
    count = 0
    for k in range(len(geometry.owner)):
        count += 1 if geometry.owner[k] == k else 0
    return count


@kernel
def let_slide(data, flow):
    """All contacts that stick slide from now on, and none of those that slide rubs."""
    for k in range(len(flow.mode)):
        put_vector(flow.direction, k, no_vector())
        if data.contact.mode[k] == STICK:
            data.contact.mode[k] = SLIDE


@kernel(inline=False)
def solve_modes(data, then, flow, bodies, h, index):
    """Solve the next step, and change modes that contradict the solution until none does. Returns how often it was solved, and
    the largest error that is left.

    With friction there may be no consistent modes. From MAX_ROUNDS on, the ground is slick for this step, for which there always
    are. With `alternate`, as in Kelly's report, one pad is looked at in each step, once.
    """
    set_matrix(data, flow, bodies, h)
    for k in range(len(flow.mode)):
        flow.feature[k], flow.gap[k] = data.contact.feature[k], data.contact.gap[k]
    residual = solve(data, then, flow, bodies, h)
    only = index % max(pads_of(data.geometry), 1) if bodies.alternate[0] else -1
    for rounds in range(1, 2 * MAX_ROUNDS):
        changed = 1
        if rounds == MAX_ROUNDS:
            let_slide(data, flow)
        else:
            changed = review(then, flow, STEP, rounds > TOGETHER, rounds > MAX_ROUNDS, only)
        if changed == 0:
            return rounds, residual
        for k in range(len(flow.mode)):
            flow.mode[k] = data.contact.mode[k]
        look_again(data, flow)
        residual = solve(data, then, flow, bodies, h)
        if bodies.alternate[0]:
            return 1 + changed, residual
    return 2 * MAX_ROUNDS, residual
