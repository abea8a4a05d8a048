"""From declared parameters to controls: groups, ranges of sliders, labels and hints. Nothing here knows a study."""

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from footfall.model.quantity import range_text
from footfall.sim.parameters import Parameter, parameters
from footfall.sim.settings import FIXED, MOTORS, GoalField, goal_fields, layers_of
from footfall.sim.study import Study

WIDEST = 20.0  # times the value: a declared range wider than this is no use to a slider
AROUND = 3.0  # times the value: the range of a slider where none is declared
STEPS = 200  # of a slider
WIDE = 6  # characters of a number, without its sign, that fit beside its slider
LAYER = re.compile(r"controller\.layers\.(\d+)\.")
BY_HAND = ("world.pushes.", "world.loads.", "world.changes.")
NEVER = ("q", "v", "record", "seconds", "record_dt")  # not changed in the lab


class Range(NamedTuple):
    """The range of a slider, and its step."""

    low: float
    high: float
    step: float


def slider_range(low: float, high: float, value: float) -> Range:
    """The declared range if it is finite and not much wider than the value; else one around the value, within it."""
    size = abs(value) or (min(abs(high), 1.0) if math.isfinite(high) and high else 1.0)
    if not (math.isfinite(low) and math.isfinite(high)) or high - low > WIDEST * size:
        low, high = max(low, value - AROUND * size), min(high, value + AROUND * size)
    step = 10.0 ** math.floor(math.log10((high - low) / STEPS)) if high > low else 1.0
    step *= next(each for each in (1, 2, 5, 10) if each * step * STEPS >= 0.5 * (high - low))
    low, high = math.floor(low / step) * step if low < value else low, math.ceil(high / step) * step if high > value else high
    return Range(_round(low), _round(high), _round(step))


def _round(x: float) -> float:
    return float(f"{x:.9g}")


def fitting(x: float) -> float:
    """A number to at most four digits, fewer if the box beside a slider would cut it off."""
    rounded = (float(f"{x:.{digits}g}") for digits in (4, 3, 2))
    return next((each for each in rounded if len(f"{abs(each):g}") <= WIDE), float(f"{x:.2g}"))


def within(declared_low: float, declared_high: float, found: Range) -> Range:
    """A range of a slider that rounding did not carry beyond the declared one."""
    return Range(max(found.low, declared_low), min(found.high, declared_high), found.step)


# --- groups -----------------------------------------------------------------------------------------------------------------


def groups(study: Study) -> dict[str, list[Parameter]]:
    """All parameters of a study that the lab can change, by what they belong to."""
    found: dict[str, list[Parameter]] = {}
    classes = [type(part).__name__ for part in layers_of(study.controller)]
    for each in parameters(study, parts=True):
        group = _group(each.name, study, classes)
        if group:
            found.setdefault(group, []).append(each)
    return found


def _group(name: str, study: Study, classes: list[str]) -> str:
    first = name.split(".")[0]
    if name in NEVER or (name == "world.gravity_heading" and study.robot.dim == 2):
        return ""
    if first == "controller":
        layer = LAYER.match(name)
        return f"controller {classes[int(layer[1])]}" if layer else f"controller {classes[0]}"
    if first == "sensors":
        return f"sensor {name.split('.')[1]} {type(study.sensors[int(name.split('.')[1])]).__name__}"
    if MOTORS.fullmatch(name):
        return f"joint {name.split('.')[2]}"
    if first == "robot":
        return ""
    if name.startswith(BY_HAND):  # there may be many
        return "pushes and loads"
    return "world" if first == "world" else "study"


def starts_again(name: str) -> bool:
    """Whether a change of it begins the run anew."""
    first = name.split(".")[0]
    return name == "world.bodies" or (first in FIXED and not MOTORS.fullmatch(name))


