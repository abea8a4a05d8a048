"""A walk by fewer equations: the swing leg has elastic tendons, and its motors are off for most of the swing.

Stewart and Cremer (1989) hoped for this: energy that is stored in the stretched tendons of the trailing leg pulls it forward, so
that no trajectory of the heel has to be given (ballistic walking, McMahon). Motors lift the foot off the ground. Then, of the
equations of a leg in the air (see `newton_walk_contact`), one is left, which leads its heel sideways: hip and knee swing freely
fore and aft, and so do ankle and toes. Late in the swing the motors trim the foothold.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.control import newton_walk_contact
from footfall.control.newton_walk_contact import SIDES, WEIGHT, NewtonWalkContact
from footfall.model.quantity import count, quantity

REACTION = 0.03  # s: in which motors lift a foot
OFF = ("HIP-OFF", "KNEE-OFF", "ANKLE-OFF", "TOE-OFF")


@dataclass(frozen=True)
class NewtonWalkTendons(NewtonWalkContact):
    """Steps whose swing is ballistic between two parts of it."""

    release: float = quantity("1", "part of the swing after which motors are off", 0.13, low=0.0, high=1.0)
    trim: float = quantity("1", "part of the swing from which they lead the heel to its foothold", 0.74, low=0.0, high=1.0)
    clearance: float = quantity("m", "of the foot; one that would be lower than this soon is led on", -0.02, low=-0.1, high=0.2)
    guided: int = count("first steps, which are guided all the way", 8, low=0, high=1000)

    class State(NewtonWalkContact.State):
        free: int = 0  # 1 while the motors of the swing leg are off

    def initialize(algo: Any, params: Any, state: Any) -> None:
        NewtonWalkContact.initialize(algo, params, state)
        own = algo.own
        own.follow, own.drop = follow, drop
        toes = params.robot.feet[0].pads[1]
        tip = np.array(toes.at) + 0.5 * np.array(toes.size) * (1.0, 0.0, -1.0)
        tips = {side: algo.point(f"toes_{name}", tip) for side, name in SIDES.items()}
        own.tip, own.tip_moves = ({side: getattr(tip, each) for side, tip in tips.items()} for each in ("position", "velocity"))
        own.low = False


def follow(algo: Any, params: Any, state: Any, lead: str, since: float, x: np.ndarray, v: np.ndarray) -> None:
    """Lift off, swing freely, trim; a foot that comes too low before is led on as without tendons."""
    own, s = algo.own, since / params.swing_time
    if s < params.release or since == 0.0:
        own.low = state.steps <= params.guided
    elif s < params.trim and lowest(algo, lead, x, v) < state.stance[2] + params.clearance:
        own.low = True
    free = params.release <= s < params.trim and not own.low
    if free and not state.free:
        let_go(algo, state, lead)
    elif state.free and not free:
        drop(algo, state, lead)
        newton_walk_contact.lift(algo, params, lead)
    if s < params.release or own.low:
        newton_walk_contact.follow(algo, params, state, lead, since, x, v)
        return
    rest = max(params.swing_time - since, 0.06)
    goal = np.array((state.goal[0] - own.half[0], state.goal[1], state.stance[2]))
    a = np.clip(6.0 * (goal - x) / rest**2 - 4.0 * v / rest, -150.0, 150.0)
    if free:
        algo.assign(f"{lead}-HEEL-SIDE", a[1])
        return
    if s > 1.0:
        a[2] = 60.0 * (-newton_walk_contact.DOWN - v[2])
    algo.assign(f"{lead}-HEEL-TRAJ", a)


def lowest(algo: Any, lead: str, x: np.ndarray, v: np.ndarray) -> float:
    """Height of the heel or of the toes, whichever is lower, in a time REACTION at the present speed."""
    tip, moves = algo.value(algo.own.tip[lead]), algo.value(algo.own.tip_moves[lead])
    return float(min(x[2] + REACTION * v[2], tip[2] + REACTION * moves[2]))


def let_go(algo: Any, state: Any, lead: str) -> None:
    """Motors off, but for those that lead the leg sideways."""
    own, name = algo.own, SIDES[lead]
    state.free = 1
    hip, knee, ankle, toe = (algo.joint(f"{joint}_{name}") for joint in ("hip", "knee", "ankle", "toe"))
    for title, torque in zip(OFF, (hip.torque[1], knee.torque, ankle.torque, toe.torque), strict=True):
        algo.equate(f"{lead}-{title}", torque == 0.0)
    algo.remove(f"{lead}-HEEL-TRAJ", f"{lead}-FOOT-ORIENTATION", f"{lead}-TOE-ANGLE", f"{lead}-KNEE-STOP")
    algo.equate(f"{lead}-HEEL-SIDE", own.heel[lead].acceleration.y == 0.0, weight=WEIGHT["HEEL-TRAJ"])


def drop(algo: Any, state: Any, lead: str) -> None:
    """Take the equations of the air out of force."""
    names = [f"{lead}-{title}" for title in (*OFF, "HEEL-SIDE", "HEEL-TRAJ", "FOOT-ORIENTATION")]
    algo.remove(*(name for name in names if name in algo.equations))
    if state.free:
        state.free = 0
        newton_walk_contact.stop_knee(algo, lead)
