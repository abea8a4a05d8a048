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
from footfall.control.walking.start import start
from footfall.reproduce import Setting, johnnie_walk, rows
from footfall.reproduce._walking import SPEED, limits, slip, speed, zmp_error, zmp_margin
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


@pytest.mark.parametrize("name", [RIGID, "johnnie-walk-computed-torque"])
def test_it_walks_far_away_as_at_the_origin(name):
    near, study = ff.simulate(ff.studies.load(name, seconds=4.0)), ff.studies.load(name, seconds=4.0)
    q = np.array(study.q)
    q[:2] += 300.0, -200.0
    far = ff.simulate(replace(study, q=tuple(q)))
    off = abs(far.tau - near.tau).max(axis=1)  # N m, of 80; rounding may move a touch-down by a tick
    assert np.median(off) < 1e-3
    assert np.quantile(off, 0.95) < 0.1
    assert far.q[-1, :2] - q[:2] == pytest.approx(near.q[-1, :2], abs=1e-4)


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


@pytest.mark.parametrize("adjust", [0.0, 1.0])
def test_a_large_push_moves_the_plan_only_with_step_adjustment(adjust):
    study = ff.studies.load(FULL, push=9.0, toward=1.0, adjust=adjust, seconds=8.0, record=("controller.state",))
    run = ff.simulate(study)
    moved = max(abs(run.more[f"controller.JointPositionWalk.state.shift.{k}"]).max() for k in range(2))
    assert (moved > 0.02) if adjust else (moved == 0.0)


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
    ready.goal.since[d], ready.goal.acceleration[d] = 0.01, 30.0
    v = np.zeros(robot.nv)
    v[d] = 0.3
    ready.ask(0.02, q, v)
    target, rate = 0.5 + 2.0 * 0.01 + 30.0 * 0.01**2 / 2, 2.0 + 30.0 * 0.01
    integral = 10.0 * (target - q[j]) * 1e-3
    coordinates = np.zeros(robot.nv)
    coordinates[d] = q[j]
    expected = 7.0 + 100.0 * (target - q[j]) + 5.0 * (rate - 0.3) + integral
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


# --- figures ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("study", johnnie_walk.STUDIES)
def test_figures(study):
    found = list(rows(f"johnnie-walk/{study}", Setting(quick=True, workers=1)))
    assert found
    assert all(row.ok for row in found), [row for row in found if not row.ok]


# --- errata of section 5 ----------------------------------------------------------------------------------------------------


def test_5_6_has_the_wrong_sign():
    """(5.2) and (5.10) agree with the ZMP of (5.7), -tau/mg, and not with that of (5.6), tau/mg."""
    m, g, z, x, tau = 40.0, 9.81, 0.9, 0.05, 12.0
    by_torque = g * x / z + tau / (m * z)  # (5.2)
    assert g / z * (x - -tau / (m * g)) == pytest.approx(by_torque)
    assert g / z * (x - tau / (m * g)) != pytest.approx(by_torque)


def test_5_13_limits_depend_on_where_the_ankle_is():
    """A force at the toe or the heel: half the length is right for neither, JOHNNIE's ankle is a quarter of it from the heel."""
    robot, load = ff.robots.load("johnnie"), 400.0
    pad = robot.feet[0].pads[0]
    heel, toe = pad.at[0] - pad.size[0] / 2, pad.at[0] + pad.size[0] / 2
    assert toe == pytest.approx(-3 * heel)
    assert abs(load * toe) > 0.5 * load * pad.size[0] > abs(load * heel)
