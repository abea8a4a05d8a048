"""Hybrid mode against exact results: conserved quantities, and times of events in closed form."""

from collections.abc import Iterator
from math import sin, sqrt

import numpy as np
from scipy.optimize import brentq
from scipy.special import ellipk

from footfall import dynamics, kinematics, robots
from footfall.engines.hybrid.modes import Guard, JointReaches, Mode, Touches
from footfall.engines.hybrid.motion import run_hybrid
from footfall.model.parts import Frame, Joint, Link
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import GRAVITY

HALF = 0.7  # m: half the length of the rod


def flight(setting: Setting) -> Iterator[Row]:
    """A tumbling biped in the plane and in space, without weight and falling."""
    seconds = 5.0 if setting.quick else 60.0
    for name in ("wendlandt", "johnnie"):
        robot, rng = robots.load(name), np.random.default_rng(setting.seed)
        q, v = kinematics.random_configuration(robot, rng, 0.3), rng.normal(size=robot.nv)
        start = dynamics.energy(robot, q, v).kinetic
        for weight, gravity in (("weightless", 0.0), ("falling", None)):
            result = run_hybrid(robot, [Mode("air")], "air", q, v, seconds=seconds, gravity=gravity)
            energy = result.energy()
            change = float(np.abs(energy - energy[0]).max()) / start
            title = f"{name}, {weight}: change of energy in {seconds:g} s, over the kinetic energy at the start"
            yield Row(title, "1", 0.0, change, 1e-6)
            if gravity == 0.0:
                before, after = (dynamics.momentum(robot, result.q[i], result.v[i]) for i in (0, -1))
                change = float(np.abs(after - before).max() / np.abs(before).max())
                yield Row(
                    f"{name}, {weight}: change of momentum in {seconds:g} s, over the largest part of it", "1", 0.0, change, 1e-6
                )


def event_times(_: Setting) -> Iterator[Row]:
    """When something strikes or passes, to 1e-12 s."""
    yield _row("rod that falls and turns: its end strikes", *_rod_strikes())
    yield _row("body that bounces 30 times, e = 0.9", *_bounces())
    for angle in (0.1, 1.0, 2.0):
        yield _row(f"pendulum released at {angle:g} rad: passes below", *_pendulum_passes(angle))


def _row(title: str, found: np.ndarray, exact: np.ndarray) -> Row:
    return Row(f"{title}: worst time of {len(exact)}", "s", 0.0, float(np.abs(found - exact).max()), 1e-12)


def _rod() -> Robot:
    frames = (Frame("front", "rod", at=(HALF, 0.0)),)
    return Robot("rod", "planar", (Link("rod", 2.0, inertia=0.3),), (Joint("base", "planar", "world", "rod"),), frames=frames)


def _rod_strikes() -> tuple[np.ndarray, np.ndarray]:
    """h + v t - g t^2 / 2 = l sin(angle + w t)."""
    h, v, w, angle = 3.0, 1.0, 2.0, 0.3
    modes = [Mode("air", guards=(Guard("lands", Touches("front"), to="down"),)), Mode("down")]
    found = run_hybrid(_rod(), modes, "air", [0.0, h, angle], [1.0, v, w], events=1).events[0].time
    exact = brentq(lambda t: h + v * t - GRAVITY / 2 * t * t - HALF * sin(angle + w * t), 0.5, 1.5, xtol=1e-15)
    return np.array([found]), np.array([exact])


def _bounces() -> tuple[np.ndarray, np.ndarray]:
    """Flights of 2 sqrt(2 h / g) e^n."""
    e, fall, count = 0.9, sqrt(2 / GRAVITY), 30
    bounce = Guard("bounce", Touches("rod"), to="air", reset=lambda _t, q, v: (q, v * [1.0, -e, 1.0]))
    found = run_hybrid(_rod(), [Mode("air", guards=(bounce,))], "air", [0.0, 1.0, 0.0], [0.0, 0.0, 0.0], events=count)
    exact = fall + np.concatenate(([0.0], np.cumsum([2 * fall * e**n for n in range(1, count)])))
    return np.array([event.time for event in found.events]), exact


def _pendulum_passes(angle: float) -> tuple[np.ndarray, np.ndarray]:
    """A quarter of the period, K(sin^2(angle / 2)) sqrt(l / g), then halves of it."""
    swing = Mode("swing", guards=(Guard("bottom", JointReaches("pivot"), to="swing", direction=0),))
    found = run_hybrid(robots.load("pendulum"), [swing], "swing", [angle], [0.0], events=5)
    quarter = ellipk(sin(angle / 2) ** 2) / sqrt(GRAVITY)
    return np.array([event.time for event in found.events]), quarter * (2 * np.arange(5) + 1)
