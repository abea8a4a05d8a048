"""A scheduler of Dask and its workers, as processes of their own."""

import contextlib
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path


@contextlib.contextmanager
def cluster(workers=1, env=None):
    """The address, the process of the scheduler, a function that starts one more worker, and the workers."""
    started = []

    def start(what, *words):
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *words, "--no-dashboard"]
        started.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env))
        return started[-1]

    def worker():
        return start("worker", address, "--nthreads", "1", "--no-nanny", "--death-timeout", "60")

    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "scheduler.json"
        try:
            scheduler = start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(said))
            while not said.exists():
                assert scheduler.poll() is None
                time.sleep(0.05)
            address = json.loads(said.read_text())["address"]
            yield address, scheduler, worker, [worker() for _ in range(workers)]
        finally:
            for process in started:
                process.kill()
                process.wait()
