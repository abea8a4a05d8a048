"""How far a chain of joints is from a singularity, and joint rates that stay bounded near one.

Where a leg is straight, or two of its axes are in line, the Jacobian loses rank: the foot cannot move in some direction, and
near there it takes high rates (Johnnie 2.24). The singular values of the Jacobian say how near that is.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.core.leg import bounded_inverse
from footfall.errors import StateError
from footfall.kinematics.poses import jacobian
from footfall.model import state
from footfall.model.robot import Robot

RANK = 1e-12  # m/rad: a singular value below this is 0, and has no inverse
LEVER = 0.3  # m: how many metres a radian of the target counts as


@dataclass(frozen=True)
class Dexterity:
    """How well the joints between a base and a target can move it.

    `values` are the singular values of the Jacobian, the largest first (m/rad; angular rows count `lever` metres). With the
    smallest, a speed of 1 m/s along `direction` takes 1 / smallest rad/s, and it is the distance to the nearest Jacobian that
    is singular. `manipulability` is Yoshikawa's measure, their product.
    """

    values: np.ndarray
    direction: np.ndarray  # of the target, (linear, angular times lever): the one that is hardest to move in
    joints: tuple[str, ...]  # the degrees of freedom that count

    @property
    def smallest(self) -> float:
        """The smallest singular value; 0 where the chain is singular."""
        return float(self.values[-1])

    @property
    def manipulability(self) -> float:
        """The product of the singular values (Yoshikawa)."""
        return float(np.prod(self.values))

    @property
    def condition(self) -> float:
        """The largest singular value over the smallest."""
        return float(self.values[0] / self.values[-1]) if self.values[-1] > 0.0 else np.inf


@dataclass(frozen=True)
class Rates:
    """Joint rates `v` of a robot, and the part of the wanted velocity that they do not give (`residual`, m/s and rad/s)."""

    v: np.ndarray
    residual: np.ndarray
    damped: bool  # whether a singular value was smaller than `near`


def dexterity(
    robot: Robot, q: Any, target: str, at: Any = None, base: str | None = None, turns: bool | None = None, lever: float = LEVER
) -> Dexterity:
    """How far the joints from `base` (the floating body, if left out) to `target` are from a singularity.

    `turns` says whether the rotation of the target counts beside its position; left out, it does if there are joints enough.
    """
    J, names = _chain_jacobian(robot, q, target, at, base)
    counts = len(names) >= len(J) if turns is None else bool(turns)
    U, values, _ = np.linalg.svd(_weighted(J, robot.dim, _lever(lever))[: None if counts else robot.dim])
    values = np.concatenate((values, np.zeros(len(U) - len(values))))
    return Dexterity(values, U[:, -1], names)


def joint_rates(
    robot: Robot, q: Any, target: str, velocity: Any, at: Any = None, base: str | None = None, near: float = 0.05
) -> Rates:
    """The smallest joint rates that move a target against its base with a velocity, (linear, angular) in world axes.

    Only the joints from `base` (the floating body, if left out) to `target` move. An entry None of `velocity` leaves that
    direction free. It is the pseudo-inverse of the Jacobian, damped in directions whose singular value (m/rad, a radian of the
    target as 0.3 m) is below `near`, the more the smaller it is: rates stay below 1.2 speed / near, and change continuously.
    """
    near = _number(near, "near of joint_rates", 0.0)
    J, _ = _chain_jacobian(robot, q, target, at, base)
    given = list(velocity) if isinstance(velocity, tuple | list | np.ndarray) else [velocity]
    if len(given) != len(J):
        raise StateError(f"velocity of {target!r} must have {len(J)} entries, (linear, angular), got {velocity!r:.80}")
    rows = np.array([entry is not None for entry in given])
    if not rows.any():
        raise StateError(f"velocity of {target!r} asks for nothing: give at least one number")
    wanted = state.vector([0.0 if entry is None else entry for entry in given], len(J), f"velocity of {target!r}")
    scale = _weighted(np.ones((len(J), 1)), robot.dim, LEVER)[rows, 0]
    U, values, Vt = np.linalg.svd(scale[:, None] * J[rows], full_matrices=False)
    own = bounded_inverse.plain(robot.space)
    inverses = np.array([own(value, near) if near > 0.0 or value > RANK else 0.0 for value in values])
    columns = _columns(robot, target, base)
    v = np.zeros(robot.nv)
    v[columns] = Vt.T @ (inverses * (U.T @ (scale * wanted[rows])))
    residual = np.zeros(len(J))
    residual[rows] = wanted[rows] - J[rows] @ v[columns]
    return Rates(v, residual, bool(values[-1] < near))


def _weighted(J: np.ndarray, dim: int, lever: float) -> np.ndarray:
    return np.concatenate((J[:dim], lever * J[dim:]))


def _chain_jacobian(robot: Robot, q: Any, target: str, at: Any, base: str | None) -> tuple[np.ndarray, tuple[str, ...]]:
    """The Jacobian of the target over the joints that move it against the base, in world axes."""
    state.known_robot(robot)
    columns = _columns(robot, target, base)
    return jacobian(robot, q, target, at)[:, columns], tuple(robot.velocities[d] for d in columns)


def _columns(robot: Robot, target: str, base: str | None) -> list[int]:
    """Degrees of freedom of the joints from the base outward to the target."""
    tree, i = robot.tree, robot.target(target).body
    floating = [j for j, joint in enumerate(robot.layout.joints, start=1) if joint.kind in ("planar", "free")]
    root = robot.target(base).body if base is not None else floating[0] if floating else 0
    found: list[int] = []
    while i not in (root, 0):
        found = [*range(int(tree.first_v[i]), int(tree.first_v[i + 1])), *found]
        i = int(tree.parent[i])
    title = "its floating body" if base is None else repr(base)
    if i != root:
        raise StateError(f"robot {robot.name!r}: {title} does not carry {target!r}; the base must be nearer to the world")
    if not found:
        raise StateError(f"robot {robot.name!r}: no joint moves {target!r} against {title}")
    return found


def _lever(given: Any) -> float:
    return _number(given, "lever of dexterity", 1e-9)


def _number(given: Any, what: str, low: float) -> float:
    try:
        number = float(given)
    except (TypeError, ValueError, OverflowError):
        number = np.nan
    if not low <= number < np.inf:
        raise StateError(f"{what} must be a number from {low:g} on, got {given!r:.60}")
    return number
