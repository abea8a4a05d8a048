"""What a sweep varies: parameters by dotted name, each over a grid, a list, or a range from which values are drawn.

    {"world.friction": "0.4:1:13"}                13 values from 0.4 to 1
    {"controller.push_gain": [0.0, 1.0, 3.0]}     these; as text "0,1,3", and rows of numbers as "10,0 | 20,0"
    {"push": "0:100", "slope": between(-2, 2)}    drawn together: `samples` of them by chance, Latin hypercube or Sobol's sequence

Grids and lists are combined with each other and with what is drawn.
"""

import math
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from footfall.errors import ParameterError, UnknownNameError
from footfall.model.quantity import SCALAR
from footfall.model.units import read_value
from footfall.named import settled
from footfall.sim.parameters import Parameter

DRAWS = ("sobol", "latin", "random")
MOST = 100_000_000  # runs of a sweep


@dataclass(frozen=True)
class Between:
    """A range from which values are drawn."""

    low: Any
    high: Any


def between(low: Any, high: Any) -> Between:
    """Draw values from low to high; text may have a unit."""
    return Between(low, high)


@dataclass(frozen=True)
class Axis:
    """A parameter and its values; those of a range are drawn, and have their place in all samples."""

    parameter: Parameter
    values: tuple[Any, ...]
    drawn: bool = False

    @property
    def name(self) -> str:
        return self.parameter.name


