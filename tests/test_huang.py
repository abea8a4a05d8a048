"""Huang's walking pattern: the constraints of the paper at every knot, differences, SciPy's splines, and a search by hand."""

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import footfall as ff
from footfall.motion import (
    FootstepPlan,
    HuangFoot,
    MotionError,
    Timing,
    feasibility,
    huang_feet,
    huang_pattern,
    huang_search,
    two_legs,
    zmp,
)
from footfall.motion.huang import huang_feet_at
from footfall.motion.huang_walk import Hip, _Sagittal, hip_curve
from footfall.motion.pattern import sole_corners
from footfall.world import Slope, Stairs

TIMING = Timing(0.72, 0.18)  # T_c 0.9 s, T_d 0.18 s
PLAN = FootstepPlan.straight(6, 0.5, 0.2, timing=TIMING)  # 2 km/h
D, T_c, T_d = 0.5, 0.9, 0.18
both = pytest.mark.parametrize("clean", [False, True], ids=["printed", "clean"])


@pytest.fixture(scope="module")
def legs():
    return two_legs(ff.robots.load("johnnie"))


@both
@pytest.mark.parametrize("foot", [{}, {"toe_off": 0.35, "heel_strike": 0.1, "height": 0.2, "place": 0.4, "time": 0.6}])
def test_every_constraint_of_3_1(legs, clean, foot):
    shape = HuangFoot(clean=clean, **foot)
    l_an, l_ab, l_af = legs.data.ankle, -legs.corners[0, :, 0].min(), legs.corners[0, :, 0].max()
    q_b, q_f, H_a, L_a, T_m = shape.toe_off, shape.heel_strike, shape.height, shape.place * 2 * D, shape.time * T_c
    for k, motion in ((1, huang_feet(shape, PLAN, legs)[1][1]), (2, huang_feet(shape, PLAN, legs)[0][1])):
        start = PLAN.lifts(1) - T_d + k * T_c
        t = start + np.array([0.0, T_d, T_m, T_c, T_c + T_d])
        (x, y, z, angle, yaw), (dx, _, dz, rate, _) = np.moveaxis(motion.at(t), -1, 1)[:2]
        wanted_x = [
            k * D,
            k * D + l_an * np.sin(q_b) + l_af * (1 - np.cos(q_b)),
            k * D + L_a,
            (k + 2) * D - l_an * np.sin(q_f) - l_ab * (1 - np.cos(q_f)),
            (k + 2) * D,
        ]
        wanted_z = [l_an, l_af * np.sin(q_b) + l_an * np.cos(q_b), H_a, l_ab * np.sin(q_f) + l_an * np.cos(q_f), l_an]
        assert np.abs(x - wanted_x).max() < 1e-10
        assert np.abs(z - wanted_z).max() < 1e-10
        assert np.ptp(y) < 1e-15
        assert not yaw.any()
        assert np.abs(angle[[0, 1, 3, 4]] - (0.0, q_b, -q_f, 0.0)).max() < 1e-10
        assert np.abs([dx[[0, 4]], dz[[0, 4]], rate[[0, 4]]]).max() < 1e-10


def test_printed_feet_are_scipys_clamped_splines(legs):
    motion = huang_feet(HuangFoot(clean=False), PLAN, legs)[0][1]
    theirs = CubicSpline(motion.times, motion.knots(), bc_type="clamped")
    t = np.linspace(motion.times[0], motion.times[-1], 200)
    assert np.abs(motion.at(t)[..., :3] - [theirs(t), theirs(t, 1), theirs(t, 2)]).max() < 1e-11


@both
def test_velocities_and_accelerations_are_derivatives(legs, clean):
    """Those of printed feet jump where the foot begins to turn; there the difference is half the jump."""
    t = np.arange(0.0, PLAN.duration, 1e-4)
    feet = huang_feet_at(HuangFoot(clean=clean), PLAN, legs, t)
    inner = np.abs(np.gradient(feet[0], t, axis=0) - feet[1])[2:-2]
    assert inner.max() < (1e-3 if not clean else 1e-5)
    if clean:
        assert np.abs(np.gradient(feet[1], t, axis=0) - feet[2])[2:-2].max() < 0.1
        assert np.abs(np.diff(feet[2], axis=0)).max() < 0.2  # no jump
    else:
        assert np.abs(np.diff(feet[2], axis=0)).max() > 1.0


