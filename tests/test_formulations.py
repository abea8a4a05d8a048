"""Recursive, DeNOC, Lagrange, and a dense reference of each link's Jacobians: one truth."""

import numpy as np
import pytest

import footfall as ff
from footfall.errors import SingularError, UnknownNameError
from trees import close, random_robot, random_state

TOLERANCE = 1e-9  # of accelerations
STATES = 4
OTHERS = ("denoc", "lagrange")


def dense(robot, q, v):
    """M and bias as sums over links, each with the Jacobian and acceleration of its own centre of mass."""
    M, h = np.diag(robot.tree.rotor.astype(float)), np.zeros(robot.nv)
    fall = np.zeros(robot.dim)
    fall[-1] = -robot.gravity
    for link in robot.links:
        J = ff.kinematics.jacobian(robot, q, link.name, at=link.com)
        A = ff.kinematics.acceleration(robot, q, v, np.zeros(robot.nv), link.name, at=link.com)
        w = ff.kinematics.velocity(robot, q, v, link.name)[robot.dim :]
        turn = ff.kinematics.pose(robot, q, link.name).rotation
        force = link.mass * (A[: robot.dim] - fall)
        if robot.space == "planar":
            inertia = np.array([[link.inertia]])
            moment = inertia @ A[2:]
        else:
            xx, yy, zz, xy, xz, yz = link.inertia
            inertia = turn @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ turn.T
            moment = inertia @ A[3:] + np.cross(w, inertia @ w)
        M += link.mass * J[: robot.dim].T @ J[: robot.dim] + J[robot.dim :].T @ inertia @ J[robot.dim :]
        h += J.T @ np.concatenate((force, moment))
    return M, h


def solved(M, b):
    """Scaled, so that the light feet of some walkers do not spoil the reference."""
    scale = 1.0 / np.sqrt(M.diagonal())
    return scale * np.linalg.solve(scale[:, None] * M * scale, scale * b)


def states(robot):
    """At random, next to the zero position, and exactly in it."""
    yield from (random_state(robot, seed) for seed in range(1, STATES + 1))
    _, v, x = random_state(robot, 0)
    yield ff.kinematics.random_configuration(robot, 7, 1e-7), v, x
    yield robot.configuration(), v, x


@pytest.mark.parametrize("name", ff.robots.names())
def test_all_formulations_agree_on_every_ready_robot(name):
    robot = ff.robots.load(name)
    for q, v, tau in states(robot):
        M, h = dense(robot, q, v)
        try:
            a = ff.dynamics.forward(robot, q, v, tau)
        except SingularError:
            for other in OTHERS:
                with pytest.raises(SingularError):
                    ff.dynamics.forward(robot, q, v, tau, formulation=other)
            continue
        close(a, solved(M, tau - h), TOLERANCE, f"{name}: recursive and dense")
        for other in OTHERS:
            close(ff.dynamics.forward(robot, q, v, tau, formulation=other), a, TOLERANCE, f"{name}: forward, {other}")
            close(ff.dynamics.inverse(robot, q, v, a, formulation=other), tau, TOLERANCE, f"{name}: inverse, {other}")
            close(ff.dynamics.bias(robot, q, v, formulation=other), h, 1e-12, f"{name}: bias, {other}")
            close(ff.dynamics.mass_matrix(robot, q, formulation=other), M, 1e-12, f"{name}: mass matrix, {other}")


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("other", OTHERS)
def test_random_trees_with_all_kinds_of_joint(space, other):
    for seed in range(30 if other == "denoc" else 12):
        robot = random_robot(seed, space, links=1 + seed % 9 if other == "lagrange" else None)
        q, v, tau = random_state(robot, seed)
        a = ff.dynamics.forward(robot, q, v, tau)
        close(ff.dynamics.forward(robot, q, v, tau, formulation=other), a, TOLERANCE, f"seed {seed}")
        close(ff.dynamics.inverse(robot, q, v, a, formulation=other), tau, TOLERANCE, f"seed {seed}")


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("other", OTHERS)
def test_weight_and_external_forces_act_alike(space, other):
    robot = random_robot(5, space, links=6)
    q, v, tau = random_state(robot, 6)
    rng = np.random.default_rng(8)
    size = 3 if space == "planar" else 6
    external = {"tip": rng.normal(size=size), robot.links[2].name: rng.normal(size=size)}
    given = {"gravity": rng.normal(size=robot.dim), "external": external}
    a = ff.dynamics.forward(robot, q, v, tau, **given)
    close(ff.dynamics.forward(robot, q, v, tau, **given, formulation=other), a, TOLERANCE)


@pytest.mark.parametrize("other", OTHERS)
def test_rows_are_answered_row_by_row(other):
    robot = ff.robots.load("ono")
    rows = [random_state(robot, seed) for seed in range(1, 4)]
    q, v, tau = (np.array(column) for column in zip(*rows, strict=True))
    both = ff.dynamics.forward(robot, q, v, tau, formulation=other)
    for row, each in zip(both, rows, strict=True):
        assert np.array_equal(row, ff.dynamics.forward(robot, *each, formulation=other))


