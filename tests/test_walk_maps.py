"""The compiled step against other integrators and other equations; which starts walk, and where walks settle."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import replace
from functools import partial
from math import cos, pi, sin, sqrt

import casadi
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from typer.testing import CliRunner

import footfall as ff
from footfall.cli import app
from footfall.core.hybrid.walk import DONE, GO
from footfall.cycles import CycleError, Walk, basin, bifurcation, continuation, limit_cycle
from footfall.cycles.step_map import StepMap, Walker
from footfall.dynamics import constrained
from footfall.engines.hybrid.modes import Feedback, Shift, trace
from footfall.errors import StateError, UnknownNameError, UnsuitableError
from legged import WALKS

WHEEL = "rimless-wheel"
EXACT = {"method": "DOP853", "rtol": 1e-13, "atol": 1e-14}


# --- the compiled step ----------------------------------------------------------------------------------------------------


def compass_rates(_t, y, m=5.0, hip=10.0, a=0.5, b=0.5, g=9.8):
    """Lagrange's equations of the compass in the angles of its legs from the vertical, forward positive, worked out by hand."""
    s, n, ws, wn = y
    length = a + b
    M = np.array([[(hip + m) * length**2 + m * a**2, -m * length * b * cos(s - n)], [-m * length * b * cos(s - n), m * b**2]])
    h = np.array([-m * length * b * sin(s - n) * wn**2, m * length * b * sin(s - n) * ws**2])
    gravity = g * np.array([-((hip + m) * length + m * a) * sin(s), m * b * sin(n)])
    return np.array([ws, wn, *np.linalg.solve(M, -h - gravity)])


def test_a_step_of_the_compass_by_hand():
    """Two angles instead of a floating base, scipy's integrator and its event; angular momenta through the strike."""
    walk, slope = Walk(ff.studies.load("compass")), np.radians(3)
    q, v = walk.q, walk.v
    start = np.array([q[2], q[2] + q[3], v[2], v[2] + v[3]])

    def clearance(_t, y):
        return cos(y[0]) - cos(y[1]) + np.tan(slope) * (sin(y[0]) - sin(y[1]))

    motion = solve_ivp(compass_rates, (0.0, 1.0), start, dense_output=True, **EXACT)
    time = brentq(lambda t: clearance(t, motion.sol(t)), 0.6, 0.9, xtol=1e-15)
    event = walk.run(1).events[0]
    exact = solve_ivp(compass_rates, (0.0, event.time), start, **EXACT).y[:, -1]
    assert event.time == pytest.approx(time, abs=1e-9)
    assert clearance(0.0, exact) == pytest.approx(0.0, abs=1e-12)
    q, v = event.q_before, event.v_before
    assert [q[2], q[2] + q[3], v[2], v[2] + v[3]] == pytest.approx(exact, abs=1e-11)


@pytest.mark.parametrize("name", WALKS)
def test_the_motion_is_that_of_scipy(name):
    """The same right-hand side, integrated by scipy, up to the first event."""
    walk = Walk(ff.studies.load(name))
    robot, mode = walk.robot, walk.modes[0]
    torque = mode.torque or (lambda t, q, v: np.zeros(robot.nv))

    def rates(t, y):
        q, v = np.split(y, 2)
        return np.concatenate(
            (
                v,
                constrained.forward(robot, q, v, torque(t, q, v), pinned=mode.pinned, locked=mode.locked, gravity=walk.gravity)[
                    0
                ],
            )
        )

    event = walk.run(1).events[0]
    exact = solve_ivp(rates, (0.0, event.time), np.concatenate((walk.q, walk.v)), method="DOP853", rtol=1e-12, atol=1e-13)
    assert np.concatenate((event.q_before, event.v_before)) == pytest.approx(exact.y[:, -1], abs=1e-10)


def along(flow, y, D, seconds):
    """D carried along a flow that CasADi differentiates and scipy integrates."""
    n = len(y) // 2
    t, z = casadi.SX.sym("t"), casadi.SX.sym("z", 2 * n)
    rate = casadi.vertcat(*flow(t, z[:n], z[n:])[:2])
    both = casadi.Function("both", [z], [rate, casadi.jacobian(rate, z)])

    def slope(_t, wide):
        table = wide.reshape(2 * n, -1)
        f, A = (np.array(each) for each in both(table[:, 0]))
        return np.column_stack((f, A @ table[:, 1:])).ravel()

    begin = np.column_stack((y, D))
    return (
        solve_ivp(slope, (0.0, seconds), begin.ravel(), rtol=1e-11, atol=1e-12, method="DOP853")
        .y[:, -1]
        .reshape(begin.shape)[:, 1:]
    )


