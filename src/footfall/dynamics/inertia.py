"""Inertia, momentum and energy."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.core.recursion import batch, operational
from footfall.core.recursion import momentum as kernels
from footfall.core.recursion.aba import aba
from footfall.dynamics.formulations import formulation as formulation_of
from footfall.dynamics.maximal import Solver
from footfall.dynamics.motion import check_pivots
from footfall.errors import SingularError, StateError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.robot import Robot


class Energy(NamedTuple):
    """In joules; potential energy is zero where the centre of mass is at the world's origin."""

    kinetic: float
    potential: float

    @property
    def total(self) -> float:
        """Kinetic and potential energy together."""
        return self.kinetic + self.potential


def mass_matrix(robot: Robot, q: Any, *, formulation: str = "recursive") -> np.ndarray:
    """M, symmetric and positive, rotors included: by composite bodies, or by another `formulation`, as for `forward`."""
    how = formulation_of(formulation)
    q, ev = state.coordinates(robot, q), Evaluation(robot)
    M = ev.zeros(robot.nv, robot.nv)
    how.mass_matrix(ev, q, M)
    return M


def center_of_mass(robot: Robot, q: Any) -> np.ndarray:
    """Place of the centre of mass of all that can move."""
    return np.array(Evaluation(robot).run(kernels.center_of_mass, state.coordinates(robot, q))[1])


def center_of_mass_velocity(robot: Robot, q: Any, v: Any) -> np.ndarray:
    """Velocity of the centre of mass of all that can move."""
    return momentum(robot, q, v)[: robot.dim] / _moving_mass(robot)


def center_of_mass_jacobian(robot: Robot, q: Any) -> np.ndarray:
    """J with velocity of the centre of mass = J v."""
    return momentum_matrix(robot, q)[: robot.dim] / _moving_mass(robot)


def momentum(robot: Robot, q: Any, v: Any) -> np.ndarray:
    """Linear momentum, then angular momentum about the centre of mass."""
    return np.array(Evaluation(robot).run(kernels.momentum, state.coordinates(robot, q), state.velocities(robot, v)))


def momentum_rate(robot: Robot, q: Any, v: Any, a: Any) -> np.ndarray:
    """Rate of change of the momentum: the sum of all forces from outside, weight included, about the centre of mass."""
    q, v, a = state.coordinates(robot, q), state.velocities(robot, v), state.velocities(robot, a, "a")
    return np.array(Evaluation(robot).run(kernels.momentum_rate, q, v, a))


def momentum_matrix(robot: Robot, q: Any) -> np.ndarray:
    """The centroidal momentum matrix A: momentum = A v."""
    ev = Evaluation(robot)
    rows = ev.rows()
    ev.run(kernels.momentum_matrix, state.coordinates(robot, q), rows)
    return rows.T


def energy(robot: Robot, q: Any, v: Any, *, gravity: Any = None) -> Energy:
    """Kinetic (rotors included) and potential energy of weight, without the energy of springs and tendons."""
    q, v = state.coordinates(robot, q), state.velocities(robot, v)
    return Energy(*Evaluation(robot).run(kernels.energies, q, v, state.gravity(robot, gravity)[None]))


def articulated_inertia(robot: Robot, q: Any, target: str) -> np.ndarray:
    """Articulated-body inertia of a link and all that it carries on free joints, at the target's origin, in world axes.

    F = K A for the force that gives the link the acceleration A from rest, its own joint to the parent cut.
    """
    where, ev = robot.target(target), _factored(robot, q)
    if where.body == 0:
        raise StateError(f"{target!r} is part of the world, which has no finite inertia")
    out = ev.zeros(ev.algebra.MOTION, ev.algebra.MOTION)
    back = tuple(-x for x in ev.arm(where))
    operational.articulated_inertia[robot.space](ev.work, where.body, back, ev.units(), out)
    return out


def inverse_inertia(robot: Robot, q: Any, targets: str | Sequence[str], at: Any = None) -> np.ndarray:
    """J M^-1 J' of the motions of one or several links or frames, each with all its rows, without inverting M.

    Its inverse is the operational-space inertia. `at` gives a point on each target, in the target's axes.
    """
    names = [targets] if isinstance(targets, str) else list(targets)
    places = [None] * len(names) if at is None else [at] if isinstance(targets, str) else list(at)
    if len(places) != len(names):
        raise StateError(f"`at` must give a point for each of the {len(names)} targets, got {len(places)}")
    wheres = [robot.target(name) for name in names]
    points = [None if place is None else state.vector(place, robot.dim, "at") for place in places]
    ev = _factored(robot, q)
    arms = np.array([ev.arm(where, point) for where, point in zip(wheres, points, strict=True)])
    size = len(names) * ev.algebra.MOTION
    out = ev.zeros(size, size)
    bodies = np.array([where.body for where in wheres], dtype=np.uint32)
    ev.run(operational.inverse_inertia, bodies, arms, ev.units(), ev.zeros(size, robot.nv), out)
    return out


def mobility(robot: Robot, q: Any) -> np.ndarray:
    """Acceleration of each degree of freedom per unit of force at it, all others free: the diagonal of M^-1.

    Loops hold: a degree of freedom that they block has 0.
    """
    q = state.coordinates(robot, q)
    if not robot.loops:
        return tree_mobility(robot, q)
    solver, still = Solver(robot, 0.0), np.zeros(robot.nv)
    found = np.array([solver.accelerate(q, still, unit)[d] for d, unit in enumerate(np.eye(robot.nv))])
    return np.maximum(found, 0.0)


def tree_mobility(robot: Robot, q: np.ndarray) -> np.ndarray:
    """Mobility without the loops, which is above zero."""
    try:
        found = np.linalg.inv(mass_matrix(robot, q)).diagonal()
    except np.linalg.LinAlgError:
        found = np.full(robot.nv, np.nan)
    if not ((found > 0.0) & (found < np.inf)).all():
        check_pivots(robot, q)
        raise SingularError(f"robot {robot.name!r}: M is singular to rounding at q = {q}")
    return found


def _moving_mass(robot: Robot) -> float:
    """Mass without links fixed to the world, which do not count in the centre of mass either."""
    return float(robot.tree.rigid[1:, 0].sum())


def _factored(robot: Robot, q: Any) -> Evaluation:
    """The factors of the mass matrix, as the articulated-body pass leaves them."""
    q, ev = state.coordinates(robot, q), Evaluation(robot)
    ev.run(aba, q, np.zeros(robot.nv), np.zeros(robot.nv), np.zeros(robot.nv))
    if batch.doubtful[robot.space](ev.work):
        check_pivots(robot, q)
    return ev
