"""Motion of a robot of which some points are pinned and some joints locked: accelerations, holding forces, inelastic impact.

A point is named like everything else, by a link or frame, and may lie elsewhere on it: `Pin("wheel", at=(0.0, -1.0))`. A pinned
point does not move; `weld=True` stops the link from turning as well. It works in the plane and in space. In the plane a
round sole may roll: `Pin("leg_left", at=middle, roll=(0.0, radius))` on level ground.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.core import manifold
from footfall.core.recursion import anchors as back
from footfall.core.recursion import constrained as kernels
from footfall.core.recursion.anchors import Anchors
from footfall.dynamics.loops import refuse_loops
from footfall.errors import SingularError, StateError
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.layout import lift, lower
from footfall.model.pins import Held, hinges, pins
from footfall.model.pins import Pin as Pin
from footfall.model.robot import Robot


class Motion(NamedTuple):
    """Accelerations and constraint forces: force (and moment, if welded) on each pinned point, joint force in each lock."""

    accelerations: np.ndarray
    forces: dict[str, np.ndarray]


class Strike(NamedTuple):
    """Result of an impact: velocities after it, impulses as forces in `Motion`, kinetic energy before minus after."""

    velocities: np.ndarray
    impulses: dict[str, np.ndarray]
    energy_lost: float


def forward(robot: Robot, q: Any, v: Any, tau: Any, *, pinned: Any = (), locked: Any = (), gravity: Any = None) -> Motion:
    """Accelerations under joint forces `tau` with points and joints held: M a + bias = tau + J'f, J a + dJ/dt v = 0."""
    q, v, tau = state.coordinates(robot, q), state.velocities(robot, v), state.velocities(robot, tau, "tau")
    held = Constraints(robot, pinned, locked, gravity).chosen(q)
    a, f = held.accelerate(q, v, tau)
    return Motion(a, held.named(f))


def impact(robot: Robot, q: Any, v: Any, *, pinned: Any = (), locked: Any = ()) -> Strike:
    """Perfectly inelastic impact: the points and joints named come to rest at once. M v+ - M v = J'P, J v+ = 0."""
    q, v = state.coordinates(robot, q), state.velocities(robot, v)
    held = Constraints(robot, pinned, locked).chosen(q)
    after, impulse = held.impact(q, v)
    return Strike(after, held.named(impulse), held.energy_between(v, after))


def consistent(robot: Robot, q: Any, v: Any, *, pinned: Any = (), locked: Any = ()) -> np.ndarray:
    """v with the velocity of the base, and of joints if that is not enough, chosen such that held points do not move."""
    q, v = state.coordinates(robot, q), state.velocities(robot, v)
    return Constraints(robot, pinned, locked).chosen(q).completed(q, v)


def placed(robot: Robot, q: Any, point: Held, at: Any = None) -> np.ndarray:
    """q with the base moved such that `point` is `at` a place of the world (the origin if left out)."""
    q, held = state.coordinates(robot, q), Constraints(robot, (point,)).chosen(state.coordinates(robot, q))
    goal = state.vector(np.zeros(robot.dim) if at is None else at, robot.dim, "at")
    anchors = held.anchors(q)
    anchors.p[0] = goal
    for _ in range(20):
        q, residual = held.restored(q, anchors)
        if residual < 1e-14 * (1.0 + np.abs(goal).max()):
            break
    return q


