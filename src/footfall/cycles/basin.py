"""Basins of attraction: the outcome of a grid of states at the beginning of a step."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from footfall.core.hybrid.walk import ELSEWHERE, NOT_TRIED, SETTLE
from footfall.cycles.limit_cycle import FORGOTTEN, LimitCycle, limit_cycle
from footfall.cycles.step_map import StepMap, Walker
from footfall.cycles.threads import Progress, in_threads
from footfall.engines.hybrid.walk import Walk, walk_of
from footfall.errors import StateError, UnknownNameError
from footfall.shown import Shown
from footfall.sim.study import Study

OUTCOMES = (
    "cycle",
    "elsewhere",
    "fell forward",
    "fell backward",
    "scuffed",
    "no strike",
    "no motion",
    "not tried",
)  # as in kernels
NEAR = 1e-4  # of the largest free coordinate: who comes this near to a stable cycle has arrived
TOLERANCE = (1e-9, 1e-10)  # of the integration, relative and absolute
BLOCK = 50  # starts in one crossing
SPREAD = 0.5  # of a coordinate in the cycle: how far the grid reaches to both sides, if nothing is said


@dataclass(frozen=True, eq=False, repr=False)
class Basin(Shown):
    """The outcome of every start; row i, column j of the tables is (x[j], y[i])."""

    cycle: LimitCycle
    along: tuple[str, str]
    x: np.ndarray
    y: np.ndarray
    outcome: np.ndarray  # numbers of OUTCOMES
    count: np.ndarray  # steps to the cycle or until the end; for "elsewhere" the period, 0 if there is none of up to 15 steps

    def __repr__(self) -> str:
        parts = ", ".join(f"{100 * share:.1f} % {name}" for name, share in self.shares().items())
        return f"<basin of {self.cycle.walk.name!r} over {' and '.join(self.along)}: {parts}>"

    @property
    def complete(self) -> bool:
        return not self.of("not tried").any()

    def of(self, outcome: str) -> np.ndarray:
        """Where it came to that, as a table of true and false."""
        if outcome not in OUTCOMES:
            raise UnknownNameError("outcome", outcome, OUTCOMES)
        return self.outcome == OUTCOMES.index(outcome)

    def shares(self) -> dict[str, float]:
        """Parts of the grid by outcome, those that occur."""
        parts = {name: float(self.of(name).mean()) for name in OUTCOMES}
        return {name: part for name, part in parts.items() if part}

    def periods(self) -> dict[int, int]:
        """How many of the starts that walk on elsewhere have each period; 0 is none."""
        values, counts = np.unique(self.count[self.outcome == ELSEWHERE], return_counts=True)
        return {int(value): int(count) for value, count in zip(values, counts, strict=True)}

    def rows(self) -> dict[str, Any]:
        """All of it by name, fit for JSON."""
        return {
            "study": self.cycle.walk.name,
            "along": list(self.along),
            "x": self.x.tolist(),
            "y": self.y.tolist(),
            "shares": self.shares(),
            "periods": self.periods(),
            "outcomes": list(OUTCOMES),
            "outcome": self.outcome.tolist(),
            "count": self.count.tolist(),
            "cycle": self.cycle.rows(),
        }


def basin(
    study: Study | Walk,
    along: Sequence[str] | None = None,
    ranges: Sequence[tuple[float, float]] | None = None,
    *,
    size: int = 200,
    steps: int = 100,
    cycle: LimitCycle | None = None,
    progress: Progress | None = None,
) -> Basin:
    """The outcome of size x size starts around a cycle within so many steps. Ctrl-C keeps the results so far.

    `along` names two free coordinates of a step (`cycle.names`): the first and its rate, if left out; `ranges` are from where to
    where, half of each to both sides if left out. The other coordinates follow such that the start is one to which a step could
    lead, to first order, for instance with both feet on the ground; where the two cannot be chosen freely so, the others stay as
    in the cycle. A cycle that is not stable has no basin: no start counts as coming to it.
    """
    walk = walk_of(study)
    for name, value in {"size": size, "steps": steps}.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise StateError(f"{name} must be a whole number above 0, got {value!r}")
    cycle = limit_cycle(walk) if cycle is None else cycle
    pair = _pair(cycle, along)
    x, y = (np.linspace(*each, size) for each in _ranges(cycle, pair, ranges))
    starts = _starts(cycle, pair, x, y)
    outcome, count = _settled(walk, cycle, starts, steps, progress)
    return Basin(cycle, pair, x, y, outcome.reshape(len(y), len(x)), count.reshape(len(y), len(x)))


def _pair(cycle: LimitCycle, along: Sequence[str] | None) -> tuple[str, str]:
    first, second = (cycle.names[0], f"rate of {cycle.names[0]}") if along is None else _two(along, "along", "names")
    for name in (first, second):
        if name not in cycle.names:
            raise UnknownNameError(f"free coordinate (of a step of walk {cycle.walk.name!r})", name, cycle.names)
    if first == second:
        raise StateError(f"a basin needs two different coordinates, got {first!r} twice")
    return first, second


def _two(given: Any, name: str, what: str) -> tuple[Any, Any]:
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray) or len(given) != 2:
        raise StateError(f"{name} must be two {what}, got {given!r:.80}")
    return given[0], given[1]


def _ranges(cycle: LimitCycle, pair: tuple[str, str], ranges: Any) -> list[tuple[float, float]]:
    if ranges is None:
        middle = [cycle.u[cycle.names.index(name)] for name in pair]
        return [(value - SPREAD * abs(value or 1.0), value + SPREAD * abs(value or 1.0)) for value in middle]
    out = []
    for name, given in zip(pair, _two(ranges, "ranges", "pairs of numbers"), strict=True):
        low, high = _two(given, f"the range of {name!r}", "numbers")
        if not (np.isfinite(low) and np.isfinite(high) and low < high):
            raise StateError(f"the range of {name!r} must go from a number to a greater one, got {low!r} to {high!r}")
        out.append((float(low), float(high)))
    return out


def _starts(cycle: LimitCycle, pair: tuple[str, str], x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Free coordinates of all starts, row by row of the grid."""
    chosen = [cycle.names.index(name) for name in pair]
    offset = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2) - cycle.u[chosen]
    U, sizes, _ = np.linalg.svd(cycle.derivative)
    U = U[:, sizes > FORGOTTEN * max(sizes[0], 1.0)]  # where steps lead
    if np.linalg.matrix_rank(U[chosen], tol=1e-6) == 2:
        return cycle.u + offset @ np.linalg.pinv(U[chosen]).T @ U.T
    starts = np.tile(cycle.u, (len(offset), 1))
    starts[:, chosen] += offset
    return starts


