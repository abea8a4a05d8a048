"""Time stepping against hybrid mode: two readings of one walk that share neither integrator nor contact.

Walkers start on their limit cycle, take five steps, and are compared in the middle of the swing that follows, at the same time.
The error depends on where strikes fall between two instants. So its root mean square is taken over starts in several phases of
the first swing.

The compass has straight legs that scuff. Hybrid mode ignores this; here it walks on stepping stones, as real machines of
its kind do: it is embedded in space with its feet side by side, and each foot has its own row of stones with pits between.
"""

import dataclasses
from collections.abc import Iterator, Sequence
from functools import cache
from math import cos, pi, radians, sin, sqrt, tan
from typing import Any, NamedTuple

import numpy as np

from footfall import kinematics, robots
from footfall.dynamics.constrained import Pin, consistent, placed
from footfall.engines.hybrid.modes import Ahead, Guard, Impact, Mode, Touches
from footfall.engines.hybrid.motion import HybridResult, run_hybrid
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import ran
from footfall.world import Function, Rigid, Slope, Terrain, World

STEPS = 5  # of the walker
MIDDLE = 0.5  # of a period: the phase in which states are compared
PHASES = (0.05, 0.09, 0.13, 0.17, 0.21, 0.25, 0.29, 0.33)  # of a period: the starts
SIZES = (2e-3, 1e-3, 5e-4, 2.5e-4, 1.25e-4)  # s: steps of time
ALONE = Setting(workers=1)
OTHER = {"left": "right", "right": "left"}
ASIDE = 0.1  # m: of a foot from the middle
STONE = 0.25  # m: half the length of a stone; the swing foot stays above it until it lands
PIT = 0.3  # m
FRICTION = 1.0


class Walker(NamedTuple):
    """One walker, told twice."""

    robot: Robot  # for hybrid mode
    modes: list[Mode]
    first: str  # the mode in which it starts
    q: np.ndarray  # on the cycle, right after a strike
    v: np.ndarray
    period: float
    body: Robot  # for time stepping, with the same coordinates
    terrain: Terrain


class Question(NamedTuple):
    """Which walker, with which step of time (s), started in which phase."""

    walker: str
    size: float
    phase: float


def both_ways(setting: Setting) -> Iterator[Row]:
    """The order of convergence: second, as that of each by itself."""
    sizes, phases = (SIZES[:3], PHASES[::4]) if setting.quick else (SIZES, PHASES)
    for name, found in zip(WALKERS, errors(tuple(WALKERS), sizes, phases, setting), strict=True):
        listed = ", ".join(f"{1e3 * size:g} ms {error:.2g}" for size, error in zip(sizes, found, strict=True))
        title = f"{name}, {STEPS} steps"
        yield Row(f"{title}: order of convergence to hybrid mode", "1", 1.9, order(sizes, found), 0.1, ">=", f"{title}: {listed}")


def order(sizes: Sequence[float], found: np.ndarray) -> float:
    """p of error = constant * size^p, by least squares."""
    return float(np.polyfit(np.log(sizes), np.log(found), 1)[0])


def errors(
    walkers: Sequence[str], sizes: Sequence[float] = SIZES, phases: Sequence[float] = PHASES, setting: Setting = ALONE
) -> np.ndarray:
    """Error of the state (m, rad and their rates): a row for each walker, a column for each step of time."""
    questions = [Question(walker, size, phase) for walker in walkers for size in sizes for phase in phases]
    found = np.array(list(setting.each(error, questions))).reshape(len(walkers), len(sizes), len(phases))
    return np.sqrt(np.mean(found**2, axis=-1))


def error(question: Question) -> float:
    """Largest difference in the state after the walk."""
    walker = WALKERS[question.walker]()
    start = _walked(walker, walker.q, walker.v, question.phase * walker.period)
    q, v = start.q[-1], start.v[-1]
    seconds = round((STEPS + MIDDLE - question.phase) * walker.period / question.size) * question.size
    exact = _walked(walker, q, v, seconds)
    world = World(walker.terrain, Rigid(friction=FRICTION), walker.robot.gravity, falls=False)
    run = ran(walker.body, None, world, q=tuple(q), v=tuple(v), seconds=seconds, dt=question.size, record_dt=seconds)
    return float(np.abs(np.concatenate((run.q[-1] - exact.q[-1], run.v[-1] - exact.v[-1]))).max())


