"""Tables of link parameters: the paper's leg by its printed matrices, random tables, and every chain of the ready robots."""

import itertools

import numpy as np
import pytest

import footfall as ff
from footfall.model.dh import CONVENTIONS
from footfall.model.serial import serial
from trees import random_robot

PI = np.pi
B1, B2, L1, L2 = 0.07, 0.03, 0.42, 0.4
LEG = ff.DHTable(
    (ff.DHRow("hip_1"), ff.DHRow("hip_2", alpha=PI / 2, d=-B1), ff.DHRow("knee", a=L1, d=-B2)),
)


def printed(one, two, three):
    """Johnnie (2.6), (2.7), (2.8) and (2.9), as printed."""
    c, s = np.cos, np.sin
    T01 = [[c(one), -s(one), 0, 0], [s(one), c(one), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    T12 = [[c(two), -s(two), 0, 0], [0, 0, -1, B1], [s(two), c(two), 0, 0], [0, 0, 0, 1]]
    T23 = [[c(three), -s(three), 0, L1], [s(three), c(three), 0, 0], [0, 0, 1, -B2], [0, 0, 0, 1]]
    minus, plus = three - one + two, one + two + three
    T03 = [
        [c(minus) / 2 + c(plus) / 2, -s(minus) / 2 - s(plus) / 2, s(one),
         L1 / 2 * c(two - one) + L1 / 2 * c(one + two) - s(one) * B2 - s(one) * B1],
        [s(plus) / 2 - s(minus) / 2, c(plus) / 2 - c(minus) / 2, -c(one),
         L1 / 2 * s(one + two) - L1 / 2 * s(two - one) + c(one) * B2 + c(one) * B1],
        [s(two + three), c(two + three), 0, s(two) * L1],
        [0, 0, 0, 1],
    ]  # fmt: skip
    return [np.array(T, float) for T in (T01, T12, T23, T03)]


def matrix(pose):
    """A pose as a matrix of 4 by 4, written by hand."""
    T, rows = np.eye(4), [0, 2] if len(pose.position) == 2 else [0, 1, 2]
    T[np.ix_(rows, rows)], T[rows, 3] = pose.rotation, pose.position
    return T


def between(robot, q, base, target):
    one, two = (matrix(ff.kinematics.pose(robot, q, name)) for name in (base, target))
    return np.linalg.solve(one, two)


def craig(row, value):
    """Johnnie (2.5), entry by entry."""
    theta, d = (row.theta + value, row.d) if row.kind == "revolute" else (row.theta, row.d + value)
    ca, sa, ct, st = np.cos(row.alpha), np.sin(row.alpha), np.cos(theta), np.sin(theta)
    return np.array([[ct, -st, 0, row.a], [st * ca, ct * ca, -sa, -sa * d], [st * sa, ct * sa, ca, ca * d], [0, 0, 0, 1]])


def paul(row, value):
    """The standard convention, entry by entry (Spong, Hutchinson and Vidyasagar, 3.10)."""
    theta, d = (row.theta + value, row.d) if row.kind == "revolute" else (row.theta, row.d + value)
    ca, sa, ct, st = np.cos(row.alpha), np.sin(row.alpha), np.cos(theta), np.sin(theta)
    return np.array([[ct, -st * ca, st * sa, row.a * ct], [st, ct * ca, -ct * sa, row.a * st], [0, sa, ca, d], [0, 0, 0, 1]])


def random_rigid(rng):
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = Q * np.sign(np.linalg.det(Q)), rng.normal(size=3)
    return T


def random_table(seed, convention):
    """One to eight joints; every other number is a special one: axes that meet, are parallel, or at right angles."""
    rng, special = np.random.default_rng(seed), (0.0, PI / 2, -PI / 2, PI, 0.0)
    rows = []
    for i in range(rng.integers(1, 9)):
        alpha, theta = (float(rng.choice(special) if rng.random() < 0.5 else rng.uniform(-3, 3)) for _ in range(2))
        a, d = (float(rng.choice((0.0, 1.0)) * abs(rng.normal())) for _ in range(2))
        low = float(rng.uniform(-2, 0))
        kind = "revolute" if rng.random() < 0.7 else "prismatic"
        rows.append(ff.DHRow(f"joint_{i + 1}", alpha, a, d, theta, kind, (low, low + 1.0)))
    base, tool = (None if rng.random() < 0.5 else random_rigid(rng) for _ in range(2))
    return ff.DHTable(tuple(rows), convention, base, tool), rng


def test_the_papers_leg_by_its_printed_matrices():
    """Johnnie (2.6) to (2.9), and the foot of (2.10)."""
    robot = ff.robot_from_dh(LEG, "leg")
    rng = np.random.default_rng(0)
    for angles in (*rng.uniform(-PI, PI, (1000, 3)), np.zeros(3)):
        *steps, whole = printed(*angles)
        for ours, theirs in zip(LEG.steps(angles), steps, strict=True):
            assert np.abs(ours - theirs).max() < 1e-12
        assert np.abs(LEG.transform(angles) - whole).max() < 1e-12
        assert np.abs(matrix(ff.kinematics.pose(robot, angles, "tool")) - whole).max() < 1e-12
        foot = whole @ (L2, 0.0, 0.0, 1.0)
        assert np.abs(ff.kinematics.pose(robot, angles, "tool", (L2, 0.0, 0.0)).position - foot[:3]).max() < 1e-12


def test_signs_of_2_2_are_those_of_frames():
    """(2.5) is the product with +alpha and +theta; with the matrices (2.4) at the printed -alpha and -theta it is another one."""
    row = ff.DHRow("j", 0.3, 0.2, 0.1, 0.7)
    T = ff.transforms
    right = T.rotation_x(0.3) @ T.translation(0.2, 0, 0) @ T.rotation_z(0.7) @ T.translation(0, 0, 0.1)
    literal = T.rotation_x(-0.3) @ T.translation(0.2, 0, 0) @ T.rotation_z(-0.7) @ T.translation(0, 0, 0.1)
    assert np.abs(craig(row, 0.0) - right).max() < 1e-15
    assert np.abs(craig(row, 0.0) - literal).max() > 0.1


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_tables(convention, first):
    """Table by hand-written matrices, its robot, the table of that robot in both conventions: the same forward kinematics."""
    for seed in range(first, first + 50):
        table, rng = random_table(seed, convention)
        q = rng.uniform(-2.0, 2.0, len(table.rows))
        by_hand = table.base
        for row, value in zip(table.rows, q, strict=True):
            by_hand = by_hand @ {"modified": craig, "standard": paul}[convention](row, value)
        frame, by_hand = by_hand, by_hand @ table.tool
        robot = ff.robot_from_dh(table)
        assert np.abs(table.transform(q) - by_hand).max() < 1e-12
        assert np.abs(matrix(ff.kinematics.pose(robot, q, "tool")) - by_hand).max() < 1e-12, seed
        assert np.abs(matrix(ff.kinematics.pose(robot, q, f"frame_{len(q)}")) - frame).max() < 1e-12
        assert [joint.limits for joint in robot.joints] == [row.limits for row in table.rows]
        for other in CONVENTIONS:
            again = ff.dh_table(robot, "tool", convention=other)
            assert np.abs(again.transform(q) - by_hand).max() < 1e-12, seed
            assert all(row.a >= -1e-12 for row in again.rows[1 if other == "modified" else 0 : -1])
            assert [(row.kind, row.limits) for row in again.rows] == [(row.kind, row.limits) for row in table.rows]


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_a_table_without_special_cases_comes_back(convention):
    """Axes that neither meet nor are parallel leave no choice: the same numbers, no base, no tool."""
    rng = np.random.default_rng(5)
    for _ in range(50):
        numbers = rng.uniform(0.3, 1.2, (5, 4))
        table = ff.DHTable(tuple(ff.DHRow(f"j{i}", *row.tolist()) for i, row in enumerate(numbers)), convention)
        again = ff.dh_table(ff.robot_from_dh(table), "tool", convention=convention)
        found = np.array([(row.alpha, row.a, row.d, row.theta) for row in again.rows])
        assert np.abs(found - numbers).max() < 1e-12
        assert np.abs(again.base - np.eye(4)).max() < 1e-12
        assert np.abs(again.tool - np.eye(4)).max() < 1e-12


@pytest.mark.parametrize("convention", CONVENTIONS)
@pytest.mark.parametrize("name", ff.robots.names())
def test_every_chain_of_the_ready_robots(name, convention):
    """From the world and from every link to every link and frame: floating bases, spherical joints and ways through the body."""
    robot = ff.robots.load(name)
    targets, bases = (*robot.layout.targets,), ("world", *(link.name for link in robot.links))
    for seed, (base, target) in enumerate(itertools.product(bases, targets)):
        if robot.layout.targets[base].body == robot.layout.targets[target].body:
            continue
        q = ff.kinematics.random_configuration(robot, seed)
        table = ff.dh_table(robot, target, base, convention)
        values = ff.dh_variables(robot, q, table)
        there = between(robot, q, base, target)
        assert np.abs(table.transform(values) - there).max() < 1e-12, (base, target)
        if seed % 10 == 0:
            again = ff.robot_from_dh(table)
            assert np.abs(matrix(ff.kinematics.pose(again, values, "tool")) - there).max() < 1e-12, (base, target)


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_random_trees(space):
    """Random axes, offsets and turns; the world of a random robot to its tip."""
    for seed in range(100):
        robot = random_robot(seed, space, links=8)
        if robot.layout.targets["tip"].body == 0:
            continue
        q = ff.kinematics.random_configuration(robot, seed)
        for convention in CONVENTIONS:
            table = ff.dh_table(robot, "tip", convention=convention)
            off = np.abs(table.transform(ff.dh_variables(robot, q, table)) - between(robot, q, "world", "tip")).max()
            assert off < 1e-11, seed


def test_masses_are_given_in_the_frames_of_the_table():
    """The same arm in both conventions, with the same centres of mass in space: the same energy and mass matrix."""
    rng = np.random.default_rng(3)
    numbers = rng.uniform(0.2, 1.0, (3, 4))
    standard = ff.DHTable(tuple(ff.DHRow(f"j{i}", *row.tolist()) for i, row in enumerate(numbers)), "standard")
    links = [ff.Link(f"l{i}", 1.0 + i, tuple(rng.normal(size=3)), (0.3, 0.25, 0.2, 0.01, 0.02, 0.03)) for i in range(3)]
    robot = ff.robot_from_dh(standard, "arm", links)
    q, v = rng.normal(size=(2, 3))
    energy = 0.0
    for i, link in enumerate(links):
        twist = ff.kinematics.velocity(robot, q, v, f"frame_{i + 1}", link.com, axes="body")
        xx, yy, zz, xy, xz, yz = link.inertia
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        energy += 0.5 * link.mass * twist[:3] @ twist[:3] + 0.5 * twist[3:] @ I @ twist[3:]
    assert ff.dynamics.energy(robot, q, v).kinetic == pytest.approx(energy, rel=1e-12)


def test_pinocchio_agrees_on_the_robot_of_a_table():
    pin = pytest.importorskip("pinocchio")
    for seed in range(20):
        table, rng = random_table(seed, "standard" if seed % 2 else "modified")
        model, data = pin.Model(), None
        parent, placed = 0, pin.SE3(table.base)
        for row in table.rows:
            step = (paul if seed % 2 else craig)(row, 0.0)
            joint = pin.JointModelRZ() if row.kind == "revolute" else pin.JointModelPZ()
            parent = model.addJoint(parent, joint, placed if seed % 2 else placed * pin.SE3(step), row.joint)
            placed = pin.SE3(step) if seed % 2 else pin.SE3.Identity()
        data, q = model.createData(), rng.uniform(-2.0, 2.0, len(table.rows))
        pin.forwardKinematics(model, data, q)
        theirs = (data.oMi[parent] * placed * pin.SE3(table.tool)).homogeneous
        ours = matrix(ff.kinematics.pose(ff.robot_from_dh(table), q, "tool"))
        assert np.abs(ours - theirs).max() < 1e-12


def test_a_table_reads_well():
    assert str(LEG).splitlines() == [
        "joint      alpha_i-1         a_i-1           d_i       theta_i",
        "hip_1              0             0             0             q",
        "hip_2         1.5708             0         -0.07             q",
        "knee               0          0.42         -0.03             q",
    ]
    slide = ff.DHTable((ff.DHRow("rail", d=0.5, theta=0.25, kind="prismatic"),), "standard")
    assert str(slide).splitlines()[1].split() == ["rail", "0", "0", "0.5", "+", "q", "0.25"]


def test_chain_through_the_body_turns_the_inner_joints_round():
    robot = ff.robots.load("wendlandt")
    chain = serial(robot, "sole_right", "sole_left")
    assert [axis.name for axis in chain.axes] == ["ankle_left", "knee_left", "hip_left", "hip_right", "knee_right", "ankle_right"]
    assert [axis.direction[1] for axis in chain.axes] == [-1, -1, -1, 1, 1, 1]


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: ff.DHRow("j", kind="spherical"), "no kind of joint .*'spherical'.*prismatic, revolute"),
        (lambda: ff.DHRow("j", a="long"), "row of joint 'j'.* a "),
        (lambda: ff.DHRow("j", limits=(1.0, 0.0)), "row of joint 'j': limits must be \\(lowest, highest\\), got \\(1.0, 0.0\\)"),
        (lambda: ff.DHTable(()), "one or more DHRow, got \\(\\)"),
        (lambda: ff.DHTable((ff.DHRow("j"),), "craig"), "no convention of link parameters 'craig'.*modified, standard"),
        (lambda: ff.DHTable((ff.DHRow("j"),), base=np.eye(3)), "base of a table .* 4 by 4 .* got shape \\(3, 3\\)"),
        (lambda: ff.DHTable((ff.DHRow("j"),), tool=2 * np.eye(4)), "tool of a table .* must be a rotation and a shift"),
        (lambda: ff.DHTable((ff.DHRow("j"),), tool="hand"), "tool of a table .* must be a matrix of 4 by 4, got 'hand'"),
        (lambda: LEG.transform((0.0, 0.0)), "coordinates of the table \\(hip_1, hip_2, knee\\) must be 3 finite numbers"),
        (lambda: ff.robot_from_dh("leg"), "takes a DHTable, got 'leg'"),
        (lambda: ff.robot_from_dh(LEG, links=(ff.Link("a", 1.0),)), "3 rows has as many links, got 1"),
        (lambda: ff.robot_from_dh(LEG, links=3), "must be a row of Link, got 3"),
        (lambda: ff.dh_table("johnnie", "foot_left"), "must be a Robot, .* got 'johnnie'"),
        (lambda: ff.dh_table(ff.robots.load("johnnie"), "foot_lef"), "Did you mean 'foot_left'"),
        (
            lambda: ff.dh_table(ff.robots.load("johnnie"), "sole_left", "foot_left"),
            "no joint moves 'sole_left' against 'foot_left'",
        ),
        (lambda: ff.dh_table(ff.robots.load("johnnie"), "foot_left", convention="paul"), "no convention .* 'paul'"),
        (lambda: ff.dh_variables(ff.robots.load("johnnie"), np.zeros(3), "table"), "takes a DHTable, got 'table'"),
        (lambda: ff.dh_variables(ff.robots.load("pendulum"), [0.0], LEG), "no coordinate .*'hip_1'"),
    ],
)
def test_refused(ask, said):
    with pytest.raises(ff.FootfallError, match=said):
        ask()


