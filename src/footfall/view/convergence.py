"""Plots of convergence: errors over the time step."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from footfall.view.powers import Curve, Power, powers

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def convergence(curves: Mapping[str, Curve], path: str | Path | None = None) -> "Figure":
    """Draw errors against steps (s), each curve as (steps, errors), beside lines of first and second order.

    They begin at the coarsest step, at the error of the worst and of the best curve.
    """
    shown = {name: ([1e3 * step for step in steps], errors) for name, (steps, errors) in curves.items()}
    coarsest = [max(zip(steps, errors, strict=True)) for steps, errors in shown.values()]
    lines = [
        Power(f"order {order}", order, *which(coarsest, key=lambda point: point[1])) for order, which in ((1, max), (2, min))
    ]
    return powers(shown, lines, ("step (ms)", "error of the state (m, rad, and their rates)"), path)
