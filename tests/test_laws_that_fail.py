"""Compiled laws with something wrong in them: the run stops at once and says what, as it does for laws in Python."""

import os
import sys
import threading
from types import SimpleNamespace

import numba
import numpy as np
import pytest

import footfall as ff
from footfall.control import Follow, Layered
from footfall.control.controller import Compiled, ControlError, Controller
from footfall.core.jit import kernel

needs_compiler = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled then")
ROBOT = ff.robots.load("rabbit")


def asked(law, **more):
    return ff.simulate(ROBOT, Compiled(function=law, **more), seconds=0.1, lift=True)


@numba.njit
def late(x):
    if x > 0.0505:
        raise ValueError("too late")
    return x


@numba.njit
def unknown(x):
    return x.colour


def raises(obs, params, state, goal, command):
    if obs.time > 0.0505:
        raise ValueError("too late")
    return 0


def calls_what_raises(obs, params, state, goal, command):
    command.tau[3] = late(obs.time)
    return 0


def solves(obs, params, state, goal, command):
    A = np.eye(2)
    if obs.time > 0.0505:
        A[1, 1] = 0.0
    command.tau[3] = np.linalg.solve(A, np.ones(2))[0]
    return 0


def minus_one(obs, params, state, goal, command):
    return -1 if obs.time > 0.0505 else 0


def not_a_number(obs, params, state, goal, command):
    command.tau[4] = np.nan if obs.time > 0.0505 else 0.0
    return 0


LATER = {
    raises: "raised ValueError: too late",
    calls_what_raises: "raised ValueError: too late",
    solves: "raised LinAlgError: Matrix is singular to machine precision",
    minus_one: "returned a status other than 0",
    not_a_number: "its answer is not finite: tau of 'knee_left' is nan",
}


@needs_compiler
@pytest.mark.parametrize("law", LATER, ids=lambda law: law.__name__)
def test_a_law_that_fails_under_way(law, capsys):
    with pytest.raises(ControlError, match=f"controller Compiled at 0.0510 s: {LATER[law]}") as caught:
        asked(law)
    assert caught.value.run.time[-1] == pytest.approx(0.05)
    assert caught.value.run.outcome is ff.Outcome.STOPPED
    if "raised" in LATER[law]:
        assert type(caught.value.__cause__).__name__ in LATER[law]
    assert capsys.readouterr().err == ""


@needs_compiler
def test_what_another_run_raised_is_not_said_again():
    for law in (raises, minus_one, raises):
        with pytest.raises(ControlError, match=LATER[law]):
            asked(law)


@needs_compiler
def test_in_a_thread():
    found = []

    def run():
        try:
            asked(raises)
        except ControlError as error:
            found.append(str(error))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["controller Compiled at 0.0510 s: raised ValueError: too late"] * 2


@needs_compiler
def test_errors_of_others_go_where_they_went(monkeypatch):
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", seen.append)
    with pytest.raises(ControlError):
        asked(raises)
    other = SimpleNamespace(object="a destructor", exc_value=None)
    sys.unraisablehook(other)
    assert seen == [other]


def writes_velocities(obs, params, state, goal, command):
    obs.v[0] = 0.0
    return 0


def writes_forces(obs, params, state, goal, command):
    obs.force[:] = 0.0
    return 0


def writes_through_a_name(obs, params, state, goal, command):
    v = obs.v
    v *= -5.0
    return 0


def reads_a_parameter(obs, params, state, goal, command):
    command.tau[3] = params.gain
    return 0


def counts(obs, params, state, goal, command):
    state.ticks += 1
    return 0


def calls_what_is_wrong(obs, params, state, goal, command):
    command.tau[3] = unknown(obs.time)
    return 0


FIRST = {
    writes_velocities: "cannot be asked: assignment destination is read-only",
    writes_forces: "cannot be asked: assignment destination is read-only",
    writes_through_a_name: "cannot be asked: .*read-only",
    reads_a_parameter: "cannot be asked: .*no attribute 'gain'",
    counts: "cannot be asked: 'NoneType' object has no attribute 'ticks'",
    calls_what_is_wrong: "cannot be compiled: .*\n?.*Unknown attribute 'colour'",
}


@needs_compiler
@pytest.mark.parametrize("law", FIRST, ids=lambda law: law.__name__)
def test_a_law_that_cannot_be(law):
    with pytest.raises(ControlError, match=f"Compiled: its law .* {FIRST[law]}"):
        asked(law)


@needs_compiler
def test_a_law_that_writes_only_later_is_refused_by_the_compiler():
    def law(obs, params, state, goal, command):
        if obs.time > 0.05:
            obs.q[0] = 7.0
        return 0

    with pytest.raises(ControlError, match="cannot be compiled: (.|\n)*readonly array"):
        asked(law)


def test_a_law_may_make_arrays_itself():
    def makes(obs, params, state, goal, command):
        made = np.zeros(3) + 2.0
        command.tau[3] = made.sum()
        return 0

    assert asked(makes).tau[0, 3] == 6.0


class Wild(Controller):
    """Leads hinges to nowhere."""

    @kernel
    def law(obs, params, state, goal, command):
        command.angle[2] = np.inf if obs.time > 0.0505 else 0.0
        return 0


class WildInPython(Wild):
    law = Wild.law.text


@pytest.mark.parametrize("leader", [Wild, WildInPython])
def test_a_layer_that_leads_to_nowhere_is_named(leader):
    with pytest.raises(
        ControlError, match=rf"controller {leader.__name__} at 0.0510 s: its answer is not finite: angle\[2\] is inf"
    ):
        ff.simulate(ROBOT, Layered((leader(), Follow())), seconds=0.1, lift=True)


class Undecorated(Controller):
    gain: float = ff.quantity("1", "of what is wanted", 2.0)

    def law(obs, params, state, goal, command):
        command.tau[3] = params.gain
        return 0


def test_a_class_that_is_no_dataclass():
    with pytest.raises(ControlError, match="Undecorated: gain is no parameter yet; put @dataclass.frozen=True. above the class"):
        ff.simulate(ROBOT, Undecorated(), lift=True)


# --- a run without rows ---------------------------------------------------------------------------------------------------


class Refuses(Controller):
    def law(obs, params, state, goal, command):
        return 1


LOOKS = {
    **{name: getattr(ff.analysis, name) for name in ("summary", "steps", "slip", "pressure", "ledger", "cost_of_transport")},
    **{
        what: lambda run, what=what: run.plot(what) for what in ("overview", "joints", "contacts", "energy", "pressure", "states")
    },
    "centre": ff.analysis.center_of_mass,
    "recording": lambda run: ff.view.recording(run, "no.html"),
    "animation": lambda run: ff.view.animation(run, "no.gif"),
}


@pytest.mark.parametrize("look", LOOKS)
def test_a_run_that_was_stopped_at_its_first_instant(look):
    with pytest.raises(ControlError) as caught:
        ff.simulate(ROBOT, Refuses(), lift=True)
    assert len(caught.value.run.time) == 0
    with pytest.raises(ff.FootfallError, match="rows|named states"):
        LOOKS[look](caught.value.run)


@pytest.mark.parametrize("study", ["stand-push", "compass"])
def test_a_run_has_the_first_instant_before_it_advances(study):
    simulation = ff.Simulation(ff.studies.load(study))
    run = simulation.run()
    assert list(run.time) == [0.0]
    assert run.replay() == run
    simulation.advance(0.1)
    assert simulation.run() == ff.simulate(ff.studies.load(study), seconds=0.1)
