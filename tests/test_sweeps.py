"""Sweeps: what is asked, what is kept, what a kill costs, what is refused."""

import json
import math
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest, t
from typer.testing import CliRunner

import footfall as ff
from clusters import cluster
from footfall import files
from footfall.cli import app
from footfall.errors import FileError, FootfallError, ParameterError, UnknownNameError, UnsuitableError
from footfall.sweeps import READY, between
from footfall.sweeps.statistics import wilson
from footfall.sweeps.store import MERGED, paths
from sweeping import RUNS, swept

STUDY = "stand-push"
SHORT = {"seconds": 0.2}
GRID = {"push": "0:100:6", "world.contact.friction": [0.4, 0.8]}
HERE = Path(__file__).parent
SLOW = {**os.environ, "PAUSE": "0.1", "PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
TIMES = ("wall",)  # columns that differ from time to time


def bits(sweep):
    """A table without what differs from time to time; equal only if all bits are."""
    return sweep.table.drop_columns(list(TIMES))


@pytest.fixture(scope="module")
def serial():
    return ff.sweep(STUDY, GRID, settings=SHORT, on="serial")


# --- what is asked --------------------------------------------------------------------------------------------------------


def test_a_grid_asks_all_combinations_and_each_row_is_that_run(serial):
    assert len(serial) == 12
    assert serial.complete
    wanted = [(push, friction) for push in np.linspace(0.0, 100.0, 6) for friction in (0.4, 0.8)]
    assert list(zip(serial["push"], serial["world.contact.friction"], strict=True)) == wanted
    for row in (0, 7):
        push, friction = wanted[row]
        run = ff.simulate(ff.studies.load(STUDY, push=push, friction=friction, seconds=0.2))
        assert serial.run(row) == run
        assert serial["survived"][row] == (not run.fell)
        cost = ff.analysis.cost_of_transport(run)
        assert serial["speed"][row] == cost.speed
        assert serial["cost_of_transport"][row] == cost.total
        assert serial["time"][row] == run.time[-1]
        assert serial["reason"][row] == run.reason
    assert all("footfall" in text for text in serial.table.column("versions").to_pylist())


def asked(name, values, **more):
    return ff.sweep(STUDY, {name: values}, settings={"seconds": 0.0}, measure="survived", on="serial", **more)


@pytest.mark.parametrize(
    ("name", "values", "column", "wanted"),
    [
        ("friction", "0.2:0.6:3", "friction", [0.2, 0.4, 0.6]),
        ("push", "10, 20 N, 0.03 kN", "push", [10.0, 20.0, 30.0]),
        ("world.gravity_tilt", "-2deg:2deg:3", "world.gravity_tilt", [math.radians(a) for a in (-2, 0, 2)]),
        ("record_dt", np.array([0.01, 0.02]), "record_dt", [0.01, 0.02]),
        ("world.gravity", [None, 9.0], "world.gravity", [9.0, None]),
        ("robot.joints.knee_left.damping", [0.0, 1.0], "robot.joints.knee_left.damping", [0.0, 1.0]),
        ("knee_left.damping", "0,1", "robot.joints.knee_left.damping", [0.0, 1.0]),
        ("world.falls", "true,false", "world.falls", [False, True]),
        ("seed", range(3), "seed", [0, 1, 2]),
    ],
)
def test_any_declared_parameter_can_vary(name, values, column, wanted):
    found = asked(name, values).table.column(column).to_pylist()
    assert found == [each if each is None else pytest.approx(each) for each in wanted]


def test_rows_of_numbers_have_a_column_each():
    found = ff.sweep(
        STUDY, {"world.pushes.0.force": "10,0 | 20,5"}, settings={"seconds": 0.0, "push": 50.0}, measure="survived", on="serial"
    )
    assert found["world.pushes.0.force.0"].tolist() == [10.0, 20.0]
    assert found["world.pushes.0.force.1"].tolist() == [0.0, 5.0]
    assert found.study(1).world.pushes[0].force == (20.0, 5.0)


@pytest.mark.parametrize("draw", ["sobol", "latin", "random"])
def test_values_are_drawn_together(draw):
    vary = {"push": "10:20", "friction": between(0.4, 0.8), "record_dt": [0.01, 0.02]}
    found = ff.sweep(STUDY, vary, settings={"seconds": 0.0}, measure="survived", samples=16, draw=draw, on="serial")
    again = ff.sweep(STUDY, vary, settings={"seconds": 0.0}, measure="survived", samples=16, draw=draw, on="serial")
    assert bits(found) == bits(again)
    assert len(found) == 32
    pairs = sorted(set(zip(found["push"].tolist(), found["friction"].tolist(), strict=True)))
    assert len(pairs) == 16
    push, friction = np.array(pairs).T
    assert push.min() >= 10.0
    assert push.max() <= 20.0
    if draw != "random":  # one in each of 16 strata
        assert sorted(np.floor((push - 10.0) / 10.0 * 16)) == list(range(16))
        assert sorted(np.floor((friction - 0.4) / 0.4 * 16)) == list(range(16))


def test_whole_numbers_that_are_drawn_twice_run_once(tmp_path):
    found = asked("seed", between(0, 3), samples=64, out=tmp_path / "seed=any")  # such a name means nothing to readers
    assert found["seed"].tolist() == [0, 1, 2, 3]
    assert found.complete
    assert ff.Sweep.load(tmp_path / "seed=any").complete


def test_seeds_make_other_runs_of_sensors():
    found = ff.sweep(
        "johnnie-walk-computed-torque", seeds=3, settings={"seconds": 0.02, "sensors": "real"}, measure=_lean, on="serial"
    )
    assert found["seed"].tolist() == [0, 1, 2]
    assert len(set(found["_lean"])) == 3


def _lean(run):
    return run.tau[-1].sum()


def test_a_study_of_ones_own_can_be_swept():
    study = ff.studies.load(STUDY, seconds=0.1)
    found = ff.sweep(study, {"friction": [0.3, 0.5]}, measure=READY["distance"], on="serial")
    assert found.study(1).world.contact.friction == 0.5
    assert found.run(0) == ff.simulate(ff.with_parameters(study, {"friction": 0.3}))


# --- where ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["threads", "processes"])
def test_it_is_the_same_everywhere(serial, place, tmp_path):
    found = ff.sweep(STUDY, GRID, settings=SHORT, on=place, out=tmp_path / "s")
    assert bits(found) == bits(serial)
    assert bits(ff.Sweep.load(tmp_path / "s")) == bits(serial)


# --- kills ----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def whole():
    return swept(on="serial")


def client(folder, place):
    """A process that sweeps, slowly."""
    command = [sys.executable, "-m", "sweeping", str(folder), place]
    return subprocess.Popen(
        command, cwd=HERE, env=SLOW, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    )


def wait_for_rows(folder, count, process):
    """Until so many rows are on disk, or the process is over."""
    while rows_in(folder) < count and process.poll() is None:
        time.sleep(0.02)


def rows_in(folder):
    return len(ff.Sweep.load(folder)) if (folder / "sweep.json").exists() else 0


def kill(process):
    process.kill()
    process.wait()
    process.stderr.close()


@pytest.mark.slow
def test_killed_clients_lose_only_what_is_under_way(whole, tmp_path):
    """kill -9 again and again, threads and processes in turn; then the same question finishes it."""
    folder, rows = tmp_path / "s", 0
    for place in ("threads", "processes"):
        process = client(folder, place)
        wait_for_rows(folder, rows + 8, process)
        kill(process)
        assert rows_in(folder) > rows
        rows = rows_in(folder)
    computed = []
    found = swept(out=folder, on="threads", progress=lambda state: computed.append(state.computed))
    assert computed[-1] == RUNS - rows  # nothing twice
    assert bits(found) == bits(whole)


@pytest.mark.slow
def test_a_cluster_whose_worker_and_client_are_killed(whole, tmp_path):
    """A scheduler and two workers of their own; a worker is killed, then the client; then it is asked again."""
    pytest.importorskip("distributed")
    folder = tmp_path / "s"
    with cluster(2, env=SLOW) as (address, _, _, workers):
        process = client(folder, address)
        wait_for_rows(folder, 4, process)
        workers[0].kill()
        wait_for_rows(folder, 20, process)
        kill(process)
        kept = rows_in(folder)
        last = client(folder, address)
        _, said = last.communicate(timeout=600.0)
        assert last.returncode == 0, said
    found = ff.Sweep.load(folder)
    assert 20 <= kept <= RUNS
    assert len(set(found.table.column("key").to_pylist())) == len(found) == RUNS
    assert bits(found) == bits(whole)


@pytest.mark.slow
def test_two_clients_may_write_to_one_folder(whole, tmp_path):
    folder = tmp_path / "s"
    clients = [client(folder, "threads") for _ in range(2)]
    for process in clients:
        _, said = process.communicate(timeout=600.0)
        assert process.returncode == 0, said
    assert bits(ff.Sweep.load(folder)) == bits(whole)


@pytest.mark.slow
def test_ctrl_c_keeps_all_that_is_done(tmp_path):
    folder = tmp_path / "s"
    words = ["sweep", "stand-push", "--vary", "push=0:100:4000", "--set", "seconds=2", "--out", str(folder)]
    process = subprocess.Popen([sys.executable, "-m", "footfall", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_for_rows(folder, 4, process)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=600.0)
    assert process.returncode == 130
    assert b"of 4,000 runs are in" in said
    found = ff.Sweep.load(folder)
    assert not found.complete
    assert len(found) == int(said.split(b"interrupted; ")[1].split()[0].replace(b",", b""))


# --- the folder -----------------------------------------------------------------------------------------------------------


def small(folder, count=5, **more):
    return ff.sweep(STUDY, {"push": f"0:{count - 1}:{count}"}, settings=SHORT, measure="survived,speed", out=folder, **more)


def test_asking_again_computes_only_what_is_missing(tmp_path):
    states = []
    small(tmp_path / "s", on="serial")
    again = small(tmp_path / "s", on="serial", progress=lambda state: states.append((state.done, state.computed)))
    assert states == [(5, 0)]
    more = small(tmp_path / "s", 8, on="serial", progress=lambda state: states.append((state.done, state.computed)))
    assert states[-1] == (8, 3)
    assert more["push"].tolist() == list(range(8))
    assert bits(more)[:5] == bits(again)
    fewer = small(tmp_path / "s", 3, on="serial")
    assert fewer["push"].tolist() == [0.0, 1.0, 2.0]


def test_a_question_changed_by_one_bit_has_another_key(tmp_path):
    first = asked("push", [50.0, math.nextafter(50.0, 60.0)])
    assert len(set(first["key"])) == 2
    for change in ({"settings": {"seconds": 1e-3}}, {"measure": "speed"}, {"settings": {"seconds": 0.0, "friction": 0.81}}):
        given = {"settings": {"seconds": 0.0}, "measure": "survived", **change}
        assert ff.sweep(STUDY, {"push": [50.0]}, on="serial", **given)["key"][0] not in set(first["key"])


def test_a_measure_with_another_body_has_another_key():
    def key(text):
        space = {}
        exec(f"def far(run):\n    return {text}", space)
        return ff.sweep(STUDY, {"push": [50.0]}, settings={"seconds": 0.0}, measure=space["far"], on="serial")["key"][0]

    assert key("1.0") == key("1.0")
    assert key("1.0") != key("2.0")


def test_whole_runs_are_kept_if_asked(tmp_path):
    found = small(tmp_path / "s", runs=True, on="threads")
    kept = sorted((tmp_path / "s" / "runs").iterdir())
    assert len(kept) == 5
    loaded = ff.Sweep.load(tmp_path / "s")
    assert loaded.run(2) == ff.simulate(loaded.study(2)) == found.run(2)


def test_small_parts_become_large_ones(tmp_path, monkeypatch):
    from footfall.sweeps import store

    monkeypatch.setattr(store, "MERGED", 3)
    found = ff.sweep(STUDY, {"push": "0:39:40"}, settings={"seconds": 0.0}, measure="survived", out=tmp_path / "s", on="serial")
    assert len(found) == 40
    assert len(paths(tmp_path / "s")) == 1
    assert MERGED > 3


def test_rows_that_are_there_twice_count_once(tmp_path):
    found = small(tmp_path / "s", on="serial")
    part = paths(tmp_path / "s")[0]
    shutil.copy(part, part.with_name("0-another-000001.parquet"))
    assert bits(ff.Sweep.load(tmp_path / "s")) == bits(found)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"measure": "survived"}, "measures"),
        ({"settings": {"seconds": 0.3}}, "values for all runs"),
        ({"vary": {"friction": [0.5]}}, "varied parameters"),
        ({"study": "stand-rough"}, "study"),
        ({"runs": True}, "wish for whole runs"),
    ],
)
def test_another_question_needs_another_folder(change, what, tmp_path):
    small(tmp_path / "s", on="serial")
    given = {"study": STUDY, "vary": {"push": "0:4:5"}, "settings": SHORT, "measure": "survived,speed", **change}
    if "study" in change:
        given["vary"] = {"seconds": [0.1]}
        given["settings"] = {}
    with pytest.raises(FileError, match=f"another {what}"):
        ff.sweep(**given, out=tmp_path / "s", on="serial")


