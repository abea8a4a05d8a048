"""What a formulation costs as robots grow."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.view.plots import OTHERS

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def formulations(times: Mapping[str, Mapping[int, float]], path: str | Path | None = None) -> "Figure":
    """Draw seconds for one state against the number of links, by name, beside lines that grow with n and with its cube."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 5.0), layout="constrained")
    ax = figure.subplots()
    for i, (name, by_links) in enumerate(times.items()):
        ax.loglog(
            list(by_links), [1e6 * seconds for seconds in by_links.values()], "o-", color=OTHERS[i % len(OTHERS)], label=name
        )
    links = sorted({n for by_links in times.values() for n in by_links})
    least = 1e6 * min(by_links[min(by_links)] for by_links in times.values())
    low, high = ax.get_ylim()
    for power, style in ((1, "--"), (3, ":")):
        ax.loglog(
            links, least * (np.array(links) / links[0]) ** power, style, color="0.5", label="n" if power == 1 else f"n^{power}"
        )
    ax.set_ylim(low, high)
    ax.set_xlabel("links")
    ax.set_ylabel("forward dynamics of one state (us)")
    ax.grid(color="0.9", linewidth=0.6, which="both")
    ax.set_axisbelow(True)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize="small", frameon=False)
    if path is not None:
        figure.savefig(path, dpi=130)
    return figure
