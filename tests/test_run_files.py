"""Runs as files: what is saved is read back bit for bit, and replays; what is not a whole run of ours is refused."""

import csv
import json
import math
import os
import subprocess
import sys
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import footfall as ff
from footfall.control import Compiled, Controller, Hold
from footfall.core.contact.record import Record
from footfall.engines.series import SERIES as DECLARED
from footfall.errors import FileError, SimulationError, UnknownNameError
from footfall.sim import run_file
from footfall.sim.run_file import VersionWarning, load_run, save_run
from footfall.sim.study import Study
from footfall.sim.study_json import hints, known_parts, parse_study, study_text
from footfall.world import Compliant, Contact, Field, Flat, Function, Load, Obstacles, Profile, Push, Rigid, Slope, Stairs, Waves
from trees import random_robot

SERIES = (
    *("time", "q", "v", "tau", "tau_mean", "tau_peak", "mode", "force", "force_peak", "impacts", "impulse", "point", "center"),
    *("slip", "ledger", "motor_energy", "power_peak", "iterations", "residual"),
)
PLANAR = Study(
    ff.robots.load("wendlandt"),
    ff.World(
        Waves(((0.004, 0.7, 0.0, 0.1), (0.002, 0.31, 0.0, 1.0 / 3.0))),
        Rigid(0.7, 0.1),
        pushes=(Push("torso", (31.0, -7.0), 0.05, 0.15), Push("torso", (-20.0, 0.0), 0.1, 0.2, at=(0.0, 0.3))),
        loads=(Load("torso", 3.3, 0.1, 0.2, at=(0.1, 0.2)),),
    ),
    Hold(500.0, 900.0, 40.0),
    seconds=0.25,
    name='a "planar" one, with ünï',
)
SPATIAL = Study(
    ff.robots.load("wendlandt-3d"),
    ff.World(
        Waves(((0.003, 0.6, 0.4, 0.0),)),
        Compliant(0.6, 4e4, 300.0),
        gravity=9.79,
        pushes=(Push("torso", (20.0, 5.0, 0.0), 0.02, 0.1),),
        loads=(Load("torso", 2.0),),
    ),
    Hold(1000.0, 300.0, 2.0),
    seconds=0.15,
    dt=5e-4,
    record_dt=0.005,
)
STUDIES = {"planar": PLANAR, "spatial": SPATIAL}
REPLAY = """
import sys
from footfall.sim.run_file import load_run
run = load_run(sys.argv[1])
sys.exit(0 if run.replay() == run else 7)
"""


@dataclass(frozen=True)
class Wobble(Controller):
    """A controller of the user's."""

    gain: float = 3.0

    def prepare(self, robot, *_):
        return {"gain": self.gain + robot.nv}

    def law(obs, params, state, goal, command):
        command.tau[:] = -params.gain * obs.v * math.cos(obs.time)
        return 0


@dataclass(frozen=True)
class Soft(Compliant):
    """A contact law of the user's."""


def bumps(x, y):
    return 0.002 * math.sin(9.0 * x)


def idle(obs, params, state, goal, command):
    return 0


@pytest.fixture(scope="module")
def runs():
    return {space: ff.simulate(study) for space, study in STUDIES.items()}


@pytest.fixture
def saved(runs, tmp_path):
    save_run(runs["planar"], tmp_path / "run.parquet")
    return tmp_path / "run.parquet"


def same_bits(a, b):
    """Stricter than ==: kinds of numbers, shapes, signs of zero and all fields."""
    arrays = [(getattr(a, name), getattr(b, name)) for name in SERIES]
    bits = all(x.dtype == y.dtype and x.shape == y.shape and x.tobytes() == y.tobytes() for x, y in arrays)
    return bits and (a.pads, a.events, a.outcome, a.reason) == (b.pads, b.events, b.outcome, b.reason)


def changed(path, **texts):
    """The file with other texts beside its columns; what is None is taken away."""
    table = pq.read_table(path)
    beside = {key.decode(): value.decode() for key, value in table.schema.metadata.items()} | texts
    pq.write_table(table.replace_schema_metadata({key: value for key, value in beside.items() if value is not None}), path)
    return path


