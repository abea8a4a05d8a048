"""Joint stops in time stepping, against equations written by hand that scipy integrates from event to event.

A joint that meets its stop is stopped at once (an inelastic impact in which joints that already rest at their stops take part),
stays there while it is pressed, and leaves when it is not. The error depends on where events fall between two instants. So its
root mean square is taken over several starts. The links turn at up to 8 rad/s, so that steps of 1 ms are split now and then; the
order is that of steps of 0.5 ms and less, which are not.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np
from scipy.integrate import solve_ivp

from footfall.model.parts import Joint, Link
from footfall.model.robot import Robot
from footfall.reproduce import Row, Setting
from footfall.reproduce._bodies import GRAVITY, ran
from footfall.reproduce.world.convergence import order
from footfall.world import World

SECONDS, RECORD = 2.0, 0.01  # s
SIZES = (1e-3, 5e-4, 2.5e-4, 1.25e-4, 6.25e-5)  # s: steps of time; the order is that of all but the first
ASIDE = np.linspace(0.0, 0.02, 6)  # rad or m: the starts, beside each other
TINY = 1e-10

Equations = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


class Case(NamedTuple):
    """A mechanism of two joints, told twice."""

    name: str
    robot: Robot
    equations: Equations  # M and h of M a + h = forces of stops
    q: tuple[float, float]
    v: tuple[float, float]
    moved: bool = True  # starts lie beside each other


class Stop(NamedTuple):
    joint: int
    sign: float  # +1 for a stop below
    bound: float


def stops_met(setting: Setting) -> Iterator[Row]:
    """The order of convergence, and the error at 1 ms."""
    sizes = SIZES[:4] if setting.quick else SIZES
    for case, found in zip(CASES, setting.each(_errors, [(i, sizes) for i in range(len(CASES))]), strict=True):
        listed = ", ".join(f"{1e3 * size:g} ms {error:.2g}" for size, error in zip(sizes, found, strict=True))
        yield Row(
            f"{case.name}: order of convergence", "1", 2.0, order(sizes[1:], found[1:]), 0.2, ">=", f"{case.name}: {listed}"
        )
        yield Row(f"{case.name}: error at 1 ms", "rad, m", 0.0, float(found[0]), 1e-4)


def _errors(item: tuple[int, Sequence[float]]) -> np.ndarray:
    return errors(CASES[item[0]], item[1])


def errors(case: Case, sizes: Sequence[float] = SIZES, space: str = "planar") -> np.ndarray:
    """Error of the coordinates in all records, for each step of time."""
    robot = case.robot if space == "planar" else case.robot.in_space()
    found = []
    for aside in ASIDE if case.moved else ASIDE[:1]:
        q = (case.q[0] - aside, case.q[1])
        exact = integrated(case, q, case.v)
        for size in sizes:
            run = ran(robot, None, World(), q=q, v=case.v, seconds=SECONDS, dt=size, record_dt=RECORD)
            found.append(np.abs(run.q - exact).max())
    return np.sqrt(np.mean(np.array(found).reshape(-1, len(sizes)) ** 2, axis=0))


# --- from event to event --------------------------------------------------------------------------------------------------


def integrated(case: Case, q: Any, v: Any) -> np.ndarray:
    """Coordinates at the instants of the record."""
    stops = [
        Stop(d, sign, bound)
        for d, joint in enumerate(case.robot.joints)
        for sign, bound in zip((1.0, -1.0), joint.limits, strict=True)
        if np.isfinite(bound)
    ]
    instants = RECORD * np.arange(round(SECONDS / RECORD) + 1)
    y, time, rows = np.array((*q, *v), float), 0.0, np.zeros((len(instants), 2))
    holding = _pressed(case, stops, y, [stop for stop in stops if _gap(stop, y) < TINY and abs(y[2 + stop.joint]) < TINY])
    while time < instants[-1]:
        events: list[Any] = []
        for stop in stops:
            events.append(_leaves(case, stop, holding) if stop in holding else _meets(stop))
        motion = solve_ivp(
            lambda _, y, on=holding: _rates(case, on, y)[0],
            (time, instants[-1]),
            y,
            method="DOP853",
            events=events,
            rtol=1e-12,
            atol=1e-13,
            dense_output=True,
        )
        inside = (instants >= time) & (instants <= motion.t[-1])
        rows[inside] = motion.sol(instants[inside])[:2].T
        time, y = float(motion.t[-1]), motion.y[:, -1]
        if motion.status == 1:
            hit = next(stop for stop, times in zip(stops, motion.t_events, strict=True) if len(times))
            if hit in holding:
                holding = [stop for stop in holding if stop != hit]
            else:
                y[hit.joint] = hit.bound
                y[2:] = _struck(case, [*holding, hit], y)
                holding = _pressed(case, stops, y, [stop for stop in (*holding, hit) if abs(y[2 + stop.joint]) < TINY])
    return rows


def _gap(stop: Stop, y: np.ndarray) -> float:
    return float(stop.sign * (y[stop.joint] - stop.bound))


def _meets(stop: Stop) -> Any:
    def event(_: float, y: np.ndarray) -> float:
        return _gap(stop, y)

    event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
    return event


def _leaves(case: Case, stop: Stop, holding: list[Stop]) -> Any:
    def event(_: float, y: np.ndarray) -> float:
        return float(_rates(case, holding, y)[1][holding.index(stop)])

    event.terminal, event.direction = True, -1.0  # type: ignore[attr-defined]
    return event


def _rates(case: Case, holding: list[Stop], y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rate of the state, and the forces of the stops that hold."""
    M, h = case.equations(y[:2], y[2:])
    a, force = _held(M, -h, holding)
    return np.concatenate((y[2:], a)), force


