"""Files: whole or not at all, only regular ones, and nothing of another run is lost."""

import json
import os
import stat
import subprocess
import sys
import threading

import pytest
from typer.testing import CliRunner

import footfall as ff
from footfall import view
from footfall.cli import app
from footfall.errors import FileError, FootfallError, RobotError, UnknownNameError
from footfall.files import open_file, read_text, whole_file, write_whole
from footfall.model.file import parse_robot, read_robot, robot_text, write_robot

ROBOT = ff.robots.load("wendlandt")


@pytest.fixture(scope="module")
def run():
    return ff.simulate(ff.studies.load("box-slope"), seconds=0.05)


WRITERS = {
    "csv": lambda run, path: run.to_csv(path),
    "parquet": lambda run, path: run.save(path),
    "toml": lambda run, path: write_robot(ROBOT, path),
    "urdf": lambda run, path: ff.write_urdf(ROBOT, path),
    "png": lambda run, path: run.plot("energy", path),
    "svg": lambda run, path: view.picture(ROBOT, ROBOT.neutral(), path),
    "html": lambda run, path: view.recording(run, path),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_what_fails_in_the_middle_leaves_what_was_there(run, tmp_path, monkeypatch, kind):
    def full(_):
        raise OSError(28, "No space left on device")

    path = tmp_path / f"file.{kind}"
    path.write_text("what was there")
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(os, "fsync", full)
        with pytest.raises(FileError, match=f"file.{kind} cannot be written: No space left on device"):
            WRITERS[kind](run, path)
    assert [entry.read_text() for entry in tmp_path.iterdir()] == ["what was there"]
    WRITERS[kind](run, path)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
    assert path.stat().st_size > 1000


@pytest.mark.parametrize("kind", WRITERS)
def test_no_path(run, kind):
    for path in (3, "zero\0") if kind in ("png", "svg") else (None, 3, "zero\0"):  # a picture without a path is a picture
        with pytest.raises(FileError, match=r"a path must be a word or a Path, got|is no path"):
            WRITERS[kind](run, path)
    with pytest.raises(FileError, match="cannot be written: No such file"):
        WRITERS[kind](run, f"no/such/folder/file.{kind}")


def test_a_file_keeps_its_permissions(tmp_path):
    path = tmp_path / "robot.toml"
    write_robot(ROBOT, path)
    path.chmod(0o600)
    write_robot(ROBOT, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_robot(path) == ROBOT


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path):
    pipe, heard = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()), daemon=True)
    reader.start()
    write_whole(pipe, "word")
    reader.join(20.0)
    assert heard == ["word"]
    assert pipe.is_fifo()


def test_what_raises_while_it_writes_leaves_nothing(tmp_path):
    def half():
        with whole_file(tmp_path / "file") as file:
            file.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        half()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("read", [read_robot, ff.Run.load, open_file, lambda path: read_text(path, 10, "it")])
def test_only_files_are_read(tmp_path, read):
    """A pipe that nobody writes to must not be waited for."""
    os.mkfifo(tmp_path / "pipe")
    for path, words in {tmp_path / "pipe": "is not a file but a pipe", tmp_path: "a folder", "/dev/zero": "a device"}.items():
        with pytest.raises(FileError, match=words):
            read(path)
    for path in (None, 3, "zero\0"):
        with pytest.raises(FileError, match="path"):
            read(path)


def test_unknown_formats_of_pictures(run, tmp_path):
    with pytest.raises(UnknownNameError, match=r"no format of pictures .*picture.jpgg.* 'jpgg'. Did you mean 'jpg'"):
        run.plot("energy", tmp_path / "picture.jpgg")
    run.plot("energy", tmp_path / "picture")
    assert [entry.name for entry in tmp_path.iterdir()] == ["picture.png"]


# --- another run's files --------------------------------------------------------------------------------------------------

COMMANDS = [
    (["run", "box-slope", "--seconds", "0.05"], {"run.parquet", "run.csv", "overview.png"}),
    (["run", "rimless-wheel", "--seconds", "1"], {"run.parquet", "run.csv", "overview.png"}),
    (["basin", "rimless-wheel", "--size", "3"], {"basin.png", "basin.json"}),
]