def beside(path, name):
    return json.loads(pq.read_metadata(path).metadata[name.encode()])


def asked_otherwise(path, change):
    study = beside(path, "study")
    change(study)
    return changed(path, study=json.dumps(study))


# --- there and back -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", STUDIES)
def test_a_run_is_read_back_bit_for_bit_and_replays(runs, space, tmp_path):
    run = runs[space]
    assert {event.kind for event in run.events} & {"touch-down", "impact", "lift-off"}
    assert run.ledger[-1, 5] != 0.0  # it was pushed
    save_run(run, tmp_path / "run.parquet")
    again = load_run(tmp_path / "run.parquet")
    assert same_bits(again, run)
    assert again == run
    assert again.wall == run.wall
    assert again.study == run.study
    assert same_bits(again.replay(), run)


@pytest.mark.slow
@pytest.mark.parametrize("space", STUDIES)
def test_a_fresh_process_replays_it(runs, space, tmp_path):
    save_run(runs[space], tmp_path / "run.parquet")
    done = subprocess.run([sys.executable, "-c", REPLAY, tmp_path / "run.parquet"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_joint_forces_without_a_motor_and_odd_bits_survive(runs, tmp_path):
    rng, run = np.random.default_rng(1), runs["planar"]
    odd = {name: getattr(run, name).copy() for name in SERIES if name not in ("time", "mode", "impacts")}
    for array in odd.values():
        array[...] = rng.integers(0, 2**64, array.shape, dtype=np.uint64).view(float)
        array.flat[:4] = -0.0, np.inf, np.nan, 5e-324
    run = replace(run, **odd, wall=1.25, reason='said "so",\n\ud800 twice')
    save_run(run, tmp_path / "odd.parquet")
    again = load_run(tmp_path / "odd.parquet")
    assert same_bits(again, run)
    assert again.wall == 1.25


def test_a_run_without_rows_pads_or_controller(tmp_path):
    robot = ff.robots.load("pendulum")
    assert not robot.feet
    run = ff.simulate(robot, seconds=0.05, q=[0.3])
    save_run(run, tmp_path / "run.parquet")
    assert same_bits(load_run(tmp_path / "run.parquet").replay(), run)
    empty = replace(run, **{name: getattr(run, name)[:0] for name in SERIES})
    save_run(empty, tmp_path / "run.parquet")
    assert same_bits(load_run(tmp_path / "run.parquet"), empty)


def test_anyone_can_read_the_columns(saved, runs):
    run, table = runs["planar"], pq.read_table(saved)
    names = list(run.columns())
    assert table.column_names == names
    assert all(np.array_equal(table.column(name).to_numpy(), column) for name, column in run.columns().items())
    assert table.schema.field(f"mode.{run.pads[0]}").type == pa.uint32()
    assert beside(saved, "made_with") == run_file.versions()


def test_csv_has_the_same_floats(runs, tmp_path):
    run = runs["spatial"]
    run.to_csv(tmp_path / "run.csv")
    with open(tmp_path / "run.csv", newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file)
    assert header == list(run.columns())
    assert np.array_equal(np.array(rows, dtype=float).T, np.array(list(run.columns().values()), dtype=float))


def test_pandas_has_the_same_floats(runs, saved):
    pytest.importorskip("pandas")
    frame = runs["planar"].to_pandas()
    for name, column in pq.read_table(saved).to_pandas()[list(frame)].items():
        assert np.array_equal(column, frame[name])


# --- the study ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "terrain",
    [
        Flat(0.1 + 0.2), Slope(0.1, -0.2), Waves(((1 / 3, 1e-3, 5e-324, 1e300),)), Profile((0, 1), (0, 0.1)), Stairs(0.1, 0.3),
        Obstacles(((0.1, 0.2, -0.3),)), Field(((0, 1), (2, 3)), (0.1, 0.2)),
    ],
    ids=lambda terrain: type(terrain).__name__,
)  # fmt: skip
def test_every_ground_is_the_same_again(terrain):
    study = replace(PLANAR, world=ff.World(terrain, bonded=("foot_left",), falls=False))
    assert parse_study(study_text(study), "text") == study


@pytest.mark.parametrize("contact", [Contact(0.3), Rigid(0.1, 1.0), Compliant(0.2, 1e7 / 3, 0.0)], ids=lambda c: type(c).__name__)
def test_every_contact_law_is_the_same_again(contact):
    study = replace(SPATIAL, world=replace(SPATIAL.world, contact=contact))
    assert parse_study(study_text(study), "text") == study


@pytest.mark.parametrize("space", ["planar", "spatial"])
def test_any_robot_and_start_is_the_same_again(space):
    rng = np.random.default_rng(3)
    for seed in range(10):
        robot = random_robot(seed, space)
        q, v = ff.kinematics.random_configuration(robot, rng), rng.normal(size=robot.nv) * 10.0 ** rng.integers(-300, 300)
        study = Study(robot, q=q, v=v, seconds=1 / 7, dt=1e-4 / 3, record_dt=math.pi / 100, name="n")
        assert parse_study(study_text(study), "text") == study


def test_infinity_is_a_number(tmp_path):
    robot = ff.robots.load("wendlandt")
    motor = ff.Motor(torque=math.inf, speed=math.inf)
    robot = replace(robot, joints=tuple(replace(joint, motor=joint.motor and motor) for joint in robot.joints))
    assert parse_study(study_text(Study(robot)), "text").robot == robot


def test_defaults_are_written():
    controller = json.loads(study_text(replace(PLANAR, controller=Hold())))["controller"]
    assert controller == {"class": "Hold", "rate": 1000.0, "stiffness": 1500.0, "damping": 60.0}


def test_what_is_declared_in_footfall_is_known():
    parts = known_parts()
    assert {"Hold", "Waves", "Rigid", "Push", "World"} <= set(parts)
    rooms = (
        "footfall.world.",
        "footfall.control.",
        "footfall.sensors.",
        "footfall.engines.",
        "footfall.model.pins",
        "footfall.sim.settings",
    )
    assert all(part.__module__.startswith(rooms) for part in parts.values())
    assert not any(name.startswith("_") for part in parts.values() for name in hints(part))


# --- what is code ---------------------------------------------------------------------------------------------------------


def test_a_controller_of_the_user_keeps_the_results_and_says_why_it_cannot_replay(tmp_path):
    run = ff.simulate(replace(PLANAR, controller=Wobble(gain=0.5)), seconds=0.05)
    path = tmp_path / "run.parquet"
    save_run(run, path)
    assert beside(path, "study")["controller"] is None
    for _ in range(2):  # a loaded run can be saved again, and still says it
        again = load_run(path)
        assert same_bits(again, run)
        with pytest.raises(
            SimulationError, match=r"the controller Wobble is not a part of Footfall.*test_run_files.*cannot keep it"
        ):
            again.replay()
        save_run(again, path)
    assert same_bits(ff.simulate(again.study, controller=Wobble(gain=0.5)), run)


def test_functions_are_not_kept(tmp_path):
    study = replace(PLANAR, world=ff.World(Function(bumps)), controller=Compiled(function=idle), seconds=0.02)
    run = ff.simulate(study)
    save_run(run, tmp_path / "run.parquet")
    again = load_run(tmp_path / "run.parquet")
    assert same_bits(again, run)
    with pytest.raises(
        SimulationError, match="the function of the terrain Function is a function, 'bumps', and code is not kept"
    ):
        again.replay()
    with pytest.raises(SimulationError, match="the function of the controller Compiled is a function, 'idle'"):
        ff.simulate(again.study, world=study.world)
    with pytest.raises(SimulationError, match="bumps"):
        again.study.world.terrain.height(0.0)
    assert same_bits(ff.simulate(again.study, study.controller, study.world), run)


def test_a_contact_law_of_the_user_is_not_replaced_in_silence():
    study = parse_study(study_text(replace(PLANAR, world=ff.World(contact=Soft(0.5)))), "text")
    with pytest.raises(SimulationError, match="the contact Soft is not a part of Footfall"):
        ff.simulate(study)


def test_a_study_that_could_not_be_read_is_not_written(runs, tmp_path):
    study = replace(PLANAR)
    object.__setattr__(study, "name", 5)  # a declaration would have refused it
    with pytest.raises(FileError, match="name must be a word, got 5"):
        save_run(replace(runs["planar"], study=study), tmp_path / "run.parquet")
    assert not list(tmp_path.iterdir())


# --- bad files ------------------------------------------------------------------------------------------------------------


def test_every_truncation_is_refused(saved):
    whole = saved.read_bytes()
    lengths = {*range(16), *np.linspace(16, len(whole) - 16, 200).astype(int), *range(len(whole) - 16, len(whole))}
    for length in sorted(lengths):
        saved.write_bytes(whole[:length])
        with pytest.raises(FileError, match=r"run\.parquet is not a Parquet file, or not a whole one"):
            load_run(saved)


def test_a_flipped_bit_is_noticed_where_it_matters(saved, runs):
    """Some bits only help other readers to find their way: they do not change what is read."""
    whole, refused = saved.read_bytes(), []
    places = np.linspace(4, len(whole) - 1, 400).astype(int)
    for at in places:
        saved.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
        try:
            again = load_run(saved)
        except FileError as error:
            refused.append(str(error))
        else:
            assert same_bits(again, runs["planar"])
            assert again.study == runs["planar"].study
    assert len(refused) > len(places) / 2
    assert all(str(saved) in message for message in refused)
    assert any("check sum is wrong: it is damaged" in message for message in refused)


def test_a_changed_number_is_noticed(saved):
    table = pq.read_table(saved)
    pq.write_table(table.set_column(0, "time", pa.array(np.nextafter(table["time"].to_numpy(), 9.0))), saved)
    with pytest.raises(FileError, match="changed after it was saved"):
        load_run(saved)
    pq.write_table(table, saved)  # otherwise written, with the same content
    load_run(saved)
    with pytest.raises(FileError, match="changed after it was saved"):
        load_run(asked_otherwise(saved, lambda study: study.update(seconds=7.0)))


def test_foreign_files_are_refused(saved, runs, tmp_path):
    runs["planar"].to_csv(tmp_path / "run.csv")
    (tmp_path / "empty").touch()
    (tmp_path / "noise").write_bytes(np.random.default_rng(1).bytes(5000))
    (tmp_path / "magic").write_bytes(b"PAR2" + saved.read_bytes()[4:-4] + b"PAR2")
    pq.write_table(pa.table({"time": [0.0, 1.0]}), tmp_path / "other")
    for name, words in {
        "run.csv": "not a Parquet file", "empty": "not a Parquet file", "noise": "not a Parquet file", "magic": "not a Parquet file",
        "other": "is a Parquet file, but not a run", "missing": "cannot be read: No such file", ".": "is not a file",
    }.items():  # fmt: skip
        with pytest.raises(FileError, match=words) as error:
            load_run(tmp_path / name)
        assert str(tmp_path / name) in str(error.value)


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ({"format": "other"}, "not a run"),
        ({"version": "2"}, "has format version 2, .*this one reads version 3.*run its study again"),
        ({"events": None, "wall": None}, "lacks events, wall"),
        ({"study": "{"}, "study is not valid JSON"),
        ({"study": "[]"}, "study must be a table"),
        ({"study": "[" * 100_000}, "study is nested too deeply"),
        ({"reason": "3"}, "reason must be a str, got 3"),
        ({"outcome": '"slept"'}, "no outcome .of a run. 'slept'"),
        ({"wall": '"long"'}, "wall must be a float"),
        ({"pads": '["tail/point"]'}, "pads must be those that this study has"),
        ({"pads": "[]"}, "pads must be those that this study has"),
        ({"events": "{}"}, "events must be a list"),
        ({"events": '[{"time": 1, "kind": "party", "which": "foot"}]'}, "kind of an event must be one of touch-down"),
        ({"events": '[{"time": "now", "kind": "fall", "which": "foot"}]'}, r"events\[0\]: time must be a number, got 'now'"),
        ({"events": '[{"time": 1, "kind": "fall"}]'}, r"events\[0\] lacks which"),
        ({"events": '[{"time": 1, "kind": "fall", "wich": "foot"}]'}, "Did you mean 'which'"),
    ],
)  # fmt: skip
def test_edited_texts_are_refused(saved, texts, words):
    with pytest.raises(FileError, match=words) as error:
        load_run(changed(saved, **texts))
    assert str(saved) in str(error.value)


