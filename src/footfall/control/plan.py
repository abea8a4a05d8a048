"""The plan of the workspace controller in a state: the forces under the feet, and the limits that bind, by name."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.control.controller import ControlError
from footfall.control.soles import wrench_cone
from footfall.control.trial import Trial
from footfall.control.workspace import Workspace
from footfall.core.recursion.follow import NO_LIMIT
from footfall.model import state
from footfall.model.robot import Robot


@dataclass(frozen=True)
class Plan:
    """Torques, and the wrench of the ground on each foot, (force, moment) in the foot's axes about the middle of its sole."""

    torques: np.ndarray
    wrenches: dict[str, np.ndarray]
    binding: tuple[str, ...]  # limits that are reached
    shortfall: np.ndarray  # acceleration of the body that had to be given up, m/s2 and rad/s2
    impossible: str | None  # a limit that cannot be kept whatever is given up; motors were then left out of account


def plan(controller: Workspace, robot: Robot, q: Any, v: Any = None) -> Plan:
    """The plan of an optimal controller in this state, standing on its present feet."""
    if controller.method != "optimal":
        raise ControlError(f"only the method 'optimal' plans forces under the feet, this one is {controller.method!r}")
    q, v = state.coordinates(robot, q), state.velocities(robot, np.zeros(robot.nv) if v is None else v)
    ready = Trial(controller, robot, q, robot.gravity)
    status, width, program = ready.ask(0.0, q, v), len(ready.params.scratch.reach), ready.params.program
    names = _row_names(controller, robot, len(ready.params.soles.edge))
    stuck = int(ready.state.stuck) - 1
    if status != 0:
        raise ControlError(
            f"robot {robot.name!r} cannot stand so: {names[stuck - width] if stuck >= width else 'it has no hold'}"
        )
    reached = [names[k - width] for k in range(width, len(program.sign)) if program.sign[k]]
    return Plan(
        torques=ready.command.tau,
        wrenches={foot.name: program.x[width * (1 + l) : width * (2 + l)].copy() for l, foot in enumerate(robot.feet)},
        binding=tuple(dict.fromkeys(reached)),
        shortfall=-program.x[:width] @ ready.params.scratch.moves,
        impossible=names[stuck - width] if stuck >= width else None,
    )


def _row_names(controller: Workspace, robot: Robot, edges: int) -> list[str]:
    """Names of the rows of the program, after the equations of the base."""
    size = np.ones(robot.dim - 1)
    names = [f"{what} of {foot.name}" for foot in robot.feet for what in wrench_cone(size, controller.friction)[1]]
    names += ["balance"] * edges
    for i, joint in enumerate(robot.layout.joints, start=1):
        limited = joint.motor is not None and joint.motor.strongest < NO_LIMIT
        names += [f"torque of {joint.name}"] * (2 * int(robot.tree.first_v[i + 1] - robot.tree.first_v[i]) if limited else 0)
    return names
