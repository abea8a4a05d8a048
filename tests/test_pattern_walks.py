"""Walks along planned patterns, a cart on a table, and their pictures."""

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall.control import HuangWalk, PreviewWalk
from footfall.errors import FootfallError
from footfall.motion import Swing, zmp
from footfall.motion.footsteps import FootstepPlan
from footfall.world import Push, World


@pytest.fixture(scope="module")
def huang():
    study = ff.studies.load("huang-pattern", **{"controller.steps": 4, "controller.begin": 1.0})
    return ff.simulate(replace(study, seconds=float(study.controller.pattern(study.robot).times[-1])))


def test_huangs_pattern_walks(huang):
    """From standing to standing at 2 km/h, feet rolling over toe and heel; the measured ZMP is inside the support."""
    assert huang.reason == "reached the end"
    steps = ff.analysis.steps(huang).rows
    assert [step.length for step in steps[1:4]] == pytest.approx([0.5] * 3, abs=0.03)
    assert max(step.toe_up for step in steps) > 0.15
    assert max(step.toe_down for step in steps) > 0.1
    single = huang.mode.reshape(len(huang.time), 2, -1).any(axis=2).sum(axis=1) == 1
    margin = ff.analysis.pressure(huang).zmp_margin
    assert margin.min() > -1e-4  # on an edge, it is there but for rounding of differences
    assert np.median(margin[single]) > 0.02
    assert abs(huang.v[-1]).max() < 0.05


@pytest.mark.parametrize("turn", [0.0, 0.15, -0.15])
def test_the_heading_is_held(turn):
    """Straight on and in a curve; without steering it ends more than four times as far off."""
    off = []
    for heading in (1.0, 0.0):
        more = {"controller.steps": 5, "controller.turn": turn, "controller.heading": heading}
        study = ff.studies.load("huang-pattern", **more)
        pattern = study.controller.pattern(study.robot)
        run = ff.simulate(replace(study, seconds=float(pattern.times[-1])))
        assert run.reason == "reached the end"
        off.append(abs(np.degrees(2.0 * np.arctan2(run.q[-1, 6], run.q[-1, 3]) - 5 * turn)))
        assert np.abs(2.0 * np.arctan2(pattern.q[-1, 6], pattern.q[-1, 3]) - 5 * turn) < 0.05
    assert off[0] < (6.0 if turn else 2.0)  # each step makes up for the error before it, its own stays
    assert off[1] > 4.0 * off[0]


@pytest.mark.parametrize("force", [(0.0, 20.0, 0.0), (20.0, 0.0, 0.0), (-20.0, 0.0, 0.0)])
def test_ankles_take_up_small_pushes(force):
    """2 N s at the torso, any direction: with ankle control it walks on to the end."""
    robot = ff.robots.load("johnnie")
    walk = PreviewWalk(steps=4, length=0.417, single_support=0.6, double_support=0.15, height=0.85)
    pattern = walk.pattern(robot)
    world = World(pushes=(Push("torso", force, 2.5, 2.6),))
    run = ff.simulate(ff.Study(robot, world, walk, tuple(pattern.q[0]), seconds=float(pattern.times[-1])))
    assert run.reason == "reached the end"
    assert run.q[-1, 0] == pytest.approx(pattern.q[-1, 0], abs=0.05)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"x_sd": 0.1}, "x_sd and x_ed must both be given"),
        ({"margin": 0.06}, "margin must be below half the width of the soles"),
        ({"height": 0.94}, "legs do not reach"),
        ({"toe_off": 1.2, "heel_strike": 1.2}, "height must be at least 0.[0-9]* m .* got 0.16 m"),
        ({"toe_off": 1.2, "heel_strike": 1.2, "ankle": 0.5}, "cannot walk this plan|cannot start this walk"),
    ],
)
def test_what_cannot_be_walked_is_refused(more, said):
    robot = ff.robots.load("johnnie")
    with pytest.raises(FootfallError, match=said):
        HuangWalk(steps=3, **more).prepare(robot, robot.neutral(), 9.81)


def test_legs_of_balls_are_refused():
    robot = ff.robots.load("person")
    with pytest.raises(FootfallError, match="must have legs of hinges"):
        PreviewWalk(steps=3).prepare(robot, robot.neutral(), 9.81)


@pytest.mark.parametrize("law", [PreviewWalk(steps=3), HuangWalk(steps=3, x_sd=0.12, x_ed=0.16)])
def test_patterns_are_planned_with_the_gravity_of_the_world(law):
    robot = ff.robots.load("johnnie")
    found = law.prepare(robot, robot.neutral(), 5.0).data
    alone = found.standing.sum(axis=1) == 1
    motion = found.q, found.v, found.a
    here, elsewhere = (zmp(robot, *motion, height=found.zmp[:, 2], gravity=g) - found.zmp[:, :2] for g in (5.0, 9.81))
    assert np.abs(here[alone]).max() < 0.01 < 0.05 < np.abs(elsewhere[alone]).max()


