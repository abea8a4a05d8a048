"""Contact by time stepping: articulated bodies, rigid or compliant contact with friction, stops, motors."""

from dataclasses import dataclass

import numpy as np

from footfall.dynamics.loops import refuse_loops
from footfall.engines.contact.build import pads_of
from footfall.engines.contact.rollout import ContactRollout
from footfall.engines.engine import Engine, Rollout, Scenario
from footfall.model.robot import Robot


@dataclass(frozen=True)
class TimeStepping(Engine):
    """Steps of fixed length in joint coordinates, in the plane and in space. The engine of a study that names no other."""

    def pads(self, robot: Robot, bodies: bool = False) -> dict[str, float]:
        return pads_of(robot, bodies)

    def start(self, study: Scenario, q: np.ndarray, v: np.ndarray, lift: bool = False) -> Rollout:
        refuse_loops(study.robot, "engine TimeStepping")
        return ContactRollout(study, q, v, lift)
