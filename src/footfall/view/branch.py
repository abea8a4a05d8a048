"""Branches of limit cycles over a parameter: period, speed and Floquet multipliers; and multipliers in the complex plane."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.cycles import Branch, LimitCycle
from footfall.errors import StateError
from footfall.view.saving import saved
from footfall.view.style import CYCLE, GREY, MARK, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

KINDS = {"fold": "o", "period doubling": "s"}


def branch(found: Branch, path: str | Path | None = None) -> "Figure":
    """Draw a branch: period and speed, solid where the cycle is stable and dashed where not, and the sizes of its multipliers."""
    if not isinstance(found, Branch):
        raise StateError(f"this picture is one of a Branch, as continuation finds it, got {found!r:.60}")
    figure = new_figure(9.0, 7.6)
    axes = list(figure.subplots(3, 1, sharex=True))
    stable = np.array([cycle.stable for cycle in found.cycles])
    for ax, name, label in zip(axes, ("period", "speed"), ("period (s)", "speed (m/s)"), strict=False):
        series = np.array([getattr(cycle, name) for cycle in found.cycles])
        _along(ax, found.values, series, stable)
        for each in found.special:
            ax.plot(each.value, getattr(each.cycle, name), KINDS.get(each.kind, "D"), color=MARK, markersize=7, zorder=4)
        ax.set_ylabel(label)
    sizes = _sizes(found)
    for k in range(sizes.shape[1]):
        axes[2].plot(found.values, sizes[:, k], color=CYCLE[k % len(CYCLE)], linewidth=1.6, label=f"multiplier {k + 1}")
    axes[2].axhline(1.0, color="0.3", linewidth=0.8, linestyle=":")
    axes[2].set_ylabel("size of the Floquet\nmultipliers")
    axes[2].set_xlabel(f"{found.along} (rad)" if found.along == "slope" else found.along)
    for kind, marker in KINDS.items():
        if found.of(kind):
            axes[0].plot([], [], marker, color=MARK, label=kind)
    handles = [each.get_legend_handles_labels() for each in (axes[0], axes[2])]
    figure.legend(
        [h for pair in handles for h in pair[0]],
        [n for pair in handles for n in pair[1]],
        loc="outside lower center",
        ncols=5,
        fontsize="small",
        frameon=False,
    )
    figure.suptitle(f"{found.cycles[0].walk.name}: cycles along {found.along}{'' if found.complete else ' (interrupted)'}")
    return saved(figure, path)


def multipliers(cycle: LimitCycle, path: str | Path | None = None) -> "Figure":
    """Draw the Floquet multipliers of a cycle in the complex plane; inside the unit circle disturbances die out."""
    if not isinstance(cycle, LimitCycle):
        raise StateError(f"multipliers are those of a LimitCycle, got {cycle!r:.60}")
    figure = new_figure(5.6, 5.6)
    ax = figure.subplots()
    angle = np.linspace(0.0, 2 * np.pi, 200)
    ax.fill(np.cos(angle), np.sin(angle), color="#eaf3ee", zorder=0)
    ax.plot(np.cos(angle), np.sin(angle), color=GREY, linewidth=1.0)
    inside = np.abs(cycle.multipliers) < 1.0
    for chosen, color, name in ((inside, CYCLE[0], "dies out"), (~inside, MARK, "grows")):
        if chosen.any():
            at = np.atleast_1d(cycle.multipliers)[chosen]
            ax.plot(at.real, at.imag, "o", color=color, markersize=8, label=name)
    ax.axhline(0.0, color="0.7", linewidth=0.7)
    ax.axvline(0.0, color="0.7", linewidth=0.7)
    ax.set_aspect("equal")
    ax.set_xlabel("real part")
    ax.set_ylabel("imaginary part")
    figure.legend(loc="outside lower center", ncols=2, frameon=False)
    figure.suptitle(f"{cycle.walk.name}: Floquet multipliers")
    return saved(figure, path)


def _along(ax: "Axes", x: np.ndarray, y: np.ndarray, stable: np.ndarray) -> None:
    """Lines in their order along the branch, dashed where the cycle is unstable."""
    for i in range(len(x) - 1):
        solid = stable[i] and stable[i + 1]
        style = {"linewidth": 2.2} if solid else {"linewidth": 1.6, "linestyle": (0, (4, 2))}
        ax.plot(x[i : i + 2], y[i : i + 2], color=CYCLE[0] if solid else CYCLE[1], **style)
    ax.plot([], [], color=CYCLE[0], linewidth=2.2, label="stable")
    if not stable.all():
        ax.plot([], [], "--", color=CYCLE[1], linewidth=1.6, label="unstable")


def _sizes(found: Branch) -> np.ndarray:
    """Sizes of the multipliers, sorted; a direction that a step forgets has none."""
    most = max(len(cycle.multipliers) for cycle in found.cycles)
    sizes = np.full((len(found.cycles), most), np.nan)
    for row, cycle in zip(sizes, found.cycles, strict=True):
        row[: len(cycle.multipliers)] = np.sort(np.abs(cycle.multipliers))[::-1]
    return sizes
