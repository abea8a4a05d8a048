"""The language of named equations: against dense algebra with Jacobians of their own, conflicts, priorities, limits, forces."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall import dynamics, kinematics
from footfall.control.algorithm import Algorithm, ConflictError
from footfall.control.fields import ControlError
from footfall.errors import FootfallError, UnknownNameError
from footfall.motion import generators

PERSON = ff.robots.load("person")
RABBIT = ff.robots.load("rabbit")


def some_state(robot, seed, spread=0.3):
    rng = np.random.default_rng(seed)
    return kinematics.integrate(robot, robot.neutral(), spread * rng.normal(size=robot.nv)), rng.normal(size=robot.nv)


def swinging(seed=1, robot=PERSON):
    """The swing phase of the paper, in some state."""
    algo, (q, v) = Algorithm(robot), some_state(robot, seed)
    algo.out.q[:], algo.out.v[:] = q, v
    algo.hold("L-FOOT", algo.point("heel_left"), algo.joint("toe_left"), orientation="present")
    algo.equate("R-HEEL-TRAJ", algo.point("heel_right").acceleration == (1.0, 2.0, 3.0))
    algo.equate("TORSO", algo.body("torso").angular_acceleration == 0.0)
    algo.minimise(sum(body.acceleration**2 + 2.0 * body.angular_acceleration**2 for body in algo.bodies))
    return algo, q, v


def rows_of(robot, q, v, name, rows, at=None):
    """Jacobian and velocity product of a point, by other code."""
    still = kinematics.acceleration(robot, q, v, np.zeros(robot.nv), name, at)
    return kinematics.jacobian(robot, q, name, at)[rows], still[rows]


def test_equations_and_cost_as_dense_algebra_has_them():
    algo, q, v = swinging()
    found = algo.solve(q, v)
    q, v = found.q, found.v
    lines = [
        ("heel_left", slice(0, 6), np.zeros(6)),
        ("heel_right", slice(0, 3), np.array((1.0, 2.0, 3.0))),
        ("torso", slice(3, 6), np.zeros(3)),
    ]
    parts = [(*rows_of(PERSON, q, v, name, rows), value) for name, rows, value in lines]
    toe = np.eye(PERSON.nv)[PERSON.velocities.index("toe_left")][None]
    E = np.concatenate([*(J for J, _, _ in parts), toe])
    e = np.concatenate([*(value - b for _, b, value in parts), [0.0]])
    assert np.abs(E @ found.acceleration - e).max() < 1e-9
    D, d = zip(*(rows_of(PERSON, q, v, link.name, slice(0, 6), link.com) for link in PERSON.links), strict=True)
    weight = np.sqrt(np.tile((1.0, 1.0, 1.0, 2.0, 2.0, 2.0), len(D)))
    Z = np.linalg.svd(E)[2][len(E) :].T
    x = np.linalg.lstsq(E, e, rcond=None)[0]
    D, d = weight[:, None] * np.concatenate(D), weight * np.concatenate(d)
    best = x + Z @ np.linalg.lstsq(D @ Z, -(d + D @ x), rcond=None)[0]
    assert np.abs(found.acceleration - best).max() < 1e-8 * np.abs(best).max()
    assert max(found.residual.values()) < 1e-9


def test_what_is_held_stops_by_a_plastic_impact():
    """By its impulse alone: momentum about the held foot, in the directions it cannot hold, is kept."""
    algo, q, v = swinging()
    found = algo.solve(q, v)
    held = np.concatenate(
        (kinematics.jacobian(PERSON, found.q, "heel_left"), [np.eye(PERSON.nv)[PERSON.velocities.index("toe_left")]])
    )
    assert np.abs(held @ found.v).max() < 1e-9
    change = dynamics.mass_matrix(PERSON, q) @ (found.v - v)
    free = np.linalg.svd(held)[2][len(held) :]
    assert np.abs(free @ change).max() < 1e-6 * np.abs(change).max()
    energy = [0.5 * u @ dynamics.mass_matrix(PERSON, q) @ u for u in (v, found.v)]
    assert energy[1] < energy[0]


def test_a_removed_equation_no_longer_acts():
    algo, q, v = swinging()
    before = algo.solve(q, v)
    algo.equate("KNEE", algo.joint("knee_right").acceleration == 7.0)
    assert algo.solve(q, v).acceleration[PERSON.velocities.index("knee_right")] == pytest.approx(7.0, abs=1e-9)
    algo.remove("KNEE")
    assert np.array_equal(algo.solve(q, v).acceleration, before.acceleration)
    with pytest.raises(UnknownNameError, match="KNEE.*R-HEEL-TRAJ"):
        algo.remove("KNEE")


@pytest.mark.parametrize("nearly", [0.0, 1e-12, 1e-9, 1e-7])
def test_contradictions_are_named(nearly):
    algo, q, v = swinging()
    heel = algo.point("heel_right")
    near = heel.acceleration.x + nearly * algo.joint("knee_right").acceleration
    algo.equate("MINE", near == 4.0)
    algo.equate("HIP", algo.joint("hip_right").acceleration[0] == 1.0)
    with pytest.raises(ConflictError, match="R-HEEL-TRAJ by .*MINE by 3") as caught:
        algo.solve(q, v)
    assert set(caught.value.conflict) == {"R-HEEL-TRAJ", "MINE"}
    assert caught.value.conflict["MINE"] == pytest.approx(3.0, rel=1e-3)


def test_a_contradiction_of_three():
    algo, q, v = swinging()
    left, right = algo.joint("knee_left").acceleration, algo.joint("knee_right").acceleration
    algo.equate("A", left == 1.0)
    algo.equate("B", right == 2.0)
    algo.equate("SUM", left + right == 3.0)
    algo.solve(q, v)  # twice the same is no contradiction
    algo.equate("SUM", left + right == 3.5)
    with pytest.raises(ConflictError) as caught:
        algo.solve(q, v)
    assert set(caught.value.conflict) == {"A", "B", "SUM"}
    algo.remove("A")
    algo.solve(q, v)


def test_what_nothing_can_change_is_named_alone():
    algo, q, v = swinging()
    algo.remove("TORSO")
    joint = algo.joint("knee_left")
    algo.equate("NOTHING", joint.acceleration - joint.acceleration == 1.0)
    with pytest.raises(ConflictError) as caught:
        algo.solve(q, v)
    assert set(caught.value.conflict) == {"NOTHING"}


def test_the_lower_priority_yields():
    algo, q, v = swinging()
    knee = algo.joint("knee_right").acceleration
    algo.equate("FIRST", knee == 10.0)
    algo.equate("SECOND", knee == 16.0, priority=1)
    algo.equate("SECOND TOO", knee == 12.0, priority=1)  # both yield to FIRST; nothing of them is left
    algo.equate("THIRD", algo.joint("knee_left").acceleration == 5.0, priority=2)
    found = algo.solve(q, v)
    assert found.residual["FIRST"] < 1e-9
    assert found.residual["THIRD"] < 1e-9
    assert found.residual["SECOND"] == pytest.approx(6.0)
    assert "priority 1" in str(algo)
    algo.remove("FIRST")
    with pytest.raises(ConflictError):  # now they contradict each other
        algo.solve(q, v)
    algo.equate("SECOND TOO", knee + 0.0 == 16.0, priority=1)
    assert algo.solve(q, v).residual["SECOND"] < 1e-9


def test_limits():
    algo, q, v = swinging()
    knee, d = algo.joint("knee_right"), PERSON.velocities.index("knee_right")
    free = algo.solve(q, v).acceleration
    algo.limit("KNEE-STOP", knee.acceleration >= free[d] + 50.0)
    assert algo.solve(q, v).acceleration[d] == pytest.approx(free[d] + 50.0, abs=1e-6)
    algo.limit("KNEE-STOP", knee.acceleration >= free[d] - 50.0)
    assert np.abs(algo.solve(q, v).acceleration - free).max() < 1e-9  # it does not act
    algo.limit("KNEE-STOP", knee.acceleration <= free[d] - 50.0)
    assert algo.solve(q, v).acceleration[d] == pytest.approx(free[d] - 50.0, abs=1e-6)
    algo.equate("KNEE", knee.acceleration == free[d])
    with pytest.raises(ConflictError, match="KNEE-STOP cannot be kept"):
        algo.solve(q, v)


def test_forces_satisfy_newton():
    algo, q, v = swinging()
    foot = algo.hold("L-FOOT", algo.point("heel_left"), algo.joint("toe_left"), orientation="present")
    algo.equate("ANKLE", algo.joint("ankle_left").torque[1] == 20.0)
    algo.equate("LOAD", foot.force.z == 500.0)
    found = algo.solve(q, v)
    at = PERSON.velocities.index("ankle_left.wy")
    assert found.torque[at] == pytest.approx(20.0, abs=1e-7)
    J = kinematics.jacobian(PERSON, found.q, "heel_left")
    whole = dynamics.inverse(PERSON, found.q, found.v, found.acceleration)
    wrench = np.linalg.solve(J[:, :6].T, whole[:6])
    assert wrench[2] == pytest.approx(500.0, abs=1e-6)
    assert np.abs(whole - J.T @ wrench - found.torque).max() < 1e-8


def test_the_force_in_a_hinge():
    """That of a knee is what shank, foot and toes need: mass times acceleration less gravity, summed over them."""
    algo, q, v = swinging()
    algo.equate("PULL", algo.joint("knee_right").force == (5.0, -3.0, 60.0))
    found = algo.solve(q, v)
    needed = np.zeros(3)
    for link in PERSON.links:
        if link.name in ("shank_right", "foot_right", "toes_right"):
            a = kinematics.acceleration(PERSON, found.q, found.v, found.acceleration, link.name, link.com)[:3]
            needed += link.mass * (a + np.array((0.0, 0.0, PERSON.gravity)))
    assert needed == pytest.approx((5.0, -3.0, 60.0), abs=1e-8)


def test_in_the_air_the_centre_of_mass_falls():
    """Nothing is held: only Newton's law is left for the centre of mass, whatever the cost wants."""
    for robot in (PERSON, RABBIT):
        algo, (q, v) = Algorithm(robot), some_state(robot, 3)
        algo.minimise(sum(body.acceleration**2 for body in algo.bodies))
        a = algo.solve(q, v).acceleration
        rate = sum(link.mass * kinematics.acceleration(robot, q, v, a, link.name, link.com)[: robot.dim] for link in robot.links)
        assert rate[-1] == pytest.approx(-robot.mass * robot.gravity, rel=1e-9)
        assert np.abs(rate[:-1]).max() < 1e-7
        algo.equate("UP", algo.com.acceleration.z == 0.0)
        with pytest.raises(ConflictError) as caught:
            algo.solve(q, v)
        assert set(caught.value.conflict) == {"UP", "NEWTON"}


