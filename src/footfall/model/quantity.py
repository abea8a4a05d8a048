"""The one way to declare a parameter: its unit, shape, range, meaning and default.

A declaration is a field of a frozen dataclass, or the default of a keyword of a `build` function (see `footfall.named`):

    mass: float = quantity("kg", "of the body", 2.0, low=0.0)           a number
    at: tuple = quantity("m", "where it sits", (0.0, 0.0), shape=(2,))  a row of two; ROW is one of any length
    links: int = count("how many", 5, low=1)
    stops: bool = flag("whether joints stop", False)
    method: str = choice("how forces are shared", "even", ("even", "least"))
    gaits: tuple = words("one after the other", ("walk",))
    name: str = note("unique among links")                              no parameter

The command line, `footfall show`, searches and robot files all read these declarations.
"""

import dataclasses
import math
import numbers
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from footfall.errors import FootfallError, RobotError, UnknownNameError

REQUIRED = dataclasses.MISSING
Shape = tuple[int | None, ...]  # as NumPy has it; None is any length
SCALAR: Shape = ()
ROW: Shape = (None,)
TABLE: Shape = (None, None)
Rule = Mapping[str, Any]  # what a declaration says


def quantity(
    unit: str,
    help: str,
    default: Any = REQUIRED,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    infinite: bool = False,
    shape: Shape | list[Shape] = SCALAR,
) -> Any:
    """A number in `unit` within [low, high], or a row or table of such numbers; a list names several shapes that it may have."""
    shapes = tuple(shape) if isinstance(shape, list) else (shape,)
    rule = {"kind": "number", "unit": unit, "help": help, "low": low, "high": high, "infinite": infinite, "shapes": shapes}
    return dataclasses.field(default=default, metadata=rule)


def count(help: str, default: Any = REQUIRED, *, low: float = 0, high: float = 2**53) -> Any:
    """A whole number from low to high."""
    return dataclasses.field(default=default, metadata={"kind": "count", "unit": "1", "help": help, "low": low, "high": high})


def flag(help: str, default: Any = REQUIRED) -> Any:
    """True or False."""
    return dataclasses.field(default=default, metadata={"kind": "flag", "help": help})


def choice(help: str, default: Any, options: Iterable[str]) -> Any:
    """One of several words."""
    return dataclasses.field(default=default, metadata={"kind": "choice", "help": help, "options": tuple(options)})


def words(help: str, default: Any = REQUIRED) -> Any:
    """A row of words."""
    return dataclasses.field(default=default, metadata={"kind": "words", "help": help})


def note(help: str, default: Any = REQUIRED) -> Any:
    """A field that is no parameter: a name, a part, a function."""
    return dataclasses.field(default=default, metadata={"help": help})


# --- checking -------------------------------------------------------------------------------------------------------------


def check_quantities(owner: Any, title: str, error: type[FootfallError] = RobotError) -> None:
    """Convert every parameter to its declared type (a float, a tuple of floats, ...), or say which one is wrong."""
    for field in dataclasses.fields(owner):
        if "kind" in field.metadata:
            object.__setattr__(owner, field.name, checked(field, field.name, getattr(owner, field.name), title, error))
        elif field.type is str and not isinstance(getattr(owner, field.name), str):
            raise error(f"{title}: {field.name} must be a word, got {getattr(owner, field.name)!r:.80}")


def checked(field: dataclasses.Field, name: str, value: Any, title: str, error: type[FootfallError]) -> Any:
    """A value converted as its declaration says, or an error that says what is wrong with it."""
    if value is None and field.default is None:
        return None
    return CHECKS[field.metadata["kind"]](field.metadata, name, value, title, error)


def describe(rule: Rule) -> str:
    """A declaration in words, for errors: "a row of 3 numbers in rad"."""
    if rule["kind"] == "choice":
        return f"one of {', '.join(rule['options'])}"
    if rule["kind"] != "number":
        return {"count": "a whole number", "flag": "True or False", "words": "a row of words"}[rule["kind"]]
    unit = f" in {rule['unit']}" if rule["unit"] not in ("", "1") else ""
    return " or ".join(map(_shape_text, rule["shapes"])) + unit


