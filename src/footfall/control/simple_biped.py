"""Gaits of Kelly's simple biped: stand, walk and jump, each a state machine, under one that chooses among them.

After section 4 of M. P. Kelly, "Two walking robot simulators" (2014). Walking, with his equations corrected:

    both feet stand   the hip is pushed along the front leg by k (l0 - l) - d l', and across it by k' (w - l th'), where
                      w^2 = v^2 + 2 g l (1 - cos th) is the speed of a pendulum that passes its top with v; the two forces of
                      the legs that do this and carry the weight; no torque at the hip
    one foot stands   its leg keeps its length; the other foot follows a Bezier curve by a phase that grows with the travel of the
                      centre of mass; no torque at the ankle

His report leaves open when the rear foot lifts and how fast and how far to step. Here it lifts when the pendulum has its energy;
v belongs to the wanted mean speed by a linear pendulum, with an integral correction from step to step; a step is longer when the
robot is too fast. Standing and jumping place the hip over the middle of the feet by the same two forces. In
all gaits a robot that would fall over places a foot at the capture point, in a given time.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from footfall.control.fields import states
from footfall.control.gaited import Gaited, check_feet, enter, follow_schedule, motor_limit, time_in
from footfall.control.point_legs import Make, carry, follow_virtual, hold_length, reach_down, see_legs, within
from footfall.core.jit import kernel
from footfall.model.parts import Point
from footfall.model.quantity import quantity, words
from footfall.model.robot import Robot
from footfall.motion import cubic_bezier

STAND, WALK, JUMP = 0, 1, 2  # gaits
DOUBLE, SINGLE, CATCH, THRUST, FLIGHT = 0, 1, 2, 3, 4  # parts of a gait: both feet, a step, a step to save itself, ...
HOVER = 25.0, 10.0, 150.0, 24.0  # 1/s2, 1/s, 1/s2, 1/s: place of the hip over the feet, along and upward
SURGE = 30.0, 1.15  # 1/s, 1: how soon a jump has its speed, and how much more is aimed at, so that it gets there
TAKE_OFF = 0.04, 0.4  # m, s: a jump ends this near to the end of a leg, or after so long
CALM = 3.0  # m2/s: damping of the hinge, per mass of a foot, while a foot looks for the ground
ALOFT = 0.003  # s: without touch for this long, the robot flies
AT_END = 0.015  # m: a leg this near to its longest is there
SLACK = 0.02  # m, m/s: a pendulum this short of its speed has it; a capture point this far outside the feet is
SETTLED = 0.1, 0.03, 0.25  # m/s, m, s: slower, nearer to the middle and longer than this, and a jump begins
APART = 0.05  # m: feet nearer than this are not apart
SURE = 0.06, 0.6  # s: a foot that touches sooner has not left yet; later, it is down wherever it is
STEP_RANGE = 0.12, 0.55  # m
TRIM_RANGE = 0.12  # m/s
SLOWEST = 0.2  # m/s at the top: below, the pendulum may not get there
STICKY = 0.6  # of the force in the standing leg: what may be pushed across it, so that its foot does not slide
NO_STRIKE = -1.0


@dataclass(frozen=True)
class SimpleBiped(Gaited):
    """Stand, walk and jump with three point masses, and go from one to another at any time.

    A controller above this one (see Layered) may set gait (0 stand, 1 walk, 2 jump) and speed instead.
    """

    known: ClassVar[tuple[str, ...]] = ("stand", "walk", "jump")  # numbered as in its law
    robot_coordinates: ClassVar[tuple[str, ...]] = ("base.x", "base.z", "base.pitch", "leg_left", "hip", "leg_right")

    gaits: tuple[str, ...] = words("stand, walk or jump, one after the other", ("walk",))
    speed: float = quantity("m/s", "desired mean speed of walking", 0.6, low=0.2, high=1.2)
    length: float = quantity("m", "of a leg on which it walks", 0.8, low=0.1, high=10.0)
    clearance: float = quantity("m", "of the foot in the middle of a step", 0.07, low=0.0, high=1.0)
    step: float = quantity("m", "length of a step at no speed", 0.07, low=0.0, high=1.0)
    stride_time: float = quantity("s", "added length of a step per speed", 0.32, low=0.0, high=2.0)
    placing: float = quantity("s", "added length per excess of speed: brakes by foot placement", 0.3, low=0.0, high=2.0)
    stiffness: float = quantity("N/m", "with which a standing leg keeps its length", 3000.0, low=0.0)
    damping: float = quantity("N s/m", "of a standing leg", 300.0, low=0.0)
    push: float = quantity("N s/m", "force across the front leg per missing speed", 200.0, low=0.0)
    swing: float = quantity("1/s", "how fast a swinging leg follows its virtual one", 40.0, low=1.0, high=300.0)
    swing_ratio: float = quantity("1", "damping ratio of a swinging leg", 1.0, low=0.0, high=10.0)
    trim: float = quantity("1", "part of the missing speed of a step that later steps correct", 0.3, low=0.0, high=1.0)
    reserve: float = quantity("m/s", "additional speed at the top, for the swing leg", 0.1, low=0.0)
    width: float = quantity("m", "between the feet of a robot that stands", 0.25, low=0.05, high=1.0)
    catch: float = quantity("s", "time of a recovery step", 0.25, low=0.05, high=2.0)
    height: float = quantity("m", "of the hip when it stands", 0.77, low=0.1, high=10.0)
    jump: float = quantity("m/s", "speed of the hip at which a jump takes off", 1.3, low=0.0, high=10.0)
    crouch: float = quantity("m", "height of the hip before a jump", 0.74, low=0.1, high=10.0)

    class Goal(Gaited.Goal):
        gait: int = states("stand", "walk", "jump")

    class State:
        gait: int = states("stand", "walk", "jump")  # that it is in
        part: int = states("double support", "single support", "catch", "thrust", "flight")
        since: float = 0.0  # s: when the part began
        swing: int = states("left", "right")  # leg of the step under way
        from_x: float = 0.0  # m: where its foot left the ground
        from_z: float = 0.0
        from_hip: float = 0.0  # m: and where the hip was then
        touched: float = 0.0  # s: when a foot last touched
        struck: float = 0.0  # s: when the last step of walking ended
        struck_x: float = 0.0  # m: and where
        trim: float = 0.0  # m/s: speed that the steps so far were short of
        steps: int = 0
        switched: int = 0  # switches of the schedule that are made

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Any:
        """The sizes of the robot, which must be hip and feet as `simple-biped` has them."""
        self.check_robot(robot)
        check_feet(self, robot, Point, ("foot_left", "foot_right"))
        joint = robot.joint("leg_left")
        zero, most = -joint.at[1], motor_limit(robot, "leg_left")
        masses = robot.link("hip").mass, robot.link("foot_left").mass
        make = Make(*masses, gravity, zero, zero + joint.limits[0], zero + joint.limits[1], most)
        return {"make": make, **self.schedule()}

    @kernel
    def law(obs, params, state, goal, command):
        """See, choose the gait, choose its part, act."""
        tau = command.tau
        left, right = see_legs(obs, params.make.zero)
        follow_schedule(params, state, goal, obs.time)
        if goal.gait != state.gait:
            change_gait(obs, state, goal, left, right)
        next_state(obs, params, state, goal, left, right)
        for d in range(len(tau)):
            tau[d] = 0.0
        if state.part == DOUBLE or state.part == THRUST:
            stand_on(obs, params, state, goal, left, right, tau)
        elif state.part == FLIGHT:
            fly(obs, params, left, right, tau)
        elif state.swing == 0:
            tau[3], tau[5], torque = swing_on(obs, params, state, goal, left, right)
            tau[4] = -torque
        else:
            tau[5], tau[3], tau[4] = swing_on(obs, params, state, goal, right, left)
        return 0


@kernel
def change_gait(obs, state, goal, left, right):
    """Another gait: a step of walking becomes one that ends soon, a jump is not begun."""
    state.gait, state.struck = goal.gait, NO_STRIKE
    if state.part == SINGLE:
        lift(obs, state, CATCH, left if state.swing == 0 else right, state.swing)
    elif state.part == THRUST:
        enter(state, DOUBLE, obs.time)


@kernel
def since_touch(state, touches, time):
    """Time since the last touch: a foot that lifts for a moment still stands."""
    if touches:
        state.touched = time
    return time - state.touched


@kernel
def lift(obs, state, part, leg, number):
    """A step of a leg (0 left, 1 right) begins."""
    enter(state, part, obs.time)
    state.swing, state.from_x, state.from_z, state.from_hip = number, leg.x, leg.z, obs.q[0]


@kernel
def set_down(obs, params, state, goal, swing):
    """A step ends. Steps of walking count, and teach how much speed is missed."""
    if state.gait == WALK and state.part == SINGLE:
        state.steps += 1
        if state.struck >= 0.0:
            speed = (swing.x - state.struck_x) / (obs.time - state.struck)
            state.trim = within(state.trim + params.trim * (goal.speed - speed), -TRIM_RANGE, TRIM_RANGE)
        state.struck, state.struck_x = obs.time, swing.x
    else:
        state.struck, state.trim = NO_STRIKE, max(state.trim, 0.0)
    enter(state, DOUBLE, obs.time)


@kernel
def top_speed(params, state, goal):
    """Speed at the top of a linear pendulum that goes on with the wanted mean speed, and the length of its steps."""
    omega, speed = np.sqrt(params.make.gravity / params.length), max(goal.speed, 0.05)
    step = params.step + params.stride_time * speed
    half = 0.5 * omega * step
    return max(half / np.sinh(half / speed) + params.reserve + state.trim, SLOWEST), step, omega


# --- from state to state --------------------------------------------------------------------------------------------------


@kernel
def pendulum(obs, params, front, top):
    """Speed across the front leg, the one that leads over its top with speed `top`, and the one that just gets there."""
    climb = 2.0 * params.make.gravity * front.length * (1.0 - front.cos)
    return obs.v[0] * front.cos - obs.v[1] * front.sin, np.sqrt(top * top + climb), np.sqrt(climb)


@kernel
def falls_back(obs, rear, omega):
    return rear.stands and obs.v[0] < 0.0 and obs.q[0] + obs.v[0] / omega < rear.x - SLACK


@kernel
def walk_on(obs, params, state, goal, front, rear, first):
    """Both feet stand: lift the rear one when there is speed enough, or when its leg is at its end. `first` is the front leg."""
    top, _, omega = top_speed(params, state, goal)
    speed, wanted, least = pendulum(obs, params, front, top)
    at_end = rear.length > params.make.longest - AT_END and speed > least + SLACK
    over = obs.q[0] > front.x
    if front.stands and rear.stands and front.x - rear.x < APART:
        lift(obs, state, CATCH, rear, 1 - first)
    elif falls_back(obs, rear, omega):
        lift(obs, state, CATCH, front, first)
    elif front.stands and time_in(state, obs.time) > SLACK and (speed > wanted - SLACK or over or at_end):
        lift(obs, state, SINGLE, rear, 1 - first)


@kernel
def stay(obs, params, state, front, rear, first):
    """Both feet stand: step where the hip would leave the room between them, or where there is little room."""
    omega = np.sqrt(params.make.gravity / params.length)
    capture = obs.q[0] + obs.v[0] / omega
    if front.stands and (capture > front.x + SLACK or (rear.stands and front.x - rear.x < 0.5 * params.width)):
        lift(obs, state, CATCH, rear, 1 - first)
    elif falls_back(obs, rear, omega):
        lift(obs, state, CATCH, front, first)
    elif state.gait == JUMP and front.stands and rear.stands and time_in(state, obs.time) > SETTLED[2]:
        slow = abs(obs.v[0]) < SETTLED[0] and abs(obs.v[1]) < SETTLED[0]
        if slow and abs(obs.q[0] - 0.5 * (front.x + rear.x)) < SETTLED[1]:
            enter(state, THRUST, obs.time)


@kernel
def step_on(obs, params, state, goal, swing, stance):
    """One foot stands: the step ends when the other one is down; one that goes back becomes one that saves itself."""
    lasted = time_in(state, obs.time)
    there = state.part == CATCH or swing.x > stance.x + APART or lasted > SURE[1]
    if swing.stands and lasted > SURE[0] and there:
        set_down(obs, params, state, goal, swing)
    elif state.part == SINGLE and obs.q[0] < stance.x and obs.v[0] < SLACK:
        lift(obs, state, CATCH, swing, state.swing)


@kernel
def next_state(obs, params, state, goal, left, right):
    """Change the part of the gait if contacts and motion demand it."""
    part, lasted = state.part, time_in(state, obs.time)
    first = 0 if left.x >= right.x else 1
    front, rear = (left, right) if first == 0 else (right, left)
    away = since_touch(state, left.stands or right.stands, obs.time)
    if part == THRUST:
        if obs.v[1] > params.jump or min(left.length, right.length) > params.make.longest - TAKE_OFF[0] or lasted > TAKE_OFF[1]:
            enter(state, FLIGHT, obs.time)
    elif part == FLIGHT:
        if away == 0.0 and lasted > SURE[0]:
            enter(state, DOUBLE, obs.time)
    elif away > ALOFT:
        enter(state, FLIGHT, obs.time)
    elif part == DOUBLE:
        if state.gait == WALK:
            walk_on(obs, params, state, goal, front, rear, first)
        else:
            stay(obs, params, state, front, rear, first)
    elif state.swing == 0:
        step_on(obs, params, state, goal, left, right)
    else:
        step_on(obs, params, state, goal, right, left)


# --- what is done in a state ----------------------------------------------------------------------------------------------


@kernel
def walking_force(obs, params, state, goal, front):
    """On the hip, along and across the front leg: Kelly's (1) to (3), corrected."""
    top, _, _ = top_speed(params, state, goal)
    speed, wanted, _ = pendulum(obs, params, front, top)
    along = params.stiffness * (params.length - front.length) - params.damping * front.rate
    across = params.push * (wanted - speed)
    return along * front.sin + across * front.cos, along * front.cos - across * front.sin + params.make.hip * params.make.gravity


