"""Inverse kinematics: against the closed form of two links, and goals that random postures prove to be within reach."""

import numpy as np
import pytest

import footfall as ff
from footfall.kinematics import Task, inverse, pose

LEGGED = [name for name in ff.robots.names() if ff.robots.load(name).feet]
L1, L2 = 0.45, 0.4


def two_links(space="planar", limits=(-np.inf, np.inf)):
    """A leg on the wall: both hinges about +y, hanging down at zero; the knee bends backward when positive."""
    dim = 2 if space == "planar" else 3
    down = (0.0, -L1) if dim == 2 else (0.0, 0.0, -L1)
    tip = (0.0, -L2) if dim == 2 else (0.0, 0.0, -L2)
    inertia = 0.01 if dim == 2 else (0.01, 0.01, 0.01)
    links = (ff.Link("thigh", 1.0, (0.0,) * dim, inertia), ff.Link("shank", 1.0, (0.0,) * dim, inertia))
    joints = (
        ff.Joint("hip", "revolute", "world", "thigh"),
        ff.Joint("knee", "revolute", "thigh", "shank", at=down, limits=limits),
    )
    return ff.Robot("leg", space, links, joints, frames=(ff.Frame("tip", "shank", at=tip),))


def point(x, z, space="planar"):
    return (x, z) if space == "planar" else (x, 0.0, z)


def closed_form(x, z, bend=1.0):
    """Hip and knee for a tip at (x, z): the law of cosines. Rotation about +y takes -z to -x, so that x = -L sin(angle)."""
    r = np.hypot(x, z)
    knee = bend * np.arccos(np.clip((r * r - L1 * L1 - L2 * L2) / (2 * L1 * L2), -1.0, 1.0))
    return np.array([np.arctan2(-x, -z) - np.arctan2(L2 * np.sin(knee), L1 + L2 * np.cos(knee)), knee])


def apart(a, b):
    return np.abs((np.asarray(a) - b + np.pi) % (2 * np.pi) - np.pi).max()


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("seed", range(10))
def test_two_links_in_closed_form(space, seed):
    rng = np.random.default_rng(seed)
    r, way = rng.uniform(L1 - L2 + 0.01, L1 + L2 - 0.01), rng.uniform(-np.pi, np.pi)
    x, z = r * np.sin(way), r * np.cos(way)
    for bend in (1.0, -1.0):
        found = inverse(two_links(space), closed_form(x, z, bend) + rng.normal(0.0, 0.1, 2), Task("tip", point(x, z, space)))
        assert found.reached
        assert apart(found.q, closed_form(x, z, bend)) < 1e-9
        assert found.distance[0] < 1e-12


@pytest.mark.parametrize("space", ["planar", "spatial"])
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("start", [(0.0, 0.0), (0.3, 0.4), (-2.0, 1.0)], ids=str)
def test_beyond_two_links(space, seed, start):
    """Too far: the leg points at the goal and lacks r - L1 - L2. Too near: it folds and lacks L1 - L2 - r.

    To the tolerance of the search; both are singular, where it converges slowly.
    """
    rng = np.random.default_rng(seed)
    way = rng.uniform(-np.pi, np.pi)
    for r, lacks in ((L1 + L2 + 0.3, 0.3), (L1 + L2 + 1e-6, 1e-6), (0.01, L1 - L2 - 0.01)):
        found = inverse(two_links(space), start, Task("tip", point(r * np.sin(way), r * np.cos(way), space)))
        assert not found.reached
        assert found.distance[0] == pytest.approx(lacks, abs=1e-9)
        assert found.limits == ("the reach of the robot",)
        assert f"{round(lacks, 6):g} m" in str(found)


def test_straight_up_to_its_end():
    """A goal at the very end of the leg is a double root: the distance still closes, the knee to the square root of it."""
    found = inverse(two_links(), (0.5, 1.0), Task("tip", (0.0, -(L1 + L2))), tolerance=1e-9)
    assert found.reached
    assert apart(found.q, (0.0, 0.0)) < 1e-3


