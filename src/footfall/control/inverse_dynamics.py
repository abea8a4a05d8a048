"""A dynamics component: joint accelerations in, torques out, by inverse dynamics with contact forces from a quadratic program.

    minimise   sum of w d^2 + stay |J d|^2 + small |f - f_wanted|^2     over d = a - a_wanted and the forces f on what stands
    such that  M a + h = (0, tau) + J'f              Newton's law; no torque at the free base
               f in the friction pyramid, acting inside the pads that touch;   |tau| <= torque

The weights w are the inertias of the degrees of freedom in the posture at the start, so that a toe yields before the pelvis
does (Gauss's principle, with the diagonal of M). With forces that the ground can give, a = a_wanted, and tau is the computed
torque. Otherwise the nearest motion is made, and in it corners that stand keep to the motion that is wanted of them, since the
ground lets them have no other: J d = 0, nearly. The model is the robot as declared, or `believed`; mass and centre of mass may be
corrected by a layer above (`MassCenter`).

It is a layer below any algorithm, that of the ideal engine too: `Layered((LegOdometry(), MyAlgorithm(), InverseDynamics()))`.
The algorithm says accelerations, the state that it reckons with, and the forces on its feet that it counts on. Those corners of
these feet stand that are near to the foot's lowest one: a heel, the sole with the toes, or the toes alone. Of all forces that
make the motion, those are taken that are nearest to the algorithm's: how two feet share the load is its business.

`feedback` makes up for a model that is off: accelerations that were wanted are added up to a velocity u, which forgets at the
rate `forget`, and a joint that lags behind u is accelerated more:

    u' = a_wanted + forget (v - u),      a = a_wanted + feedback (u - v)
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall import dynamics
from footfall.control.believed import another_robot, believed_by
from footfall.control.controller import Controller
from footfall.control.fields import array
from footfall.control.leg_odometry import Pads, pads_of
from footfall.control.model import Model, model_of
from footfall.control.walking.legs import clip, driven_legs
from footfall.core.cholesky import cholesky, inner
from footfall.core.jit import kernel
from footfall.core.passive import Springs, Tendons, set_passive_forces
from footfall.core.qp import SOLVED, Program, program, solve_from
from footfall.core.recursion.crba import crba
from footfall.core.recursion.kinematics import jacobian
from footfall.core.recursion.momentum import correct_mass
from footfall.core.recursion.rnea import rnea
from footfall.core.spatial.vectors import cross, get_motion, get_rotation, plus, rotate
from footfall.model.passive import springs_of, tendons_of
from footfall.model.quantity import quantity
from footfall.model.robot import Robot

STAY = 10.0  # of the mass of the robot: weight of the acceleration of a corner that stands, besides what is wanted of it
FORCE, MOMENT = 1e-7, 1e-6  # weights: of all forces that make the motion, those nearest to the wanted ones
LEAST = 1e-3  # kg m2: weight of the lightest joints
NARROW = 0.005  # m: half the length of what stands, at least
KEPT = 1e-7  # by which a row of unit length may be missed
WRENCH = 6  # numbers of a force and its moment
LIMITS = 17  # rows that bound them


class Standing(NamedTuple):
    """What stands, a row for each body of a foot that has pads: a rectangle of corners, and the Jacobian of its middle."""

    corners: Any  # (n,) int: how many stand, 0 if none
    low: Any  # (n, 2) of the corners that stand
    high: Any  # (n, 2)
    height: Any  # (n, 4) of all corners
    J: Any  # (n, nv, 6) motion of the middle, in axes that are level and turned with the body
    row: Any  # (nv, 6) working array
    lowest: Any  # (feet,) height of the lowest corner of each foot


class Prepared(NamedTuple):
    """The believed robot, the program, and working arrays."""

    model: Model
    declared: Any  # (n + 1, RIGID) its inertias, before they are corrected
    mass: Any  # kg
    springs: Springs
    tendons: Tendons
    motor: Any  # (nv,) int: 1 where there is one
    weight: Any  # (nv,) of the deviations from the accelerations that are wanted
    pads: Pads
    standing: Standing
    program: Program
    M: Any  # (nv, nv)
    q: Any  # (nq,)
    v: Any  # (nv,)
    wanted: Any  # (nv,) accelerations
    tau: Any  # (nv,) forces for these, without ground
    passive: Any  # (nv,) those of springs, dampers and tendons
    offset: Any  # (1, 3) m


@dataclass(frozen=True)
class InverseDynamics(Controller):
    """Torques for the accelerations that a layer above wants."""

    friction: float = quantity("1", "that the feet count on", 0.6, low=0.05, high=2.0)
    margin: float = quantity("m", "of the centre of pressure inside a pad", 0.01, low=0.0, high=0.05)
    near: float = quantity("m", "from the lowest corner of a foot: corners that stand", 0.01, low=1e-4, high=0.1)
    torque: float = quantity("N m", "that motors may give", 200.0, low=1.0, high=1e6)
    feedback: float = quantity("1/s", "of velocities that lag behind the wanted accelerations", 0.0, low=0.0, high=200.0)
    forget: float = quantity("1/s", "rate at which the wanted velocity goes to the measured one", 10.0, low=0.0, high=1000.0)
    believed: Robot | None = another_robot()

    class State:
        u: Any = array("nv")  # velocities by the wanted accelerations
        lag: Any = array("nv")  # u - v

    class Goal:
        acceleration: Any = array("nv")
        q: Any = array("nq")  # the state that the layer above reckons with; all zero if it does not say
        v: Any = array("nv")
        stands: Any = array("feet")  # 1 for a foot on whose force it counts
        wrench: Any = array("bodies", "motion")  # force and moment of the ground on each body, about its origin
        com_offset: Any = array(2)  # m: centre of mass less the believed one
        more_mass: Any = array(1)  # kg: mass less the believed one

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Prepared:
        driven_legs(robot)
        robot = believed_by(self, robot)
        model, pads, nv = model_of(robot, gravity), pads_of(robot), robot.nv
        motor = np.isin(np.arange(nv), robot.actuated).astype(np.int64)
        parts, motors = len(pads.body), int(motor.sum())
        return Prepared(
            model=Model(model.tree._replace(rigid=model.tree.rigid.copy()), model.work),
            declared=model.tree.rigid.copy(),
            mass=robot.mass,
            springs=springs_of(robot),
            tendons=tendons_of(robot),
            motor=motor,
            weight=weights(robot, q),
            pads=pads,
            standing=standing_room(parts, nv, len(robot.feet)),
            program=program(nv + WRENCH * parts, nv - motors + 2 * motors + LIMITS * parts),
            M=np.zeros((nv, nv)),
            q=np.zeros(robot.nq),
            v=np.zeros(nv),
            wanted=np.zeros(nv),
            tau=np.zeros(nv),
            passive=np.zeros(nv),
            offset=np.zeros((1, 3)),
        )

    @kernel
    def law(obs, params, state, goal, command):
        """One tick."""
        take(obs, params, state, goal)
        tree, work, nv = params.model.tree, params.model.work, len(params.v)
        crba(tree, work, params.q, params.M)
        rnea(tree, work, params.q, params.v, params.wanted, params.tau)
        set_passive_forces(tree, params.springs, params.tendons, params.q, params.v, params.passive)
        find_standing(params, goal.stands)
        forces = set_cost(params)
        equations, rows = set_rows(params, forces)
        p = params.program
        for d in range(nv):
            p.x[d] = 0.0
        want_forces(params, goal.wrench)
        status, _, _ = solve_from(p, p.H, nv + forces, rows, equations, KEPT, 0)
        if status != SOLVED:
            return status
        for d in range(nv):
            t = params.tau[d] - params.passive[d] + inner(params.M[d], p.x, nv)
            command.tau[d] = clip(t - ground_force(params, d), -params.torque, params.torque) if params.motor[d] else 0.0
        return 0


def weights(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Of the degrees of freedom: inertias, the same for those of a joint that move, and for those that turn."""
    inertia = np.maximum(np.diag(dynamics.mass_matrix(robot, q)), LEAST)
    for i, joint in enumerate(robot.layout.joints, 1):
        first, last = int(robot.tree.first_v[i]), int(robot.tree.first_v[i + 1])
        for part in (slice(first, first + 3), slice(first + 3, last)) if joint.kind == "free" else (slice(first, last),):
            inertia[part] = inertia[part].mean() if inertia[part].size else 0.0
    return inertia


