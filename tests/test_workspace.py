"""Workspace dynamics and force propagation against dense references from M and J, and the paper's misprints."""

import numpy as np
import pytest

import footfall as ff
from footfall.core.recursion import workspace as kernels
from footfall.dynamics.workspace import ties
from footfall.evaluate import Evaluation
from footfall.model.legs import stance
from legged import dense, dense_torques, random_legged, standing_state
from trees import close

ROBOTS = ["wendlandt", "wendlandt-3d", *(f"{space}{seed}" for space in ("planar", "spatial") for seed in range(5))]


def robot_of(name):
    if name.startswith("wendlandt"):
        return ff.robots.load(name), "torso"
    space = "planar" if name.startswith("planar") else "spatial"
    return random_legged(int(name[-1]), space), "body"


def recursive_torques(robot, q, v, wish, by):
    """Sections 3.1 to 3.5: torques that give the central body's origin the acceleration `wish`."""
    ev, legs = Evaluation(robot), stance(robot).legs
    ev.fall(np.append(np.zeros(robot.dim - 1), -robot.gravity))
    ev.run(kernels.propagate_velocity, q, v)
    if by == "big base":
        ev.run(kernels.big_base_dynamics, legs, np.zeros(robot.nv))
    else:
        ev.run(kernels.fixed_feet_dynamics, legs, ties(ev), np.zeros(robot.nv))
    force = np.array(kernels.workspace_force[robot.space](ev.work, legs, tuple(wish)))
    tau = np.zeros(robot.nv)
    ev.run(kernels.propagate_force, legs, np.tile(force / len(legs.foot), (len(legs.foot), 1)), tau)
    return tau


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("by", ["fixed feet", "big base"])
def test_recursive_controller_equals_dense_reference(name, by):
    robot, body = robot_of(name)
    for seed in range(3):
        q, v = standing_state(robot, seed)
        wish = np.random.default_rng(seed).normal(size=3 if robot.dim == 2 else 6)
        inertia, bias = dense(robot, q, v, body, by)
        close(
            recursive_torques(robot, q, v, wish, by), dense_torques(robot, q, body, inertia @ wish + bias), 1e-9, f"{name} {seed}"
        )


@pytest.mark.parametrize("name", ROBOTS)
def test_three_ways_to_workspace_dynamics(name):
    """The recursion with fixed feet and the constraint of contact agree; a big base ten times as big is ten times as near."""
    robot, body = robot_of(name)
    q, v = standing_state(robot, 7)
    inertia, bias = dense(robot, q, v, body, "fixed feet")
    for by in ("fixed feet", "contact"):
        found = ff.dynamics.workspace(robot, q, v, by=by)
        close(found.inertia, inertia, 1e-10, f"{name} {by}")
        close(found.bias, bias, 1e-10, f"{name} {by}")
    misses = [np.abs(big_base_inertia(robot, q, v, factor) - inertia).max() for factor in (1e-2, 1e-1)]
    assert 8.0 < misses[0] / misses[1] < 12.0


def big_base_inertia(robot, q, v, factor):
    """With an Earth that is `factor` times as heavy as the paper's."""
    ev, legs = Evaluation(robot), stance(robot).legs
    ev.run(kernels.propagate_velocity, q, v)
    ev.run(kernels.big_base_dynamics, legs._replace(earth=factor * legs.earth), np.zeros(robot.nv))
    return (
        np.array([kernels.workspace_force[robot.space](ev.work, legs, tuple(unit)) for unit in ev.units()])
        - ev.work.force[legs.center]
    )


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_legs_with_more_joints_than_needed(space):
    """Joints to spare are free: the inertia is that of operational space, from M and J."""
    for seed in range(3):
        robot = random_legged(seed, space, redundant=True)
        q, v = standing_state(robot, seed)
        inertia, bias = dense(robot, q, v, "body", "fixed feet")
        found = ff.dynamics.workspace(robot, q, v)
        close(found.inertia, inertia, 1e-9)
        close(found.bias, bias, 1e-9)


