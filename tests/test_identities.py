"""What must hold of the equations themselves, on random trees: no reference but mathematics."""

import numpy as np
import pytest

import footfall as ff
from footfall.core.recursion.crba import crba
from footfall.core.recursion.momentum import energies
from footfall.evaluate import Evaluation
from trees import close, random_robot, random_state

TREES, CHUNK = 500, 25  # of each space: the trees that are compared with Pinocchio
chunks = pytest.mark.parametrize("first", range(0, TREES, CHUNK))
spaces = pytest.mark.parametrize("space", ["planar", "spatial"])


def cases(space, first):
    for seed in range(first, first + CHUNK):
        robot = random_robot(seed, space)
        yield robot, *random_state(robot, seed)


@spaces
@chunks
def test_forward_undoes_inverse(space, first):
    for robot, q, v, a in cases(space, first):
        close(ff.dynamics.forward(robot, q, v, ff.dynamics.inverse(robot, q, v, a)), a, 1e-9, "forward after inverse")


@spaces
@chunks
def test_inverse_is_mass_matrix_and_bias(space, first):
    for robot, q, v, a in cases(space, first):
        M = ff.dynamics.mass_matrix(robot, q)
        assert np.array_equal(M, M.T)
        assert np.linalg.eigvalsh(M).min() > 0.0
        close(ff.dynamics.inverse(robot, q, v, a), M @ a + ff.dynamics.bias(robot, q, v), 1e-10, "M a + bias")
        still = ff.dynamics.bias(robot, q, 0 * v)
        close(ff.dynamics.gravity_forces(robot, q), still, 1e-14, "weight")
        close(ff.dynamics.coriolis(robot, q, v) @ v + still, ff.dynamics.bias(robot, q, v), 1e-10, "C v")


STEP = 1e-30  # of a complex step: derivatives without rounding, by the plain reading of the kernels


@spaces
@chunks
def test_mass_matrix_rate_less_coriolis_is_skew(space, first):
    for robot, q, v, _ in cases(space, first):
        ev = Evaluation(robot, symbols=True)
        M = ev.zeros(robot.nv, robot.nv)
        ev.run(crba, q + 1j * STEP * ff.kinematics.rate(robot, q, v), M)
        S = M.astype(complex).imag / STEP - 2 * ff.dynamics.coriolis(robot, q, v)
        close(S, -S.T, 1e-10, "M' - 2 C")


@spaces
@chunks
def test_power_balance(space, first):
    """dE/dt = tau . v along the motion that forward dynamics says."""
    for robot, q, v, tau in cases(space, first):
        a = ff.dynamics.forward(robot, q, v, tau)
        fall = np.zeros((1, robot.dim))
        fall[0, -1] = -robot.gravity
        ahead = q + 1j * STEP * ff.kinematics.rate(robot, q, v), v + 1j * STEP * a
        kinetic, potential = Evaluation(robot, symbols=True).run(energies, *ahead, fall)
        close((kinetic + potential).imag / STEP, tau @ v, 1e-9, "power")
        lift = -ff.dynamics.center_of_mass_velocity(robot, q, v)[-1]
        weight = robot.tree.rigid[1:, 0].sum() * robot.gravity
        close(v @ ff.dynamics.gravity_forces(robot, q), -lift * weight, 1e-10, "power of weight")


@spaces
@chunks
def test_momentum_rate_is_external_force(space, first):
    """Of robots whose base floats: joint forces cannot change the momentum, weight and pushes do."""
    for robot, q, v, tau in cases(space, first):
        roots = [joint for joint in robot.layout.joints if robot.target(joint.parent).body == 0]
        if [joint.kind for joint in roots] != ["planar" if space == "planar" else "free"]:
            continue
        base = len([name for name in robot.velocities if name.startswith(f"{roots[0].name}.")])
        first_v = robot.velocities.index(next(name for name in robot.velocities if name.startswith(f"{roots[0].name}.")))
        tau[first_v : first_v + base] = 0.0
        push = np.arange(1.0, 1.0 + (3 if space == "planar" else 6))
        a = ff.dynamics.forward(robot, q, v, tau, external={"tip": push})
        arm = ff.kinematics.pose(robot, q, "tip").position - ff.dynamics.center_of_mass(robot, q)
        force, moment = push[: robot.dim].copy(), push[robot.dim :]
        turned = np.cross(arm, force) if space == "spatial" else np.array([arm[1] * force[0] - arm[0] * force[1]])
        force[-1] -= robot.tree.rigid[1:, 0].sum() * robot.gravity
        close(ff.dynamics.momentum_rate(robot, q, v, a), np.concatenate([force, moment + turned]), 1e-9, "momentum rate")


@spaces
@chunks
def test_momentum_is_matrix_times_velocity(space, first):
    for robot, q, v, _ in cases(space, first):
        close(ff.dynamics.momentum_matrix(robot, q) @ v, ff.dynamics.momentum(robot, q, v), 1e-12, "momentum")
        J = ff.kinematics.jacobian(robot, q, "tip", at=np.arange(robot.dim) / 10)
        close(J @ v, ff.kinematics.velocity(robot, q, v, "tip", at=np.arange(robot.dim) / 10), 1e-12, "velocity of a point")


