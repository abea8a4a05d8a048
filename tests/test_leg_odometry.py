"""The estimator from sensors alone, the sensors of a walker, compensated friction, and laws that believe in another robot."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import footfall as ff
from footfall import analysis, reproduce
from footfall.control import ComputedTorqueWalk, Controller, Layered, LegOdometry
from footfall.control.fields import ControlError
from footfall.control.leg_odometry import contacts
from footfall.control.trial import Trial
from footfall.control.walking.friction import overcome, rubs_of
from footfall.control.walking.start import start
from footfall.core.jit import kernel
from footfall.errors import FootfallError, ParameterError, SimulationError, StateError
from footfall.reproduce._walking import slip
from footfall.sensors import Accelerometer, Attitude, Encoders, Unmeasured, walker_sensors
from footfall.sensors.sensor import SensorError
from footfall.studies._walks import FULL, foot_compliance, off

NAME = "johnnie-walk-computed-torque"
STEPS = {"steps": 1000, "whole": 1.0, "hurry": 0.05}


def walk(feet="rigid", sensors=None, seconds=5.0, **estimator):
    """JOHNNIE on these sensors, with the estimator; ideal motors."""
    robot, law = ff.robots.load("johnnie", feet=feet), ComputedTorqueWalk(**STEPS)
    layers = Layered((LegOdometry(**estimator), law))
    given = walker_sensors(robot) if sensors is None else sensors
    return ff.simulate(robot, layers, q=start(robot, law), seconds=seconds, sensors=given, record=("controller.state", "sensors"))


def without_errors(robot):
    """The sensors of a walker without bias, noise, lag and increments."""
    kept = [each for each in walker_sensors(robot) if not isinstance(each, Encoders)]
    return tuple(type(each)(names=each.names, contacts=True) if isinstance(each, Unmeasured) else type(each)() for each in kept)


# --- the estimator --------------------------------------------------------------------------------------------------------


def test_with_exact_sensors_on_rigid_ground_the_estimate_is_exact_but_for_rolling_feet():
    run = walk(sensors=without_errors(ff.robots.load("johnnie")))
    error = analysis.estimate_error(run)
    assert run.outcome is ff.Outcome.END
    assert np.abs(error.place).max() < 2e-3  # m: in 2 m, feet that land tilt a little
    assert error.rms.max() < 2e-3
    assert error.worst.max() < 2e-2


def test_real_sensors():
    """The bounds of the drift are those of an attitude that is off by 0.1 degree, and 1 mm for each metre besides."""
    run = ff.simulate(ff.studies.load(NAME, seconds=8.0, record=("controller.state", "sensors"), **FULL))
    error = analysis.estimate_error(run)
    assert run.outcome is ff.Outcome.END
    assert error.walked > 3.0
    assert error.rms.max() < 0.01
    assert error.worst.max() < 0.03
    assert (error.drift < 1e-3 + np.radians(0.1)).all()
    assert slip(run) < 1e-3
    assert analysis.actuation(run).exceeded == ()


def test_the_sink_of_compliant_feet_is_known():
    """Standing on four elements of 5e4 N/m each foot gives way by half the weight over 2e5 N/m: 1 mm."""
    robot = ff.robots.load("johnnie", feet="compliant")
    assert foot_compliance(robot) == pytest.approx(1.0 / (4 * 5e4))
    assert foot_compliance(ff.robots.load("johnnie")) == 0.0
    law = ComputedTorqueWalk(steps=0)
    heights = []
    for compliance in (0.0, foot_compliance(robot)):
        layers = Layered((LegOdometry(compliance=compliance), law))
        run = ff.simulate(robot, layers, q=start(robot, law), seconds=3.0, sensors=walker_sensors(robot), record=("controller",))
        heights.append(analysis.estimate_error(run).place[-1, 2])
    sink = 0.5 * robot.mass * robot.gravity / (4 * 5e4)
    assert heights[0] - heights[1] == pytest.approx(sink, rel=0.05)
    assert abs(heights[1]) < 2e-4


def test_another_robot():
    robot, law = ff.robots.load("wendlandt-3d"), ComputedTorqueWalk(height=0.75, length=0.25, width=0.18, **STEPS)
    layers = Layered((LegOdometry(), law))
    given = {"sensors": walker_sensors(robot), "record": ("controller.state",)}
    run = ff.simulate(robot, layers, q=start(robot, law), seconds=6.0, **given)
    assert run.outcome is ff.Outcome.END
    assert analysis.estimate_error(run).rms.max() < 0.01
    assert slip(run) < 1e-3


def test_a_picture(tmp_path):
    figure = ff.view.estimate(walk(seconds=2.0), tmp_path / "estimate.png")
    assert (tmp_path / "estimate.png").stat().st_size > 10_000
    assert [ax.get_ylabel() for ax in figure.axes][-1] == "error of the place (mm)"
    assert "drift mm/m" in analysis.estimate_error(walk(seconds=2.0)).text()


def test_without_an_accelerometer_the_legs_alone_tell():
    robot = ff.robots.load("johnnie")
    sensors = tuple(each for each in without_errors(robot) if not isinstance(each, Accelerometer))
    run = walk(sensors=sensors)
    assert run.outcome is ff.Outcome.END
    assert analysis.estimate_error(run).rms.max() < 0.01


@pytest.mark.parametrize(
    ("force", "moment", "count"),
    [
        ((0.0, 0.0, 5.0), (0.0, 0.0, 0.0), 0.0),  # lighter than 5 % of the weight
        ((0.0, 0.0, 200.0), (0.0, -200.0 * 0.07, 0.0), 4.0),  # 7 cm ahead of the ankle: the middle of the sole
        ((0.0, 0.0, 200.0), (0.0, -200.0 * 0.20, 0.0), 1.0),  # at the toe
        ((0.0, 0.0, 200.0), (200.0 * 0.045, -200.0 * 0.07, 0.0), 1.0),  # at the left edge
        ((100.0, 0.0, 200.0), (0.0, -200.0 * 0.07 - 100.0 * 0.07, 0.0), 4.0),  # a force ahead has a moment about the ankle too
    ],
)
def test_contacts_are_judged_by_force_and_moment(force, moment, count):
    params = SimpleNamespace(
        touch=0.05, weight=392.0, edge=0.01, middle=np.array([(0.0685, 0.0, -0.07)] * 2), half=np.array([(0.137, 0.0495)] * 2)
    )
    obs, state = SimpleNamespace(wrench=np.array([(*force, *moment)] * 2)), SimpleNamespace(load=np.array([force[2]] * 2))
    assert contacts.plain("spatial")(obs, params, state, 1) == count


# --- what controllers see -------------------------------------------------------------------------------------------------


class Spy(Controller):
    """Remembers how much it sees of contacts."""

    class State:
        force: float = 0.0
        touching: int = 0

    @kernel
    def law(obs, params, state, goal, command):
        for k in range(len(obs.mode)):
            state.force += abs(obs.force[k, 2])
            state.touching += 1 if obs.mode[k] else 0
        return 0


def test_hidden_contacts():
    robot = ff.robots.load("johnnie")
    seen = []
    for sensors in ((), walker_sensors(robot)):
        run = ff.simulate(
            robot, Spy(), q=start(robot, ComputedTorqueWalk()), seconds=0.05, sensors=sensors, record=("controller",)
        )
        seen.append((run.more["controller.state.force"][-1], run.more["controller.state.touching"][-1]))
    assert min(seen[0]) > 0
    assert seen[1] == (0.0, 0)


def test_nothing_true_is_left():
    run = walk(seconds=2.0)
    columns = run.columns()
    moving = [name for name in columns if f"obs.{name}" in columns and np.ptp(columns[name]) > 0.0]
    assert len(moving) > 30
    assert [name for name in moving if np.array_equal(columns[name], columns[f"obs.{name}"])] == []
    for axis in "xyz":
        assert np.ptp(columns[f"obs.q.base.{axis}"]) == np.ptp(columns[f"obs.v.base.{axis}"]) == 0.0


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("pendulum", "0 floating bases and 0 feet"),
    ],
)
def test_robots_that_the_sensors_do_not_fit(name, words):
    with pytest.raises(SensorError, match=words):
        walker_sensors(ff.robots.load(name))


def test_an_estimator_without_force_sensors():
    with pytest.raises(ControlError, match=r"LegOdometry .* not finite: pelvis\[0\] is nan; it needs a FootForce at both feet"):
        walk(sensors=(Unmeasured(names=("base.x",)),), seconds=0.1)


@pytest.mark.parametrize(
    ("names", "contacts", "said"), [(("base.x",), False, "leave base.x unmeasured"), ((), True, "leave contacts unmeasured")]
)
def test_a_walk_that_cannot_know_where_its_pelvis_is(names, contacts, said):
    robot, law = ff.robots.load("johnnie"), ComputedTorqueWalk(**STEPS)
    with pytest.raises(SimulationError, match=said + r"; put an estimator above it: Layered\(\(LegOdometry\(\), ComputedTorque"):
        ff.simulate(robot, law, q=start(robot, law), seconds=0.1, sensors=(Unmeasured(names=names, contacts=contacts),))
    seen = (Attitude(), Unmeasured(names=("waist",)))
    assert ff.simulate(robot, law, q=start(robot, law), seconds=0.1, sensors=seen).outcome is ff.Outcome.END


def test_no_estimator_was_recorded():
    with pytest.raises(StateError, match="no estimator of the pelvis was recorded"):
        analysis.estimate_error(ff.simulate(ff.studies.load(NAME, seconds=0.1)))


# --- friction -------------------------------------------------------------------------------------------------------------


def test_friction_is_that_of_the_joint():
    """Away from rest: Stribeck's curve of the joint, a tenth of the torque, and damping; at rest nothing."""
    robot = ff.robots.load("johnnie", motors="real")
    d, joint = robot.velocities.index("knee_left"), robot.joint("knee_left")
    params = SimpleNamespace(
        rubs=rubs_of(robot), v=np.zeros(robot.nv), accel=np.zeros(robot.nv), lead=0.0, friction=1.0, smooth=0.01
    )
    for speed, torque in ((0.15, 20.0), (-2.0, 20.0), (3.0, -50.0), (0.0, 10.0)):
        params.v[d], command = speed, SimpleNamespace(tau=np.zeros(robot.nv))
        command.tau[d] = torque
        overcome.plain("spatial")(params, command)
        rubs = joint.dry_friction(speed) + 0.1 * abs(torque)
        assert command.tau[d] - torque == pytest.approx(np.sign(speed) * rubs + joint.damping * speed, rel=1e-9, abs=1e-9)


