"""Many robots as one vector environment of Gymnasium: one compiled call steps all of them, on all cores."""

from typing import Any, ClassVar

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from footfall.errors import ParameterError, SimulationError
from footfall.gym.env import MODES, OPTIONS, SHOWN, checked_mode, checked_options, spaces_of
from footfall.gym.episodes import Episodes
from footfall.gym.task import Task

MASK = "reset_mask"


class FootfallVectorEnv(VectorEnv):
    """`footfall.gym.make_vec` makes it. It does what Gymnasium's SyncVectorEnv does, bit for bit, in one call.

    `autoreset_mode` is that of Gymnasium: NEXT_STEP (the action after the end of an episode begins the next one), SAME_STEP (the
    end and the beginning are one step; `final_obs` and `final_info` are in the info), or DISABLED.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": list(MODES)}

    def __init__(
        self,
        task: Task,
        num_envs: int,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        threads: int | None = None,
    ):
        try:
            mode = AutoresetMode(autoreset_mode)
        except ValueError:
            known = ", ".join(repr(each.value) for each in AutoresetMode)
            raise ParameterError(f"autoreset_mode must be one of {known}, got {autoreset_mode!r:.60}") from None
        if type(num_envs) is not int or num_envs < 1:
            raise ParameterError(f"num_envs must be a whole number from 1 on, got {num_envs!r:.60}")
        if threads is not None and (type(threads) is not int or threads < 1):
            raise ParameterError(f"threads must be a whole number from 1 on, or None for all cores, got {threads!r:.60}")
        self.task, self.num_envs, self.autoreset_mode, self.render_mode = task, num_envs, mode, checked_mode(render_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": mode, "render_fps": max(1, round(task.rate))}  # type: ignore[misc]
        self.single_observation_space, self.single_action_space = spaces_of(task)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.episodes = Episodes(task, num_envs, threads)
        self._random: list[Any] = [None] * num_envs
        self._ended = np.zeros(num_envs, bool)  # an episode that the next step begins again
        self._stills: list[Any] = [None] * num_envs

    # --- seeds ------------------------------------------------------------------------------------------------------------

    @property
    def np_random_seed(self) -> tuple[int | None, ...]:
        return tuple(each and each[1] for each in self._random)

    @property
    def np_random(self) -> tuple[np.random.Generator, ...]:
        return tuple(self._generator(k) for k in range(self.num_envs))

    def _generator(self, k: int) -> np.random.Generator:
        if self._random[k] is None:
            self._random[k] = seeding.np_random()
        return self._random[k][0]

    # --- the interface of Gymnasium -----------------------------------------------------------------------------------------

    def reset(self, *, seed: Any = None, options: dict[str, Any] | None = None) -> tuple[np.ndarray, dict[str, Any]]:
        """Begin all episodes, or those of `options["reset_mask"]`; a seed s gives environment k the seed s + k."""
        seeds = self._seeds(seed)
        given = dict(checked_options(options, (*OPTIONS, MASK)))
        which = np.flatnonzero(self._mask(given.pop(MASK, None))).tolist()
        for k in which:
            if seeds[k] is not None:
                self._random[k] = seeding.np_random(seeds[k])
        self.episodes.begin({k: self.task.draw(self._generator(k), **given) for k in which})
        self._ended[which] = False
        infos: dict[str, Any] = {}
        for k in which:
            infos = self._add_info(infos, {"time": float(self.episodes.batch.time[k])}, k)
        return self.episodes.x.copy(), infos

    def _seeds(self, seed: Any) -> list[int | None]:
        if seed is None or isinstance(seed, int | np.integer):
            return [None if seed is None else int(seed) + k for k in range(self.num_envs)]
        if not isinstance(seed, list | tuple | np.ndarray) or len(seed) != self.num_envs:
            raise ParameterError(
                f"seed must be a whole number, or one for each of {self.num_envs} environments, got {seed!r:.60}"
            )
        return [None if each is None else int(each) for each in seed]

    def _mask(self, mask: Any) -> np.ndarray:
        if mask is None:
            return np.ones(self.num_envs, bool)
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_ or not mask.any():
            raise ParameterError(
                f"options['reset_mask'] must be an array of {self.num_envs} booleans, at least one of them True, got {mask!r:.80}"
            )
        return mask

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One action in each."""
        episodes, n = self.episodes, self.num_envs
        values = episodes.checked(actions, (n, len(self.task.low)))
        waits = self._ended.copy()
        if not (episodes.begun | waits).all():
            k = int(np.flatnonzero(~(episodes.begun | waits))[0])
            ended = f"the episode of environment {k} has ended" if episodes.steps[k] else "no episode has begun"
            raise SimulationError(f"{ended}; reset() begins one, of some by options={{'reset_mask': ...}}")
        reward, terminated, truncated = episodes.step(values, ~waits)
        over = terminated | truncated
        infos: dict[str, Any] = {"time": episodes.batch.time.copy(), "_time": np.ones(n, bool)}
        seen = episodes.x
        for k in np.flatnonzero(over).tolist():
            ending: dict[str, Any] = {"reason": episodes.reason(k)}
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                final = {"time": float(infos["time"][k]), **ending}
                ending = {"final_obs": seen[k].copy(), "final_info": final}
            infos = self._add_info(infos, ending, k)
        again = waits | over if self.autoreset_mode is AutoresetMode.SAME_STEP else waits
        if again.any():
            episodes.begin({k: self.task.draw(self._generator(k)) for k in np.flatnonzero(again).tolist()})
            infos["time"][again] = 0.0
        self._ended = over if self.autoreset_mode is AutoresetMode.NEXT_STEP else np.zeros(n, bool)
        return episodes.x.copy(), reward, terminated, truncated, infos

    def render(self) -> tuple[np.ndarray, ...] | None:
        """All robots now, as arrays of red, green and blue."""
        if self.render_mode is None:
            return None
        from footfall.view.animation import Still

        found = []
        for k, simulation in enumerate(self.episodes.batch.simulations):
            shown = simulation.run(SHOWN)
            if self._stills[k] is None or self._stills[k][0] != shown.study.world.pushes:
                self._stills[k] = shown.study.world.pushes, Still(shown)
            found.append(self._stills[k][1].draw(shown))
        return tuple(found)

    def policy(self, layers: Any) -> Any:
        """As that of `Env`."""
        return self.task.policy(layers)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_stills": [None] * self.num_envs}

    def close_extras(self, **_: Any) -> None:
        self.episodes.batch.close()
