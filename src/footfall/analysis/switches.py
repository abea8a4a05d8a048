"""Switches of a state machine: when a controller went from one named state to another."""

from dataclasses import dataclass

import numpy as np

from footfall.errors import StateError, UnknownNameError
from footfall.named import full_name
from footfall.sim.run import Run


@dataclass(frozen=True)
class Switch:
    """From one state to another; `time` is the first recorded instant of the new one."""

    time: float  # s
    name: str  # the column, `controller.state.part`
    before: str
    after: str


def state_columns(run: Run) -> tuple[str, ...]:
    """The columns whose values have names: states that a controller declared with `states(...)` and the run recorded."""
    if not run.labels:
        remedy = "a controller declares them with states(...)" if run.more else "record them with record=('controller.state',)"
        raise StateError(f"the run has no named states; {remedy}")
    return tuple(run.labels)


def _column(run: Run, name: str) -> str | None:
    """The column that is meant: a state, or else a goal."""
    columns = state_columns(run)
    return full_name(name, [each for each in columns if ".state." in each]) or full_name(name, columns)


def state_names(run: Run, name: str) -> np.ndarray:
    """The name of the state at every recorded instant; of the name of the column, words before the last may be left out."""
    found = _column(run, name)
    if found is None:
        raise UnknownNameError("named state (of this run)", name, run.labels)
    labels, numbers = run.labels[found], run.more[found]
    known = {number: labels[number] if 0 <= number < len(labels) else str(number) for number in np.unique(numbers).tolist()}
    return np.array([known[number] for number in numbers.tolist()], dtype=object)


def switches(run: Run, name: str | None = None) -> list[Switch]:
    """All switches of one state, or of all that have names, in the order of time."""
    columns = state_columns(run) if name is None else (_column(run, name) or name,)
    found = []
    for column in columns:
        names = state_names(run, column)
        rows = np.flatnonzero(names[1:] != names[:-1]) + 1
        found += [Switch(float(run.time[i]), column, names[i - 1], names[i]) for i in rows]
    return sorted(found, key=lambda switch: switch.time)
