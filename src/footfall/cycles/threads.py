"""Many computations on all cores at once: kernels release Python's lock, so threads are enough."""

from collections.abc import Callable, Sequence
from typing import Any

from footfall.parallel import Threads, chosen, stream

Progress = Callable[[int, int], None]


def in_threads(
    function: Callable[[Any], Any],
    items: Sequence[Any],
    keep: Callable[[int, Any], None],
    progress: Progress | None = None,
) -> bool:
    """keep(number of the item, its result) as they come. Ctrl-C ends it with what is kept; whether that is all.

    The first item runs before there are threads, because it may have to compile kernels.
    """
    tell, on = progress or (lambda _done, _of: None), chosen(Threads())
    done = 0
    try:
        for first in items[:1]:
            keep(0, function(first))
            done = 1
            tell(done, len(items))
        numbered = list(enumerate(items))[1:]
        for results in stream(lambda each: function(each[1]), numbered, on=Threads() if on.apart else on, seconds=0.0):
            for (i, _), result in results:
                keep(i, result)
                done += 1
                tell(done, len(items))
    except KeyboardInterrupt:
        return False
    return True
