"""Momenta and impacts by recursion, against dense solves, constrained dynamics, the contact solver and closed forms."""

import numpy as np
import pytest

import footfall as ff
from footfall.dynamics import Blow, constrained, impact, momenta
from footfall.errors import StateError, UnknownNameError
from footfall.model.pins import Pin
from footfall.reproduce._complementarity import Impact as Enumerated
from footfall.reproduce._strikes import compare
from footfall.reproduce._textbook import LONG, Textbook, solved
from trees import close, random_robot, random_state

TOLERANCE = 1e-9
CONFIGURATIONS = 100  # of each of these walkers
WALKERS = {
    "compass": ("tip_left", "tip_right"),
    "simplest-walker": ("tip_left", "tip_right"),
    "round-feet": ("tip_left", "tip_right"),
    "kneed-walker": ("tip_left", "tip_right"),
    "ono": ("tip_left", "tip_right"),
    "rabbit": ("tip_left", "tip_right"),
    "ranger": ("sole_outer", "sole_inner"),
    "simbicon": ("sole_left", ("foot_right", "weld")),
    "wendlandt": (("foot_left", "weld"), "sole_right"),
    "wendlandt-3d": (("foot_left", "weld"), "sole_right"),
    "person": (("foot_left", "weld"), "sole_right"),
    "johnnie": (("foot_left", "weld"), ("foot_right", "weld")),
}
STRIKES = 10


def state_of(robot, seed):
    return ff.kinematics.random_configuration(robot, seed, 0.6), np.random.default_rng(seed).normal(size=robot.nv)


def rows_of(robot, q, pinned):
    named = [(each, robot.dim) if isinstance(each, str) else (each[0], None) for each in pinned]
    return np.vstack([ff.kinematics.jacobian(robot, q, name)[:width] for name, width in named])


def dense(M, J, v, after):
    """M v+ - J'P = M v, J v+ = after; scaled, for feet that weigh next to nothing."""
    scale, n = 1.0 / np.sqrt(M.diagonal()), len(J)
    K = np.block([[scale[:, None] * M * scale, -(J * scale).T], [J * scale, np.zeros((n, n))]])
    answer = np.linalg.solve(K, np.concatenate((scale * (M @ v), after)))
    return scale * answer[: len(M)]


# --- momenta --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_momenta_are_those_of_the_mass_matrix_and_of_the_whole(space):
    for seed in range(20):
        robot = random_robot(seed, space)
        q, v, _ = random_state(robot, seed)
        found = momenta(robot, q, v)
        close(found.generalised, ff.dynamics.mass_matrix(robot, q) @ v, 1e-12)
        first = [joint.name for i, joint in enumerate(robot.layout.joints, start=1) if robot.tree.parent[i] == 0]
        total = sum(found.at_joints[name][: robot.dim] for name in first)
        close(total, ff.dynamics.momentum(robot, q, v)[: robot.dim], 1e-12)


def test_equation_4_needs_the_shift_and_not_one_less_it():
    """Dan, Saha and Rama Krishna: (3) is a sum, (4) its recursion. As printed, with 1 - A_i, it is not."""
    robot = ff.robots.load("chain", links=4, space="spatial")
    q, v, _ = random_state(robot, 3)
    places = [ff.kinematics.pose(robot, q, link.name).position for link in robot.links]
    own = []  # of each link about its own origin, (angular, linear) as in the paper: B_i M_i t_i
    for link, place in zip(robot.links, places, strict=True):
        pose, V = (
            ff.kinematics.pose(robot, q, link.name, at=link.com),
            ff.kinematics.velocity(robot, q, v, link.name, at=link.com),
        )
        xx, yy, zz, xy, xz, yz = link.inertia
        inertia = pose.rotation @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ pose.rotation.T
        p = link.mass * V[:3]
        own.append(np.concatenate((inertia @ V[3:] + np.cross(pose.position - place, p), p)))

    def shifted(P, arm):
        return np.concatenate((P[:3] + np.cross(arm, P[3:]), P[3:]))

    def recursion(step):
        P = [own[-1]]
        for i in (2, 1, 0):
            P.insert(0, step(P[0], places[i + 1] - places[i]) + own[i])
        return P

    sums = [sum(shifted(own[k], places[k] - places[i]) for k in range(i, 4)) for i in range(4)]
    right, printed = recursion(shifted), recursion(lambda P, arm: P - shifted(P, arm))
    ours = [np.roll(row, 3) for row in momenta(robot, q, v).at_joints.values()]
    close(np.array(right), np.array(sums), 1e-13)
    close(np.array(ours), np.array(sums), 1e-13)
    assert np.abs(np.array(printed) - np.array(sums)).max() > 0.1


