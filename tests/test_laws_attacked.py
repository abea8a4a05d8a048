"""Laws that were written to find a difference between compiled and plain, or a value that goes through unseen."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy import tanh

import footfall as ff
from footfall.control.controller import Compiled, ControlError, Controller
from footfall.core.cache import cache_home, digest
from footfall.core.scalar import NAMES, NUMPY, scalar

needs_compiler = pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled then")
ROBOT = ff.robots.load("rabbit")


def asked(law, seconds=0.05, **more):
    return ff.simulate(ROBOT, Compiled(function=law, **more), seconds=seconds, lift=True)


def plainly(function, seconds=0.05):
    return ff.simulate(ROBOT, type("Plain", (Controller,), {"law": function})(), seconds=seconds, lift=True)


# --- functions of numbers ------------------------------------------------------------------------------------------------------


def uses_numpy(obs, params, state, goal, command):
    for d in range(len(command.tau)):
        x = obs.q[d] + obs.time
        command.tau[d] = np.tanh(x) + np.cbrt(x) + np.exp2(x) * np.log2(1.1 + x * x) + np.power(2.0 + x, 1.7) + tanh(d)
    return 0


def uses_rows(obs, params, state, goal, command):
    command.tau[:] = np.tanh(obs.q + obs.time) + np.arctan2(obs.v, 1.3) + np.power(obs.q, 3)
    return 0


def in_a_function():
    import numpy

    def law(obs, params, state, goal, command):
        command.tau[3] = numpy.sinh(obs.q[3] + obs.time) + numpy.expm1(obs.time)
        return 0

    return law


@pytest.mark.parametrize("law", [uses_numpy, uses_rows, in_a_function()])
def test_functions_of_numpy_have_the_same_bits_without_kernel(law):
    plain = plainly(law)
    assert plain.tau.any()
    assert plain == asked(law)


@needs_compiler
def test_functions_of_numpy_over_many_numbers():
    """In one compiled function, for speed: 3000 random numbers for each name."""
    numba = pytest.importorskip("numba")
    x, y = np.random.default_rng(3).uniform(-3.0, 3.0, (2, 3000))
    two = ("arctan2", "power")
    given = {"arccosh": 1.0 + abs(x), "power": abs(x), **dict.fromkeys(("log", "log2", "log10"), abs(x) + 1e-9)}
    given |= dict.fromkeys(("arcsin", "arccos", "arctanh"), x / 3.0) | {"log1p": abs(x)}
    lines = [f"    found.append(np.{name}(x[{i}, k]{', y[k]' if name in two else ''}))" for i, name in enumerate(NAMES)]
    names: dict[str, Any] = {"np": np, "__name__": __name__}
    text = "\n".join(["def every(x, y, k):", "    found = [0.0]", *lines, "    return found"])
    exec(text, names)
    rows = np.array([given.get(name, x) for name in NAMES])
    every = numba.njit(error_model="numpy")(names["every"])
    compiled = np.array([every(rows, y, k) for k in range(3000)])
    names["np"] = NUMPY
    assert np.array_equal(compiled, [names["every"](rows, y, k) for k in range(3000)])
    for i, name in enumerate(NAMES):  # a whole array too
        whole = getattr(NUMPY, name)(*((rows[i], y) if name in two else (rows[i],)))
        assert np.array_equal(compiled[:, i + 1], whole), name


def test_numpy_stays_itself_elsewhere():
    assert scalar(np) is NUMPY
    assert scalar(np.tanh) is NUMPY.tanh
    assert scalar(np.sqrt) is np.sqrt
    assert isinstance(NUMPY.power(2, 3), int | np.integer)
    assert NUMPY.sin(np.float32(1.0)).dtype == np.float32
    out = np.zeros(2)
    assert NUMPY.sin(np.ones(2), out=out) is out


GAIN = 1.0
CALLS = 0


def reads_and_writes_globals(obs, params, state, goal, command):
    global CALLS
    CALLS += 1
    command.tau[3] = GAIN * np.tanh(1.0)
    return 0


def test_globals_of_a_plain_law_are_alive(monkeypatch):
    controller = type("Plain", (Controller,), {"law": reads_and_writes_globals})()
    monkeypatch.setattr(sys.modules[__name__], "CALLS", 0)
    run = ff.Simulation(ff.Study(ROBOT, controller=controller), lift=True)
    run.advance(0.01)
    monkeypatch.setattr(sys.modules[__name__], "GAIN", 3.0)
    run.advance(0.01)
    taus = run.run().tau[:, 3]
    assert CALLS == 21
    assert taus[-1] == 3.0 * np.float64(taus[1])


def test_variables_of_an_outer_function_are_shared():
    calls = 0

    def law(obs, params, state, goal, command):
        nonlocal calls
        calls += 1
        command.tau[3] = np.tanh(1.0)
        return 0

    plainly(law)
    assert calls == 51


# --- what a law returns --------------------------------------------------------------------------------------------------------


def returns_a_half(obs, params, state, goal, command):
    return 0.5


def returns_a_half_later(obs, params, state, goal, command):
    if obs.time > 0.01:
        return 0.5
    return 0


def returns_whether(obs, params, state, goal, command):
    return obs.time > 0.0205


@pytest.mark.parametrize("law", [returns_a_half, returns_a_half_later])
@pytest.mark.parametrize("run", [asked, plainly])
def test_a_status_that_is_no_whole_number_is_refused(law, run):
    with pytest.raises(ControlError, match="must return 0, or another whole number to stop the run, got (0.5|float64)"):
        run(law)


@pytest.mark.parametrize("run", [asked, plainly])
def test_a_status_that_is_true_stops_the_run(run):
    with pytest.raises(ControlError, match=r"at 0\.0210 s: returned a status other than 0"):
        run(returns_whether)


# --- keywords ------------------------------------------------------------------------------------------------------------------


@ff.kernel
def scaled(x, *, k=2.0):
    return k * x


def calls_with_a_default(obs, params, state, goal, command):
    command.tau[3] = scaled(obs.q[3] + 1.0) + scaled(1.0, k=3.0)
    return 0


def test_defaults_of_keywords():
    assert scaled.numeric("planar")(1.5) == 3.0
    run = asked(calls_with_a_default)
    assert run == plainly(calls_with_a_default)
    assert run.tau[1, 3] == 2.0 * (run.q[1, 3] + 1.0) + 3.0


def test_defaults_of_keywords_are_part_of_the_digest():
    def made(value):
        def function(x, *, k=value):
            return k * x

        return function

    assert digest(made(1.0)) == digest(made(1.0))
    assert digest(made(1.0)) != digest(made(2.0))


# --- numbers that do not fit ---------------------------------------------------------------------------------------------------


def does_nothing(obs, params, state, goal, command):
    return 0


class Counted(Controller):
    law = does_nothing

    def prepare(self, robot, q, gravity):
        return {"n": np.array([1, 2**63], np.uint64)}


def test_whole_numbers_that_do_not_fit_are_refused():
    for n in (2**63, -(2**63) - 1, np.uint64(2**63)):
        with pytest.raises(ControlError, match=r"'n'.*from -9223372036854775808 to 9223372036854775807, got -?9223372036854775"):
            asked(does_nothing, params={"n": n})
    with pytest.raises(ControlError, match="got 9223372036854775808"):
        ff.simulate(ROBOT, Counted(), seconds=0.01, lift=True)
    asked(does_nothing, params={"n": 2**63 - 1})


# --- named tuples --------------------------------------------------------------------------------------------------------------


class Pair(NamedTuple):
    a: float
    b: Any


class Nested(Controller):
    @ff.kernel
    def law(obs, params, state, goal, command):
        command[0][3] = params.pair[0] + params.pair[-1][1] + 10.0 * len(params.pair) + 5.0 * len(command)
        return 0

    def prepare(self, robot, q, gravity):
        return {"pair": Pair(0.5, np.array([1.0, 2.0]))}


class Unpacks(Nested):
    @ff.kernel
    def law(obs, params, state, goal, command):
        a, b = params.pair
        command.tau[3] = a + b[0]
        return 0


def test_named_tuples_by_index_and_their_length():
    assert ff.simulate(ROBOT, Nested(), seconds=0.01, lift=True).tau[1, 3] == 42.5


@needs_compiler
def test_named_tuples_that_are_unpacked():
    with pytest.raises(ControlError, match="cannot be unpacked.*read its fields by name"):
        ff.simulate(ROBOT, Unpacks(), seconds=0.01, lift=True)


# --- around it -----------------------------------------------------------------------------------------------------------------


def test_home_in_the_name_of_the_cache(monkeypatch):
    monkeypatch.setenv("FOOTFALL_CACHE_DIR", "~/x")
    assert cache_home() == Path.home() / "x"


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_jobs_end_with_the_process_that_started_them():
    code = """
import footfall.warm, sys, time
job = footfall.warm.Job("sleep")
while "ready" not in job.lines:
    time.sleep(0.01)
print(job.process.pid, flush=True)
time.sleep(60.0)
"""
    sleeper = """
import footfall.warm, sys, time
footfall.warm.JOBS['sleep'] = lambda: print('ready', file=sys.stderr, flush=True) or time.sleep(60.0)
footfall.warm.do('sleep')
"""
    code = code.replace('footfall.warm.Job("sleep")', f'footfall.warm.Job("sleep", {sleeper!r})')
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    with parent:
        job = int(parent.stdout.readline())
        assert is_alive(job)
        parent.send_signal(signal.SIGKILL)
    for _ in range(600):
        if not is_alive(job):
            return
        time.sleep(0.1)
    os.kill(job, signal.SIGKILL)
    pytest.fail("the job goes on")


def is_alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return "Z" not in subprocess.run(["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True).stdout
