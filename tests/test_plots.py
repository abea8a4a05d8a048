"""Plots of runs: a part of their time, vector formats, frames, phase portraits, branches; boxes in footprints."""

from functools import partial

import numpy as np
import pytest

import footfall as ff
from footfall.errors import StateError, UnknownNameError
from footfall.view.timeline import Timeline


@pytest.fixture(scope="module")
def run():
    return ff.simulate(ff.studies.load("simbicon-walk"), seconds=6.0)


def test_a_plot_shows_a_part_of_the_time(run):
    """Its limits are the times that were asked for, and lines inside them fill it."""
    figure = run.plot("joints", between=(1.0, 1.5))
    for ax in figure.axes:
        assert ax.get_xlim() == (1.0, 1.5)
    low, high = figure.axes[0].get_ylim()
    inside = run.q[(run.time >= 1.0) & (run.time <= 1.5), 3:]
    assert low < inside.min() < inside.max() < high
    assert high - low < 1.2 * np.ptp(inside)


@pytest.mark.parametrize("between", [(2.0, 1.0), (-1.0, 2.0), (7.0, 8.0), 3.0, ("a", "b"), (1.0, 2.0, 3.0)])
def test_times_that_mean_nothing_are_refused(run, between):
    with pytest.raises(StateError, match="between must be two times"):
        run.plot("joints", between=between)


@pytest.mark.parametrize("kind", ["svg", "pdf"])
def test_vector_formats(run, kind, tmp_path):
    run.plot("gait", tmp_path / f"gait.{kind}")
    data = (tmp_path / f"gait.{kind}").read_bytes()
    assert data.startswith(b"<?xml" if kind == "svg" else b"%PDF")
    assert kind == "pdf" or b"duration of a step" in data  # text stays text


def test_a_long_walk_has_its_way_above_a_window_of_strides(run):
    short, long = run.plot("overview", between=(0.0, 1.0)), run.plot("overview")
    assert long.axes[0].get_title() == "the whole way"
    first, last = long.axes[3].get_xlim()
    assert 0.0 < first < last == pytest.approx(run.time[-1])
    assert short.axes[2].get_xlim() == (0.0, 1.0)


def test_touch_downs_and_impacts_are_marked(run):
    marks = Timeline(run)
    steps = ff.analysis.steps(run).rows
    names = [text.get_text() for text in run.plot("joints").axes[0].get_legend().get_texts()]
    assert "foot_left touches down" in names
    assert [time for time, _ in marks.steps] == [step.time for step in steps]


def test_the_gait_diagram_tells_the_duty_factors(run):
    labels = [text.get_text() for text in run.plot("gait").axes[0].get_yticklabels()]
    duty = ff.analysis.steps(run).duty
    assert labels == [f"{foot}\n{100 * duty[foot]:.0f} % duty" for foot in ("foot_left", "foot_right")]


def test_frames_beside_each_other(run):
    figure = ff.view.sequence(run, begin=1.0, end=2.0, frames=6)
    assert [ax.get_title() for ax in figure.axes[:6]] == [f"{t:.2f} s" for t in np.linspace(1.0, 2.0, 6)]
    with pytest.raises(StateError, match="1 to 40 frames"):
        ff.view.sequence(run, frames=0)


def test_phase_portraits(run):
    figure = ff.view.phase(run)
    assert [ax.get_title() for ax in figure.axes] == ["hip", "knee", "ankle"]
    with pytest.raises(UnknownNameError, match="knee_left"):
        ff.view.phase(run, ["knee"])


def test_a_branch_and_its_multipliers(tmp_path):
    branch = ff.cycles.continuation(partial(ff.studies.load, "compass"), "slope", -0.05, -0.052)
    figure = ff.view.branch(branch, tmp_path / "branch.png")
    assert (tmp_path / "branch.png").stat().st_size > 10_000
    assert figure.axes[2].get_xlabel() == "slope (rad)"
    shown = ff.view.multipliers(branch.cycles[0]).axes[0]
    at = np.concatenate([line.get_xdata() + 1j * line.get_ydata() for line in shown.get_lines() if line.get_marker() == "o"])
    assert np.allclose(np.sort_complex(at), np.sort_complex(branch.cycles[0].multipliers.astype(complex)))
    assert "Branch of compass" in branch._repr_html_()


@pytest.mark.parametrize(
    ("name", "coordinate", "slope"), [("rimless-wheel", None, 0.5), ("compass", "hip", None), ("compass", None, None)]
)
def test_a_step_map(name, coordinate, slope, tmp_path):
    """Along a real multiplier the map has its slope (the wheel's is cos(2 alpha)^2 = 1/2); a complex pair turns a ring."""
    cycle = ff.cycles.limit_cycle(ff.studies.load(name))
    ax = ff.view.step_map(cycle, coordinate, tmp_path / "map.png", far=0.02).axes[0]
    assert (tmp_path / "map.png").stat().st_size > 10_000
    lines = {line.get_label(): np.array(line.get_data()) for line in ax.get_lines()}
    if slope is not None:
        x, y = lines["where a step leads"]
        assert np.polyfit(x - x.mean(), y, 1)[0] == pytest.approx(slope, rel=1e-2)
    if coordinate is None and slope is None:
        grown = [np.hypot(*lines[ring]).max() for ring in ("starts", "after one step", "after three steps")]
        assert grown[0] == pytest.approx(1.0)
        assert grown[2] < grown[1] < grown[0]
    with pytest.raises(UnknownNameError, match="rate of"):
        ff.view.step_map(cycle, "hop")
    with pytest.raises(StateError, match="far"):
        ff.view.step_map(cycle, far=np.nan)