class Constraints:
    """A set of pinned points and locked joints of one robot, bound to the kernels: compiled, or plain for symbols."""

    def __init__(self, robot: Robot, pinned: Any = (), locked: Any = (), gravity: Any = None, symbols: bool = False):
        refuse_loops(robot, "motion with held points")
        self.robot = robot
        self.pins = pins(pinned)
        self.locks = (locked,) if isinstance(locked, str) else tuple(locked)
        self.ev = Evaluation(robot, symbols)
        self.gravity = state.gravity(robot, gravity)
        self.ev.fall(self.gravity)
        targets = [robot.target(each.name) for each in self.pins]
        points = [None if each.at is None else state.vector(each.at, robot.dim, "at") for each in self.pins]
        places = [t.place if at is None else t.place + t.axes @ lift(at) for t, at in zip(targets, points, strict=True)]
        width = [self.ev.algebra.MOTION if each.weld else robot.dim for each in self.pins]
        self.lock_q, self.lock_v = hinges(robot, self.locks)
        self.rows, self.first_lock = sum(width) + len(self.locks), sum(width)
        if self.rows > robot.nv:
            raise SingularError(f"robot {robot.name!r} has {robot.nv} degrees of freedom; {self.rows} constraints are too many")
        self.held = kernels.ConstraintSet(
            body=np.array([target.body for target in targets], dtype=np.uint32),
            at=lower(np.array(places).reshape(-1, 3), robot.space),
            down=-np.array([_rolls(robot, each) for each in self.pins]).reshape(-1, robot.dim),
            width=np.array(width, dtype=np.uint32),
            row=np.arange(self.rows, dtype=np.uint32),
            column=np.arange(self.rows, dtype=np.uint32),
            free=np.arange(self.rows, robot.nv, dtype=np.uint32),
        )
        self.scratch = kernels.new_scratch(robot.nv, len(width), self.rows, self.ev.algebra.MOTION, self.ev.dtype)
        for row, d in enumerate(self.lock_v, start=self.first_lock):
            self.scratch.J[row, d] = 1.0
        self.curved = any(name.endswith(".qw") for name in robot.coordinates)
        self._solve, self._strike, self._hold = (
            self.ev.read(k) for k in (kernels.forward, kernels.solve_impact, kernels.factorise)
        )

    # --- which columns are eliminated -------------------------------------------------------------------------------------

    def chosen(self, q: np.ndarray) -> "Constraints":
        """Choose the order of elimination at q, where it must be possible; it stays good in a neighbourhood."""
        if self.ev.run(back.choose, self.held, self.scratch, q):
            raise self.singular()
        return self

    def singular(self) -> SingularError:
        what = ", ".join([*map(str, self.pins), *self.locks])
        return SingularError(
            f"robot {self.robot.name!r}: holding {what} at once says the same twice in this configuration, so that the "
            "forces have no unique answer; hold less, for example weld a foot instead of pinning its heel and toe"
        )

    def ordered(self, rows: Any, columns: Any) -> "Constraints":
        free = np.setdiff1d(np.arange(self.robot.nv), columns)
        row, column, free = (np.array(order, dtype=np.uint32) for order in (rows, columns, free))
        self.held = self.held._replace(row=row, column=column, free=free)
        return self

    def symbolic(self) -> "Constraints":
        """The same for symbols, with the order of elimination that was chosen here."""
        return Constraints(self.robot, self.pins, self.locks, self.gravity, symbols=True).ordered(self.held.row, self.held.column)

    # --- motion -----------------------------------------------------------------------------------------------------------

    def accelerate(self, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        a, f = np.zeros(len(tau), self.ev.dtype), np.zeros(self.rows, self.ev.dtype)
        self._solve(self.ev.tree, self.ev.work, self.held, self.scratch, q, v, tau, a, f)
        return a, f

    def impact(self, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        after, impulse = self.ev.zeros(self.robot.nv), self.ev.zeros(self.rows)
        self._hold(self.ev.tree, self.ev.work, self.held, self.scratch, q)
        self._strike(self.held, self.scratch, v, after, impulse)
        return after, impulse

    def energy_between(self, v: np.ndarray, after: np.ndarray) -> Any:
        """Kinetic energy that an impact takes: that of the change of velocity, since v+ is M-orthogonal to it."""
        change = v - after
        return 0.5 * change @ self.scratch.M @ change

    def rate(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """dq/dt."""
        if not self.curved:
            return v
        out = self.ev.zeros(self.robot.nq)
        self.ev.read(manifold.rate)(self.ev.tree, q, v, out)
        return out

    # --- staying on the constraints ---------------------------------------------------------------------------------------

    def speeds(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """J v: velocities of the held points and joints."""
        self._hold(self.ev.tree, self.ev.work, self.held, self.scratch, q)
        return self.scratch.J @ v

    def completed(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """v with its eliminated entries such that J v = 0; the others stay."""
        self._hold(self.ev.tree, self.ev.work, self.held, self.scratch, q)
        v = v.copy()
        self.ev.read(kernels.complete)(self.held, self.scratch, v)
        return v

    def anchors(self, q: np.ndarray) -> Anchors:
        """Places of the held points; for a rolling sole, its contact at a pitch of zero, which does not change as it rolls."""
        points, algebra = len(self.pins), self.ev.algebra
        room = np.zeros((points, algebra.DIM)), np.zeros((points, algebra.ROTATION)), np.zeros(len(self.locks))
        found = Anchors(*room, np.array(self.lock_q, dtype=np.int64))
        self.ev.run(back.set_anchors, self.held, found, q)
        return found

    def restored(self, q: np.ndarray, anchors: Anchors) -> tuple[np.ndarray, float]:
        """q brought back to the anchors, to first order, by its eliminated entries; and how far it was from them."""
        q = q.copy()
        return q, self.ev.run(back.restore, self.held, self.scratch, anchors, q)

    def named(self, f: np.ndarray) -> dict[str, Any]:
        """Forces or impulses by the names of the held points and joints."""
        out, k = {}, 0
        for each, width in zip(self.pins, self.held.width, strict=True):
            out[str(each)] = f[k : k + int(width)]
            k += int(width)
        return {**out, **{name: f[k + i] for i, name in enumerate(self.locks)}}


def _rolls(robot: Robot, held: Pin) -> np.ndarray:
    """The way up to the middle of a sole that rolls, else nothing."""
    if held.roll is None:
        return np.zeros(robot.dim)
    if robot.space != "planar" or held.weld:
        why = "it is welded as well" if held.weld else f"robot {robot.name!r} is spatial; only soles of planar robots can"
        raise StateError(f"held point {str(held)!r} cannot roll: {why}")
    return state.vector(held.roll, 2, "roll")
