"""Algorithms on sensors and with a model that is off: the estimate they see, mass and its centre, the dynamics component."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

import footfall as ff
from footfall import analysis, dynamics, kinematics, reproduce
from footfall.control import Algorithm, Algorithmic, InverseDynamics, Layered, LegOdometry, NewtonSquat
from footfall.control.fields import ControlError
from footfall.control.inverse_dynamics import find_standing
from footfall.control.params import params_of
from footfall.core.recursion.kinematics import set_places
from footfall.errors import RobotError
from footfall.model.mistaken import Mistakes, link_length, mistaken
from footfall.sensors import walker_sensors

PERSON = ff.robots.load("person")


# --- a model that is off ---------------------------------------------------------------------------------------------------


def test_errors_of_the_model_are_within_what_is_declared_and_evenly_spread():
    off = [mistaken(PERSON, 0.1, seed) for seed in range(200)]
    mass = np.array([[a.mass / b.mass for a, b in zip(each.links, PERSON.links, strict=True)] for each in off])
    inertia = np.array([[a.inertia[0] / b.inertia[0] for a, b in zip(each.links, PERSON.links, strict=True)] for each in off])
    for parts in (mass, inertia):
        assert np.abs(parts - 1.0).max() <= 0.1
        assert parts.std() == pytest.approx(0.1 / np.sqrt(3.0), rel=0.05)  # of an even spread
    assert abs(np.corrcoef(mass.ravel(), inertia.ravel())[0, 1]) < 4.0 / np.sqrt(mass.size)
    lengths = np.array([link_length(PERSON, link.name) for link in PERSON.links])
    way = np.array([[np.subtract(a.com, b.com) for a, b in zip(each.links, PERSON.links, strict=True)] for each in off])
    part = np.linalg.norm(way, axis=2) / lengths
    assert part.max() <= 0.1
    assert part.mean() == pytest.approx(0.05, rel=0.05)
    assert np.abs((way / lengths[:, None]).mean(axis=(0, 1))).max() < 4.0 * 0.1 / 3.0 / np.sqrt(part.size)
    assert link_length(PERSON, "thigh_left") == pytest.approx(0.245 * 1.829)  # Winter: hip to knee
    assert mistaken(PERSON, 0.1, 3) == mistaken(PERSON, 0.1, 3)
    with pytest.raises(RobotError, match="mass must be"):
        Mistakes(mass=-0.1)


# --- a corrected model -----------------------------------------------------------------------------------------------------


def test_a_corrected_model_is_that_of_a_robot_with_another_torso():
    """Centre of mass and torques of an algorithm against the robot that has the mass and the torso in question."""
    more, offset = 3.0, np.array((0.01, -0.02, 0.0))
    torso = PERSON.link("torso")
    share = (PERSON.mass + more) / (torso.mass + more)
    heavier = replace(torso, mass=torso.mass + more, com=tuple(np.array(torso.com) + offset * share))
    other = replace(PERSON, links=tuple(heavier if link.name == "torso" else link for link in PERSON.links))
    rng = np.random.default_rng(0)
    q, v = kinematics.integrate(PERSON, PERSON.neutral(), 0.2 * rng.normal(size=PERSON.nv)), rng.normal(size=PERSON.nv)
    found = []
    for robot, corrected in ((PERSON, True), (other, False)):
        algo = Algorithm(robot)
        if corrected:
            algo.correct_mass(more, offset)
        algo.out.q[:] = q
        algo.hold("FOOT", algo.body("foot_left"), algo.joint("toe_left"))
        algo.minimise(sum(joint.acceleration**2 for joint in (algo.joint(j.name) for j in robot.layout.joints[1:])))
        solved = algo.solve(q, v)
        found.append((solved.acceleration, solved.torque, algo.value(algo.com.position)))
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
    with pytest.raises(ControlError, match="first link of robot 'person' must have mass"):
        Algorithm(PERSON).correct_mass(-1e3, offset)


def squat(seed=0, seconds=3.0, **more):
    given = {"sensors": "real", "model_error": 0.1, "drawn": seed, **more}
    return ff.simulate(ff.studies.load("newton-squat", **given), seconds=seconds, record=("controller.state",), seed=seed)


@pytest.mark.parametrize("seed", [0, 2])
def test_mass_and_its_centre_are_found_by_the_forces_under_the_feet(seed):
    run = squat(seed, 5.0)
    assert run.outcome is ff.Outcome.END
    after = np.flatnonzero(run.time >= 2.0)  # the window of its averages
    centers = [[dynamics.center_of_mass(robot, run.q[i])[:2] for i in after] for robot in (run.robot, PERSON)]
    true = np.subtract(*centers)
    said = np.column_stack([run.more[f"controller.MassCenter.state.offset.{k}"][after] for k in range(2)])
    assert np.linalg.norm(true, axis=1).min() > 0.03  # what there is to be found
    assert np.linalg.norm(said - true) < 0.15 * np.linalg.norm(true)  # rms over all the time, not at a lucky instant
    assert run.more["controller.MassCenter.state.mass"][-1] == pytest.approx(run.robot.mass - PERSON.mass, abs=0.5)


# --- the estimate that an algorithm sees -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Watcher(NewtonSquat):
    """A squat that remembers what it sees."""

    class State:
        seen: np.ndarray = ff.control.array(6)
        load: np.ndarray = ff.control.array(2)

    initialize, squat = NewtonSquat.initialize, NewtonSquat.controller

    def controller(algo, params, state, time):
        state.seen[:3], state.seen[3:] = algo.obs.q[:3], algo.obs.v[:3]
        half = len(algo.obs.force) // 2
        state.load[:] = algo.obs.force[:half, 2].sum(), algo.obs.force[half:, 2].sum()
        NewtonSquat.controller(algo, params, state, time)


def test_an_algorithm_sees_the_estimate_and_the_forces_of_the_sensors():
    study = ff.studies.load("newton-squat", sensors="real")
    layers = Layered((LegOdometry(), Watcher(), InverseDynamics(rate=250.0)))
    run = ff.simulate(replace(study, controller=layers, record=("controller.state",)), seconds=1.0)
    seen = np.column_stack([run.more[f"controller.Watcher.state.seen.{k}"] for k in range(6)])
    told = np.column_stack([run.more[f"controller.LegOdometry.state.pelvis.{k}"] for k in range(6)])
    np.testing.assert_allclose(seen[0], told[0], atol=1e-12)
    assert np.abs(seen[1:] - told[1:]).max() < 5e-3  # rows may be between its ticks
    assert np.abs(seen - np.column_stack((run.q[:, :3], run.v[:, :3])))[5:].max() > 1e-5  # not the truth
    load = np.column_stack([run.more[f"controller.Watcher.state.load.{k}"] for k in range(2)])
    assert load[-1].sum() == pytest.approx(PERSON.mass * PERSON.gravity, rel=0.1)


def test_an_algorithm_without_an_estimator_is_refused():
    study = ff.studies.load("newton-walk-contact")
    with pytest.raises(
        ff.errors.FootfallError, match=r"put an estimator above it: Layered\(\(LegOdometry\(\), NewtonWalkContact"
    ):
        ff.simulate(replace(study, sensors=walker_sensors(PERSON)), seconds=0.1)


def test_an_algorithm_believes_in_a_robot_with_the_same_coordinates():
    with pytest.raises(ControlError, match="must have the coordinates of 'person'"):
        ff.simulate(PERSON, NewtonSquat(believed=ff.robots.load("johnnie")), seconds=0.1)


# --- the dynamics component ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wanted(Algorithmic):
    """Stand and lean: with forces that the ground can give, by its own torques."""

    rate: float = 1000.0

    def initialize(algo, params, state):
        for side in ("left", "right"):
            algo.hold(side, algo.body(f"foot_{side}"), algo.joint(f"toe_{side}"))
        algo.equate("CENTRE", algo.com.acceleration == (0.3, -0.2, 0.1))
        algo.equate("UPRIGHT", algo.body("torso").angular_acceleration == 0.0)
        algo.minimise(sum(body.acceleration**2 for body in algo.bodies))

    def controller(algo, params, state, time):
        pass


def test_the_motion_that_is_wanted_is_made_where_the_ground_can_give_the_forces():
    """The robot accelerates as wanted on the contact engine: by its velocities after a few steps, not by the component's word."""
    study = ff.studies.load("newton-squat")
    layers = Layered((Wanted(), InverseDynamics(torque=1e4, margin=0.0)))
    run = ff.simulate(ff.Study(PERSON, study.world, layers, study.q, record_dt=0.001), seconds=0.03)
    first, last = (dynamics.center_of_mass(PERSON, run.q[i]) for i in (0, -1))
    t = run.time[-1]
    np.testing.assert_allclose((last - first) / (0.5 * t * t), (0.3, -0.2, 0.1), atol=0.04)


