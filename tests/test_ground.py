"""JOHNNIE walks over stairs, slopes, curves and uneven ground: motors with limits and friction, and compliant feet."""

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall import kinematics, reproduce
from footfall.control import ComputedTorqueWalk
from footfall.control.fields import ControlError
from footfall.control.walking.start import start
from footfall.errors import ParameterError
from footfall.kinematics.two_legs import sole_of
from footfall.world import Flat, Profile, Push, Slope, Waves, World, random_hills

SIDES = ("left", "right")
SOLE = 0.274  # m: its length


def sole_places(run, side):
    """(rows, 3) of the point of a sole below the ankle."""
    foot = f"foot_{side}"
    low = sole_of(run.robot, foot)[:, 2].min()
    return np.array([kinematics.pose(run.robot, q, foot, at=(0.0, 0.0, low)).position for q in run.q])


def corners(robot, q):
    """(8, 3) of both soles."""
    rows = []
    for foot in robot.feet:
        pose = kinematics.pose(robot, q, foot.pads[0].link)
        rows += [pose.position + pose.rotation @ corner for corner in sole_of(robot, foot.name)]
    return np.array(rows)


def walked(study):
    run = ff.simulate(study)
    assert run.outcome is ff.Outcome.END, run.reason
    return run


# --- where it starts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("terrain", [Flat(), Flat(0.3), Slope(0.1), Slope(-0.05, 0.1), random_hills(0.01, 0.7, 3)])
def test_it_starts_on_the_ground(terrain):
    """No corner is in the ground, one of each foot touches or nearly so; on planes all do."""
    robot, walk = ff.robots.load("johnnie"), ComputedTorqueWalk()
    q = np.array(start(robot, walk, terrain))
    gap = np.array([z - terrain.height(x, y) for x, y, z in corners(robot, q)])
    assert gap.min() == pytest.approx(0.0, abs=1e-12)
    assert gap.max() < (0.02 if isinstance(terrain, Waves) else 1e-9)
    assert q[2] - terrain.height(0.0, 0.0) == pytest.approx(walk.height, abs=0.01)


# --- stairs ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rise", [0.05, -0.05])
def test_stairs_are_walked_one_by_one(rise):
    """Every foot stands in the middle of its tread, within 1 cm, and passes the edges between by a centimetre and more."""
    study = ff.studies.load("johnnie-stairs", rise=rise, stairs=6)
    run, stairs = walked(study), study.world.terrain
    assert run.q[-1, 2] - run.q[0, 2] == pytest.approx(6 * rise, abs=5e-3)
    steps = np.array(study.controller.footsteps)
    for k, side in enumerate(SIDES):
        places = sole_places(run, side)
        for x, _, z, _ in steps[k::2]:
            stands = np.abs(places[:, 0] - x) < 0.01
            assert places[stands, 2].min() == pytest.approx(z, abs=4e-3)
    least = np.inf
    for pad in range(len(run.pads)):
        x, z = run.point[:, pad, 0], run.point[:, pad, 2]
        for i in np.flatnonzero(np.floor((x[1:] - stairs.start) / stairs.run) > np.floor((x[:-1] - stairs.start) / stairs.run)):
            least = min(least, z[i : i + 2].max() - max(stairs.height(x[i]), stairs.height(x[i + 1])))
    assert least > 0.01


def test_stairs_too_short_for_a_foot():
    with pytest.raises(ParameterError, match="run must be at least the length of the sole, 0.274 m, got 0.2"):
        ff.studies.load("johnnie-stairs", run=0.2)


# --- slopes and curves ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("angle", "across"), [(3.0, 0.0), (-3.0, 0.0), (0.0, 3.0)])
def test_slopes(angle, across):
    """At 2 km/h, upright; the slope that is felt is that of the ground."""
    values = {"angle": np.radians(angle), "across": np.radians(across)}
    study = replace(ff.studies.load("johnnie-slope", **values), seconds=12.0, record=("controller.state",))
    run = walked(study)
    assert run.q[-1, 0] > 0.5 * 11.0
    assert run["controller.state.slope.0"][-1] == pytest.approx(np.tan(values["angle"]), abs=0.01)
    assert run["controller.state.slope.1"][-1] == pytest.approx(np.tan(values["across"]), abs=0.01)
    up = np.array([kinematics.pose(run.robot, q, "pelvis").rotation[2, 2] for q in run.q[::10]])
    assert np.degrees(np.arccos(up)).max() < 3.0


