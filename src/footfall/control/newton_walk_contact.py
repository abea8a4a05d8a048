"""A walk by named equations on real contact: no magnets. Forces of the feet are unknowns within friction and soles.

The phases are those of the paper's figure 6 (see `newton_walk`): swing a leg, land its heel, take off over the toes of the other
foot. Its F, which demands a centre of pressure far outside of the foot, is replaced by the divergent component of motion (DCM,
capture point), xi = c + c' / omega. With the pendulum c'' = omega^2 (c - p) it obeys

    DCM:  xi' = omega (xi - p)

The centre of pressure p rolls forward under the standing foot, from its heel to its ball, and in the double support on to the
heel of the other foot. It is moved so that xi is where the next step wants it, within the sole; where the sole is too short for
that, the heel is put elsewhere (step adjustment, Englsberger 2015; Khadiv 2016).

A foot stands on its heel, its sole or its toes: each is a rectangle that bounds the centre of pressure. Newton's law for the
free base holds exactly, and so do the limits of the feet's forces and of the motors. Everything else is a wish with a weight.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from footfall.control.algorithm.controller import Algorithmic
from footfall.control.fields import array, states
from footfall.model.layout import rotation
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.motion.generators import orient_with_pd, set_angle_with_pd

STAND, R_SWING, R_LANDING, L_TAKEOFF, L_SWING, L_LANDING, R_TAKEOFF = range(7)
PHASES = ("stand", "r-swing", "r-landing", "l-takeoff", "l-swing", "l-landing", "r-takeoff")
AIR, HEEL, SOLE, TOES = range(4)
PARTS = ("air", "heel", "sole", "toes")
SIDES = {"L": "left", "R": "right"}
OTHER = {"L": "R", "R": "L"}
LIMITS = {side: tuple(f"{side}-{what}" for what in ("PRESS", "FRICTION", "ROLL", "PITCH", "YAW")) for side in SIDES}
SOON = 0.15  # s: time for which feedback to the centre of pressure plans at least; the next step corrects what is late
TOUCHED = 30.0  # N: a foot that carries this much has landed


@dataclass(frozen=True)
class NewtonWalkContact(Algorithmic):
    """Steps from heel to toes, with a short double support after each."""

    rate: float = quantity("1/s", "how often the law is called", 250.0, low=50.0, high=1e4)
    stride: float = quantity("m", "of every step, from foot to foot, on average", 0.35, low=0.0, high=0.8)
    stride_swing: float = quantity("m", "by which the stride changes to and fro", 0.0, low=0.0, high=0.5)
    period: float = quantity("s", "of this change", 20.0, low=0.1, high=1e4)
    width: float = quantity("m", "from foot to foot, sideways", 0.2, low=0.1, high=0.5)
    swing_time: float = quantity("s", "of a foot in the air", 0.38, low=0.2, high=1.5)
    double_support: float = quantity("s", "of take-off, from one heel's landing to the other foot's swing", 0.08, low=0.01, high=0.5)
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
    torso_weight: float = quantity("1", "of the torso's orientation", 3.0, low=0.0, high=1e4)
    yaw_weight: float = quantity("1", "of the torso's yaw", 3.0, low=0.0, high=1e4)
    swing_weight: float = quantity("1", "of the swinging foot", 60.0, low=0.0, high=1e4)
    begin: float = quantity("s", "of standing, at least", 0.8, low=0.0, high=10.0)
    believed_mass: float = quantity(
        "1", "masses and inertias that the algorithm counts on, by the true ones", 1.0, low=0.5, high=2.0
    )

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
        p: Any = array(2)  # m: centre of pressure, commanded
        xi: Any = array(2)  # m

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> dict[str, Any]:
        return super().prepare(heavier(robot, self.believed_mass), q, gravity)

    def initialize(algo: Any, params: Any, state: Any) -> None:
        """What is always in force."""
        own = algo.own
        own.parts = {side: standing_parts(algo, params, side) for side in SIDES}
        own.half = np.array(params.robot.feet[0].pads[0].size[:2]) / 2
        own.heel = {side: algo.point(f"heel_{name}") for side, name in SIDES.items()}
        own.foot = {side: algo.body(f"foot_{name}") for side, name in SIDES.items()}
        own.toe = {side: algo.joint(f"toe_{name}") for side, name in SIDES.items()}
        own.pads = {side: slice(16 * i, 16 * (i + 1)) for i, side in enumerate(SIDES)}
        com = algo.com
        own.height = params.height * algo.value(com.position)[2]
        own.omega = np.sqrt(params.gravity / own.height)
        own.dcm = algo.dcm(own.omega)
        own.at = {side: own.heel[side].position for side in SIDES}
        own.moves = {side: own.heel[side].velocity for side in SIDES}
        own.known = own.dcm.position
        own.pitch = {side: own.foot[side].orientation_error(np.eye(3))[1] for side in SIDES}
        algo.define("DCM", (own.dcm.velocity - own.omega * own.dcm.position).horizontal)
        algo.equate("DCM", (own.dcm.velocity - own.omega * own.dcm.position).horizontal == 0.0, weight=500.0 * own.omega**2)
        w = 10.0
        algo.equate("HEIGHT", com.acceleration.z + 2.0 * w * com.velocity.z + w * w * (com.position.z - own.height) == 0.0, weight=100.0)
        upright = orient_with_pd(algo.body("torso"), np.eye(3), 0.5).expression
        algo.equate("TORSO-CONSTRAINT", upright[:2] == 0.0, weight=params.torso_weight)
        algo.equate("TORSO-YAW", upright[2] == 0.0, weight=params.yaw_weight)
        hips = [algo.joint(f"hip_{name}") for name in SIDES.values()]
        twist = sum((hip.acceleration[2] + 16.0 * hip.velocity[2] + 64.0 * hip.angle[2]) ** 2 for hip in hips)
        joints = [algo.joint(f"{joint}_{name}") for joint in ("hip", "knee", "ankle", "toe") for name in SIDES.values()]
        algo.minimise(0.02 * sum(joint.acceleration**2 for joint in joints) + twist)
        for joint in joints:
            algo.limit(f"{joint.name} most", joint.torque <= params.torque)
            algo.limit(f"{joint.name} least", joint.torque >= -params.torque)
        for side, name in SIDES.items():
            knee = algo.joint(f"knee_{name}")
            algo.limit(f"{side}-KNEE-STOP", knee.acceleration + 40.0 * knee.velocity + 400.0 * (knee.angle - 0.05) >= 0.0)
            algo.equate(f"{side}-TOE-ANGLE", set_angle_with_pd(own.toe[side], 0.0, 0.15), weight=1.0)
            stand_on(algo, params, state, side, SOLE)

    def controller(algo: Any, params: Any, state: Any, time: float) -> None:
        """The phases, three for each leg."""
        own, phase = algo.own, state.phase
        xi = state.xi[:] = algo.value(own.known)[:2]
        if phase == STAND:
            shift_weight(algo, params, state, xi, time)
        else:
            lead = "R" if phase in (R_SWING, R_LANDING, L_TAKEOFF) else "L"
            if phase in (L_TAKEOFF, R_TAKEOFF):
                if time - state.since >= params.double_support:
                    lead = OTHER[lead]
                    begin_swing(algo, params, state, lead, time)
                    swing(algo, params, state, lead, xi, time)
                else:
                    take_off(algo, params, state, lead, time)
            else:
                swing(algo, params, state, lead, xi, time)
        algo.assign("DCM", -own.omega * state.p)


class Part(NamedTuple):
    """Where a foot stands, and half the lengths of the rectangle in which the centre of pressure may be."""

    point: Any
    half: np.ndarray
    size: np.ndarray  # half the lengths of the part itself


def standing_parts(algo: Any, params: Any, side: str) -> dict[int, Part]:
    name, robot = SIDES[side], params.robot
    sole, toes = robot.feet[0].pads
    X, Y = np.array(sole.size[:2]) / 2
    x, y, toe = X - params.margin, Y - params.margin, toes.size[0] / 2
    return {
        HEEL: Part(algo.point(f"heel_{name}", (0.01, 0.0, 0.0)), np.array((0.01, y)), np.array((0.01, Y))),
        SOLE: Part(algo.point(f"sole_{name}"), np.array((x, y)), np.array((X, Y))),
        TOES: Part(algo.point(f"toes_{name}", (toe, 0.0, toes.at[2] - toes.size[2] / 2)), np.array((toe / 2, y)), np.array((toe, Y))),
    }


def heavier(robot: Robot, k: float) -> Robot:
    """A robot with k times the mass and inertia of every link."""
    if k == 1.0:
        return robot
    links = [replace(each, mass=k * each.mass, inertia=tuple((k * np.array(each.inertia)).tolist())) for each in robot.links]
    return replace(robot, links=tuple(links))


def stand_on(algo: Any, params: Any, state: Any, side: str, part: int) -> None:
    """Stand on a part of the foot: its force presses, stays within the friction pyramid, and acts inside the part.

    It turns there until it is level.
    """
    leave(algo, state, side)
    setattr(state, SIDES[side], part)
    point, (x, y), most = algo.own.parts[side][part]
    R = algo.orientation(point)
    level = rotation((0.0, 0.0, float(np.arctan2(R[1, 0], R[0, 0]))))
    foot = algo.stand(f"{side}-FOOT", point, 20.0, weight=3000.0, orientation=level, settle=params.level_time)
    algo.equate(f"{side}-FORCE", foot.force == 0.0, weight=1e-5)
    algo.equate(f"{side}-MOMENT", foot.moment == 0.0, weight=1e-4)
    f, m, mu = level.T @ foot.force, level.T @ foot.moment, params.friction / np.sqrt(2.0)
    algo.limit(f"{side}-PRESS", f.z >= 5.0)
    for sign, name in ((1.0, "+"), (-1.0, "-")):
        algo.limit(f"{side}-FRICTION x{name}", mu * f.z - sign * f.x >= 0.0)
        algo.limit(f"{side}-FRICTION y{name}", mu * f.z - sign * f.y >= 0.0)
        algo.limit(f"{side}-ROLL {name}", y * f.z - sign * m.x >= 0.0)
        algo.limit(f"{side}-PITCH {name}", x * f.z - sign * m.y >= 0.0)
        for a, b in ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)):
            X, Y = most
            edge = a * (Y * f.x + sign * mu * m.x) + b * (X * f.y + sign * mu * m.y)
            algo.limit(f"{side}-YAW {name} {a:+.0f}{b:+.0f}", mu * (X + Y) * f.z - sign * m.z - edge >= 0.0)


def leave(algo: Any, state: Any, side: str) -> None:
    """Off the ground: nothing of what the foot stood on is in force."""
    if f"{side}-FOOT" in algo.equations:
        limits = [name for name in algo.limits if name.startswith(LIMITS[side])]
        algo.remove(f"{side}-FOOT", f"{side}-FORCE", f"{side}-MOMENT", *limits)
    setattr(state, SIDES[side], AIR)


def roll_of(params: Any, stride: float) -> float:
    """By how much the centre of pressure rolls from the middle of the sole, fore and aft."""
    return params.roll * stride


def offsets(own: Any, params: Any, stride: float, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Where the DCM is in steady steps, from the middle of the foot `side`: when it lands, and when it stands alone."""
    w, Ts, Td, r = own.omega, params.swing_time, params.double_support, roll_of(params, stride)
    Es, Ed = np.exp(w * Ts), np.exp(w * Td)
    s, d = 2.0 * r / (w * Ts), (stride - 2.0 * r) / (w * Td)  # velocities of p, by omega
    x = (stride - r - s - (d - s) * Es - (stride - r - d) * Es * Ed) / (Es * Ed - 1.0)
    k, aside = (Ed - 1.0) / (w * Td), params.width if side == "L" else -params.width
    y = aside * (k * Es - Es * Ed - 1.0) / (Es * Ed + 1.0)
    landing = np.array((x, y))
    alone = np.array((d - r + (x + stride - r - d) * Ed, (y + aside) * Ed - aside * k))
    return landing, alone


