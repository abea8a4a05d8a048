"""How errors vanish with the step of time."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.view.plots import OTHERS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Curve = tuple[Sequence[float], Sequence[float]]


def convergence(curves: Mapping[str, Curve], path: str | Path | None = None) -> "Figure":
    """Draw errors against steps (s), each curve as (steps, errors), beside lines of first and second order."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    ax = figure.subplots()
    for i, (name, (steps, errors)) in enumerate(curves.items()):
        ax.loglog(1e3 * np.array(steps), errors, "o-", color=OTHERS[i % len(OTHERS)], label=name)
    _slopes(ax, curves)
    ax.set_xlabel("step (ms)")
    ax.set_ylabel("error of the state (m, rad, and their rates)")
    ax.grid(color="0.9", linewidth=0.6, which="both")
    ax.set_axisbelow(True)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
    if path is not None:
        figure.savefig(path, dpi=130)
    return figure


def _slopes(ax: "Axes", curves: Mapping[str, Curve]) -> None:
    """Through the coarsest error of the worst and of the best curve."""
    steps = np.array(max((curve[0] for curve in curves.values()), key=len), dtype=float)
    starts = [errors[int(np.argmax(each))] for each, errors in curves.values()]
    for order, start, style in ((1, max(starts), "--"), (2, min(starts), ":")):
        ax.loglog(1e3 * steps, start * (steps / steps.max()) ** order, style, color="0.5", label=f"order {order}")
    ax.set_xticks(1e3 * steps, [f"{1e3 * step:g}" for step in steps])
    ax.set_xticks([], minor=True)
