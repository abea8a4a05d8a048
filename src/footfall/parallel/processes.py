"""Processes that serve until they are not wanted any more, deaf to Ctrl-C, and that end with the process that began them."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from typing import Any


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
