"""Forces and accelerations."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from footfall.core.passive import measure_tendons, set_passive_forces
from footfall.core.recursion.aba import aba
from footfall.core.recursion.crba import coriolis as coriolis_kernel
from footfall.core.recursion.crba import crba
from footfall.core.recursion.kinematics import set_places
from footfall.dynamics.formulations import formulation as formulation_of
from footfall.dynamics.loops import refuse_loops
from footfall.errors import SingularError, StateError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.passive import springs_of, tendons_of
from footfall.model.robot import Robot

Wrenches = Mapping[str, Any] | None
NO_INERTIA = 1e-15  # of what a joint would move if those further out were locked: rounding, no inertia


def inverse(
    robot: Robot, q: Any, v: Any, a: Any, *, gravity: Any = None, external: Wrenches = None, formulation: str = "recursive"
) -> np.ndarray:
    """Joint forces that give the accelerations `a`. Rows of states are answered row by row.

    `formulation` is "recursive" (Newton-Euler), "denoc", "lagrange" (needs CasADi; slow to begin) or "maximal" (all bodies).
    """
    how = formulation_of(formulation)
    refuse_loops(robot, "inverse dynamics")
    q, v, a = _rows(robot, q, v, a, "a")
    ev = _loaded(robot, q, gravity, external)
    tau = np.zeros_like(v)
    how.inverse(ev, *np.atleast_2d(q, v, a, tau))
    return tau


def forward(
    robot: Robot, q: Any, v: Any, tau: Any, *, gravity: Any = None, external: Wrenches = None, formulation: str = "recursive"
) -> np.ndarray:
    """Accelerations under the joint forces `tau`. Rows of states are answered row by row.

    `formulation` is "recursive" (articulated bodies), "denoc", "lagrange" (needs CasADi) or "maximal" (all bodies and
    hinge forces; the one for robots with loops).
    """
    how = formulation_of(formulation)
    if formulation != "maximal":
        refuse_loops(robot, f"formulation {formulation!r}")
    q, v, tau = _rows(robot, q, v, tau, "tau")
    ev = _loaded(robot, q, gravity, external)
    a = np.zeros_like(v)
    doubts = np.zeros(len(np.atleast_2d(q)), dtype=np.uint32)
    how.forward(ev, *np.atleast_2d(q, v, tau, a), doubts)
    for row in np.flatnonzero(doubts):
        where = f" (row {row})" if q.ndim == 2 else ""
        check_pivots(robot, np.atleast_2d(q)[row], where)
        if not np.isfinite(np.atleast_2d(a)[row]).all():
            raise SingularError(f"robot {robot.name!r}: M is singular to rounding in the {formulation} formulation{where}")
    return a


def bias(
    robot: Robot, q: Any, v: Any, *, gravity: Any = None, external: Wrenches = None, formulation: str = "recursive"
) -> np.ndarray:
    """Joint forces that hold all accelerations at zero: M a + bias = tau. `formulation` as for `inverse`."""
    return inverse(robot, q, v, np.zeros(np.shape(v)), gravity=gravity, external=external, formulation=formulation)


def gravity_forces(robot: Robot, q: Any, *, gravity: Any = None) -> np.ndarray:
    """Joint forces that hold the robot still against its weight."""
    q = state.coordinates(robot, q)
    still = np.zeros(robot.nv)
    return inverse(robot, q, still, still, gravity=gravity)


def coriolis(robot: Robot, q: Any, v: Any) -> np.ndarray:
    """C with C v the forces of velocity, and dM/dt - 2 C skew-symmetric (Christoffel symbols)."""
    q, v = state.coordinates(robot, q), state.velocities(robot, v)
    ev = Evaluation(robot)
    C = ev.zeros(robot.nv, robot.nv)
    ev.run(coriolis_kernel, q, v, ev.rows(), ev.rows(), C)
    return C


def passive(robot: Robot, q: Any, v: Any) -> np.ndarray:
    """Joint forces of springs, damping, tendons and dry friction; friction at rest is zero here, since it depends on all other
    forces.
    """
    q, v = state.coordinates(robot, q), state.velocities(robot, v)
    forces = np.zeros(robot.nv)
    set_passive_forces[robot.space](robot.tree, springs_of(robot), tendons_of(robot), q, v, forces)
    for i, joint in enumerate(robot.layout.joints, start=1):
        d = slice(robot.tree.first_v[i], robot.tree.first_v[i + 1])
        forces[d] -= joint.dry_friction(v[d]) * np.sign(v[d])
    return forces


class TendonState(NamedTuple):
    """Tendons in a state, or in rows of states; one entry for each tendon, in the order of `robot.tendons`."""

    length: np.ndarray  # m: from that with all joints at zero
    force: np.ndarray  # N: with which it pulls
    energy: np.ndarray  # J: stored


def tendons(robot: Robot, q: Any, v: Any = None) -> TendonState:
    """Length, force and stored energy of every tendon; at rest if no velocities are given. Rows are answered row by row."""
    q = state.coordinates(robot, q, many=True)
    v = np.zeros((*q.shape[:-1], robot.nv)) if v is None else state.velocities(robot, v, many=True)
    if q.shape[:-1] != v.shape[:-1]:
        raise StateError(f"q and v must have the same number of rows, got shapes {q.shape} and {v.shape}")
    cords = tendons_of(robot)
    length, force = (np.zeros((*q.shape[:-1], len(robot.tendons))) for _ in range(2))
    measure_tendons[robot.space](cords, robot.tree, *np.atleast_2d(q, v, length, force))
    stretch = length - cords.slack
    stretch = np.where(cords.pushes > 0, stretch, np.maximum(stretch, 0.0))
    return TendonState(length, force, 0.5 * cords.stiffness * stretch**2)


def check_pivots(robot: Robot, q: np.ndarray, where: str = "") -> None:
    """Every degree of freedom must move some inertia, with those further out left free, or its acceleration is not defined."""
    still, ev = np.zeros(robot.nv), Evaluation(robot)
    ev.run(aba, q, still, still, np.zeros(robot.nv))
    M = ev.zeros(robot.nv, robot.nv)
    ev.run(crba, q, M)
    with np.errstate(divide="ignore"):
        weak = ~(1.0 / ev.work.D_inv > NO_INERTIA * M.diagonal())  # also true for not-a-number
    if weak.any():
        name = robot.velocities[int(np.argmax(weak))]
        raise SingularError(
            f"robot {robot.name!r}: {name!r} moves no inertia in this configuration{where}, so its acceleration has no bound; "
            "give the links it carries mass or inertia, or move away from where joint axes fall together"
        )


def _rows(robot: Robot, q: Any, v: Any, third: Any, name: str) -> tuple[np.ndarray, ...]:
    q = state.coordinates(robot, q, many=True)
    v, third = state.velocities(robot, v, many=True), state.velocities(robot, third, name, many=True)
    if not q.shape[:-1] == v.shape[:-1] == third.shape[:-1]:
        raise StateError(f"q, v and {name} must have the same number of rows, got shapes {q.shape}, {v.shape}, {third.shape}")
    return q, v, third


def _loaded(robot: Robot, q: np.ndarray, gravity: Any, external: Wrenches) -> Evaluation:
    wrenches, ev = state.wrenches(robot, external), Evaluation(robot)
    ev.fall(state.gravity(robot, gravity))
    if wrenches:
        if q.ndim == 2:
            raise StateError("external forces go with a single state, not with rows of them")
        ev.run(set_places, q)
        ev.push(wrenches)
    return ev
