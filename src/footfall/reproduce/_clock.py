"""Time taken, as far as possible without the load of the machine: processor time of this process, not that of the wall."""

from collections.abc import Callable
from time import process_time
from typing import Any


def processor_time(function: Callable[[], Any], times: int) -> float:
    """Seconds that a processor works on it, all threads together; the least of several times."""
    taken = []
    for _ in range(times):
        start = process_time()
        function()
        taken.append(process_time() - start)
    return min(taken)
