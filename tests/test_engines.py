"""Engines behind one protocol: hybrid motion as a run, what is refused and why, and runs that go on, or must not."""

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall.control import Controller, Hold
from footfall.cycles import Walk
from footfall.engines import Hybrid, Maximal, TimeStepping
from footfall.engines.hybrid.modes import Guard, Mode, Touches
from footfall.errors import FootfallError, SimulationError, UnknownNameError, UnsuitableError
from footfall.sim.abilities import abilities, why_not
from footfall.world import Change, Flat, Function, Load, Push, World
from legged import WALKS


@pytest.fixture(scope="module")
def compass():
    return ff.simulate(ff.studies.load("compass"), seconds=4.0)


def box():
    link, base = ff.Link("box", 2.0, inertia=0.1), ff.Joint("base", "planar", "world", "box")
    return ff.Robot("box", "planar", (link,), (base,), feet=(ff.Foot("foot", (ff.Box("box", (0.2, 0.1)),)),))


# --- hybrid motion is a run -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WALKS)
def test_a_hybrid_run_is_saved_and_replayed(name, tmp_path):
    run = ff.simulate(ff.studies.load(name), seconds=2.0)
    run.save(tmp_path / "run.parquet")
    again = ff.Run.load(tmp_path / "run.parquet")
    assert again == run
    assert again.replay() == run
    assert np.array_equal(run.time, np.arange(201) * run.study.record_dt)
    assert ff.analysis.ledger(run).relative < 1e-5


def test_it_does_not_depend_on_how_it_is_cut(compass):
    pieces = ff.Simulation(ff.studies.load("compass"))
    for seconds in (0.0, 0.3, 0.001, 1.7, 1.999):
        pieces.advance(seconds)
    assert pieces.run() == compass


def test_legs_keep_their_names_and_stand_in_turn(compass):
    """Periods, lengths and feet of Goswami's walker: what its limit cycle has, in names that stay."""
    found = ff.analysis.steps(compass)
    assert [step.foot for step in found.rows] == ["tip_right", "tip_left"] * (len(found.rows) // 2) + ["tip_right"] * (
        len(found.rows) % 2
    )
    assert found.rows[-1].duration == pytest.approx(0.7347, abs=2e-3)
    assert found.rows[-1].length == pytest.approx(0.5354 * np.cos(np.radians(3)), abs=2e-3)
    assert np.abs(np.diff(compass.q[:, :2], axis=0)).max() < 0.03  # the hip does not jump where names are swapped
    tips = np.array([ff.kinematics.pose(compass.robot, q, "tip_left").position for q in compass.q])
    assert compass.point[:, compass.pads.index("tip_left/pin")] == pytest.approx(tips, abs=1e-12)


def test_the_ground_carries_what_moves(compass):
    """Momentum changes by weight and ground forces, which do not share their code with it, in all intervals, impacts included."""
    p, weight = ff.analysis.momentum(compass)[:, :2], 20.0 * 9.8
    force = compass.force.sum(axis=1) - np.array((0.0, weight))
    rate = np.diff(p, axis=0) / np.diff(compass.time)[:, None]
    assert np.abs(compass.impulse[1:]).max() > 1.0
    assert rate == pytest.approx(force[1:], abs=0.02)
    pressed = compass.force[1:][compass.impacts[1:] == 0].reshape(-1, 2)
    assert np.linalg.norm(pressed, axis=1).max() <= np.linalg.norm(compass.force_peak, axis=2).max() + 1e-6


def test_events_are_those_of_the_motion(compass):
    events = Walk(compass.study).run(3).events
    times = [event.time for event in compass.happened("switch")]
    assert times[:3] == pytest.approx([event.time for event in events], abs=1e-9)
    lost = [event.numbers["energy lost J"] for event in compass.happened("impact")]
    assert lost[:3] == pytest.approx([event.energy_lost for event in events], rel=1e-9)


def test_it_is_plotted_and_summarised(compass, tmp_path):
    for what in ("overview", "joints", "contacts", "energy", "pressure"):
        compass.plot(what, tmp_path / f"{what}.png")
        assert (tmp_path / f"{what}.png").exists()
    assert ff.analysis.summary(compass).steps == len(compass.happened("touch-down")) - 1


def test_what_is_code_is_not_saved(compass, tmp_path):
    study, tip = compass.study, "tip_right"
    step, fallen = study.engine.modes
    strike = replace(step.guards[0], function=Touches(tip, lambda x: -0.0524 * x))
    mine = replace(study, engine=replace(study.engine, modes=(replace(step, guards=(strike, step.guards[1])), fallen)))
    run = ff.simulate(mine, seconds=0.5)
    run.save(tmp_path / "run.parquet")
    again = ff.Run.load(tmp_path / "run.parquet")
    assert again == run
    with pytest.raises(SimulationError, match="is a function, '<lambda>', and code is not kept in files"):
        again.replay()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda study: ff.simulate(study, Hold()), "takes no controller"),
        (lambda study: ff.simulate(study, world=World(pushes=(Push("leg_left", (1.0, 0.0), 0.0, 1.0),))), "knows no pushes"),
        (lambda study: ff.Simulation(study).add(Load("leg_left", 1.0)), "knows no loads"),
        (lambda study: ff.simulate(study, lift=True), "begins where its study says"),
        (lambda study: ff.simulate(study, v=(0.0, 1.0, 0.0, 0.0)), "held but moving"),
        (lambda study: Hybrid((), "step"), "no mode 'step'"),
        (lambda study: Hybrid((Mode("a", guards=(Guard("b", Touches("tip"), to="c"),)),), "a"), "no mode .*'c'"),
        (lambda study: replace(study, engine="hybrid"), "there is no engine .hybrid."),
    ],
)
def test_what_it_has_no_place_for_is_refused(make, said):
    with pytest.raises(FootfallError, match=said):
        make(ff.studies.load("compass"))