def test_another_version_needs_another_folder(tmp_path):
    small(tmp_path / "s", on="serial")
    path = tmp_path / "s" / "sweep.json"
    data = json.loads(path.read_text())
    data["made_with"]["footfall"] = "0.0.1"
    path.write_text(json.dumps(data))
    with pytest.raises(FileError, match=r"begun with Footfall 0\.0\.1, and this is Footfall"):
        small(tmp_path / "s", on="serial")


def test_damage_is_named_and_costs_only_its_runs(tmp_path):
    found = small(tmp_path / "s", on="serial")
    part = paths(tmp_path / "s")[0]
    part.write_bytes(part.read_bytes()[:-20])
    for ask in (lambda: ff.Sweep.load(tmp_path / "s"), lambda: small(tmp_path / "s", on="serial")):
        with pytest.raises(FileError, match=f"{part.name} is damaged .* remove it and ask again"):
            ask()
    part.unlink()
    assert bits(small(tmp_path / "s", on="serial")) == bits(found)


def test_a_full_disk_ends_it_and_what_is_there_stays(tmp_path, monkeypatch):
    folder, room = tmp_path / "s", [8]

    def sync(_):
        room[0] -= 1
        if room[0] < 0:
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as full:
        full.setattr(files.os, "fsync", sync)
        with pytest.raises(FileError, match="cannot be written: No space left on device"):
            small(folder, 200, on="serial")
    kept = ff.Sweep.load(folder)
    assert 0 < len(kept) < 200
    assert not [path for path in folder.rglob("*") if path.name.endswith(".part")]
    assert len(small(folder, 200, on="serial")) == 200


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "footfall-sweep"}', '{"format": "footfall-sweep", "version": "1"}'])
def test_a_folder_with_something_else_is_refused(text, tmp_path):
    (tmp_path / "sweep.json").write_text(text)
    with pytest.raises(FileError, match=r"sweep\.json"):
        ff.Sweep.load(tmp_path)
    with pytest.raises(FileError, match=r"there is no sweep\.json"):
        ff.Sweep.load(tmp_path / "none")
    (tmp_path / "sweep.json").unlink()
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(FileError, match="has other files, and no sweep"):
        small(tmp_path, on="serial")