@pytest.mark.parametrize(
    ("where", "value", "words"),
    [
        (["controller", "class"], "Hodl", "there is no controller .* 'Hodl'. Did you mean 'Hold'"),
        (["controller", "class"], "os.system", "there is no controller"),
        (["controller", "class"], "Waves", "there is no controller"),
        (["controller", "class"], ["Hold"], "there is no controller"),
        (["controller", "stifness"], 3.0, "there is no key .* 'stifness'. Did you mean 'stiffness'"),
        (["controller", "_robot"], 3.0, "there is no key"),
        (["controller", "stiffness"], -3.0, "stiffness must be at least 0"),
        (["controller", "stiffness"], "3", "stiffness must be a number, got '3'"),
        (["controller"], "Hold", "controller must be a table with a class"),
        (["world", "terrain", "class"], "Wave", "there is no terrain .* Did you mean 'Waves'"),
        (["world", "terrain"], {"class": "Function", "function": "bumps"}, "function must be left out, since it is code"),
        (["world", "terrain", "waves"], "none", "waves must be a list"),
        (["world", "contact", "friction"], True, "friction must be a number, got True"),
        (["world", "contact", "friction"], 10**400, "friction must be finite"),
        (["world", "falls"], 1, "falls must be true or false"),
        (["world", "bonded"], "foot_left", "bonded must be a list"),
        (["world", "pushes", 0, "on"], None, "on must be a word"),
        (["world", "pushes", 0, "end"], math.nan, "end must be finite"),
        (["seconds"], -1.0, "seconds must be from 0"),
        (["q"], [1.0, 2.0], "q"),
        (["robot"], "format = 3", "study: robot is not a robot file"),
        (["robot"], 3, "robot must be a robot"),
        (["robots"], 3, "there is no key"),
        (["lost"], {"wrold": "gone"}, "there is no part"),
    ],
)  # fmt: skip
def test_edited_studies_are_refused(saved, where, value, words):
    def change(study):
        for key in where[:-1]:
            study = study[key]
        study[where[-1]] = value

    with pytest.raises(FileError, match=words) as error:
        load_run(asked_otherwise(saved, change))
    assert str(saved) in str(error.value)


