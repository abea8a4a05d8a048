"""Bounds on the steps of a walk: columns of the step table, each from a lowest to a highest value, kept by every step."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from math import inf, isfinite, isnan

import numpy as np

from footfall.analysis.steps import Step, Steps
from footfall.errors import FootfallError, UnknownNameError

LARGEST = 2.0  # a bound that is missed by more counts as this
ZERO = 0.01  # of a bound of 0: misses count in this unit
COLUMNS = tuple(field.name for field in fields(Step) if field.name not in ("time", "foot", "place"))


@dataclass(frozen=True)
class Bound:
    """One column, from `low` to `high`."""

    column: str
    low: float = -inf
    high: float = inf

    def misses(self, steps: Steps, start: float = 0.0) -> np.ndarray:
        """By how much each step from a time on misses it, as a part of the bound; a column that a robot has not is missed."""
        values = np.array([getattr(step, self.column) for step in steps.rows if step.time >= start])
        below = np.maximum(self.low - values, 0.0) / (abs(self.low) or ZERO) if self.low > -inf else np.zeros(len(values))
        above = np.maximum(values - self.high, 0.0) / (abs(self.high) or ZERO) if self.high < inf else np.zeros(len(values))
        missed = np.minimum(np.maximum(below, above), LARGEST)
        return np.where(np.isnan(values), LARGEST, missed)

    def __str__(self) -> str:
        return f"{self.column}={self.low:g}:{self.high:g}".replace("-inf", "").replace("inf", "")


def bound(text: str) -> Bound:
    """A bound as it is typed: `length=0.3:0.4`, `gap=:0.008`, `sole=0.9:`."""
    name, sign, values = text.partition("=")
    low, colon, high = values.partition(":")
    if name.strip() not in COLUMNS:
        raise UnknownNameError("column (of the step table)", name.strip(), COLUMNS)
    try:
        found = Bound(name.strip(), float(low or -inf), float(high or inf))
    except ValueError:
        colon = ""
        found = Bound(name.strip())
    numbers = not isnan(found.low) and not isnan(found.high) and found.low < inf and found.high > -inf
    bounds = isfinite(found.low) or isfinite(found.high)
    if not (sign and colon and numbers and bounds and found.low <= found.high):
        raise FootfallError(
            f"a bound must be a column, its lowest and its highest value, such as length=0.3:0.4 or gap=:0.008, got {text!r:.80}"
        )
    return found


def missed(steps: Steps, bounds: Mapping[str, tuple[float, float]] | tuple[Bound, ...], start: float = 0.0) -> dict[str, float]:
    """The worst miss of each bound from a time on, as a part of it; 0 if all steps keep it, the largest if there are none."""
    kept = tuple(Bound(name, *ends) for name, ends in bounds.items()) if isinstance(bounds, Mapping) else bounds
    misses = {each.column: each.misses(steps, start) for each in kept}
    return {column: float(found.max()) if len(found) else LARGEST for column, found in misses.items()}
