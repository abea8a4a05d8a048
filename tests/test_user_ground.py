"""Ground that is a function of the user's: what fails there stops the run, and says so."""

import math
import signal
from dataclasses import replace

import numba
import numpy as np
import pytest

import footfall as ff
from footfall.engines.events import Outcome
from footfall.errors import SimulationError, WorldError
from footfall.sim.simulate import Simulation
from footfall.world import Change, Compliant, Flat, Function, World

STUDY = replace(ff.studies.load("box-slope"), seconds=0.5)
ASKED = {"count": 0}


def failing(after, action):
    """Level ground, which does something else once the loop has asked it so often."""
    count = iter(range(10**9))
    return Function(lambda x, y: 0.0 if next(count) < after else action())


def run_on(terrain, study=STUDY):
    return ff.simulate(replace(study, world=World(terrain), q=None))


def asked():
    """How often the ground is asked before the loop, and by a step."""
    counts = []
    for seconds in (0.0, 0.01, 0.1):
        ASKED["count"] = 0
        run_on(Function(count_up), replace(STUDY, seconds=seconds))
        counts.append(ASKED["count"])
    return counts


def count_up(x, y):
    ASKED["count"] += 1
    return 0.0


def divide():
    return 1.0 / 0.0


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (divide, "raised ZeroDivisionError at x = .* m, y = 0 m: float division by zero"),
        (lambda: math.nan, "gave nan at x = .* m; its height must be a finite number in m"),
        (lambda: math.inf, "gave inf"),
        (lambda: None, "gave None"),
        (lambda: "high", "gave 'high'"),
        (lambda: np.zeros(2), "gave array"),
    ],
)
def test_ground_that_fails_stops_the_run(action, words):
    _, few, more = asked()
    with pytest.raises(SimulationError, match=rf"at 0\.\d+ s the terrain '<lambda>' {words}") as caught:
        run_on(failing((few + more) // 2, action))
    run = caught.value.run
    assert run.outcome is Outcome.GROUNDLESS
    assert run.reason.startswith("lost its ground at 0.0")
    assert 0.005 < run.time[-1] < 0.1
    assert np.isfinite(run.q).all()
    assert np.isfinite(run.force).all()
    assert all(event.time <= run.time[-1] + STUDY.record_dt for event in run.events)
    whole = run_on(Flat())
    assert np.array_equal(run.q, whole.q[: len(run.q)])  # until then it is the same ground


def test_the_cause_is_kept():
    with pytest.raises(SimulationError) as caught:
        run_on(failing(asked()[1], divide))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize("action", [divide, lambda: math.nan])
def test_ground_that_fails_at_the_start(action):
    with pytest.raises(WorldError, match="the terrain '<lambda>' (raised ZeroDivisionError|gave nan)"):
        run_on(failing(0, action))


def test_slopes_are_looked_at_too():
    for wrong in (None, 0.0, (0.0,), (0.0, math.nan), (0.0, 0.0, 0.0)):
        with pytest.raises(WorldError, match="gave slopes .*; they must be two finite numbers"):
            run_on(Function(lambda x, y: 0.0, lambda x, y, wrong=wrong: wrong))


def test_ctrl_c_in_a_terrain_ends_the_run_which_can_go_on():
    once = iter((0,))

    def interrupt():
        for _ in once:
            signal.raise_signal(signal.SIGINT)
        return 0.0

    before, now = signal.signal(signal.SIGINT, signal.default_int_handler), asked()
    try:
        simulation = Simulation(replace(STUDY, world=World(failing((now[1] + now[2]) // 2, interrupt)), q=None))
        simulation.advance(0.5)
        run = simulation.run()
        assert run.outcome is Outcome.INTERRUPTED
        assert 0.005 < run.time[-1] < 0.1
        simulation.advance(0.5 - simulation.time)
    finally:
        signal.signal(signal.SIGINT, before)
    assert np.array_equal(simulation.run().q, run_on(Flat()).q)


@numba.njit
def compiled_cliff(x, y):
    if x > 0.25:
        raise ValueError
    return -0.1 * x


@numba.njit
def compiled_hole(x, y):
    return -0.1 * x if x < 0.25 else np.nan


@pytest.mark.parametrize("function", [compiled_cliff, compiled_hole])
@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_compiled_ground_that_fails(function, space):
    robot = STUDY.robot if space == "planar" else STUDY.robot.in_space()
    world = World(Function(function), Compliant(0.0))
    v = np.zeros(robot.nv)
    v[0] = 1.0
    with pytest.raises(SimulationError, match=f"the terrain '{function.__name__}' .*no finite number at x = 0.25") as caught:
        ff.simulate(robot, world=world, v=v, seconds=0.5)
    assert np.isfinite(caught.value.run.q).all()


def test_ground_that_cannot_be_compiled():
    @numba.njit
    def words(x, y):
        return "high"

    with pytest.raises(WorldError, match="the terrain 'words' cannot be compiled as a function of x and y that gives a number"):
        run_on(Function(words))


def test_compiled_ground_is_compiled_once():
    first, second = Function(compiled_hole).ground(), Function(compiled_hole).ground()
    assert first.call.__wrapper_address__() == second.call.__wrapper_address__()
    assert first.numbers is not second.numbers


def test_a_later_ground_that_fails():
    study = replace(STUDY, q=None, world=World(changes=(Change(0.1, Function(lambda x, y: math.nan)),)))
    with pytest.raises(WorldError, match="gave nan"):
        ff.simulate(study)


@pytest.mark.parametrize("function", [None, 3, "flat"])
def test_no_function(function):
    with pytest.raises(WorldError, match="Function: it takes a function height"):
        Function(function)
    if function is not None:
        with pytest.raises(WorldError, match="Function: it takes a function height"):
            Function(math.hypot, function)
