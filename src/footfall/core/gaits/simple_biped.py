"""Gaits of Kelly's simple biped: stand, walk and jump, each a machine of states, under one that chooses among them.

After section 4 of M. P. Kelly, "Two walking robot simulators" (2014). Walking, with his equations corrected:

    both feet stand   the hip is pushed along the front leg by k (l0 - l) - d l', and across it by k' (w - l th'), where
                      w^2 = v^2 + 2 g l (1 - cos th) is the speed of a pendulum that passes its top with v; the two forces of
                      the legs that do this and carry the weight; no torque at the hip
    one foot stands   its leg keeps its length; the other foot follows a Bezier curve by a phase that grows with the way of the
                      centre of mass; no torque at the ankle

His report leaves open when the rear foot lifts and how fast and how far to step. Here it lifts when the pendulum has its energy;
v belongs to the wanted mean speed by a linear pendulum, and what is missed is made good from step to step; a step is longer when
the robot is faster than it should be. Standing and jumping place the hip over the middle of the feet by the same two forces. In
all gaits a robot that would fall over puts a foot where it catches itself, in a given time.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.contact.decide import Body, Felt, Own
from footfall.core.gaits.point_legs import (
    Make,
    bezier,
    carry,
    follow_virtual,
    hold_length,
    reach_down,
    see_legs,
    within,
)
from footfall.core.gaits.states import GAIT as GOAL
from footfall.core.gaits.states import HEAD as TOLD
from footfall.core.gaits.states import SPEED, enter, follow_schedule, since_touch, time_in
from footfall.core.jit import kernel

STAND, WALK, JUMP = 0.0, 1.0, 2.0  # gaits
DOUBLE, SINGLE, CATCH, THRUST, FLIGHT = 0.0, 1.0, 2.0, 3.0, 4.0  # states: both feet, a step, a step to save itself, ...
# places in memory after the goal: what is done, the step under way, the last touch-down, and what was learnt
GAIT, STATE, SINCE, SWING, FROM_X, FROM_Z, FROM_HIP, TOUCHED, STRUCK, STRUCK_X, TRIM, STEPS = range(TOLD, TOLD + 12)
MEMORY = TOLD + 12

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


class Tune(NamedTuple):
    """How it walks: the fields of `SimpleBiped`, which explains them."""

    length: Any
    clearance: Any
    step: Any
    stride_time: Any
    placing: Any
    stiffness: Any
    damping: Any
    push: Any
    swing: Any
    swing_ratio: Any
    trim: Any
    reserve: Any
    width: Any
    catch: Any
    height: Any
    jump: Any
    crouch: Any


HEAD = len(Make._fields) + len(Tune._fields)


@kernel
def unpack(n):
    """The robot and its tuning, from the head of the numbers; a schedule of (time, gait) follows."""
    make = Make(n[0], n[1], n[2], n[3], n[4], n[5], n[6])
    tune = Tune(
        n[7], n[8], n[9], n[10], n[11], n[12], n[13], n[14], n[15], n[16], n[17], n[18], n[19], n[20], n[21], n[22], n[23]
    )  # fmt: skip
    return make, tune


@kernel
def change_gait(felt, memory, left, right):
    """Another gait: a step of walking becomes one that ends soon, a jump is not begun."""
    memory[GAIT], memory[STRUCK] = memory[GOAL], NO_STRIKE
    if memory[STATE] == SINGLE:
        lift(felt, memory, CATCH, left if memory[SWING] == 0.0 else right, memory[SWING])
    elif memory[STATE] == THRUST:
        enter(memory, STATE, DOUBLE, felt.time)


@kernel
def lift(felt, memory, state, leg, number):
    """A step of a leg (0 left, 1 right) begins."""
    enter(memory, STATE, state, felt.time)
    memory[SWING], memory[FROM_X], memory[FROM_Z], memory[FROM_HIP] = number, leg.x, leg.z, felt.q[0]


@kernel
def set_down(felt, memory, tune, swing):
    """A step ends. Steps of walking count, and teach how much speed is missed."""
    if memory[GAIT] == WALK and memory[STATE] == SINGLE:
        memory[STEPS] += 1.0
        if memory[STRUCK] >= 0.0:
            speed = (swing.x - memory[STRUCK_X]) / (felt.time - memory[STRUCK])
            memory[TRIM] = within(memory[TRIM] + tune.trim * (memory[SPEED] - speed), -TRIM_RANGE, TRIM_RANGE)
        memory[STRUCK], memory[STRUCK_X] = felt.time, swing.x
    else:
        memory[STRUCK], memory[TRIM] = NO_STRIKE, max(memory[TRIM], 0.0)
    enter(memory, STATE, DOUBLE, felt.time)


@kernel
def top_speed(make, tune, memory):
    """Speed at the top of a linear pendulum that goes on with the wanted mean speed, and the length of its steps."""
    omega, speed = np.sqrt(make.gravity / tune.length), max(memory[SPEED], 0.05)
    step = tune.step + tune.stride_time * speed
    half = 0.5 * omega * step
    return max(half / np.sinh(half / speed) + tune.reserve + memory[TRIM], SLOWEST), step, omega


# --- from state to state --------------------------------------------------------------------------------------------------


@kernel
def pendulum(felt, make, front, top):
    """Speed across the front leg, the one that leads over its top with speed `top`, and the one that just gets there."""
    climb = 2.0 * make.gravity * front.length * (1.0 - front.cos)
    return felt.v[0] * front.cos - felt.v[1] * front.sin, np.sqrt(top * top + climb), np.sqrt(climb)


@kernel
def falls_back(felt, rear, omega):
    return rear.stands and felt.v[0] < 0.0 and felt.q[0] + felt.v[0] / omega < rear.x - SLACK


@kernel
def walk_on(felt, memory, make, tune, front, rear, first):
    """Both feet stand: lift the rear one when there is speed enough, or when its leg is at its end. `first` is the front leg."""
    top, _, omega = top_speed(make, tune, memory)
    pace, wanted, least = pendulum(felt, make, front, top)
    at_end = rear.length > make.longest - AT_END and pace > least + SLACK
    over = felt.q[0] > front.x
    if front.stands and rear.stands and front.x - rear.x < APART:
        lift(felt, memory, CATCH, rear, 1.0 - first)
    elif falls_back(felt, rear, omega):
        lift(felt, memory, CATCH, front, first)
    elif front.stands and time_in(memory, STATE, felt.time) > SLACK and (pace > wanted - SLACK or over or at_end):
        lift(felt, memory, SINGLE, rear, 1.0 - first)


@kernel
def stay(felt, memory, make, tune, front, rear, first):
    """Both feet stand: step where the hip would leave the room between them, or where there is little room."""
    omega = np.sqrt(make.gravity / tune.length)
    capture = felt.q[0] + felt.v[0] / omega
    if front.stands and (capture > front.x + SLACK or (rear.stands and front.x - rear.x < 0.5 * tune.width)):
        lift(felt, memory, CATCH, rear, 1.0 - first)
    elif falls_back(felt, rear, omega):
        lift(felt, memory, CATCH, front, first)
    elif memory[GAIT] == JUMP and front.stands and rear.stands and time_in(memory, STATE, felt.time) > SETTLED[2]:
        slow = abs(felt.v[0]) < SETTLED[0] and abs(felt.v[1]) < SETTLED[0]
        if slow and abs(felt.q[0] - 0.5 * (front.x + rear.x)) < SETTLED[1]:
            enter(memory, STATE, THRUST, felt.time)


@kernel
def step_on(felt, memory, tune, swing, stance):
    """One foot stands: the step ends when the other one is down; one that goes back becomes one that saves itself."""
    lasted = time_in(memory, STATE, felt.time)
    there = memory[STATE] == CATCH or swing.x > stance.x + APART or lasted > SURE[1]
    if swing.stands and lasted > SURE[0] and there:
        set_down(felt, memory, tune, swing)
    elif memory[STATE] == SINGLE and felt.q[0] < stance.x and felt.v[0] < SLACK:
        lift(felt, memory, CATCH, swing, memory[SWING])


@kernel
def next_state(felt, memory, make, tune, left, right):
    """What the contacts and the motion lead to."""
    state, lasted = memory[STATE], time_in(memory, STATE, felt.time)
    first = 0.0 if left.x >= right.x else 1.0
    front, rear = (left, right) if first == 0.0 else (right, left)
    away = since_touch(memory, TOUCHED, left.stands or right.stands, felt.time)
    if state == THRUST:
        if felt.v[1] > tune.jump or min(left.length, right.length) > make.longest - TAKE_OFF[0] or lasted > TAKE_OFF[1]:
            enter(memory, STATE, FLIGHT, felt.time)
    elif state == FLIGHT:
        if away == 0.0 and lasted > SURE[0]:
            enter(memory, STATE, DOUBLE, felt.time)
    elif away > ALOFT:
        enter(memory, STATE, FLIGHT, felt.time)
    elif state == DOUBLE:
        if memory[GAIT] == WALK:
            walk_on(felt, memory, make, tune, front, rear, first)
        else:
            stay(felt, memory, make, tune, front, rear, first)
    elif memory[SWING] == 0.0:
        step_on(felt, memory, tune, left, right)
    else:
        step_on(felt, memory, tune, right, left)


# --- what is done in a state ----------------------------------------------------------------------------------------------


@kernel
def walking_force(felt, memory, make, tune, front):
    """On the hip, along and across the front leg: Kelly's (1) to (3), corrected."""
    top, _, _ = top_speed(make, tune, memory)
    pace, wanted, _ = pendulum(felt, make, front, top)
    along = tune.stiffness * (tune.length - front.length) - tune.damping * front.rate
    across = tune.push * (wanted - pace)
    return along * front.sin + across * front.cos, along * front.cos - across * front.sin + make.hip * make.gravity


