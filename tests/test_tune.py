"""Tuning: what it varies, that it goes on where it stopped, and that the best is never lost."""

import json

import pytest

import footfall as ff
from footfall import tune
from footfall.errors import FileError, FootfallError, UnknownNameError
from footfall.tune import Search, Task, ranges

cma = pytest.importorskip("cma")
TASK = Task("ranger-walk", (("seconds", 0.3),), "cost", 0.0, 1, 3)


@pytest.fixture
def by_hand(monkeypatch):
    """A bowl instead of a walk."""
    asked = []

    def bowl(task, changes):
        asked.append(changes)
        return (changes["push"] - 0.4) ** 2 + (changes["length"] - 0.3) ** 2

    monkeypatch.setattr(tune, "value", bowl)
    return asked


def search(path, **more):
    return Search(TASK, path, ("push", "length"), 6, **more)


def test_what_can_be_tuned_has_its_declared_range():
    found = {each.name: each for each in ranges(ff.studies.load("ranger-walk"))}
    assert set(found) == set(ff.control.RangerGait.tunable)
    assert (found["push"].low, found["push"].high) == (0.0, 1.0)
    for each in found.values():
        assert each.low <= each.start <= each.high
    with pytest.raises(FootfallError, match="declares nothing that can be tuned"):
        ranges(ff.studies.load("stand-push"))
    with pytest.raises(UnknownNameError, match="tunable parameter"):
        ranges(ff.studies.load("ranger-walk"), ("rate",))


def test_it_finds_the_bottom_of_a_bowl(by_hand, tmp_path):
    found = search(tmp_path / "s.json")
    list(found.run(40, workers=1))
    value, best = found.best
    assert value < 1e-6
    assert best["push"] == pytest.approx(0.4, abs=1e-2)
    assert best["length"] == pytest.approx(0.3, abs=1e-2)


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