@pytest.mark.parametrize("seed", range(10))
def test_a_limit_stops_the_knee(seed):
    """With a knee that bends by 0.5 at most, a near goal is missed by how long the leg then still is."""
    rng, most = np.random.default_rng(seed), 0.5
    shortest = np.sqrt(L1**2 + L2**2 + 2 * L1 * L2 * np.cos(most))
    way, r = rng.uniform(-1.0, 1.0), rng.uniform(0.1, shortest - 0.05)
    found = inverse(two_links(limits=(0.0, most)), (0.0, 0.2), Task("tip", (-r * np.sin(way), -r * np.cos(way))))
    assert found.q[1] == most
    assert found.distance[0] == pytest.approx(shortest - r, abs=1e-12)
    assert found.limits == ("upper limit of knee (0.5)",)


def goals(robot, q):
    """The pose of every link of a foot, and of the body."""
    names = {pad.link for foot in robot.feet for pad in foot.pads} | {robot.layout.joints[0].child}
    places = {name: pose(robot, q, name) for name in sorted(names)}
    return [Task(name, at.position, at.rotation) for name, at in places.items()]


def within_limits(robot, q):
    return np.array_equal(ff.kinematics.within_stops(robot, q), q)


@pytest.mark.parametrize("name", LEGGED)
def test_goals_within_reach(name):
    """From the neutral posture to feet and body of a random one; every robot with legs, 10 goals."""
    robot = ff.robots.load(name)
    for seed in range(10):
        tasks = goals(robot, ff.kinematics.random_configuration(robot, seed, 0.7))
        found = inverse(robot, robot.neutral(), tasks)
        assert found.reached, f"{seed}: {found}"
        assert within_limits(robot, found.q)
        for task, row in zip(tasks, found.residual, strict=True):
            at = pose(robot, found.q, task.target)
            assert np.abs(at.position - task.position).max() < 1e-9
            assert np.abs(at.rotation - task.rotation).max() < 1e-9
            assert np.abs(row).max() < 1e-9


def crouched(robot, bend, lean):
    """Both legs bent by the same angles, feet level."""
    pitch = "_pitch" if robot.space == "spatial" else ""
    angles = {f"hip{pitch}": -bend / 2 - lean, "knee": bend, f"ankle{pitch}": -bend / 2}
    q = robot.configuration({f"{joint}_{side}": angle for joint, angle in angles.items() for side in ("left", "right")})
    return ff.kinematics.within_stops(robot, q)


@pytest.mark.parametrize("name", ["wendlandt", "wendlandt-3d", "johnnie"])
@pytest.mark.parametrize("seed", range(3))
def test_feet_held(name, seed):
    """The body goes where another crouch has it over the same feet; the feet do not move."""
    robot, rng = ff.robots.load(name), np.random.default_rng(seed)
    body = robot.layout.joints[0].child
    feet = [foot.pads[0].link for foot in robot.feet]
    start, end = (crouched(robot, bend, lean) for bend, lean in ((0.4, 0.0), (rng.uniform(0.2, 1.0), rng.uniform(-0.1, 0.1))))
    for q in (start, end):
        q[: robot.dim] -= pose(robot, q, feet[0]).position
    assert np.abs(pose(robot, start, feet[1]).position - pose(robot, end, feet[1]).position).max() < 1e-12
    turn = pose(robot, start, feet[0]).rotation @ pose(robot, end, feet[0]).rotation.T  # the foot of `end` leans
    goal = pose(robot, end, body)
    place = pose(robot, start, feet[0]).position + turn @ (goal.position - pose(robot, end, feet[0]).position)
    found = inverse(robot, start, Task(body, place, turn @ goal.rotation), hold="feet")
    assert found.reached, str(found)
    assert within_limits(robot, found.q)
    for foot in feet:
        was, now = pose(robot, start, foot), pose(robot, found.q, foot)
        assert np.abs(was.position - now.position).max() < 1e-12
        assert np.abs(was.rotation - now.rotation).max() < 1e-12


@pytest.mark.parametrize("height", [0.2, 0.5])
def test_body_too_high_over_held_feet(height):
    """Wendlandt's biped on straight legs: the torso above that lacks exactly what it is above."""
    robot = ff.robots.load("wendlandt")
    q = robot.neutral()
    top = pose(robot, q, "torso").position
    found = inverse(robot, crouched_in_place(robot, q), Task("torso", top + np.array((0.0, height)), 0.0), hold="feet")
    assert not found.reached
    assert found.distance[0] == pytest.approx(height, abs=1e-9)
    assert np.abs(pose(robot, found.q, "foot_left").position - pose(robot, q, "foot_left").position).max() < 1e-12


