"""Settings: parameters, goals and parts of the world that get another value while a run is under way.

A study may declare them, `Study(settings=(Setting(2.0, "goal.speed", 0.8),))`, and `Simulation.set` adds to them. One takes
effect after the instant `time`: a controller sees it when it is next asked, the world has it in the next step.
"""

import copy
import dataclasses
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from footfall.control import Controller, Layered
from footfall.control.fields import Block, Field, sizes_of
from footfall.errors import ParameterError, SimulationError, UnknownNameError
from footfall.model.quantity import check_quantities, count, note, quantity
from footfall.named import full_name, settled
from footfall.sim.parameters import resolved, with_parameters
from footfall.world import Contact, Terrain

PARTS: dict[str, type] = {"world.terrain": Terrain, "world.contact": Contact}  # that can be replaced as a whole
MOTORS = re.compile(
    r"robot\.(joints\.[^.]+\.(damping|friction|static_friction|stribeck_velocity|spring\.\w+|motor\.\w+)|"
    r"tendons\.[^.]+\.(stiffness|slack|damping))"
)
FIXED = {
    "dt": "all steps of a run have one length",
    "record_dt": "all rows of a run are as far apart",
    "seconds": "advance(seconds) says how long it goes on",
    "q": "it is where the run began",
    "v": "it is how the run began",
    "seed": "all noise of a run is drawn from one seed",
    "record": "what is recorded is recorded from the beginning",
    "engine": "one engine moves a run from its beginning to its end",
    "robot": "masses, shapes and stops are those with which the run began; a Load adds mass, and dampers, springs, dry friction "
    "and motors of joints, and tendons, can be set",
}


@dataclasses.dataclass(frozen=True)
class Setting:
    """Another value from some time on."""

    time: float = quantity("s", "the last instant before it takes effect", low=0.0, high=1e6)
    name: str = note("dotted: controller.push_gain, goal.speed, world.gravity, ...")
    value: Terrain | Contact | Any = note("the new value; text may carry a unit")

    def __post_init__(self) -> None:
        check_quantities(self, f"Setting of {self.name!r:.60}", SimulationError)

    def __str__(self) -> str:
        value = self.value if isinstance(self.value, Terrain | Contact | str) else f"{self.value}"
        return f"{self.name} = {value} after {self.time:.4f} s"


def altered(thing: Any, **changes: Any) -> Any:
    """A declaration with fields that were checked before; `replace` would check all the others again."""
    made = copy.copy(thing)
    for name, value in changes.items():
        object.__setattr__(made, name, value)
    return made


# --- goals ----------------------------------------------------------------------------------------------------------------


def layers_of(controller: Controller | None) -> tuple[Controller, ...]:
    """All layers, the outermost first."""
    return controller.layers if isinstance(controller, Layered) else (controller,) if controller else ()


def layer_names(controller: Controller | None) -> list[str]:
    """What layers are called: nothing if there is one, else the class, with its place where that is not enough."""
    classes = [type(part).__name__ for part in layers_of(controller)]
    if len(classes) < 2:
        return [""] * len(classes)
    return [name if classes.count(name) == 1 else f"{name}{place}" for place, name in enumerate(classes)]


class GoalField(NamedTuple):
    """A number, or several, that a layer follows."""

    name: str  # controller.goal.speed, controller.Follow.goal.angle
    layer: int
    field: Field
    shape: tuple[int, ...]
    part: Controller

    @property
    def parameter(self) -> Any:
        """The declaration of the parameter of the same name, if there is one: it is the goal at the start."""
        return next((f for f in dataclasses.fields(self.part) if f.name == self.field.name and "kind" in f.metadata), None)

    def rule(self) -> Any:
        """What is declared of it."""
        declared = self.parameter or self.field.rule
        if declared is not None:
            return declared
        whole = self.field.kind is np.int64 and not self.shape
        return count(self.name, None, low=-(2**53)) if whole else quantity("", self.name, None, shape=self.shape)

    def settled(self, value: Any, title: str) -> Any:
        """A value for it: numbers in its shape, or the name of one of its states."""
        if isinstance(value, str) and value in self.field.labels:
            return self.field.labels.index(value)
        if value is None or (isinstance(value, str) and self.field.labels and not value.strip("+-").isdigit()):
            raise UnknownNameError(f"value (of {self.name})", value, self.field.labels or ("a number",))
        found = settled(self.rule(), self.name, value, title)
        if self.field.labels and not 0 <= found < len(self.field.labels):
            known = ", ".join(f"{i} {label}" for i, label in enumerate(self.field.labels))
            raise ParameterError(f"{title}: {self.name} must be one of {known}, got {found}")
        if np.shape(found) != self.shape:
            raise ParameterError(f"{title}: {self.name} must have shape {self.shape}, got {np.shape(found)}")
        return found


def goal_fields(study: Any) -> list[GoalField]:
    """All that layers follow, the outermost first."""
    found, sizes = [], sizes_of(study.robot, len(study.engine.pads(study.robot)))
    names = layer_names(study.controller)
    for place, (part, layer) in enumerate(zip(layers_of(study.controller), names, strict=True)):
        block = Block(type(part).__name__, part.Goal, sizes)
        for field in block.fields:
            name = ".".join(word for word in ("controller", layer, "goal", field.name) if word)
            found.append(GoalField(name, place, field, block.shapes[field.name], part))
    return found


