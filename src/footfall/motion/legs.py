"""Robots on two legs that reference motion can be planned for: where their legs are, and their coordinates for a pelvis and
feet that move.

A leg is known by the names of its joints: hip_yaw_*, hip_roll_*, hip_pitch_*, knee_*, ankle_pitch_*, ankle_roll_* (as
`robots/_legs.py` makes them), or hip_*, knee_*, ankle_* with spherical hip and ankle. A spherical ankle does not turn about the
shank. Places are (x, y, z, roll, pitch, yaw), the turn being R = Rz Ry Rx. A foot's place is the point of its sole below the
ankle.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from footfall import kinematics
from footfall.core.jit import kernel
from footfall.core.manifold import put_quaternion, quaternion_product
from footfall.core.spatial.algebra import rotate_back
from footfall.core.trig import cos_sin
from footfall.errors import RobotError
from footfall.kinematics.two_legs import find_legs
from footfall.model.parts import Box
from footfall.model.robot import Robot
from footfall.motion._leg import body_of, leg_motion, moved_to
from footfall.motion.curve import MotionError
from footfall.motion.support import hull

SIDES = ("left", "right")
HINGES = ("hip_yaw_*", "hip_roll_*", "hip_pitch_*", "knee_*", "ankle_pitch_*", "ankle_roll_*")
AXES = ((0.0, 0.0, 1.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
BALLS = ("hip_*", "knee_*", "ankle_*")
NOT_ROUND = 1e-9  # m: how far apart numbers of the left and right leg, or axes that should meet, may be


class LegData(NamedTuple):
    """Both legs as kernels read them; index 0 is left."""

    hip: Any  # (2, 3) in the pelvis' axes, m
    lengths: Any  # (2, 2) thigh and shank, m
    ankle: Any  # height of the ankle above the sole, m
    balls: Any  # 1 if hip and ankle are spherical, 0 if they are hinges
    q: Any  # (2, 6) first coordinate of each joint
    v: Any  # (2, 6) first degree of freedom of each joint


@dataclass(frozen=True)
class TwoLegs:
    """The legs of a robot: `data` for kernels; names by side, left first."""

    robot: Robot
    pelvis: str  # the link that floats and carries the legs
    feet: tuple[str, str]  # links
    data: LegData

    @cached_property
    def corners(self) -> np.ndarray:
        """(2, k, 3) corners of the soles from the point below the ankle, in the foot's axes with toes straight."""
        soles = [_sole(self.robot, name) for name in self.feet]
        k = max(map(len, soles))
        rows = np.stack([np.concatenate((sole, np.repeat(sole[:1], k - len(sole), axis=0))) for sole in soles])
        rows[..., 2] += self.data.ankle
        return rows

    @property
    def spacing(self) -> float:
        """From hip to hip, in m."""
        return float(self.data.hip[0, 1] - self.data.hip[1, 1])

    @property
    def longest(self) -> float:
        """Height of the hips above the soles of straight legs, in m."""
        return float(self.data.lengths[0].sum() + self.data.ankle)

    def follow(self, pelvis: np.ndarray, feet: np.ndarray, posture: np.ndarray) -> tuple[np.ndarray, ...]:
        """q, v, a of rows and how far a foot is out of reach, for motions of the pelvis (3, n, 6) and the feet (3, n, 2, 6).

        The first index is position, velocity, acceleration. All other joints stay as in `posture`.
        """
        n, robot = pelvis.shape[1], self.robot
        q, v, a, miss = np.tile(posture, (n, 1)), np.zeros((n, robot.nv)), np.zeros((n, robot.nv)), np.zeros((n, 2))
        follow_rows["spatial"](self.data, pelvis, np.ascontiguousarray(feet), np.zeros((8, 6, 6)), (q, v, a, miss))
        return q, v, a, miss


def two_legs(robot: Robot) -> TwoLegs:
    """The legs of a robot, by the names of its joints."""
    found = find_legs(robot)
    bodies = {joint.name: i for i, joint in enumerate(robot.layout.joints, start=1)}
    names = HINGES if "hip_yaw_left" in bodies else BALLS
    missing = [n.replace("*", side) for side in SIDES for n in names if n.replace("*", side) not in bodies]
    if missing:
        raise RobotError(
            f"robot {robot.name!r} has no joint {missing[0]!r}; legs need {', '.join(HINGES)}, or {', '.join(BALLS)}"
        )
    rows = [[bodies[name.replace("*", side)] for name in names] for side in SIDES]
    for chain in rows:
        _check_chain(robot, chain, names)
    if found.base != 1 or [list(chain) for chain in found.bodies] != rows:
        raise RobotError(f"robot {robot.name!r}: both hips must hang on the link that floats, its first, and end in the feet")
    data = _data(robot, rows, names is BALLS)
    feet = tuple(robot.layout.joints[chain[-1] - 1].child for chain in rows)
    return TwoLegs(robot, robot.layout.joints[0].child, (feet[0], feet[1]), data)


