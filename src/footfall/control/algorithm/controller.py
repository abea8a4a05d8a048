"""A controller that is an algorithm: two procedures in plain Python, in the form of the paper's figure 1."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from footfall.control.algorithm.algorithm import Algorithm
from footfall.control.believed import another_robot, believed_by
from footfall.control.controller import Controller
from footfall.control.fields import ControlError
from footfall.control.walking.legs import Estimate
from footfall.model.robot import Robot

OUT = {"tau": "tau", "acceleration": "a", "wrench": "wrench", "jump": "jump", "shift": "shift"}


@dataclass(frozen=True)
class Algorithmic(Controller):
    """An algorithm for a robot: `initialize(algo, params, state)`, asked once, and `controller(algo, params, state, time)`, asked
    at every tick; they add and remove equations, and what is in force is solved after each.

    On the engine Ideal its accelerations are what the robot does. On others its torques drive the motors.

    With an estimator above it, `Layered((LegOdometry(), MyAlgorithm()))`, it knows what that tells: `algo.obs` has the estimated
    state, and the forces that the foot sensors feel, shared among the contacts of each foot.
    """

    believed: Robot | None = another_robot()
    Goal: ClassVar[Any] = Estimate

    accelerates: ClassVar[bool] = True
    closes_loops: ClassVar[bool] = True
    initialize: ClassVar[Any] = None
    controller: ClassVar[Any] = None

    def prepare(self, robot: Robot, q: np.ndarray, gravity: float) -> dict[str, Any]:
        return {"robot": believed_by(self, robot), "gravity": gravity}

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
            return running.tick(procedures, obs, params, state, command, goal)

        return law


class Running:
    """An algorithm under way."""

    def __init__(self) -> None:
        self.algo: Algorithm | None = None
        self._taken: tuple[str, ...] = ()  # what whoever is commanded takes: motors, the ideal engine, a layer below
        self._told: frozenset[str] = frozenset()  # what a layer above may tell

    def begin(self, params: Any, goal: Any, command: Any) -> Algorithm:
        self._taken = tuple(name for name in (*OUT, "stands", "com_offset") if hasattr(command, name))
        self._told = frozenset(name for name in ("estimated", "q", "com_offset") if hasattr(goal, name))
        self.algo = Algorithm(params.robot, params.gravity)
        return self.algo

    def tick(self, procedures: list[Any], obs: Any, params: Any, state: Any, command: Any, goal: Any = None) -> int:
        algo = self.algo or self.begin(params, goal, command)
        if algo.robot is not params.robot or algo.gravity != params.gravity:
            algo.gravity = params.gravity
            algo.set_robot(params.robot)
        algo.goal = goal
        if self._told:
            self._listen(algo, obs, goal)
        out, first = algo.out, not algo.solved
        out.q[:], out.v[:], algo.time, algo.obs = obs.q, obs.v, obs.time, obs
        if first:
            procedures[0](algo, params, state)
        procedures[1](algo, params, state, obs.time)
        out.q[:], out.v[:], algo.time = obs.q, obs.v, obs.time  # a procedure may have solved for another state
        algo.tick()
        for name in self._taken:
            if name in OUT:
                getattr(command, name)[:] = getattr(out, OUT[name])
            elif name == "stands":
                command.q[:], command.v[:], command.stands[:] = obs.q, obs.v, stands(params.robot, out.wrench)
            elif name in self._told:
                command.com_offset[:], command.more_mass[:] = goal.com_offset, goal.more_mass
        return 0

    def _listen(self, algo: Algorithm, obs: Any, goal: Any) -> None:
        """Take over what a layer above says that it reckons with."""
        if "estimated" in self._told and goal.estimated > 0.0:
            estimated(obs, goal, algo.robot)
        if "q" in self._told and goal.q.any():
            obs.q[:], obs.v[:] = goal.q, goal.v
        if "com_offset" in self._told and (goal.more_mass or any(goal.com_offset.tolist())):
            algo.correct_mass(float(np.sum(goal.more_mass)), (*goal.com_offset, 0.0))


def estimated(obs: Any, goal: Any, robot: Robot) -> None:
    """Complete an observation with what an estimator tells of pelvis and feet; the contacts of a foot share its force equally."""
    free = next(i for i, joint in enumerate(robot.layout.joints, 1) if joint.kind == "free")
    i, d, n = robot.tree.first_q[free], robot.tree.first_v[free], len(obs.mode) // len(robot.feet)
    obs.q[i : i + 3], obs.v[d : d + 3] = goal.pelvis[:3], goal.pelvis[3:]
    for side in range(len(robot.feet)):
        mine = slice(side * n, (side + 1) * n)
        obs.force[mine], obs.mode[mine] = goal.foot_force[side] / n, goal.touch[side] > 0.0


def stands(robot: Robot, wrench: np.ndarray) -> list[float]:
    """For each foot 1 if an algorithm counts on a force on it, else 0."""
    bodies = [[robot.target(pad.link).body for pad in foot.pads] for foot in robot.feet]
    return [float(np.abs(wrench[rows]).max() > 0.0) for rows in bodies]
