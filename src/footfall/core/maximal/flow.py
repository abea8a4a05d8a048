"""Motion between two events, in maximal coordinates: accelerations of a state, and Dormand and Prince's method of order 8.

The modes of contacts, stops and dry friction stay as they are. A step has a fixed length, in parts where servos, springs,
dampers and tendons are stiff for it.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.geometry import OPEN, SLIDE
from footfall.core.contact.joint_constraints import DRY, set_friction_bounds, set_joint_forces
from footfall.core.contact.loop import FRICTION, JOINTS, MOTORS, PUSHES, STOPS
from footfall.core.hybrid.dop853 import A as WEIGHTS
from footfall.core.hybrid.dop853 import E as ERRORS
from footfall.core.jit import kernel
from footfall.core.manifold import integrate, rate
from footfall.core.maximal.border import clear_border, new_border, row_of, solve_bordered
from footfall.core.maximal.cone import new_cone
from footfall.core.maximal.loops import Hinges, Loops, set_loop_rows
from footfall.core.maximal.touch import (
    aim_friction,
    place_contact,
    set_bias,
    set_contact_forces,
    set_contact_rows,
    set_joint_rows,
    slip_of,
)
from footfall.core.maximal.tree_system import factor, new_system, set_hinges, set_system
from footfall.core.passive import tendon_length
from footfall.core.recursion.kinematics import set_speeds
from footfall.core.spatial.algebra import DIM, dot, get_motion, get_vector, pair, put_vector

ORDER_8 = 12  # stages
LEDGER = 7
STABLE = 2.0  # radians, or decay constants, of the fastest servo, spring or damper in a part of a step
MAX_PARTS = 64.0
SLOWEST = 1e-6  # m/s
ALLOWED = 1e-11  # of coordinates and velocities, beside one: error of a part of a step
HUGE = 1e200


class Flow(NamedTuple):
    """All that the motion needs besides the simulation data."""

    system: Any
    border: Any
    loops: Any
    hinges: Any  # when loops hold
    mass: float  # kg: of the robot
    axes: Any  # (DIM, DIM) unit vectors
    weights: Any  # (13, 16) of the method
    errors: Any  # (2, 16) of its error estimates
    kq: Any  # (12, nq) rates of the stages
    kv: Any  # (12, nv)
    kw: Any  # (12, LEDGER) powers
    q: Any  # (nq,) where a part of a step began
    v: Any  # (nv,)
    mode: Any  # (contacts,) int: and the modes there
    feature: Any  # (contacts,) int
    work: Any  # (LEDGER,) done in this part
    slick: Any  # (1,) int: 1 where no modes with friction are consistent, until the next instant
    residual: Any  # (1,) largest acceleration by which a row was missed
    room: Any  # (3, SPIN)
    tangent: Any  # (contacts, DIM, DIM) unit vectors along the ground
    direction: Any  # (contacts, DIM) unit vector of friction where it slides
    aimed: Any  # (contacts, DIM) the same when the part began
    bias: Any  # (contacts, DIM) acceleration of the contact's velocity at constant velocity of its body
    bias_n: Any  # (contacts,) and of its normal part
    row: Any  # (contacts,) int: of the normal in the border; those along the ground follow
    joint_row: Any  # (constraints,) int
    holds: Any  # (constraints,) int: 1 where dry friction holds
    sense: Any  # (constraints,) direction of dry friction where it slips
    step: Any  # (nv,) correction of q
    next: Any  # (nv,) velocity after a time step
    cone: Any  # rows of a time step or an impact
    takes: Any  # (contacts,) int: 1 if it takes part in a time step
    gap: Any  # (contacts,) when the time step began
    acts: Any  # (constraints,) int: as `takes`
    room_left: Any  # (constraints,) as `gap`
    length: Any  # (1,) s: of the next part of a step, by the error of the last


def new_flow(data: Any, loops: Loops, hinges: Hinges) -> Flow:
    """New arrays for simulation data and loops."""
    tree, contacts, dofs = data.tree, len(data.geometry.body), len(data.constraints.dof)
    bodies, motion = data.work.V_WB.shape
    dim, nq, nv = data.geometry.at.shape[1], len(data.motion.q), len(data.motion.v)
    rows = len(loops.kind) + contacts * dim + dofs
    return Flow(
        system=new_system(bodies, nv, motion),
        border=new_border(rows, bodies, nv, motion),
        loops=loops,
        hinges=hinges,
        mass=float(tree.rigid[1:, 0].sum()),
        axes=np.eye(dim),
        weights=WEIGHTS[: ORDER_8 + 1].copy(),
        errors=ERRORS.copy(),
        kq=np.zeros((ORDER_8, nq)),
        kv=np.zeros((ORDER_8, nv)),
        kw=np.zeros((ORDER_8, LEDGER)),
        q=np.zeros(nq),
        v=np.zeros(nv),
        mode=data.contact.mode.copy(),
        feature=data.contact.feature.copy(),
        work=np.zeros(LEDGER),
        slick=np.zeros(1, np.int64),
        residual=np.zeros(1),
        room=np.zeros((3, motion - dim)),
        tangent=np.zeros((contacts, dim, dim)),
        direction=np.zeros((contacts, dim)),
        aimed=np.zeros((contacts, dim)),
        bias=np.zeros((contacts, dim)),
        bias_n=np.zeros(contacts),
        row=np.zeros(contacts, np.int64),
        joint_row=np.zeros(dofs, np.int64),
        holds=(data.constraints.kind == DRY).astype(np.int64),
        sense=np.zeros(dofs),
        step=np.zeros(nv),
        next=np.zeros(nv),
        cone=new_cone(rows),
        takes=np.zeros(contacts, np.int64),
        gap=np.zeros(contacts),
        acts=np.zeros(dofs, np.int64),
        room_left=np.zeros(dofs),
        length=np.full(1, np.inf),
    )


@kernel(inline=False)
def set_joint_torques(data, flow):
    """All joint forces of the state, explicitly, in motion.tau_all."""
    motion, constraints = data.motion, data.constraints
    set_joint_forces(data, 0.0, 0.0)
    set_friction_bounds(constraints, data.joints, motion.v)
    for d in range(len(motion.v)):
        motion.tau_all[d] = motion.tau_joint[d]
    for r in range(len(constraints.dof)):
        if constraints.kind[r] == DRY and not flow.holds[r]:
            motion.tau_all[constraints.dof[r]] += flow.sense[r] * constraints.bound[r]


@kernel(inline=False)
def set_state(data, flow):
    """Poses, velocities, inertias and contacts of the state in data.motion; factors of the tree."""
    tree, work, motion = data.tree, data.work, data.motion
    set_speeds(tree, work, motion.q, motion.v)
    set_system(tree, work, flow.system)
    set_hinges(tree, work, flow.system, motion.v)
    factor(tree, work, flow.system, tree.rotor)
    for k in range(len(data.geometry.body)):
        if data.contact.mode[k] != OPEN:
            place_contact(data, k)
            set_bias(data, flow, k)
            if data.contact.mode[k] == SLIDE:
                aim_friction(data, flow, k)


@kernel(inline=False)
def accelerate(data, flow):
    """Accelerations, hinge and contact forces of a state that is set. Returns the largest residual of a row."""
    clear_border(flow.border)
    set_loop_rows(data.work, flow.loops, flow.border)
    set_contact_rows(data, flow, 1)
    set_joint_rows(data, flow, 1)
    residual = solve_bordered(data.tree, data.work, flow.system, flow.border, data.motion.tau_all)
    set_contact_forces(data, flow)
    for d in range(len(data.motion.a)):
        data.motion.a[d] = flow.system.s[d]
    return residual


@kernel
def set_powers(data, flow, powers):
    """Powers of motors, springs and dampers, dry friction, ground and pushes."""
    motion, constraints, contact, work = data.motion, data.constraints, data.contact, data.work
    for j in range(LEDGER):
        powers[j] = 0.0
    for d in range(len(motion.v)):
        powers[MOTORS] += data.joints.applied[d] * motion.v[d]
        powers[JOINTS] += (motion.tau_joint[d] - data.joints.applied[d]) * motion.v[d]
    for r in range(len(constraints.dof)):
        if constraints.kind[r] == DRY and not flow.holds[r]:
            powers[STOPS] += flow.sense[r] * constraints.bound[r] * motion.v[constraints.dof[r]]
    for k in range(len(contact.mode)):
        if contact.mode[k] == SLIDE:
            powers[FRICTION] += dot(get_vector(contact.force, k), get_vector(contact.v, k))
    for i in range(1, len(work.V_WB)):
        powers[PUSHES] += pair(get_motion(work.V_WB, i), get_motion(work.f_ext, i))


@kernel
def begin_part(data, flow):
    """Remember where a part of a step begins."""
    for j in range(len(flow.q)):
        flow.q[j] = data.motion.q[j]
    for d in range(len(flow.v)):
        flow.v[d] = data.motion.v[d]
    for k in range(len(flow.mode)):
        flow.mode[k], flow.feature[k] = data.contact.mode[k], data.contact.feature[k]
        put_vector(flow.aimed, k, get_vector(flow.direction, k))


@kernel
def return_to_begin(data, flow):
    """The state where the part began."""
    for j in range(len(flow.q)):
        data.motion.q[j] = flow.q[j]
    for d in range(len(flow.v)):
        data.motion.v[d] = flow.v[d]
    keep_modes(data, flow)


@kernel
def keep_modes(data, flow):
    """Modes and features as they were when the part began: a look at its end changes them."""
    for k in range(len(flow.mode)):
        data.contact.mode[k], data.contact.feature[k] = flow.mode[k], flow.feature[k]
        put_vector(flow.direction, k, get_vector(flow.aimed, k))


@kernel
def combine(data, flow, stage, h):
    """The state of a stage, from the rates of those before."""
    motion = data.motion
    for j in range(len(flow.q)):
        motion.q[j] = flow.q[j]
        for s in range(stage):
            motion.q[j] += h * flow.weights[stage, s] * flow.kq[s, j]
    for d in range(len(flow.v)):
        motion.v[d] = flow.v[d]
        for s in range(stage):
            motion.v[d] += h * flow.weights[stage, s] * flow.kv[s, d]


@kernel(inline=False)
def flow_on(data, flow, h):
    """From where the part began to h later; motion.q and motion.v become the state there, flow.work the work until then. Returns
    the error of the step over the one that is allowed."""
    tree, motion = data.tree, data.motion
    for stage in range(ORDER_8):
        combine(data, flow, stage, h)
        keep_modes(data, flow)
        set_state(data, flow)
        set_joint_torques(data, flow)
        flow.residual[0] = max(flow.residual[0], accelerate(data, flow))
        rate(tree, motion.q, motion.v, flow.kq[stage])
        for d in range(len(motion.a)):
            flow.kv[stage, d] = motion.a[d]
        set_powers(data, flow, flow.kw[stage])
    combine(data, flow, ORDER_8, h)
    integrate(tree, motion.q, flow.system.still, motion.q)  # quaternions of unit length
    for j in range(LEDGER):
        flow.work[j] = 0.0
        for s in range(ORDER_8):
            flow.work[j] += h * flow.weights[ORDER_8, s] * flow.kw[s, j]
    return h * max(estimate(flow, flow.kq, flow.q), estimate(flow, flow.kv, flow.v)) / ALLOWED


@kernel
def estimate(flow, k, x):
    """The largest error of the rates k of a step, over one and the size of x: Hairer's mixture of orders 5 and 3."""
    worst = 0.0
    for j in range(len(x)):
        fifth, third = 0.0, 0.0
        for s in range(ORDER_8):
            fifth += flow.errors[0, s] * k[s, j]
            third += flow.errors[1, s] * k[s, j]
        fifth, third = fifth * fifth, third * third
        if not fifth < HUGE:
            return HUGE
        if fifth > 0.0:
            worst = max(worst, fifth / (fifth + 0.01 * third) ** 0.5 / (1.0 + abs(x[j])))
    return worst