def test_text_itself_says_which_name_is_unknown():
    with pytest.raises(UnknownNameError, match="Did you mean 'Hold'"):
        parse_study(study_text(PLANAR).replace('"Hold"', '"Hodl"'), "text")


def test_columns_must_be_those_of_the_study(saved):
    table = pq.read_table(saved)
    doubled = table.rename_columns(["v.base.x" if name == "v.base.z" else name for name in table.column_names])
    backwards = table.take(np.arange(len(table))[::-1])
    modes = next(i for i, name in enumerate(table.column_names) if name.startswith("mode."))
    for other, words in {
        "less": (table.drop_columns(["residual"]), "column 'residual', which the study asks for, is there 0 times"),
        "more": (table.append_column("extra", table["time"]), "column 'extra' is none that the study asks for"),
        "twice": (doubled, "column 'v.base.x', which the study asks for, is there 2 times"),
        "kind": (table.set_column(0, "time", table["time"].cast("float32")), "column 'time' must be of type double, got float"),
        "holes": (table.set_column(3, table.column_names[3], pa.array([None] * len(table), "float64")), "has holes"),
        "order": (backwards, "the times do not ascend"),
        "mode": (
            table.set_column(modes, table.column_names[modes], pa.array([9] * len(table), "uint32")),
            "mode of contact must be",
        ),
    }.values():
        pq.write_table(other.replace_schema_metadata(table.schema.metadata), saved)
        with pytest.raises(FileError, match=words):
            load_run(saved)


