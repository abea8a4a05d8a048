"""Where the central body of a standing robot can go: inverse kinematics with the feet where they are."""

from typing import NamedTuple

import numpy as np

from footfall import dynamics, kinematics
from footfall.control.soles import outside, support
from footfall.core.joints import PRISMATIC, REVOLUTE
from footfall.model.legs import stance
from footfall.model.robot import Robot

CLOSE = 1e-10  # m, rad: a step this small is the last
BEND = 0.3  # rad: a leg that starts at a stop is bent by this, as a straight one does not know which way to go
LONGEST = 0.3  # m, rad: no step is longer


class Reach(NamedTuple):
    """The posture nearest to a goal, with the feet where they were."""

    q: np.ndarray
    miss: np.ndarray  # what is left of the way to the goal: m, then rad
    outside: float  # m: how far the centre of mass is beyond the feet, negative if it is above them


def nearest(
    robot: Robot, q: np.ndarray, link: str, at: tuple[float, ...], goal: tuple[np.ndarray, np.ndarray], margin: float
) -> Reach:
    """The posture near q that takes a point of the central body nearest to a place and orientation (as `kinematics.pose`).

    `margin` is the part of the soles that counts as support.
    """
    search = _Search(robot, q, link, at, *goal)
    found = min((search.down_from(start) for start in (q, search.bent(q))), key=search.cost)
    inside = outside(support(robot, q, margin), dynamics.center_of_mass(robot, found))
    return Reach(found, search.body_error(found), inside)


class _Search:
    """Levenberg and Marquardt's steps among the postures that leave the feet where they are, joints within their limits."""

    def __init__(self, robot: Robot, q: np.ndarray, link: str, at: tuple[float, ...], place: np.ndarray, rotation: np.ndarray):
        self.robot, self.link, self.at, self.place, self.rotation = robot, link, at, place, rotation
        self.feet = [foot.pads[0].link for foot in robot.feet]
        self.stand = [kinematics.pose(robot, q, foot) for foot in self.feet]
        self.weights = _weights(robot)
        self.low, self.high = _limits(robot)

    def body_error(self, q: np.ndarray) -> np.ndarray:
        return way_to(kinematics.pose(self.robot, q, self.link, self.at), self.place, self.rotation)

    def feet_error(self, q: np.ndarray) -> np.ndarray:
        pairs = zip(self.feet, self.stand, strict=True)
        return np.concatenate([way_to(kinematics.pose(self.robot, q, foot), was.position, was.rotation) for foot, was in pairs])

    def cost(self, q: np.ndarray) -> float:
        return float(np.sum((self.weights * self.body_error(q)) ** 2))

    def bent(self, q: np.ndarray) -> np.ndarray:
        """q with the joints that are near a stop moved away from it."""
        room = np.where(np.isfinite(self.high - self.low), self.high - self.low, 2.0 * BEND)
        return np.clip(q, self.low + np.minimum(BEND, room / 2), self.high - np.minimum(BEND, room / 2))

    def settled(self, q: np.ndarray) -> np.ndarray:
        """The feet put back exactly."""
        for _ in range(20):
            e = self.feet_error(q)
            if np.abs(e).max() < 1e-13:
                break
            F = np.vstack([kinematics.jacobian(self.robot, q, foot) for foot in self.feet])
            back = np.linalg.pinv(F, rcond=1e-9) @ e
            q = np.clip(kinematics.integrate(self.robot, q, back), self.low, self.high)
        return q

    def down_from(self, q: np.ndarray) -> np.ndarray:
        q = self.settled(q)
        damping, cost = 1e-4, self.cost(q)
        for _ in range(200):
            step = self.step(q, damping)
            trial = self.settled(np.clip(kinematics.integrate(self.robot, q, step), self.low, self.high))
            reached = self.cost(trial)
            if reached < cost and np.abs(self.feet_error(trial)).max() < CLOSE:
                q, cost, damping = trial, reached, max(0.1 * damping, 1e-14)
                if np.abs(step).max() < CLOSE:
                    break
            else:
                damping = 10.0 * damping
                if damping > 1e4 or np.abs(step).max() < CLOSE:
                    break
        return q

    def step(self, q: np.ndarray, damping: float) -> np.ndarray:
        """Toward the goal, along what moves no foot."""
        e = self.weights * self.body_error(q)
        J = self.weights[:, None] * kinematics.jacobian(self.robot, q, self.link, self.at)
        F = np.vstack([kinematics.jacobian(self.robot, q, foot) for foot in self.feet])
        free = np.arange(self.robot.nv)
        for _ in range(3):  # joints that would be pressed against their stops do not take part
            _, sizes, Vt = np.linalg.svd(F[:, free])
            N = Vt[int(np.sum(sizes > 1e-9 * sizes[0])) :].T
            B = J[:, free] @ N
            along = np.linalg.solve(B.T @ B + damping * np.eye(B.shape[1]), B.T @ e)
            step = np.zeros(self.robot.nv)
            step[free] = N @ along
            step *= min(1.0, LONGEST / max(np.abs(step).max(), 1e-30))
            kept = self.unpressed(q, step)
            if set(free) <= set(kept):
                break
            free = np.intersect1d(free, kept)
        return step

    def unpressed(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Degrees of freedom that the step does not press against a stop."""
        tree, free = self.robot.tree, np.ones(self.robot.nv, dtype=bool)
        for i in range(1, len(tree.parent)):
            j, d = tree.first_q[i], tree.first_v[i]
            free[d] = not ((q[j] <= self.low[j] and step[d] < 0.0) or (q[j] >= self.high[j] and step[d] > 0.0))
        return np.flatnonzero(free)


def way_to(here: kinematics.Pose, place: np.ndarray, rotation: np.ndarray) -> np.ndarray:
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
