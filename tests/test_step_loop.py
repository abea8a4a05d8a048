"""A simulation as a loop: torques from outside, states to go back to, replays of both; bad input."""

import copy
import dataclasses
import multiprocessing
import pickle

import numpy as np
import pytest

import footfall as ff
from footfall.control import External, Hold, Layered
from footfall.errors import SimulationError
from footfall.sensors import Encoders
from footfall.world import Change, Compliant, Load, Push, Rigid, World


@pytest.fixture
def study():
    return ff.studies.load("stand-push", seconds=1.0)


def some(study, rows=150, size=2.0, seed=0):
    return np.random.default_rng(seed).normal(0.0, size, (rows, len(study.robot.actuated)))


def bits(simulation):
    return simulation.time, *(each.tobytes() for each in simulation.observation[1:]), simulation.run()


# --- steps ----------------------------------------------------------------------------------------------------------------


def test_a_step_moves_on_by_a_period_and_says_what_there_is(study):
    simulation = ff.Simulation(study)
    assert simulation.time == 0.0
    assert np.array_equal(simulation.q, study.start()[0])
    assert simulation.step(np.zeros(6))
    assert simulation.time == pytest.approx(1e-3)
    assert simulation.step([0.0] * 6, steps=20)
    assert simulation.time == pytest.approx(21e-3)
    assert simulation.contacts.names == simulation.rollout.pads
    assert simulation.contacts.force.shape == (4, 2)
    obs = simulation.observation
    assert obs.time == simulation.time
    assert np.array_equal(obs.q, simulation.q)
    simulation.step(np.zeros(6))
    assert obs.time < simulation.time
    assert not np.array_equal(obs.q, simulation.q)  # it is a copy


def test_a_period_is_that_of_the_controller():
    study = ff.studies.load("wendlandt-stand")
    simulation = ff.Simulation(study)
    simulation.step(np.zeros(len(study.robot.actuated)))
    assert simulation.time == pytest.approx(1.0 / study.controller.rate)
    other = ff.Simulation(study)
    other.step()
    other.step()
    assert other.time == pytest.approx(2.0 / study.controller.rate)
    assert other.run() == ff.simulate(study, seconds=other.time)  # its own controller went on


def test_free_fall_of_a_driven_joint_against_newton():
    """One hinge, no gravity, no friction: with a torque tau from the middle of the first step on, omega = tau t / I."""
    robot = ff.robots.load("pendulum")
    joint = dataclasses.replace(robot.joints[0], motor=ff.Motor(), damping=0.0)
    robot = dataclasses.replace(robot, joints=(joint,))
    study = ff.Study(robot, World(gravity=0.0, falls=False), q=(0.0,))
    simulation, inertia = ff.Simulation(study), ff.dynamics.mass_matrix(robot, [0.0])[0, 0]
    simulation.step([0.5], steps=200)
    assert simulation.v[0] == pytest.approx(0.5 * (200 - 0.5) * 1e-3 / inertia, rel=1e-9)


@pytest.mark.parametrize("name", ["stand-push", "johnnie-walk", "wendlandt-stand-3d"])
def test_a_run_with_torques_from_outside_is_replayed_bit_for_bit(name, tmp_path):
    study = ff.studies.load(name)
    simulation = ff.Simulation(study)
    for i, row in enumerate(some(study, 20, 5.0)):
        simulation.step(row, steps=None if i % 3 else 1 + i % 5)
    run = simulation.run()
    run.save(tmp_path / "run.parquet")
    loaded = ff.Run.load(tmp_path / "run.parquet")
    assert loaded == run
    assert loaded.replay() == run
    assert isinstance(run.study.controller, External)


@pytest.mark.parametrize("name", ["simbicon-walk", "johnnie-walk"])
def test_what_there_is_to_see_is_what_the_run_records(name):
    """Recorded velocities are projected, which takes a part of second order away from contacts that stick."""
    study = ff.studies.load(name, record_dt=1e-3)
    simulation, seen = ff.Simulation(study), []
    for _ in range(40):
        simulation.advance(0.001)
        seen.append((simulation.q, simulation.v, simulation.contacts.mode))
    run = simulation.run()
    q, v, mode = (np.array(each) for each in zip(*seen, strict=True))
    assert np.array_equal(q, run.q[1:])
    assert np.array_equal(mode, run.mode[1:, : mode.shape[1]])
    assert np.abs(v - run.v[1:]).max() < 1e-3 * np.abs(run.v).max()


def test_zeros_of_both_signs_are_replayed(study):
    simulation = ff.Simulation(study)
    for i in range(40):
        simulation.step(np.zeros(6) if i % 2 else -np.zeros(6))
    assert len(simulation.run().study.controller.since) == 40
    assert simulation.run().replay() == simulation.run()


