"""Equations of motion as matrices, the closed chain of double support, and the distribution of forces."""

import numpy as np
import pytest

import footfall as ff
from footfall.dynamics import closed_chain, configuration_space, distribute, inverse, state_space
from footfall.errors import StateError, UnknownNameError

NAMES = [name for name in ff.robots.names() if name != "chain"]


@pytest.mark.parametrize("name", NAMES)
def test_both_forms_are_inverse_dynamics(name):
    robot = ff.robots.load(name)
    rng = np.random.default_rng(7)
    q = ff.kinematics.random_configuration(robot, 3)
    form = configuration_space(robot, q)
    assert form.B.shape == (robot.nv, robot.nv * (robot.nv - 1) // 2)
    for _ in range(3):
        v, a = rng.normal(size=(2, robot.nv))
        exact = inverse(robot, q, v, a)
        scale = 1e-10 * max(1.0, np.abs(exact).max())
        assert np.abs(form.forces(v, a) - exact).max() < scale
        assert np.abs(state_space(robot, q, v).forces(a) - exact).max() < scale


def test_a_double_pendulum_has_the_matrices_of_the_textbook():
    """Craig, two links with point masses at their ends: V = (-2 k v1 v2 - k v2^2, k v1^2) with k = m2 l1 l2 sin q2."""
    l1, l2, m1, m2, q1, q2 = 0.7, 0.4, 2.0, 1.5, 0.3, 0.8
    links = (ff.Link("upper", m1, com=(l1, 0.0)), ff.Link("lower", m2, com=(l2, 0.0)))
    joints = (ff.Joint("a", "revolute", "world", "upper"), ff.Joint("b", "revolute", "upper", "lower", at=(l1, 0.0)))
    form = configuration_space(ff.Robot("arm", "planar", links, joints), (q1, q2), gravity=9.81)
    k = m2 * l1 * l2 * np.sin(q2)
    assert np.allclose(form.B, [[-2.0 * k], [0.0]], atol=1e-14)
    assert np.allclose(form.C, [[0.0, -k], [k, 0.0]], atol=1e-14)
    m11 = m2 * l2**2 + 2 * m2 * l1 * l2 * np.cos(q2) + (m1 + m2) * l1**2
    assert np.allclose(form.M, [[m11, m2 * l2**2 + m2 * l1 * l2 * np.cos(q2)], [form.M[0, 1], m2 * l2**2]], atol=1e-14)
    down = -9.81 * np.array([m2 * l2 * np.cos(q1 + q2) + (m1 + m2) * l1 * np.cos(q1), m2 * l2 * np.cos(q1 + q2)])
    assert np.allclose(form.G, down, atol=1e-13)  # positive angles turn +x down, toward -z


def test_a_free_body_has_the_products_of_euler():
    """I w' + w x I w = 0 in the body's axes: the coefficients of wy wz, wx wz, wx wy are differences of moments."""
    robot = ff.Robot("body", "spatial", (ff.Link("b", 2.0, inertia=(0.3, 0.5, 0.6)),), (ff.Joint("base", "free", "world", "b"),))
    form = configuration_space(robot, ff.kinematics.random_configuration(robot, 1))
    column = {tuple(pair): form.B[:, k] for k, pair in enumerate(form.pairs.tolist())}
    assert np.allclose(column[4, 5], [0, 0, 0, 0.6 - 0.5, 0, 0], atol=1e-14)
    assert np.allclose(column[3, 5], [0, 0, 0, 0, 0.3 - 0.6, 0], atol=1e-14)
    assert np.allclose(column[3, 4], [0, 0, 0, 0, 0, 0.5 - 0.3], atol=1e-14)
    assert np.abs(form.C).max() < 1e-14


def standing(name="johnnie", bend=0.4):
    robot = ff.robots.load(name)
    angles = {"hip_pitch": -bend, "hip": -bend, "knee": 2 * bend, "ankle_pitch": -bend, "ankle": -bend}
    known = set(robot.coordinates)
    q = robot.configuration({f"{j}_{s}": x for j, x in angles.items() for s in ("left", "right") if f"{j}_{s}" in known})
    return robot, q


def test_the_constraint_is_the_difference_of_velocities():
    """J a + dJ/dt v against a difference quotient of the toe's velocity along a motion."""
    robot, q = standing()
    rng, h = np.random.default_rng(2), 1e-6
    v, a = rng.normal(size=(2, robot.nv))
    held = ("x", "y", "z", "roll", "yaw")
    chain = closed_chain(robot, q, v, "foot_left", (0.2, 0.0, -0.07), held=held)
    rows = [0, 1, 2, 3, 5]

    def speed(t):
        there = ff.kinematics.integrate(robot, q, v * t + 0.5 * a * t**2)
        return ff.kinematics.velocity(robot, there, v + a * t, "foot_left", (0.2, 0.0, -0.07))[rows]

    assert chain.J.shape == (5, robot.nv)
    assert np.allclose(chain.missed(a), (speed(h) - speed(-h)) / 2 / h, atol=1e-6)
    assert np.abs(chain.missed(chain.closest(a))).max() < 1e-12


@pytest.mark.parametrize("name", ["johnnie", "wendlandt", "wendlandt-3d"])
@pytest.mark.parametrize("share", ["least effort", {"foot_left": 0.3, "foot_right": 0.7}])
def test_the_forces_give_the_accelerations(name, share):
    """By forward dynamics with the wrenches as external forces, and by the balance of the whole robot."""
    robot, q = standing(name)
    chains = [closed_chain(robot, q, np.zeros(robot.nv), f"foot_{side}") for side in ("left", "right")]
    both = type(chains[0])(np.vstack([c.J for c in chains]), np.concatenate([c.rate for c in chains]))
    a = both.closest(0.5 * np.random.default_rng(5).normal(size=robot.nv))
    found = distribute(robot, q, np.zeros(robot.nv), a, share=share)
    external = {}
    for foot, w in found.wrenches.items():
        arm = found.places[foot] - ff.kinematics.pose(robot, q, foot).position
        f, m = w[: robot.dim], w[robot.dim :]
        lever = np.cross(arm, f) if robot.dim == 3 else [arm[1] * f[0] - arm[0] * f[1]]
        external[foot] = np.concatenate((f, m + lever))
    assert np.allclose(ff.dynamics.forward(robot, q, np.zeros(robot.nv), found.tau, external=external), a, atol=1e-8)
    up = sum(w[robot.dim - 1] for w in found.wrenches.values())
    rate = ff.dynamics.momentum_rate(robot, q, np.zeros(robot.nv), a)[robot.dim - 1]
    assert up == pytest.approx(robot.mass * robot.gravity + rate, rel=1e-9)
    if not isinstance(share, str):
        assert found.wrenches["foot_left"][robot.dim - 1] == pytest.approx(0.3 * up, rel=1e-9)


def test_least_effort_is_least():
    robot, q = standing()
    still = np.zeros(robot.nv)
    least = distribute(robot, q, still, still)
    for part in (0.3, 0.5, 0.7):
        given = distribute(robot, q, still, still, share={"foot_left": part, "foot_right": 1 - part})
        assert least.effort <= given.effort * (1.0 + 1e-12)


def test_refusals_of_distribute():
    robot, q = standing()
    still, a = np.zeros(robot.nv), np.zeros(robot.nv)
    with pytest.raises(UnknownNameError, match="hand"):
        distribute(robot, q, still, still, ["hand"])
    with pytest.raises(StateError, match="add up to 1, got"):
        distribute(robot, q, still, still, share={"foot_left": 0.9, "foot_right": 0.9})
    with pytest.raises(StateError, match="a part for each of foot_left, foot_right"):
        distribute(robot, q, still, still, share={"foot_left": 1.0})
    with pytest.raises(UnknownNameError, match="rule of sharing"):
        distribute(robot, q, still, still, share="most")
    a[robot.velocities.index("knee_left")] = 3.0
    with pytest.raises(StateError, match="foot 'foot_left' is to stand, but accelerates by"):
        distribute(robot, q, still, a)
    with pytest.raises(UnknownNameError, match="direction"):
        closed_chain(robot, q, still, "foot_left", held=("up",))