# --- impacts --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WALKERS)
def test_recursion_constrained_dynamics_and_dense_solve_agree(name):
    robot, both = ff.robots.load(name), WALKERS[name]
    for seed in range(CONFIGURATIONS):
        q, v = state_of(robot, seed)
        pinned = both if seed % 2 else both[:1]
        ours = impact(robot, q, v, Blow(striking=pinned))
        J = rows_of(robot, q, pinned)
        close(ours.velocities, dense(ff.dynamics.mass_matrix(robot, q), J, v, np.zeros(len(J))), TOLERANCE, f"seed {seed}, dense")
        theirs = constrained.impact(robot, q, v, pinned=pinned)
        close(ours.velocities, theirs.velocities, TOLERANCE, f"seed {seed}, velocities")
        for each, impulse in theirs.impulses.items():
            close(ours.impulses[each], impulse, TOLERANCE, f"seed {seed}, impulse on {each}")
        assert ours.energy_lost == pytest.approx(theirs.energy_lost, rel=1e-9, abs=1e-10)


def test_round_soles_strike_where_they_touch():
    robot, roll = ff.robots.load("round-feet"), (0.02, 0.199)
    for seed in range(20):
        q, v = state_of(robot, seed)
        soles = Pin("middle_left", roll=roll), Pin("leg_right", at=(0.0, -1.0), roll=roll)
        ours, theirs = impact(robot, q, v, Blow(soles)), constrained.impact(robot, q, v, pinned=soles)
        close(ours.velocities, theirs.velocities, TOLERANCE)
        for each in soles:
            close(ours.impulses[str(each)], theirs.impulses[str(each)], TOLERANCE)


def test_knees_lock_in_the_same_blow():
    robot, locked = ff.robots.load("kneed-walker"), ("knee_left", "knee_right")
    for seed in range(20):
        q, v = state_of(robot, seed)
        ours = impact(robot, q, v, Blow("tip_right", locked=locked))
        theirs = constrained.impact(robot, q, v, pinned="tip_right", locked=locked)
        close(ours.velocities, theirs.velocities, TOLERANCE)
        for knee in locked:
            assert ours.impulses[knee] == pytest.approx(theirs.impulses[knee], abs=1e-10)


@pytest.mark.parametrize("name", WALKERS)
def test_momenta_dense_solve_contact_solver_and_enumeration_agree(name):
    """A foot strikes, bouncing or not, another stays or lifts; `footfall reproduce denoc/impacts` does a thousand of each walker."""
    found = compare(name, STRIKES, seed=1)
    assert found.met.get("stick", 0) + found.met.get("slide", 0) == STRIKES
    assert found.dense < TOLERANCE
    assert found.sticking < 1e-6
    assert found.sliding < 1e-6


def test_the_enumeration_knows_a_rod_in_closed_form():
    """One end of a rod, e = 0: it sticks if mu >= |A_tn / A_tt| of the impulses, by hand; else u_t+ = u_t + (A_tn - mu s A_tt) P_n."""
    m, J, x, z = 2.0, 0.3, 0.4, 0.7  # the end is at (x, -z) from the centre
    M, row = np.diag([m, m, J]).astype(LONG), np.array([[1, 0, -z], [0, 1, -x]], LONG)
    v = np.array((0.5, -1.0, 0.2), LONG)
    u = (row @ v).astype(float)
    tt, tn, nn = 1 / m + z * z / J, x * z / J, 1 / m + x * x / J
    stuck = np.linalg.solve([[tt, tn], [tn, nn]], -u)
    enough = abs(stuck[0] / stuck[1])
    assert stuck[1] > 0.0
    (sticks,) = Enumerated(M, row, v, (0.0,), enough * 1.01).outcomes()
    assert sticks.modes == ("stick",)
    close(sticks.impulses.astype(float), stuck, 1e-14)
    mu, sense = 0.5 * enough, -np.sign(stuck[0])
    (slides,) = Enumerated(M, row, v, (0.0,), mu).outcomes()
    P = -u[1] / (nn - mu * sense * tn)
    assert slides.slides
    close(slides.impulses.astype(float), np.array((-mu * sense * P, P)), 1e-13)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_the_textbook_reference_knows_the_same_robots(space):
    for seed in range(6):
        robot = random_robot(seed, space, links=1 + 2 * seed)
        q, v, _ = random_state(robot, seed)
        M, h = Textbook(robot, q, v).equations(robot.gravity)
        close(ff.dynamics.mass_matrix(robot, q), M.astype(float), 1e-13)
        close(ff.dynamics.bias(robot, q, v), h.astype(float), 1e-13)
        link, at = robot.links[-1].name, tuple(np.arange(1.0, robot.dim + 1))
        close(ff.kinematics.jacobian(robot, q, link, at=at)[: robot.dim], Textbook(robot, q).point(link, at).astype(float), 1e-13)


