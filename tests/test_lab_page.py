"""The lab as one sees it: a real browser opens it, clicks, drags sliders, saves, reloads."""

import numpy as np
import pytest

import footfall as ff
from browser import HOW, Tab, browser, executable
from footfall.lab.lab import Lab
from footfall.lab.source import Live, Played

pytestmark = [pytest.mark.slow, pytest.mark.skipif(executable() is None, reason=HOW), pytest.mark.filterwarnings("ignore")]


RATE = 12  # frames a second: a browser without a graphics card shares the machine with the lab


@pytest.fixture(scope="module")
def chromium():
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    with Lab("simbicon-walk", port=18280, folder=tmp_path_factory.mktemp("kept"), shadows=False, rate=RATE) as lab:
        yield lab


@pytest.fixture(scope="module")
def tab(chromium, lab):
    opened = Tab(chromium, lab.url).ready()
    yield opened
    assert not opened.errors
    opened.close()


def test_it_opens_plays_and_pauses(lab, tab):
    assert tab.until(lambda: lab.session.source.time > 0.5)
    assert tab.wait_for_scene() > 60  # not blank
    tab.click("Pause")
    assert tab.until(lambda: not lab.session.playing)
    before = lab.session.source.time
    tab.click("Step")
    assert tab.until(lambda: lab.session.source.time == pytest.approx(before + lab.session.source.dt))
    tab.click("Play")
    assert tab.until(lambda: lab.session.source.time > before + 0.3)


def test_a_push_is_an_event_of_the_run(lab, tab):
    pushes = len(lab.session.source.study.world.pushes)
    tab.click("Push")
    assert tab.until(lambda: len(lab.session.source.study.world.pushes) == pushes + 1)
    tab.page.get_by_text("push on torso").first.wait_for()


def test_a_gain_takes_effect_in_the_run(lab, tab):
    tab.tab("Parameters")
    before = lab.session.source.now.controller.stiffness
    tab.key("stiffness (N m/rad)", "ArrowRight", 3)
    assert tab.until(lambda: lab.session.source.now.controller.stiffness > before)
    assert lab.session.source.study.settings[-1].name == "controller.stiffness"
    tab.click("Show --set line")
    tab.page.get_by_text("footfall run simbicon-walk --set controller.stiffness=").wait_for()


def test_a_gait_is_switched(lab, tab):
    tab.tab("Run")
    tab.click("crouch")
    assert tab.until(lambda: any(each.name == "controller.goal.gait" for each in lab.session.source.study.settings))
    tab.page.get_by_text("goal.gait: crouch").wait_for()


def test_a_link_is_dragged(lab, tab):
    tab.click("Pause")
    assert tab.until(lambda: not lab.session.playing)
    pushes = len(lab.session.source.study.world.pushes)
    with tab.drag(lambda: lab.page.drags._told is not None, (12.0, -4.0)) as held:
        assert held
        lab.session.do(lab.session.play)
        assert tab.until(lambda: len(lab.session.source.study.world.pushes) > pushes + 3)
    assert tab.until(lambda: lab.page.drags._held is None)
    assert {push.on for push in lab.session.source.study.world.pushes[pushes:]} <= {
        link.name for link in lab.session.source.study.robot.links
    }


def test_what_was_done_by_hand_replays(lab, tab):
    tab.tab("Keep")
    tab.click("Write")
    assert tab.until(lambda: any("written" in text for text in lab.session.messages))
    [path] = lab.page.keeper.folder.glob("*.parquet")
    run = ff.Run.load(path)
    assert {"controller.stiffness", "controller.goal.gait"} <= {each.name for each in run.study.settings}
    assert run.study.world.pushes
    assert run.replay() == run


