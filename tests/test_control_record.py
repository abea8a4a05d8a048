"""States and goals of controllers, recorded with the run: by name, in files, replayed, as switches and as bands."""

import csv
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import footfall as ff
from footfall.control import Controller, Follow, Layered
from footfall.control.fields import array, states
from footfall.core.jit import kernel
from footfall.engines import Maximal
from footfall.errors import FileError, SimulationError, StateError, UnknownNameError
from footfall.sim.study import Study
from footfall.world import World


def arm():
    """Two driven hinges that hang from the world."""
    links = tuple(ff.Link(name, 1.0, (0, -0.5), 0.02) for name in ("upper", "lower"))
    joints = (
        ff.Joint("shoulder", "revolute", "world", "upper", motor=ff.Motor()),
        ff.Joint("elbow", "revolute", "upper", "lower", at=(0, -1.0), motor=ff.Motor()),
    )
    return ff.Robot("arm", "planar", links, joints)


def swing(obs, params, state, goal, command):
    """Up for a time, then down; it counts its ticks."""
    state.ticks += 1
    state.where = 1 if obs.time - state.since < 0.045 else 0
    if obs.time - state.since >= 0.095:
        state.since = obs.time
    command.angle[0], command.angle[1] = 0.3 * state.where, state.since
    return 0


@dataclass(frozen=True)
class Swing(Controller):
    class State:
        where: int = states("down", "up")
        since: float = 0.0
        ticks: int = 0

    law = swing


class SwingCompiled(Swing):
    law = kernel(swing)


@dataclass(frozen=True)
class Sizes(Controller):
    class State:
        each: Any = array("nv", 2)

    class Goal:
        sole: Any = array("contacts")

    def law(obs, params, state, goal, command):
        state.each[:, 1] += 1.0
        return 0


def layered(outer=Swing):
    return Study(
        arm(), World(gravity=0.0), Layered((outer(100.0), Follow(1000.0, 50.0, 5.0))), seconds=0.5, record=("controller",)
    )


@pytest.mark.parametrize("outer", [Swing, SwingCompiled])
def test_state_and_goal_are_recorded_by_name_after_each_tick(outer):
    run = ff.simulate(replace(layered(outer), record_dt=0.005))
    assert list(run.more) == [
        f"controller.{outer.__name__}.state.since",
        f"controller.{outer.__name__}.state.where",
        f"controller.{outer.__name__}.state.ticks",
        "controller.Follow.goal.angle.shoulder",
        "controller.Follow.goal.angle.elbow",
    ]
    ticks, where = (run[f"controller.{outer.__name__}.state.{name}"] for name in ("ticks", "where"))
    assert ticks.dtype == np.int64
    assert np.array_equal(ticks, 1 + np.arange(len(run.time)) // 2)  # asked at 0, 10, 20 ms, recorded every 5 ms
    assert np.array_equal(run["controller.Follow.goal.angle.shoulder"], 0.3 * where)
    assert run.labels == {f"controller.{outer.__name__}.state.where": ("down", "up")}


def test_python_and_compiled_records_have_the_same_bits():
    ours, theirs = ff.simulate(layered(Swing)), ff.simulate(layered(SwingCompiled))
    assert [column.tobytes() for column in ours.more.values()] == [column.tobytes() for column in theirs.more.values()]


def test_asking_for_one_of_them_leaves_the_other_out():
    state, goal = (ff.simulate(replace(layered(), record=(what,))) for what in ("controller.state", "controller.goal"))
    assert {name.split(".")[2] for name in state.more} == {"state"}
    assert {name.split(".")[2] for name in goal.more} == {"goal"}
    assert [*state.more, *goal.more] == list(ff.simulate(layered()).more)


@pytest.mark.parametrize("name", ["simple-biped-walk", "simbicon-walk", "ranger-walk", "wendlandt-stand"])
def test_a_recorded_run_is_the_same_run(name):
    study = replace(ff.studies.load(name), seconds=0.5)
    plain, recorded = ff.simulate(study), ff.simulate(replace(study, record=("controller", "sensors")))
    assert replace(recorded, more={}, labels={}) == plain
    assert any(column.startswith("controller.state.") for column in recorded.more)


def test_recorded_on_maximal_coordinates_too():
    study = replace(ff.studies.load("simbicon-walk"), seconds=0.3, record=("controller.state",))
    runs = [ff.simulate(replace(study, engine=engine)) for engine in (study.engine, Maximal())]
    assert runs[0].more.keys() == runs[1].more.keys()
    assert np.array_equal(*(run["controller.state.part"][:5] for run in runs))


@pytest.mark.parametrize("pieces", [[0.0, 0.5], [0.1, 0.0, 0.004, 0.396], [0.05] * 10])
def test_pieces_and_growth_do_not_matter(pieces):
    whole = ff.simulate(layered(), record_dt=0.002)
    simulation = ff.Simulation(replace(layered(), record_dt=0.002, seconds=0.0))  # room for one row
    for piece in pieces:
        simulation.advance(piece)
    assert simulation.run() == whole


def test_numbers_of_joints_and_contacts_have_their_names():
    robot = ff.robots.load("simple-biped")
    run = ff.simulate(robot, Sizes(), World(falls=False), seconds=0.02, lift=True, record=("controller",))
    assert "controller.state.each.hip.1" in run.more
    assert "controller.goal.sole.foot_left/point" in run.more
    assert run["controller.state.each.hip.1"].tolist() == [1.0, 11.0, 21.0]


def test_two_layers_of_one_class_go_by_their_places():
    class Pass(Controller):
        class Goal:
            angle: Any = array("motors")

        def law(obs, params, state, goal, command):
            command.angle[:] = goal.angle + 1.0
            return 0

    run = ff.simulate(arm(), Layered((Pass(), Pass(), Follow())), World(gravity=0.0), seconds=0.01, record=("controller.goal",))
    ends = [run[f"controller.{layer}.goal.angle.elbow"][-1] for layer in ("Pass0", "Pass1", "Follow")]
    assert ends == [0.0, 1.0, 2.0]


# --- files ----------------------------------------------------------------------------------------------------------------


def test_saved_and_replayed(tmp_path):
    run = ff.simulate(replace(ff.studies.load("simbicon-walk"), seconds=1.0, record=("controller",)))
    run.save(tmp_path / "run.parquet")
    again = ff.Run.load(tmp_path / "run.parquet")
    assert again == run
    assert again.replay() == run
    assert again.labels["controller.state.part"][1] == "left stands, strike"
    run.to_csv(tmp_path / "run.csv")
    with (tmp_path / "run.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["controller.state.part"]) for row in rows] == run["controller.state.part"].tolist()


def test_names_of_states_are_those_of_the_file(tmp_path, monkeypatch):
    """A later version may call them differently, or have more of them."""
    run = ff.simulate(replace(ff.studies.load("simbicon-walk"), seconds=0.1, record=("controller.state",)))
    run.save(tmp_path / "run.parquet")

    class State(ff.control.Simbicon.State):
        part: int = states("one", "two", "three", "four")
        more: float = 0.0

    monkeypatch.setattr(ff.control.Simbicon, "State", State)
    again = ff.Run.load(tmp_path / "run.parquet")
    assert again == run
    assert again.labels["controller.state.part"][0] == "left stands"


def test_a_controller_that_cannot_be_saved_leaves_its_record(tmp_path):
    run = ff.simulate(layered())
    run.save(tmp_path / "run.parquet")
    again = ff.Run.load(tmp_path / "run.parquet")
    assert again == run
    assert ff.analysis.switches(again) == ff.analysis.switches(run)
    with pytest.raises(SimulationError, match="Swing is not a part of Footfall"):
        again.replay()


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ([{"name": "controller.state.part"}], "more must be a list of columns with name, kind .float, int. and labels"),
        ([{"name": 3, "kind": "int", "labels": []}], "a column and its labels must be words"),
        ([{"name": "x", "kind": "int", "labels": [1]}], "a column and its labels must be words"),
        ([{"name": "x", "kind": "int", "labels": []}], "further columns are not those that the study records .controller"),
        ([{"name": "controller.x", "kind": "int", "labels": []}] * 2, "further columns are not those that the study records"),
        ([{"name": "controller.x", "kind": "int", "labels": []}], "the column 'controller.x', .* is there 0 times"),
        ({}, "more must be a list"),
    ],
)
def test_wrong_further_columns_are_refused(more, said, tmp_path, monkeypatch):
    from footfall.sim import run_file

    run = ff.simulate(replace(ff.studies.load("simbicon-walk"), seconds=0.02, record=("controller.state",)))
    written = run_file._written
    monkeypatch.setattr(run_file, "_written", lambda run: written(run) | {"more": more})
    run.save(tmp_path / "run.parquet")
    with pytest.raises(FileError, match=said):
        ff.Run.load(tmp_path / "run.parquet")