@dataclass(frozen=True)
class Plan:
    """All combinations. Values that are drawn together count as one."""

    axes: tuple[Axis, ...]
    samples: int = 0
    sizes: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        sizes, drawn = [], False
        for axis in self.axes:
            sizes.append(1 if axis.drawn and drawn else len(axis.values))
            drawn = drawn or axis.drawn
        object.__setattr__(self, "sizes", tuple(sizes))
        if len(self) > MOST:
            raise ParameterError(f"a sweep of {len(self):,} runs is too long; at most {MOST:,} are possible")

    def __len__(self) -> int:
        return math.prod(self.sizes)

    @cached_property
    def distinct(self) -> Collection[int]:
        """The numbers of runs that differ: whole numbers that are drawn may be the same."""
        if not any(axis.drawn and axis.parameter.rule["kind"] == "count" for axis in self.axes):
            return range(len(self))
        first: dict[tuple, int] = {}
        for number in range(len(self)):
            first.setdefault(self[number], number)
        return set(first.values())

    @property
    def count(self) -> int:
        return len(self.distinct)

    def __getitem__(self, number: int) -> tuple[Any, ...]:
        """The values of a run; the last axis changes first."""
        places, sample = [], 0
        for axis, size in zip(reversed(self.axes), reversed(self.sizes), strict=True):
            number, place = divmod(number, size)
            places.append(place)
            if axis.drawn and size > 1:
                sample = place
        pairs = zip(self.axes, reversed(places), strict=True)
        return tuple(axis.values[sample if axis.drawn else place] for axis, place in pairs)

    def order(self, seed: int) -> Iterator[int]:
        """All numbers, blocks of neighbours in a random order: a part of a sweep shows all of it, and neighbours have much in
        common.
        """
        block = max(1, min(64, len(self) // 64))
        first = np.random.default_rng(seed).permutation(-(-len(self) // block)) * block
        for start in first.tolist():
            yield from range(start, min(start + block, len(self)))


def planned(known: Mapping[str, Parameter], vary: Mapping[str, Any], samples: int, draw: str, seed: int, title: str) -> Plan:
    """The plan for parameters by full name; every single value is checked before anything runs."""
    if draw not in DRAWS:
        raise UnknownNameError("way to draw samples", draw, DRAWS)
    if isinstance(samples, bool) or not isinstance(samples, int) or samples < 0:
        raise ParameterError(f"a sweep: samples must be a whole number of 0 or more, got {samples!r:.60}")
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise ParameterError(f"a sweep: the seed of what is drawn must be a whole number of 0 or more, got {seed!r:.60}")
    given = {name: _given(known[name], values, title) for name, values in vary.items()}
    ranges = {name: values for name, values in given.items() if isinstance(values, Between)}
    if ranges and not samples:
        raise ParameterError(
            f"{title}: {', '.join(ranges)} has a range to draw from, so say how many `samples`; low:high:count is a grid"
        )
    if samples and not ranges:
        raise ParameterError(f"{title}: nothing is drawn, so there are no samples; low:high is a range to draw from")
    parts = _parts(draw, len(ranges), samples, seed) if ranges else np.zeros((0, 0))
    drawn = {name: _between(known[name], each, parts[:, i], title) for i, (name, each) in enumerate(ranges.items())}
    axes = [Axis(known[name], drawn.get(name, given[name]), name in drawn) for name in given]
    return Plan(tuple(axes), samples)


def _given(parameter: Parameter, given: Any, title: str) -> Any:
    """The values of an axis, or its range."""
    if isinstance(given, Between):
        return Between(_settled(parameter, given.low, title), _settled(parameter, given.high, title))
    values = _read(parameter, given, title) if isinstance(given, str) else given
    if isinstance(values, Between):
        return values
    if isinstance(values, np.ndarray | range):
        values = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if not isinstance(values, Sequence) or isinstance(values, str) or not len(values):
        raise ParameterError(
            f"{title}: {parameter.name} must have values: a list, text such as '0:1:11' or '0,1,3', or a range to draw from such "
            f"as '0:1', got {given!r:.80}"
        )
    found = tuple(_settled(parameter, value, title) for value in values)
    if len(set(found)) < len(found):
        twice = next(value for value in found if found.count(value) > 1)
        raise ParameterError(f"{title}: {parameter.name} has the value {twice!r} twice")
    return found


def _read(parameter: Parameter, text: str, title: str) -> Any:
    rule = parameter.rule
    title = f"{title}: {parameter.name}"
    if rule["kind"] == "words" or (rule["kind"] == "number" and SCALAR not in rule["shapes"]):
        return [read_value(rule, word, title) for word in text.split("|")]
    words = text.split(":")
    if len(words) == 1 or rule["kind"] not in ("number", "count"):
        return [_value(rule, word.strip(), title) for word in text.split(",")]
    if len(words) == 2:
        ends = [read_value(rule, word, title) for word in words]
        return Between(*(_settled(parameter, end, title) for end in ends))
    if len(words) > 3 or not words[2].strip().isdigit() or not 1 <= int(words[2]) <= MOST:
        raise ParameterError(f"{title} must be low:high:count, with a count of 1 or more, got {text!r:.80}")
    low, high = (read_value(rule, word, title) for word in words[:2])
    return _grid(rule, low, high, int(words[2]), text, title)


def _value(rule: Mapping[str, Any], word: str, title: str) -> Any:
    return None if word.lower() == "none" else read_value(rule, word, title)


def _grid(rule: Mapping[str, Any], low: float, high: float, count: int, text: str, title: str) -> list:
    if not (math.isfinite(low) and math.isfinite(high)) or (count > 1 and low == high):
        raise ParameterError(f"{title} must go from one number to another, got {text!r:.80}")
    values = np.linspace(low, high, count).tolist()
    if rule["kind"] != "count":
        return values
    if any(value != round(value) for value in values):
        raise ParameterError(f"{title} counts, and {text!r:.80} has values between whole numbers")
    return [round(value) for value in values]


def _settled(parameter: Parameter, value: Any, title: str) -> Any:
    """A value as the declaration has it; NumPy's numbers are Python's."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None and parameter.value is None:
        return None
    return settled(_as_field(parameter), parameter.name, value, title)


def _as_field(parameter: Parameter) -> Any:
    import dataclasses

    return dataclasses.field(default=parameter.default, metadata=parameter.rule)


# --- drawing --------------------------------------------------------------------------------------------------------------


def _parts(draw: str, dimensions: int, samples: int, seed: int) -> np.ndarray:
    """(samples, dimensions) numbers from 0 to 1."""
    if draw == "random":
        return np.random.default_rng(seed).random((samples, dimensions))
    from scipy.stats import qmc

    if draw == "latin":
        return qmc.LatinHypercube(dimensions, seed=seed).random(samples)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*powers of 2.*")  # it is balanced best then, and good without
        return qmc.Sobol(dimensions, scramble=True, seed=seed).random(samples)


def _between(parameter: Parameter, ends: Between, parts: np.ndarray, title: str) -> tuple[Any, ...]:
    kind, low, high = parameter.rule["kind"], ends.low, ends.high
    numbers = isinstance(low, int | float) and isinstance(high, int | float) and not isinstance(low, bool)
    if kind not in ("number", "count") or not numbers or not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ParameterError(
            f"{title}: values of {parameter.name} can be drawn between two finite numbers, the first one smaller, "
            f"got {low!r} and {high!r}"
        )
    if kind == "count":
        return tuple((low + np.floor(parts * (high - low + 1))).astype(int).tolist())
    return tuple((low + parts * (high - low)).tolist())
