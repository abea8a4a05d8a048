"""The Ranger's gait: what it feels, how it stands and walks, and what it refuses."""

from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import signal

import footfall as ff
from footfall.control import RangerGait
from footfall.control.controller import ControlError
from footfall.control.ranger import OUTPUT, butterworth
from footfall.control.trial import Trial
from footfall.cycles.section import fit_map
from footfall.errors import FootfallError, UnknownNameError
from footfall.reproduce import kelly_ranger
from footfall.reproduce.kelly_ranger import passes, steps_made
from footfall.studies import names as study_names

STUDIES = ("ranger-stand", "ranger-walk", "ranger-walk-kelly", "ranger-marathon", "ranger-trouble")


@pytest.fixture(scope="module")
def walked():
    return ff.simulate(ff.studies.load("ranger-walk", seconds=12.0))


def test_the_contact_filter_is_butterworths():
    b, a = signal.butter(2, 30.0, fs=1000.0)
    ours = butterworth(0.03)
    assert np.allclose((ours[0], 2 * ours[0], ours[0]), b)
    assert np.allclose(ours[1:], a[1:])


def test_contact_is_felt_through_the_filter():
    """The law in plain Python, fed with a foot that chatters, against scipy's filter."""
    robot = ff.robots.load("ranger")
    q = np.array(ff.studies.load("ranger-stand").q)
    trial = Trial(RangerGait(mode="stand"), robot, q, 9.81)
    chatter = np.random.default_rng(3).integers(0, 2, 200).astype(float)
    chatter[0] = 1.0
    felt = []
    for i, on in enumerate(chatter):
        trial.ask(i * 1e-3, q, np.zeros(robot.nv), mode=(int(on), 1))
        felt.append(trial.state.contact[0, OUTPUT])
    b, a = signal.butter(2, 30.0, fs=1000.0)
    state = signal.lfiltic(b, a, [1.0, 1.0], [1.0, 1.0])
    assert np.allclose(felt, signal.lfilter(b, a, chatter, zi=state)[0])


def test_the_foot_in_the_air_has_the_frequency_and_damping_that_are_asked_for():
    """Kelly 6.5 with k_d = 2 xi w0 I: the law's spring and damper on a foot of inertia I."""
    robot = ff.robots.load("ranger")
    study = ff.studies.load("ranger-walk-kelly")
    controller = replace(study.controller, foot_frequency=40.0, foot_damping=0.7)
    trial = Trial(controller, robot, np.array(study.q), 9.81)
    trial.ask(0.0, study.q, np.zeros(robot.nv), mode=(1, 0))
    swing = robot.velocities.index("ankle_inner")
    assert trial.command.stiffness[swing] == pytest.approx(40.0**2 * 0.002)
    assert trial.command.target[swing] == pytest.approx(0.2 - 1.85)  # flipped: 0.2 above its stop
    assert trial.command.damping[swing] == pytest.approx(2 * 0.7 * 40.0 * 0.002)


def test_it_stands_still():
    run = ff.simulate(ff.studies.load("ranger-stand"))
    assert not run.fell
    assert np.abs(run.v[-1]).max() < 1e-6
    assert np.abs(run.tau[:, run.robot.velocities.index("hip")]).max() == 0.0  # its hip motor is off


@pytest.mark.parametrize("stiffness", [60.0, (60.0, 60.0, 30.0)])
def test_gui_moves_the_joints_to_their_angles(stiffness):
    study = ff.studies.load("ranger-stand")
    world = ff.World(gravity=0.0)
    gait = RangerGait(mode="gui", gui=(0.1, -0.5, 0.2), gui_stiffness=stiffness)
    run = ff.simulate(replace(study, world=world, controller=gait, q=tuple(np.array(study.q) + np.eye(6)[1]), seconds=3.0))
    off = np.abs(run.q[-1, 3:] - (0.1, -0.5, 0.2))
    # held against springs and friction of the joints: within what these can take of its stiffness
    assert (off < (0.1 * 8.045 + 0.1) / np.array(stiffness)).all()
    servo = np.array(stiffness) * ((0.1, -0.5, 0.2) - run.q[-1, 3:]) - 2.0 * run.v[-1, 3:]
    assert run.tau[-1, 3:] == pytest.approx(servo, abs=1e-3)