@chunks
def test_planar_robot_is_its_spatial_twin(first):
    for robot, q, v, tau in cases("planar", first):
        twin = robot.in_space()
        close(ff.dynamics.forward(twin, q, v, tau), ff.dynamics.forward(robot, q, v, tau), 1e-10, "forward")
        close(ff.dynamics.inverse(twin, q, v, tau), ff.dynamics.inverse(robot, q, v, tau), 1e-10, "inverse")
        close(ff.dynamics.mass_matrix(twin, q), ff.dynamics.mass_matrix(robot, q), 1e-10, "mass matrix")
        close(ff.dynamics.coriolis(twin, q, v), ff.dynamics.coriolis(robot, q, v), 1e-10, "coriolis")
        close(ff.dynamics.momentum(twin, q, v)[[0, 2, 4]], ff.dynamics.momentum(robot, q, v), 1e-10, "momentum")
        rows = [0, 2, 4]
        close(ff.kinematics.jacobian(twin, q, "tip")[rows], ff.kinematics.jacobian(robot, q, "tip"), 1e-10, "jacobian")


@spaces
@chunks
def test_articulated_inertia_is_a_schur_complement(space, first):
    """Cut the link off, let it float with all it carries, eliminate the joints: the dense way, by an oracle's mass matrix."""
    import pinocchio as pin

    from footfall.model.peers import PinocchioRobot as Oracle

    for robot, q, _, _ in cases(space, first):
        for joint in robot.layout.joints[:: max(1, len(robot.layout.joints) // 3)]:
            cut, inner = floating_subtree(robot, q, joint.child)
            oracle = Oracle(cut)
            start = ff.kinematics.pose(robot, q, joint.child)
            values = {"cut": (0, 0, start.angle) if space == "planar" else (0, 0, 0, *quaternion(start.rotation))}
            pq = oracle.q(cut.configuration(values, **inner))
            M = pin.crba(oracle.model, oracle.data, pq)
            M = oracle.square(np.triu(M) + np.triu(M, 1).T)
            n = 3 if space == "planar" else 6
            K = M[:n, :n] - M[:n, n:] @ np.linalg.solve(M[n:, n:], M[n:, :n]) if len(M) > n else M
            if space == "spatial":  # its angular rates are in the link's axes, ours in the world's
                T = np.eye(6)
                T[3:, 3:] = start.rotation.T
                K = T.T @ K @ T
            close(ff.dynamics.articulated_inertia(robot, q, joint.child), K, 1e-10, "articulated inertia")


def floating_subtree(robot, q, link):
    """The robot made of `link` and all it carries, on a floating base, and the values of its joints."""
    names, joints = {link}, []
    for joint in robot.joints:
        if joint.parent in names:
            names.add(joint.child)
            joints.append(joint)
    base = ff.Joint("cut", "planar" if robot.space == "planar" else "free", "world", link)
    parts = tuple(part for part in robot.links if part.name in names)
    cut = ff.Robot("cut", robot.space, parts, (base, *joints))
    inner = {}
    for joint in joints:
        where = [i for i, name in enumerate(robot.coordinates) if name == joint.name or name.startswith(f"{joint.name}.")]
        if where:
            inner[joint.name] = q[where]
    return cut, inner


def quaternion(R):
    from scipy.spatial.transform import Rotation

    return Rotation.from_matrix(R).as_quat(scalar_first=True)


@spaces
def test_moving_the_world_changes_nothing(space):
    for robot, q, v, tau in cases(space, 0):
        q, names = q.copy(), [i for i, name in enumerate(robot.coordinates) if name.endswith((".x", ".z"))]
        before = ff.dynamics.forward(robot, q, v, tau)
        q[names] += 1000.0
        close(ff.dynamics.forward(robot, q, v, tau), before, 1e-12, "1 km away")


def test_rows_of_states_are_answered_row_by_row():
    robot = random_robot(3, "spatial")
    states = [random_state(robot, seed) for seed in range(7)]
    q, v, x = (np.array(column) for column in zip(*states, strict=True))
    for function in (ff.dynamics.forward, ff.dynamics.inverse):
        rows = function(robot, q, v, x)
        for row, state in zip(rows, states, strict=True):
            assert np.array_equal(row, function(robot, *state))


def test_rate_is_the_derivative_of_integrate():
    for seed in range(20):
        robot = random_robot(seed, "spatial")
        q, v, _ = random_state(robot, seed)
        h = 1e-5
        ahead, behind = (ff.kinematics.integrate(robot, q, step * v) for step in (h, -h))
        close(ff.kinematics.rate(robot, q, v), (ahead - behind) / (2 * h), 1e-9, "dq/dt")


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-8, 1e-4, 0.0099, 0.0101, 1.0, 3.0, np.pi - 1e-9, np.pi])
def test_rotation_steps_near_identity_and_half_turn(angle):
    """Integrate and difference against scipy's rotation vectors."""
    from scipy.spatial.transform import Rotation

    ball = ff.Robot("ball", "spatial", (ff.Link("ball", 1.0, inertia=(1, 1, 1)),), (ff.Joint("j", "spherical", "world", "ball"),))
    axis = np.array([0.36, -0.48, 0.8])
    start = np.array([0.5, 0.5, -0.5, 0.5])
    turned = ff.kinematics.integrate(ball, start, axis * angle)
    expected = Rotation.from_quat(start, scalar_first=True) * Rotation.from_rotvec(axis * angle)
    assert np.allclose(Rotation.from_quat(turned, scalar_first=True).as_matrix(), expected.as_matrix(), atol=1e-15)
    back = ff.kinematics.difference(ball, start, turned)
    assert np.allclose(back, axis * angle, atol=1e-14, rtol=1e-13) or np.allclose(-back, axis * angle, atol=1e-7)
