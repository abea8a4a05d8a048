"""Walking in three dimensions: footsteps, the divergent component of motion, computed torques.

For robots with two legs of six joints. The robot follows a list of footsteps. Its divergent component of motion, xi = c + c'/w with
w^2 = g / height, is planned backward from the last of the next steps, with the ZMP at the stance foot in single support and on
a straight line from foot to foot in double support (Englsberger et al. 2015). At every tick:

    p = p_ref + (1 + k/w) (xi - xi_ref)         where the ZMP must be, within the soles: ankle torque control, Johnnie (5.13, 5.14)
    c'' = w^2 (c - p)                           the inverted pendulum, (5.9, 5.10)

Feet, pelvis and upper body are given accelerations too; the accelerations of all joints follow from them by the Jacobians, and
the torques by inverse dynamics with the ground's wrench at the feet: computed torque control. If the ankles cannot hold the
robot, the next foot is put elsewhere.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall import kinematics
from footfall.control.controller import Controller
from footfall.control.fields import ControlError, array, states
from footfall.control.model import Model, model_of
from footfall.control.hold import corners as corners_of
from footfall.core.jit import kernel
from footfall.core.manifold import difference
from footfall.core.recursion.kinematics import jacobian, set_accels
from footfall.core.recursion.rnea import rnea
from footfall.core.spatial.vectors import (
    compose,
    cross,
    dot,
    get_motion,
    get_rotation,
    get_vector,
    plus,
    put_motion,
    put_vector,
    rotate,
    rotate_back,
    rotation_error,
    scaled,
    turn_about,
)
from footfall.model.quantity import count, quantity
from footfall.model.robot import Robot

POSTURE = 100.0, 20.0  # 1/s2, 1/s: joints that have nothing else to do keep their posture with these
AHEAD = 4  # steps that the plan of the DCM looks ahead
STAND, DOUBLE, SINGLE = 0, 1, 2
LEFT, RIGHT = 0, 1
X, Y, Z, YAW = 0, 1, 2, 3  # columns of the plan
UP = (0.0, 0.0, 1.0)
FROZEN = 0.08  # s before touch-down: the target of the swing foot does not change any more
TOES = 200.0, 5.0  # N m/rad, N m s/rad: servos of toes
TINY = 1e-9  # of a pivot
FASTEST = 2000.0  # rad/s2: no joint is accelerated more
DAMPED = 1e-5  # of the inversion of a leg's Jacobian, m2


class Prepared(NamedTuple):
    """The robot model of the law, and its working arrays."""

    model: Model
    base: Any  # body of the pelvis
    foot: Any  # (2,) int: bodies of the feet
    leg: Any  # (2, n) int: degrees of freedom of the legs, six or more
    arms: Any  # (n,) int: all other degrees of freedom but the pelvis'
    toes: Any  # (n, 2) int: of these, hinges beyond a foot: places in q and v
    posture: Any  # (nq,) at the start
    sole: Any  # (2, 3) from the foot's origin to its sole below the ankle
    low: Any  # (2, 2) of each sole, from there: back and right edge
    high: Any  # (2, 2) front and left edge
    plan: Any  # (n, 4) footsteps: x, y, z, yaw; the first two are where the feet are
    first: Any  # which foot the first row is of
    mass: Any  # kg
    gravity: Any  # m/s2
    height: Any  # m: of the pelvis above the ground
    a: Any  # (3, nv) accelerations: with the pelvis at rest, and with it accelerated along x and y
    tau: Any  # (3, nv) their joint forces
    zero: Any  # (nv,)
    urge: Any  # (nv,) accelerations toward the posture at the start
    rows: Any  # (2, nv, 6) Jacobians of the feet
    H: Any  # (6, 6)
    rhs: Any  # (6, 3)
    want: Any  # (3, 6) accelerations wanted: of both feet and the pelvis


@dataclass(frozen=True)
class Walker(Controller):
    """Walk along footsteps."""

    steps: int = count("number of steps", 20)
    length: float = quantity("m", "of a step", 0.417, low=-1.0, high=1.0)
    width: float = quantity("m", "from foot to foot", 0.20, low=0.05, high=1.0)
    turn: float = quantity("rad", "to the left, of every step", 0.0, low=-1.0, high=1.0)
    single_support: float = quantity("s", "of every step", 0.6, low=0.1, high=10.0)
    double_support: float = quantity("s", "between steps", 0.15, low=0.02, high=10.0)
    begin: float = quantity("s", "of standing before the first step", 0.8, low=0.1, high=100.0)
    lift: float = quantity("m", "of the swing foot", 0.05, low=0.0, high=1.0)
    height: float = quantity("m", "of the hips above the soles", 0.85, low=0.05, high=10.0)
    ahead: float = quantity("m", "of the ZMP from the ankle", 0.05, low=-0.5, high=0.5)
    gain: float = quantity("1/s", "at which errors of the DCM decay", 4.0, low=0.0, high=50.0)
    margin: float = quantity("m", "of the ZMP inside the soles", 0.009, low=0.0, high=0.1)
    adjust: float = quantity("1", "part of the step adjustment that is made", 1.0, low=0.0, high=1.0)
    swing_stiffness: float = quantity("1/s2", "of the swing foot", 900.0, low=0.0)
    swing_damping: float = quantity("1/s", "of the swing foot", 60.0, low=0.0)
    body_stiffness: float = quantity("1/s2", "of attitude and height of the pelvis", 400.0, low=0.0)
    body_damping: float = quantity("1/s", "of attitude and height of the pelvis", 40.0, low=0.0)
    stance_damping: float = quantity("1/s", "of feet that stand", 20.0, low=0.0)

    nearest: float = quantity("m", "that the feet may come to each other, sideways", 0.12, low=0.0)
    frozen: float = quantity("s", "before touch-down in which the target of the swing foot stays", 0.05, low=0.0)
    inner: float = quantity("m", "of the ZMP from where it is wanted, along the sole", 1.0, low=0.0)
    feeling: float = quantity("s", "time constant of the slope that is felt", 0.05, low=1e-3, high=10.0)
    strongest: float = quantity("N m", "torque that is asked of any motor", 200.0, low=0.0)

    class State:
        phase: int = states("stands", "double support", "single support")
        step: int = 0  # row of the plan of the foot that stands, or stood last
        since: float = 0.0  # s: when the phase began
        until: float = 0.0  # s: when it ends
        offset: Any = array(2)  # m: by how much the plan is shifted
        shift: Any = array(2)  # m: and the next footstep besides
        place: Any = array(2, 4)  # x, y, z, yaw: where each foot stands or stood last
        swing: Any = array(3, 4)  # place, rate and acceleration of the swing foot's reference
        ankle: Any = array(2, 2)  # ZMP of the feet: of the one that stood and of the one that stands
        zmp: Any = array(2)  # commanded
        xi: Any = array(2)
        xi_ref: Any = array(2)
        high: float = 0.0  # height of the ground under the pelvis
        high_rate: float = 0.0
        yaw: float = 0.0
        slope: Any = array(2)  # dz/dx and dz/dy of the ground under the foot that stands

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Prepared:
        if robot.space != "spatial":
            raise ControlError(f"Walker walks in space, robot {robot.name!r} is planar")
        legs = two_legs(robot)
        tree, nv = robot.tree, robot.nv
        base = legs.base
        free = set(range(tree.first_v[base], tree.first_v[base + 1])) | set(legs.leg.ravel().tolist())
        arms = [d for d in range(nv) if d not in free]
        corners = [sole_of(robot, foot.name) for foot in robot.feet]
        bottom = np.array([(0.0, 0.0, rows[:, 2].min()) for rows in corners])
        model = model_of(robot, gravity)
        return Prepared(
            model=model,
            base=base,
            foot=legs.foot,
            leg=legs.leg,
            arms=np.array(arms, np.int64),
            toes=legs.toes,
            posture=q.copy(),
            sole=bottom,
            low=np.array([rows.min(axis=0)[:2] for rows in corners]),
            high=np.array([rows.max(axis=0)[:2] for rows in corners]),
            plan=self.plan(robot, q, tuple(foot.name for foot in robot.feet), bottom),
            first=LEFT,
            mass=robot.mass,
            gravity=gravity,
            height=self.height,
            a=np.zeros((3, nv)),
            tau=np.zeros((3, nv)),
            zero=np.zeros(nv),
            urge=np.zeros(nv),
            rows=np.zeros((2, nv, 6)),
            H=np.zeros((6, 6)),
            rhs=np.zeros((6, 3)),
            want=np.zeros((3, 6)),
        )

    def plan(self, robot: Robot, q: np.ndarray, feet: tuple[str, ...], bottom: np.ndarray) -> np.ndarray:
        """Footsteps from where the feet are: rows x, y, z, yaw; left, right, left, ..."""
        rows = []
        for foot, at in zip(feet, bottom, strict=True):
            pose = kinematics.pose(robot, q, robot.foot(foot).pads[0].link, at=at)
            rows.append((*pose.position, np.arctan2(pose.rotation[1, 0], pose.rotation[0, 0])))
        place, yaw = (np.array(rows[0][:2]) + rows[1][:2]) / 2, rows[0][YAW]
        for k in range(self.steps):
            last = k == self.steps - 1
            yaw += self.turn if not last else 0.0
            ahead, left = np.array((np.cos(yaw), np.sin(yaw))), np.array((-np.sin(yaw), np.cos(yaw)))
            if not last:
                place = place + self.length * ahead
            side = 1.0 if k % 2 == 0 else -1.0
            rows.append((*(place + 0.5 * side * self.width * left), rows[0][Z], yaw))
        return np.array(rows)

    @kernel
    def law(obs, params, state, goal, command):
        """One tick."""
        look(obs, params)
        schedule(obs, params, state)
        want_motion(obs, params, state)
        resolve(obs, params)
        drive(obs, params, state, command)
        return 0


class Legs(NamedTuple):
    base: int
    foot: Any  # (2,) int
    leg: Any  # (2, n) int
    toes: Any  # (n, 2) int


def two_legs(robot: Robot) -> Legs:
    """The legs of a robot with two feet: chains from the pelvis to the bodies of the feet. What is beyond a foot are toes."""
    tree, names = robot.tree, [joint.name for joint in robot.layout.joints]
    kinds = [joint.kind for joint in robot.layout.joints]
    base = next((i for i in range(1, len(tree.parent)) if tree.parent[i] == 0 and kinds[i - 1] == "free"), 0)
    if not base or len(robot.feet) != 2:
        raise ControlError(f"Walker needs a free base and two feet, robot {robot.name!r} has {len(robot.feet)} feet")
    feet, legs, toes = [], [], []
    for foot in robot.feet:
        i = body = robot.target(foot.pads[0].link).body
        chain: list[int] = []
        while i not in (0, base):
            chain = [*range(tree.first_v[i], tree.first_v[i + 1]), *chain]
            i = int(tree.parent[i])
        if len(chain) < 6:
            raise ControlError(f"Walker needs legs of six degrees of freedom or more, that of {foot.name!r} of {robot.name!r} has {len(chain)}")
        feet.append(body)
        legs.append(chain)
    for i in range(1, len(tree.parent)):
        if int(tree.parent[i]) in feet:
            toes.append((tree.first_q[i], tree.first_v[i]))
    return Legs(base, np.array(feet, np.int64), np.array(legs, np.int64), np.array(toes, np.int64).reshape(-1, 2))


def sole_of(robot: Robot, foot: str) -> np.ndarray:
    """Corners of the sole of a foot in the axes of its body, toes straight."""
    points, zero = [], robot.configuration()
    link = robot.foot(foot).pads[0].link
    here = kinematics.pose(robot, zero, link)
    for pad in robot.foot(foot).pads:
        points += [here.rotation.T @ (kinematics.pose(robot, zero, pad.link, at=at).position - here.position) for at in corners_of(pad)]
    rows = np.array(points)
    return rows[rows[:, 2] < rows[:, 2].min() + 1e-3]


# --- what is measured --------------------------------------------------------------------------------------------------------


@kernel
def look(obs, params):
    """Poses and velocities of all bodies; accelerations with all joints at constant speed (work.A_WB, with gravity)."""
    set_accels(params.model.tree, params.model.work, obs.q, obs.v, params.zero)


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
def yaw_of(R):
    return np.arctan2(R[3], R[0])


@kernel
def near(angle, to):
    """The angle plus whole turns that is nearest to another."""
    return angle + 2.0 * np.pi * np.floor((to - angle) / (2.0 * np.pi) + 0.5)


@kernel
def touches(obs, side):
    """Whether a foot touches: any of its contacts."""
    n = len(obs.mode) // 2
    for k in range(side * n, (side + 1) * n):
        if obs.mode[k]:
            return True
    return False


# --- phases ------------------------------------------------------------------------------------------------------------------


@kernel
def side_of(step):
    """Which foot row `step` of the plan is of."""
    return step % 2


@kernel
def set_place(params, state, side):
    """A foot stands where it is."""
    p = sole_place(params, side)
    state.place[side, X], state.place[side, Y], state.place[side, Z] = p
    yaw = yaw_of(get_rotation(params.model.work.R_WB, params.foot[side]))
    state.place[side, YAW] = near(yaw, state.place[side, YAW])


@kernel
def zmp_of(params, place):
    """Where the ZMP of a foot at a place shall be."""
    return place[X] + params.ahead * np.cos(place[YAW]), place[Y] + params.ahead * np.sin(place[YAW])


@kernel
def footstep(params, state, step):
    """A row of the plan, shifted; beyond the plan its last rows, in turn."""
    n = len(params.plan)
    if step >= n:
        step = n - 2 + (step - n) % 2
    row = params.plan[step]
    return row[X] + state.offset[0], row[Y] + state.offset[1], row[Z], row[YAW]


@kernel
def schedule(obs, params, state):
    """From phase to phase."""
    now = obs.time
    follow_feet(obs, params, state)
    feel_slope(obs, params, state)
    if state.phase == STAND and state.until == 0.0:
        for side in range(2):
            state.place[side, YAW] = params.plan[side, YAW]
            set_place(params, state, side)
        state.until, state.step = now + params.begin, 1
        state.yaw, state.high = params.plan[0, YAW], params.plan[0, Z]
        first, second = zmp_of(params, state.place[0]), zmp_of(params, state.place[1])
        state.ankle[0, 0], state.ankle[0, 1] = 0.5 * (first[0] + second[0]), 0.5 * (first[1] + second[1])
        state.ankle[1, 0], state.ankle[1, 1] = second
        state.phase = DOUBLE if len(params.plan) > 2 else STAND
        state.since = now
    elif state.phase == DOUBLE and now >= state.until - 1e-9:
        if state.step >= len(params.plan) - 1:
            state.phase = STAND
        else:
            state.phase, state.since, state.until = SINGLE, now, now + params.single_support
            begin_swing(params, state)
    elif state.phase == SINGLE:
        swing = 1 - side_of(state.step)
        part = (now - state.since) / params.single_support
        if (part > 0.6 and touches(obs, swing)) or now > state.until + 0.3:
            land(params, state, now)


@kernel
def follow_feet(obs, params, state):
    """Feet that stand are where they are, even if they have slid; and so is the ZMP that is wanted of them."""
    if state.until == 0.0:
        return
    for side in range(2):
        swings = state.phase == SINGLE and side != side_of(state.step)
        if not swings and touches(obs, side):
            x, y = state.place[side, X], state.place[side, Y]
            set_place(params, state, side)
            if side == side_of(state.step) and state.step < len(params.plan) - 1:
                dx, dy = state.place[side, X] - x, state.place[side, Y] - y
                state.offset[0], state.offset[1] = state.offset[0] + dx, state.offset[1] + dy
                if state.phase == SINGLE:
                    state.ankle[1, 0], state.ankle[1, 1] = zmp_of(params, state.place[side])


@kernel
def feel_slope(obs, params, state):
    """The slope of the ground is that of a foot that stands on three corners or more, through a low-pass."""
    side, n = side_of(state.step), len(obs.mode) // 2
    count = 0
    for k in range(side * n, (side + 1) * n):
        count += 1 if obs.mode[k] else 0
    if count >= 3 and (state.phase != DOUBLE or state.until - obs.time < 0.3 * params.double_support):
        R = get_rotation(params.model.work.R_WB, params.foot[side])
        k = min(1.0 / (params.rate * params.feeling), 1.0)
        state.slope[0] += k * (clip(-R[2] / R[8], -0.4, 0.4) - state.slope[0])
        state.slope[1] += k * (clip(-R[5] / R[8], -0.4, 0.4) - state.slope[1])


@kernel
def on_slope(state, yaw):
    """Axes of a foot that stands on the slope, its toe toward the yaw."""
    k = 1.0 / np.sqrt(1.0 + state.slope[0] ** 2 + state.slope[1] ** 2)
    n = -k * state.slope[0], -k * state.slope[1], k
    c, s = np.cos(yaw), np.sin(yaw)
    x = c, s, c * state.slope[0] + s * state.slope[1]
    x = scaled(x, 1.0 / np.sqrt(dot(x, x)))
    y = cross(n, x)
    return x[0], y[0], n[0], x[1], y[1], n[1], x[2], y[2], n[2]


@kernel
def begin_swing(params, state):
    swing = 1 - side_of(state.step)
    set_place(params, state, swing)
    for k in range(4):
        state.swing[0, k], state.swing[1, k], state.swing[2, k] = state.place[swing, k], 0.0, 0.0
    state.shift[0], state.shift[1] = 0.0, 0.0
    set_place(params, state, 1 - swing)


@kernel
def land(params, state, now):
    """The swing foot has landed: it will carry, after double support."""
    swing = 1 - side_of(state.step)
    state.place[swing, YAW] = state.swing[0, YAW]
    set_place(params, state, swing)
    step = footstep(params, state, state.step + 1)
    state.offset[0] += state.place[swing, X] - step[X]
    state.offset[1] += state.place[swing, Y] - step[Y]
    state.ankle[0, 0], state.ankle[0, 1] = state.ankle[1, 0], state.ankle[1, 1]
    ahead = zmp_of(params, state.place[swing])
    state.step += 1
    last = state.step >= len(params.plan) - 1
    if last:
        other = zmp_of(params, state.place[1 - swing])
        ahead = 0.5 * (ahead[0] + other[0]), 0.5 * (ahead[1] + other[1])
    state.ankle[1, 0], state.ankle[1, 1] = ahead
    state.phase, state.since = DOUBLE, max(now, state.until)  # a foot that lands early waits for its load
    state.until = state.since + (params.begin if last else params.double_support)


# --- the divergent component of motion -----------------------------------------------------------------------------------------


@kernel
def ramp(w, T):
    """For a ZMP that goes from a to b in the time T: xi at the beginning is e^{-wT} xi_end + (1 - e^{-wT} - B) a + B b."""
    e = np.exp(-w * T)
    return e, (1.0 / w - (T + 1.0 / w) * e) / T


@kernel
def end_of_single(params, state, w, axis):
    """The DCM wanted at the end of single support on row `state.step` of the plan, from the steps after it."""
    e, B = ramp(w, params.double_support)
    es = np.exp(-w * params.single_support)
    last = state.step + AHEAD
    xi = zmp_of(params, footstep(params, state, last))[axis]
    for k in range(last - 1, state.step, -1):
        p, p_next = zmp_of(params, footstep(params, state, k))[axis], zmp_of(params, footstep(params, state, k + 1))[axis]
        xi = e * xi + (1.0 - e - B) * p + B * p_next  # start of double support: end of single support on k
        xi = p + es * (xi - p)  # start of single support on k
    p, p_next = state.ankle[1, axis], zmp_of(params, footstep(params, state, state.step + 1))[axis]
    return e * xi + (1.0 - e - B) * p + B * p_next


@kernel
def reference(params, state, w, now, axis):
    """DCM and ZMP of the plan at this moment."""
    a, b = state.ankle[0, axis], state.ankle[1, axis]
    if state.phase == STAND:
        return b, b
    if state.phase == SINGLE:
        left = max(state.until - now, 0.0)
        return b + np.exp(-w * left) * (end_of_single(params, state, w, axis) - b), b
    T, left = state.until - state.since, max(state.until - now, 0.0)
    if state.step >= len(params.plan) - 1:
        xi = b
    else:
        xi = b + np.exp(-w * params.single_support) * (end_of_single(params, state, w, axis) - b)
    early, left = max(left - T, 0.0), min(left, T)
    slope, p = (b - a) / T, b - (b - a) * left / T
    e = np.exp(-w * left)
    xi = e * xi + (1.0 - e) * p + slope * (1.0 / w - (left + 1.0 / w) * e)
    return p + np.exp(-w * early) * (xi - p), p


@kernel
def clip(x, low, high):
    return min(max(x, low), high)


@kernel
def within_sole(params, side, place, p):
    """The point of a sole at a place that is nearest to p, a margin inside."""
    c, s = np.cos(place[YAW]), np.sin(place[YAW])
    x, y = p[0] - place[X], p[1] - place[Y]
    back, front = max(params.low[side, 0] + params.margin, params.ahead - params.inner), min(params.high[side, 0] - params.margin, params.ahead + params.inner)
    ahead = clip(c * x + s * y, back, front)
    left = clip(c * y - s * x, params.low[side, 1] + params.margin, params.high[side, 1] - params.margin)
    return place[X] + c * ahead - s * left, place[Y] + s * ahead + c * left


@kernel
def load_share(params, state, p):
    """The part of the load on the left foot for a ZMP at p: 1 or 0 in single support."""
    if state.phase == SINGLE:
        return 1.0 if side_of(state.step) == LEFT else 0.0
    a, b = zmp_of(params, state.place[RIGHT]), zmp_of(params, state.place[LEFT])
    dx, dy = b[0] - a[0], b[1] - a[1]
    return clip(((p[0] - a[0]) * dx + (p[1] - a[1]) * dy) / max(dx * dx + dy * dy, 1e-9), 0.0, 1.0)


@kernel
def within_support(params, state, p):
    """The point of support that is nearest to p, nearly: what is beyond the line between the feet must be within both soles."""
    share = load_share(params, state, p)
    a, b = zmp_of(params, state.place[RIGHT]), zmp_of(params, state.place[LEFT])
    mx, my = a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])
    off = p[0] - mx, p[1] - my
    first = within_sole(params, RIGHT, state.place[RIGHT], (a[0] + off[0], a[1] + off[1]))
    second = within_sole(params, LEFT, state.place[LEFT], (b[0] + off[0], b[1] + off[1]))
    return (
        (1.0 - share) * first[0] + share * second[0],
        (1.0 - share) * first[1] + share * second[1],
    )


@kernel
def follow_dcm(obs, params, state, c, u):
    """Set the ZMP that is commanded. Returns the acceleration of the centre of mass, level."""
    w2 = params.gravity / max(c[2] - state.high, 0.1)
    w = np.sqrt(w2)
    wanted = (0.0, 0.0)
    for axis in range(2):
        xi, p = reference(params, state, w, obs.time, axis)
        state.xi[axis], state.xi_ref[axis] = c[axis] + u[axis] / w, xi
        wanted = (p + (1.0 + params.gain / w) * (state.xi[axis] - xi), wanted[0])
    wanted = wanted[1], wanted[0]
    p = within_support(params, state, wanted)
    state.zmp[0], state.zmp[1] = p
    if state.phase == SINGLE and state.until - obs.time > params.frozen:
        adjust_step(obs, params, state, w, wanted, p)
    return w2 * (c[0] - p[0]), w2 * (c[1] - p[1])


@kernel
def adjust_step(obs, params, state, w, wanted, p):
    """If the ankle cannot hold the DCM, put the next foot where the plan can go on from."""
    left, T = state.until - obs.time, params.double_support
    e, B = ramp(w, T)
    grows, whole = np.exp(w * left), e + B
    place = state.place[side_of(state.step)]
    c, s = np.cos(place[YAW]), np.sin(place[YAW])
    miss_x = p[0] + grows * (state.xi[0] - p[0]) - end_of_single(params, state, w, 0)
    miss_y = p[1] + grows * (state.xi[1] - p[1]) - end_of_single(params, state, w, 1)
    over_x, over_y = wanted[0] - p[0], wanted[1] - p[1]
    ahead = (c * miss_x + s * miss_y) / whole if abs(c * over_x + s * over_y) > 1e-9 else 0.0
    aside = (c * miss_y - s * miss_x) / whole if abs(c * over_y - s * over_x) > 1e-9 else 0.0
    step = footstep(params, state, state.step + 1)
    sign = 1.0 if side_of(state.step) == RIGHT else -1.0  # to the side of the foot that swings
    gap = sign * (c * (step[Y] - place[Y]) - s * (step[X] - place[X]))
    ahead, aside = params.adjust * clip(ahead, -0.25, 0.25), params.adjust * sign * clip(sign * aside, min(params.nearest - gap, 0.0), 0.25)
    state.shift[0], state.shift[1] = c * ahead - s * aside, s * ahead + c * aside


# --- accelerations wanted ------------------------------------------------------------------------------------------------------


@kernel
def quintic_on(x, v, a, goal, left, h):
    """Go on by h along the curve of least jerk that reaches the goal at rest in the time left."""
    if left <= h:
        return goal, 0.0, 0.0
    d = goal - x
    j = 60.0 * d / left**3 - 36.0 * v / left**2 - 9.0 * a / left
    s = -360.0 * d / left**4 + 192.0 * v / left**3 + 36.0 * a / left**2
    r = 720.0 * d / left**5 - 360.0 * v / left**4 - 60.0 * a / left**3
    x1 = x + h * (v + h / 2.0 * (a + h / 3.0 * (j + h / 4.0 * (s + h / 5.0 * r))))
    v1 = v + h * (a + h / 2.0 * (j + h / 3.0 * (s + h / 4.0 * r)))
    a1 = a + h * (j + h / 2.0 * (s + h / 3.0 * r))
    return x1, v1, a1


@kernel
def hump(t, T):
    """From 0 to 1 and back in the time T, at rest at both ends: value, rate and acceleration."""
    if t <= 0.0 or t >= T:
        return 0.0, 0.0, 0.0
    s = t / T
    b = s * (1.0 - s)
    d = 1.0 - 2.0 * s
    return 64.0 * b**3, 192.0 * b * b * d / T, (384.0 * b * d * d - 384.0 * b * b) / T**2


@kernel
def move_swing(obs, params, state):
    """Move the reference of the swing foot on."""
    h, left = 1.0 / params.rate, state.until - obs.time
    step = footstep(params, state, state.step + 1)
    here, rise = state.place[side_of(state.step)], step[Z] - footstep(params, state, state.step)[Z]
    x, y = step[X] + state.shift[0], step[Y] + state.shift[1]
    z = here[Z] + rise + state.slope[0] * (x - here[X]) + state.slope[1] * (y - here[Y])
    goal = x, y, z, step[YAW]
    for k in range(4):
        state.swing[0, k], state.swing[1, k], state.swing[2, k] = quintic_on(
            state.swing[0, k], state.swing[1, k], state.swing[2, k], goal[k], left, h
        )


@kernel
def want_foot(obs, params, state, side):
    """Acceleration wanted of a foot, of the point of its sole below the ankle: (linear, angular)."""
    work = params.model.work
    V = get_motion(work.V_WB, params.foot[side])
    w, r = (V[3], V[4], V[5]), sole_arm(params, side)
    u = plus((V[0], V[1], V[2]), cross(w, r))
    if not (state.phase == SINGLE and side != side_of(state.step)):
        k = -params.stance_damping
        return k * u[0], k * u[1], k * u[2], k * w[0], k * w[1], k * w[2]
    up, up_rate, up_accel = hump(obs.time - state.since, params.single_support)
    late = max(obs.time - state.until, 0.0)
    p = sole_place(params, side)
    s = state.swing
    k, d = params.swing_stiffness, params.swing_damping
    ax = s[2, X] + k * (s[0, X] - p[0]) + d * (s[1, X] - u[0])
    ay = s[2, Y] + k * (s[0, Y] - p[1]) + d * (s[1, Y] - u[1])
    z, z_rate = s[0, Z] + params.lift * up - 0.2 * late, s[1, Z] + params.lift * up_rate - (0.2 if late > 0.0 else 0.0)
    az = s[2, Z] + params.lift * up_accel + k * (z - p[2]) + d * (z_rate - u[2])
    e = rotation_error(on_slope(state, s[0, YAW]), get_rotation(work.R_WB, params.foot[side]))
    return (
        ax,
        ay,
        az,
        k * e[0] - d * w[0],
        k * e[1] - d * w[1],
        k * e[2] + d * (s[1, YAW] - w[2]) + s[2, YAW],
    )


@kernel
def want_motion(obs, params, state):
    """Accelerations wanted of the feet (their soles) and of the pelvis; those of the pelvis along x and y are found later."""
    if state.phase == SINGLE:
        move_swing(obs, params, state)
    work = params.model.work
    for side in range(2):
        put_motion(params.want, side, want_foot(obs, params, state, side))
    h = 1.0 / params.rate
    rear, front = state.place[0], state.place[1]
    level, yaw = 0.5 * (rear[Z] + front[Z]), 0.5 * (rear[YAW] + front[YAW])
    if state.phase == SINGLE:
        swing = 1 - side_of(state.step)
        level = 0.5 * (state.place[1 - swing, Z] + state.swing[0, Z])
        yaw = 0.5 * (state.place[1 - swing, YAW] + state.swing[0, YAW])
    state.high += clip(level - state.high, -0.3 * h, 0.3 * h)
    state.yaw += clip(yaw - state.yaw, -1.0 * h, 1.0 * h)
    V, p = get_motion(work.V_WB, params.base), get_vector(work.p_WB, params.base)
    k, d = params.body_stiffness, params.body_damping
    e = rotation_error(turn_about(UP, state.yaw), get_rotation(work.R_WB, params.base))
    put_motion(
        params.want,
        2,
        (0.0, 0.0, 0.25 * k * (state.high + params.height - p[2]) - 0.5 * d * V[2], k * e[0] - d * V[3], k * e[1] - d * V[4], k * e[2] - d * V[5]),
    )


# --- accelerations of the joints -----------------------------------------------------------------------------------------------


@kernel
def resolve(obs, params):
    """Accelerations of all joints for those wanted: params.a[0]; and with the pelvis accelerated along x, y by 1 m/s2 besides."""
    tree, work, a = params.model.tree, params.model.work, params.a
    first = tree.first_v[params.base]
    R = get_rotation(work.R_WB, params.base)
    W = get_motion(params.want, 2)
    w = rotate_back(R, (W[3], W[4], W[5]))  # rates of a free joint count in the body's axes
    difference(tree, obs.q, params.posture, params.urge)
    for d in range(len(a[0])):
        a[0, d], a[1, d], a[2, d] = 0.0, 0.0, 0.0
        params.urge[d] = POSTURE[0] * params.urge[d] - POSTURE[1] * obs.v[d]
    for j in range(3):
        a[j, first], a[j, first + 1], a[j, first + 2] = W[0], W[1], W[2]
        a[j, first + 3], a[j, first + 4], a[j, first + 5] = w
        for d in params.arms:
            a[j, d] = params.urge[d]
    a[1, first] += 1.0
    a[2, first + 1] += 1.0
    for side in range(2):
        resolve_leg(params, side, first)


@kernel
def resolve_leg(params, side, first):
    """Accelerations of the joints of a leg, by its Jacobian: damped least squares."""
    tree, work, a, J = params.model.tree, params.model.work, params.a, params.rows[side]
    i, r = params.foot[side], sole_arm(params, side)
    jacobian(tree, work, i, r, J)
    A, V = get_motion(work.A_WB, i), get_motion(work.V_WB, i)
    w = V[3], V[4], V[5]
    bias = plus(plus((A[0], A[1], A[2] - params.gravity), cross((A[3], A[4], A[5]), r)), cross(w, cross(w, r)))
    want = get_motion(params.want, side)
    left = (want[0] - bias[0], want[1] - bias[1], want[2] - bias[2], want[3] - A[3], want[4] - A[4], want[5] - A[5])
    H, rhs, leg = params.H, params.rhs, params.leg[side]
    for k in range(6):
        for m in range(6):
            x = DAMPED if k == m else 0.0
            for d in leg:
                x += J[d, k] * J[d, m]
            H[k, m] = x
        for j in range(3):
            e = left[k]
            for d in range(first, first + 6):
                e -= J[d, k] * a[j, d]
            for d in leg:
                e -= J[d, k] * params.urge[d]
            rhs[k, j] = e
    cholesky_solve(H, rhs)
    for j in range(3):
        for d in leg:
            x = params.urge[d]
            for k in range(6):
                x += J[d, k] * rhs[k, j]
            a[j, d] = clip(x, -FASTEST, FASTEST)


@kernel
def cholesky_solve(H, rhs):
    """Solve H x = rhs in place, H symmetric and positive."""
    n = len(H)
    for j in range(n):
        for k in range(j):
            H[j, j] -= H[j, k] * H[j, k]
        H[j, j] = np.sqrt(max(H[j, j], TINY))
        for i in range(j + 1, n):
            for k in range(j):
                H[i, j] -= H[i, k] * H[j, k]
            H[i, j] /= H[j, j]
    for c in range(rhs.shape[1]):
        for i in range(n):
            for k in range(i):
                rhs[i, c] -= H[i, k] * rhs[k, c]
            rhs[i, c] /= H[i, i]
        for i in range(n - 1, -1, -1):
            for k in range(i + 1, n):
                rhs[i, c] -= H[k, i] * rhs[k, c]
            rhs[i, c] /= H[i, i]


# --- torques -------------------------------------------------------------------------------------------------------------------


@kernel
def ground_wrench(params, j):
    """Force of the ground, and its moment about the world's origin, for accelerations j; forces of a free joint count in the
    axes of x y z and of the body.
    """
    work, first, tau = params.model.work, params.model.tree.first_v[params.base], params.tau[j]
    F = tau[first], tau[first + 1], tau[first + 2]
    M = rotate(get_rotation(work.R_WB, params.base), (tau[first + 3], tau[first + 4], tau[first + 5]))
    return F, plus(M, cross(get_vector(work.p_WB, params.base), F))


@kernel
def drive(obs, params, state, command):
    """Torques for the centre of mass to accelerate as the pendulum does, with the ZMP within the soles."""
    tree, work, tau, a = params.model.tree, params.model.work, params.tau, params.a
    c, u = center(params)
    ax, ay = follow_dcm(obs, params, state, c, u)
    for j in range(3):
        rnea(tree, work, obs.q, obs.v, a[j], tau[j])
    F0, M0 = ground_wrench(params, 0)
    F1, M1 = ground_wrench(params, 1)
    F2, M2 = ground_wrench(params, 2)
    m = params.mass
    sx, sy = solve2(F1[0] - F0[0], F2[0] - F0[0], F1[1] - F0[1], F2[1] - F0[1], m * ax - F0[0], m * ay - F0[1])
    for _ in range(2):
        F = plus(F0, plus(scaled(plus(F1, scaled(F0, -1.0)), sx), scaled(plus(F2, scaled(F0, -1.0)), sy)))
        M = plus(M0, plus(scaled(plus(M1, scaled(M0, -1.0)), sx), scaled(plus(M2, scaled(M0, -1.0)), sy)))
        fz = max(F[2], 0.1 * m * params.gravity)
        z = state.high
        px, py = -(M[1] - z * F[0]) / fz, (M[0] + z * F[1]) / fz
        p = within_support(params, state, (px, py))
        # d p / d s: dp_x = -(dM_y - z dF_x) / fz, dp_y = (dM_x + z dF_y) / fz, the change of fz left out
        xx, xy = -((M1[1] - M0[1]) - z * (F1[0] - F0[0])) / fz, -((M2[1] - M0[1]) - z * (F2[0] - F0[0])) / fz
        yx, yy = ((M1[0] - M0[0]) + z * (F1[1] - F0[1])) / fz, ((M2[0] - M0[0]) + z * (F2[1] - F0[1])) / fz
        dx, dy = solve2(xx, xy, yx, yy, p[0] - px, p[1] - py)
        sx, sy = sx + dx, sy + dy
    share = load_share(params, state, p)
    for d in range(len(command.tau)):
        command.tau[d] = tau[0, d] + sx * (tau[1, d] - tau[0, d]) + sy * (tau[2, d] - tau[0, d])
    F = plus(F0, plus(scaled(plus(F1, scaled(F0, -1.0)), sx), scaled(plus(F2, scaled(F0, -1.0)), sy)))
    M = plus(M0, plus(scaled(plus(M1, scaled(M0, -1.0)), sx), scaled(plus(M2, scaled(M0, -1.0)), sy)))
    carry(params, state, command, share, F, M)
    for d in range(len(command.tau)):
        command.tau[d] = clip(command.tau[d], -params.strongest, params.strongest)
    for k in range(len(params.toes)):
        i, d = params.toes[k, 0], params.toes[k, 1]
        command.stiffness[d], command.target[d], command.damping[d] = TOES[0], params.posture[i], TOES[1]


@kernel
def carry(params, state, command, share, F, M):
    """Take the torques of the ground's forces from the legs' joints: each foot has its share of the force and of the moment
    about the point between the feet's ZMPs.
    """
    a, b = zmp_of(params, state.place[RIGHT]), zmp_of(params, state.place[LEFT])
    middle = a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]), state.high
    N = plus(M, scaled(cross(middle, F), -1.0))
    for side in range(2):
        part = share if side == LEFT else 1.0 - share
        if part > 0.0:
            at = b if side == LEFT else a
            f = scaled(F, part)
            p = sole_place(params, side)
            arm = at[0] - p[0], at[1] - p[1], state.place[side, Z] - p[2]
            moment = plus(scaled(N, part), cross(arm, f))
            J = params.rows[side]
            for d in params.leg[side]:
                x = 0.0
                for k in range(3):
                    x += J[d, k] * f[k] + J[d, 3 + k] * moment[k]
                command.tau[d] -= x


@kernel
def solve2(a, b, c, d, x, y):
    det = a * d - b * c
    if abs(det) < TINY:
        return 0.0, 0.0
    return (d * x - b * y) / det, (a * y - c * x) / det
