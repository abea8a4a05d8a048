"""One robot as an environment of Gymnasium."""

from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium.spaces import Box

from footfall.errors import ParameterError, SimulationError, UnknownNameError
from footfall.gym.episodes import Episodes
from footfall.gym.task import Task
from footfall.sim.run import Run
from footfall.sim.simulate import Simulation

MODES = ("rgb_array",)
OPTIONS = ("q", "v")
SHOWN = 0.6  # s: of the run, from which a picture is made: the camera is steady over that time


class Env(gymnasium.Env):
    """`footfall.gym.make` makes it.

    After a fall, `terminated` is True and `info["reason"]` says what it was. An episode that reaches its end is `truncated`.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(MODES), "render_fps": 100}

    def __init__(self, task: Task, render_mode: str | None = None):
        self.task, self.render_mode = task, checked_mode(render_mode)
        self.metadata = {**type(self).metadata, "render_fps": max(1, round(task.rate))}  # type: ignore[misc]
        self.observation_space, self.action_space = spaces_of(task)
        self.episodes = Episodes(task, 1)
        self._still: Any = None
        self._all = np.ones(1, bool)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin an episode. `options` may have coordinates `q` and velocities `v` to start from."""
        super().reset(seed=seed)
        self.episodes.begin({0: self.task.draw(self.np_random, **checked_options(options, OPTIONS))})
        return self.episodes.x[0].copy(), self._info()

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict[str, Any]]:
        """One action; one beyond the bounds of its space counts as that at the bound."""
        episodes = self.episodes
        values = episodes.checked(action, self.task.low.shape)
        if not episodes.begun[0]:
            ended = f"this episode has ended ({episodes.reason(0)})" if episodes.steps[0] else "no episode has begun"
            raise SimulationError(f"{ended}; reset() begins one")
        reward, terminated, truncated = episodes.step(values[None], self._all)
        info = self._info()
        if terminated[0] or truncated[0]:
            info["reason"] = episodes.reason(0)
        return episodes.x[0].copy(), float(reward[0]), bool(terminated[0]), bool(truncated[0]), info

    def _info(self) -> dict[str, Any]:
        return {"time": float(self.episodes.batch.time[0])}

    @property
    def simulation(self) -> Simulation:
        """The simulation under way: push the robot with `simulation.add`, look at it, save its `run()`."""
        return self.episodes.batch.simulations[0]

    def run(self) -> Run:
        """The episode so far, a run like any other."""
        if not self.episodes.steps[0] and not self.episodes.begun[0]:
            raise SimulationError("no episode has begun; reset() begins one")
        return self.simulation.run()

    def policy(self, layers: Any) -> Any:
        """A controller for any study with this robot: a network of layers (matrix, biases) with tanh between them."""
        return self.task.policy(layers)

    def render(self) -> np.ndarray | None:
        """The robot now, as an array of red, green and blue; nothing if no `render_mode` was asked for."""
        if self.render_mode is None:
            gymnasium.logger.warn("render() needs an environment that was made with render_mode='rgb_array'")
            return None
        from footfall.view.animation import Still

        self.run()
        shown = self.simulation.run(SHOWN)
        if self._still is None or self._still[0] != shown.study.world.pushes:
            self._still = shown.study.world.pushes, Still(shown)
        return self._still[1].draw(shown)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_still": None}

    def close(self) -> None:
        self.episodes.batch.close()


def spaces_of(task: Task) -> tuple[Box, Box]:
    """What is seen, within the stops of the joints, and what may be done."""
    seen = Box(task.inputs.low, task.inputs.high, dtype=np.float64)
    return seen, Box(task.low, task.high, dtype=np.float64)


def checked_mode(mode: str | None) -> str | None:
    """A way to render, or none."""
    if mode is not None and mode not in MODES:
        raise UnknownNameError("render_mode (or None)", mode, MODES)
    return mode


def checked_options(options: Any, known: tuple[str, ...]) -> dict[str, Any]:
    """Options of a reset."""
    if options is None:
        return {}
    if not isinstance(options, dict):
        raise ParameterError(f"options of reset must be a dict, got {options!r:.60}")
    for name in options:
        if name not in known:
            raise UnknownNameError("option of reset", name, known)
    return options
