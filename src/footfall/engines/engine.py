"""What the engines have in common."""

from typing import Protocol

from footfall.model.robot import Robot
from footfall.world import World


class Scenario(Protocol):
    """What an engine needs to know of a study."""

    @property
    def robot(self) -> Robot: ...

    @property
    def world(self) -> World: ...

    @property
    def gravity(self) -> float: ...

    @property
    def step(self) -> float: ...

    @property
    def formulation(self) -> str: ...
