"""The undisturbed walk: where and when a disturbance shall meet it, and what it must go on doing to count as walking."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from footfall import analysis, studies
from footfall.analysis import motion
from footfall.engines.events import Outcome
from footfall.errors import FootfallError, UnsuitableError
from footfall.sim.parameters import with_parameters
from footfall.sim.run import Run
from footfall.sim.study import Study
from footfall.sim.whole import whole
from footfall.sweeps.measures import Measure

STEADY = 6  # steps before it is met
FEWEST = 10  # steps that a walk has
AFTER = 8  # strides that it must walk on
LEAST = 5.0  # s, at least
ENOUGH = 0.5  # of its speed, on its way, or it does not walk any more


@dataclass(frozen=True)
class Walks:
    """Whether a run reached its end, and since an instant went on with half of the speed of the undisturbed walk, along x."""

    start: float  # s
    speed: float  # m/s, of the undisturbed walk

    def __call__(self, run: Run) -> bool:
        if run.outcome is not Outcome.END:
            return False
        made = float(motion.travel(run, self.start)[0]) / (float(run.time[-1]) - self.start)
        return bool(made * np.sign(self.speed) >= ENOUGH * abs(self.speed))


@dataclass(frozen=True)
class Gait:
    """An undisturbed walk."""

    study: Study  # as long as it takes to be met and to walk on
    run: Run
    start: float  # s: a step in the steady walk
    stride: float  # s: two steps
    along: float  # m: where the robot is then
    speed: float  # m/s along x
    cost: float  # s of computing for one run

    @property
    def met(self) -> dict[str, float]:
        """The numbers of an ordeal that meets it."""
        return {"start": self.start, "stride": self.stride, "along": self.along, "speed": self.speed}

    @property
    def walks(self) -> Measure:
        return Measure("walks", "", "reaches the end and goes on with half of its speed", Walks(self.start, self.speed), "bool")

    @property
    def height(self) -> float:
        """Of the centre of mass above the ground, m."""
        center = analysis.center_of_mass(self.run)
        return float(np.mean(center[:, -1])) - self.study.world.terrain.height(float(center[0, 0]))


def gait_of(study: str | Study, settings: dict[str, Any]) -> Gait:
    """The walk of a study; one that does not walk along x by itself is refused."""
    if not isinstance(study, str | Study):
        raise UnsuitableError(f"a certificate is of a Study or the name of one, such as 'simbicon-walk', got {study!r:.80}")
    base = studies.load(study, **settings) if isinstance(study, str) else with_parameters(study, settings)
    name = base.name or base.robot.name
    try:
        run = whole(base)
        made = analysis.steps(run)
    except FootfallError as error:
        raise UnsuitableError(f"study {name!r} does not walk undisturbed: {error}") from None
    if run.outcome is not Outcome.END or len(made.rows) < FEWEST:
        raise UnsuitableError(
            f"study {name!r} does not walk: it {run.reason}, after {len(made.rows)} steps; {FEWEST} are needed at least"
        )
    times = np.array([step.time for step in made.rows])
    stride = float(np.median(times[STEADY:][2:] - times[STEADY:][:-2]))
    row = int(np.searchsorted(run.time, times[STEADY]))
    speed = float(motion.travel(run, float(run.time[row]))[0]) / float(run.time[-1] - run.time[row])
    if abs(speed) < 1e-3 or not stride > 0.0:
        raise UnsuitableError(f"study {name!r} does not get on along x (at {speed:.3g} m/s): a certificate is of a walk along x")
    start, along = float(run.time[row]), float(analysis.center_of_mass(run)[row, 0])
    met = replace(base, seconds=start + stride + max(LEAST, AFTER * stride))
    again = whole(met)
    return Gait(met, again, start, stride, along, speed, again.wall)