# --- a robot that is not as believed --------------------------------------------------------------------------------------


def test_a_robot_that_is_off():
    robot = ff.robots.load("johnnie", motors="real")
    heavy = off(robot, masses=1.1, inertias=0.9, rubs=2.0)
    assert heavy.mass == pytest.approx(1.1 * robot.mass)
    assert heavy.link("torso").inertia == pytest.approx(0.9 * np.array(robot.link("torso").inertia))
    knee, was = heavy.joint("knee_left"), robot.joint("knee_left")
    assert (knee.friction, knee.static_friction, knee.damping) == (2 * was.friction, 2 * was.static_friction, 2 * was.damping)
    assert knee.motor.load_friction == 2 * was.motor.load_friction
    drawn = off(robot, spread=0.1, drawn=3)
    parts = [a.mass / b.mass for a, b in zip(drawn.links, robot.links, strict=True) if b.mass]
    assert 0.9 < min(parts) < 0.97 < 1.03 < max(parts) < 1.1
    assert off(robot) is robot


def test_a_law_reckons_with_the_robot_that_it_believes_in():
    robot = ff.robots.load("johnnie")
    heavy, law = off(robot, masses=1.3), ComputedTorqueWalk()
    q, told = start(robot, law), []
    for which, body in ((law, robot), (replace(law, believed=robot), heavy), (law, heavy)):
        trial = Trial(which, body, np.array(q), 9.81, contacts=8)
        trial.ask(0.0, q, np.zeros(robot.nv), np.ones(8))
        told.append(trial.command.tau.copy())
    assert np.array_equal(told[0], told[1])
    assert np.abs(told[0] - told[2]).max() > 5.0


