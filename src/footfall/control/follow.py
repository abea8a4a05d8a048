"""Follow joint angles: a spring and damper at every driven hinge, toward goals that a controller above it may set."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from footfall.control.controller import ControlError, Controller
from footfall.core.contact.decide import Body, Felt, Own
from footfall.core.jit import kernel
from footfall.model.quantity import quantity
from footfall.model.robot import Robot


@kernel
def follow(felt: Felt, own: Own, body: Body, tau: np.ndarray) -> int:
    """numbers: stiffness, damping, then of every driven hinge its entries of q and v. Its goals head the memory."""
    for i in range((len(own.numbers) - 2) // 2):
        j, d = int(own.numbers[2 + 2 * i]), int(own.numbers[3 + 2 * i])
        tau[d] = own.numbers[0] * (own.memory[i] - felt.q[j]) - own.numbers[1] * felt.v[d]
    return 0


@dataclass(frozen=True)
class Follow(Controller):
    """Bring every driven hinge to its goal: where it is at the start, or what a controller above it answers, in rad or m.

    The goals are in the order of the robot's driven joints. The gains are taken as they are, so a light joint may swing up.
    """

    stiffness: float = quantity("N m/rad", "of every joint", 100.0, low=0.0)
    damping: float = quantity("N m s/rad", "of every joint", 2.0, low=0.0)
    _numbers: Any = field(default=None, compare=False)
    _goal: Any = field(default=None, compare=False)

    def start(self, robot: Robot, q: np.ndarray, gravity: float) -> "Follow":
        rows: list[tuple[int, int]] = []
        for i, joint in enumerate(robot.layout.joints, start=1):
            if joint.motor and joint.kind not in ("revolute", "prismatic"):
                raise ControlError(
                    f"Follow: joint {joint.name!r} of robot {robot.name!r} is {joint.kind}; it follows hinges only"
                )
            if joint.motor:
                rows.append((int(robot.tree.first_q[i]), int(robot.tree.first_v[i])))
        numbers = np.array([self.stiffness, self.damping, *np.array(rows, dtype=float).ravel()])
        return replace(self, _numbers=numbers, _goal=q[[j for j, _ in rows]])

    @property
    def numbers(self) -> Any:
        return self._numbers

    def first_goal(self, robot: Robot) -> np.ndarray:
        return self._goal

    def law(self) -> Any:
        return follow
