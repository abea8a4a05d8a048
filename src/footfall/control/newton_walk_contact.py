"""A walk by named equations on real contact: no magnets. Forces of the feet are unknowns within friction and soles.

The paper's algorithm (see `newton_walk`) demands a centre of pressure far outside of the foot. Here its F is replaced by feedback
of the divergent component of motion (DCM, capture point), xi = c + c' / omega: with the pendulum c'' = omega^2 (c - p) it moves
to p + (xi - p) e^(omega t). The centre of pressure p is commanded so that xi is where the next step wants it, within the sole;
where the sole is too short for that, the foot is put elsewhere (step adjustment, Englsberger 2015; Khadiv 2016).

Newton's law for the free base holds exactly, and so do the limits of the feet's forces. Everything else is a wish with a weight.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from footfall.control.algorithm.controller import Algorithmic
from footfall.control.fields import array, states
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.motion.generators import orient_with_pd, set_angle_with_pd

PHASES = ("stand", "right swings", "left swings")
SIDES = ("left", "right")
SOON = 0.15  # s: before landing, the centre of pressure stays where it is
TOUCHED = 30.0  # N: a foot that carries this much has landed


@dataclass(frozen=True)
class NewtonWalkContact(Algorithmic):
    """Flat steps, one after the other, with a short double support after each."""

    rate: float = quantity("1/s", "how often the law is called", 500.0, low=50.0, high=1e4)
    stride: float = quantity("m", "of every step, from foot to foot, on average", 0.35, low=0.0, high=0.8)
    stride_swing: float = quantity("m", "by which the stride changes to and fro", 0.0, low=0.0, high=0.5)
    period: float = quantity("s", "of this change", 20.0, low=0.1, high=1e4)
    width: float = quantity("m", "from foot to foot, sideways", 0.18, low=0.1, high=0.5)
    swing_time: float = quantity("s", "of a foot in the air", 0.38, low=0.2, high=1.5)
    double_support: float = quantity("s", "after landing, until the other foot is lifted", 0.06, low=0.0, high=0.5)
    speed_up: float = quantity("m", "by which a step may be longer than the one before", 0.05, low=0.01, high=1.0)
    height: float = quantity("1", "of the centre of mass, as a part of that at the start", 0.95, low=0.7, high=1.0)
    lift: float = quantity("m", "of the swing foot", 0.05, low=0.0, high=0.3)
    margin: float = quantity("m", "of the centre of pressure inside the sole", 0.025, low=0.0, high=0.05)
    friction: float = quantity("1", "that the feet count on", 0.6, low=0.05, high=2.0)
    torque: float = quantity("N m", "that motors may give", 200.0, low=10.0, high=1e5)
    begin: float = quantity("s", "of standing, at least", 0.8, low=0.0, high=10.0)
    believed_mass: float = quantity(
        "1", "masses and inertias that the algorithm counts on, by the true ones", 1.0, low=0.5, high=2.0
    )

    class State:
        phase: int = states(*PHASES)
        since: float = 0.0  # s: when it began
        landed: float = -1.0  # s: when the swing foot landed; -1 in the air
        steps: int = 0
        stride: float = 0.0  # m: of the step at hand
        stance: Any = array(3)  # m: where the standing foot is
        goal: Any = array(2)  # m: where the swing foot goes
        p: Any = array(2)  # m: centre of pressure, commanded
        xi: Any = array(2)  # m

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> dict[str, Any]:
        return super().prepare(heavier(robot, self.believed_mass), q, gravity)

    def initialize(algo: Any, params: Any, state: Any) -> None:
        own, robot = algo.own, params.robot
        algo.most_torque = params.torque
        own.sole = {side: algo.point(f"sole_{side}") for side in SIDES}
        own.foot = {side: algo.body(f"foot_{side}") for side in SIDES}
        own.half = sole_half(robot)
        own.pads = {side: slice(16 * i, 16 * (i + 1)) for i, side in enumerate(SIDES)}
        own.height = params.height * algo.value(algo.com.position)[2]
        own.omega = np.sqrt(params.gravity / own.height)
        own.dcm = algo.dcm(own.omega)
        own.now, own.com, own.com_position = own.dcm.position, algo.com, algo.com.position
        own.where = {side: own.sole[side].position for side in SIDES}
        own.moves = {side: own.sole[side].velocity for side in SIDES}
        algo.define("COM", algo.com.acceleration.horizontal)
        algo.equate("COM", algo.com.acceleration.horizontal == 0.0, weight=50.0)
        w = 10.0
        algo.equate(
            "HEIGHT",
            algo.com.acceleration.z + 2.0 * w * algo.com.velocity.z + w * w * (algo.com.position.z - own.height) == 0.0,
            weight=10.0,
        )
        algo.equate("TORSO", orient_with_pd(algo.body("torso"), np.eye(3), 0.4), weight=30.0)
        for side in SIDES:
            algo.equate(f"TOES {side}", set_angle_with_pd(algo.joint(f"toe_{side}"), 0.0, 0.15), weight=1.0)
            knee = algo.joint(f"knee_{side}")
            algo.limit(f"KNEE {side}", knee.acceleration + 40.0 * knee.velocity + 400.0 * (knee.angle - 0.05) >= 0.0)
            stand_on(algo, params, side)
            for name, torque in (("knee", knee.torque), ("hip", algo.joint(f"hip_{side}").torque[1])):
                algo.limit(f"TORQUE {name} {side} +", torque <= params.torque)
                algo.limit(f"TORQUE {name} {side} -", torque >= -params.torque)
        hips = [algo.joint(f"hip_{side}") for side in SIDES]
        twist = sum((hip.acceleration[2] + 16.0 * hip.velocity[2] + 64.0 * hip.angle[2]) ** 2 for hip in hips)
        joints = [algo.joint(f"{name}_{side}") for name in ("hip", "knee", "ankle", "toe") for side in SIDES]
        algo.minimise(0.02 * sum(joint.acceleration**2 for joint in joints) + twist)

    def controller(algo: Any, params: Any, state: Any, time: float) -> None:
        own = algo.own
        xi, c = algo.value(own.now)[:2], algo.value(own.com_position)
        state.xi[:] = xi
        if state.phase == 0:
            shift_weight(algo, params, state, xi, c, time)
            return
        swing = "right" if state.phase == 1 else "left"
        if state.landed < 0.0:
            swing_foot(algo, params, state, swing, xi, time)
        elif time - state.landed >= params.double_support:
            begin_step(algo, params, state, "left" if swing == "right" else "right", time)
            swing_foot(algo, params, state, "left" if swing == "right" else "right", xi, time)
        else:
            state.p[:] = algo.value(own.where[swing])[:2]
        algo.assign("COM", own.omega**2 * (c[:2] - state.p))


def heavier(robot: Robot, k: float) -> Robot:
    """A robot with k times the mass and inertia of every link."""
    if k == 1.0:
        return robot
    links = [replace(each, mass=k * each.mass, inertia=tuple((k * np.array(each.inertia)).tolist())) for each in robot.links]
    return replace(robot, links=tuple(links))


def sole_half(robot: Any) -> np.ndarray:
    """Half length and half breadth of the foot's own sole, without toes."""
    box = robot.feet[0].pads[0]
    return np.array(box.size[:2]) / 2


