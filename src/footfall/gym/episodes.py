"""Episodes of a task, many at a time: what one environment and a vector of them have in common."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from footfall.engines.events import Outcome
from footfall.errors import ParameterError
from footfall.gym.actions import motor_limits
from footfall.gym.rewards import Now
from footfall.gym.task import Task
from footfall.sim.batch import Batch
from footfall.sim.simulate import Simulation
from footfall.sim.stepping import Beginning


class Episodes:
    """So many runs of a task. None has begun at first."""

    def __init__(self, task: Task, count: int, threads: int | None = None):
        self.task, self._threads = task, threads
        self.batch = Batch([Simulation(task.study) for _ in range(count)], task.inputs, threads)
        self.now = Now(task.robot, self.batch, motor_limits(task.robot), 1.0 / task.rate)
        self.steps = np.zeros(count, np.int64)  # actions of the episode so far
        self.begun = np.zeros(count, bool)  # and not over yet
        self.x = np.zeros_like(self.batch.x)  # what is observed

    def begin(self, beginnings: Mapping[int, Beginning]) -> None:
        """Let episodes begin, each by its number."""
        self.batch.rewind(beginnings)
        which = list(beginnings)
        self.steps[which], self.begun[which] = 0, True
        self._observe()

    def step(self, actions: np.ndarray, only: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """One action in each of some episodes: rewards, terminations, truncations; of the others 0 and False."""
        task, now, batch = self.task, self.now, self.batch
        np.clip(actions, task.low, task.high, out=now.action)
        going = batch.step(now.action, only=only)
        self.steps += only
        now.terminated = only & ~going
        truncated = only & going & (self.steps >= task.length)
        self.begun &= ~(now.terminated | truncated)
        with np.errstate(all="ignore"):  # of a simulation that diverged
            given = task.reward(now)
        try:
            reward = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise ParameterError(f"the reward {task.reward!r:.60} must give a number for each run, got {given!r:.80}") from None
        self._observe()
        return self._checked(reward, only), now.terminated.copy(), truncated

    def _observe(self) -> None:
        """Of a simulation that diverged, what was seen last stays."""
        finite = np.isfinite(self.batch.x).all(axis=1)
        self.x = np.where(finite[:, None], self.batch.x, self.x)
        if not finite.all():
            for k in np.flatnonzero(~finite):
                if self.batch.simulations[k].outcome is Outcome.END:
                    bad = self.task.names[int(np.flatnonzero(~np.isfinite(self.batch.x[k]))[0])]
                    raise ParameterError(
                        f"observation {bad!r} is not a number in study {self.task.asked.name!r}: it may need a sensor that the "
                        "study does not have"
                    )

    def _checked(self, reward: np.ndarray, only: np.ndarray) -> np.ndarray:
        if reward.shape != self.steps.shape:
            raise ParameterError(
                f"a reward must be a number for each of {len(self.steps)} runs, got shape {reward.shape}; a reward is a function "
                "of all runs at once"
            )
        bad = np.flatnonzero(~np.isfinite(reward) & only)
        for k in bad:
            if self.batch.simulations[k].outcome is not Outcome.DIVERGED:
                raise ParameterError(f"the reward of run {k} is {reward[k]} at {self.batch.time[k]:.4f} s; it must be finite")
        return np.where(only & np.isfinite(reward), reward, 0.0)

    def reason(self, k: int) -> str:
        """Why an episode ended."""
        each = self.batch.simulations[k]
        return f"reached {self.task.length / self.task.rate:g} s" if each.outcome is Outcome.END else each.reason

    def checked(self, actions: Any, shape: tuple[int, ...]) -> np.ndarray:
        """Actions as numbers in that shape, or an error that says what is wrong."""
        task = self.task
        motors = ", ".join(task.robot.velocities[d] for d in task.robot.actuated)
        try:
            found = np.asarray(actions, dtype=float)
        except (TypeError, ValueError, OverflowError):
            raise ParameterError(f"an action must be {len(task.low)} numbers ({motors}), got {actions!r:.80}") from None
        if found.shape != shape:
            rows = f"a row for each of {shape[0]} runs with " if len(shape) == 2 else ""
            raise ParameterError(f"an action must have {rows}{len(task.low)} numbers ({motors}), got shape {found.shape}")
        if not np.isfinite(found).all():
            at = np.argwhere(~np.isfinite(found))[0]
            of = f" of run {at[0]}" if len(shape) == 2 else ""
            name = task.robot.velocities[task.robot.actuated[at[-1]]]
            raise ParameterError(f"an action must be finite, but that for {name!r}{of} is {found[tuple(at)]}")
        return found

    # --- elsewhere --------------------------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        states = [
            (each.study, each.state()) if begun else None for each, begun in zip(self.batch.simulations, self.begun, strict=True)
        ]
        return {"task": self.task, "threads": self._threads, "states": states, "steps": self.steps, "x": self.x}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(kept["task"], len(kept["states"]), kept["threads"])  # type: ignore[misc]
        self.steps, self.x = kept["steps"].copy(), kept["x"].copy()
        for k, each in enumerate(kept["states"]):
            if each is not None:
                study, state = each
                self.batch.simulations[k] = simulation = Simulation(study)
                simulation.restore(state)
                self.begun[k] = True
        self.batch.look(np.flatnonzero(self.begun).tolist())
