"""A task: a study, what a learner does in it and sees of it, what is good, and what differs from episode to episode."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from footfall import studies
from footfall.control.external import External
from footfall.control.inputs import inputs_of, usual_inputs
from footfall.control.policy import Policy
from footfall.errors import FootfallError, ParameterError, UnsuitableError
from footfall.gym.actions import Action, action_of
from footfall.gym.chance import Pushes, Start
from footfall.gym.rewards import reward_of
from footfall.sim.settings import altered
from footfall.sim.simulate import Simulation
from footfall.sim.stepping import Beginning
from footfall.sim.study import Study

RATE = 100.0  # 1/s of actions, where nothing is said
MOST_SECONDS = 1e5
NEAR = 1e-6  # of a step


class Task:
    """All that an environment is made of; it can be pickled, and is the same wherever it arrives."""

    def __init__(
        self,
        study: Study | str,
        action: Action | str = "torque",
        observation: Sequence[str] | None = None,
        reward: Any = "upright",
        *,
        clock: float = 0.0,
        rate: float = RATE,
        seconds: float | None = None,
        start: Start | None = None,
        pushes: Pushes | None = None,
    ):
        more = {"clock": clock, "rate": rate, "seconds": seconds, "start": start, "pushes": pushes}
        self._given = (study, action, observation, reward), more
        self._most: int | None = None  # actions of an episode, where that was said
        study = studies.load(study) if isinstance(study, str) else study
        if not isinstance(study, Study):
            raise ParameterError(f"an environment is made of a Study or the name of one, got {study!r:.60}")
        self.asked, self.robot, self.action = study, study.robot, action_of(action)
        self.period = self._steps(rate, study.dt)
        self.rate = 1.0 / (self.period * study.dt)
        self.seconds = _number("seconds", study.seconds if seconds is None else seconds, 1.0 / self.rate, MOST_SECONDS)
        self.length = max(1, round(self.seconds * self.rate))  # of an episode, in actions
        if seconds is not None and abs(self.length - self.seconds * self.rate) > 1e-6:
            raise ParameterError(
                f"seconds must be a whole number of actions, {1 / self.rate:g} s each, got {seconds:g}; "
                f"{self.length / self.rate:g} would be"
            )
        self.clock = _number("clock", clock, 0.0, 1e3)
        self.names = usual_inputs(self.robot) if observation is None else _names(observation)
        if observation is None and self.clock > 0.0:
            self.names = (*self.names, "clock.sin", "clock.cos")
        self.inputs = inputs_of(self.robot, self.names, self.clock)
        self.reward = reward_of(reward, self.robot)
        self.pushes = _one_of(pushes, Pushes, "pushes")
        fixed = bool(self.robot.loops or study.world.bonded)
        self.start = _one_of(start, Start, "start") or (Start(0.0, 0.0, 1) if fixed else Start())
        if fixed and self.start.differs:
            raise ParameterError(
                f"study {study.name!r}: {'its loops' if self.robot.loops else 'its bonded feet'} let the start not be moved; "
                "use start=ff.gym.Start(angle=0, rate=0)"
            )
        self.study = self._driven(study)
        self.low, self.high = self.action.bounds(study)
        self._beginnings: dict[int, Beginning] = {}

    def __reduce__(self) -> tuple:
        return _made, (*self._given, self._most)

    def __repr__(self) -> str:
        return f"<Task {self.asked.name or self.robot.name!r}, {type(self.action).__name__}, {self.rate:g} actions a second>"

    def _driven(self, study: Study) -> Study:
        """The study with actions in place of its controller."""
        self.blank = self.pushes.blank(self.robot, self.seconds) if self.pushes else ()
        try:
            controller = self.action.external(study, self.rate)
        except ParameterError:
            self._with(study, External(rate=self.rate))  # if it takes no actions of any kind, that is said first
            raise
        return self._with(study, controller)

    def _with(self, study: Study, controller: External) -> Study:
        world = altered(study.world, pushes=(*study.world.pushes, *self.blank))
        try:
            period = 1.0 / self.rate
            made = replace(study, controller=controller, world=world, seconds=self.seconds, record_dt=period, record=())
            return Simulation(made).study
        except FootfallError as error:
            raise UnsuitableError(
                f"no environment can be made of study {study.name or self.robot.name!r}, as it takes no actions step by step: "
                f"{error}"
            ) from error

    @staticmethod
    def _steps(rate: float, dt: float) -> int:
        steps = 1.0 / (_number("rate", rate, 1e-3, 1e6) * dt)
        if round(steps) < 1 or abs(steps - round(steps)) > NEAR * steps:
            low = max(1, int(steps))
            near = " or ".join(f"{1.0 / (n * dt):.10g}" for n in (low + 1, low))
            raise ParameterError(
                f"rate: {rate:g} actions a second are one in {steps:.6g} steps of {dt:g} s; that must be a whole number, such "
                f"as {near}"
            )
        return round(steps)

    def shorten(self, actions: int) -> None:
        """Let an episode have no more than so many actions."""
        if type(actions) is not int or actions < 1:
            raise ParameterError(f"max_episode_steps must be a whole number from 1 on, got {actions!r:.60}")
        self.length = self._most = min(self.length, actions)

    # --- episodes ---------------------------------------------------------------------------------------------------------

    def draw(self, rng: np.random.Generator, q: Any = None, v: Any = None) -> Beginning:
        """The beginning of an episode; with coordinates or velocities that are given, it starts there."""
        study, numbers = self._beginning(int(rng.integers(self.start.number)) if self.start.differs else 0)
        if q is not None or v is not None:
            given: dict[str, Any] = {"q": self.study.q if q is None else q, "v": self.study.v if v is None else v}
            study, numbers = Simulation(replace(self.study, **given)).beginning()
        if study.sensors:
            study = altered(study, seed=int(rng.integers(2**32)))
        if self.pushes and self.blank:
            own = study.world.pushes[: -len(self.blank)]
            study = altered(study, world=altered(study.world, pushes=(*own, *self.pushes.draw(self.blank, rng))))
        return Beginning(study, numbers)

    def _beginning(self, number: int) -> Beginning:
        if number not in self._beginnings:
            self._beginnings[number] = Simulation(self.start.of(self.study, number)).beginning()
        return self._beginnings[number]

    # --- what was learnt --------------------------------------------------------------------------------------------------

    def policy(self, layers: Sequence[Any]) -> Policy:
        """A controller that acts as a learner with this network would: layers of (matrix, biases), tanh between them."""
        servo = self.study.controller
        return Policy.of(
            layers,
            rate=self.rate,
            observation=self.names,
            clock=self.clock,
            stiffness=getattr(servo, "stiffness", 0.0),
            damping=getattr(servo, "damping", 0.0),
            low=tuple(self.low.tolist()),
            high=tuple(self.high.tolist()),
        )


def _made(given: tuple, more: dict[str, Any], most: int | None) -> Task:
    made = Task(*given, **more)
    if most is not None:
        made.shorten(most)
    return made


def _names(given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Sequence) or not given or not all(isinstance(each, str) for each in given):
        raise ParameterError(
            f"observation must be a row of names, such as ('q.base.z', 'v.base.x', 'contact.foot_left'), got {given!r:.80}"
        )
    return tuple(given)


def _one_of(given: Any, kind: type, what: str) -> Any:
    if given is not None and not isinstance(given, kind):
        raise ParameterError(f"{what} must be a ff.gym.{kind.__name__}, got {given!r:.60}")
    return given


def _number(what: str, value: Any, low: float, high: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not low <= value <= high:
        raise ParameterError(f"{what} must be a number from {low:g} to {high:g}, got {value!r:.60}")
    return float(value)