def test_a_believed_robot_is_saved(tmp_path):
    run = ff.simulate(ff.studies.load(NAME, seconds=0.2, masses=1.1, **FULL))
    run.save(tmp_path / "run.npz")
    again = ff.Run.load(tmp_path / "run.npz")
    assert again.study.controller.layers[1].believed.mass == pytest.approx(40.0)
    assert again.replay() == run


@pytest.mark.parametrize("believed", ["person", 3.0])
def test_robots_that_cannot_be_believed_in(believed):
    other = ff.robots.load(believed) if isinstance(believed, str) else believed
    words = "'person', must have the coordinates of 'johnnie'" if isinstance(believed, str) else "believed must be a Robot"
    robot, law = ff.robots.load("johnnie"), ComputedTorqueWalk()
    with pytest.raises(ControlError, match=words):
        ff.simulate(robot, replace(law, believed=other), q=start(robot, law), seconds=0.1)


@pytest.mark.parametrize(
    ("other", "words"),
    [
        (lambda r: replace(r, feet=r.feet[::-1]), "must have its left foot first"),
        (lambda r: replace(r, feet=()), "two feet, it has a free base and 0 feet"),
        (lambda r: replace(r, feet=r.feet[:1]), "two feet, it has a free base and 1 feet"),
        (lambda r: replace(r, feet=(*r.feet, replace(r.feet[0], name="third"))), "two feet, it has a free base and 3 feet"),
        (
            lambda r: replace(r, feet=tuple(replace(foot, pads=foot.pads * 2) for foot in r.feet)),
            "must have the feet and pads of",
        ),
        (
            lambda r: replace(r, joints=tuple(replace(j, motor=None) if "knee" in j.name else j for j in r.joints)),
            "must have motors",
        ),
        (
            lambda r: replace(r, joints=tuple(replace(j, motor=None) if j.name == "waist" else j for j in r.joints)),
            "the motors of",
        ),
    ],
)
def test_a_true_robot_with_other_feet_or_motors_than_believed_is_refused(other, words):
    robot, law = ff.robots.load("johnnie"), ComputedTorqueWalk()
    with pytest.raises(FootfallError, match=words):
        Trial(replace(law, believed=robot), other(robot), np.array(start(robot, law)), 9.81, contacts=8)


def test_late_sensors():
    assert {each.delay for each in ff.studies.load(NAME, late=2, **FULL).sensors} == {2e-3}
    with pytest.raises(ParameterError, match="late must be 0 where sensors are ideal, got 1"):
        ff.studies.load(NAME, late=1)


# --- figures --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("study", ["estimator", "full", "errors", "pushes", "person"])
def test_figures(study):
    rows = list(reproduce.rows(f"johnnie-sensing/{study}", reproduce.Setting(quick=True, workers=1)))
    assert rows
    assert [row.quantity for row in rows if not row.ok] == []


# --- a person -------------------------------------------------------------------------------------------------------------


def test_a_person_walks_at_1_m_s():
    run = ff.simulate(ff.studies.load("person-walk", seconds=10.0))
    assert run.outcome is ff.Outcome.END
    rows = run.time >= 4.3
    assert (run.q[-1, 0] - run.q[rows][0, 0]) / (run.time[-1] - run.time[rows][0]) == pytest.approx(1.0, rel=0.01)
    assert slip(run) < 1e-3