@kernel
def hovering_force(felt, memory, make, tune, front, rear):
    """On the hip, to keep it over the middle of the feet, at a height or thrusting upward."""
    height = tune.crouch if memory[GAIT] == JUMP else tune.height
    kx, dx, kz, dz = HOVER
    across = kx * (0.5 * (front.x + rear.x) - felt.q[0]) - dx * felt.v[0]
    up = kz * (0.5 * (front.z + rear.z) + height - felt.q[1]) - dz * felt.v[1]
    if memory[STATE] == THRUST:
        up = SURGE[0] * (SURGE[1] * tune.jump - felt.v[1])
    return make.hip * across, make.hip * (up + make.gravity)


@kernel
def stand_on(felt, memory, make, tune, left, right, tau):
    """Both legs lay the wanted force on the hip; one that has lost the ground looks for it."""
    ahead = left.x >= right.x
    front, rear = (left, right) if ahead else (right, left)
    if memory[GAIT] == WALK:
        fx, fz = walking_force(felt, memory, make, tune, front)
    else:
        fx, fz = hovering_force(felt, memory, make, tune, front, rear)
    a, b = carry(make, front, rear, fx, fz)
    tau[3], tau[5] = (a, b) if ahead else (b, a)
    if not left.stands:
        tau[3] = reach_down(make, left)
    if not right.stands:
        tau[5] = reach_down(make, right)
    if not (left.stands and right.stands):
        tau[4] = -CALM * make.foot * felt.v[4]


