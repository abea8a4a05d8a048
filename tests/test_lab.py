"""The lab without a browser: clock, camera, session, playback, controls, charts, files."""

import dataclasses
import math
import threading
from dataclasses import dataclass

import numpy as np
import pytest

import footfall as ff
from footfall.errors import FootfallError
from footfall.kinematics import LinkPoses
from footfall.lab import catalogue, charts, controls, keep
from footfall.lab.camera import Follower
from footfall.lab.charts import CHARTS, chart, state_text, step_table
from footfall.lab.clock import Clock
from footfall.lab.drag import Drags
from footfall.lab.keep import KINDS, Keeper
from footfall.lab.parameter_panel import GROUNDS
from footfall.lab.session import Session, whole
from footfall.lab.source import Live, Played, part_of
from footfall.view import stage
from footfall.world import Blocks, Flat, Push, Stairs, Waves


def walker(**more):
    return Session(ff.studies.load("simbicon-walk", **more), "simbicon-walk")


def go(session, seconds):
    """So many simulated seconds, in frames of the same length on every machine, without waiting."""
    session.clock._sleep = lambda _: None
    session.clock.step = lambda dt: max(1, round(1 / 60 / dt)) * dt
    session.play()
    last = session.source.time + seconds
    while session.source.time < last - 1e-9 and session.playing:
        session.tick()
    session.pause()


# --- clock and camera -------------------------------------------------------------------------------------------------------


class Wall:
    """A machine: frames take some time, sleeps last longer than they should."""

    def __init__(self, late, work, seed=0):
        self.now, self.late, self.work = 0.0, late, work
        self.random = np.random.default_rng(seed)

    def sleep(self, seconds):
        self.now += seconds + self.late * (1.0 + self.random.uniform(-0.3, 0.3))

    def compute(self):
        self.now += self.work * (1.0 + self.random.uniform(-0.5, 1.0))


@pytest.mark.parametrize("speed", [0.02, 0.1, 1.0, 3.0, 10.0])
def test_the_clock_learns_how_late_sleeps_are(speed):
    wall = Wall(late=3e-3, work=4e-3)
    clock = Clock(lambda: wall.now, wall.sleep)
    clock.speed, simulated = speed, 5.0
    clock.restart(simulated)
    for _ in range(1000):
        step = clock.step(1e-3)
        simulated += step
        wall.compute()
        clock.wait(simulated, step)
    late = np.array(clock.errors)[200:]
    assert abs(late.mean()) < 1e-4
    assert late.std() < 2e-3
    assert simulated - 5.0 == pytest.approx(speed * wall.now, abs=speed * 0.01)
    assert clock.factor == pytest.approx(speed, rel=0.02)


def test_frames_that_take_long_to_show_are_fewer_but_time_keeps_up():
    wall = Wall(late=1e-3, work=0.04)  # 40 ms and more a frame, of which there could be 60 a second
    clock, simulated, frames = Clock(lambda: wall.now, wall.sleep), 0.0, 1000
    for _ in range(frames):
        step = clock.step(1e-3)
        simulated += step
        wall.compute()
        clock.wait(simulated, step)
    assert clock.lost < 0.5  # until it knew
    assert simulated == pytest.approx(wall.now, abs=0.5)
    assert clock.factor == pytest.approx(1.0, rel=0.02)
    assert frames / wall.now == pytest.approx(0.7 / 0.05, rel=0.1)  # work of 50 ms is seven tenths of a frame