@pytest.mark.parametrize("robot", [PERSON, RABBIT])
def test_whole_body_quantities(robot):
    algo, (q, v) = Algorithm(robot), some_state(robot, 5)
    foot = "foot_left" if robot is PERSON else robot.links[-1].name
    algo.out.q[:], algo.out.v[:] = q, v
    algo.hold("FOOT", algo.body(foot))
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))
    com = sum(body.mass * body.acceleration for body in algo.bodies) / robot.mass  # the paper's figure 1
    algo.equate("A_CM", com == 0.5)
    one = algo.solve(q, v)
    algo.remove("A_CM")
    algo.equate("COM", algo.com.acceleration == 0.5)
    other = algo.solve(q, v)
    assert np.abs(one.acceleration - other.acceleration).max() < 1e-7
    algo.equate("SPIN", algo.com.angular_momentum_rate == 0.0)
    algo.equate("COM", algo.dcm(3.0).velocity == 0.1)
    found = algo.solve(q, v)
    total = np.zeros(3 if robot.dim == 2 else 6)
    c = dynamics.center_of_mass(robot, found.q)
    speed = algo.value(algo.com.velocity)
    rate = (0.1 - speed) * 3.0
    for link in robot.links:
        a = kinematics.acceleration(robot, found.q, found.v, found.acceleration, link.name, link.com)
        total[: robot.dim] += link.mass * a[: robot.dim]
    assert total[: robot.dim] == pytest.approx(robot.mass * rate, abs=1e-6)
    free = dynamics.inverse(robot, found.q, found.v, found.acceleration, gravity=0.0)
    root = kinematics.pose(robot, found.q, robot.layout.joints[0].child)
    if robot is PERSON:
        moment = root.matrix[:3, :3] @ free[3:6] + np.cross(root.position - c, free[:3])
        assert np.abs(moment).max() < 1e-6


