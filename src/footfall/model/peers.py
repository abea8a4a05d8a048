"""Robots rebuilt in the peers from their declarations, for comparison and as oracles: nothing here uses Footfall's kernels.

Needs the `bench` extra.
"""

from typing import Any

import numpy as np

from footfall.errors import MissingPartError
from footfall.model.parts import WORLD, Joint
from footfall.model.robot import Robot

ROWS = {"planar": [0, 2, 4], "spatial": [0, 1, 2, 3, 4, 5]}  # rows of Pinocchio's motions that a robot has
# where our coordinates are in a joint of Pinocchio with so many: a quaternion is x y z w there, a native planar base x y cos sin
OUR_ORDER: dict[str, dict[int, tuple[int, ...]]] = {
    "spherical": {4: (3, 0, 1, 2)},
    "free": {4: (3, 0, 1, 2), 7: (0, 1, 2, 6, 3, 4, 5)},
    "planar": {4: (0, 1, 2)},
}
UNIT_AXES = {(1.0, 0.0, 0.0): "X", (0.0, 1.0, 0.0): "Y", (0.0, 0.0, 1.0): "Z"}


def load_pinocchio() -> Any:
    try:
        import pinocchio
    except ImportError:
        raise MissingPartError("this compares with Pinocchio: pip install 'footfall[bench]'") from None
    return pinocchio


