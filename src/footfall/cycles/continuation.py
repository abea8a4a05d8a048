"""Branches of limit cycles along a parameter, by pseudo-arclength: past folds, with period doublings and folds located.

A point of the branch is z = (u, p): the fixed point in free coordinates, and the parameter in parts of the range asked for. The
next point is looked for on a plane across the tangent. On the way there the derivative is improved by Broyden's updates, and its
column along the parameter begins as a difference; neither touches the result, which is a cycle with an exact derivative.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from footfall.cycles.limit_cycle import CLOSED, CycleError, LimitCycle, described, limit_cycle
from footfall.cycles.step_map import StepMap
from footfall.engines.hybrid.walk import Family
from footfall.errors import FootfallError, StateError
from footfall.shown import Shown

FIRST, LONGEST, SHORTEST = 0.02, 0.2, 1e-5  # of a step along the branch, in which the whole range counts as 1
TRIES = 12  # corrections of a point
EASY = 7  # after so few the next step may be longer
NUDGE = 1e-5  # of the parameter, for its first column of the derivative
FINE = 1e-7  # of a step along the branch, where something special is located


class Special(NamedTuple):
    """Where the branch changes its kind: `fold` or `period doubling`."""

    kind: str
    value: float  # of the parameter
    cycle: LimitCycle


@dataclass(frozen=True, eq=False, repr=False)
class Branch(Shown):
    """Cycles along a parameter, in their order along the branch, and where it changes its kind."""

    along: str
    values: np.ndarray
    cycles: tuple[LimitCycle, ...]
    special: tuple[Special, ...]
    reason: str  # why it ends
    complete: bool = True  # False if Ctrl-C ended it

    def __repr__(self) -> str:
        name = self.cycles[0].walk.name
        return f"<branch of {name!r} along {self.along}: {len(self.cycles)} cycles, {len(self.special)} special, {self.reason}>"

    def of(self, kind: str) -> list[Special]:
        """The folds or the period doublings."""
        return [each for each in self.special if each.kind == kind]

    def rows(self) -> list[dict[str, Any]]:
        """One row for each cycle, fit for a table or JSON."""
        return [{self.along: float(value), **cycle.rows()} for value, cycle in zip(self.values, self.cycles, strict=True)]


def continuation(
    family: Family, along: str, first: float, last: float, *, steps: int = 1, guess: Any = None, most: int = 200
) -> Branch:
    """The branch of cycles from parameter value `first` to `last`, where `family(**{along: value})` gives a study.

    For a ready study: `continuation(partial(ff.studies.load, "compass"), "slope", -0.02, -0.09)`. It begins with the cycle at
    `first` (see `limit_cycle`) and ends at `last`, back at `first` behind a fold, where the gait ends, or after `most` cycles.
    Ctrl-C keeps the cycles that were found.
    """
    if not callable(family):
        example = f'partial(ff.studies.load, "{family if isinstance(family, str) else "compass"}")'
        raise StateError(f"a family must be a function of {along!r} that gives a study, such as {example}, got {family!r:.60}")
    numbers = all(isinstance(end, (int, float, np.number)) and np.isfinite(end) for end in (first, last))
    if not numbers or first == last:
        raise StateError(f"a branch along {along!r} needs two different finite ends, got {first!r:.60} and {last!r:.60}")
    line = _Line(family, along, float(first), float(last), steps)
    start = _Point(line, 0.0, limit_cycle(line.walk(0.0), guess, steps=steps))
    points, special, reason, complete = [start], [], f"{most} cycles", True
    try:
        for point, found, ends in _followed(line, start, most):
            points += [point] if point is not points[-1] else []
            special += found
            reason = ends or reason
    except KeyboardInterrupt:
        complete, reason = False, f"interrupted at {along} = {line.value(points[-1].p):.6g}"
    values = np.array([line.value(point.p) for point in points])
    return Branch(along, values, tuple(point.cycle for point in points), tuple(special), reason, complete)


@dataclass(frozen=True)
class _Line:
    """The parameter's range, on which p goes from 0 to 1."""

    family: Family
    along: str
    first: float
    last: float
    steps: int

    def value(self, p: float) -> float:
        return self.first + p * (self.last - self.first)

    def walk(self, p: float) -> Any:
        return self.family(**{self.along: self.value(p)})

    def residual(self, z: np.ndarray) -> np.ndarray:
        end = StepMap(self.walk(z[-1]), self.steps)(z[:-1])
        return end.u - z[:-1]