def test_it_walks_from_standing_at_about_the_speed_of_the_robot(walked):
    assert not walked.fell
    cost = ff.analysis.cost_of_transport(walked, start=6.0)
    assert cost.speed == pytest.approx(0.59, abs=0.05)
    assert cost.total < 0.28
    assert cost.total > cost.motors + 4.5 / (walked.robot.mass * 9.81 * cost.speed) - 1e-9
    found = ff.analysis.steps(walked)
    assert len(found.rows) > 12
    assert {step.foot for step in found.rows[-4:]} == {"foot_outer", "foot_inner"}


def test_energy_of_the_walk_is_explained(walked):
    assert ff.analysis.ledger(walked).relative < 1e-3


def test_a_mirrored_start_gives_a_mirrored_walk():
    """Outer and inner change places: base of the other leg, hip angle of the other sign."""
    study = ff.studies.load("ranger-walk", seconds=3.0)
    x, z, pitch, hip, outer, inner = study.q
    other = replace(study, q=(x, z, pitch + hip, -hip, inner, outer))
    runs = [ff.simulate(each) for each in (study, other)]
    assert runs[1].q[:, 0] == pytest.approx(runs[0].q[:, 0], abs=1e-6)
    assert runs[1].q[:, 4] == pytest.approx(runs[0].q[:, 5], abs=1e-5)


def test_kellys_parameters_walk_too():
    run = ff.simulate(ff.studies.load("ranger-walk-kelly", seconds=6.0))
    assert not run.fell
    assert ff.analysis.steps(run).speed > 0.3


@pytest.mark.parametrize("name", STUDIES)
def test_studies_are_saved_with_all_their_parameters(name, tmp_path):
    assert name in study_names()
    run = ff.simulate(ff.studies.load(name), seconds=0.05)
    run.save(tmp_path / "run.parquet")
    assert ff.Run.load(tmp_path / "run.parquet").replay() == run


def test_what_it_refuses():
    with pytest.raises(UnknownNameError, match="mode"):
        RangerGait(mode="run")
    with pytest.raises(ControlError, match="gui must be a row of 3 numbers in rad, .* .angles of hip, outer and inner ankle"):
        RangerGait(gui=(1.0,))
    with pytest.raises(ControlError, match="cutoff must be below half the rate"):
        RangerGait(rate=100.0, cutoff=60.0)
    with pytest.raises(ControlError, match="motors at hip, ankle_outer, ankle_inner; 'wendlandt' is planar"):
        ff.simulate(ff.robots.load("wendlandt"), RangerGait())
    with pytest.raises(UnknownNameError, match="gait"):
        ff.studies.load("ranger-walk", gait="jog")


def test_a_fitted_map_is_the_map_that_made_the_states():
    rng = np.random.default_rng(5)
    A, fixed = np.array([[0.5, 0.3, 0.0], [-0.2, 0.4, 0.1], [0.0, 0.0, -0.6]]), np.array([1.0, -2.0, 0.3])
    sequences = []
    for _ in range(20):
        y = [fixed + rng.normal(size=3) * (1.0, 0.01, 10.0)]
        for _ in range(4):
            y.append(fixed + A @ (y[-1] - fixed))
        sequences.append(np.array(y))
    found = fit_map(sequences)
    assert np.allclose(found.matrix, A)
    assert np.allclose(found.fixed, fixed)
    assert np.allclose(np.sort(np.abs(found.multipliers)), np.sort(np.abs(np.linalg.eigvals(A))))
    assert found.unexplained < 1e-9
    with pytest.raises(FootfallError, match="needs 12 pairs of states"):
        fit_map(sequences[:1])