def test_printed_feet_go_below_ground_and_clean_ones_do_not(legs):
    t = np.arange(0.0, PLAN.duration, 1e-3)
    soles = {clean: huang_feet_at(HuangFoot(clean=clean), PLAN, legs, t) for clean in (False, True)}
    lowest = {clean: sole_corners(legs, feet[0])[..., 2].min() for clean, feet in soles.items()}
    assert lowest[False] < -0.002
    assert lowest[True] > -1e-12
    assert soles[False][1, ..., 0].min() < -0.1
    assert soles[True][1, ..., 0].min() > -1e-9


def test_clean_feet_turn_about_toe_and_heel(legs):
    motion = huang_feet(HuangFoot(), PLAN, legs)[1][1]
    toe, heel = legs.corners[0, :, 0].max(), legs.corners[0, :, 0].min()
    for low, high, along in ((0.0, T_d, toe), (T_c, T_c + T_d, heel)):
        t = motion.times[0] + np.linspace(low, high, 30)
        x, _, z, angle, _ = np.moveaxis(motion.at(t)[0], -1, 0)
        edge_x = x + along * np.cos(angle) - legs.data.ankle * np.sin(angle)
        edge_z = z - along * np.sin(angle) - legs.data.ankle * np.cos(angle)
        assert np.ptp(edge_x) < 1e-12
        assert np.abs(edge_z).max() < 1e-12


def random_parameters(count):
    """Of feet and of their plan (foot, D_s, T_c, T_d / T_c), with angles that are zero among them."""
    rng = np.random.default_rng(5)
    for _ in range(count):
        q_b, q_f = rng.uniform(0.0, 0.6, 2) * (rng.random(2) > 0.1)
        length, period, double = rng.uniform((0.05, 0.5, 0.08), (0.6, 1.3, 0.4))
        high = min(rng.uniform(double + 0.05, 1.0), 0.95)
        yield HuangFoot(q_b, q_f, rng.uniform(0.1, 0.3), rng.uniform(0.1, 0.9), high), length, period, double


def test_clean_feet_stay_above_ground_with_any_parameters_that_are_accepted(legs):
    accepted = moved = 0
    l_an, l_ab, l_af = legs.data.ankle, -legs.corners[0, :, 0].min(), legs.corners[0, :, 0].max()
    for foot, length, period, double in random_parameters(450):
        plan = FootstepPlan.straight(2, length, 0.2, timing=Timing(period * (1.0 - double), period * double))
        try:
            motion = huang_feet(foot, plan, legs)[0][0]
        except MotionError:
            continue
        accepted += 1
        moved += motion.curves[1].part > 0.0
        t = np.concatenate([np.linspace(a, b, 700) for a, b in zip(motion.times[:-1], motion.times[1:], strict=True)])
        place, _, accel = np.moveaxis(motion.at(t), -1, 1)
        x, _, z, angle, _ = place
        lowest = z - l_an * np.cos(angle) - np.maximum(l_af * np.sin(angle), -l_ab * np.sin(angle))
        assert lowest.min() > -1e-9
        assert z.max() < foot.height + 1e-6
        (x, _, z, angle, _), rate, _ = np.moveaxis(motion.at(motion.times), -1, 1)
        q_b, q_f = foot.toe_off, foot.heel_strike
        wanted_z = [l_an, l_af * np.sin(q_b) + l_an * np.cos(q_b), foot.height, l_ab * np.sin(q_f) + l_an * np.cos(q_f), l_an]
        assert np.abs(z - wanted_z).max() < 1e-10
        assert np.abs(angle[[0, 1, 3, 4]] - (0.0, q_b, -q_f, 0.0)).max() < 1e-10
        assert x[2] == pytest.approx(motion.first.x + foot.place * (motion.last.x - motion.first.x), abs=1e-10)
        assert np.abs(rate[:, [0, 4]]).max() < 1e-10
        knots = np.append(motion.times[:4], motion.times[[1, 3]].mean())  # a curve of the foot has another one in the middle
        jump = np.abs(motion.at(knots + 1e-9)[2] - motion.at(knots - 1e-9)[2]).max()
        assert jump < 1e-5 * np.abs(accel).max()
    assert accepted > 300
    assert 100 < moved < accepted


