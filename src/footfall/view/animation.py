"""A run as a moving picture, seen from the side: a GIF that any page, talk or chat shows."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall import analysis, kinematics
from footfall.errors import StateError
from footfall.model.layout import lift
from footfall.sim.run import Run
from footfall.view.picture import draw
from footfall.view.shapes import height_of
from footfall.view.stroboscope import outline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BELOW, ABOVE, ASIDE = 0.16, 1.3, 1.46  # robot's heights: of ground, of air, and on either side that are seen
PIXELS = 720  # of the width
WEIGHT = 0.45  # robot's heights: the arrow of a force as large as the robot's weight
MOST_WEIGHTS = 2.0  # an arrow is no longer than that, such as in an impact
EVENED = 0.02  # s: over which a ground reaction force is averaged
FORCES, PUSHES = "#4f8f3c", "#e0a100"
MOST = 2000  # frames


def animation(
    run: Run, path: str | Path, *, begin: float = 0.0, end: float | None = None, speed: float = 1.0, rate: int = 25
) -> Path:
    """Write a GIF of a run from `begin` to `end` (s), `speed` times as fast as it was, with `rate` pictures a second.

    The camera follows the robot's base, and marks on the ground show the distance. Arrows are the ground reaction force at the
    centre of pressure (green) and pushes (yellow).
    """
    from matplotlib.animation import FuncAnimation, PillowWriter
    from matplotlib.figure import Figure

    if not isinstance(rate, int) or rate < 1:
        raise StateError(f"the rate of an animation must be a whole number of pictures a second, got {rate!r:.40}")
    path, moments = Path(path), _moments(run, begin, end, speed / rate)
    if path.suffix.lower() != ".gif":
        raise StateError(f"an animation is written as a .gif, got {path.name!r}")
    figure = Figure(figsize=(PIXELS / 100, PIXELS / 100 * (ABOVE + BELOW) / (2 * ASIDE)), dpi=100)
    ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    scene = _Scene(run, moments)
    FuncAnimation(figure, lambda t: scene.show(ax, t), frames=moments, init_func=lambda: None).save(path, PillowWriter(fps=rate))
    return path


def _moments(run: Run, begin: float, end: float | None, step: float) -> np.ndarray:
    analysis.motion.check_rows(run)
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

        self.reaction, self.pressure = _reaction(run), analysis.center_of_pressure(run)
        self.heaviness = float(run.robot.mass * run.study.gravity)

    def show(self, ax: "Axes", time: float) -> list[Any]:
        run, size, middle = self.run, self.size, self.at[float(time)]
        row = int(np.argmin(np.abs(run.time - time)))
        ax.clear()
        draw(run.robot, run.q[row][None], ax)
        for line in ax.lines:
            line.set_linewidth(1.8 * line.get_linewidth())
        x, ground = outline(run.study.world.terrain_at(float(time)), middle - ASIDE * size, middle + ASIDE * size)
        level = float(np.interp(middle, x, ground))
        ax.fill_between(x, ground, level - size, color="0.88", linewidth=0)
        ax.plot(x, ground, color="0.35", linewidth=1.6)
        self._marks(ax, x, ground)
        self._arrows(ax, row)
        ax.set_axis_off()
        if legend := ax.get_legend():
            legend.remove()
        ax.set_aspect("equal", adjustable="box")
        ax.set_xlim(x[0], x[-1])
        ax.set_ylim(level - BELOW * size, level + ABOVE * size)
        title = f"{run.study.name or run.robot.name}  {time:6.2f} s"
        ax.text(0.015, 0.975, title, transform=ax.transAxes, va="top", family="monospace", color="0.25")
        return []

    def _marks(self, ax: "Axes", x: np.ndarray, ground: np.ndarray) -> None:
        """The distance, on the ground."""
        every = 10.0 ** np.ceil(np.log10(self.size / 2))
        for at in np.arange(np.ceil(x[0] / every), x[-1] / every) * every:
            z = float(np.interp(at, x, ground))
            ax.plot([at, at], [z, z - 0.03 * self.size], color="0.35", linewidth=1.2)
            ax.text(at, z - 0.04 * self.size, f"{at:g} m", ha="center", va="top", fontsize=8, color="0.35", clip_on=True)

    def _arrows(self, ax: "Axes", row: int) -> None:
        run, time = self.run, float(self.run.time[row])
        if self.pressure.valid[row]:
            self._arrow(ax, lift(self.pressure.place[row]), self.reaction[row], FORCES, from_tail=True)
        for push in run.study.world.pushes:
            if push.start <= time < push.end:
                place = kinematics.pose(run.robot, run.q[row], push.on, at=push.at).position
                self._arrow(ax, lift(place), lift(np.array(push.force)), PUSHES, from_tail=False)

    def _arrow(self, ax: "Axes", place: np.ndarray, force: np.ndarray, color: str, *, from_tail: bool) -> None:
        """A force in the plane of the picture, which begins or ends at a place."""
        seen = force[[0, 2]] / self.heaviness
        length = float(np.hypot(*seen))
        if length < 0.01:
            return
        arrow = seen * min(1.0, MOST_WEIGHTS / length) * WEIGHT * self.size
        tail = place[[0, 2]] if from_tail else place[[0, 2]] - arrow
        style = {
            "arrowstyle": "-|>,head_width=0.25,head_length=0.5",
            "color": color,
            "linewidth": 2.5 if from_tail else 4.0,
            "shrinkA": 0,
            "shrinkB": 0,
        }
        ax.annotate("", xy=tuple(tail + arrow), xytext=tuple(tail), arrowprops=style, annotation_clip=False, zorder=10)


def _reaction(run: Run) -> np.ndarray:
    """The force of the ground on the whole robot in space, averaged over a moment: (rows, 3)."""
    total = np.array([lift(force) for force in run.force.sum(axis=1)])
    half = int(EVENED / 2 / max(run.study.record_dt or run.study.dt, run.study.dt))
    window = np.full(2 * half + 1, 1 / (2 * half + 1))
    return np.array([np.convolve(np.pad(column, half, mode="edge"), window, mode="valid") for column in total.T]).T
