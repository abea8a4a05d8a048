"""What a newcomer tries in the first hour, and what it says."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

import footfall as ff
from footfall.errors import FileError, ParameterError, SimulationError


@dataclass(frozen=True)
class Press(ff.Controller):
    """Turns one joint."""

    torque: float = ff.quantity("N m", "at the first hinge", 0.3)

    class Goal:
        speed: float = ff.quantity("m/s", "of the centre of mass", 0.4, low=0.0, high=2.0)

    def law(obs, params, state, goal, command):
        command.tau[3] = params.torque * goal.speed
        return 0


def run_of(controller: Any = None) -> Any:
    return ff.simulate(ff.robots.load("wendlandt"), controller or Press(), seconds=0.02, lift=True)


def test_a_run_fits_on_a_line():
    run = ff.simulate(ff.studies.load("stand-push", seconds=0.1))
    assert repr(run).startswith("<Run of 'stand-push': reached the end, ")
    assert len(repr(run)) < 120
    assert repr(ff.Simulation(ff.studies.load("stand-push"))) == "<Simulation of 'stand-push' at 0 s>"


def test_a_goal_may_have_a_unit_and_a_range():
    simulation = ff.Simulation(replace(run_of().study, seconds=0.1))
    simulation.advance(0.01)
    simulation.set("goal.speed", "3.6 km/h")
    assert simulation.study.settings[-1].value == 1.0
    with pytest.raises(ParameterError, match="goal.speed"):
        simulation.set("goal.speed", 3.0)


def test_a_goal_without_a_default_is_refused():
    @dataclass(frozen=True)
    class Empty(Press):
        class Goal:
            speed: float = ff.quantity("m/s", "of the centre of mass")

    with pytest.raises(ff.control.controller.ControlError, match="speed needs a number as its default"):
        run_of(Empty())


@pytest.mark.parametrize("value", [7, -1, 3])
def test_a_named_goal_takes_its_names_only(value):
    simulation = ff.Simulation(ff.studies.load("simple-biped-walk", seconds=1.0))
    simulation.advance(0.1)
    with pytest.raises(ParameterError, match="0 stand, 1 walk, 2 jump"):
        simulation.set("goal.gait", value)


def test_a_file_says_what_an_own_controller_was(tmp_path):
    run_of(Press(torque=0.7)).save(tmp_path / "a.parquet")
    why = ff.Run.load(tmp_path / "a.parquet").study.controller.why
    assert "Press(rate=1000.0, torque=0.7)" in why


def test_a_run_of_an_own_controller_replays_with_it(tmp_path):
    run = run_of(Press(torque=0.7))
    run.save(tmp_path / "a.parquet")
    assert ff.Run.load(tmp_path / "a.parquet").replay(controller=Press(torque=0.7)) == run


def test_what_cannot_change_is_said_before_what_it_may_be():
    simulation = ff.Simulation(ff.studies.load("stand-push"))
    simulation.advance(0.01)
    with pytest.raises(SimulationError, match="dt cannot be set while a run is under way"):
        simulation.set("dt", 1.0)


def test_a_short_name_of_a_recorded_state_is_the_state_not_the_goal():
    study = replace(ff.studies.load("simple-biped-walk", seconds=0.5), record=("controller",))
    assert all(each.name == "controller.state.gait" for each in ff.analysis.switches(ff.simulate(study), "gait"))


def test_a_table_is_not_saved_as_a_run(tmp_path):
    with pytest.raises(FileError, match="to_csv"):
        run_of().save(tmp_path / "a.csv")


def test_a_short_name_that_fits_the_robot_and_the_controller_is_refused():
    with pytest.raises(ParameterError, match=r"'length' may mean robot.length, controller.length"):
        ff.studies.load("simple-biped-walk", length=0.82)
    assert ff.studies.load("simple-biped-walk", **{"controller.length": 0.82}).controller.length == 0.82


def test_a_contact_law_has_no_effect_on_modes():
    with pytest.raises(SimulationError, match="engine Hybrid: .* contact law has no effect"):
        ff.simulate(ff.studies.load("compass", **{"world.friction": 0.01}))


def test_impacts_that_are_not_valid_are_events():
    """Uphill the compass walker falls back on its trailing leg: the ground would have to pull."""
    run = ff.simulate(ff.studies.load("compass", slope="5 deg", seconds=0.3))
    pulled = run.happened("pulls")
    struck = {event.time: event.numbers["impulse N s"] for event in run.happened("impact")}
    assert pulled
    assert all(struck[event.time] < 0.0 for event in pulled)
    assert not ff.simulate(ff.studies.load("compass", seconds=2.0)).happened("pulls")


@dataclass(frozen=True)
class Misled(ff.Controller):
    """Commands a motor where there is none."""

    def law(obs, params, state, goal, command):
        command.tau[0] = 1000.0
        command.stiffness[2], command.damping[2] = 1e4, 1e3
        return 0


def test_coordinates_without_a_motor_have_no_servo():
    """A floating base does not feel a command for it, not even as inertia."""
    robot = ff.robots.load("wendlandt")
    free, misled = (ff.simulate(robot, each, ff.World(falls=False), seconds=0.2, lift=True) for each in (None, Misled()))
    assert free.q.tobytes() == misled.q.tobytes()
    assert not misled.tau.any()
