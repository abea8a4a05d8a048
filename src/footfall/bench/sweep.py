"""Sweeps: what a run costs beside its compiled loop, threads and workers of Dask against one core, MuJoCo, a million rows.

SIMBICON walks for 5 s and is pushed at 1 s, each run with another push. The peer is the same sweep on one core, or
the compiled loop alone.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import footfall as ff
from footfall.bench import Row, best_of
from footfall.bench.contact import Case, Theirs, held, question
from footfall.parallel import Executor, Processes, Serial, Threads, stream
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.sweeps.rows import Column, Layout
from footfall.sweeps.store import MERGED, begin, encoded
from footfall.world import Push

RUNS, WORKERS, REPEATS = 2000, 2, 3
HELD, PUSH = 200, 50.0  # runs in which a posture is held, and the largest push, N
BENT = {"hip": -0.3, "knee": 0.6, "ankle": -0.3}  # rad
CHUNKS = 200  # of no work at all
MANY = 1_000_000  # rows
MEASURES = ("survived", "speed", "cost_of_transport")
OPEN = """
import json, resource, sys, time
import footfall as ff
from footfall.view import sweep_plot
began = time.perf_counter()
sweep = ff.Sweep.load(sys.argv[1])
sweep.plot("survived", along="push", path=sys.argv[1] + "/plot.png")
print(json.dumps([time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, len(sweep)]))
"""


def measure() -> Iterator[Row]:
    study, how = _question(), f"{RUNS} runs of 5 s, {', '.join(MEASURES)}, written to a folder, in turns, best of {REPEATS}"
    forces = [(float(force), 0.0) for force in np.linspace(-100.0, 100.0, RUNS)]
    loop, alone, threads = best_of(
        lambda: _loop(study, forces),
        lambda: _sweep(study, forces, Serial()),
        lambda: _sweep(study, forces, Threads(WORKERS)),
        repeats=REPEATS,
        calls=RUNS,
    )
    yield Row("a run in a sweep", 1e3 * alone, 1e3 * loop, "building it and its loop", "ms", loop / alone, ">= 0.95", how)
    bare = _bare(study, forces)
    yield Row("a run in a sweep", 1e3 * alone, 1e3 * bare, "the compiled loop alone", "ms", bare / alone, ">= 0.95", how)
    yield Row(f"{WORKERS} threads", 1.0 / threads, 1.0 / alone, "one core", "runs/s", alone / threads, ">= 1.85", how)
    yield from _on_dask(study, forces, how)
    yield _against_mujoco()
    yield from _chunks()
    yield _many_rows()


def _question() -> Study:
    study = ff.studies.load("simbicon-walk", seconds=5.0)
    return replace(study, world=replace(study.world, pushes=(Push("torso", (1.0, 0.0), 1.0, 1.2),)))


def _sweep(study: Study, forces: list, on: Executor) -> None:
    with tempfile.TemporaryDirectory() as folder:
        vary = {"world.pushes.0.force": forces}
        ff.sweep(study, vary, measure=MEASURES, out=f"{folder}/s", on=on, progress=lambda _: None)


def _loop(study: Study, forces: list) -> None:
    for force in forces:
        ff.simulate(ff.with_parameters(study, {"world.pushes.0.force": force}))


def _bare(study: Study, forces: list) -> float:
    """Seconds in the compiled loop for each run; of three, the least."""
    best = float("inf")
    for _ in range(3):
        spent = 0.0
        for force in forces:
            simulation = Simulation(ff.with_parameters(study, {"world.pushes.0.force": force}))
            simulation.advance(study.seconds)
            spent += simulation.wall
        best = min(best, spent / len(forces))
    return best


def _on_dask(study: Study, forces: list, how: str) -> Iterator[Row]:
    """A cluster on this machine; without Dask there is no row."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        return
    from footfall.parallel.cluster import Dask

    with LocalCluster(n_workers=WORKERS, threads_per_worker=1, dashboard_address=None) as local, Client(local) as client:
        there = Dask(client)
        _sweep(study, forces, there)  # workers import and load their kernels
        alone, apart = best_of(
            lambda: _sweep(study, forces, Serial()), lambda: _sweep(study, forces, there), repeats=REPEATS, calls=RUNS
        )
        name = f"{WORKERS} workers of Dask"
        yield Row(name, 1.0 / apart, 1.0 / alone, "one core", "runs/s", alone / apart, ">= 1.7", how)
        yield _chunk(name, there)


