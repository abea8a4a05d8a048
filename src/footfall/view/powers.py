"""Curves that grow or vanish like powers: logarithmic axes, and lines to compare with."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.view.saving import saved
from footfall.view.style import OTHERS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure
Curve = tuple[Sequence[float], Sequence[float]]
STYLES = ("--", ":", "-.")


class Power(NamedTuple):
    """A line y ~ x^power through a point."""

    label: str
    power: int
    x: float
    y: float


def powers(
    curves: Mapping[str, Curve], lines: Iterable[Power], labels: tuple[str, str], path: str | Path | None = None
) -> "Figure":
    """Draw curves, each as (x, y), beside lines of so many powers, as far as the curves reach."""
    figure = new_figure(8.0, 5.0)
    ax = figure.subplots()
    for i, (name, (across, up)) in enumerate(curves.items()):
        ax.loglog(across, up, "o-", color=OTHERS[i % len(OTHERS)], label=name)
    low, high = ax.get_ylim()
    ticks = np.array(sorted({float(value) for across, _ in curves.values() for value in across}))
    for line, style in zip(lines, STYLES, strict=False):
        ax.loglog(ticks, line.y * (ticks / line.x) ** line.power, style, color="0.5", label=line.label)
    ax.set_ylim(low, high)
    ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    ax.set_xticks([], minor=True)
    ax.set_xlabel(labels[0])
    ax.set_ylabel(labels[1])
    ax.grid(color="0.9", linewidth=0.6, which="both")
    ax.set_axisbelow(True)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
    return saved(figure, path)
