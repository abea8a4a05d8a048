"""An estimator of place and velocity of the pelvis from sensors alone: leg odometry, fused with an accelerometer.

A foot that stands is at rest, so the leg above it tells where the pelvis is and how fast it moves: by its encoders, and by
orientation and rates of the attitude sensor. In double support both legs count, each by the load that its force sensor feels.
The accelerometer tells what happens meanwhile (complementary filter with the time constant T):

    v += h (R f - g) + h/T (v_legs - v),      p += h v + h/T (p_legs - p),      v_legs, p_legs = sum of w_i (those of leg i)

Each foot has an anchor, the place where it stands. Without load the anchor goes with the foot, as the other leg has it. A loaded
one stays; while both feet carry and disagree, the anchor with less load gives way. So an error of the accelerometer moves no
anchor but in flight. A compliant foot is pressed away from its anchor by its load times the compliance.

The estimator is a layer above a walking law, whose goal it sets: `Layered((LegOdometry(), ComputedTorqueWalk(...)))`. It needs
Encoders, Attitude, FootForce at the links of the feet, and an Accelerometer at the link that floats; without one, v = v_legs.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from footfall.control.controller import Controller
from footfall.control.fields import array
from footfall.control.model import Model, model_of
from footfall.control.walking.legs import driven_legs, sole_of
from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import set_speeds
from footfall.core.spatial.vectors import cross, get_motion, get_rotation, get_vector, plus, put_vector, rotate, scaled
from footfall.model.quantity import quantity
from footfall.model.robot import Robot

FEW = 1e-9  # shares of the load are never so small, but 0
ALL_OVER, AT_AN_EDGE = 4, 1  # contacts that touch, as walking laws count them


class Prepared(NamedTuple):
    """The robot model of the estimator, and its working arrays."""

    model: Model
    base: Any  # body of the pelvis
    foot: Any  # (2,) int: bodies of the feet
    middle: Any  # (2, 3) of the soles, from the origins of the feet
    half: Any  # (2, 2) half the length and width of the soles
    weight: Any  # N
    gravity: Any  # m/s2
    q: Any  # (nq,) working arrays: the state with the pelvis at rest at the origin
    v: Any  # (nv,)
    sole: Any  # (2, 3) where the soles are then
    slide: Any  # (2, 3) and how fast they move
    push: Any  # (2, 3) force of the ground on each foot


@dataclass(frozen=True)
class LegOdometry(Controller):
    """Where the pelvis is and how fast it moves, by the legs that stand and an accelerometer."""

    needs: ClassVar[str] = "a FootForce at both feet"
    fusion: float = quantity("s", "time constant at which the legs correct the accelerometer", 0.05, low=1e-3, high=10.0)
    settling: float = quantity("s", "time constant at which the anchor of a foot with less load gives way", 0.05, low=1e-3)
    touch: float = quantity("1", "part of the weight on a foot above which it touches", 0.05, low=1e-3, high=0.5)
    edge: float = quantity("m", "of the centre of pressure from the edge of a sole that touches all over", 0.01, low=0.0)
    compliance: float = quantity("m/N", "of a foot on the ground, along all axes", 0.0, low=0.0, high=1e-3)

    leads = "a walking law"

    class State:
        pelvis: Any = array(6)  # m, m/s: place and velocity
        anchor: Any = array(2, 3)  # m: where the feet stand
        load: Any = array(2)  # N: on the feet, upright
        begun: int = 0

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Prepared:
        legs = driven_legs(robot)
        soles = [sole_of(robot, foot.name) for foot in robot.feet]
        return Prepared(
            model=model_of(robot, gravity),
            base=legs.base,
            foot=legs.foot,
            middle=np.array([0.5 * (rows.min(axis=0) + rows.max(axis=0)) for rows in soles]),
            half=np.array([0.5 * np.ptp(rows, axis=0)[:2] for rows in soles]),
            weight=robot.mass * gravity,
            gravity=gravity,
            q=np.zeros(robot.nq),
            v=np.zeros(robot.nv),
            sole=np.zeros((2, 3)),
            slide=np.zeros((2, 3)),
            push=np.zeros((2, 3)),
        )

    @kernel
    def law(obs, params, state, goal, command):
        """One tick."""
        feel_feet(obs, params, state)
        if state.begun == 0:
            begin(obs, params, state)
        predict(obs, params, state)
        correct(obs, params, state)
        for k in range(6):
            command.pelvis[k] = state.pelvis[k]
        for side in range(2):
            command.touch[side] = contacts(obs, params, state, side)
        command.estimated = 1.0
        return 0


@kernel
def feel_feet(obs, params, state):
    """Soles relative to the pelvis, in the world's axes, and the forces on them."""
    i, d = params.model.tree.first_q[params.base], params.model.tree.first_v[params.base]
    for k in range(len(obs.q)):
        params.q[k] = obs.q[k]
    for k in range(len(obs.v)):
        params.v[k] = obs.v[k]
    for k in range(3):
        params.q[i + k], params.v[d + k] = 0.0, 0.0
    work = params.model.work
    set_speeds(params.model.tree, work, params.q, params.v)
    for side in range(2):
        foot = params.foot[side]
        R, V = get_rotation(work.R_WB, foot), get_motion(work.V_WB, foot)
        r = rotate(R, get_vector(params.middle, side))
        put_vector(params.sole, side, plus(get_vector(work.p_WB, foot), r))
        put_vector(params.slide, side, plus((V[0], V[1], V[2]), cross((V[3], V[4], V[5]), r)))
        force = rotate(R, (obs.wrench[side, 0], obs.wrench[side, 1], obs.wrench[side, 2]))
        put_vector(params.push, side, force)
        state.load[side] = force[2]


