"""Numbers that know their unit, their range and what they mean: the fields of every declaration."""

import dataclasses
import math
import numbers
from typing import Any

from footfall.errors import FootfallError, RobotError

REQUIRED = dataclasses.MISSING


def quantity(
    unit: str,
    help: str,
    default: Any = REQUIRED,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    infinite: bool = False,
) -> Any:
    """A field for a number or a tuple of numbers in `unit`, each within [low, high]."""
    metadata = {"unit": unit, "help": help, "low": low, "high": high, "infinite": infinite}
    return dataclasses.field(default=default, metadata=metadata)


def note(help: str, default: Any = REQUIRED) -> Any:
    """A field that is not a number."""
    return dataclasses.field(default=default, metadata={"help": help})


def check_quantities(owner: Any, title: str, error: type[FootfallError] = RobotError) -> None:
    """Make every quantity of a declaration a float or a tuple of floats, or say which one is wrong."""
    for field in dataclasses.fields(owner):
        value = getattr(owner, field.name)
        if "unit" in field.metadata and value is not None:
            object.__setattr__(owner, field.name, _checked(value, field, title, error))


def _checked(value: Any, field: dataclasses.Field, title: str, error: type[FootfallError]) -> Any:
    if isinstance(value, (str, bool)) or not (isinstance(value, numbers.Real) or _is_sequence(value)):
        raise error(f"{title}: {field.name} must be a number or a row of numbers in {field.metadata['unit']}, got {value!r:.80}")
    if _is_sequence(value):
        return tuple(_checked(entry, field, title, error) for entry in value)
    try:
        number, rule = float(value), field.metadata
    except OverflowError:
        raise error(f"{title}: {field.name} must be finite, got a number beyond 1e308") from None
    if math.isnan(number) or (math.isinf(number) and not rule["infinite"]):
        raise error(f"{title}: {field.name} must be finite, got {number}")
    if not rule["low"] <= number <= rule["high"]:
        bounds = f"at least {rule['low']:g}" if rule["high"] == math.inf else f"from {rule['low']:g} to {rule['high']:g}"
        raise error(f"{title}: {field.name} must be {bounds} {rule['unit']}, got {number:g}")
    return number + 0.0  # no negative zero


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, (str, bytes, dict))
