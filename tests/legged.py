"""Random robots with a floating body and legs, and dense workspace control of them from M and J alone."""

import numpy as np

import footfall as ff
from trees import random_inertia


def random_legged(seed, space, legs=None, redundant=False):
    """A body with 2 to 4 legs of as many joints as a body has motions (or one or two more), and perhaps an arm."""
    rng = np.random.default_rng(seed)
    dim, need = (2, 3) if space == "planar" else (3, 6)
    links, joints, feet = [], [ff.Joint("base", "planar" if dim == 2 else "free", "world", "body")], []

    def link(name, mass):
        inertia = mass * rng.uniform(0.005, 0.05) if dim == 2 else random_inertia(rng, mass)
        links.append(ff.Link(name, mass, tuple(rng.normal(0, 0.1, dim)), inertia))

    def limb(prefix, length):
        above = "body"
        for k in range(length):
            link(f"{prefix}{k}", rng.uniform(0.3, 5.0))
            options = {} if dim == 2 else {"axis": tuple(rng.normal(size=3))}
            rotor = ff.Motor(rotor_inertia=rng.uniform(0, 1e-4), gear=rng.uniform(1, 20))
            joints.append(
                ff.Joint(
                    f"j_{prefix}{k}", "revolute", above, f"{prefix}{k}", at=tuple(rng.normal(0, 0.3, dim)), motor=rotor, **options
                )
            )
            above = f"{prefix}{k}"
        return above

    link("body", rng.uniform(10.0, 50.0))
    for number in range(legs or int(rng.integers(2, 5))):
        foot = limb(f"leg{number}_", need + (int(rng.integers(1, 3)) if redundant else 0))
        feet.append(ff.Foot(f"foot{number}", (ff.Box(foot, size=(0.2, 0.02) if dim == 2 else (0.2, 0.1, 0.02)),)))
    if rng.random() < 0.5:
        limb("arm", 3)
    return ff.Robot(f"legged{seed}", space, tuple(links), tuple(joints), feet=tuple(feet))


def standing_state(robot, seed):
    """A posture in which no leg is nearly straight (the best of twenty), and velocities with which no foot moves."""
    rng = np.random.default_rng(seed)
    width = 3 if robot.dim == 2 else 6

    def bend(q):
        feet = [ff.kinematics.jacobian(robot, q, foot.pads[0].link) for foot in robot.feet]
        return min(np.linalg.svd(foot[:, width:])[1][width - 1] for foot in feet)

    q = max((ff.kinematics.random_configuration(robot, rng, 0.7) for _ in range(20)), key=bend)
    J, v = np.vstack([ff.kinematics.jacobian(robot, q, foot.pads[0].link) for foot in robot.feet]), rng.normal(size=robot.nv)
    return q, v - np.linalg.pinv(J) @ (J @ v)


def dense(robot, q, v, body, by):
    """Inertia and bias of `body` at its origin, from M, J and the forces f that hold the feet: C a + rate + give f = 0.

    With feet that are truly fixed nothing gives way. "big base" adds to each foot what it lacks of a million bodies, which gives
    way by one over that inertia, and takes the foot's own weight away. (M with such feet in it would have no digits left.)
    """
    M, h = ff.dynamics.mass_matrix(robot, q), ff.dynamics.bias(robot, q, v)
    J, Jv = ff.kinematics.jacobian(robot, q, body), ff.kinematics.jacobian_rate(robot, q, v, body)
    feet = [foot.pads[0].link for foot in robot.feet]
    C = np.vstack([ff.kinematics.jacobian(robot, q, foot) for foot in feet])
    Cv = np.concatenate([ff.kinematics.jacobian_rate(robot, q, v, foot) for foot in feet])
    n, m = robot.nv, len(C)
    give = np.zeros((m, m))
    if by == "big base":
        for k, foot in enumerate(feet):
            link, center = robot.link(foot), robot.link(body)
            lacks = _inertia(robot, q, foot, 1e6 * center.mass, 1e6 * np.array(center.inertia))
            lacks -= _inertia(robot, q, foot, link.mass, np.array(link.inertia))
            size = len(lacks)
            give[k * size : (k + 1) * size, k * size : (k + 1) * size] = np.linalg.inv(lacks)
            h = h - link.mass * robot.gravity * ff.kinematics.jacobian(robot, q, foot, link.com)[robot.dim - 1]
    K = np.block([[M, -C.T], [C, give]])
    along = J @ np.linalg.solve(K, np.vstack([J.T, np.zeros((m, len(J)))]))[:n]
    free = J @ np.linalg.solve(K, np.concatenate([-h, -Cv]))[:n] + Jv
    inertia = np.linalg.inv(along)
    return inertia, -inertia @ free


def _inertia(robot, q, foot, mass, about):
    """A body with its centre where a foot has it, about the foot's origin in world axes: (linear, angular)."""
    R, c = ff.kinematics.pose(robot, q, foot).rotation, robot.link(foot).com
    c = R @ c
    if robot.dim == 2:
        X = np.array([[1.0, 0.0, c[1]], [0.0, 1.0, -c[0]], [0.0, 0.0, 1.0]])  # motion of the centre
        return X.T @ np.diag([mass, mass, about]) @ X
    full = np.zeros((3, 3))
    full[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]] = np.append(about, np.zeros(6 - len(about)))
    full = full + full.T - np.diag(np.diag(full))
    X = np.eye(6)
    X[:3, 3:] = -np.array([[0.0, -c[2], c[1]], [c[2], 0.0, -c[0]], [-c[1], c[0], 0.0]])
    B = np.zeros((6, 6))
    B[:3, :3], B[3:, 3:] = mass * np.eye(3), R @ full @ R.T
    return X.T @ B @ X


def dense_torques(robot, q, body, force):
    """J'F of every leg that lays an equal part of the force on the body: J from joint rates to the body, its foot at rest."""
    tau, feet = np.zeros(robot.nv), robot.feet
    width = len(force)
    B = ff.kinematics.jacobian(robot, q, body)[:, :width]
    for foot in feet:
        F = ff.kinematics.jacobian(robot, q, foot.pads[0].link)
        leg = -B @ np.linalg.solve(F[:, :width], F[:, width:])
        tau[width:] += leg.T @ force / len(feet)
    return tau


WALKS = (
    "compass",
    "kneed-walker",
    "ono-walk",
    "rimless-wheel",
    "round-feet",
    "simplest-walker",
)  # studies with steps that repeat
