"""A walk by fewer equations: the swing leg has elastic tendons, and its motors are off for most of the swing.

Stewart and Cremer (1989) hoped for this: energy that is stored in the stretched tendons of the trailing leg pulls it forward, so
that no trajectory of the heel has to be given (ballistic walking, McMahon). Of the equations of a leg in the air (see
`newton_walk_contact`) one is left, which leads its heel sideways; hip and knee swing freely fore and aft, and so do ankle and toes.
Late in the swing the motors trim the foothold.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.control import newton_walk_contact
from footfall.control.newton_walk_contact import SIDES, NewtonWalkContact
from footfall.model.quantity import count, quantity

OFF = ("HIP-OFF", "KNEE-OFF", "ANKLE-OFF", "TOE-OFF")


@dataclass(frozen=True)
class NewtonWalkTendons(NewtonWalkContact):
    """Steps whose swing is ballistic at first."""

    ballistic: float = quantity("1", "part of the swing in which motors are off", 0.6, low=0.0, high=1.0)

    guided: int = count("first steps, which are guided all the way", 6, low=0, high=1000)

    def initialize(algo: Any, params: Any, state: Any) -> None:
        NewtonWalkContact.initialize(algo, params, state)
        own = algo.own
        own.lift, own.follow, own.drop = let_go, swing_on, drop
        own.knee = {side: algo.joint(f"knee_{name}") for side, name in SIDES.items()}
        own.free, own.steps = False, 0


def let_go(algo: Any, params: Any, lead: str) -> None:
    """Motors off, but for those that lead the leg sideways."""
    own, name = algo.own, SIDES[lead]
    own.steps += 1
    if own.steps <= params.guided:
        newton_walk_contact.lift(algo, params, lead)
        return
    own.free = True
    hip, knee, ankle, toe = (algo.joint(f"{joint}_{name}") for joint in ("hip", "knee", "ankle", "toe"))
    for title, torque in zip(OFF, (hip.torque[1], knee.torque, ankle.torque, toe.torque), strict=True):
        algo.equate(f"{lead}-{title}", torque == 0.0)
    algo.remove(f"{lead}-KNEE-STOP", f"{lead}-TOE-ANGLE")
    algo.equate(f"{lead}-HEEL-SIDE", own.heel[lead].acceleration.y == 0.0, weight=60.0)


def swing_on(algo: Any, params: Any, state: Any, lead: str, since: float) -> None:
    """Free until it is time to trim the foothold."""
    own, T = algo.own, params.swing_time
    x, v = algo.value(own.at[lead]), algo.value(own.moves[lead])
    rest = max(T - since, 0.06)
    goal = np.array((state.goal[0] - own.half[0], state.goal[1], state.stance[2]))
    a = 6.0 * (goal - x) / rest**2 - 4.0 * v / rest
    if own.free and since >= params.ballistic * T:
        trim(algo, params, lead)
    if own.free:
        algo.assign(f"{lead}-HEEL-SIDE", float(np.clip(a[1], -150.0, 150.0)))
        return
    if since > T:
        a[2] = 60.0 * (-0.6 - v[2])
    algo.assign(f"{lead}-HEEL-TRAJ", np.clip(a, -150.0, 150.0))


def trim(algo: Any, params: Any, lead: str) -> None:
    """Motors on: the heel goes to its foothold from where it is."""
    drop(algo, params, lead)
    newton_walk_contact.lift(algo, params, lead)


def drop(algo: Any, params: Any, lead: str) -> None:
    """Take the equations of the air out of force."""
    own = algo.own
    names = [f"{lead}-{title}" for title in (*OFF, "HEEL-SIDE", "HEEL-TRAJ", "FOOT-ORIENTATION")]
    algo.remove(*(name for name in names if name in algo.equations))
    knee, own.free = own.knee[lead], False
    algo.limit(f"{lead}-KNEE-STOP", knee.acceleration + 40.0 * knee.velocity + 400.0 * (knee.angle - 0.05) >= 0.0)
