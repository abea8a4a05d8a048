"""Many items, results in their order. They do not depend on the number of workers: items share nothing."""

from collections.abc import Callable, Iterator
from typing import Any

from footfall.parallel.executors import Executor, Processes, cores
from footfall.parallel.place import chosen

LIMIT = 120.0  # s: an item that keeps all others waiting for longer is given up


def each(
    function: Callable[[Any], Any],
    items: list,
    workers: int,
    progress: Callable[[int, int], None],
    lost: Callable[[Any], Any] | None = None,
) -> Iterator[Any]:
    """function(item) for all items, in their order, on so many processes (0: as many as there are cores) or where `use` says.

    With `lost` an item that does not come to an end is given up, and lost(item) takes its place.
    """
    count = min(workers or cores(), len(items))
    apart = chosen(Processes(count)) if items else Processes()
    on = apart if apart.apart and not workers else Processes(count)
    alone = count <= 1 and not (lost and items) and isinstance(on, Processes)
    results = map(function, items) if alone else _elsewhere(function, items, on, lost)
    progress(0, len(items))
    for done, result in enumerate(results, start=1):
        progress(done, len(items))
        yield result


def _elsewhere(function: Callable, items: list, on: Executor, lost: Callable | None) -> Iterator[Any]:
    found: dict[int, Any] = {}
    k = 0
    while k < len(items):
        with on.opened() as workers:
            futures = {i: workers.submit(function, items[i]) for i in range(k, len(items)) if i not in found}
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
