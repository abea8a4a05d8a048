"""A cluster of Dask: its scheduler, its queue and its transport; here is only what makes a client one of our executors."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, ClassVar

from footfall.errors import ClusterError, MissingPartError
from footfall.parallel.executors import Workers
from footfall.version import __version__

PATIENCE = 10.0  # s for a scheduler to answer
FIRST = 60.0  # s for a first worker to come
FRESH = 2.0  # s for which a count of workers is believed


class Dask:
    """The workers of a scheduler, by a client of `distributed`."""

    apart: ClassVar[bool] = True

    def __init__(self, client: Any, own: bool = False):
        """`own`: nobody else uses the client, so that `close` closes it.

        Workers may come later, for instance from the queue of a cluster; each checks its version when it is first asked.
        """
        self.client, self._own = client, own
        check_versions(client)

    def close(self) -> None:
        """Leave the scheduler, if the connection was made here."""
        if self._own:
            self.client.close()

    def __repr__(self) -> str:
        return f"Dask({self.client.scheduler.address!r})" if self.client.scheduler else "Dask(closed)"

    @contextmanager
    def opened(self) -> Iterator[Workers]:
        found = _Cluster(self.client)
        try:
            yield found
        finally:
            found.close()


class _Cluster:
    stop: threading.Event | None = None

    def __init__(self, client: Any):
        self._client = client
        self._executor = client.get_executor(pure=False)
        self._asked, self._count = 0.0, 1

    @property
    def count(self) -> int:
        if time.monotonic() - self._asked > FRESH:
            self._count = max(1, sum(threads(self._client).values()))
            self._asked = time.monotonic()
        return self._count

    @property
    def ahead(self) -> int:
        return 2 * self.count

    def submit(self, function: Callable[..., Any], *given: Any) -> "Future[Any]":
        if self._client.status != "running":
            raise gone(self._client)
        return self._executor.submit(function, *given)

    def renew(self) -> None: ...

    def close(self) -> None:
        if self._client.status == "running":
            self._executor.shutdown(wait=False)


def threads(client: Any) -> dict[str, int]:
    """How many threads each worker has, by its address."""
    return dict(client.nthreads())


def connected(address: str) -> Dask:
    """The workers of the scheduler at an address."""
    try:
        from distributed import Client
    except ImportError:
        raise MissingPartError(
            "a cluster needs dask.distributed; pip install 'footfall[cluster]' brings it, also where its workers are"
        ) from None
    try:
        client = Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"no scheduler of Dask answers at {address} within {PATIENCE:g} s ({str(error).splitlines()[0]:.120}); "
            "`dask scheduler` starts one and prints its address"
        ) from None
    try:
        wait_for_one(client)
        return Dask(client, own=True)
    except BaseException:
        client.close()
        raise


def wait_for_one(client: Any) -> None:
    """Refuse a scheduler that has no workers and gets none."""
    end = time.monotonic() + FIRST
    while not threads(client):
        if time.monotonic() > end:
            address = client.scheduler.address
            raise ClusterError(f"the scheduler at {address} has no workers; `dask worker {address}` starts one")
        time.sleep(0.1)


def check_versions(client: Any) -> None:
    """Refuse workers that have another Footfall than this process."""
    for worker, found in client.run(worker_version).items():
        check_version(found, worker)


def worker_version() -> str | None:
    """The version of Footfall that is installed here; None if there is none. It runs on workers that may lack it."""
    try:
        from footfall.version import __version__ as found
    except ImportError:
        return None
    return found


worker_version.__module__ = "__main__"  # so that it is sent as code: a worker without Footfall can run it too


def check_version(found: str | None, worker: str) -> None:
    """Refuse a worker with another version."""
    if found != __version__:
        has = f"Footfall {found}" if found else "no Footfall"
        raise ClusterError(
            f"worker {worker} has {has}, and this process has Footfall {__version__}; their results could differ. Install "
            f"footfall=={__version__} where the workers are"
        )


def gone(client: Any) -> ClusterError:
    """The scheduler does not answer any more."""
    address = client.scheduler.address if client.scheduler else "its address"
    return ClusterError(f"the scheduler at {address} is gone; what was finished is kept, and asking again goes on from there")
