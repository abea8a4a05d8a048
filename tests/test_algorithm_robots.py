"""Algorithms on robots with loops and with point feet; soft limits; what is printed; a mass that is corrected."""

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall import dynamics, kinematics
from footfall.control import Algorithmic
from footfall.control.algorithm import Algorithm, ConflictError
from footfall.control.fields import ControlError
from footfall.engines import Ideal
from footfall.studies._linkages import four_bar, four_bar_start

RABBIT = ff.robots.load("rabbit")


def with_motor(robot, *names):
    joints = (replace(joint, motor=ff.Motor()) if joint.name in names else joint for joint in robot.joints)
    return replace(robot, joints=tuple(joints))


# --- loops ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_a_linkage_moves_as_maximal_coordinates_have_it(space):
    """Passive; then driven at the crank: its torque, put into the formulation with loops, gives the motion that was asked for."""
    robot = four_bar(space)
    q, v = four_bar_start(robot, 3.0)
    free = Algorithm(robot).at(q, v).solve(q, v).acceleration
    assert free == pytest.approx(dynamics.forward(robot, q, v, np.zeros(3), formulation="maximal"), abs=1e-8)
    robot = with_motor(robot, "crank_pivot")
    algo = Algorithm(robot).at(q, v)
    algo.equate("crank", algo.joint("crank_pivot").acceleration == 2.0)
    found = algo.solve(q, v)
    driven = dynamics.forward(robot, q, v, found.torque, formulation="maximal")
    assert found.acceleration[0] == pytest.approx(2.0, abs=1e-9)
    assert driven == pytest.approx(found.acceleration, abs=1e-8)
    assert np.abs(found.torque[1:]).max() < 1e-9  # there are no motors
    assert "loop rocker_pin (closed)" in str(algo)


def test_equations_that_contradict_a_loop_are_named_with_it():
    robot = with_motor(four_bar("planar"), "crank_pivot")
    q, v = four_bar_start(robot, 3.0)
    algo = Algorithm(robot).at(q, v)
    algo.equate("crank", algo.joint("crank_pivot").acceleration == 2.0)
    algo.equate("rocker", algo.joint("rocker_pivot").acceleration == 0.0)
    with pytest.raises(ConflictError) as caught:
        algo.solve(q, v)
    assert sorted(caught.value.conflict) == ["crank", "rocker", "rocker_pin"]
    with pytest.raises(ControlError, match="'rocker_pin' is the name of a loop"):
        algo.equate("rocker_pin", algo.joint("crank_pivot").acceleration == 0.0)
    with pytest.raises(ControlError, match="has loops, and how they share forces is not"):
        algo.joint("crank_pivot").force  # noqa: B018


def test_loops_that_come_and_go_are_refused():
    robot = four_bar("planar")
    with pytest.raises(ControlError, match="holds from 1 to inf s; an algorithm takes loops that hold throughout"):
        Algorithm(replace(robot, loops=(replace(robot.loops[0], start=1.0),)))


# --- feet that touch in one point -----------------------------------------------------------------------------------------


def on_a_point():
    pad = RABBIT.feet[0].pads[0]
    q, v = RABBIT.configuration({"hip_left": 0.1, "knee_left": 0.2}), np.zeros(RABBIT.nv)
    algo = Algorithm(RABBIT).at(q, v)
    foot = algo.stand("foot", algo.point(pad.link, pad.at), damping=20.0)
    algo.press("presses", foot, friction=0.6, least=10.0)
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))
    return algo, foot, q, v, pad