@pytest.mark.parametrize(("command", "names"), COMMANDS, ids=lambda each: each[1] if isinstance(each, list) else "")
def test_another_run_is_overwritten_only_when_told(tmp_path, command, names):
    asked = [*command, "--json", "--out", str(tmp_path)]
    first = CliRunner().invoke(app, asked)
    assert first.exit_code == 0, first.output
    assert names <= {entry.name for entry in tmp_path.iterdir()}
    for entry in tmp_path.iterdir():
        entry.write_text("of another run")
    again = CliRunner().invoke(app, asked)
    assert isinstance(again.exception, FileError)
    assert "holds" in str(again.exception)
    assert "of another run; name another folder, or write over them with --force" in str(again.exception)
    assert {entry.read_text() for entry in tmp_path.iterdir()} == {"of another run"}
    forced = CliRunner().invoke(app, [*asked, "--force"])
    assert forced.exit_code == 0
    assert json.loads(forced.stdout)
    assert not any(entry.read_bytes() == b"of another run" for entry in tmp_path.iterdir())


# --- robot files that are traps -------------------------------------------------------------------------------------------

HEAD = 'format = "footfall-robot"\nversion = 1\n'
TRAPS = {
    "a dotted key": ("a" + ".a" * 100_000 + " = 1", "nested too deeply to be a robot: 'a.a"),
    "quoted parts": ("a" + ' . "a"' * 100_000 + " = 1", "nested too deeply"),
    "a table's name": ("[" + "a." * 100_000 + "a]", "nested too deeply"),
    "a table in a line": ("a = {" + "a." * 100_000 + "a = 1}", "nested too deeply"),
    "rows in rows": ("a = " + "[" * 100_000, "more than 8 brackets within brackets"),
    "tables in tables": ("a = " + "{a = " * 100_000, "more than 8 brackets within brackets"),
    "digits": ("gravity = " + "9" * 5000, "a number of more than 400 digits, 9999"),
    "hexadecimal digits": ("gravity = 0x" + "f" * 5000, "a number of more than 400 digits"),
    "a number too large": ("gravity = " + "9" * 399, "lacks|gravity must be finite"),
    "many keys": ("\n".join(f"a{i} = 1" for i in range(600_001)), "more than 600,000 entries, too many for a robot"),
    "quotes": ('"' * 1_000_000, "not valid TOML"),
    "escaped quotes": ('a = """' + '\\"""' * 250_000, "not valid TOML"),
}


@pytest.mark.parametrize("trap", TRAPS)
def test_traps_in_robot_files_are_refused_at_once(tmp_path, trap):
    text, words = TRAPS[trap]
    (tmp_path / "robot.toml").write_text(HEAD + text)
    with pytest.raises(FootfallError, match=words):
        read_robot(tmp_path / "robot.toml")


def test_traps_take_little_memory(tmp_path):
    """A dotted key of 100,000 parts took 20 GB in the reader of TOML."""
    for number, (text, _) in enumerate(TRAPS.values()):
        (tmp_path / f"{number}.toml").write_text(HEAD + text)
    code = """
import resource, sys
import footfall as ff
def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
before = most()
for path in sys.argv[1:]:
    try:
        ff.read_robot(path)
        raise SystemExit(f"{path} was read")
    except ff.FootfallError:
        pass
print(most() - before)
"""
    asked = [sys.executable, "-c", code, *sorted(map(str, tmp_path.iterdir()))]
    done = subprocess.run(asked, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 500_000  # kB


def test_what_looks_like_a_trap_inside_text_is_none():
    origin = "a.b.c.d.e.f.g [[[[[[[[[[ " + "9" * 500 + ' """ \' # = "'
    robot = ff.Robot(ROBOT.name, ROBOT.space, ROBOT.links, ROBOT.joints, ROBOT.frames, ROBOT.feet, origin)
    assert parse_robot(robot_text(robot)) == robot


@pytest.mark.parametrize("shape", ["[]", "{}", "1979-05-27", "3"])
def test_shapes_that_are_no_words(shape):
    text = robot_text(ROBOT).replace('shape = "heel_toe"', f"shape = {shape}", 1)
    with pytest.raises(FileError, match=r"pads\[0\] must have a shape, one of point, heel_toe, box, arc, sphere, capsule, got"):
        parse_robot(text)


@pytest.mark.parametrize(
    ("links", "motor", "words"),
    [
        ({}, ff.Motor(rotor_inertia=1.0, gear=1e308), "joint 'hip': its rotor inertia times the square of its gear.*1e.308"),
        ({"mass": 1e308, "com": (0.0, -10.0)}, None, "link 'leg' and what is fixed to it are too heavy"),
    ],
)
def test_numbers_that_are_too_large_together(links, motor, words):
    leg = ff.Link("leg", **{"mass": 1.0, "com": (0.0, -0.5), **links})
    with pytest.raises(RobotError, match=words):
        ff.Robot("big", "planar", (leg,), (ff.Joint("hip", "revolute", "world", "leg", motor=motor),))