def test_equations_that_say_the_same_twice_or_contradict_each_other():
    A, b = np.array([[1.0, 2.0], [2.0, 4.0]], LONG), np.array((3.0, 6.0), LONG)
    close((A @ solved(A, b)).astype(float), b.astype(float), 1e-15)
    assert solved(A, np.array((3.0, 7.0), LONG)) is None


@pytest.mark.parametrize("spokes", [3, 5, 8])
def test_rimless_wheel_in_closed_form(spokes):
    """It rolls over the new spoke with (J + m l^2 cos 2a) / (J + m l^2) of its speed; where that is negative, the old one stays."""
    J, half = 0.1, np.pi / spokes
    robot = ff.robots.load("rimless-wheel", spokes=spokes, inertia=J)
    old, new = (Pin("wheel", at=(np.sin(a), -np.cos(a))) for a in (0.0, 2 * half))
    q = robot.configuration({"base.pitch": half})  # both spokes touch: turning forward takes spoke 0 back
    v = constrained.consistent(robot, q, np.array([0.0, 0.0, 1.0]), pinned=old)
    v *= 1.0 / v[2]
    struck = impact(robot, q, v, Blow(new, trailing=old))
    factor = (J + np.cos(2 * half)) / (J + 1.0)
    assert struck.stays == (() if factor > 0.0 else (str(old),))
    assert struck.velocities[2] == pytest.approx(max(factor, 0.0), abs=1e-12)
    assert struck.choices == 1


@pytest.mark.parametrize("name", ["compass", "johnnie"])
@pytest.mark.parametrize("restitution", [0.3, 1.0])
def test_restitution_turns_the_normal_speed_around(name, restitution):
    robot, foot = ff.robots.load(name), "tip_left" if name == "compass" else "sole_left"
    up = np.array((0.6, 0.8)) if name == "compass" else np.array((0.6, 0.0, 0.8))
    bounced = 0
    for seed in range(20):
        q, v = state_of(robot, seed)
        before = ff.kinematics.velocity(robot, q, v, foot)[: robot.dim]
        struck = impact(robot, q, v, Blow(foot, restitution=restitution, up=tuple(up)))
        after = ff.kinematics.velocity(robot, q, struck.velocities, foot)[: robot.dim]
        first, last = (ff.dynamics.energy(robot, q, each).kinetic for each in (v, struck.velocities))
        assert struck.energy_lost == pytest.approx(first - last, rel=1e-9, abs=1e-10)
        assert struck.energy_lost >= 0.0
        wanted = -restitution * min(up @ before, 0.0) * up
        J, M = rows_of(robot, q, (foot,)), ff.dynamics.mass_matrix(robot, q)
        expected = dense(M, J, v, wanted)
        if v @ M @ v >= expected @ M @ expected:
            close(after, wanted, TOLERANCE)
            close(struck.velocities, expected, TOLERANCE)
            bounced += up @ before < 0.0
        else:  # bouncing straight back would give energy: it bounces as far as it does not
            still = dense(M, J, v, 0.0 * wanted)
            more = expected - still
            fraction = np.roots((more @ M @ more, 2.0 * still @ M @ more, still @ M @ still - v @ M @ v)).max()
            close(after, fraction * wanted, TOLERANCE)
            assert struck.energy_lost == pytest.approx(0.0, abs=1e-10)
    assert bounced > 3


def test_heel_and_toe_of_both_feet_at_once():
    """Eight conditions of which two say the same twice: the velocities are still those of welded feet, the impulses balance."""
    robot = ff.robots.load("wendlandt")
    q, v = state_of(robot, 4)
    points = tuple(Pin(f"foot_{side}", at=(x, 0.0)) for side in ("left", "right") for x in (-0.1, 0.2))
    struck = impact(robot, q, v, Blow(points))
    welded = impact(robot, q, v, Blow((("foot_left", "weld"), ("foot_right", "weld"))))
    close(struck.velocities, welded.velocities, TOLERANCE)
    for side in (0, 1):
        heel, toe = list(struck.impulses.values())[2 * side : 2 * side + 2]
        close(heel + toe, list(welded.impulses.values())[side][:2], TOLERANCE)


BAD = [
    (Blow(), StateError, "must strike, lock or hold something"),
    (Blow("tip_left", restitution=1.5), StateError, "restitution must be between 0 and 1, got 1.5"),
    (Blow("tip_left", up=(0.0, 0.0)), StateError, "up must not be zero"),
    (Blow("toe"), UnknownNameError, "toe"),
    (Blow("world"), StateError, "part of the world"),
    (Blow(locked="knee"), UnknownNameError, "knee"),
    (Blow(("tip_left", "tip_left")), StateError, "name everything once"),
]


@pytest.mark.parametrize(("blow", "error", "message"), BAD)
def test_what_is_refused(blow, error, message):
    robot = ff.robots.load("compass")
    with pytest.raises(error, match=message):
        impact(robot, robot.configuration(hip=0.3), np.ones(robot.nv), blow)
