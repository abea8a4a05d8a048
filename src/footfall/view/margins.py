"""The margin of Huang's walking pattern over the two parameters of the hip."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.motion import MarginMap
from footfall.view.saving import saved
from footfall.view.style import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def margins(found: MarginMap, path: str | Path | None = None) -> "Figure":
    """Draw a margin map: lines of equal margin in mm, the best parameters, and blank where the legs do not reach."""
    figure = new_figure(6.4, 5.2)
    ax = figure.subplots()
    shown = 1e3 * np.where(np.isfinite(found.margin), found.margin, np.nan)
    top = max(1e3 * found.largest, 1.0)
    colors = ax.pcolormesh(found.x_ed, found.x_sd, shown, shading="nearest", cmap="viridis", vmin=-top, vmax=top)
    levels = np.linspace(0.0, top, 5)[:-1]
    if np.nanmax(shown) > levels[0] > np.nanmin(shown):
        lines = ax.contour(found.x_ed, found.x_sd, shown, levels=levels, colors="white", linewidths=0.8)
        ax.clabel(lines, fontsize="small", fmt="%.0f")
    ax.plot(found.best.x_ed, found.best.x_sd, "o", color="tab:red", markersize=6)
    ax.set_xlabel("x_ed, end of single support (m)")
    ax.set_ylabel("x_sd, start of single support (m)")
    figure.colorbar(colors, ax=ax, label="least distance of the ZMP to the edge (mm)", extend="min")
    figure.suptitle(f"largest margin {1e3 * found.largest:.0f} mm at x_sd {found.best.x_sd:.3f} m, x_ed {found.best.x_ed:.3f} m")
    return saved(figure, path)