def test_a_point_foot_stands_by_a_force_alone():
    """Newton and Euler: with that force at that point and these torques, forward dynamics gives the same motion."""
    algo, foot, q, v, pad = on_a_point()
    assert foot.moment is None
    found = algo.solve(q, v)
    assert np.abs(found.torque[:3]).max() < 1e-9
    rate = dynamics.momentum_rate(RABBIT, q, v, found.acceleration)
    force = rate[:2] + np.array((0.0, RABBIT.mass * RABBIT.gravity))
    assert force[1] >= 10.0
    assert abs(force[0]) <= 0.6 * force[1] + 1e-6
    place = kinematics.acceleration(RABBIT, q, v, found.acceleration, pad.link, pad.at)
    assert np.abs(place[:2]).max() < 1e-9
    assert abs(place[2]) > 1e-3  # and it turns
    with pytest.raises(ControlError, match="gives no moment .*cannot reach an orientation, got 0.1"):
        algo.stand("other", algo.point(pad.link, pad.at), 20.0, orientation=0.1)
    with pytest.raises(ControlError, match="'foot' touches in one point and has no sole: leave `sole` out, got 0.1"):
        algo.press("sole", foot, 0.6, 0.1)
    with_moment = algo.stand("other", algo.point(pad.link, pad.at), 20.0, moment=True)
    with pytest.raises(ControlError, match="'other' has a sole: say how large, got None"):
        algo.press("sole", with_moment, 0.6)


# --- limits that may be missed --------------------------------------------------------------------------------------------


def test_a_limit_with_a_weight_is_missed_by_what_it_costs():
    """x alone, with cost (x - 1)^2 and x >= 3 at weight 4: 4 (3 - x) = x - 1, so x = 13 / 5."""
    bob = ff.Link("bob", 1.0, com=(0.0, -1.0))
    robot = ff.Robot("pendulum", "planar", (bob,), (ff.Joint("pivot", "revolute", "world", "bob", motor=ff.Motor()),))
    algo = Algorithm(robot)
    x = algo.joint("pivot").acceleration
    algo.minimise((x - 1.0) ** 2)
    algo.limit("at least", x >= 3.0, weight=4.0)
    found = algo.solve((0.0,), (0.0,))
    assert found.acceleration[0] == pytest.approx(2.6, abs=1e-9)
    assert found.residual["at least"] == pytest.approx(0.4, abs=1e-9)
    assert found.torque[0] == pytest.approx(dynamics.inverse(robot, (0.0,), (0.0,), found.acceleration)[0])
    algo.limit("at least", x >= 0.5, weight=4.0)
    found = algo.solve((0.0,), (0.0,))
    assert found.acceleration[0] == pytest.approx(1.0, abs=1e-9)
    assert found.residual["at least"] == pytest.approx(0.0, abs=1e-9)
    algo.equate("still", x == 0.0)  # a hard limit could not be kept
    found = algo.solve((0.0,), (0.0,))
    assert found.residual["at least"] == pytest.approx(0.5, abs=1e-9)


# --- the rest -------------------------------------------------------------------------------------------------------------


def test_the_report_has_right_sides_and_units():
    algo, _, q, v, _ = on_a_point()
    knee = algo.joint("knee_left")
    algo.equate("knee", knee.acceleration + 20.0 * knee.velocity + 100.0 * (knee.angle - 0.3) == 0.0)
    algo.equate("centre", algo.com.acceleration.x == 0.25, priority=1)
    algo.solve(q, v)
    lines = {line.split()[0]: line.split() for line in str(algo).splitlines()}
    assert lines["knee"][-3:-1] == ["10", "rad/s2"]  # 100 (0.3 - 0.2)
    assert lines["centre"][-3:-1] == ["0.25", "m/s2"]


def test_points_of_the_world_can_be_asked_for():
    robot, q = RABBIT, RABBIT.neutral()
    algo = Algorithm(robot).at(q)
    goal, torso = algo.point("world", at=(0.5, 0.2)), algo.body(robot.links[0].name)
    assert algo.value(goal.position) == pytest.approx((0.5, 0.2))
    algo.hold("FOOT", algo.body(robot.feet[0].pads[0].link))
    algo.equate("to the goal", torso.acceleration == 3.0 * (goal.position - torso.position))
    found = algo.solve(q, np.zeros(robot.nv))
    here = algo.value(torso.position)
    moved = kinematics.acceleration(robot, q, np.zeros(robot.nv), found.acceleration, torso.name, robot.links[0].com)
    assert moved[:2] == pytest.approx(3.0 * (np.array((0.5, 0.2)) - here), abs=1e-9)
    with pytest.raises(ControlError, match="hold 'G': 'world' belongs to the world, which does not move"):
        algo.hold("G", goal)


