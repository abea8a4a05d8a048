"""Many simulations stepped in one call: each as if it were alone, beginnings, threads; policies as controllers."""

import dataclasses
import pickle
from itertools import pairwise

import numpy as np
import pytest

import footfall as ff
from footfall.control import Policy
from footfall.control.inputs import inputs_of, known_inputs, touches, usual_inputs
from footfall.errors import FootfallError, ParameterError, SimulationError
from footfall.sensors import Encoders
from footfall.sim.batch import Batch
from footfall.world import Change, Compliant, Push, Rigid, World


@pytest.fixture(scope="module")
def study():
    return ff.studies.load("stand-push", seconds=1.0)


def some(study, rows, runs, size=5.0):
    return np.random.default_rng(0).normal(0.0, size, (rows, runs, len(study.robot.actuated)))


@pytest.mark.parametrize("name", ["stand-push", "johnnie-walk", "ranger-walk"])
def test_each_run_is_as_if_it_were_alone(name):
    study = ff.studies.load(name)
    torques = some(study, 30, 20)
    batch = Batch.of(study, 20, threads=2)
    alone = [ff.Simulation(study) for _ in range(3)]
    for rows in torques:
        batch.step(rows, 8)
        for simulation, row in zip(alone, rows, strict=False):
            if simulation.outcome is ff.Outcome.END:
                simulation.step(row, 8)
    for k, simulation in enumerate(alone):
        assert batch.q[k].tobytes() == simulation.q.tobytes()
        assert batch.v[k].tobytes() == simulation.v.tobytes()
        assert batch.force[k].tobytes() == simulation.contacts.force.tobytes()
        assert np.array_equal(batch.mode[k], simulation.contacts.mode)
        assert batch.time[k] == simulation.time
        assert batch.simulations[k].run() == simulation.run()
    assert len(np.unique(batch.q[:, 0])) == 20


def test_threads_make_no_difference(study):
    torques = some(study, 20, 40, 20.0)
    found = []
    for threads in (1, 3):
        batch = Batch.of(study, 40, threads=threads)
        for rows in torques:
            batch.step(rows, 10)
        found.append((batch.q.tobytes(), batch.v.tobytes(), batch.time.tobytes()))
        batch.close()
    assert found[0] == found[1]


def test_runs_that_ended_and_those_left_out_stay_as_they_are(study):
    batch = Batch.of(study, 3)
    zeros = np.zeros((3, 6))
    only = np.array([True, False, True])
    assert batch.step(zeros, 5, only=only).all()
    assert batch.time == pytest.approx([5e-3, 0.0, 5e-3])
    while batch.step(zeros, 50).any():
        pass
    ended = batch.time.copy()
    assert all(each.run().fell for each in batch.simulations)
    assert not batch.step(zeros).any()
    assert np.array_equal(batch.time, ended)


@pytest.mark.parametrize("world", [World(contact=Rigid(0.8)), World(contact=Compliant(0.8, 1e5, 1e3))])
def test_a_beginning_is_the_start_of_a_new_simulation(study, world):
    """With other numbers of pushes and another seed: the bits of a simulation that was made for that study."""
    world = dataclasses.replace(world, pushes=(Push("torso_com", (0.0, 0.0), 0.0, 0.1),))
    noisy = dataclasses.replace(study, world=world, sensors=(Encoders(noise=1e-3),), controller=None)
    batch, torques = Batch.of(noisy, 2, inputs=inputs_of(study.robot, usual_inputs(study.robot), 0.0)), some(study, 30, 2)
    for rows in torques:
        batch.step(rows, 5)
    q = np.array(batch.simulations[0].study.q) + np.array([0.0, 0.01, 0.02, *[0.01] * 6])
    pushed = dataclasses.replace(world, pushes=(Push("torso_com", (40.0, 3.0), 0.02, 0.06),))
    other = dataclasses.replace(noisy, q=tuple(q), v=(0.1,) * 9)
    beginning = ff.Simulation(other).beginning()
    wanted = dataclasses.replace(beginning.study, world=pushed, seed=7)
    batch.rewind({1: beginning._replace(study=wanted)})
    fresh = Batch.of(dataclasses.replace(other, world=pushed, seed=7), 2, inputs=batch.inputs)
    assert batch.x[1].tobytes() == fresh.x[1].tobytes()
    for rows in torques:
        batch.step(rows, 5)
        fresh.step(rows, 5)
        assert batch.x[1].tobytes() == fresh.x[1].tobytes()
    assert batch.simulations[1].run() == fresh.simulations[1].run()
    assert batch.simulations[1].run().replay() == batch.simulations[1].run()


