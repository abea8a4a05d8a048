"""From a declared robot to the arrays that the kernels read."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from footfall.core.joints import COORDINATES, FREE, FREEDOMS, PLANAR, PRISMATIC, REVOLUTE, SPHERICAL
from footfall.core.tree import Tree
from footfall.errors import RobotError
from footfall.model.checks import inertia_matrix
from footfall.model.parts import WORLD, Joint, Link

if TYPE_CHECKING:
    from footfall.model.robot import Robot

CODES = {"revolute": REVOLUTE, "prismatic": PRISMATIC, "spherical": SPHERICAL, "planar": PLANAR, "free": FREE}
TURNING = {REVOLUTE: (1,), PRISMATIC: (0,), SPHERICAL: (1, 1, 1), PLANAR: (0, 0, 1), FREE: (0, 0, 0, 1, 1, 1)}
X, Y, Z = np.eye(3)


class Target(NamedTuple):
    """Where a link or frame sits: on a body of the tree, at a place and with axes given for the zero position."""

    body: int
    place: np.ndarray  # (3,) from the body's origin
    axes: np.ndarray  # (3, 3)


class Layout(NamedTuple):
    """A robot as arrays, and where its names are found in them."""

    tree: Tree
    targets: dict[str, Target]  # links, frames and the world
    joints: tuple[Joint, ...]  # joint i moves body i+1


def lift(vector: Any) -> np.ndarray:
    """A vector of the plane in space; a vector of space is returned unchanged."""
    return np.array((vector[0], 0.0, vector[1]) if len(vector) == 2 else vector, dtype=float)


def lower(vectors: np.ndarray, space: str) -> np.ndarray:
    """Vectors of space as `space` stores them."""
    return np.ascontiguousarray(vectors[..., [0, 2]] if space == "planar" else vectors)


def rotation(turn: float | tuple[float, ...]) -> np.ndarray:
    """The matrix of a turn: about y in the plane, roll-pitch-yaw about fixed axes in space."""
    roll, pitch, yaw = turn if isinstance(turn, tuple) else (0.0, turn, 0.0)
    (cr, cp, cy), (sr, sp, sy) = np.cos((roll, pitch, yaw)), np.sin((roll, pitch, yaw))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


@np.errstate(over="ignore", invalid="ignore")
def lay_out(robot: "Robot") -> Layout:
    """Bodies are the links that move; links fixed to one become part of it."""
    links = {link.name: link for link in robot.links}
    targets = {WORLD: Target(0, np.zeros(3), np.eye(3))}
    parents, kinds, offsets, axes, moving = [0], [0], [np.zeros(3)], [], []
    rigids = [_Rigid()]
    for joint in robot.joints:
        on = targets[joint.parent]
        place, turned = on.place + on.axes @ lift(joint.at), on.axes @ rotation(joint.turn)
        if joint.kind == "fixed":
            targets[joint.child] = Target(on.body, place, turned)
        else:
            targets[joint.child] = Target(len(parents), np.zeros(3), turned)
            parents.append(on.body)
            kinds.append(CODES[joint.kind])
            offsets.append(place)
            axes.append(_columns(joint, turned))
            rigids.append(_Rigid())
            moving.append(joint)
        rigids[targets[joint.child].body].add(links[joint.child], targets[joint.child])
    for frame in robot.frames:
        on = targets[frame.link]
        targets[frame.name] = Target(on.body, on.place + on.axes @ lift(frame.at), on.axes @ rotation(frame.turn))
    if not moving:
        raise RobotError(f"robot {robot.name!r} cannot move: all its joints are fixed")
    side = _sides(parents, offsets)
    tree = Tree(
        parent=np.array(parents, dtype=np.uint32),
        side=side,
        forks=np.isin(np.arange(len(parents)), np.array(parents)[side > 0]).astype(np.uint32),
        kind=np.array(kinds, dtype=np.uint32),
        first_q=_starts(kinds, COORDINATES),
        first_v=_starts(kinds, FREEDOMS),
        offset=lower(np.array(offsets), robot.space),
        turns=np.array([t for kind in kinds[1:] for t in TURNING[kind]], dtype=np.uint32),
        axis=lower(np.concatenate(axes), robot.space),
        rigid=np.array([rigid.row(robot.space) for rigid in rigids]),
        rotor=np.array([inertia for joint in moving for inertia in _rotor(joint)]),
    )
    _check_finite(tree, moving)
    _check_carried(parents, offsets, axes, kinds, rigids, moving)
    return Layout(tree, targets, tuple(moving))


def _sides(parents: list[int], offsets: list[np.ndarray]) -> np.ndarray:
    """0 in the middle of the body that carries it, 1 left, 2 right; those in the middle take turns where they are several."""
    side = np.zeros(len(parents), dtype=np.uint32)
    on: dict[int, list[int]] = {}
    for i in range(1, len(parents)):
        on.setdefault(parents[i], []).append(i)
    for p in range(1, len(parents)):
        carried = on.get(p, [])
        middle = [i for i in carried if offsets[i][1] == 0.0]
        for i in carried if len(carried) > 1 else []:
            if i not in middle:
                side[i] = 1 if offsets[i][1] > 0.0 else 2
            elif len(middle) > 1:
                side[i] = 1 + middle.index(i) % 2
    return side


def _starts(kinds: list[int], sizes: tuple[int, ...]) -> np.ndarray:
    """Entry i is where body i begins; the world has none."""
    return np.concatenate(([0, 0], np.cumsum([sizes[kind] for kind in kinds[1:]]))).astype(np.uint32)


def _columns(joint: Joint, turned: np.ndarray) -> np.ndarray:
    """The axes of a joint's degrees of freedom in the zero position."""
    local = {
        "revolute": lambda: [lift(joint.axis) if joint.axis else Y],
        "prismatic": lambda: [lift(joint.axis)],
        "spherical": lambda: [X, Y, Z],
        "planar": lambda: [X, Z, Y],
        "free": lambda: [X, Y, Z, X, Y, Z],
    }[joint.kind]()
    return np.array(local) @ turned.T