def stand_on(algo: Any, params: Any, side: str) -> None:
    """The foot stands; its force presses, stays within the friction pyramid, and acts inside the sole."""
    foot = algo.stand(f"FOOT {side}", algo.own.sole[side], 20.0, weight=3000.0)
    algo.equate(f"FORCE {side}", foot.force == 0.0, weight=1e-5)
    algo.equate(f"MOMENT {side}", foot.moment == 0.0, weight=1e-4)
    f, m, mu = foot.force, foot.moment, params.friction / np.sqrt(2.0)
    x, y = algo.own.half - params.margin
    algo.limit(f"PRESS {side}", f.z >= 5.0)
    for name, part, most in (("x", f.x, mu), ("y", f.y, mu), ("roll", m.x, y), ("pitch", m.y, x), ("yaw", m.z, 0.5 * mu * x)):
        algo.limit(f"{side} {name} +", most * f.z - part >= 0.0)
        algo.limit(f"{side} {name} -", most * f.z + part >= 0.0)


def lift_off(algo: Any, side: str) -> None:
    names = [f"{side} {name} {sign}" for name in ("x", "y", "roll", "pitch", "yaw") for sign in "+-"]
    algo.remove(f"FOOT {side}", f"FORCE {side}", f"MOMENT {side}", f"PRESS {side}", *names)


