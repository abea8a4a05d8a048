"""Wendlandt and Sastry's experiment with exact workspace dynamics: feet that are truly fixed, errors in world axes.

Their paper derives this method but shows no results of it. All else is as in `wendlandt-stand`.
"""

from dataclasses import replace

from footfall.model.robot import Robot
from footfall.named import declared
from footfall.robots import ready
from footfall.sim.study import Study
from footfall.studies import wendlandt_stand
from footfall.studies.wendlandt_stand import RATE


@declared
def build(*, robot: Robot = ready("wendlandt"), rate: float = RATE) -> Study:
    """`wendlandt-stand` by the method `exact`."""
    study = wendlandt_stand.build(robot=robot, method="exact", rate=rate)
    return replace(study, name="wendlandt-stand-exact")
