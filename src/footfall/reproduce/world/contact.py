"""Contact against closed forms: sticking, sliding, bouncing, simultaneous strikes, rolling."""

from collections.abc import Iterator
from math import atan, cos, sin

import numpy as np

from footfall import kinematics, robots
from footfall.control import Hold
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import (
    GRAVITY,
    RADIUS,
    SPACES,
    SPIN,
    STIFF,
    above_ground,
    ball,
    biped,
    box,
    box_on_slope,
    ran,
    rod,
)
from footfall.sim.run import Run
from footfall.world import Push, Rigid, Slope, World

RISE = 0.25  # of the slope, over its run
SLOWEST = 0.06  # m/s: impacts that all bounce


def sticking(setting: Setting) -> Iterator[Row]:
    """A box at half its friction cone, and a standing biped with 50 N against its trunk."""
    seconds = 2.0 if setting.quick else 60.0
    for space in SPACES:
        world = World(Slope(atan(RISE)), Rigid(friction=2 * RISE))
        run = ran(box(space), world=world, q=box_on_slope(space, atan(RISE)), seconds=seconds)
        drift = float(np.abs(run.point - run.point[0]).max())
        yield Row(f"{space} box at half its cone: largest drift of a corner in {seconds:g} s", "m", 0.0, drift, 1e-7)
    for space in SPACES:
        world = World(Slope(atan(RISE)), Rigid(friction=RISE / 0.999))
        run = ran(box(space), world=world, q=box_on_slope(space, atan(RISE)), seconds=seconds)
        drift = float(np.abs(run.point - run.point[0]).max())
        yield Row(f"{space} box at 0.999 of its cone: largest drift of a corner in {seconds:g} s", "m", 0.0, drift, 1e-7)
    robot, q = biped()
    world = World(contact=Rigid(friction=1.0), pushes=(Push("torso", (50.0, 0.0), 1.0, 1.0 + seconds),))
    run = ran(robot, STIFF, world, q=q, seconds=1.0 + seconds, lift=True)
    pushed = run.point[run.time >= 1.0]
    drift = float(np.abs(pushed - pushed[0]).max())
    yield Row(f"biped pushed with 50 N: largest drift of heel or toe in {seconds:g} s", "m", 0.0, drift, 1e-7)


def sliding(_: Setting) -> Iterator[Row]:
    """A box beyond its cone, and one that slides to a stop."""
    angle, friction, seconds = atan(RISE), 0.2, 1.0
    paper = GRAVITY * (sin(angle) - friction * cos(angle))
    for space in SPACES:
        world = World(Slope(angle), Rigid(friction=friction))
        run = ran(box(space), world=world, q=box_on_slope(space, angle), seconds=seconds)
        distance = float(np.linalg.norm(run.q[-1, : run.robot.dim] - run.q[0, : run.robot.dim]))
        yield Row(f"{space} box beyond its cone: g (sin a - mu cos a)", "m/s2", paper, 2 * distance / seconds**2, 1e-3 * paper)
    friction, speed = 0.5, 1.0
    paper = speed**2 / (2 * friction * GRAVITY)
    for space in SPACES:
        robot, world = box(space), World(contact=Rigid(friction=friction))
        run = ran(robot, world=world, q=box_on_slope(space, 0.0), v=robot.velocity({"base.x": speed}), seconds=1.0)
        yield Row(f"{space} box sliding at 1 m/s: stops after u^2 / (2 mu g)", "m", paper, float(run.q[-1, 0]), 1e-3 * paper)


def rebounds(_: Setting) -> Iterator[Row]:
    """A ball dropped from 1 m: each flight from impact to impact takes e times as long as the one before.

    A touch-down below 0.05 m/s does not bounce. It is judged by the speed at the beginning of a step, to which the rest of the
    step of 1 ms may add 0.01 m/s. So all flights count that end faster than 0.06 m/s.
    """
    for e in (0.3, 0.5, 0.8, 0.95):
        struck = strikes(e)
        fast = int(np.log(SLOWEST / np.sqrt(2 * GRAVITY)) / np.log(e)) + 1  # the n-th at e^(n-1) of the speed of the first
        yield Row(
            f"ball, e = {e:g}: impacts, beside those at {SLOWEST:g} m/s or faster", "1", fast, float(len(struck)), 0.0, ">="
        )
        flights = np.diff(struck, prepend=-struck[0])  # as if it had been thrown up to where it is dropped from
        shares = flights[1:] / flights[:-1]
        worst = float(shares[np.argmax(np.abs(shares / e - 1.0))] / e)
        title = f"ball, e = {e:g}: worst of {len(shares)} flights, over e times the one before"
        yield Row(title, "1", 1.0, worst, 2e-8, how=f"e = {e:g}: off by {worst - 1:.1g}; the last takes {flights[-1]:.2g} s")
    yield Row("ball: time of the first impact", "s", np.sqrt(2 / GRAVITY), strikes(0.5)[0], 1e-12)
    run = _dropped(0.0, 2.5)
    down = run.q[run.time > np.sqrt(2 / GRAVITY) + 2 * run.study.dt, 1] - RADIUS
    yield Row("ball, e = 0: largest distance from the ground after landing", "m", 0.0, float(np.abs(down).max()), 1e-7)