def test_the_clock_gives_up_what_cannot_be_caught_up_with():
    wall = Wall(late=0.0, work=0.0)
    clock, simulated = Clock(lambda: wall.now, wall.sleep), 0.0
    for _ in range(500):
        step = clock.step(1e-3)
        simulated += step
        wall.now += 1.5 * step  # it simulates more slowly than real time
        clock.wait(simulated, step)
    assert clock.lost > 1.0
    assert 0.25 < max(clock.errors) < 0.4
    assert clock.factor < 0.9
    wall.work = 1e-3  # and is as punctual as before, once it can be
    for _ in range(200):
        step = clock.step(1e-3)
        simulated += step
        wall.compute()
        clock.wait(simulated, step)
    assert abs(clock.errors[-1]) < 2e-3
    wall.now, lost = wall.now + 5.0, clock.lost
    clock.wait(simulated + 0.01, 0.01)
    assert clock.lost - lost == pytest.approx(5.0, abs=0.02)
    assert clock.errors[-1] == clock.log[-1][3] == pytest.approx(5.0, abs=0.02)  # told, not hidden
    clock.wait(simulated + 0.02, 0.01)
    assert abs(clock.errors[-1]) < 0.02  # nor hurried after
    assert clock.played == pytest.approx(wall.now, abs=1e-9)
    clock.begin(0.0)
    assert clock.lost == clock.played == 0.0


def test_without_a_speed_the_clock_fills_the_frames():
    wall = Wall(late=0.0, work=0.0)
    clock, simulated = Clock(lambda: wall.now, wall.sleep), 0.0
    clock.speed = math.inf
    for _ in range(300):
        step = clock.step(1e-3)
        simulated += step
        wall.now += step / 50.0  # it simulates fifty times as fast as real time
        clock.wait(simulated, step)
    assert 20.0 < clock.factor < 50.0


def test_the_camera_follows_as_a_critically_damped_system():
    camera, w = Follower(w=2.0), 2.0
    camera.snap(np.zeros(3))
    for k in range(1, 2001):  # the reference begins to move at 1 m/s: with e = x - r, e = -t exp(-w t)
        t = 1e-3 * k
        place = camera.follow(np.array((t, 0.0, 0.0)), 1e-3)
        assert place[0] - t == pytest.approx(-t * math.exp(-w * t), abs=1e-9)
    coarse = Follower(w=2.0)
    coarse.snap(np.zeros(3))
    for k in range(1, 9):  # frames of any length lead to the same place
        far = coarse.follow(np.array((0.25 * k, 0.0, 0.0)), 0.25)
    assert far == pytest.approx(place, abs=1e-9)


def test_the_camera_jumps_with_a_reset():
    camera = Follower(1.0)
    camera.follow(np.zeros(3), 0.02)
    assert camera.follow(np.array((50.0, 0.0, 1.0)), 0.02) == pytest.approx((50.0, 0.0, 1.0))


@pytest.mark.parametrize("name", ["ranger", "simbicon", "johnnie", "wendlandt-3d", "ono"])
def test_poses_of_all_links_are_those_of_each(name):
    robot = ff.robots.load(name)
    poses, q = LinkPoses(robot), ff.kinematics.random_configuration(robot, np.random.default_rng(1))
    positions, rotations = poses(q)
    for i, link in enumerate(poses.names):
        T = ff.kinematics.pose(robot, q, link).matrix
        assert np.allclose(positions[i], T[:3, 3], atol=1e-12)
        assert np.allclose(rotations[i], T[:3, :3], atol=1e-12)
    center = ff.dynamics.center_of_mass(robot, q)
    assert poses.center_of_mass(positions, rotations)[[0, -1]] == pytest.approx(center[[0, -1]], abs=1e-12)


# --- records that keep their last rows -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "more"), [("simbicon-walk", {}), ("johnnie-walk", {}), ("simple-biped-gaits", {"record": ("controller",)})]
)
def test_a_record_of_the_last_rows_has_the_bits_of_a_whole_one(name, more):
    study = dataclasses.replace(ff.studies.load(name), **more)
    whole_one, bounded = ff.Simulation(study), ff.Simulation(study, keep=0.5)
    for _ in range(75):
        whole_one.advance(1 / 60)
        bounded.advance(1 / 60)
    run, last = whole_one.run(), bounded.run()
    rows = len(last.time)
    assert 0.4 < last.time[-1] - last.time[0] <= 0.5
    for key, array in (last.series | last.more).items():
        assert array.tobytes() == (run.series | run.more)[key][-rows:].tobytes(), key
    assert all(event.time >= last.time[0] - 0.02 for event in last.events)
    assert run.events[len(run.events) - len(last.events) :] == last.events
    short = whole_one.run(last=0.1)
    assert short.q.tobytes() == run.q[-len(short.q) :].tobytes()
    assert len(short.q) in (10, 11, 20, 21)


