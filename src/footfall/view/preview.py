"""Preview control: the zero-moment point beside its reference, and the error."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall import analysis
from footfall.control import PreviewCart
from footfall.errors import FootfallError
from footfall.sim.run import Run
from footfall.view.look import LEFT, RIGHT
from footfall.view.saving import saved
from footfall.view.style import new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def preview(run: Run, path: str | Path | None = None) -> "Figure":
    """Draw x and y of a cart over time: reference of the ZMP, measured ZMP and centre of mass; below, the errors of the ZMP."""
    law = run.study.controller
    if not isinstance(law, PreviewCart):
        raise FootfallError(f"preview draws runs of a PreviewCart, such as the study 'lipm-preview'; this one has {law!r:.60}")
    times, reference = law.reference()
    modelled, track = law.cart(run.study.gravity), analysis.zero_moment_point(run)
    measured, center = np.where(track.valid[:, None], track.place[:, :2], np.nan), analysis.center_of_mass(run)
    middles = run.time - 0.5 * np.diff(run.time, prepend=run.time[0])  # the measured ZMP is a mean since the row before
    figure = new_figure(9.0, 7.2)
    axes = list(figure.subplots(3, 1, sharex=True))
    for i, axis in enumerate("xy"):
        axes[i].plot(times, reference[:, i], color="0.4", linewidth=1.0, label="ZMP, reference")
        axes[i].plot(middles, measured[:, i], color="#6a3d9a", linewidth=1.4, label="ZMP, measured")
        axes[i].plot(run.time, center[:, i], "--", color="black", linewidth=1.2, label="centre of mass")
        axes[i].set_ylabel(f"{axis} (m)")
        wanted = np.stack([np.interp(middles, times, column) for column in reference.T], axis=1)
        axes[2].plot(middles, 1e3 * (measured - wanted)[:, i], color=(LEFT, RIGHT)[i], label=f"{axis}, measured")
        line = 1e3 * (modelled.zmp - reference)[:, i]
        axes[2].plot(times, line, ":", color="black", linewidth=1.0, label="by the model" if i == 0 else None)
    axes[2].set_ylabel("ZMP less reference (mm)")
    axes[2].set_xlabel("time (s)")
    for ax in axes:
        ax.grid(color="0.9", linewidth=0.6)
        ax.set_axisbelow(True)
        ax.legend(loc="best", fontsize="small", frameon=False)
    figure.suptitle(
        f"preview control, {law.steps} steps of {law.length:g} m, cart at {law.height:g} m, horizon {law.horizon:g} s"
    )
    return saved(figure, path)