def crouched_in_place(robot, q):
    """The feet where q has them, legs bent."""
    bent = crouched(robot, 0.5, 0.0)
    bent[: robot.dim] += pose(robot, q, "foot_left").position - pose(robot, bent, "foot_left").position
    return bent


def test_free_directions_and_points():
    """A height alone moves nothing sideways that need not move; a point of a link; an orientation alone."""
    robot = ff.robots.load("wendlandt-3d")
    q = crouched(robot, 0.5, 0.0)
    torso = pose(robot, q, "torso").position
    lower = inverse(robot, q, Task("torso", (None, None, torso[2] - 0.05)), hold="feet")
    assert lower.reached
    assert pose(robot, lower.q, "torso").position[2] == pytest.approx(torso[2] - 0.05, abs=1e-10)
    assert (lower.residual[0][[0, 1, 3, 4, 5]] == 0.0).all()
    turned = inverse(robot, q, Task("torso", rotation=(0.0, 0.1, 0.2)), hold="feet")
    assert turned.reached
    R = pose(robot, turned.q, "torso").rotation
    assert np.arctan2(R[1, 0], R[0, 0]) == pytest.approx(0.2, abs=1e-9)
    assert -np.arcsin(R[2, 0]) == pytest.approx(0.1, abs=1e-9)
    at = (0.1, 0.0, 0.2)
    goal = pose(robot, q, "torso", at).position + np.array((0.01, 0.02, -0.03))
    found = inverse(robot, q, Task("torso", goal, at=at), hold=("foot_left", "foot_right"))
    assert np.abs(pose(robot, found.q, "torso", at).position - goal).max() < 1e-9


def test_a_point_foot_may_turn():
    """The compass stands on points: the hip goes round the held one, at the length of the leg."""
    robot = ff.robots.load("simplest-walker")
    q = robot.neutral()
    foot = robot.feet[0]
    where = pose(robot, q, foot.pads[0].link, foot.pads[0].at).position
    hip = pose(robot, q, robot.layout.joints[0].child).position
    leg = np.linalg.norm(hip - where)
    goal = where + leg * np.array((np.sin(0.3), np.cos(0.3)))
    found = inverse(robot, q, Task(robot.layout.joints[0].child, goal), hold=foot.name)
    assert found.reached
    assert np.abs(pose(robot, found.q, foot.pads[0].link, foot.pads[0].at).position - where).max() < 1e-12
    far = inverse(robot, q, Task(robot.layout.joints[0].child, where + 1.5 * (goal - where)), hold=foot.name)
    assert far.distance[0] == pytest.approx(0.5 * leg, abs=1e-9)


def test_two_goals_that_cannot_both_be_are_shared_by_weight():
    """One point, two places 2 m apart: least squares puts it at the weighted mean, by the squares of the weights."""
    robot = ff.Robot(
        "cart",
        "planar",
        (ff.Link("cart", 1.0, (0.0, 0.0), 0.1),),
        (ff.Joint("rail", "prismatic", "world", "cart", axis=(1.0, 0.0)),),
    )
    found = inverse(robot, (0.3,), [Task("cart", (0.0, 0.0), weight=1.0), Task("cart", (2.0, 0.0), weight=2.0)])
    assert found.q[0] == pytest.approx(8.0 / 5.0, abs=1e-9)
    assert found.distance == pytest.approx((1.6, 0.4), abs=1e-9)