def test_keep_must_be_a_time():
    for wrong in (0.0, -1.0, math.nan, "1", True):
        with pytest.raises(FootfallError, match="keep must be"):
            ff.Simulation(ff.studies.load("simbicon-walk"), keep=wrong)
    with pytest.raises(FootfallError, match="keeps all rows"):
        ff.Simulation(ff.studies.load("compass"), keep=1.0)


# --- the session --------------------------------------------------------------------------------------------------------------


def test_what_is_done_by_hand_replays_to_the_bit(tmp_path):
    session = walker()
    go(session, 0.7)
    session.set("controller.stiffness", 320.0)
    session.do(lambda: session.push("torso", (120.0, 0.0), 0.1))
    go(session, 0.5)
    session.set("world.gravity", 6.0)
    session.set("goal.speed", 0.2)
    go(session, 0.6)
    run = session.recorded()
    assert [each.name for each in run.study.settings] == ["controller.stiffness", "world.gravity", "controller.goal.speed"]
    assert run.study.world.pushes[-1].force == (120.0, 0.0)
    assert run.q[-1].tobytes() == session.source.window(0.0).q[-1].tobytes()
    run.save(tmp_path / "run.parquet")
    again = ff.Run.load(tmp_path / "run.parquet")
    assert again.replay() == run


def test_a_refused_value_changes_nothing_and_is_said():
    session = walker()
    go(session, 0.1)
    for name, value in (
        ("controller.stiffness", -5.0),
        ("controller.stiffness", math.nan),
        ("nonsense", 1.0),
        ("dt", 0.1),
        ("controller.stiffness", "x"),
    ):
        before = session.source.study
        session.set(name, value)
        session.tick()
        assert session.source.study is before
        assert session.messages
        session.messages.clear()
    for wrong in (0.0, -1.0, 1e9, math.nan, True, "fast"):
        session.do(lambda wrong=wrong: session.speed(wrong))
        session.tick()
        assert session.messages.pop().startswith("the speed must be")


def test_bookmark_reset_and_disturbed_reset():
    session = walker()
    go(session, 0.5)
    session.bookmark()
    marked = session.source.state()[0]
    session.set("world.gravity", 3.0)
    go(session, 0.5)
    assert not np.array_equal(session.source.state()[0], marked)
    session.back()
    assert session.source.state()[0].tobytes() == marked.tobytes()
    assert session.source.now.gravity == session.start.gravity
    session.set("controller.stiffness", 310.0)
    go(session, 0.1)
    session.reset()
    assert session.source.time == 0.0
    assert session.source.now.controller.stiffness == 310.0
    start = session.source.study.v
    session.perturbed_reset(0.2, seed=3)
    disturbed = np.subtract(session.source.study.v, start)
    assert 0.0 < np.abs(disturbed).max() <= 0.2
    go(session, 0.2)
    assert session.recorded().replay() == session.recorded()
    session.reset_to_default()
    assert session.source.now.controller.stiffness == session.start.controller.stiffness
    with pytest.raises(FootfallError, match="from 0 to 10"):
        session.perturbed_reset(math.nan)


def test_a_robot_that_falls_lies_on_the_ground_and_can_be_set_up_again():
    session = walker()
    upright = ff.simulate(ff.studies.load("simbicon-walk"), seconds=1.0)
    go(session, 1.0)
    rows = session.source.window(60.0).q
    assert rows[:100].tobytes() == upright.q[:100].tobytes()  # until then nothing is different
    session.source.simulation.add(Push("torso", (900.0, 0.0), session.source.time, session.source.time + 0.5))
    go(session, 3.0)
    assert "touched the ground" in session.source.down
    assert not session.source.over
    heights = session.source.window(3.0).q[:, list(upright.robot.coordinates).index("base.z")]
    assert -0.01 < heights.min() < 0.5 * upright.q[0, 1]
    session.reset()
    go(session, 0.5)
    assert session.source.time == pytest.approx(0.5, abs=0.02)
    assert not session.source.down