def test_too_large_files_are_neither_read_nor_written(saved, runs, tmp_path, monkeypatch):
    monkeypatch.setattr(run_file, "MOST_NUMBERS", 100)
    with pytest.raises(FileError, match="more than 100 numbers, too many for a run"):
        load_run(saved)
    with pytest.raises(FileError, match="more than 100 numbers, too many for a file"):
        save_run(runs["planar"], tmp_path / "other.parquet")


def test_other_versions_are_told(runs, tmp_path, monkeypatch):
    older = run_file.versions() | {"numba": "0.1"}
    with monkeypatch.context() as then:
        then.setattr(run_file, "versions", lambda _engine: older)
        save_run(runs["planar"], tmp_path / "run.parquet")
    with pytest.warns(VersionWarning, match=r"run.parquet was made with numba 0.1 \(here .*\): bits of a replay may differ"):
        again = load_run(tmp_path / "run.parquet")
    assert same_bits(again, runs["planar"])


# --- whole or not at all --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_in_the_middle_leaves_what_was_there(runs, tmp_path, monkeypatch, failure):
    def fail(_):
        raise failure

    path = tmp_path / "run.parquet"
    monkeypatch.setattr(os, "fsync", fail)
    for before in (None, b"what was there"):
        if before:
            path.write_bytes(before)
        with pytest.raises(FileError if isinstance(failure, OSError) else KeyboardInterrupt) as error:
            save_run(runs["planar"], path)
        assert isinstance(failure, KeyboardInterrupt) or "cannot be written: No space left" in str(error.value)
        assert [entry.read_bytes() for entry in tmp_path.iterdir()] == ([before] if before else [])


