"""Feet on the ground: the closed kinematic chain, and the joint forces and ground forces that a motion needs.

While a point of a foot rests on the ground, the accelerations of the robot are bound by J a + dJ/dt v = 0, for the directions in
which it is held. With both feet down the legs form a closed chain, and the forces of the ground are not unique: a floating base
leaves six of the twelve components of two wrenches in space (three of six in the plane) to a rule of sharing.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from footfall.dynamics.motion import inverse
from footfall.errors import SingularError, StateError, UnknownNameError
from footfall.kinematics.poses import jacobian, jacobian_rate, pose
from footfall.model import state
from footfall.model.parts import Arc, Box, Capsule, HeelToe, Pad, Point, Sphere
from footfall.model.robot import Robot

DIRECTIONS = {"planar": ("x", "z", "pitch"), "spatial": ("x", "y", "z", "roll", "pitch", "yaw")}
LEAST = "least effort"
ARM = 0.1  # m: a moment of 0.1 N m counts as a force of 1 N where wrenches are compared
STILL = 1e-6  # m/s2 or rad/s2, of the largest acceleration: a foot that accelerates by more does not stand


class ClosedChain(NamedTuple):
    """J a + rate = acceleration of what is held, in world axes; it must be zero."""

    J: np.ndarray  # (rows, nv)
    rate: np.ndarray  # (rows,) dJ/dt v

    def missed(self, a: Any) -> np.ndarray:
        """The acceleration that what is held has under the accelerations a."""
        return self.J @ np.asarray(a, dtype=float) + self.rate

    def closest(self, a: Any) -> np.ndarray:
        """The accelerations closest to a that the chain allows, by least squares."""
        a = np.asarray(a, dtype=float)
        return a - np.linalg.lstsq(self.J, self.missed(a), rcond=None)[0]


class Distribution(NamedTuple):
    """Joint forces and what the ground exerts on each foot, (force, moment) at the middle of its sole in world axes."""

    tau: np.ndarray  # (nv,) zero where there is no motor
    wrenches: dict[str, np.ndarray]
    places: dict[str, np.ndarray]  # where they act

    @property
    def effort(self) -> float:
        """Sum of the squares of the joint forces."""
        return float(self.tau @ self.tau)


def closed_chain(robot: Robot, q: Any, v: Any, target: str, at: Any = None, *, held: Sequence[str] | None = None) -> ClosedChain:
    """The constraint on accelerations while a point of a link or frame rests on the ground.

    `held` names the directions, of x, y, z, roll, pitch and yaw (x, z and pitch in the plane); all if left out. In the pre-swing
    phase the toe is held but for the pitch of its foot: held=("x", "y", "z", "roll", "yaw").
    """
    known = DIRECTIONS[robot.space]
    chosen = known if held is None else tuple(held)
    for name in chosen:
        if name not in known:
            raise UnknownNameError(f"direction (held at {target!r})", name, known)
    rows = [known.index(name) for name in chosen]
    J, rate = jacobian(robot, q, target, at), jacobian_rate(robot, q, v, target, at)
    return ClosedChain(J[rows], rate[rows])


def distribute(
    robot: Robot,
    q: Any,
    v: Any,
    a: Any,
    feet: Sequence[str] | None = None,
    *,
    share: str | Mapping[str, float] = LEAST,
    gravity: Any = None,
) -> Distribution:
    """Joint forces and wrenches on the feet for given accelerations, with the feet named on the ground; all if left out.

    `share` is "least effort", the smallest sum of squares of the joint forces, or the part of the vertical force for each foot
    ({"foot_left": 0.3, "foot_right": 0.7}); then the other components are as small as can be, a moment of 0.1 N m counting as
    1 N. Neither friction nor the edges of soles limit the wrenches: compare them with `wrenches` where that matters.
    """
    q, v, a = state.coordinates(robot, q), state.velocities(robot, v), state.velocities(robot, a, "a")
    if isinstance(share, str) and share != LEAST:
        raise UnknownNameError("rule of sharing", share, (LEAST, "a part for each foot"))
    names = _feet(robot, feet)
    soles = [_sole(robot, name) for name in names]
    J = [jacobian(robot, q, link, at) for link, at in soles]
    _check_standing(robot, (q, v, a), names, soles)
    need = inverse(robot, q, v, a, gravity=gravity)
    driven = np.zeros(robot.nv, dtype=bool)
    driven[robot.actuated] = True
    A = np.vstack(J).T  # joint forces of wrenches: need = tau + A w
    w = _least_effort(A, need, driven) if isinstance(share, str) else _shared(robot, A, need, driven, names, share)
    left = need - A @ w
    if np.abs(left[~driven]).max(initial=0.0) > 1e-6 * (1.0 + np.abs(need).max()):
        worst = robot.velocities[int(np.flatnonzero(~driven)[np.argmax(np.abs(left[~driven]))])]
        raise SingularError(
            f"robot {robot.name!r}: with {', '.join(names)} on the ground no forces give these accelerations; "
            f"{worst!r}, which has no motor, lacks {np.abs(left[~driven]).max():.4g} N or N m"
        )
    width = len(DIRECTIONS[robot.space])
    places = {name: pose(robot, q, link, at).position for name, (link, at) in zip(names, soles, strict=True)}
    wrenches = {name: w[i * width : (i + 1) * width] for i, name in enumerate(names)}
    return Distribution(np.where(driven, left, 0.0), wrenches, places)


def _least_effort(A: np.ndarray, need: np.ndarray, driven: np.ndarray) -> np.ndarray:
    """w with A w = need where there is no motor, and the smallest rest elsewhere."""
    w, N = _solutions(A[~driven], need[~driven])
    return w + N @ np.linalg.lstsq(A[driven] @ N, need[driven] - A[driven] @ w, rcond=None)[0]


def _shared(
    robot: Robot, A: np.ndarray, need: np.ndarray, driven: np.ndarray, names: list[str], share: Mapping[str, float]
) -> np.ndarray:
    """w with A w = need where there is no motor, with vertical forces in the given parts, otherwise smallest."""
    parts = _parts(names, share)
    width, up = len(DIRECTIONS[robot.space]), robot.dim - 1
    total = np.zeros(len(names) * width)
    total[up::width] = 1.0
    rows = np.zeros((len(names) - 1, len(total)))
    for i, part in enumerate(parts[:-1]):
        rows[i] = -part * total
        rows[i, i * width + up] += 1.0
    scale = np.tile(np.where(np.arange(width) < robot.dim, 1.0, ARM), len(names))
    E, e = np.vstack((A[~driven], rows)) * scale, np.concatenate((need[~driven], np.zeros(len(rows))))
    return scale * np.linalg.lstsq(E, e, rcond=None)[0]


def _parts(names: list[str], share: Mapping[str, float]) -> np.ndarray:
    if not isinstance(share, Mapping) or set(share) != set(names):
        raise StateError(f"share must be {LEAST!r} or a part for each of {', '.join(names)}, got {share!r:.80}")
    parts = state.vector([share[name] for name in names], len(names), "share")
    if (parts < 0.0).any() or abs(parts.sum() - 1.0) > 1e-9:
        raise StateError(f"share: the parts must not be negative and must add up to 1, got {dict(share)!r:.80}")
    return parts


def _solutions(E: np.ndarray, e: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest solution of E w = e, and a basis of what may be added to it."""
    w = np.linalg.lstsq(E, e, rcond=None)[0]
    _, sizes, rows = np.linalg.svd(E)
    rank = int((sizes > 1e-10 * sizes.max(initial=1e-300)).sum())
    return w, rows[rank:].T