def _rotor(joint: Joint) -> list[float]:
    reflected = joint.motor.rotor_inertia * (joint.motor.gear * joint.motor.gear) if joint.motor else 0.0
    return [reflected] * FREEDOMS[CODES[joint.kind]]


class _Rigid:
    """Mass, first moment and inertia about a point, gathered from several links."""

    def __init__(self, mass: float = 0.0, moment: Any = (0.0, 0.0, 0.0), inertia: Any = 0.0):
        self.mass, self.moment, self.inertia = mass, np.array(moment), np.zeros((3, 3)) + inertia

    def add(self, link: Link, target: Target) -> None:
        com = target.place + target.axes @ lift(link.com)
        about_com = np.diag((0.0, link.inertia, 0.0)) if isinstance(link.inertia, float) else inertia_matrix(link.inertia)
        self.mass += link.mass
        self.moment = self.moment + link.mass * com
        self.inertia = self.inertia + target.axes @ about_com @ target.axes.T + link.mass * _square(com)

    def moved(self, r: np.ndarray) -> "_Rigid":
        """The same about a point that lies at -r."""
        about = self.inertia + self.mass * _square(r) + 2.0 * (self.moment @ r) * np.eye(3)
        return _Rigid(self.mass, self.moment + self.mass * r, about - np.outer(self.moment, r) - np.outer(r, self.moment))

    def join(self, other: "_Rigid") -> None:
        self.mass += other.mass
        self.moment = self.moment + other.moment
        self.inertia = self.inertia + other.inertia

    def row(self, space: str) -> list[float]:
        J = self.inertia
        if space == "planar":
            return [self.mass, self.moment[0], self.moment[2], J[1, 1]]
        return [self.mass, *self.moment, J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]]


def _square(r: np.ndarray) -> np.ndarray:
    return (r @ r) * np.eye(3) - np.outer(r, r)


def _check_finite(tree: Tree, moving: list[Joint]) -> None:
    """Numbers that are finite each may not be together."""
    for joint in moving:
        if not np.isfinite(_rotor(joint)).all():
            raise RobotError(
                f"joint {joint.name!r}: its rotor inertia times the square of its gear, the inertia at the joint, must be "
                f"finite, got {joint.motor.rotor_inertia:g} kg m2 and {joint.motor.gear:g}"  # type: ignore[union-attr]
            )
    for i, joint in enumerate(moving, start=1):
        if not (np.isfinite(tree.rigid[i]).all() and np.isfinite(tree.offset[i]).all()):
            raise RobotError(
                f"link {joint.child!r} and what is fixed to it are too heavy, or places on it too far away: masses, moments and "
                "inertias must be finite"
            )


def _check_carried(parents: list, offsets: list, axes: list, kinds: list, rigids: list[_Rigid], moving: list[Joint]) -> None:
    """Every degree of freedom must move some inertia, else its acceleration has no bound."""
    carried = [_Rigid(r.mass, r.moment, r.inertia) for r in rigids]
    for i in range(len(parents) - 1, 0, -1):
        carried[parents[i]].join(carried[i].moved(offsets[i]))
    for i, joint in enumerate(moving, start=1):
        for turns, axis in zip(TURNING[kinds[i]], axes[i - 1], strict=True):
            inertia = axis @ carried[i].inertia @ axis if turns else carried[i].mass
            if inertia + _rotor(joint)[0] <= 0.0:
                fault = "turns no inertia" if turns else "moves no mass"
                raise RobotError(
                    f"joint {joint.name!r} {fault}: link {joint.child!r} and all it carries have none about that axis"
                )