@pytest.mark.parametrize("name", ["compass", "ono-walk"])
def test_derivatives_are_those_of_symbols(name):
    """Variational equations and resets from CasADi, put together here, for directions that keep what is held."""
    walk = Walk(ff.studies.load(name))
    step_map = StepMap(walk)
    u = step_map.free_of(walk.q, walk.v)
    motion = step_map(u).motion
    size = len(u)
    starts = [
        np.concatenate(step_map.state_of(u + 1e-6 * way)) - np.concatenate(step_map.state_of(u - 1e-6 * way))
        for way in np.eye(size)
    ]
    D = np.array(starts).T / 2e-6
    t, y = 0.0, np.concatenate((motion.q[0], motion.v[0]))
    parts = trace(walk.robot, walk.modes, gravity=walk.gravity, near=walk.q)
    n = walk.robot.nv
    z = casadi.SX.sym("z", 2 * n)
    for event in motion.events:
        part = parts[event.before]
        D = along(part.flow, y, D, event.time - t)
        before = np.concatenate((event.q_before, event.v_before))
        guard = casadi.jacobian(part.guards[event.name](0.0, z[:n], z[n:]), z)
        reset = casadi.jacobian(casadi.vertcat(*part.resets[event.name](0.0, z[:n], z[n:])), z)
        g, R = (np.array(casadi.Function("of", [z], [each])(before)) for each in (guard, reset))
        f = np.concatenate([np.array(each).ravel() for each in part.flow(0.0, event.q_before, event.v_before)[:2]])
        D = R @ (D - np.outer(f, g @ D) / (g @ f))
        t, y = event.time, np.concatenate((event.q_after, event.v_after))
    expected = D[np.concatenate((step_map.free, n + step_map.free))]
    found = step_map.derivative(motion)
    assert found == pytest.approx(expected, abs=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("name", WALKS)
def test_many_steps_in_one_crossing_are_the_same_steps(name):
    walk = Walk(ff.studies.load(name))
    walker = Walker(walk)
    q, v = walker.standing(StepMap(walk).free_of(walk.q, walk.v))
    assert walker.serve(GO, steps=4, end=4 * walk.longest) == DONE
    last = walk.run(4, q, v).events[-1]
    state = walker.program.system.state
    assert state.t[0] == pytest.approx(last.time, abs=1e-13)
    assert state.y == pytest.approx(np.concatenate((last.q_after, last.v_after)), abs=1e-12)


def test_the_plain_text_takes_the_same_step():
    """The kernels as ordinary Python, with the compiler switched off: a step of the wheel and its derivative."""
    text = (
        "import footfall as ff; from footfall.cycles.step_map import StepMap; from footfall.cycles import Walk; walk = Walk(ff.studies.load('rimless-wheel'));"
        "motion = walk.run(1); print(motion.events[0].time, *StepMap(walk).derivative(motion)[1])"
    )
    plain = subprocess.run(
        [sys.executable, "-c", text], env={**os.environ, "NUMBA_DISABLE_JIT": "1"}, capture_output=True, text=True, check=True
    )
    walk = Walk(ff.studies.load(WHEEL))
    motion = walk.run(1)
    compiled = [motion.events[0].time, *StepMap(walk).derivative(motion)[1]]
    assert [float(word) for word in plain.stdout.split()] == pytest.approx(compiled, abs=1e-11)


def test_what_is_written_in_python_walks_the_same_way():
    """Torque, guard, condition and reset as functions of the user's, beside the ready ones: events and derivatives agree."""
    walk = Walk(ff.studies.load("ono-walk"))
    bent, straight, fallen = walk.modes
    knee, fall = bent.guards
    slow = replace(knee, function=lambda t, q, v: q[5], reset=(lambda t, q, v: (q.copy(), 1.0 * v), knee.reset))
    deaf = replace(straight.guards[0], active=lambda t, q, v: -(q[2] + q[3] + q[5]).real)
    torque = bent.torque
    modes = (
        replace(bent, torque=lambda t, q, v: torque(t, q, v), guards=(slow, fall)),
        replace(straight, guards=(deaf, fall)),
        fallen,
    )
    other = Walk(replace(walk.study, engine=replace(walk.study.engine, modes=modes)))
    for mine, ready in zip(other.run(2).events, walk.run(2).events, strict=True):
        assert (mine.name, mine.time) == (ready.name, pytest.approx(ready.time, abs=1e-13))
        assert mine.v_after == pytest.approx(ready.v_after, abs=1e-12)
    maps = StepMap(walk), StepMap(other)
    D, same = (each.derivative(each.walk.run(1)) for each in maps)
    assert same == pytest.approx(D, abs=1e-10)


def test_errors_of_the_users_functions_come_through():
    walk = Walk(ff.studies.load("compass"))
    step, fallen = walk.modes

    def broken(_t, _q, _v):
        raise ZeroDivisionError("mine")

    engine = replace(walk.study.engine, modes=(replace(step, torque=broken), fallen))
    with pytest.raises(ZeroDivisionError, match="mine"):
        Walk(replace(walk.study, engine=engine)).run(1)
    with pytest.raises(UnknownNameError, match="Did you mean 'hip'"):
        Feedback.of(walk.robot, by_q={("hipp", "hip"): 1.0})
    with pytest.raises(UnknownNameError, match="Did you mean 'base.pitch'"):
        Shift({"base.pich": 0.1}).step(walk.robot)


# --- basins ---------------------------------------------------------------------------------------------------------------


def wheel_rolls(pitch, rate, slope=0.08, a=pi / 8, k=9.81 / (1 + 1e-6)):
    """Whether a wheel gets over the top again and again, and how surely; from its energy alone."""
    e = (1e-6 + cos(2 * a)) / (1e-6 + 1)
    margin = np.inf
    for _ in range(60):
        spare = rate**2 - 2 * k * (1 - cos(pitch)) if pitch < 0 else rate**2
        margin = min(margin, abs(spare))
        if spare < 0.0:
            return False, margin
        pitch, rate = slope - a, e * sqrt(rate**2 + 2 * k * (cos(pitch) - cos(slope + a)))
    return True, margin


def test_the_basin_of_the_wheel():
    found = basin(ff.studies.load(WHEEL), ("base.pitch", "rate of base.pitch"), ((-0.31, -0.05), (0.05, 2.0)), size=12)
    sure = 0
    for i, rate in enumerate(found.y):
        for j, pitch in enumerate(found.x):
            rolls, margin = wheel_rolls(pitch, rate)
            if margin > 1e-3:
                sure += 1
                assert found.of("cycle" if rolls else "fell backward")[i, j], (pitch, rate)
    assert sure > 130
    assert found.complete
    assert sum(found.shares().values()) == pytest.approx(1.0)


def test_starts_of_the_compass_do_as_told():
    """The same starts, run on their own: those on the cycle repeat, the others fall as it says."""
    walk = Walk(ff.studies.load("compass"))
    cycle = limit_cycle(walk)
    found = basin(walk, size=9, cycle=cycle)
    step_map = StepMap(walk)
    assert found.of("cycle")[4, 4]
    for name, word in (("fell forward", "forward"), ("fell backward", "backward")):
        i, j = np.argwhere(found.of(name))[0]
        pitch, rate = found.x[j], found.y[i]
        start = (pitch, cycle.u[1] - 2 * (pitch - cycle.u[0]), rate, cycle.u[3])  # both feet on the slope
        with pytest.raises(CycleError, match=f"it fell {word}|no cycle"):
            limit_cycle(walk, step_map.state_of(np.array(start)))
    i, j = next(place for place in np.argwhere(found.of("cycle")) if found.count[tuple(place)] > 3)
    start = (found.x[j], cycle.u[1] - 2 * (found.x[j] - cycle.u[0]), found.y[i], cycle.u[3])
    events = walk.run(60, *step_map.state_of(np.array(start))).events
    off = [np.abs(step_map.free_of(event.q_after, event.v_after) - cycle.u).max() for event in events]
    assert off[-1] < 1e-8
    assert int(np.argmax(np.array(off) < 1e-4 * np.abs(cycle.u).max())) + 1 == found.count[i, j]


def test_nobody_comes_to_a_cycle_that_is_not_stable():
    walk = Walk(ff.studies.load("compass", slope=-0.08))
    found = basin(walk, ("hip", "rate of hip"), ((0.62, 0.66), (-0.62, -0.58)), size=3)
    assert not found.of("cycle").any()
    assert set(found.periods()) <= {2}


def test_what_is_done_is_kept():
    def stop(done, of):
        if done == 2:
            raise KeyboardInterrupt

    found = basin(ff.studies.load(WHEEL), size=20, progress=stop)
    assert not found.complete
    assert 0.0 < found.shares()["not tried"] < 1.0


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda walk: basin(walk, ("hipp", "base.pitch")), UnknownNameError, "Did you mean 'hip'"),
        (lambda walk: basin(walk, ("hip", "hip")), StateError, "two different coordinates"),
        (lambda walk: basin(walk, "hip"), StateError, "along must be two names"),
        (lambda walk: basin(walk, ("hip", "base.pitch"), ((0.2, 0.1), (0.0, 1.0))), StateError, "the range of 'hip' must go from a number to a greater one"),
        (lambda walk: basin(walk, ("hip", "base.pitch"), ((0.1, 0.1), (0.0, 1.0))), StateError, "greater one, got 0.1 to 0.1"),
        (lambda walk: basin(walk, size=0), StateError, "size must be a whole number above 0"),
        (lambda walk: basin("compass"), UnsuitableError, "belong to a study"),
        (lambda walk: basin(ff.studies.load(WHEEL, slope=-0.05)), CycleError, "no cycle"),
        (lambda walk: bifurcation(partial(ff.studies.load, "compass"), "slope", -0.05, -0.05), StateError, "two different finite ends"),
        (lambda walk: bifurcation(partial(ff.studies.load, "compass"), "slope", "-3deg", -0.05), StateError, "ends, got '-3deg' and"),
        (lambda walk: bifurcation("compass", "slope", -0.04, -0.05), StateError, r"such as partial\(ff.studies.load, .compass.\)"),
        (lambda walk: bifurcation(partial(ff.studies.load, "compass"), "slope", -0.05, -0.06, keep=3), StateError, "keep must be"),
        (lambda walk: bifurcation(partial(ff.studies.load, "compass"), "slop", -0.05, -0.06), UnknownNameError, "Did you mean 'slope'"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call(ff.studies.load("compass"))


# --- bifurcations ---------------------------------------------------------------------------------------------------------


def test_the_compass_begins_to_limp():
    """Settled steps against the cycles that Newton's method finds there, and the doubling against that of the whole branch."""
    found = bifurcation(partial(ff.studies.load, "compass"), "slope", -0.07, -0.082, size=4, skip=300)
    assert found.periods.tolist() == [1, 1, 2, 2]
    ((period, doubling),) = found.doublings
    assert (period, doubling.value) == (1, pytest.approx(-0.0766356, abs=1e-7))
    for i, steps in ((0, 1), (3, 2)):
        cycle = limit_cycle(ff.studies.load("compass", slope=float(found.values[i])), steps=steps)
        assert found.times[i, :steps].sum() == pytest.approx(cycle.period, abs=1e-7)


def interrupt(at):
    """Ctrl-C after so many pieces of work."""
    return lambda done, _of: signal.raise_signal(signal.SIGINT) if done == at else None


def test_an_interrupted_bifurcation_keeps_what_is_done(tmp_path):
    """Values that were tried are those of the whole; the others say that they were not."""
    family = partial(ff.studies.load, WHEEL)
    whole, part = (bifurcation(family, "slope", -0.08, -0.1, size=9, skip=40, progress=stop) for stop in (None, interrupt(4)))
    assert (whole.complete, whole.reason) == (True, "reached the end")
    assert (part.complete, part.reason) == (False, "interrupted after 4 of 9 values")
    assert repr(part) == "<bifurcation of 'rimless-wheel' along slope: interrupted after 4 of 9 values>"
    assert part.tried.sum() == 4
    assert not part.tried[:4].all()  # from the whole range
    assert part.periods[part.tried].tolist() == whole.periods[part.tried].tolist() == [1] * 4
    assert set(part.periods[~part.tried]) == {-2}
    assert np.array_equal(part.times[part.tried], whole.times[part.tried])
    assert np.isnan(part.times[~part.tried]).all()
    rows = json.loads(json.dumps(part.rows()))
    assert [row is None for row in rows["times"]] == (~part.tried).tolist()
    figure = ff.view.bifurcation(part, tmp_path / "part.png")
    assert "interrupted after 4 of 9 values" in figure.axes[0].get_title()


class Impatient:
    """A family of walks that is interrupted when it is asked so often."""

    load = staticmethod(ff.studies.load)

    def __init__(self, name, calls=None):
        self.name, self.left, self.asked = name, calls, 0

    def __call__(self, **parameters):
        self.asked += 1
        if self.asked == self.left:
            signal.raise_signal(signal.SIGINT)
        return self.load(self.name, **parameters)


def test_an_interrupted_branch_keeps_its_cycles():
    patient = Impatient(WHEEL)
    whole = continuation(patient, "slope", -0.08, -0.1)
    for calls in (3, patient.asked // 2, patient.asked):
        part = continuation(Impatient(WHEEL, calls), "slope", -0.08, -0.1)
        assert (whole.complete, part.complete) == (True, False)
        assert 1 <= len(part.cycles) < len(whole.cycles)
        assert np.array_equal(part.values, whole.values[: len(part.values)])
        assert part.reason == f"interrupted at slope = {part.values[-1]:.6g}"
    with pytest.raises(KeyboardInterrupt):
        continuation(Impatient(WHEEL, 1), "slope", -0.08, -0.1)
    part = bifurcation(Impatient(WHEEL, patient.asked // 2), "slope", -0.08, -0.1, size=9)
    assert (part.reason, part.tried.any()) == ("interrupted after 0 of 9 values", np.False_)
    assert ff.view.bifurcation(part).axes


def test_an_interruption_while_doublings_are_located_keeps_the_orbits():
    seen = []

    def progress(done, of):
        seen.append(done)

    class Family:
        def __call__(self, **parameters):
            if len(seen) == 4:  # all values are done: this is for a doubling
                signal.raise_signal(signal.SIGINT)
            return ff.studies.load("compass", **parameters)

    found = bifurcation(Family(), "slope", -0.07, -0.082, size=4, skip=300, progress=progress)
    assert found.periods.tolist() == [1, 1, 2, 2]
    assert (found.doublings, found.reason) == ((), "interrupted while doublings were located")


# --- pictures, commands, imports ------------------------------------------------------------------------------------------


def test_commands(tmp_path):
    done = CliRunner().invoke(app, ["basin", WHEEL, "--size", "5", "--out", str(tmp_path), "--json"])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert sum(rows["shares"].values()) == pytest.approx(1.0)
    assert np.shape(rows["outcome"]) == (5, 5)
    assert (tmp_path / "basin.png").stat().st_size > 10_000
    done = CliRunner().invoke(
        app, ["bifurcation", WHEEL, "--along", "slope", "-0.08", "-0.1", "--size", "3", "--out", str(tmp_path)]
    )
    assert done.exit_code == 0, done.output
    assert "no doubling" in done.stdout
    assert (tmp_path / "bifurcation.png").stat().st_size > 10_000
    with pytest.raises(ff.FootfallError, match="both --x and --y"):
        CliRunner().invoke(app, ["basin", WHEEL, "--x", "base.pitch", "0", "1"], catch_exceptions=False)


def test_commands_that_are_interrupted_keep_what_is_done(monkeypatch, tmp_path):
    def cut(name):
        whole = getattr(ff.cycles, name)
        monkeypatch.setattr(ff.cycles, name, lambda *given, **more: whole(*given, **{**more, "progress": interrupt(2)}))

    cut("basin")
    done = CliRunner().invoke(app, ["basin", WHEEL, "--size", "20", "--out", str(tmp_path), "--json"])
    assert done.exit_code == 130
    assert json.loads(done.stdout)["shares"]["not tried"] == 0.75
    assert done.stderr == "footfall: interrupted; 25.0 % of the starts were tried\n"
    assert json.loads((tmp_path / "basin.json").read_text()) == json.loads(done.stdout)
    assert (tmp_path / "basin.png").exists()
    cut("bifurcation")
    where = ["--along", "slope", "-0.08", "-0.1"]
    done = CliRunner().invoke(app, ["bifurcation", WHEEL, *where, "--size", "5", "--out", str(tmp_path)])
    assert done.exit_code == 130
    assert "interrupted after 2 of 5 values" in done.stdout
    assert "footfall: interrupted; 2 of 5 values were tried, and 0 doublings located" in done.stderr
    assert json.loads((tmp_path / "bifurcation.json").read_text())["reason"] == "interrupted after 2 of 5 values"
    assert (tmp_path / "bifurcation.png").exists()
    family = Impatient(WHEEL, 3)
    monkeypatch.setattr(ff.studies, "load", lambda _, **parameters: family(**parameters))
    done = CliRunner().invoke(app, ["continue", WHEEL, *where, "--json"])
    assert done.exit_code == 130
    assert [cycle["slope"] for cycle in json.loads(done.stdout)["cycles"]] == [-0.08]
    assert done.stderr == "footfall: interrupted; cycles found by then: 1, up to slope = -0.08\n"
    family = Impatient(WHEEL, 1)
    monkeypatch.setattr(ff.studies, "load", lambda _, **parameters: family(**parameters))
    done = CliRunner().invoke(app, ["cycle", WHEEL, "--json"])
    assert (done.exit_code, done.stdout) == (130, "")
    assert done.stderr == "footfall: interrupted; nothing more is shown or written\n"


def test_the_analysis_starts_without_integrators():
    text = "import sys, footfall.analysis; print([name for name in ('scipy.integrate', 'scipy.optimize', 'casadi') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True).stdout.strip() == "[]"