def test_a_fall_that_ends_the_study_ends_it_and_play_sets_it_up_again():
    session = walker()
    session.restart_with("world.bodies", False)
    session.source.simulation.add(Push("torso", (900.0, 0.0), 0.01, 0.6))
    go(session, 6.0)
    assert session.source.over.startswith("fell")
    assert not session.playing
    session.play()
    assert session.source.time == 0.0
    assert session.playing


def test_a_study_of_less_than_a_second_is_shown_once():
    session = Session(ff.Study(ff.robots.load("simbicon"), seconds=0.05))
    session.clock._sleep = lambda _: None
    session.play()
    until = 0
    while session.playing and until < 100:
        session.tick()
        until += 1
    assert session.source.time == pytest.approx(0.05)
    assert "the study ends here" in session.messages[-1]
    session.play()
    session.tick()
    assert session.source.time > 0.05
    assert session.playing


@dataclass(frozen=True)
class Breaks(ff.Controller):
    """Fails after a while."""

    def law(obs, params, state, goal, command):
        if obs.time > 0.05:
            raise ValueError("broken on purpose")
        return 0


def test_an_error_of_a_controller_is_said_and_the_session_lives_on():
    session = Session(ff.Study(ff.robots.load("simbicon"), controller=Breaks(), q=None))
    session.begin()
    said = threading.Event()
    session.on_message = lambda text, bad: said.set() if bad and "broken on purpose" in text else None
    session.do(session.play)
    assert said.wait(20.0)
    assert session.alive
    session.do(lambda: session.load(ff.studies.load("simbicon-walk"), "simbicon-walk"))
    done = threading.Event()
    session.do(done.set)
    assert done.wait(20.0)
    assert session.alive
    assert not session.source.over
    session.end()
    assert not session.alive


def test_playback_and_taking_over():
    run = ff.simulate(ff.studies.load("simbicon-walk"), seconds=2.0)
    session = Session(run, "run.parquet")
    session.seek(0.905)
    q, _ = session.source.state()
    assert isinstance(session.source, Played)
    assert np.all(np.abs(q - run.q[90]) <= np.abs(run.q[91] - run.q[90]) + 1e-12)
    with pytest.raises(FootfallError, match="take it over"):
        session.push("torso", (1.0, 0.0), 0.1)
    session.step()
    assert session.source.state()[0].tobytes() == run.q[91].tobytes()
    session.seek(1.0)
    session.take_over()
    assert isinstance(session.source, Live)
    assert session.source.state()[0].tobytes() == run.q[100].tobytes()
    session.push("torso", (50.0, 0.0), 0.1)
    go(session, 0.3)
    ours = session.recorded()
    assert ours.q[:101].tobytes() == run.q[:101].tobytes()
    assert not np.array_equal(ours.q[-1], run.q[len(ours.q) - 1])
    session = Session(run, "run.parquet")
    go(session, 9.0)
    assert session.source.time == pytest.approx(2.0)
    assert session.source.over == "reached the end"


@pytest.mark.parametrize("ground", GROUNDS)
def test_another_ground_begins_the_run_again_with_the_robot_on_it(ground):
    session = walker()
    go(session, 0.2)
    session.restart_with("world.terrain", GROUNDS[ground]())
    assert session.source.time == 0.0
    go(session, 0.3)
    assert session.source.now.world.terrain == GROUNDS[ground]()
    assert session.source.contacts(False).mode.any()  # it stands on it


def test_what_is_computed_ahead_is_played_and_begins_again_with_another_value():
    session = Session(ff.studies.load("compass"), "compass")
    go(session, 0.3)
    assert isinstance(session.source, Played)
    session.set("world.gravity", 9.0)
    session.tick()
    assert session.source.time == 0.0
    assert session.source.study.gravity == 9.0


