"""One controller by itself, in plain Python and without a simulation: for tests, and to look at its commands."""

from typing import Any

import numpy as np

from footfall.control.fields import Block, place_all, sizes_of
from footfall.control.params import params_of
from footfall.core.jit import Kernel
from footfall.core.law import Command, Observation
from footfall.model.robot import Robot


class Trial:
    """A controller made ready for a robot that starts at q; `params`, `state`, `goal` and `command` are what its law is given."""

    def __init__(self, controller: Any, robot: Robot, q: np.ndarray, gravity: float, contacts: int = 0):
        self.robot, self.contacts, owner = robot, contacts, type(controller).__name__
        sizes = sizes_of(robot, contacts)
        blocks = [Block(owner, declared, sizes) for declared in (controller.State, controller.Goal)]
        place_all(blocks)
        self.params = params_of(controller, robot, np.array(q, float), gravity)
        for name in blocks[1].names():
            if name in self.params._fields:
                blocks[1][name] = getattr(self.params, name)
        self.state, self.goal = (block.value for block in blocks)
        self.command = Command(*(np.zeros(robot.nv) for _ in Command._fields))
        law = vars(type(controller)).get("law", type(controller).law)
        self.law = law.plain(robot.space) if isinstance(law, Kernel) else law

    def ask(self, time: float, q: Any, v: Any, mode: Any = None) -> int:
        """One tick in this state; returns the status."""
        mode = np.zeros(self.contacts, np.uint32) if mode is None else np.array(mode, np.uint32)
        dim, feet = self.robot.dim, len(self.robot.feet)
        unmeasured = np.full((feet, 3 * dim - 3), np.nan), np.zeros((0, dim))
        obs = Observation(time, np.array(q, float), np.array(v, float), np.zeros((len(mode), dim)), mode, *unmeasured)
        return self.law(obs, self.params, self.state, self.goal, self.command)

    def forces(self, q: Any, v: Any) -> np.ndarray:
        """The torques that the motors would deliver in this state, servos included; for hinges."""
        c = self.command
        return c.tau + c.stiffness * (c.target - np.asarray(q)) - c.damping * np.asarray(v)
