"""A run as frames beside each other, and its joints as phase portraits."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis import motion
from footfall.errors import StateError, UnknownNameError
from footfall.sim.run import Run
from footfall.view.look import SIDES, extent, side_of
from footfall.view.picture import Silhouette
from footfall.view.saving import saved
from footfall.view.space import FLOOR
from footfall.view.stroboscope import outline
from footfall.view.style import CYCLE, IMPACT, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PER_ROW = 5
MOST = 40  # frames


def sequence(
    run: Run, path: str | Path | None = None, *, begin: float = 0.0, end: float | None = None, frames: int = 10
) -> "Figure":
    """Draw frames of a run at even times from `begin` to `end` (s), each beside the other, from the side, on their ground."""
    if not isinstance(run, Run):
        raise StateError(f"a sequence is that of a Run, got {run!r:.60}")
    motion.check_rows(run)
    last = float(run.time[-1]) if end is None else min(float(end), float(run.time[-1]))
    if not (0.0 <= begin < last and isinstance(frames, int) and 1 <= frames <= MOST):
        raise StateError(f"a sequence needs 0 <= begin < end and 1 to {MOST} frames, got {begin}, {last} and {frames!r:.20}")
    chosen = [int(np.argmin(np.abs(run.time - time))) for time in np.linspace(begin, last, frames)]
    tall, center = extent(run.robot), motion.center_of_mass(run)
    rows = -(-frames // PER_ROW)
    figure = new_figure(11.0, 2.7 * rows + 0.5)
    axes = np.atleast_1d(figure.subplots(rows, min(frames, PER_ROW))).ravel()
    for ax, row in zip(axes, chosen, strict=False):
        middle = float(center[row, 0])
        x, z = outline(run.study.world.terrain_at(float(run.time[row])), middle - 0.6 * tall, middle + 0.6 * tall)
        level = float(np.interp(middle, x, z))
        ax.fill_between(x, z, level - tall, color=FLOOR, linewidth=0)
        ax.plot(x, z, color="0.35", linewidth=1.2)
        Silhouette(run.robot, ax, zorder=3).move(run.q[row])
        ax.set_aspect("equal", adjustable="box")
        ax.set_xlim(middle - 0.55 * tall, middle + 0.55 * tall)
        ax.set_ylim(level - 0.12 * tall, level + 1.15 * tall)
        ax.set_title(f"{run.time[row]:.2f} s", fontsize="small")
        ax.tick_params(labelsize="x-small")
        ax.set_xlabel("x forward (m)" if ax.get_subplotspec().is_last_row() else "", fontsize="x-small")
        ax.set_ylabel("z up (m)" if ax.get_subplotspec().is_first_col() else "", fontsize="x-small")
    for ax in axes[frames:]:
        ax.set_visible(False)
    figure.suptitle(f"{run.study.name or run.robot.name}: {begin:.2f} to {last:.2f} s")
    return saved(figure, path)


def phase(run: Run, joints: Sequence[str] | None = None, path: str | Path | None = None, *, begin: float = 0.0) -> "Figure":
    """Draw phase portraits of joints, rate over angle, from `begin` (s) on; where velocities jump in an impact, dashed.

    Joints whose names differ by their side only share a panel; all hinges if none is named.
    """
    if not isinstance(run, Run):
        raise StateError(f"phase portraits are those of a Run, got {run!r:.60}")
    motion.check_rows(run)
    known = {joint.name: i for i, joint in enumerate(run.robot.layout.joints, start=1) if joint.kind in ("revolute", "prismatic")}
    wanted = list(known) if joints is None else list(joints)
    for name in wanted:
        if name not in known:
            raise UnknownNameError("joint (with one coordinate)", name, known)
    if not wanted:
        raise StateError(f"robot {run.robot.name!r} has no joint with one coordinate, so no phase portrait")
    panels: dict[str, list[str]] = {}
    for name in wanted:
        panels.setdefault(name.removesuffix(f"_{side_of(name)}"), []).append(name)
    columns = min(len(panels), 4)
    rows = -(-len(panels) // columns)
    figure = new_figure(max(3.1 * columns, 5.0), 3.1 * rows + 0.6)
    axes = np.atleast_1d(figure.subplots(rows, columns)).ravel()
    shown = run.time >= begin
    for ax, (kind, names) in zip(axes, panels.items(), strict=False):
        for name in names:
            tree, i = run.robot.tree, known[name]
            q, v = run.q[shown, tree.first_q[i]], run.v[shown, tree.first_v[i]]
            color = SIDES.get(side_of(name), CYCLE[2])
            jumps = _jumps(run, shown)
            cut = np.flatnonzero(jumps) + 1
            ax.plot(np.insert(q, cut, np.nan), np.insert(v, cut, np.nan), color=color, linewidth=1.1, label=side_of(name) or None)
            for row in np.flatnonzero(jumps):
                ax.plot(q[row : row + 2], v[row : row + 2], "--", color=IMPACT, linewidth=0.9, zorder=1)
        ax.set_title(kind)
        ax.set_xlabel("angle (rad)" if run.robot.layout.joints[i - 1].kind == "revolute" else "way (m)")
        ax.set_ylabel("rate (rad/s)" if run.robot.layout.joints[i - 1].kind == "revolute" else "rate (m/s)")
    for ax in axes[len(panels) :]:
        ax.set_visible(False)
    axes[0].plot([], [], "--", color=IMPACT, linewidth=0.9, label="across an impact")
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, fontsize="small", frameon=False)
    figure.suptitle(f"{run.study.name or run.robot.name}: phase portraits")
    return saved(figure, path)


def _jumps(run: Run, shown: np.ndarray) -> np.ndarray:
    """Whether there is an impact between a row and the next, of the rows that are shown."""
    time = run.time[shown]
    hits = np.array([event.time for event in run.happened("impact")])
    return np.array([bool(((hits > a) & (hits <= b)).any()) for a, b in pairwise(time)], dtype=bool)
