"""The protocol of engines: an engine starts a rollout of a study, and `Simulation` drives any rollout in the same way."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from footfall.core.contact.decide import Control
from footfall.core.law import Answer, Command, Observation
from footfall.core.sensors.sense import Truth
from footfall.engines.events import Event, Outcome
from footfall.errors import SimulationError
from footfall.model.robot import Robot
from footfall.world import World

BODY = ".body"  # behind the name of a link: its shapes, in names of pads


class Scenario(Protocol):
    """The parts of a study that an engine needs."""

    @property
    def robot(self) -> Robot: ...

    @property
    def world(self) -> World: ...

    @property
    def controller(self) -> Any: ...

    @property
    def gravity(self) -> float: ...

    @property
    def gravity_vector(self) -> np.ndarray: ...

    @property
    def q(self) -> Any: ...

    def start(self) -> tuple[np.ndarray, np.ndarray]: ...

    @property
    def seconds(self) -> float: ...

    @property
    def dt(self) -> float: ...

    @property
    def record_dt(self) -> float: ...

    @property
    def name(self) -> str: ...


def unmeasured(robot: Robot) -> tuple[np.ndarray, np.ndarray]:
    """Wrenches and accelerations of an observation without sensors for them."""
    return np.full((len(robot.feet), 3 * robot.dim - 3), np.nan), np.zeros((0, robot.dim))


def check_rigid_feet(robot: Robot, engine: str) -> None:
    """Refuse feet that give way, for an engine that knows rigid ones only."""
    for foot in robot.feet:
        if foot.compliance:
            raise SimulationError(
                f"{engine}: feet must be rigid, but foot {foot.name!r} of robot {robot.name!r} has contact elements "
                f"({foot.compliance.stiffness:g} N/m); leave out its compliance, or use the engine TimeStepping"
            )


class Halt(NamedTuple):
    """Why a rollout ended early. If it has an error, the error is raised, with the run so far."""

    outcome: Outcome
    reason: str
    error: str = ""
    cause: BaseException | None = None


class Direct(NamedTuple):
    """What compiled code needs to go on with a rollout by itself, see `core.outside.Desk`."""

    loop: int
    words: np.ndarray
    clock: np.ndarray
    clear: int  # the instant up to which it may


class Rollout(ABC):
    """One motion under way. Time is counted in steps; -1 is before the first instant."""

    q: np.ndarray  # where it started
    v: np.ndarray
    pads: tuple[str, ...]  # names of the contacts, `foot/part`, then `link.body/part`
    stepwise: ClassVar[bool] = True  # whether its motors hear from outside, and `observe` is up to date, at every step

    @property
    @abstractmethod
    def events(self) -> list[Event]:
        """What happened so far, in the order of time."""

    @property
    @abstractmethod
    def step(self) -> int:
        """Number of the last instant."""

    @abstractmethod
    def observe(self) -> Observation:
        """The arrays that a controller may observe; the engine keeps them up to date."""

    def velocity(self) -> np.ndarray:
        """(nv,) at the last instant; `observe` may hold what is foreseen for the next one."""
        return self.observe().v.copy()

    def shown(self) -> tuple:
        """The arrays of `core.many.Shown` up to `tau`: a batch of runs looks at them without Python."""
        raise SimulationError(f"{type(self).__name__}: runs of this engine cannot be stepped together")

    def can_rewind(self, study: Scenario) -> bool:  # noqa: ARG002
        """Whether it can begin again as a new rollout of this study would, when the arrays of `moving` get the numbers that are
        there before the first instant. The study differs in its start, its seed and the numbers of its pushes at most.
        """
        return False

    def rewind(self, study: Scenario) -> None:  # noqa: B027 - most cannot
        """The arrays of `moving` have got these numbers."""

    def truth(self) -> Truth:
        """The arrays that sensors measure; the engine keeps them up to date."""
        raise SimulationError(f"{type(self).__name__}: this engine has no sensors; leave `sensors` out of the study")

    @abstractmethod
    def apply(self) -> tuple[np.ndarray, np.ndarray]:
        """Where a controller puts its answer: joint forces, and rows of stiffness, target and damping of the motors' servos."""

    def command(self) -> tuple[Any, Answer]:
        """What the innermost law is given to write to, by name, and all its numbers, which must be finite."""
        tau, servo = self.apply()
        return Command(tau, *servo), Answer(tau, servo.ravel())

    @abstractmethod
    def advance(self, control: Control, steps: int) -> Halt | None:
        """Go on for so many steps, or until something ends it; the first call begins with the instant at hand."""

    def direct(self, control: Control) -> Direct | None:  # noqa: ARG002
        """How compiled code may go on by itself, if this engine can."""
        return None

    def came_back(self, status: int) -> Halt | None:  # noqa: ARG002
        """Take over what the loop did when other compiled code called it, and came back with a status."""
        return None

    def moving(self) -> tuple:
        """All arrays that change from instant to instant, the record aside: with them it can go on from there, bit for bit.

        What is due at the present instant takes effect first.
        """
        raise SimulationError(f"{type(self).__name__}: this engine cannot go back; begin another run from run.q[-1], run.v[-1]")

    def resume(self) -> None:  # noqa: B027 - most have nothing to do
        """The arrays of `moving` have got the numbers of another instant."""

    @abstractmethod
    def reserve(self, step: int) -> None:
        """Make room to record up to this step."""

    def keep_last(self, rows: int) -> None:  # noqa: ARG002
        """Record no more than the last rows, each over the oldest one, so that a run may go on without end."""
        raise SimulationError(f"{type(self).__name__}: this engine keeps all rows of a run")

    @abstractmethod
    def series(self, last: int | None = None) -> dict[str, Any]:
        """The series recorded so far, or their last rows, by the names of `engines.series`."""

    @abstractmethod
    def check_change(self, study: Scenario) -> None:
        """Refuse a study in which something is different that this rollout cannot change now."""

    @abstractmethod
    def change(self, study: Scenario) -> None:
        """Continue with a study in which the world, or what is at the joints, is different from now on."""


@dataclass(frozen=True)
class Engine(ABC):
    """How a robot is moved: a small value, saved with the study."""

    @abstractmethod
    def pads(self, robot: Robot, bodies: bool = False) -> dict[str, float]:
        """The names of the contacts of a robot, `foot/part`, and their radii; 0 is a point. With `bodies` of its links, too."""

    def made_with(self) -> dict[str, str]:
        """Versions of other packages on which the bits of a run depend."""
        return {}

    @abstractmethod
    def start(self, study: Scenario, q: np.ndarray, v: np.ndarray, lift: bool = False) -> Rollout:
        """A rollout from q and v; with `lift` the robot is first put onto the ground."""