def test_a_clean_foot_that_moves_up_has_velocities_and_accelerations_that_are_derivatives(legs):
    foot, t = HuangFoot(0.25, 0.07, 0.165, 0.45, 0.56), np.arange(0.0, 4.0, 1e-4)
    plan = FootstepPlan.straight(2, 0.52, 0.2, timing=Timing(0.84 * 1.08, 0.16 * 1.08))
    assert huang_feet(foot, plan, legs)[0][0].curves[1].part > 0.1
    feet = huang_feet_at(foot, plan, legs, t)
    assert np.abs(np.gradient(feet[0], t, axis=0) - feet[1])[2:-2].max() < 1e-5
    assert np.abs(np.gradient(feet[1], t, axis=0) - feet[2])[2:-2].max() < 0.1
    assert np.abs(np.diff(feet[2], axis=0)).max() < 0.2
    assert sole_corners(legs, feet[0])[..., 2].min() > -1e-12


@pytest.mark.parametrize("slope", [0.1, -0.1])
def test_clean_feet_stay_above_slopes(legs, slope):
    tried = 0
    for foot, length, period, double in random_parameters(60):
        plan = FootstepPlan.straight(2, length, 0.2, timing=Timing(period * (1.0 - double), period * double)).on(Slope(slope))
        t = np.arange(0.0, plan.duration, 2e-3)
        try:
            soles = sole_corners(legs, huang_feet_at(foot, plan, legs, t)[0])
        except MotionError:
            continue
        tried += 1
        rise = (plan.steps[0].z - plan.stand[0].z) / (plan.steps[0].x - plan.stand[0].x)
        assert (soles[..., 2] - rise * soles[..., 0]).min() > -1e-9
    assert tried > 15


def test_a_height_below_what_toe_off_needs_is_refused_and_the_least_is_named(legs):
    with pytest.raises(MotionError, match="height must be at least 0.1[0-9]* m .* got 0.1 m") as error:
        huang_feet(HuangFoot(height=0.1), PLAN, legs)
    least = float(str(error.value).split("at least ")[1].split()[0])
    assert huang_feet(HuangFoot(height=least), PLAN, legs)
    with pytest.raises(MotionError, match="height"):
        huang_feet(HuangFoot(height=least - 2e-4), PLAN, legs)
    assert huang_feet(HuangFoot(height=0.1, clean=False), PLAN, legs)


def test_the_hip_of_3_2_and_3_3():
    hip = Hip(0.15, 0.2)
    side = _Sagittal(ff.robots.load("johnnie"), PLAN, HuangFoot(), None, None)
    for k in (0, 1, 2):
        t = side.begins + k * T_c
        x, v, a = side.steady(np.array([t, t + T_d, t + T_c - 1e-9, t + T_c]), hip)
        assert np.abs(x[[0, 1, 3]] - (k * D + 0.2, (k + 1) * D - 0.15, (k + 1) * D + 0.2)).max() < 1e-10
        assert abs(v[0] - v[3]) < 1e-10
        assert abs(a[0] - a[3]) < 1e-9
        assert abs(v[2] - v[3]) < 1e-6
        assert abs(a[2] - a[3]) < 1e-5
    curve = hip_curve(D, T_c, T_d, hip)
    theirs = CubicSpline(curve.times, curve.positions, bc_type="periodic")
    t = np.linspace(0.0, T_c, 50)
    assert np.abs(curve(t) - theirs(t)).max() < 1e-12