def gait_choices(study: Study) -> list[tuple[str, tuple[str, ...], str]]:
    """Modes and gaits that have names: dotted name, names, and the present one. From goals, and from choices of controllers."""
    found = [(goal.name, tuple(goal.field.labels), "") for goal in goal_fields(study) if goal.field.labels]
    known = parameters(study)
    choices = [each for each in known if each.name.startswith("controller.") and each.rule["kind"] == "choice"]
    return found + [(each.name, tuple(each.rule["options"]), str(each.value)) for each in choices]


def goals(study: Study) -> list[GoalField]:
    """What controllers follow and has no names."""
    return [goal for goal in goal_fields(study) if not goal.field.labels]


# --- controls ---------------------------------------------------------------------------------------------------------------


def label_of(name: str, unit: str = "") -> str:
    """The last words of a dotted name, with the unit."""
    words = name.split(".")
    short = words[-1] if words[0] in ("controller", "world") else ".".join(words[-2:])
    if words[0] == "robot":
        short = ".".join(words[3:])
    return f"{short.replace('_', ' ')} ({unit})" if unit not in ("", "1") else short.replace("_", " ")


def hint_of(each: Parameter) -> str:
    """Its full name, its help and its range."""
    rule = each.rule
    ranged = range_text(rule) if "low" in rule else ""
    again = "; starts the run again" if starts_again(each.name) else ""
    unit = rule.get("unit", "")
    return f"{each.name}: {rule.get('help', '')}{f' ({ranged} {unit})' if ranged else ''}{again}"


def add_control(gui: Any, each: Parameter, changed: Callable[[str, Any], None]) -> Any:
    """A control for a parameter, which says its name and another value when it is moved."""
    rule, value = each.rule, each.value
    label, hint, kind = label_of(each.name, rule.get("unit", "")), hint_of(each), rule["kind"]
    control: Any
    if kind == "flag" and value is not None:
        control = gui.add_checkbox(label, bool(value), hint=hint)
    elif kind == "choice" and value is not None:
        control = gui.add_dropdown(label, tuple(rule["options"]), initial_value=value, hint=hint)
    elif kind == "count" and value is not None:
        high = rule["high"] if rule["high"] < 2**31 else max(10 * value, 10)
        control = gui.add_number(label, int(value), min=int(rule["low"]), max=int(high), step=1, hint=hint)
    elif kind == "number" and isinstance(value, float) and math.isfinite(value):
        low, high, step = within(rule["low"], rule["high"], slider_range(rule["low"], rule["high"], value))
        if not low < high:
            control = gui.add_number(label, value, hint=hint, disabled=True)
        else:
            control = gui.add_slider(label, low, high, step, min(max(fitting(value), low), high), hint=hint)
    elif kind == "number" and isinstance(value, tuple) and len(value) in (2, 3) and all(isinstance(x, float) for x in value):
        add = gui.add_vector2 if len(value) == 2 else gui.add_vector3
        control = add(label, tuple(map(_round, value)), step=0.01, hint=hint)
    else:
        control = gui.add_text(
            label,
            text_of(value),
            hint=f"{hint}; as text",
        )
    control.on_update(lambda _: changed(each.name, control.value))
    return control


def text_of(value: Any) -> str:
    """A value as it is typed."""
    if value is None:
        return "none"
    if isinstance(value, tuple):
        rows = value and isinstance(value[0], tuple)
        return ("; " if rows else ", ").join(text_of(each) for each in value)
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def set_line(name: str, before: Study, now: Study) -> str:
    """The command that runs the study as it is now."""
    was = {each.name: each.value for each in parameters(before, parts=True)}
    changed = [each for each in parameters(now, parts=True) if each.name in was and was[each.name] != each.value]
    changed = [each for each in changed if each.name not in NEVER]
    words = [f"{each.name}={_typed(each.value)}" for each in changed]
    terrain = "" if type(before.world.terrain) is type(now.world.terrain) else f"  # on {now.world.terrain!r}"
    return f"footfall run {name}" + (f" --set {' '.join(words)}" if words else "") + terrain


def _typed(value: Any) -> str:
    text = text_of(value).replace(", ", ",").replace("; ", ";")
    return f"'{text}'" if re.search(r"[\s;,()]", text) else text
