"""JOHNNIE, planning: preview control, the zero-moment point, Huang's walking pattern, and whether a robot can walk a pattern."""

from collections.abc import Iterator
from itertools import islice, pairwise

import numpy as np

from footfall import analysis, kinematics, robots, studies
from footfall.model.robot import Robot
from footfall.motion import (
    DcmReference,
    FootstepPlan,
    HuangFoot,
    Preview,
    Timing,
    TwoLegs,
    feasibility,
    huang_feet,
    huang_pattern,
    huang_search,
    pendulum_zmp,
    two_legs,
    walking_pattern,
    zmp,
)
from footfall.motion.curve import MotionError
from footfall.motion.huang import FootMotion, huang_feet_at
from footfall.motion.huang_walk import Hip, hip_curve
from footfall.motion.pattern import sole_corners
from footfall.reproduce import Row, Setting
from footfall.reproduce._clock import processor_time
from footfall.reproduce._textbook import Textbook
from footfall.sim.simulate import simulate

ROBOTS = ("johnnie", "person", "wendlandt-3d")
# jrl-umi3218/jrl-walkgen, src/data/PreviewControlParameters.ini (0.814 m, 5 ms, 1.6 s; five digits): gains by their place
STATE, INTEGRAL = (72719.0, 21550.0, 177.01), 618.7
PREVIEW = {1: 618.7, 2: 777.51, 4: 1082.3, 8: 1156.5, 16: 983.51, 32: 745.57, 64: 427.82, 128: 140.86, 256: 15.271, 320: 5.0282}
SPEED = 2.0 / 3.6  # m/s: the paper's 2 km/h
WALK = FootstepPlan.straight(20, 0.75 * SPEED, 0.2)  # 0.6 s of single and 0.15 s of double support
HUANG = FootstepPlan.straight(8, 0.9 * SPEED, 0.2, timing=Timing(0.72, 0.18))  # T_c 0.9 s, T_d a fifth of it


def preview(setting: Setting) -> Iterator[Row]:
    """Gains beside published ones, to every printed digit; the motion beside that of the pendulum in closed form; passes."""
    gains = Preview(0.814, dt=0.005, horizon=1.6, gravity=9.81).gains
    yield _printed("K_s", INTEGRAL, gains.integral)
    for i, published in enumerate(STATE):
        yield _printed(f"K_x, entry {i + 1}", published, gains.state[i])
    for j, published in PREVIEW.items():
        yield _printed(f"preview gain {j} of 320", published, gains.preview[j - 1])
    plan = FootstepPlan.straight(4, 0.4, 0.2, timing=Timing(start=4.0))
    sharp = Preview(0.9, jerk_weight=1e-9, horizon=3.0)
    t = plan.times(sharp.dt)
    off = sharp.track(plan.zmp_reference(t)[:, :2]).position - DcmReference(plan, 0.9).at(t).com
    how = "jerk weight 1e-9, which still rounds corners of the ZMP"
    yield Row("centre of mass off the closed form of the pendulum", "m", 0.0, float(np.abs(off).max()), 1e-3, how=how)
    for name in ROBOTS[: 1 if setting.quick else None]:
        misses = walking_pattern(robots.load(name), WALK).misses
        for k, bound in ((1, 0.016), (2, 0.0066)):
            title = f"{name}, 2 km/h: ZMP off its reference after pass {k + 1}, largest in single support"
            yield Row(title, "m", bound, misses[k], 0.0, "<=", how=f"first pass: {1e3 * misses[0]:.0f} mm; whole single support")


def _printed(title: str, published: float, value: float) -> Row:
    """Equal to all five printed digits: within half a unit of the last."""
    last = 10.0 ** (np.floor(np.log10(published)) - 4.0)
    return Row(title, "1", published, value, last / 2.0, how="five digits printed by jrl-walkgen")


