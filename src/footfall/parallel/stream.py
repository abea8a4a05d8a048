"""Many items in chunks, results as they finish. How much a chunk holds follows from what items were measured to cost.

A chunk is what is sent, waited for and handed back at once. It holds about `seconds` of work, so that the cost of a message does
not matter, and no more than a part of what is left, so that all workers end at the same time.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sized
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, TypeVar

from footfall.errors import ClusterError
from footfall.parallel.executors import Executor, Processes, Workers
from footfall.parallel.place import chosen
from footfall.version import __version__

Item = TypeVar("Item")
Done = list[tuple[Item, Any]]

SECONDS = 0.5  # of work in a chunk
LARGEST = 10_000  # items in a chunk
GROWTH = 4  # a chunk holds at most so many times as many items as the one before
DEATHS = 3  # of workers with an item at work, before it is blamed
PATIENCE = 5.0  # s for chunks under way to end after Ctrl-C
UNREADABLE = "Error during deserialization"  # so Dask says that a worker lacks a module
_ROOT = "a function or class of your own must be in a module that workers can import; client.upload_file(path) sends them one"


@dataclass(eq=False)
class _Chunk:
    items: list
    deaths: int = 0


@dataclass
class _Sizes:
    """How many items a chunk holds."""

    seconds: float
    cost: float | None = None  # s for an item, measured
    size: int = 1

    def next(self, left: int | None, workers: int) -> int:
        """For the next chunk, of items of which so many are left."""
        if self.cost is not None:
            wanted = self.seconds / max(self.cost, 1e-9)
            self.size = int(max(1, min(wanted, GROWTH * self.size, LARGEST)))
        return self.size if left is None else max(1, min(self.size, -(-left // (2 * workers))))

    def learn(self, seconds: float, items: int) -> None:
        """A chunk has come back. The first ones may have compiled kernels: cheaper counts at once, dearer slowly."""
        if items:
            found = seconds / items
            self.cost = found if self.cost is None or found < self.cost else 0.5 * (self.cost + found)


def stream(
    function: Callable[[Item], Any],
    items: Iterable[Item],
    *,
    on: Executor | None = None,
    seconds: float = SECONDS,
    lost: Callable[[Item], Any] | None = None,
) -> Iterator[Done]:
    """Lists of (item, function(item)), each as soon as it is done, in any order; 0 `seconds` of work are one item a list.

    A function with a method `many` is given a list of items at once, and yields a result for each in turn.

    Items are taken as they are needed. After Ctrl-C what is under way is waited for a little and handed over, before
    KeyboardInterrupt is raised. What a worker that was killed had at hand is done again; an item that kills its worker again and
    again is answered by lost(item), if given. An error of the function is raised.
    """
    with (on or chosen(Processes())).opened() as workers:
        yield from _Stream(function, items, workers, _Sizes(seconds), lost).results()


@dataclass
class _Stream:
    function: Callable[[Any], Any]
    items: Iterable
    workers: Workers
    sizes: _Sizes
    lost: Callable[[Any], Any] | None
    flying: dict[Future, _Chunk] = field(default_factory=dict)
    again: list[_Chunk] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.left = len(self.items) if isinstance(self.items, Sized) else None
        self.source = iter(self.items)

    def results(self) -> Iterator[Done]:
        stop = self.workers.stop
        try:
            while self._fill():
                done = wait(self.flying, return_when=FIRST_COMPLETED).done  # more at once while whoever asked was busy
                yield from self._all_landed(done)
                if stop is not None and stop.is_set():
                    raise KeyboardInterrupt
        except KeyboardInterrupt:
            yield from self._last()
            raise

    def _fill(self) -> bool:
        """Send as many chunks as workers have use for; whether any are under way."""
        suspect = any(chunk.deaths > 1 for chunk in (*self.again, *self.flying.values()))
        most = 1 if suspect else self.workers.ahead  # alone, so that it is known which one it was
        while len(self.flying) < most and (chunk := self._next()) is not None:
            self._send(chunk)
        return bool(self.flying)

    def _next(self) -> _Chunk | None:
        if self.again:
            return self.again.pop()
        items = list(islice(self.source, self.sizes.next(self.left, self.workers.count)))
        if self.left is not None:
            self.left -= len(items)
        return _Chunk(items) if items else None

    def _send(self, chunk: _Chunk) -> None:
        self.flying[self.workers.submit(_work, self.function, chunk.items, __version__, self.workers.stop)] = chunk

    def _all_landed(self, done: Iterable[Future]) -> Iterator[Done]:
        landed: Done = []
        failure: Exception | None = None
        for future in done:
            try:
                for results in self._landed(future):
                    landed += results
            except Exception as error:  # noqa: BLE001  # it is raised when the others are handed over
                failure = failure or error
        if landed:
            yield landed
        if failure:
            raise failure

    def _landed(self, future: Future) -> Iterator[Done]:
        chunk = self.flying.pop(future, None)
        if chunk is None:  # it was under way with one that failed, and is done again
            return
        try:
            seconds, results = future.result()
        except (CancelledError, BrokenExecutor) as error:
            yield from self._bury(chunk, error)
        except Exception as error:
            if str(error).startswith(UNREADABLE):
                raise ClusterError(f"workers cannot read the work: {_ROOT}") from error
            if type(error).__name__ != "KilledWorker":
                raise
            yield from self._bury(chunk, error)
        else:
            self.sizes.learn(seconds, len(results))
            yield list(zip(chunk.items, results, strict=False))

    def _bury(self, chunk: _Chunk, error: BaseException) -> Iterator[Done]:
        """A worker was killed. All that was under way is done again, which is more than what is lost, but certain."""
        if isinstance(error, CancelledError):
            raise ClusterError("the scheduler is gone, or dropped the work; what was finished is kept, and asking again goes on")
        together = [chunk]
        if isinstance(error, BrokenExecutor):
            together += self.flying.values()
            self.flying.clear()
            self.workers.renew()
        for each in together:
            each.deaths += 1 if isinstance(error, BrokenExecutor) else DEATHS  # Dask has tried by itself
            if len(each.items) > 1 and each.deaths > 1:
                self.again += [_Chunk([item], 2) for item in each.items]
            elif each.deaths < DEATHS:
                self.again.append(each)
            elif self.lost is None:
                raise ClusterError(f"{each.items[0]!r:.200} killed its worker {DEATHS} times: {error}") from None
            else:
                yield [(item, self.lost(item)) for item in each.items]

    def _last(self) -> Iterator[Done]:
        """What ends in time after Ctrl-C."""
        if self.workers.stop is not None:
            self.workers.stop.set()
        for future in self.flying:
            future.cancel()
        under_way = [future for future in self.flying if not future.cancelled()]
        end = time.monotonic() + PATIENCE
        while under_way and time.monotonic() < end:
            done = wait(under_way, end - time.monotonic(), FIRST_COMPLETED).done
            for future in done:
                under_way.remove(future)
                if not future.cancelled() and future.exception() is None:
                    yield list(zip(self.flying[future].items, future.result()[1], strict=False))


def _work(function: Callable[[Any], Any], items: list, version: str, stop: Any) -> tuple[float, list]:
    """On a worker: the seconds that it took, and a result for each item, or for the first ones if it is stopped."""
    if version != __version__:
        raise ClusterError(f"a worker has Footfall {__version__}, and Footfall {version} asks it; install the same on both")
    began, results = time.perf_counter(), []
    try:
        for result in function.many(items) if hasattr(function, "many") else map(function, items):
            results.append(result)
            if stop is not None and stop.is_set():
                break
    except KeyboardInterrupt:
        if stop is None:
            raise
        stop.set()
    return time.perf_counter() - began, results
