"""Values as people type them: `-2deg`, `15 cm`, `80%`, `1,2,3`, `true`, `walk`. The declaration says how to read them."""

import math
import re
from collections import Counter
from typing import Any

from footfall.errors import FootfallError
from footfall.model.quantity import Rule, describe

# Other units than ours, as multiples of them.
UNITS: dict[str, tuple[float, str]] = {
    "deg": (math.pi / 180, "rad"),
    "°": (math.pi / 180, "rad"),
    "km": (1000.0, "m"),
    "cm": (0.01, "m"),
    "mm": (0.001, "m"),
    "um": (1e-6, "m"),
    "ms": (0.001, "s"),
    "us": (1e-6, "s"),
    "min": (60.0, "s"),
    "h": (3600.0, "s"),
    "g": (0.001, "kg"),
    "kN": (1000.0, "N"),
    "Nm": (1.0, "N m"),
    "mA": (0.001, "A"),
    "Hz": (1.0, "1/s"),
    "kHz": (1000.0, "1/s"),
    "%": (0.01, "1"),
}
NUMBER = re.compile(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?|[-+]?inf|nan)\s*(.*?)\s*", re.IGNORECASE)
LONGEST = 400  # characters of a number
PLAIN = str.maketrans({"²": "2", "*": " ", "^": "", "(": "", ")": ""})  # all after a slash is below it
TRUE, FALSE = ("true", "yes", "on"), ("false", "no", "off")


class UnitError(FootfallError):
    """A unit that is not known, or does not fit the quantity."""


def read_value(rule: Rule, text: str, title: str) -> Any:
    """A value from text, as its declaration wants it; ranges are checked where the value is used."""
    kind = rule["kind"]
    if kind == "choice":
        return text
    if kind == "words":
        return tuple(word.strip() for word in text.split(",") if word.strip())
    if kind == "flag":
        if text.lower() not in (*TRUE, *FALSE):
            raise UnitError(f"{title} must be true or false, got {text!r:.80}")
        return text.lower() in TRUE
    if kind == "number" and () not in rule["shapes"]:
        return _row(rule, text, title)
    if kind == "number" and len(rule["shapes"]) > 1 and "," in text:
        return _row(rule, text, title)
    return _number(rule, text, title)


def _row(rule: Rule, text: str, title: str) -> Any:
    """Commas between entries; semicolons between the rows of a table."""
    text = text.strip().removeprefix("(").removesuffix(")")
    if any(len(shape) > 1 for shape in rule["shapes"]):
        return tuple(_entries(rule, row, title) for row in text.split(";") if row.strip())
    return _entries(rule, text, title)


def _entries(rule: Rule, text: str, title: str) -> tuple[float, ...]:
    return tuple(_number(rule, entry, title) for entry in text.split(",") if entry.strip())


def _number(rule: Rule, text: str, title: str) -> float | int:
    found = NUMBER.fullmatch(text) if len(text) <= LONGEST else None
    if not found or "," in text:
        raise UnitError(f"{title} must be {describe(rule)}, got {text!r:.80}")
    digits, unit = found.groups()
    if rule["kind"] == "count" and not unit and re.fullmatch(r"[-+]?\d+", digits):
        return int(digits)
    return _times(float(digits), factor(unit, rule["unit"], title)) if unit else float(digits)


def _times(number: float, size: float) -> float:
    """number * size, where 95 cm are 0.95 m to the last digit."""
    parts = round(1.0 / size)
    return number / parts if abs(parts * size - 1.0) < 1e-14 else number * size


def factor(given: str, wanted: str, title: str) -> float:
    """How many of the wanted unit one of the given is."""
    size, kinds = _parsed(given)
    for unit in wanted.split(","):  # a row may have several, such as m and rad
        our_size, our_kinds = _parsed(unit)
        if kinds == our_kinds:
            return size / our_size
    what = f"is in {wanted}" if wanted not in ("", "1") else "has no unit"
    raise UnitError(f"{title} {what}, which {given[:40]!r} does not measure")


def powers_of(unit: str) -> Counter:
    """The powers of m, s, kg, N, rad, ... in a unit; of a row with several units those of the first."""
    return _parsed(unit.split(",")[0])[1]


def _parsed(unit: str) -> tuple[float, Counter]:
    """A unit such as "N m s/rad" or "m/s2" as a factor and powers of ours."""
    size = 1.0
    kinds: Counter[str] = Counter()
    above, *below = unit.translate(PLAIN).split("/")
    for sign, part in [(1, above), *((-1, part) for part in below)]:
        for word in part.split():
            name, power = re.fullmatch(r"(.*?)(\d*)", word).groups()  # type: ignore[union-attr]
            exponent = sign * int(power or 1)
            if not name:  # the 1 of "1/s"
                continue
            scale, ours = UNITS.get(name, (1.0, name))
            size *= scale**exponent
            if ours != name:
                inner, named = _parsed(ours)
                size *= inner**exponent
                for key, value in named.items():
                    kinds[key] += value * exponent
            else:
                kinds[name] += exponent
    return size, Counter({name: power for name, power in kinds.items() if power})