def zero_moment(setting: Setting) -> Iterator[Row]:
    """ZMP of whole robots in random motion beside dense equations of motion in extended precision; (4.17) as printed; walking."""
    count = 3 if setting.quick else 20
    for name in ROBOTS:
        robot = robots.load(name)
        off = max(_off_textbook(robot, setting.seed + i) for i in range(count))
        yield Row(f"{name}: ZMP off the dense equations of motion, {count} states", "m", 0.0, off, 1e-10)
    robot = robots.load("johnnie")
    y, corrected, printed = _sums(robot, setting.seed)
    yield Row("(4.17) with accelerations and + before the inertia: off the ZMP", "m", 0.0, abs(corrected - y), 1e-10)
    yield Row("(4.17) with accelerations and the printed -: off the ZMP", "m", 1e-4, abs(printed - y), 0.0, ">=", "a misprint")
    walk = walking_pattern(robot, WALK, passes=3)
    alone = walk.standing.sum(axis=1) == 1
    pendulum = pendulum_zmp(walk.com[:, :2], walk.com_acceleration[:, :2], float(walk.com[0, 2]), robot.gravity)
    off = float(np.abs(pendulum - walk.zmp)[alone].max())
    half = float(np.ptp(walk.legs.corners[0, :, 1])) / 2.0
    how = "same centre of mass, no angular momentum: off by more than half the width of a sole, it cannot judge balance"
    yield Row("walking at 2 km/h: ZMP of the pendulum (5.11, 5.12) off the whole robot's", "m", half, off, 0.0, ">=", how)
    yield Row("the ZMP stays inside the support", "m", 0.0, float(walk.margin.min()), 0.0, ">=")
    outside, how = float(walk.com_margin.min()), "dynamic walking: the robot could not stop there"
    yield Row("least margin of the centre of mass", "m", 0.0, outside, 0.0, "<=", how)
    slow = walking_pattern(robot, FootstepPlan.straight(2, 0.05, 0.2, timing=Timing(6.0, 6.0, 8.0, 8.0)), dt=0.02)
    yield Row("the same in steps of 5 cm that take 12 s", "m", 0.0, float(slow.com_margin.min()), 0.0, ">=", "static walking")


def _off_textbook(robot: Robot, seed: int) -> float:
    """The base's force by dense equations of motion, moved to where it has no tipping moment."""
    rng = np.random.default_rng(seed)
    q = kinematics.random_configuration(robot, rng, spread=0.3)
    v, a = rng.normal(0.0, 0.5, size=(2, robot.nv))
    book = Textbook(robot, q, v)
    M, h = book.equations(robot.gravity)
    tau = (M @ a + h)[:6]
    base = book.links[robot.links[0].name]
    f, n, p = tau[:3], base.axes @ tau[3:], base.origin
    place = np.array([p[0] - (p[2] * f[0] + n[1]) / f[2], p[1] - (p[2] * f[1] - n[0]) / f[2]], dtype=float)
    return float(np.abs(zmp(robot, q, v, a)[0] - place).max())


def _sums(robot: Robot, seed: int) -> tuple[float, float, float]:
    """y of the ZMP, and (4.17) summed over all links: corrected, and with the printed sign."""
    rng = np.random.default_rng(seed)
    q = kinematics.random_configuration(robot, rng, spread=0.3)
    v, a = rng.normal(0.0, 0.5, size=(2, robot.nv))
    bottom = top = spin = 0.0
    for link in robot.links:
        if link.mass:
            R = kinematics.pose(robot, q, link.name).rotation
            at = kinematics.pose(robot, q, link.name, at=link.com).position
            accel = kinematics.acceleration(robot, q, v, a, link.name, at=link.com)
            w = kinematics.velocity(robot, q, v, link.name)[3:]
            xx, yy, zz, xy, xz, yz = (*link.inertia, 0.0, 0.0, 0.0)[:6]  # type: ignore[misc]
            I = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
            lift = link.mass * (accel[2] + robot.gravity)
            bottom, top = bottom + lift, top + lift * at[1] - link.mass * accel[1] * at[2]
            spin += (I @ accel[3:] + np.cross(w, I @ w))[0]
    return float(zmp(robot, q, v, a)[0, 1]), float((top + spin) / bottom), float((top - spin) / bottom)


