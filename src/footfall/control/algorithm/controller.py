"""A controller that is an algorithm: two procedures in plain Python, in the form of the paper's figure 1."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from footfall.control.algorithm.algorithm import Algorithm
from footfall.control.controller import Controller
from footfall.control.fields import ControlError
from footfall.model.robot import Robot


@dataclass(frozen=True)
class Algorithmic(Controller):
    """An algorithm for a robot: `initialize(algo, params, state)`, asked once, and `controller(algo, params, state, time)`, asked
    at every tick; they add and remove equations, and what is in force is solved after each.

    On the engine Ideal its accelerations are what the robot does. On others its torques drive the motors.
    """

    accelerates: ClassVar[bool] = True
    initialize: ClassVar[Any] = None
    controller: ClassVar[Any] = None

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> dict[str, Any]:
        return {"robot": robot, "gravity": gravity}

    @property
    def law(self) -> Callable[..., int]:
        """A law of its own for each run: the equations in force live as long as it does."""
        kind, running = type(self), Running()
        procedures = [kind.__dict__.get(name) or getattr(kind, name) for name in ("initialize", "controller")]
        if not all(callable(each) for each in procedures):
            raise ControlError(
                f"{kind.__name__}: it needs initialize(algo, params, state) and controller(algo, params, state, time)"
            )

        def law(obs: Any, params: Any, state: Any, goal: Any, command: Any) -> int:
            return running.tick(procedures, obs, params, state, command)

        return law


class Running:
    """An algorithm under way."""

    def __init__(self) -> None:
        self.algo: Algorithm | None = None

    def tick(self, procedures: list[Any], obs: Any, params: Any, state: Any, command: Any) -> int:
        algo = self.algo
        if algo is None:
            algo = self.algo = Algorithm(params.robot, params.gravity)
        elif algo.robot is not params.robot or algo.gravity != params.gravity:
            algo.gravity = params.gravity
            algo.set_robot(params.robot)
        out, first = algo.out, not algo.solved
        out.q[:], out.v[:], algo.time, algo.obs = obs.q, obs.v, obs.time, obs
        if first:
            procedures[0](algo, params, state)
        procedures[1](algo, params, state, obs.time)
        algo.tick()
        command.tau[:] = out.tau
        if algo.most_torque < np.inf:
            np.clip(command.tau, -algo.most_torque, algo.most_torque, out=command.tau)
        if hasattr(command, "acceleration"):
            command.acceleration[:], command.wrench[:] = out.a, out.wrench
            command.jump[:], command.shift[:] = out.jump, out.shift
        return 0