@kernel
def hovering_force(obs, params, state, front, rear):
    """On the hip, to keep it over the middle of the feet, at a height or thrusting upward."""
    height = params.crouch if state.gait == JUMP else params.height
    kx, dx, kz, dz = HOVER
    across = kx * (0.5 * (front.x + rear.x) - obs.q[0]) - dx * obs.v[0]
    up = kz * (0.5 * (front.z + rear.z) + height - obs.q[1]) - dz * obs.v[1]
    if state.part == THRUST:
        up = SURGE[0] * (SURGE[1] * params.jump - obs.v[1])
    return params.make.hip * across, params.make.hip * (up + params.make.gravity)


@kernel
def stand_on(obs, params, state, goal, left, right, tau):
    """Both legs lay the wanted force on the hip; one that has lost the ground looks for it."""
    ahead = left.x >= right.x
    front, rear = (left, right) if ahead else (right, left)
    if state.gait == WALK:
        fx, fz = walking_force(obs, params, state, goal, front)
    else:
        fx, fz = hovering_force(obs, params, state, front, rear)
    a, b = carry(params.make, front, rear, fx, fz)
    tau[3], tau[5] = (a, b) if ahead else (b, a)
    if not left.stands:
        tau[3] = reach_down(params.make, left)
    if not right.stands:
        tau[5] = reach_down(params.make, right)
    if not (left.stands and right.stands):
        tau[4] = -CALM * params.make.foot * obs.v[4]