def test_which_corners_stand():
    """Level: sole and toes. Toe up: the heel. Heel up with the toe bent: the toes, and the edge of the ball beside them."""
    params = params_of(InverseDynamics(), PERSON, PERSON.neutral(), 9.81)
    for pitch, toe, count in ((0.0, 0.0, (4, 4)), (-0.2, 0.0, (2, 0)), (0.3, -0.3, (2, 4))):
        q = PERSON.configuration({"toe_left": toe})
        i = PERSON.coordinates.index("ankle_left.qw")
        q[i], q[i + 2] = np.cos(pitch / 2), np.sin(pitch / 2)
        set_places.plain("spatial")(*params.model, q)
        find_standing.plain("spatial")(params, np.array((1.0, 0.0)))
        assert tuple(params.standing.corners) == (*count, 0, 0)


def test_where_the_ground_cannot_give_the_forces_the_feet_stay():
    """A lunge that takes more than friction has: the robot is accelerated less, and its feet stand, without slip."""

    @dataclass(frozen=True)
    class Lunge(Wanted):
        def initialize(algo, params, state):
            Wanted.initialize(algo, params, state)
            algo.equate("CENTRE", algo.com.acceleration == (8.0, 0.0, 0.0))

        controller = Wanted.controller

    study = ff.studies.load("newton-squat")
    layers = Layered((Lunge(), InverseDynamics(friction=0.4)))
    run = ff.simulate(ff.Study(PERSON, study.world, layers, study.q, record_dt=0.001), seconds=0.05)
    sideways, up = np.abs(run.force.sum(axis=1)[5:, 0]), run.force.sum(axis=1)[5:, 2]
    assert (sideways <= 0.42 * up).all()
    assert run.slip[-1].max() < 1e-4
    assert 0.5 < run.v[-1, run.robot.velocities.index("base.x")] / run.time[-1] < 0.4 * PERSON.gravity + 1.0


