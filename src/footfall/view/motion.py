"""A curve over time: position, velocity and acceleration, its knots, and how it goes on outside them."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import FootfallError
from footfall.motion import Curve
from footfall.view.saving import saved
from footfall.view.style import OTHERS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure
POINTS = 400
BESIDE = 0.15  # of its span, that a curve is shown before its first knot and after its last


def motion(
    curve: Curve, path: str | Path | None = None, *, names: Sequence[str] = (), unit: str = "m", over: str = "s"
) -> "Figure":
    """Draw a curve of `footfall.motion`: a line for each of its entries, dots at the knots, grey where it is outside them.

    `names` of the entries are for the legend, `unit` is that of the position, `over` that of the time.
    """
    size = curve.data.points.shape[2]
    if len(names) not in (0, size):
        raise FootfallError(f"names must be {size}, one for each entry of the curve, got {list(names)!r:.80}")
    start, end = curve.span
    beside = 0.0 if curve.outside == "error" else BESIDE * (end - start)
    times = np.union1d(np.linspace(start - beside, end + beside, POINTS), curve.data.knots)
    figure = new_figure(8.0, 6.4)
    panels = list(figure.subplots(3, 1, sharex=True))
    units = (unit, f"{unit}/{over}", f"{unit}/{over}²")
    for ax, what, rows, knots in zip(panels, curve.at(times)._fields, curve.at(times), curve.at(curve.data.knots), strict=True):
        for k in range(size):
            color = OTHERS[k % len(OTHERS)]
            ax.plot(times, rows.reshape(-1, size)[:, k], color=color, label=names[k] if names else f"entry {k}")
            ax.plot(curve.data.knots, knots.reshape(-1, size)[:, k], "o", color=color, markersize=4)
        for low, high in ((times[0], start), (end, times[-1])):
            ax.axvspan(low, high, color="0.93", linewidth=0)
        ax.set_ylabel(f"{what} ({units[('position', 'velocity', 'acceleration').index(what)]})")
        ax.grid(color="0.9", linewidth=0.6)
        ax.set_axisbelow(True)
    panels[-1].set_xlabel("time (s)" if over == "s" else f"({over})")
    if names or size > 1:
        panels[0].legend(loc="best", fontsize="small", frameon=False, ncols=min(size, 4))
    panels[-1].set_xlim(times[0], times[-1])
    figure.suptitle(f"{type(curve).__name__} · outside its knots: {curve.outside}")
    return saved(figure, path)
