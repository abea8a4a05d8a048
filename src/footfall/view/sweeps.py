"""Pictures of sweeps: a measure along one parameter with its band of confidence, or over two as a map."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from footfall.errors import StateError
from footfall.sweeps.rows import Column
from footfall.sweeps.table import Sweep
from footfall.view.look import LEFT
from footfall.view.saving import saved
from footfall.view.style import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BINS = 40  # of a parameter with more values
POINTS = 30  # beyond, a line has no markers
MAP_BINS = 30


def sweep_plot(sweep: Sweep, measure: str | None = None, along: Sequence[str] | str | None = None, path: Any = None) -> "Figure":
    """Draw a measure (what survived, else the first one) along one or two parameters (the first that vary, if left out).

    Along one it is the mean with its interval of 95 %; over two it is a map of the mean. Runs that differ in other parameters, or
    in the seed, are taken together.
    """
    column, names = _chosen(sweep, measure, along)
    if len(names) == 1:
        figure = _line(sweep, column, names[0])
    else:
        figure = _map(sweep, column, names)
    return saved(figure, path)


def _chosen(sweep: Sweep, measure: str | None, along: Sequence[str] | str | None) -> tuple[Column, list[str]]:
    if not isinstance(sweep, Sweep):
        raise StateError(f"sweep_plot draws a Sweep, got {sweep!r:.60}")
    measured = [column.name for column in sweep.layout.measured]
    if not measured or not len(sweep):
        raise StateError(f"there is nothing to draw: this sweep of {sweep.title!r} has no {'rows' if measured else 'measures'}")
    column = sweep.column(measure or ("survived" if "survived" in measured else measured[0]))
    if column.name not in measured:
        raise StateError(f"{column.name} was varied, not measured; known measures: {', '.join(measured)}")
    names = (sweep.varied()[:2] if along is None else [along] if isinstance(along, str) else list(along)) or _single(sweep)
    if len(names) not in (1, 2):
        raise StateError(f"a plot of a sweep is along one parameter, or over two, got {names!r:.80}")
    return column, [sweep.varied_name(name) for name in names]


def _single(sweep: Sweep) -> list[str]:
    """A parameter that has one value only, if none has more."""
    names = [name for column in sweep.layout.asked for name in column.names]
    if not names:
        raise StateError(f"there is nothing to draw along: this sweep of {sweep.title!r} varies no parameter")
    return names[:1]


def _line(sweep: Sweep, column: Column, name: str) -> "Figure":
    found = sweep.statistics(column.name, name, bins=BINS)
    where, ticks = _places(found.column(name))
    factor = 100.0 if column.kind == "bool" else 1.0
    mean, low, high = (factor * found.column(each).to_numpy() for each in ("mean", "low", "high"))
    figure = new_figure(7.5, 4.2)
    ax = figure.subplots()
    kind = "Wilson's interval of 95 %" if column.kind == "bool" else "interval of 95 % of the mean"
    if ticks:
        ax.errorbar(where, mean, (mean - low, high - mean), fmt="o", color=LEFT, capsize=4, label=kind)
        ax.set_xticks(where, ticks)
    else:
        ax.fill_between(where, low, high, color=LEFT, alpha=0.2, linewidth=0, label=kind)
        ax.plot(where, mean, color=LEFT, marker="o" if len(mean) <= POINTS else None, markersize=4, label="mean")
    _label(ax, sweep, column, name)
    runs = found.column("runs").to_numpy()
    each = f"{runs.min():,}" if runs.min() == runs.max() else f"{runs.min():,} to {runs.max():,}"
    bins = f" ({len(runs)} bins)" if len(np.unique(sweep.table.column(name))) > BINS else ""
    ax.set_title(f"{sweep.title}: {_count(sweep)}; {each} to a point{bins}")
    ax.legend(loc="best", frameon=False, fontsize="small")
    if column.kind == "bool":
        ax.set_ylim(-3.0, 103.0)
    return figure


def _map(sweep: Sweep, column: Column, names: list[str]) -> "Figure":
    found = sweep.statistics(column.name, names, bins=MAP_BINS)
    (x, x_ticks), (y, y_ticks) = (_places(found.column(name)) for name in names)
    xs, ys = np.unique(x), np.unique(y)
    image = np.full((len(ys), len(xs)), np.nan)
    factor = 100.0 if column.kind == "bool" else 1.0
    image[np.searchsorted(ys, y), np.searchsorted(xs, x)] = factor * found.column("mean").to_numpy()
    figure = new_figure(7.5, 5.2)
    ax = figure.subplots()
    limits: dict[str, Any] = {"vmin": 0.0, "vmax": 100.0} if column.kind == "bool" else {}
    shown = ax.pcolormesh(_edges(xs), _edges(ys), np.ma.masked_invalid(image), cmap="viridis", **limits)
    ax.grid(visible=False)
    figure.colorbar(shown, ax=ax, label=_title(column, "%" if column.kind == "bool" else column.unit), pad=0.02)
    for ticks, places, put in ((x_ticks, xs, ax.set_xticks), (y_ticks, ys, ax.set_yticks)):
        if ticks:
            put(places, ticks)
    ax.set_xlabel(_named(sweep, names[0]))
    ax.set_ylabel(_named(sweep, names[1]))
    ax.set_title(f"{sweep.title}: {_count(sweep)}")
    return figure


def _count(sweep: Sweep) -> str:
    return f"{len(sweep):,} runs" if sweep.complete else f"{len(sweep):,} of {sweep.asked:,} runs"


def _places(values: pa.ChunkedArray) -> tuple[np.ndarray, list[str]]:
    """Where values stand on an axis; words, and true and false, stand side by side under their names."""
    if pa.types.is_floating(values.type) or pa.types.is_integer(values.type):
        return values.to_numpy().astype(float), []
    words = [str(value) for value in values.to_pylist()]
    known = list(dict.fromkeys(words))
    return np.array([known.index(word) for word in words], float), known


def _edges(values: np.ndarray) -> np.ndarray:
    """Of cells around values."""
    if len(values) == 1:
        return values[0] + np.array([-0.5, 0.5])
    middle = 0.5 * (values[1:] + values[:-1])
    return np.concatenate(([2 * values[0] - middle[0]], middle, [2 * values[-1] - middle[-1]]))


def _label(ax: "Axes", sweep: Sweep, column: Column, name: str) -> None:
    ax.set_xlabel(_named(sweep, name))
    ax.set_ylabel(_title(column, "%" if column.kind == "bool" else column.unit))


def _named(sweep: Sweep, name: str) -> str:
    owner = next(column for column in sweep.layout.asked if name in column.names)
    return _title(owner, owner.unit).replace(owner.name, name)


def _title(column: Column, unit: str) -> str:
    name = column.name.replace("_", " ")
    return f"{name} ({unit})" if unit not in ("", "1") else name
