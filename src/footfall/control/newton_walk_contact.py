"""A walk by named equations on real contact: no magnets. Forces of the feet are unknowns within friction and soles.

The phases are those of the paper's figure 6 (see `newton_walk`): swing a leg, land its heel, take off over the toes of the other
foot. The paper's F demands a centre of pressure far outside of the foot. It is replaced by the divergent component of motion
(DCM, capture point), xi = c + c' / omega. For a pendulum with its foot at p it obeys

    DCM:         xi' = omega (xi - p)
    p:           rolls forward under the standing foot, from -r to r, and in take-off on to -r of the other foot; it is shifted so
                 that xi is where the next step wants it, within the sole
    R-HEEL-TRAJ: the heel goes to where xi will be at landing, less the offset that xi has in steady steps (step adjustment,
                 Englsberger 2015; Khadiv 2016): what the sole is too short for, the next foothold does

p is no centre of pressure: a leg that is swung forward moves the centre of pressure forward at first and back afterwards, by
more than 0.1 m at 1 m/s. A pendulum that rolls from -r to r leaves room for that.

A foot stands on its heel, its sole or its toes: each is a rectangle that bounds centre of pressure and yaw moment. Newton's law
for the free base holds exactly, and so do the limits of the feet's forces and of the motors. Everything else is a wish with a
weight.
"""

from dataclasses import dataclass
from math import exp
from typing import Any, NamedTuple

import numpy as np

from footfall.control.algorithm.controller import Algorithmic
from footfall.control.fields import array, states
from footfall.model.layout import rotation
from footfall.model.quantity import quantity
from footfall.motion.generators import orient_with_pd, set_angle_with_pd

STAND, R_SWING, R_LANDING, L_TAKEOFF, L_SWING, L_LANDING, R_TAKEOFF = range(7)
PHASES = ("stand", "r-swing", "r-landing", "l-takeoff", "l-swing", "l-landing", "r-takeoff")
AIR, HEEL, SOLE, TOES = range(4)
PARTS = ("air", "heel", "sole", "toes")
SIDES = {"L": "left", "R": "right"}
OTHER = {"L": "R", "R": "L"}
SOON = 0.15  # s: time for which feedback to the centre of pressure plans at least; the next step corrects what is late
TOUCHED = 30.0  # N: a foot that carries this much has landed
LEVEL = 0.02  # rad: a foot that is so near to level stands on its sole
DOWN = 0.6  # m/s: of a heel that has not landed in time, or has left the ground again
STOPS = 20.0  # 1/s: rate at which a foot that stands comes to rest
NARROWEST, WIDEST, BACK, FRONT = 0.12, 0.45, -0.5, 0.75  # m: footholds, from the middle of the other sole
WEIGHT = {"FOOT": 3000.0, "DCM": 500.0, "HEIGHT": 100.0, "HEEL-TRAJ": 60.0, "FOOT-ORIENTATION": 60.0, "TAKE-OFF": 30.0}
WEIGHT |= {"TORSO-CONSTRAINT": 3.0, "TOE-ANGLE": 1.0, "TWIST": 1.0, "ACCELERATIONS": 0.02, "MOMENT": 1e-4, "FORCE": 1e-5}


