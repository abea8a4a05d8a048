"""A run as a moving picture, seen from the side: a GIF that any page, talk or chat shows."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.errors import StateError
from footfall.sim.run import Run
from footfall.view.picture import draw
from footfall.view.shapes import height_of
from footfall.view.stroboscope import outline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BELOW, ABOVE, ASIDE = 0.12, 1.2, 1.5  # robot's heights: of ground, of air, and on either side that are seen
MOST = 2000  # frames


def animation(
    run: Run, path: str | Path, *, begin: float = 0.0, end: float | None = None, speed: float = 1.0, rate: int = 25
) -> Path:
    """Write a GIF of a run from `begin` to `end` (s), `speed` times as fast as it was, with `rate` pictures a second.

    The camera goes along with the robot's base; ticks on the ground show how far it has come.
    """
    from matplotlib.animation import FuncAnimation, PillowWriter
    from matplotlib.figure import Figure

    if not isinstance(rate, int) or rate < 1:
        raise StateError(f"the rate of an animation must be a whole number of pictures a second, got {rate!r:.40}")
    path, moments = Path(path), _moments(run, begin, end, speed / rate)
    if path.suffix.lower() != ".gif":
        raise StateError(f"an animation is written as a .gif, got {path.name!r}")
    figure = Figure(figsize=(7.2, 3.7), dpi=75, layout="constrained")
    ax = figure.subplots()
    scene = _Scene(run, moments)
    FuncAnimation(figure, lambda t: scene.show(ax, t), frames=moments, init_func=lambda: None).save(path, PillowWriter(fps=rate))
    return path


def _moments(run: Run, begin: float, end: float | None, step: float) -> np.ndarray:
    last = float(run.time[-1]) if end is None else end
    if not (np.isfinite([begin, last, step]).all() and 0.0 <= begin < last and step > 0.0):
        raise StateError(f"an animation needs 0 <= begin < end and a speed above 0, got begin {begin}, end {last}")
    moments = np.arange(begin, min(last, float(run.time[-1])), step)
    if not 0 < len(moments) <= MOST:
        raise StateError(
            f"an animation of this run from {begin:g} to {last:g} s would have {len(moments)} pictures; 1 to {MOST} are possible"
        )
    return moments


class _Scene:
    """The robot and its ground, around where it is."""

    def __init__(self, run: Run, moments: np.ndarray):
        self.run, self.size = run, height_of(run.robot)
        base = run.q[:, 0] if run.robot.coordinates[0] == "base.x" else np.zeros(len(run.time))
        smooth = np.convolve(np.pad(base, 25, mode="edge"), np.full(51, 1 / 51), mode="valid")  # a camera does not nod
        self.middle = np.interp(moments, run.time, smooth)
        self.at = dict(zip(moments.tolist(), self.middle, strict=True))

    def show(self, ax: "Axes", time: float) -> list[Any]:
        run, size, middle = self.run, self.size, self.at[float(time)]
        ax.clear()
        q = run.q[int(np.argmin(np.abs(run.time - time)))]
        draw(run.robot, q[None], ax)
        x, ground = outline(run.study.world.terrain, middle - ASIDE * size, middle + ASIDE * size)
        level = float(np.interp(middle, x, ground))
        ax.fill_between(x, ground, level - size, color="0.86", linewidth=0)
        ax.plot(x, ground, color="0.4", linewidth=1.2)
        ax.set_aspect("equal", adjustable="box")
        ax.set_xlim(x[0], x[-1])
        ax.set_ylim(level - BELOW * size, level + ABOVE * size)
        ax.set_title(f"{run.study.name or run.robot.name}   {time:5.2f} s", fontsize="medium", family="monospace")
        return []