@kernel
def fly(felt, make, tune, left, right, tau):
    """Legs as they shall land: of one length, apart."""
    k, d = 0.5 * tune.swing * tune.swing, tune.swing
    apart = 2.0 * np.arcsin(0.5 * tune.width / tune.length)
    goal = apart if left.x >= right.x else -apart
    tau[3] = make.foot * (k * (tune.length - left.length) - d * left.rate)
    tau[5] = make.foot * (k * (tune.length - right.length) - d * right.rate)
    tau[4] = make.foot * tune.length * tune.length * (k * (goal - felt.q[4]) - d * felt.v[4])


@kernel
def foothold(felt, memory, make, tune, stance):
    """Where the foot shall come down along the ground, the phase of the step and its rate."""
    top, step, omega = top_speed(make, tune, memory)
    x, v = felt.q[0] - stance.x, felt.v[0]
    if memory[STATE] == SINGLE:
        orbit = np.sqrt(max(v * v - omega * omega * x * x, 0.0))
        ahead = within(step + tune.placing * (orbit - top), STEP_RANGE[0], STEP_RANGE[1])
        way = max(stance.x + 0.5 * ahead - memory[FROM_HIP], APART)
        return stance.x + ahead, (felt.q[0] - memory[FROM_HIP]) / way, v / way
    capture = x + v / omega
    side = 1.0 if capture > 0.0 else -1.0
    far = side * max(side * capture + 0.5 * tune.width, tune.width)
    return stance.x + far, time_in(memory, STATE, felt.time) / tune.catch, 1.0 / tune.catch


@kernel
def swing_on(felt, memory, make, tune, swing, stance):
    """Forces of the swinging and of the standing leg, and the torque on the swinging one."""
    x, phase, rate = foothold(felt, memory, make, tune, stance)
    if phase < 0.0:
        phase, rate = 0.0, 0.0
    top = max(memory[FROM_Z], stance.z) + 4.0 / 3.0 * tune.clearance
    px, vx = bezier(memory[FROM_X], memory[FROM_X], x, x, phase)
    pz, vz = bezier(memory[FROM_Z], top, top, stance.z, phase)
    force, torque = follow_virtual(make, felt, swing, (px, pz), (vx * rate, vz * rate), tune.swing, tune.swing_ratio)
    hold = hold_length(make, stance, tune.length, tune.stiffness, tune.damping)
    most = STICKY * max(hold, 0.25 * make.hip * make.gravity) * stance.length
    return force, hold, within(torque, -most, most)


@kernel
def gaits_law(felt: Felt, own: Own, body: Body, tau: np.ndarray) -> int:
    """See, choose the gait, choose its state, act."""
    memory = own.memory
    make, tune = unpack(own.numbers)
    left, right = see_legs(felt, make.zero)
    follow_schedule(own.numbers[HEAD:], memory, felt.time)
    if memory[GOAL] != memory[GAIT]:
        change_gait(felt, memory, left, right)
    next_state(felt, memory, make, tune, left, right)
    for d in range(len(tau)):
        tau[d] = 0.0
    if memory[STATE] == DOUBLE or memory[STATE] == THRUST:
        stand_on(felt, memory, make, tune, left, right, tau)
    elif memory[STATE] == FLIGHT:
        fly(felt, make, tune, left, right, tau)
    elif memory[SWING] == 0.0:
        tau[3], tau[5], torque = swing_on(felt, memory, make, tune, left, right)
        tau[4] = -torque
    else:
        tau[5], tau[3], tau[4] = swing_on(felt, memory, make, tune, right, left)
    return 0
