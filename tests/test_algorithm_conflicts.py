"""Equations of any scale, nearly dependent ones, contradictions, priorities and limits, against dense algebra of their own."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear, nnls

import footfall as ff
from footfall import kinematics
from footfall.control.algorithm import Algorithm, ConflictError

PERSON, RABBIT, JOHNNIE, RANGER = (ff.robots.load(name) for name in ("person", "rabbit", "johnnie", "ranger"))
SCALES = [1e-9, 1e-6, 1e6, 1e9]
BOTH = pytest.mark.parametrize("robot", [PERSON, RABBIT], ids=lambda robot: robot.name)
MANY = pytest.mark.parametrize("robot", [PERSON, RABBIT, JOHNNIE, RANGER], ids=lambda robot: robot.name)


def joints_of(robot):
    return [joint.name for joint in robot.layout.joints if joint.kind == "revolute"]


def standing(robot, seed=1):
    """On one foot, in some state, with a cost."""
    rng = np.random.default_rng(seed)
    q = kinematics.integrate(robot, robot.neutral(), 0.3 * rng.normal(size=robot.nv))
    algo, v = Algorithm(robot), np.zeros(robot.nv)
    algo.out.q[:] = q
    foot = robot.feet[0].pads[0].link
    algo.hold("FOOT", algo.body(foot))
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))
    return algo, q, v, foot


def joint_row(robot, name):
    return np.eye(robot.nv)[robot.velocities.index(name)]


def dense(robot, q, foot):
    """Rows of what is held, and of the cost, which is their squares: at rest there are no velocity products."""
    held = kinematics.jacobian(robot, q, foot, robot.link(foot).com)
    cost = np.concatenate([kinematics.jacobian(robot, q, link.name, link.com) for link in robot.links if link.mass > 0.0])
    return held, cost


# --- scale ----------------------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("scale", SCALES)
def test_the_scale_of_an_equation_changes_its_residual_only(robot, scale):
    algo, q, v, _ = standing(robot)
    one, two = (algo.joint(name).acceleration for name in joints_of(robot)[:2])
    algo.equate("ONE", one + 2.0 * two == 3.0)
    plain = algo.solve(q, v)
    algo.equate("ONE", scale * (one + 2.0 * two) == scale * 3.0)
    scaled = algo.solve(q, v)
    assert scaled.acceleration == pytest.approx(plain.acceleration, rel=1e-9, abs=1e-9)
    assert scaled.residual["ONE"] < 1e-11 * scale
    algo.equate("TWO", one + 2.0 * two == 5.0)
    with pytest.raises(ConflictError) as caught:
        algo.solve(q, v)
    assert caught.value.conflict == pytest.approx({"ONE": 2.0 * scale, "TWO": 2.0}, rel=1e-6)
    algo.equate("TWO", scale * (one + 2.0 * two) == scale * 5.0, priority=1)
    assert algo.solve(q, v).residual["TWO"] == pytest.approx(2.0 * scale)


@BOTH
@pytest.mark.parametrize("scale", SCALES)
def test_the_scale_of_a_limit_changes_nothing(robot, scale):
    algo, q, v, _ = standing(robot)
    joint = algo.joint(joints_of(robot)[-1]).acceleration
    d = robot.velocities.index(joints_of(robot)[-1])
    algo.limit("LOW", scale * joint >= scale * 50.0)
    assert algo.solve(q, v).acceleration[d] == pytest.approx(50.0, abs=1e-6)
    algo.limit("HIGH", joint <= 20.0)
    with pytest.raises(ConflictError, match="LOW and HIGH cannot be kept") as caught:
        algo.solve(q, v)
    assert caught.value.conflict == pytest.approx({"LOW": 30.0 * scale, "HIGH": 30.0}, rel=1e-6)


@BOTH
@pytest.mark.parametrize("scale", [1.0, *SCALES])
def test_a_row_without_unknown_is_named_alone(robot, scale):
    algo, q, v, _ = standing(robot)
    algo.equate("SAME", sum(b.mass * b.acceleration for b in algo.bodies) / algo.com.mass == algo.com.acceleration)
    algo.solve(q, v)  # nothing is left of it, but it is true
    joint = algo.joint(joints_of(robot)[0]).acceleration
    algo.equate("NOTHING", scale * (joint - joint) == scale * 1e-3)
    with pytest.raises(ConflictError) as caught:
        algo.solve(q, v)
    assert caught.value.conflict == pytest.approx({"NOTHING": 1e-3 * scale}, rel=1e-6)
    algo.equate("NOTHING", scale * (joint - joint) == 0.0)
    algo.solve(q, v)


# --- nearly dependent -----------------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("angle", [10.0**-k for k in range(3, 11)])
@pytest.mark.parametrize("scale", [1.0, 1e-9])
def test_nearly_dependent_equations(robot, angle, scale):
    """Two equations at a small angle: a motion that meets both is found; where none of ordinary size does, the two are named."""
    algo, q, v, _ = standing(robot)
    one, two, three = (algo.joint(name).acceleration for name in joints_of(robot)[:3])
    algo.equate("OTHER", three + 0.3 * two == 0.7)
    algo.equate("ONE", one == 2.0)
    algo.equate("NEAR", scale * (one + angle * two) == scale * (2.0 + angle * 5.0))  # two is 5
    found = algo.solve(q, v)
    assert found.residual["ONE"] < 1e-9
    assert found.residual["NEAR"] < 6e-9 * scale
    if angle > 3e-9:
        at = robot.velocities.index(joints_of(robot)[1])
        assert found.acceleration[at] == pytest.approx(5.0, abs=1e-14 / angle + 1e-8)
    algo.equate("NEAR", scale * (one + angle * two) == scale * 5.0)
    if angle > 2e-6:
        assert algo.solve(q, v).residual["NEAR"] < 1e-8 * scale
    else:
        with pytest.raises(ConflictError) as caught:
            algo.solve(q, v)
        assert caught.value.conflict == pytest.approx({"ONE": 3.0, "NEAR": 3.0 * scale}, rel=1e-3)


@MANY
def test_a_contradiction_of_three_among_others(robot):
    algo, q, v, _ = standing(robot)
    one, two, three = (algo.joint(name).acceleration for name in joints_of(robot)[:3])
    algo.equate("OTHER", three == 1.0)
    algo.equate("A", one == 1.0)
    algo.equate("B", 1e-7 * two == 2e-7)
    algo.equate("SUM", 1e5 * (one + two) == 3.5e5)
    with pytest.raises(ConflictError) as caught:
        algo.solve(q, v)
    assert caught.value.conflict == pytest.approx({"A": 0.5, "B": 0.5e-7, "SUM": 0.5e5}, rel=1e-6)
    for name in ("A", "B", "SUM"):
        equation = algo.equations.pop(name)
        algo.remove("OTHER")
        algo.solve(q, v)
        algo.equations[name] = equation
        algo.equate("OTHER", three == 1.0)


# --- priorities -----------------------------------------------------------------------------------------------------------


def lexicographic(levels):
    """Least squares, one priority after the other, each in the directions that those before leave."""
    n = levels[0][0].shape[1]
    x, Z = np.zeros(n), np.eye(n)
    for A, b in levels:
        U, s, Vt = np.linalg.svd(A @ Z)
        rank = np.sum(s > 1e-9)
        x = x + Z @ (Vt[:rank].T @ ((U[:, :rank].T @ (b - A @ x)) / s[:rank]))
        Z = Z @ Vt[rank:].T
    return x


@MANY
@pytest.mark.parametrize("seed", range(5))
def test_priorities_as_dense_least_squares_have_them(robot, seed):
    """More equations than there are joints, at three priorities: each has what those before it leave."""
    rng = np.random.default_rng(seed)
    algo, q, v, foot = standing(robot, seed)
    held, cost = dense(robot, q, foot)
    names = joints_of(robot)
    first = max(1, len(names) - 2)
    levels = [(held, np.zeros(len(held)))]
    for priority, count in enumerate((first, 3, 4)):
        M, b = rng.normal(size=(count, len(names))), rng.normal(size=count)
        for i in range(count):
            scale = 10.0 ** rng.uniform(-9, 9)
            row = sum(scale * M[i, j] * algo.joint(name).acceleration for j, name in enumerate(names))
            algo.equate(f"{priority}.{i}", row == scale * b[i], priority=priority)
        rows = M @ np.array([joint_row(robot, name) for name in names])
        if priority == 0:
            levels[0] = np.vstack((held, rows)), np.concatenate((levels[0][1], b))
        else:
            levels.append((rows, b))
    levels = [(A / np.linalg.norm(A, axis=1)[:, None], b / np.linalg.norm(A, axis=1)) for A, b in levels]
    wanted = lexicographic([*levels, (cost, np.zeros(len(cost)))])
    found = algo.solve(q, v).acceleration
    assert found == pytest.approx(wanted, abs=1e-6 * (1.0 + np.abs(wanted).max()))


# --- limits ---------------------------------------------------------------------------------------------------------------


@MANY
@pytest.mark.parametrize("seed", range(5))
def test_limits_leave_the_least_cost(robot, seed):
    """Conditions of Karush, Kuhn and Tucker: the gradient is a sum of limits at their bounds, none of which pulls the wrong way."""
    rng = np.random.default_rng(seed)
    algo, q, v, foot = standing(robot, seed)
    held, cost = dense(robot, q, foot)
    names = joints_of(robot)
    rows, inside = [], 10.0 * rng.normal(size=len(names))
    for i in range(3 * len(names)):
        m = rng.normal(size=len(names))
        bound = m @ inside - rng.exponential()
        scale = 10.0 ** rng.uniform(-9, 9)
        total = sum(scale * m[j] * algo.joint(name).acceleration for j, name in enumerate(names))
        algo.limit(f"L{i}", total >= scale * bound)
        rows.append((m @ np.array([joint_row(robot, name) for name in names]), bound))
    a = algo.solve(q, v).acceleration
    A, bound = np.array([row for row, _ in rows]), np.array([bound for _, bound in rows])
    slack = A @ a - bound
    assert slack.min() > -1e-7
    at = slack < 1e-6
    assert at.any()
    free = np.linalg.svd(held)[2][np.linalg.matrix_rank(held) :]
    gradient = free @ (cost.T @ (cost @ a))
    _, missed = nnls(free @ A[at].T, gradient)
    assert missed < 1e-6 * np.linalg.norm(gradient)
    algo.tick()  # from the limits at their bounds now
    assert algo.out.a == pytest.approx(a, abs=1e-8 * np.abs(a).max())


@BOTH
def test_limits_that_cannot_be_kept_are_named_with_sizes(robot):
    algo, q, v, _ = standing(robot)
    one, two, three = (algo.joint(name).acceleration for name in joints_of(robot)[:3])
    algo.limit("THIRD", three >= -1e4)
    algo.limit("LEFT", one >= 1.0)
    algo.limit("RIGHT", two >= 1.0)
    algo.limit("SUM", one + two <= 1.5)
    with pytest.raises(ConflictError, match="LEFT and RIGHT and SUM cannot be kept") as caught:
        algo.solve(q, v)
    assert caught.value.conflict == pytest.approx({"LEFT": 0.5, "RIGHT": 0.5, "SUM": 0.5}, rel=1e-6)
    algo.remove("RIGHT")
    algo.solve(q, v)
    algo.equate("OTHER", three == 4.0)
    algo.equate("TWO", two == 1.0)
    with pytest.raises(ConflictError, match="LEFT and SUM cannot be kept") as caught:
        algo.solve(q, v)
    assert caught.value.conflict == pytest.approx({"TWO": 0.5, "LEFT": 0.5, "SUM": 0.5}, rel=1e-6)


def test_a_solution_does_not_depend_on_those_before():
    algo, q, v, _ = standing(PERSON)
    names = joints_of(PERSON)
    for i, name in enumerate(names):
        algo.limit(f"L{i}", algo.joint(name).acceleration >= 5.0 * i)
    first = algo.solve(q, v).acceleration
    other = kinematics.integrate(PERSON, q, 5e-4 * np.ones(PERSON.nv))
    algo.solve(other, v + 0.3)
    assert np.array_equal(algo.solve(q, v).acceleration, first)


@MANY
@pytest.mark.parametrize("seed", range(3))
def test_equations_of_low_priority_yield_to_limits(robot, seed):
    """As least squares within bounds have it: SciPy's, for joints of which each has a bound."""
    rng = np.random.default_rng(seed)
    algo, q, v, _ = standing(robot, seed)
    names = joints_of(robot)
    M, b = rng.normal(size=(len(names), len(names))), 5.0 * rng.normal(size=len(names))
    first = algo.joint(names[0]).acceleration
    algo.equate("FIRST", first == 0.5)
    for i in range(len(names)):
        row = sum(M[i, j] * algo.joint(name).acceleration for j, name in enumerate(names))
        algo.equate(f"S{i}", row == b[i], priority=1)
    for name in names:
        algo.limit(f"+{name}", algo.joint(name).acceleration <= 1.0)
        algo.limit(f"-{name}", algo.joint(name).acceleration >= -1.0)
    found = algo.solve(q, v)
    size = np.linalg.norm(M, axis=1)
    A, c = M / size[:, None], b / size
    best = lsq_linear(A[:, 1:], c - 0.5 * A[:, 0], bounds=(-1.0, 1.0), method="bvls").x
    ours = found.acceleration[[robot.velocities.index(name) for name in names]]
    assert ours == pytest.approx([0.5, *best], abs=1e-6)
    assert found.residual["FIRST"] < 1e-9
    missed = np.abs(M @ ours - b)
    assert [found.residual[f"S{i}"] for i in range(len(names))] == pytest.approx(missed, abs=1e-6)
    algo.limit("NEVER", first >= 0.75)
    with pytest.raises(ConflictError, match="limit NEVER cannot be kept") as caught:
        algo.solve(q, v)
    assert caught.value.conflict == pytest.approx({"FIRST": 0.25, "NEVER": 0.25}, rel=1e-6)
    algo.remove("NEVER")
    assert np.array_equal(algo.solve(q, v).acceleration, found.acceleration)


