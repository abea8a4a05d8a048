"""Many runs on all cores. What comes out does not depend on how many there are: items share nothing, and keep their order."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

PARCEL = 16  # items handed to a process at once, at most: few enough to stop soon


def each(function: Callable[[Any], Any], items: list, workers: int, progress: Callable[[int, int], None]) -> Iterator[Any]:
    """function(item) for all items, in their order, on so many processes (0: as many as there are cores)."""
    count = min(workers or _cores(), len(items))
    if count < 2:
        yield from _counted(map(function, items), len(items), progress)
        return
    parcel = max(1, min(PARCEL, len(items) // (4 * count)))
    with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_deaf) as pool:
        try:
            yield from _counted(pool.map(function, items, chunksize=parcel), len(items), progress)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _counted(results: Iterator[Any], total: int, progress: Callable[[int, int], None]) -> Iterator[Any]:
    progress(0, total)
    for done, result in enumerate(results, start=1):
        progress(done, total)
        yield result


def _cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _deaf() -> None:
    """Ctrl-C is for the process that gave the work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