def standing_room(parts: int, nv: int, feet: int) -> Standing:
    """Room for so many bodies with pads."""
    low, high, height, J = np.zeros((parts, 2)), np.zeros((parts, 2)), np.zeros((parts, 4)), np.zeros((parts, nv, WRENCH))
    return Standing(np.zeros(parts, np.int64), low, high, height, J, np.zeros((nv, WRENCH)), np.zeros(feet))


@kernel(inline=False)
def take(obs, params, state, goal):
    """State, model and wanted accelerations of this tick."""
    said, h = 0.0, 1.0 / params.rate
    for k in range(len(goal.q)):
        said += abs(goal.q[k])
    for k in range(len(params.q)):
        params.q[k] = goal.q[k] if said > 0.0 else obs.q[k]
    for d in range(len(params.v)):
        v = goal.v[d] if said > 0.0 else obs.v[d]
        state.u[d] += h * params.forget * (v - state.u[d])
        state.lag[d] = state.u[d] - v
        params.v[d], params.wanted[d] = v, goal.acceleration[d] + params.feedback * state.lag[d]
        state.u[d] += h * goal.acceleration[d]
    params.offset[0, 0], params.offset[0, 1] = goal.com_offset[0], goal.com_offset[1]
    correct_mass(params.model.tree.rigid, params.declared, goal.more_mass[0], params.offset)


