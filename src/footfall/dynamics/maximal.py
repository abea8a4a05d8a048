"""Maximal coordinates: every body of a planar robot by itself, and pins that hold them together.

    M a = f + G'y,   G a = -g(v)

with M the bodies' own masses and inertias, about their centres, and the rotors between them; y the forces in the pins, and
g the accelerations of the pins at constant velocities of the bodies. Dense and slow: it is here for comparison.
"""

from typing import NamedTuple

import numpy as np

from footfall.core.joints import REVOLUTE
from footfall.errors import RobotError
from footfall.evaluate import Evaluation
from footfall.model.robot import Robot

PINS = ("revolute", "planar")


class Loose(NamedTuple):
    """The bodies of a robot in one state: rows of three, x and z of the centre and the angle."""

    arm: np.ndarray  # (n, 2) from the centre to the body's origin
    M: np.ndarray  # (3n, 3n)
    f: np.ndarray  # (3n,) weight and what pushes
    G: np.ndarray  # (2 pins, 3n)
    g: np.ndarray  # (2 pins,)
    J: np.ndarray  # (3n, nv) velocities of the bodies from those of the robot
    rate: np.ndarray  # (3n,) dJ/dt v


def check_pinned(robot: Robot) -> None:
    """Whether a robot can be told as planar bodies with pins."""
    if robot.space != "planar":
        raise RobotError(f"formulation 'maximal' is for planar robots; {robot.name!r} is {robot.space}")
    for joint in robot.layout.joints:
        if joint.kind not in PINS:
            raise RobotError(f"formulation 'maximal' knows pins; joint {joint.name!r} of {robot.name!r} is {joint.kind}")


