"""Robots that fall limp and lie on the ground with all their links, and balls that roll in space."""

from collections.abc import Iterator
from math import cos, pi, sin

import numpy as np

from footfall import kinematics, robots
from footfall.engines.contact.build import pad_points
from footfall.model.layout import lower
from footfall.model.parts import Foot, Joint, Link, Sphere
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import GRAVITY, RADIUS, SPIN, gains, ran
from footfall.sim.run import Run
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.world import Rigid, Slope, World

SECONDS, HIGH = 3.0, 0.1
EVERY = 10  # rows: those in which the depth is looked at
CIRCLE = (-pi, pi)


def lying(setting: Setting) -> Iterator[Row]:
    """Every ready robot with feet, limp, dropped at random with all shapes in contact: in the plane, and in space."""
    seeds = range(setting.seed, setting.seed + (1 if setting.quick else 10))
    walkers = [robot for name in robots.names() if (robot := robots.load(name)).feet]
    everywhere = [*walkers, *(robot.in_space() for robot in walkers if robot.space == "planar")]
    found = [(f"{robot.name} {robot.space} {seed}", _dropped(robot, seed)) for robot in everywhere for seed in seeds]
    title = f"{len(found)} limp robots that fall and lie"
    bounds = (
        ("deepest that a shape or pad is in the ground, every 10 ms", "m", 1e-4),
        ("largest rise of energy above the lowest before it, over that of the start", "1", 1e-4),
        ("largest residual of the ledger at any time, over the energy of the start", "1", 1e-2),
    )
    label, values = max(found, key=lambda each: each[1][3])
    jump = f"; largest jump in a time step {values[3]:.2g} J in {label}"
    for what, (name, unit, bound) in enumerate(bounds):
        ranked = sorted(found, key=lambda each: each[1][what], reverse=True)
        listed = ", ".join(f"{label} {values[what]:.2g}" for label, values in ranked[:5])
        yield Row(f"{title}: {name}", unit, 0.0, ranked[0][1][what], bound, how=f"worst: {listed}{jump if what == 2 else ''}")


def _dropped(robot: Robot, seed: int) -> tuple[float, float, float, float]:
    """Depth, rise, residual and its largest jump (J) of one fall."""
    rng = np.random.default_rng(seed)
    q = kinematics.within_stops(robot, kinematics.random_configuration(robot, rng, 0.3))
    world = World(contact=Rigid(friction=float(rng.uniform(0.2, 1.2))), bodies=True)
    start = list(Simulation(Study(robot, world, q=tuple(q)), lift=True).study.q or ())
    start[robot.coordinates.index("base.z")] += HIGH
    run = ran(robot, None, world, q=tuple(start), seconds=SECONDS, record_dt=1e-3)
    return depth(run), *gains(run)


def depth(run: Run) -> float:
    """How deep the lowest of all pads and shapes is below level ground, from poses, places and radii."""
    robot, lowest = run.robot, 0.0
    for row in pad_points(robot, bodies=True)[0]:
        if row.radius and row.span != CIRCLE:
            continue  # the lowest point of an arc is recorded
        link = robot.layout.joints[row.where.body - 1].child
        at = lower((robot.target(link).axes.T @ row.at)[None], robot.space)[0]
        for q in run.q[::EVERY]:
            pose = kinematics.pose(robot, q, link)
            lowest = min(lowest, float((pose.position + pose.rotation @ at)[-1]) - row.radius)
    return max(-lowest, -float(run.point[..., -1][run.mode > 0].min(initial=0.0)))


def balls(_: Setting) -> Iterator[Row]:
    """A ball in space against closed forms, from recorded q and v over the whole time."""
    link, joint = Link("ball", 1.0, inertia=(SPIN, SPIN, SPIN)), Joint("base", "free", "world", "ball")
    robot, angle = Robot("ball", "spatial", (link,), (joint,), feet=(Foot("ball", (Sphere("ball", RADIUS),)),)), 0.2
    up = (1.0, 0.0, 0.0, 0.0)
    start = (0.0, 0.0, RADIUS / cos(angle), *up)
    run = ran(robot, world=World(Slope(-angle), Rigid(friction=1.0)), q=start, seconds=2.0)
    way = np.hypot(run.q[:, 0], run.q[:, 2] - run.q[0, 2])
    off = float(np.abs(way - 0.5 * 5 / 7 * GRAVITY * sin(angle) * run.time**2).max())
    yield Row("ball in space rolling down a slope: distance from 5/14 g sin(a) t^2 in 2 s", "m", 0.0, off, 1e-6)
    v, w = np.array((0.5, -0.3, 0.0)), np.array((3.0, 5.0, 20.0))
    world = World(contact=Rigid(friction=1.0))
    run = ran(robot, world=world, q=(0.0, 0.0, RADIUS, *up), v=(*v, *w), seconds=2.0)
    off = float(np.abs(run.q[:, :3] - np.array((0.0, 0.0, RADIUS)) - run.time[:, None] * v).max())
    yield Row("ball in space rolling two ways and spinning: distance from the straight line in 2 s", "m", 0.0, off, 1e-6)
    world = World(contact=Rigid(friction=0.3))
    run = ran(robot, world=world, q=(0.0, 0.0, RADIUS, *up), v=(0.6, 0.8, 0.0, 0.0, 0.0, 7.0), seconds=1.0)
    off = float(np.abs(run.v[-1, :2] - 5 / 7 * np.array((0.6, 0.8))).max())
    yield Row("ball in space that slides, then rolls: speed from 5/7 of the first", "m/s", 0.0, off, 1e-6)
