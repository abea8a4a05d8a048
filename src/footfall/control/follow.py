"""Follow joint angles: a spring and damper at every driven hinge, toward goals that a controller above it may set."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from footfall.control.controller import Controller
from footfall.control.fields import ControlError, array
from footfall.core.jit import kernel
from footfall.model.quantity import quantity
from footfall.model.robot import Robot
from footfall.motion import pd


class Hinges(NamedTuple):
    """The driven hinges of a robot, in its order."""

    q_index: Any  # (motors,) int: where each is in q
    v_index: Any  # (motors,) int: and in v
    angle: Any  # (motors,) at the start


@dataclass(frozen=True)
class Follow(Controller):
    """Bring every driven hinge to its goal: its angle at the start, or the goal that a controller above sets, in rad or m.

    The goals are in the order of the robot's driven joints. The gains are taken as they are, so a light joint may swing up.
    """

    stiffness: float = quantity("N m/rad", "of every joint", 100.0, low=0.0)
    damping: float = quantity("N m s/rad", "of every joint", 2.0, low=0.0)

    class Goal:
        angle: Any = array("motors")  # rad or m

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> Hinges:
        rows: list[tuple[int, int]] = []
        for i, joint in enumerate(robot.layout.joints, start=1):
            if joint.motor and joint.kind not in ("revolute", "prismatic"):
                raise ControlError(
                    f"Follow: joint {joint.name!r} of robot {robot.name!r} is {joint.kind}; it follows hinges only"
                )
            if joint.motor:
                rows.append((int(robot.tree.first_q[i]), int(robot.tree.first_v[i])))
        places = np.array(rows, np.int64).reshape(-1, 2)
        return Hinges(places[:, 0], places[:, 1], q[places[:, 0]])

    @kernel
    def law(obs, params, state, goal, command):
        for i in range(len(goal.angle)):
            d = params.v_index[i]
            command.tau[d] = pd(params.stiffness, params.damping, goal.angle[i] - obs.q[params.q_index[i]], -obs.v[d])
        return 0