def _check_standing(robot: Robot, motion: tuple, names: list[str], soles: list[tuple[str, np.ndarray]]) -> None:
    q, v, a = motion
    for name, (link, at) in zip(names, soles, strict=True):
        missed = np.abs(closed_chain(robot, q, v, link, at).missed(a)).max()
        if missed > STILL * (1.0 + np.abs(a).max() + np.square(v).max()):
            raise StateError(
                f"foot {name!r} is to stand, but accelerates by {missed:.4g} m/s2 or rad/s2; give accelerations that the "
                "closed chain allows, such as closed_chain(...).closest(a)"
            )


def _feet(robot: Robot, feet: Sequence[str] | None) -> list[str]:
    known = [foot.name for foot in robot.feet]
    names = known if feet is None else [feet] if isinstance(feet, str) else list(feet)
    for name in names:
        if name not in known:
            raise UnknownNameError(f"foot (of robot {robot.name!r})", name, known)
    if not names:
        raise StateError(f"robot {robot.name!r} has no feet to stand on")
    return names


def _sole(robot: Robot, name: str) -> tuple[str, np.ndarray]:
    """Link of a foot's first pad, and the middle of what touches there, in the link's axes."""
    foot = robot.foot(name)
    link = foot.pads[0].link
    return link, np.mean([_middle(pad) for pad in foot.pads if pad.link == link], axis=0)


def _middle(pad: Pad) -> np.ndarray:
    """The middle of the underside of a pad."""
    if isinstance(pad, HeelToe):
        return (np.array(pad.heel) + np.array(pad.toe)) / 2
    if isinstance(pad, Capsule):
        middle, below = (np.array(pad.start) + np.array(pad.end)) / 2, pad.radius
    else:
        middle = np.array(pad.at)
        below = pad.size[-1] / 2 if isinstance(pad, Box) else pad.radius if isinstance(pad, Arc | Sphere) else 0.0
    middle[-1] -= 0.0 if isinstance(pad, Point) else below
    return middle
