"""The bridge from named things to kernels: one evaluation of a robot in a state, shared by kinematics, dynamics and symbols."""

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from footfall.core.jit import Kernel
from footfall.core.tree import Work, work_arrays
from footfall.model.layout import Target, lift, lower
from footfall.model.robot import Robot


class Evaluation:
    """A workspace for one robot and the kernels of its space: compiled, or plain for symbols."""

    def __init__(self, robot: Robot, symbols: bool = False):
        self.robot = robot
        self.tree = robot.tree
        self.algebra = importlib.import_module(f"footfall.core.{robot.space}.algebra")
        self.symbols = symbols
        self.dtype: Any = object if symbols else np.float64
        self.work: Work = work_arrays(self.tree, self.algebra, self.dtype)

    def read(self, kernel: Kernel) -> Any:
        return kernel.plain(self.robot.space) if self.symbols else kernel[self.robot.space]

    def run(self, kernel: Kernel, *arguments: Any) -> Any:
        """Call a kernel that begins with (tree, work)."""
        return self.read(kernel)(self.tree, self.work, *arguments)

    def zeros(self, *shape: int) -> np.ndarray:
        return np.zeros(shape, self.dtype)

    def rows(self) -> np.ndarray:
        """Room for a motion for each degree of freedom."""
        return self.zeros(self.robot.nv, self.algebra.MOTION)

    def units(self) -> np.ndarray:
        """The unit motions, one in each row."""
        return np.eye(self.algebra.MOTION)

    def fall(self, gravity: np.ndarray) -> None:
        """Let the world accelerate upward, which is what weight is."""
        self.work.A_WB[0, : self.robot.dim] = -gravity

    # --- named places; the bodies' places are set already -----------------------------------------------------------------

    def arm(self, target: Target, at: np.ndarray | None = None) -> tuple:
        """From the origin of the target's body to a point on the target, in world axes."""
        local = target.place if at is None else target.place + target.axes @ lift(at)
        return self.small("rotate", self.work.R_WB[target.body], lower(local, self.robot.space))

    def axes(self, target: Target) -> tuple:
        """The turn of the target itself."""
        if self.robot.space == "spatial":
            constant = target.axes.ravel()
        else:
            c, s = target.axes[0, 0], target.axes[0, 2]
            constant = np.array((c, s, np.arctan2(s, c)))
        return self.small("compose", self.work.R_WB[target.body], constant)

    def push(self, external: Mapping[str, np.ndarray]) -> None:
        """External forces, at the origins of links and frames."""
        for name, wrench in external.items():
            target = self.robot.target(name)
            self.work.f_ext[target.body] += self.small("shift_force", wrench, self.arm(target))

    def small(self, name: str, *arguments: Any) -> tuple:
        """One operation of the algebra, as plain Python: not worth a crossing."""
        return getattr(self.algebra, name).plain(self.robot.space)(*arguments)
