"""A walk along footsteps by computed torques: JOHNNIE, a person and Wendlandt's biped, pushed, turned, started anyhow, and refused."""

from dataclasses import replace

import numpy as np
import pytest

import footfall as ff
from footfall import analysis, kinematics
from footfall.analysis.steps import stances
from footfall.control import ComputedTorqueWalk
from footfall.control.fields import ControlError
from footfall.control.walking.legs import near
from footfall.control.walking.start import start
from footfall.control.walking.steps import quintic_on
from footfall.errors import FootfallError, ParameterError
from footfall.kinematics.two_legs import sole_of
from footfall.world import Push, World

NAME = "johnnie-walk-computed-torque"
SPEED = 2.0 / 3.6  # m/s
PERIOD = 0.75  # s, of a step
SETTLED = 2.5  # s: from here on a walk that was disturbed at the start must be as good as any


def walk_of(name, seconds=10.0, **given):
    """A run of a ready robot from the posture of the studies."""
    robot, walk = ff.robots.load(name), ComputedTorqueWalk(**given)
    return ff.simulate(robot, walk, q=start(robot, walk), seconds=seconds)


def speed_of(run, steps=6):
    """Of the base, over the last few whole steps."""
    first = np.searchsorted(run.time, run.time[-1] - steps * PERIOD - 1e-9)
    return np.linalg.norm(run.q[-1, :2] - run.q[first, :2]) / (run.time[-1] - run.time[first])


def slip_in_a_step(run, begin=0.0):
    """The farthest that any contact slides within the time of a step."""
    rows = np.flatnonzero(run.time >= begin)
    step = round(PERIOD / (run.time[1] - run.time[0]))
    return (run.slip[rows[step:]] - run.slip[rows[:-step]]).max()


def zmp_margin(run, begin=0.0):
    """The least distance of the ZMP from the edge of the support, which is given by the contacts that touch."""
    return analysis.margin(run, analysis.zero_moment_point(run))[run.time >= begin].min()


# --- level ground ---------------------------------------------------------------------------------------------------------


def test_johnnie_walks_a_minute_at_2_km_h():
    run = ff.simulate(ff.studies.load(NAME))
    assert run.outcome is ff.Outcome.END
    assert speed_of(run, steps=60) == pytest.approx(SPEED, rel=1e-3)
    assert abs(run.q[:, 1]).max() < 0.10  # m: it sways between its feet, which are 0.20 m apart
    assert abs(run.q[run.time >= 60.0 - 60 * PERIOD, 1].mean()) < 5e-3  # and goes straight on
    assert slip_in_a_step(run) < 1e-4
    assert zmp_margin(run) > 0.009  # m: the margin that it is asked for
    assert len(stances(run)) == pytest.approx(2 + 60.0 / PERIOD, abs=3)


@pytest.mark.parametrize("seed", range(8))
def test_it_walks_from_any_start_near_standing(seed):
    """All joints are off by a degree, everything moves, and it is dropped: its feet are not flat, nor at the same height."""
    study, rng = ff.studies.load(NAME, seconds=10.0), np.random.default_rng(seed)
    q, v = np.array(study.q), rng.normal(0.0, 0.05, study.robot.nv)
    q[7:] += rng.normal(0.0, 0.02, len(q) - 7)
    run = ff.simulate(replace(study, q=tuple(q), v=tuple(v)), lift=True)
    assert run.outcome is ff.Outcome.END
    assert speed_of(run) == pytest.approx(SPEED, rel=3e-3)
    assert slip_in_a_step(run, SETTLED) < 1e-3
    assert zmp_margin(run, SETTLED) > 0.0


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("person", {"height": 0.85, "length": 0.30, "width": 0.18}),
        ("wendlandt-3d", {"height": 0.75, "length": 0.25, "width": 0.18}),
        ("johnnie", {"length": -0.2}),
    ],
)
def test_others_walk_slower(name, more):
    run = walk_of(name, steps=20, **more)
    assert run.outcome is ff.Outcome.END
    assert speed_of(run) == pytest.approx(abs(more["length"]) / PERIOD, rel=3e-3)
    assert np.sign(run.q[-1, 0]) == np.sign(more["length"])
    assert slip_in_a_step(run) < 1e-3
    assert zmp_margin(run) > 0.0


def test_the_foot_swings_as_high_as_it_is_asked():
    run = walk_of("johnnie", seconds=5.0, lift=0.06)
    sole = kinematics.pose(run.robot, run.q[0], "sole_left").position[2]
    high = max(kinematics.pose(run.robot, q, "sole_left").position[2] - sole for q in run.q)
    assert high == pytest.approx(0.06, abs=2e-3)


