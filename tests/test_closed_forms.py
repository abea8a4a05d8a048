"""Textbook cases, by name."""

import numpy as np
import pytest

import footfall as ff


def test_physical_pendulum():
    """I phi'' = -m g c sin(phi), for a bar hung at its end."""
    m, c, J, g = 2.0, 0.7, 0.1, 9.81
    bar = ff.Robot("bar", "planar", (ff.Link("bar", m, (0, -c), J),), (ff.Joint("hinge", "revolute", "world", "bar"),))
    for angle in (0.0, 1e-9, 0.3, np.pi / 2, np.pi, -2.0):
        a = ff.dynamics.forward(bar, [angle], [3.0], [0.5], gravity=g)
        assert a == pytest.approx((0.5 - m * g * c * np.sin(angle)) / (J + m * c * c), abs=1e-13)


def test_double_pendulum():
    """Point masses on massless rods, the equations of any mechanics text (absolute angles from the vertical)."""
    m1, m2, l1, l2, g = 1.3, 0.7, 0.9, 1.1, 9.81
    links = (ff.Link("a", m1, (0, -l1)), ff.Link("b", m2, (0, -l2)))
    joints = (ff.Joint("j1", "revolute", "world", "a"), ff.Joint("j2", "revolute", "a", "b", at=(0, -l1)))
    robot = ff.Robot("double", "planar", links, joints)
    t1, t2, w1, w2 = 0.4, -1.1, 1.5, -0.6
    d = t1 - t2
    M = np.array([[(m1 + m2) * l1, m2 * l2 * np.cos(d)], [l1 * np.cos(d), l2]])
    f = [-m2 * l2 * w2**2 * np.sin(d) - (m1 + m2) * g * np.sin(t1), l1 * w1**2 * np.sin(d) - g * np.sin(t2)]
    absolute = np.linalg.solve(M, f)
    a = ff.dynamics.forward(robot, [t1, t2 - t1], [w1, w2 - w1], [0, 0])
    assert a == pytest.approx([absolute[0], absolute[1] - absolute[0]], abs=1e-12)


def test_euler_equations_of_a_free_top():
    """J w' + w x J w = 0 in body axes, and the centre falls with g."""
    J = np.array([0.3, 0.5, 0.7])
    top = ff.Robot("top", "spatial", (ff.Link("top", 2.0, inertia=tuple(J)),), (ff.Joint("base", "free", "world", "top"),))
    q = ff.kinematics.random_configuration(top, 1)
    w = np.array([1.0, -2.0, 0.5])
    a = ff.dynamics.forward(top, q, [1, 2, 3, *w], np.zeros(6))
    assert a[:3] == pytest.approx([0, 0, -9.81], abs=1e-13)
    assert a[3:] == pytest.approx(-np.cross(w, J * w) / J, abs=1e-13)


def test_bead_on_a_turning_rod():
    """Centrifugal and Coriolis: r'' = r w^2, torque 2 m r r' w at constant w."""
    m, J = 0.4, 0.05
    links = (ff.Link("rod", 0.2, inertia=J), ff.Link("bead", m))
    joints = (ff.Joint("hub", "revolute", "world", "rod"), ff.Joint("slide", "prismatic", "rod", "bead", axis="x"))
    robot = ff.Robot("rod", "planar", links, joints)
    r, rate, w = 0.8, 0.3, 2.0
    tau = ff.dynamics.inverse(robot, [0.7, r], [w, rate], [0.0, r * w**2], gravity=0)
    assert tau == pytest.approx([2 * m * r * rate * w, 0.0], abs=1e-14)


def test_rotor_behind_a_gear():
    """A rotor adds its inertia times the gear squared."""
    motor = ff.Motor(rotor_inertia=1e-4, gear=50)
    links, hinge = (ff.Link("arm", 1.0, (0, -0.5), 0.02),), ff.Joint("hinge", "revolute", "world", "arm", motor=motor)
    arm = ff.Robot("arm", "planar", links, (hinge,))
    assert ff.dynamics.mass_matrix(arm, [0.3]) == pytest.approx(np.array([[0.02 + 0.25 + 0.25]]))


def test_falling_is_weightless_in_any_pose():
    """A floating robot without joint forces: every point of it that does not turn falls with g."""
    robot = ff.robots.load("simbicon")
    q = ff.kinematics.random_configuration(robot, 4)
    a = ff.dynamics.forward(robot, q, np.zeros(robot.nv), np.zeros(robot.nv))
    expected = np.zeros(robot.nv)
    expected[1] = -robot.gravity
    assert a == pytest.approx(expected, abs=1e-11)


def test_passive_forces():
    joint = ff.Joint("j", "revolute", "world", "a", damping=2.0, friction=0.5, spring=ff.Spring(10.0, rest=0.1))
    robot = ff.Robot("r", "planar", (ff.Link("a", 1.0, (0, -1)),), (joint,))
    assert ff.dynamics.passive(robot, [0.3], [-1.0]) == pytest.approx([2.0 + 0.5 - 2.0])
    assert ff.dynamics.passive(robot, [0.1], [0.0]) == pytest.approx([0.0])
