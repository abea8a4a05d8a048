"""Joint position control with ankle torque control: JOHNNIE and Wendlandt's biped, pushed, sensed, wrongly believed, and refused."""

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall import analysis, kinematics
from footfall.control import JointPositionWalk, JointServo, Layered
from footfall.control.fields import ControlError
from footfall.control.joint_position import compliances
from footfall.control.trial import Trial
from footfall.reproduce._walking import SPEED, draw, limits, slip, speed, survives, zmp_error, zmp_margin
from footfall.studies._walks import start
from footfall.world import World

FULL, RIGID = "johnnie-walk", "johnnie-walk-rigid"


def walk_of(robot, seconds=10.0, **given):
    walk = JointPositionWalk(**given)
    return ff.simulate(ff.Study(robot, World(), Layered((walk, JointServo())), start(robot, walk), seconds=seconds))


# --- it walks ---------------------------------------------------------------------------------------------------------------


def test_a_minute_in_the_full_setting():
    run = ff.simulate(ff.studies.load(FULL))
    assert run.outcome is ff.Outcome.END
    assert speed(run) == pytest.approx(SPEED, rel=0.03)
    assert slip(run) < 1e-3
    assert zmp_margin(run) > 0.0
    assert max(limits(run)) < 1.0
    assert not analysis.actuation(run).exceeded


def test_rigid_feet_and_the_planned_zmp():
    run = ff.simulate(replace(ff.studies.load(RIGID), seconds=10.0, record_dt=2e-3, record=("controller.state",)))
    assert run.outcome is ff.Outcome.END
    assert speed(run) == pytest.approx(SPEED, rel=3e-3)
    assert slip(run) < 1e-4
    trimmed, whole = zmp_error(run)
    assert trimmed < 5e-3
    assert trimmed <= whole


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("wendlandt-3d", {"height": 0.75, "length": 0.25, "width": 0.18}),
        ("johnnie", {"length": -0.2}),
        ("johnnie", {"length": 0.3, "turn": 0.1}),
    ],
)
def test_others_walk_too(name, more):
    run = walk_of(ff.robots.load(name), steps=20, **more)
    assert run.outcome is ff.Outcome.END
    assert slip(run) < 2e-3
    assert zmp_margin(run) > 0.0


def test_after_its_steps_it_stands():
    """The centre of mass above the middle of the ZMPs of both feet, at rest."""
    run = walk_of(ff.robots.load("johnnie", feet="compliant"), seconds=8.0, steps=3)
    assert run.outcome is ff.Outcome.END
    assert abs(run.v[-1]).max() < 5e-3
    feet = [kinematics.pose(run.robot, run.q[-1], name).position for name in ("foot_left", "foot_right")]
    c = analysis.motion.center_of_mass(run)[-1]
    assert c[:2] == pytest.approx(np.add(np.mean(feet, axis=0)[:2], (0.05, 0.0)), abs=5e-3)


@pytest.mark.parametrize(
    "given", [{"masses": 1.1, "inertias": 1.1}, {"masses": 0.9, "inertias": 0.9}, {"rubs": 2.0}, {"late": 2}]
)
def test_model_errors(given):
    run = ff.simulate(ff.studies.load(FULL, seconds=15.0, **given))
    assert run.outcome is ff.Outcome.END
    assert speed(run) == pytest.approx(SPEED, rel=0.05)


# --- pushes -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("given", "most"), [({}, 1), ({"adjust": 0.0}, 1)])
def test_most_pushes_are_survived(given, most):
    fell = [case for case in draw(FULL, given, 8, seed=5) if not survives(case)]
    assert len(fell) <= most


def test_without_ankle_control_it_falls_by_itself():
    run = ff.simulate(ff.studies.load(FULL, ankles=0.0, adjust=0.0, seconds=10.0))
    assert run.outcome is not ff.Outcome.END


# --- its parts --------------------------------------------------------------------------------------------------------------


def test_compliance_of_the_feet():
    """Four springs K at the corners: 4 K against sinking, 4 K b^2 / 4 against turning."""
    robot = ff.robots.load("johnnie", feet="compliant")
    yields, middle = compliances(robot)
    K, size = robot.feet[0].compliance.stiffness, np.array(robot.feet[0].pads[0].size)
    assert 1.0 / yields[0] == pytest.approx((K * size[1] ** 2, K * size[0] ** 2, 4 * K))
    assert middle[0] == pytest.approx(robot.feet[0].pads[0].at[:2])
    assert not compliances(ff.robots.load("johnnie"))[0].any()


def test_the_servo_is_a_pid_with_feed_forward():
    robot = ff.robots.load("johnnie")
    q = robot.configuration({})
    ready, d = Trial(JointServo(rate=1000.0), robot, q, 9.81), robot.velocities.index("knee_left")
    j = robot.coordinates.index("knee_left")
    ready.goal.angle[d], ready.goal.velocity[d], ready.goal.torque[d] = 0.5, 2.0, 7.0
    ready.goal.stiffness[d], ready.goal.damping[d], ready.goal.integral[d] = 100.0, 5.0, 10.0
    ready.goal.since[d] = 0.01
    v = np.zeros(robot.nv)
    v[d] = 0.3
    ready.ask(0.02, q, v)
    target = 0.5 + 2.0 * 0.01
    integral = 10.0 * (target - q[j]) * 1e-3
    coordinates = np.zeros(robot.nv)
    coordinates[d] = q[j]
    expected = 7.0 + 100.0 * (target - q[j]) + 5.0 * (2.0 - 0.3) + integral
    assert ready.forces(coordinates, v)[d] == pytest.approx(expected)
    for _ in range(20_000):
        ready.ask(0.02, q, v)
    assert ready.state.integral[d] == 20.0  # N m: no more than `most`


def test_the_servo_alone_keeps_the_posture():
    robot = ff.robots.load("johnnie")
    run = ff.simulate(ff.Study(robot, World(gravity=0.0), JointServo(), seconds=1.0), lift=True)
    assert abs(run.q[-1] - run.q[0]).max() < 1e-9


# --- refusals ---------------------------------------------------------------------------------------------------------------


def test_it_is_refused_for_other_robots():
    with pytest.raises(ControlError, match="legs of 6 hinges.*7 degrees of freedom"):
        walk_of(ff.robots.load("person"), height=0.85)
    with pytest.raises(ControlError, match="in space"):
        ff.simulate(ff.robots.load("rabbit"), Layered((JointPositionWalk(), JointServo())), seconds=0.1)


def test_it_needs_a_servo_below_it():
    robot, walk = ff.robots.load("johnnie"), JointPositionWalk()
    with pytest.raises(ControlError, match="it leads a JointServo"):
        ff.simulate(ff.Study(robot, World(), walk, start(robot, walk), seconds=0.1))
