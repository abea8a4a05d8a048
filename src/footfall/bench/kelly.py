"""Kelly's walking robots against the clock: simulated seconds for each second of waiting, controller included."""

from collections.abc import Iterator

import footfall as ff
from footfall.bench import Row

CASES: dict[str, tuple[str, dict[str, float], str]] = {  # study, its parameters, times real time that is asked for
    "simple biped, level ground": ("simple-biped-walk", {"seconds": 10.0}, ">= 300"),
    "simple biped, hills": ("simple-biped-hills", {"seconds": 10.0}, ">= 300"),
    "simple biped, from gait to gait": ("simple-biped-gaits", {"every": 2.0}, ">= 300"),
    "SIMBICON, walking": ("simbicon-walk", {"seconds": 10.0}, ""),
}


def measure() -> Iterator[Row]:
    yield from bipeds()


def bipeds() -> Iterator[Row]:
    """The simple biped and SIMBICON."""
    for name, (study, parameters, goal) in CASES.items():
        question = ff.studies.load(study, **parameters)
        seconds = min(ff.simulate(question).wall for _ in range(15)) / question.seconds
        how = f"{question.seconds:g} s at 1 ms, controller at 1 kHz, best of 15"
        yield Row(name, 1e3 * seconds, 1e3, "real time", "ms/s", 1.0 / seconds, goal, how)
