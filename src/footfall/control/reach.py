"""Where the central body of a standing robot can go: inverse kinematics with the feet where they are."""

from typing import NamedTuple

import numpy as np

from footfall import dynamics, kinematics
from footfall.control.soles import outside, support
from footfall.core.joints import PRISMATIC, REVOLUTE
from footfall.model.legs import stance
from footfall.model.robot import Robot

FEET = 1e3  # how much more a foot counts than the body
CLOSE = 1e-9  # m, rad


class Reach(NamedTuple):
    """The posture nearest to a goal, with the feet where they were."""

    q: np.ndarray
    miss: np.ndarray  # what is left of the way to the goal: m, then rad
    outside: float  # m: how far the centre of mass is beyond the feet, negative if it is above them


def nearest(robot: Robot, q: np.ndarray, link: str, at: tuple[float, ...], place: np.ndarray, rotation: np.ndarray) -> Reach:
    """The posture near q that takes a point of the central body nearest to a place and orientation (as `kinematics.pose`).

    Levenberg and Marquardt's steps, joints kept within their limits.
    """
    feet = [foot.pads[0].link for foot in robot.feet]
    stand = [kinematics.pose(robot, q, foot) for foot in feet]
    weights = _weights(robot)
    low, high = _limits(robot)
    damping, q = 1e-3, q.copy()
    points = support(robot, q)

    def error(q: np.ndarray) -> np.ndarray:
        here = kinematics.pose(robot, q, link, at)
        rows = [_to(here, place, rotation) * weights]
        rows += [FEET * _to(kinematics.pose(robot, q, foot), was.position, was.rotation) for foot, was in zip(feet, stand, strict=True)]
        return np.concatenate(rows)

    e = error(q)
    for _ in range(300):
        J = np.vstack([kinematics.jacobian(robot, q, link, at) * weights[:, None], *(FEET * kinematics.jacobian(robot, q, foot) for foot in feet)])
        free = _free(robot, q, J.T @ e, low, high)
        J = J[:, free]
        step = np.zeros(robot.nv)
        step[free] = np.linalg.solve(J.T @ J + damping * np.eye(len(free)), J.T @ e)
        trial = np.clip(kinematics.integrate(robot, q, step), low, high)
        e_trial = error(trial)
        if e_trial @ e_trial < e @ e:
            gain, q, e, damping = e @ e - e_trial @ e_trial, trial, e_trial, max(0.2 * damping, 1e-12)
            if np.abs(step).max() < CLOSE or gain < 1e-20:
                break
        else:
            damping *= 5.0
            if damping > 1e8:
                break
    here = kinematics.pose(robot, q, link, at)
    return Reach(q, _to(here, place, rotation), outside(points, dynamics.center_of_mass(robot, q)))


def _to(here: kinematics.Pose, place: np.ndarray, rotation: np.ndarray) -> np.ndarray:
    """Way and rotation vector from a pose to another."""
    turn = rotation @ here.rotation.T
    if here.angle is not None:
        return np.array([*(place - here.position), np.arctan2(turn[0, 1], turn[0, 0])])
    from scipy.spatial.transform import Rotation

    return np.concatenate((place - here.position, Rotation.from_matrix(turn).as_rotvec()))


def _weights(robot: Robot) -> np.ndarray:
    """Metres as they are, radians by the radius of gyration of the central body: what the controller weighs errors with."""
    row = robot.tree.rigid[stance(robot).legs.center]
    com = row[1 : 1 + robot.dim] / row[0]
    about = row[-1] / row[0] if robot.space == "planar" else row[4:7].mean() / row[0]
    return np.concatenate((np.ones(robot.dim), np.full(1 if robot.dim == 2 else 3, np.sqrt(max(about - com @ com, 1e-6)))))


def _limits(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.full(robot.nq, -np.inf), np.full(robot.nq, np.inf)
    for i, joint in enumerate(robot.layout.joints, start=1):
        if robot.tree.kind[i] in (REVOLUTE, PRISMATIC):
            low[robot.tree.first_q[i]], high[robot.tree.first_q[i]] = joint.limits
    return low, high


def _free(robot: Robot, q: np.ndarray, pull: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Degrees of freedom that are not pressed against a stop."""
    free = np.ones(robot.nv, dtype=bool)
    for i in range(1, len(robot.tree.parent)):
        j, d = robot.tree.first_q[i], robot.tree.first_v[i]
        if (q[j] <= low[j] and pull[d] < 0.0) or (q[j] >= high[j] and pull[d] > 0.0):
            free[d] = False
    return np.flatnonzero(free)