@kernel
def parts_of(data, flow, h):
    """In how many parts a step of this length must be taken; factors, modes and forces of the state are set."""
    tree, joints, fastest = data.tree, data.joints, 0.0
    for i in range(1, len(tree.parent)):
        for k in range(tree.first_v[i + 1] - tree.first_v[i]):
            d, inertia = tree.first_v[i] + k, flow.system.L[i, k, k]
            if inertia > 0.0:
                fastest = max(fastest, (joints.servo[2, d] + joints.damping[d]) / inertia)
                fastest = max(fastest, ((joints.servo[0, d] + joints.stiffness[d]) / inertia) ** 0.5)
    if len(data.tendons.stiffness) > 0:
        fastest = max(fastest, fastest_tendon(data, flow))
    fastest = max(fastest, turning_of_friction(data, flow)) if DIM == 3 else fastest
    return min(max(np.ceil(h * fastest / STABLE), 1.0), MAX_PARTS)


@kernel
def fastest_tendon(data, flow):
    """The fastest oscillation, or decay, of a tendon with what its joints move."""
    tree, tendons, fastest = data.tree, data.tendons, 0.0
    for t in range(len(tendons.stiffness)):
        tendon_length(tendons, tree, data.motion.q, t)
        lever = 0.0
        for m in range(tendons.first[t], tendons.first[t + 1]):
            i = tendons.joint[m]
            for k in range(tree.first_v[i + 1] - tree.first_v[i]):
                inertia = flow.system.L[i, k, k]
                lever += abs(tendons.gradient[tree.first_v[i] + k]) / inertia**0.5 if inertia > 0.0 else 0.0
        fastest = max(fastest, tendons.damping[t] * lever * lever)
        fastest = max(fastest, tendons.stiffness[t] ** 0.5 * lever)
    return fastest


@kernel
def turning_of_friction(data, flow):
    """The fastest rate at which friction turns the slip of a contact, mu f_n W / |u|: it grows as the slip ends."""
    contact, border, fastest = data.contact, flow.border, 0.0
    for k in range(len(contact.mode)):
        if contact.mode[k] == SLIDE:
            n, r = get_vector(contact.normal, k), flow.row[k]
            u = slip_of(get_vector(contact.v, k), n)
            W = abs(row_of(border, r, border.A[r], border.F[r], border.s[r]))
            fastest = max(fastest, data.geometry.friction[k] * abs(border.y[r]) * W / (dot(u, u) ** 0.5 + SLOWEST))
    return fastest
