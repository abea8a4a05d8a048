"""What differs from episode to episode: the start, and pushes."""

from dataclasses import dataclass

import numpy as np

from footfall import kinematics
from footfall.errors import ParameterError
from footfall.model.quantity import check_quantities, count, note, quantity
from footfall.model.robot import Robot
from footfall.sim.settings import altered
from footfall.sim.simulate import Simulation
from footfall.sim.study import Study
from footfall.world import Push

DRAWN = 20_070_805  # the starts of a study are the same in every process


@dataclass(frozen=True)
class Start:
    """Starts near that of the study: the first is the study's own, the others are drawn once, and each episode takes one.

    Joints and the attitude of the base are moved, then the robot is put as high above the ground as it was.
    """

    angle: float = quantity("rad", "most by which each joint is moved (m where it slides)", 0.02, low=0.0, high=3.0)
    rate: float = quantity("rad/s", "most by which each velocity is changed", 0.05, low=0.0, high=100.0)
    number: int = count("how many starts there are", 16, low=1, high=10_000)

    def __post_init__(self) -> None:
        check_quantities(self, "Start", ParameterError)

    @property
    def differs(self) -> bool:
        return self.number > 1 and (self.angle > 0.0 or self.rate > 0.0)

    def of(self, study: Study, number: int) -> Study:
        """The study with another start."""
        if number == 0 or not self.differs:
            return study
        robot, rng = study.robot, np.random.default_rng((DRAWN, number))
        q, v = study.start()
        step = rng.uniform(-self.angle, self.angle, robot.nv)
        for axis in "xyz":
            if (name := f"{robot.layout.joints[0].name}.{axis}") in robot.velocities:
                step[robot.velocities.index(name)] = 0.0
        moved = kinematics.within_stops(robot, kinematics.integrate(robot, q, step))
        moved = _as_high(study, q, moved)
        return altered(study, q=tuple(moved.tolist()), v=tuple((v + rng.uniform(-self.rate, self.rate, robot.nv)).tolist()))


def _as_high(study: Study, q: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """Moved coordinates, as high above the ground as the robot was before."""
    height = f"{study.robot.layout.joints[0].name}.z"
    if height not in study.robot.coordinates or not study.robot.feet:
        return moved
    j = study.robot.coordinates.index(height)

    def on_ground(q: np.ndarray) -> np.ndarray:
        return np.array(Simulation(altered(study, q=tuple(q.tolist())), lift=True).study.q)

    found = on_ground(moved)
    found[j] += max(q[j] - on_ground(q)[j], 0.0)
    return found


@dataclass(frozen=True)
class Pushes:
    """Pushes at random: level forces of any size up to `force`, forward or backward, and in space in any direction."""

    force: float = quantity("N", "the largest", low=0.0)
    lasts: float = quantity("s", "each", 0.1, low=1e-3)
    every: tuple[float, ...] = quantity("s", "least and most time from one to the next", (2.0, 4.0), low=1e-3, shape=(2,))
    on: str = note("the link or frame; the one that floats if left out", "")

    def __post_init__(self) -> None:
        check_quantities(self, "Pushes", ParameterError)
        if self.every[0] > self.every[1] or self.every[0] < self.lasts:
            raise ParameterError(
                f"Pushes: every must be a time and a longer one, not shorter than a push lasts ({self.lasts:g} s), got "
                f"{self.every}"
            )

    def number(self, seconds: float) -> int:
        """How many there may be in an episode."""
        return int(np.ceil(seconds / self.every[0]))

    def blank(self, robot: Robot, seconds: float) -> tuple[Push, ...]:
        """As many as there may be, without numbers yet."""
        on = self.on or robot.layout.joints[0].child
        return (Push(on, (0.0,) * robot.dim, 0.0, self.lasts),) * self.number(seconds)

    def draw(self, blank: tuple[Push, ...], rng: np.random.Generator) -> tuple[Push, ...]:
        """Numbers for them."""
        starts = np.cumsum(rng.uniform(self.every[0], self.every[1], len(blank)))
        sizes = rng.uniform(0.0, self.force, len(blank))
        turns = rng.uniform(-np.pi, np.pi, len(blank))
        found = []
        for push, start, size, turn in zip(blank, starts.tolist(), sizes.tolist(), turns.tolist(), strict=True):
            planar = (size if turn > 0.0 else -size, 0.0)
            force = planar if len(push.force) == 2 else (size * float(np.cos(turn)), size * float(np.sin(turn)), 0.0)
            found.append(altered(push, force=force, start=start, end=start + self.lasts))
        return tuple(found)