def middle(algo: Any, side: str) -> np.ndarray:
    """The middle of a sole, as it is once the foot is level."""
    place = algo.value(algo.own.at[side])
    place[0] += algo.own.half[0]
    return place


def shift_weight(algo: Any, params: Any, state: Any, xi: np.ndarray, time: float) -> None:
    """From standing on both feet towards the left one, until the DCM is where a step begins."""
    own = algo.own
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
    own, trail = algo.own, OTHER[lead]
    state.phase, state.since = (R_SWING if lead == "R" else L_SWING), time
    state.steps += 1
    wanted = params.stride + params.stride_swing * np.sin(2.0 * np.pi * time / params.period)
    state.stride += np.clip(wanted - state.stride, -params.speed_up, params.speed_up)
    state.stance[:] = middle(algo, trail)
    state.start[:3], state.start[3:] = algo.value(own.at[lead]), algo.value(own.moves[lead])
    leave(algo, state, lead)
    algo.define(f"{lead}-HEEL-TRAJ", own.heel[lead].acceleration)
    algo.equate(f"{lead}-HEEL-TRAJ", own.heel[lead].acceleration == 0.0, weight=params.swing_weight)
    strike = rotation((0.0, params.foot_strike, 0.0))
    algo.equate(f"{lead}-FOOT-ORIENTATION", orient_with_pd(own.foot[lead], strike, 0.3), weight=params.swing_weight)
    algo.equate(f"{lead}-TOE-ANGLE", set_angle_with_pd(own.toe[lead], 0.0, 0.3), weight=1.0)


