"""Measured ratios against the best peers, in one run, on the same robot. Each benchmark is a file with a `measure()`."""

import importlib
import pkgutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from footfall.errors import UnknownNameError

HELPERS = ("peers",)


@dataclass(frozen=True)
class Row:
    """One comparison. The ratio is how many times better Footfall is: peer over footfall, for times."""

    name: str
    footfall: float
    peer: float | None
    peer_name: str
    unit: str
    ratio: float | None
    goal: str = ""
    how: str = ""


def names() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name not in HELPERS)


def measure(name: str) -> Iterator[Row]:
    """Run one benchmark; rows come as they are measured."""
    if name not in names():
        raise UnknownNameError("benchmark", name, names())
    yield from importlib.import_module(f"footfall.bench.{name}").measure()


def best_of(*tasks: Callable[[], object], repeats: int = 9, calls: int = 1) -> list[float]:
    """Least seconds per call of each task, taken in turns so that a noisy moment hits all alike."""
    best = [float("inf")] * len(tasks)
    for _ in range(repeats):
        for index, task in enumerate(tasks):
            start = time.perf_counter()
            task()
            best[index] = min(best[index], (time.perf_counter() - start) / calls)
    return best
