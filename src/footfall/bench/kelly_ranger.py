"""The Cornell Ranger against the clock: simulated seconds for each second of waiting, gait and motors included."""

from collections.abc import Iterator

import footfall as ff
from footfall.bench import Row

CASES: dict[str, tuple[str, dict]] = {  # study, its parameters
    "Ranger, tuned gait": ("ranger-walk", {}),
    "Ranger, Kelly's gait": ("ranger-walk-kelly", {}),
}
GOAL = 300  # times real time that is asked for


def measure() -> Iterator[Row]:
    for name, (study, parameters) in CASES.items():
        question = ff.studies.load(study, **parameters)
        seconds = min(ff.simulate(question).wall for _ in range(9)) / question.seconds
        how = "20 s at 1 ms, controller at 1 kHz, best of 9"
        yield Row(name, 1e3 * seconds, 1e3, "real time", "ms/s", 1.0 / seconds, f">= {GOAL}", how)
