"""Figures of Stewart and Cremer's paper, from a run of `newton-walk`: ten frames of a walking cycle, and statistics.

And from heel to toes: the feet of `newton-walk-contact` from one landing to the swing of the other foot.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import kinematics
from footfall.errors import FootfallError
from footfall.sim.run import Run
from footfall.view.look import color_of, mixed
from footfall.view.picture import draw
from footfall.view.saving import saved
from footfall.view.style import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure
FRAMES = 10
NEWTON = 5e-4  # m: length of an arrow for 1 N
PHASE = "controller.state.phase"
STEPS = "controller.state.steps"


def walking_cycle(run: Run, path: Any = None, step: int = 9) -> "Figure":
    """Ten frames in which the walker completes a full cycle of six phases, as figure 4: from step `step` on."""
    steps = _column(run, STEPS)
    rows = np.flatnonzero((steps == step) | (steps == step + 1))
    if len(rows) < FRAMES:
        raise FootfallError(f"walking_cycle: the run has no whole cycle from step {step} on; it has {int(steps.max())} steps")
    chosen = rows[np.linspace(0, len(rows) - 1, FRAMES).round().astype(int)]
    figure = new_figure(9.0, 7.2)
    figure.suptitle(f"Walking cycle: {run.time[chosen[0]]:.2f} s to {run.time[chosen[-1]]:.2f} s (figure 4)")
    for ax, i in zip(figure.subplots(2, FRAMES // 2).ravel(), chosen, strict=True):
        draw(run.robot, run.q[i : i + 1], ax)
        x = run.q[i, 0]
        ax.axhline(0.0, color="0.6", linewidth=1.0)
        ax.set_aspect("equal", adjustable="box")
        ax.set_xlim(x - 0.55, x + 0.55)
        ax.set_ylim(-0.1, 1.9)
        ax.set_title(f"{run.time[i]:.2f} s, {run.labels[PHASE][int(run[PHASE][i])]}", fontsize="small")
        ax.tick_params(labelsize="x-small", labelleft=ax.get_subplotspec().is_first_col())
        ax.set_xlabel("x (m)" if ax.get_subplotspec().is_last_row() else "", fontsize="x-small")
        ax.set_ylabel("z (m)" if ax.get_subplotspec().is_first_col() else "", fontsize="x-small")
        if legend := ax.get_legend():
            legend.remove()
    return saved(figure, path)


def heel_to_toes(run: Run, path: Any = None, step: int = 9, frames: int = 8) -> "Figure":
    """The feet from the end of step `step` to the begin of the next swing, with the ground's force on each.

    For runs of `newton-walk-contact`, with rows of about 4 ms (`record_dt`).
    """
    steps, phase, labels = _column(run, STEPS), _column(run, PHASE), run.labels[PHASE]
    landing = np.flatnonzero((steps == step) & np.char.endswith(np.array(labels)[phase.astype(int)], "takeoff"))
    if len(landing) == 0 or int(steps.max()) <= step:
        raise FootfallError(f"heel_to_toes: the run has no landing after step {step}; it has {int(steps.max())} steps")
    begin, end = run.time[landing[0]] - 0.05, run.time[landing[-1]] + 0.06
    chosen = np.searchsorted(run.time, np.linspace(begin, end, frames))
    figure = new_figure(12.0, 4.6)
    figure.suptitle("From heel to toes: the feet over a landing, with the ground's force (0.1 m for 200 N)")
    middle = run.point[chosen[frames // 2]][:, 0].mean()
    for ax, i in zip(figure.subplots(2, frames // 2).ravel(), chosen, strict=True):
        draw(run.robot, run.q[i : i + 1], ax)
        ax.axhline(0.0, color="0.6", linewidth=1.0)
        for foot in ("foot_left", "foot_right"):
            _arrow(ax, run, i, foot, mixed(color_of(foot), "#000000", 0.35))
        ax.set_aspect("equal", adjustable="box")
        ax.set_xlim(middle - 0.55, middle + 0.6)
        ax.set_ylim(-0.04, 0.5)
        ax.set_title(f"{run.time[i]:.2f} s, {labels[int(phase[i])]}", fontsize="small")
        ax.tick_params(labelsize="x-small")
        ax.set_xlabel("x (m)" if ax.get_subplotspec().is_last_row() else "", fontsize="x-small")
        ax.set_ylabel("z (m)" if ax.get_subplotspec().is_first_col() else "", fontsize="x-small")
        if legend := ax.get_legend():
            legend.remove()
    return saved(figure, path)


def _arrow(ax: Any, run: Run, i: int, foot: str, color: str) -> None:
    """The force on a foot at its centre of pressure, upward from the ground."""
    pads = run.of(foot)
    force = run.force[i, pads].sum(axis=0)
    if force[2] > 10.0:
        x = (run.force[i, pads, 2] @ run.point[i, pads, 0]) / force[2]
        tip = (x + NEWTON * force[0], NEWTON * force[2])
        ax.annotate(
            "", tip, (x, 0.0), arrowprops={"color": color, "arrowstyle": "-|>", "shrinkA": 0.0, "shrinkB": 0.0, "linewidth": 2.0}
        )


def statistics(run: Run, path: Any = None) -> "Figure":
    """Speed, heights of the heels, joint angles and the phase over time, as the paper's statistical output (figure 5)."""
    t, robot = run.time, run.robot
    figure = new_figure(9.0, 9.5)
    figure.suptitle("Statistics of a walk (figure 5)")
    axes = figure.subplots(5, 1, sharex=True)
    axes[0].plot(t, run["v.base.x"], color="0.7", linewidth=0.8, label="hips")
    at = np.flatnonzero(np.diff(_column(run, STEPS)))
    axes[0].step(t[at[1:]], np.diff(run["q.base.x"][at]) / np.diff(t[at]), where="pre", color="black", label="mean of each step")
    _dress(axes[0], "speed (m/s)")
    for side in ("left", "right"):
        color = color_of(f"heel_{side}")
        heel = [kinematics.pose(robot, q, f"heel_{side}").position[2] for q in run.q]
        axes[1].plot(t, 100.0 * np.array(heel), color=color, label=side)
        axes[2].plot(t, np.degrees(run[f"q.knee_{side}"]), color=color, label=side)
        axes[3].plot(t, np.degrees(run[f"q.toe_{side}"]), color=color, label=side)
    for ax, label in zip(axes[1:4], ("heel (cm)", "knee (degrees)", "toe (degrees)"), strict=True):
        _dress(ax, label)
    axes[4].step(t, run[PHASE], where="post", color="black", linewidth=0.8)
    names = run.labels[PHASE]
    axes[4].set_yticks(range(len(names)), names, fontsize="x-small")
    axes[4].set_xlabel("time (s)")
    axes[4].set_ylabel("phase")
    axes[4].grid(alpha=0.3)
    return saved(figure, path)


def _column(run: Run, name: str) -> np.ndarray:
    if name not in run.columns():
        raise FootfallError(f"{run!r} has no {name}: it is for a run of newton-walk, whose study records 'controller.state'")
    return run[name]


def _dress(ax: Any, label: str) -> None:
    ax.set_ylabel(label)
    ax.grid(alpha=0.3)
    low, high = ax.get_ylim()
    ax.set_ylim(low, high + 0.2 * (high - low))  # room for the legend
    ax.legend(loc="upper right", fontsize="small", frameon=False, ncols=2)
