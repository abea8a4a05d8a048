"""Wendlandt and Sastry's experiment with exact workspace dynamics: feet that are truly fixed, errors in world axes.

What their paper derives but does not present. All else is as in `wendlandt-stand`.
"""

from dataclasses import replace

from footfall.sim.study import Study
from footfall.studies import wendlandt_stand


def build(*, rate: float = 100.0, seconds: float = 10.0, step: float = 0.001) -> Study:
    """rate of the controller (1/s), seconds and step (s)."""
    study = wendlandt_stand.build(method="exact", rate=rate, seconds=seconds, step=step)
    return replace(study, name="wendlandt-stand-exact")
