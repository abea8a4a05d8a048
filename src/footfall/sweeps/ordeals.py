"""Ordeals: a study and one thing that makes its walk harder, with declared numbers that a sweep may vary.

    ff.sweep(Pushed(ff.studies.load("simbicon-walk")), {"change": "0:1:11", "phase": "0:1"}, samples=50)

Each says which study comes out (`applied`). The disturbance meets the walk at a `phase` of its stride, which lasts `stride` and
is counted from the instant `start`, so that every part of the gait is met. What the robot has wrong its controllers do not know.
"""

import dataclasses
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from footfall.errors import FileError, UnknownNameError, UnsuitableError
from footfall.model.mistaken import Mistakes, mistaken
from footfall.model.quantity import check_quantities, count, note, quantity
from footfall.sensors import Attitude, Encoders
from footfall.sim.parameters import parameters, with_parameters
from footfall.sim.study import Study
from footfall.sim.study_json import parse_json, parse_study, study_text
from footfall.world import Change, Flat, Profile, Push, Terrain

PUSH_TIME = 0.1  # s
FAR = 1000.0  # m: so long is a slope
GAINS = ("N m/rad", "N m s/rad", "N/m", "N s/m")  # units of what stiffens and damps
RATES = 10.0  # 1/s: noise of an angular velocity over that of an angle
CUTOFF = 80.0  # Hz, of velocities from encoders


@dataclass(frozen=True)
class Ordeal:
    """What all have in common."""

    study: Study = note("the walk")
    start: float = quantity("s", "instant from which the stride is counted", 2.0, low=0.0)
    stride: float = quantity("s", "how long a stride takes", 1.0, low=1e-3)
    phase: float = quantity("1", "part of the stride at which the walk is met", 0.0, low=0.0, high=1.0)
    along: float = quantity("m", "where the robot is at that instant", 0.0)
    speed: float = quantity("m/s", "at which it walks, along x", 1.0)

    def __post_init__(self) -> None:
        check_quantities(self, f"{type(self).__name__} {self.name!r:.60}", UnsuitableError)
        if not isinstance(self.study, Study):
            raise UnsuitableError(f"{type(self).__name__}: study must be a Study, got {self.study!r:.80}")

    @property
    def name(self) -> str:
        return self.study.name if isinstance(self.study, Study) else ""

    @property
    def at(self) -> float:
        """The instant (s) at which the walk is met, on a step."""
        return round((self.start + self.phase * self.stride) / self.study.dt) * self.study.dt

    @property
    def place(self) -> float:
        """Where (m) the ground changes: half a stride ahead of where the robot is then."""
        return self.along + (self.phase + 0.5) * self.stride * self.speed

    def applied(self) -> Study:
        """The study that is simulated."""
        raise NotImplementedError

    def on_ground(self, terrain: Terrain) -> Study:
        """The study on another ground, if its own is level."""
        world = self.study.world
        if not isinstance(world.terrain, Flat):
            raise UnsuitableError(
                f"study {self.name!r} has a ground of its own, {type(world.terrain).__name__}; this needs a level one"
            )
        return replace(self.study, world=replace(world, terrain=terrain))

    def ahead(self, x: tuple[float, ...], z: tuple[float, ...]) -> Profile:
        """A ground by its points, counted from `place` in the direction of travel."""
        level = self.study.world.terrain.height(0.0)
        way = 1 if self.speed >= 0.0 else -1
        return Profile(tuple((self.place + way * s) for s in x)[::way], tuple(level + h for h in z)[::way])


@dataclass(frozen=True)
class Pushed(Ordeal):
    """A push of 0.1 s on the floating link, at its centre of mass."""

    change: float = quantity("m/s", "of the robot's speed that the push is worth: its impulse over the mass", 0.0, low=0.0)
    direction: float = quantity("rad", "where to: 0 along x, to the left positive; in the plane 0 or pi", 0.0, low=-7.0, high=7.0)

    def applied(self) -> Study:
        robot, world = self.study.robot, self.study.world
        if robot.dim == 2 and abs(math.sin(self.direction)) > 1e-9:
            raise UnsuitableError(f"a robot in the plane is pushed along x, direction 0 or pi, got {self.direction:g} rad")
        force = robot.mass * self.change / PUSH_TIME
        c, s = math.cos(self.direction), math.sin(self.direction)
        vector = (force * c, 0.0) if robot.dim == 2 else (force * c, force * s, 0.0)
        link = robot.link(next(joint.child for joint in robot.joints if joint.parent == "world"))
        push = Push(link.name, vector, self.at, self.at + PUSH_TIME, tuple(link.com) or None)
        return replace(self.study, world=replace(world, pushes=(*world.pushes, push)))


@dataclass(frozen=True)
class Sloping(Ordeal):
    """Level ground becomes a slope."""

    angle: float = quantity("rad", "of the slope; positive goes up", 0.0, low=-1.5, high=1.5)

    def applied(self) -> Study:
        return self.on_ground(self.ahead((0.0, FAR), (0.0, FAR * math.tan(self.angle))))


@dataclass(frozen=True)
class Stepping(Ordeal):
    """One step in the ground, with a sharp edge."""

    rise: float = quantity("m", "of the step; negative goes down", 0.0)

    def applied(self) -> Study:
        if self.rise == 0.0:
            return self.on_ground(self.study.world.terrain)
        return self.on_ground(self.ahead((0.0, 0.0), (0.0, self.rise)))