@pytest.mark.parametrize("engine", ["contact", "maximal"])
def test_a_squat_on_sensors_with_errors_of_the_model(engine):
    run = squat(0, 1.0, engine=engine)
    assert run.outcome is ff.Outcome.END
    for foot in ("foot_left", "foot_right"):
        x, y, z = run.force[:, run.of(foot)].sum(axis=1).T
        assert (np.hypot(x, y) <= 0.8 * z + 1.0).all()


# --- a person with toes ----------------------------------------------------------------------------------------------------


def test_the_estimate_of_a_person_that_strikes_with_the_heel_and_rolls_over_its_toes():
    """As for JOHNNIE: drift below that of an attitude that is off by 0.1 degree and 1 mm for each metre; the height is known."""
    run = ff.simulate(ff.studies.load("newton-walk-contact", sensors="real"), seconds=6.0)
    error = analysis.estimate_error(run)
    assert run.outcome is ff.Outcome.END
    assert error.walked > 1.0
    assert (error.drift < 1e-3 + np.radians(0.1)).all()
    assert error.rms.max() < 0.02
    pads = run.more["controller.LegOdometry.state.on.0"]
    assert set(pads) == {0.0, 1.0}  # it stood on its sole and on its toes


def test_figures():
    rows = list(reproduce.rows("newton-sensing/walk", reproduce.Setting(quick=True, workers=1)))
    assert [row.quantity for row in rows if not row.ok] == []