def test_a_beginning_after_the_run_was_changed(study):
    changing = dataclasses.replace(study, world=World(contact=Rigid(0.8), changes=(Change(0.02, contact=Rigid(0.1)),)))
    for asked in (study, changing):
        batch, torques = Batch.of(asked, 1), some(study, 30, 1)
        beginning = ff.Simulation(asked).beginning()
        finished = []
        for _ in range(2):
            for rows in torques:
                batch.step(rows, 3)
            finished.append(batch.q.tobytes())
            batch.simulations[0].add(Push("torso_com", (90.0, 0.0), batch.time[0], batch.time[0] + 0.1))
            batch.simulations[0].set("world.gravity", 3.0)
            batch.step(torques[0], 3)
            batch.rewind({0: beginning})
        assert finished[0] == finished[1]


def test_a_simulation_of_a_batch_may_be_moved_by_itself(study):
    batch, torques = Batch.of(study, 2), some(study, 40, 2)
    state = None
    for i, rows in enumerate(torques):
        batch.step(rows, 4)
        if i == 10:
            state = batch.simulations[0].state()
        if i == 15:
            batch.simulations[1].step(rows[1], 7)
            batch.simulations[1].add(Push("torso_com", (9.0, 0.0), 0.1, 0.2))
    batch.simulations[0].restore(state)
    for rows in torques[11:]:
        batch.step(rows, 4)
    alone = ff.Simulation(study)
    for rows in torques:
        alone.step(rows[0], 4)
    assert batch.q[0].tobytes() == alone.q.tobytes()
    assert batch.simulations[1].run().replay() == batch.simulations[1].run()


def test_runs_of_different_studies_with_one_robot(study):
    slippery = dataclasses.replace(study, world=World(contact=Rigid(0.05)))
    batch = Batch([ff.Simulation(study), ff.Simulation(slippery)])
    for rows in some(study, 20, 2, 30.0)[:, :1].repeat(2, axis=1):
        batch.step(rows, 10)
    assert not np.array_equal(batch.q[0], batch.q[1])
    with pytest.raises(SimulationError, match="run 1 of a batch, of robot 'ranger', has other coordinates"):
        Batch([ff.Simulation(study), ff.Simulation(ff.studies.load("ranger-walk"))])
    with pytest.raises(SimulationError, match="engine Hybrid takes no controller"):
        Batch.of(ff.studies.load("compass"), 2)
    with pytest.raises(SimulationError, match="from 1 to"):
        Batch.of(study, 0)


def test_ground_in_plain_python_is_asked_by_all_threads(study):
    uneven = dataclasses.replace(study, world=World(terrain=ff.world.Function(lambda x, y: -0.01 * x * x)))
    torques = some(study, 6, 20)
    found = []
    for threads in (1, 2):
        batch = Batch.of(uneven, 20, threads=threads)
        for rows in torques:
            batch.step(rows, 5)
        found.append(batch.q.tobytes())
    assert found[0] == found[1]