def test_axes_that_are_nearly_parallel_are_refused():
    links = tuple(ff.Link(name, 1.0, (0.1, 0.0, 0.0), (0.1, 0.1, 0.1)) for name in "ab")
    joints = (
        ff.Joint("one", "revolute", "world", "a"),
        ff.Joint("two", "revolute", "a", "b", (1.0, 0.0, 0.5), axis=(0.0, 1.0, 1e-9)),
    )
    with pytest.raises(ff.FootfallError, match="axes 'one' and 'two' are parallel but for 1e-09 rad.*Make them parallel"):
        ff.dh_table(ff.Robot("bent", "spatial", links, joints), "b")


def test_turns_at_a_right_angle_of_pitch_are_exact():
    """roll_pitch_yaw is `turn`, also where roll and yaw turn about the same axis."""
    rng = np.random.default_rng(2)
    for pitch in (PI / 2, -PI / 2, PI / 2 - 1e-9, 0.3, 0.0):
        for roll, yaw in rng.uniform(-3, 3, (20, 2)):
            R = (ff.transforms.rotation_z(yaw) @ ff.transforms.rotation_y(pitch) @ ff.transforms.rotation_x(roll))[:3, :3]
            again = ff.transforms.of_part((0.0, 0.0, 0.0), ff.transforms.roll_pitch_yaw(R))
            assert np.abs(again[:3, :3] - R).max() < 1e-14
            a, b, c = ff.transforms.yaw_roll_pitch(R)
            by_hand = ff.transforms.rotation_z(a) @ ff.transforms.rotation_x(b) @ ff.transforms.rotation_y(c)
            assert np.abs(by_hand[:3, :3] - R).max() < 1e-14
