"""The step map of a simulated walk, from runs that were disturbed and come back.

A section catches one state of every step. Where all runs are near the cycle, the next state is a linear function of the last; its
eigenvalues are the multipliers of the walk. The fit needs no derivatives, and works for any controller with a state.
"""

from dataclasses import dataclass

import numpy as np

from footfall.errors import FootfallError
from footfall.sim.run import Run


@dataclass(frozen=True)
class FittedMap:
    """y' = fixed + matrix (y - fixed), of the states in a section."""

    fixed: np.ndarray
    matrix: np.ndarray
    multipliers: np.ndarray  # the largest first
    unexplained: float  # share of the spread of y' that the map leaves
    pairs: int


def fit_map(sequences: list[np.ndarray]) -> FittedMap:
    """The map that leads from each row of a sequence to the next, by least squares; columns count in their own spread."""
    rows = [np.asarray(each, dtype=float) for each in sequences if len(each) > 1]
    if not rows:
        raise FootfallError("a step map is fitted to sequences of two states or more, got none")
    first, then = np.vstack([each[:-1] for each in rows]), np.vstack([each[1:] for each in rows])
    size, n = first.std(axis=0), first.shape[1]
    if len(first) < 4 * n or not np.all(size > 0.0):
        raise FootfallError(f"a step map of {n} numbers needs {4 * n} pairs of states that differ, got {len(first)}")
    middle = first.mean(axis=0)
    table = np.column_stack(((first - middle) / size, np.ones(len(first))))
    goal = (then - middle) / size
    found, *_ = np.linalg.lstsq(table, goal, rcond=None)
    A, b = found[:n].T, found[n]
    left = goal - table @ found
    values = np.linalg.eigvals(A)
    return FittedMap(
        fixed=middle + size * np.linalg.solve(np.eye(n) - A, b),
        matrix=A * size[:, None] / size[None, :],
        multipliers=values[np.argsort(-np.abs(values))],
        unexplained=float(np.sqrt((left**2).sum() / ((goal - goal.mean(axis=0)) ** 2).sum())),
        pairs=len(first),
    )


def crossings(run: Run, signal: np.ndarray, series: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Times at which a signal falls through zero, and the rows of a series then, straight between the rows of the run."""
    k = np.flatnonzero((signal[:-1] > 0.0) & (signal[1:] <= 0.0))
    fraction = signal[k] / (signal[k] - signal[k + 1])
    time = run.time[k] + fraction * (run.time[k + 1] - run.time[k])
    return time, series[k] + fraction[:, None] * (series[k + 1] - series[k])