def test_bad_values_name_the_run(study):
    batch = Batch.of(study, 3)
    bad = np.zeros((3, 6))
    bad[1, 2] = np.nan
    for given, words in (
        (bad, "number 2 of run 1 is nan"),
        (np.zeros((2, 6)), "a row for each of 3 runs with 6 numbers .hip_left.* got shape"),
        ("much", "rows of numbers"),
    ):
        with pytest.raises(SimulationError, match=words):
            batch.step(given)
    for steps in (0, -1, 1.5, True):
        with pytest.raises(SimulationError, match="whole number of steps"):
            batch.step(np.zeros((3, 6)), steps)
    assert np.array_equal(batch.time, np.zeros(3))


def test_maximal_coordinates_are_stepped_together(study):
    slow = dataclasses.replace(study, engine=ff.engines.Maximal(), world=World(contact=Rigid(0.8)))
    batch, torques = Batch.of(slow, 2), some(study, 10, 2)
    alone, beginning = ff.Simulation(slow), ff.Simulation(slow).beginning()
    for _ in range(2):
        for rows in torques:
            batch.step(rows, 3)
        batch.rewind({1: beginning})
    for rows in torques:
        alone.step(rows[0], 3)
    again = ff.Simulation(slow)
    for rows in [*torques, *torques]:
        again.step(rows[0], 3)
    assert batch.q[0].tobytes() == again.q.tobytes()
    assert batch.v[0].tobytes() == again.v.tobytes()


# --- inputs and policies --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ff.robots.names())
def test_contacts_of_feet_are_counted_as_engines_do(name):
    robot = ff.robots.load(name)
    counted = [foot.name for foot in robot.feet for pad in foot.pads for _ in range(touches(pad, robot.dim))]
    assert counted == [pad.split("/")[0] for pad in ff.engines.TimeStepping().pads(robot)]


def test_inputs_are_what_their_names_say():
    study = ff.studies.load("johnnie-walk", sensors="real")
    names = tuple(name for name in known_inputs(study.robot) if not name.startswith("acceleration") or name[13] == "0")
    batch = Batch.of(study, 1, inputs=inputs_of(study.robot, names, 0.5))
    for rows in some(study, 5, 1, 1.0):
        batch.step(rows, 7)
    seen, obs, pads = (
        dict(zip(names, batch.x[0], strict=True)),
        batch.simulations[0].observation,
        batch.simulations[0].rollout.pads,
    )
    for j, name in enumerate(study.robot.coordinates):
        assert seen[f"q.{name}"] == obs.q[j]
    for d, name in enumerate(study.robot.velocities):
        assert seen[f"v.{name}"] == obs.v[d]
    for number, foot in enumerate(study.robot.feet):
        own = [k for k, pad in enumerate(pads) if pad.startswith(f"{foot.name}/")]
        assert seen[f"contact.{foot.name}"] == float(obs.mode[own].any())
        assert seen[f"force.{foot.name}.z"] == pytest.approx(obs.force[own, 2].sum())
        assert seen[f"wrench.{foot.name}.fz"] == obs.wrench[number, 2]
    assert seen["acceleration.0.y"] == obs.acceleration[0, 1] if len(obs.acceleration) else np.isnan(seen["acceleration.0.y"])
    assert seen["clock.sin"] == pytest.approx(np.sin(2 * np.pi * batch.time[0] / 0.5))
    assert seen["clock.cos"] == pytest.approx(np.cos(2 * np.pi * batch.time[0] / 0.5))


def network(study, hidden=(5,), seed=0, **more):
    names = (*usual_inputs(study.robot), "clock.sin")
    rng, sizes = np.random.default_rng(seed), [len(names), *hidden, len(study.robot.actuated)]
    layers = [(rng.normal(0, 0.3, (m, n)), rng.normal(0, 0.3, m)) for n, m in pairwise(sizes)]
    bounds = {"low": (-20.0,) * sizes[-1], "high": (30.0,) * sizes[-1]}
    return layers, Policy.of(layers, observation=names, clock=0.4, **bounds, **more)


