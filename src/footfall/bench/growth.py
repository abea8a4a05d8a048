"""Time per link of chains of 10 to 1,000 links: recursion must not slow down with length."""

from collections.abc import Callable, Iterator

import numpy as np

import footfall as ff
from footfall.bench import Row, best_of
from footfall.core.jit import Kernel
from footfall.core.recursion.batch import forward_rows, inverse_rows
from footfall.evaluate import Evaluation
from footfall.kinematics import random_configuration

LENGTHS = (10, 30, 100, 300, 1000)
GOAL = 1.5


def measure() -> Iterator[Row]:
    for space in ("planar", "spatial"):
        for verb, kernel in (("forward", forward_rows), ("inverse", inverse_rows)):
            tasks, calls = [], []
            for length in LENGTHS:
                rows = 20_000 // length
                tasks.append(_task(space, length, rows, kernel))
                calls.append(rows * length)
            seconds = [total / count for total, count in zip(best_of(*tasks), calls, strict=True)]
            for length, each in zip(LENGTHS, seconds, strict=True):
                growth = each / seconds[0]
                yield Row(
                    f"{verb} dynamics per link, {space} chain of {length}",
                    1e9 * each,
                    1e9 * seconds[0],
                    f"chain of {LENGTHS[0]}",
                    "ns",
                    1.0 / growth,
                    f">= {1 / GOAL:.2f}" if length == LENGTHS[-1] else "",
                    "compiled loop, best of 9, lengths measured in turns",
                )


def _task(space: str, length: int, rows: int, kernel: Kernel) -> Callable:
    robot = ff.robots.load("chain", links=length, space=space)
    rng = np.random.default_rng(length)
    q = np.array([random_configuration(robot, rng) for _ in range(rows)])
    v, x = rng.normal(size=(2, rows, robot.nv))
    ev, out = Evaluation(robot), np.zeros_like(v)
    extra = (np.zeros(rows, dtype=np.uint32),) if kernel is forward_rows else ()
    compiled = ev.read(kernel)

    def run() -> None:
        compiled(ev.tree, ev.work, q, v, x, out, *extra)

    run()
    return run