# --- what is refused ------------------------------------------------------------------------------------------------------


def refused(vary=None, **more):
    return lambda: ff.sweep(STUDY, {"push": [1.0]} if vary is None else vary, settings=SHORT, on="serial", **more)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (refused({"pusch": [1.0]}), UnknownNameError, "Did you mean 'push'"),
        (refused({"friction": "0.4:1000:3"}), FootfallError, r"friction must be from 0 to 100, got 500.2"),
        (refused({"push": [1.0, "soft"]}), FootfallError, "push must be a number in N, got 'soft'"),
        (refused({"push": "0:10"}), ParameterError, "push has a range to draw from, so say how many `samples`"),
        (refused(samples=4), ParameterError, "nothing is drawn"),
        (refused({"push": "10:0"}, samples=4), ParameterError, "the first one smaller"),
        (refused({"push": "0:10:0"}), ParameterError, "low:high:count, with a count of 1 or more"),
        (refused({"push": "0:10:2.5"}), ParameterError, "low:high:count"),
        (refused({"seed": "0:10:4"}), ParameterError, "whole numbers"),
        (refused({"push": []}), ParameterError, "push must have values"),
        (refused({"push": [1.0, 1]}), ParameterError, "push has the value 1.0 twice"),
        (refused({"push": "1,2", "world.falls": "perhaps"}), FootfallError, "true or false"),
        (refused({"seconds": [1.0]}), ParameterError, "seconds is set for all runs, and varied"),
        (refused({"push": "0:10"}, samples=4, draw="sobel"), UnknownNameError, "Did you mean 'sobol'"),
        (refused({"push": "0:1:100000", "friction": "0.1:1:10000"}), ParameterError, "a sweep of 1,000,000,000 runs is too long"),
        (refused(seeds=3), FootfallError, "has no random part"),
        (refused(measure="survived,sped"), UnknownNameError, "Did you mean 'speed'"),
        (refused(measure=3), FootfallError, "a measure must be a name or a function of a Run"),
        (refused(measure="speed,speed"), FootfallError, "two measures are called 'speed'"),
        (refused(runs=True), FootfallError, "needs a folder"),
        (lambda: ff.sweep(3), FootfallError, "a sweep takes a Study or the name of one"),
        (lambda: ff.sweep("stand-pusch"), UnknownNameError, "Did you mean 'stand-push'"),
    ],
)
def test_nonsense_is_refused_before_anything_runs(ask, error, message):
    with pytest.raises(error, match=message):
        ask()


