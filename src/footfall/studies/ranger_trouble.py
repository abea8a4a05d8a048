"""The Cornell Ranger walks where it does not know the ground: sharp steps, slopes and pushes, all from a seed."""

from dataclasses import replace
from math import radians

from footfall.sim.study import Study
from footfall.studies import ranger_walk
from footfall.studies._trouble import TROUBLE, trouble


def build(
    *,
    seed: int = 0,
    rise: float = TROUBLE["rise"],
    slope: float = 1.5,
    impulse: float = TROUBLE["impulse"],
    every: float = TROUBLE["every"],
    gait: str = "stable",
    seconds: float = 120.0,
) -> Study:
    """seed; steps of up to rise (m), slopes of up to slope (degrees), in pieces of about 1 m; a push of impulse (N s) forward or
    backward each so many seconds (every); gait as in ranger-walk; seconds (s).
    """
    study = replace(ranger_walk.build(gait=gait, seconds=seconds), name="ranger-trouble")
    return trouble(study, seed, rise=rise, slope=radians(slope), impulse=impulse, every=every, way=seconds)