def test_the_ghost_does_again_what_was_done():
    session = walker()
    go(session, 0.4)
    session.set("controller.stiffness", 330.0)
    go(session, 0.4)
    before = session.source.state()[0]
    frames = []
    session.compare()
    session.on_frame = frames.append
    session.set("controller.stiffness", 280.0)
    go(session, 0.8)
    assert frames[-1].ghost.tobytes() == before.tobytes()
    assert not np.array_equal(frames[-1].q, before)
    session.no_ghost()
    go(session, 0.1)
    assert frames[-1].ghost is None


def test_a_motion_that_is_computed_ahead_has_a_ghost_and_is_not_taken_over():
    session, said, frames = Session(ff.studies.load("compass"), "compass"), [], []
    session.on_message = lambda text, bad: said.append(text) if bad else None
    session.do(session.compare)
    session.set("world.gravity", 9.0)
    session.tick()
    session.on_frame = frames.append
    for when in (0.6, 0.2):  # forward and back
        session.do(lambda when=when: session.seek(when))
        session.tick()
        alone = Session(ff.studies.load("compass"))
        alone.seek(when)
        assert frames[-1].ghost.tobytes() == alone.source.state()[0].tobytes()
        assert not np.array_equal(frames[-1].q, frames[-1].ghost)
    session.do(session.take_over)
    session.do(lambda: session.push("leg_left", (1.0, 0.0), 0.1))
    session.tick()
    assert len(said) == 2
    assert all("computed ahead" in text for text in said)


def test_what_cannot_be_pulled_at_says_so_once():
    class Shown:
        def __init__(self, robot):
            self.robot, self.tall, self.links = robot, 1.0, self
            self.poses, self.meshes = ff.kinematics.LinkPoses(robot), {}

    session, said = Session(ff.simulate(ff.studies.load("simbicon-walk"), seconds=0.5)), []
    session.on_message = lambda text, bad: said.append(text)
    drags, here, there = Drags(session, Shown(session.source.study.robot)), np.zeros(3), np.ones(3)
    for number, fresh in enumerate((True, False, False, False, True, False)):  # two drags
        session.seek(0.06 * number)
        drags.hold("torso", here, there, fresh)
        session.before_frame()
    assert len(said) == 2
    assert all("take it over" in text for text in said)


def test_another_run_than_the_one_that_was_seen_is_noticed():
    session = walker()
    go(session, 0.3)
    seen = session.source.window(0.1)
    wrong = dataclasses.replace(seen, q=seen.q + 1e-15)
    with pytest.raises(FootfallError, match="does not replay: q"):
        whole(wrong)


# --- what the page is made of ------------------------------------------------------------------------------------------------------


def test_ranges_of_sliders():
    assert controls.slider_range(0.0, 2.0, 0.5) == (0.0, 2.0, 0.01)
    low, high, _ = controls.slider_range(0.0, math.inf, 25.0)
    assert (low, high) == (0.0, 100.0)
    low, high, _ = controls.slider_range(-math.inf, math.inf, 0.0)
    assert (low, high) == (-3.0, 3.0)


@pytest.mark.parametrize(
    ("value", "seen"),
    [(0.0072881, 0.0073), (0.027652, 0.0277), (-0.07624, -0.0762), (36.4217, 36.42), (1000.0, 1000.0), (1.5e-5, 1.5e-5)],
)
def test_numbers_fit_beside_their_sliders(value, seen):
    assert controls.fitting(value) == seen


def test_a_set_line_runs_the_study_as_it_is():
    before = ff.studies.load("ranger-walk")
    now = ff.with_parameters(before, {"controller.push_gain": 2.5, "world.gravity": 3.7, "controller.gui": (0.1, 0.0, 0.2)})
    line = controls.set_line("ranger-walk", before, now)
    assert line == "footfall run ranger-walk --set world.gravity=3.7 controller.push_gain=2.5 controller.gui='0.1,0,0.2'"