def test_a_measure_that_raises_is_named_and_the_others_go_on(tmp_path):
    def fragile(run):
        if run.study.world.pushes and run.study.world.pushes[0].force[0] == 3.0:
            raise ZeroDivisionError("no steps")
        return 7

    found = ff.sweep(STUDY, {"push": "0:5:6"}, settings=SHORT, measure=["survived", fragile], out=tmp_path / "s", on="threads")
    assert found.failed == 1
    assert found.errors() == [(3, "measure fragile raised ZeroDivisionError: no steps")]
    assert found.table.column("fragile").to_pylist() == [7.0, 7.0, 7.0, None, 7.0, 7.0]
    assert found.table.column("survived").to_pylist() == [True] * 6
    assert "1 with errors" in repr(ff.Sweep.load(tmp_path / "s"))


def test_runs_that_cannot_be_are_rows_too():
    study = ff.studies.load(STUDY, push=50.0, seconds=0.2)
    found = ff.sweep(study, {"world.pushes.0.end": [0.1, 5.0]}, on="serial")
    assert found["outcome"].tolist() == ["refused", "end"]
    assert "it must end after it starts" in found.errors()[0][1]
    assert found.table.column("speed").to_pylist()[0] is None


def test_code_that_cannot_be_sent_says_what_to_do():
    def local(run):
        return 1.0

    with pytest.raises(UnsuitableError, match=r"cannot be sent to other processes .*on='threads'"):
        ff.sweep(STUDY, {"push": [1.0]}, measure=local, on="processes")
    assert len(ff.sweep(STUDY, {"push": [1.0]}, settings=SHORT, measure=local)) == 1  # threads, where nothing is sent


