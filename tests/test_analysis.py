"""What a run means, against closed forms: friction's work, pressure under a push, a damped oscillator, steps with known lengths."""

from dataclasses import replace
from math import cos, exp, pi, sin, sqrt

import numpy as np
import pytest

import footfall as ff
from footfall.analysis import motion
from footfall.control import Hold
from footfall.engines.events import Event
from footfall.errors import UnknownNameError
from footfall.view.plots import PLOTS, plot
from footfall.world import Compliant, Load, Push, Rigid, Slope, World

MASS, LENGTH, WIDTH, HEIGHT, G = 10.0, 0.4, 0.3, 0.2, 9.81
WEIGHT = MASS * G
SPACES = ("planar", "spatial")


def box(space):
    flat = space == "planar"
    size = (LENGTH, HEIGHT) if flat else (LENGTH, WIDTH, HEIGHT)
    return ff.Robot(
        name="box",
        space=space,
        links=(ff.Link("box", MASS, inertia=0.2 if flat else (0.2, 0.2, 0.2)),),
        joints=(ff.Joint("base", "planar" if flat else "free", "world", "box"),),
        feet=(ff.Foot("box", (ff.Box("box", size=size),)),),
    )


def vector(space, x, y, z):
    return (x, z) if space == "planar" else (x, y, z)


def pushed(space, force, friction, up=0.0, start=0.1, end=10.0, seconds=0.4):
    push = Push("box", vector(space, *force), start, end, at=vector(space, 0.0, 0.0, up))
    return ff.simulate(box(space), world=World(contact=Rigid(friction=friction), pushes=(push,)), seconds=seconds)


@pytest.fixture(scope="module")
def standing():
    """Wendlandt's biped, pushed a little after a while."""
    world = World(pushes=(Push("torso", (40.0, 0.0), 0.3, 0.4),))
    return ff.simulate(ff.robots.load("wendlandt"), Hold(), world, seconds=1.0)


@pytest.fixture(scope="module")
def falling():
    return ff.simulate(ff.robots.load("wendlandt"), v=(0.0,) * 2 + (0.6,) + (0.0,) * 6, seconds=3.0)


# --- energy ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", SPACES)
def test_box_pushed_across_the_floor_pays_for_friction(space):
    force, friction, time = 80.0, 0.5, 0.3
    run = pushed(space, (force, 0.0, 0.0), friction, start=0.1, end=0.1 + time, seconds=1.0)
    gained = force / MASS - friction * G
    distance = 0.5 * gained * time**2 + (gained * time) ** 2 / (2 * friction * G)
    book, slip = ff.analysis.ledger(run), ff.analysis.slip(run)["box"]
    assert book.work["ground, friction"][-1] == pytest.approx(-friction * WEIGHT * distance, rel=1e-3)
    assert book.work["pushes"][-1] == pytest.approx(force * 0.5 * gained * time**2, rel=1e-3)
    assert book.relative < 1e-6
    assert slip.slid == pytest.approx(distance, rel=1e-3)
    assert slip.drift < 1e-7
    assert slip.sliding == pytest.approx(time + gained * time / (friction * G), abs=0.02)
    assert slip.open == 0.0
    assert slip.sticking + slip.sliding == pytest.approx(1.0)
    assert ff.analysis.summary(run).distance == pytest.approx(distance, rel=1e-3)


def test_every_instant_of_a_slide_is_accounted_for():
    """Also while it is pushed, although the loop counts work half a step late."""
    book = ff.analysis.ledger(pushed("planar", (80.0, 0.0, 0.0), 0.5))
    assert np.abs(book.residual).max() < 2e-3 * book.exchanged


@pytest.mark.parametrize("contact", [Rigid(), Rigid(restitution=0.6), Compliant()], ids=["rigid", "bouncing", "compliant"])
def test_dropped_box_loses_what_it_fell(contact):
    run = ff.simulate(box("planar"), world=World(contact=contact), q=(0.0, 0.4, 0.0), seconds=2.0)
    book = ff.analysis.ledger(run)
    assert book.kinetic[-1] < 1e-9
    taken = sum(book.work[name][-1] for name in ("ground, normal", "impacts"))
    assert taken == pytest.approx(-WEIGHT * 0.3, rel=1e-2)
    assert book.relative < 1e-2