def test_gaits_are_buttons():
    [(name, options, _)] = controls.gait_choices(ff.studies.load("simple-biped-gaits"))
    assert name == "controller.goal.gait"
    assert options == ("stand", "walk", "jump")
    assert ("controller.mode", ("walk", "stand", "gui"), "walk") in controls.gait_choices(ff.studies.load("ranger-walk"))


def test_charts_by_name():
    session = walker()
    go(session, 1.5)
    run = session.source.window(1.0)
    for what in CHARTS:
        found = chart(run, what)
        assert {len(line) for line in found.lines.values()} == {len(found.time)}, what
    assert chart(run, "", ["q.knee_left"]).lines["q.knee_left"].tobytes() == run["q.knee_left"].tobytes()
    with pytest.raises(FootfallError, match="knee_left"):
        chart(run, "", ["q.knee_lef"])
    assert "state.part" in state_text(run)
    assert "**" in state_text(run)
    assert "| foot |" in step_table(session.source.window(30.0))


def test_charts_keep_the_peaks_of_the_run():
    run = ff.simulate(ff.studies.load("ranger-walk"), seconds=4.0)
    assert len(run.time) > charts.POINTS
    for what in ("ground forces", "torques", "joint rates"):
        drawn, true = chart(run, what), CHARTS[what](run)
        assert len(drawn.time) <= 2 * charts.POINTS
        rows = np.searchsorted(run.time, drawn.time)
        assert rows[0] == 0
        assert rows[-1] == len(run.time) - 1
        for name, line in drawn.lines.items():
            assert (line.min(), line.max()) == (true.lines[name].min(), true.lines[name].max()), name
            assert line.tobytes() == true.lines[name][rows].tobytes()  # every point is a row of the run
    time, lines = np.arange(5000.0), {f"line {i}": np.random.default_rng(i).normal(size=5000) for i in range(charts.MOST)}
    lines["line 0"][1000:3000] = np.nan  # a hole, in which nothing is invented
    thin = charts.Chart(time, lines, "").thin()
    assert len(thin.time) <= 2 * charts.POINTS
    assert np.nanmax(thin.lines["line 0"]) == np.nanmax(lines["line 0"])
    assert np.isnan(thin.lines["line 0"]).any()


def test_the_chart_of_the_cost_has_that_of_the_whole():
    run = ff.simulate(ff.studies.load("ranger-walk"), seconds=4.0)
    lines = chart(run, "instantaneous cost of transport").lines
    assert set(lines["of all that is shown"]) == {ff.analysis.cost_of_transport(run).total}


def test_names_that_the_lab_opens(tmp_path):
    assert set(ff.studies.names()) <= set(catalogue.listed())
    assert catalogue.opened("ranger").robot.name == "ranger"
    with pytest.raises(FootfallError, match="Did you mean 'ranger-walk'"):
        catalogue.opened("ranger-wal")
    with pytest.raises(FootfallError) as unknown:
        catalogue.opened("compas")
    assert str(unknown.value).count(" compass,") == 1  # a study and a robot
    with pytest.raises(FootfallError, match="the lab opens saved runs"):
        catalogue.opened("walk.mp4")
    ff.write_robot(ff.robots.load("wendlandt"), tmp_path / "mine.toml")
    assert catalogue.opened(str(tmp_path / "mine.toml")).robot.mass == pytest.approx(ff.robots.load("wendlandt").mass)
    run = ff.simulate(ff.studies.load("simbicon-walk"), seconds=0.2)
    run.save(tmp_path / "run.parquet")
    assert catalogue.opened(str(tmp_path / "run.parquet")) == run


def test_a_row_of_a_sweep_is_opened_as_a_run(tmp_path):
    folder = str(tmp_path / "pushes")
    swept = ff.sweep("stand-push", {"push": [20.0, 40.0]}, settings={"seconds": 0.1}, measure="survived", out=folder, on="serial")
    assert catalogue.opened(f"{folder}:1") == swept.run(1) == ff.simulate(ff.studies.load("stand-push", push=40.0), seconds=0.1)
    with pytest.raises(FootfallError, match="name a row"):
        catalogue.opened(folder)
    with pytest.raises(FootfallError, match="row"):
        catalogue.opened(f"{folder}:2")
    with pytest.raises(FootfallError, match="no sweep"):
        catalogue.opened(f"{tmp_path}:0")


