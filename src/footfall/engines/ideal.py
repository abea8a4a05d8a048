"""The ideal engine: a robot that accelerates as its controller says."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.core.call import KernelCall
from footfall.core.contact.decide import Control
from footfall.core.equations import ideal
from footfall.core.law import Answer
from footfall.dynamics.loops import refuse_loops
from footfall.engines.contact.build import pads_of
from footfall.engines.contact.rollout import ContactRollout
from footfall.engines.engine import Engine, Rollout, Scenario, check_rigid_feet
from footfall.errors import SimulationError
from footfall.model.robot import Robot


@dataclass(frozen=True)
class Ideal(Engine):
    """Accelerations of a controller are integrated, and what it holds is held, whatever force that takes: magnetic shoes.

    As Stewart and Cremer's simulation of 1989. Torques are by-products; pushes, loads, friction and a tilt of gravity have no
    effect and are refused. The ledger books the work of what holds bodies as the ground's.
    """

    def pads(self, robot: Robot, bodies: bool = False) -> dict[str, float]:
        return pads_of(robot, bodies)

    def start(self, study: Scenario, q: np.ndarray, v: np.ndarray, lift: bool = False) -> Rollout:
        return IdealRollout(study, q, v, lift)


class IdealRollout(ContactRollout):
    """A robot that the compiled loop moves as told."""

    def __init__(self, study: Scenario, q: np.ndarray, v: np.ndarray, lift: bool):
        check(study)
        super().__init__(study, q, v, lift)
        self._loop = KernelCall(ideal.advance, self.robot.space)
        nv, bodies, motion = self.robot.nv, len(self.robot.tree.parent), 3 if self.robot.dim == 2 else 6
        shapes = ((nv,), (nv,), (bodies, motion), (nv,), (nv,))
        ends = np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])
        self._said = np.zeros(ends[-1])
        views = (self._said[a:b].reshape(s) for a, b, s in zip(ends[:-1], ends[1:], shapes, strict=True))
        self.said = ideal.IdealCommand(*views)

    def command(self) -> tuple[Any, Answer]:
        return self.said, Answer(self._said, np.zeros(0))

    def _arguments(self, control: Control) -> tuple:
        return self.data, self.said, control, self.log

    def velocity(self) -> np.ndarray:
        return self.data.motion.v_now.copy()

    def moving(self) -> tuple:
        return *super().moving(), self._said

    def check_change(self, study: Scenario) -> None:
        check(study)
        super().check_change(study)


def check(study: Scenario) -> None:
    """Refuse what has no effect here."""
    robot, world, controller = study.robot, study.world, study.controller
    lost = getattr(controller, "lost", False)  # one that a file could not keep, which says so itself
    if controller is not None and not lost and not getattr(controller, "accelerates", False):
        raise SimulationError(
            f"engine Ideal moves a robot by accelerations, but {type(controller).__name__} commands torques; let its class say "
            "`accelerates = True` and its law write command.acceleration, or use the engine TimeStepping"
        )
    check_rigid_feet(robot, "engine Ideal")
    if not getattr(controller, "closes_loops", False):
        refuse_loops(robot, "engine Ideal without an Algorithmic controller")
    for name in ("pushes", "loads", "changes", "bonded", "bodies"):
        if getattr(world, name):
            raise SimulationError(f"engine Ideal: {name} have no effect, got {getattr(world, name)!r:.80}; leave them out")
    if world.gravity_tilt:
        raise SimulationError(
            f"engine Ideal: gravity_tilt has no effect on accelerations that are told, got {world.gravity_tilt:g} rad; forces "
            "and energy would be those of gravity straight down; leave it out, or use the engine TimeStepping"
        )
