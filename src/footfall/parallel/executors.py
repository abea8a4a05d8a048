"""Where work is done: here, in threads, in processes; `parallel.cluster` adds Dask. All hand out Python's own futures."""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from footfall.errors import FootfallError
from footfall.parallel.processes import pool


def cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Workers(Protocol):
    """Workers that are there, until the executor that began them ends them."""

    stop: threading.Event | None  # a chunk that sees it set ends early; None where it cannot be seen

    @property
    def count(self) -> int:
        """How many can be at work at once."""

    @property
    def ahead(self) -> int:
        """How many pieces of work to hand out at once: one at work and one that waits, for each."""

    def submit(self, function: Callable[..., Any], *given: Any) -> "Future[Any]":
        """function(*given), sooner or later."""

    def renew(self) -> None:
        """Begin again after a worker was lost."""


class Executor(Protocol):
    """Begins workers."""

    apart: ClassVar[bool]  # workers are other processes: what they are given must be such that it can be sent

    def opened(self) -> Any:
        """A context with workers."""


@dataclass(frozen=True)
class Serial:
    """One after the other, here."""

    apart: ClassVar[bool] = False

    @contextmanager
    def opened(self) -> Iterator[Workers]:
        yield _Here()


class _Here:
    count = ahead = 1

    def __init__(self) -> None:
        self.stop: threading.Event | None = threading.Event()

    def submit(self, function: Callable[..., Any], *given: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        try:
            future.set_result(function(*given))
        except Exception as error:  # noqa: BLE001  # it is raised where the result is asked for, as other executors do
            future.set_exception(error)
        return future

    def renew(self) -> None: ...


@dataclass(frozen=True)
class Threads:
    """Threads of this process: compiled runs release Python's lock. 0 for one on each core."""

    workers: int = 0
    apart: ClassVar[bool] = False

    def __post_init__(self) -> None:
        check_count(self.workers)

    @contextmanager
    def opened(self) -> Iterator[Workers]:
        count = self.workers or cores()
        threads = ThreadPoolExecutor(count, thread_name_prefix="footfall")
        found = _Threads(threads, count)
        try:
            yield found
        finally:
            found.end()
            threads.shutdown(wait=True, cancel_futures=True)


class _Threads:
    def __init__(self, threads: ThreadPoolExecutor, count: int):
        self.count, self.ahead = count, 2 * count
        self.stop: threading.Event | None = threading.Event()
        self._threads = threads

    def submit(self, function: Callable[..., Any], *given: Any) -> "Future[Any]":
        return self._threads.submit(function, *given)

    def end(self) -> None:
        if self.stop is not None:
            self.stop.set()

    def renew(self) -> None: ...


@dataclass(frozen=True)
class Processes:
    """Processes of this machine, deaf to Ctrl-C; they end with this one. 0 for one on each core."""

    workers: int = 0
    apart: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_count(self.workers)

    @contextmanager
    def opened(self) -> Iterator[Workers]:
        found = _Processes(self.workers or cores())
        try:
            yield found
        finally:
            found.close()


class _Processes:
    stop: threading.Event | None = None

    def __init__(self, count: int):
        self.count, self.ahead = count, 2 * count
        self._begin()

    def _begin(self) -> None:
        self._life = ExitStack()
        try:
            self._pool = self._life.enter_context(pool(self.count))
        except BrokenExecutor:
            raise FootfallError(_UNGUARDED) from None

    def submit(self, function: Callable[..., Any], *given: Any) -> "Future[Any]":
        try:
            return self._pool.submit(function, *given)
        except BrokenExecutor as error:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    def renew(self) -> None:
        self.close()
        self._begin()

    def close(self) -> None:
        self._life.close()


_UNGUARDED = (
    "the processes that were started ended before they had done anything. Each of them reads the script that starts them: put "
    'what that does under `if __name__ == "__main__":`, or use threads: ff.parallel.use("threads")'
)


def check_count(workers: Any) -> None:
    """Refuse what is no number of workers."""
    if isinstance(workers, bool) or not isinstance(workers, int) or not 0 <= workers <= 4096:
        raise FootfallError(f"workers must be a whole number from 0 (one on each core) to 4096, got {workers!r:.60}")