def test_values_that_are_known():
    algo, (q, v) = Algorithm(PERSON), some_state(PERSON, 7)
    algo.out.q[:], algo.out.v[:] = q, v
    heel, torso = algo.point("heel_left"), algo.body("torso")
    assert algo.value(heel.position) == pytest.approx(kinematics.pose(PERSON, q, "heel_left").position, abs=1e-12)
    assert algo.value(heel.velocity) == pytest.approx(kinematics.velocity(PERSON, q, v, "heel_left")[:3], abs=1e-12)
    R = kinematics.pose(PERSON, q, "torso").matrix[:3, :3]
    assert algo.orientation(torso) == pytest.approx(R, abs=1e-12)
    assert algo.value(torso.orientation_error(R)) == pytest.approx(np.zeros(3), abs=1e-12)
    assert algo.value(heel.position.x - heel.position.x + 2.0) == pytest.approx(2.0, abs=1e-12)
    with pytest.raises(ControlError, match="not known before"):
        algo.value(heel.acceleration)


# --- generators ---------------------------------------------------------------------------------------------------------------


def left_over(reaching, kind, seconds=0.8, h=1e-3):
    """The part of the way that is left after delta_time, from rest: the algorithm's accelerations, integrated."""
    robot = PERSON
    algo, (q, v) = Algorithm(robot), some_state(robot, 2, 0.1)
    v = np.zeros(robot.nv)
    q[[robot.coordinates.index(f"knee_{side}") for side in ("left", "right")]] = 0.6  # a straight leg cannot lift the torso
    algo.out.q[:], algo.out.v[:] = q, v
    algo.hold("FOOT", algo.body("foot_left"))
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))
    torso = algo.body("torso")
    if kind == "position":
        goal = algo.value(torso.position) + np.array((0.05, -0.03, 0.02))
        algo.equate("X", generators.position_with_pd(torso, goal, seconds, reaching))
        way = torso.position - goal
    elif kind == "angle":
        algo.equate("X", generators.set_angle_with_pd(algo.joint("knee_right"), 0.8, seconds, reaching))
        way = algo.joint("knee_right").angle - 0.8
    else:
        goal = algo.orientation(torso) @ ff.model.layout.rotation((0.3, -0.4, 0.2))
        algo.equate("X", generators.orient_with_pd(torso, goal, seconds, reaching))
        way = torso.orientation_error(goal)
    first = np.linalg.norm(algo.value(way))
    for _ in range(round(seconds / h)):
        found = algo.solve(q, v)
        q = kinematics.integrate(robot, found.q, h * found.v + 0.5 * h * h * found.acceleration)
        v = found.v + h * found.acceleration
    algo.out.q[:], algo.out.v[:] = q, v
    return float(np.linalg.norm(algo.value(way)) / first)


