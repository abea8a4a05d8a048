"""Plots of observations beside the true values."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.errors import UnknownNameError
from footfall.sim.run import Run
from footfall.view.style import OTHERS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def observed(run: Run, names: Sequence[str], path: str | Path | None = None) -> "Figure":
    """Draw recorded observations over time, each beside the truth: `v.knee_left`, `q.base.pitch`, `wrench.foot_left.fz`.

    The truth of a force at a foot is the sum over its pads, in world axes, as the mean since the row before; moments and
    accelerations stand alone.
    """
    known = [name.removeprefix("obs.") for name in run.more if name.startswith("obs.")]
    for name in names:
        if name not in known:
            raise UnknownNameError("observation (of a run; record it with record=('sensors',))", name, known)
    figure = new_figure(9.0, 0.6 + 2.2 * len(names))
    axes = np.atleast_1d(figure.subplots(len(names), 1, sharex=True))
    for ax, name in zip(axes, names, strict=True):
        ax.step(run.time, run.more[f"obs.{name}"], where="post", color=OTHERS[2], linewidth=1.0, label="as the sensor shows it")
        truth = _truth(run, name)
        if truth is not None:
            ax.plot(run.time, truth, color="0.15", linewidth=1.2, label="as it is")
        ax.set_ylabel(f"{name}\n({_unit(run, name)})")
        ax.grid(color="0.9", linewidth=0.6)
        ax.set_axisbelow(True)
    axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), fontsize="small", frameon=False, ncols=2)
    axes[-1].set_xlabel("time (s)")
    if path is not None:
        figure.savefig(path, dpi=130)
    return figure


def _truth(run: Run, name: str) -> np.ndarray | None:
    kind, _, rest = name.partition(".")
    if kind in ("q", "v"):
        return run.columns()[name]
    foot, _, axis = rest.rpartition(".")
    if kind == "wrench" and axis[0] == "f":
        return run.force[:, run.of(foot), ("xz" if run.robot.dim == 2 else "xyz").index(axis[1])].sum(axis=1)
    return None


def _unit(run: Run, name: str) -> str:
    kind, _, rest = name.partition(".")
    if kind == "wrench":
        return "N" if rest.rpartition(".")[2][0] == "f" else "N m"
    if kind == "acceleration":
        return "m/s²"
    slides = rest.rpartition(".")[2] in ("x", "y", "z") or any(
        joint.name == rest and joint.kind == "prismatic" for joint in run.robot.joints
    )
    unit = "m" if slides else "1" if rest.rpartition(".")[2] in ("qw", "qx", "qy", "qz") else "rad"
    return unit if kind == "q" else f"{unit}/s"