@pytest.mark.parametrize("hidden", [(), (5,), (4, 7)])
def test_a_policy_is_the_network_that_it_should_be(study, hidden):
    layers, policy = network(study, hidden)
    rows = np.random.default_rng(1).normal(0.0, 3.0, (50, len(policy.observation)))
    wanted = rows
    for i, (matrix, bias) in enumerate(layers):
        wanted = wanted @ matrix.T + bias
        wanted = np.tanh(wanted) if i < len(layers) - 1 else np.clip(wanted, -20.0, 30.0)
    assert policy(rows) == pytest.approx(wanted, rel=1e-12, abs=1e-12)
    assert np.array_equal(policy(rows[3]), policy(rows)[3])


@pytest.mark.parametrize("servo", [{}, {"stiffness": 500.0, "damping": 20.0}])
def test_a_policy_controls_a_study_and_is_saved_with_it(study, servo, tmp_path):
    """What it commands is what the network says to what it saw."""
    _, policy = network(study, rate=100.0, **servo)
    run = ff.simulate(dataclasses.replace(study, controller=policy, record_dt=0.01), seconds=0.3)
    run.save(tmp_path / "run.parquet")
    loaded = ff.Run.load(tmp_path / "run.parquet")
    assert loaded.study.controller == policy
    assert loaded.replay() == run
    assert pickle.loads(pickle.dumps(policy)) == policy
    other = dataclasses.replace(policy, weights=policy.weights * 1.01)
    assert other != policy
    assert not np.array_equal(ff.simulate(dataclasses.replace(study, controller=other), seconds=0.3).q, run.q)


def test_a_policy_outside_acts_as_one_inside(study):
    """Outside it acts one step later, and otherwise the same."""
    _, policy = network(study, rate=100.0)
    inside = ff.Simulation(dataclasses.replace(study, controller=policy))
    batch = Batch.of(study, 1, inputs=inputs_of(study.robot, policy.observation, policy.clock))
    for _ in range(12):
        batch.step(policy(batch.x), 10)
    inside.advance(0.12)
    assert batch.q[0] == pytest.approx(inside.q, abs=5e-3)


def test_policies_that_cannot_be(study):
    names = usual_inputs(study.robot)
    bounds = {"low": (-1.0,) * 6, "high": (1.0,) * 6}
    ones = np.ones((6, len(names)))
    for layers, more, words in (
        ([np.ones((6, 3))], {}, "layer 1 must have a matrix with 19 columns"),
        ([np.ones((5, len(names)))], {}, "must have 6 rows"),
        ([ones * np.nan], {}, "finite"),
        ([], {}, "last layer must have 6 rows"),
        ([ones], {"low": (2.0,) * 6}, "low not above high"),
    ):
        with pytest.raises(FootfallError, match=words):
            Policy.of(layers, observation=names, **(bounds | more))
    unknown = Policy.of([ones], observation=(*names[:-1], "q.hip_lft"), **bounds)
    with pytest.raises(FootfallError, match="no observation .of robot 'wendlandt'. 'q.hip_lft'. Did you mean 'q.hip_left'"):
        ff.simulate(dataclasses.replace(study, controller=unknown), seconds=0.01)
    with pytest.raises(FootfallError, match="commands 6 motors, but robot 'ranger' has 3"):
        ff.simulate(
            dataclasses.replace(ff.studies.load("ranger-walk"), controller=Policy.of([ones], observation=names, **bounds))
        )
    clockless = Policy.of([ones], observation=(*names[:-1], "clock.sin"), **bounds)
    with pytest.raises(FootfallError, match="needs the period of its clock"):
        ff.simulate(dataclasses.replace(study, controller=clockless), seconds=0.01)
    blind = Policy.of([ones], observation=(*names[:-1], "wrench.foot_left.fz"), **bounds)
    with pytest.raises(FootfallError, match="not finite"):
        ff.simulate(dataclasses.replace(study, controller=blind), seconds=0.01)
    with pytest.raises(ParameterError, match="a layer must be a matrix"):
        Policy.of(["much"], observation=names, **bounds)
