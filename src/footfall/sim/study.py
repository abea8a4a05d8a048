"""A study: a robot, a world, a controller and a start. A small value that can be saved and run again."""

from dataclasses import dataclass, field

import numpy as np

from footfall.control import Controller
from footfall.control.believed import alike
from footfall.engines import Engine, TimeStepping, engine_named
from footfall.errors import SimulationError, UnknownNameError
from footfall.model import state
from footfall.model.quantity import ROW, check_quantities, count, note, quantity, words
from footfall.model.robot import Robot
from footfall.sensors import Sensor
from footfall.shown import Shown
from footfall.sim.settings import Setting, settled_all
from footfall.world import World

RECORDS = ("sensors", "controller", "controller.state", "controller.goal")


@dataclass(frozen=True, repr=False)
class Study(Shown):
    """A robot in a world, with a controller, from a start, for a time: all that `simulate` needs."""

    robot: Robot = note("the robot")
    world: World = field(default_factory=World)
    controller: Controller | None = note("the controller; without one, motors are off", None)
    q: tuple[float, ...] | None = quantity(
        "", "coordinates at the start; neutral and standing on the ground if left out", None, shape=ROW
    )
    v: tuple[float, ...] | None = quantity("", "velocities at the start; at rest if left out", None, shape=ROW)
    seconds: float = quantity("s", "how long", 5.0, low=0.0, high=1e6)
    dt: float = quantity("s", "time step", 1e-3, low=1e-6, high=0.1)
    record_dt: float = quantity("s", "time between recorded rows", 0.01, low=1e-6, high=1e6)
    engine: Engine = note("how the robot is moved", TimeStepping())
    sensors: tuple[Sensor, ...] = note("sensors of the controllers; quantities without a sensor are seen as they are", ())
    seed: int = count("of the noise of sensors", 0, high=2**32 - 1)
    record: tuple[str, ...] = words(f"what is recorded besides: {', '.join(RECORDS)}", ())
    name: str = note("of the study", "")
    settings: tuple[Setting, ...] = field(default=(), metadata={"help": "what gets another value during the run", "whole": True})
    believed: Robot | None = field(
        default=None,
        metadata={"help": "the robot that its controllers are made ready for; the true one if left out", "whole": True},
    )

    def __post_init__(self) -> None:
        check_quantities(self, f"study {self.name!r:.60}", SimulationError)
        if isinstance(self.engine, str):
            object.__setattr__(self, "engine", engine_named(self.engine))
        kinds = {"robot": Robot, "world": World, "controller": Controller | None, "name": str, "engine": Engine}
        for name, kind in kinds.items():
            if not isinstance(getattr(self, name), kind):
                wanted = getattr(kind, "__name__", "Controller, or left out")
                raise SimulationError(f"study {self.name!r:.60}: {name} must be a {wanted}, got {getattr(self, name)!r:.80}")
        if self.believed is not None:
            alike(f"study {self.name!r:.60}", self.believed, self.robot)
        self.world.check_on(self.robot, self.dt)
        self._check_sensors()
        if self.record_dt < self.dt:
            object.__setattr__(self, "record_dt", self.dt)
        object.__setattr__(self, "settings", settled_all(self))

    def _check_sensors(self) -> None:
        if not isinstance(self.sensors, tuple | list) or not all(isinstance(sensor, Sensor) for sensor in self.sensors):
            raise SimulationError(f"study {self.name!r:.60}: sensors must be a row of sensors, got {self.sensors!r:.80}")
        object.__setattr__(self, "sensors", tuple(self.sensors))
        for name in self.record:
            if name not in RECORDS:
                raise UnknownNameError("record (of a study)", name, RECORDS)

    def __repr__(self) -> str:
        controller = type(self.controller).__name__ if self.controller else "no controller"
        return f"<Study {self.name or self.robot.name!r}: {self.robot.name}, {controller}, {self.seconds:g} s, dt {self.dt:g} s>"

    @property
    def model(self) -> Robot:
        """The robot as its controllers know it."""
        return self.robot if self.believed is None else self.believed

    @property
    def gravity(self) -> float:
        """Gravity of the world, or the robot's own."""
        return self.robot.gravity if self.world.gravity is None else self.world.gravity

    @property
    def gravity_vector(self) -> np.ndarray:
        """(2 or 3,) acceleration of free fall: `gravity` along the world's direction."""
        return self.gravity * self.world.down(self.robot.dim)

    def start(self) -> tuple[np.ndarray, np.ndarray]:
        """Checked coordinates and velocities at the start."""
        q = self.robot.neutral() if self.q is None else state.coordinates(self.robot, self.q)
        v = np.zeros(self.robot.nv) if self.v is None else state.velocities(self.robot, self.v)
        return q.copy(), v