@pytest.mark.parametrize("radius", [2.0, -2.0])
def test_half_a_circle(radius):
    run = walked(ff.studies.load("johnnie-curve", radius=radius, angle=np.pi))
    feet = np.mean([sole_places(run, side)[-1] for side in SIDES], axis=0)
    assert feet[:2] == pytest.approx((0.0, 2.0 * radius), abs=0.05)
    away = np.hypot(run.q[:, 0], run.q[:, 1] - radius)
    assert abs(away - abs(radius)).max() < 0.15


def test_a_circle_too_narrow():
    with pytest.raises(ParameterError, match="radius must be at least 0.2 m, got 0.1"):
        ff.studies.load("johnnie-curve", radius=0.1)


# --- uneven ground --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("study", list(reproduce.studies(["johnnie-ground"])))
def test_figures_by_sensors_alone(study):
    rows = list(reproduce.rows(study, reproduce.Setting(quick=True, workers=1)))
    assert rows
    assert [(row.quantity, row.value) for row in rows if not row.ok] == []


@pytest.mark.parametrize("rise", [0.02, -0.02])
def test_a_step_that_nobody_told_it(rise):
    """It lands early or late and goes on; the pelvis follows the ground."""
    study = ff.studies.load("johnnie-uneven", ground="treads", seconds=12.0)
    run = walked(replace(study, world=World(Profile((1.5, 1.5), (0.0, rise)))))
    assert run.q[-1, 2] - run.q[0, 2] == pytest.approx(rise, abs=5e-3)


# --- the swing foot -------------------------------------------------------------------------------------------------------


def swings(run, side):
    """Rows in which a foot swings, as its law says: (begin, end) of each."""
    standing = run["controller.state.step"] % 2
    rows = (run["controller.state.phase"] == 2) & (standing != SIDES.index(side))
    edges = np.flatnonzero(np.diff(rows.astype(int)))
    return list(zip(edges[::2] + 1, edges[1::2] + 1, strict=False))


def test_a_foot_waits_and_hurries():
    """Level it moves only between `delay` and `hurry`, and it is highest at `apex`."""
    robot = ff.robots.load("johnnie")
    walk = ComputedTorqueWalk(steps=10, delay=0.2, hurry=0.25, apex=0.4, single_support=1.0, length=0.25, lift=0.06)
    study = ff.Study(robot, World(), walk, start(robot, walk), seconds=8.0, record=("controller.state",))
    run = walked(study)
    places = sole_places(run, "left")
    for begin, end in swings(run, "left")[:3]:
        t = run.time[begin:end] - run.time[begin - 1]
        x, z = places[begin:end, 0] - places[begin - 1, 0], places[begin:end, 2]
        assert abs(x[t < 0.2]).max() < 2e-3
        assert abs(x[t > 0.76] - x[-1]).max() < 2e-3
        assert t[np.argmax(z)] == pytest.approx(0.4, abs=0.03)
        assert z.max() - places[begin - 1, 2] == pytest.approx(0.06, abs=2e-3)


def test_a_swing_without_time_to_move():
    with pytest.raises(ControlError, match="delay and hurry must leave a part of the swing to move in: together at most 0.9"):
        ff.simulate(ff.studies.load("johnnie-uneven", **{"controller.delay": 0.5, "controller.hurry": 0.5}))


@pytest.mark.parametrize(("back", "apart"), [(0.0, 0.05), (1.0, 0.01)])
def test_a_plan_comes_back(back, apart):
    """A push moves the plan to the left. With `back` the feet return to it; without, the plan stays where it was moved."""
    robot = ff.robots.load("johnnie")
    walk = ComputedTorqueWalk(steps=12, back=back)
    world = World(pushes=(Push("torso", (0.0, 60.0, 0.0), 3.0, 3.1),))
    run = walked(ff.Study(robot, world, walk, start(robot, walk), seconds=12.0))
    middle = np.mean([sole_places(run, side)[-1] for side in SIDES], axis=0)
    assert (abs(middle[1]) > apart) == (back == 0.0)