@both
def test_the_whole_hip_is_smooth_and_ends_at_rest(clean):
    side = _Sagittal(ff.robots.load("johnnie"), PLAN, HuangFoot(clean=clean), 0.84, None)
    t = np.arange(0.0, PLAN.duration, 5e-4)
    x, v, a = side.hip(t, Hip(0.15, 0.2))
    assert np.abs(np.gradient(x, t) - v)[1:-1].max() < 1e-4
    assert np.abs(np.gradient(v, t) - a)[1:-1].max() < 0.05
    assert not v[[0, -1]].any()


@pytest.mark.parametrize("curvature", [0.0, 0.5])
def test_the_search_finds_what_a_plain_search_finds(curvature):
    """Five by five hips, each with the ZMP of the whole robot by momentum, row by row."""
    robot = ff.robots.load("johnnie")
    plan = FootstepPlan.curve(6, 0.4, 1.0 / curvature, 0.2, timing=TIMING) if curvature else PLAN
    found = huang_search(robot, plan, HuangFoot(), height=0.84, count=5, instants=20)
    side = _Sagittal(robot, plan, HuangFoot(), 0.84, None)
    t = plan.lifts(3) - T_d + T_c * np.arange(20) / 20
    feet, standing = side.feet(t), plan.standing(t)
    yaw = curvature * side.length * (t - plan.lifts(1) + T_d) / T_c
    x = np.cos(yaw)[:, None, None] * sole_corners(side.legs, feet[0])[..., 0]
    x += np.sin(yaw)[:, None, None] * sole_corners(side.legs, feet[0])[..., 1]
    low = np.where(standing, x.min(axis=2), np.inf).min(axis=1)
    high = np.where(standing, x.max(axis=2), -np.inf).max(axis=1)
    for i, j in ((0, 0), (2, 3), (4, 4), (1, 4)):
        pelvis = side.pelvis(t)
        way = side.steady(t, Hip(found.x_sd[i], found.x_ed[j]))
        if curvature:
            r, a, w = 1.0 / curvature, curvature * way[0], curvature * way[1]
            e, n = np.array((np.cos(a), np.sin(a))), np.array((-np.sin(a), np.cos(a)))
            pelvis[0, :, :2] = np.stack((r * np.sin(a), r - r * np.cos(a)), axis=-1)
            pelvis[1, :, :2] = (r * w * e).T
            pelvis[2, :, :2] = (way[2] * e + r * w**2 * n).T
            pelvis[:, :, 5] = curvature * way
        else:
            pelvis[:, :, 0] = way
        q, v, a, miss = side.legs.follow(pelvis, feet, robot.neutral())
        if miss.max() > 0.0:
            assert found.margin[i, j] == -np.inf
            continue
        place = (zmp(robot, q, v, a) * np.stack((np.cos(yaw), np.sin(yaw)), axis=-1)).sum(axis=1)
        assert found.margin[i, j] == pytest.approx(min((place - low).min(), (high - place).min()), abs=1e-10)


def test_the_best_margin_and_the_region():
    robot = ff.robots.load("johnnie")
    printed = huang_search(robot, PLAN, HuangFoot(clean=False), height=0.84)
    assert printed.largest == pytest.approx(0.088, abs=0.005)  # found before by an independent prototype, as are the next two
    assert printed.best.x_sd / D == pytest.approx(0.295, abs=0.03)
    assert printed.best.x_ed / D == pytest.approx(0.405, abs=0.03)
    assert huang_search(robot, PLAN, HuangFoot(clean=False), height=0.84, count=20, region="edges").largest <= 0.0
    short = _Sagittal(robot, PLAN, HuangFoot(clean=False), 0.84, None).search(50, 60, "soles", only_best=True)
    assert (short.best, short.largest) == (printed.best, printed.largest)


@both
@pytest.mark.parametrize("name", ["johnnie", "person", "wendlandt-3d"])
def test_patterns(name, clean):
    plan = FootstepPlan.straight(4, 0.4, 0.2, timing=TIMING)
    walk = huang_pattern(ff.robots.load(name), plan, HuangFoot(clean=clean))
    assert walk.margin.min() > 0.03
    assert walk.misses[-1] < 0.003
    assert np.abs(walk.v[0]).max() == 0.0
    assert {each.kind for each in feasibility(walk).failed} == (set() if clean else {"above ground"})