class _Point:
    """A cycle on the branch, after another, and the tangent there."""

    def __init__(self, line: _Line, p: float, cycle: LimitCycle, before: "_Point | None" = None):
        self.line, self.p, self.cycle = line, p, cycle
        self.z = np.append(cycle.u, p)
        self.like = None if before is None else before.tangent
        self.since = np.inf if before is None else float(np.linalg.norm(self.z - before.z))

    @cached_property
    def jacobian(self) -> np.ndarray:
        """Derivative of the residual by u and p."""
        ahead, behind = (self.line.residual(np.append(self.cycle.u, self.p + h)) for h in (NUDGE, -NUDGE))
        return np.column_stack((self.cycle.derivative - np.eye(len(self.cycle.u)), (ahead - behind) / (2 * NUDGE)))

    @cached_property
    def tangent(self) -> np.ndarray:
        """Along the branch, onward: like that of the point before, or to greater p."""
        t = np.linalg.svd(self.jacobian)[2][-1]
        onward = t[-1] if self.like is None else t @ self.like
        return t if onward > 0.0 else -t

    def ahead(self, size: float) -> np.ndarray:
        """Where the branch should be after a step: on a parabola."""
        bend = 0.0 if self.like is None else (self.tangent - self.like) / self.since
        return self.z + size * self.tangent + size**2 / 2 * bend

    @property
    def doubling(self) -> float:
        """Passes zero where a multiplier passes -1."""
        return float(np.linalg.det(np.eye(len(self.cycle.u)) + self.cycle.derivative))


def _followed(line: _Line, point: _Point, most: int) -> Iterator[tuple[_Point, list[Special], str]]:
    """Point after point, what lies between it and the one before, and why the branch ends, if it does."""
    size = FIRST
    for _ in range(most - 1):
        after, size, error = _next(point, size)
        if after is None:
            yield point, [], f"ends near {line.along} = {line.value(point.p):.6g}: {error}"
            return
        ends = ""
        if not 0.0 < after.p < 1.0:
            goal = 1.0 if after.p >= 1.0 else 0.0
            ends = "reached the end" if goal else "back at the beginning, behind a fold"
            after = _at(point, after, goal)
        yield after, _between(point, after), ends
        if ends:
            return
        point = after


def _next(point: _Point, size: float) -> tuple[_Point | None, float, str]:
    """The next point, and how long the step after it may be; None and a reason if even a short step finds none."""
    error = ""
    while size >= SHORTEST:
        try:
            after, tries = _corrected(point, point.ahead(size), point.tangent)
            if after.tangent @ point.tangent > 0.8:
                return after, min(LONGEST, size * (2.0 if tries <= EASY else 1.0)), ""
            error = "the branch turns too sharply"
        except FootfallError as refused:
            error = str(refused)
        size /= 2
    return None, size, error


def _corrected(point: _Point, z: np.ndarray, across: np.ndarray) -> tuple[_Point, int]:
    """The cycle on the plane through z across a direction, by Broyden's method from the derivative at `point`."""
    line, goal = point.line, across @ z
    B = np.vstack((point.jacobian, across))
    F = np.append(line.residual(z), 0.0)
    for tries in range(1, TRIES + 1):
        change = -np.linalg.solve(B, F)
        z = z + change
        F = np.append(line.residual(z), across @ z - goal)
        if np.abs(F).max() < CLOSED and np.abs(change).max() < np.sqrt(CLOSED):
            walk = line.walk(z[-1])
            step_map = StepMap(walk, line.steps)
            return _Point(line, float(z[-1]), described(step_map, z[:-1], step_map(z[:-1])), point), tries
        B += np.outer(F, change) / (change @ change)
    raise CycleError(f"no cycle was found next to {line.along} = {line.value(point.p):.6g}")


def _at(point: _Point, after: _Point, p: float) -> _Point:
    """The point of the branch where the parameter is p, between two."""
    part = (p - point.p) / (after.p - point.p)
    only = np.append(np.zeros(len(point.cycle.u)), 1.0)
    z = point.z + part * (after.z - point.z)
    z[-1] = p
    return _corrected(point, z, only)[0]


def _between(a: _Point, b: _Point) -> list[Special]:
    """Folds and period doublings between two points, in their order."""
    from scipy.optimize import brentq

    tests = {"fold": lambda point: point.tangent[-1], "period doubling": lambda point: point.doubling}
    found: list[tuple[float, Special]] = []
    length = float(a.tangent @ (b.z - a.z))
    for kind, test in tests.items():
        if test(a) * test(b) >= 0.0:
            continue
        seen = {0.0: a, length: b}

        def value(s: float, test: Any = test, seen: dict[float, _Point] = seen) -> float:
            if s not in seen:
                start = a.z + s * a.tangent + (s / length) ** 2 * (b.z - a.z - length * a.tangent)
                seen[s] = _corrected(a, start, a.tangent)[0]
            return test(seen[s])

        s = float(brentq(value, 0.0, length, xtol=FINE * abs(length), rtol=1e-12))
        value(s)
        found.append((s, Special(kind, a.line.value(seen[s].p), seen[s].cycle)))
    return [each for _, each in sorted(found, key=lambda pair: pair[0])]