@pytest.mark.parametrize("kind", ["position", "angle", "orientation"])
def test_pd_generators(kind):
    printed = (1.0 + math.log(100.0)) / 100.0  # a double pole, from rest
    assert left_over(False, kind) == pytest.approx(printed, abs=5e-4)
    assert left_over(True, kind) == pytest.approx(0.01, abs=3e-4)


def test_curves_meet_their_ends():
    x, v, x_end, v_end, T = (0.1, -0.3), (1.0, 0.2), (0.5, 0.0), (0.02, -0.05), 0.4
    for through, flat in ((generators.quintic_through, (0.0, T)), (generators.quartic_through, (0.0,))):
        rows = through(x, v, x_end, v_end, T)
        curves = [np.polynomial.Polynomial(row) for row in rows]
        assert [c(0.0) for c in curves] == pytest.approx(x)
        assert [c.deriv()(0.0) for c in curves] == pytest.approx(v)
        assert [c(T) for c in curves] == pytest.approx(x_end)
        assert [c.deriv()(T) for c in curves] == pytest.approx(v_end)
        assert all(abs(c.deriv(2)(t)) < 1e-9 for c in curves for t in flat)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, "soon"])
def test_times_of_generators(bad):
    with pytest.raises(FootfallError, match="above 0 s"):
        generators.pole(bad)


