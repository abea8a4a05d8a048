"""The walk of the Cornell Ranger: straight legs, round feet that are flipped out of the way, three motors.

After section 6 of M. Kelly, "Two walking robot simulators" (2014), with the values of his later simulator. His gait is "nearly
stable"; the two remedies that the report names, a push-off and a step length that depend on the speed, are `push_gain` and
`length_gain`. The misprint in his foot controller is corrected: k_d = 2 xi w0 I.

Angles in the law are his: a leg's is positive with its lower end forward, a foot's with its toe up, both from the vertical;
`apart` is how far the swing leg's ankle is ahead of the other. The controller treats both legs alike: outer and inner
change places with every step.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from footfall.control.controller import ControlError, Controller
from footfall.control.fields import array, states
from footfall.core.jit import kernel
from footfall.model.parts import Arc, Motor
from footfall.model.quantity import SCALAR, choice, quantity
from footfall.model.robot import Robot
from footfall.motion import tuned

WALK, STAND, GUI = 0, 1, 2  # modes
SWINGS, PUSHES, DOUBLE, BACK = 0, 1, 2, 3  # parts of a step; BACK is a step that failed, the swing foot returns
OFF, HOLD, PUSH, FLIP, SWING, LAND, RETURN = 0, 1, 2, 3, 4, 5, 6  # programs of a motor; LAND and RETURN are HOLD in the air
INPUT, INPUT_BEFORE, OUTPUT, OUTPUT_BEFORE = 0, 1, 2, 3  # what the filter of a contact keeps
TOUCHES, LIFTED = 0.5, 0.1  # of the contact estimate: above, a foot stands; with both below, the robot is in the air
AHEAD = 0.02  # m: a swing foot that touches nearer than this has scuffed, not landed
LARGEST_LEAN = 1.0  # rad
HASTY = 1.5  # of the desired speed: faster than this, a robot that stumbles does not push
RETREAT = 0.35  # m: so far behind is the foot put that a step began with, if the step fails
SHORTEST, LONGEST = 0.05, 0.6  # m: of steps that the controller asks for
MODES = {"walk": WALK, "stand": STAND, "gui": GUI}
JOINTS = ("hip", "ankle_outer", "ankle_inner")


class Filter(NamedTuple):
    """y = b (x + 2 x' + x'') - a1 y' - a2 y''."""

    b: Any
    a1: Any
    a2: Any


class Make(NamedTuple):
    """The data of the robot that the law needs."""

    mode: Any  # WALK, STAND or GUI
    filter: Filter
    pitch: Any  # place of the outer leg's angle in q and v
    joints: Any  # (3,) int: of hip, outer and inner ankle
    leg: Any  # m: its length
    gravity: Any  # m/s2
    leg_weight: Any  # N m: of the swing leg about the hip, when it is level
    foot_inertia: Any  # kg m2 about the ankle, with the rotor
    foot_x: Any  # N m: weight of the foot about the ankle, by its centre of mass ahead
    foot_z: Any  # N m: and above
    flip_to: Any  # rad: ankle of a foot that is flipped up
    gui_stiffness: Any  # (3,) N m/rad: of hip, outer and inner ankle in mode gui
    gui_damping: Any  # (3,) N m s/rad


class Pose(NamedTuple):
    """The legs by what they do; angles and rates in the report's sense."""

    stance: Any
    swing: Any
    stance_rate: Any
    swing_rate: Any
    apart: Any  # m


@dataclass(frozen=True)
class RangerGait(Controller):
    """Modes walk, stand and gui; in a step the legs swing, then push off, then exchange.

    A motor follows springs and dampers (N m/rad, N m s/rad at the joint; a current is the torque over gear and torque constant),
    within its limits. A foot in the air is moved as if it were a mass on a spring of `foot_frequency` and `foot_damping`.
    """

    mode: str = choice("of the whole controller", "walk", MODES)
    stand: float = quantity("s", "how long it stands before it walks", 0.0, low=0.0)
    speed: float = quantity("m/s", "desired speed of the hip over the stance foot", 0.5, low=0.0, high=2.0)
    length: float = quantity("m", "distance of the ankles at which the legs are held apart", 0.2, low=0.05, high=0.6)
    reach: float = quantity("m", "distance of the ankles at which the swing ends", 0.2, low=0.0, high=0.6)
    scissor_gain: float = quantity("1", "angle of the swing leg per angle of the stance leg", 1.25, low=0.0, high=3.0)
    scissor_offset: float = quantity("rad", "additional angle of the swing leg", 0.05, low=-0.3, high=0.5)
    hip_stiffness: float = quantity("N m/rad", "of the hip", 25.0, low=0.0, high=200.0)
    hip_damping: float = quantity("N m s/rad", "of the hip", 3.0, low=0.0, high=20.0)
    hip_weight: float = quantity("1", "share of the swing leg's weight that the hip carries", 1.0, low=-1.0, high=2.0)
    hold_stiffness: float = quantity("N m/rad", "of the stance ankle", 15.0, low=0.0, high=100.0)
    hold_damping: float = quantity("N m s/rad", "of the stance ankle", 1.0, low=0.0, high=10.0)
    level: float = quantity("rad", "angle of a foot that stands or lands, toe up", 0.0, low=-0.3, high=0.3)
    push: float = quantity("1", "push-off", 0.7, low=0.0, high=1.0)
    push_to: float = quantity("rad", "toe-down angle of a full push-off", 1.0, low=0.1, high=1.5)
    push_stiffness: float = quantity("N m/rad", "of an ankle that pushes", 15.0, low=0.0, high=100.0)
    push_damping: float = quantity("N m s/rad", "of an ankle that pushes", 2.5, low=0.0, high=10.0)
    lean: float = quantity("rad", "forward lean of the stance leg at which it pushes off", 0.0, low=-0.2, high=0.4)
    lean_gain: float = quantity("rad s/m", "push-off begins so much earlier per m/s that it is too slow", 0.0, low=0.0, high=2.0)
    double_support: float = quantity(
        "s", "time for which the rear foot pushes after the other has landed", 0.04, low=0.0, high=0.3
    )
    enough: float = quantity(
        "1",
        "part of the desired speed that must be left over the stance foot before the rear foot is lifted",
        0.5,
        low=0.0,
        high=1.5,
    )
    patience: float = quantity(
        "s", "longest additional full push-off while too slow to get over the other foot", 1.0, low=0.0, high=10.0
    )
    catch_damping: float = quantity("N m s/rad", "of an ankle that pushes while its foot is in the air", 1.0, low=0.0, high=10.0)
    rise: float = quantity("m", "way of the swing ankle in which its foot is flipped up; 0: at once", 0.0, low=0.0, high=0.6)
    lower: float = quantity("m", "distance of the ankles at which the swing foot is lowered", 0.2, low=-0.3, high=0.6)
    descent: float = quantity("m", "way of the swing ankle in which its foot is lowered; 0: at once", 0.0, low=0.0, high=0.6)
    flip: float = quantity("rad", "angle of the swing ankle above its stop", 0.2, low=0.0, high=1.5)
    tucked: float = quantity("rad", "toe-up angle beyond which a foot that touches cannot carry yet", 0.6, low=0.1, high=3.2)
    foot_frequency: float = quantity("rad/s", "of a foot in the air", 100.0, low=1.0, high=300.0)
    foot_damping: float = quantity("1", "damping ratio of a foot in the air", 2.5, low=0.1, high=5.0)
    push_gain: float = quantity("s/m", "additional push-off per m/s that it is too slow", 0.0, low=0.0, high=10.0)
    length_gain: float = quantity("s", "additional step length per m/s that it is too fast", 0.0, low=0.0, high=2.0)
    cutoff: float = quantity("Hz", "cut-off of the contact filter", 30.0, low=1.0, high=200.0)
    gui: tuple[float, ...] = quantity("rad", "angles of hip, outer and inner ankle in mode gui", (0.0, 0.0, 0.0), shape=(3,))
    gui_stiffness: float | tuple[float, ...] = quantity(
        "N m/rad",
        "of hip, outer and inner ankle in mode gui; one number is for all",
        (25.0, 25.0, 25.0),
        low=0.0,
        shape=[SCALAR, (3,)],
    )
    gui_damping: float | tuple[float, ...] = quantity(
        "N m s/rad",
        "of hip, outer and inner ankle in mode gui; one number is for all",
        (2.0, 2.0, 2.0),
        low=0.0,
        shape=[SCALAR, (3,)],
    )

    tunable: ClassVar[tuple[str, ...]] = (
        *("speed", "length", "reach", "scissor_gain", "scissor_offset", "hip_stiffness", "hip_damping", "hip_weight"),
        *(
            "hold_stiffness",
            "hold_damping",
            "level",
            "push",
            "push_to",
            "push_stiffness",
            "push_damping",
            "catch_damping",
            "lean",
        ),
        *("double_support", "rise", "lower", "descent", "flip", "foot_frequency", "foot_damping", "push_gain", "length_gain"),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.cutoff >= self.rate / 2:
            raise ControlError(f"RangerGait: cutoff must be below half the rate, {self.rate / 2:g} Hz, got {self.cutoff:g}")

    class State:
        begun: int = 0
        stance: int = states("outer", "inner")  # the leg that stands
        part: int = states("swings", "pushes", "double support", "back")
        since: float = 0.0  # s: when double support began
        passed: int = 0  # 1 after the hip has passed over the stance foot
        velocity: float = 0.0  # m/s that it had there
        push_now: float = 0.0  # push-off of this step
        length_now: float = 0.0  # m: length of this step
        lean_now: float = 0.0  # rad: forward lean at which its push-off begins
        lifted_at: float = 0.0  # m: distance of the ankles when the swing foot was lifted
        lifted_from: float = 0.0  # rad: its ankle then
        steps: int = 0
        in_flight: int = 0
        held: Any = array(3)  # rad: joints when the last foot left
        contact: Any = array(2, 4)  # of each foot, what its filter keeps

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Make:
        _check(robot)
        pitch, *joints = (robot.coordinates.index(name) for name in ("base.pitch", *JOINTS))
        ankle = robot.joint("ankle_outer")
        leg, foot, motor = robot.link(ankle.parent), robot.link(ankle.child), ankle.motor or Motor()
        x, z = foot.com
        return Make(
            mode=MODES[self.mode],
            filter=Filter(*butterworth(self.cutoff / self.rate)),
            pitch=pitch,
            joints=np.array(joints, np.int64),
            leg=-ankle.at[1],
            gravity=gravity,
            leg_weight=-leg.mass * leg.com[1] * gravity,
            foot_inertia=float(np.sum(foot.inertia)) + foot.mass * (x * x + z * z) + motor.rotor_inertia * motor.gear**2,
            foot_x=foot.mass * gravity * x,
            foot_z=foot.mass * gravity * z,
            flip_to=self.flip + ankle.limits[0],
            gui_stiffness=np.full(3, self.gui_stiffness),
            gui_damping=np.full(3, self.gui_damping),
        )

    @kernel
    def law(obs, params, state, goal, command):
        """One tick."""
        feel(obs, params, state)
        for d in range(len(command.tau)):
            command.stiffness[d], command.target[d], command.damping[d], command.tau[d] = 0.0, 0.0, 0.0, 0.0
        if params.mode == GUI:
            for i in range(3):
                spring(command, params.joints[i], params.gui_stiffness[i], params.gui_damping[i], params.gui[i], 0.0)
        elif params.mode == STAND or obs.time < params.stand:
            pose = pose_of(obs, params, state)
            run_ankle(obs, params, state, command, HOLD, 0, pose)
            run_ankle(obs, params, state, command, HOLD, 1, pose)
        else:
            walk(obs, params, state, command)
        return 0


def butterworth(cutoff: float) -> tuple[float, float, float]:
    """Second-order low-pass, `cutoff` as a share of the rate: y = b (x + 2 x' + x'') - a1 y' - a2 y''. Returns b, a1, a2."""
    K = np.tan(np.pi * cutoff)
    scale = 1.0 / (1.0 + np.sqrt(2.0) * K + K * K)
    return float(K * K * scale), float(2.0 * (K * K - 1.0) * scale), float((1.0 - np.sqrt(2.0) * K + K * K) * scale)


def _check(robot: Robot) -> None:
    """The law knows legs and feet by name."""
    names = {joint.name for joint in robot.joints if joint.motor}
    if robot.space != "planar" or not set(JOINTS) <= names or "base.pitch" not in robot.coordinates:
        raise ControlError(
            f"RangerGait walks a planar robot with a floating base and motors at {', '.join(JOINTS)}; {robot.name!r} is "
            f"{robot.space} with motors at {', '.join(sorted(names)) or 'no joint'}"
        )
    soles = [(foot.name, *foot.pads) for foot in robot.feet]
    wanted = [robot.joint(name).child for name in JOINTS[1:]]
    if len(soles) != 2 or any(
        len(s) != 2 or not isinstance(s[1], Arc) or s[1].link != w for s, w in zip(soles, wanted, strict=True)
    ):
        raise ControlError(
            f"RangerGait needs one round sole (Arc) on {' and on '.join(wanted)}, in this order, got {robot.feet!r:.200}"
        )


# --- contact, filtered ----------------------------------------------------------------------------------------------------------


@kernel
def feel(obs, params, state):
    """Contact of each foot through a second-order Butterworth filter, which begins with the present contact."""
    low, kept = params.filter, state.contact
    for i in range(2):
        on = 1.0 if obs.mode[i] else 0.0
        if obs.time == 0.0:
            on = 1.0 if obs.mode[i] or params.mode != WALK or stands_at_first(obs, params, i) else 0.0
            kept[i, INPUT], kept[i, INPUT_BEFORE], kept[i, OUTPUT], kept[i, OUTPUT_BEFORE] = on, on, on, on
        out = low.b * (on + 2.0 * kept[i, INPUT] + kept[i, INPUT_BEFORE])
        out -= low.a1 * kept[i, OUTPUT] + low.a2 * kept[i, OUTPUT_BEFORE]
        kept[i, INPUT_BEFORE], kept[i, INPUT] = kept[i, INPUT], on
        kept[i, OUTPUT_BEFORE], kept[i, OUTPUT] = kept[i, OUTPUT], out


@kernel
def stands_at_first(obs, params, i):
    """No contact is known before the first step: a foot that is not flipped stands."""
    return obs.q[params.joints[1 + i]] > 0.5 * params.flip_to


@kernel
def stands(state, i):
    return state.contact[i, OUTPUT] > TOUCHES


@kernel
def lifted(state, i):
    return state.contact[i, OUTPUT] < LIFTED


@kernel
def leg_angle(obs, params, i):
    """Angle and rate of the outer (0) or inner (1) leg."""
    pitch, hip = params.pitch, params.joints[0]
    return -(obs.q[pitch] + i * obs.q[hip]), -(obs.v[pitch] + i * obs.v[hip])


@kernel
def pose_of(obs, params, state):
    stance = state.stance
    a, rate_a = leg_angle(obs, params, stance)
    b, rate_b = leg_angle(obs, params, 1 - stance)
    return Pose(a, b, rate_a, rate_b, params.leg * (np.sin(b) - np.sin(a)))


# --- parts of a step ----------------------------------------------------------------------------------------------------------


@kernel
def walk(obs, params, state, command):
    """Choose the part of the step, then the program of every motor."""
    if state.begun == 0:
        begin(obs, params, state)
    change_feet(obs, params, state)
    pose = pose_of(obs, params, state)
    pass_over(params, state, pose)
    go_on(obs, params, state, pose)
    if lifted(state, 0) and lifted(state, 1):
        hold_on(obs, params, state, command)
        return
    state.in_flight = 0
    stance, part = state.stance, state.part
    if part == SWINGS:
        run_hip(params, state, command, SWING, pose)
        run_ankle(obs, params, state, command, HOLD, stance, pose)
        swing_ankle(obs, params, state, command, pose)
    elif part == PUSHES:
        run_hip(params, state, command, LAND, pose)
        run_ankle(obs, params, state, command, PUSH if pose.stance < -state.lean_now else HOLD, stance, pose)
        swing_ankle(obs, params, state, command, pose)
    elif part == DOUBLE:
        run_hip(params, state, command, OFF, pose)
        run_ankle(obs, params, state, command, HOLD, stance, pose)
        run_ankle(obs, params, state, command, PUSH, 1 - stance, pose)
    else:
        run_hip(params, state, command, RETURN, pose)
        run_ankle(obs, params, state, command, HOLD, stance, pose)
        run_ankle(obs, params, state, command, LAND if pose.apart < -0.7 * RETREAT else FLIP, 1 - stance, pose)


@kernel
def begin(obs, params, state):
    """With both feet on the ground the front leg will stand and the other push; with one foot, that one stands."""
    outer, inner = stands(state, 0), stands(state, 1)
    front, _ = leg_angle(obs, params, 0)
    other, _ = leg_angle(obs, params, 1)
    both = outer == inner
    state.stance = (1 if other > front else 0) if both else (1 if inner else 0)
    state.part = DOUBLE if both else SWINGS
    state.begun, state.since = 1, obs.time
    state.push_now, state.length_now, state.lean_now = params.push, params.length, params.lean


@kernel
def change_feet(obs, params, state):
    """When the swing foot has landed ahead, it is the stance foot; when the foot behind stands alone, it pushes the other on.

    A foot that lands early, still flipped, cannot carry: its ankle would fold. Until it is down, the rear foot pushes off, with
    all that it has unless the robot is too fast already.
    """
    pose, stance = pose_of(obs, params, state), state.stance
    if not stands(state, 1 - stance):
        return
    if state.part != DOUBLE and pose.apart > AHEAD:
        if toe_up(obs, params, pose.swing, 1 - stance) > params.tucked:
            state.part, state.lean_now = PUSHES, -LARGEST_LEAN
            if state.velocity < HASTY * params.speed:
                state.push_now = 1.0
        else:
            state.stance, state.part, state.since, state.passed = 1 - stance, DOUBLE, obs.time, 0
            state.steps += 1
    elif pose.apart < -AHEAD and lifted(state, stance):
        state.stance, state.part, state.passed = 1 - stance, PUSHES, 1


@kernel
def toe_up(obs, params, leg, i):
    """Angle of foot i, toe up, below a leg of that angle."""
    return leg - obs.q[params.joints[1 + i]]


@kernel
def pass_over(params, state, pose):
    """When the hip passes over the stance foot, its speed decides the push-off and the length of the step."""
    if state.passed == 0 and state.part != DOUBLE and pose.stance < 0.0:
        state.passed = 1
        state.velocity = -params.leg * pose.stance_rate
        lacking = params.speed - state.velocity
        state.push_now = min(max(params.push + params.push_gain * lacking, 0.0), 1.0)
        state.length_now = min(max(params.length - params.length_gain * lacking, SHORTEST), LONGEST)
        state.lean_now = params.lean - params.lean_gain * lacking


@kernel
def go_on(obs, params, state, pose):
    """From one part of the step to the next."""
    if state.part == DOUBLE:
        waited = obs.time - state.since
        if waited >= params.double_support:
            enough = left_over(params, pose) > (params.enough * params.speed) ** 2
            if enough or waited >= params.double_support + params.patience:
                state.part = SWINGS
                state.lifted_at, state.lifted_from = pose.apart, obs.q[params.joints[2 - state.stance]]
            else:
                state.push_now = 1.0
    elif state.part == BACK:
        if stands(state, 1 - state.stance):
            state.part, state.since = DOUBLE, obs.time
    elif params.patience > 0.0 and pose.apart < 0.0 and left_over(params, pose) < 0.0:
        state.part = BACK
    if state.part == SWINGS and pose.apart > params.reach + state.length_now - params.length:
        state.part = PUSHES


@kernel
def lowers_at(params, state):
    """How far ahead the swing foot is when it is lowered."""
    return params.lower + state.length_now - params.length


@kernel
def left_over(params, pose):
    """Square of the speed that the hip will have over the stance foot, as an inverted pendulum; negative if it falls back."""
    velocity = -params.leg * pose.stance_rate
    return velocity * abs(velocity) - 2.0 * params.gravity * params.leg * (1.0 - np.cos(max(pose.stance, 0.0)))


# --- programs of the motors ---------------------------------------------------------------------------------------------------


@kernel
def spring(command, d, stiffness, damping, goal, rate):
    """(18): stiffness (goal - q) + damping (rate - v), held by the motor itself; the current is the torque over G K."""
    command.stiffness[d], command.target[d], command.damping[d] = stiffness, goal, damping
    command.tau[d] = damping * rate


@kernel
def run_hip(params, state, command, program, pose):
    """SWING mirrors the stance leg; LAND keeps the legs apart for the step to come, RETURN for the one that was."""
    d = params.joints[0]
    if program == OFF:
        return
    sense = 1.0 if state.stance == 1 else -1.0  # the hip's angle grows as the outer leg goes ahead of the inner
    if program == SWING:
        goal = params.scissor_offset - (1.0 + params.scissor_gain) * pose.stance
        rate = -(1.0 + params.scissor_gain) * pose.stance_rate
    else:
        goal, rate = 2.0 * np.arcsin(0.5 * state.length_now / params.leg), 0.0
        if program == RETURN:
            goal = -2.0 * np.arcsin(0.5 * RETREAT / params.leg)
    spring(command, d, params.hip_stiffness, params.hip_damping, sense * goal, sense * rate)
    command.tau[d] += sense * params.hip_weight * params.leg_weight * np.sin(pose.swing)


@kernel
def run_ankle(obs, params, state, command, program, i, pose):
    """HOLD and LAND keep the foot level, PUSH turns its toe down, FLIP pulls it up; in the air it is a light mass on a spring."""
    d, stance = params.joints[1 + i], i == state.stance
    leg, rate = (pose.stance, pose.stance_rate) if stance else (pose.swing, pose.swing_rate)
    in_air = tuned(params.foot_frequency, params.foot_damping, params.foot_inertia)
    if program == HOLD:
        spring(command, d, params.hold_stiffness, params.hold_damping, leg - params.level, rate)
    elif program == PUSH:
        toe = state.push_now * params.push_to
        damping = params.push_damping if obs.mode[i] else params.catch_damping
        spring(command, d, params.push_stiffness, damping, leg + toe, rate)
    elif program == FLIP:
        spring(command, d, in_air.stiffness, in_air.damping, params.flip_to, 0.0)
    else:
        spring(command, d, in_air.stiffness, in_air.damping, leg - params.level, rate)
    if program in (FLIP, LAND):
        carry_foot(obs, params, command, d, leg)


@kernel
def carry_foot(obs, params, command, d, leg):
    """The weight of a foot in the air."""
    pitch = obs.q[d] - leg
    command.tau[d] -= params.foot_x * np.cos(pitch) + params.foot_z * np.sin(pitch)


@kernel
def swing_ankle(obs, params, state, command, pose):
    """The swing foot is flipped up and lowered along smooth curves of the distance of the ankles; once it touches, it holds."""
    i = 1 - state.stance
    if obs.mode[i] and pose.apart > 0.0:
        run_ankle(obs, params, state, command, HOLD, i, pose)
        return
    d = params.joints[1 + i]
    apart_rate = params.leg * (np.cos(pose.swing) * pose.swing_rate - np.cos(pose.stance) * pose.stance_rate)
    up, up_slope = ease(pose.apart - state.lifted_at, params.rise)
    down, down_slope = ease(pose.apart - lowers_at(params, state), params.descent)
    flipped = state.lifted_from + (params.flip_to - state.lifted_from) * up
    flipped_rate = (params.flip_to - state.lifted_from) * up_slope * apart_rate
    landing = pose.swing - params.level
    goal = flipped + (landing - flipped) * down
    rate = flipped_rate + (pose.swing_rate - flipped_rate) * down + (landing - flipped) * down_slope * apart_rate
    in_air = tuned(params.foot_frequency, params.foot_damping, params.foot_inertia)
    spring(command, d, in_air.stiffness, in_air.damping, goal, rate)
    carry_foot(obs, params, command, d, pose.swing)


@kernel
def ease(x, length):
    """From 0 to 1 over a length with the least jerk, and the slope; a step if the length is 0."""
    if x <= 0.0:
        return 0.0, 0.0
    if x >= length:
        return 1.0, 0.0
    s = x / length
    return s * s * s * (10.0 + s * (6.0 * s - 15.0)), 30.0 * s * s * (1.0 - s) * (1.0 - s) / length


@kernel
def hold_on(obs, params, state, command):
    """In the air all joints stay where they were when the last foot left."""
    for i in range(3):
        d = params.joints[i]
        if state.in_flight == 0:
            state.held[i] = obs.q[d]
        if i == 0:
            spring(command, d, params.hip_stiffness, params.hip_damping, state.held[i], 0.0)
        else:
            in_air = tuned(params.foot_frequency, params.foot_damping, params.foot_inertia)
            spring(command, d, in_air.stiffness, in_air.damping, state.held[i], 0.0)
    state.in_flight = 1