@pytest.mark.parametrize(
    ("ground", "foot"),
    [
        (Slope(0.0873), HuangFoot(time=0.6)),
        (Slope(-0.0873), HuangFoot(time=0.6)),
        (Stairs(0.05, 0.4, 9, 0.28), HuangFoot(height=0.24, place=0.45, time=0.6)),
        (Stairs(-0.05, 0.4, 9, 0.28), HuangFoot(height=0.22)),
    ],
    ids=["up", "down", "stairs-up", "stairs-down"],
)
def test_uneven_ground(ground, foot):
    plan = FootstepPlan.straight(5, 0.4, 0.2, timing=Timing(0.9, 0.3)).on(ground)
    walk = huang_pattern(ff.robots.load("johnnie"), plan, foot, height=0.82)
    assert walk.margin.min() > 0.03
    assert feasibility(walk, terrain=ground).ok


def test_refused():
    robot = ff.robots.load("johnnie")
    uneven = FootstepPlan((PLAN.stand), (PLAN.steps[0], *PLAN.steps[2:]), TIMING)
    with pytest.raises(MotionError, match="one length and one turn.*off by 0.5"):
        huang_pattern(robot, uneven)
    with pytest.raises(MotionError, match="at least the 0.2 m between its feet; got 0.3 rad"):
        huang_pattern(robot, FootstepPlan.turn(4, 0.3, 0.2, timing=TIMING))
    with pytest.raises(MotionError, match="roll 0"):
        huang_pattern(robot, FootstepPlan.curve(4, 0.3, 1.0, 0.2, timing=TIMING).on(Slope(0.05)))
    with pytest.raises(MotionError, match="3 steps"):
        huang_search(robot, FootstepPlan.straight(1, 0.3, 0.2))
    with pytest.raises(MotionError, match="time"):
        huang_search(robot, PLAN, HuangFoot(time=0.1))
    with pytest.raises(ff.FootfallError, match="region"):
        huang_search(robot, PLAN, region="toes")


def test_a_picture(tmp_path):
    found = huang_search(ff.robots.load("johnnie"), PLAN, HuangFoot(), height=0.84, count=8, instants=10)
    ff.view.margins(found, tmp_path / "margins.png")
    assert (tmp_path / "margins.png").stat().st_size > 10_000


# --- in a curve -----------------------------------------------------------------------------------------------------------

CURVE = FootstepPlan.curve(6, 0.4, 2.0, 0.2, timing=TIMING)


@both
def test_in_a_curve_feet_meet_3_1_in_the_frames_of_their_own_places(legs, clean):
    shape, corners = HuangFoot(clean=clean), legs.corners[0, :, 0]
    l_an, l_ab, l_af, q_b, q_f = legs.data.ankle, -corners.min(), corners.max(), 0.2, 0.2
    for motions in huang_feet(shape, CURVE, legs):
        for motion in motions:
            place, rate, _ = motion.at(motion.times)
            for step, rows, x, z, angle in (
                (motion.first, 0, 0.0, l_an, 0.0),
                (motion.first, 1, l_an * np.sin(q_b) + l_af * (1 - np.cos(q_b)), l_af * np.sin(q_b) + l_an * np.cos(q_b), q_b),
                (motion.last, 3, -l_an * np.sin(q_f) - l_ab * (1 - np.cos(q_f)), l_ab * np.sin(q_f) + l_an * np.cos(q_f), -q_f),
                (motion.last, 4, 0.0, l_an, 0.0),
            ):
                c, s = np.cos(step.yaw), np.sin(step.yaw)
                wanted = (step.x + x * c, step.y + x * s, z, angle, step.yaw)
                assert np.abs(place[rows] - wanted).max() < 1e-10
            assert np.abs(rate[[0, 4]]).max() < 1e-10
            assert place[2, 2] == pytest.approx(shape.height, abs=1e-10)