def test_equal_torques_take_one_row(study):
    simulation = ff.Simulation(study)
    for _ in range(300):
        simulation.step(np.full(6, 0.1))
    assert len(simulation.run().study.controller.since) == 1


def test_the_loop_is_the_same_as_one_call_and_in_plain_python(study, tmp_path):
    torques = np.repeat(some(study, 30), 10, axis=0)
    one, ten = ff.Simulation(study), ff.Simulation(study)
    for row in torques:
        one.step(row)
    for row in torques[::10]:
        ten.step(list(row), steps=10)
    assert one.run() == ten.run()


def test_pushes_loads_changes_and_settings_on_the_way(study):
    world = World(
        contact=Rigid(0.8),
        pushes=(Push("torso_com", (20.0, 0.0), 0.02, 0.05),),
        loads=(Load("torso", 2.0, 0.03, 0.2),),
        changes=(Change(0.04, contact=Compliant(0.8, 1e5, 1e3)),),
    )
    simulation = ff.Simulation(dataclasses.replace(study, world=world))
    for i, row in enumerate(some(study)):
        simulation.step(row)
        if i == 70:
            simulation.set("world.gravity", 5.0)
        if i == 90:
            simulation.add(Push("torso_com", (-30.0, 0.0), simulation.time, simulation.time + 0.02))
    run = simulation.run()
    assert run.replay() == run


def test_sensors_show_what_a_controller_would_see(study):
    sensed = dataclasses.replace(study, sensors=(Encoders(resolution=1e-2, delay=0.002),), record=("sensors",))
    simulation = ff.Simulation(sensed)
    for row in some(study, 30):
        simulation.step(row)
    angles = simulation.observation.q[3:]
    assert np.allclose(angles / 1e-2, np.rint(angles / 1e-2), atol=1e-9)
    assert not np.array_equal(angles, simulation.q[3:])
    assert simulation.run().replay() == simulation.run()


def test_motors_limit_what_is_given(study):
    robot = study.robot
    limited = dataclasses.replace(
        robot,
        joints=tuple(dataclasses.replace(j, motor=ff.Motor(torque=3.0)) if j.motor else j for j in robot.joints),
    )
    simulation = ff.Simulation(dataclasses.replace(study, robot=limited, controller=None))
    simulation.step(np.full(6, 100.0), steps=20)
    assert np.abs(simulation.run().tau).max() == 3.0


def test_targets_of_servos_hold_a_posture(study):
    holding = dataclasses.replace(study, controller=External(stiffness=3000.0, damping=100.0), world=World(contact=Rigid(0.8)))
    simulation = ff.Simulation(holding)
    before = simulation.q[3:]
    for _ in range(100):
        simulation.step(before, steps=10)
    assert np.abs(simulation.q[3:] - before).max() < 0.05
    assert not simulation.run().fell
    assert simulation.run().replay() == simulation.run()


# --- states ---------------------------------------------------------------------------------------------------------------


def drive(simulation, torques):
    for row in torques:
        simulation.step(row)
    return bits(simulation)


def test_going_on_from_a_state_gives_the_same_bits(study):
    torques = some(study, 200)
    whole = drive(ff.Simulation(study), torques)
    simulation = ff.Simulation(study)
    drive(simulation, torques[:80])
    state = simulation.state()
    assert drive(simulation, torques[80:]) == whole
    drive(simulation, some(study, 50, seed=1))  # another way, which is forgotten
    simulation.restore(state)
    assert drive(simulation, torques[80:]) == whole
    elsewhere = ff.Simulation(study)
    elsewhere.restore(pickle.loads(pickle.dumps(state)))
    assert drive(elsewhere, torques[80:]) == whole


def _elsewhere(study, state, torques):
    simulation = ff.Simulation(study)
    simulation.restore(state)
    time, *rest, run = drive(simulation, torques)
    return time, rest, {name: array.tobytes() for name, array in run.series.items()}


@pytest.mark.slow
def test_a_state_goes_on_in_another_process(study):
    torques = some(study, 120)
    simulation = ff.Simulation(study)
    drive(simulation, torques[:60])
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        there = pool.apply(_elsewhere, (study, simulation.state(), torques[60:]))
    time, *rest, run = drive(simulation, torques[60:])
    assert there == (time, rest, {name: array.tobytes() for name, array in run.series.items()})


@pytest.mark.parametrize("name", ["simbicon-walk", "johnnie-walk", "johnnie-uneven"])
def test_states_of_runs_that_their_controllers_drive(name):
    """Sensors, estimators and laws with memory go on as if nothing had been."""
    study = ff.studies.load(name)
    if name == "johnnie-walk":
        study = ff.studies.load(name, sensors="real")
    simulation = ff.Simulation(study)
    simulation.advance(0.7)
    state = pickle.loads(pickle.dumps(simulation.state()))
    simulation.advance(0.4)
    run = simulation.run()
    simulation.restore(state)
    simulation.advance(0.4)
    assert simulation.run() == run
    other = ff.Simulation(study)
    other.restore(state)
    other.advance(0.4)
    assert other.observation.q.tobytes() == simulation.observation.q.tobytes()
    assert other.run() == run


