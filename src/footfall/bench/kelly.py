"""Kelly's walking robots against the clock: simulated seconds for each second of waiting, controller and motors included."""

from collections.abc import Iterator
from dataclasses import replace

import footfall as ff
from footfall.bench import Row
from footfall.engines import Maximal, TimeStepping
from footfall.sim.whole import whole

SECONDS = 10.0  # short runs, so that one of them is undisturbed
CASES = {  # study, engine, times real time that is asked for
    "simple biped, level ground": ("simple-biped-walk", TimeStepping(), ">= 300"),
    "simple biped, hills": ("simple-biped-hills", TimeStepping(), ">= 300"),
    "simple biped, from gait to gait": ("simple-biped-gaits", TimeStepping(), ">= 300"),
    "SIMBICON, walking": ("simbicon-walk", TimeStepping(), ""),
    "Ranger, tuned gait": ("ranger-walk", TimeStepping(), ">= 300"),
    "Ranger, Kelly's gait": ("ranger-walk-kelly", TimeStepping(), ">= 300"),
    "Ranger, tuned gait, pinned bodies": ("ranger-walk", Maximal(pinned=True), ""),
}


def measure() -> Iterator[Row]:
    for name, (study, engine, goal) in CASES.items():
        question = replace(ff.studies.load(study), engine=engine, seconds=SECONDS)
        runs = [whole(question) for _ in range(15)]
        seconds = min(run.wall / run.time[-1] for run in runs)
        how = f"{runs[0].time[-1]:.3g} s at 1 ms, controller at {question.controller.rate:g} 1/s, best of 15"  # type: ignore[union-attr]
        yield Row(name, 1e3 * seconds, 1e3, "real time", "ms/s", 1.0 / seconds, goal, how)