# --- footsteps ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "turn"), [(0.3, 0.15), (0.3, -0.15), (0.0, 0.2)])
def test_a_curve(length, turn):
    """On a circle the heading grows with every step, and the way is that around the circle."""
    run = walk_of("johnnie", seconds=12.0, length=length, turn=turn, steps=12)
    assert run.outcome is ff.Outcome.END
    w, z = run.q[-1, 3], run.q[-1, 6]
    assert near.plain("spatial")(2.0 * np.arctan2(z, w), 11 * turn) == pytest.approx(11 * turn, abs=0.01)  # the last step closes
    way = length * np.exp(1j * turn * np.arange(1, 12)).sum()
    middle = np.mean([kinematics.pose(run.robot, run.q[-1], name).position for name in ("foot_left", "foot_right")], axis=0)
    assert middle[:2] == pytest.approx((way.real, way.imag), abs=0.01)


def test_feet_are_put_where_they_are_told():
    steps = ((0.25, 0.12, 0.0, 0.1), (0.45, -0.08, 0.0, 0.0), (0.6, 0.15, 0.0, 0.2), (0.6, -0.1, 0.0, 0.0))
    run = walk_of("johnnie", seconds=6.0, footsteps=steps)
    assert run.outcome is ff.Outcome.END
    for name, (x, y, _, yaw) in (("foot_left", steps[2]), ("foot_right", steps[3])):
        pose = kinematics.pose(run.robot, run.q[-1], name)
        assert pose.position[:2] == pytest.approx((x, y), abs=5e-3)
        assert np.arctan2(pose.rotation[1, 0], pose.rotation[0, 0]) == pytest.approx(yaw, abs=0.01)


@pytest.mark.parametrize("more", [{"steps": 0}, {"steps": 1}, {"steps": 2}, {"footsteps": ((0.1, 0.1, 0.0, 0.0),)}])
def test_after_its_steps_it_stands(more):
    """At rest, the centre of mass above the middle of the ZMPs of both feet."""
    run = walk_of("johnnie", seconds=8.0, **more)
    assert run.outcome is ff.Outcome.END
    assert abs(run.v[-1]).max() < 1e-3
    feet = [kinematics.pose(run.robot, run.q[-1], name).position for name in ("foot_left", "foot_right")]
    c = analysis.motion.center_of_mass(run)[-1]
    assert c[:2] == pytest.approx(np.add(np.mean(feet, axis=0)[:2], (0.05, 0.0)), abs=2e-3)


# --- pushes ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", [0.05, 0.3, 0.55])
def test_most_pushes_of_6_newton_seconds_are_survived(phase):
    """From eight sides, at a time after the beginning of the sixth step."""
    study, fell = ff.studies.load(NAME, seconds=12.0), []
    for toward in np.arange(8) * np.pi / 4:
        force, at = (60.0 * np.cos(toward), 60.0 * np.sin(toward), 0.0), 0.8 + 5 * PERIOD + phase
        run = ff.simulate(replace(study, world=World(pushes=(Push("torso", force, at, at + 0.1),))))
        fell += [] if run.outcome is ff.Outcome.END else [toward]
    assert len(fell) <= 1, fell


def test_a_push_of_the_study_moves_the_next_footstep():
    straight, pushed = (ff.simulate(ff.studies.load(NAME, seconds=8.0, push=push, toward=np.pi / 2)) for push in (0.0, 6.0))
    assert pushed.outcome is ff.Outcome.END
    assert pushed.q[-1, 1] > straight.q[-1, 1] + 0.05


# --- the motion of the swing foot -----------------------------------------------------------------------------------------


def test_the_swing_foot_moves_with_least_jerk():
    """From rest to rest: 10 s^3 - 15 s^4 + 6 s^5, the quintic of Flash and Hogan, however often it is begun anew."""
    x, v, a, n, T = 0.1, 0.0, 0.0, 100, 0.6
    for k in range(n):
        s = k / n
        assert x == pytest.approx(0.1 + 0.4 * (10 * s**3 - 15 * s**4 + 6 * s**5), abs=1e-12)
        assert v == pytest.approx(0.4 * (30 * s**2 - 60 * s**3 + 30 * s**4) / T, abs=1e-10)
        x, v, a = quintic_on.plain("spatial")(x, v, a, 0.5, T * (1.0 - s), T / n)
    assert (x, v, a) == pytest.approx((0.5, 0.0, 0.0), abs=1e-12)


# --- refusals -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wendlandt", "robot 'wendlandt' must be in space, it is planar"),
        ("ranger", "robot 'ranger' must be in space, it is planar"),
    ],
)
def test_robots_it_cannot_drive(name, words):
    with pytest.raises(ControlError, match=words):
        ff.simulate(ff.robots.load(name), ComputedTorqueWalk(), seconds=0.1, lift=True)