def test_same_question_same_bits():
    robot = ff.robots.load("person")
    tasks = goals(robot, ff.kinematics.random_configuration(robot, 5, 0.7))
    one, again = (inverse(robot, robot.neutral(), tasks) for _ in range(2))
    assert np.array_equal(one.q, again.q)
    assert one.iterations == again.iterations


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda r, q: inverse(r, q, ()), "at least one task"),
        (lambda r, q: inverse(r, q, None), "tasks .* must be a Task, or several, got None"),
        (lambda r, q: inverse("wendlandt", q, Task("torso", (0, 1))), "must be a Robot, .* got 'wendlandt'"),
        (lambda r, q: inverse(r, q, Task("world", (0, 1))), "the world does not move"),
        (lambda r, q: inverse(r, q, Task("torso", (0, 1e308))), "position of the task .* within 1e\\+09 m, got 1e\\+308"),
        (lambda r, q: inverse(r, q + 1e10, Task("torso", (0, 1))), "q of robot 'wendlandt' must be within"),
        (lambda r, q: inverse(r, q, Task("torso", (10**400, 1))), "position of the task .* must be 2 numbers"),
        (lambda r, q: inverse(r, q, Task("torso", (0, 1), weight="much")), "weight of the task .* above 0"),
        (lambda r, q: inverse(r, q, Task("torso", (0, 1)), hold=3), "hold of inverse kinematics must be"),
        (lambda r, q: inverse(r, q, Task("torso", (0, 1)), hold=[[1]]), "names of links, frames and feet, got"),
        (lambda r, q: inverse(r, q, "torso"), "must be a Task, got 't'"),
        (lambda r, q: inverse(r, q, Task("torso")), "asks for nothing"),
        (lambda r, q: inverse(r, q, Task("torsa", (0, 1))), "Did you mean 'torso"),
        (lambda r, q: inverse(r, q, Task("torso", (0, 1, 2))), "position of the task for 'torso' .* must have 2 entries"),
        (lambda r, q: inverse(r, q, Task("torso", (0, np.nan))), "position .* finite"),
        (lambda r, q: inverse(r, q, Task("torso", ("a", 1))), "position .* must be 2 numbers"),
        (lambda r, q: inverse(r, q, Task("torso", (0, 1), at=(1,))), "at of the task"),
        (lambda r, q: inverse(r, q, Task("torso", rotation=(0, 0, 0))), "rotation of the task .* or an angle"),
        (lambda r, q: inverse(r, q, Task("torso", rotation=np.array([[0, 1], [1, 0]]))), "must be a rotation matrix"),
        (lambda r, q: inverse(r, q, Task("torso", rotation="up")), "must be a rotation matrix"),
        (lambda r, q: inverse(r, q, Task("torso", (0, 1), weight=0.0)), "weight of the task .* above 0"),
        (lambda r, q: inverse(r, q, Task("torso", (0, 1), lever=np.inf)), "lever of the task .* above 0"),
        (lambda r, q: inverse(r, q, Task("torso", (0, 1)), hold="foot_middle"), "no link, frame or foot"),
        (lambda r, q: inverse(r, q, Task("torso", (0, 1)), tries=0), "tries .* from 1 on"),
        (lambda r, q: inverse(r, q, Task("torso", (0, 1)), tolerance=0.0), "tolerance .* above 0"),
        (lambda r, q: inverse(r, q[:-1], Task("torso", (0, 1))), "must have 9 entries"),
        (lambda r, q: inverse(ff.robots.load("pendulum"), (0.0,), Task("bob", (0, 1)), hold="feet"), "no feet to hold"),
    ],
)
def test_refused(ask, said):
    robot = ff.robots.load("wendlandt")
    with pytest.raises(ff.FootfallError, match=said):
        ask(robot, robot.neutral())


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda r, q: pose("wendlandt", q, "torso"), "must be a Robot, .* got 'wendlandt'"),
        (lambda r, q: pose(r, [10**400] * 9, "torso"), "q of robot 'wendlandt' must be 9 numbers"),
        (lambda r, q: pose(r, q, "torso", at=(10**400, 0)), "at must be 2 numbers"),
        (lambda r, q: ff.kinematics.velocity(r, q, [10**400] * 9, "torso"), "v of robot 'wendlandt' must be 9 numbers"),
        (lambda r, q: ff.kinematics.random_configuration(None, 0), "must be a Robot"),
        (lambda r, q: ff.kinematics.random_configuration(r, -1), "seed must be a whole number from 0 on"),
        (lambda r, q: ff.kinematics.random_configuration(r, 1.5), "seed must be a whole number from 0 on"),
        (lambda r, q: ff.kinematics.random_configuration(r, 0, -1.0), "spread must be a number from 0 to"),
        (lambda r, q: ff.kinematics.random_configuration(r, 0, "wide"), "spread must be a number from 0 to"),
        (lambda r, q: ff.kinematics.pose_difference(pose(r, q, "torso"), ff.kinematics.Pose(np.zeros(3), np.eye(3))), "in space"),
    ],
)
def test_odd_questions_about_poses(ask, said):
    robot = ff.robots.load("wendlandt")
    with pytest.raises(ff.FootfallError, match=said):
        ask(robot, robot.neutral())