def _shape_text(shape: Shape) -> str:
    sizes = ["numbers" if size is None else f"{size} numbers" for size in shape[-1:]]
    return " of ".join(["a number" if not shape else "a row", *["rows"] * (len(shape) - 1), *sizes])


def _number(rule: Rule, name: str, value: Any, title: str, error: type[FootfallError]) -> Any:
    def wrong() -> FootfallError:
        meaning = f" ({rule['help']})" if SCALAR not in rule["shapes"] else ""
        return error(f"{title}: {name} must be {describe(rule)}, got {value!r:.80}{meaning}")

    try:
        nested = _nested(value)
    except TypeError:
        raise wrong() from None
    if not any(_fits(nested, shape) for shape in rule["shapes"]):
        raise wrong()
    return _each(nested, lambda entry: _within(rule, name, entry, title, error))


def _nested(value: Any, depth: int = 0) -> Any:
    """Numbers, in tuples as they are nested, at most in a table; anything else is a TypeError."""
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return value
    if depth == len(TABLE) or isinstance(value, (str, bytes, dict)) or not hasattr(value, "__getitem__"):
        raise TypeError
    return tuple(_nested(entry, depth + 1) for entry in value)


def _each(nested: Any, check: Callable[[Any], float]) -> Any:
    return tuple(_each(entry, check) for entry in nested) if isinstance(nested, tuple) else check(nested)


def _fits(found: Any, shape: Shape) -> bool:
    if not shape:
        return not isinstance(found, tuple)
    if not isinstance(found, tuple) or shape[0] not in (None, len(found)):
        return False
    return all(_fits(entry, shape[1:]) for entry in found)


def _within(rule: Rule, name: str, value: Any, title: str, error: type[FootfallError]) -> float:
    try:
        number = float(value)
    except OverflowError:
        raise error(f"{title}: {name} must be finite, got a number beyond 1e308") from None
    if math.isnan(number) or (math.isinf(number) and not rule["infinite"]):
        raise error(f"{title}: {name} must be finite, got {number}")
    _check_range(rule, name, number, title, error)
    return number + 0.0  # no negative zero


def _check_range(rule: Rule, name: str, value: float, title: str, error: type[FootfallError]) -> None:
    if not rule["low"] <= value <= rule["high"]:
        unit = f" {rule['unit']}" if rule["unit"] not in ("", "1") else ""
        raise error(f"{title}: {name} must be {range_text(rule)}{unit}, got {value:g}")


def range_text(rule: Rule) -> str:
    """ "at least 0", "from 0 to 1", or nothing."""
    low, high = rule.get("low", -math.inf), rule.get("high", math.inf)
    if low > -math.inf and high < math.inf and not (rule["kind"] == "count" and high == 2**53):
        return f"from {low:g} to {high:g}"
    if low > -math.inf:
        return f"at least {low:g}"
    return f"at most {high:g}" if high < math.inf else ""


def _count(rule: Rule, name: str, value: Any, title: str, error: type[FootfallError]) -> int:
    if isinstance(value, bool) or not isinstance(value, numbers.Integral | float) or value % 1 != 0:
        raise error(f"{title}: {name} must be a whole number, got {value!r:.80}")
    whole = int(value)
    _check_range(rule, name, whole if abs(whole) < 2**60 else math.copysign(math.inf, 1 if whole > 0 else -1), title, error)
    return whole


def _flag(_rule: Rule, name: str, value: Any, title: str, error: type[FootfallError]) -> bool:
    if not isinstance(value, bool):
        raise error(f"{title}: {name} must be True or False, got {value!r:.80}")
    return value


def _choice(rule: Rule, name: str, value: Any, title: str, _error: type[FootfallError]) -> str:
    if not isinstance(value, str) or value not in rule["options"]:
        raise UnknownNameError(f"{name} (of {title})", value, rule["options"])
    return value


def _words(_rule: Rule, name: str, value: Any, title: str, error: type[FootfallError]) -> tuple[str, ...]:
    if not isinstance(value, tuple | list) or not all(isinstance(word, str) for word in value):
        raise error(f"{title}: {name} must be a row of words, got {value!r:.80}")
    return tuple(value)


CHECKS: dict[str, Callable[..., Any]] = {
    "number": _number,
    "count": _count,
    "flag": _flag,
    "choice": _choice,
    "words": _words,
}