@pytest.mark.parametrize(
    "terrain", [Flat(), Stairs(0.1, 0.3), Waves(((0.05, 1.0, 0.3, 0.0),)), Blocks(((1.0, 0.0, 0.3, 0.2, 0.4, 0.1),))]
)
def test_the_ground_is_drawn_as_it_is(terrain):
    drawn = {}

    class Canvas:
        def __getattr__(self, kind):
            return lambda name, *values, **named: drawn.setdefault(name.rpartition("/")[2], (kind, values, named))

    stage.add_ground(Canvas(), "/world/ground", terrain, np.array(((2.0, 0.5), (4.0, 0.5))), 1.0)
    if isinstance(terrain, Flat | Blocks):
        assert drawn["plane"][2]["position"][2] == pytest.approx(0.0, abs=1e-3)
    else:
        vertices, faces = drawn["relief"][1]
        for x, y, z in vertices[:: max(1, len(vertices) // 50)]:
            assert z == pytest.approx(terrain.height(x, y), abs=1e-9)
        assert faces.max() < len(vertices)
    if isinstance(terrain, Blocks):
        assert [each[2]["dimensions"] for each in drawn.values() if each[0] == "add_box"] == [(0.2, 0.4, 0.1)]
    marks = {each[1][0]: each[2]["position"] for each in drawn.values() if each[0] == "add_label"}
    assert marks["3 m"][0] == pytest.approx(3.0)
    for x, y, z in marks.values():
        assert 0.0 < z - (0.0 if isinstance(terrain, Blocks) else terrain.height(x, y)) < 0.05


def test_files_are_kept(tmp_path):
    session = walker()
    go(session, 0.4)
    said = []
    session.on_message = lambda text, bad: said.append((text, bad))
    keeper = Keeper(session, tmp_path / "kept")
    for kind in KINDS:
        keeper.keep(kind, 1.0)
        assert keeper.wait(120.0)
    assert not [text for text, bad in said if bad]
    files = {path.suffix: path for path in (tmp_path / "kept").iterdir()}
    assert set(files) == set(KINDS.values())
    run = ff.Run.load(files[".parquet"])
    assert run.replay() == run
    log = np.loadtxt(files[".csv"], delimiter=",", skiprows=1, ndmin=2)
    assert (np.diff(log[:, :2], axis=0) > 0.0).all()  # both times go on
    assert run.time[-1] == pytest.approx(session.source.time, abs=0.01)
    assert files[".mp4"].read_bytes()[4:8] == b"ftyp"
    assert files[".gif"].read_bytes()[:4] == b"GIF8"
    assert files[".png"].read_bytes()[1:4] == b"PNG"
    assert b"<html" in files[".html"].read_bytes()[:400].lower()
    with pytest.raises(FootfallError, match="the lab keeps"):
        keeper.keep("../../etc/passwd", 1.0)


def test_what_cannot_be_written_is_said_whatever_it_was(tmp_path, monkeypatch):
    def fails(_run, _path):
        raise ValueError("no encoder")

    session = walker()
    go(session, 0.1)
    monkeypatch.setitem(keep.WRITERS, ".png", fails)
    keeper = Keeper(session, tmp_path)
    keeper.keep("picture (.png)", 1.0)
    assert keeper.wait()
    assert "png could not be written: ValueError: no encoder" in session.messages[-1]
    keeper.keep("log of the clock (.csv)", 1.0)  # and the next is written
    assert keeper.wait()
    assert session.messages[-1].startswith("written: ")
    assert session.messages[-1].endswith("(1 kB)")


def test_a_part_of_a_run():
    run = ff.simulate(ff.studies.load("simbicon-walk"), seconds=1.0)
    part = part_of(run, slice(20, 60))
    assert len(part.time) == 40
    assert all(part.time[0] <= event.time <= part.time[-1] for event in part.events)