# --- what it is good for --------------------------------------------------------------------------------------------------


def test_switches_by_name():
    run = ff.simulate(layered(), record_dt=0.001)
    found = ff.analysis.switches(run, "where")
    assert [(round(s.time, 3), s.before, s.after) for s in found[:3]] == [
        (0.05, "up", "down"),
        (0.11, "down", "up"),
        (0.15, "up", "down"),
    ]
    assert ff.analysis.switches(run) == found
    assert set(ff.analysis.state_names(run, "where")) == {"up", "down"}
    with pytest.raises(UnknownNameError, match="where"):
        ff.analysis.switches(run, "wher")
    with pytest.raises(StateError, match="record=.'controller.state',."):
        ff.analysis.switches(ff.simulate(layered(), record=()))


def test_a_value_without_a_name_is_shown_as_its_number():
    run = ff.simulate(layered(), seconds=0.05)
    name = "controller.Swing.state.where"
    odd = replace(run, more=run.more | {name: np.full(len(run.time), 7)})
    assert set(ff.analysis.state_names(odd, "where")) == {"7"}


def test_states_are_drawn_as_bands(tmp_path):
    run = ff.simulate(replace(ff.studies.load("simbicon-walk"), seconds=2.0, record=("controller.state",)))
    figure = run.plot("states", tmp_path / "states.png")
    legend = figure.axes[1].get_legend_handles_labels()[1]
    assert set(legend) >= {"left stands", "right stands", "walk"}
    assert [text.get_text() for text in figure.axes[1].get_yticklabels()] == ["part", "gait"]
    with pytest.raises(StateError, match="no named states"):
        ff.simulate(ff.studies.load("simbicon-walk"), seconds=0.02).plot("states")


def test_columns_are_found_by_name():
    run = ff.simulate(layered())
    assert np.array_equal(run["q.elbow"], run.q[:, 1])
    with pytest.raises(UnknownNameError, match="q.elbow"):
        run["q.elbo"]


# --- what is refused ------------------------------------------------------------------------------------------------------


def test_nothing_to_record_is_said():
    with pytest.raises(SimulationError, match="records controller.state, but its controller .Follow. has nothing"):
        ff.simulate(arm(), Follow(), record=("controller.state",))
    with pytest.raises(SimulationError, match="its controller .none. has nothing"):
        ff.simulate(arm(), record=("controller",))
    with pytest.raises(UnknownNameError, match="controller.state"):
        Study(arm(), record=("controller.stat",))
