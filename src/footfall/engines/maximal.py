"""Maximal coordinates: equations of every body, forces in all hinges, from event to event; or Kelly's pinned bodies."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.core.call import KernelCall
from footfall.core.contact.decide import Control
from footfall.core.maximal import event_loop, loop
from footfall.core.maximal.bodies import Bodies, new_bodies
from footfall.core.maximal.flow import new_flow
from footfall.core.maximal.loops import Hinges
from footfall.core.recursion.kinematics import set_speeds
from footfall.dynamics.loops import Closed, closures
from footfall.dynamics.maximal import Solver, closed
from footfall.engines.contact.build import has_edges, pads_of
from footfall.engines.contact.rollout import ContactRollout
from footfall.engines.engine import Engine, Rollout, Scenario, check_rigid_feet
from footfall.errors import SimulationError
from footfall.model.quantity import check_quantities, flag
from footfall.model.robot import Robot
from footfall.world import Rigid

LIFTED = 1e-12  # m or rad: by which putting a robot onto the ground may open a loop
NEARLY = 1e-6  # m or rad, and of the velocities: a loop that is open, or opens, by less is closed


@dataclass(frozen=True)
class Maximal(Engine):
    """Newton-Euler equations of every body, with the forces in hinges, loops and contacts as unknowns, on rigid ground.

    The motion has order 8 between events, which are found where they happen. With `pinned` every body has a pose of its own and
    the robot moves in time steps of first order, as in Kelly's report.
    """

    pinned: bool = flag("bodies with poses of their own, joined by pins, in time steps, as in Kelly's report", False)
    alternating: bool = flag("change the mode of one pad in a step, as in Kelly's report; needs `pinned`", False)

    def __post_init__(self) -> None:
        check_quantities(self, "engine Maximal", SimulationError)
        if self.alternating and not self.pinned:
            raise SimulationError("engine Maximal: alternating=True is a part of Kelly's time steps; set pinned=True as well")

    def pads(self, robot: Robot, bodies: bool = False) -> dict[str, float]:
        return pads_of(robot, bodies)

    def start(self, study: Scenario, q: np.ndarray, v: np.ndarray, lift: bool = False) -> Rollout:
        return MaximalRollout(study, q, v, lift, self)


class MaximalRollout(ContactRollout):
    """A robot that the compiled loop moves from event to event, or each of its bodies by itself."""

    def __init__(self, study: Scenario, q: np.ndarray, v: np.ndarray, lift: bool, engine: Maximal):
        check_rigid_feet(study.robot, "engine Maximal")
        check_world(study)
        if study.robot.loops:
            q, v = self._closed(study.robot, q, v)
        super().__init__(study, q, v, lift)
        if study.robot.loops and not np.array_equal(self.q, q):
            self._check_lifted(q)
        closed_loops = closures(self.robot)
        self.flow = new_flow(self.data, closed_loops.rows, _hinges(self.robot, closed_loops))
        self._loop = KernelCall((loop if engine.pinned else event_loop).advance, self.robot.space)
        self._moved: tuple[Any, ...] = (self.flow,)
        self._none_ahead = np.zeros(1)
        self.bodies: Bodies | None = None
        if engine.pinned:
            set_speeds[self.robot.space](self.data.tree, self.data.work, self.data.motion.q, self.data.motion.v)
            self.bodies = new_bodies(self.data, engine.alternating)
            self._moved = (self.flow, self.bodies)

    @staticmethod
    def _closed(robot: Robot, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Loops that are open, or about to open, by rounding are closed; others are refused."""
        error = Solver(robot).error(q)
        if error > NEARLY:
            raise SimulationError(
                f"at the start a loop of robot {robot.name!r} is open by {error:.2g} m (or rad); "
                "dynamics.closed(robot, q, v) gives a start with all of them closed"
            )
        fitting = closed(robot, q, v)
        off = np.abs(fitting[1] - v)
        if off.max(initial=0.0) > NEARLY * (1.0 + np.abs(v).max(initial=0.0)):
            worst = int(off.argmax())
            raise SimulationError(
                f"at the start the velocities of robot {robot.name!r} open its loops: that of {robot.velocities[worst]!r} is "
                f"{v[worst]:.6g}, {off[worst]:.2g} from the nearest velocities that keep them closed, which "
                "dynamics.closed(robot, q, v) gives"
            )
        return fitting

    def _check_lifted(self, q: np.ndarray) -> None:
        """A loop to the world does not go up with the robot."""
        solver = Solver(self.robot)
        before, error = solver.error(q), solver.error(self.q)
        if error > max(2.0 * before, LIFTED):
            raise SimulationError(
                f"to put robot {self.robot.name!r} onto the ground opens a loop by {error:.2g} m (or rad): it is joined to the "
                "world; start with q where it stands on the ground with its loops closed, without lift=True"
            )

    def _arguments(self, control: Control) -> tuple:
        return self.data, *self._moved, control, self.log

    def velocity(self) -> np.ndarray:
        return self.data.motion.v_now.copy()

    def shown(self) -> tuple:
        clock, dt, q, _, a, _, *rest = super().shown()
        return clock, dt, q, self.data.motion.v_now, a, self._none_ahead, *rest

    def moving(self) -> tuple:
        return *super().moving(), self._moved

    def check_change(self, study: Scenario) -> None:
        if has_edges(study.world) and not has_edges(self.study.world):
            raise SimulationError("maximal coordinates: ground with edges must be there, or foreseen, from the start")
        check_world(study)
        super().check_change(study)


def _hinges(robot: Robot, closed_loops: Closed) -> Hinges:
    """When the loops of a robot hold."""
    ends = [closed_loops.named[loop.name].stop for loop in robot.loops]
    start, end, strength = (
        np.array([getattr(loop, name) for loop in robot.loops], dtype=float) for name in ("start", "end", "strength")
    )
    return Hinges(np.array([0, *ends], np.int64), start, end, strength, np.zeros(len(robot.loops), np.int64))


def check_world(study: Scenario) -> None:
    """Refuse a world with parts that this engine does not have."""
    world, name = study.world, "engine Maximal"
    for contact in (world.contact, *(change.contact for change in world.changes if change.contact is not None)):
        if not isinstance(contact, Rigid) or contact.restitution > 0.0:
            raise SimulationError(f"{name}: contact must be Rigid without restitution, got {contact!r:.80}")
    if world.bonded:
        raise SimulationError(f"{name}: feet cannot be bonded, got {world.bonded!r:.80}")
    if world.loads:
        raise SimulationError(f"{name}: bodies keep their mass, but there are loads: {world.loads!r:.80}")
