"""Distance to singularities, bounded rates, and several solutions of the search: two links by hand, legs in closed form."""

import numpy as np
import pytest

import footfall as ff
from footfall.kinematics import Task, dexterity, joint_rates, leg, pose, solutions
from test_inverse_kinematics import L1, L2, apart, closed_form, two_links

JOHNNIE = {"hip_pitch_left": -0.5, "knee_left": 1.0, "ankle_pitch_left": -0.5}


def by_hand(knee):
    """The Jacobian of the tip of two links that hang down at zero, hip at zero."""
    x, z = -L2 * np.sin(knee), -L1 - L2 * np.cos(knee)
    return np.array([[z, -L2 * np.cos(knee)], [-x, L2 * np.sin(knee)]])


@pytest.mark.parametrize("knee", [0.0, 1e-6, 0.01, 0.5, 1.5, 3.0, np.pi])
def test_two_links(knee):
    """Manipulability is l1 l2 |sin knee|; the singular values are those of the Jacobian by hand."""
    found = dexterity(two_links(), (0.0, knee), "tip")
    values = np.linalg.svd(by_hand(knee), compute_uv=False)
    assert found.manipulability == pytest.approx(L1 * L2 * abs(np.sin(knee)), abs=1e-15)
    assert found.values == pytest.approx(values, abs=1e-15)
    assert found.smallest == pytest.approx(values[-1], abs=1e-15)
    assert found.joints == ("hip", "knee")
    if knee == 0.0:
        assert found.smallest == 0.0 or found.condition > 1e15
        assert np.abs(found.direction) == pytest.approx((0.0, 1.0))
    else:
        assert found.condition == pytest.approx(values[0] / values[-1], rel=1e-6)


def test_with_rotations_two_hinges_are_never_enough():
    found = dexterity(two_links(), (0.0, 0.5), "tip", turns=True)
    assert found.smallest == 0.0
    assert found.condition == np.inf
    assert len(found.values) == 3


def test_a_leg_in_space_is_singular_where_it_should_be():
    robot = ff.robots.load("johnnie")
    assert dexterity(robot, robot.configuration(JOHNNIE), "foot_left").smallest > 0.1
    assert dexterity(robot, robot.configuration({**JOHNNIE, "knee_left": 0.0}), "foot_left").smallest < 1e-15
    locked = dexterity(robot, robot.configuration({**JOHNNIE, "hip_roll_left": np.pi / 2}), "foot_left")
    assert locked.smallest < 1e-15
    assert len(locked.joints) == 6
    assert len(dexterity(robot, robot.configuration(JOHNNIE), "foot_left", base="world").joints) == 12


def test_smallest_value_is_the_distance_to_a_singular_matrix():
    robot = ff.robots.load("johnnie")
    q = robot.configuration(JOHNNIE)
    J = ff.kinematics.jacobian(robot, q, "foot_left")[:, 6:12].copy()
    J[3:] *= 0.3
    found = dexterity(robot, q, "foot_left")
    U, values, Vt = np.linalg.svd(J)
    nearest = J - values[-1] * np.outer(U[:, -1], Vt[-1])
    assert np.linalg.norm(nearest - J) == pytest.approx(found.smallest, rel=1e-12)
    assert abs(np.linalg.det(nearest)) < 1e-15


@pytest.mark.parametrize("seed", range(10))
def test_rates_away_from_singularities_are_exact(seed):
    """Beside the inverse of the Jacobian by hand, and the closed form of the leg."""
    rng = np.random.default_rng(seed)
    knee = rng.uniform(0.8, 2.0)
    wanted = rng.normal(size=2)
    found = joint_rates(two_links(), (0.0, knee), "tip", (*wanted, None))
    assert found.v == pytest.approx(np.linalg.solve(by_hand(knee), wanted), rel=1e-10)
    assert not found.damped
    assert np.abs(found.residual).max() < 1e-12
    robot = ff.robots.load("johnnie")
    q, V = robot.configuration(JOHNNIE), rng.normal(size=6)
    general, closed = joint_rates(robot, q, "foot_left", V), leg(robot, "foot_left").rates(q, V)
    assert general.v == pytest.approx(robot.velocity(closed), abs=1e-11)


