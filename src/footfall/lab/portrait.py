"""The phase portrait of a joint, as a picture: the last seconds, and the limit cycle where one was found."""

from typing import Any

import numpy as np

from footfall import cycles
from footfall.analysis.sides import kept_sides, pieces
from footfall.sim.run import Run
from footfall.sim.study import Study
from footfall.view.look import LEFT, RIGHT
from footfall.view.style import AMBER, new_figure

SIZE = (4.6, 3.6)  # inches, at 100 dots


class Portrait:
    """Angle against rate."""

    def __init__(self) -> None:
        self.cycle: cycles.LimitCycle | None = None
        self._axes: Any = None

    def find_cycle(self, study: Study) -> str:
        """Find the limit cycle of a study; its figures in Markdown."""
        self.cycle = cycle = cycles.limit_cycle(study)
        sizes = ", ".join(f"{abs(each):.4f}" for each in cycle.multipliers)
        kind = "stable" if cycle.stable else "unstable"
        return f"**Limit cycle**, {kind}: period {cycle.period:.4f} s, speed {cycle.speed:.4f} m/s, multipliers of size {sizes}"

    def draw(self, run: Run, joint: str) -> np.ndarray:
        """The picture, (height, width, 3)."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        if self._axes is None:
            figure = new_figure(*SIZE)
            self._axes = FigureCanvasAgg(figure), figure.add_subplot()
            self._axes[1].locator_params(nbins=6)
        canvas, ax = self._axes
        for line in list(ax.lines):  # the axes keep their style
            line.remove()
        names = list(run.robot.velocities)
        d = names.index(joint) if joint in names else len(names) - 1
        i = list(run.robot.coordinates).index(names[d]) if names[d] in run.robot.coordinates else d
        if self.cycle is not None and self.cycle.motion.robot.nv == run.robot.nv:
            motion = self.cycle.motion
            q, v = kept_sides(motion)
            for number, rows in enumerate(pieces(motion)):
                ax.plot(q[rows, i], v[rows, d], color=AMBER, linewidth=3.0, alpha=0.6, label=None if number else "limit cycle")
        ax.plot(run.q[:, i], run.v[:, d], color=LEFT, linewidth=1.0, label="last seconds")
        ax.plot(run.q[-1:, i], run.v[-1:, d], "o", color=RIGHT, markersize=6)
        unit = _unit(run, names[d])
        ax.set_xlabel(f"{names[d]} ({unit})")
        ax.set_ylabel(f"rate ({unit}/s)")
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize="small", frameon=False)
        ax.relim()
        ax.autoscale_view()
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _unit(run: Run, name: str) -> str:
    """Of a degree of freedom: of a hinge rad, of a slide m."""
    return "m" if any(joint.name == name and joint.kind == "prismatic" for joint in run.robot.joints) else "rad"
