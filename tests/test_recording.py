"""Shapes, portraits and recordings of what moved; walks from the command line."""

import base64
import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import footfall as ff
from footfall import reproduce
from footfall.analysis.sides import kept_sides, pieces
from footfall.cli import app
from footfall.cycles import Walk
from footfall.errors import FootfallError, StateError
from footfall.view.shapes import height_of, shapes


@pytest.fixture(scope="module")
def ono():
    return Walk(ff.studies.load("ono-walk")).run(3, record_dt=1 / 60)


@pytest.mark.parametrize("name", ff.robots.names())
def test_every_robot_has_a_shape(name):
    """Meshes of finite numbers, whose faces have corners that exist."""
    robot = ff.robots.load(name)
    assert 0.1 < height_of(robot) < 10.0
    for link in robot.links:
        found = shapes(robot, link.name)
        assert found or link.mass == 0.0
        for vertices, faces, *_ in found:
            assert np.isfinite(vertices).all()
            assert 0 <= faces.min() <= faces.max() < len(vertices)


def test_legs_keep_their_names(ono):
    """The tip that stands changes with each step, and no joint jumps; where it is put, nothing has moved."""
    q, v = kept_sides(ono)
    for before, after in zip(pieces(ono)[:-1], pieces(ono)[1:], strict=True):
        assert np.abs(q[after.start] - q[before.stop - 1]).max() < 1e-12
    for name in ("thigh", "shank"):
        for row in range(0, len(q), 17):
            places = {side: ff.kinematics.pose(ono.robot, q[row], f"{name}_{side}").position for side in ("left", "right")}
            told = {side: ff.kinematics.pose(ono.robot, ono.q[row], f"{name}_{side}").position for side in ("left", "right")}
            same = np.abs(places["left"] - told["left"]).max() + np.abs(places["right"] - told["right"]).max()
            swapped = np.abs(places["left"] - told["right"]).max() + np.abs(places["right"] - told["left"]).max()
            assert min(same, swapped) < 1e-12
    steps = np.searchsorted(ono.times, [event.time for event in ono.named("strike")])
    assert np.array_equal(q[: steps[0]], ono.q[: steps[0]])
    assert not np.array_equal(v[steps[0] + 2 : steps[1]], ono.v[steps[0] + 2 : steps[1]])


def test_a_portrait_is_drawn(ono, tmp_path):
    figure = ff.view.portrait(ono, ("thigh_left", "shank_left"), tmp_path / "p.png", last=0.5)
    assert len(figure.axes) == 2
    assert (tmp_path / "p.png").stat().st_size > 10_000


def messages(path):
    """What a page plays: (time, message) pairs."""
    import msgspec
    import zstandard

    text = path.read_text(encoding="utf-8")
    data = base64.b64decode(re.search(r'__VISER_EMBED_DATA__="([^"]+)"', text)[1])
    size = int.from_bytes(data[:8], "little")
    inner = zstandard.ZstdDecompressor().decompress(data[8:], max_output_size=size)
    length = int.from_bytes(inner[:8], "little")
    return msgspec.msgpack.decode(inner[8 : 8 + length])


def test_a_recording_shows_the_motion_and_needs_nothing_else(ono, tmp_path):
    pytest.importorskip("viser")
    done = []
    path = ff.view.recording(ono, tmp_path / "ono.html", title="one & two", progress=done.append)
    text = path.read_text(encoding="utf-8")
    assert "<title>one &amp; two</title>" in text
    assert not re.search(r"<(script|link)[^>]+(src|href)=[\"']https?:", text)
    assert "<style>canvas{opacity:1!important}</style>" in text  # seen at once
    assert done[-1] == 1.0
    played = messages(path)
    assert played["durationSeconds"] == pytest.approx(ono.times[-1], abs=0.05)
    q, _ = kept_sides(ono)
    frame = 12  # 0.4 s: the grid has this row
    row = int(np.searchsorted(ono.times, frame / 30 - 1e-9))
    moves = [m for t, m in played["messages"] if m.get("name") == "/world/shank_right" and abs(t - frame / 30) < 1e-6]
    found = [m["position"] for m in moves if "position" in m]
    x, z = ff.kinematics.pose(ono.robot, q[row], "shank_right").position
    assert np.abs(np.array(found[-1])[[0, 2]] - (x, z)).max() < 1e-6


def test_a_run_in_space_is_recorded_too(tmp_path):
    pytest.importorskip("viser")
    robot = ff.robots.load("johnnie")
    run = ff.simulate(robot, seconds=0.05, lift=True)
    assert messages(ff.view.recording(run, tmp_path / "j.html"))["messages"]


def test_what_cannot_be_recorded(ono, tmp_path):
    with pytest.raises(StateError, match="shows a Run or a HybridResult"):
        ff.view.recording(ono.q, tmp_path / "x.html")
    with pytest.raises(StateError, match="speed must be a number above 0"):
        ff.view.recording(ono, tmp_path / "x.html", speed=0.0)


# --- walks from the command line ------------------------------------------------------------------------------------------


def test_a_walk_is_run_by_name():
    done = CliRunner().invoke(app, ["run", "rimless-wheel", "--seconds", "3", "--json"])
    rows = json.loads(done.stdout)
    assert done.exit_code == 0
    assert rows["robot"] == "rimless-wheel"
    assert rows["events"]["switch"] >= 2
    assert rows["reason"] == "reached the end"
    assert rows["speed"] == pytest.approx(rows["distance"] / rows["duration"])


def test_a_walk_that_falls_says_so():
    study = ff.studies.load("compass")
    run = ff.simulate(study, v=tuple(0.3 * np.array(study.v)))
    assert run.outcome is ff.Outcome.FELL
    assert run.events[-1].kind == "fall"
    assert run.time[-1] <= run.events[-1].time < study.seconds
    assert run.replay() == run


def test_a_walk_takes_no_seed():
    done = CliRunner().invoke(app, ["run", "compass", "--seed", "3"])
    assert isinstance(done.exception, FootfallError)
    assert "study 'compass' has no random part" in str(done.exception)


def test_a_walk_with_sensors_takes_a_seed():
    shown = [
        CliRunner().invoke(app, ["run", "johnnie-walk", "--seconds", "0.2", "--json", *seed]) for seed in ([], ["--seed", "5"])
    ]
    assert all(done.exit_code == 0 for done in shown)
    assert shown[0].stdout != shown[1].stdout


def test_denoc_and_lagrange_draw_the_same_portrait():
    rows = list(reproduce.rows("denoc/portrait", reproduce.Setting(quick=True)))
    assert len(rows) == 7
    assert [row.quantity for row in rows if not row.ok] == []


def test_near_gimbal_lock_no_formulation_is_worse_than_rounding_allows():
    rows = list(reproduce.rows("denoc/gimbal-lock", reproduce.Setting()))
    assert len(rows) == 9
    assert [row.quantity for row in rows if not row.ok] == []