def swing(algo: Any, params: Any, state: Any, lead: str, xi: np.ndarray, time: float) -> None:
    """Pressure and foothold of the step, and the acceleration of the heel that gets there in time."""
    own, trail, w, T = algo.own, OTHER[lead], algo.own.omega, params.swing_time
    level_out(algo, params, state, trail)
    out = 1.0 if lead == "L" else -1.0
    since = time - state.since
    left = max(T - since, 0.0)
    b = offsets(own, params, state.stride, lead)[0]
    r = roll_of(params, state.stride)
    speed = np.array((2.0 * r / T, 0.0))
    p = state.stance[:2] + np.array((r, 0.0)) - left * speed

    def landing(p: np.ndarray, left: float) -> np.ndarray:
        return p + left * speed + speed / w + (xi - p - speed / w) * np.exp(w * left)

    wanted = state.stance[:2] + np.array((state.stride, out * params.width)) + b
    reach = own.half - params.margin
    state.p[:] = p = p + np.clip((wanted - landing(p, left)) / (1.0 - np.exp(w * max(left, SOON))), -reach, reach)
    goal = landing(p, left) - b - state.stance[:2]
    goal[1] = out * min(max(out * goal[1], 0.12), 0.45)
    goal[0] = min(max(goal[0], -0.5), 0.75)
    state.goal[:] = state.stance[:2] + goal
    touched = since > 0.6 * T and algo.obs.force[own.pads[lead], 2].sum() > TOUCHED
    if touched:
        land(algo, params, state, lead, time)
        return
    if left == 0.0 and state.phase in (R_SWING, L_SWING):
        state.phase += 1
    follow(algo, params, state, lead, since)