def test_damped_oscillator_keeps_what_its_spring_holds():
    inertia, stiffness, damping, seconds = 0.5, 20.0, 0.4, 1.3
    joint = ff.Joint("hinge", "revolute", "world", "arm", damping=damping, spring=ff.Spring(stiffness, rest=0.1))
    arm = ff.Robot(name="arm", space="planar", links=(ff.Link("arm", 1.0, inertia=inertia),), joints=(joint,))
    run = ff.simulate(arm, world=World(gravity=0.0), q=(0.1,), v=(2.0,), seconds=seconds, dt=1e-5)
    decay, rate = damping / (2 * inertia), sqrt(stiffness / inertia - (damping / (2 * inertia)) ** 2)
    swing = 2.0 / rate * exp(-decay * seconds)
    q, v = swing * sin(rate * seconds), swing * (rate * cos(rate * seconds) - decay * sin(rate * seconds))
    book = ff.analysis.ledger(run)
    assert book.springs[-1] == pytest.approx(0.5 * stiffness * q**2, rel=2e-3)
    assert book.kinetic[-1] == pytest.approx(0.5 * inertia * v**2, rel=2e-3)
    assert book.work["dampers"][-1] == pytest.approx(book.springs[-1] + book.kinetic[-1] - 0.5 * inertia * 4.0, rel=2e-3)
    assert book.relative < 1e-3
    assert np.all(np.diff(book.work["dampers"]) < 1e-6)


def test_without_dampers_a_loss_is_nobodys():
    joint = ff.Joint("hinge", "revolute", "world", "arm", spring=ff.Spring(20.0))
    arm = ff.Robot(name="arm", space="planar", links=(ff.Link("arm", 1.0, inertia=0.5),), joints=(joint,))
    book = ff.analysis.ledger(ff.simulate(arm, world=World(gravity=0.0), v=(2.0,), seconds=1.0))
    assert "dampers" not in book.work
    assert book.residual == pytest.approx(book.kinetic + book.springs - 1.0, abs=1e-12)
    assert book.springs.max() > 0.9


def test_ledger_of_the_standing_biped(standing):
    book = ff.analysis.ledger(standing)
    assert book.exchanged > 0.05
    assert book.relative < 1e-2
    assert np.abs(book.residual).max() < 1e-2 * book.exchanged
    assert "residual" in book.text()
    assert "work of pushes" in book.text()


@pytest.mark.parametrize("name", ["torso", "torso_com"])
def test_a_load_brings_its_energy_and_its_weight(name):
    robot = ff.robots.load("wendlandt")
    loads = (Load(name, 5.0, 0.1, 0.3, at=(0.05, 0.1)), Load("thigh_left", 1.0))
    run = ff.simulate(robot, Hold(), World(loads=loads), seconds=0.5)
    mass = motion.mass(run)
    assert mass[[0, 5, 20, 40]] == pytest.approx([73.5, 73.5, 78.5, 73.5])
    book = ff.analysis.ledger(run)
    brought = book.work["loads"]
    at = ff.kinematics.pose(robot, run.q[11], name, at=(0.05, 0.1)).position
    assert brought[20] == pytest.approx(5.0 * G * at[1], rel=1e-3)
    assert book.relative < 1e-3
    zmp, cop = ff.analysis.zero_moment_point(run), ff.analysis.center_of_pressure(run)
    assert np.abs(zmp.place - cop.place)[12:28].max() < 1e-3


