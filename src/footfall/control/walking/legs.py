"""The legs of a robot as walking laws see them: geometry, working arrays, and where everything is."""

from typing import Any, NamedTuple

import numpy as np

from footfall import dynamics, kinematics
from footfall.control.fields import ControlError, array
from footfall.control.model import Model, model_of
from footfall.control.walking.friction import Rubs, rubs_of
from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import set_accels
from footfall.core.spatial.vectors import compose, cross, get_motion, get_rotation, get_vector, plus, rotate, scaled
from footfall.kinematics.two_legs import LegChains, Walker, find_legs, walker
from footfall.model.robot import Robot

LEFT, RIGHT = 0, 1
POSTURE = 100.0, 20.0  # 1/s2, 1/s: joints that have nothing else to do keep their posture with these
X, Y, Z, YAW, LIFT = 0, 1, 2, 3, 4  # columns of places; of plans the lift of the foot besides


class Seen(NamedTuple):
    """The state that a law works with: measured, estimated, or that of its reference."""

    time: Any
    q: Any
    v: Any
    touch: Any  # (2,) how many contacts of each foot touch


class Estimate:
    """The goal of a walking law that an estimator may set: place and velocity of the pelvis, which feet touch, and their load."""

    pelvis: Any = array(6)  # m, m/s: along the world's axes
    touch: Any = array(2)  # how many contacts of each foot touch
    foot_force: Any = array(2, 3)  # N: force of the ground on each foot, along the world's axes
    com_offset: Any = array(
        2
    )  # m: centre of mass less the believed one, forward and to the left, in the axes of the link that floats
    more_mass: float = 0.0  # kg: mass less the believed one
    estimated: float = 0.0  # 1 if an estimator sets them; otherwise the law takes what it observes


class Prepared(NamedTuple):
    """The robot model of a walking law, and its working arrays."""

    model: Model
    base: Any  # body of the pelvis
    foot: Any  # (2,) int: bodies of the feet
    leg: Any  # (2, n) int: degrees of freedom of the legs, six or more
    trunk: Any  # (n,) int: those between the pelvis and both legs
    arms: Any  # (n,) int: all other degrees of freedom but those of the pelvis; those of the trunk too
    held: Any  # (n, 2) int: of these, hinges that their own servos hold: places in q and v
    servo: Any  # (n, 2) stiffness and damping of these
    toes: Any  # (n, 2) int: of these, hinges beyond a foot: places in q and v
    posture: Any  # (nq,) at the start
    axes: Any  # (9,) forward, left and up in the axes of the pelvis, as a rotation
    sole_axes: Any  # (2, 9) those of the soles, in the axes of the feet
    rise: Any  # m: height of the pelvis' origin above the hips
    sole: Any  # (2, 3) from the foot's origin to its sole below the ankle
    low: Any  # (2, 2) of each sole, from there: back and right edge
    high: Any  # (2, 2) front and left edge
    rubs: Rubs
    plan: Any  # (n, 5) footsteps: x, y, z, yaw, lift; left and right in turn; the first two are where the feet are
    mass: Any  # kg
    gravity: Any  # m/s2
    q: Any  # (nq,) working arrays: state of the robot or of its reference
    v: Any  # (nv,)
    touch: Any  # (2,) how many contacts of each foot touch
    accel: Any  # (nv,) accelerations that are commanded
    a: Any  # (3, nv) accelerations: with the pelvis at rest, and with it accelerated along x and y
    tau: Any  # (3, nv) their joint forces
    zero: Any  # (nv,)
    urge: Any  # (nv,) accelerations toward the posture at the start
    rows: Any  # (2, nv, 6) Jacobians of the feet
    H: Any  # (6, 6)
    rhs: Any  # (6, 3)
    want: Any  # (3, 6) accelerations wanted: of both feet and the pelvis


def prepared(robot: Robot, q: np.ndarray, gravity: float, plan: np.ndarray, servos: bool = False) -> Prepared:
    """What a walking law needs of a robot; `plan` are the footsteps after those where the feet are.

    With `servos`, hinges that no leg has are held by their own.
    """
    if not gravity > 0.0:
        raise ControlError(f"a walk along footsteps needs gravity above 0, got {gravity:g} m/s2")
    legs, shape, nv = driven_legs(robot), walker(robot), robot.nv
    links = [robot.target(foot.pads[0].link) for foot in robot.feet]
    base = range(robot.tree.first_v[legs.base], robot.tree.first_v[legs.base + 1])
    arms = [d for d in range(nv) if d not in base and d not in legs.leg]
    held, servo = held_joints(robot, q, [d for d in arms if servos and d not in legs.toes[:, 1]])
    return Prepared(
        model=model_of(robot, gravity),
        base=legs.base,
        foot=legs.foot,
        leg=legs.leg,
        trunk=legs.trunk,
        arms=np.array(arms, np.int64),
        held=held,
        servo=servo,
        toes=legs.toes,
        posture=q.copy(),
        axes=shape.axes.ravel(),
        sole_axes=np.array([link.axes.ravel() for link in links]),
        rise=shape.rise,
        sole=np.array([link.place + link.axes @ at for link, at in zip(links, below_ankles(shape), strict=True)]),
        low=np.array([rows.min(axis=0)[:2] for rows in shape.soles]),
        high=np.array([rows.max(axis=0)[:2] for rows in shape.soles]),
        rubs=rubs_of(robot, held[:, 1].tolist()),
        plan=np.vstack((np.column_stack((level(standing(robot, q)), np.zeros(2))), plan)),
        mass=robot.mass,
        gravity=gravity,
        q=np.zeros(robot.nq),
        v=np.zeros(nv),
        touch=np.zeros(2, np.int64),
        accel=np.zeros(nv),
        a=np.zeros((3, nv)),
        tau=np.zeros((3, nv)),
        zero=np.zeros(nv),
        urge=np.zeros(nv),
        rows=np.zeros((2, nv, 6)),
        H=np.zeros((6, 6)),
        rhs=np.zeros((6, 3)),
        want=np.zeros((3, 6)),
    )