def _against_mujoco() -> Row:
    """The same robot in its posture, pushed with other forces, in two threads each: ours with all that a sweep does."""
    case = Case("pushed", push=1.0)
    study = question(held(ff.robots.load("simbicon"), BENT), case)
    theirs = Theirs(study, case)
    sizes = np.linspace(-PUSH, PUSH, HELD)
    control = theirs.control * sizes[:, None, None]
    start, data = np.repeat(theirs.start[None], HELD, axis=0), [copy(theirs.data) for _ in range(WORKERS)]
    forces = [(float(size), 0.0) for size in sizes]
    ours, peer = best_of(
        lambda: _sweep(study, forces, Threads(WORKERS)),
        lambda: theirs.rollout.rollout(theirs.model, data, start, control, control_spec=theirs.spec),
        repeats=REPEATS,
        calls=HELD * round(study.seconds / study.dt),
    )
    how = f"SIMBICON's robot, posture held by springs, {HELD} runs of {study.seconds:g} s at 1 ms, {WORKERS} threads each"
    return Row("steps of a sweep", 1e-6 / ours, 1e-6 / peer, "MuJoCo's rollout", "million/s", peer / ours, ">= 6", how)


def _chunks() -> Iterator[Row]:
    yield _chunk(f"{WORKERS} threads", Threads(WORKERS))
    yield _chunk(f"{WORKERS} processes", Processes(WORKERS))
    layout = _layout()
    part = _rows(layout, 0, 100)
    with tempfile.TemporaryDirectory() as folder:
        [seconds] = best_of(lambda: (Path(folder) / "part").write_bytes(encoded(part)), calls=1)
    how = "100 rows as Parquet, without waiting for the disk"
    yield Row("a chunk, its part in the folder", 1e3 * seconds, None, "", "ms", None, "< 10 ms", how)


def _chunk(name: str, on: Executor) -> Row:
    def all_of_them() -> float:
        found = stream(abs, range(CHUNKS), on=on, seconds=0.0)
        next(found)
        began = time.perf_counter()
        for _ in found:
            pass
        return time.perf_counter() - began

    seconds = min(all_of_them() for _ in range(3)) / CHUNKS
    return Row(f"a chunk, {name}", 1e3 * seconds, None, "", "ms", None, "< 10 ms", f"{CHUNKS} chunks without work, best of 3")


# --- a million rows -------------------------------------------------------------------------------------------------------


def _layout() -> Layout:
    asked = (Column("push", "number", "N"), Column("friction", "number", "1"), Column("seed", "count", "1"))
    return Layout(asked, (Column("survived", "bool"), Column("speed", "float", "m/s"), Column("cost_of_transport", "float", "1")))


def _rows(layout: Layout, first: int, count: int) -> pa.Table:
    """Rows with numbers that were drawn, as if they were measured."""
    rng, numbers = np.random.default_rng(first), np.arange(first, first + count)
    survived = rng.random(count) < 0.8
    given: dict[str, Any] = {
        "key": [f"{number:032x}" for number in numbers],
        "push": (numbers // 100 % 1000).astype(float),
        "friction": 0.1 * (numbers // 100_000),
        "seed": numbers % 100,
        "survived": survived,
        "speed": rng.normal(1.0, 0.1, count),
        "cost_of_transport": rng.normal(0.3, 0.01, count),
        "outcome": np.where(survived, "end", "fell").tolist(),
        "reason": [f"simbicon fell at {1e-6 * number:.6f} s" for number in numbers],
        "time": rng.random(count),
        "error": [""] * count,
        "wall": rng.random(count),
        "versions": ["footfall 1, numba 1, numpy 1, processor x"] * count,
    }
    return pa.table([pa.array(given[field.name], field.type) for field in layout.schema], schema=layout.schema)


def _many_rows() -> Row:
    layout, each = _layout(), MANY // MERGED
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "s"
        columns = {"asked": [c.row() for c in layout.asked], "measured": [c.row() for c in layout.measured]}
        begin(folder, {"title": "made-up", "keep": False, "runs": each * MERGED, "digest": "", **columns})
        for i in range(MERGED):
            (folder / "parts" / f"0-made-{i:06}.parquet").write_bytes(encoded(_rows(layout, i * each, each)))
        done = subprocess.run([sys.executable, "-c", OPEN, str(folder)], check=True, capture_output=True, text=True)
    seconds, memory, rows = json.loads(done.stdout)
    how = f"{rows:,} rows in {MERGED} parts, opened and drawn by a new process, which had {memory:.0f} MiB at most (goal: < 1024)"
    return Row("a million rows, opened and drawn", seconds, None, "", "s", None, "< 5 s", how)
