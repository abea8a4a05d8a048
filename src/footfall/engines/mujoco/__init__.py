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
        "of MuJoCo: implicitfast takes dampers and the motors' own springs and dampers at the end of a step; Euler and RK4 take "
        "motors as they are at its beginning; RK4 has order 4 where nothing touches",
        "implicitfast",
        INTEGRATORS,
    )
    time_constant: float = quantity(
        "s", "of a contact, stop or joint friction that springs back; at least two steps (solref)", 0.02, low=1e-5, high=10.0
    )
    damping_ratio: float = quantity("1", "of that, 1 is critical (solref)", 1.0, low=1e-3, high=100.0)
    impratio: float = quantity(
        "1", "how much harder friction is than the normal force; less lets feet creep", 100.0, low=1e-3, high=1e6
    )
    iterations: int = count("most iterations of its solver in a step", 100, low=1, high=100_000)
    tolerance: float = quantity("1", "at which its solver ends", 1e-8, low=0.0, high=1.0)
    spacing: float = quantity("m", "of the height field that stands for hills", 0.01, low=1e-4, high=10.0)

    def __post_init__(self) -> None:
        check_quantities(self, "engine MuJoCo", SimulationError)

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