class Own(ff.control.Hold):
    def law(obs, params, state, goal, command):
        return 0


def test_laws_in_python_are_swept_in_processes_and_known_again(tmp_path):
    from footfall.sim.again import is_compiled

    study = ff.studies.load(STUDY, seconds=0.02)
    own = ff.Study(study.robot, study.world, Own(), seconds=0.02, name="mine")
    assert is_compiled(study)
    assert not is_compiled(own)
    found = ff.sweep(own, {"friction": [0.4, 0.5]}, out=tmp_path / "s", measure="distance", on="serial")
    loaded = ff.Sweep.load(tmp_path / "s")
    with pytest.raises(FileError, match="give the same study to ff.sweep"):
        loaded.study(0)
    assert found.study(0).world.contact.friction == 0.4


# --- statistics and pictures ----------------------------------------------------------------------------------------------


def test_intervals_are_those_of_scipy():
    for of in (1, 7, 50, 2000):
        for k in sorted({0, 1, of // 3, of - 1, of}):
            low, high = wilson(np.array([k]), np.array([of]))
            wanted = binomtest(k, of).proportion_ci(0.95, "wilson")
            assert (low[0], high[0]) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


def table_of(push, friction, survived, speed):
    """A sweep that was never made."""
    from footfall.sweeps.rows import Column, Layout

    layout = Layout(
        (Column("push", "number", "N"), Column("friction", "number", "1")),
        (Column("survived", "bool"), Column("speed", "float", "m/s")),
    )
    count = len(push)
    names = {"key": [f"{i:032x}" for i in range(count)], "push": push, "friction": friction, "survived": survived, "speed": speed}
    rest = {"outcome": ["end"] * count, "reason": [""] * count, "time": [1.0] * count, "error": [""] * count}
    rest |= {"wall": [0.1] * count, "versions": ["footfall"] * count}
    every = names | rest
    table = pa.table([pa.array(every[field.name], field.type) for field in layout.schema], schema=layout.schema)
    return ff.Sweep("made-up", layout, table, count)


def test_statistics_are_those_of_numpy_and_scipy():
    rng = np.random.default_rng(0)
    push, friction = np.repeat([0.0, 1.0, 2.0], 40), np.tile([0.3, 0.6], 60)
    speed, survived = rng.normal(push, 1.0), rng.random(120) < 0.7
    speed[5] = np.nan
    sweep = table_of(push, friction, survived, speed)
    found = sweep.statistics("speed", "push").to_pydict()
    for i, value in enumerate((0.0, 1.0, 2.0)):
        those = speed[(push == value) & ~np.isnan(speed)]
        low, high = t.interval(0.95, len(those) - 1, those.mean(), those.std(ddof=1) / math.sqrt(len(those)))
        got = [found[name][i] for name in ("push", "runs", "mean", "low", "high")]
        assert got == pytest.approx([value, len(those), those.mean(), low, high])
    shares = sweep.statistics("survived", ["push", "friction"]).to_pydict()
    assert shares["mean"][3] == survived[(push == 1.0) & (friction == 0.6)].mean()
    bins = sweep.statistics("speed", "push", bins=2).to_pydict()
    assert (bins["push"], bins["runs"]) == ([0.5, 1.5], [39, 80])


def test_pictures_show_what_was_asked(tmp_path):
    push, friction = np.repeat(np.arange(5.0), 20), np.tile([0.3, 0.6], 50)
    sweep = table_of(push, friction, push < 3, push * friction)
    line = sweep.plot("survived", "push", tmp_path / "line.png").axes[0]
    assert (line.get_xlabel(), line.get_ylabel()) == ("push (N)", "survived (%)")
    assert line.lines[0].get_ydata().tolist() == [100.0, 100.0, 100.0, 0.0, 0.0]
    colours = sweep.plot("speed", path=tmp_path / "map.png").axes[0].collections[0].get_array()
    assert np.asarray(colours) == pytest.approx(np.outer([0.3, 0.6], np.arange(5.0)))
    assert (tmp_path / "map.png").stat().st_size > 5000
    assert "Sweep of made-up" in sweep._repr_html_()
    with pytest.raises(FootfallError, match="push was varied, not measured"):
        sweep.plot("push")
    with pytest.raises(UnknownNameError, match="Did you mean 'speed'"):
        sweep.plot("sped")
    with pytest.raises(UnknownNameError, match="Did you mean 'push'"):
        sweep.plot("speed", "pusch")


# --- the command ----------------------------------------------------------------------------------------------------------


def test_the_command_makes_shows_and_draws(tmp_path):
    words = ["stand-push", "--vary", "push=0:100:3", "--set", "seconds=0.1", "friction=0.5", "--measure", "survived,speed"]
    folder = str(tmp_path / "s")
    done = CliRunner().invoke(
        app, ["sweep", *words, "--out", folder, "--plot", str(tmp_path / "p.png"), "--json", "--on", "serial"]
    )
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert (said["runs"], said["outcomes"], said["measures"]["survived"]["mean"]) == (3, {"end": 3}, 1.0)
    assert (tmp_path / "p.png").exists()
    shown = CliRunner().invoke(app, ["show", folder])
    assert "Sweep of 'stand-push' over push: 3 runs" in shown.stdout
    assert json.loads(CliRunner().invoke(app, ["show", folder, "--json"]).stdout)["runs"] == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--vary", "push"], "--vary takes NAME=VALUES"),
        (["--vary", "push=1", "--vary", "push=2"], "says twice"),
        (["--seeds", "many"], "--seeds takes how many"),
        (["--cluster", "localhost"], "--cluster takes the address"),
        (["--cluster", "tcp://127.0.0.1:1", "--on", "threads"], "give one of them"),
        (["--on", "thread"], "Did you mean 'threads'"),
    ],
)
def test_the_command_refuses_nonsense(words, message):
    done = CliRunner().invoke(app, ["sweep", "stand-push", *words])
    assert message in str(done.exception)