def test_a_corrected_mass_is_the_mass_of_the_algorithm():
    algo, mass = Algorithm(RABBIT), RABBIT.mass
    v = np.array((0.3, -0.2, *np.zeros(RABBIT.nv - 2)))
    algo.at(RABBIT.neutral(), v)
    momentum = algo.com.momentum
    assert algo.value(momentum) == pytest.approx(mass * v[:2])
    algo.correct_mass(2.0, (0.0, 0.0))
    assert (algo.mass, algo.com.mass) == pytest.approx((mass + 2.0, mass + 2.0))
    assert algo.value(momentum) == pytest.approx((mass + 2.0) * v[:2])
    algo.correct_mass(0.0, (0.0, 0.0))
    assert algo.mass == pytest.approx(mass)


class Turned(Algorithmic):
    """One foot is held while a magnet turns it."""

    def initialize(algo, params, state):
        pad = algo.robot.feet[0].pads[0]
        foot = algo.point(pad.link, pad.at)
        algo.hold("FOOT", foot, orientation=algo.orientation(foot) + 0.3, settle=0.1)
        algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))

    def controller(algo, params, state, time):
        pass


def test_magnets_that_turn_a_foot_do_work():
    """The energy that the robot gains is their work and that of the motors."""
    study = ff.Study(RABBIT, ff.World(), Turned(), RABBIT.neutral(), seconds=0.06, dt=1e-3, engine=Ideal())
    book = ff.analysis.ledger(ff.simulate(study, lift=True))
    assert book.work["ground, normal"][-1] > 1.0
    assert abs(book.residual[-1]) < 1e-3 * book.work["ground, normal"][-1]


def test_an_equation_uses_no_freedom_that_others_use_or_where_it_yields():
    """The rank counts, not the rows: checked beside the rank of the Jacobians that the equations are made of."""
    robot = ff.robots.load("person")
    q = kinematics.integrate(robot, robot.neutral(), 0.2 * np.random.default_rng(3).normal(size=robot.nv))
    algo = Algorithm(robot).at(q)
    algo.hold("FOOT", algo.body("foot_left"))
    algo.hold("HEEL", algo.point("heel_left"))  # a point of the same body
    algo.equate("COM", algo.com.acceleration == 0.0)
    algo.equate("AGAIN", 2.0 * algo.com.acceleration.x == 0.0)
    algo.equate("YIELDS", algo.com.acceleration.x == 1.0, priority=1)
    algo.minimise(sum(body.acceleration**2 + body.angular_acceleration**2 for body in algo.bodies))
    assert algo.freedom["used"] == 5  # not solved yet: rows
    algo.solve(q, np.zeros(robot.nv))
    foot = kinematics.jacobian(robot, q, "foot_left")
    com = sum(link.mass * kinematics.jacobian(robot, q, link.name, link.com)[:3] for link in robot.links) / robot.mass
    both = np.linalg.matrix_rank(np.vstack((foot, com)))
    assert (algo.freedom["held"], algo.freedom["used"], algo.freedom["left"]) == (6, both - 6, robot.nv - both)


def test_a_robot_without_motors_leaves_nothing_to_equations():
    robot = ff.robots.load("compass")
    algo = Algorithm(robot)
    algo.hold("FOOT", algo.body(robot.feet[0].pads[0].link))
    algo.equate("WISH", algo.com.acceleration.x == 1.0, priority=1)
    algo.minimise(sum(body.angular_acceleration**2 for body in algo.bodies))
    algo.solve(robot.neutral(), np.zeros(robot.nv))
    assert "0 of 4 degrees of freedom used, 3 held, 0 left to the cost, 1 without motors" in str(algo)