def test_in_a_curve_clean_feet_hold_toe_and_heel_and_stay_above_ground(legs):
    t = np.arange(0.0, CURVE.duration, 1e-3)
    feet = huang_feet_at(HuangFoot(), CURVE, legs, t)
    assert np.abs(np.gradient(feet[0], t, axis=0) - feet[1])[2:-2].max() < 1e-3
    assert np.abs(np.gradient(feet[1], t, axis=0) - feet[2])[2:-2].max() < 0.5
    soles = sole_corners(legs, feet[0])
    assert soles[..., 2].min() > -1e-12
    standing = CURVE.standing(t)
    moved = np.abs(np.diff(soles, axis=0)).max(axis=-1)  # of corners that touch before and after
    touch = (soles[..., 2] < 1e-12) & standing[..., None]
    assert moved[touch[1:] & touch[:-1]].max() < 1e-12


def test_in_a_curve_the_hip_meets_3_2_along_it():
    hip, L = Hip(0.12, 0.16), 0.4
    side = _Sagittal(ff.robots.load("johnnie"), CURVE, HuangFoot(), 0.84, None)
    assert side.length == pytest.approx(L, abs=1e-12)
    assert side.course.curvature == pytest.approx(0.5, abs=1e-12)
    for k in (0, 1, 2):
        t = side.begins + k * T_c
        way = side.steady(np.array([t, t + T_d, t + T_c]), hip)[0]
        assert np.abs(way - (k * L + 0.16, (k + 1) * L - 0.12, (k + 1) * L + 0.16)).max() < 1e-10
        middle, yaw = side.course.at(k * L)  # of the places of this step
        foot = CURVE.steps[k - 1] if k else CURVE.stand[0]
        assert yaw == pytest.approx(foot.yaw, abs=1e-12)
        assert np.hypot(*(middle - (foot.x, foot.y))) == pytest.approx(0.1, abs=1e-12)


@pytest.mark.parametrize("radius", [2.0, -1.0])
@pytest.mark.parametrize("name", ["johnnie", "person"])
def test_patterns_in_a_curve(name, radius):
    plan = FootstepPlan.curve(5, 0.3, radius, 0.2, timing=TIMING)
    robot = ff.robots.load(name)
    walk = huang_pattern(robot, plan)
    assert walk.margin.min() > 0.02
    assert walk.misses[-1] < 0.005
    assert feasibility(walk).ok
    assert np.abs(walk.zmp - zmp(robot, walk.q, walk.v, walk.a)).max() < 1e-9
    h = walk.dt  # velocities and accelerations of the base are derivatives
    assert np.abs(np.gradient(walk.q[:, :2], h, axis=0) - walk.v[:, :2])[2:-2].max() < 2e-3
    assert np.abs(np.gradient(walk.v[:, :2], h, axis=0) - walk.a[:, :2])[2:-2].max() < 0.1
    yaw = 2.0 * np.arctan2(walk.q[:, 6], walk.q[:, 3])
    assert yaw[-1] - yaw[0] == pytest.approx(5 * 0.3 / radius, abs=0.2)
    assert np.abs(np.gradient(yaw, h) - walk.v[:, 5])[2:-2].max() < 1e-3


def test_a_pattern_turns_with_its_plan():
    """The same walk with another first direction is the same walk turned about the start."""
    robot, turn = ff.robots.load("johnnie"), 0.7
    c, s = np.cos(turn), np.sin(turn)
    stand, steps = (
        tuple(each._replace(x=c * each.x - s * each.y, y=s * each.x + c * each.y, yaw=each.yaw + turn) for each in row)
        for row in (CURVE.stand, CURVE.steps)
    )
    a, b = (huang_pattern(robot, plan, hip=(0.12, 0.16)) for plan in (CURVE, FootstepPlan(stand, steps, TIMING)))
    assert np.abs(a.q[:, 7:] - b.q[:, 7:]).max() < 1e-8
    assert np.abs(a.zmp @ np.array([(c, s), (-s, c)]) - b.zmp).max() < 1e-8
    assert a.margin == pytest.approx(b.margin, abs=1e-8)
