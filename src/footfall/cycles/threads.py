"""Many computations on all cores at once: kernels release Python's lock, so threads are enough."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

Progress = Callable[[int, int], None]


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(
    function: Callable[[Any], Any],
    items: Sequence[Any],
    keep: Callable[[int, Any], None],
    progress: Progress | None = None,
) -> bool:
    """keep(number of the item, its result) as they come. Ctrl-C ends it with what is kept; whether that is all.

    The first item runs before there are threads, because it may have to compile kernels.
    """
    tell = progress or (lambda _done, _of: None)
    try:
        for first in items[:1]:
            keep(0, function(first))
            tell(1, len(items))
        pool = ThreadPoolExecutor(cores())
        try:
            futures = {pool.submit(function, item): i for i, item in enumerate(items) if i}
            for done, future in enumerate(as_completed(futures), start=2):
                keep(futures[future], future.result())
                tell(done, len(items))
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    except KeyboardInterrupt:
        return False
    return True