@pytest.mark.parametrize("name", ["ono", "wendlandt", "johnnie"])
def test_the_decoupled_matrices_make_the_equations(name):
    robot = ff.robots.load(name)
    q, v, _ = random_state(robot, 3)
    it = ff.dynamics.denoc(robot, q, v)
    close(it.inertia, ff.dynamics.mass_matrix(robot, q), 1e-12)
    close(it.velocity_forces, ff.dynamics.bias(robot, q, v, gravity=0.0), 1e-12)
    close(it.N @ v, it.twists, 1e-13)
    assert np.array_equal(it.N_l, np.tril(it.N_l))  # parents before children
    text = str(it)
    assert f"DeNOC of {name}" in text
    assert all(word in text for word in robot.velocities)


def test_the_matrices_of_a_double_pendulum_are_those_worked_out_by_hand():
    """Two rods of length 2 that hang: centres at 1 and 3 below, so the second moves with 1 from its own joint, 3 from the first."""
    rods = tuple(ff.Link(f"rod{i}", 3.0, com=(0.0, -1.0), inertia=1.0) for i in (1, 2))
    joints = (ff.Joint("a", "revolute", "world", "rod1"), ff.Joint("b", "revolute", "rod1", "rod2", at=(0.0, -2.0)))
    robot = ff.Robot("double", "planar", rods, joints)
    it = ff.dynamics.denoc(robot, [0.0, 0.0], [1.0, 0.0])
    carried = [[1.0, 0.0, -2.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]  # turning about +y takes what is below to -x
    assert np.array_equal(it.N_l[3:, :3], carried)
    assert np.array_equal(it.N_d, [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, -1.0], [0.0, 0.0], [0.0, 1.0]])
    assert np.array_equal(it.twists, [-1.0, 0.0, 1.0, -3.0, 0.0, 1.0])
    close(it.inertia, [[3 + 1 + 27 + 1, 9 + 1], [9 + 1, 3 + 1]], 1e-15)


def test_times_are_measured_and_drawn(monkeypatch, tmp_path):
    from footfall.bench import formulations as bench

    monkeypatch.setattr(bench, "LINKS", dict.fromkeys(bench.LINKS, (3, 5)))
    monkeypatch.setattr(bench, "SPACES", ("planar",))
    monkeypatch.setattr(bench, "SHORT", 3)
    monkeypatch.setattr(bench, "LONG", 5)
    rows = list(bench.measure())
    assert len(rows) == 2 * 4 + 2
    assert all(row.footfall > 0.0 for row in rows)
    figure = ff.view.formulations({"DeNOC": {3: 1e-6, 10: 3e-6}, "Lagrange": {3: 1e-4}}, tmp_path / "times.png")
    assert (tmp_path / "times.png").stat().st_size > 1000
    assert [line.get_label() for line in figure.axes[0].lines] == ["DeNOC", "Lagrange", "n", "n^3"]


def test_an_unknown_formulation_lists_those_that_are_known():
    robot = ff.robots.load("pendulum")
    for ask in (
        lambda: ff.dynamics.forward(robot, [0.1], [0.0], [0.0], formulation="newton"),
        lambda: ff.dynamics.inverse(robot, [0.1], [0.0], [0.0], formulation=3),
        lambda: ff.dynamics.bias(robot, [0.1], [0.0], formulation="Denoc"),
        lambda: ff.dynamics.mass_matrix(robot, [0.1], formulation=None),
    ):
        with pytest.raises(UnknownNameError, match="denoc, lagrange, maximal, recursive"):
            ask()


@pytest.mark.parametrize("formulation", ["recursive", *OTHERS])
def test_gimbal_lock_of_massless_pieces_is_named(formulation):
    robot = ff.robots.load("wendlandt-3d")
    q, still = robot.configuration(hip_roll_left=np.pi / 2), np.zeros(robot.nv)
    with pytest.raises(SingularError, match="hip_yaw_left"):
        ff.dynamics.forward(robot, q, still, still, formulation=formulation)


@pytest.mark.parametrize("formulation", ["recursive", *OTHERS])
@pytest.mark.parametrize("off", [1e-2, 1e-3, 1e-4])
def test_near_gimbal_lock_the_equations_still_hold(formulation, off):
    """Accelerations of 1 / off^2 come out. What is left of tau is rounding beside the largest M a, as a dense solve promises."""
    robot = ff.robots.load("wendlandt-3d")
    q, (_, v, tau) = robot.configuration(hip_roll_left=np.pi / 2 - off), random_state(robot, 2)
    a = ff.dynamics.forward(robot, q, v, tau, formulation=formulation)
    M, h = dense(robot, q, v)
    assert np.abs(M @ a + h - tau).max() < 1e-14 * (np.abs(M) @ np.abs(a)).max()
