"""Footstep plans, support polygons and walking patterns: against geometry by hand, SciPy, differences and inverse dynamics."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import footfall as ff
from footfall.control.walking.legs import driven_legs
from footfall.errors import RobotError
from footfall.motion import (
    Footstep,
    FootstepPlan,
    MotionError,
    Swing,
    Timing,
    depth,
    hull,
    interpolate,
    margins,
    row_at,
    sample,
    two_legs,
    walking_pattern,
    zmp,
)
from footfall.world import Slope, Stairs

ROBOTS = ["johnnie", "person", "wendlandt-3d"]
WALK = FootstepPlan.straight(4, 0.35, 0.2)


# --- plans ------------------------------------------------------------------------------------------------------------------


def test_a_straight_plan():
    plan = FootstepPlan.straight(3, 0.4, 0.2, first="right")
    assert [step.side for step in plan.steps] == ["right", "left", "right", "left"]
    assert np.allclose([step.x for step in plan.steps], [0.4, 0.8, 1.2, 1.2])
    assert {step.y for step in plan.steps} == {-0.1, 0.1}
    t = plan.timing
    assert plan.duration == pytest.approx(t.start + 4 * t.single + 3 * t.double + t.stop)


@pytest.mark.parametrize("radius", [1.0, -2.0])
def test_feet_of_a_curve_are_on_two_circles(radius):
    plan = FootstepPlan.curve(12, 0.3, radius, 0.2)
    for step in plan.steps:
        out = 0.1 if step.side == "left" else -0.1
        assert np.hypot(step.x, step.y - radius) == pytest.approx(abs(radius - out), abs=1e-12)
        assert np.cos(step.yaw) * step.x + np.sin(step.yaw) * (step.y - radius) == pytest.approx(0.0, abs=1e-12)
    assert plan.steps[-1].yaw == pytest.approx(12 * 0.3 / radius)


def test_turning_on_the_spot():
    plan = FootstepPlan.turn(8, np.pi / 4, 0.2)
    left, right = plan.stances[-1]
    assert (left.x + right.x, left.y + right.y) == pytest.approx((0.0, 0.0), abs=1e-12)
    assert left.yaw == right.yaw == pytest.approx(2 * np.pi)  # counted on, not wrapped


def test_feet_on_a_slope_lie_in_it():
    ground = Slope(0.1, across=-0.07)
    for step in FootstepPlan.curve(6, 0.3, 1.0, 0.2).on(ground).steps:
        for at in ((0.0, 0.0), (0.2, 0.0), (-0.1, 0.05)):
            x, y, z = step.beside(*at)
            assert z == pytest.approx(ground.height(x, y), abs=1e-12)


def test_feet_rest_where_they_stand_and_move_smoothly():
    plan = FootstepPlan.curve(4, 0.3, 1.0, 0.2, swing=Swing(0.06, apex=0.4, delay=0.2, hurry=0.1)).on(Stairs(0.05, 0.3, 5, 0.2))
    t = plan.times(0.001)
    feet, standing = plan.feet_at(t), plan.standing(t)
    assert np.abs(feet[1:, standing]).max() == 0.0
    assert np.abs(np.gradient(feet[0], t, axis=0) - feet[1]).max() < 2e-4
    assert (
        np.abs(np.gradient(feet[1], t, axis=0) - feet[2])[2:-2].max() < 0.25
    )  # half of dt times the jump of jerk, 60 * 0.6 m / (0.42 s)^3
    for i, step in enumerate(plan.steps):
        foot, row = ("left", "right").index(step.side), np.searchsorted(t, plan.lifts(i) + plan.timing.single + 1e-4)
        assert feet[0, row, foot] == pytest.approx((step.x, step.y, step.z, step.roll, step.pitch, step.yaw), abs=1e-12)
        before = plan.stances[i][foot]
        high = feet[0, np.searchsorted(t, plan.lifts(i) + 0.4 * plan.timing.single), foot, 2]
        assert high == pytest.approx(max(before.z, step.z) + 0.06, abs=1e-6)


def test_standing_and_phases_say_the_same():
    t = WALK.times(0.005) + 0.0025
    standing = WALK.standing(t)
    for phase in WALK.phases:
        rows = standing[(t > phase.start) & (t < phase.end)]
        assert (rows == [side in phase.stance for side in ("left", "right")]).all()
    assert WALK.phases[0].start == 0.0
    assert WALK.phases[-1].end == WALK.duration


def test_the_reference_of_the_zmp():
    t = WALK.times(0.005)
    places = WALK.zmp_reference(t, ahead=0.05, inward=0.01)
    assert np.allclose(places[0], (0.05, 0.0, 0.0))
    row = round((WALK.lifts(1) + 0.3) / 0.005)  # the second step: the left foot swings, the right one stands at 0.35 m
    assert np.allclose(places[row], (0.35 + 0.05, -0.1 + 0.01, 0.0))
    assert np.allclose(places[-1], (4 * 0.35 + 0.05, 0.0, 0.0))
    assert np.abs(np.diff(places, axis=0)).max() < 0.05


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: FootstepPlan.straight(0, 0.3, 0.2),
        lambda: FootstepPlan.straight(3, np.nan, 0.2),
        lambda: FootstepPlan.straight(3, 0.3, 0.2, first="middle"),
        lambda: FootstepPlan.curve(3, 0.3, 0.0, 0.2),
        lambda: FootstepPlan((Footstep("left", 0, 0), Footstep("left", 0, 0)), (Footstep("left", 1, 0),)),
        lambda: FootstepPlan(WALK.stand, (("left", "x"),)),
        lambda: FootstepPlan(WALK.stand, WALK.steps, timing=3.0),
        lambda: Timing(single=-1.0),
        lambda: Timing(start=0.0),
        lambda: Swing(delay=0.6, hurry=0.6),
    ],
)
def test_plans_refused(wrong):
    with pytest.raises(ff.FootfallError):
        wrong()


# --- support ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_hulls_and_margins_are_scipys(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(int(rng.integers(3, 12)), 2))
    theirs = ConvexHull(points)
    ours = hull(points)
    around = [int(np.flatnonzero((points == corner).all(axis=1))[0]) for corner in ours]
    first = list(theirs.vertices).index(around[0])
    assert around == [*theirs.vertices[first:], *theirs.vertices[:first]]
    for place in rng.normal(size=(20, 2)):
        inside = -(theirs.equations[:, :2] @ place + theirs.equations[:, 2]).max()
        found = depth(ours, place)
        assert found == pytest.approx(inside, abs=1e-12) if inside >= 0.0 else found <= inside + 1e-12


def test_margins_of_rows():
    square = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    points = np.tile(np.stack((square, square + np.array((2.0, 0.0)))), (4, 1, 1, 1))
    standing = np.array([(True, False), (False, True), (True, True), (False, False)])
    places = np.tile((1.5, 0.4), (4, 1))
    assert np.allclose(margins(points, standing, places), (-0.5, -0.5, 0.4, -np.inf))


# --- patterns ---------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module", params=ROBOTS)
def walk(request):
    return walking_pattern(ff.robots.load(request.param), WALK)


def test_the_feet_are_where_the_plan_has_them(walk):
    for row in range(0, len(walk.times), 37):
        for side, link in enumerate(walk.legs.feet):
            place = ff.kinematics.pose(walk.robot, walk.q[row], link, at=(0.0, 0.0, -walk.legs.data.ankle))
            assert np.abs(place.position - walk.feet[0, row, side, :3]).max() < 1e-12
            motion = ff.kinematics.velocity(walk.robot, walk.q[row], walk.v[row], link, at=(0.0, 0.0, -walk.legs.data.ankle))
            assert np.abs(motion[:3] - walk.feet[1, row, side, :3]).max() < 1e-10
            accel = ff.kinematics.acceleration(
                walk.robot, walk.q[row], walk.v[row], walk.a[row], link, at=(0.0, 0.0, -walk.legs.data.ankle)
            )
            assert np.abs(accel[:3] - walk.feet[2, row, side, :3]).max() < 1e-8
    corners = [
        ff.kinematics.pose(walk.robot, walk.q[0], walk.legs.feet[1], at=(0, 0, 0)).position[:2] + c[:2]
        for c in walk.legs.corners[1]
    ]
    assert np.abs(walk.soles[0, 1, :, :2] - corners).max() < 1e-12


def test_v_and_a_are_derivatives(walk):
    h = walk.dt
    for row in range(300, 700, 11):
        step = ff.kinematics.difference(walk.robot, walk.q[row - 1], walk.q[row + 1]) / (2 * h)
        assert np.abs(step - walk.v[row]).max() < 6e-3
        assert np.abs((walk.v[row + 1] - walk.v[row - 1]) / (2 * h) - walk.a[row]).max() < 3.0


def _wave(t, middle, phase):
    """A motion of six coordinates, with its derivatives."""
    angle = 3.0 * t[:, None] + np.arange(6) + phase
    return np.stack([middle + 0.08 * np.sin(angle), 0.24 * np.cos(angle), -0.72 * np.sin(angle)])


def test_derivatives_converge():
    """Halving dt quarters the difference between v and central differences of q, with the same motion of pelvis and feet."""
    legs, errors = two_legs(ff.robots.load("person")), []
    for h in (4e-3, 2e-3):
        t = 0.3 + h * np.arange(-1, 2)
        pelvis = _wave(t, np.array([0, 0, 0.8 * legs.longest, 0, 0, 0]), 0.0)
        feet = np.stack(
            [_wave(t, np.array([0, 0.1, 0.1, 0, 0, 0]), 1.0), _wave(t, np.array([0, -0.1, 0.1, 0, 0, 0]), 2.0)], axis=2
        )
        q, v, a, miss = legs.follow(pelvis, feet, legs.robot.neutral())
        assert miss.max() == 0.0
        step = ff.kinematics.difference(legs.robot, q[0], q[2]) / (2 * h)
        errors.append((np.abs(step - v[1]).max(), np.abs((v[2] - v[0]) / (2 * h) - a[1]).max()))
    assert np.allclose(np.divide(errors[0], errors[1]), 4.0, rtol=0.02)


def test_passes_bring_the_zmp_to_its_reference(walk):
    assert walk.misses[0] > 0.03
    assert walk.misses[1] < 0.016
    assert walk.misses[2] < 0.0066
    assert np.abs(zmp(walk.robot, walk.q, walk.v, walk.a) - walk.zmp).max() < 1e-12
    assert walk.margin.min() > 0.03


def test_it_begins_and_ends_at_rest_above_the_middle(walk):
    """A pendulum above its ZMP comes to rest as exp(-w t)."""
    assert not walk.v[0].any()
    w, t = np.sqrt(9.81 / walk.com[0, 2]), WALK.timing.stop - WALK.timing.double
    assert np.abs(walk.com_velocity[-1]).max() < np.exp(-w * t) * np.abs(walk.com_velocity).max()
    for row in (0, -1):
        assert np.abs(walk.com[row, :2] - walk.reference[row, :2]).max() < np.exp(-w * t) * 0.2
    assert walk.load[0] == pytest.approx((0.5, 0.5), abs=1e-2)
    assert (walk.load.sum(axis=1) == 1.0).all()


def test_static_and_dynamic():
    robot = ff.robots.load("johnnie")
    slow = FootstepPlan.straight(2, 0.05, 0.2, timing=Timing(6.0, 6.0, 8.0, 8.0))
    assert walking_pattern(robot, slow, dt=0.02).static.all()
    fast = walking_pattern(robot, WALK)
    assert not fast.static.all()
    assert (fast.margin > 0.0).all()


def test_between_rows(walk):
    """On rows it is the row; between them it is a motion whose derivatives fit."""
    for row in (0, 411, len(walk.times) - 1):
        q, v, a = walk.at(walk.times[row])
        assert np.abs(ff.kinematics.difference(walk.robot, walk.q[row], q)).max() < 1e-12
        assert np.abs(v - walk.v[row]).max() < 1e-2
    h = 1e-6
    for time in (1.6012, 2.0033, 2.7177):
        q, v, a = walk.at(time)
        before, after = walk.at(time - h), walk.at(time + h)
        assert np.abs(ff.kinematics.difference(walk.robot, before[0], after[0]) / (2 * h) - v).max() < 1e-4
        assert np.abs((after[1] - before[1]) / (2 * h) - a).max() < 0.05 * max(1.0, np.abs(a).max())
        side = ff.kinematics.pose(walk.robot, q, walk.legs.feet[0], at=(0, 0, -walk.legs.data.ankle)).position
        assert np.abs(side - np.array([np.interp(time, walk.times, walk.feet[0, :, 0, k]) for k in range(3)])).max() < 2e-4


@pytest.mark.parametrize("plan", [
    FootstepPlan.curve(8, 0.3, 1.0, 0.2),
    FootstepPlan.turn(6, -0.4, 0.2),
    FootstepPlan.straight(4, -0.2, 0.2),
    FootstepPlan.straight(5, 0.3, 0.2).on(Slope(0.0873)),
    FootstepPlan.straight(5, 0.3, 0.2).on(Slope(-0.0873)),
    FootstepPlan.straight(5, 0.3, 0.2, timing=Timing(0.9, 0.3), swing=Swing(0.08, 0.4, 0.25)).on(Stairs(0.05, 0.3, 4, 0.22)),
    FootstepPlan.straight(5, 0.3, 0.2, timing=Timing(0.9, 0.3), swing=Swing(0.06, 0.5, 0.0, 0.25)).on(Stairs(-0.05, 0.3, 4, 0.22)),
], ids=["curve", "spot", "back", "up", "down", "stairs-up", "stairs-down"])  # fmt: skip
def test_other_plans(plan):
    found = walking_pattern(ff.robots.load("johnnie"), plan)
    assert found.misses[-1] < 0.012
    assert found.margin.min() > 0.02


def test_mirrored_it_is_mirrored():
    robot = ff.robots.load("johnnie")
    a, b = (walking_pattern(robot, FootstepPlan.straight(3, 0.3, 0.2, first=side)) for side in ("left", "right"))
    assert np.abs(a.com * (1, -1, 1) - b.com).max() < 1e-12
    assert np.abs(a.zmp * (1, -1) - b.zmp).max() < 1e-10
    knees = [robot.coordinates.index(f"knee_{side}") for side in ("left", "right")]
    assert np.abs(a.q[:, knees] - b.q[:, knees[::-1]]).max() < 1e-12


def test_what_cannot_be_reached_is_refused():
    robot = ff.robots.load("johnnie")
    with pytest.raises(MotionError, match="out of reach"):
        walking_pattern(robot, FootstepPlan.straight(3, 0.9, 0.2))
    for find in (two_legs, driven_legs):  # planners and controllers, in the same words
        with pytest.raises(RobotError, match="^robot 'ranger' must be in space, it is planar$"):
            find(ff.robots.load("ranger"))
        with pytest.raises(RobotError, match="^robot 'johnnie' must have its left foot first"):
            find(replace(robot, feet=robot.feet[::-1]))
    for wrong in ({"passes": 0}, {"height": np.nan}, {"height": -1.0}, {"dt": 0.5}, {"ahead": np.inf}, {"posture": [1.0]}):
        with pytest.raises(ff.FootfallError):
            walking_pattern(robot, WALK, **wrong)
    with pytest.raises(MotionError, match="FootstepPlan"):
        walking_pattern(robot, "straight on")


@dataclass(frozen=True)
class Plain(ff.Controller):
    """Follows a pattern; its law is compiled below."""

    def prepare(self, robot, q, gravity):
        pattern = walking_pattern(robot, WALK)
        room = {"step": np.zeros(robot.nv), "q": np.zeros(robot.nq), "v": np.zeros(robot.nv), "a": np.zeros(robot.nv)}
        return {"tree": robot.tree, "pattern": pattern.data, **room}

    def law(obs, params, state, goal, command):
        interpolate(params.tree, params.pattern, obs.time + 1.0, params.step, params.q, params.v, params.a)
        where = row_at(params.pattern, obs.time + 1.0)
        for d in range(6, len(command.tau)):
            command.tau[d] = 1000.0 * (params.q[d + 1] - obs.q[d + 1]) + 20.0 * (params.v[d] - obs.v[d])
        command.tau[6] += 1e-3 * sample(params.pattern.com, where, 1)
        return 0


@dataclass(frozen=True)
class Compiled(Plain):
    law = ff.kernel(Plain.law)


def test_laws_read_patterns_compiled_and_plain_with_the_same_bits():
    robot = ff.robots.load("johnnie")
    start = walking_pattern(robot, WALK).q[200]
    runs = [ff.simulate(robot, controller, q=start, seconds=0.05) for controller in (Plain(), Compiled())]
    assert np.array_equal(runs[0].tau, runs[1].tau)
    assert np.abs(runs[0].tau).max() > 1.0
