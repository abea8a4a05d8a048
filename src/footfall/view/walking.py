"""A walking robot in pictures: its poses over a stride, and its motors against their limits."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall import analysis
from footfall.errors import FootfallError
from footfall.motion import WalkingPattern
from footfall.sim.run import Run
from footfall.view.look import LEFT
from footfall.view.picture import draw
from footfall.view.saving import saved
from footfall.view.style import FALL, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure
POSES = 9  # of a stride
LIMITED, FREE, OVER = LEFT, "0.6", FALL


def stride(run: Run, path: str | Path | None = None, *, begin: float | None = None, poses: int = POSES) -> "Figure":
    """Poses over one stride, two steps of different feet, from the side and in space also from the front; the last one strongest.

    The stride is the first one that begins at `begin` (s) or later, the middle one of the run if left out.
    """
    _check_run("a stride", run)
    starts = [step.time for step in analysis.steps(run).rows]
    if len(starts) < 3:
        raise FootfallError(f"a stride is two steps, from touch-down to touch-down of one foot; this run has {len(starts)} steps")
    wanted = starts[(len(starts) - 1) // 2] if begin is None else begin
    first = next((i for i, time in enumerate(starts[:-2]) if time >= wanted - 1e-9), len(starts) - 3)
    times = np.linspace(starts[first], starts[first + 2], poses)
    rows = run.q[[int(np.argmin(np.abs(run.time - time))) for time in times]]
    views = ["side"] if run.robot.space == "planar" else ["side", "front"]
    figure = new_figure(11.0, 5.6)
    widths = [1.0] if len(views) == 1 else [2.0, 1.0]
    for ax, view in zip(np.atleast_1d(figure.subplots(1, len(views), width_ratios=widths)), views, strict=True):
        draw(run.robot, rows, ax, view)
    period = times[-1] - times[0]
    figure.suptitle(
        f"{run.robot.name}: one stride, {period:.2f} s from {times[0]:.2f} s, a pose every {period / (poses - 1):.2f} s"
    )
    return saved(figure, path)


def drives(run: Run, path: str | Path | None = None) -> "Figure":
    """The largest torque, speed and current of every motor in a run beside its limits, which are black marks."""
    _check_run("motors", run)
    found = analysis.actuation(run).drives
    if not found:
        raise FootfallError(f"robot {run.robot.name!r} has no motors")
    names = [drive.joint for drive in found]
    panels = {"torque": "torque (N m)", "speed": "speed (rad/s)", "current": "current (A)"}
    if not any(drive.current.value for drive in found):
        del panels["current"]  # motors without electrical data
    figure = new_figure(11.0, 1.6 + 0.24 * len(names))
    axes = np.atleast_1d(figure.subplots(1, len(panels), sharey=True))
    places = np.arange(len(names))[::-1]
    for ax, (kind, label) in zip(axes, panels.items(), strict=True):
        uses = [getattr(drive, kind) for drive in found]
        colors = [OVER if use.part > 1.0 + 1e-9 else LIMITED if np.isfinite(use.limit) else FREE for use in uses]
        ax.barh(places, [use.value for use in uses], color=colors, height=0.65)
        limits = [(use.limit, at) for use, at in zip(uses, places, strict=True) if 0.0 < use.limit < np.inf]
        if limits:
            ax.plot(*np.array(limits).T, "|", color="black", markersize=9, markeredgewidth=2.0)
        ax.set_xlabel(f"largest {label}")
        ax.grid(color="0.92", linewidth=0.6, axis="x")
        ax.set_axisbelow(True)
    axes[0].set_yticks(places, names, fontsize="small")
    for color, text in ((LIMITED, "within its limit"), (OVER, "beyond its limit"), (FREE, "has no limit")):
        axes[0].barh([0.0], [0.0], color=color, label=text)
    axes[0].plot([], [], "|", color="black", markersize=9, markeredgewidth=2.0, label="limit")
    figure.legend(loc="outside lower center", ncols=4, fontsize="small", frameon=False)
    figure.suptitle(f"{run.study.name or run.robot.name}: motors over {run.time[-1]:.3g} s")
    return saved(figure, path)


def _check_run(what: str, run: object) -> None:
    if isinstance(run, WalkingPattern):
        raise FootfallError(
            f"{what} can be drawn of a Run, and a WalkingPattern is a plan that nothing has walked yet: ff.view.footprints draws "
            "it, ff.motion.feasibility has its torques, speeds and powers"
        )
    if not isinstance(run, Run):
        raise FootfallError(f"{what} can be drawn of a Run, got {type(run).__name__} {run!r:.60}")
