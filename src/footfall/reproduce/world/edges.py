"""Ground with edges against closed forms: round and straight soles that meet steps."""

from collections.abc import Iterator
from math import cos, sqrt

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import GRAVITY, RADIUS, SPACES, SPIN, ball, box, box_on_slope, ran
from footfall.world import Rigid, Stairs, Waves, World

ROUGH = Rigid(friction=5.0)
MASS = 1.0  # kg: of the ball
TURNS = SPIN + MASS * RADIUS**2  # kg m2: about the point that it touches with


def edges(_: Setting) -> Iterator[Row]:
    """A ball rolls up a step, down a step and over hills; a box tips over an edge, lies on it, and slides against a wall."""
    for speed, rise in ((1.0, 0.01), (1.0, 0.015)):
        paper = _after_climbing(speed, rise)
        yield Row(
            f"ball at {speed:g} m/s climbs {rise:g} m: speed on top", "m/s", paper, _rolled(Stairs(rise, 1, 1, 0.3), speed), 5e-5
        )
    for speed, fall in ((0.2, 0.01), (0.3, 0.02)):
        paper = _after_falling(speed, fall)
        yield Row(
            f"ball at {speed:g} m/s rolls off {fall:g} m: speed below",
            "m/s",
            paper,
            _rolled(Stairs(-fall, 1, 1, 0.1), speed),
            5e-5,
        )
    yield _hills()
    for space in SPACES:
        yield from _boxes(space)


def _rolled(ground: Stairs, speed: float) -> float:
    """Speed after 0.9 s."""
    run = ran(ball(), world=World(ground, ROUGH), q=(0.0, RADIUS, 0.0), v=(speed, 0.0, speed / RADIUS), seconds=0.9)
    return float(run.v[-1, 0])


def _after_climbing(speed: float, rise: float) -> float:
    """Momentum about the edge is kept as it strikes, energy as it turns about the edge."""
    rate = (MASS * speed * (RADIUS - rise) + SPIN * speed / RADIUS) / TURNS
    return RADIUS * sqrt(rate**2 - 2 * MASS * GRAVITY * rise / TURNS)


def _after_falling(speed: float, fall: float) -> float:
    """It turns about the edge until it strikes the floor; momentum about that point is kept."""
    share = (RADIUS - fall) / RADIUS
    rate = sqrt((speed / RADIUS) ** 2 + 2 * MASS * GRAVITY * RADIUS * (1 - share) / TURNS)
    return RADIUS * rate * (SPIN + MASS * RADIUS**2 * share) / TURNS


def _hills() -> Row:
    """A ball on waves: its centre follows the curve at a distance, with all its energy, which one integral solves."""
    high, number, seconds = 0.02, 2 * np.pi / 1.5, 2.0

    def center(x: float) -> np.ndarray:
        steep = high * number * cos(number * x)
        return np.array((x, high * np.sin(number * x))) + RADIUS * np.array((-steep, 1.0)) / sqrt(1 + steep**2)

    def ahead(x: float) -> np.ndarray:
        return (center(x + 1e-6) - center(x - 1e-6)) / 2e-6

    first = brentq(lambda x: center(x)[0], -0.1, 0.1)
    direction = ahead(first) / np.linalg.norm(ahead(first))
    begins = 0.8 * direction
    energy = 0.5 * TURNS / RADIUS**2 * 0.8**2 + MASS * GRAVITY * center(first)[1]

    def speed(_: float, x: np.ndarray) -> list[float]:
        left = energy - MASS * GRAVITY * center(x[0])[1]
        return [sqrt(2 * left * RADIUS**2 / TURNS) / float(np.linalg.norm(ahead(x[0])))]

    paper = float(center(solve_ivp(speed, (0.0, seconds), [first], rtol=1e-9, atol=1e-12).y[0, -1])[0])
    world = World(Waves(((high, 2 * np.pi / number, 0.0, 0.0),)), ROUGH)
    start = {"q": (*center(first).tolist(), 0.0), "v": (*begins.tolist(), 0.8 / RADIUS), "lift": True}
    run = ran(ball(), world=world, seconds=seconds, **start)
    return Row("ball on waves of 0.02 m: way in 2 s", "m", paper, float(run.q[-1, 0]), 1e-5)


def _boxes(space: str) -> Iterator[Row]:
    ahead, out = 0.02, 0.02  # m beyond the edge, s
    start = list(box_on_slope(space, 0.0))
    start[0] = ahead
    run = ran(box(space), world=World(Stairs(-0.5, 1, 1, 0.0), Rigid(2.0)), q=tuple(start), seconds=out, record_dt=0.001)
    rate = run.v[-1, 2] if space == "planar" else run.v[-1, 4]
    paper = 10 * GRAVITY * ahead / (0.2 + 10 * (ahead**2 + 0.1**2))
    yield Row(
        f"{space} box, its centre 2 cm beyond an edge: m g d over its inertia there",
        "rad/s2",
        paper,
        float(rate / out),
        5e-3 * paper,
    )
    start[0] = -0.01
    run = ran(box(space), world=World(Stairs(-0.5, 1, 1, 0.0), Rigid(1.0)), q=tuple(start), seconds=10.0)
    drift = float(np.abs(run.q - run.q[0]).max())
    yield Row(f"{space} box, its centre 1 cm before an edge: largest drift in 10 s", "m", 0.0, drift, 1e-7)
    robot = box(space)
    v = robot.velocity({"base.x": 1.0})
    run = ran(robot, world=World(Stairs(0.15, 1, 1, 0.3), Rigid(0.1)), q=box_on_slope(space, 0.0), v=v, seconds=1.0)
    yield Row(f"{space} box against a wall: largest way into it", "m", 0.0, float(run.q[:, 0].max() - 0.1), 1e-6, "<=")
