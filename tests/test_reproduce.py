"""The table of figures that hold or fail, and the studies behind it."""

import json
import math
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

import footfall as ff
from footfall import reproduce
from footfall.cli import app
from footfall.errors import FootfallError, UnknownNameError
from footfall.parallel import in_order
from footfall.parallel.processes import pool
from footfall.reproduce import Row, Setting, cycles, kelly_bodies, wendlandt
from footfall.reproduce._bodies import GRAVITY, biped, ran
from footfall.reproduce.world import contact, convergence, drops, peers

GOOD, BAD = Row("a", "m", 1.0, 1.05, 0.1), Row("b", "1", 0.0, math.nan, 0.1, how="why")


# --- rows -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("paper", "value", "tolerance", "sense", "ok", "demand"),
    [
        (2.0, 2.1, 0.11, "=", True, "2 ± 0.11"),
        (2.0, 1.8, 0.11, "=", False, "2 ± 0.11"),
        (0.0, 1e-7, 1e-7, "=", True, "at most 1e-07"),
        (0.0, -2e-7, 1e-7, "=", False, "at most 1e-07"),
        (0.0, 0.0, 0.0, "=", True, "at most 0"),
        (20.0, 1e3, 0.0, ">=", True, "at least 20"),
        (1.0, 0.89, 0.1, ">=", False, "at least 0.9"),
        (1.0, -5.0, 0.1, "<=", True, "at most 1.1"),
        (1.0, 1.2, 0.1, "<=", False, "at most 1.1"),
        (0.0, math.nan, 1.0, "=", False, "at most 1"),
        (0.0, math.nan, 1.0, ">=", False, "at least -1"),
        (0.0, math.inf, 1.0, "=", False, "at most 1"),
    ],
)
def test_verdicts(paper, value, tolerance, sense, ok, demand):
    row = Row("q", "m", paper, value, tolerance, sense)
    assert row.ok is ok
    assert row.demand == demand


def test_names():
    assert reproduce.names() == [
        "cycles",
        "denoc",
        "imported",
        "johnnie",
        "johnnie-actuation",
        "johnnie-ground",
        "johnnie-obstacles",
        "johnnie-plan",
        "johnnie-sensing",
        "johnnie-walk",
        "kelly-biped",
        "kelly-bodies",
        "kelly-ranger",
        "newton",
        "newton-language",
        "newton-sensing",
        "sensors",
        "sweeps",
        "wendlandt",
        "world",
    ]
    assert list(reproduce.studies()) == list(reproduce.studies(reproduce.names()))
    assert list(reproduce.studies(["world/moved", "world/drops"])) == ["world/moved", "world/drops"]
    for name in ("word", "world/drop", "drops"):
        with pytest.raises(UnknownNameError, match="there is no reproduction"):
            reproduce.studies([name])
    assert all(find.__doc__ for find in reproduce.studies().values())


# --- the command ----------------------------------------------------------------------------------------------------------


def command(monkeypatch, found, *arguments):
    def rows(study, setting):
        for row in found:
            if row is None:
                raise KeyboardInterrupt
            yield row

    monkeypatch.setattr(reproduce, "rows", rows)
    return CliRunner().invoke(app, ["reproduce", "world/moved", *arguments])


@pytest.mark.parametrize(("found", "code"), [([GOOD], 0), ([GOOD, BAD], 1), ([GOOD, None], 130), ([None], 130), ([], 0)])
def test_json_and_exit_code(monkeypatch, found, code):
    done = command(monkeypatch, found, "--json")
    assert done.exit_code == code
    entries = json.loads(done.stdout)
    assert [entry["quantity"] for entry in entries] == [row.quantity for row in found if row]
    assert all(list(entry) == ["study", "quantity", "unit", "paper", "value", "tolerance", "ok"] for entry in entries)
    if BAD in found:
        assert (entries[1]["value"], entries[1]["ok"]) == (None, False)


def test_table(monkeypatch):
    shown = command(monkeypatch, [GOOD, BAD]).stdout
    for part in ("1 ± 0.1 m", "1.05", "at most 0.1", "nan", "FAILS", ": why", "1 of 2 hold, 1 fail"):
        assert part in shown
    assert command(monkeypatch, [None]).exit_code == 130