@kernel
def stands_at(params, side):
    """From the pelvis to the anchor of a foot that stands: the sole, and the way by which it gives under its load."""
    return plus(get_vector(params.sole, side), scaled(get_vector(params.push, side), params.compliance))


@kernel
def begin(obs, params, state):
    """The place at the start is the origin of all that follows; the robot is at rest."""
    state.begun = 1
    i = params.model.tree.first_q[params.base]
    for k in range(3):
        state.pelvis[k], state.pelvis[3 + k] = obs.q[i + k], 0.0
    for side in range(2):
        put_vector(state.anchor, side, plus(stands_at(params, side), (state.pelvis[0], state.pelvis[1], state.pelvis[2])))


@kernel
def predict(obs, params, state):
    """Go on by the accelerometer."""
    h = 1.0 / params.rate
    if len(obs.acceleration) > 0:
        f = obs.acceleration[0, 0], obs.acceleration[0, 1], obs.acceleration[0, 2]
        a = plus(rotate(get_rotation(params.model.work.R_WB, params.base), f), (0.0, 0.0, -params.gravity))
        for k in range(3):
            state.pelvis[3 + k] += h * a[k]
    for k in range(3):
        state.pelvis[k] += h * state.pelvis[3 + k]


@kernel
def share(params, state, side):
    """The part of a foot in the odometry: by its load beyond that at which it touches; 0 for both in flight."""
    least = params.touch * params.weight
    left, right = max(state.load[0] - least, 0.0), max(state.load[1] - least, 0.0)
    return (left if side == 0 else right) / max(left + right, least)


@kernel
def correct(obs, params, state):
    """Come nearer to what the legs say; anchors with less load follow the legs that carry, in flight the accelerometer."""
    h = 1.0 / params.rate
    k = min(h / params.fusion, 1.0)
    k_v = k if len(obs.acceleration) > 0 else 1.0
    left, right = share(params, state, 0), share(params, state, 1)
    first, second = stands_at(params, 0), stands_at(params, 1)
    stands = left + right
    for j in range(3):
        off = left * (state.anchor[0, j] - first[j] - state.pelvis[j])
        off += right * (state.anchor[1, j] - second[j] - state.pelvis[j])
        fast = left * (-params.slide[0, j] - state.pelvis[3 + j])
        fast += right * (-params.slide[1, j] - state.pelvis[3 + j])
        legs = state.pelvis[j] + off / max(stands, FEW)
        state.pelvis[j] += k * off
        state.pelvis[3 + j] += k_v * fast
        if stands <= 0.0:
            legs = state.pelvis[j]
        for side in range(2):
            w, at = (left, first) if side == 0 else (right, second)
            give = min(h * (1.0 - w) / params.settling, 1.0) if w > 0.0 else 1.0
            state.anchor[side, j] += give * (legs + at[j] - state.anchor[side, j])


@kernel
def contacts(obs, params, state, side):
    """How many contacts of a foot touch, judged by its force sensor: none, some at an edge, or all.

    The centre of pressure follows from force and moment about the foot's origin, M = p x F.
    """
    if not state.load[side] > params.touch * params.weight:
        return 0.0
    W, middle, half = obs.wrench[side], params.middle[side], params.half[side]
    x, y = (middle[2] * W[0] - W[4]) / W[2] - middle[0], (W[3] + middle[2] * W[1]) / W[2] - middle[1]
    inside = abs(x) < half[0] - params.edge and abs(y) < half[1] - params.edge
    return float(ALL_OVER) if inside else float(AT_AN_EDGE)