@dataclass(frozen=True)
class NewtonWalkContact(Algorithmic):
    """Steps from heel to toes, with a short double support after each."""

    rate: float = quantity("1/s", "how often the law is called", 250.0, low=50.0, high=1e4)
    stride: float = quantity("m", "of every step, from foot to foot, on average", 0.35, low=0.0, high=0.8)
    stride_swing: float = quantity("m", "by which the stride changes to and fro", 0.0, low=0.0, high=0.5)
    period: float = quantity("s", "of this change", 20.0, low=0.1, high=1e4)
    width: float = quantity("m", "from foot to foot, sideways", 0.2, low=0.1, high=0.5)
    swing_time: float = quantity("s", "of a foot in the air", 0.38, low=0.2, high=1.5)
    double_support: float = quantity("s", "from the landing of a heel to the swing of the other foot", 0.08, low=0.01, high=0.5)
    speed_up: float = quantity("m", "by which a step may be longer than the one before", 0.05, low=0.01, high=1.0)
    height: float = quantity("1", "of the centre of mass, as a part of that at the start", 0.95, low=0.7, high=1.0)
    lift: float = quantity("m", "of the swinging heel", 0.05, low=0.0, high=0.3)
    foot_strike: float = quantity(
        "rad", "pitch of the foot that strikes; negative with the toe up", -np.radians(10.0), low=-0.7, high=0.0
    )
    toe_off: float = quantity("rad", "by which the toe is bent in take-off", np.radians(20.0), low=0.0, high=0.8)
    level_time: float = quantity("s", "in which the foot that landed is level", 0.1, low=0.02, high=1.0)
    roll: float = quantity("1", "of the stride, by which the pendulum rolls on the foot, fore and aft", 0.3, low=0.0, high=0.4)
    margin: float = quantity("m", "of the centre of pressure inside the sole", 0.015, low=0.0, high=0.04)
    friction: float = quantity("1", "that the feet count on", 0.6, low=0.05, high=2.0)
    torque: float = quantity("N m", "that motors may give", 200.0, low=10.0, high=1e5)
    begin: float = quantity("s", "of standing, at least", 0.8, low=0.0, high=10.0)

    class State:
        phase: int = states(*PHASES)
        since: float = 0.0  # s: when the swing or take-off began
        steps: int = 0
        stride: float = 0.0  # m: of the step at hand
        left: int = states(*PARTS)  # what the foot stands on
        right: int = states(*PARTS)
        stance: Any = array(3)  # m: the middle of the sole that stands
        start: Any = array(6)  # m, m/s: place and velocity of the heel when its swing began
        goal: Any = array(2)  # m: where the middle of the swinging sole goes
        p: Any = array(2)  # m: the foot of the pendulum
        xi: Any = array(2)  # m

    def initialize(algo: Any, params: Any, state: Any) -> None:
        """What is asked for, and both feet on the ground."""
        own = algo.own
        own.lift, own.follow, own.drop = lift, follow, drop  # equations of a leg in the air
        own.params, own.first_height = None, algo.value(algo.com.position)[2]
        own.half = np.array(params.robot.feet[0].pads[0].size[:2]) / 2
        own.heel = {side: algo.point(f"heel_{name}") for side, name in SIDES.items()}
        own.foot = {side: algo.body(f"foot_{name}") for side, name in SIDES.items()}
        own.toe = {side: algo.joint(f"toe_{name}") for side, name in SIDES.items()}
        own.at = {side: own.heel[side].position for side in SIDES}
        own.moves = {side: own.heel[side].velocity for side in SIDES}
        own.pitch = {side: own.foot[side].orientation_error(np.eye(3))[1] for side in SIDES}
        set_wishes(algo, params)
        for side in SIDES:
            algo.equate(f"{side}-TOE-ANGLE", set_angle_with_pd(own.toe[side], 0.0, 0.15), weight=WEIGHT["TOE-ANGLE"])
            stand_on(algo, params, state, side, SOLE)

    def controller(algo: Any, params: Any, state: Any, time: float) -> None:
        """The phases, three for each leg."""
        own = algo.own
        if params is not own.params:
            set_wishes(algo, params)
        lead = "R" if state.phase in (R_SWING, R_LANDING, L_TAKEOFF) else "L"
        if state.phase == STAND:
            shift_weight(algo, params, state, time)
        elif state.phase in (L_TAKEOFF, R_TAKEOFF) and time - state.since < params.double_support:
            take_off(algo, params, state, lead, time)
        elif state.phase in (L_TAKEOFF, R_TAKEOFF):
            begin_swing(algo, params, state, OTHER[lead], time)
            swing(algo, params, state, OTHER[lead], time)
        else:
            swing(algo, params, state, lead, time)
        algo.assign("DCM", -own.omega * state.p)


def set_wishes(algo: Any, params: Any) -> None:
    """What is always in force, for the parameters of the moment."""
    own, com, w = algo.own, algo.com, 10.0
    own.params, own.height = params, params.height * own.first_height
    own.omega = float(np.sqrt(params.gravity / own.height))
    own.parts = {side: standing_parts(algo, params, side) for side in SIDES}
    own.dcm = algo.dcm(own.omega)
    own.xi = own.dcm.position
    pendulum = (own.dcm.velocity - own.omega * own.dcm.position).horizontal  # == -omega p
    algo.equate("DCM", pendulum == 0.0, weight=WEIGHT["DCM"] * own.omega**2)
    settles = com.acceleration.z + 2.0 * w * com.velocity.z + w * w * (com.position.z - own.height)
    algo.equate("HEIGHT", settles == 0.0, weight=WEIGHT["HEIGHT"])
    algo.equate("TORSO-CONSTRAINT", orient_with_pd(algo.body("torso"), np.eye(3), 0.5), weight=WEIGHT["TORSO-CONSTRAINT"])
    hips = [algo.joint(f"hip_{name}") for name in SIDES.values()]
    twist = sum((hip.acceleration[2] + 16.0 * hip.velocity[2] + 64.0 * hip.angle[2]) ** 2 for hip in hips)
    joints = [algo.joint(f"{joint}_{name}") for joint in ("hip", "knee", "ankle", "toe") for name in SIDES.values()]
    accelerations = sum(joint.acceleration**2 for joint in joints)
    algo.minimise(WEIGHT["ACCELERATIONS"] * accelerations + WEIGHT["TWIST"] * twist)
    for joint in joints:
        algo.limit(f"{joint.name} most", joint.torque <= params.torque)
        algo.limit(f"{joint.name} least", joint.torque >= -params.torque)
    for side in SIDES:
        stop_knee(algo, side)