def _struck(case: Case, touched: list[Stop], y: np.ndarray) -> np.ndarray:
    """Velocities after the impact: those of the stops that push come to rest, the others let go."""
    M, _ = case.equations(y[:2], 0 * y[2:])
    for some in _subsets(touched):
        v, impulse = _held(M, M @ y[2:], some)
        if all(impulse >= -TINY) and all(stop.sign * v[stop.joint] >= -TINY for stop in touched):
            return v
    raise ArithmeticError("no impact that stops let happen")


def _pressed(case: Case, stops: list[Stop], y: np.ndarray, resting: list[Stop]) -> list[Stop]:
    """Which of the joints that rest at their stops stay there."""
    for some in _subsets([stop for stop in stops if stop in resting]):
        rate, force = _rates(case, some, y)
        if all(force >= 0.0) and all(stop.sign * rate[2 + stop.joint] >= 0.0 for stop in resting if stop not in some):
            return some
    raise ArithmeticError("no forces of stops that fit")


def _subsets(stops: list[Stop]) -> Iterator[list[Stop]]:
    return (list(some) for some in chain.from_iterable(combinations(stops, n) for n in range(len(stops), -1, -1)))


def _held(M: np.ndarray, right: np.ndarray, holding: list[Stop]) -> tuple[np.ndarray, np.ndarray]:
    """x and f of M x = right + G' f, G x = 0, for the stops that hold."""
    G = np.zeros((len(holding), len(M)))
    for i, stop in enumerate(holding):
        G[i, stop.joint] = stop.sign
    n = len(holding)
    answer = np.linalg.solve(np.block([[M, -G.T], [G, np.zeros((n, n))]]), np.concatenate((right, np.zeros(n))))
    return answer[: len(M)], answer[len(M) :]


# --- the mechanisms -------------------------------------------------------------------------------------------------------

MASSES, LENGTH, CENTRES, SPINS = (2.0, 1.0), 0.5, (0.25, 0.2), (0.05, 0.02)  # kg, m, m, kg m2


def _pendulums(shoulder: tuple[float, float], elbow: tuple[float, float]) -> Robot:
    """Two links below a hinge, with stops."""
    upper, lower = (
        Link(name, m, (0.0, -c), spin) for name, m, c, spin in zip(("upper", "lower"), MASSES, CENTRES, SPINS, strict=True)
    )
    first = Joint("shoulder", "revolute", "world", "upper", limits=shoulder)
    second = Joint("elbow", "revolute", "upper", "lower", at=(0.0, -LENGTH), limits=elbow)
    return Robot("double-pendulum", "planar", (upper, lower), (first, second), origin="textbook")


def _double_pendulum(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """In the angles of the links against the vertical, then in those of the joints."""
    (m1, m2), (c1, c2), (i1, i2), l = MASSES, CENTRES, SPINS, LENGTH
    one, two = q[0], q[0] + q[1]
    rate, other = v[0], v[0] + v[1]
    k = m2 * l * c2
    M = np.array([[i1 + m1 * c1**2 + m2 * l**2, k * np.cos(one - two)], [k * np.cos(one - two), i2 + m2 * c2**2]])
    h = np.array((k * np.sin(one - two) * other**2, -k * np.sin(one - two) * rate**2))
    h += GRAVITY * np.array(((m1 * c1 + m2 * l) * np.sin(one), m2 * c2 * np.sin(two)))
    B = np.array([[1.0, 0.0], [1.0, 1.0]])
    return B.T @ M @ B, B.T @ h


def _trolley(limits: tuple[float, float]) -> Robot:
    """A pendulum below a trolley on a level rail with buffers."""
    trolley, bob = Link("trolley", MASSES[0], inertia=0.1), Link("bob", MASSES[1], (0.0, -CENTRES[0]), SPINS[1])
    rail = Joint("rail", "prismatic", "world", "trolley", axis=(1.0, 0.0), limits=limits)
    hinge = Joint("hinge", "revolute", "trolley", "bob")
    return Robot("trolley", "planar", (trolley, bob), (rail, hinge), origin="textbook")


def _trolley_equations(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    (m1, m2), c, spin = MASSES, CENTRES[0], SPINS[1]
    M = np.array([[m1 + m2, -m2 * c * np.cos(q[1])], [-m2 * c * np.cos(q[1]), spin + m2 * c**2]])
    return M, np.array((m2 * c * np.sin(q[1]) * v[1] ** 2, m2 * GRAVITY * c * np.sin(q[1])))


FREE = (-np.inf, np.inf)
CASES = (
    Case("double pendulum with a stop at the elbow", _pendulums(FREE, (0.0, 2.0)), _double_pendulum, (1.2, 0.6), (0.0, 0.0)),
    Case(
        "double pendulum with stops at both joints", _pendulums((-0.5, 0.9), (0.0, 1.0)), _double_pendulum, (0.8, 0.4), (0.0, 0.0)
    ),
    Case(
        "double pendulum that begins next to its stop",
        _pendulums(FREE, (0.0, 2.0)),
        _double_pendulum,
        (1.2, 1e-7),
        (0.0, 0.0),
    ),
    Case("trolley between buffers, with a pendulum", _trolley((-0.1, 0.12)), _trolley_equations, (0.1, 1.0), (-0.5, 0.0)),
)