def test_options_reach_the_studies(monkeypatch):
    seen = []

    def rows(study, setting):
        seen.append((study, setting.quick, setting.seed))
        setting.progress(1, 2)
        yield GOOD

    monkeypatch.setattr(reproduce, "rows", rows)
    CliRunner().invoke(app, ["reproduce", "world/drops", "world/moved", "--quick", "--seed", "5"])
    assert seen == [("world/drops", True, 5), ("world/moved", True, 5)]


def test_unknown_names_are_one_line():
    done = subprocess.run(
        [sys.executable, "-m", "footfall", "reproduce", "world/drop"], capture_output=True, text=True, env=os.environ
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("footfall: there is no reproduction 'world/drop'. Did you mean 'world/drops'?")
    assert len(done.stderr.splitlines()) == 1
    assert CliRunner().invoke(app, ["reproduce", "world", "--seed", "-1"]).exit_code == 2


def test_a_study_that_cannot_be_run_is_a_row_that_fails(monkeypatch):
    def broken(setting):
        yield GOOD
        raise FootfallError("MuJoCo is missing")

    monkeypatch.setattr(reproduce, "studies", lambda names=(): {"s/t": broken})
    first, second = reproduce.rows("s/t", Setting())
    assert (first.study, first.ok) == ("s/t", True)
    assert (second.study, second.ok, second.how) == ("s/t", False, "MuJoCo is missing")


def test_without_mujoco_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    (row,) = reproduce.rows("world/gentle-contact", Setting())
    assert not row.ok
    assert "pip install 'footfall[bench]'" in row.how


# --- many runs ------------------------------------------------------------------------------------------------------------


def test_results_do_not_depend_on_the_number_of_processes():
    seen = []
    for workers in (1, 2, 3):
        setting = Setting(workers=workers, progress=lambda done, of: seen.append((done, of)))
        assert list(setting.each(math.sqrt, range(40))) == [math.sqrt(i) for i in range(40)]
    assert seen == [(done, 40) for done in range(41)] * 3


def test_an_error_in_a_process_arrives():
    with pytest.raises(ValueError, match="."):
        list(Setting(workers=2).each(math.sqrt, [1.0, -1.0, 4.0]))


def test_a_run_that_never_ends_is_given_up(monkeypatch):
    monkeypatch.setattr(in_order, "LIMIT", 6.0)
    items = [0.0, 0.1, 600.0, 0.0, 0.2]
    assert list(Setting(workers=2).each(time.sleep, items, lost=str)) == [None, None, "600.0", None, None]


def test_processes_end_with_an_interrupted_campaign():
    others = multiprocessing.active_children()
    running = Setting(workers=2).each(time.sleep, [0.0, 600.0, 600.0])
    next(running)
    children = [child for child in multiprocessing.active_children() if child not in others]
    running.close()
    end = time.monotonic() + 60.0  # another thread may be about to say that they have ended
    while any(child.is_alive() for child in children) and time.monotonic() < end:
        time.sleep(0.05)
    assert children
    assert not any(child.is_alive() for child in children)


def test_processes_are_deaf_to_ctrl_c_from_birth():
    """It goes to the whole group of a terminal, also while they are still starting."""
    with pool(2) as processes:
        heard = processes.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ()).result()
        ignored = processes.submit(signal.getsignal, signal.SIGINT).result()
    assert signal.SIGINT in heard
    assert ignored == signal.SIG_IGN
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_half_a_run_proves_nothing(monkeypatch):
    robot, q = biped()
    with pytest.raises(FootfallError, match="wendlandt fell at"):
        ran(robot, None, ff.World(), q=q, seconds=5.0, lift=True)

    def interrupt(_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ran(robot, None, ff.World(falls=False), q=q, seconds=5.0, lift=True, progress=interrupt)


def test_a_campaign_that_is_cut_short_is_judged_as_far_as_it_got(monkeypatch):
    def root(number):
        if number == 2:
            signal.raise_signal(signal.SIGINT)
        return math.sqrt(number)

    def study(setting):
        found = setting.finished(root, range(4))
        yield Row("roots", "1", len(found), float(len(found)), 0.0)
        setting.finished(math.sqrt, range(4))
        yield BAD

    monkeypatch.setattr(reproduce, "studies", lambda names=(): {"s/t": study})
    found = reproduce.rows("s/t", Setting(workers=1))
    assert next(found).value == 2.0
    with pytest.raises(KeyboardInterrupt):
        next(found)
    setting = Setting(workers=1)
    with pytest.raises(KeyboardInterrupt):
        setting.finished(lambda number: root(2), range(4))
    assert not setting.stopped.is_set()


# --- drops ----------------------------------------------------------------------------------------------------------------


def test_a_drop_is_its_seed():
    for seed in range(len(drops.ROBOTS)):
        first, again = drops.drop(seed), drops.drop(seed)
        assert first == again
        assert first.robot == drops.ROBOTS[seed]
        assert not first.failure
        assert first.rise < 1e-3
    a, b = drops.study(3), drops.study(10)
    assert a.robot == b.robot
    assert a.q != b.q
    assert a.record_dt == a.dt


def test_verdict_of_drops():
    fine = [drops.Drop(seed, "box", 1e-5, 1e-4, 1e-6) for seed in range(200)]
    assert all(row.ok for row in drops.verdict(fine))
    for changed, failing in (
        (drops.Drop(7, "person", 2e-3, 0.0, 0.0), ["largest rise"]),
        (drops.Drop(7, "person", 0.0, 2e-2, 0.0), ["largest residual"]),
        (drops.Drop(7, "person", 0.0, 0.0, 2e-4), ["deepest"]),
        (drops.Drop(7, "person", math.inf, math.inf, math.inf, "diverged"), ["diverge"]),
        (drops.endless(12), ["do not end"]),
    ):
        rows = [row for row in drops.verdict([*fine, changed]) if not row.ok]
        assert len(rows) == len(failing)
        for row, word in zip(rows, failing, strict=True):
            assert word in row.quantity
            assert f"drop({changed.seed}) of person" in row.how
    some = [drops.Drop(seed, "box", 5e-4, 0.0, 0.0) for seed in range(3)]
    assert [row.quantity for row in drops.verdict([*fine, *some]) if not row.ok] == [
        "203 drops: rise of energy that 99 % stay below"
    ]


def test_interrupted_drops_are_judged_as_far_as_they_got(monkeypatch):
    def two(self, function, items, lost):
        yield drops.Drop(0, "box", 0.0, 0.0, 0.0)
        yield drops.Drop(1, "box", 0.0, 0.0, 0.0)
        raise KeyboardInterrupt

    monkeypatch.setattr(Setting, "each", two)
    found = reproduce.rows("world/drops", Setting())
    rows = [next(found) for _ in range(5)]
    assert all(row.quantity.startswith("2 drops") for row in rows)
    with pytest.raises(KeyboardInterrupt):
        next(found)


# --- hybrid mode and time stepping ----------------------------------------------------------------------------------------


def test_swing_feet_scuff_but_never_over_a_stone():
    walker = convergence.compass()
    slopes = walker.terrain.slopes(0.0, 0.0)[0]
    result = convergence._walked(walker, walker.q, walker.v, 4 * walker.period)
    lowest = {"stone": [], "pit": []}
    for q in result.q:
        for side, y in (("left", convergence.ASIDE), ("right", -convergence.ASIDE)):
            x, z = ff.kinematics.pose(walker.robot, q, f"tip_{side}").position
            where = "stone" if walker.terrain.height(x, y) == pytest.approx(slopes * x, abs=1e-9) else "pit"
            lowest[where].append(z - slopes * x)
    assert min(lowest["stone"]) > -1e-9
    assert min(lowest["pit"]) < -1e-3


def test_the_twin_of_the_compass_has_its_coordinates_and_masses():
    walker = convergence.compass()
    assert walker.body.coordinates == walker.robot.coordinates
    M, twin = (ff.dynamics.mass_matrix(robot, walker.q) for robot in (walker.robot, walker.body))
    assert np.abs(M - twin).max() < 1e-12


@pytest.mark.parametrize("walker", ["rimless wheel", "compass"])
def test_time_stepping_converges_to_hybrid_mode(walker):
    sizes = (2e-3, 1e-3, 5e-4)
    (found,) = convergence.errors([walker], sizes, phases=(0.05, 0.13, 0.21, 0.29))
    assert np.all(np.diff(found) < 0)
    assert convergence.order(sizes, found) > 1.9


# --- what rows compare ----------------------------------------------------------------------------------------------------


def test_multipliers_are_matched_one_to_one():
    found = np.array([5.0, 1.05, 0.2])
    assert cycles._next_to(found, (1.0, 1.1, 0.2)).tolist() == [1.05, 5.0, 0.2]  # not the nearest one twice, and none left over
    assert np.isnan(cycles._next_to(found, (1.05, 0.2))).all()
    assert np.isnan(cycles._next_to(found, (5.0, 1.05, 0.2, 0.0))).all()


def test_the_distance_of_pins_is_that_of_the_bodies():
    robot = ff.robots.load("ranger")
    q = robot.configuration({"hip": 0.4, "ankle_outer": 0.2, "ankle_inner": -0.3, "base.pitch": 0.3, "base.z": 1.0})
    bodies = SimpleNamespace(p=np.zeros((5, 2)), R=np.zeros((5, 3)))
    for row, joint in enumerate(robot.joints, 1):
        pose = ff.kinematics.pose(robot, q, joint.child)
        bodies.p[row], bodies.R[row] = pose.position, (np.cos(pose.angle), np.sin(pose.angle), 0.0)
    assert kelly_bodies.distance_of_pins(robot, bodies) < 1e-15
    bodies.p[2] += 3e-4, -4e-4  # the inner leg: hip and ankle
    assert kelly_bodies.distance_of_pins(robot, bodies) == pytest.approx(5e-4)


def test_robots_that_stand_still_prove_nothing(monkeypatch):
    pytest.importorskip("mujoco")
    monkeypatch.setattr(peers, "gentle", lambda name: peers.Gentle("standing", 2.0, 0.0, 0.0))
    rows = list(reproduce.rows("world/gentle-contact", Setting(quick=True, workers=1)))
    assert rows
    assert not any(row.ok for row in rows if "difference" not in row.quantity)


def test_a_ball_strikes_when_a_geometric_series_says():
    struck, first, e = contact.strikes(0.5), math.sqrt(2 / GRAVITY), 0.5
    assert len(struck) == 7
    assert struck == pytest.approx([first * (1 + 2 * (e - e ** (n + 1)) / (1 - e)) for n in range(7)], abs=1e-9)


def test_torques_of_a_pushed_robot_turn_only_where_the_push_begins_or_ends():
    found = wendlandt._from_straight(ff.robots.load("wendlandt"), 0.0, 1.0, 50.0)
    assert (found.reversals, found.turns) == (0.0, 2.0)
    assert max(found.off, found.aside) < 1e-5


# --- the studies that take little -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "study",
    ["sticking", "sliding", "rebounds", "at-once", "repeated", "event-times", "gentle-contact", "converging-slides", "rolling"],
)
def test_these_hold(study):
    rows = list(reproduce.rows(f"world/{study}", Setting(quick=True, workers=1)))
    assert rows
    for row in rows:
        assert row.ok, row


def test_convergence_is_drawn(tmp_path):
    steps = (2e-3, 1e-3)
    figure = ff.view.convergence({"one": (steps, (1e-2, 5e-3)), "two": (steps, (1e-4, 2.5e-5))}, tmp_path / "c.png")
    assert (tmp_path / "c.png").stat().st_size > 5000
    (ax,) = figure.axes
    assert [line.get_label() for line in ax.get_lines()] == ["one", "two", "order 1", "order 2"]
    assert dict(zip(*ax.get_lines()[3].get_data(), strict=True)) == pytest.approx({2.0: 1e-4, 1.0: 2.5e-5})
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
