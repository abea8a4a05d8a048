"""Where work is done unless it is said: chosen once with `use`, for this process."""

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from footfall.errors import FootfallError, UnknownNameError
from footfall.parallel.executors import Executor, Processes, Serial, Threads, check_count

if TYPE_CHECKING:
    from types import TracebackType


@runtime_checkable
class Connection(Protocol):
    """An executor that is open until it is closed."""

    def close(self) -> None: ...


KINDS: dict[str, type[Threads] | type[Processes]] = {"threads": Threads, "processes": Processes}
SCHEMES = ("tcp://", "tls://", "ucx://", "ws://", "wss://", "inproc://")  # of the addresses of schedulers

_chosen: list[Executor] = []  # the last one counts


class use:
    """Do parallel work here from now on, or within a `with` only.

    `where` is "serial", "threads", "processes", the address of a scheduler of Dask ("tcp://10.0.0.5:8786"), or a client of
    `distributed`; `use(None)` goes back to what is usual.
    """

    def __init__(self, where: Any, workers: int = 0):
        self._before = list(_chosen)
        self._ours = None if where is None else executor(where, workers)
        _chosen[:] = [] if self._ours is None else [self._ours]

    def __enter__(self) -> Executor | None:
        return _chosen[-1] if _chosen else None

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: "TracebackType | None") -> None:
        _chosen[:] = self._before
        if isinstance(self._ours, Connection):
            self._ours.close()

    def __repr__(self) -> str:
        return f"<parallel work: {_chosen[-1] if _chosen else 'as usual'}>"


def chosen(usual: Executor) -> Executor:
    """The executor that was chosen with `use`, else the usual one."""
    return _chosen[-1] if _chosen else usual


def executor(where: Any, workers: int = 0) -> Executor:
    """What `use` takes, as an executor."""
    check_count(workers)
    if isinstance(where, Serial | Threads | Processes):
        return where
    if isinstance(where, str):
        if where.startswith(SCHEMES):
            from footfall.parallel.cluster import connected

            return connected(where)
        if where in KINDS:
            return KINDS[where](workers)
        if where != "serial":
            raise UnknownNameError("place for parallel work", where, ["serial", *KINDS, "tcp://HOST:PORT"])
        return Serial()
    if hasattr(where, "get_executor") or hasattr(where, "opened"):
        from footfall.parallel.cluster import Dask

        return where if hasattr(where, "opened") else Dask(where)
    raise FootfallError(
        f"parallel work is done in 'serial', 'threads', 'processes', at the address of a scheduler (tcp://HOST:PORT), or by a "
        f"distributed.Client, got {where!r:.60}"
    )
