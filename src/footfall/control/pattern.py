"""Walks along a planned pattern: joints follow it, with the torques that it needs, and the ankles keep the balance.

This is the paper's final scheme (Johnnie, section 5) in its simplest form. The pattern is planned before the walk. At every joint
a servo holds the planned angle and velocity, and the torque of inverse dynamics is added, with the ground's forces under the feet
as they were planned. The divergent component of motion (DCM), seen from the standing foot, is compared with the planned one, and
the ankles move the ZMP by (1 + k / w) times the difference, within the sole (5.13, 5.14). No step is adjusted, but for its
direction: soles that stand on an edge turn a little on the ground. A swing foot is turned against a part of the error of the
heading, and when it stands alone, its hip brings the pelvis in line with it.
"""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from footfall.control.controller import Controller
from footfall.control.fields import ControlError, array
from footfall.control.model import Model, model_of
from footfall.control.walking.legs import center, clip, driven_legs, near, yaw_of
from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import set_speeds
from footfall.core.spatial.vectors import get_rotation, get_vector, plus, rotate
from footfall.model.quantity import count, flag, quantity
from footfall.model.robot import Robot
from footfall.motion.dcm import dcm_of
from footfall.motion.feasibility import ground_forces, joint_torques
from footfall.motion.footsteps import FootstepPlan, Swing, Timing
from footfall.motion.huang import HuangFoot
from footfall.motion.huang_walk import huang_pattern
from footfall.motion.pattern import PatternData, WalkingPattern, interpolate, row_at, sample, walking_pattern

X, Y, YAW = 0, 1, 5  # columns of feet
STEER = 0.1  # s: time constant at which hips turn against an error of the heading
MOST_TURN = 0.2  # rad: of a foot, against it


class Followed(NamedTuple):
    """A pattern and the robot model, as the law reads them."""

    model: Model
    mass: Any  # kg
    gravity: Any  # m/s2
    data: PatternData
    feed: Any  # (n, nv) torques of inverse dynamics
    places: Any  # (n, 6) x, y, yaw of the left and the right foot
    joint: Any  # (m, 2) int: places of the driven hinges in q and v
    servo: Any  # (m, 2) their stiffness and damping
    facing: Any  # (n, 1) yaw of the pelvis
    hip: Any  # (2,) int: degrees of freedom of hip yaw
    base: Any  # body of the pelvis
    ankle: Any  # (2, 2) int: degrees of freedom of ankle pitch and roll
    foot: Any  # (2,) int: bodies
    sole: Any  # (2, 3) from the foot's origin to its sole below the ankle
    low: Any  # (2,) m: back and right edge of a sole
    high: Any  # (2,) m: front and left edge
    q: Any  # (nq,) working arrays
    v: Any  # (nv,)
    a: Any  # (nv,)
    step: Any  # (nv,)


