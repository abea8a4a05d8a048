"""The equations of all bodies and hinges as one dense matrix, written out with NumPy: a second way to the same numbers.

Rows of a hinge are the directions that its freedoms leave out, found as a null space.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from footfall import kinematics
from footfall.model.layout import lift
from footfall.model.pins import Pin
from footfall.model.robot import Robot


class Dense(NamedTuple):
    """K x = b with x the accelerations of the bodies' origins (6 each), then the forces of the rows of hinges and pins."""

    K: np.ndarray
    b: np.ndarray
    columns: np.ndarray  # of joint forces, for bodies
    rows: list[np.ndarray]  # of each hinge, (k, 6): directions of its forces, about the child's origin
    places: list[slice]  # of their unknowns in x
    bodies: int
    robot: Robot

    def solved(self, tau: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
        """Accelerations of the bodies, and the force of every hinge on its child, with joint forces."""
        b = self.b.copy()
        b[: 6 * self.bodies] += self.columns @ tau
        x = np.linalg.solve(self.K, b)
        forces = [rows.T @ x[place] for rows, place in zip(self.rows, self.places, strict=True)]
        for i in range(self.bodies):
            forces[i] = forces[i] + self.columns[6 * i : 6 * i + 6, self._freedoms(i)] @ tau[self._freedoms(i)]
        return x[: 6 * self.bodies].reshape(-1, 6), forces

    def _freedoms(self, i: int) -> slice:
        first = self.robot.tree.first_v
        return slice(int(first[i + 1]), int(first[i + 2]))


def dense(robot: Robot, q: np.ndarray, v: np.ndarray, welded: tuple[Pin, ...] = ()) -> Dense:
    """The system of a spatial robot without rotors, under its own gravity, with some links held fast; q and v agree with that."""
    tree, joints = robot.tree, robot.layout.joints
    n = len(joints)
    R = [np.eye(3), *(kinematics.pose(robot, q, joint.child).rotation @ robot.target(joint.child).axes.T for joint in joints)]
    p = [np.zeros(3), *(kinematics.pose(robot, q, joint.child).position for joint in joints)]
    V = [np.zeros(6), *(kinematics.velocity(robot, q, v, joint.child) for joint in joints)]
    M, f = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    columns, rows, sides, bias = np.zeros((6 * n, robot.nv)), [], [], []
    for i in range(1, n + 1):
        here, parent = slice(6 * i - 6, 6 * i), int(tree.parent[i])
        m, h, w = tree.rigid[i, 0], R[i] @ tree.rigid[i, 1:4], V[i][3:]
        xx, yy, zz, xy, xz, yz = tree.rigid[i, 4:]
        J = R[i] @ np.array(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))) @ R[i].T
        M[here, here] = np.block([[m * np.eye(3), -_skew(h)], [_skew(h), J]])
        up = np.array((0.0, 0.0, robot.gravity))
        f[here] = -np.concatenate((np.cross(w, np.cross(w, h)) + m * up, np.cross(w, J @ w) + np.cross(h, up)))
        S = np.zeros((6, int(tree.first_v[i + 1] - tree.first_v[i])))
        for k, d in enumerate(range(int(tree.first_v[i]), int(tree.first_v[i + 1]))):
            S[3:, k] = R[i] @ tree.axis[d] if tree.turns[d] else 0.0
            S[:3, k] = 0.0 if tree.turns[d] else R[parent] @ tree.axis[d]
        T = np.linalg.svd(S, full_matrices=True)[0][:, S.shape[1] :].T
        r = p[i] - p[parent]
        X = np.block([[np.eye(3), -_skew(r)], [np.zeros((3, 3)), np.eye(3)]])
        relative = V[i] - X @ V[parent]
        w_P = V[parent][3:]
        c = np.concatenate((np.cross(w_P, np.cross(w_P, r) + 2 * relative[:3]), np.cross(w_P, relative[3:])))
        line = np.zeros((len(T), 6 * n))
        line[:, here] = T
        columns[here, tree.first_v[i] : tree.first_v[i + 1]] = S
        if parent:
            there = slice(6 * parent - 6, 6 * parent)
            line[:, there] = -T @ X
            columns[there, tree.first_v[i] : tree.first_v[i + 1]] = -X.T @ S
        rows.append(T)
        sides.append(line)
        bias.append(T @ c)
    for pin in welded:
        line = np.zeros((6, 6 * n))
        i = robot.target(pin.name).body
        line[:, 6 * i - 6 : 6 * i] = np.eye(6)
        sides.append(line)
        bias.append(np.zeros(6))
    G, starts = np.vstack(sides), np.cumsum([6 * n, *(len(T) for T in rows)])
    K = np.block([[M, -G.T], [G, np.zeros((len(G), len(G)))]])
    places = [slice(int(a), int(b)) for a, b in pairwise(starts)]
    return Dense(K, np.concatenate((f, *bias)), columns, rows, places, n, robot)


def _skew(x: np.ndarray) -> np.ndarray:
    x = lift(x)
    return np.array(((0.0, -x[2], x[1]), (x[2], 0.0, -x[0]), (-x[1], x[0], 0.0)))