@pytest.mark.parametrize("name", ["wendlandt", "wendlandt-3d"])
def test_feet_side_by_side_leave_room_for_what_yields(name):
    """Limits of two feet that stand nearly alike are nearly the same, and what yielded pins the motion to a point of theirs."""
    robot = ff.robots.load(name)
    pitch, rng = "" if robot.dim == 2 else "_pitch", np.random.default_rng(1)
    bend = {f"hip{pitch}": -0.35, "knee": 0.7, f"ankle{pitch}": -0.35}
    crouch = robot.configuration({f"{joint}_{side}": angle for joint, angle in bend.items() for side in ("left", "right")})
    algo, half = Algorithm(robot).at(crouch), (0.08, 0.03)
    for side in ("left", "right"):
        foot = algo.stand(side, algo.point(f"sole_{side}"), damping=20.0)
        algo.press(f"{side} presses", foot, friction=0.6, sole=half[: robot.dim - 1])
        algo.equate(f"{side} at ease", foot.moment == 0.0, weight=1e-3)
        algo.equate(f"{side} shares the load", foot.force == 0.0, weight=1e-5)
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))
    hand, com, base = algo.point("torso", at=(0.1, 0.0, 0.4)[:: 2 if robot.dim == 2 else 1]), algo.com, 3 * robot.dim - 3
    for _ in range(40):
        off = np.r_[np.zeros(base), 10.0 ** rng.uniform(-8, -2) * rng.normal(size=robot.nv - base)]
        algo.equate("hand", hand.acceleration == 0.1 * rng.normal(size=robot.dim))
        algo.equate("forward", com.acceleration.x == 2.0 * rng.normal(), priority=1)
        algo.equate("across", com.acceleration[1] == 2.0 * rng.normal(), priority=2)
        found = algo.solve(kinematics.integrate(robot, crouch, off), off)  # no conflict: at rest all limits have room
        assert found.residual["hand"] < 1e-9
        assert found.residual["left at ease"] <= half[0] * (found.residual["left shares the load"] + 0.1)