def huang(setting: Setting) -> Iterator[Row]:
    """Constraints (3.1) to (3.3), feet above ground, the search for the largest margin, start and stop, at 2 km/h."""
    robot, length, timing = robots.load("johnnie"), 0.9 * SPEED, HUANG.timing
    legs = two_legs(robot)
    for clean in (False, True):
        foot, word = HuangFoot(clean=clean), "clean" if clean else "as printed"
        off = max(_off_3_1(foot, motion, legs) for side in huang_feet(foot, HUANG, legs) for motion in side)
        yield Row(f"feet {word}: off the constraints (3.1)", "m, rad, 1/s", 0.0, off, 1e-10)
        how = "hull of both soles in double support, 60 instants, 50 x 50"
        found = huang_search(robot, HUANG, foot, height=0.84)
        yield Row(f"feet {word}: largest margin", "m", 0.0, found.largest, 0.0, ">=", how)
        strict = huang_search(robot, HUANG, foot, height=0.84, count=20, region="edges").largest
        yield Row(
            f"feet {word}: largest margin in the strict region", "m", 0.0, strict, 0.0, "<=", "rear toe edge to front heel edge"
        )
        walk = huang_pattern(robot, HUANG, foot, hip=found.best, height=0.84)
        least = float(walk.margin.min())
        yield Row(f"feet {word}: margin of the whole walk, start and stop", "m", 0.0, least, 0.0, ">=", "x and y, all rows")
        if clean:
            low = float(sole_corners(legs, walk.feet[0])[..., 2].min())
            yield Row("feet clean: lowest point of a sole", "m", 0.0, low, 1e-12, ">=")
    yield from _random_parameters(legs, 60 if setting.quick else 1000, setting.seed)
    yield from _in_a_curve(robot, legs)
    hip, t = Hip(0.15, 0.2), np.array([0.0, timing.double, timing.period])
    curve = hip_curve(length, timing.period, timing.double, hip)
    x = curve(t) + length / timing.period * t
    off = float(np.abs(x - (hip.x_ed, length - hip.x_sd, length + hip.x_ed)).max())
    yield Row("hip: off the constraints (3.2)", "m", 0.0, off, 1e-10)
    before, after = curve.at(np.nextafter(timing.period, 0.0)), curve.at(0.0)
    jump = max(abs(float(before.velocity - after.velocity)), abs(float(before.acceleration - after.acceleration)))
    yield Row("hip: velocity and acceleration jump by (3.3)", "m/s, m/s2", 0.0, jump, 1e-10)
    seconds = processor_time(lambda: huang_search(robot, HUANG, HuangFoot(), height=0.84), 1 if setting.quick else 3)
    yield Row("search over 50 x 50 hips, 60 instants each, with the whole robot", "s", 1.0, seconds, 0.0, "<=", "processor time")


def _random_parameters(legs: TwoLegs, count: int, seed: int) -> Iterator[Row]:
    """Clean feet with random parameters, as far as they are accepted."""
    low, off, refused = np.inf, 0.0, 0
    for foot, plan in islice(_random_feet(np.random.default_rng(seed)), count):
        try:
            motions = [motion for side in huang_feet(foot, plan, legs) for motion in side]
        except MotionError:
            refused += 1
            continue
        t = np.concatenate([np.linspace(*ends, 400) for motion in motions for ends in pairwise(motion.times)])
        low = min(low, float(sole_corners(legs, huang_feet_at(foot, plan, legs, np.unique(t))[0])[..., 2].min()))
        off = max(off, *(_off_3_1(foot, motion, legs) for motion in motions))
    kept, how = count - refused, f"3 steps each; {refused} more were refused, as H_a is below what toe and heel need"
    yield Row(f"clean feet: lowest point of a sole, {kept} random parameter sets", "m", 0.0, low, 1e-9, ">=", how)
    yield Row(f"clean feet: off the constraints (3.1), {kept} random parameter sets", "m, rad, 1/s", 0.0, off, 1e-10)


def _random_feet(rng: np.random.Generator) -> Iterator[tuple[HuangFoot, FootstepPlan]]:
    """Angles to 0.4 rad, H_a 0.12 to 0.25 m, steps of 0.1 to 0.6 m in 0.6 to 1.2 s, a tenth to a third of it on both feet."""
    while True:
        T_c, double = rng.uniform(0.6, 1.2), rng.uniform(0.1, 0.33)
        plan = FootstepPlan.straight(3, rng.uniform(0.1, 0.6), 0.2, timing=Timing(T_c * (1.0 - double), T_c * double))
        q_b, q_f, H_a, L_a = rng.uniform((0.0, 0.0, 0.12, 0.2), (0.4, 0.4, 0.25, 0.8))
        yield HuangFoot(q_b, q_f, H_a, L_a, rng.uniform(double + 0.1, 0.9)), plan


def _in_a_curve(robot: Robot, legs: TwoLegs) -> Iterator[Row]:
    """The same, turning left and right."""
    for radius in (2.0, -2.0):
        plan = FootstepPlan.curve(8, 0.9 * SPEED, radius, 0.2, timing=HUANG.timing)
        word = f"curve of 2 m to the {'left' if radius > 0.0 else 'right'}"
        foot = HuangFoot()
        off = max(_off_3_1(foot, motion, legs) for side in huang_feet(foot, plan, legs) for motion in side)
        yield Row(f"{word}: off the constraints (3.1)", "m, rad, 1/s", 0.0, off, 1e-10, how="each foot in its own frame")
        walk = huang_pattern(robot, plan, foot, height=0.84)
        least, low = float(walk.margin.min()), float(sole_corners(legs, walk.feet[0])[..., 2].min())
        yield Row(f"{word}: margin of the whole walk", "m", 0.0, least, 0.0, ">=", "x and y, all rows, start and stop")
        yield Row(f"{word}: lowest point of a sole", "m", 0.0, low, 1e-12, ">=")
        yield Row(f"{word}: demands not met", "1", 0.0, len(feasibility(walk, friction=0.6).failed), 0.0, how="friction 0.6")