class PinocchioRobot:
    """A robot in Pinocchio, with the translation of states both ways.

    With `native_base` a floating base is the joint that Pinocchio has for it (free-flyer, planar), as its users build it.
    Without, it is a translation followed by a rotation, so that velocities mean the same as ours and all can be compared.
    """

    def __init__(self, robot: Robot, native_base: bool = False):
        self.pin = load_pinocchio()
        self.robot, self.native_base = robot, native_base
        self.model = self.pin.Model()
        self.rows = ROWS[robot.space]
        self.dims = self.rows[: robot.dim]
        self.q_index: dict[str, list[int]] = {}  # by joint: where our coordinates are (a quaternion as w x y z)
        self.v_index: dict[str, list[int]] = {}
        self.holders = {WORLD: (0, self.pin.SE3.Identity())}  # link or frame -> Pinocchio's joint, placement on it
        self._add_below(WORLD)
        for frame in robot.frames:
            joint, X = self.holders[frame.link]
            self.holders[frame.name] = (joint, X * self._placement(frame))
        self.frames = {
            name: self.model.addFrame(self.pin.Frame(name, joint, 0, X, self.pin.FrameType.OP_FRAME))
            for name, (joint, X) in self.holders.items()
            if name != WORLD
        }
        self.data = self.model.createData()
        joints = robot.layout.joints
        self.from_q = np.array([i for joint in joints for i in self.q_index[joint.name]], dtype=int)
        self.from_v = np.array([i for joint in joints for i in self.v_index[joint.name]], dtype=int)

    # --- building ---------------------------------------------------------------------------------------------------------

    def _lift(self, vector: Any) -> np.ndarray:
        return np.array([vector[0], 0.0, vector[1]] if len(vector) == 2 else vector)

    def _placement(self, part: Any) -> Any:
        angles = (0.0, part.turn, 0.0) if self.robot.space == "planar" else part.turn
        return self.pin.SE3(self.pin.rpy.rpyToMatrix(*angles), self._lift(part.at))

    def _add_below(self, root: str) -> None:
        """Depth first, as Pinocchio's crba needs it."""
        below: dict[str, list[Joint]] = {}
        for joint in self.robot.joints:
            below.setdefault(joint.parent, []).append(joint)
        waiting = below.get(root, [])[::-1]
        while waiting:
            joint = waiting.pop()
            self._add(joint)
            waiting += below.get(joint.child, [])[::-1]

    def _add(self, joint: Joint) -> None:
        parent, X = self.holders[joint.parent]
        X = X * self._placement(joint)
        if joint.kind == "fixed":
            holder, X_link = parent, X
        else:
            holder, X_link = self._add_moving(joint, parent, X)
        self.holders[joint.child] = (holder, X_link)
        link = self.robot.link(joint.child)
        if isinstance(link.inertia, float):
            J = np.diag([link.inertia / 2, link.inertia, link.inertia / 2])
        else:
            xx, yy, zz, xy, xz, yz = link.inertia
            J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        self.model.appendBodyToJoint(holder, self.pin.Inertia(link.mass, self._lift(link.com), J), X_link)

    def _add_moving(self, joint: Joint, parent: int, X: Any) -> tuple[int, Any]:
        pieces, X_link = self._pieces(joint), self.pin.SE3.Identity()
        if self.native_base and joint.kind == "planar":  # Pinocchio's moves in x-y: let its y be our -z
            tilt = self.pin.SE3(np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]]), np.zeros(3))
            X, X_link = X * tilt, tilt.inverse()
        qs: list[int] = []
        vs: list[int] = []
        armature = joint.motor.rotor_inertia * joint.motor.gear**2 if joint.motor else 0.0
        for k, piece in enumerate(pieces):
            parent = self.model.addJoint(parent, piece, X, f"{joint.name}/{k}")
            X = self.pin.SE3.Identity()
            placed = self.model.joints[parent]
            order = OUR_ORDER.get(joint.kind, {}).get(placed.nq, range(placed.nq))
            qs += [placed.idx_q + i for i in order]
            vs += range(placed.idx_v, placed.idx_v + placed.nv)
            rotors = self.model.armature
            rotors[placed.idx_v : placed.idx_v + placed.nv] = armature
            self.model.armature = rotors
        self.q_index[joint.name], self.v_index[joint.name] = qs, vs
        return parent, X_link

    def _pieces(self, joint: Joint) -> list[Any]:
        pin = self.pin
        if joint.kind in ("revolute", "prismatic"):
            axis = (0.0, 1.0, 0.0) if joint.axis is None else tuple(float(x) for x in self._lift(joint.axis))
            letter = "R" if joint.kind == "revolute" else "P"
            if axis in UNIT_AXES:
                return [getattr(pin, f"JointModel{letter}{UNIT_AXES[axis]}")()]
            any_axis = pin.JointModelRevoluteUnaligned if letter == "R" else pin.JointModelPrismaticUnaligned
            return [any_axis(np.array(axis))]
        if joint.kind == "spherical":
            return [pin.JointModelSpherical()]
        if joint.kind == "planar":
            return [pin.JointModelPlanar()] if self.native_base else [pin.JointModelPX(), pin.JointModelPZ(), pin.JointModelRY()]
        return [pin.JointModelFreeFlyer()] if self.native_base else [pin.JointModelTranslation(), pin.JointModelSpherical()]

    # --- translating ------------------------------------------------------------------------------------------------------

    def q(self, ours: np.ndarray) -> np.ndarray:
        """Our coordinates as Pinocchio's."""
        theirs = np.zeros(self.model.nq)
        theirs[self.from_q] = ours
        for i in self._native("planar", self.q_index):
            x, z, pitch = theirs[i : i + 3]
            theirs[i : i + 4] = x, -z, np.cos(pitch), np.sin(pitch)
        return theirs

    def v(self, ours: np.ndarray, q: Any = None) -> np.ndarray:
        """Our velocities as Pinocchio's; a native base has them in the body's axes, for which Pinocchio's q is needed."""
        theirs = np.zeros(self.model.nv)
        theirs[self.from_v] = ours
        for i, j in zip(self._native("planar", self.v_index), self._native("planar", self.q_index), strict=True):
            c, s = q[j + 2 : j + 4]
            x, y = theirs[i], -theirs[i + 1]
            theirs[i : i + 2] = c * x + s * y, c * y - s * x
        for i, j in zip(self._native("free", self.v_index), self._native("free", self.q_index), strict=True):
            turn = self.pin.Quaternion(*q[[j + 6, j + 3, j + 4, j + 5]]).matrix()
            theirs[i : i + 3] = turn.T @ theirs[i : i + 3]
        return theirs

    def _native(self, kind: str, index: dict[str, list[int]]) -> list[int]:
        """Where native bases of a kind begin."""
        return [index[joint.name][0] for joint in self.robot.layout.joints if self.native_base and joint.kind == kind]

    def ours(self, theirs: Any) -> np.ndarray:
        """A joint vector."""
        return np.asarray(theirs)[self.from_v]

    def columns(self, theirs: Any) -> np.ndarray:
        """A matrix with one column for each degree of freedom (Pinocchio makes a vector of a single one)."""
        return np.asarray(theirs).reshape(-1, self.model.nv)[:, self.from_v]

    def square(self, theirs: Any) -> np.ndarray:
        return self.columns(theirs)[self.from_v]

    def motion(self, motion: Any) -> np.ndarray:
        """The rows of a motion or force that the robot has."""
        return (motion.vector if hasattr(motion, "vector") else np.asarray(motion))[self.rows]
