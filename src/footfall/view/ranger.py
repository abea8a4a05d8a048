"""Pictures of the Ranger's walk: steps, feet, power of its motors, and how a disturbance fades."""

from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis import cost_of_transport, power, sole, steps
from footfall.sim.run import Run
from footfall.view.picture import draw
from footfall.view.stroboscope import stroboscope
from footfall.view.style import OTHERS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure
FRAMES = 9  # poses in the strip
CLEAR = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}  # behind words, so that no line crosses them
LOSSES = {  # of a cost of transport, as the bar shows them
    "overhead": "electronics",
    "heat": "windings",
    "brushes": "brushes",
    "friction": "joint friction",
    "impacts": "landing",
}


def strip(run: Run, start: float, seconds: float = 1.2) -> "Figure":
    """The robot over two steps, and the power that each motor draws then."""
    found, rows = power(run), np.flatnonzero((run.time >= start) & (run.time <= start + seconds))
    figure = new_figure(9.0, 7.0)
    top, below = figure.subplots(2, 1, height_ratios=(3, 2))
    draw(run.robot, run.q[rows[np.linspace(0, len(rows) - 1, FRAMES).round().astype(int)]], top)
    top.set_xlabel("x (m)")
    top.set_ylabel("z (m)")
    for j, name in enumerate(found.joints):
        below.plot(run.time[rows], found.drawn[rows, j], color=OTHERS[j], label=name.replace("_", " "))
    for step in steps(run).rows:
        if start <= step.time <= start + seconds:
            below.axvline(step.time, color="0.7", linewidth=0.8, linestyle="--")
    below.set_xlabel("time (s); dashed where a foot lands")
    below.set_ylabel("power drawn (W)")
    below.grid(color="0.9", linewidth=0.6)
    below.legend(frameon=False)
    figure.suptitle("Two steps of the Cornell Ranger")
    return figure


def feet(runs: dict[str, Run], start: float = 10.0, every: float = 0.1) -> "Figure":
    """The feet of walks over a step: poses above, below the angle of each foot, strong while it touches.

    The band is where the sole's arc touches level ground; above it a foot stands on the rear tip of its sole.
    """
    figure = new_figure(11.0, 6.0)
    axes = figure.subplots(2, len(runs), height_ratios=(3, 2), sharey="row", squeeze=False)
    for column, (name, run) in enumerate(runs.items()):
        first, last = (step.time for step in [each for each in steps(run).rows if each.time > start][:2])
        top, below = axes[:, column]
        stroboscope(run, top, first - 0.1, last + 0.1, every)
        hips = run.q[(run.time > first - 0.1) & (run.time < last + 0.1), 0]
        top.set(
            xlim=(hips.min() - 0.3, hips.max() + 0.35), ylim=(-0.06, 0.28), xlabel="x (m)", ylabel="z (m)" if not column else ""
        )
        top.set_title(name)
        top.get_legend().remove()
        low, high = run.robot.feet[0].pads[0].span
        below.axhspan(-high, -low, color="0.9", label="the arc touches")
        for foot, color in zip(("foot_outer", "foot_inner"), OTHERS, strict=False):
            found = sole(run, foot)
            if found is not None:
                shown = (run.time > first - 0.15) & (run.time < last + 0.15)
                below.plot(run.time[shown], found.toe_up[shown], color=color, linewidth=0.8, alpha=0.5)
                on = np.where(found.touches, found.toe_up, np.nan)
                below.plot(
                    run.time[shown], on[shown], color=color, linewidth=2.5, label=f"{foot.replace('_', ' ')} on the ground"
                )
        below.set(xlabel="time (s)", ylabel="toe up (rad)" if not column else "")
        below.grid(color="0.95", linewidth=0.6)
    handles, labels = (a + b for a, b in zip(*(ax.get_legend_handles_labels() for ax in axes[:, 0]), strict=True))
    figure.legend(handles, labels, loc="outside lower center", ncols=3, frameon=False)
    return figure


def costs(runs: dict[str, Run], start: float = 10.0) -> "Figure":
    """Where the energy of walks goes, as shares of their cost of transport; dashed: the robot's marathon, and its best."""
    figure = new_figure(9.0, 1.6 + 0.7 * len(runs))
    ax = figure.subplots()
    for i, (name, run) in enumerate(runs.items()):
        cost, left = cost_of_transport(run, start=start), 0.0
        per = cost.total / (cost.drawn + cost.overhead)
        for j, (field, label) in enumerate(LOSSES.items()):
            size = per * getattr(cost, field)
            ax.barh(i, size, left=left, color=OTHERS[j], label=label if i == 0 else None)
            left += size
        ax.barh(i, cost.total - left, left=left, color="0.85", label="given back, not taken" if i == 0 else None)
        ax.text(cost.total + 0.005, i, f"{cost.total:.3f} at {cost.speed:.2f} m/s", va="center", bbox=CLEAR)
    for value, label in ((0.28, "marathon 0.28"), (0.19, "best 0.19")):
        ax.axvline(value, color="black", linewidth=0.8, linestyle="--")
        ax.text(value, len(runs) - 0.45, label, ha="center", va="bottom", fontsize="small", bbox=CLEAR)
    ax.set_yticks(range(len(runs)), list(runs))
    ax.set_ylim(-0.5, len(runs) - 0.1)
    ax.set_xlim(0.0, 1.25 * max(cost_of_transport(run, start=start).total for run in runs.values()))
    ax.set_xlabel("total cost of transport")
    figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False, fontsize="small")
    return figure


def fading(sequences: dict[str, list[np.ndarray]]) -> "Figure":
    """Speed of the stance leg from mid-stance to mid-stance after a push: one line a run, by gait."""
    figure = new_figure(9.0, 3.6)
    axes = np.atleast_1d(figure.subplots(1, len(sequences), sharey=True))
    for ax, (name, rows) in zip(axes, sequences.items(), strict=True):
        for each in rows:
            ax.plot(np.arange(len(each)), -each[:, 0], color=OTHERS[0], linewidth=0.8, alpha=0.6)
        ax.set_title(name)
        ax.set_xlabel("steps after the push")
        ax.grid(color="0.9", linewidth=0.6)
    axes[0].set_ylabel("rate of the stance leg\nat mid-stance (rad/s)")
    return figure
