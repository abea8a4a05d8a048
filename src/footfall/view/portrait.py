"""Phase portraits: rates against angles, with impacts as jumps."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import kinematics
from footfall.analysis.sides import kept_sides, pieces
from footfall.engines.hybrid.motion import HybridResult
from footfall.view.look import SIDES
from footfall.view.saving import saved
from footfall.view.style import AMBER, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
Curve = Sequence[tuple[np.ndarray, np.ndarray]]  # angles and rates of smooth pieces, one after the other
JUMP = AMBER


def portrait(
    motion: HybridResult, links: Sequence[str], path: str | Path | None = None, *, last: float = np.inf, title: str | None = None
) -> "Figure":
    """Draw the pitch of links of a planar walker against its rate; a leg keeps its name.

    Rows between events should be dense (`record_dt=1/120`). Rows before the `last` seconds are faint.
    """
    q, v = kept_sides(motion)
    shown = motion.times[-1] - last
    curves: dict[str, dict[str, Curve]] = {}
    for link in links:
        angle = np.array([kinematics.pose(motion.robot, row, link).angle for row in q], dtype=float)
        rate = np.array([kinematics.velocity(motion.robot, *row, link)[-1] for row in zip(q, v, strict=True)])
        parts = {"before": [], "": []}  # type: dict[str, list]
        for rows in pieces(motion):
            parts["" if motion.times[rows.stop - 1] > shown else "before"].append((angle[rows], rate[rows]))
        curves[link.replace("_", " ")] = {name: curve for name, curve in parts.items() if curve}
    return portraits(curves, path, title or f"{motion.robot.name}: pitch and its rate")


def portraits(panels: Mapping[str, Mapping[str, Curve]], path: str | Path | None = None, title: str = "") -> "Figure":
    """One panel for each name, in it curves by name: the first a line, others points on it; one called `before` is faint."""
    figure = new_figure(5.2 * len(panels), 4.9)
    for ax, (name, curves) in zip(np.atleast_1d(figure.subplots(1, len(panels))), panels.items(), strict=True):
        color = SIDES["left"] if not name.endswith("right") else SIDES["right"]
        for number, (label, curve) in enumerate(each for each in curves.items() if each[0] != "before"):
            _draw(ax, curve, label, {"color": color, "linewidth": 1.2} if not number else _dots(number))
        if "before" in curves:
            _draw(ax, curves["before"], "", {"color": color, "linewidth": 0.7, "alpha": 0.3, "zorder": 0})
        ax.set_title(name)
        ax.set_xlabel("pitch (rad)")
        ax.set_ylabel("rate (rad/s)")
        ax.grid(color="0.9", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.legend(loc="best", fontsize="small", frameon=False)
    figure.suptitle(title)
    return saved(figure, path)


def _dots(number: int) -> dict[str, Any]:
    return {
        "linestyle": "",
        "marker": "o+x"[number % 3],
        "markersize": 3.5,
        "color": "#202020",
        "fillstyle": "none",
        "markevery": 6,
    }


def _draw(ax: "Axes", curve: Curve, label: str, style: dict[str, Any]) -> None:
    faint = style.get("alpha", 1.0) < 1.0
    for number, (angle, rate) in enumerate(curve):
        ax.plot(angle, rate, label=label if number == 0 and label else None, **style)
        if number and "marker" not in style:
            before = curve[number - 1]
            jump = [before[0][-1], angle[0]], [before[1][-1], rate[0]]
            named = None if faint or number > 1 else "impact"
            ax.plot(*jump, "--", color=JUMP, linewidth=1.2, alpha=0.25 if faint else 1.0, label=named)
