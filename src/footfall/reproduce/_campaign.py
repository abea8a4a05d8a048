"""Many runs on all cores. The result does not depend on the number of cores: items share nothing, and keep their order."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from typing import Any

LIMIT = 120.0  # s: a run that keeps all others waiting for longer is given up


def each(
    function: Callable[[Any], Any],
    items: list,
    workers: int,
    progress: Callable[[int, int], None],
    lost: Callable[[Any], Any] | None = None,
) -> Iterator[Any]:
    """function(item) for all items, in their order, on so many processes (0: as many as there are cores).

    With `lost` an item that does not come to an end is given up, and lost(item) takes its place.
    """
    count = min(workers or cores(), len(items))
    results = _in_processes(function, items, count, lost) if count > 1 or (lost and items) else map(function, items)
    progress(0, len(items))
    for done, result in enumerate(results, start=1):
        progress(done, len(items))
        yield result


def _in_processes(function: Callable, items: list, count: int, lost: Callable | None) -> Iterator[Any]:
    found: dict[int, Any] = {}
    k = 0
    while k < len(items):
        with pool(count) as processes:
            futures = {i: processes.submit(function, items[i]) for i in range(k, len(items)) if i not in found}
            stuck = False
            while k < len(items) and not stuck:
                if k not in found:
                    try:
                        found[k] = futures[k].result(LIMIT if lost else None)
                    except TimeoutError:
                        if futures[k].done() or lost is None:  # it is the function's own
                            raise
                        found |= {i: future.result() for i, future in futures.items() if future.done()}
                        found[k], stuck = lost(items[k]), True
                yield found.pop(k)
                k += 1


@contextmanager
def pool(count: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that end with it, also those that would never come back by themselves."""
    others = active_children()
    processes = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_follow)
    try:
        with _unheard():
            begun = [processes.submit(int) for _ in range(count)]  # begins them all
        for first in begun:
            first.result()  # on a busy machine that takes long, and is not part of anybody's time
        yield processes
    finally:
        processes.shutdown(wait=False, cancel_futures=True)
        for child in active_children():
            if child not in others:
                child.kill()


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _unheard() -> Iterator[None]:
    """Processes that begin here are deaf to Ctrl-C from birth: it is for the process that gives the work."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _follow() -> None:
    """Deaf to Ctrl-C; and when the process that gave the work ends, even by force, so does this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: Any) -> None:
    parent.join()
    os._exit(1)