def test_workspace_dynamics_at_a_point():
    """Moved to the centre of mass: the force there gives the acceleration there, in a check by forward dynamics."""
    robot = ff.robots.load("wendlandt-3d")
    q, v = standing_state(robot, 1)
    at_origin, at_center = ff.dynamics.workspace(robot, q, v), ff.dynamics.workspace(robot, q, v, "torso_com")
    a = np.random.default_rng(2).normal(size=6)
    here = ff.kinematics.pose(robot, q, "torso").position
    arm = ff.kinematics.pose(robot, q, "torso_com").position - here
    w = ff.kinematics.velocity(robot, q, v, "torso")[3:]
    moved = np.concatenate([a[:3] + np.cross(a[3:], arm) + np.cross(w, np.cross(w, arm)), a[3:]])
    force, there = at_origin.inertia @ a + at_origin.bias, at_center.inertia @ moved + at_center.bias
    close(force, np.concatenate([there[:3], there[3:] + np.cross(arm, there[:3])]), 1e-12)
    with pytest.raises(ff.errors.UnknownNameError, match="torso_com"):
        ff.dynamics.workspace(robot, q, v, "foot_left")


def test_straight_leg_has_no_finite_inertia_along_it():
    """With a straight leg the body cannot move along it at once: its big-base inertia there is a million bodies."""
    robot = ff.robots.load("wendlandt")
    q = robot.configuration(knee_left=0.0, knee_right=0.5, hip_right=-0.25, ankle_right=-0.25)
    rough = ff.dynamics.workspace(robot, q, np.zeros(robot.nv), by="big base")
    assert rough.inertia[1, 1] > 1e5 * 45.0


# --- the paper's equations as printed -------------------------------------------------------------------------------------


def rotation(angle):
    return np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])


def literal(robot, q, v, wrong=()):
    """Equations (3.1) to (3.20) as 3x3 matrices in body frames at the centres of mass; `wrong` are numbers as printed.

    Returns P and z of the central body.
    """
    tree, g = robot.tree, robot.gravity
    n = len(tree.parent)
    mass = tree.rigid[:, 0]
    com = np.vstack([np.zeros(2), tree.rigid[1:, 1:3] / mass[1:, None]])
    inertia = tree.rigid[:, 3] - mass * np.sum(com**2, axis=1)
    feet = [int(i) for i in stance(robot).legs.foot]
    rate = {1: v[2]}
    R = {1: rotation(q[2])}  # R_0,i
    V = {1: np.append(R[1].T @ (v[:2] + v[2] * np.array([(R[1] @ com[1])[1], -(R[1] @ com[1])[0]])), v[2])}
    A, a, H = {}, {}, {}

    def bias(i, spin):
        weight = -np.append(R[i].T @ np.array([0.0, -mass[i] * g]), 0.0)
        return weight + mass[i] * spin * np.array([V[i][1], -V[i][0], 0.0])  # (3.2), (3.9)

    b = {1: bias(1, v[2])}
    for i in range(2, n):
        p, d = int(tree.parent[i]), int(tree.first_v[i])
        theta, speed = q[tree.first_q[i]], v[d]
        at = tree.offset[i] - com[p]
        back, turn = rotation(theta).T, np.array([[-np.sin(theta), -np.cos(theta)], [np.cos(theta), -np.sin(theta)]])
        R[i], rate[i] = R[p] @ rotation(theta), rate[p] + speed
        r, r_rate = -back @ at - com[i], -turn @ at * speed
        A[i] = np.block([[back, np.array([[-r[1]], [r[0]]])], [np.zeros((1, 2)), 1.0]])  # (3.6), (3.10)
        A_rate = np.block([[turn * speed, np.array([[-r_rate[1]], [r_rate[0]]])], [np.zeros((1, 3))]])
        H[i] = np.array([com[i][1], -com[i][0], 1.0])
        V[i] = A[i] @ V[p] + H[i] * speed  # (3.7)
        a[i] = A_rate @ V[p]  # (3.8)
        b[i] = bias(i, rate[p] if "3.9" in wrong else rate[i])
    z = {i: b[i].copy() for i in b}  # (3.12)
    P = {i: np.diag([mass[i], mass[i], inertia[i]]) for i in b}  # (3.13)
    if "3.14" not in wrong:  # printed, M and b change when P and z are set already
        for i in feet:
            P[i], z[i] = 1e6 * np.diag([mass[1], mass[1], inertia[1]]), np.zeros(3)
    for i in range(n - 1, 1, -1):
        p = int(tree.parent[i])
        D = H[i] @ P[i] @ H[i]
        L = (np.eye(3) - np.outer(H[i], H[i]) / D @ P[i]) @ A[i]  # (3.16) to (3.18)
        P[p] = (P[i] if "3.19" in wrong else P[p]) + L.T @ P[i] @ A[i]
        z[p] = (z[i] if "3.20" in wrong else z[p]) + L.T @ (z[i] + P[i] @ a[i])
    return P[1], z[1]