def follow(algo: Any, params: Any, state: Any, lead: str, since: float) -> None:
    """The heel goes to the goal in the time that is left, and over a hump; after that time it goes on down."""
    own, T = algo.own, params.swing_time
    x, v = algo.value(own.at[lead]), algo.value(own.moves[lead])
    rest = max(T - since, 0.06)
    a = np.empty(3)
    a[0] = 6.0 * (state.goal[0] - own.half[0] - x[0]) / rest**2 - 4.0 * v[0] / rest
    a[1] = 6.0 * (state.goal[1] - x[1]) / rest**2 - 4.0 * v[1] / rest
    s, late = min(since / T, 1.0), max(since - T, 0.0)
    z0, v0, down = state.start[2] - state.stance[2], T * min(max(state.start[5], 0.0), 1.0), 0.6
    u = 1.0 - s
    z = z0 * (1.0 + 2.0 * s) * u * u + v0 * s * u * u + params.lift * 16.0 * s * s * u * u - down * late
    rate = (-6.0 * z0 * s * u + v0 * u * (1.0 - 3.0 * s) + params.lift * 32.0 * s * u * (1.0 - 2.0 * s)) / T
    bend = (z0 * (12.0 * s - 6.0) + v0 * (6.0 * s - 4.0) + params.lift * 32.0 * (1.0 - 6.0 * s + 6.0 * s * s)) / T**2
    if late > 0.0:
        rate, bend = -down, 0.0
    a[2] = bend + 900.0 * (state.stance[2] + z - x[2]) + 60.0 * (rate - v[2])
    algo.assign(f"{lead}-HEEL-TRAJ", np.clip(a, -150.0, 150.0))


def land(algo: Any, params: Any, state: Any, lead: str, time: float) -> None:
    """The heel has touched: stand on it, and on the toes of the other foot, whose heel rises."""
    trail = OTHER[lead]
    state.phase, state.since = (L_TAKEOFF if lead == "R" else R_TAKEOFF), time
    algo.remove(f"{lead}-HEEL-TRAJ", f"{lead}-FOOT-ORIENTATION")
    algo.equate(f"{lead}-TOE-ANGLE", set_angle_with_pd(algo.own.toe[lead], 0.0, 0.15), weight=1.0)
    stand_on(algo, params, state, lead, HEEL)
    stand_on(algo, params, state, trail, TOES)
    bent = set_angle_with_pd(algo.own.toe[trail], -params.toe_off, 2.0 * params.double_support)
    algo.equate(f"{trail}-TOE-ANGLE", bent, weight=30.0)
    state.start[:2] = state.p
    take_off(algo, params, state, lead, time)


def take_off(algo: Any, params: Any, state: Any, lead: str, time: float) -> None:
    """The centre of pressure goes over from one foot to the other."""
    level_out(algo, params, state, lead)
    s = min((time - state.since) / params.double_support, 1.0)
    end = middle(algo, lead)[:2]
    end[0] -= roll_of(params, state.stride)
    state.p[:] = (1.0 - s) * state.start[:2] + s * end


def level_out(algo: Any, params: Any, state: Any, side: str) -> None:
    """A foot that has landed on its heel stands on its sole once that is level."""
    if getattr(state, SIDES[side]) == HEEL and algo.value(algo.own.pitch[side]) > -0.02:
        stand_on(algo, params, state, side, SOLE)