def _walked(walker: Walker, q: Any, v: Any, seconds: float) -> HybridResult:
    return run_hybrid(walker.robot, walker.modes, walker.first, q, v, seconds=seconds, gravity=walker.robot.gravity)


# --- the rimless wheel ----------------------------------------------------------------------------------------------------


@cache
def rimless_wheel(spokes: int = 8, inertia: float = 0.2, slope: float = 0.08) -> Walker:
    """On its cycle: w^2 = 4 k sin(a) sin(slope) c^2 / (1 - c^2), k = m g l / I, c = (J + m l^2 cos 2a) / I, I = J + m l^2."""
    robot, a = robots.load("rimless-wheel", spokes=spokes, inertia=inertia), pi / spokes
    pins = [Pin("wheel", (sin(2 * a * i), -cos(2 * a * i))) for i in range(spokes)]
    names = [f"spoke_{i}" for i in range(spokes)]
    modes = []
    for i, name in enumerate(names):
        k = (i + 1) % spokes
        strike = Guard("strike", Touches(pins[k], Slope(-slope)), to=names[k], reset=Impact())
        modes.append(Mode(name, (pins[i],), guards=(strike,)))
    kept = (inertia + cos(2 * a)) / (inertia + 1.0)
    rate = sqrt(4 * robot.gravity / (1.0 + inertia) * sin(a) * sin(slope) * kept**2 / (1.0 - kept**2))
    q = placed(robot, robot.configuration({"base.pitch": slope - a}), pins[0])
    v = consistent(robot, q, [0.0, 0.0, rate], pinned=(pins[0],))
    period = run_hybrid(robot, modes, names[0], q, v, events=1).events[0].time
    return Walker(robot, modes, names[0], q, v, period, robot, Slope(-slope))


# --- the compass ----------------------------------------------------------------------------------------------------------


@cache
def compass(slope: float = radians(3.0)) -> Walker:
    """Goswami's walker, from near its published fixed point into the cycle."""
    robot = robots.load("compass")
    modes = []
    for side, other in OTHER.items():
        foot, stance = f"tip_{other}", f"tip_{side}"
        ahead = Ahead(foot, stance, 0.05)
        strike = Guard("strike", Touches(foot, Slope(-slope)), to=other, reset=Impact(), active=ahead)
        modes.append(Mode(side, (stance,), guards=(strike,)))
    q = placed(robot, robot.configuration({"base.pitch": -0.2187, "hip": 0.5421}), "tip_left")
    v = consistent(robot, q, [0.0, 0.0, 1.0918, -0.7146], pinned=("tip_left",))
    before, last = run_hybrid(robot, modes, "left", q, v, events=20).events[-2:]
    q, v = placed(robot, last.q_after, "tip_left"), last.v_after
    return Walker(robot, modes, "left", q, v, last.time - before.time, _side_by_side(robot), _stones(robot, q, slope))


def _side_by_side(robot: Robot) -> Robot:
    """The twin in space, which still moves in the plane, with its feet on both sides of it."""
    twin = robot.in_space()
    feet = (dataclasses.replace(foot, pads=tuple(_aside(pad, foot.name) for pad in foot.pads)) for foot in twin.feet)
    return dataclasses.replace(twin, feet=tuple(feet))


def _aside(pad: Any, foot: str) -> Any:
    x, _, z = pad.at
    return dataclasses.replace(pad, at=(x, ASIDE if foot.endswith("left") else -ASIDE, z))


def _stones(robot: Robot, q: np.ndarray, slope: float) -> Function:
    """Ground with a stone for every second foothold on each side, those of the other side half way between."""
    left, right = (float(kinematics.pose(robot, q, tip).position[0]) for tip in ("tip_left", "tip_right"))
    stride = 2 * (left - right)

    def height(x: float, y: float) -> float:
        beside = (x - (left if y > 0.0 else right) + stride / 2) % stride - stride / 2
        return -tan(slope) * x - (0.0 if abs(beside) < STONE else PIT)

    return Function(height, lambda _x, _y: (-tan(slope), 0.0))


WALKERS = {"rimless wheel": rimless_wheel, "compass": compass}