# --- pressure -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("share", [0.0, 0.5, 0.95])
def test_pressure_moves_by_the_moment_of_a_push(space, share):
    """A push F at height h above the ground moves the centre of pressure by F h / (m g), until it comes to the edge."""
    up = 0.05
    force = share * LENGTH / 2 * WEIGHT / (HEIGHT / 2 + up)
    run = pushed(space, (force, 0.4 * force, 0.0), friction=2.0, up=up)
    expected = [share * LENGTH / 2, 0.4 * share * LENGTH / 2][: run.robot.dim - 1]
    found = ff.analysis.pressure(run)
    assert found.cop.valid.all()
    assert found.cop.place[-1, :-1] == pytest.approx(expected, abs=1e-6)
    assert found.zmp.place[-1, :-1] == pytest.approx(expected, abs=1e-6)
    edges = [LENGTH / 2 - expected[0], *(WIDTH / 2 - y for y in expected[1:])]
    assert found.cop_margin[-1] == pytest.approx(min(edges), abs=1e-6)
    assert found.cop.place[5, :-1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("space", SPACES)
def test_pressure_stays_at_the_edge_of_a_tipping_box(space):
    force = 1.1 * LENGTH / 2 * WEIGHT / (HEIGHT / 2 + 0.05)
    run = pushed(space, (force, 0.0, 0.0), friction=2.0, up=0.05, seconds=0.2)
    found = ff.analysis.pressure(run)
    assert run.q[-1, 2 if space == "planar" else 5] > 1e-3
    assert found.cop.place[-1, 0] == pytest.approx(run.point[-1, :, 0].max(), abs=0.02)
    assert found.cop_margin[-1] == pytest.approx(0.0, abs=1e-6)
    assert np.all(found.cop_margin > -1e-6)


def test_pressure_on_a_slope_lies_below_the_centre():
    """At rest the ground force points straight up to the centre of mass, which is HEIGHT / 2 above the slope."""
    angle = 0.2
    q = (-sin(angle) * HEIGHT / 2, cos(angle) * HEIGHT / 2, -angle)
    run = ff.simulate(box("planar"), world=World(Slope(angle)), q=q, seconds=0.2)
    cop = ff.analysis.center_of_pressure(run)
    assert cop.place[-1, 0] == pytest.approx(q[0], abs=1e-6)
    assert cop.place[-1, 1] == pytest.approx(q[0] * np.tan(angle), abs=1e-6)
    assert ff.analysis.zero_moment_point(run).place[-1] == pytest.approx(cop.place[-1], abs=1e-6)


def test_standing_biped_stays_within_its_support(standing):
    found, still = ff.analysis.pressure(standing), standing.time < 0.29
    assert found.cop.valid.all()
    assert found.zmp.valid.all()
    assert found.cop_margin.min() > 0.0
    assert np.abs(found.zmp.place - found.cop.place)[still].max() < 1e-3
    assert np.abs(found.zmp.place - found.cop.place)[standing.time > 0.45].max() < 1e-3
    low, high = ff.analysis.support(standing, 5)[:, 0]
    assert high - low == pytest.approx(0.258)


@pytest.mark.parametrize("space", SPACES)
def test_flight_is_marked_and_never_a_nan(space):
    world = World(contact=Rigid(restitution=0.6))
    q = (0.0, 0.4, 0.0) if space == "planar" else (0.0, 0.0, 0.4, 1.0, 0.0, 0.0, 0.0)
    run = ff.simulate(box(space), world=world, q=q, seconds=0.5)
    found = ff.analysis.pressure(run)
    flies = run.time < sqrt(2 * 0.3 / G)
    for track, margin in ((found.cop, found.cop_margin), (found.zmp, found.zmp_margin)):
        assert not track.valid[flies].any()
        assert not track.place[~track.valid].any()
        assert not margin[~track.valid].any()
        assert np.isfinite(track.place).all()
    assert len(ff.analysis.support(run, 0)) == 0
    assert ff.analysis.slip(run)["box"].open > 0.9
    assert ff.analysis.steps(run).rows == ()


def test_hull_leaves_out_what_is_inside_and_margins_have_signs():
    run = pushed("spatial", (0.0, 0.0, 0.0), 0.5, seconds=0.03)
    corners = np.array([(0, 0), (2, 0), (2, 1), (0, 1), (1, 0.5), (1, 0), (0.5, 0.25), (2, 1)], dtype=float)
    point = np.zeros_like(run.point)
    point[:, :, :2] = corners
    run = replace(run, point=point, center=point, mode=np.ones_like(run.mode))
    hull = ff.analysis.support(run, 0)
    assert sorted(map(tuple, hull)) == [(0, 0), (0, 1), (2, 0), (2, 1)]
    x, y = hull.T
    assert 0.5 * (x @ np.roll(y, -1) - y @ np.roll(x, -1)) == pytest.approx(2.0)  # anticlockwise
    place = np.zeros((len(run.time), 3))
    place[:4, :2] = (1.0, 0.4), (3.0, 2.0), (1.0, -0.5), (2.0, 0.5)
    track = ff.analysis.Track(place, np.ones(len(run.time), dtype=bool))
    assert ff.analysis.margin(run, track)[:4] == pytest.approx([0.4, -sqrt(2), -0.5, 0.0])


# --- feet -----------------------------------------------------------------------------------------------------------------


def test_feet_of_the_standing_biped_do_not_slip(standing):
    for foot in ff.analysis.slip(standing).values():
        assert foot.slid == 0.0
        assert foot.drift < 1e-7
        assert foot.sticking == 1.0


def test_drift_is_measured_from_where_a_pad_sticks_until_something_happens_to_it(standing):
    point, events = standing.point.copy(), standing.events
    pad = standing.pads.index("foot_left/toe")
    point[40:, pad, 0] += 0.003
    moved = replace(standing, point=point)
    assert ff.analysis.slip(moved)["foot_left"].drift == pytest.approx(0.003, abs=1e-6)
    assert ff.analysis.slip(moved)["foot_right"].drift < 1e-7
    lifted = (Event(0.392, "lift-off", "foot_left/toe"), Event(0.397, "touch-down", "foot_left/toe"))
    assert ff.analysis.slip(replace(moved, events=(*events, *lifted)))["foot_left"].drift < 1e-7


LEFT = (("touch-down", 0.0), ("lift-off", 0.5), ("touch-down", 1.0), ("lift-off", 1.7), ("touch-down", 2.2))
RIGHT = (("touch-down", 0.0), ("lift-off", 1.1), ("touch-down", 1.6))


def walk(standing, *more):
    """Three seconds of walking on paper: left to 0.4 m at 1.0 s, right to 0.8 m at 1.6 s, left to 1.2 m at 2.2 s."""
    time = np.linspace(0.0, 3.0, 301)
    q = np.repeat(standing.q[:1], 301, axis=0)
    q[:, 0] += 0.4 * time
    places = {
        "foot_left": np.select([time < 0.999, time < 2.199], [0.0, 0.4], 1.2),
        "foot_right": np.select([time < 1.599], [0.0], 0.8),
    }
    point = np.zeros((301, 4, 2))
    for foot, x in places.items():
        for pad, off in zip(standing.of(foot), (-0.1, 0.1), strict=True):
            point[:, pad, 0] = x + off
    lists = [("foot_left/heel", LEFT), ("foot_left/toe", LEFT), ("foot_right/heel", RIGHT), ("foot_right/toe", RIGHT), *more]
    events = [Event(at, kind, pad) for pad, events in lists for kind, at in events]
    series = {"time": time, "q": q, "point": point, "mode": np.ones((301, 4), np.uint32), "force": np.zeros((301, 4, 2))}
    return replace(standing, **series, events=tuple(sorted(events, key=lambda event: event.time)))


CHATTER = (
    ("foot_left/toe", (("lift-off", 1.004), ("touch-down", 1.012))),  # one pad, while the other stands
    ("foot_right/toe", (("touch-down", 1.3), ("lift-off", 1.31))),  # a scuff
)


@pytest.mark.parametrize("more", [(), CHATTER], ids=["clean", "chatter"])
def test_steps_with_known_lengths(standing, more):
    found = ff.analysis.steps(walk(standing, *more))
    assert [step.foot for step in found.rows] == ["foot_left", "foot_right", "foot_left"]
    for name, expected in {
        "time": (1.0, 1.6, 2.2),
        "length": (0.4, 0.4, 0.4),
        "width": (0.0, 0.0, 0.0),
        "stride": (0.4, 0.8, 0.8),
        "duration": (1.0, 0.6, 0.6),
        "speed": (0.4, 0.4 / 0.6, 0.4 / 0.6),
        "stance": (0.7, 1.4, 0.8),
    }.items():
        assert [getattr(step, name) for step in found.rows] == pytest.approx(expected), name
    assert [step.place[0] for step in found.rows] == pytest.approx((0.4, 0.8, 1.2))
    assert found.duty == pytest.approx({"foot_left": 2.0 / 3.0, "foot_right": 2.5 / 3.0})
    assert found.double_support == pytest.approx(0.5)
    assert found.flight == pytest.approx(0.0)
    assert found.speed == pytest.approx(0.4)
    assert found.cadence == pytest.approx(2 / 1.2)
    assert "3 steps" in found.text()


def landing(standing, height, other):
    """A left foot that scuffs where it will stand, rises to a height and lands again; the right one stands, or has left."""
    pads = ("foot_left/heel", "foot_left/toe")
    scuff = tuple((pad, (("lift-off", 1.03), ("touch-down", 1.06))) for pad in pads)
    gone = tuple((f"foot_right/{pad}", (("lift-off", 1.02), ("touch-down", 1.07))) for pad in ("heel", "toe") if not other)
    run = walk(standing, *scuff, *gone)
    point = run.point.copy()
    up = (run.time > 1.035) & (run.time < 1.055)
    point[np.ix_(up, standing.of("foot_left"), [1])] = height
    return ff.analysis.steps(replace(run, point=point))


def test_a_foot_that_scuffs_before_it_carries_has_stepped_once(standing):
    assert [step.foot for step in landing(standing, 0.0009, True).rows] == ["foot_left", "foot_right", "foot_left"]
    assert landing(standing, 0.0009, True).rows[0].stance == pytest.approx(0.7)
    assert len(landing(standing, 0.05, True).rows) == 4  # a step on the spot
    assert len(landing(standing, 0.0009, False).rows) == 5  # a hop


def test_compliant_feet_step_in_turn():
    """JOHNNIE's feet scuff before they land: as many steps as the plan has in that time, one foot after the other."""
    rows = ff.analysis.steps(ff.simulate(replace(ff.studies.load("johnnie-walk"), seconds=5.0))).rows
    assert [step.foot for step in rows] == ["foot_left", "foot_right", "foot_left", "foot_right", "foot_left"]
    assert [step.stride for step in rows[1:]] == pytest.approx(4 * [2 * 0.417], abs=0.01)


def test_steps_count_along_the_direction_of_travel():
    run = pushed("spatial", (0.0, 0.0, 0.0), 0.5, seconds=0.03)
    robot = replace(run.robot, feet=tuple(ff.Foot(f"foot_{side}", (ff.Point("box"),)) for side in ("left", "right")))
    ahead, left = np.array((cos(0.5), sin(0.5), 0.0)), np.array((-sin(0.5), cos(0.5), 0.0))
    time, q = np.linspace(0.0, 2.0, 201), np.repeat(run.q[:1], 201, axis=0)
    q[:, :3] += 0.5 * time[:, None] * ahead
    point = np.zeros((201, 2, 3))
    point[:, 0] = 0.1 * left + np.where(time < 1.0, 0.0, 0.6)[:, None] * ahead
    point[:, 1] = -0.1 * left
    pads = ("foot_left/point", "foot_right/point")
    events = [Event(0.0, "touch-down", pad) for pad in pads]
    events += [Event(0.5, "lift-off", pads[0]), Event(1.0, "touch-down", pads[0])]
    series = {"time": time, "q": q, "point": point, "mode": np.ones((201, 2), np.uint32), "force": np.zeros((201, 2, 3))}
    paper = replace(run, study=replace(run.study, robot=robot), **series, pads=pads, events=tuple(events))
    (step,) = ff.analysis.steps(paper).rows
    assert (step.length, step.width, step.stride) == pytest.approx((0.6, 0.2, 0.6))
    assert ff.analysis.steps(paper).speed == pytest.approx(0.5)


def test_steps_along_a_circle_count_along_it():
    """Chords: of feet at radii r and R that step by an angle w in turn, (r + R) sin(w/2) ahead and (R - r) cos(w/2) aside."""
    run = pushed("spatial", (0.0, 0.0, 0.0), 0.5, seconds=0.03)
    robot = replace(run.robot, feet=tuple(ff.Foot(f"foot_{side}", (ff.Point("box"),)) for side in ("left", "right")))
    turn, steps, pads = 2.0 * pi / 30, 30, ("foot_left/point", "foot_right/point")
    time = np.linspace(0.0, steps + 1.0, 100 * (steps + 1) + 1)
    yaw = turn * (time - 0.5)  # at touch-downs, in the middle between the feet
    q = np.repeat(run.q[:1], len(time), axis=0)
    q[:, 0], q[:, 1] = 2.0 * np.sin(yaw), 2.0 - 2.0 * np.cos(yaw)
    q[:, 3], q[:, 6] = np.cos(0.5 * yaw), np.sin(0.5 * yaw)
    point = np.zeros((len(time), 2, 3))
    events = [Event(0.0, "touch-down", pad) for pad in pads]
    for side, radius in enumerate((1.9, 2.1)):
        landed = np.floor((time - side + 1e-9 + 1.0) / 2.0) * 2.0 - 1.0 + side  # odd times left, even ones right
        at = turn * np.maximum(landed, 0.0)
        point[:, side, 0], point[:, side, 1] = radius * np.sin(at), 2.0 - radius * np.cos(at)
        for k in range(1 + side, steps + 1, 2):
            events += [Event(k - 0.8, "lift-off", pads[side]), Event(float(k), "touch-down", pads[side])]
    series = {"time": time, "q": q, "point": point, "mode": np.ones((len(time), 2), np.uint32)}
    series |= {"force": np.zeros((len(time), 2, 3)), "pads": pads, "events": tuple(sorted(events, key=lambda e: e.time))}
    found = ff.analysis.steps(replace(run, study=replace(run.study, robot=robot), **series))
    assert len(found.rows) == steps
    ahead, aside = 4.0 * sin(turn / 2), 0.2 * cos(turn / 2)
    for k, step in enumerate(found.rows):
        assert (step.length, step.width) == pytest.approx((ahead, aside if k % 2 == 0 else -aside), abs=1e-6)
    assert found.speed == pytest.approx(2.0 * turn, rel=1e-3)


# --- summary and plots ----------------------------------------------------------------------------------------------------


def test_summary_says_why_it_ended(falling):
    found = ff.analysis.summary(falling)
    assert falling.fell
    assert "touched the ground" in found.reason
    assert found.duration == pytest.approx(falling.time[-1])
    assert found.real_time == pytest.approx(found.duration / falling.wall)
    assert found.residual < 1e-2
    assert found.events["fall"] == 1
    assert sum(found.events.values()) == len(falling.events)
    assert found.contact_residual == falling.residual.max()
    assert "why it ended" in found.text()
    assert ff.analysis.summary(replace(falling, wall=0.0)).real_time == 0.0


def test_a_robot_without_feet_has_a_summary_too():
    run = ff.simulate(ff.robots.load("pendulum"), q=(pi / 3,), seconds=0.1)
    found = ff.analysis.summary(run)
    assert (found.steps, found.slid, found.drift) == (0, 0.0, 0.0)
    assert not ff.analysis.center_of_pressure(run).valid.any()


@pytest.mark.parametrize("what", PLOTS)
@pytest.mark.parametrize("which", ["standing", "falling", "space", "pendulum"])
def test_plots_have_units_and_marks(what, which, request, tmp_path):
    if which == "space":
        run = pushed("spatial", (80.0, 20.0, 0.0), 0.5)
    elif which == "pendulum":
        run = ff.simulate(ff.robots.load("pendulum"), q=(pi / 3,), seconds=0.1)
    else:
        run = request.getfixturevalue(which)
    figure = plot(run, what, tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 10_000
    labels = [text for ax in figure.axes for text in (ax.get_xlabel(), ax.get_ylabel()) if text]
    assert "time (s)" in labels
    assert all(label.endswith(")") for label in labels)
    names = {name for ax in figure.axes for name in ax.get_legend_handles_labels()[1]}
    assert ("push" in names) == (which in ("standing", "space"))
    assert any(name.startswith("fall: ") for name in names) == (which == "falling")


def test_unknown_plot_lists_the_known_ones(standing):
    with pytest.raises(UnknownNameError, match="energy"):
        plot(standing, "enrgy")
