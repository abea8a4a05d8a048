"""What an estimator says, beside the truth, and its error."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from footfall.analysis import estimate_error
from footfall.sim.run import Run
from footfall.view.style import OTHERS, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def estimate(run: Run, path: str | Path | None = None, last: float = 3.0) -> "Figure":
    """Draw the velocity of the pelvis as it is and as it was estimated, over the last seconds; and the drift of its place."""
    error = estimate_error(run)
    figure = new_figure(9.0, 8.0)
    axes = figure.subplots(4, 1, height_ratios=(1.0, 1.0, 1.0, 1.3))
    rows = run.time >= run.time[-1] - last
    free = next(joint.name for joint in run.robot.layout.joints if joint.kind == "free")
    for k, (axis, ax) in enumerate(zip("xyz", axes[:3], strict=True)):
        true = run.v[rows, run.robot.velocities.index(f"{free}.{axis}")]
        ax.plot(run.time[rows], true, color="0.15", linewidth=1.4, label="as it is")
        ax.plot(run.time[rows], true + error.velocity[rows, k], color=OTHERS[2], linewidth=1.0, label="as estimated")
        ax.set_ylabel(f"v {axis} (m/s)")
        ax.sharex(axes[0])
        ax.grid(color="0.9", linewidth=0.6)
    axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), fontsize="small", frameon=False, ncols=2)
    axes[2].set_xlabel("time (s)")
    way = np.linalg.norm(run.q[:, :2] - run.q[0, :2], axis=1)
    for k, axis in enumerate("xyz"):
        axes[3].plot(way, 1e3 * error.place[:, k], color=OTHERS[k], linewidth=1.2, label=f"{axis}")
    axes[3].set_xlabel("way (m)")
    axes[3].set_ylabel("error of the place (mm)")
    axes[3].grid(color="0.9", linewidth=0.6)
    axes[3].legend(loc="upper left", fontsize="small", frameon=False, ncols=3)
    if path is not None:
        figure.savefig(path, dpi=130)
    return figure
