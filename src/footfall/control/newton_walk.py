"""The walking algorithm of Stewart and Cremer, "Algorithmic control of walking" (1989), figure 6, for their person.

Six phases: swing a leg, land its foot, lift the other one (take-off), and the same for the other leg. Names of equations and
constants are the paper's. Its axes and angles are translated here (see `robots.person`): z is up, a knee is 180 degrees minus the
paper's, the foot that strikes has its toe up (-10 degrees of pitch), the torso leans forward (10 degrees), a toe that is bent has
a negative angle.

The paper leaves open, or misprints, and this is what is taken:

- the cost is printed as the squares of omega and omega', but the text says translational and angular accelerations;
- F, which keeps the torso between the feet, is horizontal, acts at the middle of the hips, and has K_v = 2 sqrt(K_p);
- the heel's target is on the ground, and hip-to-hip counts level; `heel-I-strike-speed` is along the direction;
- a toe of 180 degrees is 0, phases E- are R-;
- two things the paper has no word of: a cost on the twist of the hips, without which each leg turns about its own line, and a
  knee that cannot bend backward;
- the foot is oriented within 1.5 times the time in the air (once is printed: then the swinging ankle bends by 34 degrees);
- the landing knee takes 0.1 s (0.05 s are printed: it strikes at twice the speed);
- who is held: the standing foot at its heel, level within 0.15 s, with its toe; in take-off the toes of the trailing foot.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.control.algorithm.controller import Algorithmic
from footfall.control.fields import array, states
from footfall.model.layout import rotation
from footfall.model.quantity import quantity
from footfall.motion.generators import orient_with_pd, position_point_with_quartic, set_angle_with_pd

R_SWING, R_LANDING, L_TAKEOFF, L_SWING, L_LANDING, R_TAKEOFF = 1, 2, 3, 4, 5, 6
PHASES = ("start", "r-swing", "r-landing", "l-takeoff", "l-swing", "l-landing", "r-takeoff")
HANGS = 0.3  # s: a take-off that takes longer
SIDES = {"R": "right", "L": "left"}


@dataclass(frozen=True)
class NewtonWalk(Algorithmic):
    """Figure 6. The stride, and with it the speed, may swing about its mean in the course of the walk."""

    time_in_air: float = quantity("s", "of the swing foot", 0.5, low=0.2, high=2.0)
    stride: float = quantity("m", "from heel to heel, on average", 0.5, low=0.0, high=1.0)
    stride_swing: float = quantity("m", "by which the stride changes to and fro", 0.0, low=0.0, high=0.5)
    air_swing: float = quantity("s", "by which the time in the air changes, against the stride", 0.0, low=0.0, high=0.5)
    period: float = quantity("s", "of this change", 10.0, low=0.1, high=1e4)
    turn: float = quantity("rad", "to the left, of every step", 0.0, low=-0.6, high=0.6)
    inside_step_fraction: float = quantity(
        "1", "of the distance of the hips, by which feet are put apart", 0.2, low=0.0, high=2.0
    )
    heel_strike_speed: float = quantity("m/s", "of the heel, upward", -0.05, low=-2.0, high=0.0)
    heel_forward_speed: float = quantity("m/s", "of the heel at the end of its way", 0.02, low=-1.0, high=2.0)
    foot_strike: float = quantity(
        "rad", "pitch of the foot that strikes; negative with the toe up", -np.radians(10.0), low=-0.7, high=0.3
    )
    torso_lean: float = quantity("rad", "of the torso, forward", np.radians(10.0), low=-0.5, high=0.7)
    stance_knee: float = quantity("rad", "of the leg that stands: 173 degrees in the paper", np.radians(7.0), low=0.03, high=0.5)
    takeoff_knee: float = quantity("rad", "that lifts the heel: 160 degrees in the paper", np.radians(20.0), low=0.1, high=1.2)
    toe_off: float = quantity("rad", "by which the toe is bent when the swing begins", np.radians(10.0), low=0.02, high=0.8)
    landing_time: float = quantity("s", "in which the knee of the landing leg is stiffened", 0.1, low=0.02, high=1.0)
    orient_time: float = quantity(
        "1", "of the time in the air, in which the foot is oriented for landing", 1.5, low=0.2, high=10.0
    )
    level_time: float = quantity("s", "in which the foot that landed is level", 0.15, low=0.02, high=1.0)
    spring: float = quantity("1/s2", "K_p of F", 100.0, low=0.0, high=1e4)
    twist_rate: float = quantity("rad/s", "at which twist of the hips decays", 8.0, low=0.0, high=100.0)
    twist_weight: float = quantity("1", "of twist in the cost", 1.0, low=0.0, high=1e4)
    straightest_knee: float = quantity("rad", "that a knee may be", np.radians(2.0), low=0.0, high=0.5)

    class State:
        phase: int = states(*PHASES)
        since: float = 0.0  # s: when it began
        steps: int = 0
        stride: float = 0.0  # m: of the step at hand
        air: float = 0.0  # s
        yaw: float = 0.0  # rad: the direction
        target: Any = array(3)  # m: of the heel
        lifts: int = 0  # times that the knee was bent more in this take-off
        residual: float = 0.0  # the largest of an equation so far

    def initialize(algo: Any, params: Any, state: Any) -> None:
        """The cost, and what is always in force."""
        algo.own.torso, algo.own.middle = algo.body("torso"), algo.point("torso")
        algo.own.heel = {side: algo.point(f"heel_{name}") for side, name in SIDES.items()}
        algo.own.toe = {side: algo.joint(f"toe_{name}") for side, name in SIDES.items()}
        algo.own.knee = {side: algo.joint(f"knee_{name}") for side, name in SIDES.items()}
        algo.own.foot = {side: algo.body(f"foot_{name}") for side, name in SIDES.items()}
        algo.own.hip_to_hip = 2.0 * abs(params.robot.joint("hip_left").at[1])
        set_cost(algo, params)
        hold_foot(algo, params, state, "L")

    def controller(algo: Any, params: Any, state: Any, time: float) -> None:
        """The phases, three for each leg."""
        phase = state.phase
        state.residual = max(state.residual, algo.residual)
        if phase == 0:
            algo.equate("TORSO-CONSTRAINT", orient_with_pd(algo.own.torso, rotation((0.0, params.torso_lean, state.yaw)), 2.0))
            algo.equate("L-KNEE-ANGLE", set_angle_with_pd(algo.own.knee["L"], params.stance_knee, 0.1))
            begin_swing(algo, params, state, "R", R_SWING)
            return
        lead, trail, first = ("R", "L", R_SWING) if phase <= L_TAKEOFF else ("L", "R", L_SWING)
        if phase == first:
            off = algo.value(algo.own.aim)
            if off @ off < 1e-4 or time - state.since >= state.air:
                enter(state, time, first + 1)
                algo.remove(f"{lead}-HEEL-TRAJ", f"{lead}-KNEE-STOP")
                algo.equate(f"{lead}-KNEE-ANGLE", set_angle_with_pd(algo.own.knee[lead], params.stance_knee, params.landing_time))
        elif phase == first + 1:
            if algo.value(algo.own.aim)[2] <= 0.0:
                enter(state, time, first + 2)
                algo.remove(f"{lead}-FOOT-ORIENTATION", f"{lead}-TOE-ANGLE")
                hold_foot(algo, params, state, lead)
                algo.hold(f"{trail}-FOOT", algo.body(f"toes_{SIDES[trail]}"))
                algo.equate(f"{trail}-KNEE-ANGLE", set_angle_with_pd(algo.own.knee[trail], params.takeoff_knee, 0.1))
        elif algo.out.q[algo.own.toe[trail].coordinate] < -params.toe_off:
            state.lifts = 0
            algo.remove(f"{trail}-KNEE-ANGLE", f"{trail}-FOOT")
            begin_swing(algo, params, state, trail, L_SWING if lead == "R" else R_SWING)
        elif time - state.since > HANGS * (1 + state.lifts):  # a short stride leaves the heel down: bend the knee more
            state.lifts += 1
            knee = params.takeoff_knee + state.lifts * np.radians(15.0)
            algo.equate(f"{trail}-KNEE-ANGLE", set_angle_with_pd(algo.own.knee[trail], knee, 0.1))


def set_cost(algo: Any, params: Any) -> None:
    """Accelerations of all bodies, the torso between the feet, and legs that do not twist."""
    accelerations = sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies)
    K_p, K_v = params.spring, 2.0 * np.sqrt(params.spring)
    left, right, torso = algo.own.foot["L"], algo.own.foot["R"], algo.own.middle
    F = K_p * (0.5 * (left.position + right.position) - torso.position) + K_v * (
        0.5 * (left.velocity + right.velocity) - torso.velocity
    )
    hips, w = (algo.joint("hip_left"), algo.joint("hip_right")), params.twist_rate
    twist = sum((hip.acceleration[2] + 2.0 * w * hip.velocity[2] + w * w * hip.angle[2]) ** 2 for hip in hips)
    algo.minimise(accelerations + 20.0 * (torso.acceleration - F).horizontal ** 2 + params.twist_weight * twist)


def begin_swing(algo: Any, params: Any, state: Any, side: str, phase: int) -> None:
    """The heel on its way to the target, the foot oriented for landing, the toe straight."""
    change = np.sin(2.0 * np.pi * algo.time / params.period)
    state.stride = max(params.stride + params.stride_swing * change, 0.0)
    state.air = max(params.time_in_air - params.air_swing * change, 0.1)
    state.yaw += params.turn
    enter(state, algo.time, phase)
    state.steps += 1
    algo.equate("TORSO-CONSTRAINT", orient_with_pd(algo.own.torso, rotation((0.0, params.torso_lean, state.yaw)), 2.0))
    move_heel_to_target(algo, params, state, side)
    knee = algo.own.knee[side]
    bent = knee.acceleration + 40.0 * knee.velocity + 400.0 * (knee.angle - params.straightest_knee)
    algo.limit(f"{side}-KNEE-STOP", bent >= 0.0)
    strike = rotation((0.0, params.foot_strike, state.yaw))
    algo.equate(f"{side}-FOOT-ORIENTATION", orient_with_pd(algo.own.foot[side], strike, params.orient_time * state.air))
    algo.equate(f"{side}-TOE-ANGLE", set_angle_with_pd(algo.own.toe[side], 0.0, state.air))


def move_heel_to_target(algo: Any, params: Any, state: Any, side: str) -> None:
    """A quartic to a stride before the other heel, and a part of the hips' distance beside it."""
    other = "L" if side == "R" else "R"
    c, s = np.cos(state.yaw), np.sin(state.yaw)
    aside = (params.inside_step_fraction * algo.own.hip_to_hip) * (-1.0 if side == "R" else 1.0)
    here = algo.value(algo.own.heel[other].position)
    target = np.array((here[0] + state.stride * c - aside * s, here[1] + state.stride * s + aside * c, 0.0))
    speed = params.heel_forward_speed
    velocity = (speed * c, speed * s, params.heel_strike_speed)
    state.target[:] = target
    algo.own.aim = algo.own.heel[side].position - target
    algo.equate(f"{side}-HEEL-TRAJ", position_point_with_quartic(algo, algo.own.heel[side], target, velocity, state.air))


def hold_foot(algo: Any, params: Any, state: Any, side: str) -> None:
    """A magnetic shoe: the heel where it is, the foot level and the toe straight soon."""
    level = rotation((0.0, 0.0, state.yaw))
    algo.hold(f"{side}-FOOT", algo.own.heel[side], algo.own.toe[side], orientation=level, angle=0.0, settle=params.level_time)


def enter(state: Any, time: float, phase: int) -> None:
    state.phase, state.since = phase, time
