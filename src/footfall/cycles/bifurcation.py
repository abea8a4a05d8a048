"""Bifurcations: where walks settle along a parameter (one step, two in turn, four, chaos), and the exact period doublings."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.core.hybrid.walk import ORBIT
from footfall.cycles.continuation import Branch, Special, continuation
from footfall.cycles.step_map import PERIODS, StepMap, Walker
from footfall.cycles.threads import Progress, in_threads
from footfall.engines.hybrid.walk import Family
from footfall.errors import FootfallError, StateError
from footfall.shown import Shown

KICK = 1e-3  # of the largest free coordinate: how far from the cycle of one step an orbit begins
ALIKE = 1e-5  # of the largest free coordinate: states this near are the same
TOLERANCE = (1e-10, 1e-11)
NOT_TRIED, FELL = -2, -1  # instead of a period
ASIDE = 6  # values beside a doubling from which it is looked for


@dataclass(frozen=True, eq=False, repr=False)
class Bifurcation(Shown):
    """Orbits along a parameter, after they have settled. Where a walker fell, or was not tried before Ctrl-C, there is NaN."""

    along: str
    names: tuple[str, ...]  # of the free coordinates
    values: np.ndarray  # (n,) of the parameter
    u: np.ndarray  # (n, kept, 2 free) at the beginnings of steps
    times: np.ndarray  # (n, kept) s, how long each step took
    periods: np.ndarray  # (n,) in steps; 0 if none of up to 15 is seen (yet), -1 where it fell, -2 where not tried
    doublings: tuple[tuple[int, Special], ...]  # period before, and where it is lost
    branch: Branch  # of cycles of one step
    reason: str  # why it ends
    complete: bool = True  # False if Ctrl-C ended it

    @property
    def tried(self) -> np.ndarray:
        """(n,) whether there was time for that value."""
        return self.periods != NOT_TRIED

    def __repr__(self) -> str:
        where = ", ".join(f"{steps} to {2 * steps} at {each.value:.7g}" for steps, each in self.doublings)
        parts = [where or "no doubling"] if self.complete else [*filter(None, [where]), self.reason]
        return f"<bifurcation of {self.branch.cycles[0].walk.name!r} along {self.along}: {', '.join(parts)}>"

    def rows(self) -> dict[str, Any]:
        """All of it by name, fit for JSON; None where a walker fell or was not tried."""
        figures = {"times": self.times, "u": self.u}
        return {
            "study": self.branch.cycles[0].walk.name,
            "along": self.along,
            "names": list(self.names),
            "values": self.values.tolist(),
            "periods": self.periods.tolist(),
            "reason": self.reason,
            "doublings": [{"period": steps, self.along: each.value} for steps, each in self.doublings],
            **{name: [None if np.isnan(rows).any() else rows.tolist() for rows in table] for name, table in figures.items()},
        }


def bifurcation(
    family: Family,
    along: str,
    first: float,
    last: float,
    *,
    size: int = 300,
    skip: int = 400,
    keep: int = 64,
    progress: Progress | None = None,
) -> Bifurcation:
    """Where walks settle for `size` values of a parameter: `keep` steps of each, after `skip` others.

    `family(**{along: value})` gives a study, as for `continuation`. Each orbit begins next to the cycle of one step, which is
    followed along the parameter. Period doublings are located by continuation wherever the period doubles. Ctrl-C keeps
    what is done; values are drawn from the whole range, so some of them show it all.
    """
    for name, value, least in (("size", size, 2), ("skip", skip, 0), ("keep", keep, PERIODS + 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise StateError(f"{name} must be a whole number of {least} or more, got {value!r}")
    branch = continuation(family, along, first, last)
    values = np.linspace(first, last, size)
    names = branch.cycles[0].names
    u, times = np.full((size, keep, len(names)), np.nan), np.full((size, keep), np.nan)
    periods, order = np.full(size, NOT_TRIED), np.random.default_rng(0).permutation(size)

    def run(i: int) -> tuple[np.ndarray, np.ndarray, int]:
        walker = Walker(family(**{along: float(values[i])}), tolerance=TOLERANCE)
        out, took = np.zeros((keep, len(names))), np.zeros(keep)
        start = _beginning(branch, float(values[i]))
        return out, took, 0 if start is None else walker.serve(ORBIT, u=start, skip=skip, orbit=out, times=took)

    def store(k: int, result: tuple[np.ndarray, np.ndarray, int]) -> None:
        i, (out, took, count) = order[k], result
        if count == keep:
            u[i], times[i] = out, took
        periods[i] = _period(u[i])

    reason, doublings, complete = "reached the end", [], True
    if branch.complete and in_threads(run, order.tolist(), store, progress):
        try:
            for found in _doublings(family, along, values, u, periods):
                doublings.append(found)
        except KeyboardInterrupt:
            complete, reason = False, "interrupted while doublings were located"
    else:
        complete, reason = False, f"interrupted after {np.count_nonzero(periods != NOT_TRIED)} of {size} values"
    return Bifurcation(along, names, values, u, times, periods, tuple(doublings), branch, reason, complete)


def _beginning(branch: Branch, value: float) -> np.ndarray | None:
    """A start next to the cycle of one step there; None where the branch does not reach."""
    values, order = branch.values, np.argsort(branch.values)
    if not values.min() <= value <= values.max():
        return None
    table = np.array([branch.cycles[i].u for i in order])
    u = np.array([np.interp(value, values[order], column) for column in table.T])
    nearest = branch.cycles[int(np.argmin(np.abs(values - value)))]
    away = nearest.eigenvectors[:, 0].real
    return u + KICK * np.abs(u).max() * away / max(np.abs(away).max(), 1e-300)


def _period(rows: np.ndarray) -> int:
    if np.isnan(rows).any():
        return FELL
    near = ALIKE * np.abs(rows).max()
    for period in range(1, PERIODS):
        if np.abs(rows[period:] - rows[:-period]).max() < near:
            return period
    return 0


def _doublings(
    family: Family, along: str, values: np.ndarray, u: np.ndarray, periods: np.ndarray
) -> Iterator[tuple[int, Special]]:
    """Between values where the period is seen to double, the exact one."""
    for period in (1, 2, 4, 8):
        ends = _around(periods, period) or _around(periods[::-1], period, len(periods) - 1)
        if ends is None:
            continue
        i, k = ends
        try:
            guess = StepMap(family(**{along: float(values[i])}), period).state_of(u[i, -1])
            branch = continuation(family, along, float(values[i]), float(values[k]), steps=period, guess=guess)
        except FootfallError:
            continue  # too few values for Newton's method; the picture shows it still
        if not branch.complete:
            raise KeyboardInterrupt
        yield from ((period, each) for each in branch.of("period doubling")[:1])


def _around(periods: np.ndarray, period: int, last: int = 0) -> tuple[int, int] | None:
    """Numbers of values on both sides of where the period doubles; not the nearest, for there orbits settle slowly. Counted from
    the other end if `last` is given."""
    simple, double = np.flatnonzero(periods == period), np.flatnonzero(periods == 2 * period)
    if not len(simple) or not len(double) or simple[0] > double[-1]:
        return None
    i = simple[simple < double[-1]][-ASIDE:][0]
    k = double[double > i][:ASIDE][-1]
    return (last - int(i), last - int(k)) if last else (int(i), int(k))