def stop_knee(algo: Any, side: str) -> None:
    """A knee comes to rest before it is straight."""
    knee = algo.joint(f"knee_{SIDES[side]}")
    algo.limit(f"{side}-KNEE-STOP", knee.acceleration + 40.0 * knee.velocity + 400.0 * (knee.angle - 0.05) >= 0.0)


class Part(NamedTuple):
    """Where a foot stands, and half the lengths of the rectangle in which the centre of pressure may be."""

    point: Any
    half: tuple[float, float]
    size: tuple[float, float]  # half the lengths of the part itself


def standing_parts(algo: Any, params: Any, side: str) -> dict[int, Part]:
    """Heel, sole and toes. The heel is a strip of 2 cm."""
    name, (sole, toes) = SIDES[side], params.robot.feet[0].pads
    X, Y = np.array(sole.size[:2]) / 2
    x, y, toe, strip = X - params.margin, Y - params.margin, toes.size[0] / 2, 0.01
    ball = algo.point(f"toes_{name}", (toe, 0.0, toes.at[2] - toes.size[2] / 2))
    return {
        HEEL: Part(algo.point(f"heel_{name}", (strip, 0.0, 0.0)), (strip, y), (strip, Y)),
        SOLE: Part(algo.point(f"sole_{name}"), (x, y), (X, Y)),
        TOES: Part(ball, (toe / 2, y), (toe, Y)),
    }


def stand_on(algo: Any, params: Any, state: Any, side: str, part: int) -> None:
    """Stand on a part of the foot: its force presses, stays within the friction pyramid, and acts inside the part.

    The foot turns there until it is level.
    """
    leave(algo, state, side)
    setattr(state, SIDES[side], part)
    point, inside, corners = algo.own.parts[side][part]
    R = algo.orientation(point)
    level = rotation((0.0, 0.0, float(np.arctan2(R[1, 0], R[0, 0]))))
    foot = algo.stand(f"{side}-FOOT", point, STOPS, weight=WEIGHT["FOOT"], orientation=level, settle=params.level_time)
    algo.equate(f"{side}-FORCE", foot.force == 0.0, weight=WEIGHT["FORCE"])
    algo.equate(f"{side}-MOMENT", foot.moment == 0.0, weight=WEIGHT["MOMENT"])
    algo.press(f"{side}-PRESS", foot, params.friction, (inside, corners), least=5.0, axes=level)


def leave(algo: Any, state: Any, side: str) -> None:
    """Off the ground: nothing of what the foot stood on is in force."""
    if f"{side}-FOOT" in algo.equations:
        algo.remove(f"{side}-FOOT", f"{side}-FORCE", f"{side}-MOMENT", f"{side}-PRESS")
    setattr(state, SIDES[side], AIR)