def held_joints(robot: Robot, q: np.ndarray, among: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Places of driven hinges in q and v, and the stiffness and damping that hold what they carry as `POSTURE` says."""
    tree, driven = robot.tree, set(robot.actuated.tolist())
    rows = [
        (tree.first_q[i], tree.first_v[i])
        for i, joint in enumerate(robot.layout.joints, start=1)
        if joint.kind == "revolute" and tree.first_v[i] in among and int(tree.first_v[i]) in driven
    ]
    inertia = np.diag(dynamics.mass_matrix(robot, q))[[int(d) for _, d in rows]]
    return np.array(rows, np.int64).reshape(-1, 2), np.outer(inertia, POSTURE)


def standing(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Where the feet are: rows x, y, z, yaw of the soles below the ankles."""
    rows = []
    for foot, at in zip(robot.feet, below_ankles(walker(robot)), strict=True):
        pose = kinematics.pose(robot, q, foot.pads[0].link, at=at)
        rows.append((*pose.position, np.arctan2(pose.rotation[1, 0], pose.rotation[0, 0])))
    return np.array(rows)


def below_ankles(shape: Walker) -> np.ndarray:
    """(2, 3) the points of the soles below the ankles, in the axes of the links of the soles."""
    return shape.ankle + np.array([(0.0, 0.0, rows[:, 2].min()) for rows in shape.soles])


def level(feet: np.ndarray) -> np.ndarray:
    """The same places at their mean height: a plan has heights besides the slope that is felt."""
    rows = feet.copy()
    rows[:, Z] = feet[:, Z].mean()
    return rows


def driven_legs(robot: Robot) -> LegChains:
    """The legs of a robot with two feet, with a motor at every joint."""
    legs = find_legs(robot)
    for foot, leg in zip(robot.feet, legs.leg.tolist(), strict=True):
        if not set(leg) <= set(robot.actuated.tolist()):
            raise ControlError(f"robot {robot.name!r} must have motors at all joints of the leg of {foot.name!r}")
    return legs


@kernel
def take(obs, params, goal):
    """The state that is seen; place and velocity of the pelvis and contacts by the estimator, if there is one."""
    for j in range(len(obs.q)):
        params.q[j] = obs.q[j]
    for d in range(len(obs.v)):
        params.v[d] = obs.v[d]
    if goal.estimated > 0.0:
        i, d = params.model.tree.first_q[params.base], params.model.tree.first_v[params.base]
        for k in range(3):
            params.q[i + k], params.v[d + k] = goal.pelvis[k], goal.pelvis[3 + k]
    n = len(obs.mode) // 2
    for side in range(2):
        count = 0
        for k in range(side * n, (side + 1) * n):
            count += 1 if obs.mode[k] else 0
        params.touch[side] = int(goal.touch[side]) if goal.estimated > 0.0 else count


@kernel
def look(seen, params):
    """Poses and velocities of all bodies; accelerations with all joints at constant speed (work.A_WB, with gravity)."""
    set_accels(params.model.tree, params.model.work, seen.q, seen.v, params.zero)


@kernel
def center(params):
    """Place and velocity of the centre of mass."""
    tree, work = params.model.tree, params.model.work
    c, u = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for i in range(1, len(tree.parent)):
        m = tree.rigid[i, 0]
        if m > 0.0:
            r = rotate(get_rotation(work.R_WB, i), (tree.rigid[i, 1] / m, tree.rigid[i, 2] / m, tree.rigid[i, 3] / m))
            V = get_motion(work.V_WB, i)
            c = plus(c, scaled(plus(get_vector(work.p_WB, i), r), m))
            u = plus(u, scaled(plus((V[0], V[1], V[2]), cross((V[3], V[4], V[5]), r)), m))
    return scaled(c, 1.0 / params.mass), scaled(u, 1.0 / params.mass)


@kernel
def sole_arm(params, side):
    """From the origin of a foot to its sole below the ankle, in world axes."""
    return rotate(get_rotation(params.model.work.R_WB, params.foot[side]), get_vector(params.sole, side))


@kernel
def sole_place(params, side):
    return plus(get_vector(params.model.work.p_WB, params.foot[side]), sole_arm(params, side))


@kernel
def sole_turn(params, side):
    """The axes of a sole, in the world: forward, left, up."""
    return compose(get_rotation(params.model.work.R_WB, params.foot[side]), get_rotation(params.sole_axes, side))


@kernel
def pelvis_turn(params):
    """Forward, left and up of the pelvis, in the world."""
    a = params.axes
    R = get_rotation(params.model.work.R_WB, params.base)
    return compose(R, (a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8]))


@kernel
def clip(x, low, high):
    return min(max(x, low), high)


@kernel
def yaw_of(R):
    return np.arctan2(R[3], R[0])


@kernel
def near(angle, to):
    """The angle plus whole turns that is nearest to another."""
    return angle + 2.0 * np.pi * np.floor((to - angle) / (2.0 * np.pi) + 0.5)


@kernel
def touches(seen, side):
    """Whether a foot touches: any of its contacts."""
    return touching(seen, side) > 0


@kernel
def touching(seen, side):
    """How many contacts of a foot touch."""
    return seen.touch[side]