def test_states_before_and_after_changes_of_the_ground(study):
    changes = (Change(0.03, contact=Rigid(0.3)), Change(0.06, terrain=ff.world.Flat(-0.002)))
    changing = dataclasses.replace(
        study, world=World(contact=Rigid(0.8), changes=changes, loads=(Load("torso", 3.0, 0.02, 0.05),))
    )
    torques = some(study, 120)
    simulation, states = ff.Simulation(changing), {}
    for i, row in enumerate(torques):
        if i in (0, 10, 25, 30, 45, 60, 61):
            states[i] = simulation.state()
        simulation.step(row)
    whole = bits(simulation)
    for i in (45, 10, 61, 30, 0, 25, 60):
        simulation.restore(states[i])
        assert drive(simulation, torques[i:]) == whole
        other = ff.Simulation(changing)
        other.restore(pickle.loads(pickle.dumps(states[i])))
        assert drive(other, torques[i:]) == whole


def test_states_after_settings(study):
    simulation = ff.Simulation(study)
    torques = some(study, 100)
    drive(simulation, torques[:30])
    simulation.set("world.gravity", 3.0)
    state = simulation.state()
    whole = drive(simulation, torques[30:])
    simulation.restore(state)
    assert drive(simulation, torques[30:]) == whole
    other = ff.Simulation(simulation.study)
    other.restore(pickle.loads(pickle.dumps(state)))
    assert drive(other, torques[30:])[:-1] == whole[:-1]


def test_a_state_before_a_fall_comes_back_after_it(study):
    simulation = ff.Simulation(study)
    simulation.step(np.zeros(6), steps=50)
    state = simulation.state()
    while simulation.step():
        pass
    assert simulation.run().fell
    assert simulation.happened[-1].kind == "fall"
    with pytest.raises(SimulationError, match="cannot go on: it fell at"):
        simulation.step(np.zeros(6))
    simulation.restore(state)
    assert simulation.step(np.zeros(6))
    assert not simulation.run().fell
    assert simulation.happened == list(simulation.run().events)


def test_sampling_from_a_state_leaves_no_trace(study):
    """Many ways from one state, as in sampling model-predictive control; the run is that of the one taken."""
    simulation, taken = ff.Simulation(study), some(study, 12)
    for row in taken:
        state = simulation.state()
        for seed in range(5):
            drive_on = some(study, 4, seed=seed)
            for other in drive_on:
                simulation.step(other)
            simulation.restore(state)
        simulation.step(row)
    straight = ff.Simulation(study)
    for row in taken:
        straight.step(row)
    assert simulation.run() == straight.run()
    assert simulation.run().replay() == straight.run()


# --- back to the start ----------------------------------------------------------------------------------------------------


def test_reset_begins_again(study):
    simulation, torques = ff.Simulation(study), some(study, 50)
    first = drive(simulation, torques)
    simulation.add(Push("torso_com", (50.0, 0.0), simulation.time, simulation.time + 0.1))
    simulation.reset()
    assert simulation.time == 0.0
    assert drive(simulation, torques) == first
    q = study.start()[0] + np.array([0.0, 0.1, 0.0, *[0.0] * 6])
    simulation.reset(q=q, v=np.full(9, 0.1))
    assert np.array_equal(simulation.q, q)
    assert np.array_equal(simulation.v, np.full(9, 0.1))
    drive(simulation, torques)
    assert simulation.run().replay() == simulation.run()


def test_reset_takes_another_seed(study):
    noisy = dataclasses.replace(study, sensors=(Encoders(noise=1e-3),))
    simulation = ff.Simulation(noisy)
    seen = []
    for seed in (1, 2, 1):
        simulation.reset(seed=seed)
        simulation.step(np.zeros(6))
        seen.append(simulation.observation.q.tobytes())
    assert seen[0] == seen[2] != seen[1]


# --- what is refused ------------------------------------------------------------------------------------------------------


