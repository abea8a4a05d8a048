"""What a user sees first: the command line, the pictures, the examples, the documentation."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import footfall as ff
from footfall import bench

ROOT = Path(__file__).parents[1]


def footfall(*arguments):
    return subprocess.run([sys.executable, "-m", "footfall", *arguments], capture_output=True, text=True, env=os.environ)


def test_version_and_help():
    assert footfall("--version").stdout == f"footfall {ff.__version__}\n"
    shown = footfall("--help")
    assert shown.returncode == 0
    assert "list" in shown.stdout
    assert "bench" in shown.stdout


def test_help_does_not_load_the_compiler():
    code = "import sys; sys.argv = ['footfall', '--help']\nimport footfall.cli\nassert 'numba' not in sys.modules and 'numpy' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


def test_list_robots():
    shown = footfall("list", "robots")
    assert shown.returncode == 0
    rows = json.loads(footfall("list", "robots", "--json").stdout)
    assert {row["name"] for row in rows} == set(ff.robots.names())
    for row in rows:
        assert row["name"] in shown.stdout
        assert row["origin"]
        assert row["mass kg"] > 0


@pytest.mark.parametrize(
    ("what", "name", "parameter"),
    [
        ("terrains", "Slope", {"name": "angle", "needed": True, "default": None, "unit": "rad", "low": -1.5, "high": 1.5}),
        ("contacts", "Rigid", {"name": "restitution", "needed": False, "default": 0.0, "unit": "1", "low": 0.0, "high": 1.0}),
        (
            "controllers",
            "Hold",
            {"name": "stiffness", "needed": False, "default": 1500.0, "unit": "N m/rad", "low": 0.0, "high": None},
        ),
    ],
)
def test_parts_are_listed_with_what_can_be_set(what, name, parameter):
    rows = {row["name"]: row for row in json.loads(invoke("list", what, "--json"))}
    assert rows[name]["about"]
    found = next(entry for entry in rows[name]["parameters"] if entry["name"] == parameter["name"])
    assert {key: found[key] for key in parameter} == parameter
    assert not any(entry["name"].startswith("_") for row in rows.values() for entry in row["parameters"])
    assert name in invoke("list", what)
    shown = invoke("show", name)
    assert parameter["name"] in shown


def invoke(*arguments):
    from typer.testing import CliRunner

    from footfall.cli import app

    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_run_with_a_seed():
    def end(seed):
        return json.loads(invoke("run", "stand-rough", "--seconds", "0.1", "--seed", seed, "--json"))

    first, again, other = end("1"), end("1"), end("2")
    for figures in (first, again, other):
        del figures["real_time"], figures["wall"]
    assert first == again
    assert first != other


def test_a_run_plots_itself(tmp_path):
    run = ff.simulate(ff.studies.load("box-slope"), seconds=0.05)
    run.plot("contacts", tmp_path / "contacts.png")
    assert (tmp_path / "contacts.png").stat().st_size > 1000
    with pytest.raises(ff.errors.UnknownNameError, match="no plot .*'contact'.* Did you mean 'contacts'"):
        run.plot("contact")


@pytest.mark.parametrize("arguments", [("list", "robotz"), ("bench", "dynamic")])
def test_unknown_names_are_one_line_and_exit_1(arguments):
    done = footfall(*arguments)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("footfall: there is no ")
    assert "Did you mean" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_run_prints_and_writes(tmp_path):
    done = footfall("run", "box-slope", "--seconds", "0.2", "--set", "friction=0.2", "--out", str(tmp_path), "--json")
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["reason"] == "reached the end"
    assert figures["slid"] > 0
    assert {"run.parquet", "run.csv", "overview.png"} <= {path.name for path in tmp_path.iterdir()}
    assert ff.Run.load(tmp_path / "run.parquet").study.name == "box-slope"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "box-slop"), "Did you mean 'box-slope'"),
        (("run", "box-slope", "--set", "frction=1"), "Did you mean 'friction'"),
        (("run", "box-slope", "--set", "friction"), "--set takes name=value"),
        (("run", "box-slope", "--set", "friction=much"), "study 'box-slope': friction must be a number, got 'much'"),
        (
            ("run", "box-slope", "--seed", "3"),
            "takes no --seed; johnnie-uneven, ranger-trouble, simple-biped-hills, stand-rough, wendlandt-anywhere and studies with "
            "sensors would",
        ),
    ],
)
def test_run_refuses(arguments, message):
    done = footfall(*arguments)
    assert done.returncode == 1
    assert message in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["ranger-walk", "--set", "split=3"], "study 'ranger-walk': split must be from -1.9 to 1.9 m, got 3"),
        (["ranger-walk", "--set", "gait=3"], "there is no gait (of study 'ranger-walk') '3'. Known: hand, heel-tip, stable"),
        (["simbicon-run", "--set", "fast=1"], "study 'simbicon-run': fast must be true or false, got '1'"),
        (["simple-biped-walk", "--set", "speed=0"], "speed must be from 0.2 to 1.2 m/s, got 0"),
        (["simple-biped-walk", "--set", "speed=-1"], "study 'simple-biped-walk': speed must be from 0.2 to 1.2 m/s, got -1"),
        (["simple-biped-walk", "--set", "speed=nan"], "study 'simple-biped-walk': speed must be finite, got nan"),
        (["simple-biped-walk", "--set", "speed=0.5", "--set", "speed=1"], "--set says twice what 'speed' is: 0.5 and 1"),
        (["simple-biped-hills", "--seed", "1", "--set", "seed=2"], "the seed is given twice: --seed 1 and --set seed=2"),
        (["simple-biped-walk", "--seconds", "nan"], "study 'simple-biped-walk': seconds must be finite, got nan"),
        (["box-slope", "--out", __file__], f"--out {__file__!r} is no folder to write to: File exists"),
        (["compass", "--out", __file__], f"--out {__file__!r} is no folder to write to: File exists"),
    ],
)
def test_run_refuses_what_a_student_tries(arguments, message):
    from typer.testing import CliRunner

    from footfall.cli import app

    with pytest.raises(ff.FootfallError) as error:
        CliRunner().invoke(app, ["run", *arguments], catch_exceptions=False)
    assert message in str(error.value)


def test_a_run_that_breaks_down_is_kept(tmp_path):
    from typer.testing import CliRunner

    from footfall.cli import app

    far = ["run", "stand-push", "--set", "world.pushes.0.force=1e12,0", "--out", str(tmp_path)]
    with pytest.raises(ff.FootfallError, match=r"diverged at 1.50.. s.* until then is in .*/run.parquet and run.csv"):
        CliRunner().invoke(app, far, catch_exceptions=False)
    assert ff.Run.load(tmp_path / "run.parquet").outcome is ff.Outcome.DIVERGED


@pytest.mark.parametrize(
    ("failure", "message"),
    [
        (OSError(28, "No space left on device", "plots/a.png"), "footfall: [Errno 28] No space left on device: 'plots/a.png'\n"),
        (MemoryError("9 GiB"), "footfall: this does not fit into memory; ask for less time or a smaller size (9 GiB)\n"),
    ],
)
def test_what_the_machine_refuses_is_one_line(failure, message, monkeypatch, capsys):
    from footfall import cli

    def refuse():
        raise failure

    monkeypatch.setattr(cli, "app", refuse)
    with pytest.raises(SystemExit) as end:
        cli.main()
    assert (end.value.code, capsys.readouterr().err) == (1, message)


def test_bench_json_has_the_promised_keys(monkeypatch):
    row = bench.Row("n", 1.0, 2.0, "p", "us", 2.0)
    monkeypatch.setattr(bench, "measure", lambda name: iter([row]))
    from typer.testing import CliRunner

    from footfall.cli import app

    printed = CliRunner().invoke(app, ["bench", "dynamics", "--json"]).stdout
    assert [set(entry) for entry in json.loads(printed)] == [{"name", "footfall", "peer", "peer_name", "unit", "ratio"}]


def test_commands_that_are_interrupted_show_what_there_is(monkeypatch, tmp_path):
    from typer.testing import CliRunner

    from footfall.cli import app
    from footfall.sim import simulate as room

    def measure(name):
        yield bench.Row("n", 1.0, 2.0, "p", "us", 2.0)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(bench, "measure", measure)
    done = CliRunner().invoke(app, ["bench", "dynamics", "--json"])
    assert (done.exit_code, len(json.loads(done.stdout))) == (130, 1)
    assert done.stderr == "footfall: interrupted; rows measured by then: 1\n"
    whole = room.simulate
    ended = lambda *given, **more: whole(*given, **{**more, "progress": lambda _: signal.raise_signal(signal.SIGINT)})  # noqa: E731
    monkeypatch.setattr(room, "simulate", ended)
    done = CliRunner().invoke(app, ["run", "box-slope", "--seconds", "50", "--out", str(tmp_path), "--json"])
    figures, run = json.loads(done.stdout), ff.Run.load(tmp_path / "run.parquet")
    assert done.exit_code == 130
    assert 0.0 < figures["duration"] < 50.0
    assert figures["reason"] == run.reason == f"interrupted at {run.time[-1]:.3f} s"
    assert done.stderr == f"footfall: interrupted; the first {run.time[-1]:.3f} of 50 s are kept\n"
    assert (tmp_path / "overview.png").exists()


def test_every_benchmark_says_what_it_compares():
    for name in bench.names():
        assert importlib.import_module(f"footfall.bench.{name}").__doc__


def test_bench_of_one_case_runs(monkeypatch):
    from footfall.bench import dynamics

    monkeypatch.setattr(dynamics, "STATES", 40)
    rows = list(bench.measure("dynamics"))
    assert len(rows) == 4
    assert all(row.ratio > 0 and row.how for row in rows)


@pytest.mark.parametrize("name", ff.robots.names())
def test_pictures(name, tmp_path):
    robot = ff.robots.load(name)
    q = np.array([ff.kinematics.random_configuration(robot, seed) for seed in range(3)])
    figure = ff.view.picture(robot, q, tmp_path / "robot.png")
    assert (tmp_path / "robot.png").stat().st_size > 5000
    assert len(figure.axes) == (1 if robot.space == "planar" else 3)  # in space: in perspective, from the side, from the front
    for ax in figure.axes[-2:]:  # that in perspective has no axes
        assert "(m)" in ax.get_xlabel()
        assert "(m)" in ax.get_ylabel()


def test_printing():
    robot = ff.robots.load("person")
    assert "└─ toes_right" in str(robot)
    assert "knee_left" in robot.describe()
    assert "kg m2" in robot.describe()
    assert "22 degrees of freedom" in repr(robot)


@pytest.mark.parametrize("script", sorted(path.name for path in (ROOT / "examples").glob("*.py")))
def test_examples_run(script, tmp_path):
    short = {"08_learn_to_walk.py": ["2"]}.get(script, [])  # iterations
    if short:
        pytest.importorskip("gymnasium")
    done = subprocess.run([sys.executable, ROOT / "examples" / script, tmp_path, *short], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list(tmp_path.glob("*.png"))


def _snippets():
    spec = importlib.util.spec_from_file_location("snippets", ROOT / "docs" / "snippets.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", [str(page) for page in _snippets().pages()])
def test_code_in_the_documentation_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "import gymnasium" in Path(page).read_text(encoding="utf-8"):
        pytest.importorskip("gymnasium")
    _snippets().run(page)


def test_a_compiled_law_is_the_python_one_with_a_decorator():
    texts = [block.text for block in _snippets().blocks(ROOT / "docs" / "howto" / "gaits.md") if "(Strolling):" in block.text]
    plain, compiled = ([line for line in text.splitlines()[1:] if line] for text in texts)
    assert compiled == ["    @ff.kernel", *plain]


def test_the_tutorial_is_short():
    texts = [block.text for block in _snippets().blocks(ROOT / "docs" / "tutorial.md") if block.language == "python"]
    assert sum(len(text.splitlines()) for text in texts) < 60
