"""Moving pictures of runs."""

import numpy as np
import pytest
from PIL import Image

import footfall as ff
from footfall.errors import StateError
from footfall.view.animation import frames


@pytest.fixture(scope="module")
def run():
    return ff.simulate(ff.studies.load("stand-push"), seconds=0.3)


def test_has_the_pictures_that_were_asked_for(run, tmp_path):
    path = ff.view.animation(run, tmp_path / "stand.gif", begin=0.1, end=0.3, speed=0.5, rate=20)
    with Image.open(path) as film:
        assert film.format == "GIF"
        assert film.n_frames == 8  # 0.2 s at half speed are 0.4 s of 20 pictures a second
        assert film.info["duration"] == 50
        first = np.asarray(film.convert("L"), dtype=float)
        film.seek(7)
        assert np.abs(np.asarray(film.convert("L"), dtype=float) - first).max() > 100  # something moves, and the time


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"begin": 0.2, "end": 0.1}, "begin < end"),
        ({"speed": 0.0}, "above 0"),
        ({"rate": float("nan")}, "whole number"),
        ({"begin": 5.0, "end": 6.0}, "0 pictures"),
        ({"speed": 1e-6}, "pictures"),
    ],
)
def test_what_cannot_be_shown(run, tmp_path, given, says):
    with pytest.raises(StateError, match=says):
        ff.view.animation(run, tmp_path / "stand.gif", **given)


def test_films_are_gifs_and_mp4s(run, tmp_path):
    with pytest.raises(StateError, match="stand.avi"):
        ff.view.animation(run, tmp_path / "stand.avi")


def test_an_mp4_has_the_pictures_that_were_asked_for(run, tmp_path):
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    done = []
    path = ff.view.animation(run, tmp_path / "stand.mp4", begin=0.1, end=0.3, rate=30, progress=done.append)
    count, seconds = ffmpeg.count_frames_and_secs(str(path))
    assert (count, seconds) == (6, pytest.approx(0.2))
    assert done[-1] == 1.0
    assert [each.name for each in tmp_path.iterdir()] == ["stand.mp4"]


def test_a_robot_in_space_is_seen_in_perspective(tmp_path):
    """The robot, its shadow and the ground are there: the colours of both legs, and more than the sky."""
    run = ff.simulate(ff.robots.load("johnnie"), seconds=0.05, lift=True)
    with Image.open(ff.view.animation(run, tmp_path / "j.gif", rate=25)) as film:
        seen = np.asarray(film.convert("RGB"), dtype=int)
    blue = (seen[..., 2] > seen[..., 0] + 60) & (seen[..., 2] > 100)
    orange = (seen[..., 0] > seen[..., 2] + 90) & (seen[..., 0] > 120)
    assert blue.sum() > 500
    assert orange.sum() > 500


@pytest.mark.parametrize(
    ("name", "settings", "moments"),
    [
        ("newton-block", {}, (0.1, 0.4, 0.8, 0.95, 1.1)),  # on the table, over its edge, in the air, on the floor
        ("newton-chain-loop", {"linkage": "four-bar"}, (0.1, 0.5)),  # it hangs from the world
        ("newton-chain-loop", {"linkage": "four-bar", "space": "spatial"}, (0.1, 0.5)),
        ("newton-chain-loop", {"linkage": "ring", "space": "spatial"}, (0.1, 0.5)),
    ],
)
def test_what_flies_or_hangs_is_seen_whole(name, settings, moments):
    run = ff.simulate(ff.studies.load(name, **settings), seconds=max(moments) + 0.05)
    for picture in frames(run, np.array(moments)):
        assert (picture[40:-30].astype(int).sum(axis=2) < 420).sum() > 1500  # darker than ground and sky, between words and marks
