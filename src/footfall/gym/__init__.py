"""Environments of Gymnasium: any study with motors, one robot or many at a time."""

from typing import Any

from footfall.errors import MissingPartError
from footfall.gym.actions import Action, Position, Torque
from footfall.gym.chance import Pushes, Start
from footfall.gym.rewards import Now, Reward, Upright, Walk
from footfall.gym.task import Task


def make(study: Any, action: Any = "torque", *, render_mode: str | None = None, **task: Any) -> Any:
    """An environment of a study, or of the study of that name.

    `action` is "torque" or "position", or a Torque or Position; `observation` a row of names (see `footfall.control.inputs`),
    all coordinates, velocities and contacts if left out; `reward` is "upright" or "walk", an Upright or Walk, or a function of a
    `Now`. `rate` is the number of actions a second, `seconds` the length of an episode, `clock` the period of a clock to observe;
    `start` and `pushes` say what differs from episode to episode. `render_mode` is None or "rgb_array".
    """
    env = _part("env").Env
    return env(Task(study, action, **task), render_mode)


def make_vec(
    study: Any,
    num_envs: int = 1,
    action: Any = "torque",
    *,
    render_mode: str | None = None,
    autoreset_mode: Any = "NextStep",
    threads: int | None = None,
    max_episode_steps: int | None = None,
    **task: Any,
) -> Any:
    """So many of them as one vector environment, which steps all robots in one compiled call, by default on all cores."""
    vector = _part("vector").FootfallVectorEnv
    made = Task(study, action, **task)
    if max_episode_steps is not None:
        made.shorten(max_episode_steps)
    return vector(made, num_envs, autoreset_mode=autoreset_mode, render_mode=render_mode, threads=threads)


def _part(name: str) -> Any:
    import importlib

    try:
        return importlib.import_module(f"footfall.gym.{name}")
    except ImportError as error:
        if (error.name or "").split(".")[0] != "gymnasium":
            raise
        raise MissingPartError("environments need Gymnasium: pip install 'footfall[gym]'") from None
