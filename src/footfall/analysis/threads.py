"""Many questions on all cores at once: kernels let go of Python's lock, so threads are enough."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

Progress = Callable[[int, int], None]


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(
    function: Callable[[Any], Any], items: Sequence[Any], progress: Progress | None = None
) -> Iterator[tuple[int, Any]]:
    """(number of the item, its result) as they come. What is not begun when the caller stops listening is left out."""
    pool = ThreadPoolExecutor(cores())
    try:
        futures = {pool.submit(function, item): i for i, item in enumerate(items)}
        for done, future in enumerate(as_completed(futures), start=1):
            if progress is not None:
                progress(done, len(items))
            yield futures[future], future.result()
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