def _settled(
    walk: Walk, cycle: LimitCycle, starts: np.ndarray, steps: int, progress: Progress | None
) -> tuple[np.ndarray, np.ndarray]:
    """Outcome and count of each start. Blocks are drawn from all over the grid: they take alike, and some of them show it all."""
    outcome, count = np.full(len(starts), NOT_TRIED), np.zeros(len(starts), dtype=np.int64)
    order = np.random.default_rng(0).permutation(len(starts))
    blocks = [order[k : k + BLOCK] for k in range(0, len(order), BLOCK)]
    goals, near, own = _goals(cycle), NEAR * float(np.abs(cycle.u).max()), threading.local()

    def run(block: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not hasattr(own, "walker"):
            own.walker = Walker(walk, tolerance=TOLERANCE)
        found, after = np.zeros(len(block), dtype=np.int64), np.zeros(len(block), dtype=np.int64)
        own.walker.serve(SETTLE, starts=starts[block], goals=goals, near=near, steps=steps, outcome=found, count=after)
        return found, after

    def keep(i: int, result: tuple[np.ndarray, np.ndarray]) -> None:
        outcome[blocks[i]], count[blocks[i]] = result

    in_threads(run, blocks, keep, progress)
    return outcome, count


def _goals(cycle: LimitCycle) -> np.ndarray:
    """The beginnings of the cycle's steps, if it draws anyone."""
    step_map = StepMap(cycle.walk)
    ends = [event for event in cycle.motion.events if event.name == cycle.walk.step]
    goals = [step_map.free_of(event.q_after, event.v_after) for event in ends]
    return np.array(goals) if cycle.stable else np.zeros((0, len(cycle.u)))
