"""An estimator of place and velocity of the pelvis from sensors alone: leg odometry, fused with an accelerometer.

A foot that stands is at rest, so the leg above it tells where the pelvis is and how fast it moves: by its encoders, and by
orientation and rates of the attitude sensor. In double support both legs count, each by the load that its force sensor feels.
The accelerometer tells what happens meanwhile (complementary filter with the time constant T):

    v += h (R f - g) + h/T (v_legs - v),      p += h v + h/T (p_legs - p),      v_legs, p_legs = sum of w_i (those of leg i)

A foot stands at a point: in the middle of a pad that presses all over, otherwise at the centre of pressure, which is where a foot
turns that rolls over its heel, its toes or a side. A foot with toes has pads on several bodies; that one counts in which the
force acts. Where the point changes, its anchor goes to the new one, as the foot has them at that instant.

Each foot has an anchor, the place where its point stands. Without load the anchor goes with the foot, as the other leg has it.
A loaded one stays; while both feet carry and disagree, the anchor with less load gives way. So an error of the accelerometer
moves no anchor but in flight. A compliant foot is pressed away from its anchor by its load times the compliance.

The estimator is a layer above a walking law, whose goal it sets: `Layered((LegOdometry(), ComputedTorqueWalk(...)))`. It needs
Encoders, Attitude, FootForce at the links of the feet, and an Accelerometer at the link that floats; without one, v = v_legs.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from footfall.control.controller import Controller
from footfall.control.fields import array
from footfall.control.model import Model, model_of
from footfall.control.walking.legs import clip, driven_legs
from footfall.core.jit import kernel
from footfall.core.recursion.kinematics import set_speeds
from footfall.core.spatial.vectors import (
    cross,
    get_motion,
    get_rotation,
    get_vector,
    plus,
    put_vector,
    rotate,
    rotate_back,
    scaled,
)
from footfall.kinematics.two_legs import FLAT, sole_of
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.model.shapes import corners as corners_of

FEW = 1e-9  # shares of the load are never so small, but 0
ALL_OVER, AT_AN_EDGE = 4, 1  # contacts that touch, as walking laws count them


class Pads(NamedTuple):
    """What the feet stand on: a row for each body of a foot that has pads, its rectangle in the axes of the body."""

    side: Any  # (n,) int: whose it is
    body: Any  # (n,) int
    low: Any  # (n, 2) back and right edge
    high: Any  # (n, 2) front and left edge
    level: Any  # (n,) of the sole


class Prepared(NamedTuple):
    """The robot model of the estimator, and its working arrays."""

    model: Model
    base: Any  # body of the pelvis
    foot: Any  # (2,) int: bodies of the feet
    middle: Any  # (2, 3) of the soles, from the origins of the feet
    half: Any  # (2, 2) half the length and width of the soles
    pads: Pads
    weight: Any  # N
    gravity: Any  # m/s2
    q: Any  # (nq,) working arrays: the state with the pelvis at rest at the origin
    v: Any  # (nv,)
    sole: Any  # (2, 3) where the points are then on which the feet stand
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
    level: float = quantity(
        "s",
        "time constant at which feet that stand go to the height of the first ones; infinite if the ground may not be level",
        np.inf,
        low=1e-2,
        infinite=True,
    )
    compliance: float = quantity("m/N", "of a foot on the ground, along all axes", 0.0, low=0.0, high=1e-3)

    leads = "a walking law"

    class State:
        pelvis: Any = array(6)  # m, m/s: place and velocity
        anchor: Any = array(2, 3)  # m: where the feet stand
        on: Any = array(2)  # the pad of each foot that stands, by its row
        at: Any = array(2, 3)  # m: and the point of it, in the axes of its body
        load: Any = array(2)  # N: on the feet, upright
        ground: float = 0.0  # m: height at which the feet stood first
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
            pads=pads_of(robot),
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
            put_vector(command.foot_force, side, get_vector(params.push, side))
        command.estimated = 1.0
        return 0


def pads_of(robot: Robot) -> Pads:
    """The pads of all feet, those on one body together."""
    rows: dict[tuple[int, int], list[np.ndarray]] = {}
    for side, foot in enumerate(robot.feet):
        for pad in foot.pads:
            target = robot.target(pad.link)
            rows.setdefault((side, target.body), []).extend(target.place + target.axes @ at for at in corners_of(pad))
    corners = [np.array(each)[np.array(each)[:, 2] < np.array(each)[:, 2].min() + FLAT] for each in rows.values()]
    return Pads(
        side=np.array([side for side, _ in rows], np.int64),
        body=np.array([body for _, body in rows], np.int64),
        low=np.array([each.min(axis=0)[:2] for each in corners]),
        high=np.array([each.max(axis=0)[:2] for each in corners]),
        level=np.array([each[:, 2].mean() for each in corners]),
    )


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
        R = get_rotation(work.R_WB, params.foot[side])
        force = rotate(R, (obs.wrench[side, 0], obs.wrench[side, 1], obs.wrench[side, 2]))
        put_vector(params.push, side, force)
        state.load[side] = force[2]
        before = place_of(params, state, side)
        find_point(obs, params, state, side)
        now = place_of(params, state, side)
        for k in range(3):
            state.anchor[side, k] += now[k] - before[k]
        put_vector(params.sole, side, now)
        body = params.pads.body[int(state.on[side])]
        V, r = get_motion(work.V_WB, body), rotate(get_rotation(work.R_WB, body), get_vector(state.at, side))
        put_vector(params.slide, side, plus((V[0], V[1], V[2]), cross((V[3], V[4], V[5]), r)))


@kernel
def place_of(params, state, side):
    """Where the point of a foot is on which it stands, from the pelvis."""
    work, body = params.model.work, params.pads.body[int(state.on[side])]
    return plus(get_vector(work.p_WB, body), rotate(get_rotation(work.R_WB, body), get_vector(state.at, side)))


@kernel
def pressure(obs, params, side, row):
    """Where the force on a foot goes through the plane of one of its pads, in the axes of its body: M = p x F."""
    work, foot, body = params.model.work, params.foot[side], params.pads.body[row]
    R, R_B, z = get_rotation(work.R_WB, foot), get_rotation(work.R_WB, body), params.pads.level[row]
    W = obs.wrench[side]
    force = rotate(R, (W[0], W[1], W[2]))
    arm = plus(get_vector(work.p_WB, foot), scaled(get_vector(work.p_WB, body), -1.0))
    F = rotate_back(R_B, force)
    M = rotate_back(R_B, plus(rotate(R, (W[3], W[4], W[5])), cross(arm, force)))
    up = max(F[2], FEW)
    return (z * F[0] - M[1]) / up, (z * F[1] + M[0]) / up


@kernel
def find_point(obs, params, state, side):
    """The point on which a foot stands: on the pad in which its force acts, in the middle of it or at its edge."""
    pads, best, loaded = params.pads, np.inf, state.load[side] > params.touch * params.weight
    for row in range(len(pads.body)):
        if pads.side[row] != side or (not loaded and best < np.inf):
            continue
        low, high = pads.low[row], pads.high[row]
        x, y = 0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1])
        beyond = 0.0
        if loaded:
            p = pressure(obs, params, side, row)
            at_x, at_y = clip(p[0], low[0], high[0]), clip(p[1], low[1], high[1])
            beyond = np.hypot(p[0] - at_x, p[1] - at_y)
            inside = min(min(p[0] - low[0], high[0] - p[0]), min(p[1] - low[1], high[1] - p[1]))
            if inside < params.edge:
                x, y = at_x, at_y
        if beyond < best:
            best, state.on[side] = beyond, float(row)
            state.at[side, 0], state.at[side, 1], state.at[side, 2] = x, y, pads.level[row]


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
    state.ground = 0.5 * (state.anchor[0, 2] + state.anchor[1, 2])


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
            if j == 2:
                state.anchor[side, j] += w * min(h / params.level, 1.0) * (state.ground - state.anchor[side, j])


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
