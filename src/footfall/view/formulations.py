"""Plots of the time of each formulation over the number of links."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from footfall.view.powers import Power, powers

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def formulations(times: Mapping[str, Mapping[int, float]], path: str | Path | None = None) -> "Figure":
    """Draw seconds for one state against the number of links, by name, beside lines that grow with n and with its cube."""
    curves = {name: (list(by_links), [1e6 * time for time in by_links.values()]) for name, by_links in times.items()}
    fewest = min(links for by_links in times.values() for links in by_links)
    least = min(up[across.index(min(across))] for across, up in curves.values())
    lines = [Power("n", 1, fewest, least), Power("n^3", 3, fewest, least)]
    return powers(curves, lines, ("links", "forward dynamics of one state (us)"), path)