def _off_3_1(foot: HuangFoot, motion: FootMotion, legs: TwoLegs) -> float:
    """From all numbers of the table, written as in the paper, for level places, each in its own direction."""
    corners, l_an = legs.corners[0, :, 0], legs.data.ankle
    l_ab, l_af, q_b, q_f = -corners.min(), corners.max(), foot.toe_off, foot.heel_strike
    start, end = (np.array((step.x, step.y)) for step in (motion.first, motion.last))
    there, to = (np.array((np.cos(step.yaw), np.sin(step.yaw))) for step in (motion.first, motion.last))
    table = np.array(
        [
            (*start, l_an),
            (*start + (l_an * np.sin(q_b) + l_af * (1 - np.cos(q_b))) * there, l_af * np.sin(q_b) + l_an * np.cos(q_b)),
            (*start + foot.place * (end - start), foot.height),
            (*end - (l_an * np.sin(q_f) + l_ab * (1 - np.cos(q_f))) * to, l_ab * np.sin(q_f) + l_an * np.cos(q_f)),
            (*end, l_an),
        ]
    )
    place, rate, _ = motion.at(motion.times)
    yaws = motion.first.yaw, motion.last.yaw
    angles = np.abs(place[[0, 1, 3, 4], 3:].T - ((0.0, q_b, -q_f, 0.0), np.repeat(yaws, 2)))
    return float(max(np.abs(place[:, :3] - table).max(), angles.max(), np.abs(rate[[0, 4]]).max()))


def feasible(setting: Setting) -> Iterator[Row]:
    """Torques of walks at 2 km/h: nothing is left for the base; statics; balance and friction; how long planning takes."""
    for name in ROBOTS[: 1 if setting.quick else None]:
        robot = robots.load(name)
        for word, walk in (("preview", walking_pattern(robot, WALK)), ("Huang", huang_pattern(robot, HUANG))):
            found = feasibility(walk, friction=0.6)
            left = float(np.abs(found.torques[:, :6]).max()) / (robot.mass * robot.gravity)
            yield Row(f"{name}, {word}: force and moment left at the base", "weights", 0.0, left, 1e-9)
            yield Row(
                f"{name}, {word}: demands not met",
                "1",
                0.0,
                len(found.failed),
                0.0,
                how="friction 0.6, level ground, no motor limits",
            )
    robot = robots.load("johnnie")
    seconds = processor_time(lambda: walking_pattern(robot, WALK).margin, 1 if setting.quick else 3)
    yield Row("20 steps planned, three passes, with margins", "s", 2.0, seconds, 0.0, "<=", "processor time, rows every 5 ms")


def walked(setting: Setting) -> Iterator[Row]:
    """Huang's pattern in simulation, with ankle control; and preview control of a cart on a table, three steps."""
    for clean in (True,) if setting.quick else (True, False):
        study = studies.load("huang-pattern", clean=clean)
        run, word = simulate(study), "clean" if clean else "as printed"
        pattern = study.controller.pattern(study.robot)  # type: ignore[union-attr]
        left = study.seconds - float(run.time[-1])
        yield Row(
            f"walk along Huang's pattern, feet {word}: ends early by",
            "s",
            0.0,
            left,
            1e-9,
            "<=",
            "2 km/h, 12 steps, rigid ground",
        )
        way, planned = float(np.hypot(*run.q[-1, :2])), float(pattern.q[-1, 0])
        how = f"of {planned:.2f} m; {1e3 * run.q[-1, 1]:.0f} mm aside"
        yield Row(
            f"walk along Huang's pattern, feet {word}: way off the plan", "m", 0.0, abs(way - planned), 0.03 * planned, how=how
        )
        off = float(np.degrees(2.0 * np.arctan2(run.q[-1, 6], run.q[-1, 3])))
        yield Row(f"walk along Huang's pattern, feet {word}: heading at the end", "degrees", 0.0, off, 2.0, how="after 12 steps")
    run = simulate(studies.load("lipm-preview"))
    law = run.study.controller
    times, reference = law.reference()  # type: ignore[union-attr]
    between = run.time - 0.5 * np.diff(run.time, prepend=0.0)
    measured = analysis.center_of_pressure(run).place[2:, :2]
    for what, rows, bound in (("its model", law.cart(run.study.gravity).zmp, 2e-3), ("the reference", reference, 0.01)):  # type: ignore[union-attr]
        there = np.stack([np.interp(between, times, column) for column in rows.T], axis=1)[2:]
        off = float(np.abs(measured - there).max())
        yield Row(f"cart, three steps: centre of pressure off {what}", "m", 0.0, off, bound, how="whole run, rows of 5 ms")


STUDIES = {"preview": preview, "zmp": zero_moment, "huang": huang, "feasibility": feasible, "walked": walked}
