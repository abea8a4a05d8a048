"""Tuning: what it varies, that it goes on where it stopped, that the best is never lost, and its command."""

import dataclasses
import json
import math
import os
import signal
import subprocess
import sys
import time

import pytest
from typer.testing import CliRunner

import footfall as ff
from footfall import tune
from footfall.cli import app
from footfall.errors import FileError, FootfallError, UnknownNameError
from footfall.tune import Search, Task, ranges

cma = pytest.importorskip("cma")
TASK = Task("ranger-walk", (("seconds", 0.3),), "cost", 0.0, 1, 3)


@pytest.fixture
def by_hand(monkeypatch):
    """A bowl instead of a walk."""
    asked = []

    def bowl(task, changes, generation=0):
        asked.append(changes)
        return (changes["controller.push"] - 0.4) ** 2 + (changes["controller.length"] - 0.3) ** 2

    monkeypatch.setattr(tune, "value", bowl)
    return asked


def search(path, **more):
    return Search(TASK, path, ("push", "length"), 6, **more)


def test_what_can_be_tuned_has_its_declared_range():
    found = {each.name: each for each in ranges("ranger-walk", {})}
    assert set(found) == {f"controller.{name}" for name in ff.control.RangerGait.tunable}
    assert (found["controller.push"].low, found["controller.push"].high) == (0.0, 1.0)
    for each in found.values():
        assert each.low <= each.start <= each.high
    with pytest.raises(
        FootfallError, match="its controller Hold declares nothing that can be tuned; name parameters with --over"
    ):
        ranges("stand-push", {})
    with pytest.raises(UnknownNameError, match="finite range"):
        ranges("ranger-walk", {}, ("controller.stand",))
    (split,) = ranges("ranger-walk", {"split": 0.3}, ("split",))
    assert (split.low, split.high, split.start) == (-1.9, 1.9, 0.3)


def test_it_finds_the_bottom_of_a_bowl(by_hand, tmp_path):
    found = search(tmp_path / "s.json")
    list(found.run(40, workers=1))
    value, best = found.best
    assert value < 1e-6
    assert best["controller.push"] == pytest.approx(0.4, abs=1e-2)
    assert best["controller.length"] == pytest.approx(0.3, abs=1e-2)


def test_a_search_that_was_stopped_goes_on_as_if_it_had_not(by_hand, tmp_path):
    whole = search(tmp_path / "whole.json")
    list(whole.run(6, workers=1))
    first = search(tmp_path / "parts.json")
    for done in first.run(6, workers=1):
        if done == 3:
            break  # as after Ctrl-C: what is known is written
    asked = len(by_hand)
    again = search(tmp_path / "parts.json")
    assert len(again.told) == 3
    assert again.best == first.best
    list(again.run(6, workers=1))
    assert len(by_hand) - asked == 3 * 6
    texts = [json.loads((tmp_path / name).read_text()) for name in ("whole.json", "parts.json")]
    assert texts[0] == texts[1]


def test_a_file_of_another_question_is_refused(by_hand, tmp_path):
    path = tmp_path / "s.json"
    list(search(path).run(1, workers=1))
    with pytest.raises(FileError, match="another spread"):
        search(path, spread=0.3)
    path.write_text("{")
    with pytest.raises(FileError, match="not a search"):
        search(path)
    with pytest.raises(UnknownNameError, match="objective"):
        Search(Task("ranger-walk", (), "beauty", 0.0, 1, 3), path)


def test_a_walk_has_a_value_and_a_fall_a_worse_one():
    task = Task("ranger-walk", (("seconds", 4.0),), "cost", 0.0, 1, 0)
    good = tune.value(task, {})
    fallen = tune.value(task, {"hip_stiffness": 0.0, "hip_damping": 0.0, "push": 1.0, "lower": -0.3})
    assert 0.0 < good < 1.0 < fallen


# --- the command ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def alone(monkeypatch):
    """Without other processes, which would not know of a bowl."""
    monkeypatch.setattr(tune, "cores", lambda: 1)


QUESTION = ["ranger-walk", "--set", "seconds=0.3", "--size", "4", "--over", "push, length", "--seed", "3"]


def command(path, generations, *more):
    return CliRunner().invoke(app, ["tune", *QUESTION, "--out", str(path), "--generations", str(generations), *more])