def test_without_gravity_it_floats(lab, tab):
    tab.tab("Run")
    tab.click("Reset")
    tab.tab("Parameters")
    tab.choose("Group", "world")
    tab.key("gravity (m/s2)", "Home")
    assert tab.until(lambda: lab.session.source.now.gravity == 0.0)
    tab.tab("Run")
    if not lab.session.playing:
        tab.click("Play")
    lowest = lambda: float(lab.session.source.contacts(False).point[:, 2].min())  # noqa: E731
    assert tab.until(lambda: lowest() > 0.02)  # no pad is near the ground


def test_another_study_is_chosen(lab, tab):
    tab.choose("Study", "ranger-walk")
    assert tab.until(lambda: lab.session.name == "ranger-walk" and lab.session.source.time > 0.5)
    tab.click("stand")
    assert tab.until(lambda: lab.session.source.now.controller.mode == "stand")
    tab.page.get_by_text("The Cornell Ranger gets going").first.wait_for()
    assert tab.wait_for_scene() > 60


def test_plots_and_overlays(lab, tab):
    tab.tab("View")
    for name in ("pressure and support", "centre of mass", "DCM (capture point)", "foot trails", "torques as colour"):
        tab.page.get_by_label(name).first.check()
        assert tab.until(lambda name=name: lab.page.overlays.each[name].shown)
    tab.tab("Plots")
    for name in ("torques", "energy", "phase portrait", "step table", "instantaneous cost of transport"):
        tab.choose("Plot 2", name)
        assert tab.until(lambda name=name: lab.page.plots.choices[1].value == name)
    frames = lab.page.frames
    assert tab.until(lambda: lab.page.frames > frames + 20)
    assert not [text for text in lab.session.messages if "plot:" in text]
    assert all(lab.page.overlays.each[name].shown for name in ("pressure and support", "DCM (capture point)"))


def test_two_tabs_and_a_reload(chromium, lab, tab):
    other = Tab(chromium, lab.url).ready()
    assert tab.until(lambda: len(lab.server.get_clients()) == 2)
    other.click("Pause")
    tab.tab("Run")
    tab.page.get_by_role("button", name="Play", exact=True).wait_for()  # both show the same
    other.close()
    assert tab.until(lambda: len(lab.server.get_clients()) == 1)
    tab.page.reload()
    tab.ready()
    tab.click("Play")
    assert tab.until(lambda: lab.session.playing)
    assert lab.session.alive
    assert not other.errors


def test_a_recording_plays_from_its_file(chromium, lab, tab):
    tab.tab("Keep")
    tab.choose("Keep", "recording (.html)")
    tab.click("Write")
    assert tab.until(lambda: list(lab.page.keeper.folder.glob("*.html")))
    assert lab.page.keeper.wait()
    [path] = lab.page.keeper.folder.glob("*.html")
    assert path.stat().st_size < 10e6
    lab.session.do(lab.session.pause)
    recording = Tab(chromium, path.as_uri())
    assert recording.wait_for_scene() > 60
    assert not recording.errors
    recording.close()


def test_a_run_is_played_back_and_taken_over(chromium, tmp_path):
    run = ff.simulate(ff.studies.load("simbicon-walk"), seconds=1.5)
    run.save(tmp_path / "walk.parquet")
    with Lab(str(tmp_path / "walk.parquet"), port=18380, shadows=False, rate=RATE) as played:
        tab = Tab(chromium, played.url).ready()
        assert tab.until(lambda: played.session.source.over == "reached the end")
        assert isinstance(played.session.source, Played)
        tab.key("Time (s)", "Home")
        tab.key("Time (s)", "ArrowRight", 40)
        assert tab.until(lambda: 0.0 < played.session.source.time < 0.2)
        tab.click("Take over from here")
        assert tab.until(lambda: isinstance(played.session.source, Live))
        assert not played.session.playing
        there = np.array([np.interp(played.session.source.time, run.time, column) for column in run.q.T])
        assert np.abs(played.session.source.state()[0] - there).max() < 0.02  # rows are 10 ms apart
        tab.page.get_by_text("live from").first.wait_for()
        assert not tab.errors
        tab.close()
