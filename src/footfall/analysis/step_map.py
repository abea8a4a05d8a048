"""The step of a walk as a map of its free coordinates, and its exact derivative.

A step begins with some things held, so not all of q and v are free: u are those entries of both that are, and the rest follows.
The derivative D of a step is carried from event to event: in between, D' = A D with A the derivative of the flow; at an event
D+ = R (I - f g / (g f)) D, with the derivatives R of the reset and g of the guard and the rate f before it. The projection is
what saltation leaves where states are compared at their own events and not at equal times.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import DOP853

from footfall.errors import StateError
from footfall.sim.constrained import Constraints
from footfall.sim.hybrid import HybridResult
from footfall.sim.modes import Traced, trace
from footfall.sim.walk import Walk

RTOL, ATOL = 1e-11, 1e-12  # of the variational equations


class Stepped(NamedTuple):
    """Where a step leads, and the motion."""

    u: np.ndarray
    motion: HybridResult


class StepMap:
    """u -> u after one step, or after several."""

    def __init__(self, walk: Walk, steps: int = 1):
        robot = walk.robot
        if robot.nq != robot.nv:
            raise StateError(f"robot {robot.name!r} has quaternions; the step map is for robots whose coordinates are all plain")
        if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
            raise StateError(f"steps must be a whole number above 0, got {steps!r}")
        self.walk, self.steps = walk, steps
        mode = {mode.name: mode for mode in walk.modes}[walk.start]
        self.held = Constraints(robot, mode.pinned, mode.locked, walk.gravity).chosen(walk.q)
        self.anchors = self.held.anchors(walk.q)
        self.free = self.held.held.free.astype(int)
        self.bound = self.held.held.column.astype(int)
        names = [robot.coordinates[i] for i in self.free]
        self.names = (*names, *(f"rate of {name}" for name in names))

    def free_of(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.concatenate((q[self.free], v[self.free]))

    def state_of(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """q and v at the beginning of a step, what is held being where the walk has it."""
        q, v = self.walk.q.copy(), self.walk.v.copy()
        q[self.free], v[self.free] = np.split(u, 2)
        for _ in range(30 if self.held.rows else 0):
            q = self.held.restored(q, self.anchors)
            if np.abs(self.held.drift(q, self.anchors)).max() < 1e-15:
                break
        return q, self.held.completed(q, v) if self.held.rows else v

    def __call__(self, u: np.ndarray) -> Stepped:
        motion = self.walk.run(self.steps, *self.state_of(u))
        last = motion.events[-1]
        if last.after != self.walk.start:
            raise StateError(
                f"guard {self.walk.step!r} of walk {self.walk.name!r} led to {last.after!r}, not {self.walk.start!r}"
            )
        return Stepped(self.free_of(last.q_after, last.v_after), motion)

    # --- the derivative ---------------------------------------------------------------------------------------------------

    def derivative(self, motion: HybridResult) -> np.ndarray:
        """du after / du before, along a motion that this map gave."""
        t, y, mode = 0.0, np.concatenate((motion.q[0], motion.v[0])), self.walk.start
        D = self._beginning(y)
        for event in motion.events:
            D = self._linear[mode].along(y, D, event.time - t)
            before = np.concatenate((event.q_before, event.v_before))
            t, y = event.time, np.concatenate((event.q_after, event.v_after))
            R, g = self._linear[mode].event(event.name, before)
            f = self._linear[mode].rate(before)
            D = R @ (D - np.outer(f, g @ D) / (g @ f))
            mode = event.after
        return D[np.concatenate((self.free, self.walk.robot.nq + self.free))]

    @cached_property
    def _linear(self) -> dict[str, "_Linear"]:
        traced = trace(self.walk.robot, self.walk.modes, gravity=self.walk.gravity, near=self.walk.q)
        moving = {name: part for name, part in traced.items() if part.guards}
        return {name: _Linear(name, part, self.walk.robot.nv, 2 * len(self.free)) for name, part in moving.items()}

    def _beginning(self, y: np.ndarray) -> np.ndarray:
        """d(q, v)/du at the beginning: what is held does not move, J dq = 0 and d(J v) = 0."""
        n, m = self.walk.robot.nv, len(self.free)
        dq, dv = np.zeros((n, 2 * m)), np.zeros((n, 2 * m))
        dq[self.free, range(m)] = dv[self.free, range(m, 2 * m)] = 1.0
        if self.held.rows:
            slide, J = self._linear[self.walk.start].held(y)
            dq[self.bound] = np.linalg.solve(J[:, self.bound], -J @ dq)
            dv[self.bound] = np.linalg.solve(J[:, self.bound], -J @ dv - slide @ dq)
        return np.vstack((dq, dv))


class _Linear:
    """A mode's flow, guards and resets with their derivatives by y = (q, v), as CasADi evaluates them."""

    def __init__(self, name: str, part: Traced, n: int, columns: int):
        import casadi

        t, y, columns_of = casadi.SX.sym("t"), casadi.SX.sym("y", 2 * n), casadi.SX.sym("D", 2 * n, columns)
        q, v = y[:n], y[n:]
        rate = casadi.densify(casadi.vertcat(*part.flow(t, q, v)[:2]))
        if casadi.depends_on(rate, t):
            raise StateError(f"mode {name!r} depends on time; a step leads back to its beginning only if nothing does")
        whole = casadi.horzcat(rate, casadi.jacobian(rate, y) @ columns_of)
        self.size = (2 * n, 1 + columns)
        self.rate_function = casadi.Function("rate", [y], [rate])
        self._both, self._arguments, self._results = _fast(
            casadi.Function("along", [casadi.horzcat(y, columns_of)], [casadi.densify(whole)])
        )
        speeds = part.speeds(q, v)
        self.held_function = casadi.Function("held", [y], [casadi.jacobian(speeds, q), casadi.jacobian(speeds, v)])
        self.events = {}
        for guard, value in part.guards.items():
            height, jump = value(t, q, v), casadi.vertcat(*part.resets[guard](t, q, v))
            if casadi.depends_on(casadi.vertcat(height, jump), t):
                raise StateError(f"guard {guard!r} depends on time; a step leads back to its beginning only if nothing does")
            self.events[guard] = casadi.Function("event", [y], [casadi.jacobian(jump, y), casadi.jacobian(height, y)])

    def rate(self, y: np.ndarray) -> np.ndarray:
        return np.array(self.rate_function(y)).ravel()

    def held(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        slide, J = self.held_function(y)
        return np.array(slide), np.array(J)

    def event(self, guard: str, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        R, g = self.events[guard](y)
        return np.array(R), np.array(g).ravel()

    def along(self, y: np.ndarray, D: np.ndarray, seconds: float) -> np.ndarray:
        """D carried along the flow from y."""

        def slope(_t: float, both: np.ndarray) -> np.ndarray:
            self._arguments[:] = both
            self._both()
            return self._results.copy()

        begin = np.column_stack((y, D)).ravel(order="F")
        solver = DOP853(slope, 0.0, begin, seconds, rtol=RTOL, atol=ATOL)
        while solver.status == "running":
            solver.step()
        if solver.status == "failed":
            raise StateError(f"the variational equations have no finite continuation after {solver.t:.6g} s of the mode")
        return solver.y.reshape(self.size, order="F")[:, 1:]


def _fast(function: Any) -> tuple[Any, np.ndarray, np.ndarray]:
    """A call of a CasADi function without conversions: fill the first array, call, read the second."""
    arguments: Any = np.zeros(function.nnz_in(0))
    results: Any = np.zeros(function.nnz_out(0))
    buffer, call = function.buffer()
    buffer.set_arg(0, memoryview(arguments))
    buffer.set_res(0, memoryview(results))

    def evaluate(_kept: Any = buffer) -> None:  # the buffer must live as long as the call
        call()

    return evaluate, arguments, results
