"""The matrices of the decoupled natural orthogonal complement of a robot, to inspect and print."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.core.recursion import denoc as kernels
from footfall.dynamics.formulations import decoupled
from footfall.evaluate import Evaluation
from footfall.model import state
from footfall.model.robot import Robot


@dataclass(frozen=True, eq=False)
class Denoc:
    """The matrices of t = N_l N_d v and of N'(M t' + W M t) = N'w + tau, with N = N_l N_d, in a state of a robot.

    Twists t are those of the bodies' centres of mass, one after the other, each (linear, angular) in world axes. Printing shows
    them block by block.
    """

    robot: Robot
    N_l: np.ndarray  # blocks B_ij: the twist of body j carried to body i, where j is on the way from the world to i
    N_d: np.ndarray  # blocks p_i: twist of body i per unit rate of each of its own degrees of freedom
    M: np.ndarray  # mass and rotational inertia of each body
    W: np.ndarray  # angular velocity of each body, as a cross product with its angular momentum; nothing in the plane
    rotor: np.ndarray  # inertia of the rotors, which goes to the diagonal of the generalised inertia
    twists: np.ndarray  # t
    rates: np.ndarray  # (dN/dt) v: what t' is at constant rates

    @property
    def N(self) -> np.ndarray:
        """The natural orthogonal complement, N_l N_d."""
        return self.N_l @ self.N_d

    @property
    def inertia(self) -> np.ndarray:
        """The generalised inertia matrix N_d' N_l' M N_l N_d, rotors added."""
        return self.N.T @ self.M @ self.N + np.diag(self.rotor)

    @property
    def velocity_forces(self) -> np.ndarray:
        """N'(M (dN/dt) v + W M t): joint forces that centripetal and Coriolis accelerations take; weight is not among them."""
        return self.N.T @ (self.M @ self.rates + self.W @ self.M @ self.twists)

    def __str__(self) -> str:
        return _shown(self)


def denoc(robot: Robot, q: Any, v: Any = None) -> Denoc:
    """The decoupled matrices at q; v (zero if left out) matters for W, twists and rates only."""
    q, v = state.coordinates(robot, q), state.velocities(robot, np.zeros(robot.nv) if v is None else v)
    ev = Evaluation(robot)
    room, parent, n, m = decoupled(ev), robot.tree.parent, len(robot.tree.parent) - 1, ev.algebra.MOTION
    ev.run(kernels.inverse, room, q, v, np.zeros(robot.nv), np.zeros(robot.nv))
    N_l, N_d, M, W = np.eye(n * m), np.zeros((n * m, robot.nv)), np.zeros((n * m, n * m)), np.zeros((n * m, n * m))
    for i in range(1, n + 1):
        own, dofs = slice((i - 1) * m, i * m), slice(robot.tree.first_v[i], robot.tree.first_v[i + 1])
        if p := int(parent[i]):
            before = slice(0, (i - 1) * m)
            N_l[own, before] = room.back[i].T @ N_l[(p - 1) * m : p * m, before]
        N_d[own, dofs] = room.p[dofs].T
        M[own, own] = room.mass[i]
        if robot.space == "spatial":
            x, y, z = room.twist[i, 3:]
            W[own, own][3:, 3:] = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    return Denoc(robot, N_l, N_d, M, W, robot.tree.rotor.copy(), room.twist[1:].ravel(), room.rate[1:].ravel())


# --- text -----------------------------------------------------------------------------------------------------------------


def _shown(it: Denoc) -> str:
    robot, tree = it.robot, it.robot.tree
    names = [joint.child for joint in robot.layout.joints]
    n, m = len(names), 3 if robot.space == "planar" else 6
    parts = "(vx, vz, w)" if m == 3 else "(vx, vy, vz, wx, wy, wz)"
    wide = max(map(len, [*names, *robot.velocities]))
    lines = [
        f"DeNOC of {robot.name}: {n} bodies, {robot.nv} degrees of freedom; t = N_l N_d v",
        f"twists at centres of mass, {parts}",
    ]
    lines += ["", f"N_l, {n * m} x {n * m}: 1 itself, B carried from there, . not on the way"]
    blocks = it.N_l.reshape(n, m, n, m).transpose(0, 2, 1, 3)
    for i, name in enumerate(names):
        row = " ".join("1" if i == j else "B" if blocks[i, j].any() else "." for j in range(n))
        above = int(tree.parent[i + 1]) - 1
        lines.append(f"  {name:{wide}}  {row}" + ("" if above < 0 else f"   {_arm(blocks[i, above])} from {names[above]}"))
    lines += ["", f"N_d, {n * m} x {robot.nv}: one block p for each body, its columns"]
    for i, name in enumerate(names):
        for d in range(tree.first_v[i + 1], tree.first_v[i + 2]):
            lines.append(f"  {robot.velocities[d]:{wide}}  {_row(it.N_d[i * m : (i + 1) * m, d])}   moves {name}")
    lines += ["", f"M, {n * m} x {n * m}: mass and rotational inertia of each body"]
    for i, name in enumerate(names):
        block = it.M[i * m : (i + 1) * m, i * m : (i + 1) * m]
        turning = block[2:, 2:] if m == 3 else block[3:, 3:]
        lines.append(f"  {name:{wide}}  {block[0, 0]:9.4f} kg   {_row(turning[np.triu_indices(len(turning))])} kg m2")
    lines += ["", "generalised inertia N_d' N_l' M N_l N_d" + (", rotors on its diagonal" if it.rotor.any() else "")]
    lines += [f"  {name:{wide}}  {_row(row)}" for name, row in zip(robot.velocities, it.inertia, strict=True)]
    return "\n".join(lines)


def _arm(B: np.ndarray) -> str:
    """The arm in a block of N_l."""
    return f"({_row((-B[1, 2], B[0, 2]) if len(B) == 3 else (B[1, 5], B[2, 3], B[0, 4]))} )"


def _row(values: Any) -> str:
    return " ".join(f"{0.0 if abs(value) < 5e-5 else value:9.4f}" for value in values)