def test_a_killed_process_leaves_no_run(saved, tmp_path):
    killed = f"""
import os, signal
from footfall.sim.run_file import load_run, save_run
run = load_run({str(saved)!r})
os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)
save_run(run, {str(tmp_path / "other.parquet")!r})
"""
    assert subprocess.run([sys.executable, "-c", killed], check=False).returncode < 0
    assert not (tmp_path / "other.parquet").exists()


def test_a_run_replaces_another_and_keeps_a_link(saved, runs, tmp_path):
    link = tmp_path / "link.parquet"
    link.symlink_to(saved)
    save_run(runs["spatial"], link)
    assert link.is_symlink()
    assert same_bits(load_run(saved), runs["spatial"])
    assert (saved.stat().st_mode & 0o777) == (0o666 & ~_umask())


def _umask():
    now = os.umask(0)
    os.umask(now)
    return now


def test_places_that_cannot_be_written(runs, tmp_path):
    (tmp_path / "file").touch()
    for path in (tmp_path / "no" / "run.parquet", tmp_path / "file" / "run.parquet", tmp_path):
        with pytest.raises(FileError, match="cannot be written"):
            save_run(runs["planar"], path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


# --- the declaration of the series ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["planar", "spatial"])
def test_series_are_declared_once(runs, kind):
    run = runs[kind]
    assert tuple(run.series) == SERIES
    for each in DECLARED:
        array = run.series[each.name]
        assert array.shape == (len(run.time), *each.shape(run.robot, run.pads))
        assert array.dtype == each.dtype
        assert each.help
    assert set(Record._fields) == set(SERIES)
    assert sum(array.size for array in run.series.values()) == sum(column.size for column in run.columns().values())
    axes = "xz" if kind == "planar" else "xyz"
    for k, pad in enumerate(run.pads):
        assert all(np.array_equal(run.columns()[f"force.{pad}.{axis}"], run.force[:, k, i]) for i, axis in enumerate(axes))