def test_rates_stay_bounded_and_continuous():
    robot, near = two_links(), 0.05
    fastest, before = 0.0, None
    for knee in np.linspace(-0.4, 0.4, 2001):
        found = joint_rates(robot, (0.0, knee), "tip", (0.0, 1.0, None), near=near)
        size = np.linalg.norm(found.v)
        fastest = max(fastest, size)
        assert before is None or np.abs(found.v - before).max() < 0.5
        before = found.v
        assert found.damped == (dexterity(robot, (0.0, knee), "tip").smallest < near)
        assert np.linalg.norm(found.residual) <= 1.0
    assert fastest < 1.2 / near
    undamped = joint_rates(robot, (0.0, 1e-6), "tip", (0.0, 1.0, None), near=0.0)
    assert np.abs(undamped.v).max() > 1e5


@pytest.mark.parametrize("seed", range(5))
def test_both_knees_are_found(seed):
    rng = np.random.default_rng(seed)
    r, way = rng.uniform(0.3, 0.7), rng.uniform(-1.0, 1.0)
    x, z = -r * np.sin(way), -r * np.cos(way)
    found = solutions(two_links(), (0.1, 0.2), Task("tip", (x, z)))
    assert len(found) == 2
    assert all(each.reached for each in found)
    for bend in (1.0, -1.0):
        assert min(apart(each.q, closed_form(x, z, bend)) for each in found) < 1e-9
    nearest = [apart(each.q, (0.1, 0.2)) for each in found]
    assert nearest == sorted(nearest)


def test_limits_leave_one_and_reach_none():
    assert len(solutions(two_links(limits=(0.0, 3.0)), (0.1, 0.2), Task("tip", (0.1, -0.6)))) == 1
    assert solutions(two_links(), (0.1, 0.2), Task("tip", (0.0, -2.0))) == ()


def test_the_search_finds_solutions_of_the_closed_form():
    """Of Johnnie's leg, with the pelvis in place: only postures that the closed form has, and the natural one first."""
    robot = ff.robots.load("johnnie")
    q, own = robot.configuration(JOHNNIE), leg(robot, "foot_left")
    goal, pelvis = pose(robot, q, "foot_left"), pose(robot, q, "pelvis")
    tasks = [
        Task("foot_left", goal.position + np.array((0.05, 0.02, 0.03)), goal.rotation),
        Task("pelvis", pelvis.position, pelvis.rotation),
    ]
    found = solutions(robot, q, tasks, tries=12)
    closed = [each.row for each in own.solutions((tasks[0].position, goal.rotation), pelvis) if each.reached]
    assert 1 <= len(found) <= len(closed)
    for each in found:
        assert min(apart(each.q[7:13], row) for row in closed) < 1e-7
        assert np.array_equal(each.q[13:], q[13:])
    assert apart(found[0].q[7:13], own.inverse((tasks[0].position, goal.rotation), pelvis, near=q).row) < 1e-7


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda r, q: dexterity("johnnie", q, "foot_left"), "must be a Robot"),
        (lambda r, q: dexterity(r, q, "foot"), "no link or frame"),
        (lambda r, q: dexterity(r, q, "pelvis"), "no joint moves 'pelvis' against its floating body"),
        (
            lambda r, q: dexterity(r, q, "foot_left", base="foot_right"),
            "robot 'johnnie': 'foot_right' does not carry 'foot_left'",
        ),
        (lambda r, q: dexterity(r, q, "foot_left", lever=0.0), "lever of dexterity must be a number from 1e-09 on, got 0.0"),
        (lambda r, q: joint_rates(r, q, "foot_left", (1, 0, 0)), "velocity of 'foot_left' must have 6 entries"),
        (lambda r, q: joint_rates(r, q, "foot_left", [None] * 6), "asks for nothing"),
        (lambda r, q: joint_rates(r, q, "foot_left", ["a"] * 6), "velocity of 'foot_left' must be 6 numbers"),
        (lambda r, q: joint_rates(r, q, "foot_left", np.zeros(6), near="x"), "near of joint_rates must be a number from 0 on"),
        (lambda r, q: solutions(r, q, ()), "at least one task"),
    ],
)
def test_refused(ask, said):
    robot = ff.robots.load("johnnie")
    with pytest.raises(ff.FootfallError, match=said):
        ask(robot, robot.neutral())
