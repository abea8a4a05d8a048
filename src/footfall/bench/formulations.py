"""Accelerations of chains of 3 to 1,000 links by DeNOC, articulated bodies, composite bodies with Cholesky, and Lagrange."""

from collections.abc import Callable, Iterator

import numpy as np

import footfall as ff
from footfall.bench import Row, best_of
from footfall.core.jit import Kernel
from footfall.core.recursion import batch, denoc
from footfall.dynamics.formulations import decoupled
from footfall.dynamics.lagrange import equations
from footfall.evaluate import Evaluation
from footfall.kinematics import random_configuration
from footfall.model.robot import Robot

LINKS = {
    "DeNOC": (3, 10, 30, 100, 300, 1000),
    "articulated bodies": (3, 10, 30, 100, 300, 1000),
    "composite bodies, Cholesky": (3, 10, 30, 100, 300),
    "Lagrange": (3, 10, 20, 30),
}
LINEAR = ("DeNOC", "articulated bodies")
SHORT, LONG, GOAL = 10, 1000, 1.5
SPACES = ("planar", "spatial")
Times = dict[str, dict[int, float]]  # seconds for one state, by formulation and number of links


def measure() -> Iterator[Row]:
    for space in SPACES:
        times = study(space)
        for name, by_links in times.items():
            for links, seconds in by_links.items():
                peer = times[LINEAR[1]].get(links)
                yield Row(
                    f"{name}, {space} chain of {links}",
                    1e6 * seconds,
                    None if peer is None else 1e6 * peer,
                    LINEAR[1],
                    "us",
                    None if peer is None else peer / seconds,
                    how="forward dynamics of one state; compiled loop, Lagrange evaluated by CasADi; best of 9, in turns",
                )
        for name in LINEAR:
            short, long = (1e9 * times[name][links] / links for links in (SHORT, LONG))
            title = f"{name}, {space}: per link, chain of {LONG}"
            yield Row(title, long, short, f"chain of {SHORT}", "ns", short / long, f">= {1 / GOAL:.2f}", "as above")


def study(space: str) -> Times:
    """Measured times; `ff.view.formulations` draws them."""
    times: Times = {name: {} for name in LINKS}
    for links in sorted({n for lengths in LINKS.values() for n in lengths}):
        robot = ff.robots.load("chain", links=links, space=space)
        names = [name for name, lengths in LINKS.items() if links in lengths]
        rows = {name: max(1, 3000 // (links if name in LINEAR else links * links)) for name in names}
        tasks = [_task(robot, name, rows[name]) for name in names]
        for name, seconds in zip(names, best_of(*tasks), strict=True):
            times[name][links] = seconds / rows[name]
    return times


def _task(robot: Robot, name: str, rows: int) -> Callable[[], None]:
    """All states once; what comes out is checked before the clock starts."""
    rng = np.random.default_rng(robot.nv)
    q = np.array([random_configuration(robot, rng) for _ in range(rows)])
    v, tau = rng.normal(size=(2, rows, robot.nv))
    ev, a, doubts = Evaluation(robot), np.zeros((rows, robot.nv)), np.zeros(rows, dtype=np.uint32)
    fall = np.zeros(robot.dim)
    fall[-1] = -robot.gravity
    ev.fall(fall)
    tasks: dict[str, Callable[[], Callable[[], None]]] = {
        "DeNOC": lambda: _bound(ev, denoc.forward_rows, decoupled(ev), q, v, tau, a, doubts),
        "articulated bodies": lambda: _bound(ev, batch.forward_rows, q, v, tau, a, doubts),
        "composite bodies, Cholesky": lambda: _bound(ev, batch.composite_rows, ev.zeros(robot.nv, robot.nv), q, v, tau, a),
        "Lagrange": lambda: _by_lagrange(ev, fall, q, v, tau, a),
    }
    run = tasks[name]()
    run()
    expected = ff.dynamics.forward(robot, q, v, tau)
    if not np.abs(a - expected).max() <= 1e-6 * np.abs(expected).max():
        raise AssertionError(f"{name} does not agree on a chain of {robot.nv}")
    return run


def _bound(ev: Evaluation, text: Kernel, *arrays: object) -> Callable[[], None]:
    compiled = ev.read(text)
    return lambda: compiled(ev.tree, ev.work, *arrays)


def _by_lagrange(
    ev: Evaluation, fall: np.ndarray, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray
) -> Callable[[], None]:
    derived = equations(ev.robot)

    def run() -> None:
        for row in range(len(q)):
            M, h = derived(q[row], v[row], fall, ev.work.f_ext)
            a[row] = np.linalg.solve(M.full(), tau[row] - h.full().ravel())

    return run