@kernel
def corner(pads, row, k):
    """Corner k of a pad, in the axes of its body."""
    x = pads.low[row, 0] if k < 2 else pads.high[row, 0]
    y = pads.low[row, 1] if k % 2 == 0 else pads.high[row, 1]
    return x, y, pads.level[row]


@kernel(inline=False)
def find_standing(params, stands):
    """Of each foot that is to stand, the corners that are nearly as low as the lowest one; and the Jacobians of their middles."""
    s, pads, work = params.standing, params.pads, params.model.work
    for side in range(len(s.lowest)):
        s.lowest[side] = np.inf
    for row in range(len(pads.body)):
        R, z = get_rotation(work.R_WB, pads.body[row]), work.p_WB[pads.body[row], 2]
        for k in range(4):
            s.height[row, k] = z + rotate(R, corner(pads, row, k))[2]
            s.lowest[pads.side[row]] = min(s.lowest[pads.side[row]], s.height[row, k])
    for row in range(len(pads.body)):
        s.corners[row] = 0
        for j in range(2):
            s.low[row, j], s.high[row, j] = np.inf, -np.inf
        if stands[pads.side[row]] > 0.0:
            for k in range(4):
                if s.height[row, k] < s.lowest[pads.side[row]] + params.near:
                    s.corners[row] += 1
                    at = corner(pads, row, k)
                    for j in range(2):
                        s.low[row, j], s.high[row, j] = min(s.low[row, j], at[j]), max(s.high[row, j], at[j])
        if s.corners[row] > 0:
            set_jacobian(params, row)


@kernel
def middle(params, row):
    """The middle of what stands, in the axes of its body."""
    s = params.standing
    return 0.5 * (s.low[row, 0] + s.high[row, 0]), 0.5 * (s.low[row, 1] + s.high[row, 1]), params.pads.level[row]


@kernel
def heading(R):
    """Cosine and sine of the yaw of a body."""
    along = np.hypot(R[0], R[3])
    return (R[0] / along, R[3] / along) if along > 0.0 else (1.0, 0.0)


@kernel(inline=False)
def set_jacobian(params, row):
    """Motion of the middle of what stands per unit rate of each degree of freedom, in axes that are level, x along the foot."""
    s, tree, work, i = params.standing, params.model.tree, params.model.work, params.pads.body[row]
    J, R = s.J[row], get_rotation(work.R_WB, i)
    jacobian(tree, work, i, rotate(R, middle(params, row)), J)
    c, e = heading(R)
    while i > 0:
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            for k in (0, 3):
                x, y = J[d, k], J[d, k + 1]
                J[d, k], J[d, k + 1] = c * x + e * y, c * y - e * x
        i = tree.parent[i]


@kernel(inline=False)
def want_forces(params, wrench):
    """The forces that the layer above counts on, at the middles of what stands, to begin with."""
    s, work, x, first = params.standing, params.model.work, params.program.x, len(params.v)
    for row in range(len(s.corners)):
        if s.corners[row] > 0:
            W, R = get_motion(wrench, params.pads.body[row]), get_rotation(work.R_WB, params.pads.body[row])
            F, r = (W[0], W[1], W[2]), rotate(R, middle(params, row))
            M = plus((W[3], W[4], W[5]), cross(F, r))
            c, e = heading(R)
            x[first], x[first + 1], x[first + 2] = c * F[0] + e * F[1], c * F[1] - e * F[0], F[2]
            x[first + 3], x[first + 4], x[first + 5] = c * M[0] + e * M[1], c * M[1] - e * M[0], M[2]
            first += WRENCH


@kernel(inline=False)
def set_cost(params):
    """The cost of deviations and forces, as its Cholesky factor. Returns the number of unknown forces."""
    p, s, nv, forces = params.program, params.standing, len(params.v), 0
    for row in range(len(s.corners)):
        if s.corners[row] > 0:
            forces += WRENCH
    for i in range(nv + forces):
        for j in range(i + 1):
            p.H[i, j] = 0.0
        p.H[i, i] = params.weight[i] if i < nv else (FORCE if (i - nv) % WRENCH < 3 else MOMENT)
    for row in range(len(s.corners)):
        if s.corners[row] > 0:
            for k in range(4):
                if s.height[row, k] < s.lowest[params.pads.side[row]] + params.near:
                    keep_corner(params, row, k)
    cholesky(p.H, nv + forces, 0.0)
    return forces