def test_mid_stances_of_a_walk_settle(walked):
    fine = ff.simulate(replace(walked.study, record_dt=0.001))
    rows = passes(fine, 8.0)
    assert len(rows) >= 4
    assert np.all(rows[:, 0] < 0.0)  # the stance leg's lower end goes back
    assert np.ptp(rows[-3:, 0]) < 0.1 * abs(rows[-1, 0])


def test_only_steps_of_the_other_foot_and_ahead_count(monkeypatch):
    """A foot that opens and touches again, scuffs, or goes back and forth has not made a step."""
    places = (  # from where the outer foot stands at 0 and the inner at 0.2
        ("inner", 0.2),  # opens at the start
        ("outer", 0.5),
        ("outer", 0.65),  # opens and touches again
        ("inner", 0.9),
        ("outer", 0.7),  # goes back
        ("outer", 1.2),
        ("inner", 1.25),  # beside it
        ("inner", 1.5),
    )
    rows, at = [], {"outer": 0.0, "inner": 0.2}
    for time, (foot, place) in enumerate(places):
        other = "inner" if foot == "outer" else "outer"
        rows.append(SimpleNamespace(foot=foot, length=place - at[other], stride=place - at[foot], time=time))
        at[foot] = place
    monkeypatch.setattr(kelly_ranger.analysis, "steps", lambda run: SimpleNamespace(rows=rows))
    assert [step.time for step in steps_made(None)] == [1, 3, 5, 7]


def test_steps_of_an_even_walk_all_count(walked):
    made, found = ([step for step in steps if step.time > 6.0] for steps in (steps_made(walked), ff.analysis.steps(walked).rows))
    assert [step.time for step in made] == [step.time for step in found]
    assert all(a.foot != b.foot for a, b in pairwise(made))


def test_trouble_pushes_each_tenth_step_or_sooner():
    run = ff.simulate(ff.studies.load("ranger-trouble", seed=0, seconds=40.0))
    assert not run.fell
    times = [push.end for push in run.study.world.pushes if push.end < run.time[-1]]
    assert len(times) > 5
    between = sum(times[0] < step.time <= times[-1] for step in steps_made(run))
    assert between / (len(times) - 1) < 10.0


def test_a_single_push_is_followed_from_its_own_end():
    settled = kelly_ranger._followed((0.0, "leg_outer", 8.0, ())).mean(axis=0)
    off = np.abs(kelly_ranger._followed((0.5, "leg_inner", 8.3, ())) - settled)
    assert off.shape == (kelly_ranger.FADING, 3)
    assert off[0, 0] > 0.02  # rad/s: half a newton second is felt by 10 kg
    assert np.all(off[-1, [0, 2]] < 0.81 * off[0, [0, 2]])  # the rates; one push may happen to leave an angle as it was
    assert np.isinf(kelly_ranger._followed((40.0, "leg_outer", 8.0, ()))).all()  # it falls


def test_it_stands_for_a_while_and_then_walks():
    study = ff.studies.load("ranger-walk", seconds=8.0)
    run = ff.simulate(replace(study, controller=replace(study.controller, stand=2.0)))
    assert not run.fell
    stood = run.time < 2.0
    assert np.abs(run.q[stood, 0] - run.q[0, 0]).max() < 0.005
    assert run.q[-1, 0] - run.q[0, 0] > 2.0


def test_in_the_air_the_joints_stay_as_they_are():
    """Dropped from 20 cm: until a foot lands, hip and ankles are held, with little left of their springs' pull."""
    study = ff.studies.load("ranger-walk", gait="hand", seconds=0.18)
    q = np.array(study.q)
    q[1] += 0.2
    run = ff.simulate(replace(study, q=tuple(q), record_dt=0.001))
    assert not run.mode[:180].any()
    start = int(np.argmax(run.time > 0.05))  # what was felt at the start has faded
    assert np.ptp(run.q[start:, 3:], axis=0).max() < 0.06