def offset(own: Any, params: Any, stride: float, side: str) -> np.ndarray:
    """Where the DCM is, from the foot that begins to stand, in steady steps."""
    E = np.exp(own.omega * (params.swing_time + params.double_support))
    out = 1.0 if side == "left" else -1.0
    return np.array((stride / (E - 1.0), -out * params.width / (E + 1.0)))


def shift_weight(algo: Any, params: Any, state: Any, xi: np.ndarray, c: np.ndarray, time: float) -> None:
    """From standing on both feet towards the left one, until the DCM is where a step begins."""
    own = algo.own
    left, right = (algo.value(own.where[side])[:2] for side in SIDES)
    ready = min(time / max(params.begin, 1e-3), 1.0)
    goal = 0.5 * (left + right) + ready * (left + offset(own, params, 0.0, "left") - 0.5 * (left + right))
    state.p[:] = xi + 1.5 * (xi - goal)
    low, high = np.minimum(left, right) - own.half + params.margin, np.maximum(left, right) + own.half - params.margin
    np.clip(state.p, low, high, out=state.p)
    algo.assign("COM", own.omega**2 * (c[:2] - state.p))
    if time >= params.begin and np.abs(xi - goal).max() < 0.012:
        begin_step(algo, params, state, "right", time)


def begin_step(algo: Any, params: Any, state: Any, swing: str, time: float) -> None:
    """Lift a foot."""
    own, stance = algo.own, "left" if swing == "right" else "right"
    state.phase, state.since, state.landed = (1 if swing == "right" else 2), time, -1.0
    state.steps += 1
    wanted = params.stride + params.stride_swing * np.sin(2.0 * np.pi * time / params.period)
    state.stride += np.clip(wanted - state.stride, -params.speed_up, params.speed_up)
    state.stance[:] = algo.value(own.where[stance])
    lift_off(algo, swing)
    algo.define("SWING", own.sole[swing].acceleration)
    algo.equate("SWING", own.sole[swing].acceleration == 0.0, weight=60.0)
    algo.equate("SWING FOOT", orient_with_pd(own.foot[swing], np.eye(3), 0.2), weight=60.0)
    own.start = algo.value(own.where[swing])


def swing_foot(algo: Any, params: Any, state: Any, swing: str, xi: np.ndarray, time: float) -> None:
    """Pressure and foothold of the step, and the acceleration of the foot that gets there in time."""
    own, T = algo.own, params.swing_time
    out = 1.0 if swing == "left" else -1.0
    left = max(T - (time - state.since), 0.0)
    e = np.exp(own.omega * left)
    b = offset(own, params, state.stride, swing)
    wanted = state.stance[:2] + np.array((state.stride, out * params.width)) + b
    gain = np.exp(own.omega * max(left, SOON))  # what is late to be corrected is left to the next step
    p = (wanted - xi * gain) / (1.0 - gain) if left > SOON else state.p
    p = np.clip(p, state.stance[:2] - own.half + params.margin, state.stance[:2] + own.half - params.margin)
    state.p[:] = p
    goal = p + (xi - p) * e - b
    side = out * (goal[1] - state.stance[1])
    goal[1] = state.stance[1] + out * np.clip(side, 0.12, 0.45)
    goal[0] = state.stance[0] + np.clip(goal[0] - state.stance[0], -0.5, 0.75)
    state.goal[:] = goal
    x, v = algo.value(own.where[swing]), algo.value(own.moves[swing])
    rest = max(left, 0.06)
    a = np.zeros(3)
    a[:2] = 6.0 * (goal - x[:2]) / rest**2 - 4.0 * v[:2] / rest
    s = min((time - state.since) / T, 1.0)
    hump, rate, bend = (
        16.0 * s * s * (1.0 - s) ** 2,
        32.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / T,
        32.0 * (1.0 - 6.0 * s + 6.0 * s * s) / T**2,
    )
    late = max(time - state.since - T, 0.0)
    z, z_rate = own.start[2] * (1.0 - s) + params.lift * hump - 0.6 * late, params.lift * rate - (0.6 if late > 0.0 else 0.0)
    a[2] = (params.lift * bend if late == 0.0 else 0.0) + 900.0 * (z - x[2]) + 60.0 * (z_rate - v[2])
    algo.assign("SWING", np.clip(a, -150.0, 150.0))
    force = algo.obs.force[own.pads[swing], 2].sum()
    if s > 0.6 and force > TOUCHED:
        state.landed = time
        algo.remove("SWING", "SWING FOOT")
        stand_on(algo, params, swing)