def _check_chain(robot: Robot, chain: list[int], names: tuple[str, ...]) -> None:
    """Joint on joint, with the right axes, hip and ankle each in one point, knee and ankle straight below."""
    for above, below in pairwise(chain):
        if robot.tree.parent[below] != above:
            joints = robot.layout.joints
            raise RobotError(
                f"robot {robot.name!r}: {joints[below - 1].name!r} must follow {joints[above - 1].name!r} in the leg"
            )
    straight = chain[3:5] if names is HINGES else chain[1:3]
    for j, i in enumerate(chain):
        joint, offset = robot.layout.joints[i - 1], robot.tree.offset[i]
        if names is HINGES and (
            joint.kind != "revolute" or np.abs(robot.tree.axis[robot.tree.first_v[i]] - AXES[j]).max() > 1e-9
        ):
            raise RobotError(f"robot {robot.name!r}: joint {joint.name!r} must be a hinge about {AXES[j]}")
        if names is BALLS and joint.kind != ("spherical", "revolute", "spherical")[j]:
            raise RobotError(f"robot {robot.name!r}: joint {joint.name!r} must be {'a hinge' if j == 1 else 'spherical'}")
        off = np.abs(offset[:2]).max() if i in straight else np.abs(offset).max()
        if j > 0 and off > NOT_ROUND:
            raise RobotError(f"robot {robot.name!r}: joint {joint.name!r} must lie on the axis of its leg, it is {off:g} m off")


def _data(robot: Robot, rows: list[list[int]], balls: bool) -> LegData:
    tree, where = robot.tree, (0, 0, 0, 1, 2, 2) if balls else (0, 1, 2, 3, 4, 5)
    knee, ankle = (1, 2) if balls else (3, 4)
    bodies = np.array([[chain[k] for k in where] for chain in rows])
    lengths = np.array([[-tree.offset[chain[knee], 2], -tree.offset[chain[ankle], 2]] for chain in rows])
    feet = [robot.layout.joints[chain[-1] - 1].child for chain in rows]
    heights = [-float(_sole(robot, foot)[:, 2].min()) for foot in feet]
    if abs(heights[0] - heights[1]) > NOT_ROUND:
        raise RobotError(
            f"robot {robot.name!r}: its ankles are {heights[0]:g} and {heights[1]:g} m above the soles; they must agree"
        )
    hips = np.array([tree.offset[chain[0]] for chain in rows])
    return LegData(hips, lengths, heights[0], int(balls), tree.first_q[bodies].astype(int), tree.first_v[bodies].astype(int))


def _sole(robot: Robot, link: str) -> np.ndarray:
    """Corners of the sole of a foot, from its link's origin in its axes, all other joints at zero."""
    body = robot.target(link).body
    for foot in robot.feet:
        if any(robot.target(pad.link).body == body for pad in foot.pads):
            break
    else:
        raise RobotError(f"robot {robot.name!r} has no foot on link {link!r}")
    q, points = robot.neutral(), []
    for pad in foot.pads:
        if not isinstance(pad, Box):
            raise RobotError(f"foot {foot.name!r} of robot {robot.name!r} must have flat soles (Box) to plan a walk")
        half = np.array(pad.size) / 2
        for x in (-1, 1):
            for y in (-1, 1):
                points.append(kinematics.pose(robot, q, pad.link, at=np.array(pad.at) + half * (x, y, -1)).position)
    rows = np.array(points) - kinematics.pose(robot, q, link).position
    low = rows[:, 2].min()
    if np.ptp(rows[:, 2]) > NOT_ROUND:
        raise RobotError(f"foot {foot.name!r} of robot {robot.name!r} must have a flat sole; its corners differ in height")
    return np.column_stack((found := hull(rows[:, :2]), np.full(len(found), low)))


def posture_of(robot: Robot, posture: Any) -> np.ndarray:
    """Coordinates by name for the joints besides the legs, or a whole row."""
    if posture is None:
        return robot.neutral()
    if isinstance(posture, dict):
        return robot.configuration(posture)
    row = np.array(posture, dtype=float)
    if row.shape != (robot.nq,):
        raise MotionError(
            f"posture of robot {robot.name!r} must be values by name or {robot.nq} coordinates, got {posture!r:.60}"
        )
    return row