@dataclass(frozen=True)
class PatternWalk(Controller):
    """What walks along patterns share: steps, times and gains."""

    steps: int = count("number of steps before the one that closes the feet", 12, low=3, high=100)
    length: float = quantity("m", "of a step", 0.5, low=-1.0, high=1.0)
    turn: float = quantity("rad", "of a step; positive to the left", 0.0, low=-0.5, high=0.5)
    width: float = quantity("m", "from foot to foot", 0.20, low=0.05, high=1.0)
    single_support: float = quantity("s", "of every step", 0.72, low=0.1, high=3.0)
    double_support: float = quantity("s", "between steps", 0.18, low=0.02, high=3.0)
    begin: float = quantity("s", "of standing before the first step", 1.5, low=0.1, high=20.0)
    height: float | None = quantity("m", "of the hips above the soles; bent legs if left out", None, low=0.05, high=10.0)
    gain: float = quantity("1/s", "at which errors of the DCM decay", 4.0, low=0.0, high=50.0)
    margin: float = quantity("m", "of the ZMP inside the soles", 0.009, low=0.0, high=0.1)
    heading: float = quantity("1", "part of an error of the heading that each step makes up for", 1.0, low=0.0, high=1.0)
    leg_stiffness: float = quantity("N m/rad", "of hips and knees", 2000.0, low=0.0)
    leg_damping: float = quantity("N m s/rad", "of hips and knees", 40.0, low=0.0)
    ankle_stiffness: float = quantity("N m/rad", "of the ankles", 200.0, low=0.0)
    ankle_damping: float = quantity("N m s/rad", "of the ankles", 6.0, low=0.0)
    body_stiffness: float = quantity("N m/rad", "of all other joints", 300.0, low=0.0)
    body_damping: float = quantity("N m s/rad", "of all other joints", 20.0, low=0.0)

    class State:
        error: Any = array(2)  # m: of the DCM seen from the foot that carries more
        shift: Any = array(2)  # m: of the ZMP, commanded
        turned: Any = array(2)  # rad: of each hip, against an error of the heading

    def plan(self) -> FootstepPlan:
        """Straight on, or in a curve."""
        timing = Timing(self.single_support, self.double_support, max(self.begin, self.double_support), 1.5 + self.double_support)
        if not self.turn:
            return FootstepPlan.straight(self.steps, self.length, self.width, timing=timing)
        if not self.length:
            return FootstepPlan.turn(self.steps, self.turn, self.width, timing=timing)
        return FootstepPlan.curve(self.steps, self.length, self.length / self.turn, self.width, timing=timing)

    def pattern(self, robot: Robot) -> WalkingPattern:
        """The motion that is followed."""
        raise ControlError(f"{type(self).__name__} does not say what its pattern is")

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Followed:
        if not gravity > 0.0:
            raise ControlError(f"{type(self).__name__} needs gravity above 0, got {gravity:g} m/s2")
        driven_legs(robot)
        robot = robot if robot.gravity == gravity else replace(robot, gravity=gravity)  # patterns are planned with the robot's
        pattern = self.pattern(robot)
        legs, joints = pattern.legs, robot.layout.joints
        if legs.data.balls:
            raise ControlError(f"{type(self).__name__}: robot {robot.name!r} must have legs of hinges, it has spherical hips")
        corners = legs.corners[0]
        low, high = corners[:, :2].min(axis=0), corners[:, :2].max(axis=0)
        if self.margin >= 0.5 * float((high - low).min()):
            raise ControlError(
                f"{type(self).__name__}: margin must be below half the width of the soles of robot {robot.name!r}, "
                f"{0.5 * float((high - low).min()):g} m, got {self.margin:g}"
            )
        driven = [i for i, joint in enumerate(joints, start=1) if joint.motor]
        return Followed(
            model=model_of(robot, gravity),
            mass=robot.mass,
            gravity=gravity,
            data=pattern.data,
            feed=joint_torques(pattern, ground_forces(pattern)[0]),
            places=np.ascontiguousarray(pattern.feet[0][:, :, [X, Y, YAW]].reshape(len(pattern.q), 6)),
            joint=np.array([(robot.tree.first_q[i], robot.tree.first_v[i]) for i in driven], np.int64),
            servo=np.array([self._servo(joints[i - 1].name) for i in driven]),
            facing=_facing(pattern),
            hip=legs.data.v[:, 0].astype(np.int64),
            base=robot.target(legs.pelvis).body,
            ankle=legs.data.v[:, 4:].astype(np.int64),
            foot=np.array([robot.target(link).body for link in legs.feet], np.int64),
            sole=np.array([(0.0, 0.0, -legs.data.ankle)] * 2),
            low=low,
            high=high,
            q=np.zeros(robot.nq),
            v=np.zeros(robot.nv),
            a=np.zeros(robot.nv),
            step=np.zeros(robot.nv),
        )

    def _servo(self, joint: str) -> tuple[float, float]:
        if joint.startswith("ankle"):
            return self.ankle_stiffness, self.ankle_damping
        if joint.startswith(("hip", "knee")):
            return self.leg_stiffness, self.leg_damping
        return self.body_stiffness, self.body_damping

    @kernel
    def law(obs, params, state, goal, command):
        """One tick."""
        tree, work, data = params.model.tree, params.model.work, params.data
        where = row_at(data, obs.time)
        interpolate(tree, data, obs.time, params.step, params.q, params.v, params.a)
        for k in range(len(params.joint)):
            i, d = params.joint[k, 0], params.joint[k, 1]
            command.stiffness[d], command.damping[d], command.target[d] = params.servo[k, 0], params.servo[k, 1], params.q[i]
            command.tau[d] = sample(params.feed, where, d) + params.servo[k, 1] * params.v[d]
        set_speeds(tree, work, obs.q, obs.v)
        c, u = center(params)
        steer(params, state, command, where)
        for side in range(2):
            load = sample(data.load, where, side)
            if load > 0.0:
                balance(params, state, command, (where, side, load), c, u)
        return 0


def _facing(pattern: WalkingPattern) -> np.ndarray:
    """(n, 1) yaw of an upright pelvis, without jumps."""
    return np.unwrap(2.0 * np.arctan2(pattern.q[:, 6], pattern.q[:, 3]))[:, None]


@kernel
def steer(params, state, command, where):
    """Turn the hip of a swing foot against the error of the heading, and that of a foot that stands alone back."""
    planned, rest = sample(params.facing, where, 0), min(1.0 / (params.rate * STEER), 1.0)
    off = near(yaw_of(get_rotation(params.model.work.R_WB, params.base)), planned) - planned
    for side in range(2):
        load = sample(params.data.load, where, side)
        if load <= 0.0:
            state.turned[side] -= rest * (state.turned[side] + clip(params.heading * off, -MOST_TURN, MOST_TURN))
        elif load >= 1.0:
            state.turned[side] -= rest * state.turned[side]
        command.target[params.hip[side]] += state.turned[side]