@pytest.mark.parametrize("gravity", [0.0, -1.0, np.nan])
def test_without_weight_there_is_no_walk(gravity):
    robot = ff.robots.load("johnnie")
    for law in (PreviewWalk(steps=3), HuangWalk(steps=3)):
        with pytest.raises(FootfallError, match="needs gravity above 0"):
            law.prepare(robot, robot.neutral(), gravity)


def test_legs_without_motors_are_refused():
    robot = ff.robots.load("johnnie")
    robot = replace(robot, joints=tuple(replace(j, motor=None) if j.name == "knee_left" else j for j in robot.joints))
    with pytest.raises(FootfallError, match="must have motors at all joints of the leg of 'foot_left'"):
        PreviewWalk(steps=3).prepare(robot, robot.neutral(), 9.81)


@pytest.fixture(scope="module")
def cart():
    return ff.simulate(ff.studies.load("lipm-preview"))


def test_a_cart_on_a_table_has_the_zmp_of_its_model(cart):
    """The centre of pressure that the contact engine finds, beside p = x - z x''/g of the preview controller."""
    law = cart.study.controller
    times, reference = law.reference()
    between = cart.time - 0.5 * np.diff(cart.time, prepend=0.0)
    measured = ff.analysis.center_of_pressure(cart).place[2:, :2]
    model = np.stack([np.interp(between, times, column) for column in law.cart(9.81).zmp.T], axis=1)[2:]
    assert np.abs(measured - model).max() < 2e-3
    wanted = np.stack([np.interp(between, times, column) for column in reference.T], axis=1)[2:]
    assert np.abs(measured - wanted).max() < 0.01
    moved = ff.analysis.center_of_mass(cart)[:, 0] > 0.01
    assert cart.time[moved][0] < law.begin < times[reference[:, 0] > 0.0][0]  # it sets off before the reference does


def test_a_cart_needs_rails():
    johnnie = ff.robots.load("johnnie")
    with pytest.raises(FootfallError, match="prismatic joint 'slide_x'"):
        ff.control.PreviewCart().prepare(johnnie, johnnie.neutral(), 9.81)


def test_a_swing_for_each_step():
    plan = FootstepPlan.straight(2, 0.3, 0.2)
    swings = (Swing(0.05), Swing(0.15), Swing(0.05))
    high = replace(plan, swing=swings)
    times = plan.times(0.005)
    tops = [high.feet_at(times)[0][:, side, 2].max() for side in range(2)]
    assert tops == pytest.approx([0.15, 0.05])
    with pytest.raises(FootfallError, match="a row of one for each step"):
        replace(plan, swing=swings[:2])


# --- pictures -------------------------------------------------------------------------------------------------------------


def test_pictures_of_walks(huang, cart, tmp_path):
    pattern = huang.study.controller.pattern(huang.robot)
    assert "one stride, 1.69 s" in ff.view.stride(huang, tmp_path / "stride.png").get_suptitle()
    assert ff.view.drives(huang, tmp_path / "drives.png").axes[0].get_xlabel() == "largest torque (N m)"
    shown = ff.view.footprints(huang, tmp_path / "feet.png", pattern=pattern).axes[0].get_legend_handles_labels()[1]
    assert {"ZMP, measured", "ZMP, planned", "left foot, stood", "right foot, planned", "support, both feet"} <= set(shown)
    assert "ZMP, planned" in ff.view.footprints(pattern).axes[0].get_legend_handles_labels()[1]
    assert ff.view.preview(cart, tmp_path / "preview.png").axes[2].get_ylabel() == "ZMP less reference (mm)"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["drives.png", "feet.png", "preview.png", "stride.png"]


def test_pictures_of_what_has_none(huang, cart):
    for draw, said in ((ff.view.stride, "a stride is two steps"), (ff.view.footprints, "")):
        if said:
            with pytest.raises(FootfallError, match=said):
                draw(cart)
    with pytest.raises(FootfallError, match="PreviewCart"):
        ff.view.preview(huang)
    planar = ff.simulate(ff.robots.load("rabbit"), seconds=0.01, lift=True)
    with pytest.raises(FootfallError, match="in space"):
        ff.view.footprints(planar)
    pattern = huang.study.controller.pattern(huang.robot)
    for draw in (ff.view.stride, ff.view.drives):
        with pytest.raises(FootfallError, match="of a Run, and a WalkingPattern is a plan"):
            draw(pattern)
        with pytest.raises(FootfallError, match="of a Run, got int 3"):
            draw(3)
    with pytest.raises(FootfallError, match="got FootstepPlan; ff.motion.walking_pattern"):
        ff.view.footprints(FootstepPlan.straight(steps=2, length=0.2, width=0.2))
    with pytest.raises(FootfallError, match="pattern must be a WalkingPattern, got int"):
        ff.view.footprints(huang, pattern=3)
    with pytest.raises(FootfallError, match="a scene is that of an ObstaclePlan, as plan_among makes it, got WalkingPattern"):
        ff.view.scene(pattern)