def goal_of(study: Any, name: str) -> GoalField | None:
    """The goal that is meant by a dotted name, of the outermost layer that has one; None if the name is that of no goal."""
    if "goal" not in name.split(".")[:-1]:
        return None
    known = goal_fields(study)
    for place in range(len(layers_of(study.controller))):
        here = {each.name: each for each in known if each.layer == place}
        found = full_name(name, here)
        if found is not None:
            return here[found]
    raise UnknownNameError("goal (of the controller)", name, [each.name for each in known])


# --- checking and applying ------------------------------------------------------------------------------------------------


def settle(study: Any, setting: Setting, begun: bool = True) -> Setting:
    """A setting with its full name and its value as the declaration wants it, or an error that says what is wrong with it.

    Before a run has begun, everything can be set.
    """
    title = f"study {study.name!r}"
    if goal := goal_of(study, setting.name):
        return altered(setting, name=goal.name, value=goal.settled(setting.value, title))
    part = next((name for name in PARTS if setting.name in (name, name.split(".")[1])), None)
    if part:
        if not isinstance(setting.value, PARTS[part]):
            raise ParameterError(f"{title}: {part} must be a {PARTS[part].__name__}, got {setting.value!r:.80}")
        name, value = part, setting.value
    else:
        if begun:
            check_can_change(setting.name)
        also = ["goal.*", *PARTS] if study.controller else list(PARTS)
        [(name, value)] = resolved(study, {_placed(study, setting.name): setting.value}, also=also).items()
        if begun:
            check_can_change(name)
    if begun:
        _check_heard(study, name, setting.time)
    return altered(setting, name=name, value=value)


def check_can_change(name: str) -> None:
    """Refuse what stays as it is for a whole run."""
    first = name.split(".")[0]
    if first in FIXED and not MOTORS.fullmatch(name):
        raise SimulationError(f"{name} cannot be set while a run is under way: {FIXED[first]}")


def _check_heard(study: Any, name: str, time: float) -> None:
    """Refuse ground parameters that a Change has replaced by then: they would have no effect."""
    for part in ("terrain", "contact"):
        if name.startswith(f"world.{part}"):
            acting = [i for i, change in enumerate(study.world.changes) if getattr(change, part) and change.at <= time]
            if acting:
                last = max(acting, key=lambda i: study.world.changes[i].at)
                raise SimulationError(
                    f"{name} would have no effect: since {study.world.changes[last].at:g} s the {part} is that of "
                    f"world.changes.{last}; set world.changes.{last}.{part} parameters, or add a Change"
                )


def _placed(study: Any, name: str) -> str:
    """A name in which a layer goes by its class, with the layer's place instead."""
    names = layer_names(study.controller)
    words = name.split(".")
    for i, word in enumerate(words[:-1]):
        if word and word in names:
            before = [each for each in words[:i] if each not in ("controller", "layers")]
            return ".".join([*before, "controller.layers", str(names.index(word)), *words[i + 1 :]])
    return name


def applied(study: Any, setting: Setting) -> Any:
    """The study as it is after a setting that was settled; goals are no part of it."""
    if ".goal." in setting.name and setting.name.startswith("controller."):
        return study
    if setting.name in PARTS:
        part: dict[str, Any] = {setting.name.split(".")[1]: setting.value}
        return dataclasses.replace(study, world=dataclasses.replace(study.world, **part))
    return with_parameters(study, {setting.name: setting.value})


def settled_all(study: Any) -> tuple[Setting, ...]:
    """All settings of a study, in the order of time, each checked in the study as it is by then."""
    rows = study.settings
    if not isinstance(rows, tuple | list) or not all(isinstance(each, Setting) for each in rows):
        raise SimulationError(f"study {study.name!r:.60}: settings must be a row of Settings, got {rows!r:.80}")
    return tuple(each for each, _ in in_turn(study, sorted(rows, key=lambda each: each.time))) if rows else ()


def in_turn(study: Any, rows: Any) -> Iterator[tuple[Setting, Any]]:
    """Settings one after the other, settled, each with the study from then on."""
    now = altered(study, settings=())
    parts = {"controller.": study.controller, "world.terrain": study.world.terrain, "": study.engine}
    unknown = tuple(begin for begin, part in parts.items() if getattr(type(part), "lost", False))
    for each in rows:
        if unknown and each.name.startswith(unknown):
            yield each, now  # of a part that could not be saved
            continue
        ready = settle(now, each)
        now = applied(now, ready)
        yield ready, now


def step_of(setting: Setting, dt: float) -> int:
    """The instant after which it takes effect."""
    return int(setting.time / dt + 1e-6)


def gravity_at(study: Any, times: np.ndarray) -> np.ndarray:
    """(times, 2 or 3) acceleration of free fall at instants of a run, by its settings."""
    found, now = np.tile(study.gravity_vector, (len(times), 1)), altered(study, settings=())
    for each in study.settings:
        if each.name.startswith("world.gravity"):
            now = altered(now, world=altered(now.world, **{each.name.split(".")[1]: each.value}))
            found[times > (step_of(each, study.dt) + 0.5) * study.dt] = now.gravity_vector
    return found


def pull_changed(study: Any, before: float) -> float:
    """The last instant (s) before a time after which gravity changed."""
    steps = [step_of(each, study.dt) for each in study.settings if each.name.startswith("world.gravity")]
    return float(max((step * study.dt for step in steps if (step + 0.5) * study.dt < before), default=0.0))
