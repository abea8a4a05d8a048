"""Maximal coordinates: the equations of every body by itself, and the forces in all hinges.

    M_i A_i = f_i + F_i - forces of the hinges on what body i carries,     relative motion in a hinge along its freedoms only

One linear system, solved along the tree (`core.maximal.tree_system`); loops and held points are rows beside it. It is the one
formulation that gives the forces in the hinges, and the one for robots with loops.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from footfall.core.call import KernelCall
from footfall.core.manifold import integrate
from footfall.core.maximal import batch
from footfall.core.maximal.border import new_border
from footfall.core.maximal.loops import ANGLE
from footfall.core.maximal.tree_system import System, new_system
from footfall.core.recursion.kinematics import set_places
from footfall.dynamics.loops import Closed, closures, refuse_loops
from footfall.errors import SingularError, StateError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.pins import pins
from footfall.model.robot import Robot

CONTRADICTED = 1e-6  # of the accelerations: rows that miss by more contradict each other
MAX_CLOSINGS = 50
CLOSED = 1e-13  # m or rad
CLOSED_ENOUGH = 1e-9  # m or rad: where rounding lets Newton's method come no nearer
FITTING = 1e-11  # of the velocities: a misfit that is rounding


class HingeForces(NamedTuple):
    """Accelerations, and the force in every hinge: (force, moment) in world axes, of the parent on the child, at the child's
    origin. Loops and held points: of the first on the second, at the second's point.
    """

    accelerations: np.ndarray
    joints: dict[str, np.ndarray]
    loops: dict[str, np.ndarray]
    pins: dict[str, np.ndarray]


def hinge_forces(
    robot: Robot,
    q: Any,
    v: Any,
    tau: Any,
    *,
    pinned: Any = (),
    gravity: Any = None,
    external: Mapping[str, Any] | None = None,
) -> HingeForces:
    """Accelerations and the forces in all hinges and loops under the joint forces `tau`; points may be pinned, as in `Pin`."""
    q, v, tau = state.coordinates(robot, q), state.velocities(robot, v), state.velocities(robot, tau, "tau")
    solver = Solver(robot, gravity, external, pinned, q)
    a = solver.accelerate(q, v, tau)
    by_joint = {joint.name: solver.system.F[i].copy() for i, joint in enumerate(robot.layout.joints, start=1)}
    wrenches = {name: solver.wrench(rows) for name, rows in solver.closed.named.items()}
    loops = {loop.name: wrenches.pop(loop.name) for loop in robot.loops}
    return HingeForces(a, by_joint, loops, wrenches)


def closed(robot: Robot, q: Any, v: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """q moved, as little as possible by kinetic energy, to where all loops are closed, and v to velocities that keep them so.

    A state that is closed stays as it is, to the bit: closed(robot, *closed(robot, q, v)) is closed(robot, q, v).
    """
    q = state.coordinates(robot, q).copy()
    v = np.zeros(robot.nv) if v is None else state.velocities(robot, v).copy()
    solver = Solver(robot)
    for _ in range(MAX_CLOSINGS):
        error = solver.error(q)
        if error < CLOSED:
            break
        nearer = solver.restored(q)
        if error < CLOSED_ENOUGH and not solver.error(nearer) < 0.5 * error:
            break
        q = nearer
    else:
        worst = solver.error(q)
        if worst > CLOSED_ENOUGH:
            raise StateError(
                f"the loops of robot {robot.name!r} do not close from this configuration: {worst:.2g} m (or rad) are left; "
                "begin nearer to a closed one, or change the lengths of its links"
            )
    fitting = solver.consistent(q, v)
    if np.abs(fitting - v).max(initial=0.0) <= FITTING * (1.0 + np.abs(v).max(initial=0.0)):
        return q, v
    return q, solver.consistent(q, fitting)  # once more: what rounding left


class Solver:
    """One robot with its loops and held points, bound to the kernels."""

    def __init__(
        self, robot: Robot, gravity: Any = None, external: Any = None, pinned: Any = (), q: np.ndarray | None = None
    ) -> None:
        self.robot, self.ev = robot, Evaluation(robot)
        self.closed: Closed = closures(robot, pins(pinned), q)
        self.ev.fall(state.gravity(robot, gravity))
        if wrenches := state.wrenches(robot, external):
            self.ev.run(set_places, q)
            self.ev.push(wrenches)
        self.singular = 0  # 1 if some degree of freedom may move no inertia in the last state
        bodies, motion = len(robot.tree.parent), self.ev.algebra.MOTION
        self.system: System = new_system(bodies, robot.nv, motion)
        self.border = new_border(len(self.closed.rows.kind), bodies, robot.nv, motion)
        self._residual = np.zeros(1)
        self._solve = KernelCall(batch.solve_loops, robot.space)

    def accelerate(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
        """Accelerations of the hinges; all other unknowns stay in `system` and `border`."""
        state = q, v, tau, self._residual
        self.singular = self._solve(self.ev.tree, self.ev.work, self.system, self.closed.rows, self.border, *state)
        a, residual = self.system.s.copy(), float(self._residual[0])
        if not residual <= CONTRADICTED * (1.0 + np.abs(a).max()):
            names = ", ".join(map(repr, self.closed.named))
            raise SingularError(
                f"robot {self.robot.name!r}: {names} contradict each other in this state: an equation is missed by {residual:.2g}"
            )
        return a

    def wrench(self, rows: slice) -> np.ndarray:
        """Force and moment of some rows on their second body, at its point; after `accelerate`."""
        loops, work, total = self.closed.rows, self.ev.work, np.zeros(self.ev.algebra.MOTION)
        for r in range(rows.start, rows.stop):
            t = self.ev.small("rotate", work.R_WB[loops.first[r]], loops.t[r])
            y = self.border.y[loops.row[r]] if loops.on[r] else 0.0
            if loops.kind[r] == ANGLE:
                n = self.ev.small("rotate", work.R_WB[loops.second[r]], loops.n[r])
                wrench = np.array(self.ev.small("force_at", t, n))
                wrench[: self.robot.dim] = 0.0
            else:
                wrench = np.array(self.ev.small("force_at", t, tuple(loops.down[r])))
            total += y * wrench
        return total

    def error(self, q: np.ndarray) -> float:
        """The largest error of position of a row."""
        return float(self.ev.run(batch.largest_error, self.closed.rows, q))

    def restored(self, q: np.ndarray) -> np.ndarray:
        """q after one step of Newton's method towards closed loops."""
        step = np.zeros(self.robot.nv)
        self.ev.run(batch.correction, self.system, self.closed.rows, self.border, q, step)
        out = q.copy()
        self.ev.read(integrate)(self.ev.tree, q, step, out)
        return out

    def consistent(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Velocities after the least change, by kinetic energy, with which all rows stay as they are."""
        out = v.copy()
        self.ev.run(batch.project_velocity, self.system, self.closed.rows, self.border, q, v, out)
        return out


# --- as one of the formulations -----------------------------------------------------------------------------------------------


def inverse(ev: Evaluation, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> None:
    refuse_loops(ev.robot, "inverse dynamics")
    ev.run(batch.inverse_rows, _system(ev), q, v, a, tau)


def forward(ev: Evaluation, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray, doubts: np.ndarray) -> None:
    if not ev.robot.loops:
        ev.run(batch.forward_rows, _system(ev), q, v, tau, a, doubts)
        return
    solver = Solver(ev.robot)
    solver.ev = ev
    for row in range(len(q)):
        a[row] = solver.accelerate(q[row], v[row], tau[row])
        doubts[row] = solver.singular


def mass_matrix(ev: Evaluation, q: np.ndarray, M: np.ndarray) -> None:
    ev.run(batch.mass_matrix, _system(ev), q, M)


def _system(ev: Evaluation) -> System:
    return new_system(len(ev.tree.parent), ev.robot.nv, ev.algebra.MOTION)