@dataclass(frozen=True)
class Slippery(Ordeal):
    """The ground has another friction from some instant on."""

    friction: float = quantity("1", "Coulomb friction coefficient", 0.8, low=0.0, high=100.0)

    def applied(self) -> Study:
        world = self.study.world
        change = Change(self.at, contact=replace(world.contact, friction=self.friction))
        return replace(self.study, world=replace(world, changes=(*world.changes, change)))


@dataclass(frozen=True)
class Misjudged(Ordeal):
    """A robot, or gains, other than its maker thinks: every link and every gain is off by chance, evenly within a bound.

    Controllers reckon with the robot as declared. Gains are all parameters of controllers in units of stiffness and damping.
    """

    masses: float = quantity("1", "largest part by which the mass of a link is off", 0.0, low=0.0, high=0.9)
    inertias: float = quantity("1", "largest part by which its inertia is off", 0.0, low=0.0, high=0.9)
    gains: float = quantity("1", "largest part by which a gain is off", 0.0, low=0.0, high=0.9)
    drawn: int = count("which of all robots", 0)

    def applied(self) -> Study:
        study = self.study
        if self.masses or self.inertias:
            robot = mistaken(study.robot, Mistakes(mass=self.masses, inertia=self.inertias), self.drawn)
            study = replace(study, robot=robot, believed=study.model)
        return with_parameters(study, self._gains()) if self.gains else study

    def _gains(self) -> dict[str, Any]:
        """Gains, each off by its own part, within what its declaration allows."""
        found, rng = {}, np.random.default_rng((self.drawn, 2))
        for each in gains_of(self.study):
            low, high = each.rule.get("low", -math.inf), each.rule.get("high", math.inf)
            value = np.asarray(each.value, float)
            off = np.clip(value * (1.0 + self.gains * rng.uniform(-1.0, 1.0, value.shape)), low, high)
            found[each.name] = tuple(off.tolist()) if off.ndim else float(off)
        if not found:
            raise UnsuitableError(f"study {self.name!r} has no gains: no parameter of its controllers is in {', '.join(GAINS)}")
        return found


def gains_of(study: Study) -> list[Any]:
    """The parameters of its controllers that stiffen and damp."""
    known = [each for each in parameters(study) if each.name.startswith("controller.") and each.rule["kind"] == "number"]
    return [each for each in known if each.rule.get("unit") in GAINS and each.value is not None and np.ndim(each.value) < 2]


@dataclass(frozen=True)
class Unsure(Ordeal):
    """Joints and attitude are seen by encoders and an inertial unit, with noise and delay; other sensors get later too."""

    noise: float = quantity(
        "rad", "standard deviation of each sample of an angle; ten times as much in rad/s of a rate", 0.0, low=0.0
    )
    delay: float = quantity("s", "until controllers see a sample, to a whole number of steps", 0.0, low=0.0, high=1.0)
    drawn: int = count("which noise", 0, high=2**30)

    def applied(self) -> Study:
        study, rate = self.study, 1.0 / self.study.dt
        late, density = round(self.delay * rate) / rate, self.noise * math.sqrt(2.0 / rate)
        known = study.sensors or (
            Encoders(rate=rate, cutoff=min(CUTOFF, 0.1 * rate)),
            *([Attitude(rate=rate)] if any(joint.kind in ("free", "planar") for joint in study.robot.layout.joints) else []),
        )
        sensors = []
        for each in known:
            more: dict[str, Any] = {"delay": each.delay + late}
            if isinstance(each, Encoders | Attitude):
                more["noise"] = _both(each.noise, density)
            if isinstance(each, Attitude):
                more["gyro_noise"] = _both(each.gyro_noise, RATES * density)
            sensors.append(replace(each, **more))
        return replace(study, sensors=tuple(sensors), seed=self.drawn)


def _both(before: Any, density: float) -> Any:
    """Two noises together, which know nothing of each other."""
    found = np.hypot(before, density)
    return tuple(found.tolist()) if np.ndim(found) else float(found)


ORDEALS: dict[str, type[Ordeal]] = {each.__name__: each for each in (Pushed, Sloping, Stepping, Slippery, Misjudged, Unsure)}
Source = TypeVar("Source", bound=Study | Ordeal)


# --- as text --------------------------------------------------------------------------------------------------------------


def source_text(source: Study | Ordeal) -> str:
    """What is asked, as text: a study, or an ordeal with its study."""
    if isinstance(source, Study):
        return study_text(source)
    text = study_text(source.study)
    numbers = {f.name: getattr(source, f.name) for f in dataclasses.fields(source) if f.name != "study"}
    return json.dumps({"ordeal": type(source).__name__, "numbers": numbers, "study": text, "lost": json.loads(text)["lost"]})


def parse_source(text: str, title: str) -> Study | Ordeal:
    """The same, from text. Nothing in it is executed."""
    data = parse_json(text, title)
    if not isinstance(data, Mapping) or "ordeal" not in data:
        return parse_study(text, title)
    kind, numbers = data["ordeal"], data.get("numbers")
    if kind not in ORDEALS:
        raise UnknownNameError(f"ordeal (in {title})", kind, ORDEALS)
    known = {f.name for f in dataclasses.fields(ORDEALS[kind]) if f.name != "study"}
    if not isinstance(numbers, dict) or not set(numbers) <= known:
        raise FileError(f"{title}: the numbers of {kind} must be a table of {', '.join(sorted(known))}, got {numbers!r:.80}")
    return ORDEALS[kind](parse_study(str(data.get("study")), title), **numbers)


def study_below(source: Any) -> Any:
    """The study of an ordeal, or what is one itself."""
    return source.study if isinstance(source, Ordeal) else source
