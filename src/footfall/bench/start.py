"""How long a user waits: for help, for the first answer of a new process, and for the very first answer on a machine."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from footfall.bench import Row

FIRST_RUNS = {
    "planar run": ("ff.simulate(ff.studies.load('stand-push', seconds=0.1))", 32.0),
    "spatial run": ("ff.simulate(ff.robots.load('person'), ff.control.Hold(), seconds=0.1, lift=True)", 46.0),
    "cycle": ("ff.cycles.limit_cycle(ff.studies.load('compass'))", 56.0),
}  # and the processor's seconds that each may take
FIRST_CALL = """
import footfall as ff
robot = ff.robots.load({robot!r})
still = [0.0] * robot.nv
ff.dynamics.forward(robot, robot.neutral(), still, still)
"""


def measure() -> Iterator[Row]:
    seconds = min(_seconds([sys.executable, "-m", "footfall", "--help"]) for _ in range(5))
    yield _row("footfall --help", seconds, 0.5, "whole process, best of 5")
    for robot in ("wendlandt", "person"):
        call = [sys.executable, "-c", FIRST_CALL.format(robot=robot)]
        with tempfile.TemporaryDirectory() as empty:
            cold = _seconds(call, FOOTFALL_CACHE_DIR=empty)
            warm = min(_seconds(call, FOOTFALL_CACHE_DIR=empty) for _ in range(3))
        yield _row(f"first dynamics call, {robot}, warm", warm, 1.5, "whole new process, compiled before, best of 3")
        yield _row(f"first dynamics call, {robot}, cold", cold, 30.0, "whole new process, empty cache: everything is compiled")
    for name, (code, goal) in FIRST_RUNS.items():
        with tempfile.TemporaryDirectory() as empty:
            cold = _processor_seconds([sys.executable, "-c", f"import footfall as ff; {code}"], FOOTFALL_CACHE_DIR=empty)
        yield _row(f"first {name}, cold", cold, goal, "processor time of a new process, empty cache: everything is compiled")
    with tempfile.TemporaryDirectory() as empty:
        seconds = _seconds([sys.executable, "-m", "footfall", "warm"], FOOTFALL_CACHE_DIR=empty)
    yield _row("footfall warm", seconds, 100.0, f"wall time on {os.cpu_count()} cores, empty cache: all of the above")


def _processor_seconds(command: list[str], **environment: str) -> float:
    """Of a process and those that it starts."""
    before = os.times()
    _seconds(command, **environment)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def _seconds(command: list[str], **environment: str) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, **environment})
    return time.perf_counter() - start


def _row(name: str, seconds: float, goal: float, how: str) -> Row:
    return Row(name, seconds, None, "", "s", None, f"< {goal:g} s", how)