def in_body_axes(robot, q, v, found):
    """Ours, as the paper writes it: components in body axes, and the rate of the body velocity instead of the acceleration."""
    X = np.eye(3)
    X[:2, :2] = rotation(q[2])
    speed = ff.kinematics.velocity(robot, q, v, "torso_com")
    added = speed[2] * np.array([speed[1], -speed[0], 0.0])
    return X.T @ found.inertia @ X, X.T @ (found.inertia @ added + found.bias)


@pytest.mark.parametrize("wrong", ["", "3.9", "3.14", "3.19", "3.20"])
def test_misprints(wrong):
    """The corrected equations give our big-base dynamics, and to a millionth the exact ones; each printed one is far off."""
    robot = ff.robots.load("wendlandt")
    for seed in range(3):
        q, v = standing_state(robot, seed)
        P, z = literal(robot, q, v, (wrong,))
        ours = in_body_axes(robot, q, v, ff.dynamics.workspace(robot, q, v, "torso_com", by="big base"))
        exact = in_body_axes(robot, q, v, ff.dynamics.workspace(robot, q, v, "torso_com"))
        if wrong:
            off = np.abs(P - ours[0]).max() / np.abs(ours[0]).max() + np.abs(z - ours[1]).max() / np.abs(ours[1]).max()
            assert off > 1e-4
        else:
            close(P, ours[0], 1e-8)  # what the rounding of a million bodies leaves
            close(z, ours[1], 1e-8)
            close(P, exact[0], 1e-4)
            close(z, exact[1], 1e-4)


def test_rate_of_the_error():
    """(3.22) is not the rate of (3.21): in axes that turn, -w x e is missing."""
    robot = ff.robots.load("wendlandt")
    q, v = standing_state(robot, 4)
    goal = np.array([0.3, 0.9])

    def error(q):
        pose = ff.kinematics.pose(robot, q, "torso_com")
        return pose.rotation.T @ (pose.position - goal)

    h = 1e-6
    rate = (error(ff.kinematics.integrate(robot, q, h * v)) - error(ff.kinematics.integrate(robot, q, -h * v))) / (2 * h)
    speed = ff.kinematics.velocity(robot, q, v, "torso_com", axes="body")
    e, w = error(q), speed[2]
    assert np.abs(rate - speed[:2]).max() > 0.1
    close(rate, speed[:2] - w * np.array([e[1], -e[0]]), 1e-7)


def test_legs_are_found_or_named():
    robot = random_legged(0, "planar", legs=2)
    with pytest.raises(ff.errors.RobotError, match="no feet"):
        stance(ff.Robot("bare", "planar", robot.links, robot.joints))
    shared = (*robot.feet, ff.Foot("other", (ff.Box("leg0_2", size=(0.1, 0.1)),)))
    with pytest.raises(ff.errors.RobotError, match="share the joint 'j_leg0_2'"):
        stance(ff.Robot("shared", "planar", robot.links, robot.joints, feet=shared))
    with pytest.raises(ff.errors.RobotError, match="floating body"):
        stance(ff.robots.load("pendulum"))
