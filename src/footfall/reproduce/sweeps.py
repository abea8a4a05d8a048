"""Sweeps lose nothing: clients, workers and schedulers are killed at random, and the table is that of an undisturbed sweep."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from footfall.errors import MissingPartError
from footfall.reproduce import Row, Setting
from footfall.sweeps import Sweep, sweep

STUDY, SECONDS, MEASURES = "simbicon-walk", "20", "survived,speed"
KILLS, RUNS = 20, 1200
PATIENCE = 600.0  # s for rows to come


def kills(setting: Setting) -> Iterator[Row]:
    """Random kills (-9) of client, worker or scheduler of a sweep on a cluster, against a serial sweep."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise MissingPartError("this needs dask.distributed: pip install 'footfall[cluster]'") from None
    count, runs = (2, 120) if setting.quick else (KILLS, RUNS)
    vary = f"push=-300:300:{runs}"
    alone = sweep(STUDY, {"push": vary.partition("=")[2]}, settings={"seconds": SECONDS}, measure=MEASURES, on="serial")
    with tempfile.TemporaryDirectory() as place:
        tried = _Cluster(Path(place), ["--vary", vary])
        try:
            tried.attack(np.random.default_rng(setting.seed), count, runs)
            found = tried.finish()
        finally:
            tried.end()
        keys = found.table.column("key").to_pylist()
        same = found.table.drop_columns(["wall"]) == alone.table.drop_columns(["wall"])
    how = f"{count} kills ({', '.join(f'{n} of a {what}' for what, n in tried.killed.items())}) in a sweep of {runs} runs"
    yield Row("runs that are missing", "1", 0.0, float(runs - len(set(keys))), 0.0, how=how)
    yield Row("runs that are there twice", "1", 0.0, float(len(keys) - len(set(keys))), 0.0, how=how)
    yield Row("tables that differ from that of a serial sweep in any bit", "1", 0.0, float(not same), 0.0, how=how)


STUDIES = {"kills": kills}


class _Cluster:
    """A scheduler, two workers and a client, each a process, that are killed and started again."""

    def __init__(self, place: Path, asked: list[str]):
        self.place, self.folder = place, place / "s"
        self.asked = [*asked, "--set", f"seconds={SECONDS}", "--measure", MEASURES, "--out", str(self.folder)]
        self.killed = {"client": 0, "worker": 0, "scheduler": 0}
        self.processes: dict[str, Any] = {}
        self.schedulers = 0

    def attack(self, rng: np.random.Generator, count: int, runs: int) -> None:
        """Kill so many of them, each after some more rows are on disk."""
        for i in range(count):
            self.begin()
            self._wait(min(runs, self._rows() + int(rng.integers(1, max(2, runs // (count + 1))))))
            what = str(rng.choice(["client", "worker", "scheduler"]) if i >= len(self.killed) else list(self.killed)[i])
            time.sleep(float(rng.uniform(0.0, 0.5)))
            self._kill(what if what != "worker" else str(rng.choice(["worker 0", "worker 1"])))
            self.killed[what] += 1
            if what == "scheduler":  # nobody can go on without it
                for each in list(self.processes):
                    self._kill(each)

    def begin(self) -> None:
        """Start what does not run."""
        if "scheduler" not in self.processes:
            self.schedulers += 1
            said = self.place / f"scheduler-{self.schedulers}.json"
            self._start("scheduler", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", said)
            self.address = _address(said)
        for name in ("worker 0", "worker 1"):
            if name not in self.processes:
                words = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
                self._start(name, "distributed.cli.dask_worker", self.address, *words)
        client = self.processes.get("client")
        if client is None or client.poll() is not None:
            self._start("client", "footfall", "sweep", STUDY, *self.asked, "--cluster", self.address)

    def finish(self) -> Sweep:
        """Let the sweep come to its end."""
        self.begin()
        self.processes["client"].wait(PATIENCE)
        self.begin()  # it may have ended with its scheduler
        self.processes["client"].wait(PATIENCE)
        return Sweep.load(self.folder)

    def end(self) -> None:
        for each in list(self.processes):
            self._kill(each)

    def _start(self, name: str, module: str, *words: Any) -> None:
        command = [sys.executable, "-m", module, *map(str, words)]
        self.processes[name] = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _kill(self, name: str) -> None:
        process = self.processes.pop(name)
        process.kill()
        process.wait()

    def _rows(self) -> int:
        return len(Sweep.load(self.folder)) if (self.folder / "sweep.json").exists() else 0

    def _wait(self, rows: int) -> None:
        end = time.monotonic() + PATIENCE
        while self._rows() < rows and time.monotonic() < end and self.processes["client"].poll() is None:
            time.sleep(0.2)


def _address(said: Path) -> str:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            return str(json.loads(said.read_text())["address"])
        except (OSError, ValueError, KeyError):
            time.sleep(0.05)
    raise MissingPartError("the scheduler of Dask did not start")