def offsets(own: Any, params: Any, stride: float, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Where the DCM is in steady steps, from the middle of the foot `side`: when it lands, and when it stands alone.

    For a p that moves at a velocity u, xi(t) = p(t) + u / omega + (xi(0) - p(0) - u / omega) e^(omega t): so in the swing, so in
    take-off, and after both xi is where it was, a step farther and on the other side.
    """
    w, Ts, Td, r = own.omega, params.swing_time, params.double_support, params.roll * stride
    Es, Ed = exp(w * Ts), exp(w * Td)
    s, d = 2.0 * r / (w * Ts), (stride - 2.0 * r) / (w * Td)
    x = (stride - r - s - (d - s) * Es - (stride - r - d) * Es * Ed) / (Es * Ed - 1.0)
    k, aside = (Ed - 1.0) / (w * Td), params.width if side == "L" else -params.width
    y = aside * (k * Es - Es * Ed - 1.0) / (Es * Ed + 1.0)
    return np.array((x, y)), np.array((d - r + (x + stride - r - d) * Ed, (y + aside) * Ed - aside * k))


def middle(algo: Any, side: str) -> np.ndarray:
    """The middle of a sole, as it is once the foot is level."""
    return algo.value(algo.own.at[side]) + np.array((algo.own.half[0], 0.0, 0.0))


def shift_weight(algo: Any, params: Any, state: Any, time: float) -> None:
    """From standing on both feet towards the left one, until the DCM is where a step begins, or leaves the feet."""
    own = algo.own
    state.xi[:] = xi = algo.value(own.xi)[:2]
    left, right = (middle(algo, side)[:2] for side in SIDES)
    ready = min(time / max(params.begin, 1e-3), 1.0)
    goal = 0.5 * (left + right) + ready * (left + offsets(own, params, 0.0, "L")[1] - 0.5 * (left + right))
    reach = own.half - params.margin
    state.p[:] = np.clip(xi + 1.5 * (xi - goal), np.minimum(left, right) - reach, np.maximum(left, right) + reach)
    falls = np.abs(xi - state.p).max() > 0.05
    if falls or (time >= params.begin and np.abs(xi - goal).max() < 0.012):
        begin_swing(algo, params, state, "R" if abs(xi[1] - left[1]) < abs(xi[1] - right[1]) else "L", time)


def begin_swing(algo: Any, params: Any, state: Any, lead: str, time: float) -> None:
    """Lift a foot."""
    own = algo.own
    state.phase, state.since = (R_SWING if lead == "R" else L_SWING), time
    state.steps += 1
    wanted = params.stride + params.stride_swing * np.sin(2.0 * np.pi * time / params.period)
    state.stride += np.clip(wanted - state.stride, -params.speed_up, params.speed_up)
    state.stance[:] = middle(algo, OTHER[lead])
    state.start[:3], state.start[3:] = algo.value(own.at[lead]), algo.value(own.moves[lead])
    own.steady = offsets(own, params, state.stride, lead)[0]
    leave(algo, state, lead)
    own.lift(algo, params, lead)


def lift(algo: Any, params: Any, lead: str) -> None:
    """A leg in the air: its heel on the way to the target, the foot oriented for landing, the toe straight."""
    own, strike = algo.own, rotation((0.0, params.foot_strike, 0.0))
    algo.equate(f"{lead}-HEEL-TRAJ", own.heel[lead].acceleration == 0.0, weight=WEIGHT["HEEL-TRAJ"])
    algo.equate(f"{lead}-FOOT-ORIENTATION", orient_with_pd(own.foot[lead], strike, 0.3), weight=WEIGHT["FOOT-ORIENTATION"])
    algo.equate(f"{lead}-TOE-ANGLE", set_angle_with_pd(own.toe[lead], 0.0, 0.3), weight=WEIGHT["TOE-ANGLE"])


def swing(algo: Any, params: Any, state: Any, lead: str, time: float) -> None:
    """The foot of the pendulum, the foothold, and the acceleration of the heel that gets there in time."""
    own, since = algo.own, time - state.since
    level_out(algo, params, state, OTHER[lead])
    xi, x, v = (algo.value(each) for each in (own.xi, own.at[lead], own.moves[lead]))
    state.xi[:] = xi[:2]
    for i in (0, 1):
        step_along(own, params, state, lead, i, max(params.swing_time - since, 0.0))
    if since > 0.6 * params.swing_time and load(algo, lead) > TOUCHED:
        land(algo, params, state, lead, time)
        return
    if since >= params.swing_time and state.phase in (R_SWING, L_SWING):
        state.phase += 1
    own.follow(algo, params, state, lead, since, x, v)


def follow(algo: Any, params: Any, state: Any, lead: str, since: float, x: np.ndarray, v: np.ndarray) -> None:
    """Lead the heel, which is at x and moves with v."""
    algo.assign(f"{lead}-HEEL-TRAJ", heel_acceleration(algo.own, params, state, since, x, v))


def step_along(own: Any, params: Any, state: Any, lead: str, i: int, left: float) -> None:
    """DCM feedback and step adjustment, forward (i = 0) and to the side (i = 1), with so many seconds left."""
    w, out = own.omega, 1.0 if lead == "L" else -1.0
    r, far = (params.roll * state.stride, state.stride) if i == 0 else (0.0, out * params.width)
    s = 2.0 * r / params.swing_time  # velocity of p
    e, xi, b, p = exp(w * left), state.xi[i] - state.stance[i], own.steady[i], r - left * s
    landing = p + left * s + s / w + (xi - p - s / w) * e  # of xi, with p as in steady steps
    reach = own.half[i] - params.margin
    shift = min(max((far + b - landing) / (1.0 - exp(w * max(left, SOON))), -reach), reach)
    foothold = landing + shift * (1.0 - e) - b
    foothold = min(max(foothold, BACK), FRONT) if i == 0 else out * min(max(out * foothold, NARROWEST), WIDEST)
    state.p[i], state.goal[i] = state.stance[i] + p + shift, state.stance[i] + foothold


def heel_acceleration(own: Any, params: Any, state: Any, since: float, x: np.ndarray, v: np.ndarray) -> np.ndarray:
    """To the goal in the time that is left, over a hump and with a foot that comes to rest; after that time on down."""
    T, rest = params.swing_time, max(params.swing_time - since, 0.06)
    s, late = min(since / T, 1.0), max(since - T, 0.0)
    u, z0, v0 = 1.0 - s, state.start[2] - state.stance[2], T * min(max(state.start[5], 0.0), 1.0)
    z = z0 * (1.0 + 2.0 * s) * u * u + v0 * s * u * u + params.lift * 16.0 * s * s * u * u - DOWN * late
    rate = (-6.0 * z0 * s * u + v0 * u * (1.0 - 3.0 * s) + params.lift * 32.0 * s * u * (1.0 - 2.0 * s)) / T
    bend = (z0 * (12.0 * s - 6.0) + v0 * (6.0 * s - 4.0) + params.lift * 32.0 * (1.0 - 6.0 * s + 6.0 * s * s)) / T**2
    if late > 0.0:
        rate, bend = -DOWN, 0.0
    a = (
        6.0 * (state.goal[0] - own.half[0] - x[0]) / rest**2 - 4.0 * v[0] / rest,
        6.0 * (state.goal[1] - x[1]) / rest**2 - 4.0 * v[1] / rest,
        bend + 900.0 * (state.stance[2] + z - x[2]) + 60.0 * (rate - v[2]),
    )
    return np.array([min(max(each, -150.0), 150.0) for each in a])


def land(algo: Any, params: Any, state: Any, lead: str, time: float) -> None:
    """The heel has touched: stand on it, and on the toes of the other foot, whose heel rises."""
    own, trail = algo.own, OTHER[lead]
    state.phase, state.since = (L_TAKEOFF if lead == "R" else R_TAKEOFF), time
    own.drop(algo, state, lead)
    algo.equate(f"{lead}-TOE-ANGLE", set_angle_with_pd(own.toe[lead], 0.0, 0.15), weight=WEIGHT["TOE-ANGLE"])
    stand_on(algo, params, state, lead, HEEL)
    stand_on(algo, params, state, trail, TOES)
    bent = set_angle_with_pd(own.toe[trail], -params.toe_off, 2.0 * params.double_support)
    algo.equate(f"{trail}-TOE-ANGLE", bent, weight=WEIGHT["TAKE-OFF"])
    state.start[:2] = state.p
    take_off(algo, params, state, lead, time)


def drop(algo: Any, state: Any, lead: str) -> None:
    """The leg is no longer in the air."""
    algo.remove(f"{lead}-HEEL-TRAJ", f"{lead}-FOOT-ORIENTATION")


def take_off(algo: Any, params: Any, state: Any, lead: str, time: float) -> None:
    """The foot of the pendulum goes over from one foot to the other."""
    level_out(algo, params, state, lead)
    xi, heel = algo.value(algo.own.xi), algo.value(algo.own.at[lead])
    s = min((time - state.since) / params.double_support, 1.0)
    end = heel[:2] + np.array((algo.own.half[0] - params.roll * state.stride, 0.0))
    state.xi[:], state.p[:] = xi[:2], (1.0 - s) * state.start[:2] + s * end


def level_out(algo: Any, params: Any, state: Any, side: str) -> None:
    """A foot that has landed on its heel stands on its sole once that is level. One that has lost the ground, as a heel that
    bounced, goes on down: forces that it should give would be missing."""
    if getattr(state, SIDES[side]) == HEEL and algo.value(algo.own.pitch[side]) > -LEVEL:
        stand_on(algo, params, state, side, SOLE)
    down = 0.0 if load(algo, side) > TOUCHED else -STOPS * DOWN
    algo.assign(f"{side}-FOOT", np.array((0.0, 0.0, down, 0.0, 0.0, 0.0)))


def load(algo: Any, side: str) -> float:
    """The upright force on a foot, N."""
    half = len(algo.obs.force) // 2
    return float(algo.obs.force[half * (side == "R") : half * (1 + (side == "R")), 2].sum())