def test_bad_input_names_what_is_wrong(study):
    simulation = ff.Simulation(study)
    simulation.step(np.zeros(6))
    for given, words in (
        (np.zeros(5), "must have 6 numbers .hip_left, .*got shape .5,."),
        (np.zeros((6, 1)), "got shape .6, 1."),
        ([0.0, np.nan, 0.0, 0.0, 0.0, 0.0], "number 1 is nan"),
        (np.array([0.0, 0.0, np.inf, 0.0, 0.0, 0.0]), "number 2 is inf"),
        ("much", "must be 6 numbers"),
    ):
        before = simulation.time
        with pytest.raises(SimulationError, match=words):
            simulation.step(given)
        assert simulation.time == before
    for steps in (0, -1, 1.5, True, "2"):
        with pytest.raises(SimulationError, match="whole number of steps"):
            simulation.step(np.zeros(6), steps=steps)
    simulation.step(np.zeros(6, np.float32))
    simulation.step(np.zeros(12)[::2])
    simulation.step(np.arange(6))
    assert simulation.run().replay() == simulation.run()


def test_torques_cannot_begin_in_the_midst_of_a_run(study):
    simulation = ff.Simulation(study)
    simulation.advance(0.1)
    with pytest.raises(SimulationError, match="Hold drives this run since its first instant"):
        simulation.step(np.zeros(6))
    simulation.reset()
    assert simulation.step(np.zeros(6))


def test_states_of_other_studies_are_refused(study):
    simulation = ff.Simulation(study)
    simulation.step(np.zeros(6))
    state = simulation.state()
    other = ff.Simulation(dataclasses.replace(study, world=World(gravity=5.0)))
    with pytest.raises(SimulationError, match="of another study"):
        other.restore(state)
    with pytest.raises(SimulationError, match="of another study"):
        other.restore(pickle.loads(pickle.dumps(state)))
    simulation.add(Push("torso_com", (1.0, 0.0), 0.5, 0.6))
    with pytest.raises(SimulationError, match="before something was added"):
        simulation.restore(state)
    with pytest.raises(SimulationError, match="takes what state"):
        simulation.restore(None)
    driven = ff.Simulation(study)
    driven.advance(0.01)
    with pytest.raises(SimulationError, match="its controller drives this one"):
        driven.restore(state)


def test_engines_without_steps_say_so():
    simulation = ff.Simulation(ff.studies.load("compass"))
    for ask in (lambda: simulation.step([0.0]), lambda: simulation.state(), lambda: simulation.q, lambda: simulation.observation):
        with pytest.raises(SimulationError, match="Hybrid computes a motion ahead"):
            ask()


def test_a_robot_without_motors_says_so():
    study = ff.Study(ff.robots.load("simplest-walker"), World(falls=False))
    with pytest.raises(ff.FootfallError, match="has no motors"):
        ff.Simulation(study).step([])


def test_maximal_coordinates_have_steps_and_states(study):
    slow = dataclasses.replace(study, engine=ff.engines.Maximal(), world=World(contact=Rigid(0.8)))
    torques = some(slow, 60)
    simulation = ff.Simulation(slow)
    for row in torques[:30]:
        simulation.step(row)
    state = pickle.loads(pickle.dumps(simulation.state()))
    whole = drive(simulation, torques[30:])
    simulation.restore(state)
    assert drive(simulation, torques[30:]) == whole
    assert simulation.run().replay() == simulation.run()


def test_rows_of_a_file_are_checked():
    for since, values, words in (
        ([0.0], None, "belong together"),
        ([0.0, 1.0], [[1.0]], r"must have shape"),
        ([1.0, 0.0], [[1.0], [2.0]], "ascend"),
        ([0.5], [[1.0]], "whole numbers"),
        ([0.0], [[np.nan]], "finite"),
        ("x", [[1.0]], "rows of numbers"),
    ):
        with pytest.raises(ff.FootfallError, match=words):
            External(since=since, values=values)
    study = ff.studies.load("stand-push")
    with pytest.raises(ff.FootfallError, match="a row must have 6 numbers"):
        ff.simulate(dataclasses.replace(study, controller=External(since=[0.0], values=[[1.0]])), seconds=0.01)
    with pytest.raises(ff.FootfallError):
        ff.simulate(dataclasses.replace(study, controller=Layered((External(), Hold()))), seconds=0.01)


def test_a_long_loop_grows_its_records(study):
    simulation = ff.Simulation(dataclasses.replace(study, world=World(falls=False), seconds=0.1))
    row = np.zeros(6)
    for i in range(6000):
        row[0] = i % 7
        simulation.step(row)
    assert simulation.time == pytest.approx(6.0)
    assert len(simulation.run().time) == 601
    assert simulation.run().replay() == simulation.run()


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickle.dumps])
def test_simulations_are_not_copied_but_their_states_are(copied):
    with pytest.raises(SimulationError, match=r"keep state\(\)"):
        copied(ff.Simulation(ff.studies.load("stand-push")))
    copied(ff.Simulation(ff.studies.load("stand-push")).state())


def test_torques_are_real():
    with pytest.raises(SimulationError, match="must be 6 numbers"):
        ff.Simulation(ff.studies.load("stand-push")).step(np.full(6, 1.0 + 2.0j))
