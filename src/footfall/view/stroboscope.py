"""A run as poses on its ground."""

from typing import TYPE_CHECKING

import numpy as np

from footfall.sim.run import Run
from footfall.view.look import extent
from footfall.view.picture import draw
from footfall.world import Terrain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BELOW, ASIDE = 0.15, 0.6  # m: of the ground, and beside the first and last pose, that is seen
ABOVE = 0.17  # of the robot's height, above it: room for the legend


def stroboscope(run: Run, ax: "Axes", begin: float, end: float, every: float) -> None:
    """Poses from one time to another, each so many seconds, and the ground below them, from the side."""
    rows = run.q[[int(np.argmin(np.abs(run.time - t))) for t in np.arange(begin, end, every)]]
    draw(run.robot, rows, ax)
    top = float(ax.dataLim.y1) + ABOVE * extent(run.robot)
    x, ground = outline(run.study.world.terrain, rows[:, 0].min() - ASIDE, rows[:, 0].max() + ASIDE)
    ax.fill_between(x, ground, ground.min() - BELOW, color="0.85", linewidth=0)
    ax.plot(x, ground, color="0.4", linewidth=1.2)
    ax.set_aspect("equal", adjustable="box")
    ax.set_xlim(x[0], x[-1])
    ax.set_ylim(ground.min() - BELOW, top)
    ax.legend(loc="upper left", fontsize="small", frameon=False, ncols=3)


def outline(terrain: Terrain, low: float, high: float, points: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """x and z of the ground below y = 0, corners as sharp as they are."""
    corners = terrain.corners()
    x = np.sort(np.concatenate((np.linspace(low, high, points), corners[(corners > low) & (corners < high)])))
    return x, np.array([terrain.height(float(at)) for at in x])