# --- kernels --------------------------------------------------------------------------------------------------------------


@kernel
def half_turn(angle: Any, k: Any) -> Any:
    """The quaternion of a turn about axis k."""
    c, s = cos_sin(0.5 * angle)
    return c, s * (k == 0), s * (k == 1), s * (k == 2)


@kernel
def put_base(B: Any, x: Any, q: Any, v: Any, a: Any) -> None:
    """The floating base: world axes for places, body axes for turns."""
    turn = quaternion_product(quaternion_product(half_turn(x[5], 2), half_turn(x[4], 1)), half_turn(x[3], 0))
    put_quaternion(q, 3, turn)
    w, alpha = rotate_back(B.R, B.w), rotate_back(B.R, B.alpha)
    for k in range(3):
        q[k], v[k], a[k] = B.p[k], B.v[k], B.a[k]
        v[3 + k], a[3 + k] = w[k], alpha[k]


@kernel
def put_hinges(legs: Any, l: Any, angles: Any, q: Any, v: Any, a: Any) -> None:
    for k in range(6):
        q[legs.q[l, k]], v[legs.v[l, k]], a[legs.v[l, k]] = angles[0, k], angles[1, k], angles[2, k]


@kernel
def put_balls(legs: Any, l: Any, angles: Any, q: Any, v: Any, a: Any) -> None:
    """Spherical hip, Rz Rx Ry, and ankle, Ry Rx, with angular velocities in the child's axes, and their derivatives."""
    (yaw, roll, pitch), (dy, dr, dp) = (angles[0, 0], angles[0, 1], angles[0, 2]), (angles[1, 0], angles[1, 1], angles[1, 2])
    turn = quaternion_product(quaternion_product(half_turn(yaw, 2), half_turn(roll, 0)), half_turn(pitch, 1))
    put_quaternion(q, legs.q[l, 0], turn)
    c, s = cos_sin(roll)
    u = (dr, s * dy, c * dy)  # before the pitch
    du = (angles[2, 1], s * angles[2, 0] + c * dr * dy, c * angles[2, 0] - s * dr * dy)
    c, s = cos_sin(pitch)
    d = legs.v[l, 0]
    v[d], v[d + 1], v[d + 2] = c * u[0] - s * u[2], u[1] + dp, s * u[0] + c * u[2]
    a[d] = c * du[0] - s * du[2] - dp * (s * u[0] + c * u[2])
    a[d + 1] = du[1] + angles[2, 2]
    a[d + 2] = s * du[0] + c * du[2] + dp * (c * u[0] - s * u[2])
    q[legs.q[l, 3]], v[legs.v[l, 3]], a[legs.v[l, 3]] = angles[0, 3], angles[1, 3], angles[2, 3]
    put_quaternion(q, legs.q[l, 4], quaternion_product(half_turn(angles[0, 4], 1), half_turn(angles[0, 5], 0)))
    c, s = cos_sin(angles[0, 5])
    d, dp, dr = legs.v[l, 4], angles[1, 4], angles[1, 5]
    v[d], v[d + 1], v[d + 2] = dr, c * dp, -s * dp
    a[d], a[d + 1], a[d + 2] = angles[2, 5], c * angles[2, 4] - s * dr * dp, -s * angles[2, 4] - c * dr * dp


@kernel
def follow_row(legs: Any, pelvis: Any, feet: Any, i: Any, room: Any, state: Any) -> Any:
    """Coordinates, velocities and accelerations of row i: the three rows of `state`. Returns the misses of both feet."""
    q, v, a = state
    B = body_of(pelvis, i)
    put_base(B, pelvis[0, i], q, v, a)
    for l in range(2):
        P = moved_to(B, (legs.hip[l, 0], legs.hip[l, 1], legs.hip[l, 2]))
        F = moved_to(body_of(feet[:, :, l], i), (0.0, 0.0, legs.ankle))
        angles = room[5 + l, :3]
        room[7, 0, l] = leg_motion(P, F, legs.lengths[l], room, angles)
        if legs.balls:
            put_balls(legs, l, angles, q, v, a)
        else:
            put_hinges(legs, l, angles, q, v, a)
    return room[7, 0, 0], room[7, 0, 1]


@kernel
def follow_rows(legs: Any, pelvis: Any, feet: Any, room: Any, out: Any) -> None:
    """Coordinates, velocities, accelerations and the miss of each foot: the four arrays of `out`."""
    q, v, a, miss = out
    for i in range(len(q)):
        miss[i, 0], miss[i, 1] = follow_row(legs, pelvis, feet, i, room, (q[i], v[i], a[i]))