# --- bad input ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda a: a.point("heel"), "heel_left"),
        (lambda a: a.joint("hip"), "hip_left"),
        (lambda a: a.body("heel_left"), "torso"),
        (lambda a: a.equate("X", a.joint("knee_left").acceleration), "takes an equation"),
        (lambda a: a.equate("X", a.joint("knee_left").acceleration >= 0.0), "takes an equation"),
        (lambda a: a.equate("X", a.joint("knee_left").angle == 0.0), "has no unknown"),
        (lambda a: a.equate("", a.joint("knee_left").acceleration == 0.0), "must be a word"),
        (lambda a: a.equate("X", a.joint("knee_left").acceleration == 0.0, priority=-1), "from 0"),
        (lambda a: a.equate("X", a.joint("knee_left").acceleration == 0.0, weight=0.0), "above 0"),
        (lambda a: a.equate("X", a.joint("knee_left").acceleration == math.nan), "finite"),
        (lambda a: a.equate("X", a.point("heel_left").acceleration == (1.0, 2.0)), "3 finite numbers"),
        (lambda a: a.limit("X", a.joint("knee_left").acceleration == 0.0), "takes an inequality"),
        (lambda a: a.minimise(a.joint("knee_left").acceleration), "sums of squares"),
        (lambda a: a.joint("knee_left").acceleration * a.joint("knee_right").acceleration, "not linear"),
        (lambda a: a.joint("knee_left").acceleration ** 3, "must be 2"),
        (lambda a: a.joint("base").acceleration, "ask for its link"),
        (lambda a: a.point("heel_left").acceleration[5], "entries 0 to 2"),
        (lambda a: a.hold("X"), "say what"),
        (lambda a: a.hold("X", "foot_left"), "takes points"),
        (lambda a: a.assign("X", 1.0), "quantity"),
        (lambda a: bool(a.joint("knee_left").acceleration == 0.0), "not true or false"),
        (lambda a: a.dcm(0.0), "above 0"),
        (lambda a: a.dcm("fast"), "must be a number"),
        (lambda a: a.hold("X", a.body("foot_left"), settle=math.nan), "settle must be finite"),
        (lambda a: a.hold("X", a.body("foot_left"), settle=math.inf), "settle must be finite"),
        (lambda a: a.hold("X", a.body("foot_left"), settle=-1.0), "settle must be 0 s or more, got -1"),
        (lambda a: a.hold("X", a.body("foot_left"), orientation="banana"), "must be 'present', .* got 'banana'"),
        (lambda a: a.curve((0.0, 1.0), math.nan), "duration of a curve must be finite"),
        (lambda a: a.curve((0.0, 1.0), -1.0), "duration of a curve must be 0 s or more"),
        (lambda a: a.curve("up", 1.0), "rows of numbers"),
        (lambda a: a.stand("X", a.point("heel_left"), -5.0), "damping must be 0 1/s or more, got -5"),
        (lambda a: a.stand("X", a.point("heel_left"), math.nan), "damping must be finite"),
        (lambda a: a.stand("X", a.point("heel_left"), 5.0, weight=-1.0), "weight must be above 0"),
        (lambda a: a.stand("X", a.point("heel_left"), 5.0, orientation=np.eye(3), settle=0.0), "settle must be above 0 s, got 0"),
        (lambda a: Algorithm(a.robot, math.nan), "gravity .* must be finite"),
        (lambda a: Algorithm(a.robot, "down"), "gravity .* must be a number"),
        (lambda a: Algorithm("person"), "takes a Robot"),
        (lambda a: a.solve(a.robot.neutral(), np.zeros(a.robot.nv), math.nan), "the time .* must be finite"),
        (lambda a: a.body("torso").orientation_error(np.ones((3, 3))), "rotation matrix"),
    ],
)
def test_mistakes_are_told(wrong, said):
    with pytest.raises(FootfallError, match=said):
        wrong(Algorithm(PERSON))