def inverse(ev: Evaluation, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> None:
    for row in range(len(q)):
        loose = _loose(ev, q[row], v[row])
        tau[row] = loose.J.T @ (loose.M @ (loose.J @ a[row] + loose.rate) - loose.f)


def forward(ev: Evaluation, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray, doubts: np.ndarray) -> None:
    for row in range(len(q)):
        loose = _loose(ev, q[row], v[row])
        n, m = len(loose.f), len(loose.g)
        K = np.block([[loose.M, -loose.G.T], [loose.G, np.zeros((m, m))]])
        b = np.concatenate((loose.f + _twists(ev) @ tau[row] + _base(ev, loose, tau[row]), -loose.g))
        doubts[row] = np.linalg.cond(K) > 1e14
        bodies = np.full(n, np.nan) if doubts[row] else np.linalg.solve(K, b)[:n]
        a[row] = _observed(ev, loose, bodies, v[row])


def mass_matrix(ev: Evaluation, q: np.ndarray, M: np.ndarray) -> None:
    loose = _loose(ev, q, np.zeros(ev.robot.nv))
    M[:] = loose.J.T @ loose.M @ loose.J


def _loose(ev: Evaluation, q: np.ndarray, v: np.ndarray) -> Loose:
    check_pinned(ev.robot)
    tree = ev.tree
    bodies, nv = len(tree.parent), len(v)
    n = bodies - 1
    angle, spin = np.zeros(bodies), np.zeros((bodies, nv))
    origin, moves, rates = np.zeros((bodies, 2)), np.zeros((bodies, 2, nv)), np.zeros((bodies, 2))
    twists, M, f, J, rate = _twists(ev), np.zeros((3 * n, 3 * n)), np.zeros(3 * n), np.zeros((3 * n, nv)), np.zeros(3 * n)
    arms, G, g = np.zeros((bodies, 2)), [], []
    for i in range(1, bodies):
        p, j, d = int(tree.parent[i]), int(tree.first_q[i]), int(tree.first_v[i])
        r = _turned(angle[p], tree.offset[i])
        angle[i], spin[i], origin[i] = angle[p], spin[p], origin[p] + r
        moves[i], rates[i] = moves[p] + np.outer(_quarter(r), spin[p]), rates[p] - (spin[p] @ v) ** 2 * r
        turning = d if tree.kind[i] == REVOLUTE else d + 2
        if tree.kind[i] != REVOLUTE:
            origin[i] += tree.axis[d : d + 2].T @ q[j : j + 2]
            moves[i][:, d : d + 2] += tree.axis[d : d + 2].T
        angle[i] += q[j + turning - d]
        spin[i] = spin[i] + np.eye(nv)[turning]
        m, h, inertia = tree.rigid[i, 0], tree.rigid[i, 1:3], tree.rigid[i, 3]
        c = _turned(angle[i], h / m) if m > 0.0 else np.zeros(2)
        b, w = slice(3 * (i - 1), 3 * i), spin[i] @ v
        M[b, b] = np.diag((m, m, inertia - m * c @ c))
        J[b] = np.vstack((moves[i] + np.outer(_quarter(c), spin[i]), spin[i]))
        rate[b] = *(rates[i] - w * w * c), 0.0
        push = ev.work.f_ext[i]
        f[b] = *(push[:2] - m * ev.work.A_WB[0, :2]), push[2] - (c[1] * push[0] - c[0] * push[1])
        arms[i] = -c
        if tree.kind[i] == REVOLUTE:
            rows, bend = np.zeros((2, 3 * n)), -w * w * arms[i]
            rows[:, b] = np.column_stack((np.eye(2), _quarter(arms[i])))
            if p > 0:
                rows[:, 3 * (p - 1) : 3 * p] = -np.column_stack((np.eye(2), _quarter(arms[p] + r)))
                bend = bend + (spin[p] @ v) ** 2 * (arms[p] + r)
            G.append(rows)
            g.append(bend)
    M += twists @ np.diag(tree.rotor) @ twists.T
    empty = np.zeros((0, 3 * n)), np.zeros(0)
    return Loose(arms, M, f, np.vstack(G) if G else empty[0], np.concatenate(g) if g else empty[1], J, rate)


def _twists(ev: Evaluation) -> np.ndarray:
    """Torques on the bodies from those of the hinges."""
    tree, n = ev.tree, len(ev.tree.parent) - 1
    twists = np.zeros((3 * n, ev.robot.nv))
    for i in range(1, n + 1):
        if tree.kind[i] == REVOLUTE:
            twists[3 * i - 1, tree.first_v[i]] = 1.0
            if tree.parent[i] > 0:
                twists[3 * int(tree.parent[i]) - 1, tree.first_v[i]] = -1.0
    return twists


def _base(ev: Evaluation, loose: Loose, tau: np.ndarray) -> np.ndarray:
    """Forces on the bodies of a floating base: they act at its origin."""
    tree, f = ev.tree, np.zeros(len(loose.f))
    for i in range(1, len(tree.parent)):
        if tree.kind[i] != REVOLUTE:
            d = int(tree.first_v[i])
            force = tree.axis[d : d + 2].T @ tau[d : d + 2]
            f[3 * i - 3 : 3 * i] = *force, tau[d + 2] + _quarter(loose.arm[i]) @ force
    return f


def _observed(ev: Evaluation, loose: Loose, bodies: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Accelerations of the robot's own coordinates from those of its bodies."""
    tree, a, spins = ev.tree, np.zeros(len(v)), loose.J[2::3] @ v
    turning = np.concatenate(([0.0], bodies[2::3]))
    for i in range(1, len(tree.parent)):
        d = int(tree.first_v[i])
        if tree.kind[i] == REVOLUTE:
            a[d] = turning[i] - turning[tree.parent[i]]
        else:
            r = loose.arm[i]
            origin = bodies[3 * i - 3 : 3 * i - 1] + turning[i] * _quarter(r) - spins[i - 1] ** 2 * r
            a[d : d + 2], a[d + 2] = tree.axis[d : d + 2] @ origin, turning[i]
    return a


def _turned(angle: float, x: np.ndarray) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array((c * x[0] + s * x[1], c * x[1] - s * x[0]))


def _quarter(r: np.ndarray) -> np.ndarray:
    """Velocity of the end of r when it turns at 1 rad/s."""
    return np.array((r[1], -r[0]))
