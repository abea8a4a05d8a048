"""Euler-Lagrange equations, derived by differentiation with CasADi. Nothing here is shared with the recursions.

The kinetic energy of a body is half the trace of X' P X'^T, with X' the rate of its placement X = (R, place) and P the second
moments of its mass; the potential energy is its weight. Coordinates are x in q = (q now) + x, where turns about three axes are
added by Cayley's map in the body's axes: there dx/dt is v and its rate is a, so that

    d/dt dL/dx' - dL/dx = tau

holds as it stands, quaternions or not. The equations are made once for each robot; they grow fast with the number of links.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from footfall.core.joints import PLANAR, PRISMATIC, REVOLUTE
from footfall.core.tree import Tree
from footfall.errors import MissingPartError
from footfall.model.robot import Robot


class Placed(NamedTuple):
    """A body's turn and place, as CasADi matrices."""

    turn: Any
    place: Any


@lru_cache(maxsize=32)
def equations(robot: Robot) -> Any:
    """(q, v, gravity, push) -> M, h with M a + h = tau; push has one row of forces at the body's origin for each body."""
    casadi = load_casadi()
    tree, dim = robot.tree, robot.dim
    width = 3 if dim == 2 else 6
    q, x, v = (casadi.SX.sym(name, n) for name, n in (("q", robot.nq), ("x", robot.nv), ("v", robot.nv)))
    gravity, push = casadi.SX.sym("gravity", dim), casadi.SX.sym("push", len(tree.parent), width)
    kinetic, potential, power = 0.5 * casadi.dot(v, casadi.DM(tree.rotor) * v), 0, 0
    for i, body in enumerate(_placements(casadi, tree, dim, q, x)):
        if i > 0:
            rate = Placed(*(casadi.jtimes(part, x, v) for part in body))
            m, h, S = _moments(tree.rigid[i], dim)
            kinetic += 0.5 * _twice_kinetic(casadi, rate, m, h, S)
            potential -= casadi.dot(gravity, m * body.place + body.turn @ h)
            power += push[i, :dim] @ rate.place + push[i, dim:] @ _spin(casadi, body.turn, rate.turn)
    momentum = casadi.gradient(kinetic, v)
    M = casadi.jacobian(momentum, v)
    forces = casadi.jtimes(momentum, x, v) - casadi.gradient(kinetic - potential, x) - casadi.gradient(power, v)
    M, forces = casadi.substitute([M, forces], [x], [casadi.SX.zeros(robot.nv)])
    return casadi.Function("lagrange", [q, v, gravity, push], [M, forces], ["q", "v", "gravity", "push"], ["M", "h"])


def load_casadi() -> Any:
    try:
        import casadi
    except ImportError:
        raise MissingPartError("the Lagrange formulation needs CasADi: pip install 'footfall[optimize]'") from None
    return casadi


def _placements(casadi: Any, tree: Tree, dim: int, q: Any, x: Any) -> list[Placed]:
    """Turn and place of each body, the world first."""
    placed = [Placed(casadi.SX.eye(dim), casadi.SX(dim, 1))]
    for i in range(1, len(tree.parent)):
        above, kind = placed[tree.parent[i]], tree.kind[i]
        j, d, end = int(tree.first_q[i]), int(tree.first_v[i]), int(tree.first_v[i + 1])
        slides = [e for e in range(d, end) if not tree.turns[e]]
        arm = casadi.DM(tree.offset[i])
        for k, e in enumerate(slides):
            arm = arm + casadi.DM(tree.axis[e]) * (q[j + k] + x[e])
        turn, j, d = casadi.SX.eye(dim), j + len(slides), d + len(slides)
        if kind in (REVOLUTE, PLANAR):
            turn = _turn_about(casadi, tree.axis[d], q[j] + x[d], dim)
        elif kind != PRISMATIC:
            axes = casadi.DM(tree.axis[d:end].T)
            turn = _of_quaternion(casadi, q[j], axes @ q[j + 1 : j + 4]) @ _of_quaternion(casadi, 2.0, axes @ x[d:end])
        placed.append(Placed(above.turn @ turn, above.place + above.turn @ arm))
    return placed


def _turn_about(casadi: Any, axis: np.ndarray, angle: Any, dim: int) -> Any:
    c, s = casadi.cos(angle), casadi.sin(angle)
    if dim == 2:  # x toward -z
        return casadi.vertcat(casadi.horzcat(c, s), casadi.horzcat(-s, c))
    K = casadi.skew(casadi.DM(axis))
    return casadi.SX.eye(3) + s * K + (1.0 - c) * (K @ K)


def _of_quaternion(casadi: Any, w: Any, u: Any) -> Any:
    """The turn of the quaternion (w, u) of any length; with w = 2 it is Cayley's map of u."""
    K = casadi.skew(u)
    return casadi.SX.eye(3) + (2.0 / (w * w + casadi.dot(u, u))) * (w * K + K @ K)


def _moments(rigid: np.ndarray, dim: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, first moment, and second moments: in the plane only their sum matters."""
    if dim == 2:
        return rigid[0], rigid[1:3], 0.5 * rigid[3] * np.eye(2)
    xx, yy, zz, xy, xz, yz = rigid[4:]
    J = np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    return rigid[0], rigid[1:4], 0.5 * np.trace(J) * np.eye(3) - J


def _twice_kinetic(casadi: Any, rate: Placed, m: float, h: np.ndarray, S: np.ndarray) -> Any:
    turning = casadi.trace(rate.turn @ casadi.DM(S) @ rate.turn.T)
    return m * casadi.dot(rate.place, rate.place) + 2.0 * casadi.dot(rate.place, rate.turn @ casadi.DM(h)) + turning


def _spin(casadi: Any, turn: Any, rate: Any) -> Any:
    """Angular velocity, in world axes."""
    W = rate @ turn.T
    return W[0, 1] if turn.shape[0] == 2 else casadi.vertcat(W[2, 1], W[0, 2], W[1, 0])