@kernel
def balance(params, state, command, foot, c, u):
    """Ankle torques of one foot that bring the DCM back, seen from that foot."""
    (where, side, load), work, data = foot, params.model.work, params.data
    R = get_rotation(work.R_WB, params.foot[side])
    p = plus(get_vector(work.p_WB, params.foot[side]), rotate(R, get_vector(params.sole, side)))
    w = np.sqrt(params.gravity / max(c[2] - p[2], 0.1))
    cy, sy = np.cos(yaw_of(R)), np.sin(yaw_of(R))
    yaw = sample(params.places, where, 3 * side + 2)
    cr, sr = np.cos(yaw), np.sin(yaw)
    x, y = dcm_of(c[0], u[0], w) - p[0], dcm_of(c[1], u[1], w) - p[1]
    foot_x, foot_y = sample(params.places, where, 3 * side), sample(params.places, where, 3 * side + 1)
    x_ref = dcm_of(sample(data.com, where, 0), sample(data.com, where, 3), w) - foot_x
    y_ref = dcm_of(sample(data.com, where, 1), sample(data.com, where, 4), w) - foot_y
    ahead = cy * x + sy * y - cr * x_ref - sr * y_ref
    left = cy * y - sy * x - cr * y_ref + sr * x_ref
    zmp_x, zmp_y = sample(data.zmp, where, 0) - foot_x, sample(data.zmp, where, 1) - foot_y
    k, m = 1.0 + params.gain / w, params.margin
    at_x = clip(cr * zmp_x + sr * zmp_y, params.low[0] + m, params.high[0] - m)
    at_y = clip(cr * zmp_y - sr * zmp_x, params.low[1] + m, params.high[1] - m)
    dx = clip(at_x + k * ahead, params.low[0] + m, params.high[0] - m) - at_x
    dy = clip(at_y + k * left, params.low[1] + m, params.high[1] - m) - at_y
    force = load * params.mass * params.gravity
    command.tau[params.ankle[side, 0]] += force * dx
    command.tau[params.ankle[side, 1]] -= force * dy
    if load >= 0.5:
        state.error[0], state.error[1], state.shift[0], state.shift[1] = ahead, left, dx, dy


@dataclass(frozen=True)
class HuangWalk(PatternWalk):
    """Walk along Huang's pattern: feet that roll from heel to toe, and the hip that gives the largest margin of the ZMP."""

    toe_off: float = quantity("rad", "q_b, angle of the foot when the toe leaves the ground", 0.2, low=0.0, high=1.2)
    heel_strike: float = quantity("rad", "q_f, angle of the foot when the heel lands", 0.2, low=0.0, high=1.2)
    ankle: float = quantity("m", "H_a, highest point of the ankle", 0.16, low=0.0, high=2.0)
    clean: bool = flag("turn exactly about toe and heel, instead of splines as printed", True)
    x_sd: float | None = quantity("m", "hip from ankle at the start of single support; searched for if left out", None)
    x_ed: float | None = quantity("m", "the same at its end", None)

    def pattern(self, robot: Robot) -> WalkingPattern:
        """Huang's pattern, with the hip of the largest margin unless it is given."""
        foot = HuangFoot(self.toe_off, self.heel_strike, self.ankle, clean=self.clean)
        if (self.x_sd is None) != (self.x_ed is None):
            raise ControlError("HuangWalk: x_sd and x_ed must both be given, or both be left out")
        hip = None if self.x_sd is None or self.x_ed is None else (self.x_sd, self.x_ed)
        return planned_by_huang(robot, self.plan(), foot, hip, self.height)


@dataclass(frozen=True)
class PreviewWalk(PatternWalk):
    """Walk along Kajita's pattern: flat feet, and a centre of mass by preview control of the ZMP."""

    lift: float = quantity("m", "of the swing foot", 0.05, low=0.0, high=1.0)
    ahead: float = quantity("m", "of the ZMP from the ankle", 0.05, low=-0.5, high=0.5)

    def plan(self) -> FootstepPlan:
        """Straight on, with this lift."""
        plan = super().plan()
        return FootstepPlan(plan.stand, plan.steps, plan.timing, Swing(self.lift))

    def pattern(self, robot: Robot) -> WalkingPattern:
        """Preview control, corrected by the ZMP of the whole robot."""
        return walking_pattern(robot, self.plan(), height=self.height, ahead=self.ahead)


@lru_cache(maxsize=4)
def planned_by_huang(
    robot: Robot, plan: FootstepPlan, foot: HuangFoot, hip: tuple[float, float] | None, height: float | None
) -> WalkingPattern:
    """Kept for the next time: a study plans its start, and the controller the same pattern once more."""
    return huang_pattern(robot, plan, foot, hip=hip, height=height)
