"""Workspace dynamics: a standing robot as seen at its central body."""

from typing import Any, NamedTuple

import numpy as np

from footfall.core.recursion import contact_space, operational
from footfall.core.recursion.fixed_feet import Ties
from footfall.core.recursion.workspace import big_base_dynamics, fixed_feet_dynamics, propagate_velocity
from footfall.errors import UnknownNameError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.legs import Stance, stance
from footfall.model.robot import Robot

WAYS = ("fixed feet", "big base", "contact")


class Workspace(NamedTuple):
    """F = inertia A + bias: the force on the central body, its joints free, that accelerates it with A; (linear, angular) in
    world axes, at the point that was asked for."""

    inertia: np.ndarray
    bias: np.ndarray


def workspace(robot: Robot, q: Any, v: Any, at: str | None = None, *, by: str = "fixed feet", gravity: Any = None) -> Workspace:
    """Inertia and bias of the central body while all feet stand still, at the origin of link or frame `at` of that body.

    `by` says how: "fixed feet" by a recursion with feet that cannot move, "big base" with feet a million times as heavy as the
    central body (Wendlandt and Sastry), "contact" by the forces that hold the feet of a floating robot.
    """
    q, v, on = state.coordinates(robot, q), state.velocities(robot, v), stance(robot)
    ev, center = Evaluation(robot), on.legs.center
    ev.fall(state.gravity(robot, gravity))
    width = ev.algebra.MOTION
    if by not in WAYS:
        raise UnknownNameError("way to workspace dynamics", by, WAYS)
    if by == "contact":
        inertia, bias = _by_contact(ev, on, q, v)
    else:
        ev.run(propagate_velocity, q, v)
        if by == "big base":
            ev.run(big_base_dynamics, on.legs, np.zeros(robot.nv))
        else:
            ev.run(fixed_feet_dynamics, on.legs, ties(ev), np.zeros(robot.nv))
        inertia, bias = ev.zeros(width, width), ev.work.force[center]
        operational.articulated_inertia[robot.space](ev.work, center, (0.0,) * robot.dim, ev.units(), inertia)
    return _moved(ev, center, inertia, bias, robot.layout.joints[center - 1].child if at is None else at)


def ties(ev: Evaluation) -> Ties:
    """Working arrays of the constraints."""
    return Ties(ev.zeros(*ev.work.inertia.shape), ev.zeros(*ev.work.force.shape), ev.zeros(ev.robot.nv))


def _by_contact(ev: Evaluation, on: Stance, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    nv, width, bodies = ev.robot.nv, ev.algebra.MOTION, 1 + len(on.feet)
    held = contact_space.HeldFeet(
        body=np.array([on.legs.center, *on.legs.foot], dtype=np.uint32),
        point=ev.zeros(bodies, ev.robot.dim),
        units=ev.units(),
        x=ev.zeros(bodies * width, nv),
        give=ev.zeros(bodies * width, bodies * width),
        free=ev.zeros(bodies, width),
        a=ev.zeros(nv),
        still=ev.zeros(nv),
    )
    inertia, bias = ev.zeros(width, width), ev.zeros(width)
    ev.run(contact_space.contact_dynamics, held, q, v, inertia, bias)
    ev.run(propagate_velocity, q, v)
    return inertia, bias


def _moved(ev: Evaluation, center: int, inertia: np.ndarray, bias: np.ndarray, at: str) -> Workspace:
    """From the origin of the central body to a point on it: A = X A_origin + what its spin adds, F_origin = X'F."""
    where = ev.robot.target(at)
    if where.body != center:
        raise UnknownNameError("link or frame of the central body", at, _names(ev.robot, center))
    x = ev.arm(where)
    X = np.array([ev.small("shift_motion", unit, tuple(-r for r in x)) for unit in ev.units()]).T  # back to the origin
    added = np.array(ev.small("velocity_product", ev.small("angular", ev.work.V_WB[center]), x, ev.small("no_motion")))
    moved = X.T @ inertia @ X
    return Workspace(moved, X.T @ bias - moved @ added)


def _names(robot: Robot, center: int) -> list[str]:
    return [name for name, target in robot.layout.targets.items() if target.body == center]