def changed(**more):
    return replace(ff.robots.load("johnnie"), **more)


def test_robots_with_other_legs():
    johnnie = ff.robots.load("johnnie")
    left, right = johnnie.feet
    locked = tuple(replace(j, kind="fixed", axis=None, motor=None) if j.name == "hip_yaw_left" else j for j in johnnie.joints)
    slack = tuple(replace(j, motor=None) if j.name == "knee_right" else j for j in johnnie.joints)
    for robot, words in (
        (changed(feet=(left,)), "must have a free base and two feet, it has a free base and 1 feet"),
        (changed(feet=(right, left)), "must have its left foot first, its feet are 'foot_right' and 'foot_left'"),
        (changed(feet=(left, replace(right, pads=(ff.Point("foot_right", (0.0, 0.0, -0.07)),)))), "the same pads on both feet"),
        (changed(joints=locked), "six degrees of freedom or more, that of 'foot_left' has 5"),
        (changed(joints=slack), "must have motors at all joints of the leg of 'foot_right'"),
    ):
        with pytest.raises(ControlError, match=words):
            ff.simulate(robot, ComputedTorqueWalk(), seconds=0.1, lift=True)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"footsteps": ((0.1, 0.1, 0.0),)}, "footsteps must be"),
        ({"footsteps": (0.1, 0.1, 0.0, 0.0)}, "footsteps must be"),
        ({"footsteps": ((0.1, np.nan, 0.0, 0.0),)}, "footsteps must be finite"),
        ({"footsteps": ((0.1, np.inf, 0.0, 0.0),)}, "footsteps must be finite"),
        ({"footsteps": "ahead"}, "footsteps must be"),
        ({"steps": -1}, "steps must be from 0 to 100000, got -1"),
        ({"steps": 2**53}, "steps must be from 0 to 100000, got 9.0072e.15"),
        ({"double_support": 0.0}, "double_support must be from 0.02 to 10 s, got 0"),
        ({"apex": 1.0}, "apex must be from 0.05 to 0.95, got 1"),
    ],
)
def test_parameters_that_make_no_sense(given, words):
    with pytest.raises(FootfallError, match=words):
        ComputedTorqueWalk(**given)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"width": 0.06, "length": 0.1}, "footstep 2 of 20, x 0.2 m, y -0.03 m, puts the sole of 'foot_right' onto"),
        ({"width": 0.06}, "footstep 20 of 20, .* puts the sole of 'foot_right' onto that of 'foot_left'"),  # where they close
        (
            {"footsteps": ((0.1, 0.1, 0.0, 0.0), (0.1, 0.05, 0.0, 0.0))},
            "footstep 2 of 2, .* 'foot_right' onto that of 'foot_left'",
        ),
        ({"footsteps": ((0.0, 0.1, 0.0, -1.0),)}, "footstep 1 of 1, .*: they overlap by"),
    ],
)
def test_footsteps_onto_the_other_foot(given, words):
    robot = ff.robots.load("johnnie")
    with pytest.raises(ControlError, match=words):
        ff.simulate(robot, ComputedTorqueWalk(**given), q=start(robot, ComputedTorqueWalk()), seconds=0.1)


@pytest.mark.parametrize("name", ["johnnie", "wendlandt-3d"])
def test_hips_above_straight_legs(name):
    """Straight legs with level soles, by forward kinematics: the base is as high above the soles as it can be."""
    robot = ff.robots.load(name)
    q, bent = robot.configuration({}), start(robot, ComputedTorqueWalk(height=0.75))
    foot = kinematics.pose(robot, q, "foot_left").position
    most = q[robot.coordinates.index("base.z")] - foot[2] - sole_of(robot, "foot_left")[:, 2].min()
    ff.simulate(robot, ComputedTorqueWalk(height=most - 1e-6), q=bent, seconds=0.01)
    for height in (most + 1e-9, 0.96, 2.0):
        with pytest.raises(ControlError, match=f"height must be below {most:g} m, where the leg of 'foot_left' .* is straight"):
            ff.simulate(robot, ComputedTorqueWalk(height=height), q=bent, seconds=0.01)


def test_a_margin_wider_than_the_sole_and_no_gravity():
    with pytest.raises(
        ControlError, match="margin must be below half the width of the soles of robot 'johnnie', 0.0495 m, got 0.1"
    ):
        walk_of("johnnie", margin=0.1)
    with pytest.raises(ControlError, match="needs gravity above 0, got 0 m/s2"):
        ff.simulate(ff.studies.load(NAME, **{"world.gravity": 0.0}))


def test_a_posture_out_of_reach():
    with pytest.raises(ParameterError, match="robot 'johnnie' cannot stand with its hips 1.2 m above the ground .* too far"):
        walk_of("johnnie", height=1.2)