@kernel(inline=False)
def keep_corner(params, row, k):
    """A corner that stands does not depart from the acceleration that is wanted of it."""
    H, J, tree, work = params.program.H, params.standing.row, params.model.tree, params.model.work
    body = params.pads.body[row]
    jacobian(tree, work, body, rotate(get_rotation(work.R_WB, body), corner(params.pads, row, k)), J)
    i, w = body, STAY * params.mass
    while i > 0:
        for d in range(tree.first_v[i], tree.first_v[i + 1]):
            j = i
            while j > 0:
                for e in range(tree.first_v[j], tree.first_v[j + 1]):
                    if e <= d:
                        H[d, e] += w * (J[d, 0] * J[e, 0] + J[d, 1] * J[e, 1] + J[d, 2] * J[e, 2])
                j = tree.parent[j]
        i = tree.parent[i]


@kernel(inline=False)
def set_rows(params, forces):
    """Newton's law where there is no motor; then limits of motors and of what stands. Returns how many rows, of each and of all.

    All rows have unit length, C x >= c, in the unknowns d and f.
    """
    p, nv, n, at, most = params.program, len(params.v), len(params.v) + forces, 0, params.torque
    for d in range(nv):
        if params.motor[d] == 0:
            set_torque(params, d, at, 1.0, n)
            at = finish(p, at, params.passive[d] - params.tau[d], n)
    equations = at
    for d in range(nv):
        if params.motor[d] == 1:
            t = params.tau[d] - params.passive[d]
            set_torque(params, d, at, 1.0, n)
            at = finish(p, at, -most - t, n)
            set_torque(params, d, at, -1.0, n)
            at = finish(p, at, t - most, n)
    first = nv
    for row in range(len(params.standing.corners)):
        if params.standing.corners[row] > 0:
            at = press(params, row, first, at, n)
            first += WRENCH
    return equations, at


@kernel(inline=False)
def set_torque(params, d, at, sign, n):
    """The torque at d besides that for the wanted motion: M d - J'f."""
    C, s, nv, first = params.program.C, params.standing, len(params.v), len(params.v)
    for e in range(nv):
        C[at, e] = sign * params.M[d, e]
    for row in range(len(s.corners)):
        if s.corners[row] > 0:
            for k in range(WRENCH):
                C[at, first + k] = -sign * s.J[row, d, k]
            first += WRENCH


@kernel
def finish(p, at, least, n):
    """Give a row unit length. Returns the next one."""
    scale = 1.0 / np.sqrt(inner(p.C[at], p.C[at], n))
    for i in range(n):
        p.C[at, i] *= scale
    p.c[at] = scale * least
    return at + 1


@kernel(inline=False)
def press(params, row, first, at, n):
    """Limits of a force on what stands, at its middle: it presses, within the friction pyramid, and acts inside; its yaw moment
    is what forces at the corners can give (Caron, Pham and Nakamura 2015). Returns the next row.
    """
    p, s, mu = params.program, params.standing, params.friction / np.sqrt(2.0)
    X, Y = max(0.5 * (s.high[row, 0] - s.low[row, 0]), NARROW), max(0.5 * (s.high[row, 1] - s.low[row, 1]), NARROW)
    x, y = max(X - params.margin, NARROW), max(Y - params.margin, NARROW)
    at = bound(p, at, first, n, (0.0, 0.0, 1.0), (0.0, 0.0, 0.0))
    for k in range(2):
        sign = 1.0 - 2.0 * k
        at = bound(p, at, first, n, (sign, 0.0, mu), (0.0, 0.0, 0.0))
        at = bound(p, at, first, n, (0.0, sign, mu), (0.0, 0.0, 0.0))
        at = bound(p, at, first, n, (0.0, 0.0, y), (sign, 0.0, 0.0))
        at = bound(p, at, first, n, (0.0, 0.0, x), (0.0, sign, 0.0))
        for j in range(4):
            a, b = 1.0 - 2.0 * (j // 2), 1.0 - 2.0 * (j % 2)
            at = bound(p, at, first, n, (-a * Y, -b * X, mu * (X + Y)), (-a * sign * mu, -b * sign * mu, -sign))
    return at


@kernel(inline=False)
def bound(p, at, first, n, force, moment):
    """A limit: force times f and moment times m are not negative. Returns the next row."""
    for i in range(n):
        p.C[at, i] = 0.0
    for k in range(3):
        p.C[at, first + k], p.C[at, first + 3 + k] = force[k], moment[k]
    return finish(p, at, 0.0, n)


@kernel(inline=False)
def ground_force(params, d):
    """What the forces on the feet do at d."""
    s, first, t = params.standing, len(params.v), 0.0
    for row in range(len(s.corners)):
        if s.corners[row] > 0:
            for k in range(WRENCH):
                t += s.J[row, d, k] * params.program.x[first + k]
            first += WRENCH
    return t