@kernel
def fly(obs, params, left, right, tau):
    """Legs as they shall land: of one length, apart."""
    k, d = 0.5 * params.swing * params.swing, params.swing
    apart = 2.0 * np.arcsin(0.5 * params.width / params.length)
    goal = apart if left.x >= right.x else -apart
    tau[3] = params.make.foot * (k * (params.length - left.length) - d * left.rate)
    tau[5] = params.make.foot * (k * (params.length - right.length) - d * right.rate)
    tau[4] = params.make.foot * params.length * params.length * (k * (goal - obs.q[4]) - d * obs.v[4])


@kernel
def foothold(obs, params, state, goal, stance):
    """Where the foot shall come down along the ground, the phase of the step and its rate."""
    top, step, omega = top_speed(params, state, goal)
    x, v = obs.q[0] - stance.x, obs.v[0]
    if state.part == SINGLE:
        orbit = np.sqrt(max(v * v - omega * omega * x * x, 0.0))
        ahead = within(step + params.placing * (orbit - top), STEP_RANGE[0], STEP_RANGE[1])
        distance = max(stance.x + 0.5 * ahead - state.from_hip, APART)
        return stance.x + ahead, (obs.q[0] - state.from_hip) / distance, v / distance
    capture = x + v / omega
    side = 1.0 if capture > 0.0 else -1.0
    far = side * max(side * capture + 0.5 * params.width, params.width)
    return stance.x + far, time_in(state, obs.time) / params.catch, 1.0 / params.catch


@kernel
def swing_on(obs, params, state, goal, swing, stance):
    """Forces of the swinging and of the standing leg, and the torque on the swinging one."""
    x, phase, rate = foothold(obs, params, state, goal, stance)
    if phase < 0.0:
        phase, rate = 0.0, 0.0
    top = max(state.from_z, stance.z) + 4.0 / 3.0 * params.clearance
    px, vx = cubic_bezier(state.from_x, state.from_x, x, x, phase)
    pz, vz = cubic_bezier(state.from_z, top, top, stance.z, phase)
    force, torque = follow_virtual(params.make, obs, swing, (px, pz), (vx * rate, vz * rate), params.swing, params.swing_ratio)
    hold = hold_length(params.make, stance, params.length, params.stiffness, params.damping)
    most = STICKY * max(hold, 0.25 * params.make.hip * params.make.gravity) * stance.length
    return force, hold, within(torque, -most, most)