@pytest.mark.parametrize(
    "used",
    [
        lambda a, b: a.equate("X", b.body("torso").acceleration == 0.0),
        lambda a, b: a.equate("X", a.point("top").acceleration == b.com.acceleration[[0, 2]]),
        lambda a, b: a.limit("X", b.joint("knee_left").torque <= 1.0),
        lambda a, b: a.limit("X", b.hold("FOOT", b.body("foot_left")).force[2] >= 0.0),
        lambda a, b: a.minimise(b.com.acceleration**2),
        lambda a, b: a.define("X", b.joint("knee_left").acceleration),
        lambda a, b: a.hold("X", b.body("foot_left")),
        lambda a, b: a.hold("X", b.joint("knee_left"), angle=0.0),
        lambda a, b: a.stand("X", b.point("heel_left"), 1.0),
        lambda a, b: a.value(b.point("heel_left").position),
        lambda a, b: a.orientation(b.body("torso")),
    ],
)
def test_quantities_of_another_algorithm_are_refused(used):
    algo = Algorithm(RABBIT)
    with pytest.raises(ControlError, match="is a quantity of another algorithm, of robot 'person'"):
        used(algo, Algorithm(PERSON))
    assert [*algo.equations, *algo.limits, *algo.defined] == []


def test_a_robot_with_other_joints_is_refused():
    algo, q, v = swinging()
    before = algo.solve(q, v).acceleration
    with pytest.raises(ControlError, match="joints of robot 'rabbit' are not those of 'person'"):
        algo.set_robot(RABBIT)
    algo.set_robot(replace(PERSON, name="twin"))
    assert algo.solve(q, v).acceleration == pytest.approx(before)


def test_what_is_refused_changes_nothing():
    algo, q, v = swinging()
    before = algo.solve(q, v).acceleration
    with pytest.raises(UnknownNameError, match="ZZ"):
        algo.remove("TORSO", "ZZ")
    algo.define("knee", algo.joint("knee_right").acceleration)
    for bad in (math.nan, (1.0, 2.0)):
        with pytest.raises(ControlError, match="a finite number"):
            algo.assign("knee", bad)
    assert [*algo.equations] == ["L-FOOT", "R-HEEL-TRAJ", "TORSO"]
    assert (algo.solve(q, v).acceleration == before).all()
    algo.remove("TORSO", "TORSO")
    assert [*algo.equations] == ["L-FOOT", "R-HEEL-TRAJ"]


@pytest.mark.parametrize("solved", [False, True])
@pytest.mark.parametrize("again", [False, True])
def test_the_force_of_what_is_no_longer_held(solved, again):
    q, v = some_state(PERSON, 1)
    algo = Algorithm(PERSON).at(q, v)
    foot = algo.point("heel_left")
    algo.limit("LOAD", algo.hold("FOOT", foot, orientation="present").force[2] >= 0.0)
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))
    if solved:
        algo.solve(q, v)
    algo.remove("FOOT")
    if again:
        algo.hold("FOOT", foot)
    with pytest.raises(ControlError, match="'LOAD' asks for the force on 'FOOT'"):
        algo.solve(q, v)
    algo.remove("LOAD")
    algo.solve(q, v)


def test_a_report_reads_as_table_1():
    algo, q, v = swinging()
    algo.solve(q, v)
    text = str(algo)
    assert re.search(r"R-HEEL-TRAJ +3 +acceleration of heel_right +\d", text)
    assert "6 of 22 degrees of freedom used, 7 held, 9 left to the cost" in text


def test_what_is_held_elsewhere_is_refused():
    """A foot that was held before the state was known would drag the robot to another posture."""
    study = ff.studies.load("johnnie-walk-computed-torque")
    algo = Algorithm(study.robot)
    algo.hold("left foot", algo.body("foot_left"))
    with pytest.raises(ControlError, match="'left foot' is held 0.95"):
        algo.solve(study.q, np.zeros(study.robot.nv))
    algo = Algorithm(study.robot).at(study.q)
    algo.hold("left foot", algo.body("foot_left"))
    algo.minimise(algo.com.acceleration**2)
    assert np.array_equal(algo.solve(study.q, np.zeros(study.robot.nv)).q, study.q)