def test_the_command_tunes(alone, tmp_path):
    done = command(tmp_path / "s.json", 2, "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    written = json.loads((tmp_path / "s.json").read_text())
    assert (found["generations"], len(written["generations"])) == (2, 2)
    assert set(found["parameters"]) == {"controller.push", "controller.length"}
    values = [f for entry in written["generations"] for f in entry["f"]]
    assert found["value"] == written["best"]["value"] == min(values)
    task = Task("ranger-walk", (("seconds", 0.3),), "cost", 0.0, 8, 3)
    assert tune.value(task, found["parameters"]) == found["value"]
    shown = command(tmp_path / "s.json", 2)
    assert shown.exit_code == 0
    assert "Best of 2 generations" in shown.stdout


def test_ctrl_c_costs_the_generation_at_hand(by_hand, alone, monkeypatch, tmp_path):
    assert command(tmp_path / "whole.json", 4).exit_code == 0
    bowl, path = tune.value, tmp_path / "parts.json"

    def cut(after):
        left = [after]

        def value(task, changes, generation=0):
            left[0] -= 1
            if left[0] < 0:
                signal.raise_signal(signal.SIGINT)
            return bowl(task, changes, generation)

        monkeypatch.setattr(tune, "value", value)

    cut(3)
    done = command(path, 4)
    assert (done.exit_code, done.stdout) == (130, "")
    assert "no generation was finished, and nothing is written" in done.stderr
    assert not path.exists()
    cut(4 + 4 + 2)
    done = command(path, 4, "--json")
    assert (done.exit_code, json.loads(done.stdout)["generations"]) == (130, 2)
    assert f"2 of 4 generations are in {path}; the same command goes on" in done.stderr
    monkeypatch.setattr(tune, "value", bowl)
    assert command(path, 4).exit_code == 0
    assert path.read_text() == (tmp_path / "whole.json").read_text()


def test_a_search_that_was_killed_goes_on_and_leaves_nobody_behind(alone, tmp_path):
    """On all cores, with real walks, and kill -9."""
    path = tmp_path / "s.json"
    running = subprocess.Popen(
        [sys.executable, "-m", "footfall", "tune", *QUESTION, "--out", path, "--generations", "1000000"], start_new_session=True
    )
    end = time.monotonic() + 900.0
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)
    running.kill()
    running.wait()
    known = json.loads(path.read_text())["generations"]
    assert known
    done = command(path, len(known) + 1)
    assert done.exit_code == 0, done.output
    assert json.loads(path.read_text())["generations"][:-1] == known
    while members(running.pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not members(running.pid)


def members(group):
    """Whether anyone is left in a group of processes."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--objective", "beauty"], "there is no objective 'beauty'. Known: cost, robust."),
        (["--objective", "cots"], "Did you mean 'cost'"),
        (["--over", "pusch"], "Did you mean 'controller.push'"),
        (["--set", "secnds=1"], "Did you mean 'seconds'"),
        (["--set", "seconds=nan"], "seconds"),
        (["--spread", "0"], "spread must be above 0 and at most 1, a share of each range, got 0.0"),
        (["--spread", "nan"], "got nan"),
        (["--speed", "-1"], "speed must be a number of 0 (any) or more, in m/s, got -1.0"),
        (["--out", "nowhere/s.json"], "nowhere/s.json cannot be written: there is no folder nowhere"),
    ],
)
def test_the_command_refuses(more, message, tmp_path):
    with pytest.raises(FootfallError) as error:
        CliRunner().invoke(app, ["tune", *QUESTION, "--out", str(tmp_path / "s.json"), *more], catch_exceptions=False)
    assert message in str(error.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda data: b"{", "not a search that can be gone on with"),
        (lambda data: b"\xff\xfe\x00", "is not a text file: byte 0 is not UTF-8"),
        (lambda data: b"[]", "not a search that can be gone on with"),
        (lambda data: {"asked": data["asked"]}, "it has no 'generations'"),
        (lambda data: {**data, "asked": 3}, "not a search that can be gone on with"),
        (lambda data: {**data, "generations": [{}]}, "generation 1 must have 4 candidates x of 2 numbers, and 4 values f"),
        (lambda data: {**data, "generations": [*data["generations"], 7]}, "generation 2 must have"),
        (lambda data: {**data, "generations": [{**data["generations"][0], "f": [1.0, 2.0, 3.0]}]}, "generation 1 must have"),
        (lambda data: {**data, "generations": [{**data["generations"][0], "f": [1.0, 2.0, 3.0, math.nan]}]}, "generation 1 must have"),
        (lambda data: {**data, "asked": {**data["asked"], "seed": 4, "speed": 1.0}}, "holds a search with another speed, seed"),
    ],
)  # fmt: skip
def test_a_bad_file_is_refused_and_kept(by_hand, alone, spoil, message, tmp_path):
    path = tmp_path / "s.json"
    assert command(path, 1).exit_code == 0
    spoilt = spoil(json.loads(path.read_text()))
    path.write_bytes(spoilt if isinstance(spoilt, bytes) else json.dumps(spoilt).encode())
    before = path.read_bytes()
    with pytest.raises(FileError) as error:
        CliRunner().invoke(app, ["tune", *QUESTION, "--out", str(path), "--generations", "2"], catch_exceptions=False)
    assert message in str(error.value)
    assert str(path) in str(error.value)
    assert path.read_bytes() == before


def test_searches_at_once_go_as_each_would_alone(by_hand, tmp_path):
    both = tune.restarts(TASK, tmp_path / "s.json", 2, ("push", "length"), 6)
    assert [each.path.name for each in both] == ["s-3.json", "s-4.json"]
    assert list(tune.together(both, 3, workers=1)) == [1, 2, 3]
    for number, each in enumerate(both):
        alone = Search(dataclasses.replace(TASK, seed=3 + number), tmp_path / f"alone-{number}.json", ("push", "length"), 6)
        list(alone.run(3, workers=1))
        assert json.loads(each.path.read_text()) == json.loads(alone.path.read_text())
    assert both[0].told != both[1].told


def test_searches_at_once_go_on_from_where_each_was(by_hand, tmp_path):
    def begun():
        return tune.restarts(TASK, tmp_path / "s.json", 2, ("push", "length"), 6)

    list(begun()[0].run(2, workers=1))
    asked = len(by_hand)
    assert list(tune.together(begun(), 3, workers=1))[-1] == 3
    assert len(by_hand) - asked == 6 + 3 * 6
    for wrong in (0, 1001, True, 2.0):
        with pytest.raises(FootfallError, match="restarts"):
            tune.restarts(TASK, tmp_path / "s.json", wrong, ("push",), 6)
