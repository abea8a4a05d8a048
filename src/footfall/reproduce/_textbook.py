"""A robot by the textbook: every link by itself, dense matrices, extended precision, plain numpy. Nothing of the kernels is used.

On machines whose long double is a double, it has the digits of the kernels and no more.
"""

from typing import Any, NamedTuple

import numpy as np

from footfall.model.parts import Joint
from footfall.model.robot import Robot

LONG = np.longdouble
X, Y, Z = np.eye(3, dtype=LONG)


class Placed(NamedTuple):
    """A link in the world: axes, origin, and its Jacobian and acceleration at constant rates, (linear, angular) at the origin."""

    axes: np.ndarray
    origin: np.ndarray
    J: np.ndarray
    rate: np.ndarray


class Textbook:
    """Links of a robot in a state, and what follows: mass matrix, bias, Jacobians of points."""

    def __init__(self, robot: Robot, q: Any, v: Any = None):
        self.robot, n = robot, robot.nv
        self.q, self.v = np.array(q, LONG), np.zeros(n, LONG) if v is None else np.array(v, LONG)
        self.links = {"world": Placed(np.eye(3, dtype=LONG), np.zeros(3, LONG), np.zeros((6, n), LONG), np.zeros(6, LONG))}
        self.rotor = np.zeros(n, LONG)
        j = d = 0
        for joint in robot.joints:
            slides, turn, used = _motion(joint, self.q[j:])
            freedoms = 0 if joint.kind == "fixed" else len(slides) + turn[1].shape[1]
            self.links[joint.child] = self._child(joint, slides, turn, d, self.q[j : j + len(slides)])
            if joint.motor:
                self.rotor[d : d + freedoms] = LONG(joint.motor.rotor_inertia) * LONG(joint.motor.gear) ** 2
            j, d = j + used, d + freedoms

    def _child(self, joint: Joint, slides: np.ndarray, turn: tuple, d: int, ways: np.ndarray) -> Placed:
        on = self.links[joint.parent]
        base = on.axes @ _turned(joint.turn)
        arm = on.axes @ lifted(joint.at)
        J, rate = self._carried(on, arm + base @ (slides.T @ ways) if len(slides) else arm)
        for k, axis in enumerate(slides):
            J[:3, d + k] += base @ axis
        k, (own, columns) = d + len(slides), turn
        axes = base @ own
        own_spin = slice(k, k + columns.shape[1])
        J[3:, own_spin] += axes @ columns
        w, before = on.J[3:] @ self.v, len(slides)
        if before:
            rate[:3] += 2 * np.cross(w, base @ (slides.T @ self.v[d : d + before]))
        rate[3:] += np.cross(w, axes @ columns @ self.v[own_spin])
        return Placed(axes, on.origin + arm + (base @ (slides.T @ ways) if len(slides) else 0), J, rate)

    def _carried(self, on: Placed, arm: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Jacobian and acceleration of a link at a point away from its origin."""
        J, rate, w = on.J.copy(), on.rate.copy(), on.J[3:] @ self.v
        J[:3] += np.cross(on.J[3:].T, arm).T
        rate[:3] += np.cross(on.rate[3:], arm) + np.cross(w, np.cross(w, arm))
        return J, rate

    def point(self, link: str, at: Any) -> np.ndarray:
        """Jacobian of a point of a link: rows x z in the plane, x y z in space."""
        J, _ = self._carried(self.links[link], self.links[link].axes @ lifted(at))
        return J[[0, 2]] if self.robot.dim == 2 else J[:3]

    def equations(self, gravity: float) -> tuple[np.ndarray, np.ndarray]:
        """M and h of M a + h = tau."""
        M, h = np.diag(self.rotor), np.zeros(self.robot.nv, LONG)
        for link in self.robot.links:
            body = self.links[link.name]
            J, rate = self._carried(body, body.axes @ lifted(link.com))
            I, w = body.axes @ _inertia(link.inertia) @ body.axes.T, J[3:] @ self.v
            force = LONG(link.mass) * (rate[:3] + LONG(gravity) * Z)
            M = M + LONG(link.mass) * J[:3].T @ J[:3] + J[3:].T @ I @ J[3:]
            h = h + J[:3].T @ force + J[3:].T @ (I @ rate[3:] + np.cross(w, I @ w))
        return M, h


def _motion(joint: Joint, q: np.ndarray) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray], int]:
    """Axes along which a joint slides; its turn and the axes of its spin, in the child; coordinates it takes."""
    none, still = np.zeros((0, 3), LONG), (np.eye(3, dtype=LONG), np.zeros((3, 0), LONG))
    if joint.kind == "fixed":
        return none, still, 0
    if joint.kind == "prismatic":
        return np.array([_unit(joint.axis)]), still, 1
    if joint.kind == "revolute":
        axis = _unit(joint.axis)
        return none, (_about(axis, q[0]), axis[:, None]), 1
    if joint.kind == "planar":
        return np.array([X, Z]), (_about(Y, q[2]), Y[:, None]), 3
    if joint.kind == "spherical":
        return none, (_of_quaternion(q[:4]), np.eye(3, dtype=LONG)), 4
    return np.eye(3, dtype=LONG), (_of_quaternion(q[3:7]), np.eye(3, dtype=LONG)), 7


def lifted(vector: Any) -> np.ndarray:
    return np.array((vector[0], 0, vector[1]) if len(vector) == 2 else vector, LONG)


def _unit(axis: Any) -> np.ndarray:
    a = lifted(axis) if axis else Y
    return a / np.sqrt(a @ a)


def _cross(a: np.ndarray) -> np.ndarray:
    x, y, z = a
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], LONG)


def _about(axis: np.ndarray, angle: Any) -> np.ndarray:
    K = _cross(axis)
    return np.eye(3, dtype=LONG) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def _turned(turn: Any) -> np.ndarray:
    roll, pitch, yaw = (LONG(each) for each in (turn if isinstance(turn, tuple) else (0.0, turn, 0.0)))
    return _about(Z, yaw) @ _about(Y, pitch) @ _about(X, roll)


def _of_quaternion(quaternion: np.ndarray) -> np.ndarray:
    w, *u = quaternion / np.sqrt(quaternion @ quaternion)
    K = _cross(np.array(u))
    return np.eye(3, dtype=LONG) + 2 * w * K + 2 * K @ K


def _inertia(given: Any) -> np.ndarray:
    if isinstance(given, float):
        return np.diag(np.array((0, given, 0), LONG))
    xx, yy, zz, xy, xz, yz = (*given, 0.0, 0.0, 0.0)[:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], LONG)


# --- dense ----------------------------------------------------------------------------------------------------------------

NOTHING = 100 * np.finfo(LONG).eps  # beside the largest pivot: what is left of equations that say the same twice
AGREE = 1e5 * np.finfo(LONG).eps  # beside the largest right side: what may be left of them there


def solved(A: np.ndarray, b: np.ndarray) -> np.ndarray | None:
    """A^-1 b by Gaussian elimination, with complete pivoting.

    Redundant equations are left out, and their unknowns are zero; None if equations contradict each other.
    """
    n, A, x = len(b), A.copy(), b.copy()
    order, size = np.arange(n), np.abs(A).max()
    for k in range(n):
        rest = np.abs(A[k:, k:])
        row, column = (int(i) for i in np.unravel_index(np.argmax(rest), rest.shape))
        if rest[row, column] <= NOTHING * size:
            if np.abs(x[k:]).max() > AGREE * np.abs(b).max():
                return None
            n = k
            break
        A[[k, k + row]], x[[k, k + row]] = A[[k + row, k]], x[[k + row, k]]
        A[:, [k, k + column]], order[[k, k + column]] = A[:, [k + column, k]], order[[k + column, k]]
        factor = A[k + 1 :, k] / A[k, k]
        A[k + 1 :] -= np.outer(factor, A[k])
        x[k + 1 :] -= factor * x[k]
    out = np.zeros_like(x)
    for k in range(n - 1, -1, -1):
        out[order[k]] = (x[k] - A[k, k + 1 : n] @ out[order[k + 1 : n]]) / A[k, k]
    return out


def struck(M: np.ndarray, J: np.ndarray, v: np.ndarray, after: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """Velocities and impulses of M v+ - J'P = M v, J v+ = after; balanced, for feet that weigh next to nothing."""
    scale, n = 1 / np.sqrt(M.diagonal()), len(J)
    K = np.block([[scale[:, None] * M * scale, -(J * scale).T], [J * scale, np.zeros((n, n), LONG)]])
    answer = solved(K, np.concatenate((scale * (M @ v), after)))
    return None if answer is None else (scale * answer[: len(M)], answer[len(M) :])
