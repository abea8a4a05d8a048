"""Compile ahead of need, on all cores: what a first run, a first cycle and the first questions of dynamics would wait for.

Each job is a process of its own, which leaves its machine code where later processes find it.
"""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from footfall.errors import FootfallError, UnknownNameError

POLL = 0.2  # s


def _cycle() -> None:
    """A limit cycle in the plane, and its motion."""
    from footfall import cycles, studies
    from footfall.sim.simulate import simulate

    study = studies.load("compass")
    cycles.limit_cycle(study)
    simulate(replace(study, seconds=0.01))


def _planar_run() -> None:
    """Time stepping in the plane."""
    _still("stand-push")


def _spatial_run() -> None:
    """Time stepping in space."""
    from footfall import control, robots
    from footfall.sim.simulate import simulate

    simulate(robots.load("person"), control.Hold(), seconds=0.0, lift=True)


def _dynamics() -> None:
    """Kinematics and dynamics as functions, in the plane and in space."""
    from footfall import dynamics, kinematics, robots

    for name in ("wendlandt", "person"):
        robot = robots.load(name)
        q, still, link = robot.neutral(), [0.0] * robot.nv, robot.links[0].name
        for question in (dynamics.forward, dynamics.inverse):
            question(robot, q, still, still)
        dynamics.mass_matrix(robot, q)
        kinematics.jacobian(robot, q, link)
        kinematics.pose(robot, q, link)


def _controllers() -> None:
    """The controllers of all studies; they need the loops of both spaces, which come first."""
    from footfall import studies

    for name in studies.names():
        _still(name)


def _still(name: str) -> None:
    """A study for no time: it compiles, and does not move."""
    from footfall import studies
    from footfall.sim.simulate import simulate

    study = studies.load(name)
    simulate(replace(study, seconds=0.0))


FIRST: dict[str, Callable[[], None]] = {
    "cycle": _cycle,
    "spatial-run": _spatial_run,
    "planar-run": _planar_run,
    "dynamics": _dynamics,
}
JOBS = {**FIRST, "controllers": _controllers}


def do(name: str) -> None:
    """One job, in this process, as long as the one that asked for it lives: that holds the other end of its input."""
    threading.Thread(target=_end_with_input, daemon=True).start()
    JOBS[name]()


def _end_with_input() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os._exit(1)


class Job:
    """A job under way, in a process of its own."""

    def __init__(self, name: str, code: str | None = None):
        command = [sys.executable, "-c", code or f"import footfall.warm; footfall.warm.do({name!r})"]
        self.name, self.lines = name, [""]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
        )
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def _listen(self) -> None:
        """Keep the lines that it says."""
        said: Any = self.process.stderr
        with said:
            for line in said:
                self.lines.append(line.strip().removeprefix("footfall: "))

    def end(self) -> None:
        """Stop it, if it still goes on."""
        self.process.terminate()
        self.process.wait()
        self.process.stdin.close()  # type: ignore[union-attr]
        self._listener.join()

    def check(self) -> None:
        """Raise an error if it failed."""
        if self.process.returncode:
            raise FootfallError(f"footfall warm {self.name} failed: {self.lines[-1] or 'without a word'}")

    def __str__(self) -> str:
        return f"{self.name} ({self.lines[-1]})" if self.lines[-1] else self.name


def warm(names: Iterable[str] = tuple(FIRST), *, cores: int | None = None, say: Callable[[str], None] = lambda _: None) -> float:
    """Do jobs (`JOBS`), so many at a time; `say` is told how far they are. Returns the seconds that it took."""
    left = list(dict.fromkeys(names))
    for name in left:
        if name not in JOBS:
            raise UnknownNameError("job (for footfall warm)", name, JOBS)
    cores, total, began = cores or os.cpu_count() or 1, len(left), time.perf_counter()
    running: list[Job] = []
    try:
        while left or running:
            while left and len(running) < cores and not (left[0] == "controllers" and running):
                running.append(Job(left.pop(0)))
            time.sleep(POLL)
            for job in [job for job in running if job.process.poll() is not None]:
                running.remove(job)
                job.end()
                job.check()
            done, now = total - len(left) - len(running), "; ".join(map(str, running))
            say(f"{done} of {total} done, {time.perf_counter() - began:.0f} s: {now}")
    finally:
        for job in running:
            job.end()
    return time.perf_counter() - began
