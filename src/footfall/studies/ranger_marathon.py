"""The Cornell Ranger walks far: an hour of the walk that in May 2011 went on for 65 km and 30 h 49 min."""

from dataclasses import replace

from footfall.sim.study import Study
from footfall.studies import ranger_walk


def build(*, gait: str = "thrifty", seconds: float = 3600.0) -> Study:
    """gait as in ranger-walk and seconds (s)."""
    return replace(ranger_walk.build(gait=gait, seconds=seconds), every=0.01, name="ranger-marathon")
