"""The same study under MuJoCo: soft contact, another solver, other integrators; a second opinion on every result."""

from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from footfall.engines.contact.build import pads_of
from footfall.engines.engine import Engine, Rollout, Scenario
from footfall.errors import SimulationError
from footfall.model.quantity import check_quantities, choice, count, quantity
from footfall.model.robot import Robot

INTEGRATORS = ("implicitfast", "Euler", "RK4")


@dataclass(frozen=True)
class MuJoCo(Engine):
    """MuJoCo moves the robot, in steps of the study's `dt`; controllers, sensors and records are those of all engines.

    Its contacts, stops and dry friction are soft. `differences` says what else differs for a study. Needs footfall[mujoco].
    """

    integrator: str = choice(
        "of MuJoCo; RK4 has order 4 where nothing touches, and takes the motors' own springs and dampers as they are at the "
        "beginning of a step, the others at its end",
        "implicitfast",
        INTEGRATORS,
    )
    time_constant: float = quantity(
        "s",
        "in which a contact, stop or joint friction springs back (solref); 0 is two steps, the hardest that MuJoCo has",
        0.0,
        low=0.0,
        high=10.0,
    )
    damping_ratio: float = quantity("1", "of that, 1 is critical (solref)", 1.0, low=1e-3, high=100.0)
    impratio: float = quantity(
        "1", "how much harder friction is than the normal force; less lets feet creep", 100.0, low=1e-3, high=1e6
    )
    iterations: int = count("most iterations of its solver in a step", 100, low=1, high=100_000)
    tolerance: float = quantity("1", "at which its solver ends", 1e-8, low=0.0, high=1.0)

    def __post_init__(self) -> None:
        check_quantities(self, "engine MuJoCo", SimulationError)

    def softness(self, dt: float) -> float:
        """The time constant (s) for steps of this length. MuJoCo would silently take two steps for a shorter one."""
        hardest = 2.0 * dt
        if 0.0 < self.time_constant < hardest * (1.0 - 1e-12):
            raise SimulationError(
                f"engine MuJoCo: time_constant must be at least two steps, {hardest:g} s, or 0 for that, got "
                f"{self.time_constant:g} s; a smaller dt allows for less"
            )
        return max(self.time_constant, hardest)

    def pads(self, robot: Robot, bodies: bool = False) -> dict[str, float]:
        return pads_of(robot, bodies)

    def start(self, study: Scenario, q: np.ndarray, v: np.ndarray, lift: bool = False) -> Rollout:
        from footfall.engines.mujoco.rollout import MujocoRollout

        return MujocoRollout(study, q, v, lift, self)

    def made_with(self) -> dict[str, str]:
        try:
            return {"mujoco": version("mujoco")}
        except PackageNotFoundError:
            return {"mujoco": "none"}

    def differences(self, study: Scenario) -> tuple[str, ...]:
        from footfall.engines.mujoco.said import differences

        return differences(self, study)
