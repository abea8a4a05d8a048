"""One style for all plots: colours for every eye (Okabe and Ito, 2008), thin grids, open frames; figures show in notebooks."""

from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Any

from footfall.view.look import LEFT, RIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GREEN, PURPLE, AMBER, SKY, GREY = "#009e73", "#b05593", "#e69f00", "#56b4e9", "#7f7f7f"
OTHERS = (GREEN, PURPLE, AMBER, SKY, GREY)  # where left and right have colours of their own
CYCLE = (LEFT, RIGHT, GREEN, PURPLE, AMBER, SKY, "#3a3a3a", "#8a6d00", GREY)
PUSH, FALL, IMPACT, MARK = "#f0c94a", "#b2182b", "#e69f00", "#b2182b"
MODE_COLORS = {"stick": "#4d6b80", "slide": "#e69f00"}
DOTS = 130  # an inch, of a picture in a file
SCREEN = 90  # an inch, in a notebook

STYLE: Any = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "0.35",
    "axes.labelcolor": "0.15",
    "axes.titlesize": "medium",
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "0.92",
    "grid.linewidth": 0.6,
    "xtick.color": "0.25",
    "ytick.color": "0.25",
    "legend.frameon": False,
    "legend.fontsize": "small",
    "svg.fonttype": "none",  # text stays text in vector formats
    "pdf.fonttype": 42,
}


def new_figure(width: float, height: float, layout: str | None = "constrained") -> "Figure":
    """A figure of so many inches, whose axes have the style."""
    return _kind()(figsize=(width, height), layout=layout)


@cache
def _kind() -> Any:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    class Picture(Figure):
        """A figure that shows itself in a notebook, with or without pyplot."""

        def add_subplot(self, *args: Any, **kwargs: Any) -> "Axes":
            with rc_context(STYLE):
                return super().add_subplot(*args, **kwargs)

        def savefig(self, *args: Any, **kwargs: Any) -> None:
            with rc_context(STYLE):
                super().savefig(*args, **kwargs)

        def _repr_png_(self) -> bytes:
            return png(self)

    return Picture


def legend_beside(ax: "Axes", at: float = 1.0, columns: int = 1) -> None:
    """A legend to the right of the axes, where it covers nothing."""
    handles, names = ax.get_legend_handles_labels()
    if handles:
        ax.legend(handles, names, loc="center left", bbox_to_anchor=(at, 0.5), fontsize="small", frameon=False, ncols=columns)


def png(figure: "Figure", dpi: float = SCREEN) -> bytes:
    """A figure as a picture in memory."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=dpi)
    return file.getvalue()
