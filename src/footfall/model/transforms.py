"""Homogeneous transforms: matrices of 4 by 4 that turn and shift, column vectors (x, y, z, 1) on their right.

A transform T_AB takes points in the axes of B to those of A, so that T_AC = T_AB @ T_BC.
"""

from typing import Any

import numpy as np

from footfall.errors import StateError
from footfall.model.layout import lift, rotation

X, Y, Z = np.eye(3)
RIGID = 1e-6  # how far a given matrix may be from a rotation and a shift: more is a mistake


def rotation_x(angle: float) -> np.ndarray:
    """A turn about x."""
    return _about(0, angle)


def rotation_y(angle: float) -> np.ndarray:
    """A turn about y."""
    return _about(1, angle)


def rotation_z(angle: float) -> np.ndarray:
    """A turn about z."""
    return _about(2, angle)


def translation(x: float, y: float, z: float) -> np.ndarray:
    """A shift."""
    return rigid(np.eye(3), (x, y, z))


def rigid(R: np.ndarray, p: Any) -> np.ndarray:
    """The transform with the rotation R and the origin p."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    return T


def of_part(at: tuple[float, ...], turn: float | tuple[float, ...]) -> np.ndarray:
    """From the fields `at` and `turn` of a joint or frame, in the plane or in space."""
    return rigid(rotation(turn), lift(at))


def inverse(T: np.ndarray) -> np.ndarray:
    """T_BA of T_AB."""
    R = T[:3, :3].T
    return rigid(R, -R @ T[:3, 3])


def roll_pitch_yaw(R: np.ndarray) -> tuple[float, float, float]:
    """The `turn` of a part with the rotation R; also exact where the pitch is a right angle."""
    yaw = np.arctan2(R[1, 0], R[0, 0])
    c, s = np.cos(yaw), np.sin(yaw)
    pitch = np.arctan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return float(roll), float(pitch), float(yaw)


def yaw_roll_pitch(R: np.ndarray) -> tuple[float, float, float]:
    """The angles of R = R_z(yaw) R_x(roll) R_y(pitch), the order of the axes of a hip."""
    yaw = np.arctan2(-R[0, 1], R[1, 1])
    c, s = np.cos(yaw), np.sin(yaw)
    roll = np.arctan2(R[2, 1], c * R[1, 1] - s * R[0, 1])
    pitch = np.arctan2(c * R[0, 2] + s * R[1, 2], c * R[0, 0] + s * R[1, 0])
    return float(yaw), float(roll), float(pitch)


def checked(given: Any, what: str) -> np.ndarray:
    """A transform that a user gives; None is none."""
    if given is None:
        return np.eye(4)
    try:
        T = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise StateError(f"{what} must be a matrix of 4 by 4, got {given!r:.80}") from None
    if T.shape != (4, 4) or not np.isfinite(T).all():
        raise StateError(f"{what} must be a matrix of 4 by 4 finite numbers, got shape {T.shape}: {given!r:.80}")
    R = T[:3, :3]
    if np.abs(R @ R.T - np.eye(3)).max() > RIGID or np.linalg.det(R) < 0.0 or np.abs(T[3] - (0, 0, 0, 1)).max() > RIGID:
        raise StateError(f"{what} must be a rotation and a shift with (0, 0, 0, 1) below them, got {T.tolist()!r:.200}")
    return T


def _about(axis: int, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    T, (i, j) = np.eye(4), ((1, 2), (2, 0), (0, 1))[axis]
    T[i, i], T[i, j], T[j, i], T[j, j] = c, -s, s, c
    return T
