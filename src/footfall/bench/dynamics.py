"""Forward and inverse dynamics: a compiled loop over many states against Pinocchio called from Python on the same states."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

import footfall as ff
from footfall.bench import Row, best_of
from footfall.core.jit import Kernel
from footfall.core.recursion.batch import forward_rows, inverse_rows
from footfall.evaluate import Evaluation
from footfall.kinematics import random_configuration
from footfall.model import state
from footfall.model.peers import PinocchioRobot
from footfall.model.robot import Robot

STATES = 2000
CASES = (("wendlandt", "planar 7-link biped", 8.0, 6.0), ("person", "spatial 16-dof biped", 2.5, 2.0))


def measure() -> Iterator[Row]:
    for name, title, forward_goal, inverse_goal in CASES:
        robot = ff.robots.load(name)
        rng = np.random.default_rng(0)
        q = np.array([random_configuration(robot, rng) for _ in range(STATES)])
        v, x = rng.normal(size=(2, STATES, robot.nv))
        x[:, : _base(robot)] = 0.0  # nothing drives a floating base
        peer = PinocchioRobot(robot, native_base=True)
        theirs = [(pq, peer.v(b, pq), peer.v(c, pq)) for a, b, c in zip(q, v, x, strict=True) for pq in [peer.q(a)]]
        for verb, kernel, call, goal in (
            ("forward", forward_rows, peer.pin.aba, forward_goal),
            ("inverse", inverse_rows, peer.pin.rnea, inverse_goal),
        ):
            ours, out = _loop(robot, kernel, q, v, x)

            seconds, peer_seconds = best_of(ours, partial(_call_all, call, peer, theirs), calls=STATES)
            how = f"{STATES} random states, best of 9; pin.{call.__name__} called from Python, base joint of its own kind"
            if verb == "forward":
                how += f"; joint accelerations agree to {_disagreement(robot, peer, out, theirs):.0e}"
            ratio = peer_seconds / seconds
            yield Row(
                f"{verb} dynamics, {title}", 1e6 * seconds, 1e6 * peer_seconds, "Pinocchio", "us", ratio, f">= {goal:g}", how
            )


def _call_all(call: Callable, peer: PinocchioRobot, states: list) -> None:
    model, data = peer.model, peer.data
    for q, v, x in states:
        call(model, data, q, v, x)


def _base(robot: Robot) -> int:
    return sum(name.startswith("base.") for name in robot.velocities)


def _loop(robot: Robot, kernel: Kernel, q: np.ndarray, v: np.ndarray, x: np.ndarray) -> tuple[Callable, np.ndarray]:
    """The compiled loop over all rows, ready to be timed, and where its results go."""
    ev, out = Evaluation(robot), np.zeros_like(v)
    ev.fall(state.gravity(robot, None))
    extra = (np.zeros(STATES, dtype=np.uint32),) if kernel is forward_rows else ()
    compiled = ev.read(kernel)

    def run() -> None:
        compiled(ev.tree, ev.work, q, v, x, out, *extra)

    run()
    return run, out


def _disagreement(robot: Robot, peer: PinocchioRobot, out: np.ndarray, theirs: list) -> float:
    """Largest relative difference of joint accelerations; those of the base are in other axes there."""
    peer.model.gravity.linear = np.array([0.0, 0.0, -robot.gravity])
    joints = slice(_base(robot), None)
    worst = 0.0
    for row in range(0, STATES, 40):
        reference = peer.ours(peer.pin.aba(peer.model, peer.data, *theirs[row]))[joints]
        worst = max(worst, np.max(np.abs(out[row, joints] - reference)) / max(1.0, np.max(np.abs(reference))))
    return worst
