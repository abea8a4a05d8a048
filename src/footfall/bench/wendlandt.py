"""Wendlandt and Sastry's experiment against the clock: simulated seconds for each second of waiting, controller included."""

from collections.abc import Iterator

import footfall as ff
from footfall.bench import Row
from footfall.sim.whole import whole

CASES = {  # study, its parameters, times real time that is asked for
    "standing, paper": ("wendlandt-stand", {}, 500),
    "standing, exact": ("wendlandt-stand-exact", {}, 500),
    "standing, optimal": ("wendlandt-stand", {"method": "optimal"}, 500),
    "standing in space, optimal": ("wendlandt-stand-3d", {}, 100),
}


def measure() -> Iterator[Row]:
    for name, (study, parameters, goal) in CASES.items():
        question = ff.studies.load(study, **parameters)
        seconds = min(whole(question).wall for _ in range(9)) / question.seconds
        how = "10 s at 1 ms, controller at 100 Hz, best of 9; the paper's simulator took 100 to 200 s for a second"
        yield Row(name, 1e3 * seconds, 1e3, "real time", "ms/s", 1.0 / seconds, f">= {goal}", how)