def _dropped(e: float, seconds: float) -> Run:
    return ran(ball(), world=World(contact=Rigid(restitution=e)), q=(0.0, 1.0 + RADIUS, 0.0), seconds=seconds, record_dt=1e-3)


def strikes(e: float) -> np.ndarray:
    """Times of all impacts, until it lies; all flights together are a geometric series."""
    run = _dropped(e, float(np.sqrt(2 / GRAVITY) * (1 + e) / (1 - e)) + 0.1)
    return np.array([event.time for event in run.events if event.kind == "impact"])


def at_once(_: Setting) -> Iterator[Row]:
    """Several contacts that strike in one instant."""
    for e in (0.0, 0.5):
        run = ran(rod(), world=World(contact=Rigid(restitution=e)), q=(0.0, 0.5, 0.0), seconds=2.0, record_dt=1e-3)
        yield Row(f"rod dropped flat, e = {e:g}: largest tilt", "rad", 0.0, float(np.abs(run.q[:, 2]).max()), 1e-9)
        yield Row(f"rod dropped flat, e = {e:g}: largest shift", "m", 0.0, float(np.abs(run.q[:, 0]).max()), 1e-9)
    robot, q = biped()
    for e in (0.0, 0.5):
        world = World(contact=Rigid(friction=1.0, restitution=e))
        run = ran(robot, STIFF, world, q=above_ground(robot, q, 0.05), seconds=1.0, record_dt=1e-3)
        left, right = ([i for i, name in enumerate(robot.coordinates) if name.endswith(side)] for side in ("_left", "_right"))
        apart = float(np.abs(run.q[:, left] - run.q[:, right]).max())
        yield Row(f"two feet landing at once, e = {e:g}: largest difference of left and right", "rad", 0.0, apart, 1e-9)


def rolling(_: Setting) -> Iterator[Row]:
    """Rolling without slip: the material point that touches is at rest."""
    angle, seconds = 0.1, 2.0
    start = (0.0, RADIUS / cos(angle), 0.0)
    run = ran(ball(), world=World(Slope(-angle), Rigid(friction=0.8)), q=start, seconds=seconds, record_dt=1e-3)
    paper = GRAVITY * sin(angle) / (1.0 + SPIN / RADIUS**2)
    distance = float(np.hypot(run.q[-1, 0], run.q[-1, 1] - start[1]))
    yield Row("ball rolling down a slope: g sin a / (1 + J / m r^2)", "m/s2", paper, 2 * distance / seconds**2, 1e-3 * paper)
    yield from _rests("ball rolling down a slope", run)
    yield from _rests("rimless wheel walking down a slope", _wheel_run())
    yield from _rests("Ranger rolling on its round soles", _ranger_run())


def _wheel_run() -> Run:
    robot, rate, lean = robots.load("rimless-wheel"), 1.5, 0.05
    about_foot = (rate * cos(lean), -rate * sin(lean), rate)
    world = World(Slope(-0.15), Rigid(friction=2.0), gravity=GRAVITY)
    q, v = robot.configuration({"base.pitch": lean}), robot.velocity({"base": about_foot})
    return ran(robot, world=world, q=tuple(q), v=tuple(v), seconds=4.0, record_dt=1e-3, lift=True)


def _ranger_run() -> Run:
    """With stiff joints it starts to topple, and rolls forward over its soles."""
    robot = robots.load("ranger")
    q = robot.configuration({"base.pitch": 0.02})
    world = World(contact=Rigid(friction=1.0), falls=False)
    return ran(robot, Hold(stiffness=200.0, damping=5.0), world, q=tuple(q), seconds=1.0, record_dt=1e-3, lift=True)


def _rests(what: str, run: Run) -> Iterator[Row]:
    """Speed of the material point that touches, from the recorded q and v, at all instants at which its contact sticks."""
    robot = run.robot
    first, later = [0.0], [0.0]
    pads = [pad for foot in robot.feet for pad in foot.pads]  # each has one contact
    for k, pad in enumerate(pads):
        for i in np.flatnonzero(run.mode[:, k] == 1):
            pose = kinematics.pose(robot, run.q[i], pad.link)
            at = pose.rotation.T @ (run.point[i, k] - pose.position)
            u = kinematics.velocity(robot, run.q[i], run.v[i], pad.link, at=at)[: robot.dim]
            landing = i > 0 and run.mode[i - 1, k] != 1
            (first if landing else later).append(float(np.linalg.norm(u)))
    how = (
        f"{what}: {len(later) - 1} instants, from q and v; {max(first):.2g} m/s at {len(first) - 1} more, the first of a contact"
    )
    how += " each: there a foot that has just struck still closes the last nanometres of its gap"
    how += "; recorded velocities are projected onto contacts that stick"
    title = f"{what}: largest speed of the contact point"
    yield Row(title, "m/s", 0.0, max(later) if len(later) > 1 else np.nan, 1e-6, how=how)
    yield Row(f"{title}, when contact has just begun", "m/s", 0.0, max(first), 1e-3)
