"""Pictures of basins of attraction and of bifurcations."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.cycles import Basin, Bifurcation
from footfall.cycles.basin import OUTCOMES
from footfall.errors import StateError
from footfall.view.saving import saved
from footfall.view.style import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
COLORS = {
    "elsewhere": "#8064a2",
    "fell forward": "#f2d9a0",
    "fell backward": "#bcc9d9",
    "scuffed": "#d98c7a",
    "no strike": "#8a8a8a",
    "no motion": "#404040",
    "not tried": "#ffffff",
}
MARK = "#c0392b"
TURN = "rad"  # unit of the free coordinates of walkers with hinges


def basin(found: Basin, path: str | Path | None = None) -> "Figure":
    """Draw a basin: shades for how many steps it takes to the cycle, colours for those that do not get there."""
    _check(found, Basin)
    from matplotlib.colors import BoundaryNorm, ListedColormap
    from matplotlib.ticker import MaxNLocator

    figure = new_figure(9.5, 6.0)
    ax = figure.subplots()
    box = _box(found)
    others = ListedColormap([COLORS.get(name, "#ffffff") for name in OUTCOMES])
    shown = np.ma.masked_equal(found.outcome, OUTCOMES.index("cycle"))
    norm = BoundaryNorm(np.arange(len(OUTCOMES) + 1) - 0.5, len(OUTCOMES))
    place: dict[str, Any] = {"origin": "lower", "extent": box, "aspect": "auto", "interpolation": "nearest"}
    ax.imshow(shown, cmap=others, norm=norm, **place)
    arrived = found.of("cycle")
    if arrived.any():
        steps = np.ma.masked_where(~arrived, found.count)
        most = float(np.percentile(found.count[arrived], 99))
        image = ax.imshow(steps, cmap="viridis_r", vmin=0, vmax=max(most, 1.0), **place)
        figure.colorbar(image, ax=ax, label="steps to the cycle", pad=0.02, extend="max", ticks=MaxNLocator(integer=True))
    walk = found.cycle.walk
    names = [*walk.robot.coordinates, *(f"rate of {name}" for name in walk.robot.coordinates)]
    for event in found.cycle.motion.events:
        if event.name == walk.step:
            state = np.concatenate((event.q_after, event.v_after))
            at = [state[names.index(name)] for name in found.along]
            ax.plot(*at, "o", color="white", markeredgecolor=MARK, markeredgewidth=2.0, markersize=9, zorder=3)
    ax.set_xlim(box[0], box[1])
    ax.set_ylim(box[2], box[3])
    ax.set_xlabel(_label(found.along[0]))
    ax.set_ylabel(_label(found.along[1]))
    ax.set_title(f"{found.cycle.study.name}: which starts walk{'' if found.complete else ' (interrupted)'}")
    _legend(found, ax)
    return saved(figure, path)


def _check(found: Any, kind: type) -> None:
    if not isinstance(found, kind):
        raise StateError(f"this picture is one of a {kind.__name__}, got {found!r:.60}")


def _box(found: Basin) -> tuple[float, float, float, float]:
    """Edges of the picture: half a cell beyond the outermost starts."""
    edges = []
    for values in (found.x, found.y):
        half = 0.5 * (values[1] - values[0]) if len(values) > 1 else 0.5
        edges += [float(values[0] - half), float(values[-1] + half)]
    return edges[0], edges[1], edges[2], edges[3]


def _legend(found: Basin, ax: "Axes") -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    shares = found.shares()
    handles: list = [
        Line2D([], [], marker="o", linestyle="", color="white", markeredgecolor=MARK, markeredgewidth=2.0, label="the cycle")
    ]
    if "cycle" in shares:
        handles.append(Patch(color="#35848d", label=f"comes to the cycle ({_percent(shares['cycle'])})"))
    names = {"elsewhere": "walks on, but not there"}
    for name, color in COLORS.items():
        if name in shares:
            handles.append(Patch(facecolor=color, edgecolor="0.6", label=f"{names.get(name, name)} ({_percent(shares[name])})"))
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=3, fontsize="small", frameon=False)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= 5e-4 else "under 0.1 %"


def _label(name: str) -> str:
    return f"{name} ({TURN}/s)" if name.startswith("rate of ") else f"{name} ({TURN})"


def bifurcation(found: Bifurcation, path: str | Path | None = None) -> "Figure":
    """Draw where walks settle: how long steps take and how far the legs are apart, over the parameter."""
    _check(found, Bifurcation)
    figure = new_figure(10.0, 7.5)
    axes = list(figure.subplots(2, 1, sharex=True))
    shown = "hip" if "hip" in found.names else found.names[0]
    tables = (found.times, found.u[:, :, found.names.index(shown)])
    labels = ("duration of a step (s)", f"{shown} at the beginning of a step ({TURN})")
    x = np.repeat(found.values, found.times.shape[1])
    dot = float(np.clip(1.6 * np.sqrt(300 / max(found.tried.sum(), 1)), 1.6, 4.0))  # fewer values, larger dots
    cycles = found.branch.cycles
    one = ([cycle.period for cycle in cycles], [cycle.u[cycle.names.index(shown)] for cycle in cycles])
    for ax, table, label, line in zip(axes, tables, labels, one, strict=True):
        ax.plot(found.branch.values, line, "--", color="0.65", linewidth=1.2, zorder=1, label="cycle of one step")
        ax.plot(x, table.ravel(), ".", color="#1f3a5f", markersize=dot, markeredgewidth=0, zorder=2)
        ax.plot([], [], "o", color="#1f3a5f", markersize=4, label="where walks settle")
        for number, (_, each) in enumerate(found.doublings):
            ax.axvline(each.value, color=MARK, linewidth=1.0, zorder=0, label="period doubles" if number == 0 else None)
        ax.set_ylabel(label)
        ax.grid(color="0.92", linewidth=0.6)
        ax.set_axisbelow(True)
    for number, (steps, each) in enumerate(found.doublings):
        low = 0.03 + 0.07 * (number % 4)
        axes[0].annotate(
            f"{steps} → {2 * steps} at {each.value:.7g}", (each.value, low), xycoords=("data", "axes fraction"),
            xytext=(-5, 0), textcoords="offset points", ha="right", fontsize="small", color=MARK,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
        )  # fmt: skip
    axes[-1].set_xlabel(f"{found.along} (rad)" if found.along == "slope" else found.along)
    axes[0].set_title(f"{cycles[0].study.name}: where walks settle{'' if found.complete else f' ({found.reason})'}")
    axes[0].legend(loc="upper left", fontsize="small", frameon=False)
    return saved(figure, path)