# --- what can be asked ----------------------------------------------------------------------------------------------------


def test_what_can_be_asked_follows_from_what_there_is():
    assert abilities(ff.studies.load("compass")) == ("run", "sweep", "cycle", "continue", "basin", "bifurcation")
    assert abilities(ff.studies.load("ranger-walk")) == ("run", "sweep", "tune")
    stand = ff.studies.load("stand-push")
    assert abilities(stand) == ("run", "sweep")
    assert "engine TimeStepping moves it" in why_not(stand)["cycle"]
    assert "declares nothing that can be tuned" in why_not(stand)["tune"]
    for ask in (ff.cycles.limit_cycle, ff.cycles.basin):
        with pytest.raises(UnsuitableError, match="'stand-push': the engine TimeStepping moves it"):
            ask(stand)


# --- going on, and not ----------------------------------------------------------------------------------------------------


def test_a_run_that_fell_does_not_go_on():
    robot = ff.robots.load("wendlandt")
    simulation = ff.Simulation(ff.Study(robot, q=tuple(robot.configuration({"base.pitch": 1.2})), seconds=3.0), lift=True)
    simulation.advance(3.0)
    run = simulation.run()
    assert run.outcome is ff.Outcome.FELL
    with pytest.raises(SimulationError, match="cannot go on: it fell"):
        simulation.advance(1.0)
    assert simulation.run() == run.replay() == run


@pytest.mark.parametrize("what", [Push("box", (50.0, 0.0), 0.2, 0.4), Change(0.2, Flat(-0.1))])
def test_a_controller_cannot_change_the_world_it_is_in(what):
    class Meddles(Controller):
        def law(obs, params, state, goal, command):
            if 0.1 < obs.time < 0.102:
                simulation.add(what)
            return 0

    simulation = ff.Simulation(ff.Study(box(), controller=Meddles(), q=(0.0, 0.05, 0.0)))
    with pytest.raises(FootfallError, match="add cannot be called while the simulation advances"):
        simulation.advance(0.5)


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), -1.0, None, "1", True, 1e300])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(SimulationError, match="advance takes a number of seconds from 0"):
        ff.Simulation(ff.Study(box(), q=(0.0, 0.05, 0.0))).advance(seconds)


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: ff.simulate("wendlandt"), SimulationError, "takes a Study, .* got 'wendlandt'"),
        (lambda: ff.simulate(box(), step=0.01), UnknownNameError, "field .of a study. 'step'"),
        (lambda: ff.simulate(box(), seconds=None), SimulationError, "seconds must be"),
        (lambda: ff.simulate(box(), record_dt=1e17), SimulationError, "record_dt must be"),
        (lambda: ff.simulate(box(), dt=float("nan")), SimulationError, "dt must be"),
    ],
)
def test_wrong_words_are_named(call, kind, said):
    with pytest.raises(kind, match=said):
        call()


def test_the_start_is_worked_out_once(monkeypatch):
    """Placing a robot needs the arrays of its rollout, and no others."""
    from footfall.engines.contact import rollout

    made, build = [], rollout.build_sim_data
    monkeypatch.setattr(rollout, "build_sim_data", lambda *given: made.append(1) or build(*given))
    ff.Simulation(ff.Study(box()), lift=True)
    assert len(made) == 1


def test_engines_are_values():
    assert (Maximal(), TimeStepping()) == (Maximal(alternating=False), TimeStepping())
    with pytest.raises(SimulationError, match="alternating must be"):
        Maximal(alternating="yes")


def test_a_fall_after_the_time_of_the_study_is_replayed():
    simulation = ff.Simulation(ff.studies.load("simple-biped-walk", seconds=2.0))
    simulation.advance(2.0)
    simulation.add(Push("hip", (400.0, 0.0), simulation.time, simulation.time + 0.3))
    simulation.advance(5.0)
    run = simulation.run()
    assert run.fell
    assert run.time[-1] > 2.2
    assert run.replay() == run


# --- Ctrl-C and a ground that fails, in a hybrid motion -------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 5, 60, 400, 1500])
def test_an_interrupted_hybrid_run_goes_on_as_if_nothing_had_been(count):
    """Wherever Ctrl-C comes: when it begins, on its way, at a strike."""
    asked = [10**6]

    def height(x, y):
        asked[0] += 1
        if asked[0] == count:
            raise KeyboardInterrupt
        return -0.0524 * x

    study = replace(ff.studies.load("compass"), world=World(Function(height)), seconds=3.0)
    whole = ff.simulate(study)
    asked[0] = 0
    simulation = ff.Simulation(study)
    simulation.advance(3.0)
    assert simulation.outcome is ff.Outcome.INTERRUPTED
    simulation.advance(3.0 - simulation.time)
    assert simulation.run() == whole


@pytest.mark.parametrize("fault", [lambda: 1 / 0, lambda: float("nan")])
def test_a_hybrid_run_ends_with_its_ground(fault):
    def height(x, y):
        return fault() if x > 0.3 else -0.0524 * x

    simulation = ff.Simulation(replace(ff.studies.load("compass"), world=World(Function(height))))
    with pytest.raises(
        SimulationError, match="after 0.4[0-9]* s the terrain 'height' (raised ZeroDivisionError|gave nan)"
    ) as caught:
        simulation.advance(3.0)
    assert caught.value.run.outcome is ff.Outcome.GROUNDLESS
    assert caught.value.run.time[-1] > 0.3
    with pytest.raises(SimulationError, match="cannot go on: it lost its ground"):
        simulation.advance(1.0)
